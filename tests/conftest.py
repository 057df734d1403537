"""Settings for all tests.

Property tests draw the same examples on every run of `make test`, so that a failure there is
never a matter of luck; the longer proofs, and `HYPOTHESIS_PROFILE=search`, look for new ones.

Tests run in several processes. Those that compare with the clock on the wall (marked ``clocked``)
mostly wait for something themselves: they run beside each other, and never beside those that work
as hard as they can. They come first, so that all processes do them at once; a process that has
another one next keeps its turn, or it would wait for the end of some other process's test.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import TextIO

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


_TURN = pytest.StashKey[TextIO]()
"""The room of this process, kept from one clocked test to the next."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Clocked tests first, then long ones, so that no process ends with them alone."""
    of_file = Counter(item.path for item in items)
    with_clocked = {item.path for item in items if _clocked(item)}
    items.sort(
        key=lambda item: (
            item.path not in with_clocked,
            item.get_closest_marker("long") is None,
            -of_file[item.path],
            str(item.path),
            not _clocked(item),
        )
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Let clocked tests and others run at different times."""
    stash = item.config.stash
    room = stash.get(_TURN, None) or _entered(clocked=_clocked(item))
    stays = _clocked(item) and nextitem is not None and _clocked(nextitem)
    try:
        return (yield)
    finally:
        if stays:
            stash[_TURN] = room
        else:
            room.close()
            if _TURN in stash:
                del stash[_TURN]


def _clocked(item: pytest.Item) -> bool:
    return item.get_closest_marker("clocked") is not None


def _entered(*, clocked: bool) -> TextIO:
    """The room of one kind, entered when nobody is in the other; who closes it leaves."""
    folder = Path(os.environ[_TURNS])
    room, other = ((folder / f"room-{kind}").open("w") for kind in (clocked, not clocked))
    with other, (folder / "door").open("w") as door:
        # Who waits for a room holds the door: others do not slip in before him for ever.
        fcntl.flock(door, fcntl.LOCK_EX)
        fcntl.flock(other, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_SH)
    return room
