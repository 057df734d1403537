"""The faces of the three suits, the winds and the dragons."""

from __future__ import annotations

import math
from typing import Final

from hardware.virtual_table.camera.faces.bird import bird
from hardware.virtual_table.camera.faces.designs import Design
from hardware.virtual_table.camera.faces.glyphs import STROKES, glyph
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
)

_NUMERALS: Final = "一二三四五六七八九"


def placed(character: str, design: Design, fill: str, box: tuple[float, float, float]) -> Drawing:
    """A character drawn in a square: ``box`` is its left, its top and its side."""
    left, top, side = box
    strokes = len(STROKES[character].split(";"))
    # a crowded character is written with a finer pen
    pen = design.pen * (1.0 if strokes < 8 else 0.9 if strokes < 12 else 0.76)
    return moved(glyph(character, pen, fill, brush=design.brush), left, top, side / 100)


def figure(text: str, design: Design, fill: str) -> Drawing:
    """The small figure in the upper left corner, where the design has one."""
    if not design.figures:
        return ()
    return moved(glyph(text, 17.0, fill, brush=False), 15, 13, 0.5)


def _stretched(drawing: Drawing, centre: Xy, wide: float, high: float) -> Drawing:
    """Scaled differently across and down about ``centre``."""
    cx, cy = centre
    out: list[Primitive] = []
    for part in drawing:
        if isinstance(part, Brush):
            out.append(
                Brush(
                    tuple(
                        (cx + (x - cx) * wide, cy + (y - cy) * high, w) for x, y, w in part.samples
                    ),
                    part.fill,
                )
            )
        else:
            out.append(part)
    return tuple(out)


def characters(rank: int, design: Design, *, red: bool = False) -> Drawing:
    """The suit of characters."""
    numeral = _NUMERALS[rank - 1]
    if numeral == "五":
        numeral = design.five
    ink = design.red if red else design.dark
    top = _stretched(placed(numeral, design, ink, (75, 30, 150)), (150, 105), 1.08, 1.0)
    bottom = _stretched(
        placed(design.wan, design, design.red, (60, 192, 180)), (150, 280), 1.0, 0.96
    )
    return top + bottom + figure(str(rank), design, ink)


# --- dots -----------------------------------------------------------------------------------


def _ring(x: float, y: float, outer: float, inner: float, fill: str, ground: str) -> Drawing:
    return disc(x, y, outer, fill), disc(x, y, inner, ground)


def dot(x: float, y: float, radius: float, fill: str, design: Design) -> Drawing:
    """One dot of the suit."""
    ground = design.ground
    parts: list[Primitive] = list(_ring(x, y, radius, radius * 0.86, fill, ground))
    if design.dots == "rings":
        parts += _ring(x, y, radius * 0.72, radius * 0.46, fill, ground)
        parts.append(disc(x, y, radius * 0.26, fill))
    elif design.dots == "flower":
        for i in range(6):
            a = math.radians(60 * i + 30)
            parts.append(
                Ellipse(
                    (x + radius * 0.46 * math.cos(a), y + radius * 0.46 * math.sin(a)),
                    (radius * 0.34, radius * 0.2),
                    fill,
                    60.0 * i + 30,
                )
            )
        parts.append(disc(x, y, radius * 0.2, design.red if fill != design.red else design.blue))
    else:
        parts.append(disc(x, y, radius * 0.76, fill))
        for i in range(8):
            a = math.radians(45 * i)
            parts.append(
                disc(
                    x + radius * 0.53 * math.cos(a),
                    y + radius * 0.53 * math.sin(a),
                    radius * 0.13,
                    ground,
                )
            )
        parts += _ring(x, y, radius * 0.33, radius * 0.2, ground, fill)
    return tuple(parts)


