"""Claims: sets that are none, from the wrong side, laid or left wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, takewhile
from typing import Literal

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.incidents.base import BOTH, Occasion, Outcome, incident
from hardware.virtual_table.play.incidents.options import whole
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.play.table_state import Meld
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile


def chow_tokens(occasion: Occasion, seat: Seat, face: Tile) -> Iterator[tuple[Token, ...]]:
    """Pairs of standing tiles that make a chow with a discard."""
    play = occasion.play
    if not face.is_suited or len(play.seats) < 4:
        return
    for first in range(max(1, face.rank - 2), min(7, face.rank) + 1):
        ranks = [rank for rank in range(first, first + 3) if rank != face.rank]
        tokens = play.own_tokens(seat, [Tile(f"{rank}{face.suit.value}") for rank in ranks])
        if tokens is not None:
            yield tokens


def _able(occasion: Occasion, *seats: Seat, barred: bool = False) -> list[Seat]:
    """Those of some players who may claim, or (``barred``) whose win was refused."""
    play = occasion.play
    return [
        seat
        for seat in seats
        if occasion.suits(seat) and occasion.loses(seat) and len(play.table.hands[seat]) > 6
        if not play.scripts[seat]
        if (play.may_claim(seat) if not barred else seat in play.refused and not play.gave_up(seat))
    ]


@incident("invalid-meld", "discarded", games=BOTH)
def invalid_meld(occasion: Occasion) -> Outcome:
    """A chow or pung is laid with tiles that make none; it stays on the table."""
    play, table = occasion.play, occasion.play.table
    token = occasion.token
    if token is None:
        return Outcome.NOT_NOW
    face = table.face(token)
    source = occasion.seat
    for seat in _able(occasion, *play.behind(source)):
        hand = table.hands[seat]
        chow = face.is_suited and seat == play.after(source) and len(play.seats) == 4
        for own in combinations(hand, 2):
            faces = [table.face(each) for each in own]
            same = sum(each is face for each in faces)
            if chow:
                near = all(each.is_suited and each.suit is face.suit for each in faces)
                ranks = sorted([face.rank, *(each.rank for each in faces)]) if near else []
                # Off by one, as a hasty eye would have it: 3 4 6.
                wrong = near and len(set(ranks)) == 3 and ranks[2] - ranks[0] == 3
            else:
                wrong = same == 1 and faces[0].suit is faces[1].suit is face.suit
            if wrong and play.may_call(seat, own):
                play.claim(seat, source, token, own, "chow" if chow else "pung")
                occasion.fault(seat)
                play.barred.add(seat)
                play.holds_turn_tile = True
                return Outcome.INSTEAD
    return Outcome.NOT_NOW


@incident("chow-not-from-left", "discarded", games=BOTH, four=True)
def chow_not_from_left(occasion: Occasion) -> Outcome:
    """A chow on a discard of the player across or at the right; it stays on the table."""
    play, table = occasion.play, occasion.play.table
    token = occasion.token
    if token is None:
        return Outcome.NOT_NOW
    for seat in _able(occasion, play.after(occasion.seat, 2), play.after(occasion.seat, 3)):
        for own in chow_tokens(occasion, seat, table.face(token)):
            if not play.may_call(seat, own):
                continue
            play.claim(seat, occasion.seat, token, own, "chow")
            occasion.fault(seat)
            play.barred.add(seat)
            play.holds_turn_tile = True
            return Outcome.INSTEAD
    return Outcome.NOT_NOW


def legal_claim(
    occasion: Occasion, *, barred: bool = False
) -> tuple[Seat, tuple[Token, ...], str] | None:
    """A claim that somebody could legally make now: seat, own tiles, call.

    ``barred``: only of those who may not win any more.
    """
    play, table = occasion.play, occasion.play.table
    if occasion.token is None:
        return None
    face = table.face(occasion.token)
    source = occasion.seat
    for seat in _able(occasion, *play.behind(source), barred=barred):
        tokens = play.own_tokens(seat, [face, face])
        if tokens is not None and play.may_call(seat, tokens):
            return seat, tokens, "pung"
    for seat in _able(occasion, play.after(source), barred=barred):
        for own in chow_tokens(occasion, seat, face):
            if play.may_call(seat, own):
                return seat, own, "chow"
    return None


@incident("meld-misplaced", "discarded", games=BOTH, options=(whole("sideways", 0, 2),))
def meld_misplaced(occasion: Occasion) -> Outcome:
    """A legal set whose claimed tile lies sideways at the wrong place."""
    play = occasion.play
    found = legal_claim(occasion)
    if found is None or occasion.token is None:
        return Outcome.NOT_NOW
    seat, own, call = found
    right = play.sideways_at(seat, occasion.seat, 3)
    wrong = occasion.option("sideways", [index for index in (0, 1, 2) if index != right])
    if wrong == right:
        return Outcome.NOT_NOW
    play.claim(
        seat, occasion.seat, occasion.token, own, "pung" if call == "pung" else "chow",
        misplaced=(wrong, wrong),
    )  # fmt: skip
    occasion.fault(seat)
    play.holds_turn_tile = True
    return Outcome.INSTEAD


def lay_without_claimed(occasion: Occasion) -> Seat | None:
    """A set is laid with its discard still in the pool; the seat that did, if anybody could.

    Who lays his own tiles first may fetch the discard yet (003 Q8): evident when he plays on.
    """
    table = occasion.play.table
    found = legal_claim(occasion)
    if found is None or occasion.token is None or occasion.play.fault_after_discard:
        return None
    seat, own, call = found
    kind: Literal["chow", "pung"] = "pung" if call == "pung" else "chow"
    for each in own:
        table.hands[seat].remove(each)
    table.melds[seat].append(Meld(kind, list(own)))
    occasion.step(
        do.Claim(
            seat=seat,
            call=kind,
            from_seat=occasion.seat,
            token=occasion.token,
            tokens=own,
            claimed=None,
            sideways=None,
            leave=True,
        )
    )
    occasion.play.fault_after_discard.append(lambda: occasion.fault(seat, since=do.Claim))
    occasion.play.barred.add(seat)
    return seat


@incident("claimed-tile-left", "discarded")
def claimed_tile_left(occasion: Occasion) -> Outcome:
    """The tiles of a set are shown but the discard is left in the pool."""
    play, seat = occasion.play, lay_without_claimed(occasion)
    if seat is None:
        return Outcome.NOT_NOW
    play.turn, play.drawn_token, play.holds_turn_tile = seat, None, True
    return Outcome.INSTEAD


@incident("call-not-executed", "discarded", games=BOTH)
def call_not_executed(occasion: Occasion) -> Outcome:
    """A button is pressed and nothing follows: evident when the next player has drawn."""
    play = occasion.play
    seat = occasion.offender(*occasion.others(occasion.seat, play.after(occasion.seat)))
    if seat is None or len(play.table.wall) < 4 or play.fault_after_draw:
        return Outcome.NOT_NOW
    occasion.step(do.Press(seat=seat, call="pung"))
    occasion.step(do.Pause(seconds=1.2))
    play.fault_after_draw.append(lambda: occasion.fault(seat, since=do.Press))
    return Outcome.BESIDE


@incident("claim-while-barred", "discarded")
def claim_while_barred(occasion: Occasion) -> Outcome:
    """A player who may not win any more claims (where the ruleset forbids that too).

    Happens only after somebody's declared win has been refused in the same hand.
    """
    play = occasion.play
    found = legal_claim(occasion, barred=True)
    if found is None or occasion.token is None:
        return Outcome.NOT_NOW
    seat, own, call = found
    play.claim(seat, occasion.seat, occasion.token, own, "pung" if call == "pung" else "chow")
    occasion.fault(seat)
    play.holds_turn_tile = True
    return Outcome.INSTEAD


def _discards(step: do.Step, token: Token) -> bool:
    return isinstance(step, do.Discard) and step.token == token


@incident("claim-after-draw", "drawn", games=BOTH)
def claim_after_draw(occasion: Occasion) -> Outcome:
    """A pung is claimed when the next player has drawn already; that tile goes back."""
    play, table, drawer = occasion.play, occasion.play.table, occasion.seat
    drawn, source = play.drawn_token, play.behind(occasion.seat)[-1]
    pool = table.pools[source]
    if drawn is None or not pool or play.forced is not None or play.due(drawer) is not None:
        return Outcome.NOT_NOW
    token = pool[-1].token
    since = list(takewhile(lambda step: not _discards(step, token), reversed(table.steps)))
    # One ordinary draw and nothing else: a replacement or a promised tile is not put back.
    drawn_since = [step.token for step in since if isinstance(step, do.Draw)]
    awaited = any(
        play.arranged.get(name) == drawer and table.face(drawn) is face
        for name, face in play.awaited.items()
    )
    plain = drawn_since == [drawn] and isinstance(since[0], do.Draw) and occasion.loses(drawer)
    if awaited or not plain or pool[-1].place is None or table.last_discard != token:
        return Outcome.NOT_NOW
    face = table.face(token)
    for seat in _able(occasion, *play.behind(source)[1:]):
        own = play.own_tokens(seat, [face, face])
        if own is None:
            continue
        play.claim(seat, source, token, own, "pung")
        occasion.fault(seat)
        play.barred.add(seat)
        table.hands[drawer].remove(drawn)
        table.wall.insert(0, drawn)
        occasion.step(do.PutBack(seat=drawer, token=drawn))
        return Outcome.INSTEAD
    return Outcome.NOT_NOW
