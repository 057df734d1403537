"""Frames: COBS, a six-byte header and CRC-16, nothing of the session.

A frame is ``COBS(header | payload | crc) 00``. The header is version (u8), type (u8), sequence
(u16) and acknowledgement (u16); the check is CRC-16/CCITT-FALSE over header and payload, sent
inverted (also called GENIBUS) and most significant byte first: without the inversion zeros that a
hurt delimiter lets through behind a frame would not be noticed. Since 00 occurs nowhere else, a
receiver is in step again at the next 00 after any garbage. Events and samples carry a tick (u32)
before their fields.
"""

from __future__ import annotations

import binascii
import struct
from dataclasses import dataclass
from typing import Final

from cobs import cobs

from firmware_bridge.messages import (
    EVENT_IDS,
    MESSAGES,
    PAYLOAD_MAX,
    PROTOCOL,
    SAMPLE_IDS,
    Hello,
    Message,
    Welcome,
)

HEADER: Final = struct.Struct("<BBHH")
_TICK: Final = struct.Struct("<I")
_CRC_SIZE: Final = 2
_RESIDUE: Final = 0x1D0F
"""What the check over a whole good frame, its own inverted check included, comes to."""
RAW_MAX: Final = HEADER.size + PAYLOAD_MAX + _CRC_SIZE
ENCODED_MAX: Final = RAW_MAX + 1
"""Bytes between two delimiters at most: up to 254 bytes COBS adds one."""
MODULUS: Final = 1 << 16
_ANY_VERSION: Final = frozenset((Hello.ID, Welcome.ID))
_VERSIONS: Final = struct.Struct("<BI")
_TICKED: Final = EVENT_IDS | SAMPLE_IDS


class BadFrameError(ValueError):
    """Bytes that are no frame or no message of this protocol."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One checked frame; ``seq`` and ``ack`` are 0..65535."""

    type: int
    seq: int
    ack: int
    payload: bytes
    version: int = PROTOCOL


def ahead(a: int, b: int) -> int:
    """How far ``a`` is ahead of ``b`` on the circle of sequence numbers: -32768..32767."""
    return ((a - b + MODULUS // 2) % MODULUS) - MODULUS // 2


def encode(frame: Frame) -> bytes:
    """The frame as bytes for the line, delimiter included.

    Raises:
        ValueError: for a payload longer than PAYLOAD_MAX.
    """
    if len(frame.payload) > PAYLOAD_MAX:
        raise ValueError(f"payload of {len(frame.payload)} bytes; {PAYLOAD_MAX} at most")
    body = HEADER.pack(frame.version, frame.type, frame.seq, frame.ack) + frame.payload
    crc = binascii.crc_hqx(body, 0xFFFF) ^ 0xFFFF
    return bytes(cobs.encode(body + crc.to_bytes(_CRC_SIZE, "big"))) + b"\0"


def decode(chunk: bytes) -> Frame:
    """The frame between two delimiters.

    Raises:
        BadFrameError: for anything else.
    """
    if len(chunk) > ENCODED_MAX:
        raise BadFrameError("too long")
    try:
        raw = bytes(cobs.decode(chunk))
    except cobs.DecodeError as error:
        raise BadFrameError(str(error)) from None
    if len(raw) < HEADER.size + _CRC_SIZE:
        raise BadFrameError("too short")
    if binascii.crc_hqx(raw, 0xFFFF) != _RESIDUE:
        raise BadFrameError("wrong check")
    version, kind, seq, ack = HEADER.unpack_from(raw)
    return Frame(kind, seq, ack, raw[HEADER.size : -_CRC_SIZE], version)


class FrameDecoder:
    """Cuts a byte stream into frames; ``errors`` counts what was thrown away."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._skipping = False
        self.errors = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Take bytes in and give the frames they complete."""
        frames: list[Frame] = []
        *complete, rest = data.split(b"\0")
        for part in complete:
            chunk, skipping = bytes(self._buffer) + part, self._skipping
            self._buffer.clear()
            self._skipping = False
            if skipping or not chunk:
                continue
            try:
                frames.append(decode(chunk))
            except BadFrameError:
                self.errors += 1
        if not self._skipping:
            self._buffer += rest
            if len(self._buffer) > ENCODED_MAX:
                self._buffer.clear()
                self._skipping = True
                self.errors += 1
        return frames


def to_frame(message: Message, seq: int = 0, ack: int = 0, tick: int | None = None) -> Frame:
    """Put a message into a frame; events and samples need their ``tick`` (32 bits).

    Raises:
        ValueError: for a tick missing or one that does not belong, or fields out of range.
    """
    if (message.ID in _TICKED) != (tick is not None):
        raise ValueError(f"{type(message).__name__}: tick {tick}")
    try:
        payload = (b"" if tick is None else _TICK.pack(tick)) + message.pack()
    except struct.error as error:
        raise ValueError(f"{message}: {error}") from None
    return Frame(message.ID, seq, ack, payload)


def from_frame(frame: Frame) -> tuple[Message, int | None]:
    """The message in a frame and its tick.

    Raises:
        BadFrameError: for an unknown type, another version, or a payload that does not fit.
    """
    kind = MESSAGES.get(frame.type)
    if kind is None:
        raise BadFrameError(f"unknown type {frame.type:#04x}")
    if frame.version != PROTOCOL and frame.type not in _ANY_VERSION:
        raise BadFrameError(f"protocol version {frame.version}")
    payload, tick = frame.payload, None
    if frame.type == Hello.ID:
        payload = payload[: Hello.LAYOUT.size]  # a later version may say more
    try:
        if frame.type in _TICKED:
            (tick,) = _TICK.unpack_from(payload)
            payload = payload[_TICK.size :]
        return kind.unpack(payload), tick
    except (ValueError, struct.error) as error:
        raise BadFrameError(f"{kind.__name__}: {error}") from None


def versions(frame: Frame) -> tuple[int, int] | None:
    """Protocol version and schema hash in a hello or welcome; None for any other frame.

    They keep their place in all versions.
    """
    if frame.type not in _ANY_VERSION or len(frame.payload) < _VERSIONS.size:
        return None
    protocol, schema = _VERSIONS.unpack_from(frame.payload)
    return protocol, schema
