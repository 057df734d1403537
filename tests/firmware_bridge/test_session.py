"""The session of both sides under faults, in virtual time."""

import struct
from typing import Self, TypeVar

import pytest

from firmware_bridge import messages as m
from firmware_bridge.notices import Answered, EventMark, Heard, Notice, Opened, Refused, Silent
from firmware_bridge.session import Session, State
from firmware_bridge.wire import Frame, FrameDecoder, encode, from_frame
from hardware.virtual_table.machine.faults import LineFaults
from hardware.virtual_table.machine.session import BoardSession
from tests.firmware_bridge.soak import DONE, soak

_Kind = TypeVar("_Kind", bound=Notice)


class Pair:
    """A host and a board on a good line, time in steps of 5 ms."""

    def __init__(self, *, confirm: bool = False) -> None:
        self.executed: list[m.CommandMessage] = []
        self.now = 0.0
        self.offset = 0
        self.board = self.boot(1)
        self.host = Session(iter(range(1, 1000)).__next__, confirm=confirm)
        self.got: list[Notice] = []

    def boot(self, boot: int) -> BoardSession:
        def execute(command: m.CommandMessage, now: int) -> m.Result:
            self.executed.append(command)
            return DONE

        return BoardSession(boot, execute, serial=7, firmware="test")

    @property
    def tick(self) -> int:
        return int(self.now * 1e6 / m.TICK_US) + self.offset

    def run(self, seconds: float = 0.05, *, up: bool = True, down: bool = True) -> Self:
        """Let time pass; ``up`` is towards the host."""
        end = self.now + seconds
        while self.now < end:
            self.now += 0.005
            self.host.tick(self.now)
            data = self.host.output()
            if down:
                self.board.receive(data, self.tick)
            data = self.board.poll(self.tick)
            if up:
                self.host.receive(data, self.now)
            self.got += self.host.notices()
        return self

    def connect(self) -> Self:
        self.host.connect(self.now)
        return self.run()

    def state(self) -> State:
        return self.host.state

    def of(self, kind: type[_Kind]) -> list[_Kind]:
        found: list[_Kind] = [n for n in self.got if isinstance(n, kind)]
        self.got = [n for n in self.got if not isinstance(n, kind)]
        return found


def mark(heard: Heard) -> EventMark:
    assert heard.number is not None
    return EventMark(heard.boot, heard.number)


def test_soak_without_faults() -> None:
    soak(3000, corrupt=0.0, seed=1).verify()


@pytest.mark.parametrize(
    "faults",
    [
        LineFaults(corrupt=0.01),
        LineFaults(drop=0.01),
        LineFaults(double=0.01),
        LineFaults(delay=0.08, jitter=0.05),
        LineFaults(corrupt=0.003, drop=0.003, double=0.003, delay=0.01, jitter=0.02),
    ],
    ids=["corrupt", "drop", "double", "late", "all"],
)
def test_soak_under_faults(faults: LineFaults) -> None:
    book = soak(6000, faults=faults, disconnects=5, seed=2)
    book.verify()
    assert book.disconnects == 5
    assert len(book.heard) > 500
    assert len(book.executed) > 20


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_million_frames_with_one_percent_hurt_and_hundred_disconnects() -> None:
    book = soak(1_000_000, corrupt=0.01, disconnects=100, seed=1)
    book.verify()
    assert book.disconnects == 100


def test_numbers_run_over_the_end_of_sixteen_bits() -> None:
    book = soak(180_000, corrupt=0.0, seed=3)
    book.verify()
    assert len(book.numbers) > 1 << 16


def test_a_command_repeated_is_executed_once() -> None:
    pair = Pair().connect()
    pair.host.command(m.Dice(100), pair.now)
    pair.run(0.4, up=False)  # answers do not arrive: the command is sent again and again
    assert pair.host.repeats >= 2
    pair.run(1.0)
    assert pair.executed == [m.Dice(100)]
    assert [a.result for a in pair.of(Answered)] == [DONE]


def test_events_wait_on_the_board_while_the_cable_is_out() -> None:
    pair = Pair().connect()
    pair.host.disconnect()
    for seat in range(4):
        pair.board.event(m.KeyPressed(seat, m.Key.PUNG), pair.tick)
    pair.run(3.0, up=False, down=False)
    assert pair.board.queued == 4
    pair.connect().run(0.2)
    heard = pair.of(Heard)
    assert [h.message for h in heard] == [m.KeyPressed(s, m.Key.PUNG) for s in range(4)]
    assert [h.t for h in heard] == pytest.approx([0.05] * 4, abs=0.02)
    assert pair.board.queued == 0


def test_store_full_is_said_never_silent() -> None:
    pair = Pair().connect()
    pair.host.disconnect()
    for i in range(m.EVENT_STORE + 10):
        pair.board.event(m.KeyPressed(i % 4, m.Key.KONG), pair.tick)
    pair.connect().run(1.0)
    heard = [h.message for h in pair.of(Heard)]
    assert heard[:-1] == [m.KeyPressed(i % 4, m.Key.KONG) for i in range(m.EVENT_STORE)]
    assert heard[-1] == m.Overrun(10)


def test_reset_of_the_board_is_noticed_and_the_command_given_back() -> None:
    pair = Pair().connect()
    pair.host.command(m.Dice(100), pair.now)
    pair.run(0.02, up=False)  # executed, not answered
    assert pair.executed == [m.Dice(100)]
    pair.offset = -pair.tick
    pair.board = pair.boot(2)
    pair.run(3.0)
    opened = pair.of(Opened)
    assert [o.reset for o in opened] == [False, True]
    assert [a.result for a in pair.of(Answered)] == [None]
    assert pair.executed == [m.Dice(100)]
    pair.host.command(m.Dice(200), pair.now)
    pair.run(0.2)
    assert pair.executed == [m.Dice(100), m.Dice(200)]


