"""The board as a whole: session, inputs, cycle, lamps (the twin of the firmware's board.c)."""

from __future__ import annotations

from typing import Final

from firmware_bridge import messages as m
from firmware_bridge.messages import Block, Buzz, Defect, Ends, Lamp, LogLevel, MachineState
from hardware.virtual_table.machine.cycle import (
    BAD_ARGUMENT,
    DONE,
    WRONG_STATE,
    Cycle,
)
from hardware.virtual_table.machine.io import Inputs, Outputs
from hardware.virtual_table.machine.scan import DELAY, MS, SCAN, Levels, Scanner
from hardware.virtual_table.machine.session import BoardSession

FIRMWARE: Final = "virtual 1.0"
_OFF: Final = 255
_BLINK: Final = 250 * MS
_BUZZ: Final[dict[Buzz, tuple[int, ...]]] = {  # milliseconds on, off, on, …
    Buzz.SHORT: (100,),
    Buzz.LONG: (600,),
    Buzz.DOUBLE: (100, 100, 100),
    Buzz.ALARM: (200, 200, 200, 200, 200, 200, 200, 200, 200),
}
_BOTH: Final = (Ends.HATCH_OPEN | Ends.HATCH_CLOSED, Ends.LIFT_UP | Ends.LIFT_DOWN)


