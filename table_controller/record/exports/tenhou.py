"""The JSON of Tenhou's log viewer, as far as overhead cameras know a riichi game.

One array a hand: ``[kyoku, honba, sticks]``, scores, indicators, ura indicators, then for each seat
from the first East the deal, what was drawn, what was discarded, and the result. Tiles are numbers:
11-19 characters, 21-29 dots, 31-39 bamboo, 41-47 honours, 51-53 red fives, and 0 (this program's
own) a tile that was not seen; where an open kong was called, the 0 among the discards is Tenhou's
own, for the discard that is not there.
"""

from __future__ import annotations

import json
from typing import Any, Final

from table_controller.domain.outputs import HandRecord, Move
from table_controller.domain.tiles import Suit, Tile
from table_controller.record.exports.moves import with_first_draw
from table_controller.record.exports.sticks import sticks_before
from table_controller.record.session import SessionRecord

UNKNOWN: Final = 0
_TENS: Final = {Suit.CHARACTERS: 10, Suit.DOTS: 20, Suit.BAMBOO: 30, Suit.HONOURS: 40}
_RED: Final = {"0m": 51, "0p": 52, "0s": 53}
_RESULTS: Final = {
    None: "流局",
    "nine_terminals": "九種九牌",
    "four_winds": "四風連打",
    "four_riichi": "四家立直",
    "four_kongs": "四槓散了",
    "three_rons": "三家和了",
}


def tile_number(tile: Tile | None) -> int:
    """A tile in the viewer's numbers."""
    if tile is None or not tile.known or tile.is_flower:
        return UNKNOWN
    return _RED.get(tile.value) or _TENS[tile.suit] + tile.rank


def tenhou(record: SessionRecord) -> bytes:
    """All hands of a riichi session.

    Raises:
        ValueError: another family of rules.
    """
    if record.ruleset.family != "riichi":
        raise ValueError(f"{record.ruleset.name}: the Tenhou form is for riichi")
    scores = record.start_scores
    log: list[list[Any]] = []
    hands = zip(record.hands, sticks_before(record), strict=True)
    for number, (hand, sticks) in enumerate(hands, start=1):
        moves = with_first_draw(record, number, hand.dealer)
        log.append(_hand(record, hand, moves, scores, sticks))
        scores = list(hand.scores)
    order = [(record.east + seat) % 4 for seat in range(4)]
    body = {
        "title": [record.ruleset.title, ""],
        "name": [record.names[seat] for seat in order],
        "rule": {"disp": record.ruleset.title, "aka": int(record.ruleset.equipment.red_fives > 0)},
        "log": log,
    }
    return json.dumps(body, ensure_ascii=False).encode()


def _hand(
    record: SessionRecord, hand: HandRecord, moves: list[Move], scores: list[int], sticks: int
) -> list[Any]:
    order = [(record.east + seat) % 4 for seat in range(4)]
    winds = "ESWN".index(hand.round_wind)
    kyoku = 4 * winds + (hand.dealer - record.east) % 4
    drawn: dict[int, list[int | str]] = {seat: [] for seat in range(4)}
    left: dict[int, list[int | str]] = {seat: [] for seat in range(4)}
    indicators: list[int] = []
    riichi: set[int] = set()
    for move in moves:
        seat: int | None = move.seat
        if move.move == "indicator":
            indicators.append(tile_number(move.tile))
        elif seat is None:
            continue
        elif move.move == "draw":
            drawn[seat].append(tile_number(move.tile))
        elif move.move == "riichi":
            riichi.add(seat)
        elif move.move == "discard":
            number = tile_number(move.tile)
            left[seat].append(f"r{number}" if seat in riichi else number)
            riichi.discard(seat)
        elif move.move == "north":
            left[seat].append(f"f{tile_number(Tile.NORTH)}")
        elif move.move in ("chow", "pung", "kong"):
            target = left if move.kong in ("concealed", "added") else drawn
            target[seat].append(_call(move))
            if move.kong == "exposed":
                # Each draw has its discard at the same place; after this call another draw comes.
                left[seat].append(0)
    deal = [UNKNOWN] * 13
    result: list[Any] = [
        [kyoku, hand.honba, sticks],
        [scores[seat] for seat in order],
        indicators,
        [],
    ]
    for side in order:
        result += [deal, drawn[side], left[side]]
    deltas = [hand.payments[seat] + hand.penalties[seat] for seat in order]
    if not hand.wins:
        return [*result, [_RESULTS.get(hand.reason, "流局"), deltas]]
    outcome: list[Any] = ["和了"]
    for number, win in enumerate(hand.wins):
        source: int = win.winner if win.from_ is None else win.from_
        places = [order.index(win.winner), order.index(source), order.index(win.winner)]
        outcome += [deltas if number == 0 else [0] * 4, [*places, *_worth(win.score)]]
    return [*result, outcome]


def _worth(score: dict[str, Any]) -> list[str]:
    """Fu and han, then the yaku with their han; of a yakuman its multiple."""
    fans = score.get("fans", ())
    if times := score.get("yakuman"):
        return [_yakuman(times), *(f"{fan['name_zh']}({_yakuman(fan['value'])})" for fan in fans)]
    return [
        f"{score.get('fu') or ''}符{score.get('han') or ''}飜",
        *(f"{fan['name_zh']}({fan['value'] * fan['count']}飜)" for fan in fans),
    ]


def _yakuman(times: int) -> str:
    return "役満" if times == 1 else f"{times}倍役満"


def _call(move: Move) -> str:
    """A call: the letter stands before the tile that came, at the place of whom it came from."""
    own = list(move.tiles or ())
    if move.tile in own:
        own.remove(move.tile)
    numbers = [f"{tile_number(tile):02d}" for tile in own]
    came = f"{tile_number(move.tile):02d}"
    if move.kong == "concealed":
        return "".join(numbers) + "a" + came
    if move.kong == "added":
        return "k" + came + "".join(numbers)
    letter = {"chow": "c", "pung": "p", "kong": "m"}[move.move]
    way = ((move.from_ if move.from_ is not None else 0) - (move.seat or 0)) % 4
    place = {3: 0, 2: 1, 1: len(numbers)}.get(way, 0)
    return "".join([*numbers[:place], letter + came, *numbers[place:]])
