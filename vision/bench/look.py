"""What looking costs: milliseconds of one core per frame of 1920×1080, and memory.

The table is drawn here, plainly: walls, hands and pools of coloured tiles with sensor noise. What
the nets cost depends on how much they look at, hardly on what is there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame
from vision.eye.pipeline import Eye
from vision.geometry import PoolCell, TableGeometry
from vision.image import Image
from vision.process import peak_mb
from vision.sightings import Outcome

SIZE = (1920, 1080)
_FRAMES = 20
_SETTLED = 80
"""So many pictures of a table at rest until all faces are read and everything was gone over."""
_TABLE = {
    "surface_mm": 820,
    "tile_mm": (26, 36, 20),
    "stacks_per_side": 18,
    "wall": {"offset": 256, "pitch": 26},
    "pool": {"offset": 102, "row_pitch": 37, "column_pitch": 27},
    "meld": {"offset": 322, "right": 300, "flowers_left": -300, "gap": 6},
    "hand": {"offset": 376, "from": -300, "to": 300},
    "dice": {"half": 70},
    "stick": {"offset": 62},
}


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; ``limit`` is what it must stay below, where there is one."""

    what: str
    value: float
    unit: str
    limit: float | None = None
    note: str = ""

    def as_dict(self) -> dict[str, object]:
        """For printing."""
        row: dict[str, object] = {"what": self.what, "value": self.value, "unit": self.unit}
        if self.limit is not None:
            row["limit"] = self.limit
        if self.note:
            row["note"] = self.note
        return row


def camera() -> CameraModel:
    """A camera 1.3 m above the middle of the table."""
    return CameraModel(
        "bench",
        SIZE,
        np.array([[1462.5, 0, 960], [0, 1462.5, 540], [0, 0, 1]]),
        np.array([-0.09, 0.05, 0.0004, -0.0003, 0.0]),
        np.diag([1.0, -1.0, -1.0]),
        np.array([0.0, 0.0, 1300.0]),
    )


class _Drawing:
    """Frames of a drawn table; ``tile`` is one that can be put anywhere."""

    def __init__(self, model: CameraModel, geometry: TableGeometry) -> None:
        self._model = model
        self._geometry = geometry
        self._rng = np.random.default_rng(0)
        noise = self._rng.normal(0, 3, (SIZE[1] + 64, SIZE[0] + 64, 3))
        self._noise = noise.astype(np.int8)
        self._ground = np.full((SIZE[1], SIZE[0], 3), (62, 108, 40), np.uint8)
        for slot in geometry.wall_slots():
            if slot.layer == "top":
                pose = geometry.wall_pose(slot)
                self._draw(self._ground, pose.x, pose.y, 40.0, pose.angle, (150, 90, 30))
        for side in range(4):
            for n in range(13):
                x, y = geometry.to_table(side, -160 + 26.5 * n, geometry.hand.offset)
                self._draw(self._ground, x, y, 36.0, 90.0 * side, (235, 240, 240), 20.0)
            for cell in list(geometry.pool_cells(side))[:10]:
                pose = geometry.pool_pose(cell)
                self._draw(self._ground, pose.x, pose.y, 20.0, pose.angle, (225, 238, 240))
        self._count = 0

    def _draw(
        self,
        image: Image,
        x: float,
        y: float,
        z: float,
        angle: float,
        colour: tuple[int, int, int],
        tall: float | None = None,
    ) -> None:
        width, height, _ = self._geometry.tile_mm
        a = np.radians(angle)
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        half = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) / 2 * (width, tall or height)
        corners = half @ turn.T + np.array((x, y))
        quad = self._model.project(np.column_stack((corners, np.full(4, z))))
        outline = [np.round(quad * 16).astype(np.int32)]
        cv2.fillPoly(image, outline, colour, cv2.LINE_AA, 4)
        cv2.polylines(image, outline, True, (40, 60, 40), 1, cv2.LINE_AA, 4)
        if z == self._geometry.flat_z:
            inner = (quad - quad.mean(axis=0)) * 0.55 + quad.mean(axis=0)
            figure = np.round(inner * 16).astype(np.int32)
            cv2.line(image, figure[0], figure[2], (60, 40, 160), 3, cv2.LINE_AA, 4)
            cv2.line(image, figure[3], figure[2], (120, 60, 30), 3, cv2.LINE_AA, 4)

    def frame(self, tile: tuple[float, float] | None = None) -> Frame:
        image = self._ground.copy()
        if tile is not None:
            self._draw(image, *tile, 20.0, 10.0, (225, 238, 240))
        down, across = (int(value) for value in self._rng.integers(0, 64, 2))
        noise = self._noise[down : down + SIZE[1], across : across + SIZE[0]]
        noisy: NDArray[np.int16] = image.astype(np.int16) + noise
        self._count += 1
        picture = np.clip(noisy, 0, 255).astype(np.uint8)
        return Frame(self._count / 10, "bench", picture, self._count)


def _looks(eye: Eye, frames: Iterator[Frame]) -> list[float]:
    times = []
    for frame in frames:
        start = time.thread_time()
        sighting = eye.look(frame)
        times.append((time.thread_time() - start) * 1e3)
        if sighting.outcome is not Outcome.LOOKED:
            raise RuntimeError(sighting.reason)
    return times


def measure(make_eye: Callable[[CameraModel, TableGeometry], Eye]) -> list[Row]:
    """The figures for an eye made for the bench's camera and table."""
    model, geometry = camera(), TableGeometry.from_mapping(_TABLE, "bench")
    drawing = _Drawing(model, geometry)
    eye = make_eye(model, geometry)
    _looks(eye, iter([drawing.frame()]))  # the nets warm up
    eye.reset()
    full = _looks(eye, iter([drawing.frame()]))[0]
    _looks(eye, (drawing.frame() for _ in range(_SETTLED)))
    still = np.array(_looks(eye, (drawing.frame() for _ in range(_FRAMES))))
    start = geometry.pool_pose(PoolCell(0, 2, 0))
    way = ((start.x + 9.0 * n, start.y - 12.0) for n in range(_FRAMES))
    moving = np.array(_looks(eye, (drawing.frame(place) for place in way)))
    note = "median; processor time of one core"
    return [
        Row("first full look", full, "ms", 400.0, "processor time of one core"),
        Row("still frame", float(np.median(still)), "ms", 4.0, note),
        Row("still frames, mean", float(still.mean()), "ms", None, "with the slow round"),
        Row("one tile moves", float(np.median(moving)), "ms", 15.0, note),
        Row("peak memory", peak_mb(), "MB", 800.0, "of the whole process"),
    ]


def run() -> list[dict[str, object]]:
    """The figures with the models in use, as rows for ``paiguan bench``."""
    from vision.dice.finding import DiceReader
    from vision.nets.finder import Finder
    from vision.nets.reader import FaceReader

    finder, reader, dice = Finder(), FaceReader(), DiceReader()

    def make(model: CameraModel, geometry: TableGeometry) -> Eye:
        return Eye(model, geometry, finder, reader, dice)

    return [row.as_dict() for row in measure(make)]


if __name__ == "__main__":
    for line in run():
        sys.stdout.write(f"{line['what']:24} {line['value']:8.1f} {line['unit']}\n")
