"""The virtual table as a program of its own, run to its end by the measurements."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from table_controller.app.errors import RunError


def run_virtual_table(*switches: str) -> str:
    """Run it with these switches of its command line; what it printed.

    Raises:
        RunError: it failed; with the last line of what it said.
    """
    command = [sys.executable, "-m", "hardware.virtual_table", *switches]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise RunError(f"the virtual table failed: {reason}")
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
