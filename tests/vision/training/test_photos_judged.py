"""What counts as invented in a photograph; these tests need PyTorch, as trainings do."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.training


@pytest.mark.parametrize(
    ("corner", "cut"),
    [
        ((50, 40), False),
        ((-0.5, 40), False),
        ((-8, 40), True),
        ((50, 99), False),
        ((50, 104), True),
    ],
)
def test_what_the_edge_of_the_picture_cuts(corner: tuple[float, float], cut: bool) -> None:
    """Such tiles seldom bear a label: a `?` there counted as invented."""
    from vision.training.judging import photos

    quad = np.array(((20, 20), corner, (60, 60), (20, 60)), np.float32)
    assert photos._cut(quad, (100, 200, 3)) is cut
