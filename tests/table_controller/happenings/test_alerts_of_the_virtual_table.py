"""Infractions that went unsaid or were late, past an eye with the measured flaws.

Each is a whole hand of the virtual table; what it showed is said in its id.
"""

from __future__ import annotations

from dataclasses import asdict

import pytest

from hardware.virtual_table.play.director import Director
from table_controller.domain.happenings import IndicatorTurned, MeldShown
from table_controller.domain.tiles import Tile
from tests.table_controller.happenings import accounting
from tests.table_controller.happenings.ideal_eye import PIXELS, UNSTEADY

pytestmark = pytest.mark.long

CASES = [
    pytest.param(
        "win-while-barred",
        7001,
        "mcr-2002-tianjin",
        id="a win that is taken back while play goes on had not stood",
    ),
    pytest.param(
        "other-tile-exposed",
        7001,
        "mcr-1998",
        id="whoever had gone before a tile fell did not make it fall",
    ),
    pytest.param(
        "draw-out-of-turn",
        700,
        "mcr-2002-tianjin",
        id="a hand that came to a tile, stayed and went had hold of it",
    ),
    pytest.param(
        "wall-crooked",
        8000,
        "mcr-2006-du",
        id="a stack between crooked ones that its sensor feels is not missing",
    ),
    pytest.param("missing-tile", 7001, "mcr-1998", id="the board says what it lacks"),
    pytest.param(
        "premature-draw",
        890021,
        "riichi-xjtu-2025-relay",
        id="a hand that hides the gap of the tile it holds touches none beside it",
    ),
    pytest.param(
        "premature-draw",
        890014,
        "riichi-xjtu-2025-relay",
        id="a look beside the stop says when a tile was put back, not where",
    ),
    pytest.param(
        "premature-draw",
        897028,
        "riichi-xjtu-2025-sanma",
        id="who waits behind the own wall touches none there",
    ),
    pytest.param(
        "wrong-draw",
        897013,
        "mcr-2002-tianjin",
        id="who fetches the next replacement has brought the first one home",
    ),
    pytest.param(
        "extra-draw",
        921008,
        "mcr-2002-tianjin",
        id="a hand that takes two tiles in one reach rested on neither",
    ),
    pytest.param(
        "extra-draw",
        951012,
        "riichi-xjtu-2025-relay",
        id="who goes back for another tile puts none back, and took the upper one first",
    ),
    pytest.param(
        "wall-break",
        951007,
        "ema-riichi-2025",
        id="of a pushed stack no hand has taken the upper tile long before",
    ),
    pytest.param(
        "claim-out-of-priority",
        921011,
        "mcr-2006-du",
        id="who lays the next flower has brought the replacement home",
    ),
    pytest.param(
        "dice-left",
        921013,
        "mcr-2002-tianjin",
        id="the fourth of a kong lies under the arm that fetches its replacement",
    ),
    pytest.param(
        "wrong-replacement",
        931000,
        "riichi-xjtu-2025-relay",
        id="who called a kong and laid three has a fourth under his arm",
    ),
    pytest.param(
        "kong-after-claim",
        931003,
        "ema-riichi-2025",
        id="a set of three does not wait for what is laid face down beside it",
    ),
    pytest.param(
        "pool-disturbed",
        921018,
        "ema-riichi-2025",
        id="a hand far away when the sensor missed a tile has not taken it",
    ),
    pytest.param(
        "other-tile-exposed",
        921010,
        "mcr-1998",
        id="a sleeve over the end of another's row knocks its tiles over",
    ),
    pytest.param(
        "claim-after-draw",
        5921021,
        "ema-riichi-2025",
        id="a hand that rests just before its row came home when it came to rest",
    ),
    pytest.param(
        "wrong-indicator",
        951021,
        "riichi-xjtu-2025-sanma",
        id="an indicator turned before the last grab is told has its place, too",
    ),
    pytest.param(
        "wrong-replacement",
        951001,
        "ema-riichi-2025",
        id="a hand that was slow with its tile may rest just before its row to look at it",
    ),
    pytest.param(
        "flower-order",
        921001,
        "mcr-2002-tianjin",
        id="who was overtaken lays out all his flowers, and the next follows in order",
    ),
    pytest.param(
        "concealed-kong-hidden",
        921011,
        "mcr-2002-tianjin",
        id="a tile on the way to the win is not the winning one, though it is of its kind",
    ),
]


def told_alone(case: accounting.Case) -> None:
    """The infraction of a case is told, and no alert beside it."""
    verdict = accounting.judge(case)
    assert verdict.committed
    assert verdict.right, verdict.missed
    assert not verdict.invented


@pytest.mark.parametrize(("alert", "seed", "ruleset"), CASES)
def test_an_infraction_is_told(alert: str, seed: int, ruleset: str) -> None:
    told_alone(accounting.Case(alert, seed, ruleset, asdict(UNSTEADY)))


