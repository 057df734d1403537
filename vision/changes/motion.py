"""What changed in the picture: so that a still table costs almost nothing.

Pictures are compared at a quarter of their size (noise averages out) in *cells* of 8×8 picture
pixels. Two questions are answered for every cell: does it differ from the picture before
(*moving*), and does it differ from the picture at which the cell was last looked at
(*changed*)? Light that flickers or drifts is divided out per colour channel first.

Deterministic: no clock, no random numbers, one thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image

CELL = 8
"""Picture pixels along a cell's side; also the pitch of the finder's map of arms."""
SHRINK = 4
_SUB = CELL // SHRINK
_SAMPLE = 6
"""Every so manieth value, down and across, says how bright a picture is."""
_BRIGHT = 248
"""From here on a value is as bright as can be."""
Mask = NDArray[np.bool_]


class Box(NamedTuple):
    """A rectangle in picture pixels: left, top, right, bottom (the last two exclusive)."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def area(self) -> int:
        """Pixels inside."""
        return max(self.x1 - self.x0, 0) * max(self.y1 - self.y0, 0)

    def joined(self, other: Box) -> Box:
        """The smallest box around both."""
        return Box(
            min(self.x0, other.x0),
            min(self.y0, other.y0),
            max(self.x1, other.x1),
            max(self.y1, other.y1),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """What one picture shows against those before.

    Attributes:
        changed: (H/8, W/8) cells that differ from when they were last looked at.
        moving: (H/8, W/8) cells that differ from the picture before.
        gain: brightness of this picture over the reference (blue, green, red).
        jumped: so much differs that everything must be looked at anew.
    """

    changed: Mask
    moving: Mask
    gain: tuple[float, float, float]
    jumped: bool


class MotionDetector:
    """Compares each picture with the one before and with what was last looked at.

    Only a part of the picture is compared where one is given: what people do around the table
    is no change, and costs nothing.

    Args:
        size: picture width and height, pixels.
        threshold: smallest difference (0..255 at a quarter of the size) that counts, beside
            the noise measured from the pictures themselves.
        relative: the same as a share of the brightness there.
        within: what is compared, pixels; None: the whole picture.
    """

    def __init__(
        self,
        size: tuple[int, int],
        threshold: float = 9.0,
        relative: float = 0.06,
        within: Box | None = None,
    ) -> None:
        self.size = size
        self.cells = (-(-size[1] // CELL), -(-size[0] // CELL))
        if within is None or size[0] % CELL or size[1] % CELL:
            within = Box(0, 0, *size)
        within = within._replace(x0=within.x0 // CELL * CELL, y0=within.y0 // CELL * CELL)
        self._within = within
        rows = slice(self._within.y0 // CELL, -(-self._within.y1 // CELL))
        columns = slice(self._within.x0 // CELL, -(-self._within.x1 // CELL))
        self._rows, self._columns = rows, columns
        # Whole cells: a size that is no multiple of 8 is stretched by less than one cell.
        self._part_cells = (rows.stop - rows.start, columns.stop - columns.start)
        self._small = (self._part_cells[1] * _SUB, self._part_cells[0] * _SUB)
        self._threshold = threshold
        self._relative = relative
        self._noise = 0.0
        self._level: Image | None = None
        self._reference: _Shot | None = None
        self._before: _Shot | None = None
        self._half: Image | None = None
        self._count = 0

    @property
    def noise(self) -> float:
        """Typical difference between two pictures of a still table, 0..255."""
        return self._noise

    @property
    def level(self) -> Image:
        """The latest picture at a quarter of the size with its light evened out.

        Black where pictures are not compared.
        """
        if self._level is None:
            raise ValueError("no picture yet")
        return self._level

    def step(self, image: Image) -> Motion:
        """Take in the next picture (H, W, 3).

        Raises:
            ValueError: the picture has another size.
        """
        if image.shape[:2] != (self.size[1], self.size[0]):
            raise ValueError(f"picture of {image.shape[1]}x{image.shape[0]}, not {self.size}")
        small = self._shrunk(image)
        self._count += 1
        clipped = _clipped(small)
        if self._reference is None or self._before is None:
            self._before = _Shot(small, clipped)
            self._reference = _Shot(small.copy(), None if clipped is None else clipped.copy())
            self._keep(small)
            everything = self._whole(np.ones(self._part_cells, dtype=bool))
            none = np.zeros(self.cells, dtype=bool)
            return Motion(everything, none, (1.0, 1.0, 1.0), jumped=True)
        gain = _gain(small, self._reference.level)
        level = small
        if any(abs(value - 1.0) > 0.004 for value in gain):
            table = np.arange(256, dtype=np.float64)[:, None] / np.array(gain)
            table = np.clip(np.rint(table), 0, 255).astype(np.uint8).reshape(1, 256, 3)
            level = np.asarray(cv2.LUT(small, table), dtype=np.uint8)
        now = _Shot(level, clipped)
        limit = max(self._threshold, 6.0 * self._noise)
        # Dividing the light out is less exact the further it is off (partly clipped edges).
        relative = self._relative + 0.35 * max(abs(value - 1.0) for value in gain)
        difference = _apart(now, self._before)
        moving = self._cells_over(difference, self._before.level, limit, relative)
        changed = self._cells_over(
            _apart(now, self._reference), self._reference.level, limit, relative
        )
        self._measure_noise(difference)
        self._before = now
        self._keep(level)
        if self._count % 8 == 0:
            self._follow(level, changed)
        jumped = float(changed.mean()) > 0.6
        return Motion(self._whole(changed), self._whole(moving), gain, jumped)

    def _shrunk(self, image: Image) -> Image:
        """A quarter of the size; halving twice is four times as fast as a quarter at once."""
        box = self._within
        part = image[box.y0 : box.y1, box.x0 : box.x1]
        height, width = part.shape[:2]
        if height % 2 == 0 and width % 2 == 0:
            half = (width // 2, height // 2)
            self._half = np.asarray(
                cv2.resize(part, half, dst=self._half, interpolation=cv2.INTER_AREA), np.uint8
            )
            part = self._half
        return np.asarray(cv2.resize(part, self._small, interpolation=cv2.INTER_AREA), np.uint8)

    def _keep(self, level: Image) -> None:
        """As the latest, at its place in the whole picture."""
        if self._part_cells == self.cells:
            self._level = level
            return
        whole = np.zeros((self.cells[0] * _SUB, self.cells[1] * _SUB, 3), np.uint8)
        rows, columns = self._rows, self._columns
        whole[rows.start * _SUB : rows.stop * _SUB, columns.start * _SUB : columns.stop * _SUB] = (
            level
        )
        self._level = whole

    def _whole(self, part: Mask) -> Mask:
        if part.shape == self.cells:
            return part
        whole = np.zeros(self.cells, dtype=bool)
        whole[self._rows, self._columns] = part
        return whole

    def looked(self, cells: Mask) -> None:
        """These cells were looked at in the latest picture: compare with it from now on."""
        if self._before is None or self._reference is None:
            raise ValueError("no picture yet")
        part = cells[self._rows, self._columns]
        if part.any():
            self._reference.take(self._before, _grown(part))

    def _cells_over(self, apart: Image, other: Image, limit: float, relative: float) -> Mask:
        """Cells in which a difference is more than noise and light may make it."""
        # What light that is not quite evened out may do grows with the brightness.
        allowed = cv2.convertScaleAbs(other, alpha=relative, beta=limit)
        over = cv2.compare(apart, allowed, cv2.CMP_GT)
        if not over.max():
            return np.zeros(self._part_cells, dtype=bool)
        # 255 where a channel differs; adding the channels up says by how many of them.
        planes = cv2.transform(over, np.full((1, 3), 1 / 3, dtype=np.float32))
        count = cv2.resize(planes, self._part_cells[::-1], interpolation=cv2.INTER_AREA).astype(
            np.float32
        )
        # A cell counts when it or its neighbours hold at least two differing quarter pixels.
        around = cv2.boxFilter(count, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
        return np.asarray((count > 12) & (around > 60), dtype=bool)

    def _measure_noise(self, difference: Image) -> None:
        sample = difference[3::7, 3::7].ravel()
        # The 60th percentile of |a-b| of two normal values is 1.19 standard deviations.
        place = int(0.6 * sample.size)
        value = float(np.partition(sample, place)[place])
        self._noise += 0.1 * (value / 1.19 - self._noise)

    def _follow(self, level: Image, changed: Mask) -> None:
        """Let the reference follow slow drifts of light where nothing changed."""
        if self._reference is None:
            return
        reference = self._reference.level
        mixed = cv2.addWeighted(reference, 0.7, level, 0.3, 0.0)
        cv2.copyTo(mixed, _grown(~changed), reference)


@dataclass(slots=True, eq=False)
class _Shot:
    """A picture at a quarter of the size.

    Attributes:
        level: (h, w, 3), its light evened out.
        clipped: 255 where a value was as bright as can be (its light is unknown); None: nowhere.
    """

    level: Image
    clipped: Image | None

    def take(self, other: _Shot, mask: Image) -> None:
        """What the other shows where the mask (h, w) is 1."""
        cv2.copyTo(other.level, mask, self.level)
        if self.clipped is None and other.clipped is not None:
            self.clipped = np.zeros_like(self.level)
        if self.clipped is not None:
            there = np.zeros_like(self.level) if other.clipped is None else other.clipped
            cv2.copyTo(there, mask, self.clipped)


def _clipped(small: Image) -> Image | None:
    if int(small.max()) < _BRIGHT:
        return None
    return np.asarray(cv2.threshold(small, _BRIGHT - 1, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8)


def _apart(now: _Shot, other: _Shot) -> Image:
    """How much two pictures differ, (h, w, 3).

    A clipped value may have been brighter: there only "too dark for that" is a difference.
    """
    if now.clipped is None and other.clipped is None:
        return np.asarray(cv2.absdiff(now.level, other.level), dtype=np.uint8)
    brighter = cv2.subtract(now.level, other.level)
    darker = cv2.subtract(other.level, now.level)
    if other.clipped is not None:
        brighter = cv2.subtract(brighter, other.clipped)
    if now.clipped is not None:
        darker = cv2.subtract(darker, now.clipped)
    return np.asarray(cv2.max(brighter, darker), dtype=np.uint8)


def _grown(cells: Mask) -> Image:
    """The mask of cells at a quarter of the picture's size."""
    return cells.repeat(_SUB, axis=0).repeat(_SUB, axis=1).view(np.uint8)


def _gain(small: Image, reference: Image) -> tuple[float, float, float]:
    """How much brighter a picture is than another, channel by channel, by the median."""
    now = small[2::_SAMPLE, 2::_SAMPLE].reshape(-1, 3)
    then = reference[2::_SAMPLE, 2::_SAMPLE].reshape(-1, 3)
    usable = (np.minimum(now, then) > 12).all(axis=1) & (np.maximum(now, then) < 245).all(axis=1)
    if int(np.count_nonzero(usable)) < 50:
        return 1.0, 1.0, 1.0
    ratios = now[usable].T.astype(np.float32) / then[usable].T
    middle = ratios.shape[1] // 2
    ratio = np.partition(ratios, middle, axis=1)[:, middle]
    if ratio.min() < 0.5 or ratio.max() > 2.0 or ratio.max() > 1.5 * ratio.min():
        return 1.0, 1.0, 1.0  # no lamp does that: another picture
    return float(ratio[0]), float(ratio[1]), float(ratio[2])


def dilated(mask: Mask, cells: int) -> Mask:
    """The mask grown by so many cells in every direction."""
    if cells <= 0 or not mask.any():
        return mask.copy()
    kernel = np.ones((2 * cells + 1, 2 * cells + 1), np.uint8)
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel), dtype=bool)


def boxes_around(
    mask: Mask, size: tuple[int, int], *, margin: int, step: int = 32, waste: float = 0.45
) -> list[Box]:
    """Few boxes that cover all cells of a mask, each grown by ``margin`` pixels.

    Args:
        mask: (H/8, W/8) cells.
        size: picture width and height, pixels.
        margin: pixels around the cells (a tile's length, so that no tile is cut).
        step: box sides are multiples of it where the picture allows (a net's stride).
        waste: boxes are joined while the joint one is at most this share larger than both.
    """
    if not mask.any():
        return []
    grown = dilated(mask, max(margin // (2 * CELL), 1)).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8)
    boxes = []
    labels = cv2.connectedComponents(grown, connectivity=8)[1]
    for label in range(1, count):
        left, top, width, height = (int(value) for value in stats[label, :4])
        inside = mask[top : top + height, left : left + width] & (
            labels[top : top + height, left : left + width] == label
        )
        rows, columns = np.nonzero(inside.any(axis=1))[0], np.nonzero(inside.any(axis=0))[0]
        boxes.append(
            Box(
                (left + int(columns[0])) * CELL - margin,
                (top + int(rows[0])) * CELL - margin,
                (left + int(columns[-1]) + 1) * CELL + margin,
                (top + int(rows[-1]) + 1) * CELL + margin,
            )
        )
    boxes = [_aligned(box, size, step) for box in boxes]
    merged = True
    while merged:
        merged = False
        for first in range(len(boxes)):
            for second in range(first + 1, len(boxes)):
                joint = _aligned(boxes[first].joined(boxes[second]), size, step)
                if joint.area <= (1 + waste) * (boxes[first].area + boxes[second].area):
                    boxes[first] = joint
                    del boxes[second]
                    merged = True
                    break
            if merged:
                break
    return sorted(boxes)


def _aligned(box: Box, size: tuple[int, int], step: int) -> Box:
    def span(low: int, high: int, limit: int) -> tuple[int, int]:
        low, high = max(low, 0), min(high, limit)
        length = -(-(high - low) // step) * step
        # Boxes begin at cells, so that maps of cells can be put together.
        low = max(min((low + high - length) // 2, limit - length), 0) // CELL * CELL
        return low, min(low + length, limit)

    x0, x1 = span(box.x0, box.x1, size[0])
    y0, y1 = span(box.y0, box.y1, size[1])
    return Box(x0, y0, x1, y1)
