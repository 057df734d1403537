"""Behind the console: decisions into the journal, answers out of the fold."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from table_controller.app.evidence.moments import Pictures
from table_controller.app.ruling.corrections import Corrections
from table_controller.app.ruling.decisions import Decisions
from table_controller.app.ruling.protests import Protests
from table_controller.console.desk import DecisionRefusedError, Download, NotThereError
from table_controller.console.forms import (
    ConfirmForm,
    ConsentForm,
    CorrectionForm,
    Decision,
    InsertionForm,
    LiftForm,
    MachineForm,
    OffenceForm,
    ProtestForm,
    Signed,
    TileForm,
    UndoForm,
)
from table_controller.console.hub import Hub
from table_controller.console.layout import layout
from table_controller.domain.alert_names import alert_title
from table_controller.domain.codec import to_object as happening_object
from table_controller.domain.happenings import Happening, Seat
from table_controller.domain.output_codec import ruling_object
from table_controller.domain.output_codec import to_object as output_object
from table_controller.domain.outputs import Alert, Move
from table_controller.game.engine import Engine
from table_controller.happenings.looks.places import SEATS
from table_controller.record.fold import Fold, state_after
from table_controller.record.journal import EntryKind, Journal
from table_controller.record.session import SessionRecord
from table_controller.referee.decisions import Entered, Verdicts
from table_controller.referee.rulings import Facts, propose
from table_controller.rulesets.model import AlertRule, EnteredRule, Pay, Ruleset

ABOUT: Final = ("speech", "lateness", "conduct")
"""What referees enter most, beside what the ruleset names."""
AUDITED: Final = 500
"""How many of the newest lines of the audit log are shown."""


class TableDesk:
    """The :class:`table_controller.console.desk.Desk` of one running table.

    Args:
        journal: of the session.
        hub: of the console.
        decisions: about alerts.
        corrections: about what happened.
        protests: that were entered.
        happenings: what was seen so far.
        engine: fresh rules with these decisions.
        verdicts: the decisions that stand, as the rules name alerts.
        evidence: folder of the pictures.
        now: source time.
        machine: takes the referee's orders to the machine; None where there is none.
    """

    def __init__(
        self,
        journal: Journal,
        hub: Hub,
        decisions: Decisions,
        corrections: Corrections,
        protests: Protests,
        happenings: Callable[[], Sequence[Happening]],
        engine: Callable[[Verdicts | None], Engine],
        verdicts: Callable[[], Verdicts],
        evidence: Path,
        now: Callable[[], float],
        machine: Callable[[MachineForm, str], dict[str, Any]] | None = None,
    ) -> None:
        self.evidence = evidence
        self.told_hall: Callable[[str, str, bool], None] | None = None
        """Takes the referee's word on an order of the hall: order, who, yes; None: no hall."""
        self._journal = journal
        self._hub = hub
        self._decisions = decisions
        self._corrections = corrections
        self._protests = protests
        self._machine = machine
        self._happenings = happenings
        self._engine = engine
        self._verdicts = verdicts
        self._now = now
        self._lock = threading.Lock()
        self._folded: tuple[tuple[int, ...], Fold] | None = None

    # -- decisions --------------------------------------------------------------------------

    def decide(self, key: str, form: Decision, role: str) -> dict[str, Any]:
        """See :class:`Desk`."""
        alert = self._hub.alert(key)
        if alert is None:
            raise NotThereError(f"there is no alert {key}")
        if alert.get("withdrawn"):
            raise NotThereError(f"alert {key} no longer stands")
        return self._decisions.decide(key, form, role)

    def correct(self, form: CorrectionForm, role: str) -> dict[str, Any]:
        """See :class:`Desk`."""
        return self._corrections.correct(form, role)

    def insert(self, form: InsertionForm, role: str) -> dict[str, Any]:
        """See :class:`Desk`."""
        return self._corrections.insert(form, role)

    def retile(self, key: str, form: TileForm, role: str) -> dict[str, Any]:
        """See :class:`Desk`."""
        return self._corrections.retile(key, form, role)

    def enter(self, form: OffenceForm, role: str) -> dict[str, Any]:
        """See :class:`Desk`."""
        return self._corrections.enter(form, role)

    def confirm(self, key: str, form: ConfirmForm, role: str) -> dict[str, Any]:
        """See :class:`Desk`."""
        return self._corrections.confirm(key, form, role)

    def undo(self, number: int, form: UndoForm, role: str) -> dict[str, Any]:
        """See :class:`Desk`."""
        return self._corrections.undo(number, form, role)

    def protest(self, form: ProtestForm, role: str) -> dict[str, Any]:
        """See :class:`Desk`."""
        return self._protests.enter(form, role)

    def lift(self, number: int, form: LiftForm, role: str) -> dict[str, Any]:
        """See :class:`Desk`."""
        return self._protests.lift(number, form, role)

    def machine(self, form: MachineForm, role: str) -> dict[str, Any]:
        """See :class:`Desk`."""
        if self._machine is None:
            raise NotThereError("this table has no machine that takes orders")
        return self._machine(form, role)

    def answer(self, key: str, form: Signed, role: str) -> dict[str, Any]:
        """See :class:`Desk`."""
        with self._lock:
            calls = {call["key"]: call for call in self._hub.snapshot()["calls"]}
            call = calls.get(key)
            if call is None:
                raise NotThereError(f"there is no call {key}")
            if call["answered"] is None:
                t = self._now()
                answered = {"by": form.by.strip(), "t": t}
                note = {"text": f"call answered by {form.by.strip()}", "audit": "call answered"}
                note |= {"call": key, "name": form.by.strip(), "role": role}
                self._journal.append([(t, EntryKind.NOTE, note)], patient=True)
                call = {**call, "answered": answered}
                self._hub.publish("call", call)
            return call

    def consent(self, order: str, form: ConsentForm, role: str) -> dict[str, Any]:
        """See :class:`Desk`. What became of it is written with the order's own answer."""
        asked = {one["order"]: one for one in self._hub.snapshot()["asked"]}
        if self.told_hall is None or order not in asked:
            raise NotThereError(f"the hall waits for no answer to {order}")
        if not asked[order]["may"]:
            text = f"{asked[order]['kind']} waits for the hand to end: nobody can let it in"
            raise DecisionRefusedError(text, code="after_hand")
        self.told_hall(order, form.by.strip(), form.yes)
        return {"order": order, "yes": form.yes, "by": form.by.strip(), "role": role}

    def audit(self, event: dict[str, Any]) -> None:
        """See :class:`Desk`."""
        text = " ".join(str(event[key]) for key in ("audit", "role", "name") if event.get(key))
        self._journal.append([(self._now(), EntryKind.NOTE, {"text": text, **event})], patient=True)

    # -- answers ----------------------------------------------------------------------------

    def audited(self) -> list[dict[str, Any]]:
        """See :class:`Desk`."""
        kinds = [EntryKind.NOTE, EntryKind.DECISION, EntryKind.CORRECTION, EntryKind.PROTEST]
        lines = [
            {**entry.body, "entry": entry.kind.value, "seq": entry.seq, "at": entry.t}
            for entry in self._journal.entries(kinds)
            if entry.kind is not EntryKind.NOTE or "audit" in entry.body
        ]
        return lines[: -AUDITED - 1 : -1]

    def offences(self) -> list[dict[str, Any]]:
        """See :class:`Desk`."""
        ruleset = self._engine(None).ruleset
        players = self._hub.players
        facts = Facts(
            dealer=self._fold().state.get("dealer"),
            seats=tuple(seat for seat in SEATS if seat in players),
        )
        counts = self._entered_before()
        listed: list[dict[str, Any]] = [
            {
                "id": "other",
                "about": about,
                "group": rule.group,
                "title": {"en": rule.title, "zh": rule.title_zh, "ja": rule.title_ja},
                "clause": rule.clause,
                "rulings": _rulings(ruleset, rule, facts),
                "before": counts[rule.scope].get(about, [0, 0, 0, 0]),
            }
            for about, rule in ruleset.entered.items()
        ]
        listed += [
            {"id": "other", "about": about, "group": about, "clause": "", "rulings": []}
            for about in ABOUT
        ]
        listed += [
            {
                "id": alert,
                "about": alert,
                "group": "alert",
                "title": alert_title(alert),
                "clause": rule.clause,
                "rulings": _rulings(ruleset, rule, facts),
            }
            for alert, rule in ruleset.alerts.items()
        ]
        return listed

    def timeline(self) -> dict[str, Any]:
        """See :class:`Desk`."""
        fold = self._fold()
        keys = self._alert_keys()
        pictures = Pictures(self.evidence)
        steps: list[dict[str, Any]] = []
        told = fold.by_time()
        for number, step in enumerate(fold.steps, start=1):
            entry = step.entry
            said = told[number - 1]
            line: dict[str, Any] = {
                "n": number,
                "at": step.at,
                "hand": step.hand,
                "t": entry.t,
                "happening": _entered(entry)
                if isinstance(entry, Entered)
                else happening_object(entry),
            }
            moves = [output_object(o) for o in said if isinstance(o, Move)]
            alerts = [
                {"id": o.id, "seat": o.seat, "key": keys.get(_name(o))}
                for o in said
                if isinstance(o, Alert)
            ]
            if moves:
                line["moves"] = moves
            if alerts:
                line["alerts"] = alerts
            picture = pictures.at(entry.t)
            if picture is not None:
                line["picture"] = picture
            steps.append(line)
        return {"steps": steps, "orders": self._corrections.standing()}

    def moment(self, at: int) -> dict[str, Any]:
        """See :class:`Desk`."""
        standing = self._corrections.entries(self._happenings())
        if at > len(standing.entries):
            raise NotThereError(f"there is no moment {at}; there are {len(standing.entries)}")
        state = state_after(self._engine(self._verdicts()), standing, at)
        return {"n": at, "state": state, "view": layout(state)}

    def sheet(self) -> dict[str, Any]:
        """See :class:`Desk`."""
        return self._record().sheet()

    def export(self, form: str) -> Download:
        """See :class:`Desk`."""
        from table_controller.record.exports import FORMS, exported

        if form not in FORMS:
            raise NotThereError(f"there is no form {form}; there are {', '.join(FORMS)}")
        try:
            return Download(*exported(self._record(), form))
        except ValueError as error:
            raise NotThereError(str(error)) from None

    def hand_of(self, key: str) -> str | None:
        """The key of the hand that an alert or a hand belongs to; None where there is none."""
        fold = self._fold()
        if key.startswith("hand-"):
            under = bool(fold.state.get("wins") or fold.state.get("at_the_end"))
            number = int(key.rpartition("-")[2])
            return key if 1 <= number <= len(fold.hands) + under else None
        names = {known: name for name, known in self._alert_keys().items()}
        if key not in names:
            return None
        for step in fold.steps:
            for hand, output in step.by_hand():
                if isinstance(output, Alert) and names[key] == _name(output):
                    return f"hand-{hand:03d}"
        return f"hand-{len(fold.hands) + 1:03d}"  # dismissed, or of the hand that goes on

    # -- inside -----------------------------------------------------------------------------

    def _record(self) -> SessionRecord:
        return SessionRecord.of_journal(self._journal).running(self._now())

    def _fold(self) -> Fold:
        happenings = self._happenings()
        shown = self._hub.snapshot()
        stamp = (
            len(happenings),
            self._corrections.number,
            sum(body["number"] for body in self._decisions.standing().values()),
            # Time that passes raises alerts and ends hands, too.
            len(shown["alerts"]),
            len(shown["hands"]),
        )
        with self._lock:
            if self._folded is not None and self._folded[0] == stamp:
                return self._folded[1]
            standing = self._corrections.entries(happenings)
            fold = Fold.of(self._engine(self._verdicts()), standing, self._now())
            self._folded = (stamp, fold)
            return fold

    def _entered_before(self) -> dict[str, dict[str, list[int]]]:
        """How often each offence was entered for each seat, this hand and this session."""
        counts: dict[str, dict[str, list[int]]] = {"hand": {}, "session": {}}
        fold, verdicts = self._fold(), self._verdicts().by_alert
        now = len(fold.hands) + 1
        for step in fold.steps:
            entry = step.entry
            if not isinstance(entry, Entered):
                continue
            if (verdict := verdicts.get(_name(entry))) is not None and verdict.dismissed:
                continue
            about = str(entry.ruling.extra.get("entered", ""))
            for scope in ("hand", "session") if step.hand == now else ("session",):
                counts[scope].setdefault(about, [0, 0, 0, 0])[entry.seat] += 1
        return counts

    def _alert_keys(self) -> dict[tuple[str, int | None, float], str]:
        alerts = self._hub.snapshot()["alerts"]
        return {(a["id"], a.get("seat"), round(a["t"], 3)): a["key"] for a in alerts if "t" in a}


