"""``paiguan bench vision``: how long seeing takes on this machine, medians in milliseconds.

``python -m vision.bench.seeing SMALL.npz LARGE.npz`` prints the figures as JSON: a process of its
own, so that its memory is that of seeing. Who calls stores the pictures (:class:`Laid`), full of
tiles: how many are found and read rightly stands beside the times, so that none of them is that
of a look at nothing. Beside stands a detector of the nano class (:mod:`vision.bench.peer`): on
the whole frame, as it would need it to tell faces, beside finding and reading; and on as many
pixels as the finder looks at, beside finding alone. On a busy machine the processor time in the
notes tells more than the time that passed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
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
from vision.process import peak_mb
from vision.sightings import Posture

Row = dict[str, Any]
_ROUNDS = 9
_THREADS = 2
_CROPS = 144
_FIRST = "import sys; from vision.bench import seeing; seeing.first_reading(sys.argv[1])"
_NEAR = 0.5
"""So many short sides off the middle of a tile what was found is that tile."""
_FROM_LOOKS = ("one tile moves", "still frame", "still frames, mean", "first full look")


@dataclass(frozen=True, eq=False, slots=True)
class Laid:
    """A picture of tiles that lie face up.

    Attributes:
        picture: (H, W, 3) BGR.
        quads: (N, 4, 2) corners of the tiles, pixels.
        faces: the N faces.
    """

    picture: Image
    quads: NDArray[np.float32]
    faces: tuple[str, ...]

    def store(self, path: Path) -> None:
        """Write it for another process."""
        np.savez(path, picture=self.picture, quads=self.quads, faces=np.array(self.faces))

    @classmethod
    def load(cls, path: Path) -> Laid:
        """What :meth:`store` wrote."""
        with np.load(path) as kept:
            return cls(kept["picture"], kept["quads"], tuple(kept["faces"].tolist()))

    @property
    def tile_px(self) -> float:
        """Short side of a tile, pixels."""
        sides = np.linalg.norm(self.quads - np.roll(self.quads, 1, axis=1), axis=2)
        return float(np.median(sides.min(axis=1)))

    def part(self, width: int, height: int) -> Laid:
        """What so many pixels about the middle of the tiles show."""
        x, y = (self.quads.mean(axis=(0, 1)) - (width / 2, height / 2)).astype(int)
        shown = np.ascontiguousarray(self.picture[y : y + height, x : x + width])
        quads = self.quads - np.array((x, y), np.float32)
        inside = np.flatnonzero(((quads >= 0) & (quads <= (width, height))).all(axis=(1, 2)))
        return Laid(shown, quads[inside], tuple(self.faces[i] for i in inside))


def run(stored_small: Path, stored_large: Path) -> list[Row]:
    """Measure; one row per figure: ``what``, ``value``, ``unit`` and, where set, ``limit``.

    Args:
        stored_small: a frame of 1080 lines.
        stored_large: one of 2160.
    """
    start = _start_to_first_reading(stored_small)
    small, large = Laid.load(stored_small), Laid.load(stored_large)
    finder, reader = Finder(threads=_THREADS), FaceReader(threads=_THREADS)
    dice = DiceReader(threads=_THREADS)
    several = np.concatenate([small.quads, small.quads])[:_CROPS]
    crops = crops_of(small.picture, several)
    part, middle = small.part(160, 160), small.part(400, 400).picture
    rows = [
        _row(f"{_named(laid)} found and read", partial(_whole, finder, reader, laid), limit)
        for laid, limit in ((small, 120), (large, 300))
    ]
    rows.append(_row(f"{_CROPS} crops read", partial(reader.read_crops, crops), 8))
    rows += _looks()
    rows += [
        start,
        {"what": "memory", "value": peak_mb(), "unit": "MB", "limit": 400, "note": "at its peak"},
        _row(f"{_CROPS} faces cut out and read", partial(reader.read, small.picture, several)),
        _row(
            f"a part of 160x160 found anew, {len(part.faces)} faces",
            partial(_whole, finder, reader, part),
        ),
        _row("dice in the middle, 400x400", partial(dice.find, middle, small.tile_px / 2)),
    ]
    rows += [_rightly(finder, reader, laid) for laid in (small, large)]
    rows += _beside_peer(
        {
            "found and read": partial(_whole, finder, reader, small),
            "found only": partial(finder.find, small.picture, small.tile_px),
        },
        small,
    )
    rows.append({"what": "load of the machine", "value": os.getloadavg()[0], "unit": "processes"})
    return rows


def first_reading(stored: str) -> None:
    """Open the models and read a first full picture: what a new process does."""
    laid = Laid.load(Path(stored))
    _whole(Finder(threads=_THREADS), FaceReader(threads=_THREADS), laid)


def _start_to_first_reading(stored: Path) -> Row:
    times = []
    for _ in range(3):
        before = time.perf_counter()
        subprocess.run([sys.executable, "-c", _FIRST, str(stored)], check=True)  # noqa: S603 - our own words
        times.append(time.perf_counter() - before)
    note = f"a new process; least {min(times):.2f}"
    value = float(np.median(times))
    return {"what": "start to first reading", "value": value, "unit": "s", "limit": 2, "note": note}


def _looks() -> list[Row]:
    """The looks of the runtime at a calibrated table."""
    rows = {str(row["what"]): row for row in pipeline_bench.run()}
    return [rows[name] for name in _FROM_LOOKS if name in rows]


def _beside_peer(work: dict[str, Callable[[], object]], laid: Laid) -> list[Row]:
    """Work on the picture beside the peer on as many pixels, in turns.

    Args:
        work: what is timed, by the size of the input that the peer gets.
        laid: a full frame.
    """
    try:
        peer = bench_peer.runner(_THREADS)
    except bench_peer.PeerError as error:
        note = f"skipped: {error}"
        return [{"what": "peer of the nano class", "value": "skipped", "unit": "", "note": note}]
    rows: list[Row] = []
    for size, (what, mine) in zip(_peer_sizes(laid), work.items(), strict=True):
        fit = np.asarray(cv2.resize(laid.picture, size), np.uint8)
        tensor = np.ascontiguousarray(fit.transpose(2, 0, 1)[None])
        other = _row(f"YOLOX-Nano's structure, {size[0]}x{size[1]}", partial(peer, tensor))
        other["note"] += "; the net alone, random weights"
        again = _row(what, mine)
        ratio = again["value"] / other["value"]
        rows += [other, {"what": f"{what}: over it", "value": ratio, "unit": "times", "limit": 1}]
    return rows


def _peer_sizes(laid: Laid) -> list[tuple[int, int]]:
    """Inputs of the peer: the whole frame, and as many pixels as the finder looks at."""
    return [_padded(laid.picture, scale) for scale in (1.0, WORKING_PX / laid.tile_px)]


def _padded(picture: Image, scale: float) -> tuple[int, int]:
    height, width = (-(-round(side * scale) // 32) * 32 for side in picture.shape[:2])
    return width, height


def _named(laid: Laid) -> str:
    height, width = laid.picture.shape[:2]
    return f"{width}x{height}, {len(laid.faces)} tiles"


def _whole(finder: Finder, reader: FaceReader, laid: Laid) -> list[tuple[NDArray[np.float32], str]]:
    """The tiles that are found face up and what they are read as."""
    found = finder.find(laid.picture, laid.tile_px)
    quads = [tile.quad for tile in found.tiles if tile.posture is Posture.FACE_UP]
    read = reader.read(laid.picture, np.array(quads, np.float32).reshape(-1, 4, 2))
    return [(quad, reading.label) for quad, reading in zip(quads, read, strict=True)]


def _rightly(finder: Finder, reader: FaceReader, laid: Laid) -> Row:
    """How many of the tiles are told where they lie as what they are."""
    told = _whole(finder, reader, laid)
    places = laid.quads.mean(axis=1)
    right: set[int] = set()
    for quad, label in told:
        apart = np.linalg.norm(places - quad.mean(axis=0), axis=1)
        nearest = int(apart.argmin())
        if apart[nearest] < _NEAR * laid.tile_px and laid.faces[nearest] == label:
            right.add(nearest)
    return {
        "what": f"{_named(laid)}: right of these",
        "value": len(right),
        "unit": f"of {len(laid.faces)}",
        "note": f"{len(told)} told",
    }


def _row(what: str, work: Callable[[], object], limit: float | None = None) -> Row:
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


if __name__ == "__main__":
    json.dump(run(*map(Path, sys.argv[1:])), sys.stdout)
