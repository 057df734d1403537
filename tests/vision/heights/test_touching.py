"""Finds of the wrong size: how many tiles fill their outline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.vision.seen_from_above import CAMERA, TABLES, quad
from vision.heights.placing import Detection, lift
from vision.heights.touching import cut_apart, fits, found_across, lie_side_by_side, share_of_both
from vision.nets.finder import Found
from vision.sightings import Posture

TABLE = TABLES["riichi"]
WIDTH, HEIGHT, _ = TABLE.tile_mm


def found(right: float, up: float, width: float, height: float, angle: float = 0.0) -> Found:
    """A find beside the middle of an outline at (-40, -82), turned with it, in mm."""
    a = np.radians(angle)
    x = -40.0 + right * np.cos(a) - up * np.sin(a)
    y = -82.0 + right * np.sin(a) + up * np.cos(a)
    outline = quad(x, y, TABLE.flat_z, angle, width, height).astype(np.float32)
    return Found(outline, Posture.FACE_UP, 0.9)


def placed(finds: Sequence[Found]) -> list[Detection]:
    quads = np.array([find.quad for find in finds], float).reshape(-1, 4, 2)
    postures, confidences = [f.posture for f in finds], [f.confidence for f in finds]
    return lift(CAMERA, TABLE, quads, postures, confidences)


def cut(finds: Sequence[Found]) -> list[tuple[list[int], np.ndarray]]:
    return [*cut_apart(CAMERA, TABLE, finds, placed(finds))]


def rows(angle: float = 0.0) -> list[Found]:
    """Two nines of circles as they were found: the upper and the lower rows of each, lying."""
    return [
        found(right, up, 20.5, 11.0, angle) for right in (-10.0, 10.0) for up in (-9.0, 9.0)
    ]  # fmt: skip


@pytest.mark.parametrize("angle", [0.0, 3.0, 45.0, 90.0, 200.0])
@pytest.mark.parametrize("pieces", ["one", "rows", "rows that overlap"])
def test_two_that_touch_are_cut_apart(pieces: str, angle: float) -> None:
    finds = {
        "one": [found(0, 0, 40.6, 28.9, angle)],
        "rows": rows(angle),
        "rows that overlap": [*rows(angle), found(-10, 0, 20, 13, angle)],
    }[pieces]
    ((which, quads),) = cut(finds)
    assert sorted(which) == list(range(len(finds)))
    assert len(quads) == 2
    wanted = [found(right, 0, WIDTH, HEIGHT, angle).quad.mean(axis=0) for right in (-10, 10)]
    middles = quads.mean(axis=1)
    for want in wanted:
        assert np.linalg.norm(middles - want, axis=1).min() < 1.0
    tiles = [Found(one, Posture.FACE_UP, 0.9) for one in quads]
    assert all(fits(one) for one in placed(tiles))
    for one in quads:
        top, side = one[1] - one[0], one[2] - one[1]
        assert np.linalg.norm(top) < np.linalg.norm(side)
        assert np.cross(np.append(top, 0), np.append(side, 0))[2] > 0  # clockwise on the screen


@pytest.mark.parametrize(
    ("finds", "count"),
    [
        pytest.param([found(0, 0, 60, 28)], 3, id="three side by side"),
        pytest.param([found(0, 7, 20, 13), found(0, -7, 20, 13)], 1, id="the halves of one"),
        pytest.param([found(0, 0, 20, 28)], 0, id="a tile"),
        pytest.param([found(-10, 0, 20, 28), found(10, 0, 20, 28)], 0, id="two tiles"),
        pytest.param([found(0, 0, 20, 12)], 0, id="half a tile alone: the rest is not known"),
        pytest.param([found(0, 0, 34, 34)], 0, id="nothing that tiles fill"),
        pytest.param([found(-30, 9, 20, 11), found(30, -9, 20, 11)], 0, id="too far apart"),
        pytest.param([found(0, 0, 120, 28)], 0, id="more than were ever found as one"),
        pytest.param([], 0, id="nothing"),
    ],
)
def test_an_outline_is_cut_where_tiles_fill_it(finds: list[Found], count: int) -> None:
    assert sum(len(quads) for _, quads in cut(finds)) == count


@pytest.mark.parametrize(
    ("posture", "visible"),
    [(Posture.FACE_DOWN, 1.0), (Posture.STANDING, 1.0), (Posture.FACE_UP, 0.6)],
)
def test_only_faces_in_full_sight_are_cut(posture: Posture, visible: float) -> None:
    """Backs have no pattern; what a sleeve covers has another size for that reason."""
    one = replace(found(0, 0, 40, 28), posture=posture, visible=visible)
    assert cut([one]) == []


def test_what_lies_beside_is_left_alone() -> None:
    """The tile before it was found right; what cannot be told stays as it is."""
    finds = [found(-30, 0, 20, 28), *rows(), found(60, 5, 20, 28)]
    ((which, quads),) = cut(finds)
    assert (sorted(which), len(quads)) == ([1, 2, 3, 4], 2)


@pytest.mark.parametrize(
    ("other", "beside"),
    [
        pytest.param(found(10, 0, 20, 28), True, id="side by side"),
        pytest.param(found(8.5, 2, 20, 28), True, id="a little too near"),
        pytest.param(found(9, 2, 21, 31, 45.0), False, id="one at an angle, over the other"),
        pytest.param(found(12, 0, 28, 28), False, id="of no tile's size"),
    ],
)
def test_tiles_do_not_lie_over_one_another(other: Found, *, beside: bool) -> None:
    """A closer look framed a 9p beside a 4z at an angle over both: it was told as a 9s."""
    assert lie_side_by_side(placed([found(-10, 0, 20, 28), other])) is beside


@pytest.mark.parametrize("angle", [0.0, 3.0, 45.0, 90.0, 200.0])
@pytest.mark.parametrize(
    ("finds", "across"),
    [
        pytest.param([(-20, 0, 0), (1, 2, 90), (20, 0, 0)], [1], id="the middle of three"),
        pytest.param([(-20, 0, 0), (0, 0, 0), (20, 0, 0)], [], id="three side by side"),
        pytest.param([(-24, 0, 0), (0, 0, 90), (24, 0, 0)], [], id="one that was laid across"),
        pytest.param([(-21, 0, 0), (0, 0, 90), (24, 0, 0)], [], id="near one of its neighbours"),
        pytest.param([(0, 0, 90), (20, 0, 0), (40, 0, 0)], [], id="at an end: where it lay"),
        pytest.param(
            [(-20, 0, 0), (0, 0, 90), (20, 0, 0), (0, 18, 90)], [], id="no room the other way"
        ),
    ],
)
def test_one_found_across_in_a_row(
    finds: list[tuple[float, float, float]], across: list[int], angle: float
) -> None:
    row = [
        found(right, up, *((HEIGHT, WIDTH) if turn else (WIDTH, HEIGHT)), angle)
        for right, up, turn in finds
    ]
    told = found_across(TABLE, row, placed(row))
    assert [which for which, _ in told] == [[index] for index in across]
    for _, (outline,) in told:
        assert share_of_both(outline, found(0, 0, WIDTH, HEIGHT, angle).quad) > 0.97
