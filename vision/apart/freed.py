"""What was freed goes back to the system."""

from __future__ import annotations

import ctypes
import time
from typing import Final

_M_MMAP_THRESHOLD: Final = -3
"""Of mallopt(3), as glibc's malloc.h numbers it."""
_LARGE: Final = 64 * 1024
"""No picture of a camera is smaller, bytes."""
_EVERY_S: Final = 60.0


def give_pictures_back() -> bool:
    """Let memory as large as a picture go back to the system as soon as it is freed.

    glibc takes large pieces from the system one by one and gives each back, but after one was freed
    it takes all that are no larger from between everything else. There the pictures of the last
    minute, of changing sizes, leave holes: half as much memory again, ever a little more.

    Returns:
        Whether that could be asked for; other C libraries have no such call.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and mallopt(_M_MMAP_THRESHOLD, _LARGE) == 1


class HolesBack:
    """Gives the system back what is free between what is not, once a minute.

    By itself glibc gives back the end of what it has, and nothing once something lies behind it
    (malloc_trim(3)). Takes half a millisecond.
    """

    def __init__(self) -> None:
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        self._due = time.monotonic() + _EVERY_S

    def step(self) -> None:
        """Do so when it is time; nothing where the C library has no such call."""
        now = time.monotonic()
        if self._trim is not None and now >= self._due:
            self._due = now + _EVERY_S
            self._trim(0)
