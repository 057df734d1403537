"""Pictures of what bears signs and is no tile; needs PyTorch, as trainings do, and fonts."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.training


def test_each_kind_is_drawn_anew_and_the_same_again() -> None:
    from vision.training.judging import no_tiles

    found = no_tiles.pictures(2, 3)
    assert [name for name, _ in found] == [name for name in no_tiles.KINDS for _ in range(2)]
    for (_, one), (_, other) in zip(found[::2], found[1::2], strict=True):
        assert one.dtype == np.uint8
        assert one.ndim == 3
        assert one.shape != other.shape or (one != other).any()
    again = no_tiles.pictures(2, 3)
    assert all((a == b).all() for (_, a), (_, b) in zip(found, again, strict=True))
