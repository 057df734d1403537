"""Reading hands: what is malformed is named with its field."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.scoring.hand import (
    BadHandError,
    from_line,
    from_object,
    read_lines,
    to_object,
)
from tests.table_controller.scoring.generate import winning_hand

GOOD: dict[str, Any] = {
    "hand": ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "1p"],
    "melds": [{"kind": "pung", "tiles": ["5z", "5z", "5z"], "from": "left"}],
    "win_tile": "1p",
    "from": "across",
}


@given(st.integers(min_value=0, max_value=2**32))
@settings(max_examples=100, deadline=None)
def test_round_trip(seed: int) -> None:
    hand = winning_hand(random.Random(seed))
    assert from_line(json.dumps(to_object(hand))) == hand


BAD = [
    ({"hand": ["1x", *GOOD["hand"][1:]]}, "hand.0: unknown tile '1x'"),
    ({"hand": [*GOOD["hand"], "2p"]}, "hand: 11 standing tiles"),
    ({"hand": [*GOOD["hand"], "2p"]}, "15 tiles, not 14"),
    ({"hand": ["1p"] * 4 + GOOD["hand"][4:]}, "win_tile: a fifth 1p"),
    ({"hand": ["?", *GOOD["hand"][1:]]}, "hand.0: the face of '?' is not known"),
    ({"hand": ["1f", *GOOD["hand"][1:]]}, "hand.0: 1f is a flower"),
    ({"wind": "E"}, "wind: no such field"),
    ({"seat_wind": "X"}, "seat_wind: "),
    ({"flowers": 9}, "flowers: 9 is not between 0 and 8"),
    ({"flowers": -1}, "flowers: -1"),
    ({"melds": [{"kind": "chow", "tiles": ["1m", "2m", "4m"]}]}, "melds.0.tiles: 1m 2m 4m is no"),
    ({"melds": [{"kind": "chow", "tiles": ["1z", "2z", "3z"]}]}, "melds.0.tiles: 1z 2z 3z is no"),
    ({"melds": [{"kind": "kong", "tiles": ["1m"] * 3}]}, "melds.0.tiles: a kong has 4"),
    ({"melds": [{"kind": "set", "tiles": ["1m"] * 3}]}, "melds.0.kind: "),
    ({"melds": [{"kind": "pung", "tiles": ["1m"] * 3, "concealed": True}]}, "melds.0.concealed"),
    ({"melds": [{"kind": "pung", "tiles": ["1m"] * 3, "colour": 1}]}, "melds.0.colour: no such"),
    ({"self_drawn": True}, "from: a self-drawn tile comes from nobody"),
    ({"after_kong": True}, "after_kong"),
    ({"ippatsu": True}, "ippatsu: without riichi"),
    ({"dealer": True, "seat_wind": "S"}, "dealer: True contradicts"),
    ({"win_tile": None}, "win_tile: "),
    ({"hand": "1m2m"}, "hand: "),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_hands_are_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(BadHandError) as caught:
        from_object(GOOD | change)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "null", "[]", "3", "{", '{"hand": NaN'])
def test_what_is_no_object(text: str) -> None:
    with pytest.raises(BadHandError):
        from_line(text)


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_nothing_else_than_a_named_error_comes_of_noise(text: str) -> None:
    for _, found in read_lines(text.splitlines()):
        assert isinstance(found, BadHandError)


@pytest.mark.parametrize("line", ['{"flowers":' + "9" * 5000 + "}", "[" * 100_000])
def test_what_the_decoder_cannot_take_is_said(line: str) -> None:
    with pytest.raises(BadHandError, match="cannot be read"):
        from_line(line)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["kind", "tiles", "hand", "melds"]), inner, max_size=3
            )
        ),
        max_leaves=10,
    )
)
@settings(max_examples=200, deadline=None)
def test_nothing_else_comes_of_wrong_types(value: object) -> None:
    for key in ("hand", "melds", "win_tile", "flowers", "seat_wind"):
        with pytest.raises(BadHandError):
            from_object({**GOOD, "hand": ["1x"], key: value})
