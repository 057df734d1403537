"""Figures of what was found, also of nets that find nothing."""

from __future__ import annotations

import pytest

from vision.training.judging.tally import quantile


@pytest.mark.parametrize(
    ("values", "q", "told"),
    [
        ([0.9, 0.8, 0.7], 50, 0.8),
        ([0.9, 0.8, 0.7], 10, 0.72),
        pytest.param([], 10, 0.0, id="nothing was found: the trial broke off here"),
    ],
)
def test_the_share_below_which_so_many_are(values: list[float], q: float, told: float) -> None:
    assert quantile(values, q) == told
