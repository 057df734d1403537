"""The project's own JSON of a session (docs/formats/session-json.md)."""

from __future__ import annotations

import json
from typing import Any, Final

from table_controller.domain.alert_names import alert_title
from table_controller.domain.output_codec import to_object
from table_controller.domain.outputs import Alert
from table_controller.record.orders import standing_orders
from table_controller.record.session import SessionRecord

FORMAT: Final = "paiguan-session"
VERSION: Final = 1


def documented(record: SessionRecord) -> bytes:
    """Hands with their moves and rulings, decisions and orders, scores, and the journal's head."""
    hands: list[dict[str, Any]] = []
    for number, line in enumerate(record.sheet()["hands"], start=1):
        hands.append(
            {
                **line,
                "moves": [to_object(move) for move in record.fold.moves(number)],
                "rulings": [_ruling(alert) for alert in record.rulings(number)],
            }
        )
    sheet = record.sheet()
    late = record.rulings(len(record.hands) + 1)
    body = {
        "format": FORMAT,
        "version": VERSION,
        "ruleset": sheet["ruleset"],
        "title": sheet["title"],
        "east": sheet["east"],
        "players": sheet["players"],
        "start": sheet["start"],
        "journal_head": record.head,
        "hands": hands,
        "rulings": [_ruling(alert) for alert in late],
        "totals": sheet["totals"],
        "protests": sheet["protests"],
        "decisions": list(record.decisions.values()),
        "orders": standing_orders(record.orders),
    }
    return json.dumps(body, ensure_ascii=False, indent=1).encode()


def _ruling(alert: Alert) -> dict[str, Any]:
    body = to_object(alert)
    body.pop("evidence")
    return {**body, "title": alert_title(alert.id)}