def _name(alert: Alert | Entered) -> tuple[str, int | None, float]:
    return (alert.id, alert.seat, round(alert.t, 3))


def _entered(entry: Entered) -> dict[str, Any]:
    return {
        "t": entry.t,
        "kind": "entered",
        "id": entry.id,
        "seat": entry.seat,
        "ruling": ruling_object(entry.ruling),
        "by": entry.by,
    }


def _rulings(ruleset: Ruleset, rule: AlertRule | EnteredRule, facts: Facts) -> list[dict[str, Any]]:
    """What the form is filled in with: ``points`` in all, also where the rule says to each.

    A limit hand is worth more where the dealer is concerned: it has ``shares`` instead, for each
    seat at fault what each seat gets.
    """
    listed: list[dict[str, Any]] = []
    for entry in rule.rulings:
        body = entry.model_dump(
            include={
                "stage", "count", "points", "step", "pay", "warning", "stop_win", "play_along",
                "disqualify", "summary", "summary_zh", "clause",
            }
        )  # fmt: skip
        if entry.pay is Pay.EACH:
            payees = len(facts.seats) - 1
            body |= {"points": entry.points * payees, "step": entry.step * payees}
        elif entry.pay is Pay.MANGAN:
            alone = AlertRule(clause=rule.clause, rulings=(entry,))
            body["shares"] = [_shares(ruleset, alone, seat, facts) for seat in SEATS]
        listed.append(body)
    return listed


def _shares(ruleset: Ruleset, rule: AlertRule, seat: Seat, facts: Facts) -> list[int]:
    """What each seat would get of this one, as it is proposed for what cameras see."""
    asked = ruleset.model_copy(update={"alerts": {"asked": rule}})
    _, (_, ruling) = propose(asked, "asked", seat, facts, {})
    got = {payment.to: payment.points for payment in ruling.payments}
    return [got.get(other, 0) for other in SEATS]
