"""The mechanics behind the board: what its drives do to its switches and sensors.

Used by the virtual machine and by the tests of the firmware alike. Positions run from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.messages import SIDES, Ends
from hardware.virtual_table.machine.cycle import required_stacks
from hardware.virtual_table.machine.io import Inputs, Outputs


@dataclass(frozen=True, slots=True)
class PlantTimes:
    """Seconds: full travel of hatch and lift, mixing before the first stack, one stack a side."""

    hatch: float = 1.2
    lift: float = 2.0
    shuffle: float = 3.0
    stack: float = 0.25


class Plant:
    """Mechanics of one table.

    ``missing`` keeps so many stacks from being built; ``jammed`` leaves the push head of that side
    dark; ``stuck`` stops hatch and lift where they are.
    """

    def __init__(self, times: PlantTimes | None = None) -> None:
        self.times = times or PlantTimes()
        self.hatch = 0.0
        self.lift = 0.0
        self.missing = 0
        self.jammed: int | None = None
        self.stuck = False
        self.tiles = 144
        self.players = 4
        self._mixing: float | None = None
        self._pushed = [0] * SIDES
        self._pulse = 0.0

    def set_raised(self, inputs: Inputs) -> None:
        """Begin with the lift up (walls standing on the table)."""
        self.lift = 1.0
        inputs.ends = self._ends()

    def step(self, dt: float, out: Outputs, inputs: Inputs) -> None:
        """Let ``dt`` seconds pass."""
        powered = out.motor_enable and not self.stuck
        if powered:
            travel_hatch, travel_lift = dt / self.times.hatch, dt / self.times.lift
            self.hatch += travel_hatch * (out.hatch_open - out.hatch_close)
            self.lift += travel_lift * (out.lift_up - out.lift_down)
            self.hatch = min(1.0, max(0.0, self.hatch))
            self.lift = min(1.0, max(0.0, self.lift))
        ends = self._ends()
        if ends & Ends.LIFT_UP and not inputs.ends & Ends.LIFT_UP and any(self._pushed):
            inputs.walls = [(1 << n) - 1 for n in self._pushed]
            self._pushed = [0] * SIDES
        inputs.ends = ends
        if out.start_button:
            self._mixing, self._pushed, self._pulse = 0.0, [0] * SIDES, 0.0
        if powered and self._mixing is not None:
            self._mix(dt, inputs)
        inputs.motor_ma = 900 * sum(
            (out.hatch_open, out.hatch_close, out.lift_up, out.lift_down, out.dice_motor)
        ) + (1500 if powered and self._mixing is not None else 0)

    def _ends(self) -> Ends:
        ends = Ends(0)
        if self.hatch >= 1.0:
            ends |= Ends.HATCH_OPEN
        if self.hatch <= 0.0:
            ends |= Ends.HATCH_CLOSED
        if self.lift >= 1.0:
            ends |= Ends.LIFT_UP
        if self.lift <= 0.0:
            ends |= Ends.LIFT_DOWN
        return ends

    def _mix(self, dt: float, inputs: Inputs) -> None:
        """The table's own controller: mix, then push one stack after the other on each side."""
        assert self._mixing is not None
        self._mixing += dt
        if self._mixing < self.times.shuffle:
            return
        if self.jammed is not None:
            inputs.push_heads |= 1 << self.jammed
            return
        need = required_stacks(self.tiles, self.players) or (0, 0, 0, 0)
        self._pulse += dt
        if self._pulse < self.times.stack / 2:
            if inputs.push_heads:
                return
            for side in range(SIDES):
                left = sum(need) - sum(self._pushed)
                if self._pushed[side] < need[side] and left > self.missing:
                    inputs.push_heads |= 1 << side
                    self._pushed[side] += 1
            return
        inputs.push_heads = 0
        if tuple(self._pushed) == need:
            self._mixing = None
        if self._pulse >= self.times.stack:
            self._pulse = 0.0
