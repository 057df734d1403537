"""Where things belong on the table: the zones of the geometry file in table millimetres.

Positions are first given in a side's own frame, ``right`` (positive to the right of the player
who sits there) and ``offset`` (from the centre of the table towards that side), and then turned
into the table frame (contract, section 1).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from table_controller.domain.happenings import Place, Seat, Slot

SIDES: Final[tuple[Seat, ...]] = (0, 1, 2, 3)


class BadGeometryError(ValueError):
    """A geometry file that cannot be used; the message names the file and the field."""


def to_table(side: int, right: float, offset: float) -> tuple[float, float]:
    """A point of a side's own frame in the table frame, mm."""
    match side % 4:
        case 0:
            return right, -offset
        case 1:
            return offset, right
        case 2:
            return -right, offset
        case _:
            return -offset, -right


def to_side(side: int, x: float, y: float) -> tuple[float, float]:
    """A point of the table frame in a side's own frame: (right, offset), mm."""
    match side % 4:
        case 0:
            return x, -y
        case 1:
            return y, x
        case 2:
            return -x, y
        case _:
            return -y, -x


@dataclass(frozen=True, slots=True)
class Layout:
    """The zones of one table; see the geometry file for the meaning of each value (mm)."""

    surface: float
    tile_w: float
    tile_h: float
    tile_d: float
    stacks_per_side: int
    wall_offset: float
    wall_pitch: float
    wall_centre: float
    pool_offset: float
    pool_row_pitch: float
    pool_columns: int
    pool_column_pitch: float
    pool_rows: int
    meld_offset: float
    meld_right: float
    flowers_left: float
    meld_gap: float
    hand_offset: float
    hand_from: float
    hand_to: float
    dice_half: float
    stick_offset: float

    @classmethod
    def load(cls, path: str | Path) -> Layout:
        """The layout in a geometry TOML file.

        Raises:
            BadGeometryError: when the file is missing, no TOML, or lacks a value.
        """
        try:
            data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise BadGeometryError(f"{path}: {error}") from None
        return cls._of(data, str(path))

    @classmethod
    def named(cls, name: str) -> Layout:
        """The layout that comes with the virtual table: ``mcr`` or ``riichi``."""
        return cls.load(packaged_geometry(name))

    @classmethod
    def _of(cls, data: dict[str, Any], source: str) -> Layout:
        try:
            wall, pool, meld, hand = data["wall"], data["pool"], data["meld"], data["hand"]
            width, height, depth = data["tile_mm"]
            return cls(
                surface=float(data["surface_mm"]),
                tile_w=float(width),
                tile_h=float(height),
                tile_d=float(depth),
                stacks_per_side=int(data["stacks_per_side"]),
                wall_offset=float(wall["offset"]),
                wall_pitch=float(wall["pitch"]),
                wall_centre=float(wall["centre"]),
                pool_offset=float(pool["offset"]),
                pool_row_pitch=float(pool["row_pitch"]),
                pool_columns=int(pool["columns"]),
                pool_column_pitch=float(pool["column_pitch"]),
                pool_rows=int(pool["rows"]),
                meld_offset=float(meld["offset"]),
                meld_right=float(meld["right"]),
                flowers_left=float(meld["flowers_left"]),
                meld_gap=float(meld["gap"]),
                hand_offset=float(hand["offset"]),
                hand_from=float(hand["from"]),
                hand_to=float(hand["to"]),
                dice_half=float(data["dice"]["half"]),
                stick_offset=float(data["stick"]["offset"]),
            )
        except KeyError as error:
            raise BadGeometryError(f"{source}: {error.args[0]} is missing") from None
        except (TypeError, ValueError) as error:
            raise BadGeometryError(f"{source}: {error}") from None

    @property
    def half(self) -> float:
        """From the centre to the rail."""
        return self.surface / 2

    def wall_point(self, slot: Slot, stacks: int | None = None) -> tuple[float, float, float]:
        """Centre x, y and underside z of the tile in a wall slot; ``stacks`` on that side."""
        count = self.stacks_per_side if stacks is None else stacks
        right = self.wall_centre + ((count - 1) / 2 - (slot.stack - 1)) * self.wall_pitch
        x, y = to_table(slot.side, right, self.wall_offset)
        return x, y, self.tile_d if slot.layer == "top" else 0.0

    def pool_point(self, seat: int, place: Place) -> tuple[float, float]:
        """Centre of a place in a seat's pool."""
        right = (place.col - (self.pool_columns - 1) / 2) * self.pool_column_pitch
        return to_table(seat, right, self.pool_offset + place.row * self.pool_row_pitch)

    def pool_place(self, index: int) -> Place:
        """The place of the ``index``-th tile (from 0): rows of six, the last row goes on."""
        row = min(index // self.pool_columns, self.pool_rows - 1)
        return Place(row, index - row * self.pool_columns)

    def hand_right(self, index: float) -> float:
        """Where the ``index``-th standing tile is along the rail; row grows from the left."""
        return max(self.hand_from + self.tile_w, -6.5 * self.tile_w) + index * (self.tile_w + 0.3)

    @property
    def melds_in_corner(self) -> bool:
        """Whether sets lie in one row with the hand, from the player's right corner."""
        return self.meld_offset + self.tile_h / 2 > self.hand_offset

    def dice_right(self, index: int) -> float:
        """Where the dealer keeps the dice along the rail: beside the hand, not on the sets."""
        if self.melds_in_corner:
            return -(6.5 * self.tile_w) - 44 - 19 * index
        return self.hand_to + 34 + 19 * index

    def north_point(self, seat: int, index: int) -> tuple[float, float]:
        """Centre of the ``index``-th north set aside: a row of its own, inside the sets."""
        right = self.meld_right - 2.5 * self.tile_w - index * (self.tile_w + 0.8)
        return to_table(seat, right, self.meld_offset - 1.7 * self.tile_h)

    def stick_point(self, seat: int) -> tuple[float, float]:
        """Where the riichi stick of a seat lies."""
        return to_table(seat, 0.0, self.stick_offset)

    def flower_point(self, seat: int, index: int) -> tuple[float, float]:
        """Centre of the ``index``-th flower of a seat."""
        right = self.flowers_left + self.tile_w / 2 + index * (self.tile_w + 0.5)
        return to_table(seat, right, self.meld_offset)


def packaged_geometry(name: str) -> Path:
    """The path of a geometry file that comes with the virtual table."""
    return Path(str(resources.files("hardware.virtual_table") / "data" / f"geometry-{name}.toml"))
