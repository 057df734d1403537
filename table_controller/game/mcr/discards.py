"""Discards: in their place and time, repeated, taken back, or out of turn."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import Place, Seat, TileDiscarded, TileRetracted
from table_controller.domain.tiles import KIND_INDEX, Tile
from table_controller.game import costs
from table_controller.game.base import Chance, Discard
from table_controller.game.mcr import blind, timing
from table_controller.game.mcr.early_draws import resolve_early
from table_controller.game.mcr.melding import check_left, check_lying
from table_controller.game.mcr.sets import agrees
from table_controller.game.mcr.taking import settle_calls
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading

_ROW = 6
_SAME_S = 2.5
"""A repeated report of the same thing comes within this time."""


def tile_discarded(g: ChineseTable, h: TileDiscarded) -> bool:
    """A tile comes to rest in the pool of the seat whose turn it is."""
    seat = h.seat
    if (
        g.phase != "play"
        or g.need != "discard"
        or g.turn != seat
        or any(g.owed)
        or g.claimer is not None
    ):
        return False
    if h.tile.known and (g.full(h.tile) or (h.tile.is_flower and h.tile in g.seats[seat].flowers)):
        return False
    g.now = max(g.now, h.t)
    discard(g, h)
    return True


def discard(g: ChineseTable, h: TileDiscarded) -> None:
    """The discard stands; form and time are looked at."""
    seat = h.seat
    if g.exposed:
        g.tick(h.t)
    early = g.early
    if early is not None and early.t >= h.t and early.alert == "premature-draw":
        # The report of the draw came first, but the discard lay before it: nothing was early.
        g.early = None
    elif early is not None and early.alert == "premature-draw" and early.stage != "taken":
        # Whether it goes on, is put back or given up decides how far it went.
        g.early = replace(early, rested=early.stage)
    elif early is not None and early.t < h.t:
        resolve_early(g)
    early = early if early is not None and early.alert == "premature-draw" else None
    place_discard(g, seat, h.tile, h.place, h)
    if early is not None and early.stage == "taken":
        assert g.wall is not None
        g.turn, g.need, g.after = early.seat, "discard", "draw"
        g.last_draw = (early.seat, (early.index,), early.t)
        g.draw_t = early.t
        g.say("draw", early.seat, slots=(g.wall.slot(early.index),))


def place_discard(
    g: ChineseTable,
    seat: Seat,
    tile: Tile,
    place: Place | None,
    h: TileDiscarded | None,
) -> None:
    """A tile leaves the hand for the pool; the turn passes."""
    check_lying(g)
    check_left(g)
    state = g.seats[seat]
    seen = h is not None
    known = tile if tile is not Tile.BACK else Tile.UNKNOWN
    if h is not None:
        timing.check_discard(g, h)
        right = _in_place(state.pool, place)
        if not right and not blind.filled(g, seat, place) and g.looked("pool", seat, h.t - 2.0):
            g.flag("discard-misplaced", seat, h, t=h.t)
        if right and g.doubt is None:
            g.pools_behind -= {seat}
    state.pool = (
        *state.pool,
        Discard(
            known,
            g.now,
            place,
            h.drawn if h is not None else None,
            inferred=not seen,
        ),
    )
    state.lose(known)
    if known in state.penalty:
        at = state.penalty.index(known)
        state.penalty = state.penalty[:at] + state.penalty[at + 1 :]
    g.chance = Chance(seat, known, g.now, len(state.pool) - 1)
    g.turn = g.next_of(seat)
    g.need = "draw"
    g.robbing = None
    if seen:
        early = (call for call in g.calls if call[0] != seat and g.now - call[2] <= costs.TIMED_S)
        g.calls = tuple(early)
    g.overtaken = ()
    g.reached = ()
    g.discards += 1
    if h is not None:
        g.saw(h, known)
        g.say("discard", seat, tile=known)
    else:
        if known.known:
            g.census.add(known)
        g.say("discard", seat, tile=known, inferred=True)
    _check_dice(g, seat)


def _check_dice(g: ChineseTable, seat: Seat) -> None:
    """Dice still on the table a go-around after the dealer's first discard (003 Q3)."""
    opening = g.ruleset.opening
    if opening.dice_removed != "before_first_discard" or seat != g.dealer or not g.dice_in:
        return
    pool = g.seats[seat].pool
    late = len(pool) - opening.dice_grace_go_arounds
    if late <= g.dice_late or late < 1 or g.doubt is not None:
        return
    # They lay there all this go-around long.
    since = pool[-2].t if len(pool) > 1 else g.dice_t
    if not g.looked("middle", None, max(since, g.dice_t)):
        return
    g.dice_late = late
    occurrence = 1 + sum(cause[0] == "dice" for cause in g.causes)
    this = ("dice-left-deal", seat, f"session:{g.hand}")
    earlier = sum(1 for key in g.counts if key[:2] == this[:2] and key != this)
    stage = ("first_deal", "second_deal", "third_deal")[min(earlier, 2)]
    if occurrence <= 3:
        ruling = g.flag(
            "dice-left",
            seat,
            *g.thrown[-1:],
            facts=Facts(stage=stage, occurrence=occurrence),
            cause=("dice", late),
        )
        if ruling is not None:
            g.counts = {**g.counts, this: 1}


