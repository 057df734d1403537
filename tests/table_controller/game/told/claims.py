"""Chows, pungs and kongs that are none, or not allowed."""

from __future__ import annotations

from table_controller.domain.happenings import (
    Call,
    HandCounted,
    MeldShown,
    TileClaimed,
)
from table_controller.domain.tiles import Tile
from tests.table_controller.game.scenes import READY, Scene, tiles, won
from tests.table_controller.game.told.cases import Infractions

TOLD = Infractions()


@TOLD.case("invalid-meld", 1)
def three_four_six_is_no_chow() -> Scene:
    scene = Scene().start().play("3p")
    return scene.call_set(1, "46p").play().rounds(3)


@TOLD.case("invalid-meld", 2, "pung", rules="mcr-2002-tianjin")
def a_pung_with_a_strange_tile() -> Scene:
    scene = Scene().start().play("3p")
    return scene.call_set(2, "35p").play().rounds(3)


@TOLD.case("chow-not-from-left", 2)
def a_chow_from_across() -> Scene:
    scene = Scene().start().play("3p")
    return scene.call_set(2, "24p").play().rounds(3)


@TOLD.case("claim-late", 2)
def a_pung_called_after_three_seconds_over_a_chow() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(Call, 1.0, seat=1, call="chow")
    scene.say(Call, 2.5, seat=2, call="pung")
    return scene.call_set(1, "24p").play().rounds(3)


@TOLD.case("claim-late", 2)
def a_late_pung_that_takes_the_tile() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(Call, 1.0, seat=1, call="chow")
    scene.say(Call, 2.5, seat=2, call="pung")
    return scene.call_set(2, "33p").play().rounds(3)


@TOLD.case("claim-out-of-priority", 1, "pung")
def a_chow_although_a_pung_was_called_in_time() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(Call, 1.0, seat=2, call="pung")
    return scene.call_set(1, "24p").play().rounds(3)


def pung_over_the_chow(scene: Scene, *, wait: float = 0.4) -> Scene:
    """Seat 2 takes the tile from the chow of seat 1, who stands his own two up again."""
    scene.call_set(2, "55p", wait=wait)
    scene.say(HandCounted, 1.0, seat=1, count=13)
    scene.say(HandCounted, 0.1, seat=2, count=11)
    return scene.play().rounds(3)


@TOLD.case("claim-out-of-priority", 1, "pung")
def a_pung_in_time_takes_the_tile_from_the_chow() -> Scene:
    """000 Q40; 003 Q7: slow chow, quick pung."""
    scene = Scene().start().play("5p")
    scene.say(Call, 0.5, seat=2, call="pung")
    return pung_over_the_chow(scene.call_set(1, "46p", wait=0.4))


@TOLD.case("claim-late", 2)
def a_pung_called_late_takes_the_tile_from_a_chow_that_lies_there() -> Scene:
    scene = Scene().start().play("5p").call_set(1, "46p", wait=0.4)
    scene.say(Call, 2.0, seat=2, call="pung")
    return pung_over_the_chow(scene)


@TOLD.case("claim-late", 2)
def a_pung_takes_the_tile_when_no_call_can_have_been_in_time() -> Scene:
    return pung_over_the_chow(Scene().start().play("5p").call_set(1, "46p"), wait=3.5)


@TOLD.case("claim-after-draw", 1)
def a_chow_after_reaching_for_the_wall() -> Scene:
    scene = Scene().start().play("3p").reach(1, "touched")
    return scene.call_set(1, "24p").play().rounds(3)


@TOLD.case("claim-after-draw", 1)
def a_win_on_a_fetched_tile_after_reaching_for_the_wall() -> Scene:
    """000 Q155(2); 003 Q24: fetching it and laying the hand open are one offence."""
    scene = Scene().start().play("3s").reach(1, "touched")
    scene.say(TileClaimed, 0.6, seat=1, tile=Tile("3s"), from_=0)
    won(scene, 1, READY, "3s", close=False)
    scene.turn = 1
    return scene.rounds(3)


@TOLD.case("claim-after-draw", 3)
def a_pung_after_the_next_player_has_drawn() -> Scene:
    scene = Scene().start().play("3p").draw()
    return scene.call_set(3, "33p")


@TOLD.case("kong-after-claim", 2)
def a_concealed_kong_straight_after_a_pung() -> Scene:
    scene = Scene().start().play("3p").call_set(2, "33p")
    scene.concealed_kong(2)
    return scene.play().rounds(2)


@TOLD.case("kong-after-claim", 2)
def a_fourth_tile_added_straight_after_the_pung() -> Scene:
    scene = Scene().start().play("3p").call_set(2, "33p").added_kong(2, "3p")
    scene.take(2, scene.back())
    return scene.play().rounds(2)


@TOLD.case("kong-illegal", 1)
def a_fourth_tile_where_no_pung_lies() -> Scene:
    scene = Scene().start().play().draw().added_kong(1, "8m")
    scene.take(1, scene.back())
    return scene.play().rounds(2)


@TOLD.case("meld-misplaced", 2)
def a_pung_from_across_marked_as_from_the_left() -> Scene:
    scene = Scene().start().play("3p")
    return scene.call_set(2, "33p", sideways=0).play().rounds(3)


@TOLD.case("claimed-tile-left", 1)
def two_tiles_shown_the_discard_not_taken() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(MeldShown, seat=1, tiles=tiles("24p"))
    scene.turn = 1
    return scene.play().rounds(3)


@TOLD.case("call-not-executed", 3)
def pung_pressed_and_nothing_follows() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(Call, 1.0, seat=3, call="pung")
    return scene.rounds(3)
