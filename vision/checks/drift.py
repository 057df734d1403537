"""Has somebody knocked the camera? The rails of the table are compared with how they were.

They stay where they are during a game. Small patches of them are remembered when a camera is
calibrated and looked for again from time to time: when most of them have moved together, the
camera has. Its pose is then corrected, or, where too little can be recognised, that is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.board import CalibrationRefusedError, Lens, pose_from_points
from vision.calibration.camera import CameraModel
from vision.geometry import Side, TableGeometry
from vision.heights.walls import LineFit
from vision.image import Image

Array = NDArray[np.float64]
Grey = NDArray[np.integer[Any] | np.floating[Any]]

_PATCH, _SEARCH = 15, 22
"""Half sides of a patch and of the region it is looked for in, pixels."""
_MOST, _LEAST = 80, 12
_RIM_MM = 56.0
"""The rails of every table are wider: beyond them the floor, seen from a camera that was knocked,
moves otherwise than the table."""
_EDGES = -0.05
"""Harris' constant: where it is below nothing straight edges count, and corners yet more."""
_ALIKE = 0.72
_CORNER, _STARTS, _NEAR_PX = 0.12, 20, 1.5
_GRAIN_PX = 2.0
"""What is finer than this says nothing: in a dark picture it is the sensor's noise."""
_AGREE, _OF_ALL = 0.6, 0.25
"""So many must agree of the patches that were found again, and of all that were looked for: on a
table's four like sides some fit by chance wherever they are seen from."""
_MOVED_PX, _MOVED = 1.0, 0.6
"""A camera has moved where so many of all agree: one rail may be taken for the next."""


class DriftState(StrEnum):
    """What became of the comparison."""

    STEADY = "steady"
    MOVED = "moved"
    UNSURE = "unsure"
    """Too little could be recognised: dark, covered, or moved too far."""


@dataclass(frozen=True, slots=True, eq=False)
class Drift:
    """How the camera stands compared with its calibration.

    Attributes:
        state: steady, moved, or unsure.
        shift_px: median displacement of the patches that were found again, pixels.
        shift_mm: the same on the felt.
        recognised: share of the patches that were found again, 0..1.
        camera: the corrected camera where it moved, else None.
        error_px: root mean square error of the corrected camera, pixels.
    """

    state: DriftState
    shift_px: float
    shift_mm: float
    recognised: float
    camera: CameraModel | None = None
    error_px: float | None = None

    def fits_better(self, other: Drift) -> bool:
        """Whether it is steady and the other not, or more was found again and one pose has it."""
        steady = self.state is DriftState.STEADY
        if steady is not (other.state is DriftState.STEADY):
            return steady
        if self.recognised <= other.recognised:
            return False
        if self.error_px is None or other.error_px is None:
            return True
        return self.error_px < other.error_px


