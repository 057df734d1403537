"""How the link to a machine is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """The link at a moment, for doctor and console.

    Times in seconds; ``clock_error`` is the bound of the clock map's error, ``clock_rate`` host
    seconds per board second.
    """

    connected: bool
    port: str
    firmware: str = ""
    serial: int = 0
    boot: int = 0
    round_trip: float = 0.0
    clock_error: float = float("inf")
    clock_rate: float = 1.0
    frame_errors: int = 0
    repeats: int = 0
