"""Alerts that waited for the next move or were explained away, each as a game showed it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import (
    Call,
    Clock,
    DiceRemoved,
    DiceRolled,
    FlowerShown,
    HandCounted,
    MeldShown,
    NotLooked,
    Place,
    PoolDisturbed,
    Slot,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    TileExposed,
    TileRetracted,
    TileReturned,
    WallRaised,
)
from table_controller.domain.outputs import Alert, Output
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.happenings.looks.places import SEATS
from table_controller.rulesets import load
from tests.table_controller.game.scenes import Scene, tiles, won


def raised(scene: Scene, until: float | None = None, ruleset: str = "mcr-1998") -> list[str]:
    """Alerts given out by then, asked ten times a second, without a last word."""
    return [each.id for each in said_of(scene, until, ruleset) if isinstance(each, Alert)]


def said_of(scene: Scene, until: float | None = None, ruleset: str = "mcr-1998") -> list[Output]:
    """All that is given out by then."""
    engine = Engine(load(ruleset), 0)
    said: list[Output] = []
    t = 0.0
    for happening in scene.said:
        while t < happening.t:
            said += engine.pass_time(t)
            t += 0.1
        said += engine.step(happening)
    until = scene.t if until is None else until
    while t < until:
        said += engine.pass_time(t)
        t += 0.1
    said += engine.pass_time(until)
    return said


def test_three_steps_of_other_players_take_longer_than_one_count_comes_after_a_discard() -> None:
    """Whoever was thought to have drawn and discarded unseen had 1.7 s: the alert waited for it."""
    scene = Scene().start().play().rounds(5)
    scene.say(HandCounted, 1.66, seat=(scene.turn + 1) % 4, count=14, confidence=0.9998)
    assert raised(scene) == ["long-hand"]


@pytest.mark.parametrize(
    ("stage", "told"), [("touched", ["extra-draw"]), ("lifted", []), ("seen", [])]
)
def test_a_touch_out_of_order_is_no_more_when_the_hand_has_gone(
    stage: str, told: list[str]
) -> None:
    """It was told with the discard that followed, 1.5 s later; what was lifted goes back first."""
    scene = Scene().start().play().draw()
    slot = scene.wall.slot(scene.front()[0])
    scene.say(TileDrawn, 0.3, seat=1, slots=(slot,), stage=stage)
    assert raised(scene, scene.t + 0.3) == []
    assert raised(scene, scene.t + 0.7) == told


@pytest.mark.parametrize(
    ("laid", "end", "told"),
    [
        pytest.param(-0.2, "front", ["wrong-replacement"], id="it lay before he drew"),
        pytest.param(-0.2, "back", [], id="and he reached for the right tile"),
        pytest.param(0.5, "front", ["extra-draw"], id="he laid it out while he drew"),
    ],
)
def test_a_flower_told_after_the_draw_that_was_for_it(
    laid: float, end: str, told: list[str]
) -> None:
    """The arm that went on to the wall hid it for 1.7 s: it was an `extra-draw` (1725013)."""
    scene = Scene().start().play().draw()
    seat = scene.turn
    slots = (scene.wall.slot((scene.front() if end == "front" else scene.back())[0]),)
    scene.say(TileDrawn, 0.3, seat=seat, slots=slots, stage="touched")
    scene.say(TileDrawn, 0.3, seat=seat, slots=slots, stage="lifted")
    scene.say(TileDrawn, 0.3, seat=seat, slots=slots, stage="seen")
    scene.say(FlowerShown, 0.1, seat=seat, tile=Tile("7f"))
    scene.said[-1] = replace(scene.said[-1], t=scene.said[-4].t + laid)
    scene.say(TileReturned, 0.5, seat=seat, slots=slots)
    assert raised(scene) == told


@pytest.mark.parametrize("values", [(5, 4), (2, 3)])
def test_a_wrong_thrower_may_throw_what_the_first_one_threw(values: tuple[int, int]) -> None:
    engine = Engine(load("mcr-1998"), 3)
    engine.step(WallRaised(t=4.5, stacks=(18, 18, 18, 18)))
    engine.step(DiceRolled(t=6.3, values=(5, 4), seat=3))
    said = engine.step(DiceRolled(t=8.0, values=values, seat=2))
    assert [(a.id, a.seat) for a in said if isinstance(a, Alert)] == [("wrong-thrower", 2)]


def test_a_refused_throw_leaves_no_trace() -> None:
    engine = Engine(load("mcr-1998"), 3)
    engine.step(WallRaised(t=4.5, stacks=(18, 18, 18, 18)))
    engine.step(DiceRolled(t=6.3, values=(5, 4), seat=3))
    table = engine.best.copy()
    assert not table.accept(DiceRolled(t=8.0, values=(5, 4), seat=2))
    assert table.dice_t == 6.3  # type: ignore[attr-defined]
    assert table.thrown == engine.best.thrown  # type: ignore[attr-defined]


def test_dice_that_somebody_takes_away_had_been_thrown() -> None:
    """A wrong break waited nine seconds: the wrong thrower's dice might have been none at all."""
    four = tuple(Slot(2, n, layer) for n in (11, 12) for layer in ("top", "bottom"))
    engine = Engine(load("riichi-xjtu-2025"), 0)
    said = []
    for happening in (
        WallRaised(t=4.4, stacks=(17, 17, 17, 17), confidence=0.95),
        DiceRolled(t=6.9, values=(5, 6), seat=1, confidence=0.995),
        DiceRemoved(t=7.6, seat=0, confidence=0.95),
        TileDrawn(t=9.0, seat=0, slots=four, confidence=0.9995),
    ):
        said += engine.step(happening)
    assert [a.id for a in said if isinstance(a, Alert)] == ["wrong-thrower", "wrong-break"]


