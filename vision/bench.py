"""``paiguan bench vision``: how long seeing takes on this machine, medians in milliseconds.

The pictures are made here, full of tiles; what lies in them does not change the time of the
nets, the number of tiles that of the decoding and the reading.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice import DiceReader
from vision.finder import Finder
from vision.reader import FaceReader
from vision.sightings import Posture

Image = NDArray[np.uint8]
_TILES = 136
_ROUNDS = 9


def run() -> list[dict[str, Any]]:
    """Measure; one row per figure: ``what``, ``value``, ``unit`` and, where set, ``limit``."""
    start = time.perf_counter()
    finder, reader, dice = Finder(threads=2), FaceReader(threads=2), DiceReader(threads=2)
    small = _table(1080)
    first = finder.find(small, _tile_px(1080))
    reader.read(small, _quads(1080))
    ready = time.perf_counter() - start
    large = _table(2160)
    middle = small[340:740, 760:1160]
    one = small[500:660, 900:1060]

    def whole(picture: Image) -> Callable[[], object]:
        px = _tile_px(picture.shape[0])
        quads = _quads(picture.shape[0])

        def look() -> object:
            found = finder.find(picture, px)
            up = [t.quad for t in found.tiles if t.posture is Posture.FACE_UP]
            # always the stated number of faces, whatever was found
            corners = np.concatenate([np.array(up, np.float32).reshape(-1, 4, 2), quads])
            return reader.read(picture, corners[:_TILES])

        return look

    quads = np.concatenate([_quads(1080), _quads(1080)])[:144]
    rows = [
        _row("1920x1080, 136 tiles found and read", whole(small), 120),
        _row("3840x2160, 136 tiles found and read", whole(large), 300),
        _row("1920x1080, tiles found", lambda: finder.find(small, _tile_px(1080)), None),
        _row("144 faces read", lambda: reader.read(small, quads), None),
        _row("a part of 160x160 found anew, 2 faces", lambda: _part(finder, reader, one), 15),
        _row("dice in the middle, 400x400", lambda: dice.find(middle, 16.0), None),
    ]
    rows.append({"what": "start to first reading", "value": ready, "unit": "s", "limit": 2})
    rows.append({"what": "memory", "value": _memory(), "unit": "MB", "limit": 400})
    rows.append({"what": "tiles found in the drawn table", "value": len(first.tiles), "unit": ""})
    return rows


def _row(what: str, work: Callable[[], object], limit: float | None) -> dict[str, Any]:
    work()
    times = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    row: dict[str, Any] = {"what": what, "value": float(np.median(times)), "unit": "ms"}
    if limit is not None:
        row["limit"] = limit
    row["note"] = f"least {min(times):.1f}"
    return row


def _part(finder: Finder, reader: FaceReader, part: Image) -> object:
    finder.find(part, _tile_px(1080))
    return reader.read(part, _quads(1080)[:2] % 100)


def _memory() -> float:
    """Greatest memory of the process so far, MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1e6 if sys.platform == "darwin" else 1e3)


def _tile_px(height: int) -> float:
    return 30.0 * height / 1080


def _quads(height: int) -> NDArray[np.float32]:
    """Corners of 136 tiles lying in a block in the middle of a 16:9 picture."""
    w = _tile_px(height)
    h = w * 1.38
    x0, y0 = height * 16 / 9 / 2 - 8.5 * w * 1.02, height / 2 - 4 * h * 1.02
    quads = []
    for i in range(_TILES):
        x, y = x0 + (i % 17) * w * 1.02, y0 + (i // 17) * h * 1.02
        quads.append(((x, y), (x + w, y), (x + w, y + h), (x, y + h)))
    return np.array(quads, np.float32)


def _table(height: int) -> Image:
    """A green cloth with the block of tiles, each with two strokes."""
    rng = np.random.default_rng(1)
    width = height * 16 // 9
    picture = np.full((height, width, 3), (60, 100, 40), np.uint8)
    picture += rng.integers(0, 12, picture.shape, dtype=np.uint8)
    for quad in _quads(height):
        p, q = np.round(quad[0]).astype(int), np.round(quad[2]).astype(int)
        cv2.rectangle(picture, tuple(p.tolist()), tuple((q - 1).tolist()), (228, 236, 238), -1)
        m = (p + q) // 2
        r = max(2, int(q[0] - p[0]) // 4)
        cv2.circle(picture, tuple(m.tolist()), r, (40, 110, 30), max(1, r // 3))
    return np.asarray(picture, np.uint8)
