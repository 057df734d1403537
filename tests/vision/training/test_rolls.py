"""What is counted of dice that are thrown on the virtual table."""

from __future__ import annotations

import pytest

from hardware.virtual_table.scene import DieBody
from vision.sightings import DieSighting
from vision.training.judging.rolls import Thrown


def _die(x: float, value: int, speed: float = 0.0, *, cocked: bool = False) -> DieBody:
    return DieBody(x, 0.0, 0.0, value, speed, cocked)


def _told(x: float, value: int | None) -> DieSighting:
    return DieSighting(x, 0.0, value, 0.9, moving=value is None)


@pytest.mark.parametrize(
    ("dice", "told", "counted"),
    [
        ([_die(0, 3)], [_told(1, 3)], {}),
        ([_die(0, 3)], [_told(1, 4)], {"wrong_looks": 1}),
        ([_die(0, 3, 300)], [_told(20, None)], {"rolling": 1}),
        ([_die(0, 3, 300)], [_told(20, 3)], {"rolling": 1, "rolling_read": 1}),
        ([_die(0, 3, 5)], [_told(1, 3)], {}),
        ([_die(0, 3)], [_told(40, 3)], {"invented": 1}),
        ([], [_told(40, 3)], {"invented": 1}),
        ([], [_told(40, None)], {}),
    ],
    ids=[
        "right", "wrong", "rolls", "read while it rolls", "creeps", "beside it", "no die",
        "no value",
    ],
)  # fmt: skip
def test_a_look(dice: list[DieBody], told: list[DieSighting], counted: dict[str, int]) -> None:
    count = Thrown()
    count.look(dice, told)
    for name in ("rolling", "rolling_read", "wrong_looks", "invented"):
        assert getattr(count, name) == counted.get(name, 0), name


def test_what_is_told_at_rest() -> None:
    count = Thrown()
    dice = [_die(0, 3), _die(30, 5), _die(60, 6), _die(90, 2, cocked=True)]
    count.end(dice, [_told(0, 3), _told(30, 4), _told(90, 2)])
    assert (count.rest, count.right, count.leaning, count.leaning_read) == (3, 1, 1, 1)
    told = count.figures()
    assert told["values right, when the next throw comes"] == pytest.approx(33.33)
    count.end([_die(90, 2, cocked=True)], [_told(90, None)])
    assert (count.leaning, count.leaning_read) == (2, 1)
