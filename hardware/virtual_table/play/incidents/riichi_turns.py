"""Riichi: dice, discards and claims that go wrong in its own way."""

from __future__ import annotations

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.fate import Need
from hardware.virtual_table.play.incidents.base import Occasion, Outcome, incident
from hardware.virtual_table.play.incidents.claims import lay_without_claimed
from hardware.virtual_table.play.incidents.declaring import riichi_play
from hardware.virtual_table.play.incidents.options import words
from hardware.virtual_table.play.table_state import Meld
from table_controller.domain.tiles import FLOWERS


@incident("wrong-thrower", "dice", games=("riichi",))
def wrong_thrower(occasion: Occasion) -> Outcome:
    """Somebody other than the dealer throws the dice."""
    play = riichi_play(occasion)
    dealer = play.table.dealer
    able = [seat for seat in play.seats if seat != dealer and occasion.suits(seat)]
    if not able:
        return Outcome.NOT_NOW
    seat = occasion.rng.choice(able)
    occasion.step(do.ThrowDice(seat=seat, values=play.throws[0]))
    occasion.fault(seat)
    occasion.step(do.RemoveDice(seat=dealer))
    return Outcome.INSTEAD


@incident(
    "die-invalid",
    "dice",
    games=("riichi",),
    options=(words("flaw", "cocked", "off_zone"),),
    seated=False,
)
def die_invalid(occasion: Occasion) -> Outcome:
    """The throw is void (``flaw``: ``cocked`` or ``off_zone``) and is made again."""
    play = riichi_play(occasion)
    dealer = play.table.dealer
    flaw = occasion.option("flaw", ["cocked", "off_zone"])
    values = (occasion.rng.randint(1, 6), occasion.rng.randint(1, 6))
    occasion.step(do.ThrowDice(seat=dealer, values=values, flaw=flaw))
    occasion.fault(dealer, flaw=flaw)
    occasion.step(do.ThrowDice(seat=dealer, values=play.throws[0]))
    occasion.step(do.RemoveDice(seat=dealer))
    return Outcome.INSTEAD


@incident("discard-misplaced", "discard", games=("riichi",))
def discard_misplaced(occasion: Occasion) -> Outcome:
    """A discard comes to lie beside the rows of its pool."""
    play, seat, token = riichi_play(occasion), occasion.seat, occasion.token
    busy = token is None or play.forced is not None or seat in play.turn_again
    if busy or token is None or not occasion.suits(seat):
        return Outcome.NOT_NOW
    rng = occasion.rng
    play.astray = (rng.choice((-1, 1)) * rng.uniform(100, 125), rng.uniform(112, 150))
    play.quiet = True
    play.discard(seat, token)
    occasion.fault(seat)
    return Outcome.INSTEAD


@incident("discard-retracted", "discarded", games=("riichi",))
def discard_retracted(occasion: Occasion) -> Outcome:
    """A discard is taken back into the hand and another tile discarded."""
    play, seat, token = riichi_play(occasion), occasion.seat, occasion.token
    table = play.table
    if token is None or not occasion.suits(seat) or not occasion.loses(seat):
        return Outcome.NOT_NOW
    lying = table.lying(token)
    if lying is None or lying.place is None or len(table.hands[seat]) < 4:
        return Outcome.NOT_NOW
    other = play.choose_discard(seat)
    if table.kind(other) in play.danger(seat) | {table.kind(token)} or play.late_indicators:
        return Outcome.NOT_NOW
    table.pools[seat].remove(lying)
    table.discarded[seat].remove(token)
    occasion.step(do.Retract(seat=seat, token=token))
    occasion.fault(seat)
    table.hands[seat].append(token)
    table.discards -= 1
    play.drawn_token = token
    play.discard(seat, other)
    play.judge.let_pass(table.face(other), seat)
    return Outcome.BESIDE


@incident("claimed-tile-left", "discarded", games=("riichi",))
def claimed_tile_left(occasion: Occasion) -> Outcome:
    """The tiles of a set are shown but the discard is left in the pool."""
    play, seat = riichi_play(occasion), lay_without_claimed(occasion)
    if seat is None:
        return Outcome.NOT_NOW
    play.interrupt()
    play.turn, play.drawn_token, play.holds_turn_tile = seat, None, True
    # The set counts as claimed: whoever swaps would commit a second infraction (5.10).
    play.set_laid(play.table.melds[seat][-1].tokens)
    return Outcome.INSTEAD


