"""What was opened is closed again, whatever happens meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Callable

logger = logging.getLogger(__name__)


class Closing:
    """What is to be closed at the end; each is added as soon as it is open."""

    def __init__(self) -> None:
        self._closes: list[Callable[[], object]] = []

    def add(self, close: Callable[[], object]) -> None:
        """This closes what was just opened."""
        self._closes.append(close)

    def close(self) -> None:
        """Close everything, the last opened first; what cannot be closed is logged."""
        for close in reversed(self._closes):
            try:
                close()
            except Exception:
                logger.exception("while closing")
        self._closes.clear()
