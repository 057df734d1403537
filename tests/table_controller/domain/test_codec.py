"""Happenings to JSON Lines and back; what is wrong is named."""

from __future__ import annotations

import typing

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from table_controller.domain.codec import (
    BadHappeningError,
    from_line,
    read_lines,
    to_line,
)
from table_controller.domain.happenings import Happening, TileClaimed
from table_controller.domain.tiles import FLOWERS, KINDS, RED_FIVES, Tile, sort_tiles


@given(st.one_of([st.from_type(kind) for kind in typing.get_args(Happening)]))
def test_every_happening_survives_the_way_through_json(happening: Happening) -> None:
    # NaN and infinities are no times; confidence is rounded to four places when written.
    assume(abs(happening.t) < 1e12 and 0 <= happening.confidence <= 1)
    until = getattr(happening, "until", None)
    assume(until is None or abs(until) < 1e12)
    again = from_line(to_line(happening))
    assert type(again) is type(happening)
    assert to_line(again) == to_line(happening)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ("{}", "kind"),
        ('{"t":1}', "kind"),
        ('{"t":1,"kind":"tile_eaten"}', "tile_eaten"),
        ('{"kind":"dice_removed","seat":0}', "t: "),
        ('{"t":1,"kind":"tile_discarded","seat":4,"tile":"5m"}', "seat"),
        ('{"t":1,"kind":"tile_discarded","seat":1,"tile":"5q"}', "tile"),
        ('{"t":1,"kind":"tile_discarded","seat":1,"tile":"5m","colour":"red"}', "colour"),
        ('{"t":1,"kind":"tile_drawn","seat":1,"slots":[[0,3,"middle"]]}', "slots.0"),
        ('{"t":NaN,"kind":"dice_removed","seat":0}', "t: "),
        ('{"t":' + "9" * 5000 + "}", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
    ],
)
def test_what_is_wrong_is_named(line: str, said: str) -> None:
    with pytest.raises(BadHappeningError, match=said.replace("[", r"\[")) as caught:
        from_line(line)
    assert "\n" not in str(caught.value)


def test_from_is_the_contracts_word() -> None:
    happening = from_line('{"t":1,"kind":"tile_claimed","seat":1,"tile":"5m","from":2}')
    assert happening == TileClaimed(t=1, seat=1, tile=Tile.M5, from_=2)
    assert '"from": 2' in to_line(happening)


def test_a_bad_line_does_not_end_the_reading() -> None:
    lines = ['{"t":1,"kind":"dice_removed"}', "", "oops", '{"t":2,"kind":"dice_removed"}']
    read = list(read_lines(lines))
    assert [number for number, _ in read] == [1, 3, 4]
    assert isinstance(read[1][1], BadHappeningError)


def test_the_notation() -> None:
    assert len(KINDS) == 34
    assert [tile.value for tile in KINDS[-7:]] == ["1z", "2z", "3z", "4z", "5z", "6z", "7z"]
    assert all(tile.plain.rank == 5 and tile.is_red for tile in RED_FIVES)
    assert all(tile.is_flower for tile in FLOWERS)
    assert [tile.value for tile in sort_tiles([Tile.M6, Tile.M5, Tile.RED_M5, Tile.EAST])] == [
        "0m",
        "5m",
        "6m",
        "1z",
    ]
    with pytest.raises(ValueError, match="no suit"):
        _ = Tile.UNKNOWN.suit
