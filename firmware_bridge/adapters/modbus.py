"""Worked example of an adapter: a table whose controller is a Modbus RTU slave.

The register map below is an example, not any vendor's; a real table needs its own numbers in
:class:`RegisterMap` and its own tables of codes, the rest stays. Needs the optional package
``pymodbus`` (``pip install paiguan[modbus]``).
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from firmware_bridge import messages as m
from firmware_bridge.delivery import next_of
from firmware_bridge.errors import LinkLostError, PortUnusableError
from firmware_bridge.readings import LinkChanged, LinkState, Reading
from firmware_bridge.status import LinkStatus

POLL_S: Final = 0.05
_ANSWER_S: Final = 0.2
_GONE: Final = 3
"""Polls without an answer after which the machine is taken for lost."""


@dataclass(frozen=True, slots=True)
class RegisterMap:
    """Where things are: input registers from 0, command registers, both 16 bits wide.

    ``walls`` takes two registers a side (low, high), ``keys`` one a seat: the high byte counts
    presses, the low byte is the latest key, so a press between two polls is at least counted.
    """

    state: int = 0
    fault: int = 1
    walls: int = 2
    ends: int = 10
    sticks: int = 11
    keys: int = 12
    safety: int = 16
    supply_mv: int = 17
    dice: int = 18
    count: int = 19
    command: int = 100


_STOP_BIT: Final = 1
_HAND_BIT: Final = 2
_COMMANDS: Final[dict[int, Callable[[Any], tuple[int, int]]]] = {
    m.StartCycle.ID: lambda c: (1, c.tiles),
    m.Hatch.ID: lambda c: (2, int(c.opening)),
    m.Lift.ID: lambda c: (3, int(c.up)),
    m.Dice.ID: lambda c: (4, c.run_ms),
    m.ClearFault.ID: lambda _: (5, 0),
}
"""The vendor's command code and argument; what is not here, it cannot do."""


