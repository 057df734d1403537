"""Readings and their lines in a recording."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import messages as m
from firmware_bridge.readings import (
    LinkChanged,
    LinkState,
    Phase,
    Reading,
    from_json,
    phase,
    to_json,
)
from tests.firmware_bridge.strategies import messages


@given(
    messages(("event", "sample")),
    st.floats(0, 2e9),
    st.floats(0, 1),
    st.one_of(st.none(), st.integers(1, 1 << 40)),
)
def test_line_and_back(
    what: m.EventMessage | m.SampleMessage, t: float, t_error: float, number: int | None
) -> None:
    reading = Reading(t, what, t_error, 77, number)
    assert from_json(json.loads(json.dumps(to_json(reading)))) == reading


def test_lines_speak_in_names() -> None:
    reading = Reading(12.5, m.KeyPressed(2, m.Key.NINE_TERMINALS), 0.001, 9, 3)
    assert to_json(reading) == {
        "t": 12.5,
        "kind": "key_pressed",
        "seat": 2,
        "key": "nine_terminals",
        "t_error": 0.001,
        "number": 3,
        "boot": 9,
    }
    lost = Reading(1.0, LinkChanged(LinkState.LOST, "gone"))
    assert to_json(lost) == {"t": 1.0, "kind": "link_changed", "state": "lost", "detail": "gone"}
    assert from_json(to_json(lost)) == lost
    ends = Reading(1.0, m.EndsChanged(m.Ends.HATCH_OPEN | m.Ends.LIFT_DOWN))
    assert to_json(ends)["ends"] == ["hatch_open", "lift_down"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"t": 1, "kind": "key_pressed", "seat": 1}, "'key'"),
        ({"t": 1, "kind": "key_press"}, "'key_press'"),
        ({"kind": "start_pressed"}, "'t'"),
        ({"t": 1, "kind": "key_pressed", "seat": 1, "key": "bang"}, "'BANG'"),
        ({"t": None, "kind": "start_pressed"}, "NoneType"),
    ],
)
def test_lines_that_are_none(line: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        from_json(line)


def test_every_state_has_a_name_of_the_contract() -> None:
    for state in m.MachineState:
        changed = m.MachineChanged(state, m.Fault.NONE, 144, 4, m.TileSet.A)
        assert phase(changed) in get_args(Phase)
