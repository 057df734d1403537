"""What this process costs, as the system counts it."""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path

from vision.apart.said import Usage


def usage() -> Usage:
    """Of this process so far."""
    return Usage(time.process_time(), memory_mb(), peak_mb())


def peak_mb() -> float:
    """Greatest memory of this process so far, MB."""
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
