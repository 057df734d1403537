"""Which tiles of a frame stand in the lines of the walls, and which out of them."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import NamedTuple

from table_controller.happenings.looks.places import Area, Places, turn_between
from table_controller.happenings.wall.stacks import Key
from vision.sightings import Posture, TileSighting

_ALONG_MM = 12.5
_ACROSS_MM = 12.5
_SKEW_DEG = 15.0
_BACK_LEAST = 0.68
"""Confidence from which a back that lies where none belongs is believed."""


class InLine(NamedTuple):
    """A tile of a wall, and how far it stands off the place of its stack, mm."""

    tile: TileSighting
    along: float
    across: float


class Lines(NamedTuple):
    """The tiles of a frame: in line in a wall, by stack; out of line; and all others."""

    regular: dict[Key, list[InLine]]
    crooked: list[TileSighting]
    others: list[TileSighting]


def lines_of(
    tiles: Iterable[TileSighting], places: Places, stacks: Container[Key], *, rising: bool
) -> Lines:
    """Divide the tiles of a frame.

    Args:
        tiles: all of them.
        places: the places of the table.
        stacks: those that a wall may have.
        rising: the machine moves the walls, which may come up crooked.
    """
    regular: dict[Key, list[InLine]] = {}
    crooked: list[TileSighting] = []
    others: list[TileSighting] = []
    for tile in tiles:
        spot = places.spot(tile.x, tile.y)
        down = tile.posture is not Posture.FACE_UP
        # Before the walls stand nobody has a hand or sets: a back there came up so far out.
        theirs = spot.area in (Area.HAND, Area.MELD) and not (rising and down)
        if tile.posture is Posture.STANDING or theirs:
            others.append(tile)
            continue
        if down and spot.area is not Area.WALL and tile.confidence < _BACK_LEAST:
            # Felt between printed lines looks like a back too, though less surely.
            continue
        if spot.area is not Area.WALL:
            # Backs are shown by walls and hidden kongs only: this one has left its wall.
            (crooked if down else others).append(tile)
            continue
        number, along, across = places.stack_of(spot)
        skew = turn_between(tile.angle, 90.0 * spot.seat, 180.0)
        key = (spot.seat, number)
        # A tile that fell on its back lies less exactly than the machine sets it.
        wide = 1.0 if down else 2.0
        if (
            skew > wide * _SKEW_DEG
            or abs(across) > wide * _ACROSS_MM
            or abs(along) > _ALONG_MM * wide
        ):
            if not down or tile.confidence >= _BACK_LEAST or rising:
                crooked.append(tile)
        elif key in stacks:
            regular.setdefault(key, []).append(InLine(tile, along, across))
        else:
            others.append(tile)
    return Lines(regular, crooked, others)
