"""Draws, discards and counts under one name, for the games that share them."""

from table_controller.game.mcr.counting import (
    call,
    hand_counted,
    not_looked,
    read_hand_counted,
)
from table_controller.game.mcr.discards import (
    discard,
    place_discard,
    read_tile_discarded,
    read_tile_retracted,
    tile_discarded,
    tile_retracted,
)
from table_controller.game.mcr.draws import as_wanted, read_tile_drawn, tile_drawn
from table_controller.game.mcr.early_draws import (
    begin_early,
    read_tile_returned,
    resolve_early,
    tile_returned,
)
from table_controller.game.mcr.taking import settle_calls, take, wanted
from table_controller.game.mcr.unseen import silent

__all__ = [
    "as_wanted",
    "begin_early",
    "call",
    "discard",
    "hand_counted",
    "not_looked",
    "place_discard",
    "read_hand_counted",
    "read_tile_discarded",
    "read_tile_drawn",
    "read_tile_retracted",
    "read_tile_returned",
    "resolve_early",
    "settle_calls",
    "silent",
    "take",
    "tile_discarded",
    "tile_drawn",
    "tile_retracted",
    "tile_returned",
    "wanted",
]
