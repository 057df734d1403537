"""Drawn sets of tiles: drawn anew, or taken from a store that one machine fills for another.

Drawing needs the fonts and vector sets of :mod:`.glyphs`, which a machine that only trains may not
have; a store carries the faces alone, and says by which fonts they were drawn.
"""

from __future__ import annotations

import json
import pickle
import random
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from vision.image import Image
from vision.training.pictures import drawn, fonts
from vision.training.work import WORK

Table = dict[str, list[Image]]
"""Faces of one set by label."""

_FONTS = "fonts.json"


def folder() -> Path:
    """Where the store lies."""
    return WORK / "sets"


def faces_of(design: drawn.Design) -> Table:
    """All that a design can draw."""
    return {label: [design.face(label)] for label in drawn.drawable(design)}


def store(into: Path, count: int, seed: int) -> None:
    """Draw sets once for many runs: JPEG of each face."""
    into.mkdir(parents=True, exist_ok=True)
    for i, design in enumerate(drawn.designs(count, seed)):
        codes = {
            label: cv2.imencode(".jpg", face[0], [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
            for label, face in faces_of(design).items()
        }
        (into / f"{seed}-{i:04d}.pickle").write_bytes(pickle.dumps(codes))
    (into / _FONTS).write_text(json.dumps(fonts.names()))


@cache
def _files(store_: Path) -> tuple[Path, ...]:
    return tuple(sorted(store_.glob("*.pickle")))


def take(pick: random.Random) -> Table:
    """A stored set where there is a store, else a new one."""
    files = _files(folder())
    if not files:
        return faces_of(pick.choice(drawn.designs(6, pick.randrange(1 << 30))))
    codes = pickle.loads(pick.choice(files).read_bytes())  # noqa: S301 - our own
    return {
        label: [np.asarray(cv2.imdecode(np.frombuffer(code, np.uint8), cv2.IMREAD_COLOR), np.uint8)]
        for label, code in codes.items()
    }


def drawn_with() -> list[str]:
    """The fonts of the sets that are taken."""
    told = folder() / _FONTS
    return json.loads(told.read_text()) if told.exists() else fonts.names()
