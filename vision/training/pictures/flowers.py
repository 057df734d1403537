"""Drawn flowers and seasons: a picture that tells nothing, and marks that tell which one it is.

Makers mark them by a character, by a number or by both, some by a word. Where a number stands alone
its ink tells seasons from plants: red ones are seasons.
"""

from __future__ import annotations

import random
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image
from vision.training.pictures import fonts
from vision.training.pictures.glyphs import BLACKS, BLUES, GREENS, REDS, H, W, glyph_of, put

_NAMES = "春夏秋冬梅蘭竹菊"
_WORDS = (
    ("SPR", "SPRING"), ("SUM", "SUMMER"), ("AUT", "FALL", "AUTUMN"), ("WIN", "WINTER"),
    ("PLUM", "PLM"), ("ORC", "ORCHID"), ("BAM", "BAMB"), ("MUM", "CHR"),
)  # fmt: skip
_NUMERALS = "一二三四"
_ORDERS = ((1, 2, 4, 3), (1, 2, 4, 3), (1, 2, 4, 3), (1, 2, 3, 4))
"""Plum 1, orchid 2, bamboo 4 and chrysanthemum 3 on most sets, else in the order of their names."""
Colour = tuple[int, int, int]


class _Marks(Enum):
    """By what a set tells its flowers apart."""

    NAME_AND_NUMBER = "character and number"
    NAME = "character"
    NUMBER = "number in an ink of its own"
    WORD_AND_NUMBER = "word and number"


_OFTEN = (0.5, 0.15, 0.15, 0.2)


def draw(
    rng: random.Random,
    style: random.Random,
    n: int,
    font: str,
    ink: Image,
    colour: NDArray[np.float32],
) -> None:
    """Draw one of the eight.

    Args:
        rng: of this face.
        style: of the set; drawn from alike for all of its flowers.
        n: 1 to 4 the seasons, 5 to 8 plum, orchid, bamboo, chrysanthemum.
        font: of the set's characters.
        ink: (H, W) where there is ink, 0..255.
        colour: (H, W, 3) of the ink.
    """
    picture = random.Random(f"{style.random()}{n}")
    (_plant if style.random() < 0.75 else _thing)(picture, ink, colour)
    marks = style.choices(list(_Marks), _OFTEN)[0]
    numeral_font = style.choice((*fonts.chinese(), fonts.latin()))
    order, numerals = style.choice(_ORDERS), style.random() < 0.2
    number = n if n <= 4 else order[n - 5]
    digit = glyph_of(
        style.choice(fonts.chinese()) if numerals else numeral_font,
        _NUMERALS[number - 1] if numerals else str(number),
    )
    high = style.uniform(0.15, 0.24)
    left = style.random() < 0.5
    plants, seasons = style.choice(BLUES + BLACKS + GREENS), style.choice(REDS)
    spots = ((0.2, 0.17), (0.8, 0.17)) if left else ((0.8, 0.17), (0.2, 0.17))
    told = seasons if n <= 4 else plants
    if marks is _Marks.NUMBER:
        _mark(ink, colour, digit, spots[0], (0.16, high), told)
        return
    if marks is _Marks.WORD_AND_NUMBER:
        word = glyph_of(fonts.latin(), _WORDS[n - 1][-style.randrange(2)])
        size = (style.uniform(0.4, 0.56), style.uniform(0.1, 0.15))
        _mark(ink, colour, word, (0.33 if left else 0.62, 0.12), size, rng.choice((told, *BLACKS)))
        _mark(ink, colour, digit, (0.85 if left else 0.15, 0.12), (0.12, 0.14), rng.choice(BLACKS))
        return
    any_ink = REDS + BLACKS + BLUES
    _mark(ink, colour, glyph_of(font, _NAMES[n - 1]), spots[0], (0.26, 0.2), rng.choice(any_ink))
    if marks is _Marks.NAME_AND_NUMBER:
        _mark(ink, colour, digit, spots[1], (0.14, high), rng.choice(any_ink))


