"""Claims, sets and kongs, and what can be wrong with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    Happening,
    MeldShown,
    Seat,
)
from table_controller.domain.tiles import Tile, sort_tiles
from table_controller.game.base import Chance, Meld, MeldKind
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable
from table_controller.game.mcr.kongs import lay_concealed
from table_controller.game.mcr.sets import holds, kind_of, looks_concealed

_LAID_S = 0.9
"""The fourth tile of a kong that is laid tile by tile is told by then, and how the kong lies."""

_FETCHED_S = 1.0
"""So long after the tiles of a set were shown the discard they are for has been fetched."""


def unseen_meld(g: ChineseTable, h: Happening, *, kong: bool) -> None:
    """The claimed tile was laid with others that nobody saw."""
    taken, seat = g.claim, g.claimer
    assert taken is not None
    assert seat is not None
    called = next((c[1] for c in g.calls if c[0] == seat and c[1] in ("chow", "pung")), None)
    kind: MeldKind = "unknown"
    if kong:
        kind = "kong"
    elif called is not None:
        kind = "chow" if called == "chow" else "pung"
    elif seat != g.next_of(taken.seat) or taken.tile.is_honour:
        kind = "pung"
    count = 4 if kong else 3
    if kind in ("kong", "pung") and taken.tile.known:
        tiles = (taken.tile,) * count
    else:
        tiles = (taken.tile, *(Tile.UNKNOWN,) * (count - 1))
    lay(g, seat, taken, kind, tiles, True, None, inferred=True, t=h.t)


def meld_shown(g: ChineseTable, h: MeldShown) -> bool:
    """A set comes to rest: of the claimed tile, or a concealed kong."""
    if g.phase not in ("play", "check", "over"):
        return False
    seat = h.seat
    if _same_again(g, h):
        return True
    if g.phase != "play":
        return False
    if g.claimer == seat and g.claim is not None:
        kind = kind_of(h.tiles, g.claim.tile)
        if kind is None or not holds(h, g.claim.tile) or looks_concealed(h):
            return False
        if any(tile.known and tile is not g.claim.tile and g.full(tile) for tile in h.tiles):
            return False
        g.now = max(g.now, h.t)
        lay(g, seat, g.claim, kind, h.tiles, True, h)
        return True
    if (
        g.turn == seat
        and g.need == "discard"
        and not g.owed[seat]
        and g.claimer is None
        and looks_concealed(h)
        and kind_of(h.tiles) == "kong"
        and g.after not in ("chow", "pung")
    ):
        g.now = max(g.now, h.t)
        lay_concealed(g, h)
        return True
    return False


def _same_again(g: ChineseTable, h: MeldShown) -> bool:
    """A set sent again: as it was, or a concealed kong turned up."""
    state = g.seats[h.seat]
    for at, meld in enumerate(state.melds):
        if len(meld.tiles) != len(h.tiles):
            continue
        if meld.concealed and kind_of(h.tiles) == "kong" and h.claimed is None:
            face = next((tile for tile in h.tiles if tile.known), None)
            mine = next((tile for tile in meld.tiles if tile.known), None)
            if mine is not None and face is not None and mine is not face:
                continue
            if face is None and g.turn == h.seat and g.need == "discard" and g.now - meld.t > 1.0:
                continue
            if face is not None and mine is None:
                g.saw(h, face, face, face, face)
                state.exchange(at, replace(meld, tiles=(face,) * 4))
            return True
        if _told_late(meld, h):
            _read_at_last(g, h, at)
            return True
        if not meld.concealed and sort_tiles(meld.tiles) == sort_tiles(h.tiles):
            fresh = g.claimer == h.seat or (
                g.open_discard is not None and h.claimed is not None and g.now - meld.t > 3.0
            )
            if not fresh:
                return True
    return False


def _told_late(meld: Meld, h: MeldShown) -> bool:
    """Whether this is the set that was assumed, of unknown tiles, from what followed it."""
    unread = not meld.concealed and not any(tile.known for tile in meld.tiles)
    return unread and h.t <= meld.t and kind_of(h.tiles) in (meld.kind, "unknown")


def _read_at_last(g: ChineseTable, h: MeldShown, at: int) -> None:
    """The tiles of an assumed set become known, and the one that was claimed for it."""
    state = g.seats[h.seat]
    meld = state.melds[at]
    claimed = meld.claimed or Tile.UNKNOWN
    if meld.kind == "pung":
        claimed = next((tile for tile in h.tiles if tile.known), claimed)
    elif h.claimed is not None and h.claimed < len(h.tiles):
        claimed = h.tiles[h.claimed]
    if meld.from_ is not None and claimed.known:
        pool = g.seats[meld.from_].pool
        unread = (n for n in reversed(range(len(pool))) if pool[n].gone and not pool[n].tile.known)
        if (index := next(unread, None)) is not None:
            g.put_in_pool(meld.from_, index, tile=claimed)
    g.saw(h, *h.tiles)
    state.exchange(at, replace(meld, tiles=h.tiles, claimed=claimed))


def lay(
    g: ChineseTable,
    seat: Seat,
    taken: Chance,
    kind: MeldKind,
    tiles: tuple[Tile, ...],
    valid: bool,
    h: MeldShown | None,
    *,
    inferred: bool = False,
    t: float | None = None,
) -> None:
    """A set with a claimed tile stands; the claimer discards, or draws after a kong."""
    if kind == "unknown" and seat != g.next_of(taken.seat):
        kind = "pung"
    g.now = max(g.now, g.now if t is None else t)
    state = g.seats[seat]
    claimed = taken.tile
    if not claimed.known and h is not None and h.claimed is not None:
        claimed = h.tiles[h.claimed] if h.claimed < len(h.tiles) else claimed
        if claimed.known:
            g.put_in_pool(taken.seat, taken.index, tile=claimed)
            g.saw(h, claimed)
    if h is not None:
        rest = list(tiles)
        if claimed in rest:
            rest.remove(claimed)
        elif Tile.UNKNOWN in rest:
            rest.remove(Tile.UNKNOWN)
        else:
            rest.pop()
        g.saw(h, *rest)
    meld = Meld(kind, tiles, taken.seat, claimed, valid=valid, t=g.now)
    state.melds = (*state.melds, meld)
    state.standing -= len(tiles) - 1
    _check_claim(g, seat, taken, meld, h)
    g.claim = g.claimer = None
    g.chance = taken if taken.index >= 0 else None
    g.overtaken, g.calls = (*g.overtaken, *g.calls), ()
    g.reached = ()
    g.turn, g.need = seat, "discard"
    g.draw_t = g.now
    g.robbing = None
    said = "chow" if kind == "unknown" else kind
    g.after = "kong" if kind == "kong" else "chow" if said == "chow" else "pung"
    more: dict[str, object] = {"kong": "exposed"} if kind == "kong" else {}
    g.say(
        said,
        seat,
        tile=claimed,
        tiles=tuple(sort_tiles(tiles)),
        from_=taken.seat,
        inferred=inferred,
        **more,
    )
    if kind == "kong":
        g.owe(seat, 1)


def _check_claim(
    g: ChineseTable, seat: Seat, taken: Chance, meld: Meld, h: MeldShown | None
) -> None:
    """From whom, in what order of calls, under which bar, and how it lies."""
    evidence = () if h is None else (h,)
    t = g.now if h is None else h.t
    cause = ("claim", seat, taken.t)
    state = g.seats[seat]
    if meld.kind == "chow" and seat != g.next_of(taken.seat):
        shown = tuple(tile for tile in meld.tiles if tile is not taken.tile)
        g.flag("chow-not-from-left", seat, *evidence, t=t, facts=Facts(tiles=shown), cause=cause)
    barred = "kong_exposed" if meld.kind == "kong" else meld.kind
    if (state.stop_win or state.dead) and barred in g.ruleset.stop_win.bars:
        g.flag("claim-while-barred", seat, *evidence, t=t, cause=cause)
    _check_priority(g, seat, taken, meld, evidence, t, cause)
    if h is not None and h.sideways is not None and h.sideways < len(h.tiles):
        g.lying = (seat, taken.seat, h)
        called = any(c[0] == seat and c[1] in ("chow", "pung") for c in g.calls)
        if meld.kind == "chow" or (meld.kind == "pung" and called):
            # No fourth tile comes.
            check_lying(g)


def tick(g: ChineseTable, t: float) -> None:
    """A set that has lain there for a moment is complete: it can be seen how it lies."""
    if g.lying is not None and t > g.lying[2].t + _LAID_S:
        check_lying(g)
    if g.unfetched is not None and t > _fetched_by(g, g.unfetched[1].t):
        check_left(g)


def _fetched_by(g: ChineseTable, shown: float) -> float:
    """By when a tile that others were shown for is fetched, or a pung takes it from a chow."""
    limit, chance = g.ruleset.timers.pung_s, g.chance
    due = shown + _FETCHED_S
    if limit is None or chance is None or g.after != "chow":
        return due
    return max(due, chance.t + limit)


def check_lying(g: ChineseTable) -> None:
    """How the last set lies, looked at when play goes on: a kong may be laid tile by tile."""
    if g.lying is None:
        return
    seat, source, h = g.lying
    g.lying = None
    melds = g.seats[seat].melds
    if not melds or len(melds[-1].tiles) != len(h.tiles):
        return
    last = len(h.tiles) - 1
    right = {3: (0,), 2: tuple(range(1, last)), 1: (last,)}[g.way(seat, source)]
    if h.sideways not in right:
        g.flag("meld-misplaced", seat, h, t=h.t)


def check_left(g: ChineseTable) -> None:
    """Whether the tile that a set was shown for still lies in the pool when play goes on."""
    if g.unfetched is None:
        return
    seat, h = g.unfetched
    g.unfetched = None
    g.flag("claimed-tile-left", seat, h, t=h.t, facts=Facts(stage="go_around"))


def _check_priority(
    g: ChineseTable,
    seat: Seat,
    taken: Chance,
    meld: Meld,
    evidence: tuple[Happening, ...],
    t: float,
    cause: tuple[object, ...],
) -> None:
    """Win before kong and pung, these before chow; a pung over a chow within its 3 seconds."""
    limit = g.ruleset.timers.pung_s
    own = next((c for c in g.calls if c[0] == seat and c[1] != "win"), None)
    for other, called, when, happening in g.calls:
        if other == seat or other == taken.seat:
            continue
        in_time = limit is None or when - taken.t <= limit
        if called == "win" and meld.kind != "unknown":
            g.flag(
                "claim-out-of-priority",
                seat,
                *evidence,
                happening,
                t=t,
                facts=Facts(stage="win"),
                cause=cause,
            )
        elif called in ("pung", "kong") and meld.kind == "chow" and in_time:
            g.flag(
                "claim-out-of-priority",
                seat,
                *evidence,
                happening,
                t=t,
                facts=Facts(stage="pung"),
                cause=cause,
            )
        elif called in ("pung", "kong") and meld.kind == "chow":
            g.flag("claim-late", other, happening, t=when, cause=("late", other, taken.t))
        elif called == "chow" and meld.kind == "pung" and own is not None:
            late = limit is not None and own[2] - taken.t > limit
            if late and when < own[2]:
                g.flag("claim-late", seat, own[3], t=own[2], cause=("late", seat, taken.t))
