"""Where nobody looked nothing is concluded from what is missing; what was seen stays said."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.incidents import Wanted
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import (
    Call,
    FlowerShown,
    HandClosed,
    HandCounted,
    HandShown,
    MeldShown,
    NotLooked,
    Place,
    TileDrawn,
    TileExposed,
    TileReturned,
    WallDisturbed,
)
from table_controller.domain.outputs import Alert, Output
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.scenes import READY, tiles, won
from tests.table_controller.game.starved import RULESETS, Starving, judged, legal
from tests.table_controller.game.unwatched import Unwatched, begun


def no_draw(scene: Unwatched) -> None:
    scene.blink().play()


def two_draws(scene: Unwatched) -> None:
    scene.draw().blink().draw()


def not_his_turn(scene: Unwatched) -> None:
    scene.blink().draw((scene.turn + 2) % 4)


def not_his_discard(scene: Unwatched) -> None:
    scene.draw().play()
    scene.blink().play(seat=(scene.turn + 3) % 4)


def too_few(scene: Unwatched) -> None:
    scene.blink().say(HandCounted, seat=(scene.turn + 1) % 4, count=12)
    scene.rounds(1)


def too_many(scene: Unwatched) -> None:
    scene.blink().say(HandCounted, seat=(scene.turn + 1) % 4, count=14)
    scene.rounds(1)


def a_place_ahead(scene: Unwatched) -> None:
    at = scene.pools[scene.turn] + 2
    scene.blink().draw().play(place=Place(at // 6, at % 6))


def a_call_alone(scene: Unwatched) -> None:
    scene.draw().play()
    scene.say(Call, 0.5, seat=(scene.turn + 1) % 4, call="pung")
    scene.rounds(1)


ABSENT: dict[str, Callable[[Unwatched], None]] = {
    "missed-draw": no_draw,
    "extra-draw": two_draws,
    "draw-out-of-turn": not_his_turn,
    "discard-extra": not_his_discard,
    "short-hand": too_few,
    "long-hand": too_many,
    "discard-misplaced": a_place_ahead,
}
"""Infractions that consist of what was not seen, and how each is committed."""


@pytest.mark.parametrize("alert", ABSENT)
def test_it_is_an_infraction_where_everything_was_looked_at(alert: str) -> None:
    scene = begun()
    ABSENT[alert](scene)
    scene.rounds(5)
    assert alert in scene.judge().ids


@pytest.mark.parametrize("alert", ABSENT)
def test_it_is_none_where_nobody_looked(alert: str) -> None:
    scene = begun()
    scene.blinks = True
    ABSENT[alert](scene)
    scene.rounds(5)
    judged = scene.judge()
    assert not judged.ids
    best = judged.engine.best
    assert not any(seat.dead or seat.stop_win for seat in best.seats)


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("alert", ["missed-draw", "extra-draw", "draw-out-of-turn"])
def test_it_is_none_while_a_part_is_covered_though_the_game_is_seen_to_go_on(
    alert: str, over: bool
) -> None:
    """The arm over a pool was told when it had gone, a second after a false alert."""
    scene = begun()
    covered = NotLooked(t=scene.t, where="pool", seat=2)
    scene.said.append(covered)
    scene.rounds(4)
    if over:
        scene.said.append(replace(covered, until=scene.t))
        scene.rounds(2)
    ABSENT[alert](scene)
    scene.rounds(5)
    assert (alert in scene.judge().ids) is over


@pytest.mark.parametrize("alert", ABSENT)
def test_it_is_one_again_when_the_game_was_seen_to_go_on(alert: str) -> None:
    scene = begun().gap()
    for _ in range(4):  # everybody's hand is counted, everybody's pool seen to be right
        seat = scene.turn
        scene.draw().play()
        scene.say(HandCounted, 0.5, seat=seat, count=13)
    ABSENT[alert](scene)
    scene.rounds(5)
    assert alert in scene.judge().ids


@pytest.mark.parametrize("alert", ABSENT)
def test_it_stays_one_where_it_was_complete_before_the_gap(alert: str) -> None:
    scene = begun()
    ABSENT[alert](scene)
    scene.rounds(3)
    assert alert in scene.gap().rounds(4).judge().ids


def test_a_call_is_not_left_undone_where_nobody_looked() -> None:
    scene = begun()
    a_call_alone(scene)
    assert scene.judge().ids == ["call-not-executed"]
    scene = begun()
    scene.draw().play()
    scene.say(Call, 0.5, seat=(scene.turn + 1) % 4, call="pung")
    assert not scene.gap().rounds(4).judge().ids


@pytest.mark.parametrize("turns", [1, 2, 3, 5])
def test_the_game_is_taken_up_after_turns_that_nobody_saw(turns: int) -> None:
    scene = begun().unseen(turns).rounds(6)
    judged = scene.judge()
    assert not judged.ids
    best = judged.engine.best
    assert best.wall.front() == scene.wall.front()  # type: ignore[attr-defined]
    assert best.turn == scene.turn  # type: ignore[attr-defined]
    assert [len(seat.pool) for seat in best.seats] == scene.pools
    assert best.doubt is None


def test_what_lies_open_is_said_also_where_nobody_looked_a_moment_ago() -> None:
    scene = begun().gap()
    scene.say(TileExposed, 0.5, where="hand", seat=1, tile=Tile.M1, by=1)
    scene.say(WallDisturbed, 2.0, side=2, stacks=(4, 5), by=3, recoverable=True)
    scene.rounds(2)
    assert scene.judge().ids == ["own-tile-exposed", "wall-break"]


@pytest.mark.parametrize(("seat", "raised"), [(0, False), (1, True)])
def test_only_the_hand_that_was_covered_is_in_doubt(seat: int, raised: bool) -> None:
    scene = begun().gap(3.0, "hand", 0)
    scene.say(HandCounted, 0.5, seat=seat, count=12)
    scene.rounds(4)
    assert ("short-hand" in scene.judge().ids) is raised


# -- games of the virtual table -----------------------------------------------------------------


@cache
def hand(ruleset: str, seed: int) -> Director | None:
    return legal(ruleset, seed)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    ruleset=st.sampled_from(RULESETS),
    seed=st.integers(0, 3),
    starving=st.builds(
        Starving,
        how=st.sampled_from(("lost", "end")),
        looks=st.sampled_from(("gaps", "seldom")),
        seed=st.integers(0, 1000),
    ),
)
def test_no_legal_hand_is_an_infraction_because_nobody_looked(
    ruleset: str, seed: int, starving: Starving
) -> None:
    played = hand(ruleset, seed)
    if played is None:
        return
    story = played.truth()
    told = starving.told(story, starving.gaps(story))
    said = judged(told, ruleset, played.scenario.east)
    assert [(a.id, a.seat, a.t) for a in said if isinstance(a, Alert)] == []


@pytest.mark.parametrize(
    ("ruleset", "seed", "gaps"),
    [
        pytest.param("riichi-xjtu-2025", 0, 1, id="the break and a round of the deal"),
        pytest.param("riichi-xjtu-2025-sanma", 2, 1, id="the same, of three players"),
        pytest.param("riichi-xjtu-2025", 3, 8, id="after the dice two rounds of the deal"),
        pytest.param("riichi-xjtu-2025-sanma", 0, 6, id="a round of turns, before a discard"),
        pytest.param("riichi-xjtu-2025-sanma", 3, 5, id="another, and each draw was wrong"),
        pytest.param("riichi-xjtu-2025-sanma", 1, 5, id="another, and a draw was one too many"),
        pytest.param("mcr-1998", 1, 4, id="a flower and its replacement"),
        pytest.param("mcr-2002-tianjin", 1, 4, id="the same, and its drawer was barred"),
    ],
)
def test_what_was_lost_in_a_gap_makes_nothing_after_it_wrong(
    ruleset: str, seed: int, gaps: int
) -> None:
    played = hand(ruleset, seed)
    assert played is not None
    story = played.truth()
    starving = Starving("lost", "gaps", gaps)
    said = judged(starving.told(story, starving.gaps(story)), ruleset, played.scenario.east)
    assert [(a.id, a.seat, a.t) for a in said if isinstance(a, Alert)] == []


@pytest.mark.parametrize(("since_the_win", "raised"), [(True, True), (False, False)])
def test_a_hand_shown_beside_a_win_needs_nothing_that_went_before_it(
    since_the_win: bool, raised: bool
) -> None:
    scene = Unwatched()
    scene.start().play("3s")
    if not since_the_win:
        scene.gap(1.0)
    won(scene, 2, READY, None, close=False)
    if since_the_win:
        scene.gap(1.0)
    scene.say(HandShown, seat=1, tiles=tiles("1358m 2469p 147s 35z"))
    scene.say(HandClosed, 3.0, seat=2)
    assert ("hand-shown-early" in scene.judge().ids) == raised


@pytest.mark.parametrize(
    ("where", "raised"),
    [
        pytest.param("wall", True, id="the wall was hidden by the hand that peeks"),
        pytest.param("all", False, id="a win may have gone unseen: then it is turned by right"),
    ],
)
def test_a_tile_below_an_indicator_needs_no_turns(where: str, raised: bool) -> None:
    """Where the wall was opened is known from the deal; it had been held back with the turns."""
    wish = HandWish(discards=20, claims=0.0, win_by="none")
    scenario = Scenario(
        ruleset="riichi-xjtu-2025",
        seed=7,
        wishes=(wish,),
        wanted=((Wanted("ura-dora-peeked", at=3),),),
    )
    director = Director(scenario)
    (peek,) = director.infractions()
    engine = Engine(load(scenario.ruleset))
    said: list[Output] = []
    for happening in director.truth(t1=peek.t + 3.0):
        if happening.t >= peek.t - 0.5 and where:
            gap = NotLooked(t=peek.t - 0.6, where=where, seat=None, until=peek.t + 2.0)  # type: ignore[arg-type]
            said, where = said + engine.step(gap), ""
        said = said + engine.step(happening)
    said = said + engine.pass_time(peek.t + 3.0)
    ids = [out.id for out in said if isinstance(out, Alert)]
    assert ids == (["ura-dora-peeked"] if raised else [])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_readings_of_what_was_seen_keep_no_gap_open(seed: int) -> None:
    """A wrong indicator may have been misread, for all the hand: a pool covered for three seconds
    after it held a set that was none back a minute later (1836029)."""
    scenario = Scenario(
        ruleset="riichi-xjtu-2025",
        seed=seed,
        wishes=(HandWish(discards=24, claims=0.0, win_by="none"),),
        wanted=((Wanted("wrong-indicator"),),),
    )
    director = Director(scenario)
    (turned,) = director.infractions()
    engine, gap = Engine(load(scenario.ruleset)), turned.t + 1.0
    for happening in director.truth(t1=turned.t + 40.0):
        if happening.t > gap:
            engine.step(NotLooked(t=gap, where="pool", seat=1, until=happening.t))
            assert engine.best.doubt is not None
            gap = math.inf
        engine.step(replace(happening, confidence=0.99))
    assert engine.best.doubt is None


@pytest.mark.parametrize("taken", [False, True])
@pytest.mark.parametrize(
    ("where", "raised"), [("pool", True), ("wall", False), ("meld", False), ("all", False)]
)
def test_a_tile_from_the_wrong_place_needs_no_pool(where: str, raised: bool, taken: bool) -> None:
    """An arm that lay across a pool for long, to hold the tile, had held its own alert back."""
    scene = begun()
    covered = NotLooked(t=scene.t - 0.2, where=where, seat=scene.turn)  # type: ignore[arg-type]
    (front,) = scene.front()
    wrong = front + 2 + front % 2
    if taken:
        scene.take(scene.turn, (wrong,))
    else:
        scene.reach(scene.turn, "touched", wrong).reach(scene.turn, "lifted", wrong)
        slots = (scene.wall.slot(wrong),)
        scene.say(TileReturned, seat=scene.turn, slots=slots)
    scene.said[-1:-1] = [covered]
    scene.said.append(replace(covered, until=scene.t))
    if not taken:
        scene.draw()
    scene.play().rounds(3)
    assert ("wrong-draw" in scene.judge().ids) is raised


@pytest.mark.parametrize(
    ("where", "raised"), [("pool", True), ("wall", False), ("meld", False), ("all", False)]
)
def test_a_replacement_from_the_front_needs_no_pool(where: str, raised: bool) -> None:
    """The arm that lay across the owner's own pool had held its own alert back (1741002)."""
    scene = begun()
    scene.draw()
    scene.say(FlowerShown, 0.8, seat=scene.turn, tile=Tile("7f"))
    (front,) = scene.front()
    covered = NotLooked(t=scene.t - 0.5, where=where, seat=scene.turn)  # type: ignore[arg-type]
    for stage in ("touched", "lifted", "seen"):
        scene.reach(scene.turn, stage, front)
    scene.said.append(covered)
    scene.say(TileReturned, seat=scene.turn, slots=(scene.wall.slot(front),))
    scene.said.append(replace(covered, until=scene.t))
    scene.take(scene.turn, scene.back(), 1.0)
    scene.play().rounds(3)
    assert ("wrong-replacement" in scene.judge().ids) is raised