class Board:
    """One boot of the board.

    Args:
        boot: boot id.
        inputs: the levels at its pins; read at each scan, changed by whoever owns them.
        serial: serial number shown in the welcome.
        watchdog: the reset was the watchdog's.
    """

    def __init__(
        self, boot: int, inputs: Inputs, *, serial: int = 1, watchdog: bool = False
    ) -> None:
        self.inputs = inputs
        self.outputs = Outputs()
        self.session = BoardSession(boot, self._execute, serial=serial, firmware=FIRMWARE)
        self.scanner = Scanner(inputs)
        self.cycle = Cycle(self.scanner, watchdog=watchdog)
        self._levels = Levels()
        self._lamps = [Lamp.OFF] * m.SIDES
        self._dealer = _OFF
        self._buzz: list[int] = []
        self._next_scan = 0
        self._next_sample = 0
        self._was = self.cycle.state

    def receive(self, data: bytes, now: int) -> None:
        """Bytes from the line at tick ``now``."""
        self.session.receive(data, now)

    def step(self, now: int) -> bytes:
        """Do what is due by tick ``now``; gives bytes for the line."""
        if now - self._next_scan > 20 * SCAN:
            self._next_scan = now  # after a long sleep: no storm of scans
        while now >= self._next_scan:
            self._scan(self._next_scan)
            self._next_scan += SCAN
        if now >= self._next_sample:
            self._next_sample = now + m.SAMPLE_MS * MS
            supply, motor = self.inputs.supply_mv, self.inputs.motor_ma
            self.session.sample(m.Measured(supply, motor), now)
        return self.session.poll(now)

    # ---------------------------------------------------------------- within

    def _scan(self, now: int) -> None:
        self.scanner.scan(self.inputs, now, self.session.event)
        if self.scanner.start_pressed:
            self.cycle.press_start()
        self.cycle.step(self.inputs, self.session.host_silent(now))
        self.cycle.outputs(self.outputs)
        self._lights(now)
        self._levels.report(
            self._current(now),
            lambda: self.session.room_for_levels,
            self.session.event,
        )
        if self.cycle.state is not self._was:
            self._was = self.cycle.state
            if self._was is MachineState.FAULT:
                self._buzz = list(_BUZZ[Buzz.ALARM])
                name = self.cycle.fault.name.lower()
                self.session.log(LogLevel.ERROR, f"fault: {name}")

    def _current(self, now: int) -> list[tuple[m.EventMessage, int]]:
        """All levels with their ticks: a debounced one was so DELAY ago already."""
        scanner, cycle, mode, then = self.scanner, self.cycle, self.cycle.mode, now - DELAY
        w0, w1, w2, w3 = (w.value for w in scanner.walls)
        state = m.MachineChanged(cycle.state, cycle.fault, mode.tiles, mode.players, mode.tile_set)
        return [
            (state, now),
            (m.BlockChanged(cycle.block), now),
            (m.StopChanged(bool(scanner.stop.value)), then),
            (m.HandChanged(bool(scanner.hand.value)), then),
            (m.EndsChanged(Ends(scanner.ends.value)), then),
            (m.WallPresence((w0, w1, w2, w3)), then),
            (m.DiceChanged(cycle.dice), now),
            (m.SticksChanged(scanner.sticks.value), then),
            (m.PhotoChanged(scanner.push_heads.value, scanner.platforms.value), then),
        ]

    def _lights(self, now: int) -> None:
        lit = now // _BLINK % 2 == 0
        on = (Lamp.ON, Lamp.BLINK) if lit else (Lamp.ON,)
        self.outputs.seat_lamps = sum(1 << s for s, lamp in enumerate(self._lamps) if lamp in on)
        self.outputs.dealer_lamp = 0 if self._dealer == _OFF else 1 << self._dealer
        self.outputs.buzzer = len(self._buzz) % 2 == 1
        if self._buzz:
            self._buzz[0] -= m.SCAN_MS
            if self._buzz[0] <= 0:
                self._buzz.pop(0)

    def _execute(self, command: m.CommandMessage, now: int) -> m.Result:
        cycle = self.cycle
        cycle.heard()
        match command:
            case m.Query():
                self._levels.forget()
                return DONE
            case m.StartCycle(tiles, players, tile_set):
                return cycle.start(tiles, players, tile_set)
            case m.Mode(tiles, players):
                return cycle.set_mode(tiles, players)
            case m.Hatch(opening):
                return cycle.hatch(opening)
            case m.Lift(up):
                return cycle.lift(up)
            case m.Dice(run_ms):
                return cycle.roll(run_ms)
            case m.Hold(on):
                cycle.hold = on
                cycle.block = cycle.block | Block.HOLD if on else cycle.block & ~Block.HOLD
                cycle.outputs(self.outputs)
                return DONE
            case m.ClearFault():
                return cycle.clear_fault()
            case m.SelfTest():
                return self._self_test(now)
            case m.DealerLamp(seat):
                if seat >= m.SIDES and seat != _OFF:
                    return BAD_ARGUMENT
                self._dealer = seat
            case m.SeatLamp(seat, lamp):
                self._lamps[seat] = lamp
            case m.Buzzer(pattern):
                self._buzz = list(_BUZZ[pattern])
        return DONE

    def _self_test(self, now: int) -> m.Result:
        if self.cycle.state not in (MachineState.IDLE, MachineState.FAULT):
            return WRONG_STATE
        raw, failed = self.inputs, Defect(0)
        ends = Ends(self.scanner.ends.value)
        if ends & _BOTH[0] in (_BOTH[0], Ends(0)):
            failed |= Defect.HATCH_ENDS
        if ends & _BOTH[1] in (_BOTH[1], Ends(0)):
            failed |= Defect.LIFT_ENDS
        if not m.SUPPLY_MIN_MV <= raw.supply_mv <= m.SUPPLY_MAX_MV:
            failed |= Defect.SUPPLY
        if raw.motor_ma > m.MOTOR_IDLE_MA and not self.outputs.motor_enable:
            failed |= Defect.MOTOR_CURRENT
        if not raw.chain_ok:
            failed |= Defect.CHAIN
        if self.scanner.stop.value:
            failed |= Defect.STOP_PRESSED
        if self.scanner.push_heads.value or self.scanner.platforms.value:
            failed |= Defect.PHOTO
        if self.scanner.hand.value:
            failed |= Defect.HAND
        self.session.event(m.SelfTestDone(failed), now)
        return DONE
