"""The next wall: the machine is asked for it when the hand is confirmed and the table is clear.

Two commands make one cycle. The hatch is opened once the hand is closed as the rules ask (own
report, open check, referee's decision: 001 section 4; 000 Q43(1)) and nobody reaches over the
table; it is closed, and the tiles are shuffled, once no tile is seen outside of it and no arm over
it. Walls that were raised since the hand ended are the next ones, whoever asked for them and
whichever run of the program saw it: a hand is played with them, and the hatch stays closed. What
stands against either is said, never skipped; the referee can hold the machine, or go on over a
protest. A cycle that a fault has ended brought no walls; once somebody has cleared the fault, the
next one begins by the referee's own order alone. The board keeps its own interlocks: nothing here
can force a movement.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal

from firmware_bridge.readings import Phase

CLEAR_S: Final = 1.5
"""The table must be seen clear for so long, s."""
AGAIN_S: Final = 2.0
"""Between two tries of a command that was refused, s."""
HATCH_MARGIN_MM: Final = 25.0

Mode = Literal["auto", "ask", "off"]
Order = Literal["next_wall", "hold", "release", "clear_fault"]

BUILDING: Final = ("shuffling", "raising")
BROKEN_OFF: Final = ("fault", "idle")
"""Where a cycle ends that brought no walls: after it they stand, and the machine is ready."""


class Stage(StrEnum):
    """How far it has got."""

    NONE = "none"
    """No hand has ended."""
    HELD = "held"
    """Something stands against opening the hatch."""
    OPENING = "opening"
    CLEARING = "clearing"
    """The hatch is open: the players push the tiles in."""
    CLOSING = "closing"
    DONE = "done"


class Why(StrEnum):
    """What stands against the next command."""

    UNCONFIRMED = "unconfirmed"
    PROTEST = "protest"
    UNDECIDED = "undecided"
    SESSION_OVER = "session_over"
    ASK = "ask"
    HOLD = "hold"
    MACHINE_LOST = "machine_lost"
    MACHINE_FAULT = "machine_fault"
    NOT_SEEN = "not_seen"
    ARMS = "arms"
    TILES = "tiles"
    REFUSED = "refused"
    NOT_WRITTEN = "not_written"


_WAIVED: Final = frozenset({Why.PROTEST, Why.UNDECIDED, Why.SESSION_OVER, Why.ASK})
"""What the referee's own order goes over."""


