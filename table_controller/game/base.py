"""What every game at the table shares: seats, pools, melds, outputs, infractions.

The classes of :mod:`table_controller.game.mcr` build on it; riichi stands beside them. Seats'
collections are tuples: a reading of the game is copied often and changed little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Self

from table_controller.domain.happenings import Happening, Place, Seat
from table_controller.domain.outputs import Alert, Clause, Move, MoveKind, Output, Ruling
from table_controller.domain.tiles import Tile
from table_controller.referee.decisions import Entered, Verdicts
from table_controller.referee.rulings import WARNINGS, Facts, propose
from table_controller.rulesets.model import Ruleset, Window

MeldKind = Literal["chow", "pung", "kong", "unknown"]


@dataclass(frozen=True, slots=True)
class Meld:
    """A set in the meld area.

    Attributes:
        claimed: the tile taken from a discard; null for a concealed kong.
        valid: whether the rules accept it.
    """

    kind: MeldKind
    tiles: tuple[Tile, ...]
    from_: Seat | None
    claimed: Tile | None
    concealed: bool = False
    added: bool = False
    valid: bool = True
    t: float = 0.0


@dataclass(frozen=True, slots=True)
class Discard:
    """A tile in a pool; ``gone`` when claimed or taken back, ``extra`` where no discard was due."""

    tile: Tile
    t: float
    place: Place | None
    drawn: bool | None = None
    gone: bool = False
    inferred: bool = False
    extra: bool = False


@dataclass(frozen=True, slots=True)
class Chance:
    """A tile others may claim or win on."""

    seat: Seat
    tile: Tile
    t: float
    index: int
    """Position in the seat's pool; -1 for a tile added to a pung (robbing)."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """The state may have been left behind while nobody looked.

    Attributes:
        since: from when on nobody looked.
        until: to when.
        left: steps still to be seen before the state is trusted again.
    """

    since: float
    until: float
    left: int = 1


class SeatState:
    """One seat in one reading of the game."""

    __slots__ = (
        "barred_until_draw",
        "counted",
        "dead",
        "drawn_at",
        "due_back",
        "flowers",
        "known",
        "melds",
        "penalty",
        "pool",
        "retractions",
        "standing",
        "stop_win",
    )

    def __init__(self) -> None:
        self.standing = 0
        self.melds: tuple[Meld, ...] = ()
        self.flowers: tuple[Tile, ...] = ()
        self.pool: tuple[Discard, ...] = ()
        self.known: tuple[Tile, ...] = ()
        self.penalty: tuple[Tile, ...] = ()
        self.due_back: tuple[Tile, ...] = ()
        self.stop_win = False
        self.dead = False
        self.barred_until_draw = False
        self.retractions = 0
        self.drawn_at = -1.0
        self.counted: tuple[float, int] | None = None

    def copy(self) -> SeatState:
        """An independent copy (the collections are never changed in place)."""
        other = SeatState.__new__(SeatState)
        for name in SeatState.__slots__:
            setattr(other, name, getattr(self, name))
        return other

    @property
    def due(self) -> int:
        """Standing tiles the seat has to hold between turns."""
        return 13 - 3 * len(self.melds)

    def lose(self, tile: Tile) -> None:
        """A tile leaves the hand; a copy of known identity goes first from memory."""
        self.standing -= 1
        if tile in self.known:
            at = self.known.index(tile)
            self.known = self.known[:at] + self.known[at + 1 :]

    def exchange(self, at: int, meld: Meld) -> None:
        """A set on the table is another now than it was, or than was known."""
        self.melds = (*self.melds[:at], meld, *self.melds[at + 1 :])


class Table:
    """One reading of the game: the state and what it has said so far.

    Attributes:
        cost: what the reading had to assume, in nats.
        surprise: what an otherwise legal step has added to it.
        out: moves, alerts and records not yet given out.
        verdicts: the referee's decisions, known from the start of a fold.
        unseen: steps of this hand that nobody saw.
        unseen_before: so many of them before the latest time in which nobody looked.
        doubt: nobody looked for a time, and the game was not yet seen to go on from there.
        latest: the last step of the hand that was taken as it was seen.
    """

    def __init__(self, ruleset: Ruleset, east: Seat, verdicts: Verdicts) -> None:
        self.ruleset = ruleset
        self.verdicts = verdicts
        self.cost = 0.0
        self.surprise = 0.0
        self.now = 0.0
        self.out: list[Output] = []
        self.seats = [SeatState() for _ in range(4)]
        self.dealer: Seat = east
        self.first_dealer: Seat = east
        self.hand = 1
        self.scores: tuple[int, ...] = (0, 0, 0, 0)
        self.deductions: tuple[int, ...] = (0, 0, 0, 0)
        self.counts: dict[tuple[str, int | None, str], int] = {}
        self.causes: frozenset[tuple[object, ...]] = frozenset()
        self.rulings: tuple[Alert, ...] = ()
        self.evidence: tuple[Happening, ...] = ()
        self.unseen = 0
        self.unseen_before = 0
        self.doubt: Doubt | None = None
        self.latest: Happening | None = None

    def copy(self) -> Self:
        """An independent copy."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.out = list(self.out)
        other.seats = [seat.copy() for seat in self.seats]
        return other

    # -- what the engine asks -----------------------------------------------------------

    def accept(self, happening: Happening) -> bool:
        """Take a happening that the rules allow here; false, and unchanged, where they do not."""
        raise NotImplementedError

    def readings(self, happening: Happening) -> list[tuple[float, Callable[[Self], None]]]:
        """Other explanations of it, with their costs: infractions, misreadings, repetitions."""
        raise NotImplementedError

    def silent(self, happening: Happening) -> list[tuple[float, Callable[[Self], None]]]:
        """Steps that may have been taken unseen, with their costs; the happening may name them."""
        raise NotImplementedError

    @property
    def opening(self) -> bool:
        """Whether the hand is still being set up: many steps may then be unseen at once."""
        raise NotImplementedError

    def tick(self, t: float) -> None:
        """Time has come to ``t`` with nothing seen before it."""
        raise NotImplementedError

    def finish(self, t: float) -> None:
        """Nothing more comes: end what can end."""
        raise NotImplementedError

    def signature(self) -> tuple[object, ...]:
        """What distinguishes the state from another one, for merging equal readings."""
        raise NotImplementedError

    # -- saying things ------------------------------------------------------------------

    def unseen_no_more(self) -> None:
        """One step that was taken for unseen was seen after all, or was none."""
        self.unseen = max(0, self.unseen - 1)

    def say(
        self,
        move: MoveKind,
        seat: Seat | None = None,
        *,
        inferred: bool = False,
        **more: object,
    ) -> None:
        """A legal step was taken."""
        self.unseen += inferred
        self.out.append(
            Move(t=self.now, move=move, seat=seat, inferred=inferred, **more)  # type: ignore[arg-type]
        )

    def flag(
        self,
        alert: str,
        seat: Seat | None,
        *evidence: Happening,
        t: float | None = None,
        facts: Facts | None = None,
        cause: tuple[object, ...] | None = None,
        cost: float = 0.0,
    ) -> Ruling | None:
        """The rules cannot accept what happened.

        One cause raises one alert: where ``cause`` was named before, nothing is said. An id the
        ruleset does not know is not raised.

        Returns:
            The ruling in force (proposed, or as the referee decided), if one was raised.
        """
        rule = self.ruleset.alerts.get(alert)
        if rule is None:
            return None
        if cause is not None:
            if cause in self.causes:
                return None
            self.causes |= {cause}
        facts = facts or Facts()
        happened = self.now if t is None else t
        count, ruling = propose(self.ruleset, alert, seat, facts, self.counts)
        raised = Alert(
            t=happened,
            t_raised=self.now,
            id=alert,
            seat=seat,
            stage=facts.stage,
            count=count,
            confidence=min((h.confidence for h in evidence), default=1.0),
            rule=ruling[0],
            ruling=ruling[1],
            evidence=evidence,
        )
        if raised.ruling.until is None:
            window = Window(raised.ruling.extra["window"])
            until = self.window_end(window, seat, happened)
            if until is not None:
                raised = replace(raised, ruling=replace(raised.ruling, until=until))
        verdict = self.verdicts.of(raised)
        if verdict is not None and verdict.dismissed:
            return None
        if verdict is not None and verdict.ruling is not None:
            raised = replace(raised, ruling=verdict.ruling)
        self.counts = facts.counted(self.counts, rule, alert, seat, raised.ruling)
        self.out.append(raised)
        self.rulings += (raised,)
        self.surprise += cost
        self.enforce(raised, facts)
        return raised.ruling

    def window_end(self, window: Window, seat: Seat | None, t: float) -> float | None:
        """Source time at which a window for what happened at ``t`` ends, where it is known."""
        del window, seat, t
        return None

    def enter(self, entered: Entered) -> None:
        """A ruling that the referee enters by hand; what he decides about it later counts."""
        self.now = max(self.now, entered.t)
        rule = self.ruleset.alerts.get(entered.id)
        known = entered.ruling.extra.get("clause", "entered by the referee")
        clause = rule.clause if rule is not None else str(known)
        alert = Alert(
            t=entered.t,
            t_raised=entered.t,
            id=entered.id,
            seat=entered.seat,
            rule=Clause(ruleset=self.ruleset.name, clause=clause),
            ruling=entered.ruling,
        )
        verdict = self.verdicts.of(alert)
        if verdict is not None and verdict.dismissed:
            return
        if verdict is not None and verdict.ruling is not None:
            alert = replace(alert, ruling=verdict.ruling)
        facts = Facts()
        if rule is not None:
            self.counts = facts.counted(self.counts, rule, entered.id, entered.seat, alert.ruling)
        elif alert.ruling.warning:
            # A warning for what no camera sees counts like any other.
            warned = (WARNINGS, entered.seat, "session")
            self.counts = {**self.counts, warned: self.counts.get(warned, 0) + 1}
        self.out.append(alert)
        self.rulings += (alert,)
        self.enforce(alert, facts)

    def enforce(self, alert: Alert, facts: Facts) -> None:
        """A ruling takes effect on the state; points wait for the settlement."""
        if alert.seat is None:
            return
        seat = self.seats[alert.seat]
        if alert.ruling.stop_win:
            seat.stop_win = True
        ordered = alert.ruling.penalty_tile
        if ordered is not None:
            # The referee may order another tile than those that it was about.
            seat.penalty += facts.tiles if ordered in facts.tiles else (ordered,)
