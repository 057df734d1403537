"""Riichi: hands that are ready and may not win, or not on this tile."""

from __future__ import annotations

from collections import Counter
from typing import Final

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.fate import Need
from hardware.virtual_table.play.incidents.base import Occasion, Outcome, incident, judged_s
from hardware.virtual_table.play.incidents.declaring import riichi_play
from hardware.virtual_table.play.incidents.options import LIE
from hardware.virtual_table.play.riichi.fate import choose_riichi_target
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile

_NO_YAKU: Final = (
    ("2m3m4m6p7p8p1s2s3s5m6m7m2z2z", False),
    ("1p2p3p4s5s6s2m2m2m6p7p8p9s9s", False),
    ("1p2p3p7p8p9p2s3s4s6s6s6s2z2z", True),
    ("1s2s3s6s7s8s2p3p4p9p9p9p3z3z", True),
)
"""Hands without a yaku when won on a discard, the last tile; and whether three can play them."""

_WITH_YAKU: Final = ("tanyao", "yakuhai", "honitsu", "chinitsu")


def _thirteen(text: str) -> list[Tile]:
    return [Tile(text[at : at + 2]) for at in range(0, len(text), 2)]


def _arrange(occasion: Occasion, tiles: list[Tile]) -> Seat | None:
    """Deal thirteen tiles that wait for the fourteenth to somebody; None where they are gone."""
    play = riichi_play(occasion)
    able = [seat for seat in play.plan.idle() if occasion.suits(seat)]
    if not able or not play.plan.fits(Counter(tiles)):
        return None
    seat = occasion.rng.choice(able)
    play.plan.deal(seat, tiles[:13])
    play.plan.keeps[seat].update(tile.plain for tile in tiles[:13])
    play.arranged[occasion.want.id] = seat
    return seat


def _source(occasion: Occasion, seat: Seat, tile: Tile, due: int) -> bool:
    """Somebody else discards this tile; whether anybody could be found for it."""
    play = riichi_play(occasion)
    able = [each for each in play.plan.idle() if each != seat]
    if not able or play.plan.deck.free[tile] < 1:
        return False
    play.plan.promise(Need(occasion.rng.choice(able), "throw", tile, due))
    return True


def _declare(occasion: Occasion, seat: Seat, stage: str | None = None) -> Outcome:
    occasion.step(do.ShowHand(seat=seat, turn_kongs=False))
    occasion.fault(seat, stage)
    occasion.step(do.Pause(seconds=judged_s(occasion)))
    occasion.step(do.HideHand(seat=seat))
    return Outcome.BESIDE


def _holds(occasion: Occasion, seat: Seat) -> bool:
    """Whether the hand is as it was arranged."""
    play = riichi_play(occasion)
    return play.table.held(seat) == play.plan.keeps[seat]


@incident("win-below-minimum", "plan", "special", games=("riichi",), options=(LIE,))
def win_below_minimum(occasion: Occasion) -> Outcome:
    """A complete hand without a yaku is laid open on a discard, refused, and stood up again."""
    play = riichi_play(occasion)
    if occasion.moment == "plan":
        for text, three in occasion.rng.sample(_NO_YAKU, len(_NO_YAKU)):
            if len(play.seats) == 3 and not three:
                continue
            tiles = _thirteen(text)
            seat = _arrange(occasion, tiles)
            if seat is not None:
                _source(occasion, seat, tiles[13], max(5, occasion.want.at))
                break
        return Outcome.NOT_NOW
    chosen = play.arranged.get(occasion.want.id)
    if chosen is None or occasion.token is None or not occasion.may_declare(chosen):
        return Outcome.NOT_NOW
    fits = play.table.kind(occasion.token) in play.judge.waits(chosen)
    if not fits or not _holds(occasion, chosen) or play.judge.furiten(chosen):
        return Outcome.NOT_NOW
    if play.judge.can_win(chosen, play.table.face(occasion.token), source=occasion.seat):
        return Outcome.NOT_NOW
    return _declare(occasion, chosen)


