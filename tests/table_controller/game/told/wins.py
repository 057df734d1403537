"""Wins that are declared and are none."""

from __future__ import annotations

from table_controller.domain.happenings import (
    Call,
    HandClosed,
    HandHidden,
    HandShown,
    TileDrawn,
)
from tests.table_controller.game.scenes import READY, Scene, tiles, won
from tests.table_controller.game.told.cases import Infractions

TOLD = Infractions()


@TOLD.case("win-below-minimum", 2)
def five_points() -> Scene:
    scene = Scene().start().play("3s")
    return won(scene, 2, "123678m 678p 11p 45s", None, close=False).rounds(3)


@TOLD.case("win-wrong-tile", 2)
def ready_but_not_for_this_tile() -> Scene:
    scene = Scene().start().play("7s")
    return won(scene, 2, READY, None, close=False).rounds(3)


@TOLD.case("false-win", 2, "one_short")
def one_tile_short_of_ready() -> Scene:
    scene = Scene().start().play("3s")
    return won(scene, 2, "123456789m 11p 4s 9p", None, close=False).rounds(3)


@TOLD.case("false-win", 2, "more_short")
def far_from_ready() -> Scene:
    scene = Scene().start().play("3s")
    return won(scene, 2, "1358m 2469p 147s 35z", None, close=False).rounds(3)


@TOLD.case("false-win", 3, "not_entitled")
def nothing_to_win_on() -> Scene:
    scene = Scene().start()
    won(scene, 3, READY, None, close=False)
    scene.say(HandHidden, seat=3)
    return scene.play().rounds(3)


@TOLD.case("winning-tile-merged", 1)
def the_drawn_tile_put_among_the_others() -> Scene:
    scene = Scene().start().play().draw()
    return won(scene, 1, "123456789m 11p 345s", None)


@TOLD.case("win-out-of-priority", 3)
def the_nearer_seat_called_in_time() -> Scene:
    scene = Scene().start().play("3s")
    scene.say(Call, 0.5, seat=1, call="win")
    return won(scene, 3, READY, None)


@TOLD.case("false-win", 1, "more_short")
def the_nearer_seat_called_and_has_nothing() -> Scene:
    """000 Q43(7), Q159: the false declaration is the offence, the farther win stands."""
    scene = Scene().start().play("3s")
    scene.say(Call, 0.5, seat=1, call="win")
    won(scene, 2, READY, None, close=False)
    scene.say(HandShown, 0.8, seat=1, tiles=tiles("1358m 2469p 147s 35z"))
    scene.say(HandClosed, 3.0, seat=2)
    return scene


@TOLD.case("claim-after-draw", 1)
def who_touched_the_wall_shows_his_hand_beside_the_winner() -> Scene:
    """It wins, but he had given the tile up."""
    scene = Scene().start().play("3s").reach(1, "touched", wait=1.0)
    scene.say(Call, 0.3, seat=1, call="win")
    won(scene, 2, READY, None, close=False)
    scene.say(HandShown, 0.8, seat=1, tiles=tiles("123456789m 99p 45s"))
    scene.say(HandClosed, 3.0, seat=2)
    return scene


@TOLD.case("hand-shown-early", 1, "win_stands")
def another_hand_laid_open_during_the_check() -> Scene:
    scene = Scene().start().play("3s")
    won(scene, 2, READY, None, close=False)
    scene.say(HandShown, seat=1, tiles=tiles("1358m 2469p 147s 35z"))
    scene.say(HandClosed, 3.0, seat=2)
    return scene


@TOLD.case("premature-draw", 1, "lifted")
def told_after_the_discard_but_timed_before_it() -> Scene:
    scene = Scene().start()
    at = scene.t
    scene.play(wait=1.5)
    scene.said.append(
        TileDrawn(t=at + 1.0, seat=1, slots=(scene.wall.slot(scene.front()[0]),), stage="lifted")
    )
    return scene.rounds(3)


@TOLD.case("concealed-kong-hidden", 1)
def the_winner_never_turns_the_kong_up() -> Scene:
    scene = Scene().start().play().draw().concealed_kong(1).play().rounds(2)
    scene.draw().play("1s")
    return won(scene, 1, "123456789m 1s", None)
