"""One table: frames and readings in, moves and alerts out, everything kept.

The order is always the same: what was seen becomes happenings; happenings are written to the
journal and flushed; only then do the rules judge them. Everything here runs in one thread and takes
its times from the frames and readings, so a recording gives the same answers as life.
"""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Protocol

from firmware_bridge import EventMark
from firmware_bridge import readings as wire
from firmware_bridge.messages import MachineChanged
from table_controller.app.table.past import Past
from table_controller.domain.codec import BadHappeningError, from_object
from table_controller.domain.codec import to_object as happening_object
from table_controller.domain.happenings import Happening, Machine
from table_controller.domain.output_codec import to_object as output_object
from table_controller.domain.outputs import Alert, HandRecord, Output
from table_controller.record.journal import EntryKind, Journal
from table_controller.referee.decisions import AlertKey, Entered, key_of
from vision.cameras.sources import Frame
from vision.sightings import Outcome, Sighting

logger = logging.getLogger(__name__)

VIEW_EVERY_S: Final = 0.2
"""Source time between two pictures of the table for the console."""


LAST_READINGS_S: Final = 2.0
"""The follower holds a reading no longer than this before its happening is written down."""


class Follows(Protocol):
    """Turns sightings and readings into happenings."""

    def sighting(self, sighting: Sighting) -> list[Happening]:
        """What the sighting lets one say."""

    def reading(self, reading: wire.Reading) -> list[Happening]:
        """What the reading lets one say."""

    def flush(self) -> list[Happening]:
        """What was still held back, at the end."""

    def watched(self, t: float) -> float:
        """Until when it was looked at, or told that it was not; the newest input is of ``t``."""

    def restore(self, happenings: Iterable[Happening], until: float | None = None) -> None:
        """Take up the belief that these happenings left; it was looked at until then."""


class Judges(Protocol):
    """The rules: a fold over happenings."""

    @property
    def state(self) -> dict[str, Any]:
        """The state that is most likely, as plain data."""

    def step(self, happening: Happening) -> list[Output]:
        """Judge one more."""

    def pass_time(self, t: float) -> list[Output]:
        """Nothing was seen until ``t``."""

    def flush(self, t: float) -> list[Output]:
        """Nothing more comes: what is not decided yet is decided now."""

    def enter(self, entered: Entered) -> list[Output]:
        """A ruling that the referee entered."""


Ruled = Callable[[Sequence[Happening]], "tuple[Judges, Sequence[Happening | Entered]]"]
"""The referee's orders applied: fresh rules with the decisions that stand, and the happenings as
corrected, with what was entered between them."""


class Listener(Protocol):
    """Who wants to know."""

    def happening(self, happening: Happening) -> None:
        """Something happened on the table."""

    def output(self, output: Output, key: str | None) -> None:
        """A move, an alert (with its key) or a finished hand."""

    def frame(self, frame: Frame, sighting: Sighting | None) -> None:
        """A frame was looked at; None where looking failed outright."""


@dataclass(slots=True)
class Counters:
    """What the status line and the benchmarks show."""

    frames: int = 0
    failed: int = 0
    happenings: int = 0
    alerts: int = 0


