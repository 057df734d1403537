"""What a table and its picture look like, apart from what lies where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.camera.faces import DESIGNS, Design

Bgr = tuple[int, int, int]

FELTS: dict[str, Bgr] = {
    "green": (70, 104, 40),
    "blue": (128, 82, 30),
    "teal": (104, 104, 22),
    "grey": (102, 98, 94),
    "wine": (52, 34, 104),
    "beige": (128, 158, 178),
    "navy": (82, 48, 26),
}
"""Usual colours of the cloth, BGR."""

BACKS: dict[str, Bgr] = {
    "green": (70, 118, 26),
    "blue": (168, 96, 28),
    "yellow": (44, 158, 214),
    "orange": (38, 104, 222),
    "wine": (76, 36, 112),
    "black": (44, 42, 42),
    "sky": (206, 166, 92),
}
"""Usual colours of the back layer of a tile, BGR."""

_SKINS: tuple[Bgr, ...] = ((142, 172, 222), (116, 150, 206), (96, 130, 190), (66, 92, 140))
_SLEEVES: tuple[Bgr, ...] = (
    (58, 46, 40),
    (128, 84, 42),
    (210, 208, 206),
    (60, 60, 168),
    (94, 120, 60),
    (150, 150, 152),
    (40, 110, 170),
)


@dataclass(frozen=True)
class Look:
    """How everything looks; every value can be changed alone with ``dataclasses.replace``.

    Attributes:
        design: the tile faces.
        felt, back, rail, panel, floor: colours, BGR.
        panel_kind: the middle of the table: ``plate``, ``ring`` or ``felt``.
        skins, sleeves: colours by side 0..3.
        back_share: how much of a tile's thickness the coloured back layer takes.
        light: direction towards the light in the table frame (needs not be of length 1).
        ambient: share of light that has no direction, 0..1.
        uneven: how much the light falls off across the table, 0..0.5.
        vignette: how much darker the corners of the picture are, 0..0.6.
        exposure: gain of the picture, 1 is right.
        white: gains of blue, green and red.
        flicker: amplitude of the lamp's flicker, 0..0.4; ``flicker_hz`` as the camera sees it.
        noise: standard deviation of the sensor noise, levels of 255.
        blur: standard deviation of the lens blur, pixels.
        shutter: exposure time, s, for motion blur.
        shadow: how dark a shadow is, 0..1; ``softness`` its blur, mm.
        gloss: strength of reflections on the tiles, 0..1.
        wear: spread of brightness and shade among tiles.
        rail_mm: width and height of the rail.
        rounding_mm: radius of a tile's corners.
        die_mm: edge of a die.
        faces: pictures (H, W, 3) shown instead of the design's, by the tile's face; those of
            ``FACE/back`` instead of the plain back. So a tile can be marked, or of another set.
    """

    design: Design = field(default_factory=lambda: DESIGNS["classic"])
    felt: Bgr = FELTS["green"]
    back: Bgr = BACKS["blue"]
    rail: Bgr = (36, 42, 54)
    panel: Bgr = (52, 50, 48)
    floor: Bgr = (44, 48, 54)
    panel_kind: str = "plate"
    skins: tuple[Bgr, Bgr, Bgr, Bgr] = (_SKINS[1], _SKINS[0], _SKINS[2], _SKINS[1])
    sleeves: tuple[Bgr, Bgr, Bgr, Bgr] = (_SLEEVES[0], _SLEEVES[1], _SLEEVES[2], _SLEEVES[3])
    back_share: float = 0.38
    light: tuple[float, float, float] = (-0.35, 0.45, 1.0)
    ambient: float = 0.55
    uneven: float = 0.16
    vignette: float = 0.18
    exposure: float = 1.0
    white: tuple[float, float, float] = (1.0, 1.0, 1.0)
    flicker: float = 0.0
    flicker_hz: float = 1.7
    noise: float = 2.2
    blur: float = 0.55
    shutter: float = 1 / 100
    shadow: float = 0.5
    softness: float = 5.0
    gloss: float = 0.35
    wear: float = 0.02
    rail_mm: tuple[float, float] = (58.0, 24.0)
    rounding_mm: float = 2.4
    die_mm: float = 14.0
    faces: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict, compare=False)


def random_look(rng: np.random.Generator) -> Look:
    """A look such as another venue, lamp, camera or maker of tiles would give."""

    def colour(base: Bgr, spread: float) -> Bgr:
        b, g, r = (int(np.clip(c * rng.uniform(1 - spread, 1 + spread), 8, 240)) for c in base)
        return b, g, r

    def four(choices: tuple[Bgr, ...]) -> tuple[Bgr, Bgr, Bgr, Bgr]:
        a, b, c, d = (colour(choices[int(rng.integers(len(choices)))], 0.12) for _ in range(4))
        return a, b, c, d

    def pick(table: dict[str, Bgr]) -> Bgr:
        return table[sorted(table)[int(rng.integers(len(table)))]]

    warm = rng.normal(0, 0.05)
    direction = rng.uniform(0, 2 * np.pi)
    slope = rng.uniform(0.15, 0.8)
    return Look(
        design=DESIGNS[sorted(DESIGNS)[int(rng.integers(len(DESIGNS)))]],
        felt=colour(pick(FELTS), 0.18),
        back=colour(pick(BACKS), 0.15),
        rail=colour((40, 46, 60) if rng.random() < 0.6 else (44, 82, 124), 0.3),
        panel=colour((54, 52, 50), 0.4),
        floor=colour((34, 36, 40) if rng.random() < 0.5 else (92, 112, 132), 0.4),
        panel_kind=("plate", "ring", "felt")[int(rng.integers(3))],
        skins=four(_SKINS),
        sleeves=four(_SLEEVES),
        back_share=float(rng.uniform(0.25, 0.5)),
        light=(float(slope * np.cos(direction)), float(slope * np.sin(direction)), 1.0),
        ambient=float(rng.uniform(0.35, 0.75)),
        uneven=float(rng.uniform(0, 0.3)),
        vignette=float(rng.uniform(0, 0.35)),
        exposure=float(np.clip(rng.normal(0.98, 0.14), 0.6, 1.3)),
        white=(float(1 - warm), 1.0, float(1 + warm)),
        noise=float(rng.uniform(0.8, 5.0)),
        blur=float(rng.uniform(0.3, 1.1)),
        shutter=float(rng.choice([1 / 200, 1 / 120, 1 / 100, 1 / 60, 1 / 40])),
        shadow=float(rng.uniform(0.2, 0.65)),
        softness=float(rng.uniform(2.5, 9)),
        gloss=float(rng.uniform(0, 0.8)),
        wear=float(rng.uniform(0, 0.05)),
        rounding_mm=float(rng.uniform(1.2, 3.2)),
        die_mm=float(rng.uniform(11, 17)),
    )
