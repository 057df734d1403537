"""Dora indicators and the dead wall (source 002, 4.7, 5.8.5, 7.4, 9.3, 9.13)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from table_controller.domain.happenings import (
    Happening,
    IndicatorTurned,
    Seat,
    TileDrawn,
    TileExposed,
)
from table_controller.domain.tiles import Tile
from table_controller.game import costs
from table_controller.game.mcr import exposure, playing
from table_controller.game.riichi.deadwall import DeadWall
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.riichi.table import Reading, RiichiTable

GRACE = 2
"""Discards after which an indicator that should lie open is missed."""


def after_deal(g: RiichiTable) -> None:
    """The dealer turns the first indicator after the deal (4.7.3)."""
    require(g, g.dealer)


def require(g: RiichiTable, seat: Seat) -> None:
    """One more indicator has to lie open; this seat turns it."""
    g.dora_due += 1
    g.dora_by = (*g.dora_by, seat)
    # What called for it may have happened while nobody looked, and the turning with it.
    g.dora_since = g.now if g.doubt is None else min(g.now, g.doubt.since)


def turned(g: RiichiTable, h: IndicatorTurned) -> bool:
    """An indicator that is due, at its place; ura indicators after a win with riichi."""
    if g.phase in ("idle", "wall", "over") or not isinstance(g.wall, DeadWall):
        return g.phase == "over"
    where = None if h.slot is None else g.wall.indicator_number(h.slot)
    if where is not None and where[1]:
        return _lower(g, h, where[0])
    if g.phase == "check" and h.slot is None and len(g.dora) >= g.dora_due:
        g.ura = (*g.ura, h.tile)
        return True
    if where is not None and where[0] < len(g.dora):
        if not g.dora[where[0]].known and h.tile.known:
            # It was turned late, or its face could not be read before.
            g.dora = (*g.dora[: where[0]], h.tile, *g.dora[where[0] + 1 :])
            g.say("indicator", h.seat, tile=h.tile, slots=None if h.slot is None else (h.slot,))
        return True
    first = h.slot is None or (where is not None and where[0] == 0)
    if g.phase == "deal" and not g.dora and first:
        # Turned while the last tiles are still being taken: early, but the right one.
        g.now = max(g.now, h.t)
        return _accept(g, h, early=True)
    if len(g.dora) >= g.dora_due + g.dora_later:
        return False
    if where is not None and where[0] != len(g.dora):
        if not len(g.dora) < where[0] < g.dora_due + g.dora_later or g.dora_said <= len(g.dora):
            return False
        # The one before it is known to be missing: its place stays open.
        g.dora = (*g.dora, *[Tile.UNKNOWN] * (where[0] - len(g.dora)))
    if h.slot is not None and where is None:
        return False
    return _accept(g, h, early=len(g.dora) >= g.dora_due)


def _accept(g: RiichiTable, h: IndicatorTurned, *, early: bool) -> bool:
    g.now = max(g.now, h.t)
    if early and g.dora_later:
        # Turned before the discard that calls for it; the place is right.
        g.dora_later -= 1
        require(g, g.dora_by[-1] if g.dora_by else g.dealer)
    g.dora = (*g.dora, h.tile)
    g.saw(h, h.tile.plain if h.tile.known else h.tile)
    g.say("indicator", h.seat, tile=h.tile, slots=None if h.slot is None else (h.slot,))
    return True


def _lower(g: RiichiTable, h: IndicatorTurned, number: int) -> bool:
    """An ura indicator: after a win with riichi, else nobody may look (9.3.2).

    They are listed as the indicators above them, in whatever order they are turned and seen.
    """
    g.now = max(g.now, h.t)
    won = g.phase == "check" and any(win.riichi for win in g.winners)
    if not won and g.phase != "over":
        g.flag("ura-dora-peeked", h.seat, h, t=h.t, facts=Facts(tiles=(h.tile,)), cause=("ura",))
        return True
    if g.phase == "check" and len(g.ura) < len(g.dora):
        before = sum(other < number for other in g.ura_at)
        g.ura = (*g.ura[:before], h.tile, *g.ura[before:])
        g.ura_at = (*g.ura_at[:before], number, *g.ura_at[before:])
        g.win_t = max(g.win_t, h.t)
        if h.tile.known:
            g.saw(h, h.tile.plain)
    return True


def read_turned(g: RiichiTable, h: IndicatorTurned) -> list[Reading]:
    """A wrong indicator, one too many, one seen at a wrong place, or a tile that fell over."""
    if not isinstance(g.wall, DeadWall):
        return []
    readings: list[Reading] = []
    where = None if h.slot is None else g.wall.indicator_number(h.slot)
    awaited = g.phase == "deal" or len(g.dora) < g.dora_due + g.dora_later
    if h.slot is not None and where is None and not awaited:
        # Nobody was to turn anything: it fell over, however neatly it lies.
        return [(costs.INFRACTION, lambda r: _fell(r, h))]

    def wrong(r: RiichiTable) -> None:
        r.now = max(r.now, h.t)
        seat = h.seat
        if seat is None:
            seat = r.dora_by[len(r.dora)] if len(r.dora) < len(r.dora_by) else None
        r.flag("wrong-indicator", seat, h, t=h.t, facts=Facts(tiles=(h.tile,)))

    readings.append((costs.INFRACTION, wrong))
    if where is not None and len(g.dora) < where[0] < g.dora_due + g.dora_later:
        ahead = where[0] - len(g.dora)

        def earlier_unseen(r: RiichiTable) -> None:
            r.dora = (*r.dora, *[Tile.UNKNOWN] * ahead)
            turned(r, h)

        readings.append((costs.MISSED * ahead, earlier_unseen))
    if len(g.dora) < g.dora_due + g.dora_later:
        doubt = costs.disbelief(h.confidence) if h.slot is None else costs.OTHER_STACK
        due = len(g.dora) >= g.dora_due
        readings.append((doubt, lambda r: _taken(r, replace(h, slot=None), early=due)))
    return readings


def _fell(g: RiichiTable, h: IndicatorTurned) -> None:
    where: Literal["wall", "dead_wall"] = "wall"
    if isinstance(g.wall, DeadWall) and h.slot is not None:
        index = g.wall.index(h.slot)
        where = "dead_wall" if index is not None and g.wall.is_dead(index) else "wall"
    tile_exposed(
        g,
        TileExposed(
            t=h.t,
            where=where,
            seat=None,
            tile=h.tile,
            by=h.seat,
            slot=h.slot,
            confidence=h.confidence,
        ),
    )


def _taken(g: RiichiTable, h: IndicatorTurned, *, early: bool) -> None:
    _accept(g, h, early=early)


def check_due(g: RiichiTable) -> None:
    """An indicator that should lie open for some time and does not (where it was looked at)."""
    missing = g.dora_due - len(g.dora)
    if missing <= 0 or g.dora_said >= g.dora_due or g.doubt is not None:
        return
    # Where nobody looked at the wall it is waited as long again.
    since = max(g.dora_since, g.looked_since("wall", None))
    if sum(d.t > since for seat in g.order for d in g.seats[seat].pool) < GRACE:
        return
    seat = g.dora_by[len(g.dora)] if len(g.dora) < len(g.dora_by) else None
    if g.dora_said > len(g.dora):
        # The one that is missing was named before.
        return
    g.dora_said = g.dora_due
    g.flag("indicator-not-turned", seat, t=g.dora_since, cause=("dora", g.dora_due))


def tile_exposed(g: RiichiTable, h: TileExposed) -> bool:
    """A face that should be hidden; in the dead wall it depends on which tile (9.3.2, 9.13)."""
    wall = g.wall
    if h.where not in ("wall", "dead_wall") or not isinstance(wall, DeadWall) or h.slot is None:
        if h.where == "dead_wall" and g.phase in ("deal", "play"):
            g.now = max(g.now, h.t)
            _dead(g, h, "replacement")
            return True
        return exposure.tile_exposed(g, h)
    if g.phase not in ("deal", "play"):
        return True
    index = wall.index(h.slot)
    if index is None or not wall.is_dead(index):
        return exposure.tile_exposed(g, h)
    g.now = max(g.now, h.t)
    where = wall.indicator_number(h.slot)
    if where is not None and not where[1] and where[0] < len(g.dora):
        return True
    if where is not None and where[1]:
        g.flag("ura-dora-peeked", h.by, h, t=h.t, facts=Facts(tiles=(h.tile,)), cause=("ura",))
    elif wall.is_replacement(index):
        _dead(g, h, "replacement")
    else:
        _dead(g, h, "other")
    return True


def _dead(g: RiichiTable, h: TileExposed, stage: str) -> None:
    g.flag(
        "dead-wall-tile-exposed",
        h.by,
        h,
        t=h.t,
        facts=Facts(stage=stage, tiles=(h.tile,)),
        cause=("dead", h.slot),
    )


def drawn_live(g: RiichiTable, *evidence: Happening) -> bool:
    """Whether the tile that was drawn is none of the dead wall."""
    drawn = next((h for h in evidence if isinstance(h, TileDrawn) and h.slots), None)
    if drawn is None or not isinstance(g.wall, DeadWall):
        return False
    index = g.wall.index(drawn.slots[0])
    return index is not None and not g.wall.is_dead(index)


def read_tile_drawn(g: RiichiTable, h: TileDrawn) -> list[Reading]:
    """As in every game; a tile of the dead wall without a kong is an offence of its own."""
    wall = g.wall
    if g.phase == "play" and isinstance(wall, DeadWall) and g.early is None and h.slots:
        indices = [wall.index(slot) for slot in h.slots]
        seat = g.turn if h.seat is None else h.seat
        dead = all(i is not None and wall.is_dead(i) and wall.stands(i) for i in indices)
        if dead and not g.owed[seat]:
            first = indices[0]
            assert first is not None
            taken = tuple(i for i in indices if i is not None)
            return [
                (
                    costs.INFRACTION,
                    lambda r: playing.begin_early(r, "dead-wall-draw", seat, taken, h),
                ),
                *playing.as_wanted(g, h, seat),
            ]
    return playing.read_tile_drawn(g, h)