def test_another_schema_is_refused_and_nothing_is_executed() -> None:
    pair = Pair()
    pair.board.schema_hash ^= 1
    pair.host.connect(pair.now)
    pair.host.command(m.Dice(100), pair.now)
    pair.board.event(m.StartPressed(), pair.tick)
    pair.run(2.0)
    assert pair.state() is State.REFUSED
    assert len(pair.of(Refused)) == 1
    assert pair.of(Heard) == []
    assert pair.executed == []
    pair.board.schema_hash ^= 1  # flashed with the right firmware
    pair.run(2.0)
    assert pair.state() is State.OPEN
    assert pair.executed == [m.Dice(100)]


@pytest.mark.parametrize(
    "rest", [b"", b"\7" * 19, b"\7" * 20, b"\7" * 40], ids=["nothing", "less", "as much", "more"]
)
def test_a_welcome_of_another_version_is_refused_by_its_first_two_fields(rest: bytes) -> None:
    """They keep their place in all versions; nothing else need."""
    pair = Pair()
    pair.host.connect(pair.now)
    pair.host.command(m.Dice(100), pair.now)
    welcome = encode(Frame(m.Welcome.ID, 0, 0, struct.pack("<BI", 9, 0xBEEF) + rest, version=9))
    for _ in range(2):
        pair.host.receive(welcome, pair.now)
    assert pair.state() is State.REFUSED
    assert list(pair.host.notices()) == [Refused(9, 0xBEEF)]
    pair.run(2.0)  # flashed with the right firmware
    assert pair.state() is State.OPEN
    pair.host.receive(welcome, pair.now)  # late
    assert pair.state() is State.OPEN


def test_silence_is_noticed_and_the_session_resumes() -> None:
    pair = Pair().connect().run(0.5)
    pair.run(2.0, up=False)
    assert len(pair.of(Silent)) == 1
    pair.run(1.0)
    assert pair.state() is State.OPEN
    assert [o.reset for o in pair.of(Opened)] == [False, False]


def test_confirmed_events_do_not_come_again_to_the_next_program_and_others_do() -> None:
    pair = Pair(confirm=True).connect()
    for seat in range(4):
        pair.board.event(m.KeyPressed(seat, m.Key.CHOW), pair.tick)
    pair.run(0.1)
    heard = pair.of(Heard)
    assert [h.message for h in heard] == [m.KeyPressed(s, m.Key.CHOW) for s in range(4)]
    assert pair.board.queued == 4
    pair.host.confirm(mark(heard[1]))
    pair.run(0.1)
    assert pair.board.queued == 2
    # The program is killed; the next one knows from its journal that three were dealt with.
    pair.host = Session(lambda: 99, resume=mark(heard[2]))
    pair.connect().run(0.2)
    assert [h.message for h in pair.of(Heard)] == [m.KeyPressed(3, m.Key.CHOW)]
    assert pair.board.queued == 0


def test_commands_of_the_next_program_follow_the_numbers_of_the_last() -> None:
    pair = Pair().connect()
    pair.host.command(m.Dice(1), pair.now)
    pair.host.command(m.Dice(2), pair.now)
    pair.run(0.2)
    pair.host = Session(lambda: 99)
    pair.connect()
    pair.host.command(m.Dice(3), pair.now)
    pair.run(0.2)
    assert pair.executed == [m.Dice(1), m.Dice(2), m.Dice(3)]


def test_fields_out_of_range_are_refused_before_they_are_queued() -> None:
    pair = Pair().connect()
    with pytest.raises(ValueError, match="Dice"):
        pair.host.command(m.Dice(70_000), pair.now)
    assert pair.host.idle


def test_unknown_and_malformed_commands_are_answered() -> None:
    pair = Pair().connect()
    answers = []
    for seq, kind, payload in ((1, 0x3F, b""), (2, m.SeatLamp.ID, b"\7\1"), (3, m.Dice.ID, b"\1")):
        pair.board.receive(encode(Frame(kind, seq, 0, payload)), pair.tick)
        for frame in FrameDecoder().feed(pair.board.poll(pair.tick)):
            message, _ = from_frame(frame)
            if isinstance(message, m.Result):
                answers.append((frame.seq, message.outcome))
    assert answers == [
        (1, m.Outcome.UNKNOWN),
        (2, m.Outcome.BAD_ARGUMENT),
        (3, m.Outcome.BAD_ARGUMENT),
    ]
    assert pair.executed == []


def test_one_lost_event_is_repeated_alone() -> None:
    pair = Pair().connect()
    for seat in range(4):
        pair.board.event(m.KeyPressed(seat, m.Key.PASS), pair.tick)
    data = pair.board.poll(pair.tick).split(b"\0")
    pair.host.receive(b"\0".join([data[0], *data[2:]]), pair.now)  # the second is gone
    assert len(pair.of(Heard)) == 0
    pair.got += pair.host.notices()
    assert [h.message for h in pair.of(Heard)] == [m.KeyPressed(0, m.Key.PASS)]
    pair.board.receive(pair.host.output(), pair.tick)
    again = FrameDecoder().feed(pair.board.poll(pair.tick))
    assert [from_frame(f)[0] for f in again] == [m.KeyPressed(1, m.Key.PASS)]
    pair.host.receive(encode(again[0]), pair.now)
    pair.got += pair.host.notices()
    others = [m.KeyPressed(seat, m.Key.PASS) for seat in (1, 2, 3)]
    assert [h.message for h in pair.of(Heard)] == others
