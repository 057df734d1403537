"""Every alert id that a ruleset of the Chinese rules knows, from the words of its rule.

Each case is a hand told up to the infraction and a little beyond; exactly one alert comes, with
its seat and, where it has one, its stage. Beside each stands what looks alike and is allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_controller.domain.happenings import (
    Call,
    Clock,
    DiceRemoved,
    DiceRolled,
    FlowerShown,
    HandClosed,
    HandCounted,
    HandHidden,
    HandShown,
    Machine,
    MeldExtended,
    MeldShown,
    PoolDisturbed,
    Slot,
    TileClaimed,
    TileDrawn,
    TileExposed,
    TileRetracted,
    TileReturned,
    WallDisturbed,
    WallRaised,
)
from table_controller.domain.tiles import Tile
from table_controller.game.wall import Wall
from table_controller.rulesets import load
from tests.table_controller.game.scenes import Scene, tiles

Case = Callable[[], Scene]
CASES: list[Any] = []


def case(alert: str, seat: int | None, stage: str | None = None, *, rules: str = "mcr-1998") -> Any:
    """Register a hand that has to raise exactly this alert."""

    def keep(tell: Case) -> Case:
        CASES.append(pytest.param(alert, seat, stage, rules, tell, id=f"{alert}-{tell.__name__}"))
        return tell

    return keep


@pytest.mark.parametrize(("alert", "seat", "stage", "rules", "tell"), CASES)
def test_infraction(
    alert: str, seat: int | None, stage: str | None, rules: str, tell: Case
) -> None:
    judged = tell().judge(rules)
    found = judged.only(alert, seat)
    if stage is not None:
        assert found.stage == stage
    assert found.evidence or alert in ("dice-left", "session-time-up", "missing-tile")
    assert found.rule.ruleset == rules
    assert found.rule.clause
    assert found.ruling.summary
    assert found.ruling.summary_zh


# -- setup -----------------------------------------------------------------------------------


@case("wall-miscount", None)
def a_wall_of_seventeen() -> Scene:
    scene = Scene()
    scene.say(WallRaised, stacks=(18, 17, 18, 18))
    return scene


@case("wall-crooked", None)
def a_wall_out_of_line_before_the_throw() -> Scene:
    scene = Scene()
    scene.say(WallRaised, stacks=(18, 18, 18, 18))
    scene.say(WallDisturbed, side=2, stacks=(1, 2, 3), by=None, recoverable=True)
    return scene


@case("die-invalid", 0)
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


@case("wrong-thrower", 1)
def the_second_throw_by_another_seat() -> Scene:
    scene = opened((3, 4), (2, 3), by=1)
    scene.deal()
    return scene


@case("wrong-thrower", 3)
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


@case("dice-left", 0)
def dice_in_the_middle_when_the_wall_is_opened() -> Scene:
    scene = opened((3, 4), (2, 3), by=2, out=False)
    scene.deal()
    return scene


@case("dice-left", 0, "first_deal", rules="mcr-2002-tianjin")
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


@case("wrong-break", 0)
def the_wall_opened_one_stack_too_far() -> Scene:
    scene = _break_off(1)
    scene.deal()
    scene.turn = 0
    scene.play()
    scene.rounds(3)
    return scene


@case("wrong-break", 2, rules="mcr-2002-tianjin")
def the_second_thrower_answers_in_tianjin() -> Scene:
    scene = _break_off(-3)
    scene.deal()
    return scene


@case("wrong-deal", 0, "taken")
def the_dealer_takes_two_stacks_at_the_jump() -> Scene:
    scene = opened((3, 4), (2, 3), by=2)
    from table_controller.game.wall import deal_step

    for step in range(12):
        who, indices = deal_step(step)
        scene.take(who, indices, 0.8)
    scene.take(0, (48, 49, 50, 51), 0.8)
    return scene


# -- draws ------------------------------------------------------------------------------------


@case("premature-draw", 1, "touched")
def the_next_player_touches_the_wall_before_the_discard() -> Scene:
    return Scene().start().reach(1, "touched").play().rounds(3)


@case("premature-draw", 1, "lifted", rules="mcr-2006-du")
def lifted_and_put_back() -> Scene:
    scene = Scene().start().reach(1, "touched").reach(1, "lifted")
    scene.say(TileReturned, 0.4, seat=1, slots=(scene.wall.slot(scene.front()[0]),))
    return scene.play().rounds(3)


@case("premature-draw", 1, "seen", rules="mcr-2002-tianjin")
def seen_and_put_back() -> Scene:
    scene = Scene().start().reach(1, "lifted").reach(1, "seen")
    scene.say(TileReturned, 0.4, seat=1, slots=(scene.wall.slot(scene.front()[0]),))
    return scene.play().rounds(3)


@case("premature-draw", 1, "taken", rules="mcr-2006-du")
def taken_into_the_hand_before_the_discard() -> Scene:
    scene = Scene().start()
    scene.take(1, scene.front(), 0.5)
    scene.play(wait=1.5)
    return scene.play().rounds(4)


@case("premature-draw", 1, "seen")
def begun_too_early_seen_after_the_discard_and_put_back() -> Scene:
    scene = Scene().start().reach(1, "touched").play().reach(1, "seen")
    scene.say(TileReturned, 0.4, seat=1, slots=(scene.wall.slot(scene.front()[0]),))
    return scene.rounds(3)


@case("draw-out-of-turn", 2, "taken")
def the_seat_across_draws() -> Scene:
    scene = Scene().start().play()
    scene.take(2, scene.front())
    return scene


@case("draw-out-of-turn", 3, "lifted")
def lifted_out_of_turn_and_returned() -> Scene:
    scene = Scene().start().play().reach(3, "lifted")
    scene.say(TileReturned, 0.4, seat=3, slots=(scene.wall.slot(scene.front()[0]),))
    return scene.rounds(3)


@case("wrong-draw", 1, "taken")
def a_tile_from_further_on() -> Scene:
    scene = Scene().start().play()
    scene.take(1, (scene.front()[0] + 5,))
    return scene.play().rounds(3)


@case("wrong-draw", 1, "taken")
def an_ordinary_draw_from_the_other_end() -> Scene:
    scene = Scene().start().play()
    scene.take(1, scene.back())
    return scene.play().rounds(3)


@case("missed-draw", 1)
def a_discard_without_a_draw() -> Scene:
    return Scene().start().play().play(wait=2.0).rounds(4)


@case("missed-draw", 1)
def a_discard_without_a_draw_by_the_count() -> Scene:
    scene = Scene().start().play().play(wait=2.0)
    scene.say(HandCounted, 0.5, seat=1, count=12)
    return scene.rounds(2)


@case("extra-draw", 1, "taken")
def two_draws_in_one_turn() -> Scene:
    scene = Scene().start().play().draw()
    scene.take(1, scene.front(), 1.0)
    return scene.play().rounds(3)


@case("long-hand", 2)
def fourteen_tiles_between_turns() -> Scene:
    scene = Scene().start().play().rounds(5)
    scene.say(HandCounted, seat=2, count=14)
    scene.rounds(4)
    scene.say(HandCounted, seat=2, count=14)
    return scene.rounds(2)


@case("short-hand", 3)
def twelve_tiles_between_turns() -> Scene:
    scene = Scene().start().play().rounds(5)
    scene.say(HandCounted, seat=3, count=12)
    return scene.rounds(4)


@case("wrong-replacement", 0, "taken")
def a_replacement_from_the_front() -> Scene:
    scene = Scene().start()
    scene.say(FlowerShown, seat=0, tile=Tile("1f"))
    scene.take(0, scene.front())
    return scene.play().rounds(3)


@case("flower-order", 2)
def west_replaces_before_south() -> Scene:
    scene = Scene().start()
    scene.flower(0, "1f").flower(2, "2f").flower(1, "3f")
    return scene.play().rounds(3)


@case("flower-mistaken", 1)
def one_bamboo_laid_out_as_a_flower() -> Scene:
    scene = Scene().start().play().draw()
    scene.flower(1, "1s")
    return scene.play().rounds(3)


@case("flower-returned", 1)
def a_flower_on_the_table_is_discarded() -> Scene:
    scene = Scene().start().play().draw().flower(1, "5f")
    return scene.play("5f").rounds(3)


# -- discards ---------------------------------------------------------------------------------


@case("discard-misplaced", 0)
def a_discard_beside_the_rows() -> Scene:
    return Scene().start().play(place=None).rounds(3)


@case("discard-retracted", 0)
def a_discard_goes_back_to_the_hand() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(TileRetracted, 0.8, seat=0, tile=Tile("3p"))
    scene.pools[0] -= 1
    return scene.play(seat=0).rounds(3)


@case("discard-retracted", 0)
def carried_over_the_wall_and_back_where_no_change_is_allowed() -> Scene:
    scene = Scene().start()
    scene.say(TileRetracted, 0.8, seat=0, tile=Tile("?"))
    return scene.play().rounds(3)


@case("discard-extra", 0)
def a_second_discard_in_the_same_turn() -> Scene:
    scene = Scene().start().play().play(seat=0)
    scene.turn = 1
    return scene.rounds(4)


@case("discard-missing", 1)
def the_turn_passes_without_a_discard() -> Scene:
    scene = Scene().start().play().draw()
    scene.turn = 2
    scene.draw().play()
    scene.say(HandCounted, 0.5, seat=1, count=14)
    return scene.rounds(1)


@case("discard-slow", 1)
def sixteen_seconds_since_the_discard_before() -> Scene:
    return Scene().start().play().draw().play(wait=14.5).rounds(3)


@case("discard-slow", 0)
def the_dealer_needs_more_than_thirty_seconds() -> Scene:
    return Scene().start().play(wait=31.0).rounds(3)


# -- claims -----------------------------------------------------------------------------------


@case("invalid-meld", 1)
def three_four_six_is_no_chow() -> Scene:
    scene = Scene().start().play("3p")
    return scene.call_set(1, "46p").play().rounds(3)


@case("invalid-meld", 2, "pung", rules="mcr-2002-tianjin")
def a_pung_with_a_strange_tile() -> Scene:
    scene = Scene().start().play("3p")
    return scene.call_set(2, "35p").play().rounds(3)


@case("chow-not-from-left", 2)
def a_chow_from_across() -> Scene:
    scene = Scene().start().play("3p")
    return scene.call_set(2, "24p").play().rounds(3)


@case("claim-late", 2)
def a_pung_called_after_three_seconds_over_a_chow() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(Call, 1.0, seat=1, call="chow")
    scene.say(Call, 2.5, seat=2, call="pung")
    return scene.call_set(1, "24p").play().rounds(3)


@case("claim-late", 2)
def a_late_pung_that_takes_the_tile() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(Call, 1.0, seat=1, call="chow")
    scene.say(Call, 2.5, seat=2, call="pung")
    return scene.call_set(2, "33p").play().rounds(3)


@case("claim-out-of-priority", 1, "pung")
def a_chow_although_a_pung_was_called_in_time() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(Call, 1.0, seat=2, call="pung")
    return scene.call_set(1, "24p").play().rounds(3)


@case("claim-after-draw", 1)
def a_chow_after_reaching_for_the_wall() -> Scene:
    scene = Scene().start().play("3p").reach(1, "touched")
    return scene.call_set(1, "24p").play().rounds(3)


@case("claim-after-draw", 3)
def a_pung_after_the_next_player_has_drawn() -> Scene:
    scene = Scene().start().play("3p").draw()
    return scene.call_set(3, "33p")


@case("kong-after-claim", 2)
def a_concealed_kong_straight_after_a_pung() -> Scene:
    scene = Scene().start().play("3p").call_set(2, "33p")
    scene.concealed_kong(2)
    return scene.play().rounds(2)


@case("kong-after-claim", 2)
def a_fourth_tile_added_straight_after_the_pung() -> Scene:
    scene = Scene().start().play("3p").call_set(2, "33p").added_kong(2, "3p")
    scene.take(2, scene.back())
    return scene.play().rounds(2)


@case("kong-illegal", 1)
def a_fourth_tile_where_no_pung_lies() -> Scene:
    scene = Scene().start().play().draw().added_kong(1, "8m")
    scene.take(1, scene.back())
    return scene.play().rounds(2)


@case("meld-misplaced", 2)
def a_pung_from_across_marked_as_from_the_left() -> Scene:
    scene = Scene().start().play("3p")
    return scene.call_set(2, "33p", sideways=0).play().rounds(3)


@case("claimed-tile-left", 1)
def two_tiles_shown_the_discard_not_taken() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(MeldShown, seat=1, tiles=tiles("24p"))
    scene.turn = 1
    return scene.play().rounds(3)


@case("call-not-executed", 3)
def pung_pressed_and_nothing_follows() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(Call, 1.0, seat=3, call="pung")
    return scene.rounds(3)


# -- exposure ---------------------------------------------------------------------------------


@case("own-tile-exposed", 2)
def a_tile_falls_over() -> Scene:
    scene = Scene().start().play().rounds(2)
    scene.say(TileExposed, where="hand", seat=2, tile=Tile("7s"), by=None)
    return scene.rounds(3)


@case("other-tile-exposed", 1, "3-4", rules="mcr-2002-tianjin")
def three_tiles_of_another_knocked_over() -> Scene:
    scene = Scene().start().play().rounds(2)
    for face in ("7s", "8s", "1p"):
        scene.say(TileExposed, 0.1, where="hand", seat=2, tile=Tile(face), by=1)
    return scene.rounds(3)


@case("other-tile-exposed", 1, "several", rules="mcr-2002-tianjin")
def tiles_of_two_players_knocked_over() -> Scene:
    scene = Scene().start().play().rounds(2)
    for seat in (2, 3):
        scene.say(TileExposed, 0.1, where="hand", seat=seat, tile=Tile("7s"), by=1)
    return scene.rounds(3)


@case("wall-tile-exposed", 3)
def a_wall_tile_turned_over() -> Scene:
    scene = Scene().start().play().rounds(2)
    slot = Slot(1, 4, "top")
    scene.say(TileExposed, where="wall", seat=1, tile=Tile("7s"), by=3, slot=slot)
    return scene.rounds(3)


@case("wall-break", 3, "recoverable")
def stacks_pushed_over_and_faces_seen() -> Scene:
    scene = Scene().start().play().rounds(2)
    slot = Slot(1, 4, "top")
    scene.say(WallDisturbed, side=1, stacks=(4, 5), by=3, recoverable=True)
    scene.say(TileExposed, 0.3, where="wall", seat=1, tile=Tile("7s"), by=3, slot=slot)
    return scene.rounds(3)


@case("wall-break", 3, "unrecoverable")
def faces_reported_just_before_the_broken_wall() -> Scene:
    scene = Scene().start().play().rounds(2)
    slot = Slot(1, 4, "top")
    scene.say(TileExposed, 0.3, where="wall", seat=1, tile=Tile("7s"), by=3, slot=slot)
    scene.say(WallDisturbed, 0.2, side=1, stacks=(4, 5), by=3, recoverable=False)
    return scene.rounds(3)


@case("pool-disturbed", 2, "recoverable")
def a_pool_pushed() -> Scene:
    scene = Scene().start().play().rounds(3)
    scene.say(PoolDisturbed, seat=1, by=2, recoverable=True)
    return scene.rounds(3)


# -- wins -------------------------------------------------------------------------------------

READY = "123456789m 11p 45s"
"""Waits for 3s and 6s: a pure straight and more."""


def won(scene: Scene, seat: int, hand: str, apart: str | None, *, close: bool = True) -> Scene:
    scene.say(HandShown, seat=seat, tiles=tiles(hand), apart=None if apart is None else Tile(apart))
    if close:
        scene.say(HandClosed, 3.0, seat=seat)
    return scene


@case("win-below-minimum", 2)
def five_points() -> Scene:
    scene = Scene().start().play("3s")
    return won(scene, 2, "123678m 678p 11p 45s", None, close=False).rounds(3)


@case("win-wrong-tile", 2)
def ready_but_not_for_this_tile() -> Scene:
    scene = Scene().start().play("7s")
    return won(scene, 2, READY, None, close=False).rounds(3)


@case("false-win", 2, "one_short")
def one_tile_short_of_ready() -> Scene:
    scene = Scene().start().play("3s")
    return won(scene, 2, "123456789m 11p 4s 9p", None, close=False).rounds(3)


@case("false-win", 2, "more_short")
def far_from_ready() -> Scene:
    scene = Scene().start().play("3s")
    return won(scene, 2, "1358m 2469p 147s 35z", None, close=False).rounds(3)


@case("false-win", 3, "not_entitled")
def nothing_to_win_on() -> Scene:
    scene = Scene().start()
    won(scene, 3, READY, None, close=False)
    scene.say(HandHidden, seat=3)
    return scene.play().rounds(3)


@case("winning-tile-merged", 1)
def the_drawn_tile_put_among_the_others() -> Scene:
    scene = Scene().start().play().draw()
    return won(scene, 1, "123456789m 11p 345s", None)


@case("win-out-of-priority", 3)
def the_nearer_seat_called_in_time() -> Scene:
    scene = Scene().start().play("3s")
    scene.say(Call, 0.5, seat=1, call="win")
    return won(scene, 3, READY, None)


@case("hand-shown-early", 1, "win_stands")
def another_hand_laid_open_during_the_check() -> Scene:
    scene = Scene().start().play("3s")
    won(scene, 2, READY, None, close=False)
    scene.say(HandShown, seat=1, tiles=tiles("1358m 2469p 147s 35z"))
    scene.say(HandClosed, 3.0, seat=2)
    return scene


@case("premature-draw", 1, "lifted")
def told_after_the_discard_but_timed_before_it() -> Scene:
    scene = Scene().start()
    at = scene.t
    scene.play(wait=1.5)
    scene.said.append(
        TileDrawn(t=at + 1.0, seat=1, slots=(scene.wall.slot(scene.front()[0]),), stage="lifted")
    )
    return scene.rounds(3)


@case("concealed-kong-hidden", 1)
def the_winner_never_turns_the_kong_up() -> Scene:
    scene = Scene().start().play().draw().concealed_kong(1).play().rounds(2)
    scene.draw().play("1s")
    return won(scene, 1, "123456789m 1s", None)


# -- census and clock -------------------------------------------------------------------------


@case("fifth-tile", None)
def five_red_dragons() -> Scene:
    scene = Scene().start().play("7z")
    for _ in range(3):
        scene.draw().play("7z")
    scene.draw().play("1m")
    return scene.draw().play("7z").rounds(2)


@case("foreign-tile", None)
def a_red_five_in_a_chinese_set() -> Scene:
    return Scene().start().play("0p").rounds(3)


@case("foreign-tile", None)
def a_tile_that_looks_like_none_of_the_enrolled_set() -> Scene:
    # it is claimed and lies open again: one tile, one alert
    scene = Scene().start().play("?", foreign=True).rounds(2)
    return scene.draw().play("?", foreign=True).rounds(2)


@case("missing-tile", None)
def the_machine_misses_a_tile() -> Scene:
    scene = Scene().start().play().rounds(3)
    scene.say(Machine, state="fault", fault="missing_tiles")
    return scene.rounds(3)


@case("swapped-tile", 2)
def a_set_on_the_table_shows_another_face() -> Scene:
    scene = Scene().start().play("3p").call_set(2, "33p").play().rounds(3)
    scene.say(MeldShown, seat=2, tiles=tiles("33p 4p"), claimed=None, sideways=1)
    return scene.rounds(3)


@case("kong-illegal", 1)
def a_concealed_kong_turned_up_is_none() -> Scene:
    scene = Scene().start().play().draw().concealed_kong(1).play().rounds(2)
    scene.draw().play("3s")
    won(scene, 3, READY, None, close=False)
    scene.say(MeldShown, seat=1, tiles=tiles("444m 5m"))
    scene.say(HandClosed, 3.0, seat=3)
    return scene


@case("session-time-up", None)
def three_hours_are_over() -> Scene:
    scene = Scene()
    scene.say(Clock, event="session_started")
    scene.t += 178 * 60
    scene.start().play()
    return scene.rounds(34)


def test_every_alert_that_a_ruleset_knows_has_a_case() -> None:
    """Those entered by the referee or proved elsewhere are named."""
    elsewhere = {
        "win-while-barred",  # test_rulings
        "claim-while-barred",  # test_rulings
    }
    told = {param.values[0] for param in CASES}
    assert told | elsewhere == set(load("mcr-1998").alerts)


# -- what is allowed ----------------------------------------------------------------------------

ALLOWED: list[Any] = []


def allowed(*rules: str) -> Any:
    """Register a hand that must raise nothing."""

    def keep(tell: Case) -> Case:
        for name in rules or ("mcr-1998", "mcr-2006-du", "mcr-2002-tianjin"):
            ALLOWED.append(pytest.param(name, tell, id=f"{tell.__name__}-{name}"))
        return tell

    return keep


@pytest.mark.parametrize(("rules", "tell"), ALLOWED)
def test_allowed(rules: str, tell: Case) -> None:
    judged = tell().judge(rules)
    assert judged.ids == []
    assert not any(move.inferred for move in judged.moves)


@allowed()
def an_ordinary_hand() -> Scene:
    return Scene().start().play().rounds(12)


@allowed()
def flowers_replaced_in_order() -> Scene:
    scene = Scene().start().flower(0, "1f").flower(0, "2f").flower(1, "3f").flower(3, "5f")
    return scene.play().rounds(4)


@allowed()
def a_flower_discarded_from_the_hand() -> Scene:
    """003 Q17; 000 Q33."""
    return Scene().start().play("6f").rounds(4)


@allowed()
def a_flower_kept_and_replaced_later() -> Scene:
    """003 Q4, Q16."""
    scene = Scene().start().play().rounds(4).draw().flower(1, "4f")
    return scene.play().rounds(3)


@allowed()
def touched_lifted_and_taken_in_turn() -> Scene:
    scene = Scene().start().play().reach(1, "touched").reach(1, "lifted")
    return scene.draw().play().rounds(3)


@allowed("mcr-2002-tianjin")
def one_change_of_mind_before_the_tile_lies() -> Scene:
    """003 Q23."""
    scene = Scene().start()
    scene.say(TileRetracted, seat=0, tile=Tile("?"))
    return scene.play().rounds(3)


@allowed()
def eaten_and_the_same_tile_discarded() -> Scene:
    """000 Q38(3)."""
    scene = Scene().start().play("5p").call_set(1, "46p")
    return scene.play("5p").rounds(3)


@allowed()
def a_pung_over_a_chow_within_three_seconds() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(Call, 0.8, seat=1, call="chow")
    scene.say(Call, 1.0, seat=2, call="pung")
    return scene.call_set(2, "33p").play().rounds(3)


@allowed()
def a_winning_tile_passed_and_taken_from_the_next_player() -> Scene:
    """003 Q29; 000 Q39(3)."""
    scene = Scene().start().play("3s").draw().play("3s")
    return won(scene, 3, READY, None)


@allowed()
def robbing_an_added_kong() -> Scene:
    scene = Scene().start().play("3s").call_set(2, "33s").play().rounds(3)
    scene.draw().added_kong(2, "3s")
    return won(scene, 0, READY, None)


@allowed()
def a_win_on_a_discard_somebody_calls_kong_on() -> Scene:
    """003 Q33: the win comes first; it is no robbed kong."""
    scene = Scene().start().play("3s")
    scene.say(Call, 0.5, seat=1, call="kong")
    return won(scene, 2, READY, None)


@allowed()
def a_fetched_discard_wins() -> Scene:
    scene = Scene().start().play("6s")
    scene.say(TileClaimed, 1.0, seat=3, tile=Tile("6s"), from_=0)
    return won(scene, 3, READY, "6s")


@allowed()
def two_declare_on_one_tile_the_nearer_wins() -> Scene:
    scene = Scene().start().play("3s")
    won(scene, 3, READY, None, close=False)
    scene.say(HandShown, 0.8, seat=1, tiles=tiles("123456789m 99p 45s"))
    scene.say(HandClosed, 3.0, seat=1)
    return scene


@allowed()
def the_dealer_wins_with_fourteen_tiles() -> Scene:
    """003 Q43."""
    scene = Scene().start()
    return won(scene, 0, READY, "6s")


@allowed()
def an_exposed_kong_and_its_replacement() -> Scene:
    scene = Scene().start().play("3p").call_set(3, "333p")
    scene.take(3, scene.back())
    return scene.play().rounds(3)


@allowed()
def pool_tiles_moved_to_count_points_during_the_check() -> Scene:
    """000 Q43; 003 Q25."""
    scene = Scene().start().play("3s")
    won(scene, 2, READY, None, close=False)
    scene.say(PoolDisturbed, seat=2, by=2, recoverable=True)
    scene.say(TileExposed, where="wall", seat=1, tile=Tile("7s"), by=1, slot=Slot(1, 4, "top"))
    scene.say(HandClosed, 3.0, seat=2)
    return scene


@allowed()
def a_claimed_kong_laid_tile_by_tile() -> Scene:
    """Three tiles are reported first, the fourth with a time a little before them."""
    scene = Scene().start().play("3p").call_set(2, "33p", sideways=1)
    scene.said.append(MeldExtended(t=scene.t - 0.2, seat=2, tile=Tile("3p")))
    scene.take(2, scene.back())
    return scene.play().rounds(3)


@allowed()
def times_a_little_off() -> Scene:
    scene = Scene().start().play(wait=2.0)
    at = scene.t
    scene.take(1, scene.front(), 0.0)
    from dataclasses import replace

    scene.said[-1] = replace(scene.said[-1], t=at - 0.1)
    return scene.play().rounds(3)


@allowed()
def hands_counted_as_they_should_be() -> Scene:
    scene = Scene().start().play()
    scene.say(HandCounted, 0.2, seat=0, count=13)
    scene.draw()
    scene.say(HandCounted, 0.2, seat=1, count=14)
    return scene.play().rounds(2)
