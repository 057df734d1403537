"""The record sheet as a spreadsheet."""

from __future__ import annotations

import io

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

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

_THIN = Side(style="thin", color="999999")
_BOX = Border(left=_THIN, right=_THIN, top=_THIN, bottom=_THIN)
_SHADE = PatternFill("solid", fgColor="E8E2D4")


def sheet_xlsx(record: SessionRecord) -> bytes:
    """The hands with running totals and room to sign, the penalties, the protests."""
    book = Workbook()
    hands = book.active
    assert isinstance(hands, Worksheet)
    hands.title = "记录 Record"
    for line in heading(record):
        _append(hands, [line])
    hands["A1"].font = Font(bold=True, size=14)
    seats = names(record)
    _table(
        hands,
        [*HEAD, *seats, *(f"{name} ∑" for name in seats)],
        [*hand_lines(record), *closing_lines(record)],
        ["总分 Total", "", "", "", "", "", "", "", "", *totals(record)],
    )
    _mark(hands, record)
    hands.append([LEGEND[record.ruleset.family]])
    hands.append([])
    _append(hands, ["裁判 Referee", "", "", "签名 Players' signatures", "", *seats])
    hands.freeze_panes = "A5"
    hands.page_setup.orientation = "landscape"
    hands.page_setup.fitToWidth = 1
    hands.page_setup.fitToHeight = 0
    penalties = book.create_sheet("判罚 Penalties")
    head = ["盘 Hand", "座位 Seat", "违规 Offence", "分 Points", "其他 Other", "条款 Clause"]
    _table(penalties, head, penalty_lines(record), None)
    _table(book.create_sheet("抗议 Protests"), [*PROTEST_HEAD], protest_lines(record), None)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _mark(sheet: Worksheet, record: SessionRecord) -> None:
    """The symbols beside each seat's points: shown by the number's format, so it stays a number."""
    top = len(heading(record)) + 2
    for number, hand in enumerate(record.hands, start=1):
        for seat, mark in enumerate(marks(record, number, hand)):
            cell = sheet.cell(top + number - 1, len(HEAD) + 1 + seat)
            shown = f'"{mark} "' if mark else ""
            cell.number_format = f"{shown}+0;{shown}-0;{shown}0"


def _append(sheet: Worksheet, line: list[str | int]) -> None:
    """One more row; a name that begins with = is a name and no formula.

    Control characters that somebody typed have no place in the file's form and are left out.
    """
    sheet.append(
        [ILLEGAL_CHARACTERS_RE.sub("", cell) if isinstance(cell, str) else cell for cell in line]
    )
    for cell in sheet[sheet.max_row]:
        if cell.data_type == "f":
            cell.data_type = "s"


def _table(
    sheet: Worksheet,
    head: list[str],
    lines: list[list[str | int]],
    last: list[str | int] | None,
) -> None:
    _append(sheet, [*head])
    top = sheet.max_row
    for line in lines:
        _append(sheet, line)
    if last is not None:
        _append(sheet, last)
    for row in sheet.iter_rows(min_row=top, max_row=sheet.max_row, max_col=len(head)):
        for cell in row:
            cell.border = _BOX
            if isinstance(cell.value, int):
                cell.alignment = Alignment(horizontal="right")
            if cell.row == top or (last is not None and cell.row == sheet.max_row):
                cell.font = Font(bold=True)
                cell.fill = _SHADE
    for number, title in enumerate(head, start=1):
        sheet.column_dimensions[get_column_letter(number)].width = max(10, len(title) + 4)
