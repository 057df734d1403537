"""Messages of the wire protocol. Written by hardware.protocol.generate: do not edit.

Every message is a frozen dataclass with ``pack()`` and ``unpack()`` of its fields; the tick that
events and samples begin with is not among them (see :mod:`firmware_bridge.wire`). ``unpack``
raises ValueError or struct.error for bytes that are no such message.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import ClassVar, Final, Self

PROTOCOL: Final = 1
SCHEMA_HASH: Final = 0x0AF854AA

TICK_US: Final = 100
PAYLOAD_MAX: Final = 64
EVENT_STORE: Final = 96
EVENT_STORE_LEVEL: Final = 72
EVENT_WINDOW: Final = 16
REPEAT_MIN_MS: Final = 50
REPEAT_MAX_MS: Final = 800
PING_MS: Final = 250
SAMPLE_MS: Final = 1000
BOARD_SILENT_MS: Final = 1500
HOST_SILENT_MS: Final = 2000
HAND_CLEAR_MS: Final = 1000
SCAN_MS: Final = 5
DEBOUNCE_SCANS: Final = 4
SIDES: Final = 4
STACKS: Final = 18
SUPPLY_MIN_MV: Final = 10800
SUPPLY_MAX_MV: Final = 14400
MOTOR_MAX_MA: Final = 6000
MOTOR_IDLE_MA: Final = 250
OVERCURRENT_MS: Final = 300
HATCH_MOVE_MS: Final = 6000
LIFT_MOVE_MS: Final = 8000
SHUFFLE_MS: Final = 30000
STACK_MS: Final = 8000
JAM_MS: Final = 3000
CHAIN_MS: Final = 100
SETTLE_MS: Final = 500
START_PULSE_MS: Final = 200
DICE_MAX_MS: Final = 5000
DICE_STILL_MS: Final = 400
VIBRATION_MG: Final = 120
VIBRATION_QUIET_MS: Final = 300


class MachineState(IntEnum):
    """Where the cycle of the machine is."""

    IDLE = 0
    HATCH_OPEN = 1
    DROPPING = 2
    SHUFFLING = 3
    BUILDING = 4
    RAISING = 5
    READY = 6
    PLAYING = 7
    FAULT = 8


class Fault(IntEnum):
    """Why the machine stopped."""

    NONE = 0
    JAM = 1
    MISSING_TILES = 2
    HATCH_TIMEOUT = 3
    LIFT_TIMEOUT = 4
    SHUFFLE_TIMEOUT = 5
    SENSOR_DISAGREEMENT = 6
    OVER_CURRENT = 7
    EMERGENCY_STOP = 8
    HOST_SILENT = 9
    SUPPLY = 10
    WATCHDOG = 11


class TileSet(IntEnum):
    """Which of the two sets of tiles is worked on; `next` takes them in turn."""

    A = 0
    B = 1
    NEXT = 2


class Key(IntEnum):
    """Keys of a seat's keypad."""

    CHOW = 0
    PUNG = 1
    KONG = 2
    WIN = 3
    RIICHI = 4
    FLOWER = 5
    NINE_TERMINALS = 6
    PASS = 7
    REFEREE = 8


class DicePhase(IntEnum):
    """The machine's own dice under the dome or in the tray."""

    IN_TRAY = 0
    REMOVED = 1
    ROLLING = 2
    STOPPED = 3


class Lamp(IntEnum):
    """How a seat lamp shines."""

    OFF = 0
    ON = 1
    BLINK = 2


class Buzz(IntEnum):
    """Patterns of the buzzer."""

    SHORT = 0
    LONG = 1
    DOUBLE = 2
    ALARM = 3


class Outcome(IntEnum):
    """What the board did with a command."""

    DONE = 0
    WRONG_STATE = 1
    BLOCKED = 2
    BAD_ARGUMENT = 3
    UNKNOWN = 4


class LogLevel(IntEnum):
    """Weight of a board log line."""

    DEBUG = 0
    INFO = 1
    WARNING = 2
    ERROR = 3


class Block(IntFlag):
    """Why nothing may move."""

    HAND = 1
    STOP = 2
    HOST_SILENT = 4
    HOLD = 8
    SUPPLY = 16
    FAULT = 32


class Ends(IntFlag):
    """End switches."""

    HATCH_OPEN = 1
    HATCH_CLOSED = 2
    LIFT_UP = 4
    LIFT_DOWN = 8


