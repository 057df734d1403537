"""What bears signs as a face does and is none: keys, cards, dominoes, buttons, chips, prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

import cv2
import numpy as np

from vision.image import Image
from vision.training.pictures import fonts
from vision.training.pictures.glyphs import H, W, glyph_of, put

Colour = tuple[int, int, int]
_LETTERS: Final = (*"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+=/%*?<>[]#&@", "10", "Esc", "Tab",
                   "Del", "Alt", "Fn", "F1", "F12", "AC", "CE", "M+", "OK", "End")  # fmt: skip
_SUITS: Final = "♠♥♦♣"
_RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_COMMON: Final = (
    "的是不了在人有我他这个们大来上国时要就出会可也你对生能而子那得于着下自之年过后作里用道行所然家种事"
    "成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与"
    "长把机十民第公此已工使情明性知全将战先门员水木火土金山口手目田车马鸟鱼书画规则比赛局桌号裁判"
)
"""None of them is borne by tiles or flowers."""
_PIPS: Final = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def draw(rng: np.random.Generator, names: Sequence[str] | None = None) -> Image:
    """One of them, upright, (H, W, 3) BGR as large as a drawn face.

    Args:
        rng: chance.
        names: of :data:`KINDS`, which it may be; keys are three times as likely by default.
    """
    among = names or (*KINDS, "key", "key")
    return KINDS[among[int(rng.integers(len(among)))]](rng)


def _any(rng: np.random.Generator) -> Colour:
    b, g, r = (int(v) for v in rng.integers(0, 256, 3))
    return b, g, r


def _light(rng: np.random.Generator) -> Colour:
    base = rng.integers(200, 256)
    b, g, r = (int(v) for v in (base - rng.integers(0, 25, 3)).clip(0, 255))
    return b, g, r


def _dark(rng: np.random.Generator) -> Colour:
    b, g, r = (int(v) for v in rng.integers(0, 70, 3))
    return b, g, r


def _plate(colour: Colour) -> Image:
    return np.full((H, W, 3), colour, np.uint8)


def _lacks(font: str, sign: str) -> bool:
    """Whether the font has no such sign: it draws a frame then, as some white dragons are."""
    ink, none = glyph_of(font, sign), glyph_of(font, "\U0010fffe")
    return ink is None or (none is not None and np.array_equal(ink, none))


@cache
def _able(text: str) -> tuple[str, ...]:
    """The fonts that have all of a text's signs: each asked once, drawing them takes its time."""
    every = (fonts.latin(), *fonts.chinese())
    return tuple(font for font in every if not any(_lacks(font, sign) for sign in text))


def _write(
    rng: np.random.Generator, face: Image, text: str, ink: Colour, place: tuple[float, float, float]
) -> None:
    """A sign in the middle of ``place``: x, y and height as shares of the face."""
    able = _able(text)
    glyph = glyph_of(able[rng.integers(len(able))], text) if able else None
    if glyph is None:
        return
    x, y, high = place
    wide = min(0.9, high * H / W * glyph.shape[1] / glyph.shape[0])
    mask = np.zeros((H, W), np.uint8)
    put(mask, glyph, x, y, wide, high)
    share = mask[..., None] / 255
    face[:] = (face * (1 - share) + np.array(ink) * share).astype(np.uint8)


def _key(rng: np.random.Generator) -> Image:
    """A key of a keyboard or a pocket calculator."""
    light = rng.random() < 0.6
    base = _light(rng) if light else _dark(rng) if rng.random() < 0.7 else _any(rng)
    ink = (_dark(rng) if light else _light(rng)) if rng.random() < 0.85 else _any(rng)
    face = _plate(base)
    if rng.random() < 0.6:  # its top is smaller than its foot
        rim = int(rng.integers(2, 9))
        edge = tuple(int(v * rng.uniform(0.6, 0.95)) for v in base)
        cv2.rectangle(face, (0, 0), (W - 1, H - 1), edge, rim)
    text = _LETTERS[rng.integers(len(_LETTERS))]
    middle = (0.5, 0.5) if rng.random() < 0.6 else tuple(rng.uniform(0.25, 0.75, 2))
    _write(rng, face, text, ink, (*middle, rng.uniform(0.18, 0.65)))
    if rng.random() < 0.2:
        other = _LETTERS[rng.integers(len(_LETTERS))]
        _write(rng, face, other, ink, (0.75, 0.75, rng.uniform(0.15, 0.3)))
    return face


