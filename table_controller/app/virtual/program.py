"""The virtual table as a program of its own, run to its end by the measurements."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from table_controller.app.errors import RunError

PROGRAM: Final = (sys.executable, "-P", "-m", "hardware.virtual_table")
"""How it is begun; -P: what lies in the working directory is not it, whatever its name."""
_REFUSES: Final = 2
"""Its exit code for a switch or a scenario that cannot be used."""


def why_ended(code: int | None, said: str, otherwise: str) -> RunError:
    """Why it ended, for who did not begin it: what it was asked for came from our command line.

    Args:
        code: its exit code, if it ended by itself.
        said: what it wrote to its standard error.
        otherwise: what happened, where it did not refuse what it was asked for.
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = lines[-1] if lines else "it said nothing"
    if code != _REFUSES:
        return RunError(f"{otherwise}: {last}")
    reason = last.rpartition(": error: ")[2]
    return RunError(reason.removeprefix("argument ").removeprefix("virtual table: "))


def run_virtual_table(*switches: str) -> str:
    """Run it with these switches of its command line; what it printed.

    Raises:
        RunError: it failed; with the last line of what it said.
    """
    command = [*PROGRAM, *switches]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise why_ended(done.returncode, done.stderr, "the virtual table failed")
    return done.stdout
