"""The text form of Botzone's Chinese official mahjong games (one block a hand).

Tiles: ``W1``-``W9`` characters, ``B1``-``B9`` dots, ``T1``-``T9`` bamboo, ``F1``-``F4`` winds,
``J1``-``J3`` red, green, white, ``H1``-``H8`` flowers. Players are counted from East of the hand. A
tile that no camera saw is ``??``: the deal, and draws; a reader that needs them cannot replay the
hand, one that follows discards, claims and results can.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from table_controller.domain.outputs import HandRecord, Move
from table_controller.domain.tiles import Suit, Tile
from table_controller.record.exports.moves import with_first_draw
from table_controller.record.session import SessionRecord

UNKNOWN: Final = "??"
_WINDS: Final = "ESWN"
_DRAGONS: Final = {5: "J3", 6: "J2", 7: "J1"}
_SUITS: Final = {Suit.CHARACTERS: "W", Suit.DOTS: "B", Suit.BAMBOO: "T", Suit.FLOWERS: "H"}


def tile_name(tile: Tile | None) -> str:
    """A tile in Botzone's notation."""
    if tile is None or not tile.known:
        return UNKNOWN
    if tile.suit is Suit.HONOURS:
        return _DRAGONS.get(tile.rank) or f"F{tile.rank}"
    return f"{_SUITS[tile.suit]}{tile.rank}"


def botzone(record: SessionRecord) -> bytes:
    """All hands of a session under Chinese official rules.

    Raises:
        ValueError: another family of rules.
    """
    if record.ruleset.family != "mcr":
        raise ValueError(f"{record.ruleset.name}: the Botzone form is for Chinese official rules")
    lines: list[str] = []
    for number, hand in enumerate(record.hands, start=1):
        lines += [f"Match {record.head[:16]}-{number}", f"Wind {_WINDS.index(hand.round_wind)}"]
        lines += [f"Player {player} Deal {' '.join([UNKNOWN] * 13)}" for player in range(4)]
        lines += _moves(with_first_draw(record, number, hand.dealer), hand)
        lines += [*_result(hand), ""]
    return "\n".join(lines).encode()


def _moves(moves: list[Move], hand: HandRecord) -> Iterator[str]:
    for move in moves:
        if move.seat is None:
            continue
        who = f"Player {(move.seat - hand.dealer) % 4}"
        tile = tile_name(move.tile)
        match move.move:
            case "draw":
                yield f"{who} Draw {tile}"
            case "discard":
                yield f"{who} Play {tile}"
            case "flower":
                yield f"{who} BuHua {tile}"
            case "chow":
                # The form names the middle tile of the sequence.
                tiles = move.tiles or ()
                yield f"{who} Chi {tile_name(tiles[1]) if len(tiles) == 3 else UNKNOWN}"
            case "pung":
                yield f"{who} Peng {tile}"
            case "kong":
                name = {"concealed": "AnGang", "added": "BuGang"}.get(move.kong or "", "Gang")
                yield f"{who} {name} {tile}"
            case "win":
                yield f"{who} Hu {tile}"


def _result(hand: HandRecord) -> list[str]:
    scores = [0, 0, 0, 0]
    for seat, (paid, penalty) in enumerate(zip(hand.payments, hand.penalties, strict=True)):
        scores[(seat - hand.dealer) % 4] = paid + penalty
    line = "Score " + " ".join(str(score) for score in scores)
    if not hand.wins:
        return ["Huang", line]
    score = hand.wins[0].score
    fans = "+".join(f"{fan['name_zh']}*{fan['count']}" for fan in score.get("fans", ()))
    return [f"Fan {score.get('total', 0)} {fans}", line]
