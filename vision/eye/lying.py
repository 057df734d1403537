"""How a tile lies compared with how it lay before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.heights.placing import Detection, skew

_ACROSS_DEG = 45.0
"""A tile that turned by more in its place would show another picture there."""


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
