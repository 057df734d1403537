"""The board's side of the session, Python and firmware alike, fed with chosen bytes."""

import itertools
import os
import random

import pytest

from firmware_bridge import messages as m
from firmware_bridge.messages import Block, Outcome
from firmware_bridge.wire import Frame, FrameDecoder, encode, from_frame, to_frame
from tests.hardware.desk import BoardUnderTest, FirmwareBoard, PythonBoard

Said = tuple[m.Message, Frame]


class Wire:
    """Frames to and from a board that was just switched on."""

    def __init__(self, board: BoardUnderTest) -> None:
        self.board = board
        self.tick = 0
        self.decoder = FrameDecoder()
        board.boot(77)

    def pass_time(self, seconds: float, data: bytes = b"") -> list[Said]:
        """Frames that come within that time, as (message, frame)."""
        self.tick += round(seconds * 1e6 / m.TICK_US)
        frames = self.decoder.feed(self.board.run(self.tick, data))
        return [(from_frame(f)[0], f) for f in frames]

    def say(
        self, message: m.Message, seq: int = 0, ack: int = 0, seconds: float = 0.005
    ) -> list[Said]:
        return self.pass_time(seconds, encode(to_frame(message, seq, ack)))

    def greet(self, ack: int = 0) -> list[Said]:
        return self.say(m.Hello(m.PROTOCOL, m.SCHEMA_HASH, 5), ack=ack)

    def settle(self) -> int:
        """Greeted, all events acknowledged; gives the last number."""
        numbers = [f.seq for x, f in self.greet() if f.type in m.EVENT_IDS]
        for _ in range(20):
            got = self.say(m.Ack(), ack=numbers[-1])
            more = [f.seq for x, f in got if f.type in m.EVENT_IDS]
            numbers += more
        return numbers[-1]


@pytest.fixture(params=["python", "firmware"])
def wire(request: pytest.FixtureRequest) -> Wire:
    if request.param == "python":
        return Wire(PythonBoard())
    return Wire(FirmwareBoard(os.environ.get("PAIGUAN_FIRMWARE_LIBRARY", "desk")))


def results(frames: list[Said]) -> list[tuple[int, Outcome]]:
    return [(f.seq, x.outcome) for x, f in frames if isinstance(x, m.Result)]


def events(frames: list[Said]) -> list[int]:
    return [f.seq for x, f in frames if f.type in m.EVENT_IDS]


def test_welcome_says_who_it_is(wire: Wire) -> None:
    (welcome, _), *_ = wire.say(m.Hello(m.PROTOCOL, m.SCHEMA_HASH, 0xCAFE))
    assert isinstance(welcome, m.Welcome)
    assert (welcome.nonce, welcome.boot, welcome.schema) == (0xCAFE, 77, m.SCHEMA_HASH)
    assert (welcome.last_command, welcome.first_event) == (0, 1)
    assert welcome.firmware


@pytest.mark.parametrize(
    "hello",
    [m.Hello(m.PROTOCOL + 1, m.SCHEMA_HASH, 5), m.Hello(m.PROTOCOL, m.SCHEMA_HASH ^ 1, 5)],
)
def test_other_protocol_is_answered_but_no_session_opens(wire: Wire, hello: m.Hello) -> None:
    frames = wire.say(hello)
    assert [type(x) for x, _ in frames] == [m.Welcome]
    assert wire.say(m.Dice(100), seq=1) == []
    assert wire.pass_time(1.0) == []


@pytest.mark.parametrize("more", [b"", b"\1", b"more than now"])
def test_hello_of_another_version_is_understood(wire: Wire, more: bytes) -> None:
    hello = Frame(m.Hello.ID, 0, 0, m.Hello(2, 9, 5).pack() + more, version=2)
    ((welcome, _),) = wire.pass_time(0.005, encode(hello))
    assert isinstance(welcome, m.Welcome)
    assert welcome.protocol == m.PROTOCOL


