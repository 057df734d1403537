"""Who takes which kind of happening in riichi; the rest is as in the Chinese game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from table_controller.domain.happenings import IndicatorTurned
from table_controller.domain.tiles import Tile
from table_controller.game.mcr import claiming, playing, setting
from table_controller.game.mcr import handlers as chinese
from table_controller.game.riichi import declaring, ending, indicators, passing, sets, winning

if TYPE_CHECKING:
    from table_controller.game.riichi.table import Reading, RiichiTable

_SAME_THROW_S = 1.5
"""The same values again within this time are one throw reported twice."""


def without_reds(h: Any) -> Any:
    """The happening with red fives as fives, for what does not look at colour."""
    tile = getattr(h, "tile", None)
    if isinstance(tile, Tile) and tile.known and tile.is_red:
        h = replace(h, tile=tile.plain)
    tiles = getattr(h, "tiles", None)
    if tiles and any(each.known and each.is_red for each in tiles):
        h = replace(h, tiles=tuple(each.plain if each.known else each for each in tiles))
    return h


def _read_claimed(g: RiichiTable, h: Any) -> list[Reading]:
    return claiming.read_tile_claimed(g, without_reds(h))


def _dice_rolled(g: RiichiTable, h: Any) -> bool:
    """The throw; a second one before the break of the first hand: the first chose the dealer."""
    if g.phase == "over":
        g.next_hand()
    if g.phase == "check":
        ending.close(g)
        g.next_hand()
    if _chose_the_dealer(g, h):
        total = g.rolls[0].total
        assert total is not None
        g.dealer = g.turn = g.first_dealer = g.counted_seat(total)
        g.rolls = ()
    return setting.dice_rolled(g, h)


def _chose_the_dealer(g: RiichiTable, h: Any) -> bool:
    """Whether the throw before this one chose the first dealer (3.2): this one is the break's."""
    first = g.hand == 1 and g.honba == 0 and g.hands_done == 0 and g.phase == "wall"
    if not first or len(g.rolls) != 1 or not h.valid or g.rolls[0].total is None:
        return False
    if h.t - g.dice_t < _SAME_THROW_S or g.dealer != g.first_dealer or g.dealer_chosen:
        return False
    chosen = g.counted_seat(g.rolls[0].total)
    g.dealer_chosen = h.seat in (None, chosen)
    return g.dealer_chosen


def _call(g: RiichiTable, h: Any) -> bool:
    if h.call == "riichi":
        return declaring.called(g, h)
    if h.call == "nine_terminals" and g.phase == "play":
        g.nine_called = (*g.nine_called, h.seat)
        return True
    return playing.call(g, h)


def _tile_drawn(g: RiichiTable, h: Any) -> bool:
    if g.phase == "play" and g.abort_due is not None and h.stage == "taken":
        return False
    return playing.tile_drawn(g, h)


def _tile_claimed(g: RiichiTable, h: Any) -> bool:
    return claiming.tile_claimed(g, without_reds(h))


def _indicator(g: RiichiTable, h: IndicatorTurned) -> bool:
    return indicators.turned(g, h)


ACCEPT: Final[dict[str, Callable[[Any, Any], bool]]] = {
    **chinese.ACCEPT,
    "table_set": ending.table_set,
    "dice_rolled": _dice_rolled,
    "call": _call,
    "machine": setting.machine,
    "tile_drawn": _tile_drawn,
    "tile_discarded": declaring.tile_discarded,
    "tile_claimed": _tile_claimed,
    "meld_shown": sets.meld_shown,
    "meld_extended": sets.meld_extended,
    "stick_placed": declaring.stick_placed,
    "north_shown": sets.north_shown,
    "indicator_turned": _indicator,
    "tile_exposed": indicators.tile_exposed,
    "hand_shown": winning.hand_shown,
    "hand_hidden": winning.hand_hidden,
    "hand_closed": ending.hand_closed,
    "clock": ending.clock,
    "wall_raised": ending.wall_raised,
}

READ: Final[dict[str, Callable[[Any, Any], list[Reading]]]] = {
    **chinese.READ,
    "tile_discarded": declaring.read_tile_discarded,
    "tile_retracted": declaring.read_tile_retracted,
    "tile_drawn": indicators.read_tile_drawn,
    "tile_returned": passing.read_tile_returned,
    "tile_claimed": _read_claimed,
    "meld_shown": sets.read_meld_shown,
    "meld_extended": sets.read_meld_extended,
    "stick_placed": declaring.read_stick_placed,
    "indicator_turned": indicators.read_turned,
    "hand_shown": winning.read_hand_shown,
    "wall_raised": ending.read_wall_raised,
}