def _great_dot(design: Design) -> Drawing:
    x, y, radius = 150.0, 200.0, 108.0
    parts: list[Primitive] = list(_ring(x, y, radius, radius * 0.92, design.blue, design.ground))
    parts += _ring(x, y, radius * 0.86, radius * 0.56, design.green, design.ground)
    for i in range(16):
        a = math.radians(22.5 * i)
        parts.append(
            disc(
                x + radius * 0.71 * math.cos(a),
                y + radius * 0.71 * math.sin(a),
                radius * 0.07,
                design.ground,
            )
        )
    parts += _ring(x, y, radius * 0.5, radius * 0.45, design.blue, design.ground)
    for i in range(8):
        parts.append(
            Ellipse(
                (
                    x + radius * 0.25 * math.cos(math.radians(45 * i)),
                    y + radius * 0.25 * math.sin(math.radians(45 * i)),
                ),
                (radius * 0.2, radius * 0.1),
                design.red,
                45.0 * i,
            )
        )
    parts += _ring(x, y, radius * 0.13, radius * 0.07, design.ground, design.red)
    return tuple(parts)


_DOTS: Final[dict[int, tuple[float, tuple[tuple[float, float, str], ...]]]] = {
    2: (60, ((150, 108, "g"), (150, 292, "b"))),
    3: (50, ((76, 82, "b"), (150, 200, "r"), (224, 318, "g"))),
    4: (52, ((86, 100, "b"), (214, 100, "g"), (86, 300, "g"), (214, 300, "b"))),
    5: (47, ((76, 84, "b"), (224, 84, "g"), (150, 200, "r"), (76, 316, "g"), (224, 316, "b"))),
    6: (
        46,
        (
            *((92, 76, "g"), (208, 76, "g")),
            *((92, 214, "r"), (208, 214, "r"), (92, 322, "r"), (208, 322, "r")),
        ),
    ),
    7: (
        39,
        (
            *((66, 62, "g"), (150, 102, "g"), (234, 142, "g")),
            *((96, 242, "r"), (204, 242, "r"), (96, 336, "r"), (204, 336, "r")),
        ),
    ),
    8: (41, tuple((x, y, "b") for y in (62, 154, 246, 338) for x in (92, 208))),
    9: (
        40,
        tuple((x, y, c) for y, c in ((76, "g"), (200, "r"), (324, "b")) for x in (62, 150, 238)),
    ),
}


def _paints(design: Design, *, red: bool = False) -> dict[str, str]:
    if red:
        return dict.fromkeys("rgb", design.red)
    return {"r": design.red, "g": design.green, "b": design.blue}


def dots(rank: int, design: Design, *, red: bool = False) -> Drawing:
    """The suit of dots."""
    if rank == 1:
        return _great_dot(design) + figure("1", design, design.blue)
    paints = _paints(design, red=red)
    radius, places = _DOTS[rank]
    parts: Drawing = ()
    for x, y, paint in places:
        parts += dot(x, y, radius * 1.08, paints[paint], design)
    if design.figures:
        parts = moved(parts, 34, 44, 0.88)
    return parts + figure(str(rank), design, design.red if red else design.blue)


# --- bamboo ---------------------------------------------------------------------------------


def _capsule(x0: float, y0: float, x1: float, y1: float, half: float, fill: str) -> Brush:
    n = 8
    return Brush(
        tuple(
            (
                x0 + (x1 - x0) * i / n,
                y0 + (y1 - y0) * i / n,
                half * (0.86 + 0.14 * abs(2 * i / n - 1)),
            )
            for i in range(n + 1)
        ),
        fill,
    )


def stick(x: float, y: float, length: float, turn: float, fill: str, design: Design) -> Drawing:
    """One bamboo stick about its middle; ``turn`` in degrees clockwise."""
    half = 17.0
    parts: list[Primitive] = []
    pieces = design.nodes + 1
    piece = length / pieces
    for i in range(pieces):
        top = -length / 2 + i * piece
        parts.append(_capsule(0, top + half * 0.8, 0, top + piece - half * 0.8, half, fill))
        parts.append(
            line(((0, top + half * 0.9), (0, top + piece - half * 0.9)), half * 0.42, design.ground)
        )
    for i in range(pieces + 1):
        at = -length / 2 + i * piece
        inner = 0 < i < pieces
        at += 0 if inner else (5 if i == 0 else -5)
        parts.append(line(((-half * 0.95, at), (half * 0.95, at)), 9.0, fill))
    return moved(parts, x, y, 1.0, turn)