def test_nothing_but_hello_and_ping_is_heard_before_the_session(wire: Wire) -> None:
    assert wire.say(m.Buzzer(m.Buzz.LONG), seq=1) == []
    assert wire.say(m.Nak()) == []
    ((pong, _),) = wire.say(m.Ping(3))
    assert isinstance(pong, m.Pong)
    assert (pong.token, pong.boot) == (3, 77)


def test_events_wait_for_the_session(wire: Wire) -> None:
    assert wire.pass_time(2.0) == []
    assert events(wire.greet()) == list(range(1, 11))  # nine levels, and that the host is back


def test_oldest_event_is_repeated_with_back_off(wire: Wire) -> None:
    wire.greet()
    times, now = [], 0.0
    while now < 4.0:
        got = [s for s in events(wire.say(m.Ping(1))) if s == 1]
        now += 0.005
        if got:
            times.append(now)
    waits = [round(b - a, 2) for a, b in itertools.pairwise(times)]
    assert times[0] == pytest.approx(m.REPEAT_MIN_MS / 1000, abs=0.011)
    expected, rest = [], m.REPEAT_MIN_MS / 1000
    for _ in waits:
        rest = min(2 * rest, m.REPEAT_MAX_MS / 1000)
        expected.append(rest)
    assert waits == pytest.approx(expected, abs=0.011)
    assert len(waits) >= 6


def test_nak_brings_the_oldest_at_once(wire: Wire) -> None:
    wire.greet()
    assert events(wire.say(m.Nak(), ack=2)) == [3]
    last = wire.settle()
    assert events(wire.say(m.Nak(), ack=last)) == []


def test_acknowledgement_of_what_was_never_sent_is_ignored(wire: Wire) -> None:
    wire.greet()
    wire.say(m.Ack(), ack=500)
    wire.say(m.Ack(), ack=40_000)
    assert events(wire.say(m.Nak())) == [1]


def test_no_more_than_a_window_is_under_way(wire: Wire) -> None:
    board = wire.board
    for i in range(60):
        board.inputs.keys[0] = (i & 1) * 0x1FF
        wire.pass_time(0.03)
    first = events(wire.greet())
    assert first == list(range(1, m.EVENT_WINDOW + 1))
    assert events(wire.say(m.Ack(), ack=6)) == list(range(17, 23))
    ((pong, _), *_) = wire.say(m.Ping(9), ack=6)
    assert isinstance(pong, m.Pong)
    assert pong.queued > 60


def test_commands_run_in_their_order_and_once(wire: Wire) -> None:
    wire.settle()
    assert results(wire.say(m.DealerLamp(1), seq=1)) == [(1, Outcome.DONE)]
    assert results(wire.say(m.DealerLamp(2), seq=2)) == [(2, Outcome.DONE)]
    assert results(wire.say(m.DealerLamp(2), seq=2)) == [(2, Outcome.DONE)]
    assert results(wire.say(m.DealerLamp(1), seq=1)) == []
    assert results(wire.say(m.DealerLamp(3), seq=5)) == []
    wire.pass_time(0.01)
    assert wire.board.outputs.dealer_lamp == 0b0100


def test_repeated_command_gets_its_first_answer_again(wire: Wire) -> None:
    """The dice were started; the repetition must not find the world changed."""
    wire.settle()
    assert results(wire.say(m.Dice(100), seq=1)) == [(1, Outcome.DONE)]
    wire.board.inputs.stop = True
    wire.pass_time(0.1)
    assert results(wire.say(m.Dice(100), seq=1)) == [(1, Outcome.DONE)]
    ((result, _),) = [p for p in wire.say(m.Dice(100), seq=2) if isinstance(p[0], m.Result)]
    assert result == m.Result(Outcome.BLOCKED, Block.STOP)


@pytest.mark.parametrize("kind", sorted(m.COMMAND_IDS))
def test_malformed_commands_are_answered(wire: Wire, kind: int) -> None:
    wire.settle()
    frame = Frame(kind, 1, 0, b"\xff" * 7)
    assert results(wire.pass_time(0.005, encode(frame))) == [(1, Outcome.BAD_ARGUMENT)]


def test_unknown_command_is_answered(wire: Wire) -> None:
    wire.settle()
    frame = Frame(0x3F, 1, 0, b"")
    assert results(wire.pass_time(0.005, encode(frame))) == [(1, Outcome.UNKNOWN)]