class Defect(IntFlag):
    """What a self-test found wrong."""

    HATCH_ENDS = 1
    LIFT_ENDS = 2
    SUPPLY = 4
    MOTOR_CURRENT = 8
    CHAIN = 16
    STOP_PRESSED = 32
    PHOTO = 64
    HAND = 128


@dataclass(frozen=True, slots=True)
class Hello:
    """The host opens the session. The first two fields keep their place in all versions.

    Attributes:
        protocol: protocol version of the sender.
        schema: schema hash of the sender.
        nonce: echoed in the welcome.
    """

    ID: ClassVar[int] = 0x01
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BII")

    protocol: int
    schema: int
    nonce: int

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.protocol, self.schema, self.nonce)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        protocol, schema, nonce = cls.LAYOUT.unpack(data)
        return cls(protocol, schema, nonce)


@dataclass(frozen=True, slots=True)
class Welcome:
    """The board's answer, also when versions differ; the session is open if both agree.

    Attributes:
        protocol: protocol version of the board.
        schema: schema hash of the board.
        nonce: of the hello.
        boot: boot id, another one after each reset.
        uptime: ticks since the reset.
        last_command: last command executed since the reset; 0: none.
        first_event: oldest event kept.
        serial: serial number of the board.
        firmware: firmware version.
    """

    ID: ClassVar[int] = 0x02
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BIIIIHHI")

    protocol: int
    schema: int
    nonce: int
    boot: int
    uptime: int
    last_command: int
    first_event: int
    serial: int
    firmware: str

    def pack(self) -> bytes:
        """The fields as bytes."""
        fixed = self.LAYOUT.pack(
            self.protocol,
            self.schema,
            self.nonce,
            self.boot,
            self.uptime,
            self.last_command,
            self.first_event,
            self.serial,
        )
        return fixed + self.firmware.encode()

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        protocol, schema, nonce, boot, uptime, last_command, first_event, serial = (
            cls.LAYOUT.unpack(data[:25])
        )
        return cls(
            protocol,
            schema,
            nonce,
            boot,
            uptime,
            last_command,
            first_event,
            serial,
            data[25:].decode(),
        )


@dataclass(frozen=True, slots=True)
class Ack:
    """Nothing but the acknowledgement in the header."""

    ID: ClassVar[int] = 0x03

    def pack(self) -> bytes:
        """The fields as bytes."""
        return b""

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        if data:
            raise ValueError("bytes after the end")
        return cls()


@dataclass(frozen=True, slots=True)
class Nak:
    """As ack; the event after it was missed: repeat that one at once."""

    ID: ClassVar[int] = 0x04

    def pack(self) -> bytes:
        """The fields as bytes."""
        return b""

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        if data:
            raise ValueError("bytes after the end")
        return cls()


@dataclass(frozen=True, slots=True)
class Ping:
    """Heartbeat of the host and question for the board's clock.

    Attributes:
        token: echoed in the pong.
    """

    ID: ClassVar[int] = 0x05
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<H")

    token: int

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.token)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (token,) = cls.LAYOUT.unpack(data)
        return cls(token)


@dataclass(frozen=True, slots=True)
class Pong:
    """Heartbeat of the board and its clock when the ping came in.

    Attributes:
        token: of the ping.
        tick: when the ping was taken in.
        boot: boot id.
        queued: events in the store.
        errors: frames thrown away since the reset.
    """

    ID: ClassVar[int] = 0x06
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<HIIBH")

    token: int
    tick: int
    boot: int
    queued: int
    errors: int

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.token, self.tick, self.boot, self.queued, self.errors)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        token, tick, boot, queued, errors = cls.LAYOUT.unpack(data)
        return cls(token, tick, boot, queued, errors)


@dataclass(frozen=True, slots=True)
class Result:
    """Answer to a command; the header's sequence number is the command's.

    Attributes:
        outcome: what was done.
        block: why nothing may move, with `blocked`.
    """

    ID: ClassVar[int] = 0x07
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BB")

    outcome: Outcome
    block: Block

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.outcome, self.block)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        outcome, block = cls.LAYOUT.unpack(data)
        if block & ~sum(Block):
            raise ValueError(f"block {block}")
        return cls(Outcome(outcome), Block(block))


