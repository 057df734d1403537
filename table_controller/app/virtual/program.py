"""The virtual table as a program of its own, run to its end by the measurements."""

from __future__ import annotations

import subprocess
import sys

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
