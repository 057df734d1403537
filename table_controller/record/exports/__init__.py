"""The record of a session in the forms of other programs and of people.

Each form is written from a :class:`table_controller.record.session.SessionRecord`, so from the
journal alone. Overhead cameras do not see what stands in the hands: tiles that nobody saw are
written as unknown, never guessed (docs/decisions/0262).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from table_controller.record.exports.botzone import botzone
from table_controller.record.exports.documented import documented
from table_controller.record.exports.mjai import mjai
from table_controller.record.exports.sheet_csv import sheet_csv
from table_controller.record.exports.sheet_pdf import sheet_pdf
from table_controller.record.exports.sheet_xlsx import sheet_xlsx
from table_controller.record.exports.tenhou import tenhou
from table_controller.record.session import SessionRecord

FORMS: Final[dict[str, tuple[str, str, Callable[[SessionRecord], bytes]]]] = {
    "json": ("json", "application/json", documented),
    "botzone": ("txt", "text/plain; charset=utf-8", botzone),
    "mjai": ("mjai.jsonl", "application/jsonl", mjai),
    "tenhou": ("tenhou.json", "application/json", tenhou),
    "csv": ("csv", "text/csv; charset=utf-8", sheet_csv),
    "xlsx": (
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        sheet_xlsx,
    ),
    "pdf": ("pdf", "application/pdf", sheet_pdf),
}
"""By name: the file's ending, its media type, and what writes it."""


def exported(record: SessionRecord, form: str) -> tuple[str, str, bytes]:
    """The session in one form: file name, media type and content.

    Raises:
        KeyError: there is no such form.
    """
    ending, media, write = FORMS[form]
    return f"session-{record.start:.0f}.{ending}", media, write(record)
