"""What is told of a tile that is followed."""

from __future__ import annotations

import numpy as np

from vision.eye.known_face import KnownFace
from vision.heights.placing import Detection
from vision.sightings import Posture, TileSighting

_REMEMBERED = 0.25
"""What was looked for and not found once is told below the confidence of anything found."""


def sighting_of(
    seen: Detection,
    face: KnownFace,
    *,
    track: int,
    visible: float,
    missed: bool,
    zoom: float,
) -> TileSighting:
    """A tile as it is reported.

    Args:
        seen: as what it was last found.
        face: what was read of it.
        track: its number.
        visible: share of it that is not covered.
        missed: it was looked for and not found in the last look.
        zoom: the picture's size over that of the quads.
    """
    angle, quad = seen.angle, seen.quad
    shows = seen.posture in (Posture.FACE_UP, Posture.UNSURE)
    if shows and face.turned > 0:
        angle, quad = angle + 180.0, np.roll(quad, 2, axis=0)
    if seen.posture is Posture.FACE_UP:
        angle = (angle + 180.0) % 360.0 - 180.0
    else:
        angle %= 180.0
    corners = tuple((round(float(x), 2), round(float(y), 2)) for x, y in quad * zoom)
    doubt = _REMEMBERED if missed else 1.0
    return TileSighting(
        x=round(seen.x, 2),
        y=round(seen.y, 2),
        z=seen.z,
        angle=round(angle, 2),
        posture=seen.posture,
        faces=face.evidence.faces() if shows else (),
        confidence=round(seen.confidence * doubt, 4),
        visible=round(visible, 2),
        quad=(corners[0], corners[1], corners[2], corners[3]),
        track=track,
    )
