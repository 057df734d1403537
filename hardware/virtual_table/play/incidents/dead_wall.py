"""Riichi: the dead wall, its indicators and replacement tiles, and hidden kongs."""

from __future__ import annotations

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.incidents.base import Occasion, Outcome, incident
from hardware.virtual_table.play.incidents.declaring import riichi_play
from hardware.virtual_table.play.incidents.options import LIE, whole, words
from hardware.virtual_table.play.riichi.play import RiichiPlay
from hardware.virtual_table.play.steps import Token
from table_controller.domain.happenings import DrawStage, Seat


def _stage(occasion: Occasion) -> DrawStage:
    stage: DrawStage = occasion.option("stage", ["lifted", "seen"])
    return stage


def _draw_and_return(occasion: Occasion, seat: Seat, token: Token) -> None:
    stage = _stage(occasion)
    if stage == "seen":
        riichi_play(occasion).show_face(token)
    occasion.step(do.Draw(seat=seat, token=token, upto=stage, staged=True))
    occasion.put_back(seat, token, stage)


def _free(play: RiichiPlay, seat: Seat) -> bool:
    return play.forced is None and not play.scripts[seat] and len(play.table.wall) > 8


@incident(
    "dead-wall-draw",
    "draw",
    games=("riichi",),
    options=(words("stage", "touched", "lifted", "seen"),),
)
def dead_wall_draw(occasion: Occasion) -> Outcome:
    """Instead of the next tile one of the dead wall is taken (``stage``), and put back."""
    play, seat = riichi_play(occasion), occasion.seat
    token = play.table.tail()
    if token is None or not _free(play, seat) or not occasion.suits(seat):
        return Outcome.NOT_NOW
    if not occasion.loses(seat) or token % 2:
        return Outcome.NOT_NOW
    _draw_and_return(occasion, seat, token)
    return Outcome.BESIDE


@incident(
    "wrong-replacement",
    "replacement",
    games=("riichi",),
    options=(words("stage", "touched", "lifted", "seen"),),
)
def wrong_replacement(occasion: Occasion) -> Outcome:
    """After a kong (or north) the next tile of the wall is taken, put back, and the right one."""
    play, seat = riichi_play(occasion), occasion.seat
    token = play.table.front()
    if token is None or not occasion.suits(seat) or len(play.table.wall) < 6:
        return Outcome.NOT_NOW
    _draw_and_return(occasion, seat, token)
    return Outcome.BESIDE


@incident("wrong-indicator", "indicator", games=("riichi",), options=(whole("number", 1, 4),))
def wrong_indicator(occasion: Occasion) -> Outcome:
    """The dealer turns up the tile of another stack, covers it, and turns the right one."""
    play, seat = riichi_play(occasion), occasion.seat
    if not occasion.suits(seat):
        return Outcome.NOT_NOW
    token = play.table.indicator(int(occasion.option("number", [1, 2])))
    play.show_face(token)
    occasion.step(do.TurnIndicator(seat=seat, token=token))
    occasion.fault(seat)
    occasion.step(do.CoverIndicator(seat=seat, token=token))
    return Outcome.BESIDE


@incident(
    "indicator-not-turned",
    "indicator",
    "ura",
    games=("riichi",),
    options=(words("stage", "first", "ura"),),
)
def indicator_not_turned(occasion: Occasion) -> Outcome:
    """The ``first`` indicator is turned late, or (``stage`` ``ura``) those below never."""
    play, seat = riichi_play(occasion), occasion.seat
    wanted = occasion.option("stage", None)
    if occasion.moment == "indicator":
        ura = wanted == "ura" if wanted is not None else occasion.rng.random() < 0.25
    else:
        ura = wanted in (None, "ura")
    if ura != (occasion.moment == "ura") or not occasion.suits(seat):
        return Outcome.NOT_NOW
    if ura:
        # Until the hand is closed they may still be turned.
        play.fault_after_close.append(lambda: occasion.fault(seat, "ura", since=do.ShowHand))
        return Outcome.INSTEAD

    def missed() -> None:
        # Who makes a kong first turns it, too.
        if not play.table.indicators:
            occasion.fault(seat, since=do.DealTake)

    def turned() -> None:
        if not play.table.indicators:
            play.turn_indicator(seat)

    play.when(2, missed)
    play.when(4, turned)
    return Outcome.INSTEAD


@incident("ura-dora-peeked", "discarded", games=("riichi",))
def ura_dora_peeked(occasion: Occasion) -> Outcome:
    """Somebody looks at the tile below an indicator while the hand is played."""
    play = riichi_play(occasion)
    seat = occasion.offender(*play.seats)
    if seat is None or not play.table.indicators or play.later:
        return Outcome.NOT_NOW
    upper = play.table.indicators[0]
    play.show_face(upper + 1)
    occasion.step(do.PeekBelow(seat=seat, upper=upper, lower=upper + 1))
    occasion.fault(seat, tile=play.table.face(upper + 1).value)
    return Outcome.BESIDE


@incident(
    "dead-wall-tile-exposed",
    "discarded",
    games=("riichi",),
    options=(words("stage", "replacement", "other"), LIE),
)
def dead_wall_tile_exposed(occasion: Occasion) -> Outcome:
    """A tile of the dead wall falls over face up (``stage``: ``replacement`` or ``other``)."""
    play = riichi_play(occasion)
    table = play.table
    seat = occasion.offender(*play.seats)
    stage = occasion.option("stage", ["replacement", "other"])
    token = table.tail() if stage == "replacement" else table.indicator(len(table.indicators) + 1)
    if seat is None or token is None or token % 2 or play.later:
        return Outcome.NOT_NOW
    play.show_face(token)
    lie = float(occasion.option("lie", occasion.rng.uniform(1.2, 2.2)))
    occasion.step(do.ExposeWall(token=token, by=seat, lie=lie, where="dead_wall"))
    occasion.fault(seat, stage, tile=table.face(token).value)
    return Outcome.BESIDE


@incident("concealed-kong-hidden", "plan", games=("riichi",), seated=False)
def concealed_kong_hidden(occasion: Occasion) -> Outcome:
    """A concealed kong is laid down with all four tiles face down, until its owner discards."""
    play = riichi_play(occasion)

    def laid(seat: Seat) -> None:
        play.fault_after_discard.append(lambda: occasion.fault(seat))

    play.hides_kong = laid
    return Outcome.BESIDE