@pytest.mark.parametrize(
    ("covered", "lost", "raised"),
    [
        pytest.param([("pool", 0)], False, True, id="1767024"),
        pytest.param([("pool", 0), ("pool", 2)], False, True, id="two pools"),
        pytest.param([("pool", 0)], True, False, id="a discard was assumed"),
        pytest.param([("hand", 0)], False, False, id="its row"),
        pytest.param([("pool", 0), ("hand", 0)], False, False, id="a pool and its row"),
        pytest.param([("hand", 0), ("pool", 0)], False, False, id="its row and a pool"),
        pytest.param([("pool", 0), ("wall", None)], False, False, id="a pool and the wall"),
        pytest.param([("pool", 0), ("meld", None)], False, False, id="a pool and the sets"),
        pytest.param([("all", None)], False, False, id="everything"),
    ],
)
def test_covered_pools_change_no_hand(
    covered: list[tuple[str, int | None]], lost: bool, raised: bool
) -> None:
    """Counts are told as they change: a kong out of turn was held back for want of one."""
    scene = begun()
    gaps = [scene.cover(where, seat, 0.1) for where, seat in covered]
    scene.t += 2.0
    for gap in gaps:
        scene.uncover(gap, 0.1)
    said = list(scene.said)
    scene.draw()
    if lost:
        scene.said = said
    scene.play().draw().play()
    seat = (scene.turn + 1) % 4
    assert seat == 0
    backs = (Tile.BACK, Tile("3m"), Tile("3m"), Tile.BACK)
    scene.say(MeldShown, 1.0, seat=seat, tiles=backs, face_down=(0, 3))
    assert ("kong-illegal" in scene.judge().ids) is raised


