"""Waits for what a link says."""

import time
from collections.abc import Callable

from firmware_bridge import messages as m
from firmware_bridge.link import Link
from firmware_bridge.readings import LinkChanged, LinkState, Reading


def until(link: Link, wanted: Callable[[Reading], bool], timeout: float = 5.0) -> list[Reading]:
    """Read until a reading satisfies ``wanted``; all that came, that one last."""
    got: list[Reading] = []
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        reading = link.read(0.1)
        if reading is not None:
            got.append(reading)
            if wanted(reading):
                return got
    raise AssertionError(f"not among {got}")


def change(reading: Reading) -> LinkChanged:
    """The change of the link that this reading is."""
    assert isinstance(reading.what, LinkChanged)
    return reading.what


def is_state(state: LinkState) -> Callable[[Reading], bool]:
    return lambda r: isinstance(r.what, LinkChanged) and r.what.state is state


def is_key(seat: int, key: m.Key) -> Callable[[Reading], bool]:
    return lambda r: r.what == m.KeyPressed(seat, key)