def _card(rng: np.random.Generator) -> Image:
    """A playing card: its index in two corners, and its suits."""
    face = _plate(_light(rng))
    suit, rank = int(rng.integers(4)), int(rng.integers(len(_RANKS)))
    ink = (
        (int(rng.integers(0, 50)), 20, int(rng.integers(150, 230))) if suit in (1, 2) else (20,) * 3
    )
    sign = _SUITS[suit]
    _write(rng, face, _RANKS[rank], ink, (0.14, 0.1, 0.14))
    _write(rng, face, sign, ink, (0.14, 0.25, 0.11))
    if rank in (0, 10, 11, 12):
        _write(rng, face, sign, ink, (0.5, 0.5, rng.uniform(0.25, 0.5)))
    else:
        count = rank + 1
        for i in range(count):
            x = 0.35 if i % 2 == 0 else 0.65
            y = 0.2 + 0.6 * (i // 2) / max(1, (count - 1) // 2)
            _write(rng, face, sign, ink, (x if count > 3 else 0.5, y, 0.14))
    corner = slice(H * 7 // 10, H), slice(W * 3 // 4, W)
    face[corner] = face[::-1, ::-1][corner].copy()
    return face


def _domino(rng: np.random.Generator) -> Image:
    """A domino: two counts and the line between them."""
    light = rng.random() < 0.6
    face = _plate(_light(rng) if light else _dark(rng))
    ink = _dark(rng) if light else _light(rng)
    cv2.line(face, (W // 10, H // 2), (W - W // 10, H // 2), ink, int(rng.integers(1, 4)))
    radius = int(rng.integers(3, 7))
    counts = int(rng.integers(0, 7)), int(rng.integers(0, 7))
    if counts in ((1, 1), (4, 4)):  # but for the line a two and an eight of dots
        counts = 0, counts[1]
    for top, count in zip((H // 4, 3 * H // 4), counts, strict=True):
        for dx, dy in _PIPS.get(count, ()):
            cv2.circle(
                face, (W // 2 + dx * W // 4, top + dy * H // 7), radius, ink, -1, cv2.LINE_AA
            )
    return face


def _button(rng: np.random.Generator) -> Image:
    """A coloured button or a picture on a screen with a white sign."""
    face = _plate(_any(rng))
    middle = (W // 2, H // 2)
    if rng.random() < 0.5:
        cv2.circle(face, middle, int(rng.integers(12, 34)), _any(rng), -1, cv2.LINE_AA)
        cv2.circle(face, middle, int(rng.integers(12, 34)), _light(rng), 3, cv2.LINE_AA)
    _write(rng, face, _LETTERS[rng.integers(len(_LETTERS))], _light(rng),
           (0.5, 0.5, rng.uniform(0.2, 0.6)))  # fmt: skip
    return face


def _chip(rng: np.random.Generator) -> Image:
    """A chip with its value."""
    face, middle = _plate(_any(rng)), (W // 2, H // 2)
    colour = _any(rng)
    radius = int(rng.integers(28, 46))
    cv2.circle(face, middle, radius, colour, -1, cv2.LINE_AA)
    for start in range(0, 360, int(rng.choice((45, 60, 72)))):
        cv2.ellipse(face, middle, (radius, radius), 0, start, start + 18, (245, 245, 245), -1)
    cv2.circle(face, middle, radius * 2 // 3, colour, -1, cv2.LINE_AA)
    text = ("1", "5", "10", "25", "50", "100", "500", "1000")[rng.integers(8)]
    ink = (245, 245, 245) if sum(colour) < 380 else (15, 15, 15)
    _write(rng, face, text, ink, (0.5, 0.5, rng.uniform(0.15, 0.3)))
    return face


def _print(rng: np.random.Generator) -> Image:
    """Printed Chinese of which no tile shows a sign."""
    face = _plate(_light(rng) if rng.random() < 0.8 else _any(rng))
    ink = _dark(rng) if rng.random() < 0.7 else _any(rng)
    lines = int(rng.integers(1, 4))
    for i in range(lines):
        sign = _COMMON[rng.integers(len(_COMMON))]
        high = rng.uniform(0.7, 0.95) / lines
        _write(rng, face, sign, ink, (rng.uniform(0.4, 0.6), (i + 0.5) / lines, min(high, 0.6)))
    return face


def _bars(rng: np.random.Generator) -> Image:
    """A bar code, a grille or lines of small print."""
    face = _plate(_light(rng))
    ink, at = _dark(rng), 4
    flat = rng.random() < 0.5
    while at < (H if flat else W) - 4:
        thick = int(rng.integers(1, 5))
        p, q = ((4, at), (W - 4, at + thick)) if flat else ((at, 8), (at + thick, H - 8))
        cv2.rectangle(face, p, q, ink, -1)
        at += thick + int(rng.integers(1, 6))
    return face


KINDS: Final[dict[str, Callable[[np.random.Generator], Image]]] = {
    "key": _key,
    "card": _card,
    "domino": _domino,
    "button": _button,
    "chip": _chip,
    "print": _print,
    "bars": _bars,
}
