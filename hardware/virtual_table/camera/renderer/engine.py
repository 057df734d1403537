"""The renderer: a scene becomes a frame, and only what changed is drawn again.

Three pictures are kept: the empty table, the same with shadows and bodies (sharp), and that
one as the lens would show it. A body that is where it was keeps its sprite; a changed one marks
the rectangles it leaves and enters. Arms are drawn over the finished picture of each frame,
noise is added last. A frame depends on its scene, the look and the seed alone, never on the
frames before it.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.camera.image import Image
from hardware.virtual_table.camera.optics import Camera
from hardware.virtual_table.camera.renderer.arms import Arms
from hardware.virtual_table.camera.renderer.boxes import (
    STICK_MM,
    Box,
    die_box,
    overlapping,
    painting_order,
    stick_box,
    tile_box,
)
from hardware.virtual_table.camera.renderer.ground import light_field, render_ground
from hardware.virtual_table.camera.renderer.look import Look
from hardware.virtual_table.camera.renderer.rects import Rect, clipped, meet, merged
from hardware.virtual_table.camera.renderer.shadows import Stamp, pressed
from hardware.virtual_table.camera.renderer.sprites import (
    DieSkins,
    Painter,
    Skin,
    Sprite,
    TileSkins,
    blend,
    stick_skin,
)
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import DieBody, Scene, StickBody, TileBody

Body = TileBody | DieBody | StickBody
_Key = tuple[str, int]

_NOISE_PLAY = 64
_FULL_AT = 48
"""From so many changed bodies on everything is drawn again."""


@dataclass(frozen=True, eq=False, slots=True)
class _Piece:
    body: Body
    sprite: Sprite
    shadow: Stamp
    high_shadow: Stamp | None
    footing: Stamp
    rect: Rect
    heights: tuple[float, float]
    distance: float


class Renderer:
    """Renders the frames of one camera over one table."""

    def __init__(
        self,
        camera: Camera,
        geometry: Layout | Path | str,
        look: Look | None = None,
        seed: int = 0,
    ) -> None:
        """A renderer.

        Args:
            camera: the camera.
            geometry: the table's zones or the file with them.
            look: how everything looks.
            seed: of grain, wear and noise.
        """
        self.camera = camera
        self.layout = geometry if isinstance(geometry, Layout) else Layout.load(geometry)
        self.look = look if look is not None else Look()
        self.seed = seed
        layout, look = self.layout, self.look
        self._tile_mm = (layout.tile_w, layout.tile_h, layout.tile_d)
        self._gain = light_field(camera, look, layout)
        self._painter = Painter(camera, look, self._gain)
        self._per_mm = float(camera.K[0, 0]) / float(camera.position[2])
        scale = self._per_mm * 1.15
        self._tile_skins = TileSkins(self._tile_mm, scale, look)
        self._die_skins = DieSkins(scale, look)
        self._stick_skin = stick_skin(scale, look, STICK_MM)
        self._arms = Arms(camera, look)
        direction = np.array(look.light) / np.linalg.norm(look.light)
        self._slope = direction[:2] / max(float(direction[2]), 0.35)
        self._soft = max(look.softness * self._per_mm / 2, 0.6)  # pixels at half size
        self._pad = 2 * math.ceil(3 * self._soft + 2)
        gain = self._gain[..., None] * (np.array(look.white) * look.exposure)
        self._ground = render_ground(camera, look, layout, gain.astype(np.float32), seed)
        self._sharp = self._ground.copy()
        self._bias = round(3.2 * look.noise)
        self._seen = np.empty_like(self._ground)
        self._noise = self._make_noise()
        self._pieces: dict[_Key, _Piece] = {}
        self._ordered: list[_Piece] = []
        width, height = camera.size
        self._redraw((0, 0, width, height))

    # --- one frame --------------------------------------------------------------------------

    def render(self, scene: Scene, out: Image | None = None, taken: float | None = None) -> Image:
        """The frame of a scene: BGR uint8 (height, width, 3), written to ``out`` if given.

        Flicker and noise are those of the time at which it is ``taken``, s; None: the scene's.
        """
        for rect in self._update(scene):
            self._redraw(rect)
        seen = self._seen
        kept: list[tuple[Rect, Image]] = []
        for arm in scene.arms:
            x0, y0, x1, y1 = self._arms.bounds(arm)
            if x0 >= x1 or y0 >= y1:
                continue
            region = seen[y0:y1, x0:x1]
            kept.append(((x0, y0, x1, y1), region.copy()))
            middle = self.camera.project([arm.x, arm.y, arm.z])
            light = self._painter.gain_at(float(middle[0]), float(middle[1]))
            white = np.array(self.look.white) * self.look.exposure
            self._arms.draw(region, x0, y0, arm, light / white)
        frame = self._expose(scene.t if taken is None else taken, out)
        for (x0, y0, x1, y1), before in reversed(kept):
            seen[y0:y1, x0:x1] = before
        return frame

    def _expose(self, t: float, out: Image | None) -> Image:
        """Flicker and sensor noise."""
        seen, look = self._seen, self.look
        if look.flicker > 0:
            phase = 2 * math.pi * look.flicker_hz * t + self.seed
            gain = 1 + look.flicker * math.sin(phase)
            seen = np.asarray(
                cv2.convertScaleAbs(seen, alpha=gain, beta=self._bias * (gain - 1)), np.uint8
            )
        if look.noise <= 0:
            if out is None:
                return seen.copy()
            np.copyto(out, seen)
            return out
        height, width = seen.shape[:2]
        roll = zlib.crc32(f"{self.seed}/{t:.4f}".encode())
        dx, dy = roll % _NOISE_PLAY, roll // _NOISE_PLAY % _NOISE_PLAY
        noise = self._noise[dy : dy + height, dx : dx + width]
        return np.asarray(cv2.add(seen, noise, out), np.uint8)

    def _make_noise(self) -> Image:
        width, height = self.camera.size
        if self.look.noise <= 0:
            return np.zeros((1, 1, 3), np.uint8)
        rng = np.random.default_rng([self.seed, 5])
        shape = (height + _NOISE_PLAY, width + _NOISE_PLAY, 3)
        grain: NDArray[np.float32] = rng.standard_normal(shape, dtype=np.float32)
        # demosaicing leaves neighbours and colours a little alike
        cv2.GaussianBlur(grain, (3, 3), 0.45, dst=grain)
        cv2.transform(grain, 0.75 * np.eye(3) + 0.5 / 3, dst=grain)
        _, deviation = cv2.meanStdDev(grain.reshape(len(grain), -1))
        gain = self.look.noise / float(deviation[0, 0])
        noise = cv2.addWeighted(grain, gain, grain, 0.0, self._bias, dtype=cv2.CV_8U)
        return np.asarray(noise, np.uint8)

    # --- bodies -----------------------------------------------------------------------------

    def _update(self, scene: Scene) -> list[Rect]:
        """Bring the pieces up to date; returns the rectangles to draw again."""
        wanted: dict[_Key, Body] = {("tile", tile.key): tile for tile in scene.tiles}
        wanted.update({("die", i): die for i, die in enumerate(scene.dice)})
        wanted.update({("stick", i): stick for i, stick in enumerate(scene.sticks)})
        gone = [key for key in self._pieces if key not in wanted]
        dirty = [self._pieces.pop(key).rect for key in gone]
        for key, body in wanted.items():
            before = self._pieces.get(key)
            if before is not None:
                if before.body == body and not (isinstance(body, DieBody) and body.speed > 0):
                    continue
                dirty.append(before.rect)
            piece = self._piece(key, body, scene.t)
            self._pieces[key] = piece
            dirty.append(piece.rect)
        if dirty:
            before_this, self._ordered = self._ordered, self._painting_order()
            dirty += _turned_round(before_this, self._ordered)
        width, height = self.camera.size
        if len(dirty) > 2 * _FULL_AT:
            return [(0, 0, width, height)]
        return merged(clipped(dirty, width, height))

    def _painting_order(self) -> list[_Piece]:
        """All pieces back to front.

        Of the whole table, not of the part that is drawn again: where things stand in each
        other there is no right order, and it must be the same one in every frame.
        """
        pieces = [self._pieces[key] for key in sorted(self._pieces)]
        if not pieces:
            return []
        order = painting_order(
            np.array([piece.sprite.bounds for piece in pieces]),
            np.array([piece.heights for piece in pieces]),
            np.array([piece.distance for piece in pieces]),
        )
        return [pieces[i] for i in order]

    def _piece(self, key: _Key, body: Body, t: float) -> _Piece:
        look = self.look
        tint = 1.0
        streak = None
        if isinstance(body, TileBody):
            box, skin = tile_box(body, self._tile_mm), self._tile_skins.of(body.face)
            tint += look.wear * (zlib.crc32(f"{self.seed}/{body.key}".encode()) % 201 - 100) / 100
            if body.speed > 0:
                angle, length = math.radians(body.heading), body.speed * look.shutter
                streak = (length * math.cos(angle), length * math.sin(angle))
        elif isinstance(body, DieBody):
            box, skin, streak = self._die(key, body, t)
        else:
            box, skin = stick_box(body), self._stick_skin
        sprite = self._painter.sprite(box, skin, tint, streak)
        corners = np.concatenate([box.level(1.0), box.level(-1.0)])
        layout_top = self.layout.tile_d
        thrown = corners.copy()
        thrown[:, :2] -= self._slope * corners[:, 2:]
        thrown[:, 2] = 0
        raised = np.maximum(corners[:, 2:] - layout_top, 0)
        onto = corners.copy()
        onto[:, :2] -= self._slope * raised
        onto[:, 2] = np.minimum(corners[:, 2], layout_top)
        foot = corners.copy()
        foot[:, 2] = 0
        pixels = self.camera.project(np.concatenate([thrown, foot, onto]))
        x0, y0, x1, y1 = sprite.bounds
        low = np.floor(pixels.min(axis=0)).astype(int) - self._pad
        reach = np.ceil(pixels.max(axis=0)).astype(int) + self._pad + 1
        rect = (
            min(x0, int(low[0])),
            min(y0, int(low[1])),
            max(x1, int(reach[0])),
            max(y1, int(reach[1])),
        )
        away = box.centre[:2] - self.camera.position[:2]
        high = box.z_range[1] > layout_top + 2
        return _Piece(
            body,
            sprite,
            Stamp.of(pixels[:8]),
            Stamp.of(pixels[16:]) if high else None,
            Stamp.of(pixels[8:16]),
            rect,
            box.z_range,
            float(np.hypot(*away)),
        )

    def _die(
        self, key: _Key, body: DieBody, t: float
    ) -> tuple[Box, Skin, tuple[float, float] | None]:
        if body.speed <= 0:
            return die_box(body, self.look.die_mm), self._die_skins.of(body.value), None
        roll = zlib.crc32(f"{self.seed}/{key}/{t:.4f}".encode())
        value, angle = roll % 6 + 1, float(roll // 6 % 360)
        tumbling = DieBody(body.x, body.y, angle, value, body.speed, cocked=True)
        heading = math.radians(roll // 7 % 360)
        length = body.speed * self.look.shutter
        streak = (length * math.cos(heading), length * math.sin(heading))
        return die_box(tumbling, self.look.die_mm), self._die_skins.of(value), streak

    # --- drawing ----------------------------------------------------------------------------

    def _redraw(self, rect: Rect) -> None:
        """Draw the part of the kept pictures in ``rect`` (even corners) again."""
        x0, y0, x1, y1 = rect
        width, height = self.camera.size
        if x0 >= x1 or y0 >= y1:
            return
        pieces = [piece for piece in self._ordered if meet(piece.rect, rect)]
        region = self._sharp[y0:y1, x0:x1]
        region[:] = self._ground[y0:y1, x0:x1]
        if pieces:
            self._shadows(region, rect, pieces)
            upper = self._keep(rect, [p.high_shadow for p in pieces if p.high_shadow is not None])
            for piece in pieces:
                lies_flat = piece.high_shadow is None
                blend(region, piece.sprite, x0, y0, upper if lies_flat else None)
        self._through_lens(rect, width, height)

    def _shadows(self, region: Image, rect: Rect, pieces: Sequence[_Piece]) -> None:
        """Shadows on the felt: the one the lamp throws and the one where things touch it."""
        keep = self._keep(
            rect, [piece.shadow for piece in pieces], [piece.footing for piece in pieces]
        )
        if keep is not None:
            cv2.multiply(region, keep, region, 1 / 255)

    def _keep(
        self,
        rect: Rect,
        thrown: Sequence[Stamp],
        touching: Sequence[Stamp] = (),
    ) -> Image | None:
        """How much light (of 255) is left in ``rect`` by these shadows."""
        if not thrown:
            return None
        pad = self._pad
        x0, y0 = (rect[0] - pad) // 2, (rect[1] - pad) // 2
        size = ((rect[2] - rect[0]) // 2 + pad, (rect[3] - rect[1]) // 2 + pad)
        kernel = 2 * math.ceil(2.5 * self._soft) + 1
        cast = pressed(thrown, size, x0, y0)
        cast = np.asarray(cv2.GaussianBlur(cast, (kernel, kernel), self._soft), np.uint8)
        strength = self.look.shadow
        if touching:
            contact = pressed(touching, size, x0, y0)
            contact = np.asarray(cv2.GaussianBlur(contact, (5, 5), 1.3), np.uint8)
            keep = cv2.addWeighted(cast, -strength * 0.85, contact, -strength * 0.45, 255)
        else:
            keep = cv2.addWeighted(cast, -strength * 0.7, cast, 0, 255)
        edge = pad // 2 - 1
        inner = keep[edge : size[1] - edge, edge : size[0] - edge]
        full = cv2.resize(inner, None, fx=2, fy=2, interpolation=cv2.INTER_LINEAR)
        full = full[2 : 2 + rect[3] - rect[1], 2 : 2 + rect[2] - rect[0]]
        return np.asarray(cv2.cvtColor(full, cv2.COLOR_GRAY2BGR), np.uint8)

    def _through_lens(self, rect: Rect, width: int, height: int) -> None:
        """Blur by the lens; a rim of the blur's reach around ``rect`` changes with it."""
        blur = self.look.blur
        reach = max(1, math.ceil(2.5 * blur)) if blur > 0.05 else 0
        x0, y0 = max(rect[0] - reach, 0), max(rect[1] - reach, 0)
        x1, y1 = min(rect[2] + reach, width), min(rect[3] + reach, height)
        u0, v0 = max(x0 - reach, 0), max(y0 - reach, 0)
        u1, v1 = min(x1 + reach, width), min(y1 + reach, height)
        patch = self._sharp[v0:v1, u0:u1]
        if reach:
            patch = np.asarray(
                cv2.GaussianBlur(np.ascontiguousarray(patch), (2 * reach + 1,) * 2, blur),
                np.uint8,
            )
        patch = patch[y0 - v0 : y1 - v0, x0 - u0 : x1 - u0]
        target = self._seen[y0:y1, x0:x1]
        cv2.subtract(patch, np.full(4, self._bias, np.float64), target)


def _turned_round(before: Sequence[_Piece], now: Sequence[_Piece]) -> list[Rect]:
    """Where pieces that did not change are painted over each other the other way round now."""
    rank = {id(piece): k for k, piece in enumerate(before)}
    same = [piece for piece in now if id(piece) in rank]
    if not same:
        return []
    was = np.array([rank[id(piece)] for piece in same])
    near = overlapping(np.array([piece.sprite.bounds for piece in same]))
    turned = np.triu(near & (was[:, None] > was[None, :]))
    return [same[i].rect for i in np.flatnonzero(turned.any(axis=1))]
