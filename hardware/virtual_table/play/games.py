"""The games that the players know: what each ruleset needs to be played at the virtual table.

Only what hands and eyes need: the set, the walls, the dead wall, who sits where, when a hand ends
early. What an infraction costs is not the players' business.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from hardware.virtual_table.play.layout import SIDES
from table_controller.domain.happenings import Seat

Family = Literal["mcr", "riichi"]
Abort = Literal["nine_terminals", "four_winds", "four_kongs", "four_riichi", "three_rons"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One ruleset as its players know it.

    Attributes:
        name: of the ruleset.
        family: whose procedure it is.
        geometry: the table it is played on (``data/geometry-*.toml``).
        players: four or three.
        tiles: how many tiles the set has.
        reds: whether one five of each suit is red.
        stacks: stacks of each wall.
        dead_wall: tiles of the dead wall; ``replacements`` of them at its end.
        start_points: points of each player at the start.
        riichi_tiles: tiles that have to be left for riichi.
        riichi_needs_points: riichi only with the points for the stick.
        noten_total: what changes hands when the wall runs out.
        nagashi: whether a pool of terminals and honours is paid.
        aborts: abortive draws in force.
        dice_stay: the dice may lie in the middle for one go-around (Chinese rules).
        claims_barred: who may not win any more may not claim either.
        last_tile_discards: who takes the last tile discards, though it was a flower or made a
            kong and nothing is left to replace it.
        scoring: whose scoring it has.
    """

    name: str
    family: Family = "mcr"
    geometry: str = "mcr"
    players: int = 4
    tiles: int = 144
    reds: bool = False
    stacks: int = 18
    dead_wall: int = 0
    replacements: int = 0
    start_points: int = 0
    riichi_tiles: int = 4
    riichi_needs_points: bool = True
    noten_total: int = 3000
    nagashi: bool = True
    aborts: tuple[Abort, ...] = ()
    dice_stay: bool = False
    claims_barred: bool = False
    last_tile_discards: bool = False
    scoring: str = ""

    def order(self, east: Seat) -> tuple[Seat, ...]:
        """The seats that play, counter-clockwise from the first dealer's."""
        return tuple(SIDES[(east + turn) % 4] for turn in range(self.players))


_XJTU: Final = Game(
    name="riichi-xjtu-2025",
    family="riichi",
    geometry="riichi",
    tiles=136,
    reds=True,
    stacks=17,
    dead_wall=14,
    replacements=4,
    start_points=25000,
    aborts=("nine_terminals", "four_winds", "four_kongs", "four_riichi", "three_rons"),
    claims_barred=True,
    scoring="riichi-xjtu-2025",
)
_SANMA: Final = replace(
    _XJTU,
    name="riichi-xjtu-2025-sanma",
    geometry="sanma",
    players=3,
    tiles=108,
    stacks=18,
    dead_wall=18,
    replacements=8,
    start_points=35000,
    noten_total=2000,
    aborts=("nine_terminals", "four_kongs"),
    scoring="riichi-xjtu-2025-sanma",
)

GAMES: Final[dict[str, Game]] = {
    game.name: game
    for game in (
        Game(name="mcr-1998"),
        Game(name="mcr-2006-du"),
        Game(
            name="mcr-2002-tianjin",
            dice_stay=True,
            claims_barred=True,
            # 003 Q34.
            last_tile_discards=True,
        ),
        _XJTU,
        replace(
            _XJTU,
            name="riichi-xjtu-2025-qixing",
            riichi_needs_points=False,
            scoring="riichi-xjtu-2025-qixing",
        ),
        _SANMA,
        replace(
            _XJTU,
            name="riichi-xjtu-2025-relay",
            start_points=100000,
            scoring="riichi-xjtu-2025-relay",
        ),
        replace(
            _XJTU,
            name="ema-riichi-2025",
            reds=False,
            start_points=30000,
            riichi_needs_points=False,
            nagashi=False,
            aborts=(),
            scoring="ema-riichi-2025",
        ),
    )
}
"""Rulesets that the players know how to play, by name."""