class Do(StrEnum):
    """What the machine is to be told."""

    OPEN = "open"
    CLOSE = "close"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What is known now.

    Attributes:
        t: source time, s.
        hand: key of the newest hand that has ended; None before the first.
        confirmed: whether it is.
        raised: walls were built or raised since it has ended.
        undecided: its alerts that cost something and that nobody has decided about.
        protests: alerts and hands under protest.
        session_over: time or hands are used up.
        connected: the link to the machine.
        phase: of the machine.
        tiles: seen outside of the hatch.
        arms: something covers part of the table.
        seen: the cameras look at the table.
        written: the journal takes entries.
    """

    t: float
    hand: str | None = None
    confirmed: bool = False
    raised: bool = False
    undecided: tuple[str, ...] = ()
    protests: tuple[str, ...] = ()
    session_over: bool = False
    connected: bool = True
    phase: Phase | None = None
    tiles: int = 0
    arms: bool = False
    seen: bool = True
    written: bool = True


@dataclass(slots=True)
class NextWall:
    """Decides; pure. Fed with situations, asked what to do.

    Args:
        mode: ``auto`` when the hand is confirmed, ``ask`` when the referee says so, ``off`` never.
    """

    mode: Mode = "auto"
    stage: Stage = Stage.NONE
    hand: str | None = None
    why: tuple[dict[str, Any], ...] = ()
    held: bool = False
    insisted: bool = False
    phase: Phase | None = None
    _clear_since: float | None = None
    _tried_at: float = field(default=float("-inf"))
    _refused: str | None = None
    _faulty: bool = False
    _not_cleared: str | None = None

    def order(self, order: Order) -> None:
        """The referee's own order."""
        if order in ("hold", "release"):
            self.held = order == "hold"
        elif order == "next_wall":
            self.insisted = True
            self._tried_at = float("-inf")

    def look(self, now: Situation) -> Do | None:
        """What the machine is to be told now, if anything."""
        self.phase = now.phase
        if now.phase == "fault":
            # Whoever clears it may still have a hand in there: nothing goes on by itself.
            self._faulty, self.insisted = True, False
        else:
            self._not_cleared = None
        if now.raised or now.phase in BUILDING:
            self._faulty = now.phase == "fault"
        if self.mode == "off" or now.hand is None:
            self._rest(Stage.NONE)
            return None
        if now.hand != self.hand:
            self.hand, self.stage = now.hand, Stage.HELD
            self.insisted, self._refused, self._clear_since = False, None, None
            self._tried_at = float("-inf")
        if now.phase in BROKEN_OFF and self.stage is Stage.DONE and not now.raised:
            self.stage = Stage.HELD
        if self.stage is Stage.DONE or now.raised or now.phase in BUILDING:
            # Also when a player pressed the machine's own button.
            self._rest(Stage.DONE)
            return None
        if now.phase == "hatch_open":
            return self._close(now)
        return self._open(now)

    def refused(self, why: str) -> None:
        """The machine, or the link, said no to the last command."""
        self._refused = why

    def not_cleared(self, why: str) -> None:
        """The machine, or the link, said no to the order that clears a fault."""
        self._not_cleared = why

    def body(self) -> dict[str, Any]:
        """For the console: stage, hand, what stands against the next step, what the machine does.

        What holds the machine still is said also while it is asked for nothing.
        """
        return {
            "stage": self.stage.value,
            "phase": self.phase,
            "hand": self.hand,
            "why": list(self.why),
            "held": self.held,
            "mode": self.mode,
        }

    # -- inside -----------------------------------------------------------------------------

    def _rest(self, stage: Stage) -> None:
        """Nothing is asked of the machine."""
        self.stage, self._refused = stage, None
        self.why = tuple(self._still())

    def _still(self) -> Iterable[dict[str, Any]]:
        """What holds the machine still, whatever is asked of it."""
        yield from _if(self.held, Why.HOLD)
        if self.phase == "fault":
            yield from _if(True, Why.MACHINE_FAULT)
            said = self._not_cleared
            yield from _if(said is not None, Why.REFUSED, said=said)

    def _open(self, now: Situation) -> Do | None:
        asks = self.mode == "ask" or (self._faulty and now.phase != "fault")
        reasons = [
            *_if(not now.confirmed, Why.UNCONFIRMED),
            *_if(bool(now.protests), Why.PROTEST, about=list(now.protests)),
            *_if(bool(now.undecided), Why.UNDECIDED, about=list(now.undecided)),
            *_if(now.session_over, Why.SESSION_OVER),
            *_if(asks and not self.insisted, Why.ASK),
            *self._always(now),
        ]
        if self.insisted:
            reasons = [reason for reason in reasons if reason["code"] not in _WAIVED]
        return self._tell(now, reasons, Do.OPEN, Stage.HELD, Stage.OPENING)

    def _close(self, now: Situation) -> Do | None:
        reasons = [*self._always(now), *_if(now.tiles > 0, Why.TILES, count=now.tiles)]
        if reasons:
            self._clear_since = None
        elif self._clear_since is None:
            self._clear_since = now.t
        if not reasons and self._clear_since is not None and now.t - self._clear_since < CLEAR_S:
            self.stage, self.why = Stage.CLEARING, ()
            return None
        return self._tell(now, reasons, Do.CLOSE, Stage.CLEARING, Stage.CLOSING)

    def _always(self, now: Situation) -> Iterable[dict[str, Any]]:
        yield from self._still()
        yield from _if(not now.connected, Why.MACHINE_LOST)
        yield from _if(not now.seen, Why.NOT_SEEN)
        yield from _if(now.arms, Why.ARMS)
        yield from _if(not now.written, Why.NOT_WRITTEN)

    def _tell(
        self, now: Situation, reasons: list[dict[str, Any]], do: Do, waiting: Stage, doing: Stage
    ) -> Do | None:
        if reasons:
            self.stage, self.why, self._refused = waiting, tuple(reasons), None
            return None
        self.stage = doing
        said = self._refused
        self.why = () if said is None else ({"code": Why.REFUSED.value, "said": said},)
        if now.t - self._tried_at < AGAIN_S:
            return None
        self._tried_at = now.t
        return do


def _if(holds: bool, why: Why, **more: Any) -> list[dict[str, Any]]:
    return [{"code": why.value, **more}] if holds else []


def outside(
    tiles: Iterable[tuple[float, float]], half_mm: float, margin_mm: float = HATCH_MARGIN_MM
) -> int:
    """How many tiles lie outside of the hatch, a square of ``2 * half_mm`` around the centre."""
    reach = half_mm + margin_mm
    return sum(abs(x) > reach or abs(y) > reach for x, y in tiles)
