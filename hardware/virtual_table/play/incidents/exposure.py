"""Faces that should be hidden, and walls that should stand."""

from __future__ import annotations

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.incidents.base import BOTH, Occasion, Outcome, incident
from hardware.virtual_table.play.incidents.options import LIE, truth, whole
from hardware.virtual_table.play.table_state import seat_after, slot_of
from table_controller.domain.happenings import Seat


def _lie(occasion: Occasion) -> float:
    return float(occasion.option("lie", occasion.rng.uniform(1.2, 2.2)))


@incident(
    "own-tile-exposed", "drawn", "discarded", games=BOTH, options=(whole("tiles", 1, 12), LIE)
)
def own_tile_exposed(occasion: Occasion) -> Outcome:
    """One or more tiles (``tiles``) of a player's own hand fall over face up."""
    table = occasion.play.table
    seat = occasion.seat if occasion.want.seat is None else occasion.want.seat
    count = int(occasion.option("tiles", [1, 1, 1, 2]))
    if occasion.moment == "drawn" and seat != occasion.seat:
        return Outcome.NOT_NOW
    hand = [token for token in table.hands[seat] if token != occasion.play.drawn_token]
    if len(hand) < count + 1:
        return Outcome.NOT_NOW
    ordered = sorted(hand, key=lambda token: (table.face(token).value[::-1], token))
    start = occasion.rng.randrange(len(ordered) - count + 1)
    tokens = tuple(ordered[start : start + count])
    occasion.step(do.ExposeHand(seat=seat, tokens=tokens, by=seat, lie=_lie(occasion)))
    occasion.fault(seat, tiles=[table.face(token).value for token in tokens])
    return Outcome.BESIDE


@incident("other-tile-exposed", "discarded", options=(LIE,))
def other_tile_exposed(occasion: Occasion) -> Outcome:
    """A neighbour's sleeve knocks over tiles of somebody's hand."""
    table = occasion.play.table
    wanted = occasion.want.seat
    by = occasion.rng.choice(occasion.others(occasion.seat)) if wanted is None else wanted
    seat: Seat = occasion.play.after(by, occasion.rng.choice((1, 3)))
    hand = table.hands[seat]
    if len(hand) < 3:
        return Outcome.NOT_NOW
    token = occasion.rng.choice(hand)
    occasion.step(do.ExposeHand(seat=seat, tokens=(token,), by=by, lie=_lie(occasion)))
    occasion.fault(by, of=seat, tiles=[table.face(token).value])
    return Outcome.BESIDE


@incident("wall-tile-exposed", "discarded", games=BOTH, options=(LIE,))
def wall_tile_exposed(occasion: Occasion) -> Outcome:
    """A top tile of the wall near the front is knocked over face up."""
    table = occasion.play.table
    wanted = occasion.want.seat
    by = occasion.rng.choice(occasion.play.seats) if wanted is None else wanted
    tops = [token for token in table.wall[1:12] if token % 2 == 0]
    if not tops or len(table.wall) < 14:
        return Outcome.NOT_NOW
    token = occasion.rng.choice(tops)
    if token not in table.faces:
        table.faces[token] = table.deck.chance(flowers=False)
    occasion.step(do.ExposeWall(token=token, by=by, lie=_lie(occasion)))
    occasion.fault(by, tile=table.face(token).value)
    return Outcome.BESIDE


@incident(
    "wall-break",
    "discarded",
    games=BOTH,
    options=(whole("stacks", 1, 12), truth("recoverable"), LIE),
)
def wall_break(occasion: Occasion) -> Outcome:
    """Stacks are pushed out of line, some tiles fall.

    ``stacks`` how many; ``recoverable`` false scatters them and ends the hand.
    """
    play, table = occasion.play, occasion.play.table
    count = int(occasion.option("stacks", [2, 3, 4]))
    whole = [token // 2 for token in table.wall if token % 2 == 0 and token + 1 in table.wall]
    runs = [
        start
        for start in whole
        if all(start + step in whole for step in range(count))
        # Not in a corner, where the next wall would be pushed too.
        and 2 <= start % table.stacks <= table.stacks - 2 - count
    ]
    if not runs:
        return Outcome.NOT_NOW
    start = occasion.rng.choice(runs)
    tokens = tuple(
        token for stack in range(start, start + count) for token in (2 * stack, 2 * stack + 1)
    )
    side = slot_of(tokens[0], table.stacks).side
    near = tuple(
        each for each in (side, seat_after(side), seat_after(side, 3)) if each in play.seats
    )
    by = occasion.rng.choice(near) if occasion.want.seat is None else occasion.want.seat
    recoverable = bool(occasion.option("recoverable", True))
    share = 0.35 if recoverable else 0.8
    fallen = tuple(token for token in tokens if token % 2 == 0 and occasion.rng.random() < share)
    if not recoverable:
        for token in tokens:
            if token not in table.faces:
                table.faces[token] = table.deck.chance(flowers=False)
    occasion.step(
        do.DisturbWall(
            by=by,
            side=side,
            tokens=tokens,
            fallen=fallen,
            recoverable=recoverable,
            lie=_lie(occasion),
        )
    )
    occasion.fault(by, recoverable=recoverable)
    if not recoverable:
        occasion.step(do.Pause(seconds=2.0))
        play.aborted = True
    return Outcome.BESIDE


@incident("hand-shown-early", "checking", games=BOTH)
def hand_shown_early(occasion: Occasion) -> Outcome:
    """While a win is being checked another player lays his hand open, which does not win too."""
    able = [
        seat
        for seat in occasion.others(occasion.seat)
        if occasion.suits(seat) and not occasion.play.wins_too(seat)
    ]
    if not able:
        return Outcome.NOT_NOW
    seat = occasion.rng.choice(able)
    occasion.step(do.ShowHand(seat=seat, press=False))
    occasion.fault(seat)
    return Outcome.BESIDE