@pytest.mark.parametrize(
    "frame",
    [
        Frame(0x99, 1, 0, b""),
        Frame(m.Ack.ID, 0, 0, b"", version=3),
        Frame(m.Ack.ID, 0, 0, b"\1"),
        Frame(m.Ping.ID, 0, 0, b"\1"),
        Frame(m.Hello.ID, 0, 0, b"\1\2"),
    ],
    ids=["type", "version", "ack", "ping", "hello"],
)
def test_frames_that_make_no_sense_are_counted(wire: Wire, frame: Frame) -> None:
    wire.settle()
    wire.pass_time(0.005, encode(frame))
    ((pong, _), *_) = wire.say(m.Ping(1))
    assert isinstance(pong, m.Pong)
    assert pong.errors == 1


def test_garbage_is_counted_and_the_next_frame_heard(wire: Wire) -> None:
    wire.settle()
    garbage = b"\x11" * 200 + b"\0" + b"\2\0" + b"\x09\1" + b"\0" + b"\x05\1\2\3\4\0"
    ((pong, _), *_) = wire.pass_time(0.005, garbage + encode(to_frame(m.Ping(8))))
    assert isinstance(pong, m.Pong)
    assert (pong.token, pong.errors) == (8, 4)


def test_random_bytes_never_open_a_session(wire: Wire) -> None:
    rng = random.Random(4)
    for _ in range(300):
        data = rng.randbytes(rng.randrange(1, 200)) + b"\0"
        assert all(isinstance(x, m.Pong) for x, _ in wire.pass_time(0.005, data))
    assert wire.greet()


def test_last_command_is_in_the_welcome_after_a_new_cable(wire: Wire) -> None:
    wire.settle()
    wire.say(m.DealerLamp(1), seq=1)
    wire.say(m.DealerLamp(2), seq=2)
    (welcome, _), *_ = wire.greet()
    assert isinstance(welcome, m.Welcome)
    assert welcome.last_command == 2
    assert results(wire.say(m.DealerLamp(2), seq=2)) == [(2, Outcome.DONE)]


def test_sequence_numbers_run_over(wire: Wire) -> None:
    wire.settle()
    seats = (0, 1, 2, 3, 255)
    for first in range(1, 0x10100, 16):
        batch = [(seq % 0x10000, seats[seq % 5]) for seq in range(first, first + 16)]
        data = b"".join(encode(to_frame(m.DealerLamp(seat), seq)) for seq, seat in batch)
        assert results(wire.pass_time(0.005, data)) == [(seq, Outcome.DONE) for seq, _ in batch]
        assert wire.board.outputs.dealer_lamp == (1 << batch[-1][1]) % 256 % 16


class TestFirmwareLine:
    """What only the chip knows: a line that takes no more bytes for now, and a long sleep."""

    @pytest.fixture
    def firmware(self) -> Wire:
        return Wire(FirmwareBoard(os.environ.get("PAIGUAN_FIRMWARE_LIBRARY", "desk")))

    def test_firmware_events_wait_for_room_and_none_is_lost(self, firmware: Wire) -> None:
        assert isinstance(firmware.board, FirmwareBoard)
        firmware.board.lib.desk_room(100)
        numbers = events(firmware.greet())
        assert 0 < len(numbers) < 10
        for _ in range(30):
            numbers += events(firmware.say(m.Ack(), ack=numbers[-1]))
        assert sorted(set(numbers)) == list(range(1, 10))

    def test_firmware_makes_up_for_no_scans_after_a_long_sleep(self, firmware: Wire) -> None:
        firmware.settle()
        board = firmware.board
        assert isinstance(board, FirmwareBoard)
        board.inputs.keys[0] = 1
        firmware.tick += 100_000
        board.lib.desk_set_clock(firmware.tick)
        three_scans = firmware.pass_time(0.015)  # not two thousand
        assert not any(isinstance(x, m.KeyPressed) for x, _ in three_scans)
        assert any(isinstance(x, m.KeyPressed) for x, _ in firmware.pass_time(0.010))
