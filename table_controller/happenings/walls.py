"""The walls: how high every stack is believed to be, from the camera and the stack sensors.

Every stack is a cell of the machine's grid with a height of 0, 1 or 2 tiles. A new height is
believed when it was seen in a few looks on end; while an arm covers the stack nothing is
concluded. The machine's sensors say whether a stack is there at all; they see under arms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.arms import LUNGE_MM, Arms
from table_controller.happenings.assigning import FELT_S
from table_controller.happenings.crooked import Crooked
from table_controller.happenings.looking import Look
from table_controller.happenings.places import (
    CLOCKWISE,
    SEATS,
    Area,
    Places,
    distance,
    turn_between,
)
from table_controller.happenings.setup import Patience
from table_controller.happenings.stacks import (
    LAYERS,
    Glance,
    LiftedBack,
    Stack,
    StackChanged,
    WallChange,
)
from table_controller.happenings.wall_faces import WallFaces
from vision.sightings import Point, Posture, TileSighting

_ALONG_MM = 12.5
_ACROSS_MM = 12.5
_SKEW_DEG = 15.0
_SENSOR_LEAD_S = 1.0
_EMPTY_S = 0.15
_DOUBT_S = 1.0
"""A stack that the sensor misses so long is gone, whatever the eye still sees there."""
_TRUST_S = 6.0
_LIFTED_S = 0.2
_LUNGE_S = 0.5
_OTHER_FACE = 0.9
"""So surely another face than before must be read to be that of the tile below."""
_FALLEN_S, _FALLEN_MM = 0.6, 3.0
"""A tile that shows its face so far off its place hides a part of its neighbours."""
_BACK_LOOKS = 2
"""A tile that was put back is believed after so many looks where the next hand hides it."""
ASIDE_MM = 46.0
"""A tile that is taken off its stack to see the one below is laid so near to it."""
_LOWER_LOOKS = 3
"""An upper tile that so many looks missed was gone before its stack was."""
_TOGETHER_S = 0.15
"""What was put back so long ago was put back alone."""
_CLEARLY_MM = 8.0
"""Fingers that are so much nearer to one stack than to the next are on that one."""
_BRUSHED_MM = 40.0
"""Fingertips that came so near have handled a stack, however fast they were."""
_STANDS, _STANDS_MM = 0.8, 2.5
"""Stacks that come up are found surer than this, or stand nearer than this to their place."""
_BACK_LEAST = 0.68
"""Confidence from which a back that lies where none belongs is believed."""


class Walls:
    """The four walls of one table."""

    def __init__(self, places: Places, arms: Arms, patience: Patience) -> None:
        self._places = places
        self._arms = arms
        self._patience = patience
        count = places.geometry.stacks_per_side
        # One more at both ends, so that a wall that is too long is seen to be.
        self.stacks: dict[tuple[Seat, int], Stack] = {
            (side, number): Stack(side, number, places.slot_point(Slot(side, number, "top")))
            for side in SEATS
            for number in range(count + 2)
        }
        self._crooked = Crooked(places, arms, patience)
        self._faces = WallFaces(arms, patience)
        self._lifted: list[tuple[Stack, float, float]] = []
        self.changed = 0.0
        self.held: frozenset[tuple[Seat, int]] = frozenset()
        """Stacks a tile of which a hand holds, or took a moment ago: it may put it back."""
        self.rising = True
        """The machine moves the walls; hands are not needed for a change."""

    def heights(self, side: Seat) -> int:
        """How many stacks are believed to stand on a side."""
        return sum(1 for stack in self.stacks.values() if stack.side == side and stack.height)

    @property
    def tiles(self) -> int:
        """How many tiles are believed to be in the walls."""
        return sum(stack.height for stack in self.stacks.values())

    def clear(self) -> None:
        """The walls sank back into the machine."""
        for key, stack in self.stacks.items():
            self.stacks[key] = Stack(stack.side, stack.number, stack.point)
        self._crooked.clear()
        self._lifted.clear()

    def restore(self, heights: Mapping[tuple[int, int], int]) -> None:
        """Believe these heights; all other stacks are gone."""
        self.clear()
        self.rising = False
        for key, stack in self.stacks.items():
            stack.height = heights.get(key, 0)
            stack.stood = stack.height > 0

    def unsettled(self, since: float) -> bool:
        """Whether any stack changed since, or the last looks speak for another height."""
        return self.changed >= since or any(
            stack.other is not None and stack.other_looks > 1 for stack in self.stacks.values()
        )

    def pending(self, side: Seat, number: int) -> bool:
        """Whether a stack cannot be judged at the moment."""
        stack = self.stacks.get((side, number))
        return stack is not None and stack.height > 0 and stack.other is not None

    def sensor(self, side: Seat, number: int, present: bool, t: float) -> None:
        """What the machine's sensor says about a stack (1..)."""
        stack = self.stacks.get((side, number))
        if stack is None or stack.present is present:
            return
        away = t - stack.present_since
        if (
            present
            and stack.present is False
            and stack.height
            and not self.rising
            and away >= _LIFTED_S
            and stack.askew < stack.present_since
        ):
            self._lifted.append((stack, stack.present_since, t))
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
        stack.height, stack.other, stack.presumed = 1, None, True
        self.changed = max(self.changed, stack.looked)

    def felt(self, slot: Slot) -> bool:
        """Whether a stack is there for its sensor, which feels it gone before the eye does."""
        return self.stacks[slot.side, slot.stack].present is not False

    def under(self, tip: Point, within: float, t: float) -> Slot | None:
        """The uppermost tile at an open end of a wall that fingertips are on.

        ``within`` counts along the wall; across it twice as much is allowed, for arms that
        come from afar are seen to reach a little too far. None where a tile lies open close by:
        the hand is there to turn it down.
        """
        if any(
            t - stack.face_up_seen < 2.0 and distance(tip, stack.point) < 3 * within
            for stack in self.stacks.values()
            if stack.face_up_seen > 0.0
        ):
            return None
        near: list[tuple[float, Stack]] = []
        for (side, _), stack in self.stacks.items():
            dx, dy = abs(tip[0] - stack.point[0]), abs(tip[1] - stack.point[1])
            along, across = (dx, dy) if side % 2 == 0 else (dy, dx)
            if stack.height and math.hypot(along, across / 2.0) <= within:
                near.append((along, stack))
        for along, stack in near:
            if along > _CLEARLY_MM + min(nearest for nearest, _ in near):
                # The fingers are on the stack beside it.
                continue
            for step in (-1, 1):
                neighbour = self.stacks.get((stack.side, stack.number + step))
                if neighbour is None or not neighbour.height:
                    return Slot(stack.side, stack.number, "top" if stack.height == 2 else "bottom")
        return None

    # -- looking ------------------------------------------------------------------------

    def split(
        self, tiles: Iterable[TileSighting]
    ) -> tuple[dict[tuple[Seat, int], list[TileSighting]], list[TileSighting], list[TileSighting]]:
        """Tiles of a frame as those in line in a wall, those out of line, and all others."""
        regular: dict[tuple[Seat, int], list[TileSighting]] = {}
        crooked: list[TileSighting] = []
        others: list[TileSighting] = []
        for tile in tiles:
            spot = self._places.spot(tile.x, tile.y)
            if tile.posture is Posture.STANDING or spot.area in (Area.HAND, Area.MELD):
                others.append(tile)
                continue
            down = tile.posture is not Posture.FACE_UP
            if down and spot.area is not Area.WALL and tile.confidence < _BACK_LEAST:
                # Felt between printed lines looks like a back too, though less surely.
                continue
            if spot.area is not Area.WALL:
                # Backs are shown by walls and hidden kongs only: this one has left its wall.
                (crooked if down else others).append(tile)
                continue
            number, along, across = self._places.stack_of(spot)
            skew = turn_between(tile.angle, 90.0 * spot.seat, 180.0)
            key = (spot.seat, number)
            # A tile that fell on its back lies less exactly than the machine sets it.
            wide = 1.0 if down else 2.0
            if (
                skew > wide * _SKEW_DEG
                or abs(across) > wide * _ACROSS_MM
                or abs(along) > _ALONG_MM * wide
            ):
                if not down or tile.confidence >= _BACK_LEAST or self.rising:
                    crooked.append(tile)
            elif key in self.stacks:
                regular.setdefault(key, []).append(tile)
            else:
                others.append(tile)
        return regular, crooked, others

    def update(
        self,
        look: Look,
        regular: dict[tuple[Seat, int], list[TileSighting]],
        crooked: list[TileSighting],
        others: list[TileSighting],
    ) -> list[WallChange]:
        """One look at the walls, as :meth:`split` divides it."""
        changes: list[WallChange] = []
        aside = [tile for tile in crooked if self._laid_aside(tile, regular)]
        others, crooked = [*others, *aside], [tile for tile in crooked if tile not in aside]
        near_crooked = self._crooked.near(self.stacks, crooked)
        for key, stack in self.stacks.items():
            tiles = regular.get(key)
            if stack.height:
                stack.glances.append(self._glance(look.t, tiles or ()))
            if tiles is None:
                if stack.height == 0 and stack.other is None and key not in near_crooked:
                    stack.looked = look.t
                    continue
                if key in near_crooked and self.rising:
                    # A wall may come up crooked: it stands all the same.
                    tall = self._places.layer(near_crooked[key]) == "top"
                    self._observe(stack, 2 if tall else 1, look.t, changes)
                    continue
                if key in near_crooked:
                    stack.other, stack.covered, stack.askew = None, look.t, look.t
                    continue
                if not look.looked(*stack.point):
                    if look.in_view(*stack.point):
                        stack.covered = look.t
                    self._back_before(stack, changes)
                    stack.other = None
                    continue
                self._observe(stack, 0, look.t, changes)
                continue
            # While a wall rises what comes up crooked may pass its place.
            stack.in_line = stack.in_line or not self.rising
            top = max(tiles, key=lambda tile: tile.z)
            height = self._height(stack, top, others)
            if self.rising and stack.present is False and not self._stands(top):
                height = 0
            if stack.exposed and stack.height == 2 and self._places.layer(top.z) != "top":
                self._faces.below(stack, top, look.t, changes)
            if look.covered(*stack.point):
                stack.covered = look.t
                if height == stack.height and stack.other is None and top.visible >= 0.6:
                    stack.seen = look.t
                if height == stack.other and top.visible >= 0.6:
                    stack.other_looks += 1
                self._back_before(stack, changes)
                stack.other, stack.doubted = None, False
                continue
            self._observe(stack, height, look.t, changes)
            self._faces.look(stack, top, look.t, changes)
        self._crooked.update(look, self.stacks, near_crooked, changes, rising=self.rising)
        self._put_back(look.t, changes)
        self._felt_again(look.t)
        return changes

    def _glance(self, t: float, tiles: Iterable[TileSighting]) -> Glance:
        top = max(tiles, key=lambda tile: tile.z, default=None)
        if top is None:
            return Glance(t, 0, 0.0, 0.0)
        _, _, across = self._places.stack_of(self._places.spot(top.x, top.y))
        return Glance(t, 2 if self._places.layer(top.z) == "top" else 1, top.confidence, across)

    def _stands(self, tile: TileSighting) -> bool:
        """Whether a back that no sensor feels is surely a stack and no mark of the felt."""
        _, along, across = self._places.stack_of(self._places.spot(tile.x, tile.y))
        return tile.confidence >= _STANDS or math.hypot(along, across) <= _STANDS_MM

    def _back_before(self, stack: Stack, changes: list[WallChange]) -> None:
        """Whether a held tile was put back before the next hand hid its stack."""
        back = stack.other is not None and stack.other > stack.height
        if back and stack.other_looks >= _BACK_LOOKS and (stack.side, stack.number) in self.held:
            self._believe(stack, stack.height + 1, changes)

    def _height(self, stack: Stack, top: TileSighting, others: list[TileSighting]) -> int:
        """How high a stack is seen to be.

        A tile that was turned over or fell on its back lies a few millimetres off its place, as
        much as makes a layer's difference in the picture: it is the one that lay there, unless
        another face lies open than before, or its own lies beside the wall.
        """
        seen = 2 if self._places.layer(top.z) == "top" else 1
        if top.posture is not Posture.FACE_UP:
            return seen
        if any(_from(stack, tile) for tile in others):
            return 1
        if stack.height != 2 or not stack.exposed or stack.open is None:
            return max(seen, stack.height)
        best, share = top.faces[0] if top.faces else (None, 0.0)
        return 1 if best != stack.open.value and share >= _OTHER_FACE else 2

    def _laid_aside(
        self, tile: TileSighting, regular: Mapping[tuple[Seat, int], list[TileSighting]]
    ) -> bool:
        """Whether a tile beside a wall is an indicator that lay on a stack which is still there."""
        return tile.posture is Posture.FACE_UP and any(
            _from(stack, tile) and key in regular for key, stack in self.stacks.items()
        )

    def _put_back(self, t: float, changes: list[WallChange]) -> None:
        """Tell the stacks that were lifted together and are back."""
        if not self._lifted or t - max(back for _, _, back in self._lifted) < _TOGETHER_S:
            return
        standing = sorted(
            (each for each in self._lifted if each[0].height),
            key=lambda each: (each[0].side, each[0].number),
        )
        # Around a corner of the walls one grab takes from two sides.
        times = [since for _, since, _ in standing]
        grabs = [standing]
        if times and max(times) - min(times) > FELT_S:
            grabs = [[each for each in standing if each[0].side == side] for side in SEATS]
        for grab in filter(None, grabs):
            slots = tuple(
                Slot(stack.side, stack.number, layer)
                for stack, _, _ in grab
                for layer in reversed(LAYERS[: stack.height])
            )
            lifted = min(since for _, since, _ in grab)
            changes.append(LiftedBack(slots, lifted, max(back for _, _, back in grab)))
        self._lifted.clear()

    def _felt_again(self, t: float) -> None:
        """A tile put back is felt while the hand that brought it still hides it."""
        if self.rising:
            return
        near = self._patience.near_mm
        for stack in self.stacks.values():
            since = stack.present_since
            if (
                stack.height
                or not stack.present
                or t - since < _EMPTY_S
                or not 0.0 < since - stack.emptied <= _TRUST_S
            ):
                continue
            by = self._arms.who(stack.point, since - _LIFTED_S, t, near)
            if by is None:
                continue
            # What was lifted at once comes back at once; if one was kept, the eye will see it.
            stack.height, stack.seen, stack.looked, stack.other = stack.lost, since, since, None
            self.changed = max(self.changed, since)
            self._lifted.append((stack, stack.emptied, since))

    def _beside_fallen(self, stack: Stack, t: float) -> bool:
        """Whether a tile that fell over beside a stack lies on it: its layer cannot be told."""
        beside = (self.stacks.get((stack.side, stack.number + step)) for step in (-1, 1))
        return any(
            other is not None
            and t - other.face_up_seen <= _FALLEN_S
            and other.off_line >= _FALLEN_MM
            for other in beside
        )

    def _observe(self, stack: Stack, height: int, t: float, changes: list[WallChange]) -> None:
        if height == 1 < stack.height and not self.rising and self._beside_fallen(stack, t):
            return
        if height == 1 and stack.height == 2 and not self.rising:
            if not stack.lower_looks:
                stack.lower_since, stack.lower_from = t, min(stack.seen, t)
            stack.lower_looks, stack.lower_seen = stack.lower_looks + 1, t
        if self.rising and stack.present is False and height == 1:
            # Walls come up two high: a lone back that no sensor feels is a mark of the felt.
            height = 0
        bare = stack.present is False or not (stack.stood or stack.present)
        if not self.rising and bare and not stack.height:
            # Where none stands, and none ever stood, a back is a mark of the felt.
            stack.looked, stack.other = t, None
            return
        if stack.presumed and height == 2:
            height = 1
        if not self.rising and stack.present is not None and stack.height:
            since = t - stack.present_since
            if stack.present and height == 0 and since < _TRUST_S:
                # The sensor feels a tile that the eye does not see.
                stack.looked, stack.other = t, None
                return
            if not stack.present and (height == 0 or since >= _DOUBT_S):
                if since >= _EMPTY_S:
                    stack.other, stack.other_since, stack.other_looks = 0, t, 1
                    self._believe(stack, 0, changes)
                return
        if height == stack.height:
            if not self.rising and stack.present is False:
                # The sensor misses it: what is seen there may be the tile in a hand above.
                stack.other = None
                return
            if stack.other is not None and not stack.doubted:
                # One look the other way: which of both was wrong will be seen.
                stack.doubted = True
                return
            stack.seen, stack.looked, stack.other, stack.doubted = t, t, None, False
            stack.lower_looks = 0
            return
        stack.doubted = False
        if stack.other != height:
            stack.other, stack.other_since, stack.other_looks = height, t, 1
            if height != 1 or stack.lower_looks < _LOWER_LOOKS:
                return
            # An arm only came between: what was seen before it still counts.
            stack.other_since, stack.other_looks = stack.lower_since, stack.lower_looks - 1
        stack.other_looks += 1
        patience = self._patience
        needed = self._needed(stack)
        agrees = stack.present is None or stack.present == (height > 0)
        if not agrees:
            needed += _SENSOR_LEAD_S
        if stack.other_looks < patience.gone_looks or t - stack.other_since < needed - 1e-6:
            return
        self._believe(stack, height, changes)

    def _needed(self, stack: Stack) -> float:
        """How long a stack must look different to be believed, s."""
        if self._prompted(stack):
            return self._patience.gone_s
        if stack.covered >= stack.seen and self._arms.lunges(
            stack.point, stack.seen - 0.2, stack.other_since, LUNGE_MM
        ):
            return _LUNGE_S
        return self._patience.unprompted_s

    def _believe(self, stack: Stack, height: int, changes: list[WallChange]) -> None:
        if not height and stack.lower_looks >= _LOWER_LOOKS and stack.height == 2:
            # The upper tile was gone before an arm came for the lower one.
            gone, stack.other_since = stack.other_since, stack.lower_since
            self._change(stack, 1, changes)
            stack.other_since, stack.seen = gone, min(stack.lower_seen, gone)
        self._change(stack, height, changes)

    def _change(self, stack: Stack, height: int, changes: list[WallChange]) -> None:
        before, since, until = stack.height, stack.seen, stack.other_since
        if since > until:
            # A look or two between those that missed the upper tile were of two minds.
            since = min(stack.lower_from, until)
        if height == 1 < before and stack.lower_looks and stack.lower_since >= since:
            # Seen once between two arms, and not otherwise since: it was gone by then.
            until = min(until, stack.lower_since)
        visits = self._arms.visits(stack.point, since, until, self._patience.near_mm)
        t = min(max(visits[0].left, since), until) if visits else until
        emptied = None
        if height == 0 and stack.present is False and stack.present_since <= until:
            # What the eye still saw there after that was a mistake.
            emptied = t = stack.present_since
            since = min(since, emptied)
        low, high = sorted((before, height))
        layers = LAYERS[low:high]
        slots = tuple(Slot(stack.side, stack.number, layer) for layer in reversed(layers))
        by = self._arms.who(stack.point, since, until, self._patience.near_mm)
        stack.height, stack.seen, stack.other = height, stack.other_since, None
        stack.looked, stack.lower_looks = stack.other_since, 0
        stack.stood = stack.stood or height > 0
        if not height:
            stack.presumed = False
            stack.emptied = until if emptied is None else emptied
            stack.lost = before
        stack.lifted = stack.open if height == 1 < before and stack.exposed else None
        stack.face_up, stack.exposed, stack.glimpsed, stack.peeked = None, False, None, False
        self.changed = max(self.changed, until)
        changes.append(StackChanged(slots, height < before, t, since, until, by, emptied))

    def _prompted(self, stack: Stack) -> bool:
        """Whether a hand stopped at a stack before it looked different.

        Layers are told apart by a few pixels; without a hand that stopped there a change of
        height is far more likely to be a mistake of the eye.
        """
        since = stack.other_since
        if self.rising or self._arms.unwatched(stack.seen, since):
            return True
        if stack.present is False and stack.present_since >= stack.seen - _SENSOR_LEAD_S:
            return True
        near = self._patience.near_mm + 10.0
        begin = min(stack.seen, since) - 0.2
        return bool(
            self._arms.visits(stack.point, begin, since, near)
            or self._arms.visits(stack.point, begin, since, _BRUSHED_MM, slow=False)
        )


def _from(stack: Stack, tile: TileSighting) -> bool:
    """Whether a tile beside a stack shows the face that lay open on it."""
    if not tile.faces or distance((tile.x, tile.y), stack.point) > ASIDE_MM:
        return False
    shown = (stack.open, stack.lifted)
    return any(face is not None and tile.faces[0][0] == face.value for face in shown)
