"""Building the firmware for the tests; what cannot be built here is skipped, in CI it fails."""

import functools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).resolve().parents[2] / "hardware" / "firmware"
BUILD = Path(os.environ.get("PAIGUAN_FIRMWARE_BUILD", FIRMWARE / "build"))
_NEEDS = {
    "host": ("make", "gcc"),
    "desk": ("make", "gcc"),
    "coverage": ("make", "gcc", "gcov"),
    "sim": ("make", "gcc", "avr-gcc", "/usr/include/simavr/sim_avr.h"),
    "all": ("make", "avr-gcc", "avr-objcopy", "avr-size"),
    "fuzz": ("make", "clang"),
}


def build(what: str) -> Path:
    """``make`` this part of the firmware; gives the folder where it lies."""
    missing = [tool for tool in _NEEDS[what] if not (shutil.which(tool) or Path(tool).is_file())]
    if missing:
        reason = f"firmware '{what}' needs {', '.join(missing)}: apt-get install gcc-avr avr-libc "
        reason += "simavr libsimavr-dev libelf-dev clang"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    failure = _make(what)
    if failure:
        pytest.fail(f"make {what}: {failure}")
    return BUILD


@functools.cache
def _make(what: str) -> str:
    done = subprocess.run(
        ["make", "-C", str(FIRMWARE), f"BUILD={BUILD}", what],
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr
