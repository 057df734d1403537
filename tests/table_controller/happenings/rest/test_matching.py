"""Which tile of a frame is which tile at rest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.happenings.looks.places import Area, Spot
from table_controller.happenings.rest.matching import match
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.setup import Patience
from vision.sightings import Posture, TileSighting

QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
TILE = TileSighting(100.0, 0.0, 20.0, 0.0, Posture.FACE_UP, (("1z", 0.99),), 0.9, 1.0, QUAD)
OTHER = replace(TILE, faces=(("2z", 0.99),))


def lying(*, covered: float = -1e9, believed: bool = True, number: int = 0, whole: int = 5) -> Rest:
    rest = Rest(
        number, 100.0, 0.0, 20.0, 0.0, Posture.FACE_UP, Spot(Area.POOL, 0, 0.0, 0.0), 0.0, 10.0
    )
    rest.covered, rest.believed, rest.whole = covered, believed, whole
    for _ in range(5):
        rest.face.add(TILE.faces)
    return rest


@pytest.mark.parametrize(
    ("rest", "tile", "same"),
    [
        pytest.param(lying(), OTHER, True, id="misread where nobody was"),
        pytest.param(lying(covered=9.7), OTHER, False, id="pushed there under an arm"),
        pytest.param(lying(covered=9.7, whole=0), OTHER, True, id="only a part of it was seen"),
        pytest.param(lying(covered=9.0), OTHER, True, id="the arm went long ago"),
        pytest.param(lying(covered=10.0), OTHER, True, id="the arm is there yet"),
        pytest.param(lying(covered=9.7), replace(OTHER, visible=0.8), True, id="half hidden"),
        pytest.param(
            lying(covered=9.7), replace(OTHER, faces=(("2z", 0.8),)), True, id="not sure which"
        ),
        pytest.param(lying(covered=9.7), TILE, True, id="it looks as before"),
        pytest.param(lying(covered=9.7, believed=False), OTHER, True, id="not believed yet"),
        pytest.param(
            lying(),
            replace(OTHER, x=101.0 + Patience().still_mm),
            False,
            id="of another face, beside",
        ),
    ],
)
def test_what_shows_another_face_where_an_arm_was_is_another_tile(
    rest: Rest, tile: TileSighting, same: bool
) -> None:
    matches, strangers = match([rest], [tile], Patience(), 10.0)
    assert (matches, strangers) == (([(rest, tile)], []) if same else ([], [tile]))


def test_of_two_in_one_place_the_one_with_the_same_face_is_meant() -> None:
    """One look misread a tile that came to light: the misreading must not go on as the tile."""
    old, misread = lying(), lying(number=1, believed=False)
    misread.face = type(misread.face)()
    misread.face.add(OTHER.faces)
    old.x, misread.x = 101.5, 100.0
    matches, _ = match([old, misread], [TILE], Patience(), 10.0)
    assert [rest.number for rest, _ in matches] == [0]