def _mark(
    ink: Image,
    colour: NDArray[np.float32],
    glyph: Image | None,
    at: tuple[float, float],
    size: tuple[float, float],
    tone: Colour,
) -> None:
    """Print a mark at a place (shares of the face) in its own ink, with a little room around it."""
    if glyph is None:
        return
    (x, y), (wide, high) = at, size
    if glyph.shape[0] < glyph.shape[1] / 5:  # the number one as a stroke
        high = high / 4
    mark = np.zeros_like(ink)
    put(mark, glyph, x, y, wide, high)
    rows = slice(max(0, int((y - high * 0.65) * H)), int((y + high * 0.65) * H))
    columns = slice(max(0, int((x - wide * 0.65) * W)), int((x + wide * 0.65) * W))
    ink[rows, columns] = 0
    np.maximum(ink, mark, out=ink)
    colour[mark > 0] = tone


def _plant(rng: random.Random, ink: Image, colour: NDArray[np.float32]) -> None:
    """Stems and blossoms, different in each design."""
    for _ in range(rng.randint(3, 6)):
        p = np.array([[rng.uniform(0.15, 0.85) * W, rng.uniform(0.3, 0.95) * H] for _ in range(3)])
        t = np.linspace(0, 1, 12)[:, None]
        curve = (1 - t) ** 2 * p[0] + 2 * t * (1 - t) * p[1] + t**2 * p[2]
        line = np.zeros_like(ink)
        cv2.polylines(line, [curve.astype(np.int32)], False, 255, rng.randint(1, 3), cv2.LINE_AA)
        colour[line > 0] = rng.choice(GREENS + BLACKS)
        np.maximum(ink, line, out=ink)
    for _ in range(rng.randint(2, 5)):
        spot = np.zeros_like(ink)
        c = (int(rng.uniform(0.2, 0.8) * W), int(rng.uniform(0.35, 0.9) * H))
        r = rng.randint(4, 12)
        if rng.random() < 0.5:
            cv2.circle(spot, c, r, 255, rng.choice((-1, 2)), cv2.LINE_AA)
        else:
            for k in range(5):
                a = k * 2 * np.pi / 5
                q = (int(c[0] + r * np.cos(a)), int(c[1] + r * np.sin(a)))
                cv2.circle(spot, q, max(2, r // 2), 255, rng.choice((-1, 1)), cv2.LINE_AA)
        colour[spot > 0] = rng.choice(REDS + BLUES)
        np.maximum(ink, spot, out=ink)


def _thing(rng: random.Random, ink: Image, colour: NDArray[np.float32]) -> None:
    """A mask, a boat, a house, a person: outlines around each other, filled here and there."""
    tones = rng.choices(BLACKS + REDS + BLUES + GREENS, k=3)
    x, y = rng.uniform(0.4, 0.6) * W, rng.uniform(0.5, 0.68) * H
    for k in range(rng.randint(3, 7)):
        part = np.zeros_like(ink)
        c = (int(x + rng.gauss(0, 0.1) * W), int(y + rng.gauss(0, 0.1) * H))
        size = (int(rng.uniform(0.06, 0.34) * W), int(rng.uniform(0.04, 0.2) * H))
        if rng.random() < 0.5:
            cv2.ellipse(part, c, size, rng.uniform(0, 180), 0, rng.choice((180, 360)), 255,
                        rng.choice((-1, 1, 2)), cv2.LINE_AA)  # fmt: skip
        else:
            count = rng.randint(3, 6)
            points = [
                (c[0] + size[0] * rng.uniform(-1.2, 1.2), c[1] + size[1] * rng.uniform(-1.2, 1.2))
                for _ in range(count)
            ]
            cv2.polylines(part, [np.array(points, np.int32)], rng.random() < 0.6, 255,
                          rng.randint(1, 3), cv2.LINE_AA)  # fmt: skip
        colour[part > 0] = tones[k % 3]
        np.maximum(ink, part, out=ink)
