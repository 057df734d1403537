"""The worked example of an adapter, against a Modbus RTU slave on a pseudo-terminal."""

import os
import struct
import threading
import time
import tty
from collections.abc import Callable, Iterator

import pytest

from firmware_bridge import messages as m
from firmware_bridge.adapters import Machine
from firmware_bridge.errors import LinkLostError, PortUnusableError
from firmware_bridge.link import Link
from firmware_bridge.readings import LinkChanged, LinkState, Reading, What
from hardware.virtual_table.machine.virtual import VirtualMachine

pytest.importorskip("pymodbus")

from firmware_bridge.adapters.modbus import POLL_S, ModbusMachine

pytestmark = pytest.mark.clocked


def crc(data: bytes) -> bytes:
    """Modbus: polynomial A001 reflected, start FFFF, low byte first."""
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0xA001 if value & 1 else value >> 1
    return struct.pack("<H", value)


class Slave:
    """Function codes 4 (read input registers) and 16 (write registers)."""

    def __init__(self) -> None:
        self.registers = [0] * 19
        self.registers[10] = int(m.Ends.HATCH_CLOSED | m.Ends.LIFT_DOWN)
        self.commands: list[tuple[int, ...]] = []
        self.silent, self.refuse = False, False
        self.leaves_out = 0
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.port = os.ttyname(self._slave)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        buffer = b""
        while not self._stop.wait(0.002):
            try:
                buffer += os.read(self._master, 256)
            except BlockingIOError:
                continue
            size = 8 if buffer[1:2] == b"\4" else 9 + buffer[6] if len(buffer) > 6 else 999
            if len(buffer) < size:
                continue
            request, buffer = buffer[:size], buffer[size:]
            assert request[-2:] == crc(request[:-2])
            if not self.silent:
                body = self._answer(request)
                os.write(self._master, body + crc(body))

    def _answer(self, request: bytes) -> bytes:
        unit, function, address, count = struct.unpack_from(">BBHH", request)
        if function == 4:
            values = self.registers[address : address + count - self.leaves_out]
            size = len(values)
            return struct.pack(f">BBB{size}H", unit, function, 2 * size, *values)
        if self.refuse:
            return struct.pack(">BBB", unit, function | 0x80, 4)
        self.commands.append(struct.unpack_from(f">{count}H", request, 7))
        return struct.pack(">BBHH", unit, function, address, count)

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        os.close(self._master)
        os.close(self._slave)


@pytest.fixture
def slave() -> Iterator[Slave]:
    slave = Slave()
    yield slave
    slave.close()


@pytest.fixture
def machine(slave: Slave) -> Iterator[ModbusMachine]:
    machine = ModbusMachine(slave.port)
    yield machine
    machine.close()


def until(machine: ModbusMachine, wanted: Callable[[What], bool], timeout: float = 5.0) -> Reading:
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        reading = machine.read(0.1)
        if reading is not None and wanted(reading.what):
            return reading
    raise AssertionError("not read")


def test_both_machines_have_the_one_interface(machine: ModbusMachine) -> None:
    assert isinstance(machine, Machine)
    with VirtualMachine() as virtual, Link.open(virtual.url) as link:
        assert isinstance(link, Machine)


def test_registers_become_readings_with_an_honest_error(
    slave: Slave, machine: ModbusMachine
) -> None:
    until(machine, lambda w: isinstance(w, LinkChanged) and w.state is LinkState.CONNECTED)
    until(machine, lambda w: isinstance(w, m.EndsChanged))
    time.sleep(0.2)
    changed = time.time()
    slave.registers[2:4] = [0xFFFF, 0x3]
    slave.registers[0] = 6
    reading = until(machine, lambda w: w == m.WallPresence((0x3FFFF, 0, 0, 0)))
    assert abs(reading.t - changed) <= reading.t_error + 0.01
    assert POLL_S / 2 <= reading.t_error < 0.5
    until(machine, lambda w: getattr(w, "state", None) is m.MachineState.READY)


def test_keys_are_counted_and_a_lost_one_is_said(slave: Slave, machine: ModbusMachine) -> None:
    until(machine, lambda w: isinstance(w, m.EndsChanged))
    slave.registers[14] = 1 << 8 | m.Key.WIN
    until(machine, lambda w: w == m.KeyPressed(2, m.Key.WIN))
    slave.registers[14] = 4 << 8 | m.Key.PASS
    lost = until(machine, lambda w: isinstance(w, LinkChanged)).what
    assert isinstance(lost, LinkChanged)
    assert lost.state is LinkState.EVENTS_LOST
    assert "2 keys" in lost.detail
    until(machine, lambda w: w == m.KeyPressed(2, m.Key.PASS))


def test_commands(slave: Slave, machine: ModbusMachine) -> None:
    assert machine.send(m.StartCycle(136, 4, m.TileSet.NEXT)).outcome is m.Outcome.DONE
    assert machine.send(m.Hatch(True)).outcome is m.Outcome.DONE
    assert slave.commands == [(1, 136), (2, 1)]
    assert machine.send(m.Buzzer(m.Buzz.LONG)).outcome is m.Outcome.UNKNOWN
    slave.refuse = True
    assert machine.send(m.Lift(True)).outcome is m.Outcome.WRONG_STATE
    slave.silent = True
    with pytest.raises(LinkLostError, match="no answer"):
        machine.send(m.Lift(True))


@pytest.mark.parametrize(
    ("fault", "mended"),
    [({"silent": True}, {"silent": False}), ({"leaves_out": 1}, {"leaves_out": 0})],
    ids=["silent", "short answers"],
)
def test_loss_and_return_are_readings(
    slave: Slave, machine: ModbusMachine, fault: dict[str, int], mended: dict[str, int]
) -> None:
    until(machine, lambda w: isinstance(w, m.EndsChanged))
    vars(slave).update(fault)
    until(machine, lambda w: isinstance(w, LinkChanged) and w.state is LinkState.LOST)
    assert not machine.connected
    vars(slave).update(mended)
    until(machine, lambda w: isinstance(w, LinkChanged) and w.state is LinkState.CONNECTED)
    until(machine, lambda w: isinstance(w, m.EndsChanged))


def test_port_that_is_not_there() -> None:
    with pytest.raises(PortUnusableError, match="cannot be opened"):
        ModbusMachine("/dev/ttyNOT")
