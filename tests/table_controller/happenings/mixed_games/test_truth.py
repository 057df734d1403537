"""What truly happens in games with two infractions, judged by the rules."""

from __future__ import annotations

import pytest

from tests.table_controller.happenings.games import known_truth, named


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            "mcr-2002-tianjin:814015:win-below-minimum,wrong-replacement",
            id="who is barred declares no hand of too few points: that is a win while barred",
        ),
        pytest.param(
            "mcr-2002-tianjin:814018:concealed-kong-hidden,draw-out-of-turn",
            id="who took a tile out of turn claims nothing any more",
        ),
        pytest.param(
            "mcr-1998:820011:dice-left,wrong-break",
            id="dice that stay and a wrong break are two infractions of one moment",
        ),
        pytest.param(
            "mcr-1998:921066:claim-out-of-priority,hand-shown-early",
            id="who cannot chow presses no button for it",
        ),
        pytest.param(
            "mcr-2002-tianjin:905037:claim-late,discard-missing",
            id="who plays along chows nothing, however late the pung is called",
        ),
    ],
)
def test_the_rules_say_to_the_truth_what_the_virtual_table_says(name: str) -> None:
    assert known_truth(named(name)).faults == ()
