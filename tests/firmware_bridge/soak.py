"""Both sides of the session in virtual time over a line with faults; every event and command kept
book of. Run as a program for the long proof: ``python -m tests.firmware_bridge.soak 1000000``.
"""

import random
import sys
import time
from dataclasses import dataclass, field

from firmware_bridge import messages as m
from firmware_bridge.notices import Answered, Heard, Opened
from firmware_bridge.session import Session, State
from hardware.virtual_table.machine.faults import FaultyLine, LineFaults
from hardware.virtual_table.machine.session import BoardSession

STEP = 0.002
DONE = m.Result(m.Outcome.DONE, m.Block(0))


@dataclass
class Book:
    """What was sent and what came."""

    frames: int = 0
    hurt: int = 0
    disconnects: int = 0
    emitted: list[int] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    posted: list[int] = field(default_factory=list)
    executed: list[int] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)
    lost: int = 0
    worst_clock: float = 0.0

    def verify(self) -> None:
        """No event lost, none twice; no command lost, none twice; order kept."""
        assert self.heard == self.emitted
        assert self.numbers == list(range(1, len(self.numbers) + 1))
        assert self.executed == self.posted
        assert self.answered == self.posted
        assert self.lost == 0


def soak(
    frames: int,
    *,
    corrupt: float = 0.01,
    disconnects: int = 0,
    seed: int = 0,
    faults: LineFaults | None = None,
    drift_ppm: float = 150.0,
    progress: bool = False,
) -> Book:
    """Exchange so many frames under faults, then let the line be good until all has arrived."""
    rng = random.Random(seed)
    book = Book()
    base = faults or LineFaults(corrupt=corrupt)
    lines = [
        FaultyLine(LineFaults(base.corrupt, base.drop, base.double, base.delay, base.jitter), rng)
        for _ in range(2)
    ]
    to_host, to_board = lines

    def execute(command: m.CommandMessage, now: int) -> m.Result:
        assert isinstance(command, m.Dice)
        book.executed.append(command.run_ms)
        return DONE

    board = BoardSession(rng.getrandbits(32), execute, serial=1, firmware="soak")
    host = Session(lambda: rng.getrandbits(32))
    tickets: dict[int, int] = {}
    now, counter, plugged, back = 0.0, 0, True, 0.0
    host.connect(now)
    cut_every = frames // (disconnects + 1)
    draining = False
    shown = 0
    while True:
        now += STEP
        tick = int(now * (1 + drift_ppm * 1e-6) * 1e6 / m.TICK_US)
        if not draining:
            if board.queued < m.EVENT_STORE - 1 and rng.random() < 0.7:
                counter += 1
                book.emitted.append(counter)
                board.event(m.Vibration(counter & 0xFFFF, counter >> 16), tick)
            if host.idle and plugged and rng.random() < 0.2:
                value = len(book.posted) % 0xFFFF
                book.posted.append(value)
                tickets[host.command(m.Dice(value), now)] = value
        cut_due = book.disconnects < disconnects and not draining and plugged
        if cut_due and book.frames >= cut_every * (book.disconnects + 1):
            plugged, back = False, now + rng.random() * 0.3
            book.disconnects += 1
            host.disconnect()
        if not plugged:
            to_host.cut()
            to_board.cut()
            if now >= back:
                plugged = True
                host.connect(now)
        out = board.poll(tick)
        host.tick(now)
        data = host.output()
        if plugged:
            book.frames += out.count(0) + data.count(0)
            to_host.push(out, now)
            to_board.push(data, now)
            board.receive(to_board.pull(now), tick)
            host.receive(to_host.pull(now), now)
        for notice in host.notices():
            if isinstance(notice, Heard):
                assert isinstance(notice.message, m.Vibration)
                book.heard.append(notice.message.peak_mg | notice.message.duration_ms << 16)
                book.numbers.append(notice.number or 0)
            elif isinstance(notice, Answered):
                assert notice.result == DONE
                book.answered.append(tickets.pop(notice.ticket))
            elif isinstance(notice, Opened):
                book.lost += notice.lost
        if progress and book.frames - shown >= 50_000:
            shown = book.frames
            print(f"{book.frames} frames, {len(book.heard)} events, {book.disconnects} cuts")
        if book.frames >= frames and not draining:
            draining = True
            for line in lines:
                line.faults.clear()
        if draining and host.idle and not board.queued and host.state is State.OPEN:
            break
        assert now < 1e7
    book.hurt = to_host.bytes_hurt + to_board.bytes_hurt
    return book


if __name__ == "__main__":
    started = time.monotonic()
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    result = soak(total, corrupt=0.01, disconnects=100, seed=seed, progress=True)
    result.verify()
    print(
        f"{result.frames} frames, {result.hurt} bytes hurt, {result.disconnects} disconnects: "
        f"{len(result.heard)} events and {len(result.executed)} commands, none lost, none twice; "
        f"{time.monotonic() - started:.0f} s"
    )
