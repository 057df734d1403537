"""What the venue refuses, each in one line."""

from __future__ import annotations


class VenueError(ValueError):
    """Bad input or a venue that cannot be reached; one line says what and where."""
