"""``paiguan bench vision``: the pictures that seeing is timed on, as the virtual camera takes them.

A block of 136 tiles lies face up in the middle of the table, as 34 kinds four times.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np

from hardware.virtual_table.camera.block import GEOMETRY, block, photographs, whole_set
from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.renderer import Look, annotate
from hardware.virtual_table.play.layout import Layout
from vision.bench import seeing

_TILES: Final = 136
_COLUMNS: Final = 17


def run() -> list[dict[str, Any]]:
    """The figures of :mod:`vision.bench.seeing` on frames of the virtual table."""
    with tempfile.TemporaryDirectory(prefix="paiguan-bench-") as folder:
        stored = [Path(folder) / f"{lines}.npz" for lines in (1080, 2160)]
        for path in stored:
            laid(int(path.stem)).store(path)
        words = [sys.executable, "-P", "-m", "vision.bench.seeing", *map(str, stored)]
        told = subprocess.run(words, check=True, stdout=subprocess.PIPE)  # noqa: S603 - our own words
    rows: list[dict[str, Any]] = json.loads(told.stdout)
    return rows


def laid(lines: int) -> seeing.Laid:
    """A frame of so many lines, 16 to 9, with the block."""
    layout, look = Layout.load(GEOMETRY), Look()
    camera = overhead((lines * 16 // 9, lines))
    faces = [str(face) for face in np.random.default_rng(1).permutation(whole_set(_TILES))]
    scene = block(faces, _COLUMNS, layout)
    (picture,) = photographs(scene, look, layout, camera)
    tiles = annotate(scene, camera, layout, look).tiles
    quads = np.array([tile.quad for tile in tiles], np.float32)
    return seeing.Laid(picture, quads, tuple(tile.face for tile in tiles))
