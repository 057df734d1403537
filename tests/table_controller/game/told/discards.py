"""Discards: beside the rows, taken back, missing, slow."""

from __future__ import annotations

from table_controller.domain.happenings import (
    HandCounted,
    TileRetracted,
)
from table_controller.domain.tiles import Tile
from tests.table_controller.game.scenes import READY, Scene, won
from tests.table_controller.game.told.cases import Infractions

TOLD = Infractions()


@TOLD.case("discard-misplaced", 0)
def a_discard_beside_the_rows() -> Scene:
    return Scene().start().play(place=None).rounds(3)


@TOLD.case("discard-retracted", 0)
def a_discard_goes_back_to_the_hand() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(TileRetracted, 0.8, seat=0, tile=Tile("3p"))
    scene.pools[0] -= 1
    return scene.play(seat=0).rounds(3)


@TOLD.case("discard-retracted", 0)
def carried_over_the_wall_and_back_where_no_change_is_allowed() -> Scene:
    scene = Scene().start()
    scene.say(TileRetracted, 0.8, seat=0, tile=Tile("?"))
    return scene.play().rounds(3)


@TOLD.case("discard-extra", 0)
def a_second_discard_in_the_same_turn() -> Scene:
    scene = Scene().start().play().play(seat=0)
    scene.turn = 1
    return scene.rounds(4)


@TOLD.case("discard-extra", 2)
def a_tile_out_of_turn_goes_back_as_it_has_to() -> Scene:
    """000 Q38, Q162: with the right number of tiles he may win."""
    scene = Scene().start().play()
    scene.play("1z", seat=2)
    scene.say(TileRetracted, 1.0, seat=2, tile=Tile("1z"))
    scene.pools[2] -= 1
    scene.turn = 1
    scene.draw().play("3s")
    return won(scene, 2, READY, None)


@TOLD.case("discard-missing", 1)
def the_turn_passes_without_a_discard() -> Scene:
    scene = Scene().start().play().draw()
    scene.turn = 2
    scene.draw().play()
    scene.say(HandCounted, 0.5, seat=1, count=14)
    return scene.rounds(1)


@TOLD.case("discard-slow", 1)
def sixteen_seconds_since_the_discard_before() -> Scene:
    return Scene().start().play().draw().play(wait=14.5).rounds(3)


@TOLD.case("discard-slow", 0)
def the_dealer_needs_more_than_thirty_seconds() -> Scene:
    return Scene().start().play(wait=31.0).rounds(3)
