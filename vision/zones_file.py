"""The file of a table's zones: read, and checked for what no table can be.

One TOML file describes a table for side 0; side s is the same turned by 90°·s
counter-clockwise. A place is given in a *player's frame*: ``right`` along the player's own edge,
positive to the player's right, and ``offset`` from the centre of the table towards that edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    model_validator,
)

from vision.errors import VisionInputError, first_problem
from vision.tomlfile import read_toml


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, strict=False)


class WallLine(_Part):
    """``offset`` of the line's middle, ``pitch`` stack to stack, ``centre`` of the line."""

    offset: PositiveFloat
    pitch: PositiveFloat
    centre: float = 0.0


class PoolGrid(_Part):
    """Rows of discards; ``offset`` is that of the middle of row 0."""

    offset: PositiveFloat
    row_pitch: PositiveFloat
    columns: PositiveInt = 6
    column_pitch: PositiveFloat
    rows: PositiveInt = 4


class MeldRow(_Part):
    """Sets grow from ``right`` to the left, flowers from ``flowers_left`` to the right."""

    offset: PositiveFloat
    right: float
    flowers_left: float
    gap: NonNegativeFloat = 0.0


class HandRow(_Part):
    """Standing tiles, a row parallel to the rail."""

    offset: PositiveFloat
    start: float = Field(alias="from")
    end: float = Field(alias="to")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start >= self.end:
            raise ValueError("from must be left of to")
        return self


class DiceZone(_Part):
    """A square of ``2 * half`` mm around the centre."""

    half: PositiveFloat


class StickPlace(_Part):
    """The groove for a riichi stick, on the player's axis."""

    offset: PositiveFloat


class ZonesFile(_Part):
    """What the file says, in millimetres; the machine is set up from the same.

    Attributes:
        surface_mm: side of the square playing surface between the rails.
        tile_mm: width, height and thickness of a tile.
        stacks_per_side: stacks of a full wall.
        wall, pool, meld, hand, dice, stick: the zones, see their classes.
    """

    surface_mm: PositiveFloat
    tile_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat]
    stacks_per_side: PositiveInt
    wall: WallLine
    pool: PoolGrid
    meld: MeldRow
    hand: HandRow
    dice: DiceZone
    stick: StickPlace

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a zones file.

        Raises:
            VisionInputError: it cannot be read, is no TOML, or a key is wrong; names both.
        """
        path = Path(path)
        data = read_toml(path)
        return cls.from_mapping(data, path)

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any], source: Path | str = "geometry") -> Self:
        """The same from values already parsed; ``source`` is named in errors."""
        try:
            return cls.model_validate(dict(data))
        except ValidationError as error:
            raise VisionInputError(first_problem(source, error)) from None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        width, height, thickness = self.tile_mm
        if not width < height or not thickness < height:
            raise ValueError("tile_mm must be [width, height, thickness] with height the longest")
        half = self.surface_mm / 2
        for name, offset in (
            ("wall", self.wall.offset),
            ("pool", self.pool.offset + (self.pool.rows - 1) * self.pool.row_pitch),
            ("meld", self.meld.offset),
            ("hand", self.hand.offset),
            ("dice", self.dice.half),
            ("stick", self.stick.offset),
        ):
            if offset >= half:
                raise ValueError(f"{name} lies outside the surface ({offset:g} of {half:g} mm)")
        if self.wall.pitch < 0.9 * width:
            raise ValueError("wall.pitch is smaller than a tile is wide")
        return self

    # -- tiles --------------------------------------------------------------------------

    @property
    def tile_width(self) -> float:
        """Short side of a face, mm."""
        return self.tile_mm[0]

    @property
    def tile_height(self) -> float:
        """Long side of a face, mm."""
        return self.tile_mm[1]

    @property
    def tile_thickness(self) -> float:
        """How high a tile lying flat is, mm."""
        return self.tile_mm[2]

    @property
    def flat_z(self) -> float:
        """Height of the upper side of a tile lying on the felt, mm."""
        return self.tile_thickness

    @property
    def stacked_z(self) -> float:
        """Height of the upper side of the top layer of a wall, mm."""
        return 2 * self.tile_thickness

    @property
    def standing_z(self) -> float:
        """Height of the upper edge of a standing tile, mm."""
        return self.tile_height
