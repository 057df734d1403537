"""Draws, discards, counts and calls in play, and what can be wrong with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    Call,
    HandCounted,
    Happening,
    MeldShown,
    NotLooked,
    Place,
    Seat,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    TileRetracted,
    TileReturned,
)
from table_controller.domain.tiles import KIND_INDEX, Tile
from table_controller.game import costs
from table_controller.game.base import Chance, Discard
from table_controller.game.mcr import setting
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading

_ROW = 6
_STAGES = ("touched", "lifted", "seen", "taken")
GIVEN_UP_S = 2.0
"""So long after its last stage a draw that began too early is taken to be given up."""

_SAME_S = 2.5
"""A repeated report of the same thing comes within this time."""


# -- draws ---------------------------------------------------------------------------------------


def wanted(g: ChineseTable, seat: int, count: int) -> tuple[int, ...] | None:
    """Indices this seat may take now, or None where it may take nothing."""
    if g.wall is None:
        return None
    owed = g.owed[seat]
    if owed:
        wall = g.wall
        kept = wall.mask
        found: list[int] = []
        for _ in range(min(count, owed)):
            index = g.back_index()
            if index is None:
                break
            found.append(index)
            wall.take(index)
        wall.mask = kept
        return tuple(found) or None
    if g.need == "draw" and g.turn == seat and count == 1 and g.claimer is None:
        front = g.wall.front()
        return None if front is None else (front,)
    return None


def _who(g: ChineseTable, seat: Seat | None) -> Seat:
    if seat is not None:
        return seat
    owing = [s for s in range(4) if g.owed[s]]
    return owing[0] if owing else g.turn  # type: ignore[return-value]


def tile_drawn(g: ChineseTable, h: TileDrawn) -> bool:
    """Tiles leave the wall, where it is this seat's turn and these are the tiles."""
    if g.phase in ("wall", "deal"):
        return setting.deal_drawn(g, h)
    if g.phase != "play" or g.wall is None:
        return False
    seat = _who(g, h.seat)
    if g.early is not None and not _goes_on(g, h, seat):
        return False
    right = wanted(g, seat, max(1, len(h.slots)))
    if right is None:
        return False
    if h.slots:
        if len(right) != len(h.slots):
            return False
        given = [g.wall.index(slot) for slot in h.slots]
        if given != list(right) and sorted(i or 0 for i in given) != sorted(right):
            return False
    g.now = max(g.now, h.t)
    if g.exposed:
        g.tick(h.t)
    if h.stage != "taken":
        g.reached = (*g.reached, (seat, h.t))
        return True
    take(g, seat, right)
    return True


def _goes_on(g: ChineseTable, h: TileDrawn, seat: Seat) -> bool:
    """A draw that began before the discard lay, and goes on after it: now it is in turn."""
    early = g.early
    assert early is not None
    assert g.wall is not None
    if early.rested is None or seat != early.seat or g.turn != seat or g.need != "draw":
        return False
    if h.slots and [g.wall.index(slot) for slot in h.slots] != [early.index]:
        return False
    if h.stage == "taken":
        g.now = max(g.now, h.t)
        g.early = replace(early, stage=early.rested)
        resolve_early(g)
    elif _STAGES.index(h.stage) > _STAGES.index(early.stage):
        g.early = replace(early, stage=h.stage, evidence=(*early.evidence, h))
    return True


def take(g: ChineseTable, seat: Seat, indices: tuple[int, ...], *, inferred: bool = False) -> None:
    """The seat draws: an ordinary tile, or replacements where it owes some."""
    assert g.wall is not None
    for index in indices:
        g.wall.take(index)
    state = g.seats[seat]
    state.standing += len(indices)
    state.drawn_at = g.now
    slots = tuple(g.wall.slot(index) for index in indices)
    if g.owed[seat]:
        g.owe(seat, -len(indices))
        g.robbing = None
    else:
        settle_calls(g, seat)
        g.need = "discard"
        g.after = "draw"
        g.turn = seat
        g.chance = None
        g.robbing = None
        state.barred_until_draw = False
    g.draw_t = g.now
    g.reached = ()
    g.last_draw = (seat, indices, g.now)
    g.say("draw", seat, slots=slots, inferred=inferred)


