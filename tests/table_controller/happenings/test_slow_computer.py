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


@pytest.mark.parametrize(
    ("kind", "ruleset", "seed", "until"),
    [
        # Drawn while nobody looked, by whom the look before does not show: it was given to him who
        # had discarded before it.
        ("pauses", "riichi-xjtu-2025", 1871001, 63.0),
        # Two draws a second apart, of which no look shows anybody: one hand had taken both.
        ("half", "riichi-xjtu-2025", 1891000, 59.0),
        # A discard fetched in a pause to win with: who had laid it had taken it back.
        ("pauses", "riichi-xjtu-2025-sanma", 1891000, 75.5),
        # The winner reaches for the ura indicator over one of his tiles that is not believed to
        # lie yet: the tile he had won with was a set by itself, and his hand no winning one.
        ("pauses", "riichi-xjtu-2025", 1891001, 74.0),
    ],
)
def test_what_happens_while_nobody_looks_is_nobodys_infraction(
    kind: Kind, ruleset: str, seed: int, until: float
) -> None:
    game = Game(group="legal", ruleset=ruleset, seed=seed, scenario={})
    assert [(alert.id, alert.t) for alert in seen_slowly(game, kind, until).alerts] == []
