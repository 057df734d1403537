"""Where a grab of the deal begins: around a corner of the walls too."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import Slot
from table_controller.game.wall import Ring


@pytest.mark.parametrize(
    ("slots", "first"),
    [
        pytest.param([(0, 3), (0, 4)], (0, 3), id="in one wall"),
        pytest.param([(0, 4), (0, 3)], (0, 3), id="in whatever order they are named"),
        pytest.param([(1, 1), (2, 18)], (2, 18), id="around a corner"),
        pytest.param([(0, 1), (1, 18)], (1, 18), id="where the ring begins anew"),
        pytest.param([(1, 9)], (1, 9), id="one stack"),
        pytest.param([], None, id="none"),
        pytest.param([(1, 9), (1, 19)], None, id="one that was not raised"),
    ],
)
def test_the_first_stack_of_a_grab(
    slots: list[tuple[int, int]], first: tuple[int, int] | None
) -> None:
    """A wrong break around a corner began at the right stack, and was told as none."""
    ring = Ring((18, 18, 18, 18))
    found = ring.first(Slot(side, stack, "top") for side, stack in slots)  # type: ignore[arg-type]
    assert (None if found is None else ring.places[found]) == first
