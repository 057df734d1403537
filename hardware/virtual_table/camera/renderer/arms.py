"""Arms: a sleeve and a hand that reach over the table, with the shadow they cast.

A hand is modelled once as a height field of capsules seen from above, shaded, and then laid
into the picture through the four corners of its sheet in space.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.camera.image import Image
from hardware.virtual_table.camera.optics import Camera
from hardware.virtual_table.camera.renderer.look import Bgr, Look
from hardware.virtual_table.camera.renderer.smear import smeared
from hardware.virtual_table.scene import ArmBody

Field = NDArray[np.float32]
Floats = NDArray[np.float64]

_SCALE = 2.0
"""Pixels a millimetre of the sheets."""
_HAND_MM = (212.0, 150.0)
_HAND_AHEAD = 18.0
"""How far the sheet of the hand goes on in front of the fingertips, mm."""
_SLEEVE_PX = (420, 260)
_SLEEVE_HALF_MM = 65.0
_GRIPS = 4

Joint = tuple[float, float, float, float]
"""u, v, radius, height: from the tip backwards (u) and to the thumb's side (v), mm."""
Capsule = tuple[Joint, Joint]


def _capsules(grip: float) -> list[Capsule]:
    """The bones of a right hand, palm down, each between two joints."""
    wrist = -172.0 + 22 * grip
    parts: list[Capsule] = [
        ((wrist - 34, 0, 26, 5), (wrist + 10, 0, 27, 5)),
        ((wrist + 12, 13, 22, 4), (wrist + 48, 38, 14, 3)),
    ]
    opened = ((-9, 35), (0, 11), (-8, -13), (-31, -37))
    closed = ((5, 9), (4, -6), (-20, -17), (-36, -28))
    knuckles = (28.0, 9.5, -9.5, -27.0)
    radii = (9.4, 9.8, 9.2, 8.0)
    for (ou, ov), (cu, cv_), kv, r in zip(opened, closed, knuckles, radii, strict=True):
        start = wrist + (83 if kv < -20 else 90)
        tip_u, tip_v = ou + (cu - ou) * grip, ov + (cv_ - ov) * grip
        knuckle = (start, kv, r + 3.2, 9.0 + 5 * grip)
        middle = (
            start + (tip_u - start) * 0.52,
            kv + (tip_v - kv) * 0.42,
            r + 0.7,
            9.0 + 12 * grip,
        )
        last = (
            start + (tip_u - start) * 0.78,
            kv + (tip_v - kv) * 0.76,
            r - 0.1,
            7.0 + 6 * grip,
        )
        tip = (tip_u - r, tip_v, r - 1.3, 5.0 - 6 * grip)
        parts.append(((wrist + 8, kv * 0.55, 18, 7), knuckle))
        parts += [(knuckle, middle), (middle, last), (last, tip)]
    base = (wrist + 46, 38.0, 13.5, 4.0)
    joint = (-80 + 24 * grip, 63 - 14 * grip, 10.8, 5.0)
    end = (-52 + 38 * grip, 69 - 45 * grip, 8.8, 1.0)
    return [*parts, (base, joint), (joint, end)]


@dataclass(frozen=True, eq=False)
class _Relief:
    """A height field with its normals and what of its sheet it fills."""

    normal: Field
    share: Field
    hollow: Field
    nails: Field


def _finish(height: Field, share: Field, nails: Field) -> _Relief:
    soft = cv2.GaussianBlur(height, (0, 0), 2.2)
    dx = cv2.Sobel(soft, cv2.CV_32F, 1, 0, ksize=3) / 8 * _SCALE
    dy = cv2.Sobel(soft, cv2.CV_32F, 0, 1, ksize=3) / 8 * _SCALE
    normal = np.dstack([-dx, -dy, np.ones_like(dx)])
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    wide = cv2.GaussianBlur(height, (0, 0), 9.0)
    hollow = np.clip(1 + (soft - wide) * 0.02, 0.7, 1.1).astype(np.float32)
    return _Relief(normal.astype(np.float32), share, hollow, nails)


