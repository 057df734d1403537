"""What is void, taken back or refused, and calls that nobody may make (6.5, 6.8, 9.1.3, 9.14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import (
    Clock,
    HandHidden,
    HandShown,
    Happening,
    MeldExtended,
    MeldShown,
    NorthShown,
    Place,
    StickPlaced,
    TableSet,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    TileRetracted,
    WallRaised,
)
from table_controller.domain.outputs import Alert, HandRecord, Output, Ruling
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.game.riichi.table import RiichiTable
from table_controller.happenings.looks.places import SEATS
from table_controller.referee.decisions import Entered, Verdict, Verdicts, key_of
from table_controller.rulesets import load
from tests.table_controller.game.riichi.logs import PLAYED, logged_hands
from tests.table_controller.game.scenes import tiles
from tests.table_controller.game.test_unwatched import riichi_hand, wall_used_up

RULES = "riichi-xjtu-2025"


def after(
    story: Sequence[Happening], ruleset: str = RULES, verdicts: Verdicts | None = None
) -> tuple[Engine, list[Output]]:
    """What the rules say to happenings without gaps."""
    engine = Engine(load(ruleset), 0, verdicts)
    return engine, [said for happening in story for said in engine.step(happening)]


def table_of(engine: Engine) -> RiichiTable:
    assert isinstance(engine.best, RiichiTable)
    return engine.best


def hands_of(said: Sequence[Output]) -> list[HandRecord]:
    return [one for one in said if isinstance(one, HandRecord)]


def alerts_of(said: Sequence[Output]) -> list[tuple[str, int | None, str | None]]:
    return [(one.id, one.seat, one.stage) for one in said if isinstance(one, Alert)]


def aborted(reason: Any, seed: int = 6) -> list[Happening]:
    """A hand up to the discard that aborts it."""
    story = Director(Scenario(ruleset=RULES, seed=seed, wishes=(HandWish(abort=reason),))).truth()
    last = max(h.t for h in story if isinstance(h, TileDiscarded))
    return [h for h in story if h.t <= last]


def paid_riichi() -> list[Happening]:
    """A hand up to where its first riichi is paid."""
    story, first = riichi_hand()
    engine = Engine(load(RULES), 0)
    for n, happening in enumerate(story):
        engine.step(happening)
        if happening.t > first.t and table_of(engine).sticks:
            return list(story[: n + 1])
    raise LookupError(first)


# -- a void hand ------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["walls raised again", "session ended"])
def test_a_void_hand_leaves_no_sticks(how: str) -> None:
    told = paid_riichi()
    engine, _ = after(told)
    t = told[-1].t + 20.0
    ends: Happening = Clock(t=t, event="session_ended")
    if how == "walls raised again":
        ends = WallRaised(t=t, stacks=(17, 17, 17, 17))
    (hand,) = hands_of([*engine.step(ends), *engine.flush(t + 1.0)])
    assert (hand.reason, hand.scores) == ("void", (25000,) * 4)
    table = table_of(engine)
    assert (table.sticks, table.honba, table.dealer, table.hand) == (0, 0, hand.dealer, 1)


# -- a win that is refused --------------------------------------------------------------------


@pytest.mark.parametrize("fetched", [False, True])
def test_a_discard_that_aborts_the_hand_does_so_after_a_win_on_it_is_refused(fetched: bool) -> None:
    told = aborted("four_riichi")
    last = told[-1]
    assert isinstance(last, TileDiscarded)
    engine, _ = after(told)
    table = table_of(engine)
    tile = last.tile.plain
    seat = next(
        seat
        for seat in table.others(last.seat)
        if all(d.tile.plain is not tile for d in table.seats[seat].pool)
        and tile not in table.passed_riichi[seat]
        and not table.seats[seat].melds
    )
    sets = [f"123{s} 456{s} 789{s}" for s in "mps" if s != tile.value[-1]]
    pair = next(each for each in "1234567" if f"{each}z" != tile.value)
    held = (*tiles(f"{sets[0]} {pair * 3}z"), tile)
    t = last.t
    if fetched:
        engine.step(TileClaimed(t=t + 1.0, seat=seat, tile=last.tile, from_=last.seat))
    apart = last.tile if fetched else None
    engine.step(HandShown(t=t + 1.5, seat=seat, tiles=held, apart=apart))
    assert table_of(engine).phase == "check"
    said = engine.step(HandHidden(t=t + 20.0, seat=seat))
    said += engine.pass_time(t + 24.0)
    assert hands_of(said) == []
    (hand,) = hands_of(engine.pass_time(t + 26.0))
    assert (hand.result, hand.reason) == ("abort", "four_riichi")


# -- a discard that is taken back -------------------------------------------------------------


def test_four_winds_of_which_one_is_taken_back_abort_nothing() -> None:
    told = aborted("four_winds")
    last = told[-1]
    assert isinstance(last, TileDiscarded)
    other = next(t for t in (Tile.M9, Tile.P9, Tile.S9) if t is not last.tile)
    engine, _ = after(told)
    passed = table_of(engine).passed
    engine.step(TileRetracted(t=last.t + 1.0, seat=last.seat, tile=last.tile))
    engine.step(replace(last, t=last.t + 2.0, tile=other))
    assert hands_of(engine.pass_time(last.t + 20.0)) == []
    # Nobody has let the tile pass that was taken back.
    assert table_of(engine).passed == passed


def test_a_red_five_that_is_taken_back_is_counted_once() -> None:
    story, _ = riichi_hand()
    at = next(
        n
        for n, h in enumerate(story)
        if isinstance(h, TileDiscarded) and not h.rotated and h.tile is not Tile.EAST
    )
    discard = story[at]
    assert isinstance(discard, TileDiscarded)
    red = replace(discard, tile=Tile.RED_P5)
    back = TileRetracted(t=red.t + 0.4, seat=red.seat, tile=red.tile)
    engine, said = after([*story[:at], red, back, replace(red, t=red.t + 1.0)])
    assert alerts_of([*said, *engine.flush(red.t + 2.0)]) == [("discard-retracted", red.seat, None)]
    assert table_of(engine).census.of(Tile.P5) == 1


def test_a_riichi_stands_where_the_tile_after_a_claimed_one_is_taken_back() -> None:
    """5.12.3: the next one is to be turned; who declared has paid (5.12.1)."""
    story, first = riichi_hand()
    at = story.index(first)
    pung = SEATS[(first.seat + 2) % 4]
    tiles3 = (first.tile.plain,) * 3
    t = first.t
    told = [
        *story[: at + 1],
        StickPlaced(t=t + 0.4, seat=first.seat),
        TileClaimed(t=t + 0.8, seat=pung, tile=first.tile, from_=first.seat),
        MeldShown(t=t + 1.4, seat=pung, tiles=tiles3, claimed=1, sideways=1),
    ]
    engine, _ = after(told)
    seat, faces = pung, iter(("1z", "2z", "3z"))
    for _ in range(2):
        pool = len(table_of(engine).seats[seat].pool)
        discard = replace(
            first, t=t + 2.0, seat=seat, tile=Tile(next(faces)), place=Place(*divmod(pool, 6))
        )
        told.append(replace(discard, rotated=False, drawn=False))
        seat = SEATS[(seat + 1) % 4]
        t += 2.0
        engine, _ = after(told)
        wall = table_of(engine).wall
        assert wall is not None
        told.append(TileDrawn(t=t + 1.0, seat=seat, slots=(wall.slot(wall.front() or 0),)))
        engine, _ = after(told)
    assert seat == first.seat
    before = table_of(engine)
    pool = len(before.seats[seat].pool)
    turned = replace(first, t=t + 2.0, tile=Tile("4z"), place=Place(*divmod(pool, 6)), drawn=True)
    assert before.wall is not None
    engine, said = after(
        [
            *told,
            turned,
            TileRetracted(t=t + 2.6, seat=seat, tile=turned.tile),
            replace(turned, t=t + 3.4),
            TileDrawn(
                t=t + 5.0,
                seat=before.next_of(seat),
                slots=(before.wall.slot(before.wall.front() or 0),),
            ),
        ]
    )
    said += engine.flush(t + 6.0)
    assert alerts_of(said) == [("discard-retracted", seat, None)]
    table = table_of(engine)
    assert (table.scores, table.sticks) == (before.scores, 1)
    riichi = table.riichi[seat]
    assert riichi is not None
    assert (riichi.t, riichi.paid) == (first.t, True)


@pytest.mark.parametrize("by_set", [True, False])
def test_a_chow_that_gives_way_keeps_no_red_five(by_set: bool) -> None:
    """Its own tiles go back to the hand; nobody swaps a tile then (5.10)."""
    story, first = riichi_hand()
    at = story.index(first)
    lies = replace(first, tile=Tile.P4, rotated=False)
    t, chow, pung = lies.t, SEATS[(lies.seat + 1) % 4], SEATS[(lies.seat + 2) % 4]
    told = [
        *(h for h in story[:at] if h.t < t and not (h.kind == "call" and h.t > t - 2.0)),
        lies,
        TileClaimed(t=t + 0.6, seat=chow, tile=Tile.P4, from_=lies.seat),
        MeldShown(t=t + 1.2, seat=chow, tiles=tiles("4p 0p 6p"), claimed=0, sideways=0),
        TileClaimed(t=t + 1.8, seat=pung, tile=Tile.P4, from_=lies.seat),
    ]
    if by_set:
        told.append(MeldShown(t=t + 2.4, seat=pung, tiles=tiles("444p"), claimed=1, sideways=1))
    engine, said = after(told)
    assert alerts_of([*said, *engine.flush(t + 4.0)]) == []
    table = table_of(engine)
    assert table.seats[chow].melds == ()
    assert table.reds == ((),) * 4
    assert table.forbidden == ((Tile.P4,) if by_set else ())


# -- riichi that is void ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "dismissed", "left", "stands"),
    [
        (1000, False, 0, True),
        (700, False, 700, False),  # 8.2: 此时不得立直
        (700, True, -300, True),  # no ruling is in force
    ],
)
def test_riichi_without_the_points_for_the_stick(
    points: int, dismissed: bool, left: int, stands: bool
) -> None:
    seat = riichi_hand()[1].seat
    scores = tuple(points if other == seat else 30000 for other in range(4))
    told = [replace(h, scores=scores) if isinstance(h, TableSet) else h for h in paid_riichi()]
    engine, said = after(told)
    ids = [a for a in said if isinstance(a, Alert)]
    assert [(a.id, a.stage) for a in ids] == [("riichi-illegal", "points")] * (points < 1000)
    if dismissed:
        verdicts = Verdicts({key_of(ids[0]): Verdict(dismissed=True)})
        engine, _ = after(told, verdicts=verdicts)
    table = table_of(engine)
    assert (table.scores[seat], table.sticks, table.in_riichi(seat)) == (left, stands, stands)


def test_riichi_with_fewer_than_four_tiles_left_is_none() -> None:
    """6.5.1: 剩余枚数小于4，则选手禁止立直."""
    story, _ = wall_used_up(RULES)
    last = story[-1]
    assert isinstance(last, TileDiscarded)
    engine, said = after([*story[:-1], replace(last, rotated=True)])
    stick = StickPlaced(t=last.t + 1.0, seat=last.seat)
    said += [*engine.step(stick), *engine.flush(last.t + 6.0)]
    assert alerts_of(said) == [("riichi-illegal", last.seat, "tiles")]
    table = table_of(engine)
    assert (table.sticks, table.in_riichi(last.seat)) == (0, False)
    # Nothing says that the hand is ready.
    assert hands_of(said)[0].payments == (0, 0, 0, 0)


def test_a_void_riichi_is_not_the_fourth() -> None:
    """6.8.3: 所有选手均处于立直状态."""
    told = aborted("four_riichi")
    first = next(h for h in told if isinstance(h, TileDiscarded) and h.rotated)
    scores = tuple(700 if seat == first.seat else 33100 for seat in range(4))
    told = [replace(h, scores=scores) if isinstance(h, TableSet) else h for h in told]
    engine, said = after(told)
    assert alerts_of(said) == [("riichi-illegal", first.seat, "points")]
    assert hands_of(engine.pass_time(told[-1].t + 20.0)) == []


# -- calls that nobody may make ---------------------------------------------------------------


OwnCall = NorthShown | MeldShown | MeldExtended


def own_calls(ruleset: str) -> list[tuple[list[Happening], OwnCall]]:
    """Played hands up to a kong of tiles held, or a north that is set aside, and that."""
    found: list[tuple[list[Happening], OwnCall]] = []
    for name, hand in logged_hands(3, 120):
        if name != ruleset:
            continue
        declared = {h.seat for h in hand.happenings if isinstance(h, StickPlaced)}
        for n, h in enumerate(hand.happenings):
            if not isinstance(h, OwnCall):
                continue
            own = not isinstance(h, MeldShown) or (len(h.tiles) == 4 and h.claimed is None)
            if own and h.seat not in declared:
                found.append((hand.happenings[:n], h))
                break
    return found


@pytest.mark.skipif(not PLAYED, reason="the logs are not at hand")
@pytest.mark.parametrize("ruleset", ["tenhou", "tenhou-sanma"])
@pytest.mark.parametrize("plays_along", [True, False])
def test_who_plays_along_calls_nothing_of_his_own(ruleset: str, plays_along: bool) -> None:
    """9.1.3 不得鸣牌; 5.9.3, appendix 2: 吃、碰、杠、拔北统称为鸣牌操作."""
    calls = own_calls(ruleset)[:6]
    assert calls
    for before, call in calls:
        engine, _ = after(before, ruleset)
        seat = call.seat
        ruling = Ruling(summary="x", summary_zh="x", stop_win=True, play_along=plays_along)
        engine.enter(Entered(t=call.t - 0.1, id="other", seat=seat, ruling=ruling))
        said = [*engine.step(call), *engine.flush(call.t + 1.0)]
        wanted = [("claim-while-barred", seat, "riichi")] if plays_along else []
        assert alerts_of(said) == wanted


@pytest.mark.skipif(not PLAYED, reason="the logs are not at hand")
def test_no_north_is_set_aside_with_no_tile_left() -> None:
    """6.5.2 剩余枚数为0，则选手禁止鸣牌."""
    for before, call in own_calls("tenhou-sanma"):
        if not isinstance(call, NorthShown):
            continue
        engine, _ = after(before, "tenhou-sanma")
        table = table_of(engine)
        assert table.wall is not None
        while (front := table.wall.front()) is not None:
            table.wall.take(front)
        assert alerts_of(engine.step(call)) == [("claim-while-barred", call.seat, "last")]
        return
    pytest.fail("no north was set aside")


def test_the_last_tile_that_is_not_drawn_has_a_stage_of_its_own() -> None:
    """9.11.2: 应摸牌…为海底牌."""
    engine, _ = after(paid_riichi())
    table = table_of(engine)
    assert table.wall is not None
    stages = []
    while table.left:
        table.flag("missed-draw", table.turn, cause=("missed", table.left))
        stages.append(table.rulings[-1].stage)
        front = table.wall.front()
        assert front is not None
        table.wall.take(front)
    assert stages[-1] == "last"
    assert set(stages[:-1]) == {None}


def test_nobody_shows_too_early_a_hand_that_wins_on_the_same_discard() -> None:
    """Of the virtual table: a four of dots completed a second hand, which then was laid open."""
    wish = HandWish(win_by="discard", kongs=("added",), claims=0.1, discards=31)
    scenario = Scenario(
        ruleset="riichi-xjtu-2025-sanma", seed=1494000, east=2, pace=1.3, stages=True,
        mix=2, mix_ids=("hand-shown-early", "riichi-changed-hand"), wishes=(wish,),
    )  # fmt: skip
    played = Director(scenario)
    engine, said = Engine(load(scenario.ruleset), scenario.east), []
    for happening in played.truth():
        said += engine.step(happening)
    said += engine.flush(played.duration)
    committed = [one.id for one in played.infractions()]
    assert committed
    assert [one.id for one in said if isinstance(one, Alert)] == committed
