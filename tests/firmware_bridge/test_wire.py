"""Frames: what goes in comes out, whatever stands between."""

import binascii

import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import messages as m
from firmware_bridge.wire import (
    ENCODED_MAX,
    BadFrameError,
    Frame,
    FrameDecoder,
    ahead,
    decode,
    encode,
    from_frame,
)

frames = st.builds(
    Frame,
    type=st.integers(0, 255),
    seq=st.integers(0, 0xFFFF),
    ack=st.integers(0, 0xFFFF),
    payload=st.binary(max_size=m.PAYLOAD_MAX),
)


def test_the_check_is_ccitt_false() -> None:
    assert binascii.crc_hqx(b"123456789", 0xFFFF) == 0x29B1


def test_bytes_of_one_frame() -> None:
    """Worked by hand: header 01 03 0000 0500 little-endian, CRC most significant first."""
    body = bytes((1, 3, 0, 0, 5, 0))
    crc = (binascii.crc_hqx(body, 0xFFFF) ^ 0xFFFF).to_bytes(2, "big")
    expected = bytes((3, 1, 3, 1, 2, 5, 3)) + crc + b"\0"
    assert 0 not in crc
    assert encode(Frame(m.Ack.ID, 0, 5, b"")) == expected


@given(st.lists(frames, max_size=6), st.data())
def test_any_cut_of_the_stream_gives_the_same_frames(
    sent: list[Frame], data: st.DataObject
) -> None:
    stream = b"".join(encode(f) for f in sent)
    decoder, got, at = FrameDecoder(), [], 0
    while at < len(stream):
        step = data.draw(st.integers(1, 40))
        got += decoder.feed(stream[at : at + step])
        at += step
    assert got == sent
    assert decoder.errors == 0


@given(st.binary(max_size=300), frames)
def test_in_step_at_the_next_delimiter_after_garbage(garbage: bytes, frame: Frame) -> None:
    decoder = FrameDecoder()
    decoder.feed(garbage)
    assert decoder.feed(b"\0" + encode(frame))[-1] == frame


@given(frames, st.integers(0, 10_000), st.integers(1, 255))
def test_one_hurt_byte_never_gives_another_frame(frame: Frame, place: int, mask: int) -> None:
    stream = bytearray(encode(frame))
    stream[place % len(stream)] ^= mask
    assert FrameDecoder().feed(bytes(stream) + b"\0") == []


def test_zeros_behind_a_frame_are_noticed() -> None:
    """A delimiter hurt into 01 appends a zero; a check that leaves no remainder would miss it."""
    stream = encode(Frame(0, 0, 0, bytes(6)))
    assert FrameDecoder().feed(stream[:-1] + b"\x01\0") == []


@given(st.binary(max_size=400))
def test_any_bytes_are_survived(data: bytes) -> None:
    decoder = FrameDecoder()
    for frame in decoder.feed(data + b"\0"):
        try:
            from_frame(frame)
        except BadFrameError:
            continue


@pytest.mark.parametrize(
    ("chunk", "says"),
    [
        (b"\x05\x01", "not enough"),
        (b"\x01" * 4, "too short"),
        (cobs.encode(b"\1\3\0\0\5\0\xaa\xaa"), "wrong check"),
        (b"\x01" * (ENCODED_MAX + 1), "too long"),
    ],
)
def test_what_is_no_frame_is_refused(chunk: bytes, says: str) -> None:
    with pytest.raises(BadFrameError, match=says):
        decode(chunk)


def test_endless_garbage_takes_no_memory() -> None:
    decoder = FrameDecoder()
    for _ in range(1000):
        assert decoder.feed(b"\x55" * 100) == []
    assert decoder.errors == 1
    assert decoder.feed(b"\0" + encode(Frame(3, 0, 0, b"")))


@pytest.mark.parametrize(("a", "b", "far"), [(1, 0, 1), (0, 65535, 1), (65535, 0, -1), (5, 5, 0)])
def test_sequence_numbers_lie_on_a_circle(a: int, b: int, far: int) -> None:
    assert ahead(a, b) == far


def test_other_version_is_refused_except_in_the_hello() -> None:
    with pytest.raises(BadFrameError, match="version"):
        from_frame(Frame(m.Ack.ID, 0, 0, b"", version=2))
    hello = m.Hello(2, 1, 3)
    assert from_frame(Frame(m.Hello.ID, 0, 0, hello.pack(), version=2)) == (hello, None)
