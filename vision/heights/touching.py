"""Tiles that touch so closely that they are found as one, or in pieces.

Two tiles side by side have a tile's proportions, and what is printed on two alike may join to a
pattern of its own: two nines of circles are found as one large tile, or as rows of six circles.
No tile of this set has such a size; how many would fill the outline is a matter of counting. The
middle of three fours of circles is found across, with half of each neighbour's circles: tiles that
stand on the felt cannot lie in each other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.geometry import TableGeometry
from vision.heights.placing import Detection, skew
from vision.nets.found import FoundTile
from vision.sightings import Posture

Array = NDArray[np.float64]
CLEARLY = 0.7
"""From this visible share on a find has the wrong size because it is no tile, or more than one."""
_MISFIT = 0.2
"""A find whose extents are so much off a lying tile's, as a share, is none."""
_FILLS = 0.1
"""Tiles fill an outline whose extents are so near to theirs, as a share."""
_MOST = 4
"""So many tiles in a row were never found as one."""
_OVER = 0.12
"""Tiles that lie side by side have no more than this share of one in common as they are found."""
_ROOM, _BESIDE = 0.4, 0.03
"""Between two tiles that leave no more room than one lying along them needs, and this share of what
one across would need beside it, none lies across; one along them has not so much in common with
any."""
_QUARTER_DEG = 60.0
"""Tiles that differ by more lie across each other."""
_TOGETHER = 0.8
"""Pieces whose middles are nearer than this share of a tile's length are of one outline."""


def fits(placed: Detection) -> bool:
    """Whether a find has the size of one lying tile."""
    # What was made a standing one did not fit a lying one either.
    return placed.posture is not Posture.STANDING and placed.fit <= _MISFIT


def lie_side_by_side(placed: Sequence[Detection]) -> bool:
    """Whether each of these has the size of one lying tile, and none lies over another."""
    quads = [one.quad.astype(np.float32) for one in placed]
    pairs = itertools.combinations(quads, 2)
    return all(map(fits, placed)) and all(share_of_both(*pair) <= _OVER for pair in pairs)


