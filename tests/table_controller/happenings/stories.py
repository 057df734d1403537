"""Named scenarios to measure with."""

from __future__ import annotations

import random

from hardware.virtual_table.players import HandWish
from hardware.virtual_table.scenario import Scenario


def story(name: str, seed: int) -> Scenario:
    """The scenario of a name for a seed.

    Raises:
        ValueError: for a name that is none.
    """
    rng = random.Random(seed)
    if name == "legal":
        kongs = rng.choice(((), (), ("exposed",), ("concealed",), ("added",)))
        wish = HandWish(
            win_by=rng.choice(("self", "discard", "discard", "none")),
            kongs=kongs,
            flowers=rng.randint(0, 5),
            claims=rng.choice((0.1, 0.3, 0.6)),
            discards=rng.randint(12, 40),
        )
        pace = rng.choice((0.8, 1.0, 1.0, 1.3))
        return Scenario(seed=seed, wishes=(wish,), pace=pace, east=rng.choice((0, 1, 2, 3)))
    raise ValueError(f"no story {name}")
