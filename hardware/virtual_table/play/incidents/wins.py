"""Wins that are none."""

from __future__ import annotations

from collections import Counter
from typing import Final

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.fate import Need, choose_target
from hardware.virtual_table.play.incidents.base import BOTH, Occasion, Outcome, incident, judged_s
from hardware.virtual_table.play.incidents.options import LIE, words
from hardware.virtual_table.play.layout import SIDES
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile
from table_controller.scoring.shapes import count_kinds, wait_kinds


def _refuse(occasion: Occasion, seat: Seat) -> None:
    occasion.play.barred.add(seat)
    occasion.play.refused.add(seat)


@incident(
    "false-win", "drawn", "discarded", games=BOTH, options=(words("on", "draw", "discard"), LIE)
)
def false_win(occasion: Occasion) -> Outcome:
    """A hand that is no win is laid open, refused, and stood up again.

    Who is barred already would declare a win while barred, whose hand is ready, by plan or by
    chance, one on a wrong tile: other infractions. ``on``: ``draw`` or ``discard`` (which then
    stays in its pool).
    """
    play, table = occasion.play, occasion.play.table
    wanted = occasion.option("on", None)
    apart = None
    ruled_out = {*play.barred, *play.arranged.values()}
    if occasion.moment == "drawn":
        seat: Seat | None = occasion.offender(*({occasion.seat} - ruled_out))
        apart = play.drawn_token
        if apart is None or wanted == "discard":
            return Outcome.NOT_NOW
    else:
        stand = {each: count_kinds(table.held(each).elements()) for each in SIDES}
        ruled_out |= {each for each in SIDES if wait_kinds(stand[each], at_most=1)}
        ruled_out |= {each for each in SIDES if play.gave_up(each)}
        seat = occasion.offender(*occasion.others(occasion.seat, *ruled_out))
        if wanted == "draw":
            return Outcome.NOT_NOW
    if seat is None or len(table.hands[seat]) < 8:
        return Outcome.NOT_NOW
    occasion.step(do.ShowHand(seat=seat, apart=apart, turn_kongs=False))
    occasion.fault(seat)
    occasion.step(do.Pause(seconds=judged_s(occasion)))
    occasion.step(do.HideHand(seat=seat))
    _refuse(occasion, seat)
    return Outcome.BESIDE


@incident("winning-tile-merged", "winning", games=BOTH)
def winning_tile_merged(occasion: Occasion) -> Outcome:
    """A self-drawn winning tile is put among the others before the hand is laid open."""
    seat = occasion.seat
    if occasion.token is not None or not occasion.suits(seat):
        return Outcome.NOT_NOW
    occasion.step(do.Tidy(seat=seat, wait=True))
    occasion.step(do.ShowHand(seat=seat, turn_kongs=occasion.play.turn_kongs))
    occasion.fault(seat)
    return Outcome.INSTEAD


def _plan_nearer(occasion: Occasion) -> None:
    """A second hand that waits for the winning tile, of a seat nearer to who will discard it."""
    play, rng = occasion.play, occasion.rng
    winner = play.winner
    if winner is None or not occasion.suits(winner):
        return
    won = next((need for need in play.scripts[winner] if need.kind == "win"), None)
    if won is None or won.from_seat is None:
        return
    idle = play.plan.idle()
    sources = [won.from_seat] if play.wish.from_seat is not None else play.behind(winner)
    pairs = [
        (source, seat)
        for source in sources
        for seat in (play.after(source, turn) for turn in range(1, (winner - source) % 4))
        if seat in idle
    ]
    if not pairs:
        return
    source, seat = rng.choice(pairs)
    for _ in range(400):
        tiles = list(choose_target(rng).tiles)
        if won.tile not in tiles:
            continue
        tiles.remove(won.tile)
        if all(play.plan.deck.free[face] >= count for face, count in Counter(tiles).items()):
            won.from_seat = source
            play.plan.deal(seat, tiles)
            play.plan.keeps[seat].update(tiles)
            play.arranged[occasion.want.id] = seat
            return


@incident("win-out-of-priority", "plan", "winning")
def win_out_of_priority(occasion: Occasion) -> Outcome:
    """A player nearer to the discarder has called the win too, but the other takes the tile.

    Both have the win (001 §2.3(4), 000 Q43(6)).
    """
    play, winner, token = occasion.play, occasion.seat, occasion.token
    if occasion.moment == "plan":
        _plan_nearer(occasion)
        return Outcome.NOT_NOW
    nearer = play.arranged.get(occasion.want.id)
    if token is None or nearer is None or nearer in play.barred or not occasion.suits(winner):
        return Outcome.NOT_NOW
    if play.table.held(nearer) != play.plan.keeps[nearer]:
        return Outcome.NOT_NOW
    occasion.step(do.Pause(seconds=0.3))
    occasion.step(do.Press(seat=nearer, call="win"))
    play.fault_after_check.append(lambda: occasion.fault(winner))
    return Outcome.BESIDE


