"""``paiguan calibrate``: from a printed sheet and a dozen pictures to a camera's calibration.

The technician prints the sheet, takes eight or more pictures of it held at different places and
slants, lays it flat in the middle of the table with its short side along side 0, and takes one
more. The rails of the table are found in that one. What cannot be trusted is refused with what to
do about it, and a picture of raised walls checks the result.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from table_controller.app.errors import RunError
from table_controller.app.table.assemble import picture_beside
from vision.calibration.board import (
    Board,
    CalibrationRefusedError,
    calibrate_lens,
    find_board,
)
from vision.calibration.camera import CameraModel, camera_toml, load_cameras
from vision.calibration.fit import corners_of, fit_table
from vision.calibration.problem import FlatSheet
from vision.checks.raised_walls import LARGEST_WALL_MM, check_walls, lines_of_walls
from vision.errors import VisionInputError
from vision.geometry import TableGeometry
from vision.nets.finder import Finder
from vision.photo.picture import PictureError, load_picture

_GRID: Final = 4
_GRID_MM: Final = 100.0


def write_sheet(path: Path) -> None:
    """Write the sheet to print at 100 %, as PDF."""
    path.write_bytes(Board().pdf())


@dataclass(frozen=True, slots=True)
class OnTable:
    """What is known of the table in the pictures of the sheet lying on it.

    Attributes:
        pictures: of the sheet lying flat on the felt, from the place where the camera stays.
        at_mm: where its middle lay in each; of those beyond the last it is not known.
        turned_deg: how it was turned in the first, counter-clockwise.
        surface_mm: side of the playing surface between the rails.
        corners_px: the four corners of the surface in the first picture, clicked; or none.
    """

    pictures: tuple[Path, ...]
    at_mm: tuple[tuple[float, float], ...] = ((0.0, 0.0),)
    turned_deg: float = 0.0
    surface_mm: float = 820.0
    corners_px: tuple[tuple[float, float], ...] = ()


def calibrate_camera(name: str, pictures: list[Path], laid: OnTable, out: Path) -> int:
    """Calibrate one camera and write its file.

    Args:
        name: of the camera, as in the configuration.
        pictures: of the sheet at different places and slants, eight or more.
        laid: the sheet on the felt, and the table around it.
        out: the calibration file; a camera of that name in it is not replaced.

    Returns:
        The exit code.

    Raises:
        VisionInputError: a picture cannot be used for this, or the result cannot be trusted.
        RunError: the file holds this camera already.
    """
    board = Board()
    views, table = [], Table(box=None)
    for column in ("picture", "corners", "", "error"):
        table.add_column(column)
    refused = []
    for path in pictures:
        try:
            views.append((path, find_board(load_picture(path), board, path.name)))
        except (VisionInputError, PictureError) as problem:
            refused.append(str(problem))
    try:
        lens = calibrate_lens([view for _, view in views])
    except CalibrationRefusedError as problem:
        raise VisionInputError(f"{problem}{_left_out(refused)}") from None
    for (path, view), error in zip(views, lens.errors_px, strict=True):
        table.add_row(path.name, str(len(view.corners)), "used", f"{error:.2f} px")
    flat = [
        FlatSheet(
            find_board(load_picture(path), board, path.name),
            laid.at_mm[k] if k < len(laid.at_mm) else None,
            laid.turned_deg if k == 0 else 0.0,
        )
        for k, path in enumerate(laid.pictures)
    ]
    for path, sheet in zip(laid.pictures, flat, strict=True):
        if sheet.view.size != lens.size:
            raise VisionInputError(
                f"{path.name}: {_size(sheet.view.size)}, the pictures of the held sheet are "
                f"{_size(lens.size)}: take all of them with the camera set as it will run"
            )
    on_table = laid.pictures[0]
    posed = fit_table(
        name, lens, board, flat, load_picture(on_table), laid.surface_mm, laid.corners_px
    )
    text = out.read_text(encoding="utf-8") if out.is_file() else ""
    if f'name = "{name}"' in text:
        raise RunError(f"{out}: camera {name!r} is there already: remove it first")
    # By what lies around the table a knock, a swap or a turn is noticed later: no calibration
    # stands without it. The picture given may be the one that is kept.
    kept = picture_beside(out, name)
    with suppress(shutil.SameFileError):
        shutil.copyfile(on_table, kept)
    out.write_text(text + camera_toml(posed.camera), encoding="utf-8")
    check = kept.with_name(f"{kept.stem}-check.jpg")
    cv2.imwrite(str(check), outlined(load_picture(on_table), posed.camera, board))
    console = Console(highlight=False)
    console.print(table)
    for line in refused:
        console.print(f"left out  {line}", style="yellow")
    x, y, z = posed.camera.position
    for side, off in sorted(posed.rails_mm.items()):
        console.print(f"rail of side {side} within {off:.2f} mm of its place")
    for number, (right, up, angle) in enumerate(posed.sheets, start=1):
        console.print(f"sheet {number} lay at ({right:.1f}, {up:.1f}) mm, turned {angle:.1f}°")
    bounds = ", ".join(f"{value:.1f}" for value in posed.bounds_mm(corners_of(laid.surface_mm)))
    console.print(f"places at the corners of the table are known within {bounds} mm (95 %)")
    console.print(
        f"lens known within {lens.error_px:.2f} px, pose within {posed.error_px:.2f} px; "
        f"camera {name} hangs {z:.0f} mm above the felt at ({x:.0f}, {y:.0f}) mm, side "
        f"{posed.camera.bottom_side} at the bottom of its picture; written to {out}"
    )
    console.print(f"look at {check}: the grid must lie on the felt, side 0 where you mean it")
    if posed.camera.bottom_side == 2:
        console.print(
            f"camera {name} hangs upside down, or the sheet lay the wrong way round: its first "
            "row points away from side 0",
            style="yellow",
        )
    return 0


def _left_out(refused: list[str]) -> str:
    """Why pictures were left out, in a few words."""
    if not refused:
        return ""
    more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
    return f"; left out: {refused[0]}{more}"


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


def check_camera(name: str, calibration: Path, walls: Path, geometry: Path) -> int:
    """Compare raised walls with where the machine raises them, and say how far each is off.

    Args:
        name: of the camera.
        calibration: its file.
        walls: picture of four freshly raised walls, every stack two high.
        geometry: the table's geometry file.

    Returns:
        0 when every wall seen, two at least, is where it belongs, else 1.

    Raises:
        VisionInputError: a file cannot be used.
        RunError: the camera is not in the calibration, or its pictures have another size.
    """
    cameras, zones = load_cameras(calibration), TableGeometry.load(geometry)
    if name not in cameras:
        raise RunError(f"{calibration}: no camera {name!r} in it (there: {', '.join(cameras)})")
    camera, image = cameras[name], load_picture(walls)
    if (size := (image.shape[1], image.shape[0])) != camera.size:
        raise RunError(
            f"{walls}: {_size(size)}, camera {name} was calibrated at {_size(camera.size)}"
        )
    tile_px = camera.px_per_mm(0.0, 0.0, zones.stacked_z) * zones.tile_width
    found = Finder().find(image, tile_px)
    quads = np.array([tile.quad for tile in found.tiles]).reshape(-1, 4, 2)
    result = check_walls(lines_of_walls(camera, zones, quads), zones)
    table = Table(box=None)
    for column in ("wall", "tiles", "outwards", "ends", "along", ""):
        table.add_column(column)
    for wall in result.walls:
        word = "ok" if wall.good else "off" if wall.seen else "not seen"
        numbers = (f"{value:+.1f} mm" for value in (wall.outward, wall.ends, wall.along))
        table.add_row(f"side {wall.side}", str(wall.tiles), *numbers, word)
    console = Console(highlight=False)
    console.print(table)
    if result.offset is not None:
        dx, dy, turn = result.offset
        console.print(f"all walls together: ({dx:+.1f}, {dy:+.1f}) mm, {turn:+.2f}°")
    if result.good:
        console.print(f"walls are where the machine raises them, within {LARGEST_WALL_MM:g} mm")
        return 0
    console.print(
        f"walls are not where the machine raises them (limit {LARGEST_WALL_MM:g} mm), or fewer "
        "than two were seen: raise fresh walls, clear the table, else calibrate again",
        style="yellow",
    )
    return 1


def outlined(image: NDArray[np.uint8], camera: CameraModel, board: Board) -> NDArray[np.uint8]:
    """The picture with a grid on the felt, the sheet and the sides drawn by the calibration.

    Args:
        image: (H, W, 3) of the sheet on the table.
        camera: as it was found.
        board: the sheet.
    """
    out = image.copy()

    def line(a: tuple[float, float], b: tuple[float, float], colour: tuple[int, int, int]) -> None:
        # Straight on the felt, curved in the picture.
        way = [(*(np.array(a) + (np.array(b) - a) * k / 20), 0.0) for k in range(21)]
        points = np.round(camera.project(way) * 16).astype(np.int32)
        cv2.polylines(out, [points], False, colour, 2, cv2.LINE_AA, 4)

    for step in range(-_GRID, _GRID + 1):
        at, end = step * _GRID_MM, _GRID * _GRID_MM
        line((at, -end), (at, end), (200, 200, 60))
        line((-end, at), (end, at), (200, 200, 60))
    w, h = (value / 2 for value in board.size_mm)
    for a, b in zip(_corners(w, h), _corners(w, h)[1:], strict=False):
        line(a, b, (60, 60, 240))
    for side in range(4):
        x, y = TableGeometry.to_table(side, 0.0, _GRID * _GRID_MM - 40.0)
        u, v = camera.project([[x, y, 0.0]])[0]
        place = (int(u) - 40, int(v) + 10)
        cv2.putText(
            out, f"side {side}", place, cv2.FONT_HERSHEY_SIMPLEX, 0.9, (60, 60, 240), 2, cv2.LINE_AA
        )
    return out


def _corners(w: float, h: float) -> list[tuple[float, float]]:
    return [(-w, -h), (w, -h), (w, h), (-w, h), (-w, -h)]
