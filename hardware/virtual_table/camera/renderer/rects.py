"""Rectangles of a picture: those that are drawn again."""

from __future__ import annotations

from collections.abc import Iterable

Rect = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels, the last two excluded."""


def meet(a: Rect, b: Rect) -> bool:
    """Whether two rectangles have a part in common."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def clipped(rects: Iterable[Rect], width: int, height: int) -> list[Rect]:
    """Clipped to the picture and widened to even corners (width and height are even)."""
    out = []
    for x0, y0, x1, y1 in rects:
        rect = (
            max(x0, 0) & ~1,
            max(y0, 0) & ~1,
            min(x1 + 1 & ~1, width),
            min(y1 + 1 & ~1, height),
        )
        if rect[0] < rect[2] and rect[1] < rect[3]:
            out.append(rect)
    return out


def merged(rects: list[Rect]) -> list[Rect]:
    """Rectangles that meet become one, until none do."""
    out: list[Rect] = []
    for rect in rects:
        joined = rect
        while True:
            hit = next((other for other in out if meet(other, joined)), None)
            if hit is None:
                break
            out.remove(hit)
            joined = (
                min(hit[0], joined[0]),
                min(hit[1], joined[1]),
                max(hit[2], joined[2]),
                max(hit[3], joined[3]),
            )
        out.append(joined)
    return out
