"""Finds dice and reads the value of their upper side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.crops import crop_of, looked_at_again, views_of
from vision.image import Image
from vision.nets import modelfile

Spot = tuple[float, float, float, float, float]
"""x0, y0, x1, y1 in pixels of the picture, and how surely a die lies there."""

WORKING_PX = 22.0
"""Width of a die's box, pixels, at the scale at which the net looks."""
_BOX = 1.27
"""Width of the box around a die at a random angle over its edge (4 / pi)."""
_STRIDE = 4
_SIDE_BASE = 20.0
_NONE = 6
"""The class of a die that shows no value: rolling or leaning."""
_NO_DIE = 7
"""The class of a crop without a die; a model of values may not know it."""
_SMEAR, _SURE_SMEARED = 0.45, 0.9
"""A crop whose edges run in one direction, with less than this share across it, may show a die that
moved while the picture was taken: its value must be so sure. Of 1591 dice at rest (photographs of
two families, drawn ones) 2.5 % have less, of 388 moving ones half."""
_LONGEST = 2200
_STEP = 1.4
_FIT = 0.62, 1.6
"""Sizes tried in an unknown picture grow by this; boxes over the size tried lie between these."""
_SIZES = 2.2
"""Dice of one picture differ in size by at most this factor."""
_SWALLOWED = 5.0
"""A box so many times as wide as another is no box of the same die: a whole board has been taken
for a die that shows nothing, and those that lay on it were dropped."""
_OF_SPOT, _OF_CROP, _OF_VALUE, _ODDS = 1.25, 1.2, 0.38, -3.3
"""Log-odds that a die lies at a spot of a picture of which nothing is known: so much of the
finder's own, of the reader's that it is a die, of those of its value among a die's, and a constant.
Fitted to dice of makes that neither net had seen, and to keyboards, cards and the like: by the
product of both chances twice as many of these pictures show dice, and no more dice are found
(docs/decisions/0376)."""
_TOLD, _TOLD_BARE, _TOLD_SIZED = 0.82, 0.98, 0.8
"""How surely a die must lie there: with a value, without one, and where its size is known."""
_WORTH = _TOLD_SIZED / 2 - 1e-4
"""What the finder is less sure of is not believed where a die's size is known, whatever the reader
of values says: a die is as sure as twice its spot at most. Nor does it stand in another's way, for
the other is surer. So it need not be read; around hands that is most of what is found."""
_LEAST_SIZED = 0.75
"""Where a die's size is known its box is at least so many edges wide or high: a lamp of the machine
was 0.6. Of 142 rendered ones none is below 0.97."""
_BARE_SIZED = 1.0
"""Weight of the chance of no value where a die's size is known, which is at a table: there dice do
roll and lean. In photographs of dice far fewer do than were shown to the net, and it is less."""
_VALUE = 0.7
"""How surely a second look must tell a value."""
_BESIDE, _VALUE_BESIDE, _COMPANION = 0.3, 0.5, 0.92
"""How surely a die and its value must be told beside one found so surely, where no tile lies."""
_STRIP = 1024
_OVERLAP = 48


@dataclass(frozen=True, slots=True)
class FoundDie:
    """One die.

    Attributes:
        box: x0, y0, x1, y1 in pixels of the picture.
        value: 1..6, or None where it rolls, leans or cannot be read.
        confidence: of the value; of the die where it has none; 0..1.
        found: how surely a die lies there at all, 0..1.
        likely: the value of an undecided one after a second look, and ``chance`` how sure it is.
    """

    box: tuple[float, float, float, float]
    value: int | None
    confidence: float
    found: float = 1.0
    likely: int | None = None
    chance: float = 0.0

    @property
    def sure(self) -> bool:
        """Whether it is surely a die where any ground may be; more so where it has no value."""
        return self.found >= (_TOLD if self.value else _TOLD_BARE)


