"""A follower that goes on whatever fails in it: the game must not stand still for one look.

What a look showed that could not be followed to its end is told as not looked at, as where a camera
fails; the rules then hold back what rests on it. In tests a plain :class:`.Follower` is used, that
a fault ends them.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from firmware_bridge.readings import Reading
from table_controller.domain.happenings import Happening, NotLooked
from table_controller.happenings.follower import Follower
from table_controller.happenings.setup import Setup
from vision.geometry import TableGeometry
from vision.sightings import Sighting

log = logging.getLogger(__name__)


class Steadfast(Follower):
    """Follows one table, to its end.

    Args:
        geometry: the zones of the table.
        setup: what else is known about it.

    Attributes:
        failed: looks and readings that could not be followed.
    """

    def __init__(self, geometry: TableGeometry, setup: Setup | None = None) -> None:
        super().__init__(geometry, setup)
        self.failed = 0
        self._lost: NotLooked | None = None
        """Told while looks cannot be followed."""

    def sighting(self, sighting: Sighting) -> list[Happening]:
        """See :meth:`.Follower.sighting`."""
        try:
            told = super().sighting(sighting)
        except Exception as error:  # noqa: BLE001 - whatever fails, the game goes on and says so
            self.failed += 1
            if self._lost is None:
                self._say(f"look of {sighting.camera}", error)
                self._lost = NotLooked(t=self._t, where="all")
                self._table.emit(self._lost)
            # Whatever moved meanwhile was moved by somebody unseen.
            self._table.arms.blind(self._lost.t, self._t)
            return self._ripe()
        if self._lost is not None:
            self._table.emit(replace(self._lost, until=self._t))
            self._lost = None
        return told

    def reading(self, reading: Reading) -> list[Happening]:
        """See :meth:`.Follower.reading`."""
        try:
            return super().reading(reading)
        except Exception as error:  # noqa: BLE001 - likewise
            self.failed += 1
            self._say(f"reading {type(reading.what).__name__}", error)
            return []

    def _ripe(self) -> list[Happening]:
        """What can be told although the look failed, that of it first of all."""
        try:
            return self._release()
        except Exception:  # noqa: BLE001 - it was said already
            return []

    def _say(self, what: str, error: Exception) -> None:
        reason = f"{type(error).__name__}: {error}"
        log.error("%s at %.3f s not followed: %s", what, self._t, reason, exc_info=error)
