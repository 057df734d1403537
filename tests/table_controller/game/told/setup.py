"""The walls, the dice and the deal."""

from __future__ import annotations

from table_controller.domain.happenings import (
    DiceRemoved,
    DiceRolled,
    WallDisturbed,
    WallRaised,
)
from table_controller.game.wall import Wall
from tests.table_controller.game.scenes import Scene
from tests.table_controller.game.told.cases import Infractions

TOLD = Infractions()


@TOLD.case("wall-miscount", None)
def a_wall_of_seventeen() -> Scene:
    scene = Scene()
    scene.say(WallRaised, stacks=(18, 17, 18, 18))
    return scene


@TOLD.case("wall-crooked", None)
def a_wall_out_of_line_before_the_throw() -> Scene:
    scene = Scene()
    scene.say(WallRaised, stacks=(18, 18, 18, 18))
    scene.say(WallDisturbed, side=2, stacks=(1, 2, 3), by=None, recoverable=True)
    return scene


@TOLD.case("die-invalid", 0)
def a_die_leans() -> Scene:
    scene = Scene()
    scene.say(WallRaised, stacks=(18, 18, 18, 18))
    scene.say(DiceRolled, values=(3,), seat=0, valid=False)
    scene.say(DiceRolled, values=(3, 4), seat=0)
    scene.say(DiceRolled, values=(2, 2), seat=2)
    return scene


def opened(first: tuple[int, int], second: tuple[int, int], *, by: int, out: bool = True) -> Scene:
    scene = Scene()
    scene.say(WallRaised, stacks=(18, 18, 18, 18))
    scene.say(DiceRolled, values=first, seat=0)
    scene.say(DiceRolled, values=second, seat=by)
    if out:
        scene.say(DiceRemoved, seat=0)
    scene.second = (sum(first) - 1) % 4
    start = scene.ring.after(scene.second, sum(first) + sum(second))
    scene.wall = Wall(scene.ring, start)
    return scene


@TOLD.case("wrong-thrower", 1)
def the_second_throw_by_another_seat() -> Scene:
    scene = opened((3, 4), (2, 3), by=1)
    scene.deal()
    return scene


@TOLD.case("wrong-thrower", 3)
def somebody_throws_before_the_dealer() -> Scene:
    scene = Scene()
    scene.say(WallRaised, stacks=(18, 18, 18, 18))
    scene.say(DiceRolled, values=(1, 1), seat=3)
    scene.say(DiceRolled, values=(3, 4), seat=0)
    scene.say(DiceRolled, values=(2, 3), seat=2)
    scene.say(DiceRemoved, seat=0)
    scene.second = 2
    scene.wall = Wall(scene.ring, scene.ring.after(2, 12))
    scene.deal()
    return scene


@TOLD.case("dice-left", 0)
def dice_in_the_middle_when_the_wall_is_opened() -> Scene:
    scene = opened((3, 4), (2, 3), by=2, out=False)
    scene.deal()
    return scene


@TOLD.case("dice-left", 0, "first_deal", rules="mcr-2002-tianjin")
def dice_a_go_around_after_the_first_discard() -> Scene:
    scene = opened((3, 4), (2, 3), by=2, out=False)
    scene.deal()
    scene.turn = 0
    scene.play()
    scene.rounds(5)
    scene.say(DiceRemoved, seat=0)
    scene.rounds(8)
    return scene


def _break_off(by: int) -> Scene:
    scene = opened((3, 4), (2, 3), by=2)
    scene.wall = Wall(scene.ring, (scene.wall.start + by) % 72)
    return scene


@TOLD.case("wrong-break", 0)
def the_wall_opened_one_stack_too_far() -> Scene:
    scene = _break_off(1)
    scene.deal()
    scene.turn = 0
    scene.play()
    scene.rounds(3)
    return scene


@TOLD.case("wrong-break", 2, rules="mcr-2002-tianjin")
def the_second_thrower_answers_in_tianjin() -> Scene:
    scene = _break_off(-3)
    scene.deal()
    return scene


@TOLD.case("wrong-deal", 0, "taken")
def the_dealer_takes_two_stacks_at_the_jump() -> Scene:
    scene = opened((3, 4), (2, 3), by=2)
    from table_controller.game.wall import deal_step

    for step in range(12):
        who, indices = deal_step(step)
        scene.take(who, indices, 0.8)
    scene.take(0, (48, 49, 50, 51), 0.8)
    return scene
