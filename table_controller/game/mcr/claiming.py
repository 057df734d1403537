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
from table_controller.game.base import Chance, Meld
from table_controller.game.mcr import taking
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
        or h.seat == chance.seat
        or (h.from_ is not None and h.from_ != chance.seat)
        or not agrees(h.tile, chance.tile)
    ):
        return False
    if g.unfetched is not None and g.unfetched[0] == h.seat:
        # The tiles it makes a set with were shown first.
        g.now = max(g.now, h.t)
        g.unfetched = None
        g.put_in_pool(chance.seat, chance.index, gone=True)
        return True
    if g.claimer is not None:
        # A winner takes the tile from whoever had fetched it.
        return g.claimer != h.seat and any(win.seat == h.seat for win in g.wins)
    if g.robbing is None and not (claimable(g, h.seat) or _won_on_it(g)):
        return False
    g.now = max(g.now, h.t)
    claim(g, h.seat, chance, h.tile, h)
    return True


def claimable(g: ChineseTable, seat: Seat) -> bool:
    """Whether this seat may take the latest discard.

    A draw covers it, but not for who called before that, nor where it began before the discard
    lay: then it takes nothing from anybody (003 Q18).
    """
    chance = g.chance
    if chance is None or seat == chance.seat:
        return False
    if g.need == "draw":
        return True
    covered = g.after != "draw" or seat == g.turn
    return not covered and (_drawn_too_early(g, chance) or _called_before(g, seat))


def _won_on_it(g: ChineseTable) -> bool:
    """Whether the win under check is one on the latest discard."""
    return g.phase == "check" and any(win.from_ is not None for win in g.wins)


def _drawn_too_early(g: ChineseTable, chance: Chance) -> bool:
    """Whether the draw that covers the discard is ruled to have begun before that lay."""
    before = max((d.t for s in g.seats for d in s.pool if d.t < chance.t), default=0.0)
    return any(
        alert.id == "premature-draw" and alert.seat == g.turn and before < alert.t <= chance.t
        for alert in g.rulings
    )


def _called_before(g: ChineseTable, seat: Seat) -> bool:
    """Whether the seat called before the draw that covers the latest discard, as far as told."""
    return any(c[0] == seat and c[2] <= g.draw_t - taking.MEANWHILE_S for c in g.overtaken)


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
    return [*readings, *_over_a_chow(g, h)]


def _over_a_chow(g: ChineseTable, h: TileClaimed) -> list[Reading]:
    """The tile goes from a chow that was laid to a pung or kong (000 Q40; 003 Q7)."""
    chance = g.chance
    if hasty_chow(g, h.seat) is None or chance is None or not agrees(h.tile, chance.tile):
        return []
    if h.from_ not in (None, chance.seat, g.turn):
        return []

    def pung(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        give_way(r, h.seat, h)
        claim(r, h.seat, chance, h.tile, h)

    return [(costs.GIVES_WAY, pung)]


def hasty_chow(g: ChineseTable, seat: Seat) -> Meld | None:
    """The chow that took the latest discard, if this seat may still pung that.

    Chows are slow, pungs quick: until its owner has discarded a chow gives way.
    """
    chance = g.chance
    waits = g.phase == "play" and g.need == "discard" and g.after == "chow" and g.claimer is None
    if not waits or chance is None or seat in (g.turn, chance.seat) or not g.seats[g.turn].melds:
        return None
    return g.seats[g.turn].melds[-1]


def give_way(g: ChineseTable, seat: Seat, h: Happening) -> None:
    """The chow that lies there is no more: its own tiles go back, this seat takes the discard."""
    chance, state = g.chance, g.seats[g.turn]
    assert chance is not None
    chow = state.melds[-1]
    own = list(chow.tiles)
    own.pop(own.index(chance.tile) if chance.tile in own else -1)
    state.melds = state.melds[:-1]
    state.standing += len(own)
    state.known = (*state.known, *(tile for tile in own if tile.known))
    for tile in own:
        g.census.remove(tile)
    g.melds_cut(g.turn)
    g.turn, g.need, g.after = g.next_of(chance.seat), "draw", "draw"
    g.calls, g.overtaken = (*g.overtaken, *g.calls), ()
    g.lying = g.unfetched = None
    _check_late(g, seat, chance, h)


def _check_late(g: ChineseTable, seat: Seat, chance: Chance, h: Happening) -> None:
    """Whether a pung that takes the tile from a chow was called in its three seconds.

    Where no button tells, it may have been called as long before as carrying it out takes.
    """
    limit = g.ruleset.timers.pung_s
    called = next((c for c in g.calls if c[0] == seat and c[1] in ("pung", "kong")), None)
    t = h.t - taking.CARRIED_OUT_S if called is None else called[2]
    if limit is not None and t - chance.t > limit:
        evidence = h if called is None else called[3]
        g.flag("claim-late", seat, evidence, t=t, cause=("late", seat, chance.t))


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
