"""Tells the machine when to open its hatch and to shuffle, and the referee what it waits for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Final, Protocol

from firmware_bridge import messages as m
from firmware_bridge.errors import LinkError
from table_controller.app.signing import signed, write_down
from table_controller.app.table.listeners import Quiet
from table_controller.app.table.next_wall import Do, NextWall, Order, Situation, outside
from table_controller.console.forms import MachineForm
from table_controller.console.hub import Hub
from table_controller.domain.happenings import Happening, Machine, WallRaised
from table_controller.happenings.view import TableView
from table_controller.record.journal import EntryKind, Journal
from vision.cameras.sources import Frame
from vision.sightings import Outcome, Sighting

logger = logging.getLogger(__name__)

_BLOCKED: Final = {
    m.Block.HAND: "hand",
    m.Block.STOP: "stop",
    m.Block.HOST_SILENT: "host_silent",
    m.Block.HOLD: "hold",
    m.Block.SUPPLY: "supply",
    m.Block.FAULT: "fault",
}
_TOO_EARLY: Final = m.Outcome.WRONG_STATE.name.lower()

KNOWN_S: Final = 4.0
"""Cameras and board have told within this time, s, what happened while nobody listened: walls that
stand are told a moment after they are seen, and a board keeps its events for whoever connects."""
HAND_S: Final = 5.0
"""No hand is over within this time, s, after its walls were raised: what is recorded then is the
hand before, given up unseen, and the walls are the next ones already."""


class Posts(Protocol):
    """The link, as far as it takes commands."""

    @property
    def connected(self) -> bool:
        """Whether the board answers."""

    def post(self, command: m.CommandMessage) -> Future[m.Result]:
        """Queue a command."""


class Driver(Quiet):
    """Looks at the table a few times a second and drives the machine's cycle.

    It listens to the controller from before the journal is folded: walls that an earlier run of
    the program saw raised count as well. Orders come from the console's threads; :meth:`step` is
    called by the controller's own.

    Args:
        journal: takes the referee's orders before they count.
        hub: shows what the next wall waits for.
        now: source time.
        next_wall: that decides.
        start: the command that begins a cycle.
        hatch_half_mm: half the side of the hatch.
        protests: alerts and hands under protest.
        session_over: whether time or hands are used up.
    """

    def __init__(
        self,
        journal: Journal,
        hub: Hub,
        now: Callable[[], float],
        next_wall: NextWall,
        start: m.StartCycle,
        hatch_half_mm: float,
        protests: Callable[[], set[str]],
        session_over: Callable[[], bool],
    ) -> None:
        self._journal = journal
        self._hub = hub
        self._now = now
        self._next = next_wall
        self._start = start
        self._half = hatch_half_mm
        self._protests = protests
        self._over = session_over
        self._answers: dict[str, dict[str, Any]] = {}
        self._pending: Future[m.Result] | None = None
        self._asked = Do.OPEN
        self._clearing: Future[m.Result] | None = None
        self._orders: list[Order] = []
        self._met_anew = False
        self._building_at = float("-inf")
        self._stood_at = float("-inf")
        self._looked = False
        self._listens_since: float | None = None
        self._shown: dict[str, Any] = {}
        self._lock = threading.Lock()

    def happening(self, happening: Happening) -> None:
        """Walls are built, or stand, or did not come."""
        match happening:
            case Machine(state="shuffling" | "raising"):
                self._building_at = max(self._building_at, happening.t)
            case Machine(state="ready") if self._building_at > self._stood_at:
                self._stood_at = happening.t
            case Machine(state="fault" | "idle"):
                self._building_at = float("-inf")
            case WallRaised():
                self._stood_at = max(self._stood_at, happening.t)

    def frame(self, frame: Frame, sighting: Sighting | None) -> None:  # noqa: ARG002
        """The table is looked at, in this run of the program."""
        if sighting is not None and sighting.outcome is Outcome.LOOKED:
            self._looked = True

    def load(self) -> None:
        """Know again whether the machine was held, and which requests were answered."""
        for entry in self._journal.entries([EntryKind.DECISION]):
            body = entry.body
            if "machine" not in body:
                continue
            if body["machine"] in ("hold", "release"):
                self._next.order(body["machine"])
            if body.get("request"):
                self._answers[body["request"]] = body
        self._met_anew = True

    def order(self, form: MachineForm, role: str = "") -> dict[str, Any]:
        """The referee's order; it is written down, then carried out by the controller's thread.

        Raises:
            DecisionRefusedError: it cannot be written.
        """
        with self._lock:
            if form.request and form.request in self._answers:
                return self._answers[form.request]
            body = signed({"machine": form.action}, form, role, self._now())
            write_down(self._journal, EntryKind.DECISION, [body])
            if form.request:
                self._answers[form.request] = body
            self._orders.append(form.action)
        return body

    def reconnected(self) -> None:
        """The board answers again.

        One that was reset knows neither which walls the table's own button begins nor that it is
        held.
        """
        self._met_anew = True

    def step(self, link: Posts | None, view: TableView) -> None:
        """Look, and say what is to be said; never waits."""
        if link is None:
            return
        self._take_orders(link)
        self._take_answers()
        do = self._next.look(self._situation(link, view))
        if do is not None and self._pending is None:
            self._post(link, do)
        body = self._next.body()
        if body != self._shown:
            self._shown = body
            self._hub.publish("machine", body)

    # -- inside -----------------------------------------------------------------------------

    def _take_orders(self, link: Posts) -> None:
        with self._lock:
            orders, self._orders = self._orders, []
        for order in orders:
            self._next.order(order)
        try:
            for order in orders:
                if order == "clear_fault":
                    self._clearing = link.post(m.ClearFault())
                elif order != "next_wall":
                    link.post(m.Hold(on=order == "hold"))
            if self._met_anew:
                link.post(m.Mode(self._start.tiles, self._start.players))
                if self._next.held:
                    link.post(m.Hold(on=True))
            self._met_anew = False
        except LinkError as error:
            logger.warning("machine: %s", error)

    def _post(self, link: Posts, do: Do) -> None:
        command: m.CommandMessage = self._start if do is Do.OPEN else m.Hatch(opening=False)
        try:
            self._pending, self._asked = link.post(command), do
        except LinkError as error:
            self._next.refused(str(error))

    def _take_answers(self) -> None:
        if self._pending is not None and self._pending.done():
            future, self._pending = self._pending, None
            said = _refusal(future)
            # The board closes no hatch that is still opening: nothing for the referee to see to.
            if said is not None and (self._asked, said) != (Do.CLOSE, _TOO_EARLY):
                self._next.refused(said)
        if self._clearing is not None and self._clearing.done():
            future, self._clearing = self._clearing, None
            if (said := _refusal(future)) is not None:
                self._next.not_cleared(said)

    def _knows(self, link: Posts, t: float) -> bool:
        """Whether what happened while the program or the link was away has been told."""
        if not (self._looked and link.connected):
            self._listens_since = None
            return False
        if self._listens_since is None:
            self._listens_since = t
        return t - self._listens_since >= KNOWN_S

    def _situation(self, link: Posts, view: TableView) -> Situation:
        t = self._now()
        shown = self._hub.snapshot()
        hands: Sequence[dict[str, Any]] = shown["hands"]
        last = hands[-1] if hands else None
        raised_at = max(self._building_at, self._stood_at)
        # What the referee has entered himself he has decided.
        entered = {_named(order) for order in shown["orders"] if order["action"] == "enter"}
        return Situation(
            t=t,
            hand=None if last is None else last.get("key"),
            confirmed=last is not None and bool(last.get("confirmed")),
            raised=last is not None and raised_at > last["t"] - HAND_S,
            undecided=tuple(
                a["key"]
                for a in shown["alerts"]
                if _costs(a) and _open(a) and _named(a) not in entered
            ),
            protests=tuple(sorted(self._protests())),
            session_over=self._over(),
            connected=link.connected,
            phase=view.machine,  # type: ignore[arg-type]
            tiles=outside(((tile.x, tile.y) for tile in view.tiles), self._half),
            arms=bool(view.covered),
            seen=self._knows(link, t) and view.blind_since is None,
            written=self._journal.waiting == 0,
        )


def _refusal(answer: Future[m.Result]) -> str | None:
    """Why a command was not carried out, in a word or two; None where it was."""
    try:
        result = answer.result()
    except LinkError as error:
        return str(error)
    if result.outcome is m.Outcome.BLOCKED:
        names = [name for flag, name in _BLOCKED.items() if flag in result.block]
        return " ".join(names) or "blocked"
    return None if result.outcome is m.Outcome.DONE else result.outcome.name.lower()


def _named(body: dict[str, Any]) -> tuple[Any, ...]:
    """What an alert is about, and what was entered: id, seat and when."""
    return (body.get("id"), body.get("seat"), round(body.get("t", 0.0), 3))


def _costs(alert: dict[str, Any]) -> bool:
    ruling = alert.get("ruling") or {}
    return bool(ruling.get("points") or ruling.get("stop_win") or ruling.get("void"))


def _open(alert: dict[str, Any]) -> bool:
    decision = alert.get("decision")
    decided = decision is not None and decision["action"] != "undo"
    return not decided and not alert.get("withdrawn")
