"""``paiguan calibrate``: from a printed sheet and a dozen pictures to a camera's calibration.

The technician prints the sheet, takes eight or more pictures of it held at different places and
slants, lays it flat in the middle of the table with its short side along side 0, and takes one
more. What cannot be trusted is refused with what to do about it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from table_controller.app.assemble import picture_beside
from table_controller.app.errors import RunError
from vision.calibration import CameraModel, camera_toml
from vision.calibration_board import Board, calibrate_lens, find_board, pose_from_board
from vision.errors import VisionInputError
from vision.geometry import TableGeometry
from vision.picture import load_picture

_GRID: Final = 4
_GRID_MM: Final = 100.0


def write_sheet(path: Path) -> None:
    """Write the sheet to print at 100 %, as PDF."""
    path.write_bytes(Board().pdf())


def calibrate_camera(
    name: str,
    pictures: list[Path],
    on_table: Path,
    out: Path,
    *,
    at_mm: tuple[float, float] = (0.0, 0.0),
    turned_deg: float = 0.0,
) -> int:
    """Calibrate one camera and write its file.

    Args:
        name: of the camera, as in the configuration.
        pictures: of the sheet at different places and slants, eight or more.
        on_table: the picture of the sheet lying flat on the felt.
        out: the calibration file; a camera of that name in it is not replaced.
        at_mm: where the middle of the sheet lies, table frame.
        turned_deg: how the sheet is turned, counter-clockwise.

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
        except VisionInputError as problem:
            refused.append(str(problem))
    lens = calibrate_lens([view for _, view in views])
    for (path, view), error in zip(views, lens.errors_px, strict=True):
        table.add_row(path.name, str(len(view.corners)), "used", f"{error:.2f} px")
    flat = find_board(load_picture(on_table), board, on_table.name)
    posed = pose_from_board(name, lens, flat, board, at_mm=at_mm, turned_deg=turned_deg)
    text = out.read_text(encoding="utf-8") if out.is_file() else ""
    if f'name = "{name}"' in text:
        raise RunError(f"{out}: camera {name!r} is there already: remove it first")
    out.write_text(text + camera_toml(posed.camera), encoding="utf-8")
    # By what lies around the table a knock, a swap or a turn is noticed later.
    shutil.copyfile(on_table, kept := picture_beside(out, name))
    check = kept.with_name(f"{kept.stem}-check.jpg")
    cv2.imwrite(str(check), outlined(load_picture(on_table), posed.camera, board))
    console = Console(highlight=False)
    console.print(table)
    for line in refused:
        console.print(f"left out  {line}", style="yellow")
    x, y, z = posed.camera.position
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
