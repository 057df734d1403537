"""What a tile face is drawn from, and how it becomes SVG or pixels.

A drawing is a tuple of primitives on a sheet of :data:`WIDTH` × :data:`HEIGHT` units, origin
top left, y down. Everything is reduced to three primitives, so that the SVG of the console
and the pixels of the virtual camera are the same picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.camera.image import Image

WIDTH = 300.0
HEIGHT = 400.0

Xy = tuple[float, float]

_SHIFT = 4
_SUPERSAMPLING = 3


@dataclass(frozen=True, slots=True)
class Area:
    """A filled polygon."""

    points: tuple[Xy, ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Ellipse:
    """A filled ellipse; ``angle`` in degrees clockwise on the sheet."""

    centre: Xy
    radii: Xy
    fill: str
    angle: float = 0.0


@dataclass(frozen=True, slots=True)
class Brush:
    """A stroke of changing width: samples (x, y, half width) along its middle line."""

    samples: tuple[tuple[float, float, float], ...]
    fill: str


Primitive = Area | Ellipse | Brush
Drawing = tuple[Primitive, ...]


def disc(x: float, y: float, radius: float, fill: str) -> Ellipse:
    """A filled circle."""
    return Ellipse((x, y), (radius, radius), fill)


def line(points: Sequence[Xy], width: float, fill: str) -> Brush:
    """A stroke of even width through ``points``."""
    return Brush(tuple((x, y, width / 2) for x, y in points), fill)


def smooth(points: Sequence[Xy], steps: int = 8) -> list[Xy]:
    """A Catmull-Rom curve through ``points``."""
    if len(points) < 3:
        return list(points)
    padded = [points[0], *points, points[-1]]
    curve: list[Xy] = []
    for p0, p1, p2, p3 in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        for step in range(steps):
            u = step / steps
            weights = (
                -0.5 * u + u * u - 0.5 * u**3,
                1 - 2.5 * u * u + 1.5 * u**3,
                0.5 * u + 2 * u * u - 1.5 * u**3,
                -0.5 * u * u + 0.5 * u**3,
            )
            knots = (p0, p1, p2, p3)
            curve.append(
                (
                    sum(w * k[0] for w, k in zip(weights, knots, strict=True)),
                    sum(w * k[1] for w, k in zip(weights, knots, strict=True)),
                )
            )
    curve.append(points[-1])
    return curve


def resample(points: Sequence[Xy], spacing: float) -> list[Xy]:
    """The same polyline with extra points so that none are further apart than ``spacing``."""
    out: list[Xy] = [points[0]]
    for (x0, y0), (x1, y1) in pairwise(points):
        count = max(1, math.ceil(math.hypot(x1 - x0, y1 - y0) / spacing))
        out.extend(
            (x0 + (x1 - x0) * i / count, y0 + (y1 - y0) * i / count) for i in range(1, count + 1)
        )
    return out


def moved(
    drawing: Iterable[Primitive],
    dx: float = 0.0,
    dy: float = 0.0,
    scale: float = 1.0,
    turn: float = 0.0,
) -> Drawing:
    """The drawing scaled and turned (degrees clockwise) about the origin, then shifted."""
    cos, sin = math.cos(math.radians(turn)) * scale, math.sin(math.radians(turn)) * scale

    def put(x: float, y: float) -> Xy:
        return (x * cos - y * sin + dx, x * sin + y * cos + dy)

    out: list[Primitive] = []
    for part in drawing:
        if isinstance(part, Area):
            out.append(Area(tuple(put(x, y) for x, y in part.points), part.fill))
        elif isinstance(part, Ellipse):
            out.append(
                Ellipse(
                    put(*part.centre),
                    (part.radii[0] * scale, part.radii[1] * scale),
                    part.fill,
                    part.angle + turn,
                )
            )
        else:
            out.append(Brush(tuple((*put(x, y), w * scale) for x, y, w in part.samples), part.fill))
    return tuple(out)


# --- SVG ------------------------------------------------------------------------------------


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _path(points: Iterable[Xy]) -> str:
    return "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in points) + "Z"


def _sides(brush: Brush) -> tuple[list[Xy], list[Xy]]:
    """The two edges of a stroke."""
    xyw = np.array(brush.samples, dtype=np.float64)
    if len(xyw) == 1:
        xyw = np.vstack([xyw, xyw + np.array([0.01, 0, 0])])
    step = np.diff(xyw[:, :2], axis=0)
    step /= np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-9)[:, None]
    tangent = np.vstack([step[:1], step[:-1] + step[1:], step[-1:]])
    tangent /= np.maximum(np.hypot(tangent[:, 0], tangent[:, 1]), 1e-9)[:, None]
    normal = np.stack([-tangent[:, 1], tangent[:, 0]], axis=1) * xyw[:, 2:]
    left = [(float(x), float(y)) for x, y in xyw[:, :2] + normal]
    right = [(float(x), float(y)) for x, y in xyw[:, :2] - normal]
    return left, right


def _brush_svg(brush: Brush) -> str:
    left, right = _sides(brush)
    shape = f'<path fill="{brush.fill}" d="{_path([*left, *reversed(right)])}"/>'
    x0, y0, w0 = brush.samples[0]
    x1, y1, w1 = brush.samples[-1]
    for x, y, w in ((x0, y0, w0), (x1, y1, w1)):
        if w > 0.8:
            shape += (
                f'<circle fill="{brush.fill}" cx="{_number(x)}" cy="{_number(y)}" '
                f'r="{_number(w)}"/>'
            )
    return shape


def _primitive_svg(part: Primitive) -> str:
    if isinstance(part, Area):
        return f'<path fill="{part.fill}" d="{_path(part.points)}"/>'
    if isinstance(part, Brush):
        return _brush_svg(part)
    (x, y), (rx, ry) = part.centre, part.radii
    turn = (
        f' transform="rotate({_number(part.angle)} {_number(x)} {_number(y)})"'
        if part.angle % 180 and rx != ry
        else ""
    )
    return (
        f'<ellipse fill="{part.fill}" cx="{_number(x)}" cy="{_number(y)}" rx="{_number(rx)}" '
        f'ry="{_number(ry)}"{turn}/>'
    )


def svg(drawing: Drawing, title: str, ground: str, edge: str) -> str:
    """The drawing as an SVG document on a rounded tile of colour ``ground``."""
    width, height = int(WIDTH), int(HEIGHT)
    parts = "\n".join(_primitive_svg(part) for part in drawing)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
        f"<title>{title}</title>\n"
        f'<rect x="3" y="3" width="{width - 6}" height="{height - 6}" rx="30" '
        f'fill="{ground}" stroke="{edge}" stroke-width="6"/>\n{parts}\n</svg>\n'
    )


# --- pixels ---------------------------------------------------------------------------------


def bgr(colour: str) -> tuple[int, int, int]:
    """The OpenCV colour of ``#rrggbb``."""
    value = int(colour[1:], 16)
    return value & 255, value >> 8 & 255, value >> 16


