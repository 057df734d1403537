"""Who takes which kind of happening in Chinese official rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from table_controller.game.mcr import (
    claiming,
    counting,
    discards,
    draws,
    early_draws,
    exposure,
    flowers,
    kongs,
    meld_readings,
    melding,
    setting,
    win_readings,
    winning,
)

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading


def _always(_g: ChineseTable, _h: Any) -> bool:
    return True


ACCEPT: Final[dict[str, Callable[[ChineseTable, Any], bool]]] = {
    "table_set": setting.table_set,
    "wall_raised": setting.wall_raised,
    "dice_rolled": setting.dice_rolled,
    "dice_removed": setting.dice_removed,
    "machine": setting.machine,
    "clock": setting.clock,
    "tile_drawn": draws.tile_drawn,
    "tile_returned": early_draws.tile_returned,
    "tile_discarded": discards.tile_discarded,
    "tile_retracted": discards.tile_retracted,
    "hand_counted": counting.hand_counted,
    "call": counting.call,
    "not_looked": counting.not_looked,
    "tile_claimed": claiming.tile_claimed,
    "meld_shown": melding.meld_shown,
    "meld_extended": kongs.meld_extended,
    "flower_shown": flowers.flower_shown,
    "hand_shown": winning.hand_shown,
    "hand_hidden": winning.hand_hidden,
    "hand_closed": winning.hand_closed,
    "tile_exposed": exposure.tile_exposed,
    "tile_covered": exposure.tile_covered,
    "wall_disturbed": exposure.wall_disturbed,
    "pool_disturbed": exposure.pool_disturbed,
    "north_shown": _always,
    "indicator_turned": _always,
    "stick_placed": _always,
}
"""Takes a happening of the kind where it is legal, and says whether it was."""

READ: Final[dict[str, Callable[[ChineseTable, Any], list[Reading]]]] = {
    "wall_raised": setting.read_wall_raised,
    "dice_rolled": setting.read_dice_rolled,
    "tile_drawn": draws.read_tile_drawn,
    "tile_returned": early_draws.read_tile_returned,
    "tile_discarded": discards.read_tile_discarded,
    "tile_retracted": discards.read_tile_retracted,
    "hand_counted": counting.read_hand_counted,
    "tile_claimed": claiming.read_tile_claimed,
    "meld_shown": meld_readings.read_meld_shown,
    "meld_extended": kongs.read_meld_extended,
    "flower_shown": flowers.read_flower_shown,
    "hand_shown": win_readings.read_hand_shown,
    "hand_closed": win_readings.read_hand_closed,
}
"""What a happening of the kind can mean where it is not, each with its cost."""
