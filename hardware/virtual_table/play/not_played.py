"""What was wanted of a hand and did not come about: chance found no occasion for it.

What a ruleset cannot have at all is refused before (:mod:`.possible`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.plan import HandPlan, HandWish, WinBy
from hardware.virtual_table.play.riichi.fate import RiichiPlan
from hardware.virtual_table.play.steps import Step
from table_controller.domain.happenings import Seat


@dataclass(frozen=True, slots=True)
class NotPlayed:
    """One thing that was wanted of the ``hand``-th hand (from 1): an alert id or a wish."""

    hand: int
    what: str
    infraction: bool = False

    def to_object(self) -> dict[str, object]:
        """As the last line of the program says it."""
        return {"hand": self.hand, "infraction" if self.infraction else "wish": self.what}


_MOVES: Final = (do.Draw, do.Discard, do.AddedKong)
"""After one of these a hand can be won."""


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a hand ended: by what, who won, on whose tile."""

    by: WinBy | None
    winners: tuple[Seat, ...] = ()
    source: Seat | None = None
    fetched: bool = False


def _ending(script: Sequence[Step]) -> _Ending:
    closed = next((n for n, step in enumerate(script) if isinstance(step, do.CloseHand)), None)
    if closed is None:
        exhausted = any(isinstance(s, do.HandEnd) and s.result == "exhausted" for s in script)
        return _Ending("none" if exhausted else None)
    at = max(n for n, step in enumerate(script[:closed]) if isinstance(step, _MOVES))
    last = script[at]
    # A refused win is followed by more moves; who shows his hand early does not press.
    shown = [s for s in script[at:closed] if isinstance(s, do.ShowHand) and s.press]
    winners = tuple(step.seat for step in shown)
    fetched = shown[0].from_seat is not None
    if isinstance(last, do.Draw):
        return _Ending("self", winners)
    assert isinstance(last, (do.Discard, do.AddedKong))
    if isinstance(last, do.AddedKong):
        return _Ending("rob", winners, last.seat, fetched)
    by: WinBy = "several" if len(winners) > 1 else "discard"
    return _Ending(by, winners, last.seat, fetched)


def wishes_not_played(
    wish: HandWish, plan: HandPlan, script: Sequence[Step], reason: str | None = None
) -> list[str]:
    """What of a wish the hand does not show, in the words of a scenario file.

    Args:
        wish: as the scenario has it.
        plan: what fate had in store.
        script: what was played.
        reason: why the hand ended early (riichi).
    """
    end = _ending(script)
    missing: list[str] = []
    if wish.abort is not None and reason != wish.abort:
        missing.append(f"abort = {wish.abort!r}")
    if wish.win_by is not None and not _as_wished(wish, end):
        missing.append(f"win = {wish.win_by!r}")
    # Nine terminals are declared, and nothing is won, by who is named the winner.
    if wish.winner is not None and wish.abort is None and wish.winner not in end.winners:
        missing.append(f"winner = {wish.winner}")
    if wish.from_seat is not None and wish.from_seat != end.source:
        missing.append(f"from = {wish.from_seat}")
    if wish.target is not None and plan.winner not in end.winners:
        missing.append(f"target = {wish.target!r}")
    if wish.fetch is not None and end.by == "discard" and end.fetched != wish.fetch:
        missing.append(f"fetch = {str(wish.fetch).lower()}")
    missing += [f"kongs: {kind}" for kind in sorted((_wished(wish) - _laid(script)).elements())]
    if wish.ready is not None and isinstance(plan, RiichiPlan) and len(plan.ready) < wish.ready:
        missing.append(f"ready = {wish.ready}")
    return missing


def _as_wished(wish: HandWish, end: _Ending) -> bool:
    if wish.win_by == "several":
        return len(end.winners) == wish.several
    return end.by == wish.win_by or (wish.win_by == "discard" and end.by == "several")


def _wished(wish: HandWish) -> Counter[str]:
    return Counter(wish.kongs)


def _laid(script: Sequence[Step]) -> Counter[str]:
    laid: Counter[str] = Counter()
    for step in script:
        match step:
            case do.Claim(call="kong"):
                laid["exposed"] += 1
            case do.ConcealedKong():
                laid["concealed"] += 1
            case do.AddedKong():
                laid["added"] += 1
    return laid


def infractions_not_played(wanted: Iterable[str], told: Iterable[str]) -> list[str]:
    """The alert ids that were wanted more often than they came about, once for each time."""
    return sorted((Counter(wanted) - Counter(told)).elements())
