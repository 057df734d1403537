"""What the tiles of one photograph must have in common, and what follows for each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.nets.bodies import BLANK
from vision.nets.evidence import BACK, UNKNOWN
from vision.photo.readings import ReadTile
from vision.sightings import Posture

SHAPE = 1.36
"""Height of a tile's face over its width."""
_STRAIGHT, _ALIKE = 0.45, 0.3
"""How little tiles lean (radians), and how alike their shapes are (log), where they tell it."""
SURELY = 0.9
"""Confidence of a face that counts as well read."""
_CLEARLY = 0.7
"""How surely the middle face lies there in a picture that shows tiles in their own shape."""
_COPIES, _BESIDE = 4, 1.45
"""Copies of a kind in a set; distance of the middles of neighbours, in short sides."""
_SMALLEST = 9
"""Short side below which no face is told, pixels."""
_STRANGE = 0.62
"""Where the middle face of a picture is less surely a tile than this, no face is told."""
_FLOWERS = ("1f", "2f", "3f", "4f", "5f", "6f", "7f", "8f")
_A_FLOWER, _TOLD, _HARDLY_EVER = 0.6, 0.6, 0.003
"""Probabilities: of being a flower, to take part; of its kind, to be told; of what was not read."""
WITNESS = 0.76
"""At least one face of a picture must be found and read so surely that there are tiles at all: in
photographs of tiles the surest is found above 0.8, in those of dice and cards below 0.73."""
_WITNESSES = 4
"""Or so many different faces, none of them blank, must be found as surely as in a strange picture
and read beyond doubt: among dice, cards and floors there were two at most."""
_KEYS, _OF_KEYS = 4, 0.3
"""Of so many faces and more at least this share must be found and read surely: of keys and cards 1
of 4 were at most, in photographs of tiles half at least (docs/decisions/0374)."""
UNFIT = 0.99
"""How surely a face or a die must be read in a picture that is too dark, blurred or moved: in
photographs of hands spoilt so, 17 of 194 faces were read wrongly, one of them surer than this, and
129 of 177 that were right."""
HARDLY, BEYOND_DOUBT = 0.5, 0.98
"""A tile found less surely than the first has to be read more surely than the second."""


def worth(tiles: Sequence[ReadTile]) -> float:
    """How much of the picture was read: area, since a part of a tile may look like another."""
    read = sum(t.confidence * t.found * t.area for t in tiles if t.tile not in (UNKNOWN, BACK))
    rest = sum(t.confidence * t.area for t in tiles if t.tile in (UNKNOWN, BACK))
    return read + 0.05 * rest


def told(tiles: Sequence[ReadTile]) -> float:
    """How many faces were read, each as far as it is sure."""
    return sum(t.confidence for t in faces_told(tiles))


def well_read(tiles: Sequence[ReadTile]) -> bool:
    """Whether nearly every face found was read surely; a face alone may be a part of one."""
    faces = [t for t in tiles if t.posture is Posture.FACE_UP]
    if len(faces) < 2 or float(np.median([t.found for t in faces])) < _CLEARLY:
        return False
    return sum(t.tile != UNKNOWN and t.confidence > SURELY for t in faces) >= 0.85 * len(faces)


def shape_of(tiles: Sequence[ReadTile]) -> float:
    """By how much wider the picture should be so that faces have the shape of tiles.

    1 where too few faces or tiles that stand askew do not tell.
    """
    wanted = []
    for tile in tiles:
        if tile.tile in (UNKNOWN, BACK) or tile.confidence < SURELY:
            continue
        right, up = tile.axes
        lean = np.arctan2(*sorted(np.abs(up)))
        ratio = float(np.linalg.norm(up) / max(1e-9, float(np.linalg.norm(right)))) / SHAPE
        if lean < _STRAIGHT:
            wanted.append(np.log(ratio if abs(up[1]) > abs(up[0]) else 1 / ratio))
    if len(wanted) < max(4, 0.6 * len(tiles)):
        return 1.0
    low, middle, high = np.percentile(wanted, (25, 50, 75))
    return float(np.exp(middle)) if high - low < _ALIKE else 1.0


def few_blank(tiles: list[ReadTile]) -> list[ReadTile]:
    """Where more white dragons are read than a set has, they are white backs, or some are.

    More than four side by side are backs. No more than four together, beside a face of another
    kind, lie among faces and are believed (some sets have blank spare tiles).
    """
    blank = [t for t in tiles if t.tile == BLANK]
    if len(blank) <= _COPIES:
        return tiles
    others = [t for t in tiles if t.tile not in (UNKNOWN, BACK, BLANK) and t.confidence > SURELY]
    kept: list[ReadTile] = []
    backs: list[ReadTile] = []
    while blank:
        row = [blank.pop()]
        for t in row:  # grows while it is gone through
            row += [u for u in blank if _touch(t, u)]
            blank = [u for u in blank if all(u is not v for v in row)]
        if len(row) <= _COPIES and any(_touch(t, other) for t in row for other in others):
            kept += row
        elif len(row) > _COPIES:
            backs += row
    out = []
    for t in tiles:
        if any(t is back for back in backs):
            out.append(replace(t, tile=BACK, posture=Posture.FACE_DOWN, confidence=t.found))
        elif t.tile == BLANK and all(t is not k for k in kept):
            out.append(replace(t, tile=UNKNOWN))
        else:
            out.append(t)
    return out


