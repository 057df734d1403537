"""One suite for every machine: link, events, cycle and safety over a real pseudo-terminal, in real
time. What needs long times is held in virtual time by tests/hardware/test_board_*.py.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from firmware_bridge import messages as m
from firmware_bridge.link import Link
from firmware_bridge.messages import Block, Ends, Fault, MachineState, Outcome, TileSet
from firmware_bridge.readings import LinkChanged, LinkState, Reading, What
from hardware.virtual_table.machine.io import Outputs
from tests.firmware_bridge.conformance.targets import KINDS, Target, make

pytestmark = pytest.mark.clocked

_Kind = TypeVar("_Kind", bound=What)

S = MachineState
LEVELS = {
    *("machine_changed", "block_changed", "stop_changed", "hand_changed", "ends_changed"),
    *("wall_presence", "dice_changed", "sticks_changed", "photo_changed"),
}


class Bench:
    """A target, a link to it, and what was read so far."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.inputs = target.inputs
        self.readings: list[Reading] = []
        self._new = threading.Condition()
        self.link = Link.open(str(target.link_path), on_reading=self._take)

    def _take(self, reading: Reading) -> None:
        with self._new:
            self.readings.append(reading)
            self._new.notify_all()

    def until(
        self, wanted: Callable[[Reading], bool], timeout: float = 5.0, *, since: int = 0
    ) -> Reading:
        """The first reading from number ``since`` on that satisfies ``wanted``."""
        end = time.monotonic() + timeout
        at = since
        with self._new:
            while True:
                for reading in self.readings[at:]:
                    at += 1
                    if wanted(reading):
                        return reading
                left = end - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"not among {self.readings[since:]}")
                self._new.wait(left)

    def first(self, kind: type[_Kind], *, since: int = 0) -> _Kind:
        """The first message of this kind from reading number ``since`` on."""
        what = self.until(lambda r: isinstance(r.what, kind), since=since).what
        assert isinstance(what, kind)
        return what

    def mark(self) -> int:
        return len(self.readings)

    def set(self, **inputs: object) -> None:
        for name, value in inputs.items():
            assert hasattr(self.inputs, name)
            setattr(self.inputs, name, value)
        self.target.apply()

    def out(self, condition: Callable[[Outputs], bool], timeout: float = 5.0) -> None:
        """Wait until the outputs satisfy a condition."""
        end = time.monotonic() + timeout
        while not condition(self.target.outputs):
            assert time.monotonic() < end, self.target.outputs
            time.sleep(0.002)


@pytest.fixture(params=KINDS)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Target]:
    target = make(request.param, tmp_path)
    yield target
    target.close()


@pytest.fixture
def bench(target: Target) -> Iterator[Bench]:
    bench = Bench(target)
    bench.until(lambda r: isinstance(r.what, m.PhotoChanged))
    bench.link.send(m.Query())
    time.sleep(0.1)
    yield bench
    bench.link.close()


def says(what: What) -> Callable[[Reading], bool]:
    return lambda r: r.what == what


def is_state(state: LinkState) -> Callable[[Reading], bool]:
    return lambda r: isinstance(r.what, LinkChanged) and r.what.state is state


def machine_is(state: MachineState) -> Callable[[Reading], bool]:
    return lambda r: isinstance(r.what, m.MachineChanged) and r.what.state is state


def test_levels_after_connecting(bench: Bench) -> None:
    assert {r.kind for r in bench.readings} >= LEVELS
    numbers = [r.number for r in bench.readings if r.number is not None]
    assert numbers == list(range(1, len(numbers) + 1))


def test_keys_arrive_once_in_order_with_their_times(bench: Bench) -> None:
    pressed = []
    for seat, key in [(0, m.Key.CHOW), (1, m.Key.WIN), (3, m.Key.REFEREE), (2, m.Key.FLOWER)]:
        time.sleep(0.05)
        before = time.time()
        bench.set(keys=[1 << key if s == seat else 0 for s in range(4)])
        bench.until(says(m.KeyPressed(seat, key)))
        pressed.append((seat, key, before, time.time()))
        bench.set(keys=[0] * 4)
    got = [(r, r.what) for r in bench.readings if isinstance(r.what, m.KeyPressed)]
    assert [(what.seat, what.key) for _, what in got] == [(s, k) for s, k, _, _ in pressed]
    for (reading, _), (_, _, before, after) in zip(got, pressed, strict=True):
        # A board that a busy computer kept waiting makes up for twenty scans at most.
        early = reading.t_error + 20 * m.SCAN_MS / 1000
        assert before - early <= reading.t <= after + reading.t_error
        assert reading.t_error <= 0.1