@pytest.mark.parametrize(("ahead", "told"), [(1, ["premature-draw"]), (0, [])])
def test_the_hand_that_waits_at_the_wall_covers_its_own_pool(ahead: int, told: list[str]) -> None:
    """It was held back for that; the discard it does not wait for comes to lie in another pool.

    Where that one is covered nobody knows which of both was first.
    """
    scene = Scene().start().play().rounds(2).draw()
    drawer, covered = (scene.turn + 1) % 4, (scene.turn + ahead) % 4
    slot = scene.wall.slot(scene.front()[0])
    scene.say(NotLooked, 0.1, where="pool", seat=covered)
    scene.say(TileDrawn, 0.4, seat=drawer, slots=(slot,), stage="touched")
    scene.say(TileDrawn, 0.2, seat=drawer, slots=(slot,), stage="lifted")
    scene.play()
    scene.say(TileReturned, 0.6, seat=drawer, slots=(slot,))
    assert raised(scene, scene.t + 2.0) == told


def test_four_tiles_face_down_claim_nothing() -> None:
    scene = Scene().start().play().rounds(2)
    seat = (scene.turn + 2) % 4
    backs = (Tile.BACK,) * 4
    scene.say(MeldShown, 0.6, seat=seat, tiles=backs, face_down=(0, 1, 2, 3))
    assert raised(scene) == ["kong-illegal"]


def test_a_replacement_from_the_front_is_no_wall_gone_unseen() -> None:
    scene = Scene().start().play().rounds(2).draw()
    scene.concealed_kong(scene.turn)
    replacement = scene.drawn()
    index = scene.wall.index(replacement.slots[0])
    assert index is not None
    scene.wall.put(index)
    front = scene.front()
    scene.said[-1] = replace(replacement, slots=(scene.wall.slot(front[0]),))
    assert raised(scene) == ["wrong-replacement"]


def test_who_gives_a_wrong_replacement_back_has_the_right_one_yet() -> None:
    """It was told as taken before it went back; the right one was a draw from the dead wall."""
    scene = Scene().start().play().rounds(2).draw()
    seat = scene.turn
    scene.concealed_kong(seat)
    right = scene.drawn()
    scene.said.pop()
    wrong = (scene.wall.slot(scene.front()[0]),)
    scene.say(TileDrawn, 0.1, seat=seat, slots=wrong, stage="taken")
    scene.say(TileReturned, 1.0, seat=seat, slots=wrong)
    scene.say(TileDrawn, 1.0, seat=seat, slots=right.slots)
    scene.say(HandCounted, 2.0, seat=seat, count=11)
    scene.play().rounds(1)
    assert raised(scene) == ["wrong-replacement"]


def test_a_late_pung_over_a_chow_is_late_when_it_is_called() -> None:
    scene = Scene().start().play().rounds(2).draw().play("5s")
    scene.say(Call, 0.5, seat=scene.turn, call="chow")
    scene.say(Call, 3.0, seat=(scene.turn + 1) % 4, call="pung")
    assert raised(scene) == ["claim-late"]
    # It is refused, so nobody carries it out; who called the chow thought better of it.
    assert raised(scene.draw()) == ["claim-late"]


