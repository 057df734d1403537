"""The record sheet as PDF, A4 across, with room for the signatures."""

from __future__ import annotations

import io
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle
from reportlab.platypus.flowables import Flowable

from table_controller.record.exports.lines import (
    HEAD,
    LEGEND,
    PROTEST_HEAD,
    closing_lines,
    hand_lines,
    heading,
    marks,
    names,
    penalty_lines,
    protest_lines,
    totals,
)
from table_controller.record.session import SessionRecord

_FONT = "STSong-Light"


def sheet_pdf(record: SessionRecord) -> bytes:
    """The hands with running totals, the penalties, and lines to sign on."""
    if _FONT not in pdfmetrics.getRegisteredFontNames():
        # One of the character collections every PDF reader has: nothing is embedded.
        pdfmetrics.registerFont(UnicodeCIDFont(_FONT))
    text = ParagraphStyle("text", fontName=_FONT, fontSize=9, leading=11)
    title = ParagraphStyle("title", parent=text, fontSize=14, leading=18)
    head, *rest = heading(record)
    parts: list[Flowable] = [Paragraph(escape(head), title)]
    parts += [Paragraph(escape(line), text) for line in rest]
    seats = names(record)
    lines: list[list[str | int]] = [[*HEAD, *seats, *(f"{name} ∑" for name in seats)]]
    first = len(HEAD)
    for number, line in enumerate(hand_lines(record), start=1):
        symbols = marks(record, number, record.hands[number - 1])
        shown = [f"{symbol} {_signed(line[first + n])}".strip() for n, symbol in enumerate(symbols)]
        lines.append([*line[:first], *shown, *line[first + 4 :]])
    lines += [
        [*line[:first], *map(_signed, line[first : first + 4]), *line[first + 4 :]]
        for line in closing_lines(record)
    ]
    lines.append(["总分 Total", "", "", "", "", "", "", "", "", *totals(record)])
    parts += [Spacer(1, 3 * mm), _table(lines, last=True, text=text)]
    parts.append(Paragraph(LEGEND[record.ruleset.family], text))
    penalties = penalty_lines(record)
    if penalties:
        columns = ["盘 Hand", "座位 Seat", "违规 Offence", "分 Points", "其他 Other", "条款 Clause"]
        parts += [Spacer(1, 5 * mm), _table([[*columns], *penalties], last=False, text=text)]
    protests = protest_lines(record)
    if protests:
        parts += [Spacer(1, 5 * mm), _table([[*PROTEST_HEAD], *protests], last=False, text=text)]
    signs = ["裁判 Referee", *seats]
    parts += [
        Spacer(1, 12 * mm),
        Table(
            [[cell for sign in signs for cell in (sign, "")]],
            style=TableStyle(
                [
                    ("FONT", (0, 0), (-1, -1), _FONT, 8),
                    *(("LINEABOVE", (2 * n, 0), (2 * n, 0), 0.5, colors.black) for n in range(5)),
                ]
            ),
            colWidths=[46 * mm, 6 * mm] * len(signs),
            hAlign="LEFT",
        ),
        Spacer(1, 4 * mm),
        Paragraph(f"* 未确认 not confirmed · {record.head[:32]}", text),
    ]  # fmt: skip
    out = io.BytesIO()
    margin = 12 * mm
    SimpleDocTemplate(
        out,
        pagesize=landscape(A4),
        leftMargin=margin,
        rightMargin=margin,
        topMargin=margin,
        bottomMargin=margin,
        title=head,
        invariant=1,
    ).build(parts)
    return out.getvalue()


def _signed(points: str | int) -> str:
    return f"{points:+d}" if isinstance(points, int) and points else str(points)


def _table(lines: list[list[str | int]], *, last: bool, text: ParagraphStyle) -> Table:
    style: list[Any] = [
        ("FONT", (0, 0), (-1, -1), _FONT, 8),
        ("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
        ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#e8e2d4")),
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
    ]
    if last:
        style.append(("BACKGROUND", (0, -1), (-1, -1), colors.HexColor("#e8e2d4")))
    cells = [
        [Paragraph(escape(cell), text) if isinstance(cell, str) and cell else cell for cell in line]
        for line in lines
    ]
    for row, line in enumerate(lines[1:], start=1):
        style += [
            ("ALIGN", (column, row), (column, row), "RIGHT")
            for column, cell in enumerate(line)
            if isinstance(cell, int)
        ]
    return Table(cells, style=TableStyle(style), repeatRows=1, hAlign="LEFT")