def test_every_input_reaches_the_host(bench: Bench) -> None:
    bench.set(
        walls=[0b1, 0x3FFFF, 0x20000, 0x15555],
        sticks=0b1010,
        push_heads=0b0101,
        platforms=0b1000,
        dice_tray=False,
        ends=Ends.HATCH_OPEN | Ends.LIFT_UP,
        hand=True,
        stop=True,
    )
    expected: list[What] = [
        m.WallPresence((0b1, 0x3FFFF, 0x20000, 0x15555)),
        m.SticksChanged(0b1010),
        m.PhotoChanged(0b0101, 0b1000),
        m.DiceChanged(m.DicePhase.REMOVED),
        m.EndsChanged(Ends.HATCH_OPEN | Ends.LIFT_UP),
        m.HandChanged(True),
        m.StopChanged(True),
        m.BlockChanged(Block.HAND | Block.STOP),
    ]
    for what in expected:
        bench.until(says(what))
    at = bench.mark()
    bench.set(supply_mv=9000, motor_ma=2000)
    bench.until(lambda r: r.what == m.BlockChanged(Block.HAND | Block.STOP | Block.SUPPLY))
    sample = bench.first(m.Measured, since=at + 1)
    sample = bench.first(m.Measured, since=bench.mark())
    assert sample.supply_mv == pytest.approx(9000, abs=60)
    assert sample.motor_ma == pytest.approx(2000, abs=60)


def test_vibration_start_button_and_self_test(bench: Bench) -> None:
    bench.set(vibration_mg=600)
    time.sleep(0.1)
    bench.set(vibration_mg=0)
    bench.set(stop=True, start_key=True, chain_ok=False)
    bench.until(lambda r: isinstance(r.what, m.StartPressed))
    knock = bench.first(m.Vibration)
    assert 400 <= knock.peak_mg <= 1300
    assert bench.link.send(m.SelfTest()).outcome is Outcome.DONE
    done = bench.first(m.SelfTestDone)
    assert done.failed == m.Defect.STOP_PRESSED | m.Defect.CHAIN


def test_lamps_and_buzzer(bench: Bench) -> None:
    for command in (m.DealerLamp(3), m.SeatLamp(0, m.Lamp.ON), m.SeatLamp(2, m.Lamp.ON)):
        assert bench.link.send(command).outcome is Outcome.DONE
    bench.out(lambda o: o.dealer_lamp == 0b1000 and o.seat_lamps == 0b0101)
    assert bench.link.send(m.Buzzer(m.Buzz.LONG)).outcome is Outcome.DONE
    bench.out(lambda o: o.buzzer)
    bench.out(lambda o: not o.buzzer)


def test_dice_and_bad_arguments(bench: Bench) -> None:
    assert bench.link.send(m.Dice(0)).outcome is Outcome.BAD_ARGUMENT
    assert bench.link.send(m.StartCycle(100, 4, TileSet.A)).outcome is Outcome.BAD_ARGUMENT
    assert bench.link.send(m.ClearFault()).outcome is Outcome.WRONG_STATE
    assert bench.link.send(m.Dice(300)).outcome is Outcome.DONE
    bench.out(lambda o: o.dice_motor and o.motor_enable)
    bench.out(lambda o: not o.dice_motor and not o.motor_enable)
    bench.until(lambda r: r.what == m.DiceChanged(m.DicePhase.STOPPED))


