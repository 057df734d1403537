"""The hall's orders at the table: taken once, waiting for the end of a hand, acknowledged.

Nothing from the hall changes a running hand without the table's referee: what would (a pause,
the end of a session, a new seating or ruleset) waits until the hand is over, or until the referee
at the table agrees. What became of an order is written to the journal, which carries the answer
to the hall like everything else.
"""

from __future__ import annotations

import json
import logging
import queue
import time
from collections.abc import Callable
from typing import Final

from pydantic import ValidationError

from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.record.journal import EntryKind, Journal, JournalError
from table_controller.rulesets.loader import BadRulesetError
from table_controller.venue.errors import RefusedOrderError, VenueError
from table_controller.venue.messages import Order, OrderKind, OrderState, explain
from table_controller.venue.orders.carrying_out import CarryingOut, Shelf, Table
from table_controller.venue.orders.tablestore import TableStore
from table_controller.venue.said import Said, said

logger = logging.getLogger(__name__)

BETWEEN_HANDS: Final = frozenset(
    {
        OrderKind.SEATING,
        OrderKind.SESSION_START,
        OrderKind.SESSION_END,
        OrderKind.PAUSE,
        OrderKind.SETTINGS,
        OrderKind.MODEL_USE,
        OrderKind.MODEL_BACK,
    }
)
MODELS: Final = frozenset({OrderKind.MODEL_USE, OrderKind.MODEL_BACK})
"""With what a table sees is changed between hands alone; in a session that is being played, only
where the table's referee agrees."""
REFEREE_MAY_AGREE: Final = MODELS | {OrderKind.SESSION_END, OrderKind.PAUSE, OrderKind.SETTINGS}
"""What the table's referee may let into a running hand, or refuse. A ruleset counts from the next
session on all the same: agreeing to it changes nothing of the hand."""
TAKEN_BACK: Final = {
    OrderKind.MODEL_BACK: OrderKind.MODEL_USE,
    OrderKind.RESUME: OrderKind.PAUSE,
}
"""What an order takes back that was given before it and still waits."""
GOOD_FOR_S: Final[dict[OrderKind, float]] = {
    OrderKind.PAUSE: 120.0,
    OrderKind.RESUME: 120.0,
    OrderKind.ROUND_CLOCK: 3600.0,
    OrderKind.DECISION: 3600.0,
    OrderKind.ANSWER: 3600.0,
}
"""An order that comes later than this, s, is not what the hall wants any more."""
GOOD_FOR_OTHERS_S: Final = 12 * 3600.0
STATION_KINDS: Final = frozenset({OrderKind.EVIDENCE, OrderKind.RESEND, OrderKind.MODEL_STAGE})
"""Carried out by the station's own thread: they touch neither game nor console."""


