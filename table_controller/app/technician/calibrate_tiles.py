"""``paiguan calibrate tiles``: the venue's tile set, shown once, inspected and kept.

The technician lays the whole set face up in a block under the camera (or gives photographs of
it), looks at the picture that this writes, and confirms it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from rich.console import Console

from table_controller.app.errors import RunError
from table_controller.config import Config
from vision.calibration.camera import CameraModel, load_cameras
from vision.cameras.sources import open_source
from vision.enrol.draw import draw_backs, draw_enrolment
from vision.enrol.enrolment import Enrolment, enrol
from vision.enrol.findings import Place
from vision.geometry import TableGeometry
from vision.image import Image
from vision.nets.finder import Finder
from vision.nets.reader import FaceReader
from vision.photo.picture import load_picture, quality

FRAMES: Final = 5
"""So many frames of a camera are averaged."""
_WAIT_S: Final = 8.0
_SHARP, _SHARP_BACKS = 4.0, 3.0
"""Sharpness that a picture of the faces needs: more than to be read, since all later pictures are
read by it. Sharp ones have 7 and more, blurred by 2 pixels at 1080 lines 3.7: half of what is
stored from worse ones cannot be told apart. Plain backs have little but their edges: 4 and more."""
_MOVED: Final = 6.0
"""Mean difference of two frames, of 255, from which something moved between them."""


@dataclass(frozen=True, slots=True)
class TilesJob:
    """What was asked for.

    Attributes:
        images: photographs of the block; without any, frames are taken from the camera.
        config: of the table, for its camera.
        camera: name of the camera; the first one by default.
        backs: photograph of the set face down in a block.
        known: ``ROW,COLUMN=FACE`` as the technician tells them.
        set_name: which set it is; the one that fits best by default.
        out: the file of the set.
        draw: the picture to confirm.
        name: of the set, for people.
        confirmed: the picture was looked at.
        as_json: print JSON.
    """

    images: tuple[Path, ...] = ()
    config: Path | None = None
    camera: str | None = None
    backs: Path | None = None
    known: tuple[str, ...] = ()
    set_name: str | None = None
    out: Path = Path("tiles.json")
    draw: Path = Path("tiles.png")
    name: str = ""
    confirmed: bool = False
    as_json: bool = False


def enrol_tiles(job: TilesJob) -> int:
    """Enrol, show, store.

    Returns:
        0 stored and nothing wrong with the set; 1 not stored yet, or something is wrong.

    Raises:
        VisionInputError: a picture cannot be used.
        RunError: neither pictures nor a camera, or a place cannot be understood.
    """
    began = time.monotonic()
    for path in (job.out, job.draw):
        if path.is_dir() or not path.parent.is_dir():
            raise RunError(f"{path}: cannot be written there")
    known = dict(_told(text) for text in job.known)
    tile_px: float | None = None
    if job.images:
        images = [load_picture(path) for path in job.images]
        names = [str(path) for path in job.images]
    elif job.config is not None:
        image, tile_px = _from_camera(Config.load(job.config), job.camera)
        images, names = [image], ["the camera's picture"]
    else:
        raise RunError("give --image FILE, or --config FILE to take the camera's picture")
    for picture, called in zip(images, names, strict=True):
        _must_be_fit(picture, called, _SHARP)
    backs = None
    if job.backs is not None:
        backs = load_picture(job.backs)
        _must_be_fit(backs, str(job.backs), _SHARP_BACKS)
    done = enrol(
        images,
        Finder(),
        FaceReader(),
        backs=backs,
        set_name=job.set_name,
        known=known,
        tile_px=tile_px,
        name=job.name,
    )
    _write(job.draw, draw_enrolment(images[0], done))
    pictures = [job.draw]
    if backs is not None:
        pictures.append(job.draw.with_stem(f"{job.draw.stem}-backs"))
        _write(pictures[1], draw_backs(backs, done))
    took = time.monotonic() - began
    if not job.as_json:
        _print(done, pictures, took)
    stored = job.confirmed or _asked(job)
    if stored:
        done.tiles.save(job.out)
    if job.as_json:
        sys.stdout.write(json.dumps(_json(done, job, stored=stored), ensure_ascii=False) + "\n")
    elif stored:
        sys.stdout.write(
            f'{job.out}: stored; name it in the configuration: [tiles] enrolled = "…"\n'
        )
    else:
        sys.stdout.write(f"not stored: look at {job.draw}, then run it again with --yes\n")
    return 0 if stored and not done.faults else 1


def _must_be_fit(image: Image, name: str, sharp: float) -> None:
    """Refuse a picture that is too dark, too bright, out of focus or moved.

    Raises:
        RunError: it is, with the measure; by such a picture every later one would be misread.
    """
    fitness = quality(image)
    notes = list(fitness.notes())
    if not notes and fitness.detail < sharp:
        notes = [f"out of focus or moved: sharpness {fitness.detail:.1f} (needs {sharp:.1f})"]
    if notes:
        raise RunError(f"{name}: {'; '.join(notes)}: no set can be enrolled from it")


def _told(text: str) -> tuple[Place, str]:
    place, _, face = text.partition("=")
    row, _, column = place.partition(",")
    try:
        return (int(row), int(column)), face.strip()
    except ValueError:
        raise RunError(f"{text!r}: not ROW,COLUMN=FACE, as in 3,12=5f") from None


def _from_camera(config: Config, name: str | None) -> tuple[Image, float | None]:
    """The mean of some frames in which nothing moves, and the size of a tile in it."""
    section = next((c for c in config.camera if name in (None, c.name)), None)
    if section is None:
        raise RunError(f"no camera {name!r} in the configuration")
    frames: list[Image] = []
    end = time.monotonic() + _WAIT_S
    with open_source(section.source, camera=section.name, times=section.times) as source:
        while len(frames) < FRAMES and time.monotonic() < end and not source.ended:
            frame = source.next(timeout=0.5)
            if frame is None:
                continue
            if frames and float(cv2.absdiff(frames[-1], frame.image).mean()) > _MOVED:
                frames.clear()
            frames.append(frame.image)
    if len(frames) < FRAMES:
        raise RunError(
            f"camera {section.name}: no {FRAMES} pictures without motion in {_WAIT_S:.0f} s"
        )
    mean = np.mean([frame.astype(np.float32) for frame in frames], axis=0)
    cameras: dict[str, CameraModel] = {}
    if section.calibration is not None:
        cameras = dict(load_cameras(section.calibration))
    size = None
    if section.name in cameras:
        geometry = TableGeometry.load(config.table.geometry)
        scale = cameras[section.name].px_per_mm(0.0, 0.0, geometry.flat_z)
        size = scale * geometry.tile_width
    return np.asarray(np.rint(mean), np.uint8), size


def _write(path: Path, picture: Image) -> None:
    try:
        done, code = cv2.imencode(path.suffix or ".png", picture)
    except cv2.error:
        done, code = False, np.empty(0, np.uint8)
    if not done:
        raise RunError(f"{path}: no picture format of that name")
    path.write_bytes(code.tobytes())


def _print(done: Enrolment, pictures: Sequence[Path], took: float) -> None:
    console = Console(highlight=False)
    rows, columns = done.shape
    console.print(f"{len(done.cells)} tiles in {rows} rows of {columns}, the set {done.set_name}")
    for finding in done.findings:
        console.print(str(finding), style="yellow" if finding in done.unsure else "red")
    if not done.findings:
        console.print("nothing is missing, doubled or different")
    console.print(f"look at {' and '.join(map(str, pictures))} ({took:.0f} s)")


def _asked(job: TilesJob) -> bool:
    """Whether somebody at the terminal says yes; nobody there, no."""
    if job.as_json or not sys.stdin.isatty():
        return False
    sys.stdout.write("are all names right? store it [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes", "j", "ja", "是")


def _json(done: Enrolment, job: TilesJob, *, stored: bool) -> dict[str, Any]:
    return {
        "set": done.set_name,
        "rows": done.shape[0],
        "columns": done.shape[1],
        "tiles": [
            {
                "row": c.place[0],
                "column": c.place[1],
                "tile": c.face,
                "quad": c.quad.round(1).tolist(),
            }
            for c in done.cells
        ],
        "findings": [
            {
                "fault": f.fault.value,
                "tile": f.face or None,
                "places": [list(place) for place in f.places],
                "strength": f.strength,
                "says": str(f),
            }
            for f in done.findings
        ],
        "picture": str(job.draw),
        "stored": str(job.out) if stored else None,
    }
