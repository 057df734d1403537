"""Riichi: declarations, sticks, what is discarded after them, calls that forbid a discard."""

from __future__ import annotations

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.fate import Need, chow
from hardware.virtual_table.play.incidents.base import Occasion, Outcome, incident
from hardware.virtual_table.play.incidents.options import words
from hardware.virtual_table.play.riichi.play import RiichiPlay
from hardware.virtual_table.play.steps import Token
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile


def riichi_play(occasion: Occasion) -> RiichiPlay:
    """The hand, which is one of riichi."""
    assert isinstance(occasion.play, RiichiPlay)
    return occasion.play


@incident("riichi-not-rotated", "declare", games=("riichi",))
def riichi_not_rotated(occasion: Occasion) -> Outcome:
    """The declaration tile is laid upright."""
    play, seat = riichi_play(occasion), occasion.seat
    if not occasion.suits(seat):
        return Outcome.NOT_NOW
    play.unturned = True
    play.fault_after_discard.append(lambda: occasion.fault(seat))
    return Outcome.BESIDE


@incident("riichi-no-stick", "stick", games=("riichi",))
def riichi_no_stick(occasion: Occasion) -> Outcome:
    """Riichi is declared and no stick placed; it shows after two more discards."""
    play, seat = riichi_play(occasion), occasion.seat
    if not occasion.suits(seat) or len(play.table.wall) < 8:
        return Outcome.NOT_NOW
    declared = play.table.riichi[seat].token
    play.when(2, lambda: occasion.fault(seat, discarded=declared), but=seat)
    return Outcome.INSTEAD


@incident("riichi-changed-hand", "discard", games=("riichi",))
def riichi_changed_hand(occasion: Occasion) -> Outcome:
    """A tile that was not drawn is discarded after riichi."""
    play, seat = riichi_play(occasion), occasion.seat
    table = play.table
    declared = table.riichi.get(seat)
    busy = play.forced is not None or play.drawn_token is None or seat in play.plan.winners
    if declared is None or busy or not occasion.suits(seat) or seat in play.barred:
        return Outcome.NOT_NOW
    danger = play.danger(seat)
    able = [
        token
        for token in table.hands[seat]
        if token != play.drawn_token and table.kind(token) not in danger
    ]
    if not able:
        return Outcome.NOT_NOW
    play.discard(seat, occasion.rng.choice(able))
    occasion.fault(seat)
    play.barred.add(seat)
    play.quiet = True
    return Outcome.INSTEAD


def _may_offend(occasion: Occasion, seat: Seat) -> bool:
    play = riichi_play(occasion)
    free = play.forced is None and not play.scripts[seat] and seat not in play.barred
    return free and occasion.suits(seat) and occasion.loses(seat)


@incident(
    "riichi-illegal",
    "discard",
    games=("riichi",),
    options=(words("stage", "open", "again", "tiles"),),
)
def riichi_illegal(occasion: Occasion) -> Outcome:
    """Riichi that is not allowed.

    ``stage``: ``open``, with an exposed set; ``again``, after riichi; ``tiles``, with fewer tiles
    left than the rules ask for.
    """
    play, seat, token = riichi_play(occasion), occasion.seat, occasion.token
    table = play.table
    stage = occasion.option("stage", ["open", "again"])
    if token is None or not occasion.suits(seat) or play.forced is not None:
        return Outcome.NOT_NOW
    if stage == "again":
        if seat not in table.riichi or token != play.drawn_token or seat in play.turn_again:
            return Outcome.NOT_NOW
        occasion.step(do.Press(seat=seat, call="riichi"))
        play.discard(seat, token, turned=True)
        occasion.fault(seat, stage)
        return Outcome.INSTEAD
    if not _may_offend(occasion, seat):
        return Outcome.NOT_NOW
    exposed = not play.judge.concealed(seat)
    if stage == "tiles":
        few = 0 < len(table.wall) < play.game.riichi_tiles
        ready = list(play.judge.ready_discards(seat)) if few and not exposed else []
        if not ready:
            return Outcome.NOT_NOW
        token = ready[0]
    elif not exposed or table.kind(token) in play.danger(seat):
        return Outcome.NOT_NOW
    play.discard(seat, token, riichi=True)
    # An indicator that is due may be turned before it is written down.
    occasion.fault(seat, stage, discarded=token, at_once=True)
    play.barred.add(seat)
    return Outcome.INSTEAD


