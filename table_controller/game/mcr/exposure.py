"""Faces that should be hidden, and walls and pools pushed out of order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    PoolDisturbed,
    Seat,
    TileCovered,
    TileExposed,
    WallDisturbed,
)
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable

GATHER_S = 0.6
"""Tiles exposed within this time of each other come from one cause."""

SETTLE_S = 0.6
"""So long after the last of them the alert waits for one that was reported later."""

CLEAR = 0.8
"""A face in a hand that is read less clearly may be no tile's: a die beside the row, glare."""

CLEARED_S = 1.0
"""So long after the last discard of a used-up wall nobody pushes the pools but to clear them."""

AFTERMATH_S = 3.0
"""Faces of wall tiles seen within this time of a break belong to it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Exposed tiles of one cause, gathered until nothing more joins them."""

    where: str
    seat: Seat | None
    by: Seat | None
    t: float
    since: float
    evidence: tuple[TileExposed, ...]


def _quiet(g: ChineseTable) -> bool:
    """Before the deal and after the hand nothing has to be hidden."""
    return g.phase in ("idle", "check", "over")


def _played_out(g: ChineseTable, t: float) -> bool:
    """Whether the last tile of the wall is discarded, nobody has called it, and all is cleared."""
    last = g.open_discard
    if g.wall is None or g.wall.left or last is None or any(g.owed):
        return False
    return g.claimer is None and not g.calls and t > last.t + CLEARED_S


def tile_exposed(g: ChineseTable, h: TileExposed) -> bool:
    """A face can be seen: gathered with the others of the same cause."""
    if g.exposed and h.t > g.exposed[-1].t + GATHER_S:
        settle(g)
    g.now = max(g.now, h.t)
    if _quiet(g):
        return True
    if h.where == "hand" and h.confidence < CLEAR:
        return True
    if h.where in ("hand", "table") and _declared(g, h):
        return True
    if h.where in ("wall", "dead_wall"):
        side = h.slot.side if h.slot is not None else h.seat
        if any(s == side and abs(h.t - t) < AFTERMATH_S for s, t in g.disturbed):
            return True
    elif h.seat is not None and h.tile.known and h.where == "hand":
        g.seats[h.seat].known = (*g.seats[h.seat].known, h.tile)
    where = "wall" if h.where == "dead_wall" else h.where
    if any(key == (where, h.seat, h.by) and h.t <= t + GATHER_S for key, t in g.told_exposed):
        return True  # reported late; its alert has been raised
    for at, shown in enumerate(g.exposed):
        if (shown.where, shown.seat, shown.by) == (where, h.seat, h.by):
            if any(e.tile is h.tile and e.slot == h.slot for e in shown.evidence) and (
                h.t - shown.t < GATHER_S and h.tile.known and where != "hand"
            ):
                return True
            joined = Shown(where, h.seat, h.by, h.t, shown.since, (*shown.evidence, h))
            g.exposed = (*g.exposed[:at], *g.exposed[at + 1 :], joined)
            return True
    g.exposed = (*g.exposed, Shown(where, h.seat, h.by, h.t, h.t, (h,)))
    return True


def _declared(g: ChineseTable, h: TileExposed) -> bool:
    """Whether its owner has just declared a win: what he shows then is the hand he wins with."""
    own = h.by is None or h.by == h.seat
    return own and any(
        seat == h.seat and kind == "win" and t <= h.t
        for seat, kind, t, _ in (*g.overtaken, *g.calls)
    )


def settle(g: ChineseTable) -> None:
    """Everything that was exposed together is known: the alerts are raised."""
    gathered: tuple[Shown, ...] = g.exposed
    g.told_exposed = (
        *g.told_exposed[-5:],
        *(((shown.where, shown.seat, shown.by), shown.t) for shown in gathered),
    )
    g.exposed = ()
    victims: dict[Seat | None, list[Shown]] = {}
    for shown in gathered:
        if shown.where == "wall":
            _raise_wall(g, shown)
        elif shown.by is None or shown.by == shown.seat or shown.seat is None:
            _raise_own(g, shown)
        else:
            victims.setdefault(shown.by, []).append(shown)
    for by, several in victims.items():
        _raise_other(g, by, several)


def _raise_wall(g: ChineseTable, shown: Shown) -> None:
    tiles = tuple(e.tile for e in shown.evidence)
    g.flag(
        "wall-tile-exposed",
        shown.by,
        *shown.evidence,
        t=shown.since,
        facts=Facts(tiles=tiles),
    )


def _raise_own(g: ChineseTable, shown: Shown) -> None:
    tiles = tuple(e.tile for e in shown.evidence)
    seat = shown.seat if shown.seat is not None else shown.by
    g.flag("own-tile-exposed", seat, *shown.evidence, t=shown.since, facts=Facts(tiles=tiles))


def _raise_other(g: ChineseTable, by: Seat | None, several: list[Shown]) -> None:
    evidence = tuple(e for shown in several for e in shown.evidence)
    victims = tuple(s.seat for s in several if s.seat is not None)
    tiles = tuple(e.tile for e in evidence)
    worst = max(len(s.evidence) for s in several)
    standing = max((g.seats[v].standing for v in victims), default=13)
    if len(victims) > 1:
        stage = "several"
    elif worst <= 2:
        stage = "1-2"
    elif 2 * worst > max(standing, 1):
        stage = "half"
    else:
        stage = "3-4"
    g.flag(
        "other-tile-exposed",
        by,
        *evidence,
        t=min(s.since for s in several),
        facts=Facts(stage=stage, victims=victims, tiles=tiles),
    )


def tile_covered(g: ChineseTable, h: TileCovered) -> bool:
    """Hidden again; what was seen has been seen."""
    if h.t > g.now:
        g.now = h.t
    return True


def wall_disturbed(g: ChineseTable, h: WallDisturbed) -> bool:
    """Stacks out of line: crooked before the break, broken afterwards."""
    g.now = max(g.now, h.t)
    if _quiet(g):
        return True
    # Wall faces seen a moment before belong to the same fall.
    g.exposed = tuple(s for s in g.exposed if s.where != "wall" or not _near(s, h))
    again = any(s == h.side and 0 <= h.t - t < AFTERMATH_S for s, t in g.disturbed)
    g.disturbed = (*g.disturbed[-3:], (h.side, h.t))
    if again:
        return True
    if g.phase == "wall" and h.by is None:
        g.flag("wall-crooked", None, h, t=h.t, cause=("crooked", h.side))
        return True
    stage = "recoverable" if h.recoverable else "unrecoverable"
    g.flag("wall-break", h.by, h, t=h.t, facts=Facts(stage=stage))
    return True


def _near(shown: Shown, h: WallDisturbed) -> bool:
    sides = {e.slot.side if e.slot is not None else e.seat for e in shown.evidence}
    return h.side in sides and abs(h.t - shown.t) < AFTERMATH_S


def pool_disturbed(g: ChineseTable, h: PoolDisturbed) -> bool:
    """A pool out of order; while a win is counted, and when all is played, its tiles may move."""
    g.now = max(g.now, h.t)
    if _quiet(g) or _played_out(g, h.t):
        return True
    stage = "recoverable" if h.recoverable else "unrecoverable"
    g.flag("pool-disturbed", h.by, h, t=h.t, facts=Facts(stage=stage))
    return True
