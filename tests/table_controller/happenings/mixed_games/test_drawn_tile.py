"""Two infractions in one hand, and the drawn tile on its way to the row, and from it.

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
            "riichi-xjtu-2025-sanma:823005:draw-out-of-turn,win-furiten",
            48.0,
            id="who looked at a tile at the row is followed along it, to where that is put",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing:815014:draw-out-of-turn,riichi-changed-hand",
            64.0,
            id="who looks at a tile of the own wall does so just before the own row",
        ),
        pytest.param(
            "riichi-xjtu-2025:811014:draw-out-of-turn,riichi-changed-hand",
            52.0,
            id="who has looked at a tile on the way stops before the row to keep it",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay:706000:draw-out-of-turn,wrong-draw",
            None,
            id="who looks at a drawn tile at the wall's end of the row, and goes along it then",
        ),
        pytest.param(
            "mcr-2002-tianjin:724000:discard-misplaced,meld-misplaced",
            None,
            id="a hand that rests just before its row and discards then lifted nothing",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay:726000:kong-after-claim,wrong-draw",
            None,
            id="a hand that holds a tile just before its row is not at home",
        ),
        pytest.param(
            "mcr-2002-tianjin:854002:extra-draw,short-hand",
            43.0,
            id="a hand that turned round just before its row between two draws lingered at none",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing:840000:riichi-changed-hand,win-wrong-tile",
            None,
            id="a drawn tile that stood in free sight and beside the sleeve was not discarded",
        ),
        pytest.param(
            "riichi-xjtu-2025:861014:premature-draw,win-furiten",
            33.0,
            id="who stops three tiles before the end of the row looks at the drawn tile there",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing:873021:draw-out-of-turn",
            None,
            id="who goes no farther in two looks has stopped to look at the drawn tile",
        ),
    ],
)
def test_nothing_is_missed_and_nothing_invented(name: str, until: float | None) -> None:
    assert outcome(named(name), until, UNSTEADY).faults == ()
