"""Chinese characters and figures as brush strokes of our own.

Each character is a list of strokes on a square of 100 × 100 units. A stroke is a letter for
the way the brush moves, followed by the points of its middle line:

====  ======================================================================================
``h``  level stroke, heavier where it ends
``v``  upright stroke, heavier where it begins
``w``  upright stroke that ends in a needle point
``k``  stroke with a corner (down or across, then on)
``g``  stroke that ends in a hook
``p``  falls to the left and thins out
``n``  falls to the right and swells before it ends
``d``  dot
``t``  rises to the right and thins out
``u``  even line (figures)
====  ======================================================================================
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Final

from hardware.virtual_table.camera.faces.primitives import Brush, Drawing, Xy, resample, smooth

_GRASS = "h8,13 92,11; v34,3 36,22; v66,3 63,22;"

STROKES: Final[dict[str, str]] = {
    "一": "h6,54 94,48",
    "二": "h22,28 78,24; h6,82 94,78",
    "三": "h16,16 84,13; h24,50 76,47; h6,88 94,84",
    "四": "v13,20 19,84; k13,22 87,19 81,82; p40,22 39,44 27,60; k60,22 60,55 78,56; h19,79 81,77",
    "五": "h15,14 85,11; v48,14 37,87; k20,48 72,45 66,86; h6,90 94,87",
    "伍": "p30,4 22,28 4,52; v19,34 19,96; h38,14 94,12; v64,14 57,87; k42,48 86,46 82,86; "
    "h32,90 98,88",
    "六": "d46,4 54,21; h6,36 94,32; p36,50 31,70 10,92; n60,50 74,68 91,91",
    "七": "h6,48 94,33; g46,6 46,70 53,84 84,84 88,65",
    "八": "p37,18 33,52 7,88; n53,12 62,52 95,89",
    "九": "p43,4 40,50 8,93; g14,36 68,31 66,70 71,86 91,85 92,66",
    "萬": _GRASS + "v24,29 27,56; k24,29 77,28 74,56; h27,42 74,41; h27,56 74,55; v50,29 50,82; "
    "v13,66 14,97; g13,66 87,64 85,91 78,96 70,89; k49,80 29,85 68,81; d64,72 73,87",
    "万": "h8,18 92,14; g38,44 80,42 74,84 64,93 54,84; p45,18 40,60 8,95",
    "東": "h12,18 88,16; v24,32 26,63; k24,32 76,31 74,63; h26,47 74,46; h26,62 74,61; "
    "w50,3 50,98; p48,62 34,78 6,91; n52,62 68,78 96,91",
    "南": "h12,17 88,14; v50,3 49,31; v15,32 16,97; g15,32 87,30 86,90 79,96 69,89; d37,40 43,51; "
    "p64,39 57,51; h30,57 70,56; h26,73 74,72; v50,57 50,94",
    "西": "h8,14 92,11; v14,36 19,92; k14,36 86,34 81,92; p40,14 40,48 28,67; k59,14 59,58 64,65 "
    "77,64; h19,87 81,86",
    "北": "h6,35 36,33; v36,6 36,94; t4,82 36,67; p92,24 76,40 60,48; g59,6 59,80 65,89 92,87 "
    "94,67",
    "中": "v14,28 18,65; k14,28 86,26 82,64; h18,62 82,60; w50,3 50,99",
    "發": "k12,13 42,11 33,26; p36,22 24,34 5,44; d14,23 25,33; n51,4 64,26 96,42; p77,6 66,21; "
    "p90,18 76,31; k13,48 41,47 40,59; h13,60 40,59; v13,60 12,73; g12,73 41,72 38,90 30,96 21,89; "
    "p58,47 57,58 47,65; k58,47 78,46 79,57 93,58; k51,69 85,67 78,78; p80,74 68,89 44,99; "
    "n56,71 70,86 96,98",
    "春": "h20,14 80,11; h26,28 74,26; h4,44 96,41; p51,2 46,36 4,68; n56,43 72,54 97,66; v32,58 "
    "33,99; "
    "k32,58 69,57 68,99; h33,76 68,75; h33,95 68,94",
    "夏": "h8,10 92,7; p50,10 43,21; v27,22 28,60; k27,22 73,21 72,60; h28,34 72,33; h28,46 72,45; "
    "h28,59 72,58; p41,60 35,73 12,85; k37,71 74,69 70,75; p72,71 54,89 10,99; n36,75 58,90 95,99",
    "秋": "p40,5 28,12 12,17; h2,35 48,32; w27,13 27,98; p26,36 18,54 2,72; d29,42 42,58; d55,28 "
    "62,45; "
    "p94,23 82,43; p74,4 72,54 47,96; n74,50 82,74 98,96",
    "冬": "p40,3 30,24 8,41; k35,18 76,16 72,22; p74,18 56,42 6,66; n33,28 58,46 97,60; d41,61 "
    "59,72; "
    "d33,80 61,96",
    "梅": "h2,31 43,28; w24,4 24,98; p23,33 16,52 2,70; d26,40 39,55; p59,3 54,14 45,25; h54,18 "
    "96,15; "
    "k58,34 52,76 93,74; g58,34 89,33 85,90 77,96 69,90; h43,55 98,52; d68,40 75,49; d66,60 73,69",
    "蘭": "h6,12 94,10; v34,3 35,20; v66,3 64,20; v13,25 13,98; k13,25 42,24 41,47; h14,36 41,35; "
    "h14,47 41,46; v58,25 58,47; g58,25 88,24 87,92 80,97 73,92; h58,36 86,35; h58,47 86,46; "
    "h31,56 69,55; v34,64 35,78; k34,64 66,63 65,78; h35,78 65,77; v50,49 50,97; p48,78 42,86 "
    "28,94; "
    "n52,78 58,86 72,93",
    "竹": "p27,4 20,22 5,40; h17,30 49,27; w31,30 31,97; p68,4 62,22 50,38; h62,29 96,26; "
    "g79,28 79,90 70,97 61,88",
    "菊": _GRASS + "p33,22 26,38 8,57; g26,39 86,37 83,89 75,97 64,90; d33,48 40,58; p65,46 55,58; "
    "h22,66 72,64; v48,45 48,96; p46,67 38,80 22,90; n50,67 58,78 73,88",
    "1": "u34,24 52,8 52,92",
    "2": "u24,30 28,16 42,8 58,8 72,18 74,34 64,50 26,90 76,90",
    "3": "u26,12 72,12 46,44 64,46 76,60 76,74 66,88 48,92 32,88 23,76",
    "4": "u62,92 62,8 20,66 80,66",
    "5": "u70,10 32,10 27,46 42,40 58,41 72,52 75,68 68,84 52,92 36,90 25,80",
    "6": "u66,12 46,26 30,50 26,70 34,86 50,92 66,86 74,70 68,54 52,47 36,53 27,66",
    "7": "u22,10 76,10 56,48 44,92",
    "8": "u50,46 34,38 29,24 36,12 50,8 64,12 71,24 66,38 50,46 32,56 25,72 33,87 50,92 67,87 "
    "75,72 "
    "68,56 50,46",
    "9": "u34,88 54,74 70,50 74,30 66,14 50,8 34,14 26,30 32,46 48,53 64,47 73,34",
    "E": "u72,10 28,10 28,90 74,90; u28,49 66,49",
    "S": "u72,20 60,10 42,9 28,20 30,36 48,47 68,58 73,74 62,88 42,92 26,82",
    "W": "u10,10 30,90 50,30 70,90 90,10",
    "N": "u24,92 24,8 76,92 76,8",
}
"""Strokes of every character and figure used on the faces."""

# Half widths along a stroke, as multiples of the pen's: (position 0..1, factor).
_PROFILES: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "h": ((0, 0.85), (0.12, 0.75), (0.75, 0.66), (0.93, 1.15), (1, 0.9)),
    "v": ((0, 1.0), (0.08, 1.22), (0.25, 0.95), (0.85, 0.95), (1, 1.05)),
    "w": ((0, 1.0), (0.06, 1.22), (0.2, 0.98), (0.75, 1.0), (1, 0.2)),
    "k": ((0, 0.9), (0.15, 0.8), (0.5, 0.9), (0.6, 1.1), (1, 0.95)),
    "g": ((0, 1.0), (0.1, 0.9), (0.5, 1.0), (0.84, 1.1), (1, 0.15)),
    "p": ((0, 0.9), (0.1, 1.2), (0.5, 0.85), (1, 0.12)),
    "n": ((0, 0.3), (0.35, 0.8), (0.78, 1.45), (1, 0.15)),
    "d": ((0, 0.25), (0.65, 1.25), (1, 0.6)),
    "t": ((0, 1.15), (0.3, 0.9), (1, 0.15)),
    "u": ((0, 1.0), (1, 1.0)),
}
_CURVED: Final = frozenset("pndt")


def _points(text: str) -> list[Xy]:
    pairs = (pair.split(",") for pair in text.split())
    return [(float(x), float(y)) for x, y in pairs]


def _factor(profile: tuple[tuple[float, float], ...], u: float) -> float:
    for (u0, f0), (u1, f1) in pairwise(profile):
        if u <= u1:
            return f0 + (f1 - f0) * (u - u0) / (u1 - u0)
    return profile[-1][1]


def _rounded(points: list[Xy], corner: float) -> list[Xy]:
    """Corners cut once, so that the brush does not turn on the spot."""
    if len(points) < 3:
        return points
    out = [points[0]]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        for other in (before, after):
            dx, dy = other[0] - here[0], other[1] - here[1]
            length = max((dx * dx + dy * dy) ** 0.5, 1e-6)
            cut = min(corner, length / 3)
            out.append((here[0] + dx / length * cut, here[1] + dy / length * cut))
    out.append(points[-1])
    return out


@cache
def glyph(character: str, pen: float, fill: str, *, brush: bool = True) -> Drawing:
    """A character on its square of 100 × 100 units.

    Args:
        character: one of :data:`STROKES`.
        pen: width of the pen in units of the square.
        fill: colour ``#rrggbb``.
        brush: whether the pen swells and thins like a brush or keeps its width.
    """
    parts: list[Brush] = []
    for stroke in STROKES[character].split(";"):
        text = stroke.strip()
        if not text:
            continue
        kind, points = text[0], _points(text[1:])
        if kind in _CURVED:
            points = smooth(points)
        elif kind == "u" and len(points) > 5:
            points = smooth(points, 5)
        else:
            points = _rounded(points, 2.0)
        points = resample(points, 6.0)
        profile = _PROFILES[kind if brush else "u"]
        last = max(len(points) - 1, 1)
        parts.append(
            Brush(
                tuple(
                    (x, y, pen / 2 * _factor(profile, i / last)) for i, (x, y) in enumerate(points)
                ),
                fill,
            )
        )
    return tuple(parts)
