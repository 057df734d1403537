"""The calibration sheet: a ChArUco board as a PDF with exact lengths, drawn as vectors.

The board's numbers are what a calibration needs to know: squares, their side, the markers' side and
the dictionary. They are printed on the sheet as well, with a rule to check the printer's scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

_POINT = 72 / 25.4
_DICTIONARY = cv2.aruco.DICT_4X4_100
DICTIONARY_NAME = "DICT_4X4_100"
_BITS = 4
_RULE_MM = 100


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper (mm) and the board on it: squares across and down, sides in mm."""

    width: float
    height: float
    columns: int
    rows: int
    square: float
    marker: float


PAPERS = {
    "a4": Paper(210, 297, 7, 10, 25, 18),
    "a3": Paper(297, 420, 7, 10, 36, 26),
}

Rectangle = tuple[float, float, float, float]


def black(paper: Paper) -> list[Rectangle]:
    """All black rectangles: left, top, width, height in mm from the board's upper left corner."""
    dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARY)
    cell = paper.marker / (_BITS + 2)
    inset = (paper.square - paper.marker) / 2
    out: list[Rectangle] = []
    number = 0
    for row in range(paper.rows):
        for column in range(paper.columns):
            left, top = column * paper.square, row * paper.square
            if (row + column) % 2 == 0:
                out.append((left, top, paper.square, paper.square))
                continue
            picture = np.zeros((_BITS + 2, _BITS + 2), np.uint8)
            cv2.aruco.generateImageMarker(dictionary, number, _BITS + 2, picture, 1)
            number += 1
            for y, line in enumerate(picture):
                out += [
                    (left + inset + x * cell, top + inset + y * cell, cell, cell)
                    for x, value in enumerate(line)
                    if value == 0
                ]
    return out


def pdf(paper: Paper) -> bytes:
    """The sheet, one page."""
    left = (paper.width - paper.columns * paper.square) / 2
    top = (paper.height - paper.rows * paper.square) / 2
    ops = ["0 g"]
    ops += [_rectangle(paper, left + x, top + y, w, h) for x, y, w, h in black(paper)]
    rule = (paper.height + top + paper.rows * paper.square) / 2
    ops.append(_rectangle(paper, left, rule, _RULE_MM, 0.4))
    ops += [_rectangle(paper, left + 10 * i, rule - 2, 0.2, 2) for i in range(_RULE_MM // 10 + 1)]
    text = (
        f"ChArUco {paper.columns} x {paper.rows}, squares {paper.square:g} mm, markers "
        f"{paper.marker:g} mm, {DICTIONARY_NAME}. Print at 100 %: the rule must be {_RULE_MM} mm."
    )
    x, y = left * _POINT, (paper.height - rule - 5) * _POINT
    ops.append(f"BT /F1 8 Tf {x:.2f} {y:.2f} Td ({text}) Tj ET")
    return _file("\n".join(ops).encode("ascii"), paper)


def _rectangle(paper: Paper, left: float, top: float, width: float, height: float) -> str:
    x, y = left * _POINT, (paper.height - top - height) * _POINT
    return f"{x:.4f} {y:.4f} {width * _POINT:.4f} {height * _POINT:.4f} re f"


def _file(content: bytes, paper: Paper) -> bytes:
    box = f"0 0 {paper.width * _POINT:.3f} {paper.height * _POINT:.3f}"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Contents 5 0 R "
        "/Resources << /Font << /F1 4 0 R >> >> >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    ]
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    out += b"startxref\n%d\n%%%%EOF\n" % start
    return bytes(out)
