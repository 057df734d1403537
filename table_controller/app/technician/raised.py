"""Raised walls check a calibration: the machine raises them where they belong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from table_controller.app.errors import RunError
from vision.calibration.camera import CameraModel, load_cameras
from vision.checks.raised_walls import (
    LARGEST_WALL_MM,
    LEAST_WALLS,
    WallCheck,
    WallsCheck,
    check_walls,
    lines_of_walls,
)
from vision.geometry import TableGeometry
from vision.image import Image
from vision.nets.finder import Finder
from vision.photo.picture import load_picture


@dataclass(frozen=True, slots=True)
class RaisedWalls:
    """Freshly raised walls, and where the machine raises them.

    Attributes:
        image: (H, W, 3) of four walls, every stack two high.
        zones: the table's geometry.
        name: of the picture, for people.
    """

    image: Image
    zones: TableGeometry
    name: str

    @classmethod
    def load(cls, picture: Path, geometry: Path) -> RaisedWalls:
        """Read both files.

        Raises:
            VisionInputError: the geometry cannot be used.
            PictureError: the picture cannot.
        """
        return cls(load_picture(picture), TableGeometry.load(geometry), str(picture))

    def seen_by(self, camera: CameraModel) -> WallsCheck:
        """Compare the walls with their places.

        Raises:
            RunError: the picture has another size than the camera's.
        """
        size = (self.image.shape[1], self.image.shape[0])
        if size != camera.size:
            raise RunError(
                f"{self.name}: {size_of(size)}, camera {camera.name} was calibrated at "
                f"{size_of(camera.size)}"
            )
        tile_px = camera.px_per_mm(0.0, 0.0, self.zones.stacked_z) * self.zones.tile_width
        found = Finder().find(self.image, tile_px)
        quads = np.array([tile.quad for tile in found.tiles]).reshape(-1, 4, 2)
        return check_walls(lines_of_walls(camera, self.zones, quads), self.zones)


def check_camera(name: str, calibration: Path, walls: RaisedWalls) -> int:
    """Compare raised walls with where the machine raises them, and say how far each is off.

    Args:
        name: of the camera.
        calibration: its file.
        walls: a picture of them, and their places.

    Returns:
        0 when every wall seen, two at least, is where it belongs, else 1.

    Raises:
        VisionInputError: the file cannot be used.
        RunError: the camera is not in the calibration, or its pictures have another size.
    """
    cameras = load_cameras(calibration)
    if name not in cameras:
        raise RunError(f"{calibration}: no camera {name!r} in it (there: {', '.join(cameras)})")
    return 0 if told_of(walls.seen_by(cameras[name]), Console(highlight=False)) else 1


def told_of(result: WallsCheck, console: Console) -> bool:
    """Print how far each wall is off; whether all is well."""
    table = Table(box=None)
    for column in ("wall", "tiles", "outwards", "ends", "along", ""):
        table.add_column(column)
    for wall in result.walls:
        table.add_row(*wall_cells(wall))
    console.print(table)
    for line in said_of_walls(result):
        console.print(line, style=None if result.good else "yellow")
    return result.good


def wall_cells(wall: WallCheck) -> tuple[str, ...]:
    """One wall's line: side, tiles, how far off across, at its ends, along; the verdict."""
    measured = (wall.outward, wall.ends, wall.along)
    numbers = [f"{value:+.1f} mm" if wall.seen else "–" for value in measured]
    word = "ok" if wall.good else "off" if wall.seen else "not seen"
    return f"side {wall.side}", str(wall.tiles), *numbers, word


def said_of_walls(result: WallsCheck) -> list[str]:
    """The verdict over all walls, and what to do."""
    seen = [wall for wall in result.walls if wall.seen]
    off = [wall for wall in seen if not wall.good]
    lines = []
    if seen and result.offset is not None:
        dx, dy, turn = result.offset
        lines.append(f"all walls together: ({dx:+.1f}, {dy:+.1f}) mm, {turn:+.2f}°")
    if off:
        sides = ", ".join(str(wall.side) for wall in off)
        lines.append(
            f"walls of side {sides} are not where the machine raises them (limit "
            f"{LARGEST_WALL_MM:g} mm): raise fresh walls and try again, else calibrate again"
        )
    elif len(seen) < LEAST_WALLS:
        count = {0: "no wall was", 1: "one wall only was"}[len(seen)]
        lines.append(
            f"{count} seen, {LEAST_WALLS} are needed: raise fresh walls, every stack two high, and "
            "clear the table"
        )
    else:
        lines.append(f"walls are where the machine raises them, within {LARGEST_WALL_MM:g} mm")
    return lines


def size_of(size: tuple[int, int]) -> str:
    """A picture's size for people."""
    return f"{size[0]}x{size[1]}"
