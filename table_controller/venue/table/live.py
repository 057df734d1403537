"""A real table in a venue: sessions by the hall's plan, each with a folder of its own."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from table_controller.config import Config, ConfigError
from table_controller.console.forms import Decision, Signed
from table_controller.domain.happenings import Clock, TableSet
from table_controller.record.journal import EntryKind, Journal
from table_controller.venue.access.bus import load_credentials
from table_controller.venue.errors import RefusedOrderError, VenueError
from table_controller.venue.messages import SessionPlan
from table_controller.venue.models.shelf import ModelShelf
from table_controller.venue.names import check_table, check_venue
from table_controller.venue.orders.tablestore import TableStore
from table_controller.venue.orders.taking import Orders
from table_controller.venue.table.report import Reporter
from table_controller.venue.table.station import Station, StationThread, VenueLink
from vision.nets.modelfile import FOLDER as MODELS

if TYPE_CHECKING:
    from table_controller.app.running.live import LiveRun

logger = logging.getLogger(__name__)


def link_of(config: Config) -> VenueLink:
    """The link to the venue of a table's configuration.

    Raises:
        ConfigError: a name, key or file that cannot be, or that is another table's.
    """
    section = config.venue
    assert section is not None
    try:
        check_venue(section.name)
        check_table(section.table)
        credentials = load_credentials(section.credentials, section.name, section.table)
    except VenueError as error:
        raise ConfigError(f"venue: {error}") from None
    if not section.ca.is_file():
        raise ConfigError(f"venue.ca: no such file: {section.ca}")
    return VenueLink(
        section.name,
        section.table,
        section.servers,
        credentials,
        section.ca,
        section.linger_s,
    )


class VenueTable:
    """Joins the runs of one table, session after session, with the venue.

    Args:
        config: of the table, with a ``[venue]`` section.
        make: makes a run out of a session's configuration.

    Raises:
        ConfigError: the venue's section cannot be used.
    """

    def __init__(self, config: Config, make: Callable[[Config], LiveRun]) -> None:
        self._config = config
        self._make = make
        link = link_of(config)
        self._name = link.table
        base = config.record.dir
        self._store = TableStore(base / "venue.db")
        self._shelf = ModelShelf(base / "models")
        if tried := self._shelf.recover():
            logger.error("models %s: the table ended while it began with them: given up", tried)
        self._next: SessionPlan | None = None
        kept = self._store.fact("session")
        plan = (
            SessionPlan.model_validate(kept)
            if kept is not None
            else SessionPlan(
                session=f"setup-{int(time.time())}",
                round=1,
                players=("", "", "", ""),
                ruleset=config.ruleset,
                east=config.east,
            )
        )
        self._closed: LiveRun | None = None
        self._run = self._begin(plan)
        self.orders = Orders(lambda: self, self._store, self._shelf, self._hall_time)
        self._station = Station(
            link,
            lambda: self._run.journal.path,
            self.orders,
            self._report,
            self._shelf,
        )
        self._run.journal.tell(self._station.wrote)
        self._thread = StationThread(self._station)
        self._thread.start()

    def _hall_time(self) -> float:
        return self._station.hall_time()

    def _report(self) -> dict[str, Any]:
        return self._reporter.report()

    def _begin(self, plan: SessionPlan) -> LiveRun:
        """A run in the folder of a session; its journal begins with the hall's plan."""
        ruleset = plan.ruleset or self._config.ruleset
        folder = self._config.record.dir / plan.session
        with Journal.open(folder / "journal.db") as journal:
            if not journal.head[0]:
                header = plan.header(ruleset, self._name)
                journal.append([(time.time(), EntryKind.SESSION, header)])
        record = self._config.record.model_copy(update={"dir": folder})
        # Between hands only: the run is made anew for them.
        os.environ.pop(MODELS, None)
        if self._shelf.current is not None:
            os.environ[MODELS] = str(self._shelf.current)
        changed = {"ruleset": ruleset, "east": plan.east, "record": record}
        run = self._make(self._config.model_copy(update=changed))
        if run.server is not None:
            run.desk.told_hall = self._told
        self._store.set_fact("session", plan.model_dump())
        self._plan = plan
        self._reporter = Reporter(run.hub, plan.session, run.controller.happenings)
        return run

    @property
    def run(self) -> LiveRun:
        """The running session."""
        return self._run

    def step(self) -> LiveRun:
        """Carry out the hall's orders; called by the controller's thread between its own steps."""
        self.orders.step()
        return self._run

    # -- as orders need it ------------------------------------------------------------------

    @property
    def journal(self) -> Journal:
        """Of the running session."""
        return self._run.journal

    @property
    def t(self) -> float:
        """Source time."""
        return self._run.ruled.now()

    @property
    def session(self) -> str:
        """Name of the running session."""
        return self._plan.session

    @property
    def hand_running(self) -> bool:
        """Whether a hand is being played."""
        return self._reporter.hand_running

    @property
    def under_way(self) -> bool:
        """Whether the session has begun to be played, and goes on."""
        return self._reporter.under_way

    def happen(self, *happenings: Clock | TableSet) -> None:
        """What the hall caused happens at the table; several are written down together."""
        self._reporter.happened(*happenings)
        self._run.controller.judge(happenings)

    def begin(self, plan: SessionPlan) -> None:
        """Begin a new session: cameras and link are opened anew for it."""
        try:
            self._again(plan)
        except Exception as error:
            logger.exception("session %s", plan.session)
            # The table must not stand still: the session before it goes on.
            self._again(self._plan)
            raise RefusedOrderError(f"not begun: {error}") from None

    def renew(self) -> None:
        """Begin the running session again, with the models that are in use now."""
        self._again(self._plan)

    def _again(self, plan: SessionPlan) -> None:
        """Another run in the place of this one, which may be closed already."""
        before = self._run
        if before is not self._closed:
            before.finish()
            before.close()
            self._closed = before
        self._run = self._begin(plan)
        self._run.journal.tell(self._station.wrote)

    def decide(self, key: str, form: Decision, role: str) -> dict[str, Any]:
        """A referee's decision about an alert."""
        return self._run.ruled.desk(self._evidence).decide(key, form, role)

    def answer(self, key: str, by: str, role: str) -> None:
        """A call for the referee is answered."""
        self._run.ruled.desk(self._evidence).answer(key, Signed(by=by), role)

    @property
    def _evidence(self) -> Path:
        return self._run.journal.path.parent / "evidence"

    def show(self, text: str, **more: Any) -> None:
        """Tell the people at the table."""
        self._run.hub.publish("note", {"t": self.t, "text": text, **more})
        self._run.screen.note(text)

    def _told(self, order: str, by: str, yes: bool) -> None:
        """The referee's word at this table's console; the first run begins before the orders."""
        self.orders.agree(order, by, yes)

    def ask(self, orders: list[dict[str, Any]]) -> None:
        """Show the table's referee all orders that wait now."""
        self._run.hub.publish("asked", {"orders": orders})

    def close(self) -> None:
        """End; the run is closed by whoever holds it."""
        self._thread.close()
        self._store.close()
