"""Settings for all tests.

Property tests draw the same examples on every run of `make test`, so that a failure there is
never a matter of luck; the longer proofs, and `HYPOTHESIS_PROFILE=search`, look for new ones.

Tests run in several processes. One that compares with the clock on the wall (marked ``clocked``)
waits until the others have ended theirs, and they wait for it.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

_TURNS = "PAIGUAN_TEST_TURNS"
"""Names the folder in which the processes of a run agree on whose turn it is."""


def pytest_configure(config: pytest.Config) -> None:
    """Make that folder, before the other processes start.

    A run that a test starts is in that test's turn: waiting for another it would wait for itself.
    """
    if _TURNS not in os.environ or "PYTEST_CURRENT_TEST" in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="paiguan-tests-")
        os.environ[_TURNS] = folder.name
        config.add_cleanup(folder.cleanup)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let a clocked test run while no other does."""
    folder = Path(os.environ[_TURNS])
    clocked = item.get_closest_marker("clocked") is not None
    with (folder / "door").open("w") as door, (folder / "room").open("w") as room:
        # Who waits for the room holds the door: others do not slip in before him for ever.
        fcntl.flock(door, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX if clocked else fcntl.LOCK_SH)
        fcntl.flock(door, fcntl.LOCK_UN)
        return (yield)