def test_a_call_in_time_is_not_late() -> None:
    scene = Scene().start().play().rounds(2).draw().play("5s")
    scene.say(Call, 0.5, seat=scene.turn, call="chow")
    scene.say(Call, 2.0, seat=(scene.turn + 1) % 4, call="pung")
    assert raised(scene) == []


def test_a_discard_is_slow_when_its_time_is_over() -> None:
    scene = Scene().start().play().rounds(2).draw()
    last = scene.t - scene.step_s  # the discard before
    limit = load("mcr-1998").timers.discard_s
    assert limit is not None
    assert raised(scene, last + limit + 0.7) == []
    assert raised(scene, last + limit + 1.0) == ["discard-slow"]


def test_a_set_that_lies_wrongly_is_told_while_its_owner_thinks() -> None:
    scene = Scene().start().play().rounds(2).draw().play("4s")
    scene.call_set(scene.turn, "23s", sideways=2)
    assert raised(scene) == ["meld-misplaced"]


def test_a_pung_that_lies_wrongly_may_become_a_kong() -> None:
    """Laid tile by tile, and nobody called: it is told when no fourth tile came."""
    scene = Scene().start().play().rounds(2).draw().play("4s")
    scene.call_set((scene.turn + 1) % 4, "44s", sideways=0)
    assert raised(scene, scene.t + 0.8) == []
    assert raised(scene, scene.t + 1.1) == ["meld-misplaced"]


def test_a_discard_that_was_still_held_when_counted_is_missing() -> None:
    scene = Scene().start().play().rounds(4).draw()
    forgetful = scene.turn
    scene.take((forgetful + 1) % 4, scene.front())
    scene.say(HandCounted, 0.5, seat=forgetful, count=14)
    scene.discard((forgetful + 1) % 4, scene.face())
    assert raised(scene) == ["discard-missing"]


@pytest.mark.parametrize("confidence", [0.99, 0.998, 1.0])
def test_a_tile_that_lies_among_the_flowers_is_read_again_and_again(confidence: float) -> None:
    scene = Scene().start().play().rounds(2).draw()
    scene.say(FlowerShown, 0.7, seat=scene.turn, tile=Tile.S1, confidence=confidence)
    assert raised(scene) == ["flower-mistaken"]


def test_a_slot_is_not_mistaken_for_one_across_the_table() -> None:
    scene = Scene().start().play().rounds(2)
    far = scene.wall.slot(scene.front()[0] + 40)
    for stage in ("touched", "seen", "taken"):
        scene.say(TileDrawn, 0.4, seat=scene.turn, slots=(far,), stage=stage, confidence=0.998)
    assert raised(scene) == ["wrong-draw"]