@incident("claim-while-barred", "discarded", games=("riichi",))
def claim_while_barred(occasion: Occasion) -> Outcome:
    """A player who has declared riichi claims a pung."""
    play = riichi_play(occasion)
    table, token = play.table, occasion.token
    if token is None or not table.wall:
        return Outcome.NOT_NOW
    kind = table.kind(token)
    for seat in play.behind(occasion.seat):
        able = seat in table.riichi and seat not in play.plan.winners and occasion.suits(seat)
        own = play.own_tokens(seat, [kind, kind]) if able and seat not in play.barred else None
        if own is not None:
            play.claim(seat, occasion.seat, token, own, "pung")
            occasion.fault(seat, "riichi")
            play.barred.add(seat)
            play.holds_turn_tile = True
            return Outcome.INSTEAD
    return Outcome.NOT_NOW


@incident("kong-after-claim", "plan", "drawn", games=("riichi",))
def kong_after_claim(occasion: Occasion) -> Outcome:
    """Four of a kind laid down right after a pung was claimed, without a draw."""
    play = riichi_play(occasion)
    table, seat = play.table, occasion.seat
    if occasion.moment == "plan":
        whole = play.plan.whole()
        able = [each for each in play.plan.idle() if occasion.suits(each)]
        if len(whole) > 1 and able:
            seat = occasion.rng.choice(able)
            four, claimed = occasion.rng.sample(whole, 2)
            play.plan.deal(seat, [four] * 4 + [claimed] * 2)
            play.plan.keeps[seat][four] = 4
            play.plan.promise(Need(seat, "pung", claimed, max(2, occasion.want.at)))
            play.arranged[occasion.want.id] = seat
        return Outcome.NOT_NOW
    if seat != play.arranged.get(occasion.want.id) or play.drawn_token is not None:
        return Outcome.NOT_NOW
    face = next((kind for kind, count in table.held(seat).items() if count == 4), None)
    if face is None or not table.melds[seat]:
        return Outcome.NOT_NOW
    play.concealed_kong(seat, tuple(each for each in table.hands[seat] if table.kind(each) is face))
    occasion.fault(seat)
    play.barred.add(seat)
    play.owes_replacement = False
    play.replacement(seat)
    return Outcome.BESIDE


@incident("kong-illegal", "plan", "discarded", games=("riichi",))
def kong_illegal(occasion: Occasion) -> Outcome:
    """A concealed kong laid down while it is somebody else's turn."""
    play = riichi_play(occasion)
    table = play.table
    if occasion.moment == "plan":
        whole = play.plan.whole()
        able = [each for each in play.plan.idle() if occasion.suits(each)]
        if whole and able:
            seat, four = occasion.rng.choice(able), occasion.rng.choice(whole)
            play.plan.deal(seat, [four] * 4)
            play.plan.keeps[seat][four] = 4
            # It waits for the wrong moment, so nothing is made of it before.
            play.barred.add(seat)
            play.arranged[occasion.want.id] = seat
        return Outcome.NOT_NOW
    chosen = play.arranged.get(occasion.want.id)
    if chosen is None or chosen in (occasion.seat, play.after(occasion.seat)) or play.later:
        return Outcome.NOT_NOW
    face = next((kind for kind, count in table.held(chosen).items() if count == 4), None)
    if face is None:
        return Outcome.NOT_NOW
    four_tokens = tuple(each for each in table.hands[chosen] if table.kind(each) is face)
    for token in four_tokens:
        table.hands[chosen].remove(token)
    table.melds[chosen].append(Meld("kong", list(four_tokens), concealed=True))
    occasion.step(do.ConcealedKong(seat=chosen, tokens=four_tokens, face_down=(0, 3)))
    occasion.fault(chosen)
    occasion.step(do.Tidy(seat=chosen))
    return Outcome.BESIDE


@incident("foreign-tile", "plan", "special", games=("riichi",), seated=False)
def foreign_tile(occasion: Occasion) -> Outcome:
    """A flower of another set has strayed into this one; it is discarded."""
    play = riichi_play(occasion)
    if occasion.moment == "plan":
        idle, whole = play.plan.idle(), play.plan.whole()
        if not idle or not whole:
            return Outcome.NOT_NOW
        flower = occasion.rng.choice(FLOWERS)
        play.change_set(occasion.rng.choice(whole), flower)
        seat = occasion.rng.choice(idle)
        play.plan.promise(Need(seat, "throw", flower, max(2, occasion.want.at)))
        return Outcome.NOT_NOW
    if occasion.token is None or not play.table.face(occasion.token).is_flower:
        return Outcome.NOT_NOW
    occasion.fault(None, tile=play.table.face(occasion.token).value)
    return Outcome.BESIDE
