"""Times and places that were not looked at: said, never guessed over."""

from __future__ import annotations

from dataclasses import replace

from table_controller.domain.happenings import NotLooked, NotLookedWhere, Seat
from table_controller.happenings.looks.pace import Pace
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.table import Table
from vision.sightings import Outcome, Point, Sighting

_COVERED_SHARE = 0.6
_COVERED_S = 2.5
"""A part of the table that is behind an arm so long is more than reached over: that is told at
once, for what is missed there is missed now, and again with its end."""


class Gaps:
    """Watches how often the cameras are looked through, and what stays covered."""

    def __init__(self, table: Table) -> None:
        self._table = table
        patience = table.setup.patience
        self._pace = Pace(patience.gap_s, patience.gap_looks)
        self._covered: dict[tuple[NotLookedWhere, Seat], float] = {}
        self._told: set[tuple[NotLookedWhere, Seat]] = set()
        self._parts = self._points(table)
        self._before: set[NotLooked] = set()
        """Told by an earlier run, which was ended before it could tell their ends."""

    def restore(self, until: float, unlooked: set[NotLooked]) -> None:
        """An earlier run was ended after ``until``, and had told these without their ends."""
        self._pace.resume(until)
        self._before = unlooked

    @staticmethod
    def _points(table: Table) -> dict[tuple[NotLookedWhere, Seat], list[Point]]:
        """A few points of every part of the table."""
        g = table.places.geometry
        last_row = g.pool.offset + (g.pool.rows - 1) * g.pool.row_pitch
        rows: dict[NotLookedWhere, list[tuple[float, float]]] = {
            "pool": [(x, y) for x in (-60.0, 0.0, 60.0) for y in (g.pool.offset, last_row - 37.0)],
            "hand": [(x, g.hand.offset) for x in (-150.0, -90.0, -30.0, 30.0, 90.0, 150.0)],
            "meld": [(x, g.meld.offset) for x in (-240.0, -120.0, 0.0, 120.0, 240.0)],
            "wall": [(x, g.wall.offset) for x in (-200.0, -120.0, -40.0, 40.0, 120.0, 200.0)],
        }
        return {
            (where, seat): [g.to_table(seat, right, offset) for right, offset in places]
            for where, places in rows.items()
            for seat in SEATS
        }

    def sighting(self, sighting: Sighting) -> None:
        """One frame, looked at or failed."""
        if sighting.outcome is Outcome.FAILED:
            self.tick(sighting.t)
            return
        t = sighting.t
        for gap in sorted(self._before, key=lambda gap: (gap.t, gap.where, gap.seat or 0)):
            self._table.emit(replace(gap, until=t))
        self._before.clear()
        unwatched = self._pace.look(sighting.camera, t)
        if unwatched is not None:
            self._table.emit(NotLooked(t=unwatched.since, where="all", until=unwatched.until))
        since = self._pace.seldom if unwatched is None else unwatched.since
        if since is not None:
            # Whatever moved meanwhile was moved by somebody unseen.
            self._table.arms.blind(since, t)

    def tick(self, t: float) -> None:
        """Time went on without a look; that nobody looks is told while it goes on.

        The machine goes on telling meanwhile, and what it tells must not make the rules believe
        that nothing else happened.
        """
        unwatched = self._pace.dark(t)
        # An earlier run may have told so already, and was ended in the dark.
        if unwatched is not None and not any(gap.where == "all" for gap in self._before):
            self._table.emit(NotLooked(t=unwatched.since, where="all"))

    @property
    def blind_since(self) -> float | None:
        """Since when nothing at all has been seen, s."""
        return self._pace.dark_since

    def watched(self, t: float) -> float:
        """Until when it was looked at, or told that it is not.

        Args:
            t: time of the newest input.
        """
        looked = self._pace.newest
        if looked is None or self.blind_since is not None or self._pace.seldom is not None:
            return t
        return looked

    def covered(self, t: float) -> None:
        """After a look: which parts of the table stayed behind something."""
        table = self._table
        nothing = not any(look.sighting.covered for look in table.looks.values())
        for part, points in self._parts.items():
            hidden = 0 if nothing else sum(table.covered(x, y, t) for x, y in points) / len(points)
            if hidden >= _COVERED_SHARE:
                since = self._covered.setdefault(part, t)
                if part not in self._told and table.playing and t - since >= _COVERED_S:
                    self._told.add(part)
                    table.emit(NotLooked(t=since, where=part[0], seat=part[1]))
                continue
            began = self._covered.pop(part, None)
            if began is not None and part in self._told:
                self._told.discard(part)
                table.emit(NotLooked(t=began, where=part[0], seat=part[1], until=t))
