"""Claims: the latest discard leaves its pool for another seat, in time or not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    Happening,
    Seat,
    TileClaimed,
)
from table_controller.domain.tiles import Tile
from table_controller.game import costs
from table_controller.game.base import Chance
from table_controller.game.mcr.early_draws import resolve_early

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading
from table_controller.game.mcr.sets import agrees


def tile_claimed(g: ChineseTable, h: TileClaimed) -> bool:
    """The latest discard leaves the pool for another seat."""
    chance = g.chance if g.robbing is None else g.robbing
    if (
        g.phase not in ("play", "check")
        or chance is None
        or g.claimer is not None
        or (g.phase == "play" and g.need != "draw" and g.robbing is None)
        or h.seat == chance.seat
        or (h.from_ is not None and h.from_ != chance.seat)
        or not agrees(h.tile, chance.tile)
    ):
        return False
    g.now = max(g.now, h.t)
    claim(g, h.seat, chance, h.tile, h)
    return True


def claim(
    g: ChineseTable, seat: Seat, chance: Chance, tile: Tile, h: Happening, *, quiet: bool = False
) -> None:
    """The tile is on its way to the claimer."""
    resolve_early(g)
    if g.exposed:
        g.tick(h.t)
    if tile.known and not chance.tile.known:
        chance = replace(chance, tile=tile)
        if chance.index >= 0:
            g.put_in_pool(chance.seat, chance.index, tile=tile)
            g.saw(h, tile)
    if chance.index >= 0:
        g.put_in_pool(chance.seat, chance.index, gone=True)
    g.claim = chance
    g.claimer = seat
    g.late_calls = ()
    if not quiet and any(s == seat and t >= chance.t for s, t in g.reached):
        g.flag("claim-after-draw", seat, h, t=h.t, cause=("claim", seat, chance.t))


def read_tile_claimed(g: ChineseTable, h: TileClaimed) -> list[Reading]:
    """A claim that comes too late, of a misread tile, or reported twice."""
    readings: list[Reading] = []
    if g.phase not in ("play", "check"):
        return readings
    doubt = costs.disbelief(h.confidence)
    chance = g.chance
    if g.claimer == h.seat or _has_claimed(g, h.seat, h.tile):
        readings.append((costs.DOUBLED, lambda _r: None))
    if (
        chance is not None
        and g.claimer is None
        and g.need == "draw"
        and h.seat != chance.seat
        and not agrees(h.tile, chance.tile)
    ):

        def misread(r: ChineseTable) -> None:
            assert r.chance is not None
            r.now = max(r.now, h.t)
            claim(r, h.seat, r.chance, Tile.UNKNOWN, h)

        readings.append((doubt, misread))
    late = late_chance(g, h.seat, h.tile)
    if late is not None and g.claimer is None and g.phase == "play":

        def after_draw(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.flag("claim-after-draw", h.seat, h, t=h.t, cause=("claim", h.seat, late.t))
            claim(r, h.seat, late, h.tile, h, quiet=True)

        readings.append((costs.INFRACTION, after_draw))
    return readings


def late_chance(g: ChineseTable, seat: Seat, tile: Tile) -> Chance | None:
    """The latest discard although the next draw has covered it."""
    if g.need != "discard" or g.last_draw is None or g.after in ("deal", "chow", "pung"):
        return None
    discarder = max(range(4), key=lambda s: g.seats[s].pool[-1].t if g.seats[s].pool else -1.0)
    pool = g.seats[discarder].pool
    if not pool or pool[-1].gone or discarder in (seat, g.turn):
        return None
    lying = pool[-1].tile.plain  # a red five is claimed as a five
    if not agrees(lying, tile) or g.last_draw[2] < pool[-1].t:
        return None
    return Chance(discarder, lying, pool[-1].t, len(pool) - 1)  # type: ignore[arg-type]


def _has_claimed(g: ChineseTable, seat: Seat, tile: Tile) -> bool:
    melds = g.seats[seat].melds
    return bool(melds) and melds[-1].claimed is tile and g.now - melds[-1].t < 3.0