def test_whole_cycle(bench: Bench) -> None:
    """The test is the mechanics: each answer of the board brings the next movement."""
    closed, down = Ends.HATCH_CLOSED, Ends.LIFT_DOWN

    def ends(value: Ends) -> None:
        bench.set(ends=value)
        bench.until(lambda r: r.what == m.EndsChanged(value), since=at)

    at = bench.mark()
    assert bench.link.send(m.StartCycle(108, 4, TileSet.NEXT)).outcome is Outcome.DONE
    bench.out(lambda o: o.hatch_open and o.motor_enable)
    ends(Ends.HATCH_OPEN | down)
    bench.out(lambda o: not o.hatch_open)
    assert bench.link.send(m.Hatch(False)).outcome is Outcome.DONE
    bench.out(lambda o: o.hatch_close and o.motor_enable)
    ends(closed | down)
    bench.until(machine_is(S.SHUFFLING), since=at)
    for _ in range(14):
        for heads in (0b1111, 0):
            at = bench.mark()
            bench.set(push_heads=heads)
            bench.until(says(m.PhotoChanged(heads, 0)), since=at)
    bench.out(lambda o: o.lift_up and o.motor_enable)
    bench.set(walls=[0x3FFF] * 4)
    ends(closed | Ends.LIFT_UP)
    bench.until(machine_is(S.READY))
    bench.until(lambda r: r.what == m.WallPresence((0x3FFF,) * 4))
    states = [r.what.state for r in bench.readings if isinstance(r.what, m.MachineChanged)]
    order = [s for i, s in enumerate(states) if i == 0 or s is not states[i - 1]]
    wanted = [S.IDLE, S.HATCH_OPEN, S.DROPPING, S.SHUFFLING, S.BUILDING, S.RAISING, S.READY]
    assert order == wanted
    bench.set(walls=[0x3FFF, 0x3FFE, 0x3FFF, 0x3FFF])
    bench.until(machine_is(S.PLAYING))


@pytest.mark.parametrize(("name", "reason"), [("hand", Block.HAND), ("stop", Block.STOP)])
def test_drives_stop_at_once(bench: Bench, name: str, reason: Block) -> None:
    assert bench.link.send(m.StartCycle(144, 4, TileSet.A)).outcome is Outcome.DONE
    bench.out(lambda o: o.hatch_open and o.motor_enable)
    bench.set(**{name: True})
    bench.out(lambda o: not o.driving and not o.motor_enable, 0.5)
    bench.until(lambda r: isinstance(r.what, m.BlockChanged) and reason in r.what.block)
    result = bench.link.send(m.Dice(100))
    assert result.outcome is Outcome.BLOCKED
    if reason is Block.STOP:
        bench.until(
            lambda r: isinstance(r.what, m.MachineChanged) and r.what.fault is not Fault.NONE
        )
        return
    bench.set(hand=False)
    time.sleep(0.7)
    assert not bench.target.outputs.motor_enable  # the zone must be clear for a second
    bench.out(lambda o: o.hatch_open and o.motor_enable)


def test_veto_stops_and_lets_go_on(bench: Bench) -> None:
    bench.link.send(m.StartCycle(144, 4, TileSet.A))
    bench.out(lambda o: o.hatch_open)
    assert bench.link.send(m.Hold(True)).outcome is Outcome.DONE
    bench.out(lambda o: not o.driving and not o.motor_enable, 0.5)
    assert bench.link.send(m.Hold(False)).outcome is Outcome.DONE
    bench.out(lambda o: o.hatch_open)


def test_silent_host_stops_the_drives(bench: Bench) -> None:
    bench.set(ends=Ends(0))
    time.sleep(0.1)
    assert bench.link.send(m.Lift(True)).outcome is Outcome.DONE
    bench.out(lambda o: o.lift_up)
    bench.link.close()
    began = time.monotonic()
    bench.out(lambda o: not o.driving and not o.motor_enable, 5.0)
    assert time.monotonic() - began > 1.5


def test_cable_pulled_and_back_under_another_name(bench: Bench) -> None:
    at = bench.mark()
    bench.target.unplug()
    bench.until(is_state(LinkState.LOST), 1.0, since=at)
    for key in (m.Key.PUNG, m.Key.KONG, m.Key.WIN):
        bench.set(keys=[0, 1 << key, 0, 0])
        time.sleep(0.2)
        bench.set(keys=[0] * 4)
    bench.target.plug()
    bench.until(lambda r: r.what == m.KeyPressed(1, m.Key.WIN), since=at)
    bench.until(is_state(LinkState.CONNECTED), since=at)
    keys = [r.what.key for r in bench.readings[at:] if isinstance(r.what, m.KeyPressed)]
    assert keys == [m.Key.PUNG, m.Key.KONG, m.Key.WIN]
    numbers = [r.number for r in bench.readings if r.number is not None]
    assert numbers == list(range(1, len(numbers) + 1))
    assert bench.link.send(m.Buzzer(m.Buzz.SHORT)).outcome is Outcome.DONE