class ModbusMachine:
    """A machine behind Modbus RTU.

    Args:
        port: path or URL of the serial line.
        baud: of the line.
        unit: slave address.
        registers: the map.
        clock: host clock, s.

    Raises:
        PortUnusableError: the port cannot be opened, or pymodbus is missing.
    """

    def __init__(
        self,
        port: str,
        *,
        baud: int = 19200,
        unit: int = 1,
        registers: RegisterMap | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        try:
            from pymodbus.client import ModbusSerialClient
        except ImportError:
            raise PortUnusableError("pymodbus is missing; pip install paiguan[modbus]") from None
        self._client = ModbusSerialClient(port, baudrate=baud, timeout=_ANSWER_S, retries=0)
        if not self._client.connect():
            raise PortUnusableError(f"{port}: cannot be opened for Modbus")
        self._port, self._unit, self._map, self._clock = (
            port,
            unit,
            registers or RegisterMap(),
            clock,
        )
        self._queue: queue.Queue[Reading | None] = queue.Queue()
        self._line = threading.Lock()
        self._stop = threading.Event()
        self._last: list[int] | None = None
        self._last_at = 0.0
        self._missed = 0
        self._round_trip = 0.0
        self._connected = False
        self._thread = threading.Thread(target=self._run, name="modbus", daemon=True)
        self._thread.start()

    # ---------------------------------------------------------------- what the controller uses

    @property
    def connected(self) -> bool:
        """Whether the last polls were answered."""
        return self._connected

    @property
    def status(self) -> LinkStatus:
        """The connection as it is now."""
        return LinkStatus(
            self._connected, self._port, "modbus", round_trip=self._round_trip, clock_error=POLL_S
        )

    def read(self, timeout: float | None = None) -> Reading | None:
        """The next reading; None when there was none in time or the machine is closed."""
        return next_of(self._queue, timeout)

    def readings(self) -> Iterator[Reading]:
        """All readings until closed."""
        while (reading := self.read()) is not None:
            yield reading

    def confirm(self, reading: Reading) -> None:
        """Nothing to do: the vendor keeps no events."""

    def send(self, command: m.CommandMessage, timeout: float = 2.0) -> m.Result:
        """Write the command registers.

        Raises:
            LinkLostError: no answer; whether it was executed is not known, so it is not repeated.
        """
        del timeout  # the vendor answers a write at once or not at all
        if isinstance(command, m.Query):
            self._last = None
            return m.Result(m.Outcome.DONE, m.Block(0))
        code = _COMMANDS.get(command.ID)
        if code is None:
            return m.Result(m.Outcome.UNKNOWN, m.Block(0))
        answer = self._ask(
            lambda: self._client.write_registers(
                self._map.command, list(code(command)), device_id=self._unit
            )
        )
        if answer is None:
            raise LinkLostError(f"{type(command).__name__}: no answer from {self._port}")
        outcome = m.Outcome.WRONG_STATE if answer.isError() else m.Outcome.DONE
        return m.Result(outcome, m.Block(0))

    def close(self) -> None:
        """Stop polling and give the port back."""
        self._stop.set()
        self._thread.join(2)
        self._client.close()  # type: ignore[no-untyped-call]
        self._queue.put(None)

    # ---------------------------------------------------------------- polling

    def _ask(self, request: Callable[[], Any]) -> Any:
        from pymodbus.exceptions import ModbusException

        with self._line:
            try:
                return request()
            except (ModbusException, OSError):
                return None

    def _run(self) -> None:
        while not self._stop.wait(POLL_S):
            before = self._clock()
            answer = self._ask(
                lambda: self._client.read_input_registers(
                    0, count=self._map.count, device_id=self._unit
                )
            )
            after = self._clock()
            # A short answer leaves out registers that the map names: it tells nothing.
            if answer is None or answer.isError() or len(answer.registers) < self._map.count:
                self._missed += 1
                if self._connected and self._missed >= _GONE:
                    self._connected = False
                    self._change(LinkState.LOST, f"{self._port}: no answer")
                self._client.connect()
                continue
            self._missed = 0
            self._round_trip = after - before
            if not self._connected:
                self._connected, self._last = True, None
                self._change(LinkState.CONNECTED, f"{self._port}: Modbus unit {self._unit}")
            self._compare(list(answer.registers), before, after)

    def _change(self, state: LinkState, detail: str) -> None:
        self._queue.put(Reading(self._clock(), LinkChanged(state, detail)))

    def _compare(self, now: list[int], before: float, after: float) -> None:
        """An edge lies somewhere between the last poll and this one."""
        last = self._last
        since = self._last_at if last is not None else before
        t, error = (since + after) / 2, (after - since) / 2
        old = self._decode(last) if last is not None else {}
        for kind, what in self._decode(now).items():
            if old.get(kind) != what:
                self._queue.put(Reading(t, what, error))
        if last is not None:
            self._keys(last, now, t, error)
        self._last, self._last_at = now, after

    def _decode(self, r: list[int]) -> dict[str, m.EventMessage]:
        at = self._map
        w0, w1, w2, w3 = (r[at.walls + 2 * s] | r[at.walls + 2 * s + 1] << 16 for s in range(4))
        state = m.MachineState(r[at.state]) if r[at.state] < len(m.MachineState) else None
        fault = m.Fault(r[at.fault]) if r[at.fault] < len(m.Fault) else m.Fault.SENSOR_DISAGREEMENT
        readings: dict[str, m.EventMessage] = {
            "walls": m.WallPresence((w0, w1, w2, w3)),
            "ends": m.EndsChanged(m.Ends(r[at.ends] & sum(m.Ends))),
            "sticks": m.SticksChanged(r[at.sticks] & 0xF),
            "stop": m.StopChanged(bool(r[at.safety] & _STOP_BIT)),
            "hand": m.HandChanged(bool(r[at.safety] & _HAND_BIT)),
        }
        if state is not None:  # a state that is not in the table says nothing
            readings["state"] = m.MachineChanged(state, fault, 144, 4, m.TileSet.A)
        if r[at.dice] < len(m.DicePhase):
            readings["dice"] = m.DiceChanged(m.DicePhase(r[at.dice]))
        return readings

    def _keys(self, last: list[int], now: list[int], t: float, error: float) -> None:
        for seat in range(m.SIDES):
            was, now_ = last[self._map.keys + seat], now[self._map.keys + seat]
            presses = ((now_ >> 8) - (was >> 8)) % 256
            if presses > 1:
                text = f"seat {seat}: {presses - 1} keys between two polls"
                self._change(LinkState.EVENTS_LOST, text)
            if presses and (now_ & 0xFF) < len(m.Key):
                self._queue.put(Reading(t, m.KeyPressed(seat, m.Key(now_ & 0xFF)), error))
