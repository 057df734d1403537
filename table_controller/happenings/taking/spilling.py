"""Tiles that leave their places with nobody taking them: pushed with their stacks, or fallen."""

from __future__ import annotations

from table_controller.domain.happenings import Slot
from table_controller.happenings.looks.places import Area, distance
from table_controller.happenings.looks.visits import HELD_MM
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import Table
from table_controller.happenings.taking.stages import Taking
from table_controller.happenings.wall.disturbances import Disturbances
from vision.sightings import Posture

_SPILL_MM, _FALLEN_S = 110.0, 1.5
"""A tile that was not taken but pushed off its wall lies so near to it, so soon after."""
_LIES_THERE_MM = 20.0
"""What lies nearer to its slot has not fallen: it is being taken or put back."""


class Spilling:
    """Recognises them, and notes the stacks that were disturbed so."""

    def __init__(self, table: Table, disturbances: Disturbances) -> None:
        self._table = table
        self._disturbances = disturbances

    def pushed(self, slots: tuple[Slot, ...], since: float, t: float) -> bool:
        """Whether tiles left their places because stacks beside them were pushed just then."""
        stacks = {slot[:2] for slot in slots}
        pushed = {stack for stack in stacks if self._disturbances.beside(*stack, since)}
        for side, number in sorted(stacks) + sorted(stacks, reverse=True):
            # A push passes on from stack to stack.
            if {(side, number - 1), (side, number + 1)} & pushed:
                pushed.add((side, number))
        if pushed != stacks:
            return False
        for side, number in stacks:
            self._disturbances.note(side, (number,), t, None)
        return True

    def fallen(self, taking: Taking, t: float) -> bool:
        """Whether the tiles did not go far: they lie on the felt beside the wall."""
        table = self._table
        for slot in taking.slots:
            point = table.places.slot_point(slot)
            for rest in table.book.all():
                if (
                    taking.since - 0.1 <= rest.since <= taking.t + _FALLEN_S
                    and rest.flat
                    and t - rest.seen < 0.3
                    and rest.looks >= 2
                    and rest.spot.area not in (Area.HAND, Area.MELD)
                    and (rest.spot.area is not Area.WALL or rest.spot.seat == slot.side)
                    and (
                        rest.posture is Posture.FACE_DOWN or table.places.near_wall(rest.x, rest.y)
                    )
                    and _LIES_THERE_MM < distance(rest.point, point) <= _SPILL_MM
                    and not self._in_hand(rest)
                ):
                    table.spilled.update(dict.fromkeys(taking.slots, rest.number))
                    self._disturbances.note(slot.side, (slot.stack,), taking.t, taking.seat)
                    return True
        return False

    def _in_hand(self, rest: Rest) -> bool:
        """Whether a tile beside its wall may have been held when last seen: fingers were there."""
        arms = self._table.arms
        return bool(arms.visits(rest.point, rest.seen, rest.seen, HELD_MM, slow=False))
