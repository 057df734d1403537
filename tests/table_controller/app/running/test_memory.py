"""What is freed is given back, also where something lies behind it."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

PROGRAM = """
from table_controller.app.running.memory import give_pictures_back
from vision.apart.usage import memory_mb

if {asked}:
    assert give_pictures_back()
large = b"1" * 20_000_000
del large  # from now on glibc takes what is as large from between everything else
pictures = [b"1" * 200_000 for _ in range(300)]
held = memory_mb()
pictures = pictures[-1:]
print(held - memory_mb())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
@pytest.mark.parametrize(("asked", "least", "most"), [(True, 50, 70), (False, -5, 10)])
def test_pictures_that_are_let_go_are_given_back(asked: bool, least: float, most: float) -> None:
    program = PROGRAM.format(asked=asked)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert least <= float(done.stdout) <= most
