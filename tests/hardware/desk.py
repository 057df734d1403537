"""A board on the test's desk, in virtual time: the Python one and the firmware, held alike.

A :class:`Desk` is a board, a host session and, if wanted, the mechanics; :meth:`Desk.run` lets time
pass for all three.
"""

import ctypes as c
from collections.abc import Callable
from dataclasses import fields
from typing import Protocol, Self, TypeVar

from firmware_bridge import messages as m
from firmware_bridge.notices import Answered, Heard, Opened
from firmware_bridge.session import Session
from hardware.virtual_table.machine.board import Board
from hardware.virtual_table.machine.io import Inputs, Outputs
from hardware.virtual_table.machine.plant import Plant
from tests.hardware.builds import build

TICKS_A_SECOND = 1_000_000 // m.TICK_US
STEP = m.SCAN_MS / 1000

_Kind = TypeVar("_Kind", bound=m.EventMessage)


class BoardUnderTest(Protocol):
    """What the desk needs of a board."""

    inputs: Inputs
    outputs: Outputs

    def boot(self, boot: int, *, watchdog: bool = False, tick: int = 0) -> None: ...

    def run(self, tick: int, data: bytes) -> bytes: ...


class PythonBoard:
    """The virtual machine's board."""

    def __init__(self) -> None:
        self.inputs = Inputs()

    def boot(self, boot: int, *, watchdog: bool = False, tick: int = 0) -> None:
        self._tick0 = tick
        self._board = Board(boot, self.inputs, watchdog=watchdog)
        self.outputs = self._board.outputs

    def run(self, tick: int, data: bytes) -> bytes:
        self._board.receive(data, tick)
        return self._board.step(tick)


class _CInputs(c.Structure):
    _fields_ = [
        ("ends", c.c_uint8),
        ("walls", c.c_uint32 * 4),
        ("keys", c.c_uint16 * 4),
        ("start_key", c.c_bool),
        ("dice_tray", c.c_bool),
        ("sticks", c.c_uint8),
        ("push_heads", c.c_uint8),
        ("platforms", c.c_uint8),
        ("vibration_mg", c.c_uint16),
        ("motor_ma", c.c_uint16),
        ("supply_mv", c.c_uint16),
        ("stop", c.c_bool),
        ("hand", c.c_bool),
        ("chain_ok", c.c_bool),
    ]


class _COutputs(c.Structure):
    _fields_ = [
        ("motor_enable", c.c_bool),
        ("start_button", c.c_bool),
        ("hatch_open", c.c_bool),
        ("hatch_close", c.c_bool),
        ("lift_up", c.c_bool),
        ("lift_down", c.c_bool),
        ("dice_motor", c.c_bool),
        ("buzzer", c.c_bool),
        ("seat_lamps", c.c_uint8),
        ("dealer_lamp", c.c_uint8),
    ]


class FirmwareBoard:
    """The firmware's C, built as a library."""

    def __init__(self, what: str = "desk") -> None:
        folder = build(what)
        path = folder / ("coverage" if what == "coverage" else "") / "firmware-desk.so"
        self.lib = c.CDLL(str(path))
        self.lib.desk_inputs.restype = c.POINTER(_CInputs)
        self.lib.desk_outputs.restype = c.POINTER(_COutputs)
        self.inputs = Inputs()
        self.outputs = Outputs()
        self._buffer = (c.c_uint8 * 65536)()

    def _sync(self) -> None:
        target = self.lib.desk_inputs().contents
        for field in fields(Inputs):
            value = getattr(self.inputs, field.name)
            if isinstance(value, list):
                getattr(target, field.name)[:] = value
            else:
                setattr(target, field.name, int(value))

    def boot(self, boot: int, *, watchdog: bool = False, tick: int = 0) -> None:
        self._sync()
        self.lib.desk_boot(c.c_uint32(boot), c.c_bool(watchdog), c.c_uint32(tick))

    def run(self, tick: int, data: bytes) -> bytes:
        self._sync()
        self.lib.desk_send(data, len(data))
        self.lib.desk_run(c.c_uint32(tick))
        source = self.lib.desk_outputs().contents
        for field in fields(Outputs):
            setattr(self.outputs, field.name, getattr(source, field.name))
        size = self.lib.desk_take(self._buffer)
        return bytes(self._buffer[:size])


