"""The generated code against the schema it is made from."""

import dataclasses
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import messages as m
from firmware_bridge.wire import BadFrameError, from_frame, to_frame
from hardware.protocol import schema as schema_module
from hardware.protocol.generate import main, outputs
from hardware.protocol.schema import SCHEMA_FILE, SchemaError, load
from tests.firmware_bridge.strategies import messages


def test_generated_files_are_up_to_date() -> None:
    assert main(["--check"]) == 0


def test_both_sides_carry_the_same_hash() -> None:
    schema = load()
    header = next(text for path, text in outputs(schema).items() if path.suffix == ".h")
    found = re.search(r"PG_SCHEMA_HASH (0x[0-9a-f]+)ul", header)
    assert found is not None
    assert int(found[1], 16) == schema.hash == m.SCHEMA_HASH


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("REPEAT_MIN_MS = 50", "REPEAT_MIN_MS = 60"),
        ('name = "buzzer"', 'name = "beeper"'),
        ("riichi = 4", "reach = 4"),
        ('["run_ms", "u16"', '["run_ms", "u32"'),
        ("protocol = 1", "protocol = 2"),
    ],
)
def test_hash_changes_with_what_matters_on_the_wire(tmp_path: Path, old: str, new: str) -> None:
    text = SCHEMA_FILE.read_text(encoding="utf-8")
    assert old in text
    changed = tmp_path / "messages.toml"
    changed.write_text(text.replace(old, new), encoding="utf-8")
    assert load(changed).hash != load().hash


def test_hash_does_not_change_with_texts(tmp_path: Path) -> None:
    text = SCHEMA_FILE.read_text(encoding="utf-8")
    changed = tmp_path / "messages.toml"
    changed.write_text(text.replace("Sound the buzzer.", "Make noise."), encoding="utf-8")
    assert load(changed).hash == load().hash


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("id = 0x21", "id = 0x20", "start_cycle: number 0x20 is query's"),
        ('["run_ms", "u16"', '["run_ms", "u17"', "dice.run_ms: unknown type 'u17'"),
        ("enum tile_set", "enum set_of_tiles", "start_cycle.tile_set: unknown names"),
        ("jam = 1\n", "jam = 21\n", "enums.fault: values must run from 0"),
        ('"u32[4]"', '"u32[40]"', "wall_presence: longer than PAYLOAD_MAX"),
        ("[flags.ends]", "[flags.key]", "key: declared twice"),
        ('name = "query"\n', 'name = "query"\nlevel = true\n', "query: only events have a level"),
    ],
)
def test_contradictions_are_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = SCHEMA_FILE.read_text(encoding="utf-8")
    assert old in text
    broken = tmp_path / "messages.toml"
    broken.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(SchemaError, match=re.escape(says)):
        load(broken)


def test_every_message_of_the_schema_has_its_class() -> None:
    schema = schema_module.load()
    assert set(m.MESSAGES) == {x.id for x in schema.messages}
    for declared in schema.messages:
        fields = [f.name for f in dataclasses.fields(m.MESSAGES[declared.id])]
        assert fields == [f.name for f in declared.fields]


@given(messages())
def test_what_is_packed_is_unpacked(message: m.Message) -> None:
    ticked = message.ID in m.EVENT_IDS | m.SAMPLE_IDS
    tick = 0xFFFFFFFF if ticked else None
    assert from_frame(to_frame(message, 7, 9, tick)) == (message, tick)


@given(messages(), st.binary(min_size=1, max_size=8), st.integers(0, 63))
def test_bytes_of_wrong_length_are_refused(message: m.Message, more: bytes, cut: int) -> None:
    """Too long or too short: never a message with other values, unless it ends in a text.

    The hello of a later version may say more.
    """
    tick = 5 if message.ID in m.EVENT_IDS | m.SAMPLE_IDS else None
    frame = to_frame(message, 0, 0, tick)
    text = any(isinstance(getattr(message, f.name), str) for f in dataclasses.fields(message))
    longer = dataclasses.replace(frame, payload=(frame.payload + more)[:64])
    if isinstance(message, m.Hello):
        assert from_frame(longer) == (message, None)
    elif not text:
        with pytest.raises(BadFrameError):
            from_frame(longer)
    if len(frame.payload) > cut and not text:
        with pytest.raises(BadFrameError):
            from_frame(dataclasses.replace(frame, payload=frame.payload[:cut]))


@pytest.mark.parametrize(
    ("message", "payload"),
    [
        (m.KeyPressed, b"\0\0\0\0\4\0"),  # seat 4
        (m.KeyPressed, b"\0\0\0\0\0\11"),  # key 9
        (m.BlockChanged, b"\0\0\0\0\x80"),  # a flag that there is not
        (m.Log, b"\1\xff\xfe"),  # no UTF-8
        (m.Hatch, b"\2\2"),
    ],
)
def test_values_out_of_range_are_refused(message: type[m.Message], payload: bytes) -> None:
    frame = dataclasses.replace(to_frame(m.Ack()), type=message.ID, payload=payload)
    with pytest.raises(BadFrameError):
        from_frame(frame)
