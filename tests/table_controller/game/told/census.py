"""Tiles that cannot be there, and time that is up."""

from __future__ import annotations

from table_controller.domain.happenings import (
    Clock,
    HandClosed,
    Machine,
    MeldShown,
)
from tests.table_controller.game.scenes import READY, Scene, tiles, won
from tests.table_controller.game.told.cases import Infractions

TOLD = Infractions()


@TOLD.case("fifth-tile", None)
def five_red_dragons() -> Scene:
    scene = Scene().start().play("7z")
    for _ in range(3):
        scene.draw().play("7z")
    scene.draw().play("1m")
    return scene.draw().play("7z").rounds(2)


@TOLD.case("foreign-tile", None)
def a_red_five_in_a_chinese_set() -> Scene:
    return Scene().start().play("0p").rounds(3)


@TOLD.case("foreign-tile", None)
def a_red_five_of_another_set_claimed_for_a_chow() -> Scene:
    # who claims what lies there is not at fault (mcr-2006-du 1803010)
    return Scene().start().play("0p").call_set(1, "34p").play().rounds(3)


@TOLD.case("foreign-tile", None)
def a_red_five_of_another_set_claimed_for_a_pung() -> Scene:
    return Scene().start().play("0p").call_set(2, "55p").play().rounds(3)


@TOLD.case("foreign-tile", None)
def a_tile_that_looks_like_none_of_the_enrolled_set() -> Scene:
    # it is claimed and lies open again: one tile, one alert
    scene = Scene().start().play("?", foreign=True).rounds(2)
    return scene.draw().play("?", foreign=True).rounds(2)


@TOLD.case("missing-tile", None)
def the_machine_misses_a_tile() -> Scene:
    scene = Scene().start().play().rounds(3)
    scene.say(Machine, state="fault", fault="missing_tiles")
    return scene.rounds(3)


@TOLD.case("swapped-tile", 2)
def a_set_on_the_table_shows_another_face() -> Scene:
    scene = Scene().start().play("3p").call_set(2, "33p").play().rounds(3)
    scene.say(MeldShown, seat=2, tiles=tiles("33p 4p"), claimed=None, sideways=1)
    return scene.rounds(3)


@TOLD.case("kong-illegal", 1)
def a_concealed_kong_turned_up_is_none() -> Scene:
    scene = Scene().start().play().draw().concealed_kong(1).play().rounds(2)
    scene.draw().play("3s")
    won(scene, 3, READY, None, close=False)
    scene.say(MeldShown, seat=1, tiles=tiles("444m 5m"))
    scene.say(HandClosed, 3.0, seat=3)
    return scene


@TOLD.case("session-time-up", None)
def three_hours_are_over() -> Scene:
    scene = Scene()
    scene.say(Clock, event="session_started")
    scene.t += 178 * 60
    scene.start().play()
    return scene.rounds(34)
