"""Whole pictures of things that bear signs and are no tiles: what judges that no face is told.

Keyboards, pocket calculators, playing cards, dominoes, chips, scoring sticks and telephones, drawn
as things and seen through a camera. Nothing here teaches; single signs that do are drawn by
``pictures/signs.py``.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
from PIL import Image as Pil
from PIL import ImageDraw, ImageFont

from vision.image import Image
from vision.training.pictures import fonts

Colour = tuple[int, int, int]
_WHITE, _BLACK, _RED = (248, 248, 244), (22, 22, 24), (196, 24, 28)
_KEYS: Final = (
    (*"`1234567890-=", "BS"),
    ("Tab", *"QWERTYUIOP[]\\"),
    ("Caps", *"ASDFGHJKL;'", "Ent"),
    ("Shift", *"ZXCVBNM,./", "Sh"),
    ("Ctrl", "Win", "Alt", " ", "Alt", "Fn", "Ctl"),
)
_PIPS: Final = ((), (4,), (0, 8), (0, 4, 8), (0, 2, 6, 8), (0, 2, 4, 6, 8), (0, 2, 3, 5, 6, 8))
"""Places of a domino's pips in three rows of three."""
_SIZES: Final = ((1280, 960), (1600, 1200), (1920, 1080))


def pictures(count: int, seed: int) -> list[tuple[str, Image]]:
    """So many pictures (H, W, 3) BGR of each kind, and what they show."""
    found = []
    for name, thing in _THINGS.items():
        for i in range(count):
            pick = random.Random(f"{seed} {name} {i}")
            found.append((name, _seen(pick, thing(pick))))
    return found