def settle_calls(g: ChineseTable, acting: Seat) -> None:
    """Calls on the last discard that nobody carried out."""
    for seat, call, t, happening in g.calls:
        if call in ("chow", "pung", "kong") and seat != acting:
            g.flag(
                "call-not-executed",
                seat,
                happening,
                t=t,
                facts=Facts(stage=call),
                cause=("call", seat, t),
            )
    g.calls = ()


def read_tile_drawn(g: ChineseTable, h: TileDrawn) -> list[Reading]:
    """A draw that is not this seat's, not now, or not from there."""
    if g.phase in ("idle", "wall", "deal"):
        return setting.read_deal_drawn(g, h) if g.phase != "idle" else []
    if g.phase != "play" or g.wall is None:
        return []
    readings: list[Reading] = []
    seat = _who(g, h.seat)
    indices = [g.wall.index(slot) for slot in h.slots]
    if g.early is not None:
        return _read_early(g, h, seat, indices)
    if indices and all(i is not None and not g.wall.stands(i) for i in indices):
        own = g.last_draw is not None and g.last_draw[0] == seat
        same = own and g.last_draw is not None and set(indices) <= set(g.last_draw[1])
        late = costs.DOUBLED if same or h.t < g.now else costs.LATE
        readings.append((late, lambda _r: None))
        return [*readings, *_as_wanted(g, h, seat)]
    standing = tuple(i for i in indices if i is not None and g.wall.stands(i))
    if not standing:
        return [*readings, *_as_wanted(g, h, seat)]
    front, back = g.wall.front(), g.back_index()
    alert, cost = _which(g, seat, standing, front, back)
    if alert is not None:
        readings.append((cost, lambda r: _begin_early(r, alert, seat, standing, h)))
    readings.extend(_as_wanted(g, h, seat))
    return readings


def _which(
    g: ChineseTable, seat: Seat, taken: tuple[int, ...], front: int | None, back: int | None
) -> tuple[str | None, float]:
    """What is wrong with this seat drawing these tiles, and how odd that is."""
    if g.owed[seat]:
        if taken == (back,) and front != back:
            return None, 0.0
        return "wrong-replacement", costs.INFRACTION
    if g.need == "draw":
        if g.claimer is not None:
            return "premature-draw", costs.INFRACTION
        if seat == g.turn:
            return "wrong-draw", costs.INFRACTION
        return "draw-out-of-turn", costs.INFRACTION + 1.0
    if seat == g.turn:
        return "extra-draw", costs.INFRACTION + 1.0
    if seat == g.next_of(g.turn):
        right = taken == (front,)
        return "premature-draw", costs.INFRACTION - (1.0 if right else 0.0)
    return "draw-out-of-turn", costs.INFRACTION + 1.0


