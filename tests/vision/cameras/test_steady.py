"""A clock that goes on evenly when the host's is set."""

from __future__ import annotations

import pytest

from vision.cameras.steady import SteadyClock


class Host:
    """A computer on which seconds pass and whose clock can be set."""

    def __init__(self) -> None:
        self.passed = 5.0
        self.wall = 1000.0

    def wait(self, seconds: float) -> None:
        self.passed += seconds
        self.wall += seconds


@pytest.mark.parametrize(
    ("set_by", "told"),
    [
        ([], []),
        ([3600.0], [3600.0]),
        ([-3600.0], [-3600.0]),
        ([3600.0, -3600.0], [3600.0, -3600.0]),
        ([0.4], []),
        ([0.4, 0.4, 0.4], [1.2]),
    ],
)
def test_time_goes_on_and_each_step_is_told_once(set_by: list[float], told: list[float]) -> None:
    host = Host()
    clock = SteadyClock(lambda: host.wall, lambda: host.passed)
    steps = []
    for seconds in (0.0, *set_by):
        host.wall += seconds
        steps += [clock.step(), clock.step()]
        host.wait(10.0)
    assert [step for step in steps if step is not None] == pytest.approx(told)
    assert clock.now() == 1000.0 + 10.0 * (1 + len(set_by))
