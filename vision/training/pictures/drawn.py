"""Drawn tile faces in endlessly many designs, for training only.

Each design is a seed: fonts, inks, shapes of dots and bamboos, frames, indices, the colour of
the tile body. The free tile fonts and vector sets of the data folder and the system's Chinese
fonts serve as the pens; nothing drawn here is shipped.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image
from vision.training.pictures import flowers, fonts
from vision.training.pictures.glyphs import (
    BLACKS,
    BLUES,
    GREENS,
    REDS,
    H,
    W,
    gl_path,
    glyph_of,
    put,
    tile_glyph,
    vector_face,
)
from vision.training.pictures.hues import bgr_of
from vision.training.pictures.sources import DATA, FLOWERS, KINDS

_FLUFFY = {
    "Ton": "1z", "Nan": "2z", "Shaa": "3z", "Pei": "4z", "Haku": "5z", "Hatsu": "6z", "Chun": "7z",
    **{f"{n}{i}": f"{i}{s}" for n, s in (("Man", "m"), ("Pin", "p"), ("Sou", "s"))
       for i in range(1, 10)},
    "Man5-Dora": "0m", "Pin5-Dora": "0p", "Sou5-Dora": "0s",
}  # fmt: skip
_TILE_FONTS = ("I.MahjongCAN", "I.MahjongHK", "I.MahjongJP", "I.MahjongTW")
_NUMERALS = "一二三四五六七八九"


@dataclass(frozen=True)
class Design:
    """One drawn tile set."""

    seed: int
    kind: str
    """``font`` whole-face glyphs, ``own`` composed from parts, ``fluffy`` a vector set."""

    def face(self, label: str) -> Image:
        """The face, upright, on its tile body, BGR (H, W, 3)."""
        return _draw(self, label)


_DOTS = {
    1: ((0.5, 0.5),),
    2: ((0.5, 0.27), (0.5, 0.73)),
    3: ((0.24, 0.22), (0.5, 0.5), (0.76, 0.78)),
    4: ((0.28, 0.26), (0.72, 0.26), (0.28, 0.74), (0.72, 0.74)),
    5: ((0.25, 0.22), (0.75, 0.22), (0.5, 0.5), (0.25, 0.78), (0.75, 0.78)),
    6: ((0.29, 0.2), (0.71, 0.2), (0.29, 0.56), (0.71, 0.56), (0.29, 0.82), (0.71, 0.82)),
    7: ((0.22, 0.14), (0.5, 0.26), (0.78, 0.38),
        (0.3, 0.62), (0.7, 0.62), (0.3, 0.85), (0.7, 0.85)),
    8: tuple((x, y) for y in (0.14, 0.38, 0.62, 0.86) for x in (0.3, 0.7)),
    9: tuple((x, y) for y in (0.2, 0.5, 0.8) for x in (0.2, 0.5, 0.8)),
}  # fmt: skip
_STICKS = {
    2: ((0.5, 0.28), (0.5, 0.72)),
    3: ((0.5, 0.28), (0.28, 0.72), (0.72, 0.72)),
    4: ((0.3, 0.28), (0.7, 0.28), (0.3, 0.72), (0.7, 0.72)),
    5: ((0.24, 0.28), (0.76, 0.28), (0.5, 0.5), (0.24, 0.72), (0.76, 0.72)),
    6: tuple((x, y) for y in (0.28, 0.72) for x in (0.22, 0.5, 0.78)),
    7: ((0.5, 0.17), *((x, y) for y in (0.5, 0.82) for x in (0.22, 0.5, 0.78))),
    9: tuple((x, y) for y in (0.18, 0.5, 0.82) for x in (0.22, 0.5, 0.78)),
}


def _dot(rng: random.Random, style: int, r: int) -> Image:
    """One dot as a mask (2r+1)²: rings, petals or a cross in it."""
    s = 4
    big = np.zeros(((2 * r + 1) * s,) * 2, np.uint8)
    c, rr = r * s + s // 2, r * s
    cv2.circle(
        big, (c, c), rr, 255, -1 if style % 4 == 3 else max(2, int(rr * (0.2 + 0.1 * (style % 3))))
    )
    inner = rr * rng.choice((0.35, 0.45, 0.55))
    if style % 5 == 0:
        cv2.circle(big, (c, c), int(inner), 255, -1)
    elif style % 5 == 1:
        cv2.circle(big, (c, c), int(inner), 255, max(2, rr // 6))
        cv2.circle(big, (c, c), max(1, int(inner * 0.35)), 255, -1)
    elif style % 5 == 2:
        cv2.line(big, (c - rr, c), (c + rr, c), 255 if style % 4 != 3 else 0, max(2, rr // 5))
        cv2.line(big, (c, c - rr), (c, c + rr), 255 if style % 4 != 3 else 0, max(2, rr // 5))
    elif style % 5 == 3:
        for k in range(6):
            a = k * np.pi / 3
            p = (int(c + inner * np.cos(a)), int(c + inner * np.sin(a)))
            cv2.circle(big, p, max(1, rr // 6), 255 if style % 4 != 3 else 0, -1)
    small = cv2.resize(big, (2 * r + 1, 2 * r + 1), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _stick(style: int, w: int, h: int) -> Image:
    """One bamboo stick as a mask (h, w)."""
    s = 4
    big = np.zeros((h * s, w * s), np.uint8)
    wide, high = w * s, h * s
    if style == 0:  # two lobes
        for y0 in (0, high // 2):
            cv2.ellipse(
                big, (wide // 2, y0 + high // 4), (wide // 3, high // 4), 0, 0, 360, 255, -1
            )
    elif style == 1:  # stem with knots
        cv2.rectangle(big, (wide // 3, 0), (2 * wide // 3, high), 255, -1)
        for y in (0, high // 2, high - s * 2):
            cv2.rectangle(big, (0, y), (wide, y + s * 2), 255, -1)
    else:  # hollow capsule
        cv2.rectangle(big, (wide // 5, s), (4 * wide // 5, high - s), 255, -1)
        cv2.line(big, (wide // 2, high // 6), (wide // 2, 5 * high // 6), 0, max(1, wide // 7))
        cv2.line(big, (0, high // 2), (wide, high // 2), 255, s * 2)
    return np.asarray(cv2.resize(big, (w, h), interpolation=cv2.INTER_AREA), np.uint8)


def _recolour(rng: random.Random, label: str, ink: Image, colour: NDArray[np.float32]) -> None:
    """Inks of a one-coloured glyph by its kind, as makers colour them."""
    n, s = int(label[0]), label[1]
    red, green, blue = rng.choice(REDS), rng.choice(GREENS), rng.choice(BLUES)
    dark = rng.choice(BLACKS + BLUES)
    if n == 0:
        colour[:] = red
    elif s == "m":
        colour[:] = dark
        colour[int(H * 0.47) :] = red if rng.random() < 0.85 else dark
    elif s == "z":
        colour[:] = {5: rng.choice((blue, dark, dark)), 6: green, 7: red}.get(n, dark)
    else:
        count, parts = cv2.connectedComponents(
            (cv2.dilate(ink, np.ones((3, 3))) > 50).astype(np.uint8)
        )
        main = (
            (green, blue, dark)[rng.randrange(3)] if s == "p" else rng.choice((green, green, dark))
        )
        colour[:] = main
        mixed = rng.random() < 0.75
        for i in range(1, count):
            where = parts == i
            ys = np.nonzero(where)[0]
            roll = rng.random()
            if s == "p" and mixed:
                low = ys.mean() > H * 0.5
                colour[where] = (
                    red
                    if (n in (6, 7) and low) or (n in (5, 3, 9) and roll < 0.35)
                    else (rng.choice((green, blue, dark)) if roll < 0.7 else main)
                )
            elif s == "s" and mixed and n in (1, 5, 7, 9):
                xs = np.nonzero(where)[1]
                middle = abs(xs.mean() / W - 0.5) < 0.1 and (n != 7 or ys.mean() < 0.35 * H)
                colour[where] = (
                    red if middle and n != 1 else main if n != 1 else rng.choice((red, green, blue))
                )
            elif s == "f":
                colour[where] = rng.choice((red, green, blue, dark))


def _own(
    rng: random.Random,
    style: random.Random,
    label: str,
    ink: Image,
    colour: NDArray[np.float32],
) -> None:
    """Compose a face from characters, dots and sticks. ``style`` is fixed for the design."""
    n, s = int(label[0]), label[1]
    font = style.choice(fonts.chinese())
    lai, big_five, simple = style.random() < 0.6, style.random() < 0.5, style.random() < 0.25
    dot_style, stick_style = style.randrange(60), style.randrange(3)
    squeeze, fat = style.uniform(0.85, 1.05), style.uniform(0.85, 1.15)
    if s == "m":
        five = n or 5
        top = ("伍" if big_five else "五") if five == 5 else _NUMERALS[five - 1]
        under = "万" if simple and not lai else "萬"
        for char, y in ((top, 0.27), (under, 0.71)):
            glyph = glyph_of(font, char)
            if glyph is None and char == "万":
                glyph = glyph_of(font, "萬")
            if glyph is not None:
                high = 0.1 if char == "一" else 0.22 if char == "二" else 0.38
                wide = 0.62 if char != "一" else 0.6
                put(ink, glyph, 0.5, y, wide * squeeze, high)
    elif s == "z" and n != 5:
        options = {1: "東东", 2: "南", 3: "西", 4: "北", 6: "發发発", 7: "中"}[n]
        for char in options[style.randrange(len(options)) if simple or n == 6 else 0] + options:
            glyph = glyph_of(font, char)
            if glyph is not None:
                put(ink, glyph, 0.5, 0.5, (0.5 if n == 7 else 0.68) * squeeze, 0.68)
                break
    elif label == "5z":
        frame = style.randrange(5)
        if frame:
            m = style.uniform(0.1, 0.2)
            x0, y0, x1, y1 = int(m * W), int(m * H), int((1 - m) * W), int((1 - m) * H)
            cv2.rectangle(ink, (x0, y0), (x1, y1), 255, style.randint(1, 5))
            if frame >= 2:
                g = style.randint(4, 10)
                cv2.rectangle(ink, (x0 + g, y0 + g), (x1 - g, y1 - g), 255, style.randint(1, 2))
            if frame == 3:
                for y in range(y0 + 8, y1 - 8, 14):
                    ink[y : y + 4, : x0 + 5] = 0
                    ink[y : y + 4, x1 - 4 :] = 0
            if frame == 4 and (glyph := glyph_of(font, style.choice(("白", "B", "P")))) is not None:
                put(ink, glyph, 0.5, 0.5, 0.3, 0.3)
    elif s == "p":
        count = n or 5
        r = int({1: 26, 2: 15, 3: 12, 4: 13, 5: 12, 6: 12, 7: 10, 8: 10, 9: 10}[count] * fat)
        for x, y in _DOTS[count]:
            put(ink, _dot(style, dot_style, r), x, y, (2 * r + 1) / W, (2 * r + 1) / H)
    elif s == "s" and label != "1s":
        count = n or 5
        if count == 8:
            stick = _stick(stick_style, 9, 34)
            for y, sign in ((0.29, 1), (0.71, -1)):
                for x, lean in ((0.18, 0), (0.4, 28 * sign), (0.6, -28 * sign), (0.82, 0)):
                    turn = cv2.getRotationMatrix2D((20, 24), lean, 1)
                    canvas = np.zeros((48, 40), np.uint8)
                    canvas[7:41, 15:24] = stick
                    turned = np.asarray(cv2.warpAffine(canvas, turn, (40, 48)), np.uint8)
                    put(ink, turned, x, y, 40 / W, 48 / H)
        else:
            h = 26 if count in (7, 9) else 36
            w = int(11 * fat)
            for x, y in _STICKS[count]:
                put(ink, _stick(stick_style, w, h), x, y, w / W, h / H)
    elif label == "1s":
        font_name = style.choice(_TILE_FONTS)
        np.maximum(ink, tile_glyph(font_name, "1s"), out=ink)
    else:
        flowers.draw(rng, style, n, font, ink, colour)


def _draw(design: Design, label: str) -> Image:
    style = random.Random(design.seed)
    rng = random.Random(f"{design.seed}{label}")
    body = np.array(
        style.choice(
            (
                (235, 240, 240),
                (215, 230, 238),
                (200, 222, 235),
                (228, 232, 228),
                (245, 245, 245),
                (205, 215, 215),
            )
        ),
        np.float32,
    )
    ink = np.zeros((H, W), np.uint8)
    colour = np.zeros((H, W, 3), np.float32)
    if label == "back":
        # from ivory bamboo to saturated plastic; never the near white of a blank face
        hue, sat, val = style.randrange(180), style.randint(70, 255), style.randint(50, 230)
        body = bgr_of(hue, sat, val).astype(np.float32)
        if style.random() < 0.12:
            body = np.full(3, style.uniform(15, 90), np.float32)
    else:
        plain = label if label[0] != "0" else f"5{label[1]}"
        if design.kind == "font":
            font = style.choice(_TILE_FONTS)
            ink = tile_glyph(font, plain).copy()
            _recolour(rng, label, ink, colour)
        elif design.kind == "fluffy" and (label in _FLUFFY.values()):
            name = next(k for k, v in _FLUFFY.items() if v == label)
            bgra = vector_face(str(DATA / "art" / "fluffystuff" / f"{name}.svg"))
            ink, colour = bgra[..., 3].copy(), bgra[..., :3].astype(np.float32)
        elif design.kind == "gl" and label[0] != "0":
            bgra = np.flipud(vector_face(str(gl_path(label))))  # the set is stored upside down
            ink = np.where(bgra[..., :3].min(2) < 200, bgra[..., 3], 0).astype(np.uint8)
            m = 7
            ink[:m] = ink[-m:] = 0
            ink[:, :m] = ink[:, -m:] = 0
            colour = bgra[..., :3].astype(np.float32)
            if label[1] == "f":
                _recolour(rng, label, ink, colour)
        else:
            if label[1] != "f":
                _own(rng, style, label, ink, colour)
                _recolour(rng, label, ink, colour)
            else:
                _own(rng, style, label, ink, colour)
        if style.random() < 0.3 and design.kind in ("font", "own"):
            _index(style, rng, label, ink, colour)
    scale = style.uniform(0.78, 1.0)
    if scale < 0.97:
        shrink = np.array(
            [[scale, 0, W * (1 - scale) / 2], [0, scale, H * (1 - scale) / 2]], np.float32
        )
        ink = np.asarray(cv2.warpAffine(ink, shrink, (W, H)), np.uint8)
        colour = np.asarray(cv2.warpAffine(colour, shrink, (W, H)), np.float32)
    alpha = ink.astype(np.float32)[..., None] / 255 * style.uniform(0.75, 1.0)
    blank = np.tile(body, (H, W, 1)).astype(np.float32)
    face = blank * (1 - alpha) + colour * alpha
    return face.clip(0, 255).astype(np.uint8)


def _index(
    style: random.Random,
    rng: random.Random,
    label: str,
    ink: Image,
    colour: NDArray[np.float32],
) -> None:
    """The small Western index that some sets print in a corner."""
    n, s = label[0], label[1]
    text = {"z": dict(zip("1234567", "ESWNPFC", strict=True)).get(n, "")}.get(
        s, n if n != "0" else "5"
    )
    if s == "f" or not text:
        return
    glyph = glyph_of(fonts.latin(), text)
    if glyph is not None:
        mark = np.zeros_like(ink)
        put(mark, glyph, style.choice((0.1, 0.9)), 0.1, 0.11, 0.13)
        np.maximum(ink, mark, out=ink)
        colour[mark > 0] = (
            rng.choice(REDS) if n == "0" or style.random() < 0.5 else rng.choice(BLUES)
        )


def designs(count: int, seed: int) -> list[Design]:
    """So many drawn sets, of all kinds of drawing."""
    rng = random.Random(seed)
    kinds = ("own", "own", "font", "font", "fluffy", "gl")
    return [Design(rng.randrange(1 << 30), kinds[i % len(kinds)]) for i in range(count)]


def drawable(design: Design) -> tuple[str, ...]:
    """Labels that a design can draw: the whole of them, and its back."""
    if design.kind == "fluffy":
        return (*(k for k in KINDS if k not in FLOWERS), "back")
    if design.kind == "gl":
        return (*(k for k in KINDS if k[0] != "0"), "back")
    return (*KINDS, "back")