class Orders:
    """The orders of one table.

    Args:
        table: it is for; another one once a new session has begun.
        store: remembers across journals.
        shelf: of models.
        now: the hall's clock, s since 1970.
    """

    def __init__(
        self,
        table: Callable[[], Table],
        store: TableStore,
        shelf: Shelf | None = None,
        now: Callable[[], float] | None = None,
    ) -> None:
        self._table = table
        self._store = store
        self._carrying_out = CarryingOut(table, store, shelf)
        self._now = now or time.time
        self._new: queue.SimpleQueue[tuple[Order, bool]] = queue.SimpleQueue()
        self._waiting: list[Order] = [Order.model_validate_json(body) for body in store.waiting()]
        self._again: set[str] = set()
        self._attempts: dict[str, int] = {}
        self._agreed: dict[str, str] = {}
        self._consent: queue.SimpleQueue[tuple[str, str, bool]] = queue.SimpleQueue()
        self._shown: tuple[Journal | None, list[str]] = (None, [])

    @property
    def waiting(self) -> tuple[Order, ...]:
        """Orders that wait for the hand to end or for the referee."""
        return tuple(self._waiting)

    def known(self, order: str) -> bool:
        """Whether an order was taken before."""
        return self._store.seen(order) is not None

    def submit(self, order: Order, *, asked_for: bool = False) -> None:
        """From the station's thread: an order has come; the hall sends it until it is answered.

        Args:
            order: the order.
            asked_for: the table asked what is still open; the same may be on its way by itself, or
                be carried out at this moment.
        """
        self._new.put((order, asked_for))

    def agree(self, order: str, by: str, yes: bool) -> None:
        """The table's referee lets an order into the running hand, or refuses it."""
        self._consent.put((order, by, yes))

    # -- in the controller's thread ---------------------------------------------------------

    def step(self) -> None:
        """Carry out what can be carried out now."""
        while not self._new.empty():
            self._take(*self._new.get())
        while not self._consent.empty():
            self._consented(*self._consent.get())
        for order in list(self._waiting):
            # Asked anew for each: one of them may have begun another session.
            if not self._must_wait(order):
                self._waiting.remove(order)
                self._carry_out(order, agreed_by=self._agreed.pop(order.id, ""))
        self._show_waiting()

    def _must_wait(self, order: Order) -> Said | None:
        """What an order waits for; None: nothing."""
        table = self._table()
        why: dict[str, str] = {}
        if order.kind in BETWEEN_HANDS and table.hand_running:
            why["hand"] = "a hand is being played"
        if order.kind in MODELS and table.under_way and order.id not in self._agreed:
            why["referee"] = "the table's referee is asked"
        return said("; ".join(why.values()), "waits_" + "_".join(why)) if why else None

    def _show_waiting(self) -> None:
        """What waits, wherever it changed; to the page of a new session also what waited before."""
        table = self._table()
        names = [f"{order.id} {order.id in self._agreed}" for order in self._waiting]
        journal, shown = self._shown
        if names == shown and (journal is table.journal or not names):
            return
        self._shown = (table.journal, names)
        table.ask(
            [
                {
                    "order": order.id,
                    "kind": order.kind.value,
                    "by": order.by,
                    "what": str(order.body.get("ruleset") or order.body.get("version") or ""),
                    "may": order.kind in REFEREE_MAY_AGREE and order.id not in self._agreed,
                }
                for order in self._waiting
            ]
        )

    def _take(self, order: Order, asked_for: bool) -> None:
        table = self._table()
        if self._store.seen(order.id) is not None:
            if not asked_for:
                self._repeated(order)
            return
        self._attempts[order.id] = order.attempt - asked_for
        self._recalled(order)
        late = self._now() - order.at - GOOD_FOR_S.get(order.kind, GOOD_FOR_OTHERS_S)
        if late > 0:
            text = f"came {late:.0f} s too late"
            self._settle(order, OrderState.REFUSED, said(text, "late", s=round(late)))
        elif why := self._must_wait(order):
            self._waiting.append(order)
            self._settle(order, OrderState.WAITING, why)
            table.show(f"the hall orders: {order.kind.value}: after this hand", order=order.id)
        else:
            self._carry_out(order)

    def _recalled(self, by: Order) -> None:
        """What the hall takes back is not done first, nor after it."""
        for order in list(self._waiting):
            if TAKEN_BACK.get(by.kind) is not order.kind or order.at > by.at:
                continue
            if order.body.get("version") == by.body.get("version"):
                self._waiting.remove(order)
                self._agreed.pop(order.id, None)
                self._settle(order, OrderState.REFUSED, said("the hall took it back", "recalled"))

    def _repeated(self, order: Order) -> None:
        """The hall sends an order until it has the answer; who plays one back does it unchanged."""
        newest = self._attempts.get(order.id, 0)
        self._attempts[order.id] = max(newest, order.attempt)
        if order.attempt > newest or order.id in self._again:
            return
        self._again.add(order.id)
        logger.warning("order %s (%s) was played back: refused", order.id, order.kind.value)
        table = self._table()
        text = f"{order.kind.value} order {order.id} was played back: refused"
        note = {"text": text, "code": "played_back", "facts": {"kind": order.kind.value}}
        table.journal.append([(table.t, EntryKind.NOTE, note)], patient=True)

    def _consented(self, name: str, by: str, yes: bool) -> None:
        order = next((one for one in self._waiting if one.id == name), None)
        if order is None or order.kind not in REFEREE_MAY_AGREE:
            return
        if yes and order.kind in MODELS:
            # Whoever agrees, a hand is never seen with two kinds of eyes.
            self._agreed[name] = by
            return
        self._waiting.remove(order)
        self._agreed.pop(name, None)
        if yes:
            self._carry_out(order, agreed_by=by)
        else:
            text = f"by the table's referee {by}"
            self._settle(order, OrderState.REFUSED, said(text, "by_referee", by=by))

    def _carry_out(self, order: Order, agreed_by: str = "") -> None:
        try:
            done = self._carrying_out.do(order)
        except ValidationError as error:
            text = explain(error)
            self._settle(order, OrderState.REFUSED, said(text, "malformed", detail=text))
        except BadRulesetError as error:
            text = str(error)
            self._settle(order, OrderState.REFUSED, said(text, "bad_ruleset", detail=text))
        except (
            RefusedOrderError, DecisionRefusedError, NotThereError, VenueError, JournalError,
        ) as error:  # fmt: skip
            self._settle(order, OrderState.REFUSED, Said.of(error))
        else:
            self._settle(order, OrderState.DONE, done.agreed(agreed_by) if agreed_by else done)

    def settled(self, order: Order, state: OrderState, answer: Said) -> None:
        """Write down what became of an order that the station itself carried out."""
        self._settle(order, state, answer)

    def _settle(self, order: Order, state: OrderState, answer: Said) -> None:
        table = self._table()
        body = {
            "order": order.id,
            "kind": order.kind.value,
            "state": state.value,
            "reason": answer.text,
            "code": answer.code,
            "facts": dict(answer.facts),
            "by": order.by,
        }
        # The order was carried out: a full disk holds up the answer, not the hand.
        table.journal.append([(table.t, EntryKind.ORDER, body)], patient=True)
        self._store.keep(order.id, state.value, json.dumps(order.model_dump(mode="json")))
        logger.info("order %s (%s): %s %s", order.id, order.kind.value, state.value, answer.text)
