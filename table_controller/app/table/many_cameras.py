"""A follower that sees through several cameras as through one."""

from __future__ import annotations

from collections.abc import Iterable

from firmware_bridge.readings import Reading
from table_controller.domain.happenings import Happening
from table_controller.happenings.steadfast import Steadfast
from table_controller.happenings.view import TableView
from vision.calibration.camera import CameraModel
from vision.merging.one_view import OneView
from vision.sightings import Sighting


class ManyEyed:
    """Joins the cameras' sightings before the follower hears of them.

    Args:
        follower: of the happenings.
        view: joins.
    """

    def __init__(self, follower: Steadfast, view: OneView) -> None:
        self._follower = follower
        self._view = view

    @property
    def failed(self) -> int:
        """Looks and readings that could not be followed."""
        return self._follower.failed

    def sighting(self, sighting: Sighting) -> list[Happening]:
        """What the moments that are complete now let one say."""
        return [
            happening
            for joint in self._view.take(sighting)
            for happening in self._follower.sighting(joint)
        ]

    def reading(self, reading: Reading) -> list[Happening]:
        """What the reading lets one say."""
        return self._follower.reading(reading)

    def flush(self) -> list[Happening]:
        """What was still held back, at the end."""
        said = [h for joint in self._view.flush() for h in self._follower.sighting(joint)]
        return said + self._follower.flush()

    def watched(self, t: float) -> float:
        """Until when the joint view was looked at, or it was told that it was not."""
        return self._follower.watched(t)

    def restore(self, happenings: Iterable[Happening], until: float | None = None) -> None:
        """Take up the belief that these happenings left."""
        self._follower.restore(happenings, until)

    def moved(self, camera: CameraModel) -> None:
        """A camera's pose was corrected."""
        self._view.moved(camera)

    def view(self) -> TableView:
        """What is believed to lie where."""
        return self._follower.view()
