"""What never moves: felt, doors of the walls, middle panel, rails, the light on all of it."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.camera.image import Image
from hardware.virtual_table.camera.optics import Camera
from hardware.virtual_table.camera.renderer.look import Bgr, Look
from hardware.virtual_table.play.layout import Layout

Field = NDArray[np.float32]


def _smooth_noise(rng: np.random.Generator, size: int, grain: float) -> Field:
    """Noise of standard deviation 1 and structures of about ``grain`` pixels."""
    small = max(int(size / grain), 4)
    field = rng.standard_normal((small, small)).astype(np.float32)
    out = cv2.resize(field, (size, size), interpolation=cv2.INTER_CUBIC)
    _, deviation = cv2.meanStdDev(out)
    return np.asarray(out / max(float(deviation[0, 0]), 1e-6), np.float32)


def _dyed(shade: Field, colour: Bgr) -> Image:
    """A cloth or a wood of that colour: BGR (H, W, 3) of its shade (H, W)."""
    channels = [np.clip(shade * channel, 0, 255).astype(np.uint8) for channel in colour]
    return np.asarray(cv2.merge(channels), np.uint8)


def _scaled(colour: Bgr, factor: float) -> Bgr:
    b, g, r = (int(min(255, max(0, c * factor))) for c in colour)
    return b, g, r


class _Plan:
    """A picture of the table from straight above, ``scale`` pixels a millimetre."""

    def __init__(self, half_mm: float, scale: float) -> None:
        self.scale = scale
        self.half = half_mm
        self.size = int(2 * half_mm * scale)

    def at(self, x: float, y: float) -> tuple[int, int]:
        """Fixed point (4 bits) coordinates of a table point."""
        fixed = self.scale * 16
        return round((x + self.half) * fixed), round((self.half - y) * fixed)

    def polygon(self, points: list[tuple[float, float]]) -> NDArray[np.int32]:
        return np.array([self.at(x, y) for x, y in points], np.int32)

    def fill(self, image: Image, points: list[tuple[float, float]], colour: Bgr) -> None:
        cv2.fillPoly(image, [self.polygon(points)], colour, cv2.LINE_AA, 4)

    def stroke(
        self, image: Image, points: list[tuple[float, float]], colour: Bgr, mm: float
    ) -> None:
        width = max(1, round(mm * self.scale))
        cv2.polylines(image, [self.polygon(points)], True, colour, width, cv2.LINE_AA, 4)


def _rounded(cx: float, cy: float, wide: float, high: float, r: float) -> list[tuple[float, float]]:
    points = []
    for sx, sy, start in ((1, 1, 0), (-1, 1, 90), (-1, -1, 180), (1, -1, 270)):
        for i in range(9):
            a = math.radians(start + 90 * i / 8)
            points.append(
                (cx + sx * (wide - r) + r * math.cos(a), cy + sy * (high - r) + r * math.sin(a))
            )
    return points


def _turned(points: list[tuple[float, float]], side: int) -> list[tuple[float, float]]:
    """Points given for side 0 as they are at another side."""
    cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[side]
    return [(x * cos - y * sin, x * sin + y * cos) for x, y in points]


def _felt(plan: _Plan, look: Look, layout: Layout, rng: np.random.Generator) -> Image:
    size = plan.size
    shade = np.ones((size, size), np.float32)
    shade += 0.020 * _smooth_noise(rng, size, 90 * plan.scale)
    shade += 0.014 * _smooth_noise(rng, size, 9 * plan.scale)
    shade += 0.030 * _smooth_noise(rng, size, max(1.1, 0.9 * plan.scale))
    image = _dyed(shade, look.felt)
    dark, light = _scaled(look.felt, 0.62), _scaled(look.felt, 1.14)
    # the doors through which the walls rise
    half = layout.stacks_per_side * layout.wall_pitch / 2 + 1.5
    deep = layout.tile_h / 2 + 3.5
    for side in range(4):
        centre = -layout.wall_offset
        door = _rounded(layout.wall_centre, centre, half, deep, 3)
        plan.stroke(image, _turned(door, side), dark, 1.6)
        inner = _rounded(layout.wall_centre, centre, half - 1.6, deep - 1.6, 2)
        plan.stroke(image, _turned(inner, side), light, 0.7)
    _panel(plan, image, look, layout)
    return image


def _panel(plan: _Plan, image: Image, look: Look, layout: Layout) -> None:
    half = layout.dice_half + 2
    if look.panel_kind == "felt":
        plan.stroke(image, _rounded(0, 0, half, half, 14), _scaled(look.felt, 0.7), 1.4)
        return
    if look.panel_kind == "plate":
        for grow, factor in ((2.5, 0.5), (0.0, 1.25), (-2.5, 1.0)):
            plan.fill(
                image, _rounded(0, 0, half + grow, half + grow, 16), _scaled(look.panel, factor)
            )
        lamps = half - 9
    else:
        for radius, factor in ((half, 0.55), (half - 3, 1.2), (half - 8, 0.8)):
            plan.fill(image, _rounded(0, 0, radius, radius, radius), _scaled(look.panel, factor))
        plan.fill(
            image,
            _rounded(0, 0, half - 12, half - 12, half - 12),
            _scaled(look.felt, 0.92),
        )
        lamps = half - 4.5
    for side, colour in enumerate(((40, 40, 190), (60, 150, 60), (60, 150, 170), (170, 110, 40))):
        for x in (-9.0, 0.0, 9.0):
            lamp = _rounded(x, -lamps, 2.6, 1.6, 1.5)
            plan.fill(image, _turned(lamp, side), _scaled(colour, 1.0 if x == 0 else 0.55))


def _rail(plan: _Plan, look: Look, rng: np.random.Generator) -> Image:
    size = plan.size
    grain = cv2.resize(
        rng.standard_normal((size, max(size // 40, 2))).astype(np.float32), (size, size)
    )
    shade = 1 + 0.05 * grain + 0.03 * _smooth_noise(rng, size, 60)
    return _dyed(shade, look.rail)


def _plane_map(camera: Camera, plan: _Plan, z: float) -> tuple[Field, Field]:
    """For every picture point where in the plan its ray meets height ``z``."""
    width, height = camera.size
    step = 8
    across = np.arange(0, width + step, step, dtype=np.float64)
    down = np.arange(0, height + step, step, dtype=np.float64)
    grid = np.stack(np.meshgrid(across, down), axis=-1)
    xy = camera.on_plane(grid.reshape(-1, 2), z).reshape(grid.shape)
    plan_x = ((xy[..., 0] + plan.half) * plan.scale).astype(np.float32)
    plan_y = ((plan.half - xy[..., 1]) * plan.scale).astype(np.float32)
    # the map is smooth: a coarse one read at fractions of its step is exact enough
    u = np.arange(width, dtype=np.float32) / step
    v = np.arange(height, dtype=np.float32) / step
    full_u, full_v = np.meshgrid(u, v)
    return (
        np.asarray(cv2.remap(plan_x, full_u, full_v, cv2.INTER_LINEAR), np.float32),
        np.asarray(cv2.remap(plan_y, full_u, full_v, cv2.INTER_LINEAR), np.float32),
    )


def light_field(camera: Camera, look: Look, layout: Layout) -> Field:
    """(H/8, W/8) gain of the picture by uneven light and vignetting, 1 in the middle."""
    width, height = camera.size
    u, v = np.meshgrid(np.arange(0, width, 8) + 3.5, np.arange(0, height, 8) + 3.5)
    xy = camera.on_plane(np.stack([u, v], axis=-1).reshape(-1, 2)).reshape(*u.shape, 2)
    lx, ly, lz = look.light
    lamp = np.array([lx, ly]) / max(lz, 0.1) * layout.surface * 0.45
    away = ((xy - lamp) ** 2).sum(axis=-1) / layout.surface**2
    middle = (lamp**2).sum() / layout.surface**2
    lamp_gain = (1 + 1.6 * look.uneven * middle) / (1 + 1.6 * look.uneven * away)
    radius = ((u - width / 2) ** 2 + (v - height / 2) ** 2) / (width**2 + height**2) * 4
    return np.asarray(lamp_gain * (1 - look.vignette * radius), np.float32)


def render_ground(camera: Camera, look: Look, layout: Layout, gain: Field, seed: int) -> Image:
    """The empty table as the camera sees it, sharp and without noise: BGR (H, W, 3)."""
    rng = np.random.default_rng([seed, 77])
    wide, high = look.rail_mm
    inner = layout.surface / 2
    outer = inner + wide
    focal = float(camera.K[0, 0]) / float(camera.position[2])
    plan = _Plan(outer + 12, min(max(focal * 1.1, 0.6), 3.0))
    felt = _felt(plan, look, layout, rng)
    _edge_shadow(plan, felt, inner, look)
    image = _floor(camera, look, rng)
    map_x, map_y = _plane_map(camera, plan, 0.0)
    cloth = cv2.remap(felt, map_x, map_y, cv2.INTER_LINEAR)
    table = np.zeros((plan.size, plan.size), np.uint8)
    cv2.fillPoly(table, [plan.polygon(_rounded(0, 0, outer, outer, 26))], 255, cv2.LINE_AA, 4)
    on_table = cv2.remap(table, map_x, map_y, cv2.INTER_LINEAR) > 127
    cv2.copyTo(cloth, on_table.astype(np.uint8), image)
    # rail: inner faces first, then its top
    rail = _rail(plan, look, rng)
    mask = np.zeros((plan.size, plan.size), np.uint8)
    cv2.fillPoly(mask, [plan.polygon(_rounded(0, 0, outer, outer, 26))], 255, cv2.LINE_AA, 4)
    cv2.fillPoly(mask, [plan.polygon(_rounded(0, 0, inner, inner, 6))], 0, cv2.LINE_AA, 4)
    bevel = np.zeros_like(mask)
    cv2.polylines(
        bevel,
        [plan.polygon(_rounded(0, 0, inner + 4, inner + 4, 8))],
        True,
        90,
        max(1, int(6 * plan.scale)),
        cv2.LINE_AA,
        4,
    )
    bevel = np.asarray(cv2.GaussianBlur(bevel, (0, 0), 3 * plan.scale), np.uint8)
    rail = np.asarray(cv2.add(rail, cv2.cvtColor(bevel // 2, cv2.COLOR_GRAY2BGR)), np.uint8)
    _inner_faces(camera, image, look, inner, high)
    map_x, map_y = _plane_map(camera, plan, high)
    top = cv2.remap(rail, map_x, map_y, cv2.INTER_LINEAR)
    share = cv2.remap(mask, map_x, map_y, cv2.INTER_LINEAR).astype(np.float32)[..., None] / 255
    image = np.asarray(image + (top.astype(np.float32) - image) * share + 0.5, np.uint8)
    lit = cv2.resize(gain, camera.size, interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.clip(image * lit + 0.5, 0, 255), np.uint8)


def _floor(camera: Camera, look: Look, rng: np.random.Generator) -> Image:
    """What lies out of focus around the table: BGR (H, W, 3)."""
    width, height = camera.size
    size = max(width, height)
    shade = 1 + 0.10 * _smooth_noise(rng, size, size / 5) + 0.05 * _smooth_noise(rng, size, 3)
    return _dyed(shade[:height, :width], look.floor)


def _edge_shadow(plan: _Plan, felt: Image, inner: float, look: Look) -> None:
    """The rail keeps light from the edge of the felt, more on the side of the lamp."""
    wall = np.full((plan.size, plan.size), 255, np.uint8)
    lx, ly, lz = look.light
    shift = (-lx / max(lz, 0.2) * look.rail_mm[1], -ly / max(lz, 0.2) * look.rail_mm[1])
    cut = plan.polygon(_rounded(shift[0], shift[1], inner, inner, 6))
    cv2.fillPoly(wall, [cut], 0, cv2.LINE_8, 4)
    soft = cv2.GaussianBlur(wall, (0, 0), look.softness * 1.2 * plan.scale)
    gain = 1 - look.shadow * soft.astype(np.float32) / 255
    felt[:] = np.clip(felt * gain[..., None], 0, 255)


def _inner_faces(camera: Camera, image: Image, look: Look, inner: float, high: float) -> None:
    light = np.array(look.light) / np.linalg.norm(look.light)
    for side in range(4):
        points = _turned([(-inner, -inner), (inner, -inner)], side)
        normal = _turned([(0.0, 1.0)], side)[0]
        toward = max(0.0, float(normal[0] * light[0] + normal[1] * light[1]))
        colour = _scaled(look.rail, 0.35 + 0.6 * toward)
        steps = np.linspace(0, 1, 24)[:, None]
        low = np.array(points[0]) * (1 - steps) + np.array(points[1]) * steps
        ring = np.concatenate(
            [
                np.column_stack([low, np.zeros(24)]),
                np.column_stack([low[::-1], np.full(24, high)]),
            ]
        )
        picture = np.round(camera.project(ring) * 16).astype(np.int32)
        cv2.fillPoly(image, [picture], colour, cv2.LINE_AA, 4)
