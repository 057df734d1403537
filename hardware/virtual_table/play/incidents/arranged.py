"""Infractions for which the tiles must be dealt: they are arranged while fate decides.

Each is asked at the moment ``plan`` first, where it gives a seat what it needs and remembers
whom, and again at the moment at which it can happen.
"""

from __future__ import annotations

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.fate import Need, chow
from hardware.virtual_table.play.incidents.base import BOTH, Occasion, Outcome, incident
from hardware.virtual_table.play.steps import Token
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile


def _chosen(occasion: Occasion) -> Seat | None:
    """The seat for which this incident was arranged."""
    return occasion.play.arranged.get(occasion.want.id)


def _choose(occasion: Occasion, *, but: tuple[Seat, ...] = ()) -> Seat | None:
    """An idle seat for it; remembers it."""
    plan = occasion.play.plan
    able = [seat for seat in plan.idle() if occasion.suits(seat) and seat not in but]
    if not able:
        return None
    seat = occasion.rng.choice(able)
    occasion.play.arranged[occasion.want.id] = seat
    return seat


def _due(occasion: Occasion) -> int:
    return max(2, occasion.want.at)


@incident("kong-after-claim", "plan", "drawn")
def kong_after_claim(occasion: Occasion) -> Outcome:
    """Four of a kind laid down right after a pung was claimed, without a draw."""
    play, table = occasion.play, occasion.play.table
    if occasion.moment == "plan":
        whole = play.plan.whole()
        seat = _choose(occasion) if len(whole) > 1 else None
        if seat is not None:
            four, claimed = occasion.rng.sample(whole, 2)
            play.plan.deal(seat, [four] * 4 + [claimed] * 2)
            play.plan.keeps[seat][four] = 4
            play.plan.promise(Need(seat, "pung", claimed, _due(occasion)))
        return Outcome.NOT_NOW
    seat = occasion.seat
    if seat != _chosen(occasion) or play.drawn_token is not None or not table.melds[seat]:
        return Outcome.NOT_NOW
    outcome = _lay_four(occasion, seat)
    if outcome is Outcome.BESIDE:
        play.replacement(seat)
        play.all_flowers(seat)
    return outcome


def _lay_four(occasion: Occasion, seat: Seat) -> Outcome:
    play, table = occasion.play, occasion.play.table
    face = next((face for face, count in table.held(seat).items() if count == 4), None)
    if face is None:
        return Outcome.NOT_NOW
    four = tuple(each for each in table.hands[seat] if table.face(each) is face)
    play.concealed_kong(seat, four, press=occasion.moment == "drawn")
    occasion.fault(seat)
    play.barred.add(seat)
    return Outcome.BESIDE


@incident("kong-illegal", "plan", "discarded")
def kong_illegal(occasion: Occasion) -> Outcome:
    """A concealed kong laid down while it is somebody else's turn."""
    play = occasion.play
    if occasion.moment == "plan":
        whole = play.plan.whole()
        seat = _choose(occasion) if whole else None
        if seat is not None:
            four = occasion.rng.choice(whole)
            play.plan.deal(seat, [four] * 4)
            play.plan.keeps[seat][four] = 4
        return Outcome.NOT_NOW
    chosen = _chosen(occasion)
    if chosen is None or chosen in (occasion.seat, play.after(occasion.seat)):
        return Outcome.NOT_NOW
    outcome = _lay_four(occasion, chosen)
    if outcome is Outcome.BESIDE:
        occasion.step(do.Tidy(seat=chosen))
    return outcome


def _plan_race(occasion: Occasion) -> None:
    """A discard that the next player can chow and another one can pung."""
    play = occasion.play
    idle = play.plan.idle()
    pairs = [
        (chows, pungs) for chows in idle for pungs in idle if pungs not in (chows, (chows - 1) % 4)
    ]
    faces = [face for face in play.plan.whole() if face.is_suited and 2 <= face.rank <= 7]
    faces = [
        face
        for face in faces
        if all(
            play.plan.deck.free[Tile(f"{face.rank + step}{face.suit.value}")] > 2
            for step in (-1, 1)
        )
    ]
    if not pairs or not faces:
        return
    chows, pungs = occasion.rng.choice(pairs)
    face = occasion.rng.choice(faces)
    source = play.behind(chows)[-1]
    part = chow(face.rank - 1, face.suit.value)
    play.plan.deal(chows, [each for each in part.tiles if each is not face])
    play.plan.deal(pungs, [face] * 2)
    play.plan.keeps[chows].update(part.tiles)
    play.plan.keeps[pungs][face] = 2
    # First of all, also for the one who is led to the win: it is of no use to him.
    play.plan.promise(Need(source, "throw", face, _due(occasion)), first=True)
    play.arranged[occasion.want.id] = chows
    play.arranged[occasion.want.id + " pung"] = pungs
    play.race[occasion.want.id] = part


def _race(occasion: Occasion) -> tuple[Seat, Seat, tuple[Token, ...]] | None:
    """Who can chow, who can pung the discard just made, and the chow's tiles; neither is barred.

    Asked before anybody presses a button: a call that nothing follows is another infraction.
    """
    play = occasion.play
    chows, pungs = _chosen(occasion), play.arranged.get(occasion.want.id + " pung")
    part = play.race.get(occasion.want.id)
    if chows is None or pungs is None or part is None or occasion.token is None:
        return None
    face = play.table.face(occasion.token)
    if face not in part.tiles or play.after(occasion.seat) != chows:
        return None
    own = list(part.tiles)
    own.remove(face)
    tokens = play.own_tokens(chows, own)
    if tokens is None or not play.may_call(chows, tokens):
        return None
    return (chows, pungs, tokens) if play.may_claim(chows) and play.may_claim(pungs) else None