@dataclass(frozen=True, slots=True)
class Log:
    """A line of the board's own log.

    Attributes:
        level: weight.
        text: UTF-8.
    """

    ID: ClassVar[int] = 0x08
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")

    level: LogLevel
    text: str

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.level) + self.text.encode()

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (level,) = cls.LAYOUT.unpack(data[:1])
        return cls(LogLevel(level), data[1:].decode())


@dataclass(frozen=True, slots=True)
class Query:
    """Send all level events anew."""

    ID: ClassVar[int] = 0x20

    def pack(self) -> bytes:
        """The fields as bytes."""
        return b""

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        if data:
            raise ValueError("bytes after the end")
        return cls()


@dataclass(frozen=True, slots=True)
class StartCycle:
    """Lower the lift, open the hatch and wait for the tiles; sets the mode of the cycle.

    Attributes:
        tiles: 144, 136 or 108.
        players: 4, or 3 with 108 tiles.
        tile_set: which set.
    """

    ID: ClassVar[int] = 0x21
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BBB")

    tiles: int
    players: int
    tile_set: TileSet

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.tiles, self.players, self.tile_set)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        tiles, players, tile_set = cls.LAYOUT.unpack(data)
        return cls(tiles, players, TileSet(tile_set))


@dataclass(frozen=True, slots=True)
class Mode:
    """Which walls the table's own button begins; moves nothing, taken until walls are built.

    Attributes:
        tiles: 144, 136 or 108.
        players: 4, or 3 with 108 tiles.
    """

    ID: ClassVar[int] = 0x2B
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BB")

    tiles: int
    players: int

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.tiles, self.players)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        tiles, players = cls.LAYOUT.unpack(data)
        return cls(tiles, players)


@dataclass(frozen=True, slots=True)
class Hatch:
    """Close the hatch once it is open (the cycle goes on), or open it again for forgotten tiles.

    Attributes:
        opening: open or close.
    """

    ID: ClassVar[int] = 0x22
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<?")

    opening: bool

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.opening)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (opening,) = cls.LAYOUT.unpack(data)
        return cls(opening)


@dataclass(frozen=True, slots=True)
class Lift:
    """Move the lift while idle (set-up and maintenance).

    Attributes:
        up: up or down.
    """

    ID: ClassVar[int] = 0x23
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<?")

    up: bool

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.up)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (up,) = cls.LAYOUT.unpack(data)
        return cls(up)


@dataclass(frozen=True, slots=True)
class Dice:
    """Run the dice motor.

    Attributes:
        run_ms: 1..DICE_MAX_MS.
    """

    ID: ClassVar[int] = 0x24
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<H")

    run_ms: int

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.run_ms)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (run_ms,) = cls.LAYOUT.unpack(data)
        return cls(run_ms)


@dataclass(frozen=True, slots=True)
class DealerLamp:
    """Show the dealer's seat.

    Attributes:
        seat: 0..3; 255: off.
    """

    ID: ClassVar[int] = 0x25
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")

    seat: int

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.seat)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (seat,) = cls.LAYOUT.unpack(data)
        return cls(seat)


@dataclass(frozen=True, slots=True)
class SeatLamp:
    """Switch a seat lamp.

    Attributes:
        seat: 0..3.
        lamp: how it shines.
    """

    ID: ClassVar[int] = 0x26
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BB")

    seat: int
    lamp: Lamp

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.seat, self.lamp)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        seat, lamp = cls.LAYOUT.unpack(data)
        if seat >= 4:
            raise ValueError(f"seat {seat}")
        return cls(seat, Lamp(lamp))


@dataclass(frozen=True, slots=True)
class Buzzer:
    """Sound the buzzer.

    Attributes:
        pattern: which.
    """

    ID: ClassVar[int] = 0x27
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")

    pattern: Buzz

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.pattern)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (pattern,) = cls.LAYOUT.unpack(data)
        return cls(Buzz(pattern))


@dataclass(frozen=True, slots=True)
class Hold:
    """The host's veto: nothing moves until it is lifted. It can never force a movement.

    Attributes:
        on: set or lift.
    """

    ID: ClassVar[int] = 0x28
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<?")

    on: bool

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.on)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (on,) = cls.LAYOUT.unpack(data)
        return cls(on)


