"""Draws: too early, out of turn, from the wrong place, too many, too few."""

from __future__ import annotations

from typing import get_args

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.incidents.base import BOTH, Occasion, Outcome, incident
from hardware.virtual_table.play.steps import Token
from table_controller.domain.happenings import DrawStage, Seat


def _stage(occasion: Occasion, *default: DrawStage) -> DrawStage:
    stage = occasion.option("stage", list(default))
    for known in get_args(DrawStage):
        if stage == known:
            return known  # type: ignore[no-any-return]
    raise ValueError(f"unknown stage {stage!r}")


def _decide(occasion: Occasion, token: Token) -> None:
    """The face of a tile that is about to be seen, and is nothing special."""
    table = occasion.play.table
    if token not in table.faces:
        table.faces[token] = table.deck.chance(flowers=False)


def _plain(occasion: Occasion) -> bool:
    """Whether nothing that fate has arranged hangs on the next draws."""
    play = occasion.play
    return play.forced is None and len(play.table.wall) > 12


def _bar(occasion: Occasion, seat: Seat, stage: DrawStage) -> None:
    """Who took a tile that is not his plays along (003 Q5), in riichi who saw it (9.11.2)."""
    stages = ("seen", "taken") if occasion.play.game_family == "riichi" else ("taken",)
    if stage in stages:
        occasion.play.barred.add(seat)


@incident("premature-draw", "discard", games=BOTH)
def premature_draw(occasion: Occasion) -> Outcome:
    """The next player reaches for the wall before the discard lies.

    ``stage``: how far it goes; ``touched``, ``lifted`` and ``seen`` are put back, ``taken``
    stays in the hand.
    """
    play, table = occasion.play, occasion.play.table
    seat = play.after(occasion.seat)
    token = table.front()
    stage = _stage(occasion, "touched", "lifted", "seen", "taken")
    if (
        token is None
        or occasion.token is None
        or not _plain(occasion)
        or not occasion.suits(seat)
        or (stage in ("seen", "taken") and not occasion.loses(seat))
    ):
        return Outcome.NOT_NOW
    play.hold, play.quiet = 1.5, True
    play.discard(occasion.seat, occasion.token)
    if stage in ("seen", "taken"):
        _decide(occasion, token)
    occasion.step(do.Draw(seat=seat, token=token, upto=stage, premature=True))
    if stage in ("lifted", "seen"):
        # How far it went, which the ruling asks for, is known when the tile is back.
        occasion.step(do.PutBack(seat=seat, token=token))
    occasion.fault(seat, stage, since=do.Draw)
    _bar(occasion, seat, stage)
    if stage == "taken":
        table.wall.remove(token)
        table.hands[seat].append(token)
        play.holds_turn_tile = True
        play.early_token = token
    return Outcome.INSTEAD


@incident("draw-out-of-turn", "discarded", games=BOTH)
def draw_out_of_turn(occasion: Occasion) -> Outcome:
    """Somebody whose turn it is not takes the next tile; it goes back."""
    table = occasion.play.table
    token = table.front()
    seat = occasion.offender(*occasion.others(occasion.play.after(occasion.seat), occasion.seat))
    if token is None or seat is None or not _plain(occasion):
        return Outcome.NOT_NOW
    stage = _stage(occasion, "lifted", "seen", "taken")
    if stage != "lifted":
        _decide(occasion, token)
    occasion.step(do.Draw(seat=seat, token=token, upto=stage, staged=True))
    occasion.put_back(seat, token, stage)
    _bar(occasion, seat, stage)
    return Outcome.BESIDE


@incident("wrong-draw", "draw", games=BOTH)
def wrong_draw(occasion: Occasion) -> Outcome:
    """The right player takes a tile from the wrong place (``where``), puts it back, draws."""
    table, seat = occasion.play.table, occasion.seat
    if not _plain(occasion) or not occasion.suits(seat) or not occasion.loses(seat):
        return Outcome.NOT_NOW
    where = occasion.option("where", ["next_stack", "tail"])
    if occasion.play.game_family == "riichi":
        # The other end is the dead wall: an infraction of its own.
        where = "next_stack"
    token = table.tail()
    if where == "next_stack":
        # The top tile of a stack further on: what lies under another cannot be taken.
        token = next(
            each for each in table.wall[2:] if each % 2 == 0 and each // 2 != table.wall[0] // 2
        )
    assert token is not None
    stage = _stage(occasion, "lifted", "seen")
    if stage == "seen":
        _decide(occasion, token)
    occasion.step(do.Draw(seat=seat, token=token, upto=stage, staged=True))
    occasion.put_back(seat, token, stage, where=where)
    return Outcome.BESIDE


@incident("extra-draw", "drawn", games=BOTH)
def extra_draw(occasion: Occasion) -> Outcome:
    """A player who has drawn draws once more and keeps both: too many tiles from then on."""
    play, table, seat = occasion.play, occasion.play.table, occasion.seat
    token = table.front()
    if (
        token is None
        or play.drawn_token is None
        or play.due(seat) is not None
        or not _plain(occasion)
        or not occasion.suits(seat)
        or not occasion.loses(seat)
    ):
        return Outcome.NOT_NOW
    face = table.faces.get(token) or table.deck.chance(flowers=False)
    play.draw_as(seat, token, face)
    occasion.fault(seat)
    play.barred.add(seat)
    return Outcome.BESIDE


@incident("missed-draw", "draw", games=BOTH)
def missed_draw(occasion: Occasion) -> Outcome:
    """A player discards without having drawn: one tile too few from then on."""
    play, seat = occasion.play, occasion.seat
    if not _plain(occasion) or not occasion.suits(seat) or not occasion.loses(seat):
        return Outcome.NOT_NOW
    if play.due(seat) is not None:
        return Outcome.NOT_NOW
    play.barred.add(seat)
    play.quiet = True

    # That none was drawn, and not one unseen, the hand tells when it has been closed up.
    play.fault_after_discard = lambda: occasion.fault(seat, counted=True)
    return Outcome.INSTEAD


@incident("wrong-replacement", "drawn")
def wrong_replacement(occasion: Occasion) -> Outcome:
    """A flower is replaced from the front of the wall instead of its tail."""
    play, table, seat = occasion.play, occasion.play.table, occasion.seat
    token, flower = table.front(), play.any_flower()
    if (
        token is None
        or flower is None
        or play.drawn_token is None
        or play.due(seat) is not None
        or not _plain(occasion)
        or not occasion.suits(seat)
        or not occasion.loses(seat)
    ):
        if flower is not None:
            table.deck.put_back(flower)
        return Outcome.NOT_NOW
    # What was just drawn turns out to be a flower.
    table.deck.put_back(table.faces[play.drawn_token])
    table.faces[play.drawn_token] = flower
    play.show_flower(seat, play.drawn_token)
    face = table.faces.get(token) or table.deck.chance(flowers=False)
    play.draw_as(seat, token, face)
    occasion.fault(seat)
    play.barred.add(seat)
    return Outcome.BESIDE