def _font(pick: random.Random, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(pick.choice((fonts.latin(), *fonts.chinese())), size)


def _sheet(width: int, height: int, colour: Colour | None = None) -> Pil.Image:
    """A thing of one colour, or nothing yet."""
    return Pil.new("RGBA", (width, height), (*colour, 255) if colour else (0, 0, 0, 0))


def _inks(pick: random.Random) -> tuple[Colour, Colour]:
    """Of a thing and of what is written on it."""
    return pick.choice(
        ((_WHITE, _BLACK), (_BLACK, _WHITE), (_WHITE, _RED), ((120, 124, 130), _WHITE))
    )


def _keyboard(pick: random.Random) -> Pil.Image:
    unit, gap = 60, pick.randint(3, 8)
    base, ink = _inks(pick)
    sheet = _sheet(16 * unit, 6 * unit, pick.choice((_BLACK, (190, 190, 195), base)))
    draw, font = ImageDraw.Draw(sheet), _font(pick, pick.choice((18, 24, 30)))
    foot = tuple(int(v * 0.8) for v in base)
    for i, row in enumerate(_KEYS):
        wide = [1.0] * len(row)
        rest = 15.5 - len(row)
        ends = ((0, rest / 2), (-1, rest / 2)) if i < 4 else ((3, rest),)
        for at, more in ends:
            wide[at] += more
        x, y = 10.0, 10 + i * unit * 1.05
        for w, sign in zip(wide, row, strict=True):
            right, low = x + w * unit - gap, y + unit - gap
            draw.rounded_rectangle((x, y, right, low), 7, foot)
            draw.rounded_rectangle((x + 4, y + 2, right - 4, low - 8), 6, base)
            draw.text((x + 10, y + 4), sign, ink, font)
            x += w * unit
    return sheet


def _calculator(pick: random.Random) -> Pil.Image:
    unit = 80
    base, ink = _inks(pick)
    body = pick.choice((_BLACK, (200, 200, 205), (235, 230, 220)))
    sheet = _sheet(4 * unit + 20, 6 * unit + 100, body)
    draw, font = ImageDraw.Draw(sheet), _font(pick, pick.choice((30, 40, 48)))
    draw.rectangle((14, 14, 4 * unit + 4, 90), (150, 165, 140))
    for i, sign in enumerate("C/*-789+456x123=0.%M"):
        x, y = 10 + i % 4 * unit, 100 + i // 4 * unit * 1.1
        key = base if pick.random() < 0.8 else pick.choice((_RED, (240, 140, 30), (40, 80, 160)))
        draw.rounded_rectangle((x, y, x + unit * 0.9, y + unit), 8, key)
        draw.text((x + unit * 0.45, y + unit * 0.5), sign, ink, font, "mm")
    return sheet


def _strewn(
    pick: random.Random, count: int, one: Callable[[random.Random], Pil.Image]
) -> Pil.Image:
    """So many of one kind, turned and laid anywhere."""
    sheet = _sheet(1400, 900)
    for _ in range(count):
        turn = pick.choice((0, 0, 90, pick.uniform(0, 360)))
        thing = one(pick).rotate(turn, Pil.Resampling.BICUBIC, expand=True)
        x, y = (pick.randint(0, max(1, a - b)) for a, b in zip(sheet.size, thing.size, strict=True))
        sheet.alpha_composite(thing, (x, y))
    return sheet


def _card(pick: random.Random) -> Pil.Image:
    card = _sheet(180, 260)
    draw = ImageDraw.Draw(card)
    draw.rounded_rectangle((0, 0, 179, 259), 14, _WHITE, (180, 180, 180))
    suit, count = pick.choice("♠♥♦♣"), pick.randint(1, 13)
    ink = _RED if suit in "♥♦" else _BLACK
    rank = {1: "A", 11: "J", 12: "Q", 13: "K"}.get(count, str(count))
    signs = fonts.signs()  # it has the suits
    small = ImageFont.truetype(signs, 34)
    draw.text((8, 2), rank, ink, small)
    draw.text((8, 38), suit, ink, small)
    if rank in "AJQK":
        draw.text((90, 130), suit, ink, ImageFont.truetype(signs, 90), "mm")
        return card
    rows = (count + 1) // 2 if count > 3 else count
    for i in range(count):
        x = 90 if count <= 3 else 62 if i % 2 == 0 else 128
        row = i if count <= 3 else i // 2
        y = 50 + row * 160 / max(1, rows - 1)
        draw.text((x, y), suit, ink, ImageFont.truetype(signs, 46), "mm")
    return card


def _domino(pick: random.Random) -> Pil.Image:
    base, ink = pick.choice(((_WHITE, _BLACK), (_BLACK, _WHITE), ((245, 238, 220), _BLACK)))
    tile = _sheet(100, 200)
    draw = ImageDraw.Draw(tile)
    draw.rounded_rectangle((0, 0, 99, 199), 10, base, (120, 120, 120))
    draw.line((8, 100, 92, 100), ink, 3)
    for top in (0, 100):
        for place in pick.choice(_PIPS):
            x, y = 22 + place % 3 * 28, top + 22 + place // 3 * 28
            draw.ellipse((x - 9, y - 9, x + 9, y + 9), ink)
    return tile


def _chip(pick: random.Random) -> Pil.Image:
    chip = _sheet(120, 120)
    draw = ImageDraw.Draw(chip)
    colour = pick.choice((_RED, _BLACK, (20, 90, 40), (20, 40, 140), (235, 235, 235)))
    ring = _WHITE if sum(colour) < 500 else _RED
    draw.ellipse((2, 2, 117, 117), colour, ring, 4)
    for start in range(0, 360, 60):
        draw.pieslice((2, 2, 117, 117), start, start + 18, ring)
    draw.ellipse((22, 22, 97, 97), colour, ring, 2)
    draw.text(
        (60, 60), pick.choice(("1", "5", "10", "25", "100", "1000")), ring, _font(pick, 26), "mm"
    )
    return chip


def _stick(pick: random.Random) -> Pil.Image:
    stick = _sheet(420, 44)
    draw = ImageDraw.Draw(stick)
    draw.rounded_rectangle((0, 4, 419, 39), 8, _WHITE, (170, 170, 170))
    worth = pick.choice((100, 1000, 5000))
    if worth == 1000:
        draw.ellipse((202, 14, 218, 30), _RED)
    for i in range(5 if worth == 5000 else 8 if worth == 100 else 0):
        x, y = (170 + i * 16, 22) if worth == 5000 else (186 + i // 2 * 14, 16 + i % 2 * 12)
        draw.ellipse((x - 5, y - 5, x + 5, y + 5), _RED if worth == 5000 else _BLACK)
    return stick


def _telephone(pick: random.Random) -> Pil.Image:
    def any_colour() -> Colour:
        return pick.randrange(256), pick.randrange(256), pick.randrange(256)

    sheet = _sheet(640, 1200, any_colour())
    draw = ImageDraw.Draw(sheet)
    for i in range(24):
        x, y = 30 + i % 4 * 150, 60 + i // 4 * 180
        draw.rounded_rectangle((x, y, x + 120, y + 120), 26, any_colour())
        if pick.random() < 0.6:
            sign = pick.choice("微信支付日历图书A9GKf")
            font = ImageFont.truetype(fonts.signs(), 70)
            draw.text((x + 60, y + 60), sign, _WHITE, font, "mm")
        else:
            draw.ellipse((x + 25, y + 25, x + 95, y + 95), any_colour(), _WHITE, 6)
    return sheet


_THINGS: Final[dict[str, Callable[[random.Random], Pil.Image]]] = {
    "keyboards": _keyboard,
    "calculators": _calculator,
    "playing cards": lambda pick: _strewn(pick, pick.randint(3, 12), _card),
    "dominoes": lambda pick: _strewn(pick, pick.randint(3, 14), _domino),
    "chips with values": lambda pick: _strewn(pick, pick.randint(4, 20), _chip),
    "scoring sticks": lambda pick: _strewn(pick, pick.randint(3, 12), _stick),
    "telephones": _telephone,
}
KINDS: Final = tuple(_THINGS)
"""What the pictures show."""


def _seen(pick: random.Random, thing: Pil.Image) -> Image:
    """The thing on a cloth, aslant and from any side, as a camera gives it."""
    noise = np.random.default_rng(pick.randrange(1 << 30))
    size = pick.choice(_SIZES)
    cloth = np.full((60, 80, 3), [pick.randint(20, 220) for _ in range(3)], np.float32)
    cloth += noise.normal(0, pick.choice((0.0, 2.0, 8.0, 14.0)), cloth.shape).astype(np.float32)
    ground = np.asarray(cv2.resize(cloth, size, interpolation=cv2.INTER_CUBIC), np.float32)
    rgba = np.asarray(thing)
    high, wide = rgba.shape[:2]
    by = pick.uniform(0.35, 0.8) * min(size[0] / wide, size[1] / high)
    turn = pick.choice((0.0, 0.0, pick.gauss(0, 0.1), pick.uniform(0, 2 * np.pi)))
    corners = np.array([(-wide, -high), (wide, -high), (wide, high), (-wide, high)]) * by / 2
    corners = corners @ np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
    corners[:, 1] *= pick.uniform(0.65, 1)
    corners[:, 0] *= 1 + corners[:, 1] / size[1] * pick.uniform(0, 0.5)
    corners += np.array(size) * (0.5 + pick.uniform(-0.1, 0.1))
    whole = np.array([(0, 0), (wide, 0), (wide, high), (0, high)], np.float32)
    matrix = cv2.getPerspectiveTransform(whole, corners.astype(np.float32))
    laid = cv2.warpPerspective(rgba, matrix, size, flags=cv2.INTER_AREA).astype(np.float32)
    share = laid[..., 3:] / 255
    picture = ground * (1 - share) + laid[..., 2::-1] * share
    picture *= pick.uniform(0.6, 1.05) * np.array((pick.uniform(0.8, 1), pick.uniform(0.9, 1), 1.0))
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), pick.uniform(0.4, 1.4)), np.float32)
    noisy = picture + noise.normal(0, pick.uniform(1, 6), picture.shape)
    return np.asarray(noisy.clip(0, 255), np.uint8)
