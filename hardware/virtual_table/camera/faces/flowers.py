"""The four seasons and the four flowers: a picture, a figure and the character."""

from __future__ import annotations

import math
from typing import Final

from hardware.virtual_table.camera.faces.designs import Design
from hardware.virtual_table.camera.faces.glyphs import glyph
from hardware.virtual_table.camera.faces.primitives import (
    Area,
    Brush,
    Drawing,
    Ellipse,
    Primitive,
    Xy,
    disc,
    line,
    moved,
    smooth,
)

_CHARACTERS: Final = "春夏秋冬梅蘭竹菊"
_BARK = "#5a3a22"
_PINK = "#d9577f"
_YELLOW = "#d99a1e"


def _twig(points: tuple[Xy, ...], wide: float, narrow: float, fill: str) -> Brush:
    curve = smooth(points)
    last = len(curve) - 1
    return Brush(
        tuple((x, y, (wide + (narrow - wide) * i / last) / 2) for i, (x, y) in enumerate(curve)),
        fill,
    )


def _leaf(x: float, y: float, length: float, width: float, turn: float, fill: str) -> Drawing:
    edge = smooth(
        ((0, 0), (length * 0.35, -width / 2), (length, 0), (length * 0.35, width / 2), (0, 0))
    )
    return moved((Area(tuple(edge), fill),), x, y, 1.0, turn)


def _blossom(x: float, y: float, radius: float, fill: str, heart: str, petals: int = 5) -> Drawing:
    parts: list[Primitive] = []
    for i in range(petals):
        a = 2 * math.pi * i / petals - math.pi / 2
        parts.append(
            disc(
                x + radius * 0.58 * math.cos(a),
                y + radius * 0.58 * math.sin(a),
                radius * 0.46,
                fill,
            )
        )
    parts += [disc(x, y, radius * 0.36, heart), disc(x, y, radius * 0.16, fill)]
    return tuple(parts)


def _spring(design: Design) -> Drawing:
    parts: list[Primitive] = [
        _twig(((52, 378), (96, 318), (150, 262), (236, 196)), 15, 5, _BARK),
        _twig(((118, 296), (104, 244), (70, 206)), 9, 4, _BARK),
    ]
    for x, y, length, turn in ((150, 262, 70, 10), (196, 226, 62, 30), (84, 222, 58, 200)):
        parts += _leaf(x, y, length, 28, turn, design.green)
    for x, y, r in ((236, 186, 40), (160, 250, 34), (72, 200, 32), (108, 316, 28)):
        parts += _blossom(x, y, r, _PINK, _YELLOW)
    return tuple(parts)


def _summer(design: Design) -> Drawing:
    parts: list[Primitive] = [
        _twig(((150, 386), (156, 330), (150, 262)), 10, 8, design.green),
        Ellipse((212, 336), (66, 30), design.green, -8),
        Ellipse((212, 332), (12, 6), design.ground, -8),
        Ellipse((78, 356), (50, 22), design.green, 6),
    ]
    for turn, length, fill in (
        (-168, 86, _PINK),
        (-12, 86, _PINK),
        (-142, 96, _PINK),
        (-38, 96, _PINK),
        (-116, 98, design.red),
        (-64, 98, design.red),
        (-90, 104, _PINK),
    ):
        parts += _leaf(150, 270, length, 50, turn, fill)
    parts += [Ellipse((150, 264), (26, 12), _YELLOW)]
    return tuple(parts)


def _autumn(design: Design) -> Drawing:
    parts: list[Primitive] = [_twig(((150, 384), (146, 330), (150, 288)), 10, 6, _BARK)]
    for turn, length in ((-90, 112), (-140, 104), (-40, 104), (172, 78), (8, 78)):
        parts += _leaf(150, 292, length, 62, turn, design.red)
    parts += [
        line(((150, 292), (150 + 74 * math.cos(a), 292 + 74 * math.sin(a))), 5, _YELLOW)
        for a in (math.radians(t) for t in (-90, -140, -40, 172, 8))
    ]
    parts += _leaf(66, 366, 56, 28, -20, _YELLOW)
    parts += _leaf(206, 372, 56, 28, -14, design.green)
    return tuple(parts)


