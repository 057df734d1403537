"""The hall's orders at the table: taken once, carried out between hands, acknowledged.

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
from typing import Any, Final, Protocol, cast

from pydantic import ValidationError

from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.console.forms import Decision
from table_controller.domain.happenings import Clock, Seat, TableSet
from table_controller.record.journal import EntryKind, Journal
from table_controller.rulesets.loader import BadRulesetError, load
from table_controller.venue.errors import VenueError
from table_controller.venue.messages import Order, OrderKind, OrderState, SessionPlan, explain
from table_controller.venue.said import Said, said
from table_controller.venue.tablestore import TableStore

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
GOOD_FOR_S: Final[dict[OrderKind, float]] = {
    OrderKind.PAUSE: 120.0,
    OrderKind.RESUME: 120.0,
    OrderKind.ROUND_CLOCK: 3600.0,
    OrderKind.DECISION: 3600.0,
}
"""An order that comes later than this, s, is not what the hall wants any more."""
OWN: Final = "the program's own models"
TAKES_NONE: Final = "this table takes no model updates"
GOOD_FOR_OTHERS_S: Final = 12 * 3600.0
STATION_KINDS: Final = frozenset({OrderKind.EVIDENCE, OrderKind.RESEND, OrderKind.MODEL_STAGE})
"""Carried out by the station's own thread: they touch neither game nor console."""


class RefusedOrderError(Exception):
    """The table does not do this; one line says why.

    Attributes:
        code: names the reason, so that a page can say it in its own language.
        facts: what it speaks of.
    """

    def __init__(self, message: str, *, code: str = "", **facts: Any) -> None:
        super().__init__(message)
        self.code = code
        self.facts = facts


class Table(Protocol):
    """The table as orders need it. Called from the controller's own thread."""

    @property
    def journal(self) -> Journal:
        """Of the running session."""

    @property
    def t(self) -> float:
        """Source time."""

    @property
    def session(self) -> str:
        """Name of the running session."""

    @property
    def hand_running(self) -> bool:
        """Whether a hand is being played."""

    @property
    def under_way(self) -> bool:
        """Whether the session has begun to be played, and goes on."""

    def happen(self, *happenings: Clock | TableSet) -> None:
        """What the hall caused happens at the table; several are written down together."""

    def renew(self) -> None:
        """Begin the running session again, with the models that are in use now.

        Raises:
            Exception: of whatever kind, where it does not begin with them.
        """

    def begin(self, plan: SessionPlan) -> None:
        """Begin a new session with a journal of its own.

        Raises:
            RefusedOrderError: it cannot be.
        """

    def decide(self, key: str, form: Decision, role: str) -> dict[str, Any]:
        """A referee's decision about an alert."""

    def show(self, text: str, **more: Any) -> None:
        """Tell the people at the table."""

    def ask(self, orders: list[dict[str, Any]]) -> None:
        """Show the table's referee all orders that wait now."""