_CHEAP: Final = (
    ("2m", "3m", "4m", "6p", "7p", "8p", "1s", "2s", "3s", "5m", "6m", "7m", "2z", "2z"),
    ("1p", "2p", "3p", "4s", "5s", "6s", "2m", "2m", "2m", "6p", "7p", "8p", "9s", "9s"),
)
"""Complete hands of 14 that are worth less than 8 points when won on a draw; the last is drawn."""


def _recolour(occasion: Occasion, tiles: tuple[str, ...]) -> list[Tile]:
    """The same hand with the suits exchanged."""
    suits = dict(zip("mps", occasion.rng.sample("mps", 3), strict=True)) | {"z": "z"}
    return [Tile(each[0] + suits[each[1]]) for each in tiles]


def _plan_ready(occasion: Occasion, *, drawn: bool, cheap: bool = True) -> None:
    """Deal a seat a hand that waits for one tile, which it will draw or not."""
    play = occasion.play
    for _ in range(12):
        tiles = _recolour(occasion, occasion.rng.choice(_CHEAP))
        if not cheap:
            tiles = list(choose_target(occasion.rng).tiles)
        able = [seat for seat in play.plan.idle() if occasion.suits(seat)]
        if not able:
            return
        if all(play.plan.deck.free[face] >= count for face, count in Counter(tiles).items()):
            seat = occasion.rng.choice(able)
            play.plan.deal(seat, tiles[:13])
            play.plan.keeps[seat].update(tiles[:13])
            play.arranged[occasion.want.id] = seat
            if drawn:
                play.plan.promise(Need(seat, "draw", tiles[13], max(2, occasion.want.at)))
                play.awaited[occasion.want.id] = tiles[13]
            return


def _declare(occasion: Occasion) -> Outcome:
    play, seat = occasion.play, occasion.seat
    occasion.step(do.ShowHand(seat=seat, apart=play.drawn_token, turn_kongs=False))
    occasion.fault(seat)
    occasion.step(do.Pause(seconds=judged_s(occasion)))
    occasion.step(do.HideHand(seat=seat))
    _refuse(occasion, seat)
    return Outcome.BESIDE


def _complete(occasion: Occasion) -> bool:
    """Whether the seat holds its arranged thirteen tiles and drew what completes them.

    Another incident may have put that back into the wall.
    """
    play, seat = occasion.play, occasion.seat
    return (
        occasion.play.arranged.get(occasion.want.id) == seat
        and play.drawn_token is not None
        and play.table.face(play.drawn_token) is play.awaited[occasion.want.id]
        and not (play.plan.keeps[seat] - play.table.held(seat))
        and len(play.table.hands[seat]) == 14
    )


@incident("win-below-minimum", "plan", "drawn", options=(LIE,))
def win_below_minimum(occasion: Occasion) -> Outcome:
    """A complete hand of too few points is laid open, refused, and stood up again.

    By a player who is barred already it would be a win while barred.
    """
    play, seat = occasion.play, occasion.seat
    if occasion.moment == "plan":
        _plan_ready(occasion, drawn=True)
        return Outcome.NOT_NOW
    if not _complete(occasion) or play.scripts[seat] or seat in play.barred:
        return Outcome.NOT_NOW
    return _declare(occasion)


@incident("win-wrong-tile", "plan", "discarded", options=(LIE,))
def win_wrong_tile(occasion: Occasion) -> Outcome:
    """A hand that is ready is laid open on a discard that does not complete it.

    Where the same seat is to declare again although it is barred, it is that ready hand.
    """
    play, token = occasion.play, occasion.token
    if occasion.moment == "plan":
        if "win-while-barred" in play.arranged:
            play.arranged[occasion.want.id] = play.arranged["win-while-barred"]
            return Outcome.NOT_NOW
        _plan_ready(occasion, drawn=False)
        return Outcome.NOT_NOW
    seat = play.arranged.get(occasion.want.id)
    if seat is None or token is None or not occasion.may_declare(seat):
        return Outcome.NOT_NOW
    held = play.table.held(seat)
    face = play.table.face(token)
    if held != play.plan.keeps[seat] or any(face is other or _near(face, other) for other in held):
        return Outcome.NOT_NOW
    occasion.step(do.ShowHand(seat=seat, turn_kongs=False))
    occasion.fault(seat)
    occasion.step(do.Pause(seconds=judged_s(occasion)))
    occasion.step(do.HideHand(seat=seat))
    _refuse(occasion, seat)
    return Outcome.BESIDE


def _near(one: Tile, other: Tile) -> bool:
    return one.is_suited and one.suit is other.suit and abs(one.rank - other.rank) <= 2


@incident("win-while-barred", "plan", "drawn", options=(LIE,))
def win_while_barred(occasion: Occasion) -> Outcome:
    """A good hand is laid open by a player who may not win any more.

    Happens only after another win of that seat has been refused in the same hand.
    """
    play, seat = occasion.play, occasion.seat
    if occasion.moment == "plan":
        _plan_ready(occasion, drawn=True, cheap=False)
        return Outcome.NOT_NOW
    if not _complete(occasion) or play.scripts[seat] or seat not in play.refused:
        return Outcome.NOT_NOW
    return _declare(occasion)
