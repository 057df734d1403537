"""``paiguan calibrate``: from a printed sheet and a dozen pictures to a camera's calibration.

The technician prints the sheet, takes eight or more pictures of it held at different places and
slants, lays it flat in the middle of the table with its short side along side 0, and takes one
more. The rails of the table are found in that one. What cannot be trusted is refused with what to
do about it, and a picture of raised walls checks the result.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

from table_controller.app.technician.keeping import add_camera, check_picture, place_for
from table_controller.app.technician.raised import RaisedWalls, size_of, told_of
from vision.calibration.board import (
    Board,
    BoardView,
    CalibrationRefusedError,
    Lens,
    calibrate_lens,
    find_board,
)
from vision.calibration.camera import CameraModel
from vision.calibration.fit import corners_of, fit_table
from vision.calibration.problem import Fitted, FlatSheet
from vision.errors import VisionInputError
from vision.geometry import TableGeometry
from vision.image import Image
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


def calibrate_camera(
    name: str, pictures: list[Path], laid: OnTable, out: Path, walls: RaisedWalls | None = None
) -> int:
    """Calibrate one camera and write its file.

    Args:
        name: of the camera, as in the configuration.
        pictures: of the sheet at different places and slants, eight or more.
        laid: the sheet on the felt, and the table around it.
        out: the calibration file; a camera of that name in it is not replaced.
        walls: to check the result by before it is written.

    Returns:
        0 written; 1 the walls are not where the machine raises them, or were not seen, and nothing
        was written.

    Raises:
        VisionInputError: a picture cannot be used for this, or the result cannot be trusted.
        RunError: the file holds this camera already, or cannot take it.
    """
    place_for(name, out)
    board = Board()
    views: list[BoardView] = []
    refused = []
    for path in pictures:
        try:
            views.append(find_board(load_picture(path), board, path.name))
        except (VisionInputError, PictureError) as problem:
            refused.append(str(problem))
    views, odd = of_one_size(views)
    refused += odd
    try:
        lens = calibrate_lens(views)
    except CalibrationRefusedError as problem:
        raise VisionInputError(f"{problem}{_left_out(refused)}") from None
    flat = [
        FlatSheet(
            find_board(load_picture(path), board, path.name),
            laid.at_mm[k] if k < len(laid.at_mm) else None,
            laid.turned_deg if k == 0 else 0.0,
        )
        for k, path in enumerate(laid.pictures)
    ]
    for sheet in flat:
        same_size(sheet.view, lens)
    on_table = load_picture(laid.pictures[0])
    posed = fit_table(name, lens, board, flat, on_table, laid.surface_mm, laid.corners_px)
    console = Console(highlight=False)
    table = Table(box=None)
    for column in ("picture", "corners", "", "error"):
        table.add_column(column)
    for view, error in zip(views, lens.errors_px, strict=True):
        table.add_row(view.name, str(len(view.corners)), "used", f"{error:.2f} px")
    console.print(table)
    for line in refused:
        console.print(f"left out  {line}", style="yellow")
    for line in how_it_hangs(posed, lens, laid.surface_mm):
        console.print(line)
    if warning := upside_down(posed.camera):
        console.print(warning, style="yellow")
    if walls is not None and not told_of(walls.seen_by(posed.camera), console):
        console.print(f"nothing was written to {out}", style="yellow")
        return 1
    add_camera(out, posed.camera, laid.pictures[0], outlined(on_table, posed.camera, board))
    console.print(f"camera {name} written to {out}")
    look = check_picture(out, name)
    console.print(f"look at {look}: the grid must lie on the felt, side 0 where you mean it")
    return 0


def of_one_size(views: list[BoardView]) -> tuple[list[BoardView], list[str]]:
    """The views of the size that most have, and what is said of the others."""
    if not views:
        return [], []
    size = Counter(view.size for view in views).most_common(1)[0][0]
    odd = [
        f"{view.name}: {size_of(view.size)}, most are {size_of(size)}"
        for view in views
        if view.size != size
    ]
    return [view for view in views if view.size == size], odd


def same_size(view: BoardView, lens: Lens) -> None:
    """Refuse a view of another size than the lens was found at.

    Raises:
        VisionInputError: it is of another.
    """
    if view.size != lens.size:
        raise VisionInputError(
            f"{view.name}: {size_of(view.size)}, the pictures of the held sheet are "
            f"{size_of(lens.size)}: take all of them with the camera set as it will run"
        )


def how_it_hangs(posed: Fitted, lens: Lens, surface_mm: float) -> list[str]:
    """What was found, and how well it is known, in lines for people."""
    lines = [
        f"rail of side {side} within {off:.2f} mm of its place"
        for side, off in sorted(posed.rails_mm.items())
    ]
    for number, (right, up, angle) in enumerate(posed.sheets, start=1):
        lines.append(f"sheet {number} lay at ({right:.1f}, {up:.1f}) mm, turned {angle:.1f}°")
    bounds = ", ".join(f"{value:.1f}" for value in posed.bounds_mm(corners_of(surface_mm)))
    x, y, z = posed.camera.position
    lines.append(f"places at the corners of the table are known within {bounds} mm (95 %)")
    lines.append(
        f"lens known within {lens.error_px:.2f} px, pose within {posed.error_px:.2f} px; "
        f"camera {posed.camera.name} hangs {z:.0f} mm above the felt at ({x:.0f}, {y:.0f}) mm, "
        f"side {posed.camera.bottom_side} at the bottom of its picture"
    )
    return lines


def upside_down(camera: CameraModel) -> str:
    """What is said where side 2 lies at the bottom of the picture; else nothing."""
    if camera.bottom_side != 2:
        return ""
    return (
        f"camera {camera.name} hangs upside down, or the sheet lay the wrong way round: its first "
        "row points away from side 0"
    )


def _left_out(refused: list[str]) -> str:
    """Why pictures were left out, in a few words."""
    if not refused:
        return ""
    more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
    return f"; left out: {refused[0]}{more}"


def outlined(image: Image, camera: CameraModel, board: Board) -> Image:
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
