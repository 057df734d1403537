"""How a tile was last seen clearly and at rest: what the next look at its place is compared with.

A half hidden tile is found off its place; if that counted, the step by which an upper tile that is
taken and the one below it differ would be made in two that say nothing. So is one in the shadow of
a hand: three looks that took an upper tile for the one below it were believed more than how it lay,
to a tenth of a millimetre, once the hand was gone.
"""

from __future__ import annotations

import math

from vision.changes.sampling import Array
from vision.heights.placing import Before, Detection

CLEAR, _CERTAIN = 0.8, 0.68
"""From this share of a tile and this confidence on its picture says exactly where it lies."""
VERY_CLEAR = 0.9
_SAME_PX, _SETTLED = 1.0, 2
"""A tile seen this near to its anchor has not moved; elsewhere it must lie still so often."""
_KNOWN_LEVEL = 5.0
"""Log-odds of a height that such looks agreed on: seeing the same again says nothing new."""


def first_seen(seen: Detection, centre: Array) -> Before:
    """A tile that was not yet seen clearly and at rest, as it is seen now."""
    cx, cy = centre
    return Before(float(cx), float(cy), seen.level, shade=_shade(seen, None))


def settled(
    anchor: Before | None,
    seen: Detection,
    centre: Array,
    *,
    visible: float,
    moving: bool,
    still: int,
) -> Before | None:
    """The anchor after another look.

    Args:
        anchor: the one before it.
        seen: how the tile is seen.
        centre: (2,) middle of its quad, picture pixels.
        visible: share of it that is not covered.
        moving: it is on its way.
        still: how often in a row it was found where it had been.
    """
    if anchor is not None and (visible < CLEAR or seen.shadowed):
        return anchor._replace(hidden=True)
    if visible < CLEAR or moving:
        return anchor
    cx, cy = (float(value) for value in centre)
    other = anchor is not None and anchor.level * seen.level < 0.0
    # What was on another layer does not lie where it was seen: that must be seen again.
    same = anchor is not None and not other and math.hypot(cx - anchor.x, cy - anchor.y) < _SAME_PX
    sure = visible >= VERY_CLEAR and seen.confidence >= _CERTAIN
    if not (anchor is None or same or seen.anew or (sure and still >= _SETTLED)):
        return anchor
    level = seen.level
    if still >= _SETTLED and level:
        level = math.copysign(max(abs(level), _KNOWN_LEVEL), level)
    return Before(cx, cy, level, shade=_shade(seen, None if other else anchor))


def _shade(seen: Detection, anchor: Before | None) -> float:
    """The tile's own shade, not that of a hand: 0 where that was never seen of this layer."""
    if not seen.shadowed:
        return seen.shade
    return 0.0 if anchor is None else anchor.shade
