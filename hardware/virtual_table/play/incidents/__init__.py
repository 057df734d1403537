"""Infractions put into a hand, one function for each alert id that can be seen.

Each function is registered for the moment of play at which it can happen. It looks whether it
fits now and then changes the table, adds the steps, and says by a
:class:`~hardware.virtual_table.play.steps.Fault` what it was.
"""

from __future__ import annotations

from hardware.virtual_table.play.incidents import (
    arranged,
    claims,
    discards,
    draws,
    exposure,
    opening,
    wins,
)
from hardware.virtual_table.play.incidents.base import (
    REGISTRY,
    Outcome,
    Planned,
    Wanted,
    known_incidents,
)

__all__ = [
    "REGISTRY",
    "Outcome",
    "Planned",
    "Wanted",
    "arranged",
    "claims",
    "discards",
    "draws",
    "exposure",
    "known_incidents",
    "opening",
    "wins",
]
