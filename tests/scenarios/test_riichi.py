"""Riichi hands of the virtual table, judged: nothing illegal, and settled as the players do it."""

import math
from collections import Counter

import pytest

from hardware.virtual_table.play.director import Director, tile_set
from hardware.virtual_table.play.games import GAMES
from hardware.virtual_table.play.incidents import RIICHI, Wanted, registry_of
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from hardware.virtual_table.scene import Pose
from table_controller.domain.outputs import Alert, HandRecord
from table_controller.game.engine import Engine
from table_controller.rulesets import load

FOUR = ["riichi-xjtu-2025", "riichi-xjtu-2025-qixing", "riichi-xjtu-2025-relay", "ema-riichi-2025"]
ALL = [*FOUR, "riichi-xjtu-2025-sanma"]


def judged(director: Director, *, legal: bool = False) -> tuple[list[Alert], list[HandRecord]]:
    engine = Engine(load(director.scenario.ruleset), east=director.scenario.east)
    outputs = [out for happening in director.truth() for out in engine.step(happening)]
    outputs += engine.flush(director.duration)
    assert not (legal and [out for out in outputs if getattr(out, "inferred", False)])
    alerts = [out for out in outputs if isinstance(out, Alert)]
    return alerts, [out for out in outputs if isinstance(out, HandRecord)]


def assert_as_played(director: Director) -> None:
    """No alert, and every hand captured and paid as the players settled it."""
    alerts, records = judged(director, legal=True)
    assert alerts == []
    assert len(records) == len(director.hands)
    for record, hand in zip(records, director.hands, strict=True):
        outcome = hand.outcome
        assert outcome is not None
        assert (record.result, record.reason) == (outcome.result, outcome.reason)
        assert record.payments == outcome.payments
        wins = [(win.winner, win.from_, win.win_tile) for win in record.wins]
        assert wins == [(win.winner, win.source, win.tile) for win in outcome.wins]
    assert records[-1].scores == director.match.scores


@pytest.mark.parametrize("ruleset", ALL)
@pytest.mark.parametrize("seed", range(500, 504))
def test_a_legal_session_raises_nothing_and_is_settled_alike(ruleset: str, seed: int) -> None:
    assert_as_played(Director(Scenario(ruleset=ruleset, seed=seed, hands=2)))


@pytest.mark.parametrize(
    "wish",
    [
        HandWish(win_by="self", riichi=True),
        HandWish(win_by="discard", fetch=False),
        HandWish(win_by="discard", fetch=True, riichi=False),
        HandWish(win_by="rob"),
        HandWish(win_by="several", several=2),
        HandWish(win_by="none", ready=2),
        HandWish(kongs=("exposed", "concealed", "added")),
        HandWish(abort="three_rons"),
        HandWish(abort="four_winds"),
        HandWish(abort="four_kongs"),
        HandWish(abort="four_riichi"),
        HandWish(abort="nine_terminals"),
    ],
    ids=lambda wish: wish.abort or wish.win_by or "kongs",
)
def test_every_end_of_a_hand_is_settled_alike(wish: HandWish) -> None:
    for seed in range(3):
        assert_as_played(Director(Scenario(ruleset=FOUR[0], seed=seed, hands=2, wishes=(wish,))))


RARE = {"win-while-barred", "claim-after-draw", "claim-while-barred"}
"""What finds its occasion in few hands: so many more are played until it does."""


def wanted_of(name: str, seed: int) -> tuple[Wanted, ...]:
    """The infraction, and what has to bar somebody before it."""
    if name == "win-while-barred":
        return Wanted(name, at=10), Wanted("win-wrong-tile", at=2)
    return (Wanted(name, at=2 + 3 * seed),)


@pytest.mark.parametrize("name", sorted(RIICHI))
def test_an_infraction_of_riichi_is_raised_and_nothing_else(name: str) -> None:
    """One cause, one alert, with four players; some ids find their occasion not in every hand."""
    happened = 0
    for seed in range(30 if name in RARE else 3):
        if name in RARE and happened:
            break
        wanted = (wanted_of(name, seed),)
        director = Director(Scenario(ruleset=FOUR[0], seed=40 + seed, wanted=wanted))
        alerts = Counter((alert.id, alert.seat) for alert in judged(director)[0])
        assert alerts == Counter((each.id, each.seat) for each in director.infractions())
        happened += any(each.id == name for each in director.infractions())
    assert happened >= 1


@pytest.mark.parametrize("seed", range(12))
def test_three_players_are_judged_alike(seed: int) -> None:
    known = sorted(registry_of(GAMES[ALL[-1]]))
    for name in known[seed::12]:
        wanted = (wanted_of(name, seed % 3),)
        director = Director(Scenario(ruleset=ALL[-1], seed=90 + seed, wanted=wanted))
        alerts = Counter((alert.id, alert.seat) for alert in judged(director)[0])
        assert alerts == Counter((each.id, each.seat) for each in director.infractions()), name


def test_the_table_of_three_players_has_three_walls_and_norths_apart() -> None:
    director = Director(Scenario(ruleset=ALL[-1], seed=11))
    truth = director.truth()
    raised = next(h for h in truth if h.kind == "wall_raised")
    assert raised.stacks == (18, 18, 18, 0)
    assert not any(getattr(h, "seat", 0) == 3 for h in truth)
    norths = [h for h in truth if h.kind == "north_shown"]
    assert norths
    places = Counter(director.places(director.duration).values())
    assert sum(places[f"north {seat}"] for seat in range(4)) == len(norths)
    assert len(tile_set(ALL[-1])) == 108


def test_riichi_is_declared_with_a_turned_tile_and_a_stick_that_is_felt() -> None:
    wish = HandWish(target="pinfu", win_by="discard", riichi=True, ready=0)
    director = Director(Scenario(ruleset=FOUR[0], seed=3, wishes=(wish,)))
    truth = director.truth()
    call = next(h for h in truth if h.kind == "call" and h.call == "riichi")
    turned = next(h for h in truth if h.kind == "tile_discarded" and h.rotated)
    stick = next(h for h in truth if h.kind == "stick_placed")
    assert call.t < turned.t < stick.t
    assert call.seat == turned.seat == stick.seat
    felt = next(each for each in director.machine_inputs() if each.kind == "stick")
    assert (felt.t, felt.data["seat"]) == (stick.t, stick.seat)
    assert not director.scene(stick.t - 0.1).sticks
    (body,) = director.scene(stick.t + 0.1).sticks
    assert director.layout.stick_point(stick.seat) == pytest.approx((body.x, body.y), abs=4.0)


@pytest.mark.parametrize("ruleset", [FOUR[0], ALL[-1]])
@pytest.mark.parametrize("seed", [3, 8])
def test_tiles_at_rest_do_not_lie_in_one_another(ruleset: str, seed: int) -> None:
    """Sets, pools with turned tiles, indicators, norths, hands in one row with the sets."""
    director = Director(
        Scenario(ruleset=ruleset, seed=seed, wishes=(HandWish(claims=0.6, riichi=True),))
    )
    for t in [4.1 * n for n in range(int(director.duration / 4.1))]:
        flat = [
            tile
            for tile in director.scene(t).tiles
            if tile.speed == 0.0 and tile.pose is not Pose.STANDING and 0 <= tile.z < 1
        ]
        for index, one in enumerate(flat):
            for other in flat[:index]:
                assert math.dist((one.x, one.y), (other.x, other.y)) > 16.0, (t, one, other)
