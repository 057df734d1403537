"""The machine of the virtual table: a board and its mechanics behind a pseudo-terminal.

To the host it is a serial port (:attr:`VirtualMachine.url`). The board (:mod:`.board`)
decides cycle and safety as the firmware does; the mechanics (:mod:`.plant`) answer its
drives; whoever plays the table sets the other inputs. Faults are switches:

========================  ======================================================================
``corrupt P`` ``drop P``  share of bytes hurt in both directions; ``double P`` likewise
``delay S`` ``jitter S``  bytes come late
``clear``                 a good line again
``reset``                 the board restarts, RAM is gone
``silent`` ``speak``      the board neither hears nor says anything, and back
``unplug`` ``plug``       the port vanishes, and comes back under another name
``drift PPM``             the board's clock runs fast by so many parts in a million
``jump S``                the board's clock jumps
``schema N``              the board greets with another schema hash (an older firmware)
========================  ======================================================================
"""

from __future__ import annotations

import contextlib
import errno
import heapq
import itertools
import math
import os
import random
import select
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from firmware_bridge.messages import (
    TICK_US,
    CommandMessage,
    Key,
    MachineState,
    Result,
)
from hardware.virtual_table.machine.board import Board
from hardware.virtual_table.machine.faults import FaultyLine, LineFaults
from hardware.virtual_table.machine.io import Inputs, Outputs
from hardware.virtual_table.machine.plant import Plant, PlantTimes

_STEP: Final = 0.005
"""Longest sleep of the machine's thread, s."""
_CATCH_UP: Final = 400
"""Most steps made up for at once."""
_KEY: Final = 0.12
"""How long a finger stays on a key, s."""


