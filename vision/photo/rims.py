"""Corners of faces drawn out to the rims that the picture shows.

The finder's quads lie inside the faces: in photographs that nothing taught by 3 to 17 % of a
tile's width, in each picture by much the same for all of its tiles (docs/decisions/0370). What is
read in them is read well, so only the corners that are told are drawn out, once all is read:

- of tiles that touch side by side the middles tell the width;
- top and bottom are where colours change along most tiles of a row at the same place, at each tile
  where they change there; a row shows them far better than a tile, whose own signs are lines too;
- of the others each side is where colours change most near where it should be.

Where no rim is to be seen a quad grows by what is usual.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image
from vision.photo.readings import ReadTile
from vision.sightings import Posture

Floats = NDArray[np.float64]

_WIDER, _LONGER = 1.12, 1.07
"""By how much faces are usually wider and longer than their quads."""
_WITH_WIDTH = 0.5
"""How much of what the width lacks the length lacks, where no rim shows it."""
_ALIKE, _LEANS = 0.8, 0.25
"""Of neighbours: how equal their sides are (least ratio), how much they lean against each other."""
_BESIDE, _LEVEL = (0.85, 1.45), 0.3
"""Of neighbours: middles so many widths from each other, and at most so many lengths up or down."""
_LEAST, _COMMON = (0.92, 1.4), 0.1
"""Widths that rows may show, in widths of the quads; how far a pair's may be off the usual one."""
_GAP, _PLAIN = 0.04, 0.4
"""Tiles that do not touch: how far inside of where they would their sides are at least, in widths,
and how plain it is there, in changes at their sides."""
_ROW, _SHOWS = 3, 3.0
"""A row has so many tiles, and so many pairs have to show one width."""
_REACH, _STEP = 0.84, 0.02
"""How far from the middle colours are looked at, and how finely, in sides of the quad."""
_CHANGE, _CHANGE_ALONE = 10.0, 18.0
"""Change of colour over three steps (sum of L, a and b of 255) that may be a rim."""
_SPREAD = 0.07
"""How far from where it should be a rim is still half believed, in sides of the quad."""
_RIM = (0.43, 0.72)
"""How far from the middle a row's rims may be."""
_OWN = 0.065
"""How far a tile's own rim may be off its row's."""


@dataclass(frozen=True, slots=True)
class _Frames:
    """Quads as parallelograms: middles, sides from left to right and from top to bottom (N, 2)."""

    middle: Floats
    across: Floats
    along: Floats

    @staticmethod
    def of(quads: Floats) -> _Frames:
        """Of quads (N, 4, 2) that begin at the top left."""
        a, b, c, d = quads.transpose(1, 0, 2)
        return _Frames(quads.mean(1), (b - a + c - d) / 2, (d - a + c - b) / 2)

    def some(self, rows: Sequence[int]) -> _Frames:
        """These of them, all with one top."""
        at = list(rows)
        across, along = self.across[at], self.along[at]
        sign = np.where(along @ along[0] < 0, -1.0, 1.0)[:, None]
        return _Frames(self.middle[at], across * sign, along * sign)

    def quads(self, left: Floats, right: Floats, top: Floats, bottom: Floats) -> Floats:
        """Corners (N, 4, 2) for sides at so many widths and lengths from the middle."""
        ends = ((left, top), (right, top), (right, bottom), (left, bottom))
        corners = [
            self.middle + x[:, None] * self.across + y[:, None] * self.along for x, y in ends
        ]
        return np.stack(corners, 1)


def on_rims(image: Image, tiles: Sequence[ReadTile]) -> list[ReadTile]:
    """The tiles of a picture, those that lie face up with the corners that the picture shows."""
    faces = [i for i, t in enumerate(tiles) if t.posture is Posture.FACE_UP]
    if not faces:
        return list(tiles)
    quads = np.array([tiles[i].quad for i in faces], np.float64)
    out = list(tiles)
    for i, quad in zip(faces, drawn_out(image, quads), strict=True):
        a, b, c, d = ((float(x), float(y)) for x, y in quad)
        out[i] = replace(tiles[i], quad=(a, b, c, d))
    return out


