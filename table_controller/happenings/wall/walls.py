"""The walls of one table: the stacks of the machine's grid, each looked at, felt and asked about.

Every stack is a cell with a height of 0, 1 or 2 tiles. Cameras say how high it is; the machine's
sensors say whether it is there at all, and see under arms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.looking import Look
from table_controller.happenings.looks.places import CLOCKWISE, SEATS, Places, distance
from table_controller.happenings.setup import Patience
from table_controller.happenings.wall.crooked import Crooked
from table_controller.happenings.wall.heights import Heights, of_stack
from table_controller.happenings.wall.lifting import Lifting
from table_controller.happenings.wall.lines import InLine, Lines, lines_of
from table_controller.happenings.wall.stacks import LAYERS, Glance, Key, Stack, WallChange
from table_controller.happenings.wall.wall_faces import WallFaces
from vision.sightings import Point, Posture, TileSighting

_PARTLY = 0.35
"""So much of a tile confirms what an earlier look saw clear of the arm."""
_ASTRAY = 2
"""A hand that comes to a tile it may not take is so many stacks from the right one, at most."""
_LOWER_LOOKS = 2
"""A stack that so many looks have shown lower may be: single looks err about tiles beside arms."""
_TOOK_S = 0.4
"""One that a single look shows lower may be, too, if a hand was there so lately."""
_CLEARLY_MM = 8.0
"""Fingers that are so much nearer to one stack than to the next are on that one."""


class Walls:
    """The four walls of one table."""

    def __init__(self, places: Places, arms: Arms, patience: Patience) -> None:
        self._places = places
        self._arms = arms
        self._near_mm = patience.near_mm
        count = places.geometry.stacks_per_side
        # One more at both ends, so that a wall that is too long is seen to be.
        self.stacks: dict[Key, Stack] = {
            (side, number): Stack(side, number, places.slot_point(Slot(side, number, "top")))
            for side in SEATS
            for number in range(count + 2)
        }
        self._crooked = Crooked(places, arms, patience)
        self._faces = WallFaces(arms, patience, self._beside)
        self._heights = Heights(self.stacks, places, arms, patience)
        self._lifting = Lifting(self.stacks, self._heights, arms, patience)

    @property
    def rising(self) -> bool:
        """Whether the machine moves the walls; hands are not needed for a change."""
        return self._heights.rising

    @property
    def changed(self) -> float:
        """When a stack last became higher or lower."""
        return self._heights.changed

    def disagree(self) -> bool:
        """Whether the eye and a sensor say different things of a stack.

        One that is pushed so far out of line that it is not taken for one is felt all the same.
        """
        full = self._places.geometry.stacks_per_side
        return any(
            stack.present is not None
            and stack.present != (stack.height > 0)
            and not (stack.present and self._crooked.beside(self.stacks, key))
            for key, stack in self.stacks.items()
            if 1 <= stack.number <= full
        )

    def heights(self, side: Seat) -> int:
        """How many stacks are believed to stand on a side."""
        return sum(1 for stack in self.stacks.values() if stack.side == side and stack.height)

    @property
    def tiles(self) -> int:
        """How many tiles are believed to be in the walls."""
        return sum(stack.height for stack in self.stacks.values())

    def clear(self) -> None:
        """The walls sank back into the machine, from where the next ones rise."""
        self._heights.rising = True
        for key, stack in self.stacks.items():
            self.stacks[key] = Stack(stack.side, stack.number, stack.point)
        self._crooked.clear()
        self._lifting.clear()

    def stand(self) -> None:
        """The walls are complete: from now on nothing but hands moves them."""
        self._heights.rising = False

    def hold(self, stacks: frozenset[Key]) -> None:
        """Hands hold tiles of these stacks, or took them a moment ago, and may put them back."""
        self._heights.held = stacks

    def restore(self, heights: Mapping[tuple[int, int], int]) -> None:
        """Believe these heights; all other stacks are gone."""
        self.clear()
        self.stand()
        for key, stack in self.stacks.items():
            stack.height = heights.get(key, 0)
            stack.stood = stack.height > 0

    def unsettled(self, since: float) -> bool:
        """Whether any stack changed since, or the last looks speak for another height."""
        return self.changed >= since or any(
            stack.other is not None and stack.other_looks > 1 for stack in self.stacks.values()
        )

    def sensor(self, side: Seat, number: int, present: bool, t: float) -> None:
        """What the machine's sensor says about a stack (1..)."""
        stack = self.stacks.get((side, number))
        if stack is None or stack.present is present:
            return
        if present:
            self._lifting.felt(stack, t)
        stack.present, stack.present_since = present, t

    def empty(self, slot: Slot) -> bool:
        """Whether a slot is believed to be empty."""
        stack = self.stacks.get((slot.side, slot.stack))
        return stack is None or stack.height < (2 if slot.layer == "top" else 1)

    def ring(self) -> list[Stack]:
        """The stacks that came up, in the order in which they are taken."""
        return [
            stack
            for side in CLOCKWISE
            for number in range(1, self._places.geometry.stacks_per_side + 1)
            if (stack := self.stacks[side, number]).stood
        ]

    def presume_taken(self, stack: Stack) -> None:
        """The upper tile of a stack is in a hand, whatever height the stack seems to have."""
        self._heights.presume_taken(stack)

    def felt(self, slot: Slot) -> bool:
        """Whether a stack is there for its sensor, which feels it gone before the eye does."""
        return self.stacks[slot.side, slot.stack].present is not False

    def back(self, slot: Slot) -> bool:
        """Whether a stack is felt again that was lifted; what came back is told in a moment."""
        return self._lifting.waiting((slot.side, slot.stack))

    def missed_near(self, tip: Point) -> list[Stack]:
        """Stacks near fingertips that the sensors miss where the eye has seen no gap yet."""
        return [
            stack
            for stack in self.stacks.values()
            if stack.height and stack.missed and distance(tip, stack.point) <= self._near_mm
        ]

    def under(self, tip: Point, within: float) -> Slot | None:
        """The uppermost tile near an open end of a wall that fingertips are on.

        ``within`` counts along the wall; across it twice as much is allowed, for arms that
        come from afar are seen to reach a little too far.
        """
        near: list[tuple[float, Stack]] = []
        for (side, _), stack in self.stacks.items():
            dx, dy = abs(tip[0] - stack.point[0]), abs(tip[1] - stack.point[1])
            along, across = (dx, dy) if side % 2 == 0 else (dy, dx)
            if stack.height and math.hypot(along, across / 2.0) <= within:
                near.append((along, stack))
        nearest = min((along for along, _ in near), default=0.0)
        clear = [stack for along, stack in near if along <= _CLEARLY_MM + nearest]
        ends = [stack for stack in clear if self._at_end(stack)]
        if not ends:
            # Who takes the wrong tile takes that of a stack near the right one.
            ends = [stack for along, stack in near if along == nearest and self._drawn_near(stack)]
        for stack in ends:
            return Slot(stack.side, stack.number, "top" if stack.height == 2 else "bottom")
        return None

    def lower_before_hidden(self) -> float | None:
        """Since when a stack has seemed lower that an arm hid before that was believed."""
        return min(
            (
                stack.lower_since
                for stack in self.stacks.values()
                if stack.height == len(LAYERS)
                and stack.lower_looks
                and stack.covered > stack.lower_since
                and (stack.lower_looks >= _LOWER_LOOKS or self._taken_from(stack))
            ),
            default=None,
        )

    def _taken_from(self, stack: Stack) -> bool:
        """Whether a hand stopped at a stack just before one look showed that lower."""
        since = stack.lower_since
        visits = self._arms.visits(stack.point, since - _TOOK_S, since, self._near_mm)
        return bool(visits)

    def at_end(self, slot: Slot) -> bool:
        """Whether a tile stands at an open end of its wall."""
        return self._at_end(self.stacks[slot.side, slot.stack])

    def _beside(self, stack: Stack) -> list[Stack]:
        """The stacks that stand beside one."""
        beside = (self.stacks.get((stack.side, stack.number + step)) for step in (-1, 1))
        return [other for other in beside if other is not None and other.height]

    def _at_end(self, stack: Stack) -> bool:
        """Whether a stack stands at an open end of its wall."""
        return len(self._beside(stack)) < 2

    def _drawn_near(self, stack: Stack) -> bool:
        """Whether tiles were taken from the walls near a stack, around a corner too."""
        ring = self.ring()
        at = next((index for index, other in enumerate(ring) if other is stack), None)
        if at is None:
            return False
        steps = (step for step in range(-_ASTRAY - 1, _ASTRAY + 2) if step)
        return any(not ring[(at + step) % len(ring)].height for step in steps)

    # -- looking ------------------------------------------------------------------------

    def split(self, tiles: Iterable[TileSighting]) -> Lines:
        """Tiles of a frame as those in line in a wall, those out of line, and all others."""
        return lines_of(tiles, self._places, self.stacks, rising=self.rising)

    def update(self, look: Look, lines: Lines) -> list[WallChange]:
        """One look at the walls, as :meth:`split` divides it."""
        changes: list[WallChange] = []
        self._lifting.felt_again(look.t)
        aside = [tile for tile in lines.crooked if self._laid_aside(tile, lines.regular)]
        others = [*lines.others, *aside]
        crooked = [tile for tile in lines.crooked if tile not in aside]
        near_crooked = self._crooked.near(self.stacks, crooked)
        for key, stack in self.stacks.items():
            top = max(lines.regular.get(key, ()), key=lambda found: found.tile.z, default=None)
            stood = stack.height > 0
            if top is not None:
                self._found(stack, top, others, look, changes)
            elif key in near_crooked:
                self._found_beside(stack, near_crooked[key], look.t, changes)
            else:
                self._not_found(stack, look, changes)
            if stood and look.in_view(*stack.point):
                stack.glances.append(self._glance(look.t, top, stack.covered == look.t))
                self._heights.under_hand(stack, changes)
        self._crooked.update(look, self.stacks, near_crooked, changes, rising=self.rising)
        self._lifting.tick(look.t, changes)
        return changes

    def _found(
        self,
        stack: Stack,
        found: InLine,
        others: list[TileSighting],
        look: Look,
        changes: list[WallChange],
    ) -> None:
        """A look that shows a stack, its uppermost tile in line."""
        # While a wall rises what comes up crooked may pass its place.
        stack.in_line = stack.in_line or not self.rising
        top = found.tile
        height = self._heights.seen(stack, found, others)
        if stack.exposed and stack.height == 2:
            if self._places.layer(top.z) == "top":
                self._faces.in_its_place(stack, top, look.t)
            else:
                self._faces.below(stack, top, look.t, changes)
        if look.covered(*stack.point):
            stack.covered = look.t
            as_before = height == stack.height and stack.other is None and not stack.lower_looks
            if as_before and top.visible >= 0.6:
                # What a hand carries over a stack that was seen lower before is not its tile.
                stack.seen = look.t
            if height == stack.other and top.visible >= _PARTLY:
                stack.other_looks += 1
            self._heights.back_before(stack, changes)
            stack.doubted = False
            if height == stack.other and top.visible < _PARTLY:
                # So little of it says as much as nothing of it, and speaks against nothing.
                self._heights.hidden(stack, look.t)
            else:
                self._heights.passed(stack, height, top.visible, look.t)
            return
        self._heights.observe(stack, height, look.t, changes)
        self._faces.look(stack, top, look.t, changes)

    def _found_beside(self, stack: Stack, z: float, t: float, changes: list[WallChange]) -> None:
        """A look that shows the tiles of a stack out of line, so high, mm."""
        if self.rising:
            # A wall may come up crooked: it stands all the same.
            tall = self._places.layer(z) == "top"
            self._heights.observe(stack, 2 if tall else 1, t, changes)
        else:
            stack.other, stack.covered, stack.askew = None, t, t

    def _not_found(self, stack: Stack, look: Look, changes: list[WallChange]) -> None:
        """A look that shows no tile of a stack."""
        if stack.height == 0 and stack.other is None:
            stack.looked = look.t
        elif look.looked(*stack.point):
            self._heights.observe(stack, 0, look.t, changes)
        else:
            if look.in_view(*stack.point):
                stack.covered = look.t
            self._heights.back_before(stack, changes)
            self._heights.hidden(stack, look.t)

    def _glance(self, t: float, top: InLine | None, hidden: bool) -> Glance:
        if top is None:
            return Glance(t, 0, 0.0, 0.0, hidden)
        height = 2 if self._places.layer(top.tile.z) == "top" else 1
        return Glance(t, height, top.tile.confidence, top.across, hidden)

    def _laid_aside(self, tile: TileSighting, regular: Mapping[Key, list[InLine]]) -> bool:
        """Whether a tile beside a wall is an indicator that lay on a stack which is still there."""
        return tile.posture is Posture.FACE_UP and any(
            of_stack(stack, tile) and key in regular for key, stack in self.stacks.items()
        )
