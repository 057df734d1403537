"""Raised walls judge a calibration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hardware.virtual_table.play.layout import packaged_geometry
from vision.calibration.camera import CameraModel
from vision.checks.raised_walls import check_walls, lines_of_walls
from vision.geometry import SIDES, TableGeometry

K = np.array([[1478.0, 0, 960], [0, 1478.0, 540], [0, 0, 1]])
TRUTH = CameraModel(
    "top", (1920, 1080), K, np.zeros(5), np.diag([1.0, -1, -1]), np.array([0, 0, 1300.0])
)
GEOMETRY = TableGeometry.load(packaged_geometry("mcr"))


def walls(sides: tuple[int, ...] = (0, 1, 2, 3), pushed: float = 0.0, side: int = 0) -> np.ndarray:
    """Outlines of the upper tiles of freshly raised walls; one of them pushed outwards, mm."""
    quads = []
    rng = np.random.default_rng(1)
    w, h = GEOMETRY.tile_mm[0] / 2, GEOMETRY.tile_mm[1] / 2
    for each in sides:
        for stack in range(GEOMETRY.stacks_per_side):
            right = (stack - (GEOMETRY.stacks_per_side - 1) / 2) * GEOMETRY.wall.pitch
            out = GEOMETRY.wall.offset + (pushed if each == side else 0.0)
            corners = [
                (*TableGeometry.to_table(each, right + dx, out + dy), GEOMETRY.stacked_z)
                for dx, dy in ((-w, -h), (w, -h), (w, h), (-w, h))
            ]
            quads.append(TRUTH.project(corners) + rng.normal(0, 0.4, (4, 2)))
    return np.array(quads)


def tilted(degrees: float) -> CameraModel:
    """A calibration off as a wrong lean and lens would be: everything shifts by some mm."""
    return replace(TRUTH, t=TRUTH.t + np.array([np.tan(np.radians(degrees)) * 1300.0, 0, 0]))


@pytest.mark.parametrize(
    ("camera", "quads", "good", "off"),
    [
        (TRUTH, walls(), True, ()),
        (TRUTH, walls((0, 2)), True, ()),
        (TRUTH, walls((0,)), False, ()),
        (TRUTH, np.empty((0, 4, 2)), False, ()),
        (TRUTH, walls(pushed=5.0), False, (0,)),
        (TRUTH, walls(pushed=1.5), True, ()),
        (tilted(0.25), walls(), False, (1, 3)),
        (tilted(0.04), walls(), True, ()),
    ],
)
def test_walls_judge(
    camera: CameraModel, quads: np.ndarray, good: bool, off: tuple[int, ...]
) -> None:
    result = check_walls(lines_of_walls(camera, GEOMETRY, quads), GEOMETRY)
    assert result.good is good
    assert tuple(wall.side for wall in result.walls if wall.seen and not wall.good) == off
    assert [wall.side for wall in result.walls] == list(SIDES)