def drawn_out(image: Image, quads: Floats) -> Floats:
    """Quads (N, 4, 2) of faces, each from its own top left, with their sides on the rims."""
    frames = _Frames.of(quads)
    colours = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), np.uint8)
    pairs = _neighbours(frames)
    usual = _usual(pairs)
    out = np.empty_like(quads)
    for row in _rows(len(quads), pairs, usual):
        mine = frames.some(row)
        if usual is None or len(row) < _ROW:
            drawn = _alone(colours, mine, usual)
        else:
            drawn = _in_row(colours, mine, _widths(row, pairs, usual))
        turned = np.einsum("nk,nk->n", mine.along, frames.along[row]) < 0
        out[row] = np.where(turned[:, None, None], np.roll(drawn, 2, axis=1), drawn)
    return out


_Pairs = dict[tuple[int, int], float]
"""Tiles side by side, by number: how far apart their middles are, in their widths."""


def _neighbours(frames: _Frames) -> _Pairs:
    """All pairs, either way round."""
    sides = np.stack((frames.across, frames.along), 2)
    into = np.linalg.pinv(sides)
    apart = np.einsum("iab,ijb->ija", into, frames.middle[None] - frames.middle[:, None])
    other = np.einsum("iab,jbc->ijac", into, sides)
    other *= np.where(other[..., :1, :1] < 0, -1.0, 1.0)
    equal = (
        (np.abs(np.log(np.maximum(other[..., 0, 0], 1e-6))) < -np.log(_ALIKE))
        & (np.abs(np.log(np.maximum(np.abs(other[..., 1, 1]), 1e-6))) < -np.log(_ALIKE))
        & (np.abs(other[..., 1, 0]) < _LEANS / 2)
        & (np.abs(other[..., 0, 1]) < _LEANS)
    )
    far = np.abs(apart[..., 0]) * 2 / (1 + np.maximum(other[..., 0, 0], 1e-6))
    beside = (
        (np.abs(apart[..., 0]) > _BESIDE[0])
        & (np.abs(apart[..., 0]) < _BESIDE[1])
        & (np.abs(apart[..., 1]) < _LEVEL)
    )
    found = np.argwhere(equal & beside)
    return {(int(i), int(j)): float(far[i, j]) for i, j in found if i != j}


def _usual(pairs: _Pairs) -> float | None:
    """The width that most pairs of neighbours show; None where too few agree."""
    if len(pairs) <= _SHOWS:
        return None
    shown = np.array(list(pairs.values()))
    tried = np.arange(*_LEAST, 0.005)
    agree = np.exp(-(((tried[:, None] - shown) / 0.025) ** 2) / 2).sum(1)
    best = int(agree.argmax())
    return float(tried[best]) if agree[best] >= _SHOWS else None


def _rows(count: int, pairs: _Pairs, usual: float | None) -> list[list[int]]:
    """Tiles in rows: who touches whom by the usual width; who touches nobody is alone."""
    rows = {i: [i] for i in range(count)}
    for (i, j), width in pairs.items():
        if usual is None or abs(width - usual) >= _COMMON * usual or rows[i] is rows[j]:
            continue
        rows[i] += rows[j]
        for k in rows[j]:
            rows[k] = rows[i]
    return list({id(row): row for row in rows.values()}.values())


def _widths(row: Sequence[int], pairs: _Pairs, usual: float) -> Floats:
    """How wide the tiles of a row are, in widths of their quads."""
    shown: dict[int, list[float]] = {i: [] for i in row}
    for (i, _), width in pairs.items():
        if i in shown and abs(width - usual) < _COMMON * usual:
            shown[i].append(width)
    return np.array([np.mean(shown[i] or [usual]) for i in row])


def _in_row(colours: Image, frames: _Frames, wide: Floats) -> Floats:
    """The quads of tiles side by side, all with one top."""
    long = 1 + _WITH_WIDTH * (wide - 1)
    half = float(np.median(long)) / 2
    changes = _changes(colours, frames.middle, frames.along, frames.across)
    top, bottom = (
        _rims(changes, side * half, _CHANGE, sorted((side * _RIM[0], side * _RIM[1])))
        for side in (-1, 1)
    )
    left, right = _apart(colours, frames, float(np.median(wide))) or (-wide / 2, wide / 2)
    return frames.quads(
        left,
        right,
        -long / 2 if top is None else top,
        long / 2 if bottom is None else bottom,
    )


