"""Protests as they stand in the journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def standing_protests(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Protests without those that were lifted, oldest first."""
    lifted = {body["of"] for body in entries if body["action"] == "lift"}
    return [b for b in entries if b["action"] == "protest" and b["number"] not in lifted]


def with_outcome(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every protest, with who lifted it, when and why; ``lifted`` null while it stands."""
    lifts = {body["of"]: body for body in entries if body["action"] == "lift"}
    protests: list[dict[str, Any]] = []
    for body in entries:
        if body["action"] != "protest":
            continue
        lift = lifts.get(body["number"])
        outcome = None if lift is None else {key: lift[key] for key in ("by", "reason", "t")}
        kept = {key: body[key] for key in ("number", "about", "hand", "seat", "by", "reason", "t")}
        protests.append({**kept, "lifted": outcome})
    return protests
