"""Where in the pool the next discard belongs."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import Place
from table_controller.domain.tiles import Tile
from table_controller.game.base import Discard
from table_controller.game.mcr.discards import _in_place


def pool(*places: tuple[int, int], claimed: tuple[int, ...] = ()) -> tuple[Discard, ...]:
    return tuple(
        Discard(Tile("1m"), float(n), Place(*place), drawn=None, gone=n in claimed, inferred=False)
        for n, place in enumerate(places)
    )


THREE = ((0, 0), (0, 1), (0, 2))
APART = (2, 8)


@pytest.mark.parametrize(
    ("lying", "right", "wrong"),
    [
        pytest.param(pool(), [(0, 0)], [(0, 1), (1, 0)], id="the first"),
        pytest.param(pool(*THREE), [(0, 3)], [(0, 4), (0, 2), (1, 0)], id="the next"),
        pytest.param(
            pool(*THREE, (0, 3), (0, 4), (0, 5)), [(1, 0)], [(0, 6), (1, 1)], id="a new row"
        ),
        pytest.param(
            pool(*THREE, claimed=(2,)), [(0, 2), (0, 3)], [(0, 4)], id="the gap of a claimed one"
        ),
        pytest.param(
            pool(*THREE, APART), [(0, 3), (0, 4)], [(0, 5)], id="one lies apart: the rows go on"
        ),
        pytest.param(
            pool(*THREE, APART, (0, 2), claimed=(2,)),
            [(0, 3), (0, 4)],
            [(1, 0)],
            id="one lies apart, and the gap of a claimed one was filled",
        ),
    ],
)
def test_the_next_discard_belongs_behind_the_last_one_of_its_rows(
    lying: tuple[Discard, ...], right: list[tuple[int, int]], wrong: list[tuple[int, int]]
) -> None:
    assert [_in_place(lying, Place(*place)) for place in right] == [True] * len(right)
    assert [_in_place(lying, Place(*place)) for place in wrong] == [False] * len(wrong)
    assert not _in_place(lying, None)
