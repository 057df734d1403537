"""When a table counts as looked at, and what is said where it does not."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from table_controller.happenings.looks.pace import Pace
from table_controller.happenings.setup import Patience

Look = tuple[float, str]


def every(step: float, since: float, until: float, camera: str = "top") -> list[Look]:
    """Looks at equal distances."""
    count = round((until - since) / step)
    return [(round(since + n * step, 3), camera) for n in range(count)]


def told(looks: Iterable[Look]) -> list[tuple[float, float | None]]:
    """Since when and until when nobody looked, as it is told after each look."""
    patience = Patience()
    pace = Pace(patience.gap_s, patience.gap_looks)
    found = [pace.look(camera, t) for t, camera in sorted(looks)]
    return [(each.since, each.until) for each in found if each is not None]


def noticed(looks: Iterable[Look], asked: Iterable[float]) -> list[tuple[float, float | None]]:
    """The same where it is also asked at some times, without a look, what went unwatched."""
    patience = Patience()
    pace = Pace(patience.gap_s, patience.gap_looks)
    times = sorted([*looks, *((t, "") for t in asked)])
    found = [pace.look(camera, t) if camera else pace.dark(t) for t, camera in times]
    return [(each.since, each.until) for each in found if each is not None]


CLOSE: dict[str, list[Look]] = {
    "ten a second": every(0.1, 0.0, 6.0),
    "five a second": every(0.2, 0.0, 6.0),
    "one in three lost": [look for n, look in enumerate(every(0.1, 0.0, 6.0)) if n % 3],
    "a pause of 0.7 s": every(0.1, 0.0, 3.0) + every(0.1, 3.6, 6.0),
    "one of two cameras away": every(0.1, 0.0, 6.0, "left") + every(0.1, 0.05, 2.0, "right"),
    "only just begun": every(0.5, 0.0, 1.0),
}


@pytest.mark.parametrize("looks", CLOSE.values(), ids=CLOSE)
def test_a_table_that_is_looked_at_closely(looks: list[Look]) -> None:
    assert told(looks) == []


SELDOM: dict[str, tuple[list[Look], list[tuple[float, float | None]]]] = {
    "a pause of 2 s is told with its end": (
        every(0.1, 0.0, 3.0) + every(0.1, 5.0, 8.0),
        [(2.9, 5.0)],
    ),
    "two of them are two": (
        every(0.1, 0.0, 3.0) + every(0.1, 5.0, 8.0) + every(0.1, 10.0, 12.0),
        [(2.9, 5.0), (7.9, 10.0)],
    ),
    "two looks a second are told while that goes on, and with its end": (
        every(0.1, 0.0, 3.0) + every(0.5, 3.4, 9.4) + every(0.1, 9.4, 12.0),
        [(2.9, None), (2.9, 9.5)],
    ),
    "two looks a second from the start": (every(0.5, 0.0, 6.0), [(0.0, None)]),
    "one look in the middle of a pause": (
        [*every(0.1, 0.0, 3.0), (3.8, "top"), *every(0.1, 4.6, 8.0)],
        [(2.8, None), (2.8, 4.8)],
    ),
    "two cameras with two looks a second each": (
        every(0.1, 0.0, 3.0, "left")
        + every(0.1, 0.05, 3.0, "right")
        + every(0.5, 3.4, 9.4, "left")
        + every(0.5, 3.65, 9.4, "right")
        + every(0.1, 9.4, 12.0, "left")
        + every(0.1, 9.45, 12.0, "right"),
        [(2.8, None), (2.8, 9.5)],
    ),
}


@pytest.mark.parametrize(("looks", "gaps"), SELDOM.values(), ids=SELDOM)
def test_what_is_told_of_times_without_close_looks(
    looks: list[Look], gaps: list[tuple[float, float | None]]
) -> None:
    found = told(looks)
    assert [until for _, until in found] == pytest.approx([until for _, until in gaps], abs=0.11)
    assert [since for since, _ in found] == pytest.approx([since for since, _ in gaps], abs=0.11)


ASKED: dict[str, tuple[list[Look], list[float], list[tuple[float, float | None]]]] = {
    "nobody has looked yet": ([], [1.0, 9.0], []),
    "a short pause": (every(0.1, 0.0, 3.0) + every(0.1, 3.6, 5.0), [3.2, 3.5], []),
    "a pause is told while it goes on, once, and with its end": (
        every(0.1, 0.0, 3.0) + every(0.1, 9.0, 12.0),
        [4.0, 4.2, 5.0, 8.0],
        [(2.9, None), (2.9, 9.0)],
    ),
    "one look between two of them ends the first": (
        [*every(0.1, 0.0, 3.0), (6.0, "top"), *every(0.1, 9.0, 12.0)],
        [4.2, 5.0, 7.3, 8.0],
        [(2.9, None), (2.9, 6.0), (6.0, None), (6.0, 9.0)],
    ),
    "a pause among few looks is told with them": (
        every(0.5, 0.0, 6.0) + every(0.1, 9.0, 12.0),
        [7.0, 8.0],
        [(0.0, None), (0.0, 9.4)],
    ),
}


@pytest.mark.parametrize(("looks", "asked", "gaps"), ASKED.values(), ids=ASKED)
def test_what_is_told_while_nobody_looks(
    looks: list[Look], asked: list[float], gaps: list[tuple[float, float | None]]
) -> None:
    assert noticed(looks, asked) == gaps
