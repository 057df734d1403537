"""How a tile lies compared with how it lay before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.heights.placing import Detection, skew
from vision.heights.touching import share_of_both

_ACROSS_DEG = 45.0
"""A tile that turned by more in its place would show another picture there."""
_SIDE_BY_SIDE = 0.03
"""Tiles side by side have no larger share in common than this."""


def lies_otherwise(now: Detection, before: Detection) -> bool:
    """Whether a tile in the same place lies on another side, or across the way it lay."""
    return now.posture is not before.posture or lies_across(now, before)


def lies_across(now: Detection, before: Detection) -> bool:
    """Whether a tile lies across the way it lay."""
    return skew(now.angle, before.angle) > _ACROSS_DEG


def rolled(detection: Detection) -> Detection:
    """The same tile with its corners counted from the other end."""
    return replace(
        detection,
        quad=np.roll(detection.quad, 2, axis=0),
        angle=(detection.angle + 360.0) % 360.0 - 180.0,
    )


def turned_across(detection: Detection) -> Detection:
    """A tile that lies across the way it was found, in the same place."""
    a, b, c, d = detection.quad
    middle = detection.quad.mean(axis=0)
    along, down = (b - a + c - d) / 4, (d - a + c - b) / 4
    longer = np.linalg.norm(down) / np.linalg.norm(along)
    along, down = down / longer, -along * longer
    corners = [-along - down, along - down, along + down, -along + down]
    return replace(
        detection,
        quad=middle + np.array(corners),
        angle=(detection.angle + 90.0) % 360.0 - 180.0,
    )


def lies_free(detection: Detection, others: Sequence[Detection]) -> bool:
    """Whether a tile lies in none of the others, which are lying tiles."""
    quad = detection.quad.astype(np.float32)
    return all(
        share_of_both(quad, other.quad.astype(np.float32)) <= _SIDE_BY_SIDE
        for other in others
        if other.z == detection.z
    )