def _as_wanted(g: ChineseTable, h: TileDrawn, seat: Seat) -> list[Reading]:
    """It was the right tile, and the slot was read wrongly."""
    right = wanted(g, seat, max(1, len(h.slots)))
    if right is None or h.stage != "taken":
        return []
    doubt = costs.disbelief(h.confidence)

    def misread(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        take(r, seat, right)

    return [(doubt, misread)]


def _begin_early(
    g: ChineseTable, alert: str, seat: Seat, indices: tuple[int, ...], h: TileDrawn
) -> None:
    from table_controller.game.mcr.table import Early

    g.now = max(g.now, h.t)
    g.early = Early(alert, seat, indices[0], h.stage, h.t, (h,))
    if h.stage == "taken":
        _early_taken(g, indices)


def _early_taken(g: ChineseTable, indices: tuple[int, ...]) -> None:
    assert g.early is not None
    assert g.wall is not None
    early = g.early
    for index in indices:
        g.wall.take(index)
    state = g.seats[early.seat]
    state.standing += len(indices)
    state.drawn_at = g.now
    if early.alert == "premature-draw":
        return
    resolve_early(g)
    g.last_draw = (early.seat, indices, g.now)
    if early.alert == "wrong-draw":
        settle_calls(g, early.seat)
        g.need, g.after, g.chance, g.draw_t = "discard", "draw", None, g.now
    elif early.alert == "wrong-replacement":
        g.owe(early.seat, -len(indices))
        g.robbing = None
        g.draw_t = g.now
    elif early.alert in ("draw-out-of-turn", "extra-draw"):
        state.dead = True


def _read_early(
    g: ChineseTable, h: TileDrawn, seat: Seat, indices: list[int | None]
) -> list[Reading]:
    """The next stage of a draw that is not allowed, or another draw after it."""
    early = g.early
    assert early is not None
    assert g.wall is not None
    if seat == early.seat and (not indices or early.index in indices):
        if _STAGES.index(h.stage) <= _STAGES.index(early.stage):
            return [(costs.DOUBLED, lambda _r: None)]

        def further(r: ChineseTable) -> None:
            assert r.early is not None
            r.now = max(r.now, h.t)
            r.early = replace(r.early, stage=h.stage, evidence=(*r.early.evidence, h))
            if h.stage == "taken":
                _early_taken(r, (early.index,))

        return [(0.0, further)]

    def given_up(r: ChineseTable) -> None:
        resolve_early(r)
        if not tile_drawn(r, h):
            cheapest = min(read_tile_drawn(r, h), key=lambda x: x[0], default=None)
            if cheapest is not None:
                cheapest[1](r)

    return [(1.0, given_up)]


def resolve_early(g: ChineseTable) -> None:
    """It is known how far the draw went: the alert is raised."""
    early = g.early
    if early is None:
        return
    g.early = None
    g.flag(
        early.alert,
        early.seat,
        *early.evidence,
        t=early.t,
        facts=Facts(stage=early.stage),
    )


def tile_returned(g: ChineseTable, h: TileReturned) -> bool:
    """A tile that should not have been drawn goes back."""
    if g.phase == "deal" and g.wall is not None and g.early is None:
        return _dealt_returned(g, h)
    early = g.early
    if g.phase != "play" or g.wall is None:
        return False
    if early is None:
        # A tile that was only touched or lifted in turn is put down again: nothing has changed.
        given = [g.wall.index(slot) for slot in h.slots]
        return bool(given) and all(i is not None and g.wall.stands(i) for i in given)
    if h.seat is not None and h.seat != early.seat:
        return False
    if h.slots and early.index not in [g.wall.index(slot) for slot in h.slots]:
        return False
    g.now = max(g.now, h.t)
    if early.stage == "taken":
        g.wall.put(early.index)
        g.seats[early.seat].standing -= 1
    g.early = replace(early, evidence=(*early.evidence, h))
    resolve_early(g)
    return True


def _dealt_returned(g: ChineseTable, h: TileReturned) -> bool:
    """Tiles of a wrong break or deal go back; with all of them back the wall is whole again."""
    assert g.wall is not None
    indices = [g.wall.index(slot) for slot in h.slots]
    back = [i for i in indices if i is not None and not g.wall.stands(i)]
    if not back:
        return False
    g.now = max(g.now, h.t)
    for index in back:
        g.wall.put(index)
    seat = g.seats[setting.deal_seat(g) if h.seat is None else h.seat]
    seat.standing = max(0, seat.standing - len(back))
    if g.wall.mask == g.wall.full:
        g.phase, g.wall = "wall", None
        for state in g.seats:
            state.standing = 0
        g.causes = frozenset(cause for cause in g.causes if cause[0] != "break")
        return True
    from table_controller.game.wall import DEAL_STEPS, deal_step

    for step in range(DEAL_STEPS):
        left = tuple(i for i in deal_step(step)[1] if g.wall.stands(i))
        if left:
            g.deal_at, g.deal_left = step, left
            break
    return True


def read_tile_returned(g: ChineseTable, h: TileReturned) -> list[Reading]:
    """A tile of an earlier alert, or the drawn tile itself, goes back to the wall."""
    if g.wall is None or g.phase != "play":
        return []
    indices = [g.wall.index(slot) for slot in h.slots]
    gone = tuple(i for i in indices if i is not None and not g.wall.stands(i))
    if not gone:
        return [(costs.DOUBLED, lambda _r: None)]
    seat = _who(g, h.seat) if h.seat is not None or g.last_draw is None else g.last_draw[0]

    def back(r: ChineseTable) -> None:
        assert r.wall is not None
        r.now = max(r.now, h.t)
        for index in gone:
            r.wall.put(index)
        state = r.seats[seat]
        state.standing -= len(gone)
        state.dead = False
        if r.last_draw is not None and r.last_draw[0] == seat and set(gone) & set(r.last_draw[1]):
            if r.turn == seat and r.need == "discard" and r.after == "draw" and not r.owed[seat]:
                r.need = "draw"
            r.last_draw = None

    known = any(a.seat == seat and a.id in _DRAW_ALERTS for a in g.rulings)
    return [(0.5 if known else costs.MISSED, back)]


_DRAW_ALERTS = frozenset(
    {"premature-draw", "draw-out-of-turn", "wrong-draw", "extra-draw", "wrong-replacement"}
)


# -- discards ------------------------------------------------------------------------------------


def tile_discarded(g: ChineseTable, h: TileDiscarded) -> bool:
    """A tile comes to rest in the pool of the seat whose turn it is."""
    seat = h.seat
    if (
        g.phase != "play"
        or g.need != "discard"
        or g.turn != seat
        or g.owed[seat]
        or g.claimer is not None
    ):
        return False
    if h.tile.known and (
        g.census.full(h.tile) or (h.tile.is_flower and h.tile in g.seats[seat].flowers)
    ):
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
    else:
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
    state = g.seats[seat]
    seen = h is not None
    known = tile if tile is not Tile.BACK else Tile.UNKNOWN
    if h is not None:
        _check_time(g, h)
        if not _in_place(state.pool, place) and g.looked("pool", seat, h.t - 2.0):
            g.flag("discard-misplaced", seat, h, t=h.t)
    state.pool = (
        *state.pool,
        Discard(
            known, g.now, place, h.drawn if h is not None else None, gone=False, inferred=not seen
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
    g.calls = ()
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


def _check_time(g: ChineseTable, h: TileDiscarded) -> None:
    """Whether the discard came within its time."""
    timers = g.ruleset.timers
    if g.discards == 0 and h.seat == g.dealer:
        limit = timers.first_discard_s
        since = g.flowers_t if timers.first_discard_from == "flowers" else g.deal_t
    else:
        limit = timers.discard_s
        previous = g.chance.t if g.chance is not None else g.draw_t
        since = g.draw_t if timers.discard_from == "draw" else max(previous, _last_discard(g))
        if g.after in ("chow", "pung", "kong", "kong_flower", "flower"):
            since = max(since, g.draw_t)
    paused = g.paused_at is not None
    if limit is not None and h.t - since > limit and not paused:
        g.flag("discard-slow", h.seat, h, t=since + limit)


def _last_discard(g: ChineseTable) -> float:
    return max((s.pool[-1].t for s in g.seats if s.pool), default=0.0)


def _check_dice(g: ChineseTable, seat: Seat) -> None:
    """Dice still on the table a go-around after the dealer's first discard (003 Q3)."""
    opening = g.ruleset.opening
    if opening.dice_removed != "before_first_discard" or seat != g.dealer or not g.dice_in:
        return
    if not g.looked("middle", None, g.dice_t):
        return
    own = len(g.seats[seat].pool)
    late = own - opening.dice_grace_go_arounds
    if late <= g.dice_late or late < 1:
        return
    g.dice_late = late
    deals = sum(1 for key in g.counts if key[0] == "dice-left-deal" and key[1] == seat)
    if late == 1:
        g.counts = {**g.counts, ("dice-left-deal", seat, f"session:{g.hand}"): 1}
        deals += 1
    stage = {1: "first_deal", 2: "second_deal"}.get(deals, "third_deal")
    if late <= 3:
        g.flag(
            "dice-left",
            seat,
            facts=Facts(stage=stage, occurrence=late),
            cause=("dice", late),
        )


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
    return at in left or at == max(taken, default=-1) + 1


def read_tile_discarded(g: ChineseTable, h: TileDiscarded) -> list[Reading]:
    """A discard that is repeated, late, out of turn, without a draw, or of a strange tile."""
    if g.phase not in ("play", "check"):
        return []
    readings: list[Reading] = []
    seat = h.seat
    state = g.seats[seat]
    doubt = costs.disbelief(h.confidence)
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
    if h.tile.known and g.census.full(h.tile) and g.turn == seat and g.need == "discard":

        def fifth(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            discard(r, h)

        def misread(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            discard(r, replace(h, tile=Tile.UNKNOWN))

        readings += [(costs.RARE, fifth), (doubt, misread)]
    if g.need == "draw" and g.turn == seat and g.claimer is None:

        def undrawn(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.flag("missed-draw", seat, h, t=h.t)
            r.seats[seat].dead = True
            settle_calls(r, seat)
            discard(r, h)

        readings.append((costs.RARE, undrawn))
    if g.need == "discard" and g.turn == seat and g.owed[seat] and g.claimer is None:

        def unreplaced(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            if r.wall is not None and r.wall.mask:
                r.flag("missed-draw", seat, h, t=h.t, facts=Facts(stage="replacement"))
                r.seats[seat].dead = True
            r.owe(seat, -9)
            discard(r, h)

        empty = g.wall is not None and not g.wall.mask
        must = g.ruleset.wall.last_tile_without_replacement == "must_discard"
        readings.append((0.0 if empty and must else costs.RARE, unreplaced))
    if (g.turn != seat or g.need != "discard") and not (g.turn == seat and g.need == "draw"):

        def extra(r: ChineseTable) -> None:
            _extra(r, h)

        readings.append((costs.RARE, extra))
    return readings


def _repeated(g: ChineseTable, h: TileDiscarded) -> Reading | None:
    """The report of a discard that is already known, perhaps only inferred so far."""
    pool = g.seats[h.seat].pool
    for back, old in enumerate(reversed(pool[-3:])):
        at = len(pool) - 1 - back
        same_place = h.place is not None and old.place == h.place
        same_tile = old.tile is h.tile or not old.tile.known or not h.tile.known
        if old.inferred and (old.tile is h.tile or not old.tile.known):

            def learned(r: ChineseTable, at: int = at, old: Discard = old) -> None:
                r.put_in_pool(h.seat, at, tile=h.tile, place=h.place, drawn=h.drawn, inferred=False)
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
    return None


def _face(tile: Tile) -> int:
    return KIND_INDEX[tile] if tile in KIND_INDEX else 33 + tile.rank


def _extra(g: ChineseTable, h: TileDiscarded) -> None:
    """A tile put into the pool by a seat that had none to put there."""
    g.now = max(g.now, h.t)
    g.flag("discard-extra", h.seat, h, t=h.t)
    state = g.seats[h.seat]
    state.pool = (*state.pool, Discard(h.tile, h.t, h.place, h.drawn))
    state.lose(h.tile)
    state.dead = True
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
        r.flag("discard-retracted", h.seat, h, t=h.t)
        r.put_in_pool(h.seat, at, gone=True)
        r.census.remove(pool[at].tile)
        r.seats[h.seat].standing += 1
        chance = r.chance
        if chance is not None and (chance.seat, chance.index) == (h.seat, at):
            r.seats[h.seat].pool = r.seats[h.seat].pool[:at]
            r.turn, r.need, r.chance = h.seat, "discard", None

    return [(costs.INFRACTION, taken_back)]


# -- counts, calls, what was not seen ---------------------------------------------------------


def _in_hand(g: ChineseTable, seat: Seat) -> int:
    return g.seats[seat].standing


def hand_counted(g: ChineseTable, h: HandCounted) -> bool:
    """A count that is as it should be; in the middle of a claim or draw it says nothing."""
    if g.phase in ("idle", "wall", "dice", "deal", "check", "over"):
        return True
    if g.claimer == h.seat or g.owed[h.seat] or (g.early is not None and g.early.seat == h.seat):
        return True
    if any(s == h.seat for s, _ in g.reached):
        return True
    return h.count == _in_hand(g, h.seat)


def read_hand_counted(g: ChineseTable, h: HandCounted) -> list[Reading]:
    """A wrong number of tiles whose cause was not seen, or a miscount."""
    seat = h.seat
    believed = _in_hand(g, seat)

    def wrong_number(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        state = r.seats[seat]
        cause = ("count", seat, h.count - believed)
        if not state.dead:
            alert = "long-hand" if h.count > believed else "short-hand"
            r.flag(alert, seat, h, t=h.t, cause=cause)
        state.dead = True
        state.standing = h.count

    readings: list[Reading] = [
        (costs.RARE, wrong_number),
        (costs.disbelief(h.confidence) + 0.5, lambda _r: None),
    ]
    before = g.turn if g.need == "discard" else None
    if g.need == "discard" and h.count == believed and before is None:
        return []
    previous: Seat = (seat + 1) % 4  # type: ignore[assignment]
    if g.turn == previous and h.count == believed + 1 and g.seats[seat].pool:
        last = g.seats[seat].pool[-1]
        if last.inferred:

            def not_discarded(r: ChineseTable) -> None:
                r.now = max(r.now, h.t)
                r.flag("discard-missing", seat, h, t=h.t)
                r.seats[seat].dead = True
                r.seats[seat].standing = h.count
                r.put_in_pool(seat, len(r.seats[seat].pool) - 1, gone=True)

            readings.append((costs.INFRACTION - costs.MISSED, not_discarded))
    return readings


def call(g: ChineseTable, h: Call) -> bool:
    """A seat button. What it means shows in what follows."""
    if g.phase == "play" and h.call in ("chow", "pung", "kong", "win"):
        g.calls = (*g.calls, (h.seat, h.call, h.t, h))
    return True


def not_looked(g: ChineseTable, h: NotLooked) -> bool:
    """Nothing may be concluded from absence there."""
    kept = tuple(gap for gap in g.unlooked[-7:] if gap.until is None or gap.until > h.t - 30.0)
    g.unlooked = (*kept, h)
    return True


def _unseen_discard(g: ChineseTable, tile: Tile) -> None:
    """The discard was not seen; a draw that seemed early may have followed it in order."""
    early, g.early = g.early, None
    place_discard(g, g.turn, tile, None, None)
    if early is not None and early.stage == "taken":
        assert g.wall is not None
        g.turn, g.need, g.after, g.chance = early.seat, "discard", "draw", None
        g.last_draw = (early.seat, (early.index,), early.t)
        g.draw_t = early.t
        g.say("draw", early.seat, slots=(g.wall.slot(early.index),))


def silent(g: ChineseTable, h: Happening) -> list[Reading]:
    """The next step of play, taken unseen."""
    if g.phase != "play" or g.wall is None:
        if g.phase == "check":
            from table_controller.game.mcr.winning import close

            return [(1.0, lambda r: close(r, confirmed=False))]
        if g.phase == "over" and h.kind in ("dice_rolled", "tile_drawn", "wall_raised"):

            def next_wall(r: ChineseTable) -> None:
                r.next_hand()

            return [(0.5, next_wall)]
        return []
    steps: list[Reading] = []
    for seat in range(4):
        if g.owed[seat]:
            back = g.back_index()
            if back is not None:
                who: Seat = seat  # type: ignore[assignment]
                steps.append(
                    (
                        g.missed("wall", None),
                        lambda r, who=who, back=back: take(r, who, (back,), inferred=True),  # type: ignore[misc]
                    )
                )
            return steps
    if g.claimer is not None:
        from table_controller.game.mcr.melding import unseen_meld

        steps.append((g.missed("meld", g.claimer), lambda r: unseen_meld(r, h)))
        return steps
    if g.need == "draw":
        front = g.wall.front()
        if front is not None:
            steps.append(
                (
                    g.missed("wall", None),
                    lambda r: take(r, r.turn, (front,), inferred=True),
                )
            )
    else:
        tile = Tile.UNKNOWN
        if isinstance(h, TileClaimed) and h.from_ in (None, g.turn):
            tile = h.tile
        elif isinstance(h, MeldShown) and h.claimed is not None and h.claimed < len(h.tiles):
            tile = h.tiles[h.claimed]
        steps.append(
            (
                g.missed("pool", g.turn),
                lambda r: _unseen_discard(r, tile),
            )
        )
    return steps