@dataclass(frozen=True, slots=True)
class ClearFault:
    """Acknowledge a fault whose cause is gone; the machine is idle then."""

    ID: ClassVar[int] = 0x29

    def pack(self) -> bytes:
        """The fields as bytes."""
        return b""

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        if data:
            raise ValueError("bytes after the end")
        return cls()


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Check sensors, supply and chain while idle; answered by self_test_done."""

    ID: ClassVar[int] = 0x2A

    def pack(self) -> bytes:
        """The fields as bytes."""
        return b""

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        if data:
            raise ValueError("bytes after the end")
        return cls()


@dataclass(frozen=True, slots=True)
class MachineChanged:
    """State of the cycle.

    Attributes:
        state: where the cycle is.
        fault: why it stopped, with `fault`.
        tiles: mode: tiles.
        players: mode: players.
        tile_set: set in work or play.
    """

    ID: ClassVar[int] = 0x40
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BBBBB")

    state: MachineState
    fault: Fault
    tiles: int
    players: int
    tile_set: TileSet

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(
            self.state,
            self.fault,
            self.tiles,
            self.players,
            self.tile_set,
        )

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        state, fault, tiles, players, tile_set = cls.LAYOUT.unpack(data)
        return cls(MachineState(state), Fault(fault), tiles, players, TileSet(tile_set))


@dataclass(frozen=True, slots=True)
class WallPresence:
    """Presence sensors under the walls, by side; bit 0 is stack 1.

    Attributes:
        stacks: 18 bits a side, 1: a tile covers the sensor.
    """

    ID: ClassVar[int] = 0x41
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<4I")

    stacks: tuple[int, int, int, int]

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(*self.stacks)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        stacks = cls.LAYOUT.unpack(data)
        return cls(stacks)


@dataclass(frozen=True, slots=True)
class EndsChanged:
    """End switches of hatch and lift.

    Attributes:
        ends: switches pressed.
    """

    ID: ClassVar[int] = 0x42
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")

    ends: Ends

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.ends)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (ends,) = cls.LAYOUT.unpack(data)
        if ends & ~sum(Ends):
            raise ValueError(f"ends {ends}")
        return cls(Ends(ends))


@dataclass(frozen=True, slots=True)
class BlockChanged:
    """Why nothing may move; 0: free. `hand` is the hand-in-hatch sensor, `stop` the button.

    Attributes:
        block: reasons.
    """

    ID: ClassVar[int] = 0x43
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")

    block: Block

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.block)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (block,) = cls.LAYOUT.unpack(data)
        if block & ~sum(Block):
            raise ValueError(f"block {block}")
        return cls(Block(block))


@dataclass(frozen=True, slots=True)
class DiceChanged:
    """The machine's own dice.

    Attributes:
        phase: what they do.
    """

    ID: ClassVar[int] = 0x44
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")

    phase: DicePhase

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.phase)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (phase,) = cls.LAYOUT.unpack(data)
        return cls(DicePhase(phase))


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A key of a seat's keypad went down.

    Attributes:
        seat: 0..3.
        key: which.
    """

    ID: ClassVar[int] = 0x45
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BB")

    seat: int
    key: Key

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.seat, self.key)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        seat, key = cls.LAYOUT.unpack(data)
        if seat >= 4:
            raise ValueError(f"seat {seat}")
        return cls(seat, Key(key))


@dataclass(frozen=True, slots=True)
class SticksChanged:
    """Stick trays: bit s is set while a stick lies in seat s's tray.

    Attributes:
        present: bits by seat.
    """

    ID: ClassVar[int] = 0x46
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")

    present: int

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.present)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (present,) = cls.LAYOUT.unpack(data)
        return cls(present)


@dataclass(frozen=True, slots=True)
class Vibration:
    """The table was knocked; sent when it is quiet again, the tick is the beginning.

    Attributes:
        peak_mg: peak, thousandths of g.
        duration_ms: milliseconds.
    """

    ID: ClassVar[int] = 0x47
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<HH")

    peak_mg: int
    duration_ms: int

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.peak_mg, self.duration_ms)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        peak_mg, duration_ms = cls.LAYOUT.unpack(data)
        return cls(peak_mg, duration_ms)


@dataclass(frozen=True, slots=True)
class StopChanged:
    """Emergency stop.

    Attributes:
        pressed: pressed or released.
    """

    ID: ClassVar[int] = 0x48
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<?")

    pressed: bool

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.pressed)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (pressed,) = cls.LAYOUT.unpack(data)
        return cls(pressed)


@dataclass(frozen=True, slots=True)
class HandChanged:
    """Light curtain over the hatch.

    Attributes:
        inside: a hand is in the hatch zone.
    """

    ID: ClassVar[int] = 0x49
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<?")

    inside: bool

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.inside)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (inside,) = cls.LAYOUT.unpack(data)
        return cls(inside)


