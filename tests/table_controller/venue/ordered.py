"""A table that takes the hall's orders, and what became of them."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from table_controller.domain.happenings import Happening
from table_controller.record.journal import EntryKind
from table_controller.venue.messages import Order, OrderKind
from table_controller.venue.models.shelf import ModelShelf
from table_controller.venue.orders.taking import Orders
from table_controller.venue.table.told import ToldTable
from table_controller.venue.virtual.tables import story

PLAN = {"session": "r1-T01", "round": 1, "players": ["a", "b", "c", "d"]}


class AtTable:
    """A table with its orders, and what became of them."""

    def __init__(self, root: Path) -> None:
        self.table = ToldTable(root, "T01")
        self.shelf = ModelShelf(root / "models")
        self.orders = Orders(lambda: self.table, self.table.store, self.shelf)
        self._t = time.time()

    def give(self, kind: OrderKind, body: dict[str, Any] | None = None, **more: Any) -> Order:
        order = Order(
            id=secrets.token_hex(16), table="T01", kind=kind, body=body or {}, by="Li",
            at=time.time(),
        )  # fmt: skip
        order = order.model_copy(update=more)
        self.send(order)
        return order

    def send(self, order: Order) -> None:
        self.orders.submit(order)
        self.orders.step()

    def paused(self) -> bool:
        return self.table.reporter.paused

    def answers(self) -> list[tuple[str, str, str]]:
        entries = self.table.journal.entries([EntryKind.ORDER])
        return [(e.body["kind"], e.body["state"], e.body["reason"]) for e in entries]

    def play(self, until: str) -> list[Happening]:
        """A hand up to and including the first happening of a kind."""
        told: list[Happening] = []
        for happening in story(0, 3, 0).happenings:
            happening = replace(happening, t=self._t + happening.t)
            self.table.tell(happening)
            told.append(happening)
            if happening.kind == until:
                break
        return told

    def finish(self, told: list[Happening]) -> None:
        for happening in story(0, 3, 0).happenings[len(told) :]:
            self.table.tell(replace(happening, t=self._t + happening.t))
