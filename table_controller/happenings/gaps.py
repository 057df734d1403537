"""Times in which nothing was looked at: said, never guessed over."""

from __future__ import annotations

from table_controller.domain.happenings import NotLooked
from table_controller.happenings.table import Table
from vision.sightings import Outcome, Sighting


class Gaps:
    """Watches when each camera was last looked through."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._looked: float | None = None
        self.blind_since: float | None = None

    def sighting(self, sighting: Sighting) -> None:
        """One frame, looked at or failed."""
        if sighting.outcome is Outcome.FAILED:
            self.tick(sighting.t)
            return
        since, self._looked = self._looked, sighting.t
        if since is None:
            return
        if sighting.t - since >= self._table.setup.patience.gap_s:
            self._table.emit(NotLooked(t=since, where="all", until=sighting.t))
            # Whatever moved meanwhile was moved by somebody unseen.
            self._table.arms.blind(since, sighting.t)
        self.blind_since = None

    def tick(self, t: float) -> None:
        """Time went on without a look."""
        if (
            self._looked is not None
            and self.blind_since is None
            and t - self._looked >= self._table.setup.patience.gap_s
        ):
            self.blind_since = self._looked
