"""The referee's orders as they stand in the journal, applied to what was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from table_controller.domain.codec import from_object
from table_controller.domain.happenings import Happening
from table_controller.domain.output_codec import ruling_of
from table_controller.referee.decisions import (
    Correction,
    Entered,
    Insertion,
    JournalEntry,
    happenings_of,
)


@dataclass(frozen=True, slots=True)
class Standing:
    """What happened, as corrected.

    Attributes:
        entries: happenings and the referee's entries, in order.
        at: for each of them its position among the happenings that were seen; None where the
            referee inserted it.
    """

    entries: tuple[Happening | Entered, ...]
    at: tuple[int | None, ...]


def standing_orders(orders: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Orders without those that were taken back; what was ordered together goes together."""
    undone = {body["of"] for body in orders if body["action"] == "undo"}
    return [
        body
        for body in orders
        if body["action"] != "undo"
        and body["number"] not in undone
        and body.get("with") not in undone
    ]


def as_ordered(happenings: Sequence[Happening], orders: Sequence[dict[str, Any]]) -> Standing:
    """The happenings with the orders applied."""
    happenings = tuple(happenings)  # each one object, whose id is looked up
    if not orders:
        return Standing(happenings, tuple(range(len(happenings))))
    places = {id(happening): at for at, happening in enumerate(happenings)}
    entered: dict[int, list[Entered]] = {}
    changes: list[JournalEntry] = []
    kept: list[Happening] = []  # alive as long as their ids are looked up
    for body in orders:
        signed = {"t": body.get("t", 0.0), "by": body.get("by", "")}
        match body["action"]:
            case "replace":
                other = from_object(body["happening"])
                kept.append(other)
                places[id(other)] = body["at"]
                changes.append(Correction(at=body["at"], replacement=other, **signed))
            case "remove":
                changes.append(Correction(at=body["at"], replacement=None, **signed))
            case "insert":
                added = from_object(body["happening"])
                kept.append(added)
                changes.append(Insertion(at=body["at"], happening=added, **signed))
            case "enter":
                entered.setdefault(body["at"], []).append(
                    Entered(
                        id=body["id"],
                        seat=body["seat"],
                        ruling=ruling_of(body["ruling"]),
                        **signed,
                    )
                )
    journal: list[JournalEntry] = []
    for at, happening in enumerate(happenings):
        journal += entered.pop(at, ())
        journal.append(happening)
    for rest in entered.values():
        journal += rest
    entries = happenings_of([*journal, *changes])
    return Standing(tuple(entries), tuple(places.get(id(entry)) for entry in entries))