@pytest.mark.parametrize("lost", [("discard",), ("draw",), ("draw", "discard")])
@pytest.mark.parametrize("turns", [1, 2])
def test_what_goes_unseen_beside_a_covered_pool_is_no_tile_from_the_wrong_place(
    lost: tuple[str, ...], turns: int
) -> None:
    scene = begun()
    since = scene.t
    for _ in range(turns):
        said = list(scene.said)
        scene.draw()
        if "draw" in lost:
            scene.said = said
        said = list(scene.said)
        scene.play()
        if "discard" in lost:
            scene.said = said
    scene.said.append(NotLooked(t=since, where="pool", seat=None, until=scene.t))
    scene.rounds(6)
    assert "wrong-draw" not in scene.judge().ids


@pytest.mark.parametrize(
    ("before", "where", "of", "raised"),
    [
        (0.1, "wall", None, True),
        (-0.1, "wall", None, True),
        (1.0, "wall", None, False),
        (0.1, "meld", None, False),
        (0.1, "pool", "discards", False),
        (0.1, "pool", "reaches", True),
        (0.1, "all", None, False),
    ],
)
def test_the_hand_that_comes_too_early_covers_the_wall_itself(
    before: float, where: str, of: str | None, raised: bool
) -> None:
    """A tile held over the wall for three seconds held its own alert back (1001091)."""
    scene = begun()
    scene.draw()
    who = {"discards": scene.turn, "reaches": (scene.turn + 1) % 4}
    scene.play(wait=1.5)
    lay = scene.t
    covered = NotLooked(t=lay - 0.6 - before, where=where, seat=who.get(of or ""))  # type: ignore[arg-type]
    scene.said.append(covered)
    slots = (scene.wall.slot(scene.front()[0]),)
    for t, stage, sure in ((lay - 0.6, "touched", 0.7), (lay - 0.3, "lifted", 0.99)):
        scene.said.append(
            TileDrawn(t=t, seat=scene.turn, slots=slots, stage=stage, confidence=sure)  # type: ignore[arg-type]
        )
    scene.say(TileReturned, 3.0, seat=scene.turn, slots=slots)
    scene.said.append(replace(covered, until=scene.t))
    scene.rounds(3)
    assert scene.judge().ids == (["premature-draw"] if raised else [])