def paint(image: Image, drawing: Drawing) -> None:
    """Draw onto a BGR picture whose size stands for the whole sheet (not antialiased)."""
    height, width = image.shape[:2]
    scale = np.array([width / WIDTH, height / HEIGHT])
    fixed = scale * (1 << _SHIFT)
    for part in drawing:
        colour = bgr(part.fill)
        if isinstance(part, Area):
            points = np.round(np.array(part.points) * fixed).astype(np.int32)
            cv2.fillPoly(image, [points], colour, cv2.LINE_8, _SHIFT)
        elif isinstance(part, Ellipse):
            ring = _ellipse_points(part)
            points = np.round(ring * fixed).astype(np.int32)
            cv2.fillPoly(image, [points], colour, cv2.LINE_8, _SHIFT)
        else:
            left, right = _sides(part)
            edges = np.round(np.array([left, right]) * fixed).astype(np.int32)
            for i in range(edges.shape[1] - 1):
                quad = np.stack([edges[0, i], edges[0, i + 1], edges[1, i + 1], edges[1, i]])
                cv2.fillConvexPoly(image, quad, colour, cv2.LINE_8, _SHIFT)
            for x, y, half in part.samples:
                centre = np.round(np.array([x, y]) * fixed).astype(int)
                radius = round(half * float(scale.mean()) * (1 << _SHIFT))
                cv2.circle(
                    image, (int(centre[0]), int(centre[1])), radius, colour, -1, cv2.LINE_8, _SHIFT
                )


def _ellipse_points(part: Ellipse) -> NDArray[np.float64]:
    angle = np.linspace(0, 2 * np.pi, 49)[:-1]
    x, y = part.radii[0] * np.cos(angle), part.radii[1] * np.sin(angle)
    turn = math.radians(part.angle)
    cos, sin = math.cos(turn), math.sin(turn)
    ring = np.stack([x * cos - y * sin, x * sin + y * cos], axis=1)
    return np.asarray(ring + np.array(part.centre), np.float64)


def raster(drawing: Drawing, size: tuple[int, int], ground: str) -> Image:
    """The drawing antialiased on a plain ground: BGR uint8 (height, width, 3)."""
    width, height = size
    large = np.empty((height * _SUPERSAMPLING, width * _SUPERSAMPLING, 3), np.uint8)
    large[:] = bgr(ground)
    paint(large, drawing)
    return np.asarray(cv2.resize(large, size, interpolation=cv2.INTER_AREA), np.uint8)
