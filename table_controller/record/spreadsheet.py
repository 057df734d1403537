"""What a spreadsheet makes of a cell of a CSV file."""

from __future__ import annotations


def plain(cell: str | int) -> str | int:
    """A text that a spreadsheet would take for a formula is kept a text."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") else cell