def share_of_both(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """The part of two quads that is of both, as a share of the smaller."""
    common, _ = cv2.intersectConvexConvex(one, other)
    return float(common) / max(min(cv2.contourArea(one), cv2.contourArea(other)), 1.0)


def cut_apart(
    camera: CameraModel,
    geometry: TableGeometry,
    found: Sequence[FoundTile],
    placed: Sequence[Detection],
) -> list[tuple[list[int], NDArray[np.float32]]]:
    """Faces of the wrong size whose common outline so many tiles in a row would fill.

    Args:
        camera: lens and pose.
        geometry: gives the size of the tiles.
        found: what was found in a picture.
        placed: the same on the table (:func:`vision.heights.placing.lift`).

    Returns:
        For each such outline which finds it replaces, and the quads (N, 4, 2) of its tiles in
        pixels, in the finder's order of corners.
    """
    wrong = [
        index
        for index, (tile, one) in enumerate(zip(found, placed, strict=True))
        if tile.posture is Posture.FACE_UP and tile.visible >= CLEARLY and not fits(one)
    ]
    if not wrong:
        return []
    pixels = np.concatenate([placed[index].quad for index in wrong])
    corners = camera.to_table(pixels, geometry.flat_z).reshape(-1, 4, 2)
    cut = []
    for heap in _heaps(corners.mean(axis=1), _TOGETHER * geometry.tile_height):
        tiles = _row(corners[heap].reshape(-1, 2), geometry, least=1 if len(heap) > 1 else 2)
        if tiles is not None:
            points = np.column_stack(
                (tiles.reshape(-1, 2), np.full(4 * len(tiles), geometry.flat_z))
            )
            quads = camera.project(points).reshape(-1, 4, 2).astype(np.float32)
            cut.append(([wrong[k] for k in heap], np.stack([_clockwise(q) for q in quads])))
    return cut


def found_across(
    geometry: TableGeometry, found: Sequence[FoundTile], placed: Sequence[Detection]
) -> list[tuple[list[int], NDArray[np.float32]]]:
    """Faces across between two tiles that leave room only for one that lies along them.

    Args:
        geometry: gives the size of the tiles.
        found: what was found in a picture.
        placed: the same on the table (:func:`vision.heights.placing.lift`).

    Returns:
        As :func:`cut_apart`: the index of each, alone, and the quad (1, 4, 2) of a tile half way
        between its neighbours.
    """
    faces = [
        index
        for index, (tile, one) in enumerate(zip(found, placed, strict=True))
        if tile.posture is Posture.FACE_UP and tile.visible >= CLEARLY and fits(one)
    ]
    points = np.array([(placed[index].x, placed[index].y) for index in faces]).reshape(-1, 2)
    angles = np.array([placed[index].angle for index in faces])
    instead = []
    for k, index in enumerate(faces):
        close = np.linalg.norm(points - points[k], axis=1) < 1.5 * geometry.tile_height
        close[k] = False
        aslant = skew(angles, angles[k])
        across = [placed[faces[other]] for other in np.flatnonzero(close & (aslant > _QUARTER_DEG))]
        for a, b in itertools.combinations(across, 2):
            if _no_room(placed[index], a, b, geometry):
                near = [placed[faces[other]] for other in np.flatnonzero(close)]
                quad = _half_way(a.quad, b.quad)
                if all(share_of_both(quad, c.quad.astype(np.float32)) <= _BESIDE for c in near):
                    instead.append(([index], quad[None]))
                    break
    return instead


def _no_room(one: Detection, a: Detection, b: Detection, geometry: TableGeometry) -> bool:
    """Whether a tile lies between two across it that lie side by side, one tile's width apart."""
    turned = math.radians(a.angle)
    right, up = (math.cos(turned), math.sin(turned)), (-math.sin(turned), math.cos(turned))

    def along(axis: tuple[float, float], of: Detection) -> float:
        return (of.x - one.x) * axis[0] + (of.y - one.y) * axis[1]

    width, longer = geometry.tile_width, geometry.tile_height - geometry.tile_width
    if max(abs(along(up, a)), abs(along(up, b))) > longer:
        return False
    on_both_sides = along(right, a) * along(right, b) < 0.0
    return on_both_sides and abs(along(right, a) - along(right, b)) < 2 * width + _ROOM * longer


def _half_way(one: Array, other: Array) -> NDArray[np.float32]:
    """The quad (4, 2) half way between two parallel ones whichever end of each is its first."""
    if float((one[1] - one[0]) @ (other[1] - other[0])) < 0.0:
        other = np.roll(other, 2, axis=0)
    return np.asarray((one + other) / 2, dtype=np.float32)


def _heaps(middles: Array, near: float) -> list[list[int]]:
    """Each with those close by."""
    heaps: list[list[int]] = []
    for k in range(len(middles)):
        joined = [
            heap
            for heap in heaps
            if np.linalg.norm(middles[heap] - middles[k], axis=1).min() < near
        ]
        heaps = [heap for heap in heaps if heap not in joined]
        heaps.append([k, *(one for heap in joined for one in heap)])
    return heaps


def _row(points: Array, geometry: TableGeometry, *, least: int) -> Array | None:
    """The tiles (N, 4, 2) in mm side by side that fill the outline of points (M, 2), if any do."""
    (x, y), extents, angle = cv2.minAreaRect(points.astype(np.float32))
    width, height = geometry.tile_width, geometry.tile_height
    turned = np.radians(angle)
    axes = np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]])
    for along, (one, other) in ((0, extents), (1, extents[::-1])):
        count = round(one / width)
        if least <= count <= _MOST and (
            abs(one / (count * width) - 1) <= _FILLS and abs(other / height - 1) <= _FILLS
        ):
            right, up = axes[along] * width, axes[1 - along] * height
            steps = np.arange(count) - (count - 1) / 2
            middles = np.array((x, y)) + steps[:, None] * right
            half = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) / 2
            return np.asarray(middles[:, None] + half @ np.stack((right, up)), dtype=np.float64)
    return None


def _clockwise(quad: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same corners clockwise on the screen, from the left end of a short side."""
    (ax, ay), (bx, by) = quad[1] - quad[0], quad[2] - quad[1]
    return quad if ax * by - ay * bx > 0 else quad[[1, 0, 3, 2]]
