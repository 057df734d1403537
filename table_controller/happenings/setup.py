"""What the follower is told about a table, and how long it waits before it believes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from table_controller.domain.tiles import Tile
from vision.sightings import Polygon


@dataclass(frozen=True, slots=True)
class Patience:
    """Times in seconds and distances in millimetres that decide when a change is believed.

    Attributes:
        confirm_s: how long a tile must lie still before it is believed to lie there.
        confirm_looks: and in how many looks at least.
        turn_s: how long it must be seen turned over before it is believed to be.
        gone_s: how long its place must be seen empty before it is believed to have left.
        gone_looks: and in how many looks at least.
        unprompted_s: the same where no arm was near and nothing was covered: tiles do not
            move by themselves, so such a change needs far more evidence.
        face_wait_s: how long a face that is not decided yet may hold up what happened.
        face_coming_s: and how much longer one that the last look reads.
        still_mm: a tile that stays within this distance has not moved.
        gate_mm: a tile within this distance of a place is the tile of that place.
        near_mm: fingertips within this distance of a tile can be handling it.
        hold_s: happenings are released in the order of their times this long after them.
        hold_most_s: the longest that an undecided earlier change holds up later ones.
        gap_s: this long without a look, or behind an arm, is told as not looked at.
        gap_looks: so is a time in which no camera was looked through so often in ``gap_s``: what
            lies somewhere for a second is not seen for certain then, nor who brought it.
    """

    confirm_s: float = 0.2
    confirm_looks: int = 3
    turn_s: float = 0.3
    gone_s: float = 0.2
    gone_looks: int = 3
    unprompted_s: float = 1.5
    face_wait_s: float = 0.8
    face_coming_s: float = 0.5
    still_mm: float = 5.0
    gate_mm: float = 12.5
    near_mm: float = 75.0
    hold_s: float = 0.3
    hold_most_s: float = 0.6
    gap_s: float = 1.2
    gap_looks: int = 5

    def face_s(self, *, coming: bool) -> float:
        """How long a face that is not decided yet is waited for.

        ``coming``: the last look read it.
        """
        return self.face_wait_s + (self.face_coming_s if coming else 0.0)


@dataclass(frozen=True, slots=True)
class Setup:
    """What is known about the table before anything is seen.

    Attributes:
        players: three or four.
        tiles: how many tiles the set has.
        machine: a machine reports its state; without one the walls speak for themselves.
        wall_sensors: the machine reports which stacks are present.
        sticks: riichi sticks are placed.
        indicators: tiles of the wall are turned up as indicators.
        replacements: so many tiles at the end of the dead wall are replacement tiles.
        views: what each camera can see of the table (mm); a camera not named sees all of it.
        patience: see :class:`Patience`.
    """

    players: int = 4
    tiles: int = 144
    machine: bool = True
    wall_sensors: bool = True
    sticks: bool = False
    indicators: bool = False
    replacements: int = 4
    views: Mapping[str, Polygon] = field(default_factory=dict)
    patience: Patience = Patience()

    @property
    def flowers(self) -> bool:
        """Whether the set has flowers."""
        return self.tiles > 136

    def lacks(self, tile: Tile) -> bool:
        """Whether the set has no such tile: flowers, or the middle characters of three players."""
        if tile.is_flower:
            return not self.flowers
        return self.players == 3 and tile.is_middle_character

    @property
    def norths(self) -> bool:
        """Whether norths are set aside: riichi for three."""
        return self.indicators and self.players == 3