@incident("win-furiten", "plan", "special", games=("riichi",), options=(LIE,))
def win_furiten(occasion: Occasion) -> Outcome:
    """A hand that waits for what its player has discarded is laid open on another's discard."""
    play = riichi_play(occasion)
    if occasion.moment == "plan":
        for _ in range(40):
            name = occasion.rng.choice(_WITH_YAKU)
            tiles = list(choose_riichi_target(occasion.rng, play.game, name).tiles)
            at = occasion.rng.randrange(14)
            tiles[at], tiles[13] = tiles[13], tiles[at]
            final = tiles[13].plain
            if Counter(tile.plain for tile in tiles)[final] > 1:
                continue
            if play.plan.deck.free[final] < 3:
                continue
            seat = _arrange(occasion, tiles)
            if seat is None:
                continue
            play.plan.promise(Need(seat, "throw", final, 1))
            _source(occasion, seat, final, max(6, occasion.want.at))
            break
        return Outcome.NOT_NOW
    chosen = play.arranged.get(occasion.want.id)
    if chosen is None or occasion.token is None or not occasion.may_declare(chosen):
        return Outcome.NOT_NOW
    table = play.table
    kind = table.kind(occasion.token)
    own = {table.kind(token) for token in table.discarded[chosen]}
    waiting = play.judge.waits(chosen)
    if kind not in waiting or not waiting & own or not _holds(occasion, chosen):
        return Outcome.NOT_NOW
    hand = play.judge.hand(chosen, table.face(occasion.token), source=occasion.seat)
    if play.judge.answer(hand) is None:
        return Outcome.NOT_NOW
    return _declare(occasion, chosen, "discard")


@incident("win-wrong-tile", "plan", "discarded", games=("riichi",), options=(LIE,))
def win_wrong_tile(occasion: Occasion) -> Outcome:
    """A hand that is ready is laid open on a discard that does not complete it.

    Where the same seat is to declare again although it is barred, it is that ready hand.
    """
    play = riichi_play(occasion)
    if occasion.moment == "plan":
        if "win-while-barred" in play.arranged:
            play.arranged[occasion.want.id] = play.arranged["win-while-barred"]
            return Outcome.NOT_NOW
        _arrange_yaku(occasion)
        return Outcome.NOT_NOW
    chosen = play.arranged.get(occasion.want.id)
    if chosen is None or occasion.token is None or not occasion.may_declare(chosen):
        return Outcome.NOT_NOW
    waiting = play.judge.waits(chosen)
    fits = not waiting or play.table.kind(occasion.token) in waiting
    if fits or not _holds(occasion, chosen) or not play.table.wall:
        return Outcome.NOT_NOW
    play.barred.add(chosen)
    return _declare(occasion, chosen)


def _arrange_yaku(occasion: Occasion) -> tuple[Seat, Tile] | None:
    """Deal somebody a ready hand with a yaku; the seat and what it waits for."""
    play = riichi_play(occasion)
    for _ in range(40):
        name = occasion.rng.choice(_WITH_YAKU)
        tiles = list(choose_riichi_target(occasion.rng, play.game, name).tiles)
        at = occasion.rng.randrange(14)
        tiles[at], tiles[13] = tiles[13], tiles[at]
        seat = _arrange(occasion, tiles)
        if seat is not None:
            return seat, tiles[13]
    return None


@incident("win-while-barred", "plan", "drawn", games=("riichi",), options=(LIE,))
def win_while_barred(occasion: Occasion) -> Outcome:
    """A good hand is laid open by a player who may not win any more.

    Happens only after another infraction of the same hand has barred that seat.
    """
    play, seat = riichi_play(occasion), occasion.seat
    if occasion.moment == "plan":
        found = _arrange_yaku(occasion)
        if found is not None:
            play.plan.promise(Need(found[0], "draw", found[1], max(2, occasion.want.at)))
        return Outcome.NOT_NOW
    token = play.drawn_token
    arranged = play.arranged.get(occasion.want.id) == seat and seat in play.barred
    if not arranged or token is None or play.scripts[seat]:
        return Outcome.NOT_NOW
    if not play.judge.can_win(seat, play.table.face(token), drawn=token):
        return Outcome.NOT_NOW
    occasion.step(do.ShowHand(seat=seat, apart=token, turn_kongs=False))
    occasion.fault(seat)
    occasion.step(do.Pause(seconds=judged_s(occasion)))
    occasion.step(do.HideHand(seat=seat))
    return Outcome.BESIDE
