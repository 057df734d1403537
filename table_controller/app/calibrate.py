"""``paiguan calibrate``: from a printed sheet and a dozen pictures to a camera's calibration.

The technician prints the sheet, takes eight or more pictures of it held at different places and
slants, lays it flat in the middle of the table with its short side along side 0, and takes one
more. What cannot be trusted is refused with what to do about it.
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from table_controller.app.errors import RunError
from vision.calibration import camera_toml
from vision.calibration_board import Board, calibrate_lens, find_board, pose_from_board
from vision.errors import VisionInputError
from vision.picture import load_picture


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
    return 0
