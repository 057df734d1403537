"""A session out of its journal: folded with the decisions and orders that stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from math import inf
from typing import Any, Self

from table_controller.domain.codec import BadHappeningError, from_object
from table_controller.domain.happenings import Clock, Happening
from table_controller.domain.output_codec import ruling_of
from table_controller.domain.output_codec import to_object as output_object
from table_controller.domain.outputs import Alert, HandRecord
from table_controller.game.engine import Engine
from table_controller.record.fold import Fold, state_after
from table_controller.record.journal import Entry, EntryKind, Journal, JournalError
from table_controller.record.match import Match
from table_controller.record.orders import Standing, as_ordered, standing_orders
from table_controller.record.protests import standing_protests, with_outcome
from table_controller.referee.decisions import AlertKey, Verdict, Verdicts
from table_controller.rulesets.loader import BadRulesetError, load
from table_controller.rulesets.model import Ruleset


@dataclass(frozen=True)
class SessionRecord:
    """Everything a journal holds about the game.

    Attributes:
        header: the session's entry: ruleset, first East, names where they were given.
        start: time of that entry, seconds.
        head: hash of the journal's newest entry.
        happenings: as they were seen.
        orders: corrections, entries and confirmations, also those taken back.
        decisions: the latest decision on each alert, by key.
        alerts: every alert that was ever raised, by key.
        protests: entered and lifted, oldest first.
        watched: the table was looked at until then at least, s: what was raised and ended says so.
        ended: so many hands were ended at the table, by what happened, by time, or by its stop.
    """

    header: dict[str, Any]
    start: float
    head: str
    happenings: tuple[Happening, ...]
    orders: tuple[dict[str, Any], ...]
    decisions: dict[str, dict[str, Any]]
    alerts: dict[str, dict[str, Any]]
    protests: tuple[dict[str, Any], ...] = ()
    watched: float = -inf
    ended: int = 0

    @classmethod
    def of_journal(cls, journal: Journal, until: int | None = None) -> Self:
        """Read a journal, up to an entry's number if one is given.

        Raises:
            JournalError: it holds no session, or an entry that cannot be read.
        """
        held: Iterable[Entry] = journal.entries()
        if until is not None:
            held = takewhile(lambda entry: entry.seq <= until, held)
        return cls.of_entries(held, str(journal.path))

    @classmethod
    def of_entries(cls, entries: Iterable[Entry], where: str) -> Self:
        """Out of entries in order, wherever they were kept; readings and evidence may be left out.

        Raises:
            JournalError: they hold no session, or one that cannot be read; it names ``where``.
        """
        header: dict[str, Any] | None = None
        start = 0.0
        head = b""
        happenings: list[Happening] = []
        orders: list[dict[str, Any]] = []
        decisions: dict[str, dict[str, Any]] = {}
        alerts: dict[str, dict[str, Any]] = {}
        protests: list[dict[str, Any]] = []
        watched, ended = -inf, 0
        for entry in entries:
            head = entry.hash
            match entry.kind:
                case EntryKind.SESSION if header is None:
                    header, start = entry.body, entry.t
                case EntryKind.HAPPENING:
                    try:
                        happenings.append(from_object(entry.body))
                    except BadHappeningError as error:
                        raise JournalError(f"{where}: entry {entry.seq}: {error}") from None
                case EntryKind.CORRECTION:
                    orders.append(entry.body)
                case EntryKind.DECISION if "alert" in entry.body:
                    decisions[entry.body["alert"]] = entry.body
                case EntryKind.ALERT if "key" in entry.body:
                    alerts[entry.body["key"]] = entry.body
                    watched = max(watched, entry.t)
                case EntryKind.HAND if "key" in entry.body:
                    ended = max(ended, int(entry.body["key"].rpartition("-")[2]))
                    watched = max(watched, entry.t)
                case EntryKind.PROTEST:
                    protests.append(entry.body)
        if header is None:
            raise JournalError(f"{where}: holds no session")
        return cls(
            header,
            start,
            head.hex(),
            tuple(happenings),
            tuple(orders),
            decisions,
            alerts,
            tuple(protests),
            watched,
            ended,
        )

    def running(self, t: float) -> Self:
        """The same while its table runs, at ``t``: no stop has ended the hand that goes on."""
        return replace(self, watched=t, ended=0)

    @cached_property
    def ruleset(self) -> Ruleset:
        """The rules it was played under.

        Raises:
            JournalError: this program does not know them.
        """
        try:
            return load(self.header["ruleset"])
        except (BadRulesetError, KeyError) as error:
            raise JournalError(f"the session's ruleset: {error}") from None

    @property
    def east(self) -> int:
        """Side of the first dealer."""
        return int(self.header.get("east", 0))

    @property
    def names(self) -> list[str]:
        """Who sits at sides 0..3; empty where it was not said."""
        given = self.header.get("players") or ["", "", "", ""]
        return [str(name) for name in given]

    @property
    def start_scores(self) -> list[int]:
        """What sides 0..3 begin with: as the ruleset says, or as a hall said (a team relay)."""
        said = self.header.get("scores")
        return list(said) if said else [self.ruleset.tournament.start_points] * 4

    @cached_property
    def verdicts(self) -> Verdicts:
        """The decisions that stand, as the rules name alerts."""
        return verdicts_of_bodies(self.decisions, self.alerts)

    @cached_property
    def standing(self) -> Standing:
        """The happenings as corrected."""
        return as_ordered(self.happenings, standing_orders(self.orders))

    @cached_property
    def fold(self) -> Fold:
        """The game."""
        return Fold.of(self._engine(), self.standing, self.watched, self.ended)

    def state_after(self, steps: int) -> dict[str, Any]:
        """The table after the first ``steps`` happenings, rebuilt."""
        return state_after(self._engine(), self.standing, steps)

    def _engine(self) -> Engine:
        return Engine(self.ruleset, self.east, self.verdicts)  # type: ignore[arg-type]

    @cached_property
    def hands(self) -> list[HandRecord]:
        """The finished hands."""
        return self.fold.hands

    @property
    def called_off(self) -> bool:
        """Whether the referee's clock, or the hall, has ended the session."""
        events = [entry.event for entry in self.standing.entries if isinstance(entry, Clock)]
        begun_or_ended = [event for event in events if event.startswith("session_")]
        return begun_or_ended[-1:] == ["session_ended"]

    @cached_property
    def match(self) -> Match:
        """How it stands by the rules."""
        return Match.of(self.fold, ended=self.called_off)

    @property
    def scores(self) -> list[int]:
        """What sides 0..3 have: after the last finished hand, at the end with what is paid then."""
        last = list(self.hands[-1].scores) if self.hands else [0, 0, 0, 0]
        match = self.match
        if not match.over:
            return last
        points = {row["seat"]: row["points"] for row in match.rows}
        return [
            points.get(seat, score + late)
            for seat, (score, late) in enumerate(zip(last, match.late, strict=True))
        ]

    @cached_property
    def confirmed(self) -> list[bool]:
        """For each hand, whether a referee or the table has confirmed it."""
        marked = {
            order["hand"] for order in standing_orders(self.orders) if order["action"] == "confirm"
        }
        return [
            hand.confirmed or f"hand-{number:03d}" in marked
            for number, hand in enumerate(self.hands, start=1)
        ]

    @cached_property
    def protested(self) -> set[str]:
        """Hands that a protest stands about, or about one of their alerts."""
        return {str(body["hand"]) for body in standing_protests(self.protests)}

    def rulings(self, hand: int) -> list[Alert]:
        """The alerts of one hand that stand."""
        return [output for output in self.fold.said(hand) if isinstance(output, Alert)]

    def sheet(self) -> dict[str, Any]:
        """The score sheet: a line a hand, and the totals by seat."""
        lines: list[dict[str, Any]] = []
        for number, hand in enumerate(self.hands, start=1):
            body = output_object(hand)
            body["key"] = f"hand-{number:03d}"
            body["confirmed"] = self.confirmed[number - 1]
            body["protested"] = body["key"] in self.protested
            lines.append(body)
        late = self.match.late
        return {
            "ruleset": self.ruleset.name,
            "title": {"en": self.ruleset.title, "zh": self.ruleset.title_zh},
            "east": self.east,
            "players": self.names,
            "start": self.start,
            "hands": lines,
            "protests": with_outcome(self.protests),
            "totals": {
                "payments": [sum(hand.payments[seat] for hand in self.hands) for seat in range(4)],
                "penalties": [
                    sum(hand.penalties[seat] for hand in self.hands) + late[seat]
                    for seat in range(4)
                ],
                "scores": self.scores,
            },
        }


def verdicts_of_bodies(
    decisions: dict[str, dict[str, Any]], alerts: dict[str, dict[str, Any]]
) -> Verdicts:
    """Decisions by the console's keys as the rules' own names of alerts."""
    table: dict[AlertKey, Verdict] = {}
    for key, body in decisions.items():
        alert = alerts.get(key)
        if alert is None or body["action"] == "undo":
            continue
        table[(alert["id"], alert["seat"], round(alert["t"], 3))] = Verdict(
            dismissed=body["action"] == "dismiss",
            ruling=ruling_of(body["ruling"]) if body["action"] == "change" else None,
        )
    return Verdicts(table)
