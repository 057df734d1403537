"""A tile that was found again, compared with how it was seen before."""

from __future__ import annotations

import math
from dataclasses import replace

from vision.eye.lying import lies_otherwise
from vision.heights.placing import Detection, skew
from vision.sightings import Posture

STILL_MM = 2.0
"""A tile found so near to where it was lies still."""
_TURN_DEG = 12.0
"""Looks that differ by more are of two minds, as half under a hand: no mean of them is right."""
_SLID_MM = 14.0
"""A tile found so far from where its face was read is followed as the same, but read again: with
steps of less than this, a hand between them, a read tile went on to be its new neighbour."""
_PUSHED_MM = 6.0
"""The same where it comes out from under a hand: a pushed 4p had become the 3z that followed it."""
_BETTER = 0.08
"""A find whose size is by so much nearer to a tile's, as a share, is no worse than the last."""
_SHOWN = (Posture.FACE_UP, Posture.UNSURE)


def way_of(now: Detection, before: Detection) -> float:
    """How far apart a tile was found in two looks, mm."""
    return math.hypot(now.x - before.x, now.y - before.y)


def turn_of(now: Detection, before: Detection) -> float:
    """By how much it was turned between two looks, degrees from -180 on, counter-clockwise."""
    return (now.angle - before.angle + 180.0) % 360.0 - 180.0


def is_turned_over(now: Detection, before: Detection) -> bool:
    """Whether another side of it is up now."""
    return now.posture is not before.posture and (
        now.posture not in _SHOWN or before.posture not in _SHOWN
    )


def has_slid(now: Detection, read_at: tuple[float, float] | None) -> bool:
    """Whether it lies far off the place where its face was read, if it was (mm)."""
    return read_at is not None and math.dist(read_at, (now.x, now.y)) > _SLID_MM


def was_pushed(now: Detection, read_at: tuple[float, float] | None) -> bool:
    """Whether it lies a little off the place where its face was read, if it was (mm)."""
    return read_at is not None and math.dist(read_at, (now.x, now.y)) > _PUSHED_MM


def seems_otherwise(now: Detection, before: Detection, still: int) -> bool:
    """Whether a tile was found to lie on another side or across, and that may be a mistake.

    Args:
        now: the find.
        before: how it lay when its face was clear.
        still: how often in a row it was found where it had been.
    """
    likely = still > 0 or now.confidence < before.confidence
    # If it is better the first one was the mistake: half a face with some of the tile beside it.
    return likely and lies_otherwise(now, before) and not is_better(now, before)


def seems_to_slide(now: Detection, before: Detection, still: int) -> bool:
    """Whether a tile at rest, seen so often in a row, was found a little beside its place.

    Between two faces alike it is now found here and now there, depending on where the part of
    the picture that is searched ends.
    """
    near = now.z == before.z and STILL_MM < way_of(now, before) <= _PUSHED_MM
    return still > 0 and near and not is_better(now, before)


def is_better(now: Detection, before: Detection) -> bool:
    """Whether a find has much more of a tile's size than the one before, and is no less sure."""
    return before.fit - now.fit > _BETTER and now.confidence >= before.confidence


def was_askew(now: Detection, before: Detection) -> bool:
    """Whether a better find shows that a tile lies otherwise than it was framed."""
    return is_better(now, before) and skew(now.angle, before.angle) >= _TURN_DEG


def agrees(now: Detection, before: Detection) -> bool:
    """Whether two looks found a tile alike, so that their mean is better than each."""
    near = way_of(now, before) < STILL_MM and now.z == before.z
    return near and abs(turn_of(now, before)) < _TURN_DEG and now.posture is before.posture


def averaged(now: Detection, before: Detection, hits: int) -> Detection:
    """A find, its place and confidence averaged with what the looks before said.

    Args:
        now: the find.
        before: the mean of those before.
        hits: how many looks that makes.
    """
    part = 1.0 / min(hits, 5)
    return replace(
        now,
        quad=before.quad + part * (now.quad - before.quad),
        confidence=before.confidence + 0.3 * (now.confidence - before.confidence),
        x=before.x + part * (now.x - before.x),
        y=before.y + part * (now.y - before.y),
        angle=(before.angle + part * turn_of(now, before) + 180.0) % 360.0 - 180.0,
    )
