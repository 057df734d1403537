"""The board's clock on the host's: accuracy, honesty of the bound, wrap, jumps."""

import random

import pytest

from firmware_bridge import messages as m
from firmware_bridge.clock import ClockMap

WRAP = 1 << 32


def run(
    drift_ppm: float,
    *,
    seconds: float = 120.0,
    tick0: int = 0,
    late: float = 0.002,
    asymmetry: float = 0.0,
    seed: int = 1,
) -> tuple[ClockMap, list[tuple[float, float]]]:
    """Ping every 250 ms over a line that is late at random; true errors and bounds of events."""
    rng = random.Random(seed)
    clock, errors, now = ClockMap(), [], 1000.0
    start = now

    def tick(t: float) -> int:
        return (tick0 + int((t - start) * (1 + drift_ppm * 1e-6) * 1e6 / m.TICK_US)) % WRAP

    while now < start + seconds:
        there = 0.0005 + rng.expovariate(1 / late) * (1 + asymmetry)
        back = 0.0005 + rng.expovariate(1 / late)
        assert clock.add(now, now + there + back, tick(now + there)) is None
        now += 0.25
        when = now - rng.random() * 0.5
        if when > start:
            bound = clock.error_at(tick(when))
            errors.append((abs(clock.host_time(tick(when)) - when), bound))
    return clock, errors


@pytest.mark.parametrize("drift", [0, 50, -150, 1000, 5000])
@pytest.mark.parametrize("asymmetry", [0.0, 3.0])
def test_error_within_its_bound_and_below_five_milliseconds(drift: float, asymmetry: float) -> None:
    _, errors = run(drift, asymmetry=asymmetry)
    late = sorted(e for e, _ in errors[8:])
    assert late[int(0.99 * len(late))] <= 0.005
    bounds = sorted(bound for _, bound in errors[8:])
    assert bounds[int(0.99 * len(bounds))] <= 0.005
    within = sum(e <= bound for e, bound in errors) / len(errors)
    assert within >= 0.99


def test_rate_is_found() -> None:
    clock, _ = run(400)
    assert clock.rate == pytest.approx(1 - 400e-6, abs=60e-6)


def test_the_count_wraps() -> None:
    _, errors = run(100, tick0=WRAP - 300_000)
    assert max(e for e, _ in errors[8:]) < 0.01


def test_a_jump_starts_the_map_anew() -> None:
    clock, _ = run(0)
    base = clock.host_time(500_000)
    assert base == pytest.approx(1050, abs=0.01)
    jump = clock.add(1120.0, 1120.002, 1_200_000 + 70_000)
    assert jump == pytest.approx(-7, abs=0.01)
    assert clock.host_time(1_270_000) == pytest.approx(1120.001, abs=0.001)
    assert clock.add(1120.3, 1120.302, 1_273_000) is None


def test_nothing_is_known_before_the_first_bracket() -> None:
    clock = ClockMap()
    assert not clock.ready
    assert clock.error == float("inf")
