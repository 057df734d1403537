"""What is wired to the board: its inputs and outputs as plain values.

The same names are the pin table of the firmware and the words of the conformance tests.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware_bridge.messages import SIDES, Ends


@dataclass(slots=True)
class Inputs:
    """Levels at the board's inputs.

    Attributes:
        ends: end switches of hatch and lift.
        walls: presence bits by side, bit 0 is stack 1.
        keys: pressed keys by seat, bit k is :class:`~firmware_bridge.messages.Key` k.
        start_key: the start button on the table.
        dice_tray: the dice lie in their tray.
        sticks: stick trays, bit by seat.
        push_heads, platforms: photo sensors, bit by side, 1: dark.
        vibration_mg: thousandths of g; motor_ma: sum of drive currents; supply_mv: 12 V supply.
        stop: emergency stop pressed. hand: light curtain over the hatch interrupted.
        chain_ok: the fixed bits at the end of the shift-register chain came through.
    """

    ends: Ends = Ends.HATCH_CLOSED | Ends.LIFT_DOWN
    walls: list[int] = field(default_factory=lambda: [0] * SIDES)
    keys: list[int] = field(default_factory=lambda: [0] * SIDES)
    start_key: bool = False
    dice_tray: bool = True
    sticks: int = 0
    push_heads: int = 0
    platforms: int = 0
    vibration_mg: int = 0
    motor_ma: int = 0
    supply_mv: int = 12000
    stop: bool = False
    hand: bool = False
    chain_ok: bool = True


@dataclass(slots=True)
class Outputs:
    """Levels at the board's outputs; lamps are bits by seat.

    ``motor_enable`` is the relay in the supply of all drives, the table's own included: nothing can
    move while it is off. ``start_button`` taps the table's own button.
    """

    motor_enable: bool = False
    start_button: bool = False
    hatch_open: bool = False
    hatch_close: bool = False
    lift_up: bool = False
    lift_down: bool = False
    dice_motor: bool = False
    dealer_lamp: int = 0
    seat_lamps: int = 0
    buzzer: bool = False

    @property
    def driving(self) -> bool:
        """Whether any drive of the board's own is on."""
        return (
            self.hatch_open or self.hatch_close or self.lift_up or self.lift_down or self.dice_motor
        )
