"""Where a calibration is written: never beside what cannot be read, never half.

The file is looked at before any work is done. What is written is written beside it, read again,
and only then put in its place: a file that was good stays good whatever happens.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import cv2

from table_controller.app.errors import RunError
from table_controller.app.table.assemble import picture_beside
from vision.calibration.camera import CameraModel, camera_toml, load_cameras
from vision.errors import VisionInputError
from vision.image import Image


def place_for(name: str, out: Path) -> None:
    """Make sure that a camera of this name can be added to a file.

    Raises:
        RunError: not with this name, not there, or the camera is there already.
        VisionInputError: the file holds something else than cameras.
    """
    # The name becomes part of a file's name beside the calibration.
    if not name or name != name.strip() or not name.isprintable() or set(name) & set('/\\"'):
        raise RunError(f"{name!r}: no name for a camera: letters, digits, - and _ make one")
    if out.is_dir():
        raise RunError(f"{out}: is a folder, not a calibration file")
    if not out.parent.is_dir():
        raise RunError(f"{out}: no folder {out.parent} to write it in")
    if name in _there(out):
        raise RunError(f"{out}: camera {name!r} is there already: remove it first")


def check_picture(out: Path, name: str) -> Path:
    """The picture in which the technician looks at what a calibration says."""
    kept = picture_beside(out, name)
    return kept.with_name(f"{kept.stem}-check.jpg")


def add_camera(out: Path, camera: CameraModel, on_table: Path | bytes, check: Image) -> None:
    """Add a camera to a calibration file, with the picture it rests on and the one to look at.

    Args:
        out: the file; made where there is none.
        camera: not yet in it.
        on_table: the picture of the sheet on the table, a file or a JPEG. By what lies around the
            table in it a knock, a swap or a turn is noticed later: no calibration stands without.
        check: (H, W, 3) what to look at.

    Raises:
        RunError: see :func:`place_for`.
        VisionInputError: what would be written could not be read again.
        OSError: it cannot be written; nothing was changed.
    """
    place_for(camera.name, out)
    text = out.read_text(encoding="utf-8") if out.is_file() else ""
    if text and not text.endswith("\n"):
        text += "\n"
    kept = picture_beside(out, camera.name)
    picture = on_table if isinstance(on_table, bytes) else on_table.read_bytes()
    parts: list[tuple[Path, Path]] = []

    def beside(path: Path, write: Callable[[Path], object]) -> None:
        part = path.with_name(f".{path.name}.part")
        parts.append((part, path))
        try:
            write(part)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None

    try:
        beside(check_picture(out, camera.name), lambda part: part.write_bytes(jpeg(check)))
        beside(kept, lambda part: part.write_bytes(picture))
        beside(out, lambda part: part.write_text(text + camera_toml(camera), encoding="utf-8"))
        if camera.name not in load_cameras(parts[-1][0]):
            raise VisionInputError(f"{out}: camera {camera.name!r} cannot be added to it")
        for part, path in parts:
            try:
                part.replace(path)
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        for part, _ in parts:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def jpeg(image: Image) -> bytes:
    """A picture (H, W, 3) as JPEG, hardly changed."""
    done, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])
    if not done:
        raise OSError("a picture that cannot be written as JPEG")
    return bytes(code.tobytes())


def _there(out: Path) -> dict[str, CameraModel]:
    """The cameras in a file; none where it is not there or empty."""
    try:
        if not out.read_bytes().strip():
            return {}
    except FileNotFoundError:
        return {}
    return load_cameras(out)
