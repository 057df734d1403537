"""Stacks that the sensors missed for a moment: lifted and put back under a hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from table_controller.domain.happenings import Slot
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.setup import Patience
from table_controller.happenings.wall.heights import EMPTY_S, TRUST_S, Heights
from table_controller.happenings.wall.removals import FELT_S
from table_controller.happenings.wall.stacks import LAYERS, Key, LiftedBack, Stack, WallChange

_LIFTED_S = 0.2
_TOGETHER_S = 0.15
"""What was put back so long ago was put back alone."""
_MATE_S = 0.8
"""So long it waits for what came back with it, was believed gone, and is still under the hand."""
_LOOKED_S, _LOOKS = 0.6, 2
"""So long after it is back it is waited for so many clear looks at a stack of two: the upper tile
may have been drawn just before, and the lower one alone been lifted."""
_BELIEVED_S = 1.2
"""Where they show one tile it is waited so long until the upper one is believed gone: whose it is
comes before what was done with the lower one."""


@dataclass(frozen=True, slots=True)
class _Lift:
    stack: Stack
    since: float
    back: float


class Lifting:
    """Gathers what one hand lifted and put back, and tells it together."""

    def __init__(
        self, stacks: Mapping[Key, Stack], heights: Heights, arms: Arms, patience: Patience
    ) -> None:
        self._stacks = stacks
        self._heights = heights
        self._arms = arms
        self._patience = patience
        self._lifted: list[_Lift] = []
        self._askew: list[_Lift] = []

    def clear(self) -> None:
        """The walls sank back into the machine."""
        self._lifted.clear()
        self._askew.clear()

    def felt(self, stack: Stack, t: float) -> None:
        """A sensor feels its stack, which it may have missed until now."""
        if (
            stack.height
            and stack.present is False
            and not self._heights.rising
            and t - stack.present_since >= _LIFTED_S
        ):
            # One that was seen askew was pushed, or held askew just before it was put back.
            lifts = self._lifted if stack.missed else self._askew
            lifts.append(_Lift(stack, stack.present_since, t))

    def waiting(self, key: Key) -> bool:
        """Whether a stack is felt again, and it is not told yet what came back."""
        return any((lift.stack.side, lift.stack.number) == key for lift in self._lifted)

    def tick(self, t: float, changes: list[WallChange]) -> None:
        """After a look: tell what is back."""
        self._tell(t, changes)
        self._askew = [lift for lift in self._askew if t - lift.back < _MATE_S]

    def _tell(self, t: float, changes: list[WallChange]) -> None:
        """Tell the stacks that were lifted together and are back."""
        if not self._lifted:
            return
        self._join_mates()
        waited = t - max(lift.back for lift in self._lifted)
        if waited < (_MATE_S if self._mate_missing() else _TOGETHER_S):
            return
        alone = self._lifted[0] if len(self._lifted) == 1 else None
        seen = None if alone is None else _height(alone)
        if alone is not None and waited < _LOOKED_S and seen is None:
            return
        if alone is not None and waited < _BELIEVED_S and seen and seen < alone.stack.height:
            return
        standing = sorted(
            (lift for lift in self._lifted if lift.stack.height),
            key=lambda lift: (lift.stack.side, lift.stack.number),
        )
        # Around a corner of the walls one grab takes from two sides.
        times = [lift.since for lift in standing]
        grabs = [standing]
        if times and max(times) - min(times) > FELT_S:
            grabs = [[lift for lift in standing if lift.stack.side == side] for side in SEATS]
        for grab in filter(None, grabs):
            slots = tuple(
                Slot(lift.stack.side, lift.stack.number, layer)
                for lift in grab
                for layer in reversed(LAYERS[: seen or lift.stack.height])
            )
            lifted = min(lift.since for lift in grab)
            changes.append(LiftedBack(slots, lifted, max(lift.back for lift in grab)))
        self._lifted.clear()

    def _join_mates(self) -> None:
        """What was seen askew was not pushed where it left and came back with what was not."""
        mates = [one for one in self._askew if any(_together(one, lift) for lift in self._lifted)]
        self._askew = [one for one in self._askew if one not in mates]
        self._lifted += mates

    def _mate_missing(self) -> bool:
        """Whether a stack left and came back with these, and does not count as standing yet."""
        return any(
            stack.present
            and not stack.height
            and _together(_Lift(stack, stack.emptied, stack.present_since), lift)
            for stack in self._stacks.values()
            for lift in self._lifted
        )

    def felt_again(self, t: float) -> None:
        """Before a look: what was put back is felt while the hand that brought it still hides it.

        Sensors feel all of it; the eye sees of a grab what comes out from under the hand first.
        """
        if self._heights.rising:
            return
        near = self._patience.near_mm
        for stack in self._stacks.values():
            since = stack.present_since
            if (
                stack.height
                or not stack.present
                or t - since < EMPTY_S
                or not 0.0 < since - stack.emptied <= TRUST_S
            ):
                continue
            by = self._arms.who(stack.point, since - _LIFTED_S, t, near)
            if by is None:
                continue
            # What was lifted at once comes back at once; if one was kept, the eye will see it.
            self._heights.stands_again(stack, since)
            self._lifted.append(_Lift(stack, stack.emptied, since))


def _height(lift: _Lift) -> int | None:
    """How many tiles of a stack came back, as clear looks since then say; None without them."""
    if lift.stack.height < len(LAYERS):
        return lift.stack.height
    looks = (one for one in lift.stack.glances if one.t > lift.back and not one.hidden)
    clear = [one.height for one in looks if one.height]
    return max(clear[-_LOOKS:]) if len(clear) >= _LOOKS else None


def _together(one: _Lift, other: _Lift) -> bool:
    """Whether two stacks left at one moment and came back at one."""
    return abs(one.since - other.since) <= FELT_S and abs(one.back - other.back) <= FELT_S