def looked_at(scene: Unwatched, seat: int, before: float, where: str, of: int | None) -> None:
    """A hand takes up the next tile, looks at it and puts it back; something is covered since."""
    scene.reach(seat, "touched", wait=1.0)
    since = scene.t - before
    scene.reach(seat, "lifted").reach(seat, "seen")
    covered = NotLooked(t=since, where=where, seat=of)  # type: ignore[arg-type]
    scene.said.append(covered)
    scene.say(TileReturned, 1.5, seat=seat, slots=(scene.wall.slot(scene.front()[0]),))
    scene.said.append(replace(covered, until=scene.t))


@pytest.mark.parametrize(
    ("before", "where", "of", "raised"),
    [
        (0.1, "pool", "own", True),
        (-0.1, "pool", "own", True),
        (-0.4, "all", None, True),
        (1.0, "pool", "own", False),
        (0.1, "pool", "next", False),
        (0.1, "pool", None, False),
        (0.1, "wall", None, True),
        (0.1, "meld", None, False),
        (0.1, "all", None, False),
    ],
)
def test_a_hand_out_of_its_turn_covers_its_own_pool(
    before: float, where: str, of: str | None, raised: bool
) -> None:
    """A tile of the far wall, looked at for two seconds and put back, went unsaid (1021000)."""
    scene = begun()
    seat = (scene.turn + 2) % 4
    who = {"own": seat, "next": scene.turn}
    looked_at(scene, seat, before, where, who.get(of or ""))
    scene.rounds(3)
    assert scene.judge().ids == (["draw-out-of-turn"] if raised else [])


@pytest.mark.parametrize(
    ("before", "where", "of", "raised"),
    [
        (0.1, "pool", "own", True),
        (-0.1, "pool", "own", True),
        (1.0, "pool", "own", False),
        (1.0, "pool", "next", True),
        (0.1, "wall", None, True),
        (1.0, "wall", None, False),
        (0.1, "meld", None, False),
        (0.1, "all", None, False),
    ],
)
def test_a_hand_that_comes_for_another_tile_covers_its_own_pool(
    before: float, where: str, of: str | None, raised: bool
) -> None:
    """A second tile, looked at for two seconds and put back, went unsaid (mcr-1998 3111064)."""
    scene = begun()
    scene.draw()
    seat = scene.turn
    who = {"own": seat, "next": (seat + 1) % 4}
    looked_at(scene, seat, before, where, who.get(of or ""))
    scene.play()
    scene.rounds(3)
    assert scene.judge().ids == (["extra-draw"] if raised else [])
