"""Tiles that show their faces, walls and pools that are pushed."""

from __future__ import annotations

from table_controller.domain.happenings import (
    PoolDisturbed,
    Slot,
    TileExposed,
    WallDisturbed,
)
from table_controller.domain.tiles import Tile
from tests.table_controller.game.scenes import Scene
from tests.table_controller.game.told.cases import Infractions

TOLD = Infractions()


@TOLD.case("own-tile-exposed", 2)
def a_tile_falls_over() -> Scene:
    scene = Scene().start().play().rounds(2)
    scene.say(TileExposed, where="hand", seat=2, tile=Tile("7s"), by=None)
    return scene.rounds(3)


@TOLD.case("other-tile-exposed", 1, "3-4", rules="mcr-2002-tianjin")
def three_tiles_of_another_knocked_over() -> Scene:
    scene = Scene().start().play().rounds(2)
    for face in ("7s", "8s", "1p"):
        scene.say(TileExposed, 0.1, where="hand", seat=2, tile=Tile(face), by=1)
    return scene.rounds(3)


@TOLD.case("other-tile-exposed", 1, "several", rules="mcr-2002-tianjin")
def tiles_of_two_players_knocked_over() -> Scene:
    scene = Scene().start().play().rounds(2)
    for seat in (2, 3):
        scene.say(TileExposed, 0.1, where="hand", seat=seat, tile=Tile("7s"), by=1)
    return scene.rounds(3)


@TOLD.case("wall-tile-exposed", 3)
def a_wall_tile_turned_over() -> Scene:
    scene = Scene().start().play().rounds(2)
    slot = Slot(1, 4, "top")
    scene.say(TileExposed, where="wall", seat=1, tile=Tile("7s"), by=3, slot=slot)
    return scene.rounds(3)


@TOLD.case("wall-break", 3, "recoverable")
def stacks_pushed_over_and_faces_seen() -> Scene:
    scene = Scene().start().play().rounds(2)
    slot = Slot(1, 4, "top")
    scene.say(WallDisturbed, side=1, stacks=(4, 5), by=3, recoverable=True)
    scene.say(TileExposed, 0.3, where="wall", seat=1, tile=Tile("7s"), by=3, slot=slot)
    return scene.rounds(3)


@TOLD.case("wall-break", 3, "unrecoverable")
def faces_reported_just_before_the_broken_wall() -> Scene:
    scene = Scene().start().play().rounds(2)
    slot = Slot(1, 4, "top")
    scene.say(TileExposed, 0.3, where="wall", seat=1, tile=Tile("7s"), by=3, slot=slot)
    scene.say(WallDisturbed, 0.2, side=1, stacks=(4, 5), by=3, recoverable=False)
    return scene.rounds(3)


@TOLD.case("pool-disturbed", 2, "recoverable")
def a_pool_pushed() -> Scene:
    scene = Scene().start().play().rounds(3)
    scene.say(PoolDisturbed, seat=1, by=2, recoverable=True)
    return scene.rounds(3)