_STICKS: Final[dict[int, tuple[float, tuple[tuple[float, float, float, str], ...]]]] = {
    2: (150, ((150, 106, 0, "g"), (150, 294, 0, "b"))),
    3: (146, ((150, 106, 0, "b"), (92, 294, 0, "g"), (208, 294, 0, "g"))),
    4: (146, ((92, 106, 0, "g"), (208, 106, 0, "b"), (92, 294, 0, "b"), (208, 294, 0, "g"))),
    5: (
        140,
        (
            *((70, 106, 0, "g"), (230, 106, 0, "b"), (150, 200, 0, "r")),
            *((70, 294, 0, "b"), (230, 294, 0, "g")),
        ),
    ),
    6: (
        146,
        tuple((x, y, 0.0, c) for y, c in ((106, "g"), (294, "b")) for x in (70, 150, 230)),
    ),
    7: (
        102,
        (
            (150.0, 74.0, 0.0, "r"),
            *tuple(
                (x, y, 0.0, c) for x, c in ((70, "g"), (150, "b"), (230, "g")) for y in (200, 322)
            ),
        ),
    ),
    8: (
        142,
        (
            *((58, 112, 0, "g"), (116, 118, -32, "g"), (184, 118, 32, "g"), (242, 112, 0, "g")),
            *((58, 288, 0, "b"), (116, 282, 32, "b"), (184, 282, -32, "b"), (242, 288, 0, "b")),
        ),
    ),
    9: (
        106,
        tuple(
            (x, y, 0.0, c) for x, c in ((70, "g"), (150, "r"), (230, "b")) for y in (76, 200, 324)
        ),
    ),
}


def bamboo(rank: int, design: Design, *, red: bool = False) -> Drawing:
    """The suit of bamboo; its first is a bird."""
    if rank == 1:
        fowl = moved(bird(design), 30, 34, 0.9) if design.figures else bird(design)
        return fowl + figure("1", design, design.green)
    paints = _paints(design, red=red)
    if not red and design.bird == "sparrow":
        paints["b"] = design.green  # makers that paint all sticks but the middle ones green
    length, places = _STICKS[rank]
    parts: Drawing = ()
    for x, y, turn, paint in places:
        parts += stick(x, y, length, turn, paints[paint], design)
    corner = figure(str(rank), design, design.red if red else design.green)
    if corner:
        parts = moved(parts, 32, 40, 0.88)
    return parts + corner


# --- honours --------------------------------------------------------------------------------

_WINDS: Final = (("東", "E"), ("南", "S"), ("西", "W"), ("北", "N"))


def _frame(inset: float, width: float, fill: str, ground: str) -> Drawing:
    def rounded(at: float, radius: float) -> Area:
        points: list[Xy] = []
        for cx, cy, start in (
            (300 - at - radius, at + radius, -90),
            (300 - at - radius, 400 - at - radius, 0),
            (at + radius, 400 - at - radius, 90),
            (at + radius, at + radius, 180),
        ):
            for i in range(7):
                a = math.radians(start + 15 * i)
                points.append((cx + radius * math.cos(a), cy + radius * math.sin(a)))
        return Area(tuple(points), "")

    outer, inner = rounded(inset, 22), rounded(inset + width, 14)
    return Area(outer.points, fill), Area(inner.points, ground)


def honour(rank: int, design: Design) -> Drawing:
    """The four winds (1-4) and the white, green and red dragon (5-7)."""
    if rank <= 4:
        character, letter = _WINDS[rank - 1]
        drawing = _stretched(
            placed(character, design, design.dark, (44, 94, 212)), (150, 200), 1.0, 1.16
        )
        return drawing + figure(letter, design, design.dark)
    if rank == 6:
        return _stretched(placed("發", design, design.green, (42, 92, 216)), (150, 200), 1.0, 1.18)
    if rank == 7:
        return _stretched(placed("中", design, design.red, (46, 78, 208)), (150, 182), 0.96, 1.28)
    if design.white == "blank":
        return ()
    parts = _frame(42, 13 if design.white == "double" else 20, design.blue, design.ground)
    if design.white == "double":
        parts += _frame(66, 7, design.blue, design.ground)
        for x, y, turn in ((78, 78, 0), (222, 78, 90), (222, 322, 180), (78, 322, 270)):
            corner = (
                line(((4, 34), (4, 4), (34, 4)), 7, design.blue),
                line(((18, 26), (18, 18), (26, 18)), 6, design.blue),
            )
            parts += moved(corner, x, y, 1.0, turn)
    return parts
