"""The record sheet as CSV (UTF-8 with a byte order mark, so that spreadsheets read the Chinese)."""

from __future__ import annotations

import csv
import io

from table_controller.record.exports.lines import HEAD, hand_lines, names, totals
from table_controller.record.session import SessionRecord


def sheet_csv(record: SessionRecord) -> bytes:
    """A line a hand and the totals."""
    out = io.StringIO()
    writer = csv.writer(out)
    seats = names(record)
    writer.writerow([*HEAD, *seats, *(f"{name} ∑" for name in seats)])
    writer.writerows([_plain(cell) for cell in line] for line in hand_lines(record))
    writer.writerow(["总分 Total", "", "", "", "", "", "", "", "", *totals(record)])
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def _plain(cell: str | int) -> str | int:
    """A text that a spreadsheet would take for a formula is kept a text."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") else cell
