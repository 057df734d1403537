"""How far something went decides the ruling: every stage that the table plays is told as it was."""

from typing import Any

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.incidents import Wanted
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import TileReturned
from table_controller.domain.outputs import Alert
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.scenes import Scene

TIANJIN, RIICHI, SANMA = "mcr-2002-tianjin", "riichi-xjtu-2025", "riichi-xjtu-2025-sanma"
Case = tuple[str, dict[str, Any], str]
BREAKS: list[Case] = [
    # 003 Q2 ①②, 002 9.14.3: whether anybody has looked at what he took.
    ("wrong-break", {"stage": "lifted", "off": -2}, "unseen"),
    ("wrong-break", {"stage": "lifted", "off": 1}, "unseen"),
    ("wrong-break", {"stage": "seen", "off": 1}, "seen"),
    ("wrong-break", {"stage": "taken", "off": 1}, "unseen"),
    # 003 Q79 ①②③, 002 9.14.4.
    ("wrong-deal", {"stage": "lifted"}, "unseen"),
    ("wrong-deal", {"stage": "seen"}, "seen"),
    ("wrong-deal", {"stage": "all_seen"}, "seen"),
]
DRAWS: list[Case] = [
    (name, {"stage": stage}, stage)
    for name in ("extra-draw", "draw-out-of-turn", "wrong-draw")
    for stage in ("touched", "lifted", "seen", "taken")
]
REPLACEMENTS: list[Case] = [
    ("wrong-replacement", {"after": after, "stage": stage}, stage)
    for after in ("flower", "kong")
    for stage in ("touched", "lifted", "seen", "taken")
]
CASES: list[tuple[str, str, dict[str, Any], str]] = [
    *((ruleset, *case) for ruleset in (TIANJIN, RIICHI, SANMA) for case in (*BREAKS, *DRAWS)),
    *((TIANJIN, *case) for case in REPLACEMENTS),
]


@pytest.mark.parametrize(
    ("ruleset", "name", "options", "stage"),
    CASES,
    ids=[
        f"{r}-{name}-{'-'.join(str(v) for v in options.values())}" for r, name, options, _ in CASES
    ],
)
def test_the_alert_says_how_far_it_went_and_nothing_else_is_raised(
    ruleset: str, name: str, options: dict[str, Any], stage: str
) -> None:
    told = 0
    for seed in (701, 703):
        director = Director(
            Scenario(
                ruleset=ruleset,
                seed=seed,
                wishes=(HandWish(discards=14),),
                wanted=((Wanted(name, at=2, options=options),),),
            )
        )
        committed = director.infractions()
        engine = Engine(load(ruleset), director.scenario.east)
        said = [output for h in director.truth() for output in engine.step(h)]
        said += engine.flush(director.duration)
        alerts = [(a.id, a.seat, a.stage) for a in said if isinstance(a, Alert)]
        assert alerts == [(each.id, each.seat, stage) for each in committed], seed
        told += len(committed)
    assert told


def test_tiles_that_are_held_are_told_when_they_are_back() -> None:
    """Their faces may still be looked at, which is another ruling."""
    scenario = Scenario(
        ruleset=TIANJIN, wanted=((Wanted("wrong-deal", options={"stage": "seen"}),),)
    )
    director = Director(scenario)
    engine = Engine(load(TIANJIN), 0)
    for happening in director.truth():
        raised = [o for o in engine.step(happening) if isinstance(o, Alert)]
        if raised:
            assert happening.kind == "tile_returned"
            assert [h.stage for h in raised[0].evidence if h.kind == "tile_drawn"] == [
                "lifted",
                "seen",
            ]
            return
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("ruleset", ["mcr-1998", "mcr-2002-tianjin"])
def test_who_gives_an_extra_tile_back_has_the_one_of_his_turn(ruleset: str) -> None:
    """His next discard was told as one without a draw."""
    scene = Scene().start().play().draw()
    index, slot = scene.front()[0], scene.wall.slot(scene.front()[0])
    scene.take(1, (index,))
    scene.say(TileReturned, 0.8, seat=1, slots=(slot,))
    scene.wall.put(index)
    judged = scene.play().rounds(4).judge(ruleset)
    assert judged.ids == ["extra-draw"]