@dataclass(frozen=True, slots=True)
class PhotoChanged:
    """Photo sensors of push heads and platforms, bits by side; 1: dark.

    Attributes:
        push_heads: bits by side.
        platforms: bits by side.
    """

    ID: ClassVar[int] = 0x4A
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BB")

    push_heads: int
    platforms: int

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.push_heads, self.platforms)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        push_heads, platforms = cls.LAYOUT.unpack(data)
        return cls(push_heads, platforms)


@dataclass(frozen=True, slots=True)
class StartPressed:
    """The start button on the table itself was pressed by a player."""

    ID: ClassVar[int] = 0x4B

    def pack(self) -> bytes:
        """The fields as bytes."""
        return b""

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        if data:
            raise ValueError("bytes after the end")
        return cls()


@dataclass(frozen=True, slots=True)
class SelfTestDone:
    """Result of a self-test.

    Attributes:
        failed: 0: all well.
    """

    ID: ClassVar[int] = 0x4C
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")

    failed: Defect

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.failed)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (failed,) = cls.LAYOUT.unpack(data)
        if failed & ~sum(Defect):
            raise ValueError(f"failed {failed}")
        return cls(Defect(failed))


@dataclass(frozen=True, slots=True)
class Overrun:
    """The store was full: so many events were not kept.

    Attributes:
        lost: events.
    """

    ID: ClassVar[int] = 0x4D
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<H")

    lost: int

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.lost)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        (lost,) = cls.LAYOUT.unpack(data)
        return cls(lost)


@dataclass(frozen=True, slots=True)
class Measured:
    """Analogue values.

    Attributes:
        supply_mv: 12 V supply, millivolts.
        motor_ma: sum of drive currents, milliamperes.
    """

    ID: ClassVar[int] = 0x60
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<HH")

    supply_mv: int
    motor_ma: int

    def pack(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.supply_mv, self.motor_ma)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The message from its bytes."""
        supply_mv, motor_ma = cls.LAYOUT.unpack(data)
        return cls(supply_mv, motor_ma)


LinkMessage = Hello | Welcome | Ack | Nak | Ping | Pong | Result | Log
CommandMessage = (
    Query
    | StartCycle
    | Mode
    | Hatch
    | Lift
    | Dice
    | DealerLamp
    | SeatLamp
    | Buzzer
    | Hold
    | ClearFault
    | SelfTest
)
EventMessage = (
    MachineChanged
    | WallPresence
    | EndsChanged
    | BlockChanged
    | DiceChanged
    | KeyPressed
    | SticksChanged
    | Vibration
    | StopChanged
    | HandChanged
    | PhotoChanged
    | StartPressed
    | SelfTestDone
    | Overrun
)
SampleMessage = Measured
Message = LinkMessage | CommandMessage | EventMessage | SampleMessage

MESSAGES: Final[dict[int, type[Message]]] = {
    0x01: Hello,
    0x02: Welcome,
    0x03: Ack,
    0x04: Nak,
    0x05: Ping,
    0x06: Pong,
    0x07: Result,
    0x08: Log,
    0x20: Query,
    0x21: StartCycle,
    0x2B: Mode,
    0x22: Hatch,
    0x23: Lift,
    0x24: Dice,
    0x25: DealerLamp,
    0x26: SeatLamp,
    0x27: Buzzer,
    0x28: Hold,
    0x29: ClearFault,
    0x2A: SelfTest,
    0x40: MachineChanged,
    0x41: WallPresence,
    0x42: EndsChanged,
    0x43: BlockChanged,
    0x44: DiceChanged,
    0x45: KeyPressed,
    0x46: SticksChanged,
    0x47: Vibration,
    0x48: StopChanged,
    0x49: HandChanged,
    0x4A: PhotoChanged,
    0x4B: StartPressed,
    0x4C: SelfTestDone,
    0x4D: Overrun,
    0x60: Measured,
}
COMMAND_IDS: Final = frozenset(
    (0x20, 0x21, 0x2B, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A)
)
EVENT_IDS: Final = frozenset(
    (0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x4B, 0x4C, 0x4D)
)
SAMPLE_IDS: Final = frozenset((0x60,))
LEVEL_IDS: Final = frozenset((0x40, 0x41, 0x42, 0x43, 0x44, 0x46, 0x48, 0x49, 0x4A))
