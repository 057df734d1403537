"""Draws: too early, out of turn, from elsewhere, too many."""

from __future__ import annotations

from table_controller.domain.happenings import (
    FlowerShown,
    HandCounted,
    TileReturned,
)
from table_controller.domain.tiles import Tile
from tests.table_controller.game.scenes import Scene
from tests.table_controller.game.told.cases import Infractions

TOLD = Infractions()


@TOLD.case("premature-draw", 1, "touched")
def the_next_player_touches_the_wall_before_the_discard() -> Scene:
    return Scene().start().reach(1, "touched").play().rounds(3)


@TOLD.case("premature-draw", 1, "lifted", rules="mcr-2006-du")
def lifted_and_put_back() -> Scene:
    scene = Scene().start().reach(1, "touched").reach(1, "lifted")
    scene.say(TileReturned, 0.4, seat=1, slots=(scene.wall.slot(scene.front()[0]),))
    return scene.play().rounds(3)


@TOLD.case("premature-draw", 1, "seen", rules="mcr-2002-tianjin")
def seen_and_put_back() -> Scene:
    scene = Scene().start().reach(1, "lifted").reach(1, "seen")
    scene.say(TileReturned, 0.4, seat=1, slots=(scene.wall.slot(scene.front()[0]),))
    return scene.play().rounds(3)


@TOLD.case("premature-draw", 1, "taken", rules="mcr-2006-du")
def taken_into_the_hand_before_the_discard() -> Scene:
    scene = Scene().start()
    scene.take(1, scene.front(), 0.5)
    scene.play(wait=1.5)
    return scene.play().rounds(4)


@TOLD.case("premature-draw", 1, "seen")
def begun_too_early_seen_after_the_discard_and_put_back() -> Scene:
    scene = Scene().start().reach(1, "touched").play().reach(1, "seen")
    scene.say(TileReturned, 0.4, seat=1, slots=(scene.wall.slot(scene.front()[0]),))
    return scene.rounds(3)


@TOLD.case("draw-out-of-turn", 2, "taken")
def the_seat_across_draws() -> Scene:
    scene = Scene().start().play()
    scene.take(2, scene.front())
    return scene


@TOLD.case("draw-out-of-turn", 3, "lifted")
def lifted_out_of_turn_and_returned() -> Scene:
    scene = Scene().start().play().reach(3, "lifted")
    scene.say(TileReturned, 0.4, seat=3, slots=(scene.wall.slot(scene.front()[0]),))
    return scene.rounds(3)


@TOLD.case("wrong-draw", 1, "taken")
def a_tile_from_further_on() -> Scene:
    scene = Scene().start().play()
    scene.take(1, (scene.front()[0] + 5,))
    return scene.play().rounds(3)


@TOLD.case("wrong-draw", 1, "taken")
def an_ordinary_draw_from_the_other_end() -> Scene:
    scene = Scene().start().play()
    scene.take(1, scene.back())
    return scene.play().rounds(3)


@TOLD.case("missed-draw", 1)
def a_discard_without_a_draw() -> Scene:
    return Scene().start().play().play(wait=2.0).rounds(4)


@TOLD.case("missed-draw", 1)
def a_discard_without_a_draw_by_the_count() -> Scene:
    scene = Scene().start().play().play(wait=2.0)
    scene.say(HandCounted, 0.5, seat=1, count=12)
    return scene.rounds(2)


@TOLD.case("extra-draw", 1, "taken")
def two_draws_in_one_turn() -> Scene:
    scene = Scene().start().play().draw()
    scene.take(1, scene.front(), 1.0)
    return scene.play().rounds(3)


@TOLD.case("long-hand", 2)
def fourteen_tiles_between_turns() -> Scene:
    scene = Scene().start().play().rounds(5)
    scene.say(HandCounted, seat=2, count=14)
    scene.rounds(4)
    scene.say(HandCounted, seat=2, count=14)
    return scene.rounds(2)


@TOLD.case("short-hand", 3)
def twelve_tiles_between_turns() -> Scene:
    scene = Scene().start().play().rounds(5)
    scene.say(HandCounted, seat=3, count=12)
    return scene.rounds(4)


@TOLD.case("wrong-replacement", 0, "taken")
def a_replacement_from_the_front() -> Scene:
    scene = Scene().start()
    scene.say(FlowerShown, seat=0, tile=Tile("1f"))
    scene.take(0, scene.front())
    return scene.play().rounds(3)


@TOLD.case("flower-order", 2)
def west_replaces_before_south() -> Scene:
    scene = Scene().start()
    scene.flower(0, "1f").flower(2, "2f").flower(1, "3f")
    return scene.play().rounds(3)


@TOLD.case("flower-order", 2)
def west_replaces_before_south_who_has_four() -> Scene:
    """Said of West once; nothing of North, who comes after them both."""
    scene = Scene().start().flower(2, "2f")
    for tile in ("3f", "4f", "5f", "6f"):
        scene.flower(1, tile)
    scene.flower(3, "7f")
    return scene.play().rounds(3)


@TOLD.case("flower-mistaken", 1)
def one_bamboo_laid_out_as_a_flower() -> Scene:
    scene = Scene().start().play().draw()
    scene.flower(1, "1s")
    return scene.play().rounds(3)


@TOLD.case("flower-returned", 1)
def a_flower_on_the_table_is_discarded() -> Scene:
    scene = Scene().start().play().draw().flower(1, "5f")
    return scene.play("5f").rounds(3)
