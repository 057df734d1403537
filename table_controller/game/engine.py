"""Several readings of the game kept alive until the evidence decides.

Each reading is a whole state with the cost of what it had to assume (:mod:`.costs`). A happening
that the rules allow is simply taken. Otherwise every reading is continued in all ways that explain
the happening: unseen steps before it, an infraction, a misreading, a repetition, an illusion.
Equal states are merged, dear ones given up; what all remaining readings say is given out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from itertools import repeat
from math import exp
from typing import Any, Final

from table_controller.domain.happenings import Happening, Seat
from table_controller.domain.outputs import Alert, HandRecord, Output
from table_controller.game import costs
from table_controller.game.base import Table
from table_controller.game.explaining import continued
from table_controller.game.mcr.blind import STEPS
from table_controller.game.mcr.table import ChineseTable
from table_controller.referee.decisions import Entered, Verdicts
from table_controller.rulesets.model import Ruleset

_NOTHING = Verdicts()
_SAME_S: Final = 3.0
"""An alert that another reading dates so near to one that was raised is about the same thing."""
_LATEST: Final = 16
"""So many alerts that were raised are remembered for that."""

_DRAWS: Final = frozenset({"draw-out-of-turn", "extra-draw"})
"""What is told together with a draw, the count of the hand, may say that it was another's."""


def table_for(ruleset: Ruleset, east: Seat, verdicts: Verdicts) -> Table:
    """The state machine of the ruleset's family.

    Raises:
        ValueError: for a family that has none.
    """
    if ruleset.family == "mcr":
        return ChineseTable(ruleset, east, verdicts)
    if ruleset.family == "riichi":
        from table_controller.game.riichi.table import RiichiTable

        return RiichiTable(ruleset, east, verdicts)
    raise ValueError(f"no state machine for {ruleset.family!r}")


