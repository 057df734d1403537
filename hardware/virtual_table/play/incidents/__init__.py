"""Infractions put into a hand, one function for each alert id that can be seen.

Each function is registered for the moment of play at which it can happen. It looks whether it
fits now and then changes the table, adds the steps, and says by a
:class:`~hardware.virtual_table.play.steps.Fault` what it was.
"""

from __future__ import annotations

from hardware.virtual_table.play.incidents import (
    arranged,
    census,
    claims,
    dead_wall,
    declaring,
    discards,
    draws,
    exposure,
    opening,
    riichi_turns,
    riichi_wins,
    wins,
)
from hardware.virtual_table.play.incidents.base import (
    FAMILIES,
    REGISTRY,
    RIICHI,
    UNMIXED,
    Entry,
    Outcome,
    Planned,
    Wanted,
    registry_of,
)

__all__ = [
    "FAMILIES",
    "REGISTRY",
    "RIICHI",
    "UNMIXED",
    "Entry",
    "Outcome",
    "Planned",
    "Wanted",
    "arranged",
    "census",
    "claims",
    "dead_wall",
    "declaring",
    "discards",
    "draws",
    "exposure",
    "opening",
    "registry_of",
    "riichi_turns",
    "riichi_wins",
    "wins",
]
