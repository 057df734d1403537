"""Small steps on the values of a riichi table."""

from __future__ import annotations

from table_controller.domain.tiles import Tile


def with_value(values: tuple, seat: int, value: object) -> tuple:  # type: ignore[type-arg]
    """The same by seat, with one seat's changed."""
    return (*values[:seat], value, *values[seat + 1 :])


def plain_tile(tile: Tile) -> Tile:
    """A red five as a five."""
    return tile.plain if tile.known else tile
