"""From corners in the picture to a tile in millimetres: posture, height, place, direction.

A camera sees the upper side of a tile. Where that is on the table depends on how high it is:
flat on the felt, on top of another tile of a wall, or the upper end of a standing tile. Flat
and standing are told apart by the size of what is seen; one-high and two-high wall stacks
differ by a few pixels only, so they are decided for a whole line of the wall together
(:mod:`vision.heights.walls`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.changes.motion import SHRINK
from vision.geometry import TableGeometry
from vision.image import Image
from vision.sightings import Posture

Array = NDArray[np.float64]
_Degrees = TypeVar("_Degrees", float, Array)
_INNER = np.linspace(0.25, 0.75, 5)
"""Where a tile's shade is sampled, as shares of its sides: its edges are of other colours."""
_TOO_LARGE = 1.12
"""Two tiles side by side have 1.4 times both sides of one."""


class Before(NamedTuple):
    """How a tile was last seen clearly and at rest in a place.

    ``x``, ``y``: its centre in picture pixels; ``level``: log-odds that it lay on another
    tile; ``hidden``: an arm has been over it since; ``shade``: how bright its middle was, 0..255
    with the light evened out, 0 where that is not known.
    """

    x: float
    y: float
    level: float
    hidden: bool = False
    shade: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """A tile found in a picture, placed on the table.

    Attributes:
        quad: (4, 2) corners in picture pixels, as the finder gives them.
        posture: how it lies.
        confidence: the finder's.
        x, y, z: middle of its upper side, mm.
        angle: degrees counter-clockwise; 0 upright for the player at side 0.
        width, length: measured extent along the quad's top edge and along its sides, mm.
        fit: how well that extent matches the posture: largest deviation as a share.
        before: how a tile was last seen in this place.
        visible: share of the upper side that is not covered, by the finder, 0..1.
        level: log-odds that it lies on another tile of a wall.
        shade: how bright its middle is, as in :class:`Before`.
        shadowed: an arm is so near that its shadow may lie there.
        anew: its level was judged without what was seen before.
    """

    quad: Array
    posture: Posture
    confidence: float
    x: float
    y: float
    z: float
    angle: float
    width: float
    length: float
    fit: float
    before: Before | None = None
    visible: float = 1.0
    level: float = 0.0
    shade: float = 0.0
    shadowed: bool = False
    anew: bool = False


def skew(angles: _Degrees, other: float) -> _Degrees:
    """How far a direction and another are apart, degrees 0..90, whichever end is ahead."""
    return abs((angles - other + 90.0) % 180.0 - 90.0)


def place(
    camera: CameraModel, quads: Array, heights: Array | float
) -> tuple[Array, Array, Array, Array]:
    """Quads (N, 4, 2) at heights (N,) mm: centres (N, 2), angles (N,), widths, lengths (N,)."""
    count = len(quads)
    z = np.repeat(np.broadcast_to(np.asarray(heights, dtype=np.float64), (count,)), 4)
    corners = camera.to_table(np.asarray(quads, dtype=np.float64).reshape(-1, 2), z)
    corners = corners.reshape(count, 4, 2)
    across = (corners[:, 1] - corners[:, 0] + corners[:, 2] - corners[:, 3]) / 2
    up = (corners[:, 0] - corners[:, 3] + corners[:, 1] - corners[:, 2]) / 2
    # Both edges say the direction; the longer one says it better.
    direction = up + np.column_stack((-across[:, 1], across[:, 0]))
    angles = np.degrees(np.arctan2(direction[:, 1], direction[:, 0])) - 90.0
    angles = (angles + 180.0) % 360.0 - 180.0
    return (
        corners.mean(axis=1),
        angles,
        np.asarray(np.linalg.norm(across, axis=1)),
        np.asarray(np.linalg.norm(up, axis=1)),
    )


def lift(
    camera: CameraModel,
    geometry: TableGeometry,
    quads: Array,
    postures: Sequence[Posture],
    confidences: Sequence[float],
) -> list[Detection]:
    """Place what the finder found, correcting postures that its size contradicts.

    Args:
        camera: lens and pose.
        geometry: gives the size of the tiles.
        quads: (N, 4, 2) picture pixels.
        postures: the finder's opinion for each.
        confidences: the finder's, for each.
    """
    if not len(quads):
        return []
    width, height, thickness = geometry.tile_mm
    flat = place(camera, quads, geometry.flat_z)
    standing = place(camera, quads, geometry.standing_z)
    found = []
    for index, (posture, confidence) in enumerate(zip(postures, confidences, strict=True)):
        lying_fit = _misfit(flat[2][index], flat[3][index], width, height)
        upright_fit = _misfit(standing[2][index], standing[3][index], width, thickness)
        upright = (said := posture) is Posture.STANDING
        # The finder's word counts unless what is seen fits the other posture clearly better.
        if upright and upright_fit > 0.2 and lying_fit < 0.5 * upright_fit:
            upright = False
            said = Posture.UNSURE
        elif not upright and lying_fit > 0.2 and upright_fit < 0.5 * lying_fit:
            upright = True
            said = Posture.STANDING
        centres, angles, widths, lengths = standing if upright else flat
        w, h = float(widths[index]), float(lengths[index])
        angle = float(angles[index])
        if (w > h) is not upright and abs(w - h) > 0.15 * max(w, h):
            # The first edge is the other one: turn by a quarter.
            angle = (angle + 90.0 + 180.0) % 360.0 - 180.0
            w, h = h, w
        found.append(
            Detection(
                np.asarray(quads[index], dtype=np.float64),
                said,
                float(confidence),
                float(centres[index, 0]),
                float(centres[index, 1]),
                geometry.standing_z if upright else geometry.flat_z,
                angle,
                w,
                h,
                upright_fit if upright else lying_fit,
            )
        )
    return found


def is_two_tiles(one: Detection, geometry: TableGeometry) -> bool:
    """Whether what was found is too large for a tile: two that touch, in its proportions."""
    width, height, _ = geometry.tile_mm
    short, long = sorted((one.width, one.length))
    lying = one.posture is not Posture.STANDING
    return lying and short > _TOO_LARGE * width and long > _TOO_LARGE * height


def shades(level: Image, quads: Array) -> Array:
    """How bright the middles of quads (N, 4, 2) are: (N,), 0..255.

    Args:
        level: (h, w, 3), the picture at a quarter of its size, light evened out.
        quads: corners in pixels of the whole picture.
    """
    if not len(quads):
        return np.zeros(0)
    across, down = np.meshgrid(_INNER, _INNER)
    a, b = across.reshape(-1, 1), down.reshape(-1, 1)
    weights = np.concatenate(((1 - a) * (1 - b), a * (1 - b), a * b, (1 - a) * b), axis=1)
    points = np.round(np.einsum("pk,nkc->npc", weights, quads / SHRINK)).astype(int)
    height, width = level.shape[:2]
    rows, columns = points[..., 1].clip(0, height - 1), points[..., 0].clip(0, width - 1)
    return np.asarray(level[rows, columns].mean(axis=(1, 2)), dtype=np.float64)


def _misfit(first: float, second: float, short: float, long: float) -> float:
    """Largest deviation of two extents from two sizes, as a share, in the better order."""
    one = max(abs(first / short - 1), abs(second / long - 1))
    other = max(abs(second / short - 1), abs(first / long - 1))
    return float(min(one, other))