def test_reset_is_noticed_and_the_hand_goes_on(bench: Bench) -> None:
    bench.set(walls=[0xFF, 0x3FFFF, 0x3FFFF, 0x3FFFF])
    bench.until(lambda r: isinstance(r.what, m.WallPresence) and r.what.stacks[0] == 0xFF)
    at = bench.mark()
    bench.target.reset()
    bench.until(is_state(LinkState.RESET), 6.0, since=at)
    bench.until(machine_is(S.PLAYING), since=at)
    boots = {r.boot for r in bench.readings if r.boot}
    assert len(boots) == 2


def test_program_of_the_board_that_hung_is_a_fault(bench: Bench) -> None:
    at = bench.mark()
    bench.target.reset(watchdog=True)
    bench.until(is_state(LinkState.RESET), 6.0, since=at)
    mode = bench.until(machine_is(S.FAULT), since=at).what
    assert isinstance(mode, m.MachineChanged)
    assert mode.fault is Fault.WATCHDOG
    at = bench.mark()
    bench.target.reset()
    bench.until(is_state(LinkState.RESET), 6.0, since=at)
    bench.until(machine_is(S.IDLE), since=at)


def test_second_program_goes_on_where_the_first_ended(bench: Bench) -> None:
    bench.link.send(m.DealerLamp(0))
    bench.link.close()
    bench.set(keys=[1, 0, 0, 0])
    time.sleep(0.2)
    bench.set(keys=[0] * 4)
    second = Bench(bench.target)
    try:
        second.until(lambda r: r.what == m.KeyPressed(0, m.Key.CHOW))
        assert second.link.send(m.DealerLamp(1)).outcome is Outcome.DONE
        bench.out(lambda o: o.dealer_lamp == 0b0010)
    finally:
        second.link.close()


def test_bytes_hurt_on_the_way_lose_nothing(target: Target) -> None:
    """1 % of the bytes in both directions; keys and commands are all there, once, in order."""
    hurt = _HurtOpener(0.01)
    got: list[Reading] = []
    link = Link.open(str(target.link_path), on_reading=got.append, opener=hurt, timeout=10)

    def keys() -> list[tuple[int, m.Key]]:
        return [(r.what.seat, r.what.key) for r in got if isinstance(r.what, m.KeyPressed)]

    try:
        pressed = []
        for i in range(24):  # four keys at once, held until they have arrived
            key = m.Key(i % 9)
            pressed += [(seat, key) for seat in range(4)]
            target.inputs.keys = [1 << key] * 4
            target.apply()
            end = time.monotonic() + 10
            while len(keys()) < len(pressed):
                assert time.monotonic() < end, (keys(), pressed)
                time.sleep(0.005)
            target.inputs.keys = [0] * 4
            target.apply()
            if i % 2 == 0:
                assert link.send(m.DealerLamp(i % 4), timeout=10).outcome is Outcome.DONE
        time.sleep(0.2)
        assert keys() == pressed
        numbers = [r.number for r in got if r.number is not None]
        assert numbers == list(range(1, len(numbers) + 1))
        assert hurt.count > 10
    finally:
        link.close()


class _HurtOpener:
    """Opens ports that corrupt bytes in both directions."""

    def __init__(self, share: float) -> None:
        self.share, self.count = share, 0
        self._rng = random.Random(11)

    def __call__(self, url: str, baud: int) -> Any:
        from firmware_bridge.port import open_port

        port = open_port(url, baud)
        read, write = port.read, port.write
        port.read = lambda size=1: self._hurt(read(size))
        port.write = lambda data: write(self._hurt(data))
        return port

    def _hurt(self, data: bytes) -> bytes:
        out = bytearray(data)
        for i in range(len(out)):
            if self._rng.random() < self.share:
                out[i] ^= self._rng.randrange(1, 256)
                self.count += 1
        return bytes(out)
