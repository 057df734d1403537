"""Processes that tests begin, and whether they are still there."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path


def runs(pid: int) -> bool:
    """Whether it is there and has not ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def ends_with(holder: subprocess.Popen[str], within_s: float = 10.0) -> bool:
    """Whether the process that a holder began ends once the holder is killed.

    Args:
        holder: prints the number of that process first.
        within_s: so soon.
    """
    assert holder.stdout is not None
    pid = int(holder.stdout.readline())
    assert runs(pid)
    holder.kill()
    holder.wait()
    holder.stdout.close()
    end = time.monotonic() + within_s
    while runs(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not runs(pid)
