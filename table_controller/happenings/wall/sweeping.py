"""A table that is being cleared: so many tiles are gone at once as nobody can take in play."""

from __future__ import annotations

from collections import deque
from typing import Final

_TILES: Final = 45
"""More than three players have in their hands, who may push them in while the fourth shows his."""
_WITHIN_S, _SURE_S = 3.0, 0.5
"""So many are gone within this time, and stay away so long: a few looks may miss all of them."""


class Sweep:
    """Watches how many tiles lie on a table."""

    def __init__(self) -> None:
        self._lying: deque[tuple[float, int]] = deque()
        self._since: float | None = None

    def clear(self) -> None:
        """It is over."""
        self._lying.clear()
        self._since = None

    def look(self, t: float, lying: int) -> bool:
        """One look, in which so many tiles lay there or were hidden; whether that is a sweep."""
        self._lying.append((t, lying))
        while self._lying[0][0] < t - _WITHIN_S:
            self._lying.popleft()
        if max(count for _, count in self._lying) - lying < _TILES:
            self._since = None
            return False
        if self._since is None:
            self._since = t
        return t - self._since >= _SURE_S