class DiceReader:
    """The dice reader; one object per thread of use."""

    def __init__(self, model_dir: Path | None = None, threads: int = 1) -> None:
        """Open the model.

        Raises:
            ModelError: the model file is missing, altered or of another version.
        """
        self._model = modelfile.load("dice", model_dir, threads)
        self._pips = modelfile.load("pips", model_dir, threads)
        self._least = self._model.manifest.settings["threshold"]
        settings = self._pips.manifest.settings
        self._sure, self._heat = settings["threshold"], settings["temperature"]
        self._die = settings.get("die", 0.0)
        self._bare = settings.get("none", 1.0)
        self._margin = settings.get("margin", 1.12)
        self._px = int(self._pips.session.get_inputs()[0].shape[1])

    @property
    def versions(self) -> dict[str, str]:
        """Of the models in use, by their names."""
        return {model.manifest.name: model.manifest.version for model in (self._model, self._pips)}

    def find(self, image: Image, die_px: float | None = None) -> list[FoundDie]:
        """Find the dice of a picture.

        Args:
            image: (H, W, 3) BGR; for speed only the part where dice may lie.
            die_px: edge of a die in pixels where it is known; otherwise dice of all sizes are
                looked for, of about one size in a picture.

        Returns:
            The dice, most certain first.
        """
        if die_px is not None:
            every = self.look(image, WORKING_PX / (_BOX * die_px))
            least = _LEAST_SIZED * die_px
            worth = [s for s in every if s[4] >= _WORTH and max(s[2] - s[0], s[3] - s[1]) >= least]
            return [die for die in self._values(image, worth) if die.found >= _TOLD_SIZED]
        spots: list[Spot] = []
        longest = max(image.shape[:2])
        size = WORKING_PX
        while size < longest:
            scale = WORKING_PX / size
            if longest * scale <= _LONGEST:
                spots += [
                    s for s in self.look(image, scale) if _FIT[0] < (s[2] - s[0]) / size < _FIT[1]
                ]
            size *= _STEP
        return _of_one_size(self._values(image, spots, anywhere=True))

    def chances(
        self, image: Image, spots: Sequence[Spot], bare: float | None = None
    ) -> NDArray[np.float64]:
        """Chances (n, 8) of the values 1..6, of no value, and of no die, for each spot.

        ``bare`` weighs that of no value; by default as in a picture of which nothing is known.
        """
        if not spots:
            return np.zeros((0, 8))
        return self._weighed([self._views(image, spot) for spot in spots], bare)

    def _weighed(
        self, views: Sequence[NDArray[np.uint8]], bare: float | None = None
    ) -> NDArray[np.float64]:
        """Chances (n, 8) of n dice, each from its own views (v, 3, px, px)."""
        crops = np.ascontiguousarray(np.concatenate(views).transpose(0, 2, 3, 1))
        every = np.concatenate(
            [self._pips.run(crops[i : i + 32])[0] for i in range(0, len(crops), 32)]
        )
        ends = np.cumsum([len(one) for one in views])[:-1]
        logits = np.stack([part.mean(axis=0) for part in np.split(every, ends)])
        if logits.shape[1] <= _NO_DIE:
            logits = np.pad(logits, ((0, 0), (0, 1)), constant_values=-30.0)
        scores = np.exp((logits - logits.max(axis=1, keepdims=True)) / self._heat)
        scores[:, _NONE] *= self._bare if bare is None else bare
        return np.asarray(scores / scores.sum(axis=1, keepdims=True), np.float64)

    def _views(self, image: Image, spot: Spot) -> NDArray[np.uint8]:
        return views_of(image, spot[:4], self._px, self._margin)

    def _smeared(self, image: Image, spot: Spot) -> bool:
        """Whether nearly all edges of a spot run in one direction, as those of what moves do."""
        crop = crop_of(image, spot[:4], self._px, self._margin)
        off = np.arange(self._px) - (self._px - 1) / 2
        inside = np.hypot(*np.meshgrid(off, off)) < 0.475 * self._px
        across = np.zeros(3)
        for plane in crop.astype(np.float32):
            soft = cv2.GaussianBlur(plane, (0, 0), 0.8)
            x = cv2.Scharr(soft, cv2.CV_32F, 1, 0)[inside]
            y = cv2.Scharr(soft, cv2.CV_32F, 0, 1)[inside]
            across += (float(x @ x), float(y @ y), float(x @ y))
        xx, yy, xy = across
        half = float(np.hypot((xx - yy) / 2, xy))
        middle = (xx + yy) / 2
        return bool(middle - half < _SMEAR * (middle + half))

    def _values(self, image: Image, spots: list[Spot], *, anywhere: bool = False) -> list[FoundDie]:
        """Read the values of found dice; drop what the reader of values takes for none.

        They lie at a table and are of a known size, or ``anywhere``: then those whose value is
        undecided are looked at once more.
        """
        dice: list[tuple[float, FoundDie, Spot]] = []
        bare = None if anywhere else _BARE_SIZED
        for spot, row in zip(spots, self.chances(image, spots, bare), strict=True):
            is_die, (kind, told) = 1.0 - float(row[_NO_DIE]), _shown(row)
            found = _lies(spot[4], is_die, told) if anywhere else min(1.0, spot[4] * 2) * is_die
            if found < self._die:
                continue
            value = kind + 1 if kind != _NONE and told >= self._sure else None
            if value is not None and told < _SURE_SMEARED and self._smeared(image, spot):
                value = None
            x0, y0, x1, y1 = (round(v, 2) for v in spot[:4])
            # a die that is hardly one has no sure value either
            confidence = round(found * told, 5)
            die = FoundDie((x0, y0, x1, y1), value, confidence, round(found, 4))
            dice.append((spot[4] * is_die, die, spot))
        # the box that fits best is the one whose middle the finder is surest of: one around two
        # dice is surely a die as well
        dice.sort(key=lambda item: (-item[0], -item[1].confidence))
        kept: list[tuple[FoundDie, Spot]] = []
        for _, die, spot in dice:
            if all(_two_dice(die.box, other.box) for other, _ in kept):
                kept.append((die, spot))
        read = [self._again(image, *one) if anywhere else one[0] for one in kept]
        return sorted(read, key=lambda die: -die.confidence)

    def _again(self, image: Image, die: FoundDie, spot: Spot) -> FoundDie:
        """A die of undecided value, by what many looks agree on; one that is smeared stays so."""
        if die.value is not None or die.found < _BESIDE or self._smeared(image, spot):
            return die
        views = [self._views(image, spot), looked_at_again(image, spot, self._px, self._margin)]
        kind, told = _shown(self._weighed([np.concatenate(views)])[0])
        if kind == _NONE or told < _VALUE_BESIDE:
            return die
        return replace(die, likely=kind + 1, chance=round(told, 5))

    def look(self, image: Image, scale: float, least: float | None = None) -> list[Spot]:
        """Where dice may lie, at one scale, in pixels of the picture; nothing is read."""
        height, width = image.shape[:2]
        w, h = max(16, round(width * scale)), max(16, round(height * scale))
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        small = image if (w, h) == (width, height) else cv2.resize(image, (w, h), interpolation=how)
        rows = []
        for y0 in _starts(h):
            for x0 in _starts(w):
                part = np.asarray(small[y0 : y0 + _STRIP, x0 : x0 + _STRIP], np.uint8)
                found = self._net(part, self._least if least is None else least)
                found[:, [0, 2]] += x0
                found[:, [1, 3]] += y0
                rows.append(found)
        found = np.concatenate(rows)
        found = found[np.argsort(-found[:, 4], kind="stable")]
        kept: list[NDArray[np.float64]] = []
        for row in found:
            if all(_apart(row, other) for other in kept):
                kept.append(row)
        fx, fy = width / w, height / h
        return [
            (float(r[0] * fx), float(r[1] * fy), float(r[2] * fx), float(r[3] * fy), float(r[4]))
            for r in kept
        ]

    def _net(self, part: Image, least: float) -> NDArray[np.float64]:
        """Rows of x0, y0, x1, y1 and score, pixels of the part."""
        h, w = part.shape[:2]
        padded = np.full((-(-h // 8) * 8, -(-w // 8) * 8, 3), 114, np.uint8)
        padded[:h, :w] = part
        maps = self._model.run(padded[None])[0][0]
        heat = np.ascontiguousarray(maps[0])
        peak = cv2.dilate(heat, np.ones((3, 3), np.uint8))
        ys, xs = np.nonzero((heat >= peak) & (heat > least))
        v = maps[:, ys, xs].astype(np.float64)
        centre = np.stack((xs + 0.5 + v[1], ys + 0.5 + v[2])) * _STRIDE
        half = _SIDE_BASE * np.exp(v[3:5].clip(-2, 3)) / 2
        return np.concatenate((centre - half, centre + half, v[:1])).T


def _shown(row: NDArray[np.float64]) -> tuple[int, float]:
    """What a die shows by its chances (8), and how surely among what a die may show."""
    kind = int(row[:_NO_DIE].argmax())
    return kind, float(row[kind]) / max(1.0 - float(row[_NO_DIE]), 1e-6)


def _lies(spot: float, is_die: float, told: float) -> float:
    """How surely a die lies at a spot of any picture, by the finder and by the reader of values."""
    odds = _OF_SPOT * _log_odds(spot) + _OF_CROP * _log_odds(is_die)
    return 1.0 / (1.0 + math.exp(-(odds + _OF_VALUE * _log_odds(told) + _ODDS)))


def _log_odds(chance: float) -> float:
    """Of a chance that is hardly ever quite sure."""
    within = min(max(chance, 1e-4), 1.0 - 1e-4)
    return math.log(within / (1.0 - within))


def _of_one_size(dice: list[FoundDie]) -> list[FoundDie]:
    """Keep the dice near the size of most: those of one picture hardly differ.

    The sure ones decide: many specks that might be dice are no match for a few that are.
    """
    if len(dice) < 2:
        return dice
    sizes = np.array([max(d.box[2] - d.box[0], d.box[3] - d.box[1]) for d in dice])
    weights = np.array([(d.confidence * d.found) ** 2 for d in dice])
    near = np.abs(np.log(sizes[:, None] / sizes[None])) < np.log(_SIZES)
    best = int((near * weights[None]).sum(axis=1).argmax())
    return [die for die, close in zip(dice, near[best], strict=True) if close]


def believed(dice: Sequence[FoundDie]) -> list[FoundDie]:
    """The dice that are told of a picture where no tile is: there less is taken for a die.

    A second look counts. Dice seldom lie alone: beside one that surely is a die, of about its
    size, what is less surely one is believed too, and so is a value that is likely only.
    """
    accompanied = any(die.value and die.found >= _COMPANION for die in dice)
    least = _VALUE_BESIDE if accompanied else _VALUE
    read = [
        replace(die, value=die.likely, confidence=die.chance) if die.chance >= least else die
        for die in dice
    ]
    return [die for die in read if die.sure or (accompanied and die.value and die.found >= _BESIDE)]


def _starts(length: int) -> list[int]:
    """Where parts begin so that they overlap and cover all."""
    if length <= _STRIP:
        return [0]
    return list(range(0, length - _OVERLAP, _STRIP - _OVERLAP))


def _two_dice(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether two boxes are not of one die."""
    wide = sorted(max(box[2] - box[0], box[3] - box[1]) for box in (a, b))
    return wide[1] > _SWALLOWED * wide[0] or _apart(a, b)


def _apart(
    a: Sequence[float] | NDArray[np.float64], b: Sequence[float] | NDArray[np.float64]
) -> bool:
    """Whether two boxes are two dice: less than four tenths of the smaller one in common."""
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return True
    area = min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))
    return bool(w * h < 0.4 * area)
