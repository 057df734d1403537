"""Tiles that are seen as before are not said again, and stay the same objects."""

from __future__ import annotations

import pickle
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from vision.apart.said import News
from vision.sightings import Posture, TileSighting

_CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def tile(track: int, x: float) -> TileSighting:
    return TileSighting(
        x, 0.0, 20.0, 0.0, Posture.FACE_UP, (("5m", 0.99),), 0.9, 1.0, _CORNERS, track
    )


@given(
    st.lists(st.dictionaries(st.integers(0, 5), st.sampled_from(["as before", "anew"])), max_size=8)
)
def test_what_is_said_is_what_was_seen(looks: list[dict[int, str]]) -> None:
    said, heard = News(), News()
    known: dict[int, TileSighting] = {}
    before: dict[int, TileSighting] = {}
    for number, look in enumerate(looks):
        for track, how in look.items():
            if track not in known or how == "anew":
                known[track] = tile(track, float(number))
        seen = tuple(known[track] for track in look)
        there = heard.whole(pickle.loads(pickle.dumps(said.brief(seen))))
        assert there == seen
        # Who was told of a tile in the look before knows that it is the same by its being so.
        now = {one.track: one for one in there}
        for track in now.keys() & before.keys():
            assert (now[track] is before[track]) == (look[track] == "as before")
        before = now


def test_one_that_only_looks_alike_is_said_again() -> None:
    said = News()
    one = tile(3, 1.0)
    assert said.brief((one,)) == (one,)
    assert said.brief((one,)) == (3,)
    assert said.brief((replace(one),)) == (one,)