@pytest.mark.parametrize(
    ("stage", "beside", "told"),
    [
        ("touched", 2, ["draw-out-of-turn"]),
        ("touched", 4, []),
        ("lifted", 2, []),
    ],
)
def test_a_touch_out_of_turn_is_one_though_the_fingers_are_seen_on_the_stack_beside(
    stage: str, beside: int, told: list[str]
) -> None:
    scene = Scene().start().play().rounds(2)
    slot = scene.wall.slot(scene.front()[0] // 2 * 2 + beside)
    scene.say(
        TileDrawn, 0.4, seat=(scene.turn + 1) % 4, slots=(slot,), stage=stage, confidence=0.998
    )
    scene.draw().play()
    assert raised(scene, scene.t + 2.0) == told


def test_one_count_of_a_closed_row_tells_a_tile_too_few() -> None:
    scene = Scene().start().play().rounds(4)
    seat = (scene.turn + 1) % 4
    scene.say(HandCounted, 0.5, seat=seat, count=12, confidence=0.9998)
    assert raised(scene) == ["short-hand"]


def test_one_count_of_a_row_with_a_hole_tells_nothing() -> None:
    scene = Scene().start().play().rounds(4)
    seat = (scene.turn + 1) % 4
    scene.say(HandCounted, 0.5, seat=seat, count=12, confidence=0.98)
    scene.rounds(2)
    assert raised(scene) == []


def test_a_tile_on_its_way_to_the_pool_is_not_missing_in_its_row() -> None:
    scene = Scene().start().play().rounds(4).draw()
    scene.say(HandCounted, 0.5, seat=scene.turn, count=13, confidence=0.9998)
    scene.play(wait=0.1).rounds(2)
    assert raised(scene) == []


@pytest.mark.parametrize("confidence", [0.996, 0.9998])
def test_a_discard_that_lies_there_is_no_illusion(confidence: float) -> None:
    scene = Scene().start().play().rounds(4)
    seat = (scene.turn + 3) % 4
    scene.discard(seat, scene.face(), confidence=confidence)
    assert raised(scene) == ["discard-extra"]


def test_an_alert_of_all_readings_does_not_wait_for_what_else_one_of_them_says() -> None:
    scene = Scene().start().play().rounds(4)
    seat, by = (scene.turn + 1) % 4, (scene.turn + 2) % 4
    scene.say(HandCounted, 0.5, seat=seat, count=12, confidence=0.998)
    scene.say(TileExposed, 0.5, where="hand", seat=seat, tile=Tile.M5, by=by)
    assert raised(scene, scene.t + 0.8) == ["other-tile-exposed"]


def test_a_draw_told_late_did_not_go_unseen() -> None:
    scene = Scene().start().play().rounds(4).draw()
    drawn = scene.said.pop()
    scene.play().rounds(1)
    engine = Engine(load("mcr-1998"), 0)
    for happening in scene.said:
        engine.step(happening)
    assert engine.best.unseen == 1
    engine.step(drawn)
    assert engine.best.unseen == 0


def test_what_was_called_for_unseen_was_taken_before_the_set_is_told() -> None:
    """Discarded and fetched in a pause; the set was told after the discard that followed it."""
    scene = Scene().start().play().rounds(5).draw().play("2m")
    discarder, caller = scene.last[0], SEATS[(scene.turn + 1) % 4]
    scene.said.pop()
    scene.pools[discarder] -= 1
    scene.say(Call, 0.3, seat=caller, call="pung")
    shown = round(scene.t + 2.0, 3)
    scene.discard(caller, scene.face(), wait=2.8)
    scene.said.append(MeldShown(t=shown, seat=caller, tiles=tiles("222m"), sideways=0))
    scene.say(HandCounted, 0.7, seat=caller, count=10)
    scene.turn = (caller + 1) % 4
    for _ in range(4):
        seat = scene.turn
        scene.draw().play()
        scene.say(HandCounted, 0.1, seat=seat, count=10 if seat == caller else 13)
    assert scene.judge().ids == []


def test_enough_that_went_on_as_expected_settles_what_went_unseen() -> None:
    scene = Scene().start().play().rounds(4).draw()
    scene.said.pop()
    scene.play().rounds(3)
    taker = (scene.turn + 3) % 4
    scene.say(TileRetracted, 0.4, seat=taker, tile=scene.last[1], confidence=0.995)
    assert raised(scene) == ["discard-retracted"]


@pytest.mark.parametrize("confidence", [0.9, 0.98])
@pytest.mark.parametrize(("rounds", "told"), [(0, []), (2, ["discard-retracted"])])
def test_what_went_unseen_is_settled_although_something_else_is_in_doubt(
    confidence: float, rounds: int, told: list[str]
) -> None:
    """Two readings, of which one held a count for true, had kept every later alert for 12 s."""
    scene = Scene().start().play().rounds(4).draw()
    scene.said.pop()
    scene.play().rounds(1)
    scene.say(HandCounted, 0.5, seat=(scene.turn + 1) % 4, count=12, confidence=confidence)
    scene.rounds(rounds)
    taker = (scene.turn + 3) % 4
    scene.say(TileRetracted, 0.4, seat=taker, tile=scene.last[1], confidence=0.995)
    assert raised(scene) == told


def test_a_tile_laid_back_after_a_push_is_the_one_that_lay_there() -> None:
    scene = Scene().start().play().rounds(20)
    seat = (scene.turn + 2) % 4
    lying = next(h for h in scene.said if h.kind == "tile_discarded" and h.seat == seat)
    scene.say(PoolDisturbed, 0.5, seat=seat, by=(seat + 1) % 4)
    scene.say(
        TileDiscarded,
        2.0,
        seat=seat,
        tile=lying.tile,
        place=lying.place,
        confidence=0.996,
    )
    scene.rounds(2)
    assert raised(scene) == ["pool-disturbed"]


@pytest.mark.parametrize(("confidence", "told"), [(0.764, []), (0.9, ["own-tile-exposed"])])
def test_a_face_in_a_hand_that_is_hardly_read_may_be_a_die(
    confidence: float, told: list[str]
) -> None:
    scene = Scene().start().play().rounds(4)
    seat = (scene.turn + 2) % 4
    scene.say(TileExposed, 0.5, where="hand", seat=seat, tile=Tile.P5, confidence=confidence)
    assert raised(scene, scene.t + 1.0) == told


@pytest.mark.parametrize(
    ("called", "by", "told"),
    [
        pytest.param("win", 0, [], id="he shows what he wins with"),
        pytest.param("win", 1, ["other-tile-exposed"], id="another makes them fall"),
        pytest.param("pung", 0, ["own-tile-exposed"], id="no win was declared"),
    ],
)
@pytest.mark.parametrize("where", ["hand", "table"])
def test_who_has_declared_a_win_exposes_no_tile_of_his_own(
    called: str, by: int, told: list[str], where: str
) -> None:
    """The tile that was fetched lay before the row until that was laid open, 1.0 s later."""
    scene = Scene().start().play().rounds(4)
    seat = (scene.turn + 2) % 4
    scene.say(Call, 0.3, seat=seat, call=called)
    who = (seat + by) % 4
    scene.say(TileExposed, 0.7, where=where, seat=seat, by=who, tile=Tile.P5, confidence=0.98)
    assert raised(scene, scene.t + 1.0) == told


@pytest.mark.parametrize("beside", [Place(2, 8), Place(3, 2), None])
def test_after_a_discard_beside_the_rows_the_next_ones_lie_right(beside: Place | None) -> None:
    scene = Scene().start().play().rounds(7).draw()
    seat = scene.turn
    scene.play(place=beside)
    scene.pools[seat] -= 1
    scene.rounds(8)
    assert raised(scene) == ["discard-misplaced"]


@pytest.mark.parametrize(("confidence", "told"), [(0.85, []), (0.96, ["flower-mistaken"])])
def test_a_face_that_is_fairly_sure_is_believed_rather_than_misread(
    confidence: float, told: list[str]
) -> None:
    scene = Scene().start().play().rounds(2).draw()
    scene.say(FlowerShown, 0.7, seat=scene.turn, tile=Tile.S1, confidence=confidence)
    assert scene.judge().ids == told


@pytest.mark.parametrize("claimed", [True, False])
def test_a_call_while_the_next_player_draws_may_be_late(claimed: bool) -> None:
    """The draw was told 0.2 s late, and so after a call that was carried out after it."""
    scene = Scene().start().play().rounds(2).draw().play("4s")
    caller = (scene.turn + 1) % 4
    scene.say(Call, 1.0, seat=caller, call="pung")
    scene.step_s, step = 0.1, scene.step_s
    scene.draw()
    scene.step_s = step
    assert raised(scene) == []
    if claimed:
        scene.say(TileClaimed, 0.5, seat=caller, tile=Tile.S4, from_=(scene.turn + 3) % 4)
        assert raised(scene, scene.t + 2.5) == ["claim-after-draw"]
    else:
        assert raised(scene, scene.t + 2.5) == ["call-not-executed"]


def test_a_touch_out_of_turn_goes_on_after_a_discard_that_was_told_late() -> None:
    """The discard lay before the touch and was told after it: two alerts for one draw."""
    scene = Scene().start().play().rounds(2).draw().play()
    seat = (scene.turn + 1) % 4
    scene.reach(seat, "touched").reach(seat, "lifted").reach(seat, "seen")
    touched = next(
        at for at, h in enumerate(scene.said) if isinstance(h, TileDrawn) and h.stage == "touched"
    )
    scene.said[touched - 1 : touched + 1] = [scene.said[touched], scene.said[touched - 1]]
    slot = scene.drawn(touched - 1).slots
    scene.say(TileReturned, 0.5, seat=seat, slots=slot)
    assert raised(scene, scene.t + 2.0) == ["draw-out-of-turn"]


def test_a_premature_touch_that_was_taken_to_be_given_up_and_went_on_is_one() -> None:
    """Its lifting was told 1.5 s late."""
    scene = Scene().start().play().rounds(2).draw()
    seat = (scene.turn + 1) % 4
    scene.reach(seat, "touched")
    late = replace(scene.drawn(), t=scene.t + 0.3, stage="lifted")
    scene.play()
    scene.say(HandCounted, 1.5, seat=(scene.turn + 2) % 4, count=13)
    scene.said.append(late)
    scene.draw()
    assert raised(scene, scene.t + 2.0) == ["premature-draw"]


def paused(scene: Scene, seconds: float) -> Scene:
    scene.say(Clock, 0.5, event="paused")
    scene.say(Clock, seconds, event="resumed")
    return scene


@pytest.mark.parametrize("ruleset", ["mcr-1998", "mcr-2002-tianjin"])
def test_the_referees_pause_is_no_time_to_think(ruleset: str) -> None:
    scene = Scene().start().play().rounds(2).draw()
    rules = load(ruleset).timers
    assert rules.discard_s is not None
    since = scene.t if rules.discard_from == "draw" else scene.t - scene.step_s
    paused(scene, 120.0)
    assert raised(scene, since + 120.0 + rules.discard_s + 0.7, ruleset) == []
    assert raised(scene, since + 120.0 + rules.discard_s + 1.0, ruleset) == ["discard-slow"]


def test_the_time_for_a_win_stands_still_while_the_referee_pauses() -> None:
    """003 Q27: 15 s from the draw."""
    scene = paused(Scene().start().play().draw(), 120.0)
    scene.t += 2.0
    won(scene, 1, "123456789m 11p 45s", "3s", close=False)
    assert raised(scene, ruleset="mcr-2002-tianjin") == []
    scene.said.pop()
    scene.t += 15.0
    won(scene, 1, "123456789m 11p 45s", "3s", close=False)
    assert "win-while-barred" in raised(scene, ruleset="mcr-2002-tianjin")


def test_the_dealers_time_begins_when_the_last_flower_is_replaced() -> None:
    """001 §2.2 four; 000 Q33: when all flowers are replaced."""
    scene = Scene().start()
    scene.say(FlowerShown, 20.0, seat=3, tile=Tile("1f"))
    scene.take(3, scene.back(), 8.0)
    assert raised(scene, scene.t + 30.7) == []
    assert raised(scene, scene.t + 31.0) == ["discard-slow"]


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("button", [False, True])
def test_a_pung_over_a_draw_that_was_too_early_is_in_time(back: bool, button: bool) -> None:
    """000 Q37: the tile that was drawn is the claimer's neighbour's."""
    scene = Scene().start()
    scene.take(1, scene.front(), 1.0)
    slots = scene.drawn().slots
    scene.play("3p", wait=0.5)
    if button:
        scene.say(Call, 0.4, seat=2, call="pung")
    if back:
        scene.say(TileReturned, 0.3, seat=1, slots=slots)
    scene.call_set(2, "33p", wait=0.4)
    assert raised(scene, scene.t + 3.0) == ["premature-draw"]


@pytest.mark.parametrize(
    ("early", "done", "told"),
    [
        pytest.param(0.08, False, ["call-not-executed"], id="it was told that much late"),
        pytest.param(0.08, True, [], id="and it is carried out"),
        pytest.param(0.5, False, [], id="it may have been about another"),
    ],
)
def test_a_button_may_be_pressed_a_moment_before_the_discard_is_told(
    early: float, done: bool, told: list[str]
) -> None:
    """The discard lay under its hand for a third of a second (qixing 2006002)."""
    scene = Scene().start().play().rounds(2).draw()
    caller = (scene.turn + 2) % 4
    scene.say(Call, 0.7 - early, seat=caller, call="pung")
    scene.play("4s", wait=early)
    if done:
        scene.call_set(caller, "44s").play("9s")
    scene.rounds(1)
    assert raised(scene, scene.t + 5.0) == told


@pytest.mark.parametrize(("wait", "told"), [(1.2, []), (4.0, ["call-not-executed"])])
def test_a_pung_that_was_called_before_a_draw_is_waited_for(wait: float, told: list[str]) -> None:
    """003 Q18: he who drew so quickly has to give way."""
    scene = Scene().start().play("3p")
    scene.say(Call, 0.6, seat=2, call="pung")
    scene.draw(wait=0.6)
    scene.say(TileClaimed, wait, seat=2, tile=Tile.P3, from_=0)
    assert raised(scene, scene.t + 2.5) == told