class TableController:
    """Joins the rooms of one table.

    Args:
        follower: sightings and readings to happenings.
        engine: the rules.
        journal: where everything goes first; None for a replay that keeps nothing.
        listeners: told of everything, in order.
    """

    def __init__(
        self,
        follower: Follows,
        engine: Judges,
        journal: Journal | None,
        listeners: Sequence[Listener],
    ) -> None:
        self._follower = follower
        self._engine = engine
        self._journal = journal
        self._listeners = list(listeners)
        self.counters = Counters()
        self.t: float = float("-inf")
        self._happenings = Past()
        self._hands: list[HandRecord] = []
        self._alert_keys: dict[AlertKey, str] = {}
        self.mark: EventMark | None = None
        """The machine's last event that the journal held when this began."""
        # What the journal holds from before a restart, so that it is not written twice.
        self._written_alerts: dict[AlertKey, deque[str]] = {}
        self._written_hands: dict[str, str] = {}
        self._stated: dict[str, dict[str, Any]] = {}
        """What the journal says of each alert, by key."""

    def add_listener(self, listener: Listener) -> None:
        """Tell one more from now on."""
        self._listeners.append(listener)

    @property
    def state(self) -> dict[str, Any]:
        """The rule state as plain data."""
        return self._engine.state

    # -- starting again ---------------------------------------------------------------------

    @property
    def happenings(self) -> Past:
        """What happened so far, as it was seen; positions are those of the referee's corrections.

        May be read from any thread.
        """
        return self._happenings.so_far()

    def resume(self, ruled: Ruled | None = None) -> int:
        """Fold the journal again: the same state as before the program ended, however it ended.

        Alerts and hands that the rules had not yet written when the program was killed are
        written now. Listeners hear everything once more.

        Args:
            ruled: applies the referee's decisions and corrections, where there are any.

        Returns:
            How many happenings were folded; 0 for a new session.
        """
        if self._journal is None:
            return 0
        happenings: list[Happening] = []
        readings: list[wire.Reading] = []
        # What was raised says that it was looked at until then, also where nothing happened.
        watched = float("-inf")
        for entry in self._journal.entries():
            body = entry.body
            if entry.kind is EntryKind.HAPPENING:
                try:
                    happenings.append(from_object(body))
                except BadHappeningError as error:
                    logger.error("journal entry %d left out: %s", entry.seq, error)
            elif entry.kind is EntryKind.READING:
                readings.append(wire.from_json(body))
            elif entry.kind is EntryKind.ALERT and "key" in body:
                watched = max(watched, entry.t)
                name = (body["id"], body["seat"], round(body["t"], 3))
                if body["key"] not in self._stated:
                    self._written_alerts.setdefault(name, deque()).append(body["key"])
                self._stated[body["key"]] = body
                self._alert_keys[name] = body["key"]
                self.counters.alerts = max(self.counters.alerts, int(body["key"].split("-")[-1]))
            elif entry.kind is EntryKind.HAND and "key" in body:
                watched = max(watched, entry.t)
                self._written_hands[body["key"]] = _text(body)
        if readings:
            self.mark = EventMark(readings[-1].boot, readings[-1].number or 0)
        if not happenings:
            return 0
        for happening in happenings:
            self._hear(happening)
        entries: Sequence[Happening | Entered] = happenings
        if ruled is not None:
            engine, entries = ruled(happenings)
            self._engine = engine
        self.t = max(watched, *(happening.t for happening in happenings))
        self._emit(_folded(self._engine, entries))
        self._follower.restore(happenings, self.t)
        self._again(readings)
        return len(happenings)

    def _again(self, readings: Iterable[wire.Reading]) -> None:
        """Take the last readings once more: what they mean may not have been written yet.

        Happenings that do stand in the journal already are not judged twice.
        """
        known = {_identity(h) for h in self._happenings if h.t > self.t - 2 * LAST_READINGS_S}
        told = max((h.t for h in self._happenings if isinstance(h, Machine)), default=0.0)
        recent = [
            reading
            for reading in readings
            if reading.t > self.t - LAST_READINGS_S
            # That the walls were being raised, said once more, would clear a table they stand on.
            and not (isinstance(reading.what, MachineChanged) and reading.t <= told)
        ]
        said = [h for reading in recent for h in self._follower.reading(reading)]
        # Nothing was looked at yet: what is still held back comes of the readings as well, and
        # told with the first look it would be taken for new.
        said += self._follower.flush()
        self.judge([h for h in said if _identity(h) not in known])

    # -- while it runs ----------------------------------------------------------------------

    def seen(self, frame: Frame, sighting: Sighting) -> None:
        """A frame was looked at: judge what it shows."""
        self.counters.frames += 1
        if sighting.outcome is Outcome.FAILED:
            self.counters.failed += 1
        for listener in self._listeners:
            listener.frame(frame, sighting)
        self.t = max(self.t, frame.t)
        self.judge(self._follower.sighting(sighting))

    def reading(self, reading: wire.Reading) -> None:
        """Take a reading of the machine, and judge what it says.

        A numbered event is written down as it came: on return the board may forget it.
        """
        if self._journal is not None and reading.number is not None:
            entry = (reading.t, EntryKind.READING, wire.to_json(reading))
            self._journal.append([entry], patient=True)
        self.judge(self._follower.reading(reading))

    def judge(self, happenings: Sequence[Happening]) -> None:
        """Write happenings down, then let the rules judge them and the time that has passed."""
        if happenings:
            if self._journal is not None:
                # A full disk must not stop the hand: what cannot be written now waits its turn.
                entries = [(h.t, EntryKind.HAPPENING, happening_object(h)) for h in happenings]
                self._journal.append(entries, patient=True)
            self.counters.happenings += len(happenings)
        outputs: list[Output] = []
        for happening in happenings:
            self._hear(happening)
            outputs += self._engine.step(happening)
        outputs += self._engine.pass_time(self._watched())
        self._emit(self._raised(output) for output in outputs)

    def _watched(self) -> float:
        """How far time has passed for the rules.

        They conclude from what did not happen: not from a time in which nobody could see it,
        unless they were told so.
        """
        return self._follower.watched(self.t)

    def _raised(self, output: Output) -> Output:
        """An alert is raised now, not when the last thing before it happened."""
        if isinstance(output, Alert) and output.t_raised < self.t:
            return replace(output, t_raised=self.t)
        return output

    def finish(self) -> None:
        """Nothing more comes: say what was still held back."""
        self.judge(self._follower.flush())
        self._emit(self._engine.flush(self._watched()))

    def refold(
        self, engine: Judges, entries: Sequence[Happening | Entered] | None = None
    ) -> list[Output]:
        """Judge everything again with other rules or decisions; tell what comes out differently.

        Args:
            engine: fresh, with the decisions that stand now.
            entries: the happenings as corrected; None: as they were seen.

        Returns:
            All that the rules say now, from the start of the session.
        """
        outputs = _folded(engine, self._happenings if entries is None else entries)
        outputs += engine.pass_time(self._watched())
        self._engine = engine
        hands = [output for output in outputs if isinstance(output, HandRecord)]
        for number, hand in enumerate(hands, start=1):
            if number > len(self._hands) or self._hands[number - 1] != hand:
                key = f"hand-{number:03d}"
                self._write(EntryKind.HAND, hand.t, key, hand)
                self._tell(hand, key)
        self._hands = hands
        self._emit(
            output
            for output in outputs
            if isinstance(output, Alert) and key_of(output) not in self._alert_keys
        )
        return outputs

    def restate(self, key: str, **facts: Any) -> None:
        """Write an alert down again where the journal says something else of it than holds now."""
        said = {"withdrawn": False, **self._stated.get(key, {})}
        if key in self._stated and _text({name: said.get(name) for name in facts}) != _text(facts):
            gone = {name for name, fact in facts.items() if fact is None}
            body = {name: fact for name, fact in {**said, **facts}.items() if name not in gone}
            t = max(float(said.get("t_raised", said["t"])), self._watched())
            self._append(EntryKind.ALERT, t, body)

    def note(self, t: float, text: str, **more: Any) -> None:
        """Write down what a technician wants to know later."""
        if self._journal is not None:
            self._journal.append([(t, EntryKind.NOTE, {"text": text, **more})], patient=True)

    # -- telling ----------------------------------------------------------------------------

    def _hear(self, happening: Happening) -> None:
        self._happenings.append(happening)
        for listener in self._listeners:
            listener.happening(happening)

    def _emit(self, outputs: Iterable[Output]) -> None:
        """Write down alerts and hands that the journal does not hold yet, and tell everybody."""
        for output in outputs:
            key: str | None = None
            if isinstance(output, Alert):
                name = key_of(output)
                known = self._written_alerts.get(name)
                if known:
                    key = known.popleft()
                else:
                    self.counters.alerts += 1
                    key = f"alert-{self.counters.alerts:04d}"
                    self._write(EntryKind.ALERT, output.t_raised, key, output)
                self._alert_keys[name] = key
            elif isinstance(output, HandRecord):
                self._hands.append(output)
                key = f"hand-{len(self._hands):03d}"
                # One that ended because nothing happened any more is known to have ended only now.
                self._write(EntryKind.HAND, max(output.t, self._watched()), key, output)
            self._tell(output, key)

    def _tell(self, output: Output, key: str | None) -> None:
        for listener in self._listeners:
            listener.output(output, key)

    def alert_of(self, key: str) -> AlertKey | None:
        """What names an alert in the rules' decisions, by its key here."""
        # A copy at once: the console's threads ask while the controller's raises more.
        return next((name for name, known in list(self._alert_keys.items()) if known == key), None)

    def key_for(self, alert: Alert) -> str | None:
        """The key here of an alert that the rules raised."""
        return self._alert_keys.get(key_of(alert))

    def _write(self, kind: EntryKind, t: float, key: str, output: Output) -> None:
        if self._journal is None:
            return
        body = {**output_object(output), "key": key}
        if kind is EntryKind.HAND:
            text = _text(body)
            if self._written_hands.get(key) == text:
                return
            self._written_hands[key] = text
        self._append(kind, t, body)

    def _append(self, kind: EntryKind, t: float, body: dict[str, Any]) -> None:
        if kind is EntryKind.ALERT:
            self._stated[body["key"]] = body
        if self._journal is not None:
            self._journal.append([(t, kind, body)], patient=True)


def _folded(engine: Judges, entries: Iterable[Happening | Entered]) -> list[Output]:
    """What the rules say to happenings and the referee's entries, in order."""
    outputs: list[Output] = []
    for entry in entries:
        outputs += engine.enter(entry) if isinstance(entry, Entered) else engine.step(entry)
    return outputs


def _text(body: dict[str, Any]) -> str:
    """A body as the journal keeps it, for comparing."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _identity(happening: Happening) -> tuple[Any, ...]:
    """The same happening told twice: all alike but the confidence."""
    return tuple(
        getattr(happening, field.name) for field in fields(happening) if field.name != "confidence"
    )
