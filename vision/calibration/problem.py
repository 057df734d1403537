"""One least squares problem of everything that is known of a camera over a table.

15 numbers of the camera, 4 of every sheet on the felt, 4 of the rails; each held by how exactly it
was known beforehand, so that the bounds that come out say what is really known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.calibration.board import Board, BoardView, Lens
from vision.calibration.camera import CameraModel
from vision.calibration.rails import Edge
from vision.geometry import Side, TableGeometry

Array = NDArray[np.float64]

RAIL_MM, _SHEET_MM, _SHEET_RAD, _LIES_MM = 0.5, 10.0, np.radians(3.0), 1.0
"""How exactly a rail is built; where and how turned a sheet is laid; how flat it lies."""
_UNKNOWN_MM, _UNKNOWN_RAD = 1000.0, np.pi
_EXACT_MM, _EXACT_RAD = 1.5, np.radians(0.5)
"""The same of a sheet that alone says where the table is."""
_CLICK_PX, _EDGE_PX, _CORNER_PX = 1.5, 0.7, 0.15
_PER_SIDE = 6.0
"""Points along one rail count as so many that err independently."""
_NINETY_FIVE = 2.448
"""Radius, in standard deviations, that holds 95 % of errors in the plane."""
_TRIES = 12
_STEPS = np.array([1e-2] * 4 + [1e-5] * 5 + [1e-6] * 3 + [1e-3] * 3)


@dataclass(frozen=True, slots=True, eq=False)
class FlatSheet:
    """The sheet lying on the felt: its picture's view, and where it was laid (None: anywhere)."""

    view: BoardView
    at_mm: tuple[float, float] | None = (0.0, 0.0)
    turned_deg: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A camera, and what is known of how well it is known.

    Attributes:
        camera: as fitted, its lens included.
        error_px: root mean square error of the sheets on the felt, pixels.
        rails_mm: root mean square distance of the rails found from the table's, by side, mm.
        corners: how many clicked corners it rests on.
        covariance: (15, 15) of fx fy cx cy, k1 k2 p1 p2 k3, rotation vector and translation.
        sheets: where the sheets lay: x, y in mm and degrees.
    """

    camera: CameraModel
    error_px: float
    rails_mm: Mapping[Side, float]
    corners: int
    covariance: Array
    sheets: tuple[tuple[float, float, float], ...]

    def bounds_mm(self, points: ArrayLike) -> Array:
        """Radii that hold the true place of table points (N, 3) with 95 %, mm (N,)."""
        table = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        px = self.camera.project(table)
        out = []
        for pixel, (_, _, z) in zip(px, table, strict=True):
            jacobian = places_by_camera(self.camera, [pixel], z)[0]
            spread = jacobian @ self.covariance @ jacobian.T
            out.append(_NINETY_FIVE * float(np.sqrt(np.linalg.eigvalsh(spread)[-1])))
        return np.array(out)


def _pack(camera: CameraModel) -> Array:
    k = camera.K
    return np.concatenate(
        (
            [k[0, 0], k[1, 1], k[0, 2], k[1, 2]],
            np.resize(np.append(camera.dist, np.zeros(5)), 5),
            cv2.Rodrigues(camera.R)[0].ravel(),
            camera.t,
        )
    )


def _by_steps(value: Callable[[Array], Array], at: Array, steps: Array) -> Array:
    """Central differences (..., N) of a value (...) by the N numbers it depends on."""
    return np.stack(
        [
            (value(at + step * one) - value(at - step * one)) / (2 * step)
            for step, one in zip(steps, np.eye(len(at)), strict=True)
        ],
        axis=-1,
    )


def places_by_camera(camera: CameraModel, px: ArrayLike, z: float) -> Array:
    """How places (N, 2) at a height, seen at pixels (N, 2), move with a camera (N, 2, 15)."""
    return _by_steps(lambda p: _camera(camera, p).to_table(px, z), _pack(camera), _STEPS)


def _camera(like: CameraModel, p: Array) -> CameraModel:
    matrix = np.array([[p[0], 0, p[2]], [0, p[1], p[3]], [0, 0, 1.0]])
    turn = np.asarray(cv2.Rodrigues(p[9:12])[0], dtype=np.float64)
    return CameraModel(like.name, like.size, matrix, p[4:9], turn, p[12:15])


class TableProblem:
    """The joint least squares problem: 15 of the camera, 4 of each sheet, 4 of the rails."""

    def __init__(
        self,
        lens: Lens,
        board: Board,
        sheets: Sequence[FlatSheet],
        surface_mm: float,
        first: CameraModel,
    ) -> None:
        self._lens, self._sheets, self._half = lens, sheets, surface_mm / 2
        self._first = first
        width, height = board.size_mm
        self._local = [
            np.column_stack((s.view.corners[:, 0] - width / 2, height / 2 - s.view.corners[:, 1]))
            for s in sheets
        ]
        self._sigma = max(lens.error_px / np.sqrt(2), _CORNER_PX)
        information = lens.information
        if information is None:
            information = np.diag(
                1.0 / np.array([5.0] * 4 + [0.01] * 2 + [0.001] * 2 + [0.01]) ** 2
            )
        values, ways = np.linalg.eigh(information)
        self._root = np.sqrt(np.maximum(values, 0.0))[:, None] * ways.T
        self._lens0 = _pack(first)[:9]
        self._laid = np.array(
            [self._placed(s, local) for s, local in zip(sheets, self._local, strict=True)]
        )

    def _placed(self, sheet: FlatSheet, local: Array) -> Array:
        """Where a sheet lies (x, y, radians, height): as told, else as the first pose sees it."""
        if sheet.at_mm is not None:
            return np.array([*sheet.at_mm, np.radians(sheet.turned_deg), 0.0])
        seen = self._first.to_table(sheet.view.px, 0.0)
        a, b = local - local.mean(axis=0), seen - seen.mean(axis=0)
        angle = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        return np.array([*(seen.mean(axis=0) - turn @ local.mean(axis=0)), angle, 0.0])

    def solve(
        self,
        edges: Mapping[Side, Edge] | None = None,
        corners: Array | None = None,
    ) -> Fitted:
        """Gauss-Newton with a little damping; weights of rail points by their distance."""
        edges = edges or {}
        alone = not edges and corners is None
        p = np.concatenate((_pack(self._first), self._laid.ravel(), np.zeros(4)))
        steps = np.concatenate(
            (_STEPS, np.tile([1e-3, 1e-3, 1e-6, 1e-3], len(self._sheets)), [1e-3] * 4)
        )
        damping = 1e-6
        jacobian = np.zeros((0, 0))
        residual = self._residual(p, edges, corners, alone)
        for _ in range(_TRIES):
            cost = float(residual @ residual)
            jacobian = _by_steps(lambda at: self._residual(at, edges, corners, alone), p, steps)
            normal, target = jacobian.T @ jacobian, jacobian.T @ residual
            move: Array = np.zeros(len(p))
            while damping < 1e6:
                ridge = damping * np.diag(np.diag(normal))
                move = np.asarray(-np.linalg.solve(normal + ridge, target), dtype=np.float64)
                tried = self._residual(p + move, edges, corners, alone)
                if float(tried @ tried) <= cost:
                    p, residual, damping = p + move, tried, damping / 10
                    break
                damping *= 10
            if cost - float(residual @ residual) < 1e-6 * cost:
                break
        lengths: Array = np.sqrt((jacobian**2).sum(axis=0))
        scaled = jacobian / lengths
        inverse = np.linalg.inv(scaled.T @ scaled)
        covariance = inverse / np.outer(lengths, lengths)
        # Residuals larger than believed mean that less is known than believed.
        misfit = max(1.0, float(residual @ residual) / max(len(residual) - len(p), 1))
        camera = _camera(self._first, p)
        return Fitted(
            camera,
            self._error_px(p, camera),
            {s: self._rail_mm(camera, e) for s, e in edges.items()},
            0 if corners is None else 4,
            covariance[:15, :15] * misfit,
            tuple((float(x), float(y), float(np.degrees(a))) for x, y, a, _ in self._places(p)),
        )

    def _places(self, p: Array) -> Array:
        return np.asarray(p[15 : 15 + 4 * len(self._sheets)].reshape(-1, 4))

    def _sheet_px(self, p: Array, camera: CameraModel) -> list[Array]:
        out = []
        for (x, y, angle, z), local, sheet in zip(
            self._places(p), self._local, self._sheets, strict=True
        ):
            c, s = np.cos(angle), np.sin(angle)
            flat = local @ np.array([[c, s], [-s, c]]) + (x, y)
            points = np.column_stack((flat, np.full(len(flat), z)))
            out.append(camera.project(points) - sheet.view.px)
        return out

    def _error_px(self, p: Array, camera: CameraModel) -> float:
        every = np.concatenate(self._sheet_px(p, camera))
        return float(np.sqrt((every**2).sum(axis=1).mean()))

    def _rail_mm(self, camera: CameraModel, edge: Edge) -> float:
        seen = camera.to_table(edge.px, 0.0)
        off = [TableGeometry.to_player(edge.side, float(x), float(y))[1] for x, y in seen]
        return float(np.sqrt(((np.array(off) - self._half) ** 2).mean()))

    def _residual(
        self, p: Array, edges: Mapping[Side, Edge], corners: Array | None, alone: bool
    ) -> Array:
        camera = _camera(self._first, p)
        parts = [each.ravel() / self._sigma for each in self._sheet_px(p, camera)]
        parts.append(self._root @ (p[:9] - self._lens0))
        for sheet, place, laid in zip(self._sheets, self._places(p), self._laid, strict=True):
            if sheet.at_mm is None:
                loose = (_UNKNOWN_MM, _UNKNOWN_RAD)
            else:
                loose = (_EXACT_MM, _EXACT_RAD) if alone else (_SHEET_MM, _SHEET_RAD)
            parts.append((place - laid) / (loose[0], loose[0], loose[1], _LIES_MM))
        rails = p[-4:]
        parts.append(rails / RAIL_MM)
        for side, edge in edges.items():
            out = self._half + float(rails[side])
            points = [(*TableGeometry.to_table(side, float(a), out), 0.0) for a in edge.along]
            off = ((camera.project(points) - edge.px) * edge.normal).sum(axis=1)
            few = np.sqrt(max(len(off) / _PER_SIDE, 1.0))
            parts.append(off / (_EDGE_PX * few))
        if corners is not None:
            h = self._half
            spots = [
                (-h - rails[3], -h - rails[0], 0),
                (h + rails[1], -h - rails[0], 0),
                (h + rails[1], h + rails[2], 0),
                (-h - rails[3], h + rails[2], 0),
            ]
            parts.append((camera.project(spots) - corners).ravel() / _CLICK_PX)
        return np.concatenate(parts)