class Shelf(Protocol):
    """The models an update brought."""

    @property
    def version(self) -> str:
        """Of the models in use."""

    def use(self, version: str) -> bool:
        """Try them from the table's next beginning on; false where they are in use."""

    def confirm(self) -> None:
        """The table has begun with them."""

    def give_up(self, why: str) -> str:
        """They are not used; the version of those before them, which are."""

    def back(self, leave: str) -> bool:
        """Use those before them again; false where they are not in use (any more)."""


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
        self._shelf = shelf
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
        if order.kind is OrderKind.MODEL_BACK:
            self._recalled(str(order.body.get("version", "")))
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

    def _recalled(self, version: str) -> None:
        """What the hall takes back need not be taken into use first."""
        for order in list(self._waiting):
            if order.kind is OrderKind.MODEL_USE and order.body.get("version") == version:
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
        table.journal.append([(table.t, EntryKind.NOTE, note)])

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
            done = self._do(order)
        except ValidationError as error:
            text = explain(error)
            self._settle(order, OrderState.REFUSED, said(text, "malformed", detail=text))
        except BadRulesetError as error:
            text = str(error)
            self._settle(order, OrderState.REFUSED, said(text, "bad_ruleset", detail=text))
        except (RefusedOrderError, DecisionRefusedError, NotThereError, VenueError) as error:
            self._settle(order, OrderState.REFUSED, Said.of(error))
        else:
            self._settle(order, OrderState.DONE, done.agreed(agreed_by) if agreed_by else done)

    def _do(self, order: Order) -> Said:
        table = self._table()
        body = order.body
        match order.kind:
            case OrderKind.SESSION_START:
                plan = SessionPlan.model_validate(body)
                if plan.ruleset is None:
                    plan = plan.model_copy(update={"ruleset": self._store.fact("ruleset")})
                if plan.ruleset is not None:
                    load(plan.ruleset)
                table.begin(plan)
                _start(self._table(), plan)
                return said(plan.session, "session", session=plan.session)
            case OrderKind.SESSION_END:
                table.happen(Clock(t=table.t, event="session_ended"))
            case OrderKind.PAUSE:
                table.happen(Clock(t=table.t, event="paused"))
            case OrderKind.RESUME:
                table.happen(Clock(t=table.t, event="resumed"))
            case OrderKind.SEATING:
                plan = SessionPlan.model_validate(body)
                self._store.set_fact("seating", plan.model_dump())
                table.show("the hall says who sits here next: " + ", ".join(plan.players))
            case OrderKind.SETTINGS:
                name = str(body.get("ruleset", ""))
                load(name)
                self._store.set_fact("ruleset", name)
                return said(f"{name} from the next session on", "next_ruleset", ruleset=name)
            case OrderKind.ROUND_CLOCK:
                ends = body.get("ends")
                if not isinstance(ends, int | float):
                    raise RefusedOrderError("ends: a time is missing", code="no_time")
                self._store.set_fact("round_ends", float(ends))
                table.show("the round's clock was set", ends=float(ends))
            case OrderKind.DECISION:
                key = str(body.get("alert", ""))
                if body.get("session") not in (None, table.session):
                    name = str(body["session"])
                    raise RefusedOrderError(
                        f"session {name} is over at this table", code="session_over", session=name
                    )
                form = Decision.model_validate({**body.get("form", {}), "request": order.id})
                made = table.decide(key, form, str(body.get("role", "")))
                action = str(made["action"])
                return said(f"{key}: {action}", "decided", alert=key, action=action)
            case OrderKind.MODEL_USE | OrderKind.MODEL_BACK if self._shelf is None:
                raise RefusedOrderError(TAKES_NONE, code="takes_no_models")
            case OrderKind.MODEL_USE:
                assert self._shelf is not None
                return self._use(self._shelf, str(body.get("version", "")))
            case OrderKind.MODEL_BACK:
                assert self._shelf is not None
                return self._back(self._shelf, str(body.get("version", "")))
            case _:
                raise RefusedOrderError(f"{order.kind.value}: not known here", code="unknown")
        return Said()

    def _use(self, shelf: Shelf, version: str) -> Said:
        if not shelf.use(version):
            return said(f"{version} is in use already", "in_use", version=version)
        try:
            self._table().renew()
        except Exception as error:
            logger.exception("models %s", version)
            why = str(error) or type(error).__name__
            before = shelf.give_up(why)
            self._table().renew()
            raise RefusedOrderError(
                f"{version}: {why}; {before or OWN} in use again",
                code="models_failed", version=version, detail=why, models=before,
            ) from None  # fmt: skip
        shelf.confirm()
        return said(f"{version} is in use", "in_use", version=version)

    def _back(self, shelf: Shelf, leave: str) -> Said:
        if not shelf.back(leave):
            return said(f"{leave} is not in use here", "not_in_use", version=leave)
        self._table().renew()
        text = f"returned to {shelf.version or OWN}"
        return said(text, "returned", models=shelf.version)

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
        table.journal.append([(table.t, EntryKind.ORDER, body)])
        self._store.keep(order.id, state.value, json.dumps(order.model_dump(mode="json")))
        logger.info("order %s (%s): %s %s", order.id, order.kind.value, state.value, answer.text)


def _start(table: Table, plan: SessionPlan) -> None:
    """The session begins: once, also where the table ended before it could answer the order."""
    if any(e.body.get("event") == "session_started"
           for e in table.journal.entries([EntryKind.HAPPENING])):  # fmt: skip
        return
    began = Clock(t=table.t, event="session_started")
    if plan.scores is None:
        table.happen(began)
    else:
        east = cast("Seat", plan.east)
        table.happen(TableSet(t=table.t, dealer=east, scores=plan.scores), began)