AS_PICTURES_SHOW = [
    pytest.param(
        "premature-draw",
        1021024,
        "riichi-xjtu-2025-relay",
        id="a draw is told though its hand hides the stacks beside it until the discard",
    ),
    pytest.param(
        "premature-draw",
        1001091,
        "riichi-xjtu-2025-qixing",
        id="a hand that holds a tile over the wall covers the wall itself",
    ),
    pytest.param(
        "draw-out-of-turn",
        1021000,
        "mcr-2006-du",
        id="a hand out of its turn covers its own pool",
    ),
    pytest.param(
        "pool-disturbed",
        1021023,
        "riichi-xjtu-2025-qixing",
        id="a tile pushed with the pool it was just laid in is none of those before it",
    ),
    pytest.param(
        "pool-disturbed",
        951018,
        "riichi-xjtu-2025-sanma",
        id="that a pushed tile lay in no place cannot be told",
    ),
    pytest.param(
        "own-tile-exposed",
        1021022,
        "mcr-2002-tianjin",
        id="tiles of a row that come in sight at once fell at once",
    ),
    pytest.param(
        "other-tile-exposed",
        1171000,
        "mcr-2002-tianjin",
        id="a neighbour whose fingers are at the far end of a row lies over all of it",
    ),
    pytest.param(
        "riichi-no-stick",
        1171002,
        "riichi-xjtu-2025-relay",
        id="a riichi whose tile was claimed began with that tile, not with the next turned one",
    ),
]
"""The same past the eye of 0321, with fingertips as pictures show them."""


@pytest.mark.parametrize(("alert", "seed", "ruleset"), AS_PICTURES_SHOW)
def test_it_is_told_and_nothing_else(alert: str, seed: int, ruleset: str) -> None:
    told_alone(accounting.Case(alert, seed, ruleset, asdict(PIXELS)))


AS_ASKED = [
    pytest.param(
        "extra-draw",
        3011000,
        "mcr-2006-du",
        id="fingers that are on a tile on average have been on it since they came near it",
    ),
    pytest.param(
        "extra-draw",
        3111025,
        "mcr-2006-du",
        id="who turned round before his row and is at the wall again has left his tile at home",
    ),
    pytest.param(
        "extra-draw",
        3111059,
        "riichi-xjtu-2025",
        id="two looks just before the row are no mistake: a hand was home",
    ),
    pytest.param(
        "extra-draw",
        3111064,
        "mcr-1998",
        id="nobody discards and is back at the wall as soon as his hand covers his pool",
    ),
    pytest.param(
        "premature-draw",
        3011004,
        "riichi-xjtu-2025-relay",
        id="who goes on by no stack before he takes a tile had lifted that one",
    ),
    pytest.param(
        "premature-draw",
        3111025,
        "mcr-2002-tianjin",
        id="a hand at its own wall that seemed to lift the tile beside and went on by none",
    ),
    pytest.param(
        "draw-out-of-turn",
        3011024,
        "riichi-xjtu-2025-qixing",
        id="a touch is told before somebody else takes that tile",
    ),
    pytest.param(
        "claim-after-draw",
        23011035,
        "riichi-xjtu-2025-relay",
        id="a tile that is shown for two looks more was taken by who was there before them",
    ),
    pytest.param(
        "claim-after-draw",
        12011001,
        "riichi-xjtu-2025-qixing",
        id="who draws in his turn and stays half way to his row has drawn",
    ),
    pytest.param(
        "claim-after-draw",
        9011038,
        "mcr-2006-du",
        id="who seems to come nearer to his row for two seconds was there at once",
    ),
    pytest.param(
        "extra-draw",
        4011083,
        "riichi-xjtu-2025-qixing",
        id="a stack that one look shows lower before the arm hides it is waited for",
    ),
    pytest.param(
        "extra-draw",
        4011094,
        "ema-riichi-2025",
        id="who draws in his turn and turns round half way to his row has been home",
    ),
    pytest.param(
        "wrong-replacement",
        4011087,
        "riichi-xjtu-2025-sanma",
        id="a draw told before the north that it replaces is one for it",
    ),
    pytest.param(
        "premature-draw",
        4011005,
        "ema-riichi-2025",
        id="who is at the place of his tile again, and was not home, had lifted it",
    ),
    pytest.param(
        "premature-draw",
        5011002,
        "riichi-xjtu-2025-qixing",
        id="fingers that one look shows far off have not moved where they rest before and after",
    ),
]
"""The same with one stage after another asked for, as the accounting of all rulesets does."""


@pytest.mark.parametrize(("alert", "seed", "ruleset"), AS_ASKED)
def test_what_is_asked_for_is_told_and_nothing_else(alert: str, seed: int, ruleset: str) -> None:
    told_alone(accounting.Case(alert, seed, ruleset, asdict(PIXELS), stages=True))


def test_ura_indicators_seen_at_one_moment_are_listed_as_they_lie() -> None:
    """Both showed when the arm went that had hidden them; they were recorded the other way."""
    verdict = accounting.judge(accounting.Case(None, 7102, "riichi-xjtu-2025", asdict(UNSTEADY)))
    assert verdict.hand
    assert not verdict.invented


def test_a_hand_that_is_laid_down_at_once_is_told_within_a_second() -> None:
    """The ends of the row are an arm's length from the hands that lay it down."""
    case = accounting.Case("false-win", 7001, "mcr-1998", asdict(UNSTEADY))
    verdict = accounting.judge(case)
    assert verdict.right
    assert verdict.delay is not None
    assert verdict.delay < 0.8


def test_who_makes_a_kong_turns_the_first_indicator_too() -> None:
    """He had turned it in place of his own: the virtual table and the rules named two people."""
    sanma = "riichi-xjtu-2025-sanma"
    case = accounting.Case("indicator-not-turned", 951001, sanma, asdict(UNSTEADY))
    director = Director(accounting.scenario(case))
    turned = [
        h.seat
        for h in director.truth()
        if isinstance(h, IndicatorTurned) and h.slot is not None and h.slot.layer == "top"
    ]
    kongs = [h.seat for h in director.truth() if isinstance(h, MeldShown) and Tile.BACK in h.tiles]
    assert turned == [kongs[0], *kongs] == [2, 2, 1]
    assert not director.infractions()
