"""Whole hands of the virtual table through the ideal eye, against what truly happened."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from hardware.virtual_table.play.director import Director
from tests.table_controller.happenings import accounting
from tests.table_controller.happenings.ideal_eye import PIXELS, UNSTEADY, Flaws
from tests.table_controller.happenings.measure import judge, standing_of
from tests.table_controller.happenings.play import follow
from tests.table_controller.happenings.stories import story

pytestmark = pytest.mark.long

KEY_KINDS = ("tile_discarded", "tile_claimed", "flower_shown", "hand_shown", "wall_raised")


@pytest.mark.parametrize(("name", "seed"), [("legal", 3), ("mix", 1)])
def test_a_hand_is_reproduced(name: str, seed: int) -> None:
    director = Director(story(name, seed))
    judged = judge(follow(director, seed), seed, standing_of(director))
    for kind in KEY_KINDS:
        tally = judged.tallies.get(kind)
        if tally is not None:
            assert tally.right == tally.true == tally.found, (kind, judged.wrong)
            assert max(map(abs, tally.errors), default=0.0) < 0.6
    # A draw is at worst told late or with its stages less fine than they were.
    assert sum(what == "false" for what, _ in judged.wrong) <= 1, judged.wrong


@pytest.mark.parametrize(
    ("ruleset", "seed"), [("riichi-xjtu-2025", 20), ("riichi-xjtu-2025-sanma", 20)]
)
def test_a_riichi_hand_is_followed_and_judged(ruleset: str, seed: int) -> None:
    verdict = accounting.judge(accounting.Case(None, seed, ruleset, asdict(UNSTEADY)))
    true, matched, invented = verdict.happenings
    assert not verdict.invented
    assert verdict.hand
    # A draw of the deal may go to the wrong one of two quick hands.
    assert matched >= true - 2, verdict.wrong
    assert invented <= 2, verdict.wrong


@pytest.mark.parametrize(
    ("ruleset", "seed"),
    [
        pytest.param(
            "riichi-xjtu-2025-sanma",
            8011053,
            id="an indicator turned before its kong is seen, and not laid neatly",
        ),
        pytest.param("ema-riichi-2025", 5011055, id="won with the only tile of a hand"),
    ],
)
def test_a_legal_hand_is_captured_without_an_alert(ruleset: str, seed: int) -> None:
    verdict = accounting.judge(accounting.Case(None, seed, ruleset, asdict(PIXELS)))
    assert verdict.hand
    assert not verdict.invented


def test_the_same_inputs_give_the_same_output() -> None:
    director = Director(story("legal", 1))
    one, other = (follow(director, 7, until=45.0) for _ in range(2))
    assert one.found
    assert one.found == other.found


def test_lost_frames_cost_no_discard() -> None:
    director = Director(story("legal", 3))
    judged = judge(follow(director, 3, Flaws(frame_lost=0.2)), 3, standing_of(director))
    discards = judged.tallies["tile_discarded"]
    assert discards.right == discards.true == discards.found
