"""From a physical scene to the frame a camera over the table would take."""

from __future__ import annotations

from hardware.virtual_table.camera.renderer.engine import Renderer
from hardware.virtual_table.camera.renderer.look import BACKS, FELTS, Look, random_look
from hardware.virtual_table.camera.renderer.scatter import random_scene
from hardware.virtual_table.camera.renderer.truth import (
    Annotator,
    DieTruth,
    FrameTruth,
    TileTruth,
    annotate,
)

__all__ = [
    "BACKS",
    "FELTS",
    "Annotator",
    "DieTruth",
    "FrameTruth",
    "Look",
    "Renderer",
    "TileTruth",
    "annotate",
    "random_look",
    "random_scene",
]
