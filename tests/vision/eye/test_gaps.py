"""Between which tiles there is room for one that was not found."""

from __future__ import annotations

import numpy as np
import pytest

from vision.eye.gaps import gaps
from vision.nets.finder import Found
from vision.sightings import Posture

WIDTH = 26.0


def tile(x: float, y: float = 0.0, turn: float = 0.0, posture: Posture = Posture.FACE_UP) -> Found:
    a = np.radians(turn)
    half = np.array(((-13, -18), (13, -18), (13, 18), (-13, 18)))
    turned = half @ np.array(((np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a))))
    corners = turned + np.array((500.0 + x, 300.0 + y))
    return Found(corners.astype(np.float32), posture, 0.9)


@pytest.mark.parametrize(
    ("others", "fresh", "middles"),
    [
        pytest.param([tile(52)], True, [(526, 300)], id="room for one"),
        pytest.param([tile(52)], False, [], id="they have lain apart for long"),
        pytest.param([tile(50, 5, 6.0)], True, [(525, 302)], id="one a little askew"),
        pytest.param([tile(26)], True, [], id="side by side"),
        pytest.param([tile(40)], True, [], id="room for half of one"),
        pytest.param([tile(78)], True, [], id="room for two"),
        pytest.param([tile(52), tile(26)], True, [], id="one lies there"),
        pytest.param([tile(52), tile(78)], True, [(526, 300)], id="of four the second"),
        pytest.param([tile(0, 52)], True, [], id="one above the other"),
        pytest.param([tile(52, 0, 90.0)], True, [], id="one lies across"),
        pytest.param([tile(52, posture=Posture.FACE_DOWN)], True, [], id="one face down"),
    ],
)
def test_room_for_one(others: list[Found], fresh: bool, middles: list[tuple[float, float]]) -> None:
    tiles = [tile(0), *others]
    found = gaps(tiles, [fresh] * len(tiles), WIDTH)
    assert [tuple(map(round, middle.tolist())) for middle in found] == middles


def test_one_of_both_has_just_come() -> None:
    assert len(gaps([tile(0), tile(52)], [False, True], WIDTH)) == 1
    assert gaps([], [], WIDTH) == []
