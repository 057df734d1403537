"""The record sheet as CSV (UTF-8 with a byte order mark, so that spreadsheets read the Chinese)."""

from __future__ import annotations

import csv
import io

from table_controller.record.exports.lines import (
    HEAD,
    PROTEST_HEAD,
    closing_lines,
    hand_lines,
    marks,
    names,
    protest_lines,
    totals,
)
from table_controller.record.session import SessionRecord


def sheet_csv(record: SessionRecord) -> bytes:
    """A line a hand with its symbols, the totals, and the protests."""
    out = io.StringIO()
    writer = csv.writer(out)
    seats = names(record)
    extra = [f"{name} 记号" for name in seats]
    writer.writerow([*HEAD, *seats, *(f"{name} ∑" for name in seats), *extra])
    for number, line in enumerate(hand_lines(record), start=1):
        symbols = marks(record, number, record.hands[number - 1])
        writer.writerow([_plain(cell) for cell in (*line, *symbols)])
    writer.writerows([*line, *([""] * 4)] for line in closing_lines(record))
    writer.writerow(["总分 Total", "", "", "", "", "", "", "", "", *totals(record), *([""] * 4)])
    protests = protest_lines(record)
    if protests:
        writer.writerow([])
        writer.writerow(PROTEST_HEAD)
        writer.writerows([_plain(cell) for cell in line] for line in protests)
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def _plain(cell: str | int) -> str | int:
    """A text that a spreadsheet would take for a formula is kept a text."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") else cell
