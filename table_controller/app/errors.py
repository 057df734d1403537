"""What ends a run with one line."""

from __future__ import annotations


class RunError(Exception):
    """The run cannot start or go on; the message is one line and says what and where."""
