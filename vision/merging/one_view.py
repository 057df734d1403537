"""Several cameras over one table as one view, in table millimetres.

Each camera is looked through by itself; here what they saw at one moment is put together
(:mod:`.merging_tiles`, :mod:`.merging_dice`). What one camera has behind an arm the other may see;
only what no camera saw counts as not looked at. A camera that is lost is left out of the view.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from vision.calibration.camera import CameraModel
from vision.changes.fingertips import Reach
from vision.geometry import SIDES, Side, TableGeometry
from vision.merging.dice import JointDice
from vision.merging.tiles import JointTiles
from vision.merging.views import Grid, Views
from vision.sightings import Outcome, Point, Sighting, StickSighting

VIEW = "table"
"""Name of the joint view, where a camera's stands in a sighting."""
STALE_S = 0.3
"""A camera that has not been looked through for longer says nothing of this moment."""
_SAME_STICK_MM = 20.0
_SAME_TIP_MM = 80.0
"""Two views of the same fingertips are no farther apart: 50 mm at most in 98 of 100 looks."""


class OneView:
    """Puts the sightings of several cameras together.

    Args:
        cameras: lens and pose of each, by name.
        geometry: of the table.
    """

    def __init__(self, cameras: Mapping[str, CameraModel], geometry: TableGeometry) -> None:
        self._geometry = geometry
        self._views = Views(cameras, geometry)
        self._tiles = JointTiles(self._views, geometry)
        self._dice = JointDice(self._views.weight)
        self._newest: dict[str, Sighting] = {}
        self._first: float | None = None
        self._fresh: dict[str, Sighting] = {}
        self._told = -math.inf

    def moved(self, camera: CameraModel) -> None:
        """A camera's pose was corrected."""
        self._views.hang(camera)
        self._tiles.moved()

    # -- over time ----------------------------------------------------------------------

    def take(self, sighting: Sighting) -> list[Sighting]:
        """One camera's sighting; returns the joint ones that are complete now.

        A moment is complete when every camera that still delivers was looked through, or when
        one is already on its next picture, or on one too late to be of that moment. A failed
        look is passed on only when no other camera was looked through.
        """
        complete = []
        late = any(sighting.t - one.t >= STALE_S for one in self._fresh.values())
        if sighting.camera in self._fresh or late:
            complete.append(self._moment())
        self._fresh[sighting.camera] = sighting
        self._newest[sighting.camera] = sighting
        if self._first is None:
            self._first = sighting.t
        waited = sighting.t - self._first >= STALE_S
        live = (
            list(self._views.cameras)
            if not waited
            else [name for name, one in self._newest.items() if sighting.t - one.t < STALE_S]
        )
        if all(name in self._fresh for name in live):
            complete.append(self._moment())
        return complete

    def flush(self) -> list[Sighting]:
        """What is not complete at the end of the inputs."""
        return [self._moment()] if self._fresh else []

    def _moment(self) -> Sighting:
        # In the order of the cameras, whichever was quicker.
        now = {name: self._fresh[name] for name in self._views.cameras if name in self._fresh}
        self._fresh = {}
        # A camera that lags behind the other has its picture told after a later one.
        t = self._told = max(self._told, *(one.t for one in now.values()))
        looked = [one for one in now.values() if one.outcome is Outcome.LOOKED]
        if not looked:
            reasons = "; ".join(f"{one.camera}: {one.reason}" for one in now.values())
            return Sighting(t, VIEW, Outcome.FAILED, reason=reasons)
        return self._joint(t, looked)

    # -- one moment ---------------------------------------------------------------------

    def _joint(self, t: float, looked: Sequence[Sighting]) -> Sighting:
        free = {one.camera: self._views.uncovered(one) for one in looked}
        hidden = ~np.logical_or.reduce(list(free.values()))
        return Sighting(
            t=t,
            camera=VIEW,
            outcome=Outcome.LOOKED,
            tiles=self._tiles.joint(looked, free),
            dice=self._dice.joint(looked, lambda name, x, y: self._views.free(free[name], x, y)),
            sticks=tuple(_sticks(looked)),
            covered=self._views.polygons(hidden),
            reach=self._reach(looked, free),
        )

    def _reach(self, looked: Sequence[Sighting], free: Mapping[str, Grid]) -> Reach:
        """The fingertips of each side, by what all cameras say of them."""
        tips = [
            self._tip(side, {one.camera: tip for one in looked if (tip := one.reach[side])}, free)
            for side in SIDES
        ]
        return tips[0], tips[1], tips[2], tips[3]

    def _tip(self, side: Side, seen: Mapping[str, Point], free: Mapping[str, Grid]) -> Point | None:
        """Fingertips are above the felt: the mean of two cameras' places is nearer the truth.

        Places far apart are no two views of the same fingertips, and between them is nothing:
        one that another camera looks at without an arm there is none, else the farther in counts.
        """
        points = list(seen.values())
        if not points:
            return None
        if max(math.dist(a, b) for a in points for b in points) > _SAME_TIP_MM:
            hidden = [
                tip
                for name, tip in seen.items()
                if not any(
                    self._views.free(mask, *tip) for other, mask in free.items() if other != name
                )
            ]
            inmost = min(hidden or points, key=lambda tip: self._geometry.to_player(side, *tip)[1])
            points = [tip for tip in points if math.dist(tip, inmost) <= _SAME_TIP_MM]
        return (
            round(sum(x for x, _ in points) / len(points), 1),
            round(sum(y for _, y in points) / len(points), 1),
        )


def _sticks(looked: Sequence[Sighting]) -> list[StickSighting]:
    joint: list[StickSighting] = []
    for one in looked:
        for stick in one.sticks:
            near = (math.hypot(stick.x - s.x, stick.y - s.y) < _SAME_STICK_MM for s in joint)
            if not any(near):
                joint.append(stick)
    return joint
