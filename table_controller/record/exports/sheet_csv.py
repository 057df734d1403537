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
from table_controller.record.spreadsheet import plain


def sheet_csv(record: SessionRecord) -> bytes:
    """A line a hand with its symbols, the totals, and the protests."""
    out = io.StringIO()
    writer = csv.writer(out)
    seats = names(record)
    extra = [f"{name} 记号" for name in seats]
    head = [*HEAD, *seats, *(f"{name} ∑" for name in seats), *extra]
    writer.writerow([plain(cell) for cell in head])
    for number, line in enumerate(hand_lines(record), start=1):
        symbols = marks(record, number, record.hands[number - 1])
        writer.writerow([plain(cell) for cell in (*line, *symbols)])
    writer.writerows([*line, *([""] * 4)] for line in closing_lines(record))
    writer.writerow(["总分 Total", "", "", "", "", "", "", "", "", *totals(record), *([""] * 4)])
    protests = protest_lines(record)
    if protests:
        writer.writerow([])
        writer.writerow(PROTEST_HEAD)
        writer.writerows([plain(cell) for cell in line] for line in protests)
    return b"\xef\xbb\xbf" + out.getvalue().encode()
