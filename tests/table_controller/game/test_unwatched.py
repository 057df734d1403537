"""Gaps that go on, end beside each other, or last from one hand to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import (
    Call,
    Clock,
    DiceRemoved,
    FlowerShown,
    HandCounted,
    HandShown,
    Happening,
    IndicatorTurned,
    NotLooked,
    Place,
    StickPlaced,
    TileDiscarded,
)
from table_controller.domain.outputs import Alert, HandRecord, Move, Output
from table_controller.game.engine import Engine
from table_controller.referee.decisions import Verdict, Verdicts
from table_controller.rulesets import load
from tests.table_controller.game.scenes import READY, Scene, tiles, won
from tests.table_controller.game.unwatched import Unwatched, begun

TURNS = "draw-out-of-turn"


def out_of_turn(scene: Unwatched) -> list[str]:
    """What is said of a draw out of turn, some turns later."""
    scene.rounds(4)
    scene.draw((scene.turn + 2) % 4)
    return scene.rounds(5).judge().ids


@pytest.mark.parametrize("other", ["pool", "wall", "meld", "all"])
@pytest.mark.parametrize("first", ["hand", "other"])
def test_of_two_gaps_the_one_of_a_hand_holds_nothing_back_for_ever(other: str, first: str) -> None:
    """Somebody leans over his row: his pool comes in sight before his hand does."""
    scene = begun()
    hand, gap = scene.cover("hand", 0), scene.cover(other)
    ends = (hand, gap) if first == "hand" else (gap, hand)
    for one in ends:
        scene.uncover(one)
    assert out_of_turn(scene) == [TURNS]


def test_a_gap_that_goes_on_holds_back_until_it_ends() -> None:
    scene = begun()
    scene.cover("hand", 0)
    scene.cover("all")
    assert out_of_turn(scene) == []


def test_few_looks_go_on_in_the_next_hand() -> None:
    """They are told once, and not again when the next walls stand."""
    scene = begun()
    gap = scene.cover("all")
    won(scene, 2, READY, None)
    again = Unwatched(2, 1)
    again.t = scene.t + 5.0
    again.start().play().rounds(3)
    again.turn = (again.turn + 3) % 4
    at = again.pools[again.turn] + 2
    again.draw().play(place=Place(at // 6, at % 6))
    again.rounds(3)
    scene.said += again.said
    engine, said = judged(scene.said)
    assert [a.id for a in said if isinstance(a, Alert)] == []
    assert engine.best.doubt is not None
    assert engine.best.looked("pool", 1, 0.0) is False  # type: ignore[attr-defined]
    _, said = judged([*scene.said, replace(gap, until=again.t)])
    assert [a.id for a in said if isinstance(a, Alert)] == []


def judged(story: Sequence[Happening], ruleset: str = "mcr-1998") -> tuple[Engine, list[Output]]:
    """What the rules say, asked ten times a second."""
    engine = Engine(load(ruleset), 0)
    said: list[Output] = []
    t = story[0].t
    for happening in story:
        while t < happening.t:
            said += engine.pass_time(t)
            t += 0.1
        said += engine.step(happening)
    return engine, said


def test_counts_while_nobody_looks_often_do_not_settle_a_hand() -> None:
    scene = begun()
    gap = scene.cover("all")
    seat = scene.turn
    scene.rounds(1)
    scene.say(HandCounted, 0.5, seat=seat, count=13)
    scene.rounds(3)
    scene.say(HandCounted, 0.5, seat=seat, count=12)
    scene.rounds(4)
    assert scene.judge(flush=False).ids == []
    scene.uncover(gap).rounds(4)
    scene.say(HandCounted, 0.5, seat=seat, count=13)
    scene.rounds(4)
    assert scene.judge().ids == []


# -- the end of the wall --------------------------------------------------------------------------


def wall_used_up(ruleset: str) -> tuple[list[Happening], float]:
    """A hand that nobody wins, up to its last discard, and when that lies."""
    wish = HandWish(win_by="none", claims=0.0, riichi=False)
    director = Director(Scenario(ruleset=ruleset, seed=7, wishes=(wish,)))
    story = director.truth()
    (last,) = [h for h in story if isinstance(h, TileDiscarded)][-1:]
    return [h for h in story if h.t <= last.t], last.t


@pytest.mark.parametrize("looked", [True, False])
def test_a_wall_that_is_used_up_ends_the_hand_once_nobody_can_have_won(looked: bool) -> None:
    story, last = wall_used_up("mcr-1998")
    engine, said = judged(story)
    assert not [o for o in said if isinstance(o, HandRecord)]
    if not looked:
        said = engine.step(NotLooked(t=last + 0.4, where="all", until=last + 6.0))
    said += engine.pass_time(last + 10.5)
    hands = [o for o in said if isinstance(o, HandRecord)]
    assert len(hands) == looked
    hands += [o for o in engine.pass_time(last + 16.5) if isinstance(o, HandRecord)]
    assert [(hand.result, hand.confirmed) for hand in hands] == [("exhausted", looked)]


@pytest.mark.parametrize(("ruleset", "ends"), [("mcr-1998", True), ("mcr-2002-tianjin", False)])
def test_a_last_tile_that_is_a_flower_ends_the_hand_where_it_does(ruleset: str, ends: bool) -> None:
    """000 Q38, Q133: no replacement is left, the hand is drawn; 003 Q34: a tile is discarded."""
    wish = HandWish(win_by="none", claims=0.0)
    story = Director(Scenario(ruleset="mcr-1998", seed=5, wishes=(wish,))).truth()
    (last,) = (h for h in story[-1:] if isinstance(h, FlowerShown))
    engine, said = judged(story, ruleset)
    assert not [o for o in said if isinstance(o, HandRecord)]
    assert not [o for o in engine.pass_time(last.t + 9.5) if isinstance(o, HandRecord)]
    hands = [o for o in engine.pass_time(last.t + 10.5) if isinstance(o, HandRecord)]
    assert [hand.result for hand in hands] == (["exhausted"] if ends else [])


@pytest.mark.parametrize("looked", [True, False])
def test_a_riichi_wall_that_is_used_up_waits_for_the_hands_that_are_ready(looked: bool) -> None:
    """002 6.6: one after the other opens his hand; each has time after the one before."""
    story, last = wall_used_up("riichi-xjtu-2025")
    engine, said = judged(story, "riichi-xjtu-2025")
    if not looked:
        said += engine.step(NotLooked(t=last + 0.4, where="all", until=last + 6.0))
    said += engine.pass_time(last + 40.0)
    seat = next(s for s in range(4) if not engine.best.seats[s].melds)
    said += engine.step(HandShown(t=last + 41.0, seat=seat, tiles=tiles(READY)))  # type: ignore[arg-type]
    said += engine.pass_time(last + 85.0)
    assert not [o for o in said if isinstance(o, HandRecord)]
    hands = [o for o in engine.pass_time(last + 87.0) if isinstance(o, HandRecord)]
    assert [(hand.result, hand.confirmed) for hand in hands] == [("exhausted", looked)]
    assert hands[0].payments[seat] == 3000


def test_a_wall_that_is_used_up_ends_no_hand_while_the_clock_stands() -> None:
    story, last = wall_used_up("riichi-xjtu-2025")
    engine, said = judged(story, "riichi-xjtu-2025")
    said += engine.step(Clock(t=last + 5.0, event="paused"))
    said += engine.pass_time(last + 100.0)
    said += engine.step(Clock(t=last + 101.0, event="resumed"))
    said += engine.pass_time(last + 140.0)
    assert not [o for o in said if isinstance(o, HandRecord)]
    said = engine.pass_time(last + 142.0)
    assert [o.result for o in said if isinstance(o, HandRecord)] == ["exhausted"]


@pytest.mark.parametrize("where", ["", "all", "hand"])
def test_ready_hands_that_nobody_saw_are_for_the_referee(where: str) -> None:
    story, last = wall_used_up("riichi-xjtu-2025")
    engine, said = judged(story, "riichi-xjtu-2025")
    if where:
        said += engine.step(NotLooked(t=last + 0.4, where=where, until=last + 6.0))  # type: ignore[arg-type]
    said += engine.flush(last + 8.0)
    hands = [o for o in said if isinstance(o, HandRecord)]
    assert [(hand.result, hand.confirmed) for hand in hands] == [("exhausted", not where)]


# -- what is barred by an alert that is not raised -------------------------------------------------


@pytest.mark.parametrize("told", [False, True])
def test_nobody_is_barred_by_a_draw_that_a_gap_explains(told: bool) -> None:
    """The gap was told between two stages of the draw: no alert, and yet the hand was dead."""
    scene = begun()
    since, seat = scene.t, (scene.turn + 2) % 4
    scene.reach(seat, "touched")
    if told:
        scene.said.append(NotLooked(t=since - 0.5, where="all"))
    scene.draw(seat, 0.6)
    judged_ = scene.judge(flush=False)
    assert judged_.engine.best.seats[seat].dead is not told


@pytest.mark.parametrize("dismissed", [False, True])
def test_nobody_is_barred_by_an_alert_that_was_dismissed(dismissed: bool) -> None:
    scene = begun()
    seat = scene.turn
    scene.play()
    scene.rounds(4)
    found = next(a for a in scene.judge().alerts if a.id == "missed-draw")
    verdicts = Verdicts()
    if dismissed:
        verdicts = Verdicts({(found.id, found.seat, round(found.t, 3)): Verdict(dismissed=True)})
    engine = Engine(load("mcr-1998"), 0, verdicts)
    for happening in scene.said:
        engine.step(happening)
    assert engine.best.seats[seat].dead is not dismissed


# -- riichi ---------------------------------------------------------------------------------------


def riichi_hand(seed: int = 3) -> tuple[list[Happening], TileDiscarded]:
    """A hand in which somebody declares riichi and discards again, and the declaration."""
    wish = HandWish(win_by="none", claims=0.0, riichi=True, ready=2)
    story = Director(Scenario(ruleset="riichi-xjtu-2025", seed=seed, wishes=(wish,))).truth()
    first = next(h for h in story if isinstance(h, TileDiscarded) and h.rotated)
    return story, first


@pytest.mark.parametrize("gap", [False, True])
def test_a_riichi_stands_where_a_changed_hand_may_not_have_been_seen(gap: bool) -> None:
    story, first = riichi_hand()
    later = next(
        h for h in story if isinstance(h, TileDiscarded) and h.seat == first.seat and h.t > first.t
    )
    told: list[Happening] = []
    for happening in story:
        if happening.t > later.t + 1.0:
            break
        if happening is later:
            if gap:
                told.append(NotLooked(t=later.t - 2.0, where="all"))
            told.append(replace(later, drawn=False))
        else:
            told.append(happening)
    engine, said = judged(told, "riichi-xjtu-2025")
    ids = [o.id for o in said if isinstance(o, Alert)]
    assert ids == ([] if gap else ["riichi-changed-hand"])
    assert engine.best.in_riichi(first.seat) is gap  # type: ignore[attr-defined]


@pytest.mark.parametrize("called", [True, False])
@pytest.mark.parametrize("turns", [4, 8])
def test_a_riichi_after_turns_that_nobody_saw_is_declared(turns: int, called: bool) -> None:
    """Eight turns are taken up with the declaring discard, not made up one by one."""
    story, first = riichi_hand(1)
    discards = [h for h in story if isinstance(h, TileDiscarded) and h.t < first.t]
    since = discards[-turns].t + 0.1
    told: list[Happening] = [h for h in story if h.t <= since]
    told.append(NotLooked(t=since, where="all", until=first.t - 0.05))
    told += [
        h
        for h in story
        if first.t - 3.0 < h.t < first.t and isinstance(h, Call) and called and h.seat == first.seat
    ]
    told += [h for h in story if first.t <= h.t <= first.t + 30.0]
    engine, said = judged(told, "riichi-xjtu-2025")
    declared = [o.seat for o in said if isinstance(o, Move) and o.move == "riichi"]
    assert declared.count(first.seat) == 1
    assert [o.id for o in said if isinstance(o, Alert)] == []
    assert engine.best.riichi[first.seat].t == first.t  # type: ignore[attr-defined]


def without(story: Sequence[Happening], kind: type, since: float) -> list[Happening]:
    return [h for h in story if not (isinstance(h, kind) and h.t >= since)]


def test_a_stick_that_is_missing_is_told_although_nobody_looked_for_a_while() -> None:
    story, first = riichi_hand()
    told = without(story, StickPlaced, first.t)
    gap = NotLooked(t=first.t + 0.2, where="all", until=first.t + 2.0)
    told = sorted([*told, gap], key=lambda h: h.t)
    end = next(
        n for n, h in enumerate(told) if isinstance(h, TileDiscarded) and h.t > first.t + 25.0
    )
    _, said = judged(told[:end], "riichi-xjtu-2025")
    assert ("riichi-no-stick", first.seat) in [(o.id, o.seat) for o in said if isinstance(o, Alert)]


def test_an_indicator_that_is_missing_is_told_although_nobody_looked_for_a_while() -> None:
    story, _ = riichi_hand()
    told = without(story, IndicatorTurned, 0.0)
    began = next(h.t for h in told if isinstance(h, TileDiscarded))
    gap = NotLooked(t=began + 0.3, where="all", until=began + 1.8)
    told = sorted([*told, gap], key=lambda h: h.t)
    end = [n for n, h in enumerate(told) if isinstance(h, TileDiscarded)][12]
    _, said = judged(told[:end], "riichi-xjtu-2025")
    assert "indicator-not-turned" in [o.id for o in said if isinstance(o, Alert)]


def reminded(story: Sequence[Happening]) -> Alert:
    """The first reminder of dice that lie on the table."""
    _, said = judged(story, "mcr-2002-tianjin")
    return next(o for o in said if isinstance(o, Alert) and o.id == "dice-left")


def test_dice_that_lie_there_still_are_told_although_nobody_looked_for_a_while() -> None:
    scene = Scene()
    scene.start()
    scene.said = [h for h in scene.said if not isinstance(h, DiceRemoved)]
    scene.play()
    since = len(scene.said)
    gap = NotLooked(t=scene.t + 0.2, where="all", until=scene.t + 1.7)
    scene.rounds(9)
    watched = reminded(scene.said)
    unwatched = reminded([*scene.said[:since], gap, *scene.said[since:]])
    assert unwatched.t > watched.t
    assert unwatched.ruling == watched.ruling