class VirtualMachine:
    """A machine on a pseudo-terminal, in a thread of its own.

    Args:
        link_path: a symbolic link that always points at the present port, as udev's
            ``/dev/serial/by-id`` does; without it :attr:`url` changes with each ``plug``.
        raised: stacks a side already standing when the power comes (a hand is being played).
        times: of the mechanics.
        tiles, players: what the table's own controller builds walls of, whatever the board expects.
        seed: of boot ids and line faults.
        serial: number of the board.
        baud: pace of the line; 0: as fast as the computer.
        mechanics: whether the drives move anything; without, the end switches and optics are left
            to whoever sets the inputs.
        on_command: called with each command that was executed and its result, in the machine's
            thread, without the lock: setters may be called.
        on_state: called with each new state of the cycle, likewise.
    """

    def __init__(
        self,
        *,
        link_path: Path | None = None,
        raised: Sequence[int] | None = None,
        times: PlantTimes | None = None,
        tiles: int = 144,
        players: int = 4,
        seed: int = 0,
        serial: int = 1,
        baud: int = 0,
        mechanics: bool = True,
        on_command: Callable[[CommandMessage, Result], None] | None = None,
        on_state: Callable[[MachineState], None] | None = None,
    ) -> None:
        self._rng = random.Random(seed)
        self._serial = serial
        self._link_path = link_path
        self.inputs = Inputs()
        self.plant = Plant(times)
        self.plant.tiles, self.plant.players = tiles, players
        self._mechanics = mechanics
        if raised is not None:
            self.inputs.walls = [(1 << n) - 1 for n in raised]
            self.plant.set_raised(self.inputs)
        self.to_host = FaultyLine(LineFaults(baud=baud), random.Random(seed + 1))
        self.to_board = FaultyLine(LineFaults(baud=baud), random.Random(seed + 2))
        self.on_command = on_command
        self.on_state = on_state
        self.rate = 1.0
        """Board seconds per true second."""
        self._lock = threading.RLock()
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._calls: list[Callable[[], None]] = []
        self._silent = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._master: int | None = None
        self._slave: int | None = None
        self._name = ""
        self._ticks = 0.0
        self._clock_at = time.monotonic()
        self._plant_at = self._clock_at
        self.executed: list[CommandMessage] = []
        """Commands carried out since the start, all boots together."""
        self.board = self._boot()

    # ---------------------------------------------------------------- life

    @property
    def url(self) -> str:
        """Path of the port for the host; the last one while unplugged."""
        return str(self._link_path) if self._link_path is not None else self._name

    @property
    def state(self) -> MachineState:
        """State of the cycle."""
        return self.board.cycle.state

    @property
    def outputs(self) -> Outputs:
        """The board's outputs as they are."""
        return self.board.outputs

    def start(self) -> Self:
        """Plug in and switch on."""
        self.plug()
        self._thread = threading.Thread(target=self._run, name="virtual-machine", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Switch off and unplug."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(5)
        self.unplug()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    # ---------------------------------------------------------------- inputs

    def set_walls(self, bits: Sequence[int]) -> None:
        """Presence bits by side; bit 0 is stack 1."""
        with self._lock:
            self.inputs.walls = list(bits)

    def set_wall(self, side: int, stacks: Iterable[int]) -> None:
        """The stacks (1..18) of which a tile still covers the sensor."""
        with self._lock:
            self.inputs.walls[side] = sum(1 << (stack - 1) for stack in set(stacks))

    def press_key(self, seat: int, key: Key | str, hold: float = _KEY) -> None:
        """Press a key of a seat's keypad for ``hold`` seconds; by its name too."""
        bit = 1 << (key if isinstance(key, Key) else Key[key.upper()])
        with self._lock:
            self.inputs.keys[seat] |= bit
            self.after(hold, lambda: self._release(seat, bit))

    def press_start(self, hold: float = _KEY) -> None:
        """Press the start button on the table."""
        with self._lock:
            self.inputs.start_key = True
            self.after(hold, lambda: setattr(self.inputs, "start_key", False))

    def set_dice_tray(self, present: bool) -> None:
        """The dice lie in their tray, or not."""
        with self._lock:
            self.inputs.dice_tray = present

    def set_stick(self, seat: int, present: bool) -> None:
        """A stick lies in that seat's tray, or not."""
        with self._lock:
            bit = 1 << seat
            self.inputs.sticks = self.inputs.sticks & ~bit | (bit if present else 0)

    def set_hand(self, inside: bool) -> None:
        """A hand reaches into the hatch zone, or not."""
        with self._lock:
            self.inputs.hand = inside

    def set_stop(self, pressed: bool) -> None:
        """Emergency stop."""
        with self._lock:
            self.inputs.stop = pressed

    def knock(self, peak_mg: int, seconds: float = 0.1) -> None:
        """Knock the table."""
        with self._lock:
            self.inputs.vibration_mg = peak_mg
            self.after(seconds, lambda: setattr(self.inputs, "vibration_mg", 0))

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        """Do something on the machine's thread later."""
        with self._lock:
            due = time.monotonic() + seconds
            heapq.heappush(self._timers, (due, next(self._order), action))

    # ---------------------------------------------------------------- faults

    def trigger(self, text: str) -> None:
        """Throw one of the switches of the table above, by its words.

        Raises:
            ValueError: for words that are none of them.
        """
        word, *rest = text.split()
        lines = (self.to_host.faults, self.to_board.faults)
        try:
            with self._lock:
                match word, rest:
                    case (("corrupt" | "drop" | "double" | "delay" | "jitter"), [value]):
                        for line in lines:
                            setattr(line, word, float(value))
                    case "clear", []:
                        for line in lines:
                            line.clear()
                    case "reset", []:
                        self.reset()
                    case "silent", []:
                        self._silent = True
                    case "speak", []:
                        self._silent = False
                    case "unplug", []:
                        self.unplug()
                    case "plug", []:
                        self.plug()
                    case "drift", [value]:
                        self.rate = 1 + float(value) * 1e-6
                    case "jump", [value]:
                        self.board.session.stamp_offset += round(float(value) * 1e6 / TICK_US)
                    case "schema", [value]:
                        self.board.session.schema_hash = int(value, 0)
                    case _:
                        raise ValueError("unknown")
        except ValueError:
            raise ValueError(f"no such fault: {text!r}") from None

    def reset(self, *, watchdog: bool = False) -> None:
        """Restart the board; what it kept in RAM is gone."""
        with self._lock:
            self.to_host.cut()
            self.to_board.cut()
            self.board = self._boot(watchdog=watchdog)

    def unplug(self) -> None:
        """Pull the cable: the port vanishes; the board goes on."""
        with self._lock:
            for fd in (self._master, self._slave):
                if fd is not None:
                    os.close(fd)
            self._master = self._slave = None
            self.to_host.cut()
            self.to_board.cut()
            if self._link_path is not None:
                self._link_path.unlink(missing_ok=True)

    def plug(self) -> None:
        """Put the cable back; the port has another name."""
        with self._lock:
            if self._master is not None:
                return
            hidden = self._hide_name()
            self._master, self._slave = os.openpty()
            for fd in hidden:
                os.close(fd)
            tty.setraw(self._slave, termios.TCSANOW)
            os.set_blocking(self._master, False)
            self._name = os.ttyname(self._slave)
            if self._link_path is not None:
                self._link_path.unlink(missing_ok=True)
                self._link_path.symlink_to(self._name)

    # ---------------------------------------------------------------- within

    def _hide_name(self) -> tuple[int, ...]:
        """The kernel gives the lowest free name: take it away so that another one comes."""
        if not self._name:
            return ()
        fds = os.openpty()
        if os.ttyname(fds[1]) == self._name:
            return fds
        for fd in fds:
            os.close(fd)
        return ()

    def _boot(self, *, watchdog: bool = False) -> Board:
        self._ticks = 0.0
        boot = self._rng.getrandbits(32)
        board = Board(boot, self.inputs, serial=self._serial, watchdog=watchdog)
        execute = board.session.execute

        def noted(command: CommandMessage, now: int) -> Result:
            result = execute(command, now)
            self.executed.append(command)
            if self.on_command is not None:
                callback = self.on_command
                self._calls.append(lambda: callback(command, result))
            return result

        board.session.execute = noted
        return board

    def _release(self, seat: int, bit: int) -> None:
        self.inputs.keys[seat] &= ~bit

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wait()
            with self._lock:
                received = self._read()
                # Only now, or a ping could be answered with a time before it was sent.
                self._turn(received, time.monotonic())
                calls, self._calls = self._calls, []
            for call in calls:
                call()

    def _wait(self) -> None:
        master = self._master
        wait = _STEP
        due = [d for d in (self.to_host.next_due(), self.to_board.next_due()) if d is not None]
        if due:
            wait = min(wait, max(0.0, min(due) - time.monotonic()))
        if master is None:
            time.sleep(wait)
            return
        with contextlib.suppress(OSError, ValueError):  # unplugged in the meantime
            select.select([master], [], [], wait)

    def _turn(self, received: bytes, now: float) -> None:
        while self._timers and self._timers[0][0] <= now:
            heapq.heappop(self._timers)[2]()
        if not self._silent:
            self.to_board.push(received, now)
            # With the tick of now, before the steps made up for: the answer to a ping tells it.
            tick = int(self._ticks + (now - self._clock_at) * self.rate * 1e6 / TICK_US)
            self.board.receive(self.to_board.pull(now), tick)
        before = self.board.cycle.state
        # On a busy computer this thread comes late; the board's scans must not, or pulses get lost.
        late = now - self._plant_at
        count = max(1, min(_CATCH_UP, math.ceil(late / _STEP)))
        data = b""
        for number in range(1, count + 1):
            at = now - late * (count - number) / count
            self._ticks += (at - self._clock_at) * self.rate * 1e6 / TICK_US
            self._clock_at = at
            data += self.board.step(int(self._ticks))
            if self._mechanics:
                self.plant.step(at - self._plant_at, self.board.outputs, self.inputs)
            self._plant_at = at
        if self.board.cycle.state is not before and self.on_state is not None:
            callback, state = self.on_state, self.board.cycle.state
            self._calls.append(lambda: callback(state))
        if not self._silent:
            self.to_host.push(data, now)
            self._write(self.to_host.pull(now))

    def _read(self) -> bytes:
        if self._master is None:
            return b""
        try:
            return os.read(self._master, 65536)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EIO):
                raise
            return b""

    def _write(self, data: bytes) -> None:
        """Nobody listening: the bytes are gone, as on a real line."""
        if self._master is None or not data:
            return
        with contextlib.suppress(BlockingIOError):
            os.write(self._master, data)
