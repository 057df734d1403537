"""``paiguan score``: hands from JSON Lines, answers for people or programs."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from table_controller.scoring.answer import ScoreAnswer
from table_controller.scoring.hand import BadHandError, ScoringHand, read_lines
from table_controller.scoring.select import Scorer, UnknownRulesetError, scorer

_PAYERS: Final = {4: ("winner", "right 下家", "across 对家", "left 上家")}
_PAYERS_THREE: Final = ("winner", "right 下家", "left 上家")


def run_score(
    ruleset: str,
    file: Path | None = None,
    *,
    as_json: bool = False,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Score the hands of a file (or of standard input).

    A bad line is named on ``err`` (and, with JSON, answered by ``{"line", "error"}`` so that
    answers keep the order of the hands); the other lines are answered all the same.

    Returns:
        The exit code: 0, or 2 when anything could not be read.
    """
    out = out or sys.stdout
    err = err or sys.stderr
    try:
        score = scorer(ruleset)
    except UnknownRulesetError as error:
        err.write(f"paiguan: {error}\n")
        return 2
    name = "standard input" if file is None else str(file)
    with contextlib.ExitStack() as files:
        try:
            lines = sys.stdin
            if file is not None:
                lines = files.enter_context(file.open(encoding="utf-8"))
            return _run(score, lines, name, out, err, as_json=as_json)
        except BrokenPipeError:
            raise
        except OSError as error:
            err.write(f"paiguan: {name}: {error.strerror}\n")
        except UnicodeDecodeError as error:
            err.write(f"paiguan: {name}: not UTF-8 at byte {error.start}\n")
    return 2


def _run(
    score: Scorer, lines: Iterable[str], name: str, out: TextIO, err: TextIO, *, as_json: bool
) -> int:
    console = Console(file=out, highlight=False)
    bad = found = 0
    for number, hand in read_lines(lines):
        found += 1
        problem: BadHandError | None = None
        if isinstance(hand, BadHandError):
            problem = hand
        else:
            try:
                answer = score(hand)
            except BadHandError as error:
                problem = error
        if problem is not None:
            bad += 1
            err.write(f"paiguan: {name} line {number}: {problem}\n")
            if as_json:
                out.write(json.dumps({"line": number, "error": str(problem)}) + "\n")
        elif as_json:
            out.write(json.dumps(answer.to_object(), ensure_ascii=False) + "\n")
        else:
            assert isinstance(hand, ScoringHand)
            _show(console, number, hand, answer)
    if not found:
        err.write(f"paiguan: {name}: no hands\n")
        return 2
    return 2 if bad else 0


def _groups(hand: ScoringHand) -> str:
    words = ["".join(_short([tile.value for tile in hand.hand]))]
    for meld in hand.melds:
        tiles = _short([tile.value for tile in meld.tiles])
        words.append(f"({tiles})" if meld.concealed else f"[{tiles}]")
    words.append(f"{'*' if hand.self_drawn else '+'} {hand.win_tile.value}")
    return " ".join(words)


def _short(tiles: list[str]) -> str:
    """``1m 2m 3m`` as ``123m``."""
    text = ""
    for number, tile in enumerate(tiles):
        last = number + 1 == len(tiles) or tiles[number + 1][1] != tile[1]
        text += tile if last else tile[0]
    return text


def _show(console: Console, number: int, hand: ScoringHand, answer: ScoreAnswer) -> None:
    title = Text(f"{number}  {_groups(hand)}", style="bold")
    console.print(title)
    if answer.fans:
        table = Table(show_header=True, header_style="dim", box=None, padding=(0, 2, 0, 2))
        table.add_column("fan")
        table.add_column("")
        table.add_column("value", justify="right")
        table.add_column("", justify="right")
        table.add_column("points", justify="right")
        table.add_column("clause", style="dim")
        for fan in answer.fans:
            times = f"×{fan.count}" if fan.count > 1 else ""
            points = str(fan.value * fan.count)
            table.add_row(fan.name_zh, fan.name_en, str(fan.value), times, points, fan.clause)
        console.print(table)
    console.print(Text("   " + _verdict(answer), style="" if answer.legal else "red"))
    if any(answer.payments):
        payers = _PAYERS.get(len(answer.payments), _PAYERS_THREE)
        paid = zip(payers, answer.payments, strict=True)
        console.print("   " + "   ".join(f"{who} {points:+d}" for who, points in paid))
    console.print()


def _verdict(answer: ScoreAnswer) -> str:
    if not answer.legal:
        return f"no win: {answer.reason}"
    if answer.yakuman:
        return "yakuman 役满" if answer.yakuman == 1 else f"{answer.yakuman} × yakuman 役满"
    if answer.han is not None:
        limit = f", {answer.limit}" if answer.limit else ""
        return f"{answer.han} han {answer.fu} fu{limit}, {answer.total} points"
    return f"total {answer.total} points"
