"""What an organiser types, run in this process."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass

from table_controller.cli import main


@dataclass
class Typed:
    """What came of a line that the organiser typed."""

    returncode: int
    stdout: str
    stderr: str


def typed(*words: str) -> Typed:
    """``paiguan …`` in this process: starting another costs more than the work."""
    out, err = io.StringIO(), io.StringIO()
    before = sys.argv
    sys.argv = ["paiguan", *words]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    else:
        code = 0
    finally:
        sys.argv = before
    return Typed(code, out.getvalue(), err.getvalue())