def _touch(one: ReadTile, other: ReadTile) -> bool:
    """Whether two tiles lie side by side."""
    apart = float(np.linalg.norm(one.centre - other.centre))
    return apart < _BESIDE * (one.short + other.short) / 2


def one_of_each_flower(tiles: list[ReadTile]) -> list[ReadTile]:
    """A set has each flower once: where one is read twice, all are read together.

    The likeliest reading in which each flower comes once is told, as far as it is sure among
    the flowers that are left for a tile. Tiles that were too doubtful alone take part. Where two
    are surely the same one, there is more than one set on the table, and nothing is changed.
    """
    mine = [i for i, t in enumerate(tiles) if _flower_share(t) >= _A_FLOWER]
    read = Counter(tiles[i].tile for i in mine)
    sure = Counter(tiles[i].tile for i in mine if tiles[i].confidence > SURELY)
    if (
        not 2 <= len(mine) <= len(_FLOWERS)
        or max(sure.values(), default=0) > 1
        or (read[UNKNOWN] == 0 and max(read.values()) == 1)
    ):
        return tiles
    chance = np.full((len(mine), len(_FLOWERS)), _HARDLY_EVER)
    for row, i in enumerate(mine):
        for label, p in tiles[i].likely:
            if label in _FLOWERS:
                chance[row, _FLOWERS.index(label)] = max(p, _HARDLY_EVER)
    out = list(tiles)
    best = _best_apart(np.log(chance))
    for row, i in enumerate(mine):
        others = [k for r, k in enumerate(best) if r != row and chance[r, k] > chance[row, k]]
        left = np.delete(chance[row], others).sum()
        p = float(chance[row, best[row]] / max(1.0 - _flower_share(tiles[i]) + left, 1e-9))
        told_as = _FLOWERS[best[row]] if p >= _TOLD else UNKNOWN
        out[i] = replace(tiles[i], tile=told_as, confidence=round(min(p, 0.999), 6))
    return out


def _flower_share(tile: ReadTile) -> float:
    """How surely it is a flower of whichever kind."""
    return sum(p for label, p in tile.likely if label in _FLOWERS)


def _best_apart(value: NDArray[np.float64]) -> list[int]:
    """For each row (N, 8) a column of its own, so that the sum of values is greatest."""
    best: dict[int, tuple[float, list[int]]] = {0: (0.0, [])}
    for row in value:
        step: dict[int, tuple[float, list[int]]] = {}
        for used, (total, columns) in best.items():
            for k in range(len(row)):
                if used >> k & 1:
                    continue
                new = total + float(row[k])
                if used | 1 << k not in step or new > step[used | 1 << k][0]:
                    step[used | 1 << k] = new, [*columns, k]
        best = step
    return max(best.values())[1]


def doubted(tiles: list[ReadTile]) -> list[ReadTile]:
    """Tell no face that is too small to be read, nor one where a tile hardly lies.

    Dice, cards and signs can look like faces. Where most of what was read in a picture is hardly
    taken for tiles, or nothing is surely a tile and surely read, nothing there is told. A face
    that may be blank must be read more surely to speak for others: backs are blank as well.
    """
    faces = faces_told(tiles)
    if not faces:
        return tiles
    witness = max(
        (t.found for t in faces if t.confidence >= (BEYOND_DOUBT if t.tile == BLANK else SURELY)),
        default=0.0,
    )
    together = {
        t.tile
        for t in faces
        if t.tile != BLANK and t.found >= _STRANGE and t.confidence >= BEYOND_DOUBT
    }
    seen = witness >= WITNESS or len(together) >= _WITNESSES
    strange = float(np.median([t.found for t in faces])) < _STRANGE
    nothing = strange or not seen or _like_keys(tiles)
    return [
        replace(t, tile=UNKNOWN)
        if t.tile not in (UNKNOWN, BACK)
        and (
            nothing
            or t.area < _SMALLEST**2 * SHAPE
            or (t.found < HARDLY and t.confidence < BEYOND_DOUBT)
        )
        else t
        for t in tiles
    ]


def _like_keys(tiles: Sequence[ReadTile]) -> bool:
    """Whether there are many things like faces, of which hardly any is surely a tile's."""
    alike = [t for t in tiles if t.posture is Posture.FACE_UP and t.tile != BACK]
    sure = sum(t.found >= _STRANGE and t.confidence >= SURELY for t in faces_told(alike))
    return len(alike) >= _KEYS and sure < _OF_KEYS * len(alike)


def unfit(tiles: list[ReadTile]) -> list[ReadTile]:
    """Tell only what is beyond doubt in a picture that is not fit to be read."""
    return [
        replace(t, tile=UNKNOWN) if t.tile not in (UNKNOWN, BACK) and t.confidence < UNFIT else t
        for t in tiles
    ]


def of_one_size(tiles: list[ReadTile]) -> list[ReadTile]:
    """Drop what cannot be a tile beside tiles whose faces were read: one set has one size."""
    told = [t.short for t in faces_told(tiles)]
    if len(told) < 2:
        return tiles
    size = float(np.median(told))
    return [
        t for t in tiles if t.tile not in (UNKNOWN, BACK) or (0.5 * size < t.short < 1.8 * size)
    ]


def faces_told(tiles: Sequence[ReadTile]) -> list[ReadTile]:
    """Those of which a face is told."""
    return [t for t in tiles if t.tile not in (UNKNOWN, BACK)]
