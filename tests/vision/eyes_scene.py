"""Frames of the virtual table with their truth, for the tests of the models."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.camera.faces import DESIGNS
from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.renderer import (
    Annotator,
    FrameTruth,
    Look,
    Renderer,
    random_scene,
)
from hardware.virtual_table.play.layout import Layout

GEOMETRY = Path(__file__).parents[2] / "hardware/virtual_table/data/geometry-mcr.toml"


@lru_cache(maxsize=8)
def frame(
    seed: int, design: str = "classic", *, dice: bool = True
) -> tuple[NDArray[np.uint8], FrameTruth]:
    """One frame in a design; the same for the same arguments."""
    layout = Layout.load(GEOMETRY)
    camera = overhead()
    look = Look(design=DESIGNS[design])
    scene = random_scene(np.random.default_rng(seed), layout)
    if not dice:
        scene = replace(scene, dice=())
    image = np.array(Renderer(camera, layout, look, seed).render(scene))
    return image, Annotator(camera, layout, look).annotate(scene)


def tile_px(truth: FrameTruth) -> float:
    """Short side of the tiles of a frame, pixels."""
    flat = [t.quad for t in truth.tiles if t.shows != "edge"]
    return float(np.median([np.linalg.norm(q[1] - q[0]) for q in flat]))
