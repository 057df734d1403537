"""A computer that cannot keep up says so, and alerts of nothing that it cannot know."""

from __future__ import annotations

import pytest

from table_controller.app.measuring.games import Game
from tests.table_controller.happenings.slow_computer import Kind, seen_slowly, unlooked_s

HANDS = (("mcr-1998", 3), ("riichi-xjtu-2025", 4), ("riichi-xjtu-2025", 1871000))
_UNTIL_S = 75.0


@pytest.mark.long
@pytest.mark.parametrize(("ruleset", "seed"), HANDS)
@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [("slow", 0.3, 1.0), ("pauses", 0.05, 0.5), ("seldom", 0.8, 1.0), ("fifth", 0.0, 0.03)],
)
def test_legal_hands_are_legal_however_seldom_they_are_looked_at(
    ruleset: str, seed: int, kind: Kind, least: float, most: float
) -> None:
    game = Game(group="legal", ruleset=ruleset, seed=seed, scenario={})
    played = seen_slowly(game, kind, _UNTIL_S)
    assert [(alert.id, alert.seat, alert.t) for alert in played.alerts] == []
    assert least <= unlooked_s(played) / played.duration <= most
