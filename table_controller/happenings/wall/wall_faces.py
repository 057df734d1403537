"""Wall tiles that show their face, or hide it again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.faces import FaceEvidence
from table_controller.happenings.looks.places import distance, turn_between
from table_controller.happenings.looks.visits import who_of
from table_controller.happenings.setup import Patience
from table_controller.happenings.wall.stacks import LAYERS, FaceSeen, Glance, Stack, WallChange
from vision.sightings import Posture, TileSighting

_AGAIN_S = 3.0
"""A face that was not seen for so long is another one; shorter, a hand may have hidden it."""
_TURNING_S = 1.0
"""Who turns a tile over was at it so long before that is seen at most."""
_PEEK_S, _READ_S = 4.0, 0.6
"""So long after an indicator was lifted a face that shows below it was looked at."""
_WORK_S = 0.5
"""Taking one tile off a stack and turning the other over takes longer."""
_ON_STACKS = 0.4
"""A hand that goes on to the next stack is seen to go at least so far."""
_BACK_SHOWN, _BACK_SURE = 0.6, 0.6
"""A back of which so much is in sight, and that is found so surely where a face lay, is one."""
_UNBARED, _UNBARED_S = 5, 0.8
"""So many looks, over so long, at a face that was below an indicator, as its back shows then."""


class WallFaces:
    """The uppermost tiles of the stacks.

    Args:
        arms: whose fingertips were where.
        patience: how long what is seen must last.
        beside: the stacks that stand beside one.
    """

    def __init__(
        self, arms: Arms, patience: Patience, beside: Callable[[Stack], Sequence[Stack]]
    ) -> None:
        self._arms = arms
        self._patience = patience
        self._beside = beside

    def look(self, stack: Stack, top: TileSighting, t: float, changes: list[WallChange]) -> None:
        """One look at the uppermost tile of a stack."""
        patience = self._patience
        if top.posture is Posture.FACE_UP and top.visible >= 0.6:
            stack.face_down_since = None
            stack.bare.clear()
            stack.backs.clear()
            if stack.face_up is None or t - stack.face_up_seen > _AGAIN_S:
                stack.face_up_since = _first_seen(stack, t)
                stack.face_up = FaceEvidence()
                stack.off_line = stack.skew = 0.0
            stack.face_up.add(top.faces, top.visible)
            stack.face_up_seen = t
            looks = max(1, stack.face_up.looks)
            off = distance((top.x, top.y), stack.point)
            skew = turn_between(top.angle, 90.0 * stack.side, 180.0)
            stack.off_line += (off - stack.off_line) / looks
            stack.skew += (skew - stack.skew) / looks
            if (
                not stack.exposed
                and stack.height
                and stack.face_up.looks >= patience.confirm_looks
                and t - stack.face_up_since >= patience.confirm_s
                and (stack.face_up.decided or t - stack.face_up_since > patience.face_wait_s)
            ):
                stack.exposed = True
                stack.open = stack.face_up.tile if stack.face_up.decided else None
                changes.append(self._seen(stack, True, stack.face_up_since))
        elif top.posture is not Posture.FACE_DOWN:
            return
        elif not stack.exposed:
            if top.visible >= 0.6:
                stack.face_up, stack.down_seen = None, t
        else:
            if stack.face_down_since is None:
                stack.face_down_since = t
            elif t - stack.face_down_since >= patience.gone_s:
                changes.append(self._seen(stack, False, stack.face_down_since))
                stack.turned_down = t
                stack.exposed, stack.face_up, stack.face_down_since = False, None, None

    def in_its_place(self, stack: Stack, top: TileSighting, t: float) -> None:
        """One look at what is as high as an open indicator, also under a hand."""
        if (
            top.posture is Posture.FACE_DOWN
            and top.visible >= _BACK_SHOWN
            and top.confidence >= _BACK_SURE
        ):
            stack.backs.append(t)

    def below(self, stack: Stack, lower: TileSighting, t: float, changes: list[WallChange]) -> None:
        """One look at the tile below an open indicator, also under the hand that lifts it.

        Nobody has to see much of it: it lay there face down, a hand came, it showed a face twice.
        Fingers that lift the indicator may hide its back then: if it shows one before they leave,
        a face that showed for long at its height was its own, and not that of the indicator.
        """
        shown = lower.posture is Posture.FACE_UP
        if lower.posture is Posture.FACE_DOWN:
            stack.bare.append(t)
        if shown and t - stack.bared <= _PEEK_S:
            if stack.glimpsed is None:
                stack.glimpsed, stack.below = t, FaceEvidence()
            stack.glimpses += 1
            stack.below.add(lower.faces, lower.visible)
        elif shown and lower.visible > 0.0:
            stack.unbared.append(t)
        if (
            stack.glimpsed is not None
            and not stack.peeked
            and stack.glimpses >= self._patience.confirm_looks - 1
            # If the hand leaves it open its face will be read.
            and (not shown or t - stack.glimpsed >= _READ_S)
        ):
            stack.peeked = True
            changes.append(self._peek(stack, True, (stack.bared + stack.glimpsed) / 2))
        if lower.posture is Posture.FACE_DOWN and lower.visible >= 0.6:
            if not stack.peeked and stack.glimpsed is None:
                shows = [at for at in stack.unbared if t - at <= _PEEK_S]
                if len(shows) >= _UNBARED and shows[-1] - shows[0] >= _UNBARED_S:
                    stack.bared, stack.peeked = shows[0], True
                    changes.append(self._peek(stack, True, shows[0]))
            stack.unbared.clear()
            if stack.peeked:
                changes.append(self._peek(stack, False, t))
            stack.bared, stack.glimpsed, stack.glimpses, stack.peeked = t, None, 0, False

    def _peek(self, stack: Stack, shown: bool, t: float) -> FaceSeen:
        by = self._arms.who(stack.point, stack.bared, t, self._patience.near_mm)
        slot = Slot(stack.side, stack.number, "bottom")
        return FaceSeen(slot, shown, stack.below, t, by, peeked=True)

    def _seen(self, stack: Stack, shown: bool, t: float) -> FaceSeen:
        slot = Slot(stack.side, stack.number, "top" if stack.height == 2 else "bottom")
        near = self._patience.near_mm
        # Whoever was there only before it was last seen the other way did not turn it.
        since = max(t - _TURNING_S, stack.down_seen if shown else stack.face_up_seen)
        visits = self._arms.visits(stack.point, since, t, near)
        if not visits:
            since = t - _TURNING_S
            visits = self._arms.visits(stack.point, since, t, near)
        # Nor did he who comes only after it was seen to show.
        visits = [visit for visit in visits if visit.left >= since and visit.came <= t] or visits
        under = _under_hand(stack, t) if shown and stack.height == 1 else t
        mine = self._arms.visits(stack.point, under, t, near) if under < since else []
        # His sleeve may stay over it while his hand is elsewhere.
        visits = visits or mine
        by = who_of(visits)
        if by is None:
            # Who went straight past it on his way home has not stopped to turn it.
            by = who_of(self._arms.visits(stack.point, since, t, near, straight=False))
        if visits and under < since:
            # Who takes indicators off and turns those below stays until the last one is turned:
            # each was when his hand was nearest to it.
            visits = [visit for visit in mine if visit.seat == visits[0].seat]
            done = self._went_on(stack, visits[0].seat, t) if visits else None
            t = _lowered(stack, under, t) if done is None else done
        when = min(visits[0].left, t) if visits else t
        face = stack.face_up or FaceEvidence()
        return FaceSeen(slot, shown, face, when, by, stack.off_line, stack.skew)

    def _went_on(self, stack: Stack, by: Seat, until: float) -> float | None:
        """When the hand that turned a tile up left it for the next stack, though nobody saw either.

        That one's upper tile was taken off later: in between the hand moved along the wall. Where
        it was is told by where it was before and after, for fingertips are seen half a stack off.
        """
        begun, done = _taken_down(stack, until), []
        for other in self._beside(stack):
            went = _taken_down(other, until)
            if other.height != 1 or not begun + _WORK_S <= went < until:
                continue
            ahead = (other.point[0] - stack.point[0], other.point[1] - stack.point[1])
            step = math.hypot(*ahead)
            along = {
                tip.t: (tip.point[0] * ahead[0] + tip.point[1] * ahead[1]) / step
                for tip in self._arms.path(by, begun, min(2 * went - begun, until))
                if tip.point is not None
            }
            before = [x for at, x in along.items() if at < went]
            after = [x for at, x in along.items() if at >= went]
            if before and after and median(after) - median(before) >= _ON_STACKS * step:
                half = (median(before) + median(after)) / 2
                done += [at for at, x in along.items() if at < went and x < half][-1:]
        return min(done, default=None)


def _first_seen(stack: Stack, t: float) -> float:
    """When the face that shows on a stack was first seen.

    That may be before the stack was believed to be lower: an arm hid it again after a look or two
    that showed the face below already.
    """
    first, last = stack.lower_since, stack.face_up_seen
    otherwise = max(stack.down_seen, stack.turned_down, stack.emptied)
    showed = otherwise < first <= last and t - last <= _AGAIN_S
    return first if showed and stack.face_up is None and stack.height == 1 else t


def _under_hand(stack: Stack, t: float) -> float:
    """Since when an arm hid a stack until shortly before a time, but for single looks."""
    glances = [glance for glance in stack.glances if glance.t < t]
    while glances and not glances[-1].hidden and t - glances[-1].t <= _TURNING_S:
        glances.pop()
    return _begun(glances, t, lambda glance: glance.hidden)


def _taken_down(stack: Stack, until: float) -> float:
    """Since when looks, but for single ones, have shown less than two tiles of a stack."""
    glances = [glance for glance in stack.glances if glance.t < until]
    return _begun(glances, until, lambda glance: glance.height < len(LAYERS))


def _begun(glances: list[Glance], until: float, holds: Callable[[Glance], bool]) -> float:
    """Since when something has held of the last looks, but for single ones."""
    begun = until
    for one, glance in reversed(list(enumerate(glances))):
        if not any(holds(last) for last in glances[max(0, one - 1) : one + 1]):
            break
        begun = glance.t
    return begun


def _lowered(stack: Stack, since: float, until: float) -> float:
    """When a stack of two was first seen as one tile in a time, if only beside the arm."""
    first = until
    for glance in reversed(stack.glances):
        if glance.t < since:
            break
        if glance.height == len(LAYERS):
            return first
        if glance.height == 1 and glance.t < until:
            first = glance.t
    return until
