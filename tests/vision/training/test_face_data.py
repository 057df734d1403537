"""Crops that teach the face reader; these tests need PyTorch, as trainings do."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.training


@pytest.mark.parametrize("seed", range(12))
def test_what_is_cut_off_is_a_strip_along_one_edge(seed: int) -> None:
    from vision.training.pictures import face_data

    rng = np.random.default_rng(seed)
    crop = rng.integers(0, 256, (64, 48, 3)).astype(np.uint8)
    cut = face_data.cut_off(rng, crop.copy())
    assert cut.shape == crop.shape
    changed = (cut != crop).any(2)
    rows, columns = changed.any(1), changed.any(0)
    lies = rows.mean() < columns.mean()
    lines, turned = (rows, cut) if lies else (columns, cut.swapaxes(0, 1))
    assert 0.02 < lines.mean() < 0.3
    where, long = np.flatnonzero(lines), len(lines)
    assert np.ptp(where) + 1 == len(where), "one strip"
    assert where[0] == 0 or where[-1] == long - 1, "at an edge"
    strip = turned[where]
    nearest = turned[where[-1] + 1 if where[0] == 0 else where[0] - 1]
    one_colour = (strip == strip[0, 0]).all()
    assert one_colour or (strip == nearest).all(), "of one colour, or the last pixels repeated"
