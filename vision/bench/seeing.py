"""``paiguan bench vision``: how long seeing takes on this machine, medians in milliseconds.

The pictures are made here, full of tiles; what lies in them does not change the time of the
nets, the number of tiles that of the decoding and the reading. Beside stands a detector of the
nano class (:mod:`vision.bench.peer`): on the whole frame, as it would need it to tell faces,
beside finding and reading; and on as many pixels as the finder looks at, beside finding alone.
On a busy machine the processor time in the notes tells more than the time that passed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.bench import look as pipeline_bench
from vision.bench import peer as bench_peer
from vision.dice.finding import DiceReader
from vision.image import Image
from vision.nets.finder import WORKING_PX, Finder
from vision.nets.reader import FaceReader, crops_of
from vision.sightings import Posture

Row = dict[str, Any]
_TILES = 136
_ROUNDS = 9
_THREADS = 2
_FIRST = "from vision.bench.seeing import first_reading; first_reading()"
_FROM_LOOKS = ("one tile moves", "still frame", "still frames, mean", "first full look")


def run() -> list[Row]:
    """Measure; one row per figure: ``what``, ``value``, ``unit`` and, where set, ``limit``."""
    start = _start_to_first_reading()
    finder, reader = Finder(threads=_THREADS), FaceReader(threads=_THREADS)
    dice = DiceReader(threads=_THREADS)
    small, large = drawn_table(1080), drawn_table(2160)
    crops = crops_of(small, np.concatenate([_quads(1080), _quads(1080)])[:144])
    part = _part_of(small)
    middle = small[340:740, 760:1160]
    found = len(finder.find(small, _tile_px(1080)).tiles)
    rows = [
        _row("1920x1080, 136 tiles found and read", _whole(finder, reader, small), 120),
        _row("3840x2160, 136 tiles found and read", _whole(finder, reader, large), 300),
        _row("144 crops read", lambda: reader.read_crops(crops), 8),
    ]
    rows += _looks()
    rows += [
        start,
        {"what": "memory", "value": _memory(), "unit": "MB", "limit": 400, "note": "at its peak"},
        _row("144 faces cut out and read", lambda: reader.read(small, _quads(1080)), None),
        _row("a part of 160x160 found anew, 2 faces", lambda: _part(finder, reader, part), None),
        _row("dice in the middle, 400x400", lambda: dice.find(middle, 16.0), None),
        {"what": "tiles found in the drawn table", "value": found, "unit": "of 136"},
    ]
    rows += _beside_peer(
        {
            "found and read": _whole(finder, reader, small),
            "found only": lambda: finder.find(small, _tile_px(1080)),
        },
        small,
    )
    rows.append({"what": "load of the machine", "value": os.getloadavg()[0], "unit": "processes"})
    return rows


def first_reading() -> None:
    """Open the models and read a first full picture: what a new process does."""
    picture = drawn_table(1080)
    finder, reader = Finder(threads=_THREADS), FaceReader(threads=_THREADS)
    finder.find(picture, _tile_px(1080))
    reader.read(picture, _quads(1080))


def _start_to_first_reading() -> Row:
    times = []
    for _ in range(3):
        before = time.perf_counter()
        subprocess.run([sys.executable, "-c", _FIRST], check=True)  # noqa: S603 - our own words
        times.append(time.perf_counter() - before)
    note = f"a new process; least {min(times):.2f}"
    value = float(np.median(times))
    return {"what": "start to first reading", "value": value, "unit": "s", "limit": 2, "note": note}


def _looks() -> list[Row]:
    """The looks of the runtime at a calibrated table."""
    rows = {str(row["what"]): row for row in pipeline_bench.run()}
    return [rows[name] for name in _FROM_LOOKS if name in rows]


def _beside_peer(work: dict[str, Callable[[], object]], picture: Image) -> list[Row]:
    """Work on the picture beside the peer on as many pixels, in turns.

    Args:
        work: what is timed, by the size of the input that the peer gets.
        picture: a full frame.
    """
    try:
        peer = bench_peer.runner(_THREADS)
    except bench_peer.PeerError as error:
        note = f"skipped: {error}"
        return [{"what": "peer of the nano class", "value": "skipped", "unit": "", "note": note}]
    rows: list[Row] = []
    for size, (what, mine) in zip(_peer_sizes(picture), work.items(), strict=True):
        fit = np.asarray(cv2.resize(picture, size), np.uint8)
        tensor = np.ascontiguousarray(fit.transpose(2, 0, 1)[None])
        other = _row(f"YOLOX-Nano's structure, {size[0]}x{size[1]}", partial(peer, tensor), None)
        other["note"] += "; the net alone, random weights"
        again = _row(what, mine, None)
        ratio = again["value"] / other["value"]
        rows += [other, {"what": f"{what}: over it", "value": ratio, "unit": "times", "limit": 1}]
    return rows


def _peer_sizes(picture: Image) -> list[tuple[int, int]]:
    """Inputs of the peer: the whole frame, and as many pixels as the finder looks at."""
    finder = WORKING_PX / _tile_px(picture.shape[0])
    return [_padded(picture, 1.0), _padded(picture, finder)]


def _padded(picture: Image, scale: float) -> tuple[int, int]:
    height, width = (-(-round(side * scale) // 32) * 32 for side in picture.shape[:2])
    return width, height


def _whole(finder: Finder, reader: FaceReader, picture: Image) -> Callable[[], object]:
    px = _tile_px(picture.shape[0])
    quads = _quads(picture.shape[0])

    def look() -> object:
        found = finder.find(picture, px)
        up = [t.quad for t in found.tiles if t.posture is Posture.FACE_UP]
        # always the stated number of faces, whatever was found
        corners = np.concatenate([np.array(up, np.float32).reshape(-1, 4, 2), quads])
        return reader.read(picture, corners[:_TILES])

    return look


def _row(what: str, work: Callable[[], object], limit: float | None) -> Row:
    work()
    times, busy = [], []
    for _ in range(_ROUNDS):
        start, used = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - start) * 1e3)
        busy.append((time.process_time() - used) * 1e3)
    row: Row = {"what": what, "value": float(np.median(times)), "unit": "ms"}
    if limit is not None:
        row["limit"] = limit
    row["note"] = f"least {min(times):.1f}; processor {np.median(busy):.1f} on {_THREADS} cores"
    return row


def _part_of(picture: Image) -> Image:
    return np.ascontiguousarray(picture[500:660, 900:1060])


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


def drawn_table(height: int) -> Image:
    """A green cloth with the block of tiles, each with two strokes; (height, 16/9 height, 3)."""
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