class Desk:
    """Board, host and mechanics in virtual time; the host pings as the real one does."""

    def __init__(self, board: BoardUnderTest, *, plant: Plant | None = None, tick: int = 0) -> None:
        self.board = board
        self.inputs = board.inputs
        self.plant = plant
        self.spoil: Callable[[Inputs], None] = lambda _: None
        """What is wrong with the switches and sensors after each step of the mechanics."""
        self.now = 0.0
        self._steps = 0
        self._tick0 = tick
        self.events: list[Heard] = []
        self.opened: list[Opened] = []
        self.answers: dict[int, m.Result | None] = {}
        self.samples: list[m.Measured] = []
        self.logs: list[m.Log] = []
        self.host = Session(iter(range(1, 1 << 30)).__next__)
        self.talking = True
        board.boot(1, tick=tick)

    @property
    def out(self) -> Outputs:
        return self.board.outputs

    @property
    def mechanics(self) -> Plant:
        """The plant of a desk that has one."""
        assert self.plant is not None
        return self.plant

    def connect(self) -> Self:
        self.host.connect(self.now)
        return self.run(0.05)

    def reset(self, *, watchdog: bool = False) -> Self:
        self.board.boot(len(self.opened) + 100, watchdog=watchdog, tick=self._tick0)
        self._steps = 0
        return self

    def run(self, seconds: float, late: bytes = b"") -> Self:
        """Time goes on; ``late``: bytes of the host that were held up on the line."""
        for _ in range(round(seconds / STEP)):
            self._steps += 1
            self.now += STEP
            data, late = late, b""
            if self.talking:
                self.host.tick(self.now)
                data += self.host.output()
            tick = self._tick0 + self._steps * m.SCAN_MS * 1000 // m.TICK_US
            data = self.board.run(tick, data)
            if self.plant is not None:
                self.plant.step(STEP, self.out, self.inputs)
                self.spoil(self.inputs)
            if self.talking:
                self.host.receive(data, self.now)
            self._note()
        return self

    def _note(self) -> None:
        for notice in self.host.notices():
            if isinstance(notice, Heard) and notice.number is None:
                assert isinstance(notice.message, m.Measured)
                self.samples.append(notice.message)
            elif isinstance(notice, Heard):
                self.events.append(notice)
            elif isinstance(notice, Answered):
                self.answers[notice.ticket] = notice.result
            elif isinstance(notice, Opened):
                self.opened.append(notice)
            elif isinstance(notice, m.Log):
                self.logs.append(notice)

    def send(self, command: m.CommandMessage) -> m.Result:
        ticket = self.host.command(command, self.now)
        for _ in range(100):
            self.run(STEP)
            if ticket in self.answers:
                answer = self.answers[ticket]
                assert answer is not None
                return answer
        raise AssertionError(f"no answer to {command}")

    def until(self, condition: Callable[[], object], seconds: float = 60.0) -> Self:
        end = self.now + seconds
        while self.now < end:
            if condition():
                return self
            self.run(STEP)
        raise AssertionError("did not come about")

    def last(self, kind: type[_Kind]) -> _Kind:
        """The newest event of a kind."""
        for event in reversed(self.events):
            if isinstance(event.message, kind):
                return event.message
        raise AssertionError(f"no {kind.__name__}")

    def all(self, kind: type[_Kind]) -> list[_Kind]:
        return [e.message for e in self.events if isinstance(e.message, kind)]

    @property
    def state(self) -> m.MachineState:
        return self.last(m.MachineChanged).state

    @property
    def fault(self) -> m.Fault:
        return self.last(m.MachineChanged).fault
