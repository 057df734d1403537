"""Two infractions in one hand, and what lies on the felt: pools, sets and open hands.

Each game was once followed wrong past the ideal eye; it is followed until some seconds after that.
"""

from __future__ import annotations

import pytest

from tests.table_controller.happenings.games import named, outcome
from tests.table_controller.happenings.ideal_eye import UNSTEADY

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("name", "until"),
    [
        pytest.param(
            "mcr-2006-du:812016:claim-after-draw,invalid-meld",
            None,
            id="a fourth tile added to three of which one is wrong",
        ),
        pytest.param(
            "riichi-xjtu-2025:761009:discard-misplaced,pool-disturbed",
            None,
            id="who pushes the own pool with the tile just laid has not laid it out of its place",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay:706013:kong-after-claim,pool-disturbed",
            39.0,
            id="a tile just laid is none of those pushed with it, as far as beside the next pool",
        ),
        pytest.param(
            "riichi-xjtu-2025-sanma:733005:fifth-tile,pool-disturbed",
            33.0,
            id="a discard pushed with its pool by the hand that laid it was laid in its place",
        ),
        pytest.param(
            "riichi-xjtu-2025:711016:discard-misplaced,discard-missing",
            61.0,
            id="a second discard of a kind beside the first, which one look misses, did not slide",
        ),
        pytest.param(
            "mcr-2006-du:712009:false-win,wrong-thrower",
            None,
            id="a hand that is ready by chance would have been laid open on a wrong tile",
        ),
        pytest.param(
            "mcr-1998:850005:wall-crooked,wrong-draw",
            51.0,
            id="an arm that lies across a pool hides nothing of which tile is the next",
        ),
        pytest.param(
            "riichi-xjtu-2025-sanma:874001:invalid-meld,riichi-changed-hand",
            53.0,
            id="nor was one seen again, if in part, when another lay in the pool",
        ),
        pytest.param(
            "mcr-2002-tianjin:875009:hand-shown-early,premature-draw",
            None,
            id="a sliver of a tile between fingers speaks against nothing that was seen before",
        ),
        pytest.param(
            "mcr-2006-du:903012:claim-after-draw,own-tile-exposed",
            None,
            id="a face that many looks read lies there although an arm's edge is over it",
        ),
    ],
)
def test_nothing_is_missed_and_nothing_invented(name: str, until: float | None) -> None:
    assert outcome(named(name), until, UNSTEADY).faults == ()
