"""Blank white dragons told from backs by the colour of their body.

A blank white dragon shows nothing but what the other faces of its set are made of; a back has
another colour in nearly every set. So a tile that is read as one of the two is compared with the
faces that are surely read in the same picture, under the same light. In 400 photographed white
dragons the ratios of the colours differ from those of the faces beside them by at most 0.06 in
95 % (logarithm), as those of other faces do; of a coloured back by 0.5.

In a set whose backs have the colour of its faces this tells nothing: where a sure back of that
colour lies in the picture, or more such tiles than a set has white dragons, nothing is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.nets.evidence import BACK, FOREIGN, UNKNOWN

BLANK: Final = "5z"
"""The face that may be without any sign."""
_FRAME: Final = 0.13
"""Share of a crop at each rim that shows the edge of the tile and what lies beside it."""
_BRIGHT: Final = 60.0
"""Per cent of a face's pixels that are darker than its body, where it bears a sign."""
_WITNESSES, _WITNESS = 5, 0.95
"""So many faces read so surely tell how the bodies look."""
_ALIKE, _UNLIKE = 0.06, 0.15
_BRIGHTER, _DARKER = 0.06, 0.3
"""How far a body may be beyond the others: ratios of its colours, brightness (logarithms)."""
_WEIGHT: Final = 3.2
"""Log-odds that a body's colour is worth: one set in twenty-five has backs like its faces."""
_DOUBT: Final = 0.02
"""Probability that either must have so that anything is changed."""
_COPIES: Final = 4

Array = NDArray[np.float64]
Faces = tuple[tuple[str, float], ...]
"""Labels with probabilities, best first."""


def colours(crops: NDArray[np.uint8]) -> Array:
    """(n, 3) logarithms of the colour of the bodies that crops (n, h, w, 3) show, BGR."""
    count, height, width = crops.shape[:3]
    dy, dx = round(height * _FRAME), round(width * _FRAME)
    inner = crops[:, dy : height - dy, dx : width - dx].reshape(count, -1, 3)
    light = inner.sum(axis=2, dtype=np.int32)
    out = np.zeros((count, 3))
    for i in range(count):
        body = inner[i][light[i] >= np.percentile(light[i], _BRIGHT)]
        out[i] = np.log(np.median(body, axis=0) + 4.0)
    return out


def doubtful(faces: Sequence[tuple[str, float]]) -> bool:
    """Whether it is read as a white dragon or a back, and the other one is possible."""
    chance = dict(faces)
    return (
        faces[0][0] in (BACK, BLANK)
        and min(chance.get(BLANK, 0.0), chance.get(BACK, 0.0)) >= _DOUBT
    )


def weighed(readings: Sequence[Sequence[tuple[str, float]]], bodies: Array) -> list[Faces]:
    """Readings of one picture's tiles, those between white dragon and back weighed by colour.

    Args:
        readings: of each tile, labels with probabilities, best first.
        bodies: (n, 3) as :func:`colours` gives them.
    """
    out = [tuple(faces) for faces in readings]
    unsure = [i for i, faces in enumerate(out) if faces and doubtful(faces)]
    known = [
        i
        for i, faces in enumerate(out)
        if faces and faces[0][1] >= _WITNESS and faces[0][0] not in (BLANK, BACK, UNKNOWN, FOREIGN)
    ]
    if not unsure or len(known) < _WITNESSES:
        return out
    ratio = bodies[:, [0, 2]] - bodies[:, [1]]
    light = bodies.mean(axis=1)
    off = np.abs(ratio - np.median(ratio[known], axis=0)).max(axis=1)
    low, high = np.percentile(light[known], (5, 95))
    alike = (off < _ALIKE) & (light > low - _DARKER) & (light < high + _BRIGHTER)
    backs = [i for i, faces in enumerate(out) if faces and i not in unsure and faces[0][0] == BACK]
    if any(alike[i] for i in backs) or sum(bool(alike[i]) for i in unsure) > _COPIES:
        return out
    for i in unsure:
        weight = _WEIGHT if alike[i] else -_WEIGHT if off[i] > _UNLIKE else 0.0
        out[i] = _shifted(out[i], weight)
    return out


def _shifted(faces: Faces, weight: float) -> Faces:
    """The same with the odds of a white dragon against a back changed by a factor exp(weight)."""
    chance = dict(faces)
    both = chance[BLANK] + chance[BACK]
    blank = chance[BLANK] * np.exp(weight)
    chance[BLANK] = round(float(both * blank / (blank + chance[BACK])), 6)
    chance[BACK] = round(both - chance[BLANK], 6)
    return tuple(sorted(chance.items(), key=lambda item: -item[1]))
