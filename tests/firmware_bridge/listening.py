"""Waits for what a link says."""

import time

from firmware_bridge import messages as m
from firmware_bridge.readings import LinkChanged


def until(link, wanted, timeout=5.0):
    """Read until a reading satisfies ``wanted``; all that came, that one last."""
    got, end = [], time.monotonic() + timeout
    while time.monotonic() < end:
        reading = link.read(0.1)
        if reading is not None:
            got.append(reading)
            if wanted(reading):
                return got
    raise AssertionError(f"not among {got}")


def is_state(state):
    return lambda r: isinstance(r.what, LinkChanged) and r.what.state is state


def is_key(seat, key):
    return lambda r: r.what == m.KeyPressed(seat, key)
