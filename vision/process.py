"""The memory of this process, as the system counts it."""

from __future__ import annotations

import os
import re
import resource
import sys
from pathlib import Path


def peak_mb() -> float:
    """Greatest memory of this process so far, MB.

    Linux counts what a process was started from among its own, unless asked for what it has
    mapped itself (``VmHWM``, proc(5)).
    """
    try:
        told = re.search(
            r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8")
        )
    except OSError:
        told = None
    if told is not None:
        return int(told[1]) / 1024.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return most / (1024.0**2 if sys.platform == "darwin" else 1024.0)


def memory_mb() -> float:
    """Memory of this process now, MB; its greatest so far where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return peak_mb()
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024.0**2
