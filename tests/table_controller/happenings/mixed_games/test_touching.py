"""Two infractions in one hand, and whose fingers were where at the wall.

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
            "mcr-2002-tianjin:824001:claimed-tile-left,wrong-draw",
            67.0,
            id="who stops beside a stack that lies bare in plain sight looks at its tile",
        ),
        pytest.param(
            "mcr-2006-du:792015:die-invalid,win-wrong-tile",
            68.0,
            id="fingers that still come, and go again, rest on no tile",
        ),
        pytest.param(
            "mcr-2006-du:702013:foreign-tile,premature-draw",
            50.0,
            id="who touched a tile too early, went away and drew it then did not lift it before",
        ),
        pytest.param(
            "mcr-2006-du:712008:chow-not-from-left,wrong-draw",
            67.0,
            id="who lifts a tile has not touched the one beside it",
        ),
        pytest.param(
            "riichi-xjtu-2025:711011:dead-wall-draw,invalid-meld",
            40.0,
            id="fingers that one look sees far off have not left the tile they lift",
        ),
        pytest.param(
            "mcr-2002-tianjin:724011:dice-left,wrong-draw",
            32.0,
            id="fingers are not on a stack that is seen as it lies all the time",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing:855003:winning-tile-merged,wrong-draw",
            47.0,
            id="who looks at a drawn tile over the own wall touches none there",
        ),
        pytest.param(
            "riichi-xjtu-2025:851001:premature-draw,win-below-minimum",
            62.0,
            id="who touched a tile too early and went home has let go of it",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay:839001:draw-out-of-turn,riichi-noten",
            58.0,
            id="of two stacks that fingers are right between the one longer not found was lifted",
        ),
        pytest.param(
            "riichi-xjtu-2025-sanma:873003:premature-draw",
            29.0,
            id="fingers that single looks see beside a tile rest on it if they do on average",
        ),
        pytest.param(
            "mcr-2002-tianjin:873016:wrong-draw",
            39.0,
            id="an arm along the wall ends before the tile that lies in plain sight under its tip",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay:875206:wrong-draw",
            37.0,
            id="a hand that holds a lifted tile does not touch the one beside it",
        ),
        pytest.param(
            "mcr-2006-du:875221:wrong-draw",
            None,
            id="of two stacks almost as near the one not found for much longer was lifted",
        ),
    ],
)
def test_nothing_is_missed_and_nothing_invented(name: str, until: float | None) -> None:
    assert outcome(named(name), until, UNSTEADY).faults == ()
