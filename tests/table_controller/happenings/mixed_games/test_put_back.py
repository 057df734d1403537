"""Two infractions in one hand, and tiles that are turned over or put back where they stood.

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
            "mcr-2002-tianjin:814014:short-hand,wrong-draw",
            66.0,
            id="one look that errs inwards is no hand that comes down to put a tile back",
        ),
        pytest.param(
            "riichi-xjtu-2025-sanma:813002:riichi-illegal,wall-tile-exposed",
            None,
            id="who turns an exposed tile back and draws the one beside it had no hold of that one",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing:715017:dead-wall-tile-exposed,wall-tile-exposed",
            37.0,
            id="who turns a wall tile over does not touch the one beside it first",
        ),
        pytest.param(
            "riichi-xjtu-2025:821010:premature-draw,wrong-replacement",
            40.0,
            id="a tile seen put back is back though the hand that takes it again hides it at once",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay:840001:dead-wall-draw,fifth-tile",
            None,
            id="who puts a tile of the dead wall back had touched and seen it before",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing:865013:extra-draw,wrong-deal",
            22.0,
            id="who puts a wrong grab back and stops close by takes the right tiles there",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing:876005:extra-draw,kong-after-claim",
            None,
            id="of tiles turned up under one hand each was turned when the hand was nearest to it",
        ),
        pytest.param(
            "mcr-2006-du:873043:wrong-deal",
            23.0,
            id="a stack seen askew just before it was put back was lifted with its neighbour",
        ),
        pytest.param(
            "riichi-xjtu-2025:902004:claim-after-draw,die-invalid",
            25.0,
            id="who passed over a stack before its back was last seen did not turn its tile up",
        ),
        pytest.param(
            "riichi-xjtu-2025:902005:dead-wall-draw,premature-draw",
            56.0,
            id="a tile that lies on the wall again under the hand is back though it is taken again",
        ),
    ],
)
def test_nothing_is_missed_and_nothing_invented(name: str, until: float | None) -> None:
    assert outcome(named(name), until, UNSTEADY).faults == ()
