"""Two infractions in one hand, and walls, breaks, indicators and the deal.

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
            "mcr-1998:820011:dice-left,wrong-break",
            None,
            id="what two readings of the break hold alike is raised once",
        ),
        pytest.param(
            "riichi-xjtu-2025:811013:ura-dora-peeked,wall-tile-exposed",
            45.0,
            id="an indicator laid aside lies by the hand that looks below it, never in full sight",
        ),
        pytest.param(
            "mcr-2006-du:772005:extra-draw,fifth-tile",
            38.0,
            id="the stack inside the dealer's jump is empty before his row is counted",
        ),
        pytest.param(
            "riichi-xjtu-2025-sanma:703010:invalid-meld,wall-break",
            17.0,
            id="a grab of the deal that no hand was seen at is that of the row it is missing in",
        ),
        pytest.param(
            "riichi-xjtu-2025:711003:chow-not-from-left,false-win",
            None,
            id="the far tile of the dealer's jump seemed to be taken by the next hand",
        ),
        pytest.param(
            "mcr-2006-du:742002:wall-crooked,wrong-deal",
            10.0,
            id="what lies beside a wall that came up crooked is no set",
        ),
    ],
)
def test_nothing_is_missed_and_nothing_invented(name: str, until: float | None) -> None:
    assert outcome(named(name), until, UNSTEADY).faults == ()
