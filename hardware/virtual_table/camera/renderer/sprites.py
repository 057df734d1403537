"""Pictures of single boxes: tiles, dice and sticks as the camera sees them where they lie."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.camera.faces import picture
from hardware.virtual_table.camera.image import Image
from hardware.virtual_table.camera.optics import Camera
from hardware.virtual_table.camera.renderer.boxes import Box
from hardware.virtual_table.camera.renderer.look import Bgr, Look
from hardware.virtual_table.camera.renderer.smear import smeared

Field = NDArray[np.float32]
Floats = NDArray[np.float64]

_SHIFT = 4
_MARGIN = 2
_CORNERS = ([0, 0, 2, 2], [0, 0, 1, 1], [1, 1, 2, 2])
"""Levels of the corners of a whole edge, of its body and of its rear layer."""


@dataclass(frozen=True, eq=False, slots=True)
class Sprite:
    """A cut-out: BGR ``colour`` with ``share`` and ``rest`` (= 1 - share), at ``x``, ``y``."""

    x: int
    y: int
    colour: Image
    share: Field
    rest: Field

    @property
    def bounds(self) -> tuple[int, int, int, int]:
        """x0, y0, x1, y1 in picture pixels."""
        height, width = self.share.shape
        return self.x, self.y, self.x + width, self.y + height


def blend(
    image: Image, sprite: Sprite, x0: int = 0, y0: int = 0, keep: Image | None = None
) -> None:
    """Lay a sprite over a picture whose upper left corner is at (x0, y0) of the frame.

    ``keep`` is of the picture's shape: how much of the light, of 255, shadows leave.
    """
    height, width = image.shape[:2]
    left, top = sprite.x - x0, sprite.y - y0
    right = min(left + sprite.share.shape[1], width)
    bottom = min(top + sprite.share.shape[0], height)
    u, v = max(left, 0), max(top, 0)
    if u >= right or v >= bottom:
        return
    part = np.s_[v - top : bottom - top, u - left : right - left]
    region = image[v:bottom, u:right]
    colour = np.ascontiguousarray(sprite.colour[part])
    if keep is not None:
        colour = np.asarray(cv2.multiply(colour, keep[v:bottom, u:right], None, 1 / 255), np.uint8)
    cv2.blendLinear(
        colour,
        region,
        np.ascontiguousarray(sprite.share[part]),
        np.ascontiguousarray(sprite.rest[part]),
        region,
    )


@dataclass(frozen=True, eq=False)
class Skin:
    """What a box is made of.

    Attributes:
        front, back: (H, W, 4) pictures of front and back with their share, or None.
        body: colour of the body; rear: of the layer at the back; split: where the rear layer
            begins, as depth -1 (back) .. 1 (front).
        rounding: mm.
        sides: pictures of the four edges (dice), or empty.
    """

    front: Image
    back: Image
    body: Bgr
    rear: Bgr
    split: float
    rounding: float
    sides: tuple[Image, ...] = ()


def _rounded_share(width: int, height: int, radius: float) -> Image:
    share = np.zeros((height * 4, width * 4), np.uint8)
    r = int(radius * 4)
    w, h = width * 4 - 1, height * 4 - 1
    cv2.rectangle(share, (r, 0), (w - r, h), 255, -1)
    cv2.rectangle(share, (0, r), (w, h - r), 255, -1)
    for x, y in ((r, r), (w - r, r), (r, h - r), (w - r, h - r)):
        cv2.circle(share, (x, y), r, 255, -1)
    return np.asarray(cv2.resize(share, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def dressed(image: Image, scale: float, rounding: float, look: Look) -> Image:
    """A face as the top of a box: rounded rim, slightly darker towards it, a sheen across."""
    height, width = image.shape[:2]
    share = _rounded_share(width, height, max(rounding * scale, 1.0))
    v, u = np.mgrid[0:height, 0:width].astype(np.float32)
    rim = np.minimum(np.minimum(u, width - 1 - u), np.minimum(v, height - 1 - v)) / (1.6 * scale)
    gain = 1 - 0.10 * np.exp(-(rim**2))
    sheen = 8.0 * look.gloss * np.exp(-(((u / width + 0.7 * v / height - 0.62) / 0.3) ** 2))
    out = image.astype(np.float32) * gain[..., None] + sheen[..., None]
    return np.dstack([np.clip(out + 0.5, 0, 255).astype(np.uint8), share])


class TileSkins:
    """The pictures of all tiles of a set, drawn once for a camera and a look."""

    def __init__(self, tile_mm: tuple[float, float, float], scale: float, look: Look) -> None:
        self._tile_mm = tile_mm
        self._scale = scale
        self._look = look
        self._skins: dict[str, Skin] = {}

    def of(self, face: str) -> Skin:
        """The skin of a tile with this face (``?`` and ``back`` have blank faces)."""
        found = self._skins.get(face)
        if found is not None:
            return found
        width = max(8, round(self._tile_mm[0] * self._scale))
        height = max(8, round(self._tile_mm[1] * self._scale))
        look = self._look
        body = _bgr(look.design.ground)
        if face in look.faces:
            front = _fitted(look.faces[face], width, height)
        elif face in ("back", "?"):
            front = np.full((height, width, 3), body, np.uint8)
        else:
            front = picture(face, look.design, width, height)
        back = np.full((height, width, 3), look.back, np.uint8)
        if f"{face}/back" in look.faces:
            back = _fitted(look.faces[f"{face}/back"], width, height)
        skin = Skin(
            front=dressed(front, self._scale, look.rounding_mm, look),
            back=dressed(back, self._scale, look.rounding_mm, look),
            body=body,
            rear=look.back,
            split=-1 + 2 * look.back_share,
            rounding=look.rounding_mm,
        )
        self._skins[face] = skin
        return skin


def _fitted(image: Image, width: int, height: int) -> Image:
    how = cv2.INTER_AREA if image.shape[1] > width else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=how), np.uint8)


def _bgr(colour: str) -> Bgr:
    value = int(colour[1:], 16)
    return value & 255, value >> 8 & 255, value >> 16


_PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-0.5, -0.5), (0.5, 0.5)),
    3: ((-0.52, -0.52), (0, 0), (0.52, 0.52)),
    4: ((-0.48, -0.48), (0.48, -0.48), (-0.48, 0.48), (0.48, 0.48)),
    5: ((-0.5, -0.5), (0.5, -0.5), (0, 0), (-0.5, 0.5), (0.5, 0.5)),
    6: tuple((x, y) for x in (-0.45, 0.45) for y in (-0.58, 0.0, 0.58)),
}
# top value: values of the edges top, right, bottom, left of an Asian die
_AROUND: dict[int, tuple[int, int, int, int]] = {
    1: (2, 4, 5, 3),
    2: (1, 3, 6, 4),
    3: (1, 5, 6, 2),
    4: (1, 2, 6, 5),
    5: (1, 4, 6, 3),
    6: (2, 3, 5, 4),
}


def die_face(value: int, size: int) -> Image:
    """One face of an Asian die: the one large and red, the four red."""
    body = (236, 240, 242)
    big = np.full((size * 4, size * 4, 3), body, np.uint8)
    radius = 0.30 if value == 1 else 0.165
    fill = (36, 28, 196) if value in (1, 4) else (44, 34, 30)
    for x, y in _PIPS[value]:
        centre = (round((x + 1) / 2 * size * 4), round((y + 1) / 2 * size * 4))
        cv2.circle(big, centre, round(radius * size * 2), fill, -1)
    return np.asarray(cv2.resize(big, (size, size), interpolation=cv2.INTER_AREA), np.uint8)


class DieSkins:
    """The pictures of a die by its upper value."""

    def __init__(self, scale: float, look: Look) -> None:
        size = max(8, round(look.die_mm * scale))
        rounding = look.die_mm * 0.14
        self._faces = {
            value: dressed(die_face(value, size), scale, rounding, look) for value in range(1, 7)
        }
        self._rounding = rounding

    def of(self, value: int) -> Skin:
        """The skin of a die that shows ``value``."""
        body = (224, 230, 234)
        return Skin(
            front=self._faces[value],
            back=self._faces[7 - value],
            body=body,
            rear=body,
            split=-1.0,
            rounding=self._rounding,
            sides=tuple(self._faces[v] for v in _AROUND[value]),
        )


def stick_skin(scale: float, look: Look, mm: tuple[float, float, float]) -> Skin:
    """A scoring stick: white with one red dot between two rows of small black ones."""
    width, height = max(16, round(mm[0] * scale)), max(4, round(mm[1] * scale))
    big = np.full((height * 4, width * 4, 3), (226, 236, 240), np.uint8)
    middle = (width * 2, height * 2)
    cv2.circle(big, middle, round(height * 1.1), (40, 30, 190), -1)
    front = np.asarray(cv2.resize(big, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    top = dressed(front, scale, 1.2, look)
    return Skin(top, top, (200, 212, 216), (200, 212, 216), -1.0, 1.2)


class Painter:
    """Makes the sprites of boxes for one camera under one light."""

    def __init__(self, camera: Camera, look: Look, gain: Field) -> None:
        self._camera = camera
        self._look = look
        self._gain = gain
        direction = np.array(look.light, np.float64)
        self._light = direction / np.linalg.norm(direction)
        white = np.array(look.white) * look.exposure
        self._white = white.astype(np.float64)

    def brightness(self, normal: Floats) -> float:
        """Of a side with this normal, 1 for one that lies flat."""
        look = self._look
        lit = look.ambient + (1 - look.ambient) * max(0.0, float(normal @ self._light))
        flat = look.ambient + (1 - look.ambient) * float(self._light[2])
        # sides also see less of the room than the top does
        return lit / flat * (0.80 + 0.20 * max(0.0, float(normal[2])))

    def gain_at(self, x: float, y: float) -> Floats:
        """Gains of blue, green and red at a picture point."""
        rows, columns = self._gain.shape
        u = min(max(int(x / 8), 0), columns - 1)
        v = min(max(int(y / 8), 0), rows - 1)
        return np.asarray(self._white * float(self._gain[v, u]))

    def sprite(
        self, box: Box, skin: Skin, tint: float = 1.0, streak: tuple[float, float] | None = None
    ) -> Sprite:
        """The picture of a box.

        Args:
            box: where it is.
            skin: what it is made of.
            tint: brightness of this piece against others.
            streak: how far it moves while the shutter is open, table mm (x, y).
        """
        outline = box.outline(skin.rounding)
        levels = np.stack([box.level(1.0), box.level(skin.split), box.level(-1.0)])
        pixels = self._camera.project(np.concatenate([outline, levels.reshape(-1, 3)]))
        hull_points, rings = pixels[:16], pixels[16:].reshape(3, 4, 2)
        low = np.floor(pixels.min(axis=0)).astype(int) - _MARGIN
        high = np.ceil(pixels.max(axis=0)).astype(int) + _MARGIN + 1
        shift = np.zeros(2)
        if streak is not None:
            moved = box.centre + np.array([streak[0], streak[1], 0.0])
            ends = self._camera.project(np.stack([box.centre, moved]))
            shift = ends[1] - ends[0]
            pad = np.ceil(np.abs(shift) / 2).astype(int)
            low, high = low - pad, high + pad
        width, height = int(high[0] - low[0]), int(high[1] - low[1])
        colour = np.empty((height, width, 3), np.uint8)
        light = tint * self.gain_at(float(pixels[:, 0].mean()), float(pixels[:, 1].mean()))
        rim = skin.rear if box.axes[2, 2] < -0.5 and skin.split > -1 else skin.body
        colour[:] = _lit(rim, 0.8 * light)
        hull = cv2.convexHull(_fixed(hull_points - low))
        mask = np.zeros((height, width), np.uint8)
        cv2.fillConvexPoly(mask, hull, 255, cv2.LINE_AA, _SHIFT)
        rings = rings - low
        self._sides(colour, rings, box, skin, light)
        self._flats(colour, rings, box, skin, light)
        share: Field = mask.astype(np.float32) / np.float32(255)
        if float(np.abs(shift).max()) >= 1.0:
            colour, share = _streaked(colour, share, shift)
        return Sprite(int(low[0]), int(low[1]), colour, share, 1 - share)

    def _sides(self, colour: Image, rings: Floats, box: Box, skin: Skin, light: Floats) -> None:
        normals = (box.axes[:, 1], box.axes[:, 0], -box.axes[:, 1], -box.axes[:, 0])
        for i, normal in enumerate(normals):
            j = (i + 1) % 4
            quad = rings[_CORNERS[0], [j, i, i, j]]
            if _area(quad) <= 0:
                continue
            shade = light * self.brightness(normal)
            if skin.sides:
                _lay(colour, skin.sides[i], quad, shade)
                continue
            body = rings[_CORNERS[1], [j, i, i, j]]
            cv2.fillConvexPoly(colour, _fixed(body), _lit(skin.body, shade), cv2.LINE_AA, _SHIFT)
            if skin.split > -1:
                rear = rings[_CORNERS[2], [j, i, i, j]]
                cv2.fillConvexPoly(
                    colour, _fixed(rear), _lit(skin.rear, shade), cv2.LINE_AA, _SHIFT
                )

    def _flats(self, colour: Image, rings: Floats, box: Box, skin: Skin, light: Floats) -> None:
        normal = box.axes[:, 2]
        if _area(rings[0]) > 0:
            _lay(colour, skin.front, rings[0], light * self.brightness(normal))
        back = rings[2][[1, 0, 3, 2]]
        if _area(back) > 0:
            _lay(colour, skin.back, back, light * self.brightness(-normal))


def _lit(colour: Bgr, light: Floats) -> tuple[float, float, float]:
    b, g, r = (min(255.0, float(c * k)) for c, k in zip(colour, light, strict=True))
    return b, g, r


def _fixed(points: Floats) -> NDArray[np.int32]:
    return np.round(points * (1 << _SHIFT)).astype(np.int32)


def _area(quad: Floats) -> float:
    """Twice the signed area; positive where the corners run clockwise on the screen."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = quad.tolist()
    return float((x2 - x0) * (y3 - y1) - (x3 - x1) * (y2 - y0))


def _lay(colour: Image, picture_: Image, quad: Floats, light: Floats) -> None:
    """Map a picture with share onto four corners and lay it over ``colour``."""
    height, width = picture_.shape[:2]
    source = np.array(
        [[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]],
        np.float32,
    )
    transform = cv2.getPerspectiveTransform(source, quad.astype(np.float32))
    target = (colour.shape[1], colour.shape[0])
    mapped = cv2.warpPerspective(picture_, transform, target, flags=cv2.INTER_LINEAR)
    share = mapped[..., 3].astype(np.float32) * (1 / 255)
    lit = cv2.multiply(mapped[..., :3], np.array([*light, 1.0]))
    cv2.blendLinear(lit, colour, share, 1 - share, colour)


def _streaked(colour: Image, share: Field, shift: Floats) -> tuple[Image, Field]:
    """Smeared along ``shift`` pixels, the middle where the thing is."""
    premultiplied = smeared(np.asarray(colour * share[..., None], np.float32), shift)
    spread = smeared(share, shift)
    out = premultiplied / np.maximum(spread, 1e-3)[..., None]
    return np.asarray(np.clip(out + 0.5, 0, 255), np.uint8), np.clip(spread, 0, 1)
