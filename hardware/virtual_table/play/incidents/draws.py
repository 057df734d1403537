"""Draws: too early, out of turn, from the wrong place, too many, too few."""

from __future__ import annotations

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.incidents.base import BOTH, Occasion, Outcome, incident
from hardware.virtual_table.play.incidents.options import chinese, riichi, words
from hardware.virtual_table.play.steps import Token
from table_controller.domain.happenings import DrawStage, Seat


def _stage(occasion: Occasion, *default: DrawStage) -> DrawStage:
    stage: DrawStage = occasion.option("stage", list(default))
    return stage


def _decide(occasion: Occasion, token: Token) -> None:
    """The face of a tile that is about to be seen, and is nothing special."""
    table = occasion.play.table
    if token not in table.faces:
        table.faces[token] = table.deck.chance(flowers=False)


def _plain(occasion: Occasion) -> bool:
    """Whether nothing that fate has arranged hangs on the next draws."""
    play = occasion.play
    return play.forced is None and len(play.table.wall) > 12


def _reach(occasion: Occasion, seat: Seat, token: Token, stage: DrawStage) -> None:
    """A tile is touched, lifted, seen or taken, and goes back."""
    if stage in ("seen", "taken"):
        _decide(occasion, token)
    occasion.step(do.Draw(seat=seat, token=token, upto=stage, staged=True))
    occasion.put_back(seat, token, stage)
    _bar(occasion, seat, stage)


def _bar(occasion: Occasion, seat: Seat, stage: DrawStage) -> None:
    """Who took a tile that is not his plays along (003 Q5), in riichi who saw it (9.11.2)."""
    stages = ("seen", "taken") if occasion.play.game_family == "riichi" else ("taken",)
    if stage in stages:
        occasion.play.barred.add(seat)


@incident(
    "premature-draw",
    "discard",
    games=BOTH,
    options=(words("stage", "touched", "lifted", "seen", "taken"),),
)
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
    play.hasty = (seat, occasion.token)
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


@incident(
    "draw-out-of-turn",
    "discarded",
    games=BOTH,
    options=(words("stage", "touched", "lifted", "seen", "taken"),),
)
def draw_out_of_turn(occasion: Occasion) -> Outcome:
    """Somebody whose turn it is not takes the next tile; it goes back."""
    table = occasion.play.table
    token = table.front()
    seat = occasion.offender(*occasion.others(occasion.play.after(occasion.seat), occasion.seat))
    if token is None or seat is None or not _plain(occasion):
        return Outcome.NOT_NOW
    _reach(occasion, seat, token, _stage(occasion, "lifted", "seen", "taken"))
    return Outcome.BESIDE


@incident(
    "wrong-draw",
    "draw",
    games=BOTH,
    options=(
        words("stage", "touched", "lifted", "seen", "taken"),
        words("where", "next_stack", "tail", games=chinese),
        words("where", "next_stack", games=riichi),
    ),
)
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
    if stage in ("seen", "taken"):
        _decide(occasion, token)
    occasion.step(do.Draw(seat=seat, token=token, upto=stage, staged=True))
    occasion.put_back(seat, token, stage, where=where)
    if stage == "taken":
        _bar(occasion, seat, stage)
    return Outcome.BESIDE


@incident(
    "extra-draw",
    "drawn",
    games=BOTH,
    options=(words("stage", "touched", "lifted", "seen", "taken"),),
)
def extra_draw(occasion: Occasion) -> Outcome:
    """A player who has drawn draws once more.

    ``stage``: how far it goes; ``taken`` he keeps both, and has too many tiles from then on.
    """
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
    stage = occasion.variant("stage", "taken", "taken", "touched", "lifted", "seen")
    if stage != "taken":
        _reach(occasion, seat, token, stage)
        return Outcome.BESIDE
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
    play.fault_after_discard.append(lambda: occasion.fault(seat, counted=True))
    return Outcome.INSTEAD


@incident(
    "wrong-replacement",
    "plan",
    "drawn",
    options=(
        words("stage", "touched", "lifted", "seen", "taken"),
        words("after", "flower", "kong"),
    ),
)
def wrong_replacement(occasion: Occasion) -> Outcome:
    """A flower or a kong (``after``) is replaced from the front of the wall, not its tail.

    ``stage``: how far it goes; ``taken`` it stays in the hand, else the right tile is drawn then.
    """
    play, table, seat = occasion.play, occasion.play.table, occasion.seat
    if occasion.moment == "plan":
        if occasion.variant("after", "flower", "flower", "flower", "kong") == "kong":
            _plan_four(occasion)
        return Outcome.NOT_NOW
    token, chosen = table.front(), play.arranged.get(occasion.want.id)
    if (
        token is None
        or play.drawn_token is None
        or play.due(seat) is not None
        or not _plain(occasion)
        or not occasion.suits(seat)
        or not occasion.loses(seat)
        or not (_shows_flower(occasion) if chosen is None else _lays_four(occasion, chosen))
    ):
        return Outcome.NOT_NOW
    stage = occasion.variant("stage", "taken", "taken", "lifted", "seen")
    if stage != "taken":
        _reach(occasion, seat, token, stage)
        play.replacement(seat)
        play.all_flowers(seat)
        return Outcome.BESIDE
    face = table.faces.get(token) or table.deck.chance(flowers=False)
    play.draw_as(seat, token, face)
    occasion.fault(seat)
    play.barred.add(seat)
    return Outcome.BESIDE


def _shows_flower(occasion: Occasion) -> bool:
    """What was just drawn turns out to be a flower, and is laid out; False where none is left."""
    play, table = occasion.play, occasion.play.table
    flower = play.any_flower()
    if flower is None or play.drawn_token is None:
        return False
    table.deck.put_back(table.faces[play.drawn_token])
    table.faces[play.drawn_token] = flower
    play.show_flower(occasion.seat, play.drawn_token)
    return True


def _plan_four(occasion: Occasion) -> None:
    """Deal somebody four of a kind, to be laid down later."""
    play = occasion.play
    able, whole = [seat for seat in play.plan.idle() if occasion.suits(seat)], play.plan.whole()
    if able and whole:
        seat, face = occasion.rng.choice(able), occasion.rng.choice(whole)
        play.plan.deal(seat, [face] * 4)
        play.plan.keeps[seat][face] = 4
        play.arranged[occasion.want.id] = seat


def _lays_four(occasion: Occasion, chosen: Seat) -> bool:
    """Who was dealt four of a kind lays them down; False where he is not to draw now."""
    play, table, seat = occasion.play, occasion.play.table, occasion.seat
    face = next((face for face, count in table.held(seat).items() if count == 4), None)
    if seat != chosen or face is None:
        return False
    play.concealed_kong(seat, tuple(each for each in table.hands[seat] if table.face(each) is face))
    return True