def _apart(colours: Image, frames: _Frames, wide: float) -> tuple[Floats, Floats] | None:
    """The sides of tiles between which the table shows; None where they touch."""
    changes = _changes(colours, frames.middle, frames.across, frames.along)
    common = np.median(changes, axis=0)
    sides = []
    for side in (-1, 1):
        touching = side * wide / 2
        inner = sorted((side * _RIM[0], touching - side * _GAP))
        rims = _rims(changes, touching - side * _GAP, _CHANGE_ALONE, inner)
        if rims is None:
            return None
        there, here = np.interp((touching, np.median(rims)), _AT, common)
        if there > _PLAIN * here:
            return None
        sides.append(rims)
    return sides[0], sides[1]


def _alone(colours: Image, frames: _Frames, usual: float | None) -> Floats:
    """The quads of tiles that show their sides by themselves only."""
    wide = usual or _WIDER
    long = 1 + _WITH_WIDTH * (usual - 1) if usual else _LONGER
    drawn = []
    for k in range(len(frames.middle)):
        one = frames.some([k])
        sides = []
        for way, other, side in ((one.across, one.along, wide), (one.along, one.across, long)):
            changes = _changes(colours, one.middle, way, other)
            for should in (-side / 2, side / 2):
                rim = _rims(changes, should, _CHANGE_ALONE, (should - 0.14, should + 0.14))
                sides.append(np.array([should]) if rim is None else rim)
        drawn.append(one.quads(*sides)[0])
    return np.stack(drawn)


_PLACES = np.arange(-_REACH, _REACH + _STEP / 2, _STEP)
_AT = _PLACES[1:-2] + _STEP / 2
"""Where colours are looked at, and the middles of the three steps over which they change."""


def _changes(colours: Image, middle: Floats, way: Floats, other: Floats) -> Floats:
    """How much colours change at each of ``_AT`` along ``way``, medians across it (N, len(_AT))."""
    across = np.linspace(-0.32, 0.32, 9)
    at = (
        middle[:, None, None]
        + _PLACES[None, :, None, None] * way[:, None, None]
        + across[None, None, :, None] * other[:, None, None]
    ).astype(np.float32)
    rows = at.reshape(len(middle), -1, 2)
    seen = cv2.remap(
        colours, rows[..., 0], rows[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    lines = np.median(seen.reshape(*at.shape[:3], 3).astype(np.float64), axis=2)
    return np.asarray(np.abs(lines[:, 3:] - lines[:, :-3]).sum(2))


def _rims(changes: Floats, should: float, least: float, within: Sequence[float]) -> Floats | None:
    """Where the rim of each tile is (N,), given one side's changes; None where none shows."""
    common = np.median(changes, axis=0)
    tops = [
        i
        for i in range(1, len(_AT) - 1)
        if within[0] <= _AT[i] <= within[1]
        and least <= common[i] >= common[i - 1]
        and common[i] > common[i + 1]
    ]
    if not tops:
        return None
    best = max(tops, key=lambda i: common[i] * np.exp(-(((_AT[i] - should) / _SPREAD) ** 2) / 2))
    rim = _summit(common, best)
    found = []
    for one in changes:
        near = np.where(np.abs(_AT - rim) <= _OWN, one, 0.0)
        own = int(near.argmax())
        found.append(_summit(one, own) if near[own] >= common[best] / 2 else rim)
    return np.array(found)


def _summit(changes: Floats, at: int) -> float:
    """Where between the steps around ``at`` the change is greatest.

    On a slope that only bends a little nothing is known of a summit beyond the next step.
    """
    if not 0 < at < len(changes) - 1:
        return float(_AT[at])
    before, here, after = changes[at - 1 : at + 2]
    bend = before - 2 * here + after
    off = 0.5 * (before - after) / bend if bend < 0 else 0.0
    return float(_AT[at] + np.clip(off, -1.0, 1.0) * _STEP)