@lru_cache(maxsize=8)
def _hand_relief(step: int) -> _Relief:
    width, height = (int(mm * _SCALE) for mm in _HAND_MM)
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    # the sheet lies with the fingertips to the right and the thumb up
    u = x / _SCALE - _HAND_MM[0] + _HAND_AHEAD
    v = _HAND_MM[1] / 2 - y / _SCALE
    top = np.full((height, width), -1.0, np.float32)
    nails = np.zeros((height, width), np.float32)
    for (u0, v0, r0, h0), (u1, v1, r1, h1) in _capsules(step / (_GRIPS - 1)):
        du, dv = u1 - u0, v1 - v0
        along = np.clip(((u - u0) * du + (v - v0) * dv) / (du * du + dv * dv + 1e-9), 0, 1)
        radius = r0 + (r1 - r0) * along
        gap = (u - u0 - du * along) ** 2 + (v - v0 - dv * along) ** 2
        inside = radius**2 - gap
        dome = np.sqrt(np.maximum(inside, 0)) * 0.85 + h0 + (h1 - h0) * along + 8
        top = np.where(inside > 0, np.maximum(top, dome), top).astype(np.float32)
        if r1 < 8.9 and u1 > -62:
            length = math.hypot(du, dv) + 1e-9
            cu, cw = u1 + du / length * 2.5, v1 + dv / length * 2.5
            a = ((u - cu) * du + (v - cw) * dv) / length
            b = (-(u - cu) * dv + (v - cw) * du) / length
            nails = np.maximum(nails, ((a / 5.2) ** 2 + (b / 4.0) ** 2 < 1)).astype(np.float32)
    rng = np.random.default_rng(4)
    skin = rng.standard_normal((height // 4, width // 4)).astype(np.float32)
    top = top + 0.1 * cv2.resize(skin, (width, height), interpolation=cv2.INTER_CUBIC) * (top > 0)
    filled = (top >= 0).astype(np.float32)
    share = np.asarray(cv2.GaussianBlur(filled, (0, 0), 1.0), np.float32)
    soft_nails = np.asarray(cv2.GaussianBlur(nails, (0, 0), 1.0), np.float32)
    return _finish(np.maximum(top, 0), share, soft_nails)


@lru_cache(maxsize=4)
def _sleeve_relief(seed: int) -> _Relief:
    width, height = _SLEEVE_PX
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(-1, 1, height))
    half = 0.86 - 0.26 * x + 0.03 * np.sin(x * 9 + seed)
    inside = 1 - (y / half) ** 2
    top = np.sqrt(np.maximum(inside, 0)) * 34
    folds = cv2.resize(
        rng.standard_normal((7, 16)).astype(np.float32),
        (width, height),
        interpolation=cv2.INTER_CUBIC,
    )
    slant = cv2.resize(
        rng.standard_normal((3, 22)).astype(np.float32),
        (width, height),
        interpolation=cv2.INTER_CUBIC,
    )
    top = top + (2.2 * folds + 1.7 * slant) * (inside > 0)
    cuff = (x > 0.955) * 3.0
    top = (top + cuff * (inside > 0)).astype(np.float32)
    share = cv2.GaussianBlur((inside > 0).astype(np.float32), (0, 0), 1.2)
    share[:, -2:] = 0
    nails = np.zeros((height, width), np.float32)
    return _finish(top, np.asarray(share, np.float32), nails)


def _coloured(relief: _Relief, colour: Bgr, light: Floats, ambient: float, nail: Bgr) -> Image:
    lit = np.maximum(relief.normal @ light.astype(np.float32), 0)
    gain = (ambient + (1.15 - ambient) * lit) * relief.hollow
    base = np.empty((*gain.shape, 3), np.float32)
    base[:] = colour
    base += relief.nails[..., None] * 0.55 * (np.array(nail, np.float32) - base)
    shaded = np.clip(base * gain[..., None], 0, 255).astype(np.uint8)
    return np.dstack([shaded, (relief.share * 255 + 0.5).astype(np.uint8)])


@dataclass(frozen=True, eq=False)
class _Sheet:
    """A picture with share and the four corners where it hangs in space."""

    picture: Image
    corners: Floats


class Arms:
    """Draws arms for one camera and look."""

    def __init__(self, camera: Camera, look: Look) -> None:
        self._camera = camera
        self._look = look
        light = np.array(look.light, np.float64)
        self._light = light / np.linalg.norm(light)
        self._pictures: dict[tuple[int, int], tuple[Image, Image]] = {}

    def _sheets(self, arm: ArmBody) -> tuple[_Sheet, _Sheet]:
        step = round(min(max(arm.grip, 0.0), 1.0) * (_GRIPS - 1))
        tip = np.array([arm.x, arm.y])
        elbow = np.array(arm.elbow)
        forward = tip - elbow
        if float(np.hypot(*forward)) < 1.0:  # the hand is only just at the rail
            forward = -np.array(elbow) if np.any(elbow) else np.array([0.0, 1.0])
        forward /= float(np.hypot(*forward))
        # in steps of 30 degrees, so that the shading of a reaching arm is drawn once
        bearing = round(math.degrees(math.atan2(forward[1], forward[0])) / 30)
        hand, sleeve = self._picture(arm.side, step, bearing)
        left = np.array([-forward[1], forward[0]])

        def corners(front: float, rear: float, half: float, z0: float, z1: float) -> Floats:
            a, b = tip + forward * front, tip + forward * rear
            return np.array(
                [
                    [*(b + left * half), z1],
                    [*(a + left * half), z0],
                    [*(a - left * half), z0],
                    [*(b - left * half), z1],
                ]
            )

        wrist = -148.0 + 20 * arm.grip
        reach = float(np.hypot(*(tip - elbow)))
        rear = min(-reach - 520.0, wrist - 120)
        high = max(arm.z + 38.0, 45.0)
        hand_sheet = _Sheet(
            hand,
            corners(_HAND_AHEAD, _HAND_AHEAD - _HAND_MM[0], _HAND_MM[1] / 2, arm.z + 14, high + 6),
        )
        sleeve_sheet = _Sheet(
            sleeve, corners(wrist, rear, _SLEEVE_HALF_MM, high + 4, max(95.0, high))
        )
        return hand_sheet, sleeve_sheet

    def _picture(self, side: int, step: int, bearing: int) -> tuple[Image, Image]:
        key = (side * 100 + step, bearing)
        found = self._pictures.get(key)
        if found is None:
            look = self._look
            turn = math.radians(-bearing * 30)
            lx = self._light[0] * math.cos(turn) - self._light[1] * math.sin(turn)
            ly = self._light[0] * math.sin(turn) + self._light[1] * math.cos(turn)
            light = np.array([lx, -ly, self._light[2]])
            white = np.array(look.white) * look.exposure
            skin = _gained(look.skins[side % 4], white)
            cloth = _gained(look.sleeves[side % 4], white)
            nail = _gained((190, 196, 236), white)
            found = (
                _coloured(_hand_relief(step), skin, light, look.ambient, nail),
                _coloured(_sleeve_relief(side % 4), cloth, light, look.ambient, nail),
            )
            self._pictures[key] = found
        return found

    def share(
        self,
        arm: ArmBody,
        factor: float,
        size: tuple[int, int],
        origin: tuple[float, float] = (0.0, 0.0),
    ) -> Image:
        """What the arm covers: (height, width) 0..255 of a picture scaled by ``factor``."""
        out = np.zeros((size[1], size[0]), np.uint8)
        for sheet in self._sheets(arm):
            corners = (self._camera.project(sheet.corners) - origin) * factor
            self._warp_share(out, sheet.picture, corners, size)
        return out

    @staticmethod
    def _warp_share(out: Image, picture: Image, corners: Floats, size: tuple[int, int]) -> None:
        height, width = picture.shape[:2]
        source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        transform = cv2.getPerspectiveTransform(source, corners.astype(np.float32))
        share = np.ascontiguousarray(picture[..., 3])
        np.maximum(out, cv2.warpPerspective(share, transform, size), out=out)

    def bounds(self, arm: ArmBody) -> tuple[int, int, int, int]:
        """x0, y0, x1, y1 of what arm and shadow can touch, clipped to the picture, even."""
        points = [self._camera.project(sheet.corners) for sheet in self._sheets(arm)]
        points += [self._camera.project(c) for c in self._shadow_corners(arm)]
        pixels = np.concatenate(points)
        width, height = self._camera.size
        pad = self._blur(arm) * 6 + 4
        low = np.floor(pixels.min(axis=0) - pad).astype(int) & ~1
        high = (np.ceil(pixels.max(axis=0) + pad).astype(int) + 1) & ~1
        return (
            int(min(max(low[0], 0), width)),
            int(min(max(low[1], 0), height)),
            int(max(min(high[0], width), 0)),
            int(max(min(high[1], height), 0)),
        )

    def _shadow_corners(self, arm: ArmBody) -> list[Floats]:
        slope = self._light[:2] / max(float(self._light[2]), 0.3)
        out = []
        for sheet in self._sheets(arm):
            moved = sheet.corners.copy()
            rise = np.maximum(moved[:, 2] - 12, 0)
            moved[:, :2] -= slope * rise[:, None]
            moved[:, 2] = 12
            out.append(moved)
        return out

    def _blur(self, arm: ArmBody) -> float:
        """Standard deviation of the shadow's edge in half-size pixels."""
        per_mm = float(self._camera.K[0, 0]) / float(self._camera.position[2])
        return (self._look.softness + 0.06 * max(arm.z, 20.0)) * per_mm / 2

    def draw(self, region: Image, x0: int, y0: int, arm: ArmBody, gain: Floats) -> None:
        """Draw the arm and its shadow into a part of the frame that begins at (x0, y0)."""
        height, width = region.shape[:2]
        if not height or not width:
            return
        self._shadow(region, x0, y0, arm)
        streak = self._streak(arm)
        for sheet in self._sheets(arm):
            corners = self._camera.project(sheet.corners) - (x0, y0)
            low = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
            high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 1, (width, height))
            if (high <= low).any():
                continue
            h, w = sheet.picture.shape[:2]
            source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
            transform = cv2.getPerspectiveTransform(source, (corners - low).astype(np.float32))
            size = (int(high[0] - low[0]), int(high[1] - low[1]))
            mapped = cv2.warpPerspective(sheet.picture, transform, size, flags=cv2.INTER_LINEAR)
            if streak is not None:
                mapped = smeared(np.asarray(mapped, np.uint8), streak, cv2.BORDER_REPLICATE)
            share = mapped[..., 3].astype(np.float32) * (1 / 255)
            lit = cv2.multiply(mapped[..., :3], np.array([*gain, 1.0]))
            part = region[low[1] : high[1], low[0] : high[0]]
            cv2.blendLinear(lit, part, share, 1 - share, part)

    def _shadow(self, region: Image, x0: int, y0: int, arm: ArmBody) -> None:
        height, width = region.shape[:2]
        size = (width // 2, height // 2)
        if not size[0] or not size[1]:
            return
        mask = np.zeros((size[1], size[0]), np.uint8)
        for sheet, corners in zip(self._sheets(arm), self._shadow_corners(arm), strict=True):
            pixels = (self._camera.project(corners) - (x0, y0)) / 2
            self._warp_share(mask, sheet.picture, pixels, size)
        mask = np.asarray(cv2.blur(cv2.blur(mask, self._box(arm)), self._box(arm)), np.uint8)
        dark = cv2.convertScaleAbs(mask, alpha=self._look.shadow * 0.9)
        keep = 255 - dark
        full = cv2.resize(keep, (width, height), interpolation=cv2.INTER_LINEAR)
        cv2.multiply(region, cv2.cvtColor(full, cv2.COLOR_GRAY2BGR), region, 1 / 255)

    def _box(self, arm: ArmBody) -> tuple[int, int]:
        size = max(3, int(self._blur(arm) * 2.2) | 1)
        return size, size

    def _streak(self, arm: ArmBody) -> Floats | None:
        """Pixels (x, y) it moves while the shutter is open; None where that is not to be seen."""
        if arm.speed <= 0:
            return None
        length = arm.speed * self._look.shutter
        angle = math.radians(arm.heading)
        tip = np.array([arm.x, arm.y, arm.z])
        step = np.array([math.cos(angle), math.sin(angle), 0]) * length
        a, b = self._camera.project(np.stack([tip - step / 2, tip + step / 2]))
        return np.asarray(b - a) if float(np.hypot(*(b - a))) >= 1 else None


def _gained(colour: Bgr, gain: Floats) -> Bgr:
    b, g, r = (int(min(255, c * k)) for c, k in zip(colour, gain, strict=True))
    return b, g, r
