"""The dead wall of riichi, found from where the walls were broken, and its indicators.

What lies where follows from the break alone: the last stacks before it hold the replacement
tiles, the five before those the indicators (source 002, 4.7).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from table_controller.domain.happenings import (
    IndicatorTurned,
    Seat,
    Slot,
    TileCovered,
    TileExposed,
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.looks.places import CLOCKWISE, distance
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import Table
from table_controller.happenings.wall.breaking import broken_at
from table_controller.happenings.wall.heights import ASIDE_MM
from table_controller.happenings.wall.stacks import FaceSeen, Key, Stack

_INDICATORS: Final = 5
_NEAT_MM, _NEAT_DEG = 3.0, 3.5
"""A tile turned over by hand lies as neatly as before; one that was knocked over does not."""
_INDICATOR_MM, _INDICATOR_DEG = 9.0, 14.0
"""Where an indicator belongs, and one is due, a careless turn is one all the same."""

_SHOWN_SURE = 0.9
_LOOKED_S, _COMING_S, _LOOKED_SURE = 0.9, 0.4, 0.9
"""A hand that stays so long on the tile below an indicator that it laid aside looks at it; within
how long it comes there; how sure that is."""
_LAIN_S = 4.0
"""Nobody turns an indicator down that has lain open for so long; a wrong one is put right soon."""
_LEFT_S = 0.8
"""What shows so long after the last hand was there lies there."""
_BARE_LOOKS = 2
"""In so many looks a back showed where an indicator lies open."""

Region = Literal["indicator", "ura", "replacement"]


class DeadWall:
    """What the faces that show on the walls are, and which indicators lie open.

    Args:
        table: shared state.
        won: whether a hand lies open: only then are the tiles under the indicators turned up,
            before that they are peeked at.
        kongs: how many kongs were shown: so many more indicators are to be turned up.
    """

    def __init__(self, table: Table, won: Callable[[], bool], kongs: Callable[[], int]) -> None:
        self._table = table
        self._won = won
        self._kongs = kongs
        self._break: int | None = None
        self._ring: list[Key] = []
        self.turned: dict[Slot, Tile] = {}
        self._aside: dict[Slot, Rest] = {}
        self._below_told: set[Slot] = set()
        """Indicators that lie aside, and of which a look at the tile below was told."""
        self._backs: dict[Slot, tuple[FaceSeen, float]] = {}
        """Open indicators whose places show backs, and when a hand was last there."""
        self._covered_at: dict[Slot, float] = {}
        self._seen_late: set[Slot] = set()
        """When each face was last told as hidden, and which were told before they were seen."""

    def clear(self) -> None:
        """New walls stand, or none."""
        self._break = None
        stacks = self._table.walls.stacks
        self._ring = [
            key for side in CLOCKWISE for key in sorted(stacks) if key[0] == side
            and stacks[key].height
        ]  # fmt: skip
        self.turned.clear()
        self._aside.clear()
        self._backs.clear()
        self._below_told.clear()
        self._covered_at.clear()
        self._seen_late.clear()
        self._table.turned_at.clear()

    # -- where it is ------------------------------------------------------------------------

    def taken(self) -> None:
        """Tiles left the wall; with the first whole stack the break is known."""
        if self._table.setup.indicators:
            stacks = self._table.walls.stacks
            self._break = broken_at(self._ring, lambda key: stacks[key].height, self._break)

    def restore(self, ring: Sequence[Key], broken: Key | None, turned: Mapping[Slot, Tile]) -> None:
        """Take up what an earlier run knew.

        Args:
            ring: the stacks that came up, in the order in which they are taken.
            broken: the first that was taken, if one was.
            turned: the indicators that lie open.
        """
        if self._table.setup.indicators:
            self._ring = [key for key in ring if key in self._table.walls.stacks]
            self._break = self._ring.index(broken) if broken in self._ring else None
            self.turned.update(turned)

    def region(self, slot: Slot) -> Region | None:
        """What a slot of the dead wall is for; None in the live wall."""
        if self._break is None or slot[:2] not in self._ring:
            return None
        setup = self._table.setup
        back = (self._break - 1 - self._ring.index((slot.side, slot.stack))) % len(self._ring)
        first = setup.replacements // 2
        if back < first:
            return "replacement"
        if back < first + _INDICATORS:
            return "indicator" if slot.layer == "top" else "ura"
        return None

    def awaits(self, slot: Slot) -> bool:
        """Whether a hand may come to turn an indicator up there, or to one that lies open."""
        if self.region(slot) is None:
            return False
        return self._due() or any(other[:2] == slot[:2] for other in self.turned)

    # -- faces ------------------------------------------------------------------------------

    def face(self, change: FaceSeen) -> None:
        """A wall tile shows its face, or hides it again: tell what that is."""
        table, slot = self._table, change.slot
        tile = change.face.tile if change.face.looks else Tile.UNKNOWN
        region = self.region(slot)
        if change.peeked and (region != "ura" or self._won()):
            # Who may turn it up leaves it open until it is seen.
            return
        where: Literal["wall", "dead_wall"] = "wall" if region is None else "dead_wall"
        if change.shown and slot in self.turned:
            # It was laid aside, and is back where it lay.
            if not self.turned[slot].known:
                self.turned[slot] = tile
            if self._backs.pop(slot, None) is not None:
                self._covered(slot, change.t)
        elif not change.shown and self._may_be_off(change):
            self._backs[slot] = change, table.now
        elif not change.shown:
            self.turned.pop(slot, None)
            if change.peeked:
                table.turned_at[slot] = change.t
            self._tell(False, slot, where, tile, change.t, change.by)
        elif table.setup.indicators and self._by_hand(change, region):
            self.turned[slot] = tile
            table.turned_at[slot] = change.t
            table.emit(
                IndicatorTurned(
                    t=change.t,
                    tile=tile,
                    slot=slot,
                    seat=change.by,
                    confidence=change.face.confidence,
                )
            )
        else:
            if change.peeked:
                table.turned_at[slot] = change.t
            self._tell(True, slot, where, tile, change.t, change.by, _SHOWN_SURE)

    def _by_hand(self, change: FaceSeen, region: Region | None) -> bool:
        """Whether a tile was turned over where it lay, and for all to see."""
        if region == "ura" and not self._won():
            return False
        if region != "indicator" and not self._due():
            # Where none belongs, and none is missing, it is no indicator, however neatly it lies.
            return False
        wide = region == "ura" or (region == "indicator" and self._due())
        return change.off_line <= (_INDICATOR_MM if wide else _NEAT_MM) and change.skew <= (
            _INDICATOR_DEG if wide else _NEAT_DEG
        )

    def _may_be_off(self, change: FaceSeen) -> bool:
        """Whether a hand that is there has taken an open indicator off rather than turned it down.

        One that was the wrong one is turned down again soon.
        """
        lain = change.t - self._table.turned_at.get(change.slot, -math.inf)
        return change.slot in self.turned and change.by is not None and lain > _LAIN_S

    def _due(self) -> bool:
        """Whether an indicator is to be turned up: the first in the deal, one for every kong."""
        lie_open = sum(self.region(slot) == "indicator" for slot in self.turned)
        return self._won() or not self._table.dealt or lie_open < 1 + self._kongs()

    # -- indicators that are moved ------------------------------------------------------------

    def others(self, slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
        """Of the slots that changed those that are not of open indicators.

        To see what lies under an open indicator one takes it off: nobody has drawn it, and nobody
        gives a drawn tile back who puts it on again.
        """
        return tuple(slot for slot in slots if slot not in self.turned)

    def aside(self, rest: Rest) -> bool:
        """Whether a tile on the felt is an open indicator that was taken off its stack."""
        for slot, tile in self.turned.items():
            if rest.face.tile in (tile, Tile.UNKNOWN) and self._beside(slot, rest):
                self._aside[slot] = rest
                self._table.turned_at[slot] = rest.since
                return True
        return False

    def awaited(self, rest: Rest) -> bool:
        """Whether a tile beside a stack is read as its open indicator, as long as a look takes.

        The hand that looks below may stay so near that what it laid aside is never in full sight.
        """
        if not rest.face.decided or rest.seen - rest.since < _LOOKED_S:
            return False
        return any(
            tile is rest.face.tile and self._beside(slot, rest)
            for slot, tile in self.turned.items()
        )

    def _beside(self, slot: Slot, rest: Rest) -> bool:
        """Whether a tile lies as near to a stack as one that is taken off it is laid."""
        return distance(rest.point, self._table.places.slot_point(slot)) <= ASIDE_MM

    def tick(self, t: float) -> None:
        """Tell a look below an indicator of which nothing is seen but the hand.

        Who takes an indicator off, lays it aside and keeps his hand on the tile below looks at it,
        though the hand hides that; it may hide the indicator too, and leave the tile below to see.
        """
        stacks = self._table.walls.stacks
        self._judge_backs(t)
        for slot, rest in list(self._aside.items()):
            if rest.left is not None:
                del self._aside[slot]
                self._covered(slot, rest.left)
            else:
                self._look_below(slot, rest.since, t)
        for slot in self.turned:
            stack = stacks[slot[:2]]
            if slot in self._aside:
                continue
            off = self._off_since(slot, stack)
            if off is not None:
                self._look_below(slot, off, t)
            elif not stack.bare and slot in self._below_told:
                self._covered(slot, t)

    def _off_since(self, slot: Slot, stack: Stack) -> float | None:
        """Since when an open indicator is off its stack, if enough looks showed a back there.

        The tile below seems as high as the indicator at times: a back at that height is the
        indicator turned down only if it was opened a moment ago.
        """
        if len(stack.bare) >= _BARE_LOOKS:
            return stack.bare[0]
        looks = sorted([*stack.bare, *stack.backs])
        lately = self._table.turned_at.get(slot, -math.inf) + _LAIN_S
        return looks[0] if len(looks) >= _BARE_LOOKS and looks[0] > lately else None

    def _judge_backs(self, t: float) -> None:
        """Decide where a back shows in place of an open indicator: looked below, or turned down."""
        arms, near = self._table.arms, self._table.setup.patience.near_mm
        for slot, (change, last) in list(self._backs.items()):
            stack = self._table.walls.stacks[slot[:2]]
            if arms.visits(stack.point, last, t, near, slow=False):
                self._backs[slot] = change, t
                self._look_below(slot, change.t, t)
            elif t - last > _LEFT_S:
                del self._backs[slot]
                self.turned.pop(slot, None)
                self._tell(False, slot, "dead_wall", Tile.UNKNOWN, change.t, change.by)

    def _look_below(self, slot: Slot, since: float, t: float) -> None:
        """Tell that somebody looks below an indicator that is off its stack, if a hand is there."""
        stack = self._table.walls.stacks[slot[:2]]
        told = stack.peeked or slot in self._below_told
        hides = slot.layer == "top" and not told and not self._won()
        if hides and self._held(stack, since, t):
            stack.peeked = True
            self._below_told.add(slot)
            self._below(slot, since, shown=True)

    def _covered(self, slot: Slot, t: float) -> None:
        """An indicator is back on its stack."""
        stack = self._table.walls.stacks[slot[:2]]
        if stack.peeked:
            stack.peeked = False
            self._below(slot, t, shown=False)
        self._below_told.discard(slot)

    def _held(self, stack: Stack, since: float, t: float) -> bool:
        """Whether a hand has stayed on a stack since its upper tile is off it."""
        arms, near = self._table.arms, self._table.setup.patience.near_mm
        by = arms.who(stack.point, since, t, near)
        if by is None or t - since < _LOOKED_S:
            return False
        came, left = arms.stay(by, stack.point, near, t)
        return left >= t and came <= since + _COMING_S

    def _below(self, slot: Slot, t: float, *, shown: bool) -> None:
        by = self._table.arms.who(
            self._table.places.slot_point(slot), t - 0.5, t, self._table.setup.patience.near_mm
        )
        below = Slot(slot.side, slot.stack, "bottom")
        # A hand that stayed for that lifted no other tile close by.
        self._table.turned_at[slot] = t
        self._tell(shown, below, "dead_wall", Tile.UNKNOWN, t, by, _LOOKED_SURE)

    def _tell(
        self,
        shown: bool,
        slot: Slot,
        where: Literal["wall", "dead_wall"],
        tile: Tile,
        t: float,
        by: Seat | None,
        sure: float = 1.0,
    ) -> None:
        """Tell that a tile of the wall shows its face, or hides it again.

        A face below an indicator is told when a hand stays on it, and may be seen only later.
        """
        if shown and t < self._covered_at.get(slot, -1e9):
            self._seen_late.add(slot)
            return
        if not shown:
            self._covered_at[slot] = t
            if slot in self._seen_late:
                self._seen_late.remove(slot)
                return
        kind = TileExposed if shown else TileCovered
        self._table.emit(
            kind(t=t, where=where, seat=None, tile=tile, by=by, slot=slot, confidence=sure)
        )