def _in_place(pool: tuple[Discard, ...], place: Place | None) -> bool:
    """Whether a discard lies where the next one of a pool in rows of six belongs.

    After a claim the gap may be filled or left, by local habit; both are in order.
    """
    if place is None:
        return False
    at = place.row * _ROW + place.col
    if not 0 <= place.col < _ROW and place.row < 3:
        return False
    if not pool:
        return at == 0
    if at == len(pool):
        return True
    lying = [d for d in pool if not d.gone]
    if at == len(lying):
        return True
    taken = {d.place.row * _ROW + d.place.col for d in lying if d.place is not None}
    if at in taken:
        return False
    left = {d.place.row * _ROW + d.place.col for d in pool if d.gone and d.place is not None}
    if at in left or at == max(taken, default=-1) + 1:
        return True
    # What lies apart from the rows does not say where they go on.
    return at == next(n for n in itertools.count() if n not in taken | left)


def read_tile_discarded(g: ChineseTable, h: TileDiscarded) -> list[Reading]:
    """A discard that is repeated, late, out of turn, without a draw, or of a strange tile."""
    if g.phase not in ("play", "check"):
        return []
    readings: list[Reading] = []
    seat = h.seat
    state = g.seats[seat]
    repeated = _repeated(g, h)
    if repeated is not None:
        readings.append(repeated)
    if g.phase != "play":
        return readings
    if h.tile.is_flower and h.tile in state.flowers and g.turn == seat and g.need == "discard":

        def returned(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.flag("flower-returned", seat, h, t=h.t)
            r.seats[seat].flowers = tuple(f for f in r.seats[seat].flowers if f is not h.tile)
            r.seats[seat].standing += 1
            r.census.remove(h.tile)
            discard(r, h)

        readings.append((costs.INFRACTION, returned))
    if h.tile.known and g.full(h.tile) and g.turn == seat and g.need == "discard":

        def fifth(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            discard(r, h)

        def misread(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            discard(r, replace(h, tile=Tile.UNKNOWN))

        readings += [(costs.RARE, fifth), (costs.open_disbelief(h.confidence), misread)]
    if g.need == "draw" and g.turn == seat and g.claimer is None:

        def undrawn(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.spoil("missed-draw", seat, h, t=h.t)
            settle_calls(r, seat)
            discard(r, h)

        readings.append((costs.RARE, undrawn))
    if g.need == "discard" and g.turn == seat and g.owed[seat] and g.claimer is None:

        def unreplaced(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            if r.wall is not None and r.wall.mask:
                r.spoil("missed-draw", seat, h, t=h.t, facts=Facts(stage="replacement"))
            r.owe(seat, -9)
            discard(r, h)

        empty = g.wall is not None and not g.wall.mask
        must = g.ruleset.wall.last_tile_without_replacement == "must_discard"
        readings.append((0.0 if empty and must else costs.RARE, unreplaced))
    if (
        g.need == "discard"
        and g.turn == seat
        and any(g.owed)
        and not g.owed[seat]
        and g.claimer is None
    ):

        def before_others(r: ChineseTable) -> None:
            # The dealer need not wait for the others' flowers (003 Q18).
            r.now = max(r.now, h.t)
            discard(r, h)

        readings.append((0.5, before_others))
    if (g.turn != seat or g.need != "discard") and not (g.turn == seat and g.need == "draw"):

        def extra(r: ChineseTable) -> None:
            _extra(r, h)

        # Right after a discard that was not seen, this is more likely that one; and the more of
        # the hand went unseen, the more likely a whole turn did.
        unseen = 4.0 if state.pool and state.pool[-1].inferred else min(4.0, 1.0 * g.unseen)
        readings.append((costs.RARE + unseen, extra))
        if g.doubt is not None and g.wall is not None:

            def caught_up(r: ChineseTable) -> None:
                blind.caught_up(r, seat, drawn=None)
                r.now = max(r.now, h.t)
                discard(r, h)

            readings.append((costs.CAUGHT_UP, caught_up))
    return readings


def _repeated(g: ChineseTable, h: TileDiscarded) -> Reading | None:
    """The report of a discard that is already known, perhaps only inferred so far."""
    pool = g.seats[h.seat].pool
    for back, old in enumerate(reversed(pool[-3:])):
        at = len(pool) - 1 - back
        same_place = h.place is not None and old.place == h.place
        same_tile = old.tile is h.tile or not old.tile.known or not h.tile.known
        claim = g.claim
        taken = claim is not None and (claim.seat, claim.index) == (h.seat, at)
        if taken and agrees(old.tile.plain, h.tile):

            def given_back(r: ChineseTable, at: int = at) -> None:
                # Whoever may claim it does so as before (riichi 9.5.4).
                r.now = max(r.now, h.t)
                r.put_in_pool(h.seat, at, gone=False)
                r.claim = r.claimer = None

            return (costs.DOUBLED, given_back)
        if old.inferred and (old.tile is h.tile or not old.tile.known):

            def learned(r: ChineseTable, at: int = at, old: Discard = old) -> None:
                r.put_in_pool(h.seat, at, tile=h.tile, place=h.place, drawn=h.drawn, inferred=False)
                if r.doubt is None:
                    r.unseen_no_more()
                chance = r.chance
                if chance is not None and (chance.seat, chance.index) == (h.seat, at):
                    r.chance = replace(chance, tile=h.tile)
                if h.tile.known and not old.tile.known:
                    r.census.counts[_face(h.tile)] += 1

            if h.t <= old.t:
                return (costs.DOUBLED, learned)
            return (costs.JITTER if h.t < old.t + costs.JITTER_S else costs.LATE, learned)
        if same_tile and (same_place or (h.place is None and h.t - old.t < _SAME_S)):
            return (costs.DOUBLED, lambda _r: None)
    if h.tile.known and any(
        old.tile is h.tile and old.place == h.place and not old.gone for old in pool
    ):
        # A tile that was pushed and laid back is the one that lay there before.
        return (costs.DOUBLED, lambda _r: None)
    return None


def _face(tile: Tile) -> int:
    return KIND_INDEX[tile] if tile in KIND_INDEX else 33 + tile.rank


def _extra(g: ChineseTable, h: TileDiscarded) -> None:
    """A tile put into the pool by a seat that had none to put there; it is to go back."""
    g.now = max(g.now, h.t)
    g.spoil("discard-extra", h.seat, h, t=h.t)
    state = g.seats[h.seat]
    state.pool = (*state.pool, Discard(h.tile, h.t, h.place, h.drawn, extra=True))
    state.lose(h.tile)
    g.saw(h, h.tile)


def tile_retracted(g: ChineseTable, h: TileRetracted) -> bool:
    """Only a tile that did not lie yet may be taken back, where the ruleset allows it."""
    if g.phase != "play" or g.turn != h.seat or g.need != "discard":
        return False
    state = g.seats[h.seat]
    if state.pool and not state.pool[-1].gone and state.pool[-1].tile is h.tile:
        return False
    g.now = max(g.now, h.t)
    state.retractions += 1
    if state.retractions > g.ruleset.claims.retractions_per_hand:
        g.flag("discard-retracted", h.seat, h, t=h.t)
    return True


def read_tile_retracted(g: ChineseTable, h: TileRetracted) -> list[Reading]:
    """A tile that lay in the pool is taken back."""
    if g.phase != "play":
        return []
    pool = g.seats[h.seat].pool
    at = next(
        (
            n
            for n in range(len(pool) - 1, -1, -1)
            if not pool[n].gone and (pool[n].tile is h.tile or not pool[n].tile.known)
        ),
        None,
    )
    if at is None:
        return []

    def taken_back(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        if not pool[at].extra:
            r.flag("discard-retracted", h.seat, h, t=h.t)
        r.put_in_pool(h.seat, at, gone=True)
        r.census.remove(pool[at].tile.plain)
        r.seats[h.seat].standing += 1
        chance = r.chance
        if chance is None or (chance.seat, chance.index) != (h.seat, at):
            return
        r.chance = None
        if r.need == "draw":
            r.seats[h.seat].pool = r.seats[h.seat].pool[:at]
            r.turn, r.need = h.seat, "discard"
            r.discards -= 1

    return [(costs.PUT_BACK if pool[at].extra else costs.INFRACTION, taken_back)]
