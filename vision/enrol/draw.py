"""Shows an enrolment as a picture to be confirmed: the block, every name, every fault."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.enrol.enrolment import Enrolment
from vision.enrol.findings import Fault, Finding, Place
from vision.image import Image

Colour = tuple[int, int, int]
Array = NDArray[np.float64]

_WIDE: Final = 72
"""Width of a tile in the picture."""
_GOOD: Final[Colour] = (70, 160, 60)
_ASK: Final[Colour] = (20, 150, 235)
_BAD: Final[Colour] = (50, 40, 225)
_INK: Final[Colour] = (235, 235, 235)
_PAPER: Final = 34
_FONT: Final = cv2.FONT_HERSHEY_SIMPLEX


def draw_enrolment(image: Image, enrolment: Enrolment) -> Image:
    """The block set upright with its names and faults, and beside it what is wrong.

    Args:
        image: the first picture that was enrolled from, (H, W, 3) BGR.
        enrolment: what was found in it.
    """
    block = _block(image, enrolment)
    rows, columns = enrolment.shape
    lines = [
        f"{len(enrolment.cells)} tiles in {rows} rows of {columns}: set {enrolment.set_name}",
        *(str(finding) for finding in enrolment.findings),
    ]
    if not enrolment.findings:
        lines.append("nothing is missing, doubled or different")
    return _with_text(block, lines)


def draw_backs(image: Image, enrolment: Enrolment) -> Image:
    """The backs' picture with those outlined that differ."""
    out = image.copy()
    if enrolment.backs is None:
        return out
    bad = _by_place(enrolment, backs=True)
    for row, quads in enumerate(enrolment.backs):
        for column, quad in enumerate(quads):
            findings = bad.get((row + 1, column + 1), [])
            thick = max(1, round(float(np.linalg.norm(quad[1] - quad[0])) / 24))
            corners = np.round(quad).astype(np.int32)
            colour = _BAD if findings else _GOOD
            cv2.polylines(out, [corners], True, colour, thick * (2 if findings else 1))
            for finding in findings:
                _ring(out, quad, finding)
    return out


def _by_place(enrolment: Enrolment, *, backs: bool) -> dict[Place, list[Finding]]:
    out: dict[Place, list[Finding]] = {}
    for finding in enrolment.findings:
        if (finding.fault in (Fault.BACK_MARK, Fault.BACK_SHADE)) == backs:
            for place in finding.places:
                out.setdefault(place, []).append(finding)
    return out


def _block(image: Image, enrolment: Enrolment) -> Image:
    rows, columns = enrolment.shape
    corners = np.array([cell.quad for cell in enrolment.cells])
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
    tall = round(
        _WIDE * float(np.median((sides[:, 1] + sides[:, 3]) / (sides[:, 0] + sides[:, 2])))
    )
    rim = _WIDE // 2
    size = (columns * _WIDE + 2 * rim, rows * tall + 2 * rim)
    flat = np.array(
        [
            (rim + (cell.place[1] - 0.5) * _WIDE, rim + (cell.place[0] - 0.5) * tall)
            for cell in enrolment.cells
        ]
    )
    centres = corners.mean(axis=1)
    matrix, _ = cv2.findHomography(centres, flat, cv2.RANSAC, 0.3 * _WIDE)
    out = np.asarray(cv2.warpPerspective(image, matrix, size), np.uint8)
    found = _by_place(enrolment, backs=False)
    for cell in enrolment.cells:
        quad = cv2.perspectiveTransform(cell.quad[None].astype(np.float64), matrix)[0]
        findings = found.get(cell.place, [])
        colour = _GOOD
        if findings:
            colour = _ASK if all(f.fault is Fault.UNSURE for f in findings) else _BAD
        corners_px = np.round(quad).astype(np.int32)
        cv2.polylines(out, [corners_px], True, colour, 3 if findings else 1, cv2.LINE_AA)
        for finding in findings:
            _ring(out, quad, finding)
        _label(out, cell.face, quad.mean(axis=0) + np.array((0.0, 0.36 * tall)), colour)
    for row in range(rows):
        _plain(out, str(row + 1), (4, round(rim + (row + 0.5) * tall)))
    for column in range(columns):
        _plain(out, str(column + 1), (round(rim + (column + 0.4) * _WIDE), rim - 12))
    return out


def _ring(out: Image, quad: Array, finding: Finding) -> None:
    """Where on the tile the fault is."""
    if finding.spot is None:
        return
    u, v = finding.spot
    top = quad[0] + u * (quad[1] - quad[0])
    foot = quad[3] + u * (quad[2] - quad[3])
    x, y = np.round(top + v * (foot - top)).astype(int)
    radius = max(5, round(0.2 * float(np.linalg.norm(quad[1] - quad[0]))))
    cv2.circle(out, (int(x), int(y)), radius, _BAD, 2, cv2.LINE_AA)


def _label(out: Image, text: str, at: Array, colour: Colour) -> None:
    (w, h), _ = cv2.getTextSize(text, _FONT, 0.5, 1)
    x, y = round(float(at[0]) - w / 2), round(float(at[1]) + h / 2)
    cv2.rectangle(out, (x - 3, y - h - 3), (x + w + 3, y + 4), colour, -1)
    cv2.putText(out, text, (x, y), _FONT, 0.5, (255, 255, 255), 1, cv2.LINE_AA)


def _plain(out: Image, text: str, at: tuple[int, int]) -> None:
    cv2.putText(out, text, at, _FONT, 0.5, _INK, 1, cv2.LINE_AA)


def _with_text(picture: Image, lines: list[str]) -> Image:
    step = 22
    foot = np.full((step * (len(lines) + 1), picture.shape[1], 3), _PAPER, np.uint8)
    for number, line in enumerate(lines):
        _plain(foot, line, (16, step * (number + 1)))
    return np.concatenate([picture, foot])
