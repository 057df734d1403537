"""How high a stack is seen to be, and when another height than before is believed.

A new height is believed when it was seen in a few looks on end; while an arm covers the stack
nothing is concluded. Hands and sensors say how many looks that takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import takewhile

from table_controller.domain.happenings import Slot
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.places import Places, distance
from table_controller.happenings.looks.visits import LUNGE_MM
from table_controller.happenings.setup import Patience
from table_controller.happenings.wall.lines import InLine
from table_controller.happenings.wall.stacks import LAYERS, Key, Stack, StackChanged, WallChange
from vision.sightings import Posture, TileSighting

ASIDE_MM = 46.0
"""A tile that is taken off its stack to see the one below is laid so near to it."""
EMPTY_S = 0.15
"""A stack that the sensor misses so long is empty if the eye does not see it either."""
TRUST_S = 6.0
"""So long the sensor is believed that feels a tile which the eye does not see."""
_SENSOR_LEAD_S = 1.0
_DOUBT_S = 1.0
"""A stack that the sensor misses so long is gone, whatever the eye still sees there."""
_LUNGE_S = 0.5
_OTHER_FACE = 0.9
"""So surely another face than before must be read to be that of the tile below."""
_FALLEN_S, _FALLEN_MM = 0.6, 3.0
"""A tile that shows its face so far off its place hides a part of its neighbours."""
_BACK_LOOKS = 2
"""A tile that was put back is believed after so many looks where the next hand hides it."""
_HIDDEN_S = 0.3
"""It may be hidden so long between two such looks: three looks at most."""
_UNDER_LOOKS = 3
"""Or after so many on end under the hand that held it, if two of them show that hand beside it."""
_BESIDE_LOOKS, _BESIDE_MM = 2, 25.0
_CLEAR = 0.9
"""So much of a tile is seen past an arm that lies beside it."""
_LOWER_LOOKS = 3
"""An upper tile that so many looks missed was gone before its stack was."""
_MIXED_S = 0.4
"""Looks that show a stack as lower now and then are no farther apart, and begin no later after the
hand that made it lower."""
_BRUSHED_MM = 40.0
"""Fingertips that came so near have handled a stack, however fast they were."""
_STANDS, _STANDS_MM = 0.8, 2.5
"""Stacks that come up are found surer than this, or stand nearer than this to their place."""


class Heights:
    """What is believed of the heights of all stacks.

    Attributes:
        changed: when the last of them changed.
        held: stacks a tile of which a hand holds, or took a moment ago: it may put it back.
        rising: the machine moves the walls; hands are not needed for a change.
    """

    def __init__(
        self, stacks: Mapping[Key, Stack], places: Places, arms: Arms, patience: Patience
    ) -> None:
        self._stacks = stacks
        self._places = places
        self._arms = arms
        self._patience = patience
        self.changed = 0.0
        self.held: frozenset[Key] = frozenset()
        self.rising = True

    # -- what is seen -----------------------------------------------------------------------

    def seen(self, stack: Stack, found: InLine, others: Iterable[TileSighting]) -> int:
        """How high a stack is seen to be.

        A tile that was turned over or fell on its back lies a few millimetres off its place, as
        much as makes a layer's difference in the picture: it is the one that lay there, unless
        another face lies open than before, or its own lies beside the wall.
        """
        top = found.tile
        if self.rising and stack.present is False and not _stands(found):
            return 0
        seen = 2 if self._places.layer(top.z) == "top" else 1
        if top.posture is not Posture.FACE_UP:
            return seen
        if any(of_stack(stack, tile) for tile in others):
            return 1
        if stack.height != 2 or not stack.exposed or stack.open is None:
            return max(seen, stack.height)
        best, share = top.faces[0] if top.faces else (None, 0.0)
        return 1 if best != stack.open.value and share >= _OTHER_FACE else 2

    # -- what is believed -------------------------------------------------------------------

    def observe(self, stack: Stack, height: int, t: float, changes: list[WallChange]) -> None:
        """One look at a stack, with the height that it seems to have."""
        if height == 1 < stack.height and not self.rising and self._beside_fallen(stack, t):
            return
        if height == 1 and stack.height == 2 and not self.rising:
            if not stack.lower_looks:
                stack.lower_since, stack.lower_from = t, min(stack.seen, t)
            stack.lower_looks, stack.lower_seen = stack.lower_looks + 1, t
            if t - stack.mixed_seen > _MIXED_S:
                stack.mixed_from = min(stack.seen, t)
            stack.mixed_seen = t
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
            if stack.present and height == 0 and since < TRUST_S:
                # The sensor feels a tile that the eye does not see.
                stack.looked, stack.other = t, None
                return
            # One that was pushed off its sensor may stand straight before it is felt again.
            if not stack.present and (height == 0 or (stack.missed and since >= _DOUBT_S)):
                if since >= EMPTY_S:
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
            if self._lay_under(stack, height):
                stack.other_looks += 1
            if height != 1 or stack.lower_looks < _LOWER_LOOKS:
                return
        looks_lower = height == 1 and stack.lower_looks >= _LOWER_LOOKS
        if looks_lower and stack.lower_since < stack.other_since:
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

    def _lay_under(self, stack: Stack, height: int) -> bool:
        """Whether a held tile was seen in its place already, below the arm that now leaves it."""
        if height <= stack.height or not self._is_held(stack) or not stack.glances:
            return False
        latest = stack.glances[-1]
        return latest.hidden and latest.height == height

    def back_before(self, stack: Stack, changes: list[WallChange]) -> None:
        """Whether a held tile was put back before the next hand hid its stack."""
        back = stack.other is not None and stack.other > stack.height
        if back and stack.other_looks >= _BACK_LOOKS and self._is_held(stack):
            self._believe(stack, stack.height + 1, changes)

    def under_hand(self, stack: Stack, changes: list[WallChange]) -> None:
        """Whether a held tile was put back under the hand, which may take it before it ever leaves.

        It lies still in its place while the fingertips are beside it: they do not hold it.
        """
        if stack.present is False or not self._is_held(stack):
            return
        latest = reversed(stack.glances)
        under = list(takewhile(lambda g: g.hidden and g.height > stack.height, latest))
        if len(under) < _UNDER_LOOKS:
            return
        since, t = under[-1].t, under[0].t
        seat = self._arms.who(stack.point, since, t, self._patience.near_mm)
        if seat is None:
            return
        tips = [tip.point for tip in self._arms.path(seat, since, t) if tip.point is not None]
        beside = [tip for tip in tips if distance(tip, stack.point) >= _BESIDE_MM]
        if len(beside) >= _BESIDE_LOOKS:
            stack.other_since = since
            self._believe(stack, stack.height + 1, changes)

    def passed(self, stack: Stack, height: int, visible: float, t: float) -> None:
        """An arm is near, and nothing is concluded; a held tile that lies clear there may be back.

        The arm that leaves and the next one that comes may leave one look between them.
        """
        back = height > stack.height and stack.present is not False and self._is_held(stack)
        if not back or visible < _CLEAR:
            stack.other = None
        elif stack.other != height:
            stack.other, stack.other_since, stack.other_looks = height, t, 1

    def hidden(self, stack: Stack, t: float) -> None:
        """An arm hides a stack, and nothing is concluded.

        Of a held tile that was just seen back in free sight the next look that shows it counts too:
        the hand that put it back may come again at once and show it only between its fingers.
        """
        back = stack.other is not None and stack.other > stack.height and self._is_held(stack)
        clear = any(g.t == stack.other_since and not g.hidden for g in stack.glances)
        if not (back and clear and t - stack.other_since <= _HIDDEN_S):
            stack.other = None

    def _is_held(self, stack: Stack) -> bool:
        """Whether a tile of a stack is in a hand that may put it back."""
        return (stack.side, stack.number) in self.held

    def stands_again(self, stack: Stack, t: float) -> None:
        """What was lifted from a stack is back on it since a time."""
        stack.height, stack.seen, stack.looked, stack.other = stack.lost, t, t, None
        self.changed = max(self.changed, t)

    def presume_taken(self, stack: Stack) -> None:
        """The upper tile of a stack is in a hand, whatever height the stack seems to have."""
        stack.height, stack.other, stack.presumed = 1, None, True
        self.changed = max(self.changed, stack.looked)

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
        missed = stack.present is False and stack.present_since <= stack.lower_since
        lower = stack.lower_looks >= _LOWER_LOOKS and not missed
        if not height and lower and stack.height == 2:
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
        if height == 1 < before and not visits and stack.mixed_from < since:
            # Looks went on to show it now as high and now as lower: it left under the last hand.
            since = stack.mixed_from - _MIXED_S
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

    def _beside_fallen(self, stack: Stack, t: float) -> bool:
        """Whether a tile that fell over beside a stack lies on it: its layer cannot be told."""
        beside = (self._stacks.get((stack.side, stack.number + step)) for step in (-1, 1))
        return any(
            other is not None
            and t - other.face_up_seen <= _FALLEN_S
            and other.off_line >= _FALLEN_MM
            for other in beside
        )


def _stands(found: InLine) -> bool:
    """Whether a back that no sensor feels is surely a stack and no mark of the felt."""
    return found.tile.confidence >= _STANDS or math.hypot(found.along, found.across) <= _STANDS_MM


def of_stack(stack: Stack, tile: TileSighting) -> bool:
    """Whether a tile beside a stack shows the face that lay open on it."""
    if not tile.faces or distance((tile.x, tile.y), stack.point) > ASIDE_MM:
        return False
    shown = (stack.open, stack.lifted)
    return any(face is not None and tile.faces[0][0] == face.value for face in shown)
