"""What the wins under check are worth: situations, scores and who pays (source 002, 7.12, 7.13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from table_controller.game.riichi import capturing

if TYPE_CHECKING:
    from table_controller.game.riichi.table import RiichiTable


def answers(
    g: RiichiTable, wins: Sequence[capturing.RiichiWin]
) -> list[tuple[capturing.RiichiWin, dict[str, Any]]]:
    """What each win is worth with what is turned up now, nearest winner first.

    The answer carries the ``situation`` it was reckoned with: indicators, riichi, counters, sticks
    and who is liable (a seat).
    """
    found: list[tuple[capturing.RiichiWin, dict[str, Any]]] = []
    for number, win in enumerate(wins):
        hand = replace(
            win.hand,
            dora_indicators=tuple(tile for tile in g.dora if tile.known),
            ura_indicators=tuple(t for t in g.ura if t.known) if win.riichi else (),
            honba=g.honba if number == 0 else 0,
            sticks=g.sticks if number == 0 else 0,
        )
        liable = g.liable[win.seat]
        situation = {
            "riichi": hand.riichi,
            "ippatsu": hand.ippatsu,
            "dora": [tile.value for tile in hand.dora_indicators],
            "ura": [tile.value for tile in hand.ura_indicators],
            "norths": hand.norths,
            "honba": hand.honba,
            "sticks": hand.sticks,
            "liable": None if liable is None else liable[0],
        }
        found.append((win, {**capturing.answer_of(g, hand), "situation": situation}))
    return found


def by_seat(g: RiichiTable, win: capturing.RiichiWin, answer: dict[str, Any]) -> list[int]:
    """The payments of one win by seat 0..3."""
    shares = [0, 0, 0, 0]
    seats = (win.seat, *g.others(win.seat))
    for seat, share in zip(seats, answer["payments"] or [0] * len(seats), strict=True):
        shares[seat] = share
    return shares


def under_check(g: RiichiTable) -> list[dict[str, Any]]:
    """The opened hands as they would be settled now, as plain data; scored only under check."""
    if g.phase != "check":
        return [{"seat": w.seat, "from": w.from_, "tile": w.tile.value} for w in g.winners]
    return [
        {
            "seat": win.seat,
            "from": win.from_,
            "tile": win.tile.value,
            "tiles": [tile.value for tile in win.tiles],
            "score": answer,
            "shares": by_seat(g, win, answer),
        }
        for win, answer in answers(g, g.winners)
    ]
