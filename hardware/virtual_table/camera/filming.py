"""A camera at work: its renderer, and what goes wrong with it on the way."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.camera.optics import Camera, overhead
from hardware.virtual_table.camera.renderer import Look, Renderer
from hardware.virtual_table.play.layout import Layout, to_table
from hardware.virtual_table.play.settings import Degraded, View
from hardware.virtual_table.scene import ArmBody, Scene

Picture = NDArray[np.uint8]

_RAIL_MM: Final = 130.0
"""How much more than the playing surface a picture shows."""
_TWO_AT_MM: Final = 160.0
_COMES_S: Final = 0.4
"""How long the resting arm takes to come and to go."""


def cameras_over(layout: Layout, view: View) -> list[Camera]:
    """The cameras over the table."""
    across = layout.surface + _RAIL_MM
    spots = {"top": 0.0} if view.cameras == 1 else {"left": -_TWO_AT_MM, "right": _TWO_AT_MM}
    return [
        overhead(view.size, name=name, across_mm=across, at_mm=(x, 0.0), height_mm=view.height_mm)
        for name, x in spots.items()
    ]


def look_of(look: Look | None, degraded: Degraded) -> Look:
    """The look as the degraded filming shows it."""
    look = look or Look()
    return replace(
        look,
        flicker=degraded.flicker or look.flicker,
        flicker_hz=degraded.flicker_hz if degraded.flicker else look.flicker_hz,
        shutter=look.shutter * degraded.motion_blur,
    )


def moved(camera: Camera, mm: float) -> Camera:
    """The camera pushed along the table's x."""
    shift = np.array([mm, 0.0, 0.0])
    return replace(camera, t=np.asarray(camera.t - camera.R @ shift))


def resting_arms(layout: Layout, degraded: Degraded, t: float) -> tuple[ArmBody, ...]:
    """Sleeves that cover the quarter at the right of a side while the arm rests there.

    One forearm is no quarter: somebody leans on the table, upper arm and all.
    """
    if degraded.arm_at is None:
        return ()
    since, until = t - degraded.arm_at, degraded.arm_at + degraded.arm_s - t
    share = min(1.0, since / _COMES_S, until / _COMES_S)
    if share <= 0.0:
        return ()
    half, side = layout.half, degraded.arm_side
    arms = []
    for number in range(4):
        right = half * (0.14 + 0.24 * number)
        x, y = to_table(side, right, half * (1.15 - 1.05 * share))
        elbow = to_table(side, right + 10.0, half + 40.0)
        arms.append(ArmBody(side, x, y, 60.0, elbow, 0.3))
    return tuple(arms)


class FilmedCamera:
    """One camera that films scenes; a picture may be lost on the way.

    Args:
        camera: with the pose that is stated for it.
        layout: of the table.
        look: how everything looks.
        degraded: what goes wrong.
        number: which of the cameras it is, of ``count``.
        seed: of noise, and of which pictures are lost.
    """

    def __init__(
        self,
        camera: Camera,
        layout: Layout,
        look: Look | None,
        degraded: Degraded,
        *,
        number: int = 0,
        count: int = 1,
        seed: int = 0,
    ) -> None:
        self.camera = camera
        self._layout = layout
        self._degraded = degraded
        self._seed = seed
        self._look = look_of(look, degraded)
        self._hit = number == (count - 1 if degraded.camera is None else degraded.camera)
        self._renderer = Renderer(camera, layout, self._look, seed=seed)
        self._moved = False
        self._rng = random.Random(seed)
        self._picture: Picture | None = None

    def film(self, scene: Scene, taken: float | None = None) -> Picture | None:
        """The picture of a scene, valid until the next one; None where none comes.

        Args:
            scene: what there is to see.
            taken: when, s, where that is not the scene's time: the light flickers and the sensor
                is noisy also while the table's time stands still.
        """
        degraded, t = self._degraded, scene.t
        if self._hit and degraded.lost_at is not None and t >= degraded.lost_at:
            return None
        if degraded.dropped and self._rng.random() < degraded.dropped:
            return None
        knocked = self._hit and degraded.moved_at is not None and t >= degraded.moved_at
        if knocked and not self._moved:
            self._moved = True
            away = moved(self.camera, degraded.moved_mm)
            self._renderer = Renderer(away, self._layout, self._look, seed=self._seed)
        arms = resting_arms(self._layout, degraded, t)
        if arms:
            scene = replace(scene, arms=(*scene.arms, *arms))
        self._picture = self._renderer.render(scene, self._picture, taken)
        return self._picture