@incident("riichi-noten", "discard", games=("riichi",))
def riichi_noten(occasion: Occasion) -> Outcome:
    """Riichi with a hand that is not ready; it shows when the wall has run out."""
    play, seat, token = riichi_play(occasion), occasion.seat, occasion.token
    able = token is not None and _may_offend(occasion, seat) and not play.plan.winners
    if not able or token is None or not play.judge.may_riichi(seat, play.points[seat]):
        return Outcome.NOT_NOW
    if play.judge.waits(seat, but=token):
        return Outcome.NOT_NOW
    play.discard(seat, token, riichi=True)
    play.barred.add(seat)
    play.shows_anyway[seat] = lambda: occasion.fault(seat)
    return Outcome.INSTEAD


def _plan_swap(occasion: Occasion) -> None:
    """Deal somebody a set to claim, and what may not be discarded after it."""
    play = riichi_play(occasion)
    able = [seat for seat in play.plan.idle() if occasion.suits(seat)]
    if not able:
        return
    seat, due = occasion.rng.choice(able), max(2, occasion.want.at)
    whole = play.plan.whole()
    runs = [
        face
        for face in whole
        if face.is_suited and face.rank <= 6 and len(play.seats) == 4
        if all(
            play.plan.deck.free[Tile(f"{face.rank + step}{face.suit.value}")] > 1
            for step in (1, 2, 3)
        )
    ]
    if runs:
        face = occasion.rng.choice(runs)
        part = chow(face.rank, face.suit.value)
        held = [*part.tiles[1:], Tile(f"{face.rank + 3}{face.suit.value}")]
        need = Need(seat, "chow", face, due, part=part)
    elif whole:
        face = occasion.rng.choice(whole)
        held, need = [face] * 3, Need(seat, "pung", face, due)
    else:
        return
    play.plan.deal(seat, held)
    play.plan.keeps[seat].update(held)
    play.plan.promise(need)
    play.arranged[occasion.want.id] = seat


@incident("swap-call", "plan", "discard", games=("riichi",))
def swap_call(occasion: Occasion) -> Outcome:
    """After a claim a tile is discarded that makes a set with the two tiles shown."""
    play, seat = riichi_play(occasion), occasion.seat
    if occasion.moment == "plan":
        _plan_swap(occasion)
        return Outcome.NOT_NOW
    if not play.forbidden or not _may_offend(occasion, seat):
        return Outcome.NOT_NOW
    token = _forbidden(play, seat)
    if token is None:
        return Outcome.NOT_NOW
    play.discard(seat, token)
    occasion.fault(seat)
    play.barred.add(seat)
    play.quiet = True
    return Outcome.INSTEAD


def _forbidden(play: RiichiPlay, seat: Seat) -> Token | None:
    danger = play.danger(seat)
    for token in play.table.hands[seat]:
        kind = play.table.kind(token)
        if kind in play.forbidden and kind not in danger:
            return token
    return None


@incident("nine-terminals-false", "first", games=("riichi",))
def nine_terminals_false(occasion: Occasion) -> Outcome:
    """Nine terminals are declared in the first turn by a hand that has fewer; play goes on."""
    play, seat = riichi_play(occasion), occasion.seat
    table = play.table
    first = table.uninterrupted and not table.discarded[seat] and not table.melds[seat]
    if not first or not _may_offend(occasion, seat) or play.owes_replacement:
        return Outcome.NOT_NOW
    ends = {kind for kind in table.held(seat) if kind.is_terminal or kind.is_honour}
    if len(ends) >= 9:
        return Outcome.NOT_NOW
    occasion.step(do.Press(seat=seat, call="nine_terminals"))
    occasion.step(do.ShowHand(seat=seat, apart=play.drawn_token, press=False, turn_kongs=False))
    occasion.fault(seat)
    occasion.step(do.Pause(seconds=1.5))
    occasion.step(do.HideHand(seat=seat))
    play.barred.add(seat)
    return Outcome.BESIDE
