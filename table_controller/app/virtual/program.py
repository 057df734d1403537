"""The virtual table as a program of its own, run to its end by the measurements."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Final

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


def not_played(said: str) -> list[dict[str, Any]]:
    """What was wanted of the hands and did not come about, of what the virtual table printed.

    Returns:
        ``hand`` (from 1), and ``infraction`` (its alert id) or ``wish`` (in words) of each.

    Raises:
        RunError: it did not play to the end.
    """
    for line in said.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and event.get("event") == "ended":
            missing: list[dict[str, Any]] = event["not_played"]
            return missing
    raise RunError("the virtual table did not say that it ended")