class Engine:
    """Happenings in, moves, alerts and finished hands out. Pure: no clock, no files.

    Args:
        ruleset: the rules in force.
        east: side where the first dealer sits.
        verdicts: the referee's decisions, where the fold is done again with them.
    """

    def __init__(self, ruleset: Ruleset, east: Seat = 0, verdicts: Verdicts | None = None) -> None:
        self.ruleset = ruleset
        self._beam: list[Table] = [table_for(ruleset, east, verdicts or _NOTHING)]
        self._split_since: float | None = None
        self._now = 0.0
        self._plain = 0
        self._settled = 0
        self._raised: deque[Alert] = deque(maxlen=_LATEST)

    # -- the fold -------------------------------------------------------------------------

    def step(self, happening: Happening) -> list[Output]:
        """One happening; what is now certain enough to be said."""
        if happening.t > self._now:
            self._now = happening.t
        beam = self._beam
        if happening.foreign:
            # the rules know no such tile: told once a hand, whatever else the happening means
            for table in beam:
                table.tick(happening.t)
                table.flag("foreign-tile", None, happening, t=happening.t, cause=("foreign", None))
        if len(beam) == 1:
            table = beam[0]
            table.tick(happening.t)
            if table.accept(happening):
                table.surprise = 0.0
                self._as_expected(table, happening)
                if not table.out:
                    return []
                said, table.out = table.out, []
                return self._told(table, said)
        else:
            for table in beam:
                table.tick(happening.t)
        doubt = self.best.doubt
        self._beam, expected = continued(beam, happening)
        if doubt is not None and self._share(self._of_one_gap()) < costs.SETTLED:
            # Several stories of what nobody saw are still alive: all of them stay in doubt.
            for table in self._beam:
                table.doubt = table.doubt or doubt
        if expected and len({table.unseen for table in self._beam}) == 1:
            self._as_expected(self.best, happening)
        else:
            self._plain = 0
        return self._decided(happening.t, happening)

    def pass_time(self, t: float) -> list[Output]:
        """Nothing was seen until ``t``; all readings stay, and what has ripened is said."""
        if t <= self._now:
            return []
        self._now = t
        for table in self._beam:
            table.tick(t)
        return self._decided(t)

    def flush(self, t: float) -> list[Output]:
        """Nothing more comes before ``t``: the best reading is taken for true."""
        self._now = max(self._now, t)
        for table in self._beam:
            table.tick(t)
            table.finish(t)
        best = min(self._beam, key=lambda table: table.cost)
        if len(self._beam) > 1:
            said = self._believe(best, t)
        else:
            said = self._told(best, best.out)
        best.out = []
        best.cost = 0.0
        self._beam = [best]
        self._split_since = None
        return said

    def enter(self, entered: Entered) -> list[Output]:
        """A ruling the referee enters for what no camera saw; it holds in every reading."""
        for table in self._beam:
            table.enter(entered)
        return self._decided(entered.t)

    # -- what is certain --------------------------------------------------------------------------

    def _decided(self, t: float, latest: Happening | None = None) -> list[Output]:
        """What all readings say alike; after some patience, what the best one says."""
        beam = self._beam
        if len(beam) == 1:
            self._split_since = None
            said, beam[0].out = beam[0].out, []
            return self._told(beam[0], said)
        best = self.best
        waits = any(self._fresh(output, latest) for output in best.out)
        if not waits and any(isinstance(output, Alert) for output in best.out):
            agreeing = [table for table in beam if table.out[: len(best.out)] == best.out]
            if self._share(agreeing) >= costs.SURE:
                return self._believe(best, t)
            if sure := self._sure(best):
                return sure
        if self._split_since is None:
            self._split_since = t
        elif t - self._split_since > costs.PATIENCE_S:
            return self._believe(best, t)
        common = 0
        shortest = min(len(table.out) for table in beam)
        first = beam[0].out
        while common < shortest and all(table.out[common] == first[common] for table in beam[1:]):
            common += 1
        if not common:
            return []
        said = first[:common]
        for table in beam:
            table.out = table.out[common:]
        return self._told(beam[0], said)

    def _of_one_gap(self) -> list[Table]:
        """The readings that say the same as the best one of the time in which nobody looked.

        All in which nothing happened then do, whatever else they are in two minds about: an alert
        that one of them denied had kept a gap of three seconds open for the rest of the hand.
        """
        best = self.best
        if best.unseen > best.unseen_before:
            return [best]
        return [table for table in self._beam if table.unseen <= table.unseen_before]

    @staticmethod
    def _fresh(output: Output, latest: Happening | None) -> bool:
        """Whether an alert rests on what was told just now, and something beside it may follow."""
        return isinstance(output, Alert) and output.id in _DRAWS and latest in output.evidence

    def _sure(self, best: Table) -> list[Output]:
        """Alerts that nearly all readings hold, whatever else they say or do not say.

        Not where steps of the hand went unseen: what follows may then show all of them wrong.
        """
        said: list[Output] = []
        if best.unseen > self._settled:
            return said
        for output in [each for each in best.out if isinstance(each, Alert)]:
            share = self._support(output)
            if share >= costs.SURE:
                said += self._told(best, [output], [share])
                for table in self._beam:
                    _drop(table, output)
        return said

    def _as_expected(self, table: Table, happening: Happening) -> None:
        """After enough steps that were taken as they were, what went unseen is settled."""
        self._settled = min(self._settled, table.unseen)
        if table.doubt is not None or table.opening:
            self._plain = 0
        elif happening.kind in STEPS:
            self._plain += 1
        if self._plain >= costs.SETTLING_STEPS:
            self._settled = table.unseen

    def _believe(self, best: Table, t: float) -> list[Output]:
        """The best reading's moves are said although others are alive.

        The others stay: should one of them turn out true, what it alone holds as alerts is
        still said, and the moves go on from its state. An alert that most of the readings'
        weight speaks against waits; where steps of the hand went unseen, so does one that is
        not nearly certain.
        """
        said: list[Output] = []
        doubtful: list[Output] = []
        shares: list[float] = []
        needed = costs.SURE_OF_GAPS if best.unseen > self._settled else 0.5
        for output in best.out:
            share = self._support(output)
            if isinstance(output, Alert) and share < needed:
                doubtful.append(output)
            else:
                said.append(output)
                shares.append(share)
        for table in self._beam:
            if table is not best:
                table.out = [
                    output
                    for output in table.out
                    if isinstance(output, Alert | HandRecord) and output not in said
                ]
        best.out = doubtful
        self._split_since = t
        return self._told(best, said, shares)

    def _support(self, output: Output) -> float:
        """Probability of the readings that say the same; an alert's wording does not matter."""
        if isinstance(output, Alert):
            key = (output.id, output.seat)
            some = [
                table
                for table in self._beam
                if any(isinstance(o, Alert) and (o.id, o.seat) == key for o in table.out)
            ]
        else:
            some = [table for table in self._beam if output in table.out]
        return self._share(some)

    def _share(self, some: list[Table]) -> float:
        """Probability of these readings together."""
        whole = sum(exp(-table.cost) for table in self._beam)
        return sum(exp(-table.cost) for table in some) / whole

    def _told(
        self, table: Table, outputs: Iterable[Output], shares: Iterable[float] | None = None
    ) -> list[Output]:
        """What a reading says, dated; an alert that another one has raised is not raised again."""
        said: list[Output] = []
        for output, share in zip(outputs, shares or repeat(1.0), strict=False):
            if isinstance(output, Alert):
                if self._raised_by_another(table, output):
                    continue
                self._raised.append(output)
            said.append(self._dated(output, share))
        return said

    def _raised_by_another(self, table: Table, alert: Alert) -> bool:
        """Whether an alert was raised that this reading does not hold, but for this one."""
        return any(
            (old.id, old.seat) == (alert.id, alert.seat)
            and abs(old.t - alert.t) <= _SAME_S
            and old not in table.rulings
            for old in self._raised
        )

    def _dated(self, output: Output, share: float) -> Output:
        """An alert carries when it was raised and how sure it is."""
        if isinstance(output, Alert):
            return replace(
                output,
                t_raised=max(self._now, output.t),
                confidence=round(output.confidence * share, 4),
            )
        return output

    # -- for the console --------------------------------------------------------------------------

    @property
    def best(self) -> Table:
        """The cheapest reading."""
        return self._beam[0] if len(self._beam) == 1 else min(self._beam, key=lambda x: x.cost)

    @property
    def readings(self) -> int:
        """How many readings are alive."""
        return len(self._beam)

    @property
    def state(self) -> dict[str, Any]:
        """A snapshot of the best reading, as plain data."""
        from table_controller.game.snapshot import snapshot

        best = self.best
        return {
            **snapshot(best),
            "readings": len(self._beam),
            "sure": round(self._share([best]), 4),
        }


def _drop(table: Table, said: Alert) -> None:
    """What has been said is not said again when this reading turns out true."""
    key = (said.id, said.seat)
    for at, output in enumerate(table.out):
        if isinstance(output, Alert) and (output.id, output.seat) == key:
            del table.out[at]
            return