class DriftCheck:
    """Remembers the rim of one picture.

    Args:
        camera: the calibration that goes with the picture.
        geometry: what is inside the playing surface is not used.
        image: (H, W, 3) at calibration, without arms.

    Raises:
        ValueError: the rim shows too little to be recognised.
    """

    def __init__(self, camera: CameraModel, geometry: TableGeometry, image: Image) -> None:
        self.camera = camera
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        plain = _without_grain(grey)
        # The floor lies much deeper and people walk on it: only the table's own rim counts.
        inner = geometry.surface_mm / 2 + 4.0
        outer = inner + _RIM_MM - _PATCH / camera.px_per_mm()
        sides = zip(_sides(camera, inner), _sides(camera, outer), strict=True)
        found = [_striking(plain, np.concatenate((low, high[::-1]))) for low, high in sides]
        self._points = np.round(np.concatenate(found)).astype(int)
        if len(self._points) < _LEAST:
            raise ValueError(
                f"camera {camera.name}: only {len(self._points)} recognisable points around the"
                f" table, {_LEAST} are needed to notice a knock"
            )
        self._expected = self._points.astype(np.float64)
        rim = np.array(self._around(grey), np.float64).reshape(len(self._points), -1)
        self._rim = rim - rim.mean(axis=1, keepdims=True)
        self._plain = self._around(plain)
        self._says = np.array([_says(patch.astype(np.float64)) for patch in self._plain])

    def _around(self, grey: Grey) -> list[Grey]:
        return [
            grey[y - _PATCH : y + _PATCH + 1, x - _PATCH : x + _PATCH + 1].copy()
            for x, y in self._points
        ]

    def measure(self, image: Image, every: int = 1) -> Drift:
        """Compare a picture of the same size with the remembered one.

        Args:
            image: (H, W, 3).
            every: only every so manieth patch, for a quick glance; never fewer than needed.
        """
        reach = _PATCH + _SEARCH
        height, width = image.shape[:2]
        used, now = [], []
        every = max(1, min(every, len(self._points) // (2 * _LEAST)))
        for index in range(0, len(self._points), every):
            x, y = (int(value) for value in np.round(self._expected[index]))
            if not (reach <= x < width - reach and reach <= y < height - reach):
                continue
            part = image[y - reach : y + reach + 1, x - reach : x + reach + 1]
            region = _without_grain(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY))
            alike = cv2.matchTemplate(region, self._plain[index], cv2.TM_CCOEFF_NORMED)
            _, best, _, (column, row) = cv2.minMaxLoc(alike)
            if best >= _ALIKE:
                dx, dy = _between(np.asarray(alike, dtype=np.float64), row, column)
                used.append(index)
                now.append((x + dx - _SEARCH, y + dy - _SEARCH))
        recognised = len(now) / len(range(0, len(self._points), every))
        if len(now) < _LEAST or recognised < 0.3:
            return Drift(DriftState.UNSURE, 0.0, 0.0, recognised)
        due = self._expected[used]
        moves, inliers = _together(due, np.array(now) - due, self._says[used])
        agree = float(inliers.mean())
        if agree < _AGREE or agree * recognised < _OF_ALL:
            return Drift(DriftState.UNSURE, 0.0, 0.0, recognised)
        shift = float(np.median(np.linalg.norm(moves[inliers], axis=1)))
        shift_mm = shift / self.camera.px_per_mm()
        if shift < _MOVED_PX:
            return Drift(DriftState.STEADY, shift, shift_mm, recognised)
        if agree * recognised < _MOVED:
            return Drift(DriftState.UNSURE, shift, shift_mm, recognised)
        then = self._points[used].astype(np.float64)
        try:
            camera, error = self._corrected(then[inliers], (due + moves)[inliers])
        except CalibrationRefusedError:
            return Drift(DriftState.UNSURE, shift, shift_mm, recognised)
        return Drift(DriftState.MOVED, shift, shift_mm, recognised, camera, error)

    def alike(self, image: Image, every: int = 3) -> float:
        """How much the patches look alike where they ought to be: median correlation, -1..1.

        Far cheaper than :meth:`measure`: enough to tell that something happened.
        """
        height, width = image.shape[:2]
        side = 2 * _PATCH + 1
        x, y = np.round(self._expected[::every]).astype(int).T
        seen = (x >= _PATCH) & (x < width - _PATCH) & (y >= _PATCH) & (y < height - _PATCH)
        if not seen.any():
            return 0.0
        parts = [
            image[b - _PATCH : b + _PATCH + 1, a - _PATCH : a + _PATCH + 1]
            for a, b in zip(x[seen].tolist(), y[seen].tolist(), strict=True)
        ]
        now = cv2.cvtColor(np.concatenate(parts), cv2.COLOR_BGR2GRAY).reshape(-1, side * side)
        now = now - now.mean(axis=1, keepdims=True)
        then = self._rim[::every][seen]
        norm = np.sqrt((now * now).sum(axis=1) * (then * then).sum(axis=1))
        return float(np.median((now * then).sum(axis=1) / np.maximum(norm, 1e-9)))

    def stand(self, camera: CameraModel) -> None:
        """The camera hangs so now: what is seen from there is steady.

        Args:
            camera: as :meth:`measure` found it.
        """
        places = self.camera.to_table(self._points.astype(np.float64), 0.0)
        self._expected = camera.project(np.column_stack((places, np.zeros(len(places)))))

    def _corrected(self, then: Array, here: Array) -> tuple[CameraModel, float]:
        """The pose from which the same points of the table's plane are seen where they are."""
        camera = self.camera
        places = np.column_stack((camera.to_table(then, 0.0), np.zeros(len(then))))
        lens = Lens(camera.size, camera.K, camera.dist, 0.0, ())
        posed = pose_from_points(camera.name, lens, places, here)
        return posed.camera, posed.error_px


def _striking(plain: Grey, area: NDArray[np.int32]) -> Array:
    """The corners and edges in one part of a picture without grain that can best be found (N, 2).

    Each side has as many: one that shows less says what the others do not.
    """
    mask = np.zeros(plain.shape, np.uint8)
    cv2.fillPoly(mask, [area], 255)
    border = _PATCH + _SEARCH + 1
    mask[:border] = mask[-border:] = 0
    mask[:, :border] = mask[:, -border:] = 0
    found = cv2.goodFeaturesToTrack(
        plain,
        _MOST // 4,
        0.001,
        2.0 * _PATCH,
        mask=mask,
        blockSize=7,
        useHarrisDetector=True,
        k=_EDGES,
    )
    return np.empty((0, 2)) if found is None else np.asarray(found, np.float64).reshape(-1, 2)


def _without_grain(grey: Grey) -> Grey:
    return np.asarray(cv2.GaussianBlur(grey.astype(np.float32), (0, 0), _GRAIN_PX), np.float32)


def _says(patch: Array) -> Array:
    """What a patch says of a displacement: 1 across its edges, less along them (2, 2).

    A piece of a straight edge can be found again anywhere along it.
    """
    down, across = np.gradient(patch)
    tensor = np.array(
        [
            [(across * across).sum(), (across * down).sum()],
            [(across * down).sum(), (down * down).sum()],
        ]
    )
    values, ways = np.linalg.eigh(tensor)
    along = values[0] / max(values[1], 1e-9)
    trust = np.array([along if along >= _CORNER else 0.0, 1.0])
    return np.asarray(ways @ np.diag(trust) @ ways.T)


def _together(places: Array, moves: Array, says: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The common displacement (shift, turn, slant) that most patches agree with.

    Args:
        places: (N, 2) where the patches ought to be, pixels.
        moves: (N, 2) how far from there each was found.
        says: (N, 2, 2) what each says of that, by direction.

    Returns:
        Displacement of each place (N, 2), and which patches agree.
    """
    middle = places.mean(axis=0)
    x, y = ((places - middle) / 500.0).T
    one, none = np.ones_like(x), np.zeros_like(x)
    # Displacement = rows @ (shift, and how it grows with x and y, in pixels at 500 pixels).
    rows = np.stack(
        (
            np.stack((one, none, x, y, none, none), 1),
            np.stack((none, one, none, none, x, y), 1),
        ),
        1,
    )
    corners = np.argsort(-np.linalg.det(says), kind="stable")[:_STARTS]
    fits = np.zeros((1 + len(corners), 6))  # from nothing, and from what each corner says
    fits[1:, :2] = moves[corners]
    told = np.swapaxes(rows, 1, 2) @ says
    normals, targets = (told @ rows).reshape(-1, 36), (told @ moves[:, :, None])[:, :, 0]

    def apart() -> tuple[Array, Array]:
        """How far each start's fit is off each place, and by how much that counts."""
        off = moves - (rows.reshape(-1, 6) @ fits.T).T.reshape(len(fits), -1, 2)
        return off, ((off[:, :, None] @ says)[:, :, 0] * off).sum(axis=2)

    for _ in range(8):
        weight = 1.0 / (1.0 + apart()[1])
        normal = (weight @ normals).reshape(-1, 6, 6) + 1e-3 * np.eye(6)
        fits = np.linalg.solve(normal, (weight @ targets)[:, :, None])[:, :, 0]
    off, counts = apart()
    agree = counts < _NEAR_PX**2
    best = int(agree.sum(axis=1).argmax())
    # What a patch itself says, where it says something, follows any perspective.
    found = rows @ fits[best] + (says @ off[best][:, :, None])[:, :, 0]
    return found, agree[best]


def _sides(camera: CameraModel, half: float) -> list[NDArray[np.int32]]:
    """The sides of a square around the table's middle as they are seen: they are curves."""
    corners = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    share = np.linspace(0.0, 1.0, 17)[:, None]
    sides = [
        (1.0 - share) * a + share * b for a, b in zip(corners, np.roll(corners, -1, 0), strict=True)
    ]
    return [
        np.round(camera.project(np.column_stack((side, np.zeros(17))))).astype(np.int32)
        for side in sides
    ]


def _between(alike: Array, row: int, column: int) -> tuple[float, float]:
    """The peak between whole pixels, by a parabola through its neighbours either way."""

    def peak(low: float, middle: float, high: float) -> float:
        bend = low - 2 * middle + high
        return 0.0 if bend >= -1e-9 else float(np.clip(0.5 * (low - high) / bend, -0.5, 0.5))

    x, y = float(column), float(row)
    if 0 < column < alike.shape[1] - 1:
        x += peak(alike[row, column - 1], alike[row, column], alike[row, column + 1])
    if 0 < row < alike.shape[0] - 1:
        y += peak(alike[row - 1, column], alike[row, column], alike[row + 1, column])
    return x, y


def offset_of_walls(fits: Mapping[Side, LineFit]) -> tuple[float, float, float] | None:
    """How far all walls together seem to lie off: x, y in mm and turn in degrees.

    The machine raises the walls where they belong, so that an offset common to them is the
    calibration's. None with fewer than two walls of enough tiles.
    """
    rows, values = [], []
    turns = []
    for side, fit in fits.items():
        if fit.tiles < 6:
            continue
        right = TableGeometry.to_table(side, 1.0, 0.0)
        outward = TableGeometry.to_table(side, 0.0, 1.0)
        rows += [right, outward]
        values += [fit.right, fit.outward]
        turns.append(-fit.turn)
    if len(turns) < 2:
        return None
    offset = np.linalg.lstsq(np.array(rows), np.array(values), rcond=None)[0]
    return float(offset[0]), float(offset[1]), float(np.degrees(np.mean(turns)))
