"""How what people order is signed and written down, before it counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from table_controller.console.desk import DecisionRefusedError
from table_controller.console.forms import Signed
from table_controller.record.journal import EntryKind, Journal, JournalError


def signed(body: dict[str, Any], form: Signed, role: str, t: float) -> dict[str, Any]:
    """An entry with who made it, why and when, and the request that it answers."""
    whole = {
        **body,
        "by": form.by.strip(),
        "role": role,
        "reason": form.reason.strip(),
        "t": t,
    }
    if form.request:
        whole["request"] = form.request
    return whole


def write_down(journal: Journal, kind: EntryKind, bodies: Sequence[dict[str, Any]]) -> None:
    """Write signed entries that belong together.

    Raises:
        DecisionRefusedError: the journal cannot be written; nothing was entered.
    """
    try:
        journal.append([(body["t"], kind, body) for body in bodies])
    except JournalError as error:
        raise DecisionRefusedError(str(error), code="not_written") from None
