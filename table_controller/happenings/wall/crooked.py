"""Stacks that stand out of line: pushed, toppled, or raised so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.looking import Look
from table_controller.happenings.looks.places import SEATS, Places
from table_controller.happenings.looks.visits import HELD_MM
from table_controller.happenings.setup import Patience
from table_controller.happenings.wall.stacks import Key, OutOfLine, Stack, WallChange
from vision.sightings import TileSighting

_PUSHED_MM = 60.0
"""A stack that was pushed less far is still the stack beside which it lies."""
_FELT_S = 0.25
"""The sensor misses the stack and the eye sees its tiles beside it: they agree."""
_CROOKED_S = 0.6
_LONE_CROOKED_S = 1.2
"""A lone stack is seen askew by mistake more often than it is pushed."""
_LOOKS, _FELT_LOOKS = 4, 3


class Crooked:
    """Which stacks of which side are out of line, told once each."""

    def __init__(self, places: Places, arms: Arms, patience: Patience) -> None:
        self._places = places
        self._arms = arms
        self._patience = patience
        self._since: dict[Key, tuple[float, int]] = {}
        self._told: dict[Key, float] = {}
        self._rose: set[Key] = set()
        """Those that came up so: nobody pushed them."""

    def clear(self) -> None:
        """The walls sank back into the machine."""
        self._since.clear()
        self._told.clear()
        self._rose.clear()

    def near(
        self, stacks: Mapping[Key, Stack], crooked: Iterable[TileSighting]
    ) -> dict[Key, float]:
        """Stacks whose tiles the crooked ones probably are, with their height."""
        found: dict[Key, float] = {}
        for tile in crooked:
            if tile.visible < 0.6:
                continue
            spot = self._places.spot(tile.x, tile.y)
            number, _, across = self._places.stack_of(spot)
            key = (spot.seat, number)
            if key in stacks and abs(across) <= _PUSHED_MM:
                found[key] = max(found.get(key, 0.0), tile.z)
        return found

    def beside(self, stacks: Mapping[Key, Stack], key: Key) -> bool:
        """Whether stacks seen out of line are next to one that is not seen, or to others unseen."""
        side, number = key
        for step in (-1, 1):
            at = number + step
            while (side, at) not in self._since and self._unseen(stacks.get((side, at))):
                at += step
            if (side, at) in self._since:
                return True
        return False

    @staticmethod
    def _unseen(stack: Stack | None) -> bool:
        return stack is not None and not stack.height

    def update(
        self,
        look: Look,
        stacks: Mapping[Key, Stack],
        near: Mapping[Key, float],
        changes: list[WallChange],
        *,
        rising: bool,
    ) -> None:
        """One look at what stands out of line; told is what still does when the walls are up."""
        t = look.t
        for key in near:
            stack = stacks[key]
            felt = stack.present and stack.in_line
            if not (stack.height or rising) or felt or look.covered(*stack.point):
                continue
            if not rising and stack.present is False and self._held(stack, t):
                continue
            since, looks = self._since.get(key, (t, 0))
            self._since[key] = (since, looks + 1)
            if rising:
                self._rose.add(key)
        for key in list(self._since):
            # What came up far out lies where sets lie from now on: it is told as it stood.
            rose = key in self._rose and key not in self._told and not rising
            if key not in near and not rose and not look.covered(*stacks[key].point):
                del self._since[key]
                self._told.pop(key, None)
                self._rose.discard(key)
        if rising:
            return
        for side in SEATS:
            fresh = [key for key in self._since if key[0] == side and key not in self._told]
            ready = [key for key in fresh if self._ready(stacks[key], key, t, len(fresh) > 1)]
            if not ready or len(ready) < len(fresh):
                continue
            since = min(self._since[key][0] for key in ready)
            middle = stacks[ready[len(ready) // 2]].point
            visits = []
            if self._rose.isdisjoint(ready):
                reach = 2 * self._patience.near_mm
                visits = self._arms.visits(middle, since - 1.5, since, reach, slow=False)
            when = min(visits[0].left, since) if visits else since
            for key in ready:
                self._told[key] = t
            numbers = tuple(sorted(key[1] for key in ready))
            changes.append(OutOfLine(side, numbers, when, visits[0].seat if visits else None))

    def _held(self, stack: Stack, t: float) -> bool:
        """Whether what is seen beside a stack that is not felt may be in a hand above it."""
        return bool(self._arms.visits(stack.point, t, t, HELD_MM, slow=False))

    def _ready(self, stack: Stack, key: Key, t: float, several: bool) -> bool:
        since, looks = self._since[key]
        if stack.present is False:
            return looks >= _FELT_LOOKS and t - since >= _FELT_S - 1e-6
        return looks >= _LOOKS and t - since >= (_CROOKED_S if several else _LONE_CROOKED_S)