def _take_chow(occasion: Occasion, chows: Seat, tokens: tuple[Token, ...]) -> None:
    assert occasion.token is not None
    occasion.play.claim(chows, occasion.seat, occasion.token, tokens, "chow", press=False)


@incident("claim-out-of-priority", "plan", "special", games=BOTH, four=True, seated=False)
def claim_out_of_priority(occasion: Occasion) -> Outcome:
    """A chow is carried out although another player has called pung in time."""
    if occasion.moment == "plan":
        _plan_race(occasion)
        return Outcome.NOT_NOW
    race = _race(occasion)
    if race is None:
        return Outcome.NOT_NOW
    chows, pungs, tokens = race
    occasion.step(do.Pause(seconds=0.4))
    occasion.step(do.Press(seat=pungs, call="pung"))
    occasion.step(do.Press(seat=chows, call="chow"))
    _take_chow(occasion, chows, tokens)
    occasion.fault(chows)
    return Outcome.INSTEAD


@incident("claim-late", "plan", "special", seated=False)
def claim_late(occasion: Occasion) -> Outcome:
    """A pung is called more than three seconds after the discard, over a chow."""
    if occasion.moment == "plan":
        _plan_race(occasion)
        return Outcome.NOT_NOW
    race = _race(occasion)
    if race is None:
        return Outcome.NOT_NOW
    chows, pungs, tokens = race
    occasion.step(do.Pause(seconds=0.5))
    occasion.step(do.Press(seat=chows, call="chow"))
    occasion.step(do.Pause(seconds=3.2))
    occasion.step(do.Press(seat=pungs, call="pung"))
    occasion.fault(pungs)
    _take_chow(occasion, chows, tokens)
    return Outcome.INSTEAD


@incident("concealed-kong-hidden", "plan", "winning")
def concealed_kong_hidden(occasion: Occasion) -> Outcome:
    """The winner leaves a concealed kong face down while the win is checked."""
    play = occasion.play
    winner, target = play.winner, play.plan.target
    if winner is None or target is None or not occasion.suits(winner):
        return Outcome.NOT_NOW
    if occasion.moment == "plan":
        coming = {need.tile for need in play.scripts[winner]}
        for part in target.parts:
            face = part.tiles[0]
            if part.kind == "pung" and face not in coming and play.plan.deck.free[face] == 1:
                play.plan.promise(Need(winner, "concealed_kong", face, 3), first=True)
                play.arranged[occasion.want.id] = winner
                return Outcome.NOT_NOW
        return Outcome.NOT_NOW
    if not any(meld.concealed for meld in play.table.melds[winner]):
        return Outcome.NOT_NOW
    play.turn_kongs = False
    # It may be turned up as long as the hand lies open (001 §2.2: at the end of the hand).
    play.fault_after_close.append(lambda: occasion.fault(winner, since=do.ShowHand))
    return Outcome.BESIDE


@incident("fifth-tile", "plan", "special", games=BOTH, seated=False)
def fifth_tile(occasion: Occasion) -> Outcome:
    """The set has five tiles of a kind (and one of another too few); all five are discarded."""
    play = occasion.play
    if occasion.moment == "plan":
        whole, idle = play.plan.whole(), play.plan.idle()
        if len(whole) < 2 or not idle:
            return Outcome.NOT_NOW
        face, lacking = occasion.rng.sample(whole, 2)
        play.change_set(lacking, face)
        seats = [idle[index % len(idle)] for index in range(5)]
        for number, seat in enumerate(seats):
            due = _due(occasion) + 2 * number
            play.plan.promise(Need(seat, "throw", face, due))
        play.fifth = face
        return Outcome.NOT_NOW
    if occasion.token is None or play.fifth is not play.table.face(occasion.token):
        return Outcome.NOT_NOW
    seen = sum(
        play.table.face(each.token) is play.fifth
        for pool in play.table.pools.values()
        for each in pool
    )
    if seen < 5:
        return Outcome.NOT_NOW
    occasion.fault(None, tile=play.fifth.value)
    return Outcome.BESIDE


@incident("foreign-tile", "plan", "special", seated=False)
def foreign_tile(occasion: Occasion) -> Outcome:
    """A red five has strayed into a set that has none; it is discarded."""
    play = occasion.play
    if occasion.moment == "plan":
        idle = play.plan.idle()
        suits = [suit for suit in "mps" if play.plan.deck.free[Tile(f"5{suit}")] > 1]
        if not idle or not suits:
            return Outcome.NOT_NOW
        suit = occasion.rng.choice(suits)
        play.change_set(Tile(f"5{suit}"), Tile(f"0{suit}"))
        seat = occasion.rng.choice(idle)
        play.plan.promise(Need(seat, "throw", Tile(f"0{suit}"), _due(occasion)))
        return Outcome.NOT_NOW
    if occasion.token is None or not play.table.face(occasion.token).is_red:
        return Outcome.NOT_NOW
    occasion.fault(None, tile=play.table.face(occasion.token).value)
    return Outcome.BESIDE
