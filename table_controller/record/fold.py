"""The session as a fold over its happenings: what came of each, and where each hand lies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, Self

from table_controller.domain.happenings import Happening
from table_controller.domain.outputs import Alert, HandRecord, Move, Output
from table_controller.game.base import Table
from table_controller.game.engine import Engine
from table_controller.record.orders import Standing
from table_controller.referee.decisions import Entered


@dataclass(frozen=True, slots=True)
class Step:
    """One happening (or entry of the referee) and what the rules said to it.

    Attributes:
        at: its position among the happenings that were seen; None where it was inserted.
        hand: number of the hand it belongs to, from 1.
        before: so many of the outputs belong to the hands that it ended by opening this one.
    """

    at: int | None
    entry: Happening | Entered
    outputs: tuple[Output, ...]
    hand: int
    before: int = 0

    def by_hand(self) -> Iterator[tuple[int, Output]]:
        """What the rules said to it, each with the number of the hand that it is about."""
        hand = self.hand - _ended(self.outputs[: self.before])
        for number, output in enumerate(self.outputs, start=1):
            yield hand, output
            hand += number <= self.before and isinstance(output, HandRecord)


@dataclass(frozen=True)
class Fold:
    """All steps of a session and the state after them.

    Attributes:
        settled: the state as the last finished hand left it; None before one is finished.
    """

    steps: tuple[Step, ...]
    engine: Engine
    settled: Table | None = None

    @classmethod
    def of(cls, engine: Engine, standing: Standing, until: float = -inf, hands: int = 0) -> Self:
        """Fold everything; the engine must be fresh.

        Args:
            engine: the rules.
            standing: the happenings as corrected.
            until: time passed until then, s, and nothing else was seen: that ends hands as well.
            hands: so many were ended at the table; the one that is lacking was ended by its stop.
        """
        steps: list[Step] = []
        settled: Table | None = None
        hand = 1
        for at, entry in zip(standing.at, standing.entries, strict=True):
            said = engine.enter(entry) if isinstance(entry, Entered) else engine.step(entry)
            # A hand is recorded by the happening that closes it or by the first of the next one.
            ended = _ended(said)
            opens = ended and getattr(entry, "kind", "") in ("table_set", "wall_raised", "machine")
            before = _up_to_the_last_record(said) if opens else 0
            steps.append(Step(at, entry, tuple(said), hand + ended if opens else hand, before))
            hand += ended
            if ended:
                settled = engine.best.copy()
        if steps:
            said = engine.pass_time(until)
            if hand + _ended(said) <= hands:
                said += engine.flush(until)
            # No happening says that time has passed: what came of it belongs to the last one.
            steps[-1] = replace(steps[-1], outputs=(*steps[-1].outputs, *said))
            if _ended(said):
                settled = engine.best.copy()
        return cls(tuple(steps), engine, settled)

    @property
    def outputs(self) -> list[Output]:
        """Everything the rules said."""
        return [output for step in self.steps for output in step.outputs]

    def by_time(self) -> list[list[Output]]:
        """For each step what happened with it: what the rules said later goes back to its time.

        The rules say a move only once no other reading of the game explains what was seen; that may
        be many happenings later.
        """
        told: list[list[Output]] = [[] for _ in self.steps]
        for number, step in enumerate(self.steps):
            for output in step.outputs:
                at = number
                while at > 0 and self.steps[at].entry.t > output.t + 1e-6:
                    at -= 1
                told[at].append(output)
        return told

    @property
    def t(self) -> float:
        """Time of the newest happening, s."""
        return max((step.entry.t for step in self.steps), default=0.0)

    @cached_property
    def state(self) -> dict[str, Any]:
        """The state after the last step, as plain data."""
        return self.engine.state

    @property
    def hands(self) -> list[HandRecord]:
        """The finished hands."""
        return [output for output in self.outputs if isinstance(output, HandRecord)]

    @property
    def alerts(self) -> list[Alert]:
        """The alerts that stand."""
        return [output for output in self.outputs if isinstance(output, Alert)]

    def said(self, hand: int) -> list[Output]:
        """What the rules said about one hand."""
        return [output for step in self.steps for about, output in step.by_hand() if about == hand]

    def moves(self, hand: int) -> list[Move]:
        """The moves of one hand."""
        return [output for output in self.said(hand) if isinstance(output, Move)]

    def of_hand(self, hand: int) -> list[Step]:
        """The steps of one hand."""
        return [step for step in self.steps if step.hand == hand]


def _ended(said: Iterable[Output]) -> int:
    """How many hands are finished with this."""
    return sum(isinstance(output, HandRecord) for output in said)


def _up_to_the_last_record(said: Sequence[Output]) -> int:
    """How many outputs there are up to the last finished hand, itself included."""
    return max((n for n, one in enumerate(said, start=1) if isinstance(one, HandRecord)), default=0)


def state_after(engine: Engine, standing: Standing, steps: int) -> dict[str, Any]:
    """The table after the first ``steps`` entries, rebuilt."""
    for entry in standing.entries[:steps]:
        if isinstance(entry, Entered):
            engine.enter(entry)
        else:
            engine.step(entry)
    return engine.state