def _winter(design: Design) -> Drawing:
    parts: list[Primitive] = [_twig(((150, 386), (150, 340), (150, 200)), 16, 8, _BARK)]
    for y, half in ((350, 92), (292, 74), (238, 52)):
        parts.append(Area(((150 - half, y), (150, y - 86), (150 + half, y)), design.green))
        parts.append(
            line(
                smooth(
                    (
                        (150 - half, y),
                        (150 - half / 2, y - 16),
                        (150, y - 4),
                        (150 + half / 2, y - 16),
                        (150 + half, y),
                    )
                ),
                9,
                "#a9c4dd",
            )
        )
    parts += [disc(x, y, 8, design.blue) for x, y in ((60, 210), (240, 214), (52, 292), (250, 292))]
    return tuple(parts)


def _plum(design: Design) -> Drawing:
    parts: list[Primitive] = [
        _twig(((70, 388), (92, 330), (150, 284), (160, 220), (214, 176)), 22, 6, _BARK),
        _twig(((150, 284), (206, 268), (252, 282)), 11, 5, _BARK),
        _twig(((104, 322), (74, 280), (60, 232)), 9, 4, _BARK),
    ]
    for x, y, r in ((216, 172, 36), (160, 232, 38), (248, 286, 34), (62, 226, 34), (128, 306, 30)):
        parts += _blossom(x, y, r, design.red, design.ground)
    parts += [disc(190, 244, 9, design.red), disc(96, 264, 9, design.red)]
    return tuple(parts)


def _orchid(design: Design) -> Drawing:
    parts: list[Primitive] = []
    leaves: tuple[tuple[Xy, ...], ...] = (
        ((150, 384), (120, 300), (66, 240), (34, 262)),
        ((150, 384), (140, 270), (100, 190), (60, 176)),
        ((152, 384), (166, 280), (216, 216), (262, 240)),
        ((152, 384), (190, 330), (238, 306), (270, 326)),
        ((148, 384), (110, 344), (60, 330), (32, 350)),
    )
    parts += [_twig(points, 17, 3, design.green) for points in leaves]
    parts.append(_twig(((152, 384), (150, 290), (164, 210)), 7, 5, design.green))
    for x, y, s in ((166, 200, 1.0), (128, 262, 0.8), (198, 268, 0.8)):
        for turn in (-90, -150, -30, 150, 30):
            parts += _leaf(x, y, 44 * s, 22 * s, turn, "#7a4fa3")
        parts.append(disc(x, y, 8 * s, _YELLOW))
    return tuple(parts)


def _bamboo(design: Design) -> Drawing:
    parts: list[Primitive] = []
    for x0, x1, width in ((118, 132, 26), (196, 186, 18)):
        for i in range(4):
            y0, y1 = 386 - 56 * i, 336 - 56 * i
            xa, xb = x0 + (x1 - x0) * i / 4, x0 + (x1 - x0) * (i + 1) / 4
            parts.append(line(((xa, y0), (xb, y1 + 4)), width, design.green))
            parts.append(line(((xb - width / 2, y1), (xb + width / 2, y1)), 5, design.ground))
    for x, y, turn in (
        (140, 220, -30), (140, 220, 10), (140, 220, 40), (122, 276, 190), (122, 276, 160),
        (122, 276, 220), (194, 250, 20), (194, 250, 60), (194, 300, -14), (128, 196, 205),
    ):  # fmt: skip
        parts += _leaf(x, y, 84, 24, turn, design.green)
    return tuple(parts)


def _chrysanthemum(design: Design) -> Drawing:
    parts: list[Primitive] = [_twig(((150, 388), (146, 340), (150, 280)), 10, 8, design.green)]
    for x, y, turn in ((148, 350, -30), (146, 346, 210), (148, 366, 4), (146, 368, 176)):
        parts += _leaf(x, y, 92, 40, turn, design.green)
    for radius, fill, offset in ((92, _YELLOW, 0.0), (72, "#c7781a", 11.0), (50, _YELLOW, 4.0)):
        for i in range(16):
            parts += _leaf(150, 246, radius, 22, 22.5 * i + offset, fill)
    parts.append(disc(150, 246, 16, design.red))
    return tuple(parts)


_PICTURES: Final = (
    _spring, _summer, _autumn, _winter, _plum, _orchid, _bamboo, _chrysanthemum,
)  # fmt: skip


def flower(number: int, design: Design) -> Drawing:
    """1-4 spring, summer, autumn, winter; 5-8 plum, orchid, bamboo, chrysanthemum."""
    ink = design.red if number <= 4 else design.blue
    character = moved(
        glyph(_CHARACTERS[number - 1], design.pen * 0.85, ink, brush=design.brush), 166, 24, 1.08
    )
    count = moved(glyph(str((number - 1) % 4 + 1), 15, ink, brush=False), 26, 28, 0.8)
    picture = moved(_PICTURES[number - 1](design), 0, 0, 1.0)
    return picture + character + count
