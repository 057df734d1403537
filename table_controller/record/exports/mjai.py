"""mjai: riichi games as JSON Lines of events, as many programs read them.

Tiles: ``1m``.., red fives ``5mr``, winds ``E S W N``, dragons ``P F C`` (white, green, red), ``?``
a tile that was not seen. Source: https://mjai.app/docs/mjai-protocol; the masked form of an
opponent's hand is used for all four seats.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from table_controller.domain.outputs import HandRecord, Move
from table_controller.domain.tiles import Tile
from table_controller.record.exports.moves import with_first_draw
from table_controller.record.exports.sticks import sticks_before
from table_controller.record.session import SessionRecord

_HONOURS: Final = {
    "1z": "E", "2z": "S", "3z": "W", "4z": "N", "5z": "P", "6z": "F", "7z": "C",
}  # fmt: skip


def tile_name(tile: Tile | None) -> str:
    """A tile in mjai's notation."""
    if tile is None or not tile.known:
        return "?"
    if tile.is_red:
        return f"5{tile.value[1]}r"
    return _HONOURS.get(tile.value, tile.value)


def mjai(record: SessionRecord) -> bytes:
    """All hands of a riichi session.

    Raises:
        ValueError: another family of rules.
    """
    return "".join(
        json.dumps(event, ensure_ascii=False) + "\n" for event in mjai_events(record)
    ).encode()


def mjai_events(record: SessionRecord) -> Iterator[dict[str, Any]]:
    """The events of :func:`mjai`."""
    if record.ruleset.family != "riichi":
        raise ValueError(f"{record.ruleset.name}: mjai is for riichi")
    yield {"type": "start_game", "names": [name or str(n) for n, name in enumerate(record.names)]}
    scores = record.start_scores
    hands = zip(record.hands, sticks_before(record), strict=True)
    for number, (hand, sticks) in enumerate(hands, start=1):
        moves = with_first_draw(record, number, hand.dealer)
        indicators = [move.tile for move in moves if move.move == "indicator"]
        yield {
            "type": "start_kyoku",
            "bakaze": hand.round_wind,
            "dora_marker": tile_name(indicators[0] if indicators else None),
            "kyoku": (hand.dealer - record.east) % 4 + 1,
            "honba": hand.honba,
            "kyotaku": sticks,
            "oya": hand.dealer,
            "scores": list(scores),
            "tehais": [["?"] * 13 for _ in range(4)],
        }
        yield from _kyoku(moves, hand)
        yield from _ending(hand)
        yield {"type": "end_kyoku"}
        scores = list(hand.scores)
    yield {"type": "end_game"}


_GOES_ON: Final = ("draw", "discard", "north", "chow", "pung", "kong")


def _kyoku(moves: list[Move], hand: HandRecord) -> Iterator[dict[str, Any]]:
    first = True
    declared: int | None = None
    laid: int | None = None  # whose riichi discard lies there and may still be won on
    for move in moves:
        seat, name = move.seat, tile_name(move.tile)
        if laid is not None and move.move in _GOES_ON:
            yield {"type": "reach_accepted", "actor": laid}
            laid = None
        if move.move == "indicator":
            if not first:
                yield {"type": "dora", "dora_marker": name}
            first = False
        elif move.move == "draw":
            yield {"type": "tsumo", "actor": seat, "pai": name}
        elif move.move == "riichi":
            declared = seat
            yield {"type": "reach", "actor": seat}
        elif move.move == "discard":
            yield {"type": "dahai", "actor": seat, "pai": name, "tsumogiri": False}
            if declared == seat:
                declared, laid = None, seat
        elif move.move == "north":
            yield {"type": "nukidora", "actor": seat, "pai": "N"}
        elif move.move in ("chow", "pung", "kong"):
            yield _called(move, name)
    # Three who win on it end the hand without a winner, and it is not paid either.
    won_on = hand.reason == "three_rons" or any(win.from_ == laid for win in hand.wins)
    if laid is not None and not won_on:
        yield {"type": "reach_accepted", "actor": laid}


def _called(move: Move, name: str) -> dict[str, Any]:
    tiles = list(move.tiles or ())
    own = list(tiles)
    if move.tile in own:
        own.remove(move.tile)
    consumed = [tile_name(tile) for tile in own]
    if move.move == "kong" and move.kong == "concealed":
        return {
            "type": "ankan",
            "actor": move.seat,
            "consumed": [tile_name(tile) for tile in tiles],
        }
    if move.move == "kong" and move.kong == "added":
        return {"type": "kakan", "actor": move.seat, "pai": name, "consumed": consumed}
    kind = {"chow": "chi", "pung": "pon", "kong": "daiminkan"}[move.move]
    return {
        "type": kind,
        "actor": move.seat,
        "target": move.from_,
        "pai": name,
        "consumed": consumed,
    }


def _ending(hand: HandRecord) -> Iterator[dict[str, Any]]:
    deltas = [a + b for a, b in zip(hand.payments, hand.penalties, strict=True)]
    if not hand.wins:
        yield {"type": "ryukyoku", "reason": hand.reason or "fanpai", "deltas": deltas}
        return
    for number, win in enumerate(hand.wins):
        yield {
            "type": "hora",
            "actor": win.winner,
            "target": win.winner if win.from_ is None else win.from_,
            "pai": tile_name(win.win_tile),
            "hora_tehais": [tile_name(tile) for tile in win.tiles],
            # Several winners are settled together; the whole stands with the first.
            "deltas": deltas if number == 0 else [0] * len(deltas),
        }
