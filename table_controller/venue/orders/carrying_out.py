"""What each of the hall's orders does at the table, once nothing is in its way."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final, Protocol, cast

from table_controller.console.forms import Decision
from table_controller.domain.happenings import Clock, Seat, TableSet
from table_controller.record.journal import EntryKind, Journal
from table_controller.rulesets.loader import load
from table_controller.venue.errors import RefusedOrderError
from table_controller.venue.messages import Order, OrderKind, SessionPlan
from table_controller.venue.orders.tablestore import TableStore
from table_controller.venue.said import Said, said

logger = logging.getLogger(__name__)

OWN: Final = "the program's own models"
TAKES_NONE: Final = "this table takes no model updates"


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

    def answer(self, key: str, by: str, role: str) -> None:
        """A call for the referee is answered; one that was answered before stays as it is."""

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


class CarryingOut:
    """Carries out the orders of one table.

    Args:
        table: it is for; another one once a new session has begun.
        store: remembers across journals.
        shelf: of models.
    """

    def __init__(self, table: Callable[[], Table], store: TableStore, shelf: Shelf | None) -> None:
        self._table = table
        self._store = store
        self._shelf = shelf

    def do(self, order: Order) -> Said:
        """Carry an order out; what is said of it.

        Raises:
            RefusedOrderError: it cannot be.
            DecisionRefusedError, NotThereError, VenueError, BadRulesetError: nor this.
            ValidationError: its body is malformed.
        """
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
                table.show("the round's clock was set", ends=float(ends))
            case OrderKind.DECISION:
                key = str(body.get("alert", ""))
                _check_session(table, body)
                form = Decision.model_validate({**body.get("form", {}), "request": order.id})
                made = table.decide(key, form, str(body.get("role", "")))
                action = str(made["action"])
                return said(f"{key}: {action}", "decided", alert=key, action=action)
            case OrderKind.ANSWER:
                _check_session(table, body)
                table.answer(str(body.get("call", "")), order.by, str(body.get("role", "")))
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


def _check_session(table: Table, body: dict[str, Any]) -> None:
    """Every session numbers its alerts anew: what is said of another one's is not meant here."""
    if body.get("session") not in (None, table.session):
        name = str(body["session"])
        raise RefusedOrderError(
            f"session {name} is over at this table", code="session_over", session=name
        )


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
