"""The bird on the first tile of the bamboo suit."""

from __future__ import annotations

from hardware.virtual_table.camera.faces.designs import Design
from hardware.virtual_table.camera.faces.primitives import (
    Area,
    Brush,
    Drawing,
    Ellipse,
    Primitive,
    disc,
    line,
    moved,
    smooth,
)


def _feather(x: float, y: float, length: float, turn: float, design: Design) -> Drawing:
    quill = line(((0, 0), (0, -length)), 7, design.green)
    eye = (
        Ellipse((0.0, -length), (15, 21), design.green),
        Ellipse((0.0, -length), (9, 13), design.ground),
        Ellipse((0.0, -length), (6, 9), design.red),
    )
    return moved((quill, *eye), x, y, 1.0, turn)


def bird(design: Design) -> Drawing:
    """A peacock with eyes in its feathers, a sparrow, or a crane, on its perch."""
    parts: list[Primitive] = []
    if design.bird == "peacock":
        for turn in (-20, 2, 24, 46, 68):
            parts += _feather(132, 236, 128 + (6 if turn == 24 else 0), turn, design)
        lean, body = -28.0, design.green
    elif design.bird == "sparrow":
        for turn, fill in ((96, design.blue), (110, design.green), (124, design.blue)):
            parts += moved(
                (Area(((-15, 0), (15, 0), (20, -128), (-20, -128)), fill),), 146, 236, 1, turn
            )
        lean, body = 24.0, design.green
    else:
        for turn in (112, 126, 140):
            parts += moved((_taper(0, 0, 0, -104, 17, design.dark),), 160, 238, 1, turn)
        lean, body = 12.0, design.green
    # body, breast, wing
    parts += [
        Ellipse((140, 226), (74, 52), body, lean),
        Ellipse((126, 236), (52, 33), design.ground, lean),
        Ellipse((126, 238), (46, 27), design.red, lean),
    ]
    wing = smooth(((100, 206), (140, 178), (208, 196), (226, 238), (178, 242), (128, 240)), 5)
    parts.append(Area(tuple(wing), design.blue))
    parts += [
        line(
            smooth(((122 + 18 * i, 206 + 4 * i), (150 + 18 * i, 212), (172 + 14 * i, 228))),
            5,
            design.ground,
        )
        for i in range(3)
    ]
    # neck and head
    neck = smooth(((94, 214), (74, 172), (82, 128), (98, 104)))
    parts.append(
        Brush(tuple((x, y, 27 - 11 * i / len(neck)) for i, (x, y) in enumerate(neck)), body)
    )
    parts += [
        disc(98, 96, 32, body),
        Area(((74, 78), (36, 92), (72, 110)), design.red),
        disc(90, 90, 10, design.ground),
        disc(89, 90, 5, design.dark),
    ]
    for dx in (-12, 4, 20):
        parts.append(line(((102, 68), (102 + dx, 36)), 5, design.red))
        parts.append(disc(102 + dx, 34, 7, design.red))
    # legs and perch
    for x in (128, 160):
        parts.append(line(((x, 272), (x - 6, 326)), 8, design.red))
        parts.append(line(((x - 26, 338), (x - 6, 324), (x + 18, 338)), 7, design.red))
    parts.append(_taper(40, 350, 264, 342, 10, design.green))
    return moved(parts, 4, 6, 0.98)


def _taper(x0: float, y0: float, x1: float, y1: float, half: float, fill: str) -> Brush:
    n = 6
    return Brush(
        tuple(
            (x0 + (x1 - x0) * i / n, y0 + (y1 - y0) * i / n, half * (1 - 0.6 * i / n))
            for i in range(n + 1)
        ),
        fill,
    )
