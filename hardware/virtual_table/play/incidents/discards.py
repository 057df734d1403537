"""Discards: misplaced, taken back, doubled, pools pushed."""

from __future__ import annotations

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.incidents.base import BOTH, Occasion, Outcome, incident
from hardware.virtual_table.play.incidents.options import number
from hardware.virtual_table.play.table_state import PoolTile


@incident("discard-misplaced", "discard")
def discard_misplaced(occasion: Occasion) -> Outcome:
    """A discard comes to lie beside the rows of its pool."""
    play, table = occasion.play, occasion.play.table
    seat, token = occasion.seat, occasion.token
    if token is None or play.forced is not None or not occasion.suits(seat):
        return Outcome.NOT_NOW
    rng = occasion.rng
    table.hands[seat].remove(token)
    table.pools[seat].append(PoolTile(token, None))
    table.discards += 1
    astray = (rng.choice((-1, 1)) * rng.uniform(118, 150), rng.uniform(118, 180))
    occasion.step(
        do.Discard(
            seat=seat, token=token, place=None, drawn=token == play.drawn_token, astray=astray
        )
    )
    occasion.fault(seat)
    play.quiet = True
    return Outcome.INSTEAD


@incident("discard-retracted", "discarded")
def discard_retracted(occasion: Occasion) -> Outcome:
    """A discard is taken back into the hand and another tile discarded, which no win needs."""
    play, table = occasion.play, occasion.play.table
    seat, token = occasion.seat, occasion.token
    if token is None or not occasion.suits(seat) or not occasion.loses(seat):
        return Outcome.NOT_NOW
    if len(table.hands[seat]) < 4:
        return Outcome.NOT_NOW
    lying = next(each for each in table.pools[seat] if each.token == token)
    if lying.place is None:
        return Outcome.NOT_NOW
    table.pools[seat].remove(lying)
    occasion.step(do.Retract(seat=seat, token=token))
    occasion.fault(seat)
    other = play.choose_discard(seat)
    table.hands[seat].append(token)
    table.discards -= 1
    play.drawn_token = token
    play.discard(seat, other)
    return Outcome.BESIDE


@incident("discard-extra", "discarded", games=BOTH)
def discard_extra(occasion: Occasion) -> Outcome:
    """A player discards a second tile in the same turn: one too few from then on."""
    play, table, seat = occasion.play, occasion.play.table, occasion.seat
    if not occasion.suits(seat) or not occasion.loses(seat) or len(table.hands[seat]) < 4:
        return Outcome.NOT_NOW
    occasion.step(do.Pause(seconds=0.6))
    play.drawn_token = None
    play.discard(seat, play.choose_discard(seat))
    occasion.fault(seat)
    play.barred.add(seat)
    return Outcome.BESIDE


@incident("discard-slow", "discard", options=(number("seconds", 15.5, 120.0),))
def discard_slow(occasion: Occasion) -> Outcome:
    """A player thinks for ``seconds`` (over the limit of the ruleset) before he discards."""
    if occasion.token is None or not occasion.suits(occasion.seat):
        return Outcome.NOT_NOW
    seconds = float(occasion.option("seconds", 17.0))
    occasion.step(do.Pause(seconds=seconds))
    occasion.fault(occasion.seat, seconds=seconds)
    return Outcome.BESIDE


@incident("pool-disturbed", "discarded", games=BOTH)
def pool_disturbed(occasion: Occasion) -> Outcome:
    """A sleeve pushes three or more discards of a pool out of order; they are laid right."""
    table = occasion.play.table
    full = [seat for seat, pool in table.pools.items() if len(pool) >= 3]
    if not full:
        return Outcome.NOT_NOW
    seat = occasion.rng.choice(full)
    tokens = tuple(each.token for each in table.pools[seat][-3:] if each.place is not None)
    if not tokens:
        return Outcome.NOT_NOW
    by = (
        occasion.rng.choice(occasion.play.seats)
        if occasion.want.seat is None
        else occasion.want.seat
    )
    occasion.step(do.DisturbPool(by=by, seat=seat, tokens=tokens))
    occasion.fault(by, pool=seat)
    return Outcome.BESIDE


@incident("discard-missing", "discard", games=BOTH)
def discard_missing(occasion: Occasion) -> Outcome:
    """A player forgets to discard; the next one draws: one too many from then on."""
    play, seat = occasion.play, occasion.seat
    nothing = play.forced is None and len(play.table.wall) > 12 and play.drawn_token is not None
    if not nothing or not occasion.suits(seat) or not occasion.loses(seat):
        return Outcome.NOT_NOW
    occasion.step(do.Pause(seconds=1.0))
    play.turn_over = True
    play.barred.add(seat)

    def drawn() -> None:
        occasion.step(do.Tidy(seat=seat))
        play.fault_after_discard.append(noticed)

    def noticed() -> None:
        # Until the next player has discarded as well, he has only drawn too early.
        occasion.fault(seat, since=do.Draw)

    play.fault_after_draw.append(drawn)
    return Outcome.INSTEAD


@incident("flower-returned", "discard")
def flower_returned(occasion: Occasion) -> Outcome:
    """A flower that has been laid out is discarded instead of a tile of the hand."""
    play, table, seat = occasion.play, occasion.play.table, occasion.seat
    # One that was laid there by mistake is no flower: who discards it has a tile too many.
    flowers = [each for each in table.flowers[seat] if table.face(each).is_flower]
    able = play.forced is None and flowers and play.drawn_token is not None
    if not able or not occasion.suits(seat) or not occasion.loses(seat):
        return Outcome.NOT_NOW
    token = flowers[-1]
    table.flowers[seat].remove(token)
    place = table.next_place(seat)
    table.pools[seat].append(PoolTile(token, place))
    table.discards += 1
    occasion.step(do.Discard(seat=seat, token=token, place=place, drawn=False))
    occasion.fault(seat)
    play.turn_over = True
    play.barred.add(seat)
    return Outcome.INSTEAD
