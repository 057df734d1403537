"""What is freed is given back, also where something lies behind it."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
import weakref

import pytest

from vision.apart.freed import settle

PICTURES = """
from vision.apart.freed import give_pictures_back
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

HOLES = """
from vision.apart import freed
from vision.apart.usage import memory_mb

freed._EVERY_S = {every}
tidying = freed.Tidying()
small = [b"1" * 20_000 for _ in range(3000)]
held = memory_mb()
small = small[-1:]
tidying.step()
print(held - memory_mb())
"""

CIRCLES = """
import gc

from vision.apart import freed
from vision.apart.usage import memory_mb

gc.disable()  # as good as: a large program looks for circles rarely
freed._EVERY_S = {every}
tidying = freed.Tidying()
kept = [b"1" * 20_000]
for _ in range(3000):
    circle = [b"1" * 20_000]
    circle.append(circle)
del circle
held = memory_mb()
tidying.step()
print(held - memory_mb())
"""


def given_back(program: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


class _Thing:
    itself: _Thing | None = None


pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")


@pytest.mark.parametrize(("asked", "least", "most"), [(True, 50, 70), (False, -5, 10)])
def test_pictures_that_are_let_go_are_given_back(asked: bool, least: float, most: float) -> None:
    assert least <= given_back(PICTURES.format(asked=asked)) <= most


@pytest.mark.parametrize("program", [HOLES, CIRCLES])
@pytest.mark.parametrize(("every", "least", "most"), [(0.0, 50, 70), (60.0, -5, 10)])
def test_what_is_free_is_given_back_when_it_is_time(
    program: str, every: float, least: float, most: float
) -> None:
    assert least <= given_back(program.format(every=every)) <= most


def test_what_has_settled_is_not_looked_at_again_until_it_settles_anew() -> None:
    gc.unfreeze()  # tables begun in this process have settled, too
    before = gc.get_freeze_count()
    try:
        settle()
        assert gc.get_freeze_count() > before + 1000
        gone = weakref.ref(thing := _Thing())
        thing.itself = thing
        settle()
        del thing
        gc.collect()
        assert gone() is not None
        settle()
        assert gone() is None
    finally:
        gc.unfreeze()
