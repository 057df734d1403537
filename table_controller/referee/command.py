"""``paiguan referee``: happenings in, the rules' answer out, without cameras."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from table_controller.domain.codec import BadHappeningError, read_lines
from table_controller.domain.happenings import Seat
from table_controller.domain.output_codec import to_line
from table_controller.game.engine import Engine
from table_controller.rulesets import load


def referee(
    ruleset: str,
    east: Seat = 0,
    file: Path | None = None,
    *,
    out: TextIO | None = None,
    err: TextIO | None = None,
    with_happenings: bool = False,
) -> int:
    """Judge a file (or standard input) of happenings, one JSON object a line.

    A line that is none is named on ``err`` with its number and field; the rest is answered.

    Returns:
        The exit code: 0, or 2 where a line was bad or the file cannot be read.

    Raises:
        BadRulesetError: when there is no such ruleset.
    """
    out = sys.stdout if out is None else out
    err = sys.stderr if err is None else err
    rules = load(ruleset)
    name = "<stdin>" if file is None else str(file)
    try:
        if file is None:
            return judge_lines(Engine(rules, east), sys.stdin, name, out, err, with_happenings)
        with file.open(encoding="utf-8") as lines:
            return judge_lines(Engine(rules, east), lines, name, out, err, with_happenings)
    except BrokenPipeError:
        # Whoever read the answers has heard enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"{name}: {error.strerror}", file=err)
        return 2
    except UnicodeDecodeError as error:
        print(f"{name}: not UTF-8 text at byte {error.start}", file=err)
        return 2


def judge_lines(
    engine: Engine,
    lines: Iterable[str],
    name: str,
    out: TextIO,
    err: TextIO,
    with_happenings: bool = False,
) -> int:
    """The same for lines from anywhere; see :func:`referee`."""
    from table_controller.domain.output_codec import happening_line

    code = 0
    last = 0.0
    for number, happening in read_lines(lines):
        if isinstance(happening, BadHappeningError):
            print(f"{name}:{number}: {happening}", file=err)
            code = 2
            continue
        last = max(last, happening.t)
        if with_happenings:
            print(happening_line(happening), file=out)
        for output in engine.step(happening):
            print(to_line(output), file=out)
    for output in engine.flush(last):
        print(to_line(output), file=out)
    return code
