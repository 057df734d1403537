"""What was freed goes back to the system."""

from __future__ import annotations

import ctypes
import gc
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


def settle() -> None:
    """What is there now stays until the next call: programs, nets, models of the rules.

    Python by itself looks through all, for things that hold each other alive, only once a quarter
    as many are new; in a program as large as this one that takes long.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Tidying:
    """Lets go of what is held by nothing but itself, then gives back what is free, once a minute.

    By itself glibc gives back the end of what it has, and nothing once something lies behind it
    (malloc_trim(3)).
    """

    def __init__(self) -> None:
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        self._due = time.monotonic() + _EVERY_S

    def step(self) -> None:
        """Do so when it is time; another C library keeps what is free."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + _EVERY_S
        gc.collect()
        if self._trim is not None:
            self._trim(0)
