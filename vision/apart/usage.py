"""What this process costs, as the system counts it."""

from __future__ import annotations

import time

from vision.apart.said import Usage
from vision.process import memory_mb, peak_mb


def usage() -> Usage:
    """Of this process so far."""
    return Usage(time.process_time(), memory_mb(), peak_mb())
