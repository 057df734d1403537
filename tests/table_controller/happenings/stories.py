"""Named scenarios to measure with."""

from __future__ import annotations

import random

from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario


def story(name: str, seed: int) -> Scenario:
    """The scenario of a name for a seed.

    ``legal``: a hand without infractions; ``mix``: with two by chance; any alert id that the
    virtual table can play: with that one.
    """
    rng = random.Random(seed)
    wish = HandWish(
        kongs=rng.choice(((), (), ("exposed",), ("concealed",), ("added",))),
        win_by=rng.choice(("self", "discard", "discard", "none")),
        flowers=rng.randint(0, 5),
        claims=rng.choice((0.1, 0.3, 0.6)),
        discards=rng.randint(12, 40),
    )
    return Scenario(
        seed=seed,
        wishes=(wish,),
        pace=rng.choice((0.8, 1.0, 1.0, 1.3)),
        east=rng.choice((0, 1, 2, 3)),
        mix={"legal": 0, "mix": 2}.get(name, 1),
        mix_ids=() if name in ("legal", "mix") else (name,),
    )
