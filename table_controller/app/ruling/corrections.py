"""The referee's orders about what happened: corrections, insertions, entries, confirmations.

Each is an entry of the journal beside the happenings, which are never changed. The state of the
game is the fold over the happenings as the standing orders make them; taking an order back is one
more entry. Before an order is taken the game is folded with it on trial: what is impossible (a
fifth copy of a tile) is refused, what makes the rules say something new has to be insisted on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, cast

from table_controller.app.ruling.ruling_forms import RulingError, ordered_ruling
from table_controller.app.ruling.signed import SignedEntries
from table_controller.app.ruling.trial import judge
from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.console.forms import (
    ConfirmForm,
    CorrectionForm,
    InsertionForm,
    OffenceForm,
    Ordered,
    TileForm,
    UndoForm,
)
from table_controller.console.hub import Hub
from table_controller.domain.codec import BadHappeningError, from_object, to_object
from table_controller.domain.happenings import HandClosed, Happening, Seat
from table_controller.domain.output_codec import ruling_object
from table_controller.domain.outputs import Ruling
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.record.fold import Fold
from table_controller.record.journal import EntryKind, Journal
from table_controller.record.orders import Standing, as_ordered, standing_orders
from table_controller.record.retile import retiled
from table_controller.referee.decisions import Verdicts


class Corrections:
    """Takes the referee's orders into the journal.

    Args:
        journal: where they are written before they count.
        hub: that shows them.
        now: source time.
        happenings: what was seen so far, as it was seen.
        engine: fresh rules with the decisions about alerts that stand.
        effect: told that the standing orders changed.
    """

    def __init__(
        self,
        journal: Journal,
        hub: Hub,
        now: Callable[[], float],
        happenings: Callable[[], Sequence[Happening]],
        engine: Callable[[Verdicts | None], Engine],
        verdicts: Callable[[], Verdicts],
        effect: Callable[[], None] = lambda: None,
    ) -> None:
        self._signed = SignedEntries(journal, EntryKind.CORRECTION)
        self._orders = self._signed.entries
        self._hub = hub
        self._now = now
        self._happenings = happenings
        self._engine = engine
        self._verdicts = verdicts
        self._effect = effect
        self._lock = threading.RLock()

    # -- what stands ------------------------------------------------------------------------

    def load(self) -> None:
        """Know again what was ordered before a restart."""
        self._signed.load()

    def show(self) -> None:
        """Publish the orders."""
        for body in self._orders:
            self._hub.publish("order", body)

    @property
    def number(self) -> int:
        """The newest order's number; 0 before the first."""
        return len(self._orders)

    def standing(self) -> list[dict[str, Any]]:
        """The orders that were not taken back."""
        with self._lock:
            return standing_orders(self._orders)

    def confirmed(self) -> set[str]:
        """Hands that were confirmed by hand."""
        return {body["hand"] for body in self.standing() if body["action"] == "confirm"}

    def entries(self, happenings: Sequence[Happening]) -> Standing:
        """The happenings as corrected, with what was entered between them."""
        return as_ordered(happenings, self.standing())

    # -- orders -----------------------------------------------------------------------------

    def correct(self, form: CorrectionForm, role: str = "") -> dict[str, Any]:
        """The happening at a position was another one, or none.

        Raises:
            DecisionRefusedError: it contradicts what is possible, says nothing new, or somebody
                else has corrected in between.
            NotThereError: there is no such happening.
        """
        with self._lock:
            if (known := self._known(form)) is not None:
                return known
            there = self._at(form.at)
            if form.happening is None:
                return self._take(form, role, {"action": "remove", "at": form.at})
            happening = _happening(form.happening)
            stands = next(
                (
                    order.get("happening")  # none of it where it was struck out
                    for order in reversed(standing_orders(self._orders))
                    if order["action"] in ("replace", "remove") and order["at"] == form.at
                ),
                to_object(there),
            )
            if to_object(happening) == stands:
                raise DecisionRefusedError(
                    "it already stands like this; nothing was changed", code="unchanged"
                )
            body = {"action": "replace", "at": form.at, "happening": to_object(happening)}
            return self._take(form, role, body)

    def insert(self, form: InsertionForm, role: str = "") -> dict[str, Any]:
        """Something happened before the happening at a position.

        Raises:
            DecisionRefusedError: as for :meth:`correct`.
            NotThereError: there is no such position.
        """
        with self._lock:
            if (known := self._known(form)) is not None:
                return known
            if form.at > len(self._happenings()):
                raise NotThereError(f"there is no position {form.at}")
            happening = _happening(form.happening)
            body = {"action": "insert", "at": form.at, "happening": to_object(happening)}
            if any(
                order["action"] == "insert"
                and order["at"] == form.at
                and order["happening"] == body["happening"]
                for order in standing_orders(self._orders)
            ):
                raise DecisionRefusedError("this was inserted there already", code="unchanged")
            return self._take(form, role, body)

    def retile(self, key: str, form: TileForm, role: str = "") -> dict[str, Any]:
        """One tile of a captured hand was another one.

        Raises:
            DecisionRefusedError: as for :meth:`correct`, or the hand shows another face there.
            NotThereError: there is no such hand or tile.
        """
        with self._lock:
            if (known := self._known(form)) is not None:
                return known
            _number(key)
            fold = self._fold()
            found = retiled(fold, key, form.part, form.win, form.meld, form.index, Tile(form.tile))
            if found is None:
                raise NotThereError(f"there is no such tile in {key}")
            if form.was not in (found.was.value, "back"):
                raise DecisionRefusedError(
                    f"it is {found.was.value} by now, not {form.was}: look again",
                    code="other_tile",
                    now=found.was.value,
                    was=form.was,
                )
            if found.was.value == form.tile:
                raise DecisionRefusedError(
                    "it already stands like this; nothing was changed", code="unchanged"
                )
            orders = [
                {"action": "replace", "at": at, "happening": to_object(happening)}
                for at, happening in found.replacements
            ]
            return self._take(form, role, orders[0], *orders[1:])

    def enter(self, form: OffenceForm, role: str = "") -> dict[str, Any]:
        """An offence that no camera saw.

        Raises:
            DecisionRefusedError: the ruleset has no such ruling, or it cannot be carried out.
        """
        with self._lock:
            if (known := self._known(form)) is not None:
                return known
            ruleset = self._engine(None).ruleset
            if form.id != "other" and not ruleset.knows(form.id):
                raise DecisionRefusedError(
                    f"{ruleset.name} has no ruling for {form.id}", code="no_ruling", id=form.id
                )
            if form.seat not in self._hub.players:
                raise DecisionRefusedError(
                    f"nobody sits at seat {form.seat}", code="empty_seat", seat=form.seat
                )
            rule = ruleset.entered.get(form.about.strip())
            words = form.reason.strip() or form.about.strip()
            about = words if rule is None else form.reason.strip() or rule.title
            extra = {} if rule is None else {"entered": form.about.strip(), "clause": rule.clause}
            summary_zh = "" if rule is None else rule.title_zh
            proposed = Ruling(summary=about, summary_zh=summary_zh or about, extra=extra)
            try:
                ruling = ordered_ruling(
                    form.ruling, form.seat, self._hub.players, proposed, form.reason
                )
            except RulingError as error:
                raise DecisionRefusedError(str(error), code=error.code, **error.facts) from None
            body = {
                "action": "enter",
                "at": len(self._happenings()),
                "id": form.id,
                "seat": form.seat,
                "about": about,
                "ruling": ruling_object(ruling),
            }
            return self._take(form, role, body, trial=False)

    def confirm(self, key: str, form: ConfirmForm, role: str = "") -> dict[str, Any]:
        """The captured hand is right: under check or at its end it is closed, once ended marked.

        Raises:
            DecisionRefusedError: confirmed before.
            NotThereError: there is no such hand.
        """
        with self._lock:
            if (known := self._known(form)) is not None:
                return known
            fold = self._fold()
            number = _number(key)
            hands = fold.hands
            if number <= len(hands):
                if hands[number - 1].confirmed or key in self.confirmed():
                    raise DecisionRefusedError("this hand is confirmed already", code="confirmed")
                return self._take(form, role, {"action": "confirm", "hand": key}, trial=False)
            state = fold.state
            wins = state.get("wins") if state.get("phase") == "check" else None
            if number != len(hands) + 1 or not (wins or state.get("at_the_end")):
                raise NotThereError(f"there is no hand {key} to confirm")
            if wins and {"declared", "agreed"} - set(form.steps):
                raise DecisionRefusedError(
                    "first the winner says the points and the others agree", code="steps"
                )
            # Where nobody has won, no hand is turned down: the hand ends with its dealer's.
            seat = cast("Seat", wins[0]["seat"] if wins else state["dealer"])
            closed = HandClosed(t=max(self._now(), fold.t), seat=seat)
            body = {
                "action": "insert",
                "at": len(self._happenings()),
                "happening": to_object(closed),
                "hand": key,
                "steps": list(form.steps),
            }
            return self._take(form, role, body, trial=False)

    def undo(self, number: int, form: UndoForm, role: str = "") -> dict[str, Any]:
        """Take an order back.

        Raises:
            DecisionRefusedError: it was taken back before.
            NotThereError: there is no such order.
        """
        with self._lock:
            if (known := self._signed.answer(form)) is not None:
                return known
            if not any(
                body["number"] == number and body["action"] != "undo" for body in self._orders
            ):
                raise NotThereError(f"there is no order {number}")
            if not any(body["number"] == number for body in standing_orders(self._orders)):
                raise DecisionRefusedError("this was taken back already", code="taken_back")
            return self._write(form, role, [{"action": "undo", "of": number}])

    # -- inside -----------------------------------------------------------------------------

    def _known(self, form: Ordered) -> dict[str, Any] | None:
        """The first answer to a request that comes twice; refuses one that saw too little."""
        if (known := self._signed.answer(form)) is not None:
            return known
        if form.seen is not None and form.seen != self.number:
            who = self._orders[-1]["by"] if self._orders else "nobody"
            raise DecisionRefusedError(
                f"{who} has corrected something in the meantime; look again",
                code="meanwhile",
                who=who,
            )
        return None

    def _at(self, at: int) -> Happening:
        happenings = self._happenings()
        if at >= len(happenings):
            raise NotThereError(f"there is no happening {at}; there are {len(happenings)}")
        return happenings[at]

    def _fold(self, more: Sequence[dict[str, Any]] = (), t: float | None = None) -> Fold:
        """The game as it stands, or would with more orders, at ``t``; None: now."""
        entries = as_ordered(self._happenings(), [*standing_orders(self._orders), *more])
        return Fold.of(self._engine(self._verdicts()), entries, self._now() if t is None else t)

    def _take(
        self,
        form: Ordered,
        role: str,
        *bodies: dict[str, Any],
        trial: bool = True,
    ) -> dict[str, Any]:
        if trial:
            # At one time: what comes of time that passes meanwhile does not come of the order.
            t = self._now()
            judge(self._fold(t=t).outputs, self._fold(bodies, t).outputs, insist=form.insist)
        return self._write(form, role, list(bodies))

    def _write(
        self, form: Ordered | UndoForm, role: str, bodies: list[dict[str, Any]]
    ) -> dict[str, Any]:
        t = self._now()
        if self._orders:
            # Source time stands still without pictures; what is entered twice is two things.
            t = max(t, self._orders[-1]["t"] + 0.001)
        signed = self._signed.write(t, form, role, bodies)
        for body in signed:
            self._hub.publish("order", body)
        self._effect()
        return signed[0]


def _happening(data: dict[str, Any]) -> Happening:
    try:
        return from_object(data)
    except BadHappeningError as error:
        raise DecisionRefusedError(f"no happening: {error}", code="no_happening") from None


def _number(key: str) -> int:
    head, _, digits = key.rpartition("-")
    if head != "hand" or not digits.isdecimal() or not 1 <= int(digits) <= 10_000:
        raise NotThereError(f"there is no hand {key}")
    return int(digits)
