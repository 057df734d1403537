"""Dating a live camera's pictures, whatever becomes of its clock."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from vision.cameras.sources import SourceState
from vision.cameras.stamps import AHEAD_S, SUSTAINED_S, Dated, Stamps

BEGIN = 1_700_000_000.0
PAUSE_S = 0.1
LATE_S = 0.05
"""A picture comes so long after it was taken."""
HOUR = 3600.0

BACKWARDS = SourceState.TIMES_BACKWARDS
IMPOSSIBLE = SourceState.TIMES_IMPOSSIBLE
SET = SourceState.CLOCK_SET

Clock = list[tuple[float, float | None]]
"""For so many seconds the camera's clock is so far ahead; None: it stamps nothing."""


def film(clock: Clock, *, held: bool) -> Iterator[tuple[float, Dated]]:
    """When each picture came, and how it is dated."""
    stamps = Stamps(held_to_arrival=held)
    number = itertools.count()
    for seconds, ahead in clock:
        for _ in range(round(seconds / PAUSE_S)):
            taken = BEGIN + next(number) * PAUSE_S
            arrival = taken + LATE_S
            stamp = None if ahead is None else round(taken + ahead, 6)
            yield arrival, stamps.date(stamp, arrival)


def told(pictures: list[tuple[float, Dated]]) -> list[SourceState]:
    return [dated.state for _, dated in pictures if dated.state is not None]


def given(pictures: list[tuple[float, Dated]]) -> list[tuple[float, float]]:
    """When each picture that may be used came, and when it was taken."""
    used = [(arrival, dated.t) for arrival, dated in pictures if dated.t is not None]
    times = [t for _, t in used]
    assert all(before < after for before, after in itertools.pairwise(times))
    return used


@pytest.mark.parametrize(
    ("clock", "states"),
    [
        pytest.param([(5, 0)], [], id="right"),
        pytest.param([(5, None)], [], id="no stamps"),
        pytest.param([(3, 0), (8, -HOUR), (8, 0)], [BACKWARDS, SET, IMPOSSIBLE, SET],
                     id="comes back with its clock behind, which is set right later"),
        pytest.param([(8, HOUR), (8, 0)], [IMPOSSIBLE, SET, BACKWARDS, SET],
                     id="ahead from the start, set right later"),
        pytest.param([(8, -HOUR), (8, 0)], [IMPOSSIBLE, SET, IMPOSSIBLE, SET],
                     id="behind from the start, set right later"),
        pytest.param([(3, 0), (8, HOUR), (3, None)], [IMPOSSIBLE, SET],
                     id="set wrong, then without stamps"),
    ],
)  # fmt: skip
def test_times_are_those_of_life(clock: Clock, states: list[SourceState]) -> None:
    pictures = list(film(clock, held=True))
    assert told(pictures) == states
    used = given(pictures)
    assert all(abs(t - arrival) <= LATE_S + 1e-5 for arrival, t in used)
    came = [BEGIN, *(arrival for arrival, _ in used), pictures[-1][0]]
    waits = [after - before for before, after in itertools.pairwise(came)]
    assert max(waits) <= SUSTAINED_S + 3 * PAUSE_S
    assert sum(wait > 2 * PAUSE_S for wait in waits) == states.count(SET)


def test_a_clock_set_right_is_told_once_and_pictures_go_on() -> None:
    """Stamps that only are compared with each other: those before lie in the future."""
    pictures = list(film([(8, HOUR), (8, 0)], held=False))
    assert told(pictures) == [BACKWARDS, SET]
    after = [t for arrival, t in given(pictures) if arrival > BEGIN + 8 + SUSTAINED_S + PAUSE_S]
    assert len(after) >= (8 - SUSTAINED_S) / PAUSE_S - 2
    steps = [later - earlier for earlier, later in itertools.pairwise(after)]
    assert steps == pytest.approx([PAUSE_S] * len(steps), abs=1e-5)


@pytest.mark.parametrize("ahead", [AHEAD_S - 0.1, -2.0])
def test_stamps_that_may_be_true_are_kept(ahead: float) -> None:
    pictures = list(film([(8, ahead)], held=True))
    assert told(pictures) == []
    assert all(t == pytest.approx(arrival - LATE_S + ahead) for arrival, t in given(pictures))


@pytest.mark.parametrize(
    ("wrong", "state"),
    [(HOUR, IMPOSSIBLE), (-HOUR, BACKWARDS), (-AHEAD_S, BACKWARDS)],
)
def test_one_wrong_stamp_costs_one_picture(wrong: float, state: SourceState) -> None:
    pictures = list(film([(3, 0), (PAUSE_S, wrong), (3, 0)], held=True))
    assert told(pictures) == [state]
    assert len(given(pictures)) == len(pictures) - 1


def test_a_picture_that_the_server_repeats_is_left_out() -> None:
    stamps = Stamps(held_to_arrival=True)
    dated = [stamps.date(BEGIN, BEGIN + late) for late in (0.1, 0.2, 0.3)]
    assert dated == [Dated(BEGIN), Dated(None), Dated(None)]


def test_a_clock_that_runs_slowly_out_of_what_is_possible_is_set_once() -> None:
    stamps = Stamps(held_to_arrival=True)
    pictures = []
    for number in range(600):
        arrival = BEGIN + number * PAUSE_S
        late = (0.0, 0.02, 0.01)[number % 3]
        stamp = arrival - late + AHEAD_S - 0.03 + number * 1e-4
        pictures.append((arrival, stamps.date(stamp, arrival)))
    assert told(pictures) == [IMPOSSIBLE, SET]
    assert len(given(pictures)) > 600 - SUSTAINED_S / PAUSE_S - 3
