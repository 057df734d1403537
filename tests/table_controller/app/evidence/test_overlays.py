"""Pictures of what was seen are written where something was said, and show it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from table_controller.app.evidence.overlays import OverlayPictures, described, drawn
from table_controller.domain.happenings import Call, DiceRolled, Happening, TileDiscarded
from table_controller.domain.outputs import Alert, Clause, Ruling
from table_controller.domain.tiles import Tile
from tests.pictures import read
from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame
from vision.sightings import Outcome, Polygon, Posture, Sighting, StickSighting, TileSighting

SIZE = (640, 360)


def camera() -> CameraModel:
    return CameraModel(
        name="top",
        size=SIZE,
        K=np.array([[400.0, 0, 320], [0, 400, 180], [0, 0, 1]]),
        dist=np.zeros(5),
        R=np.diag([1.0, -1.0, -1.0]),
        t=np.array([0.0, 0.0, 1000.0]),
    )


def looked(t: float = 1.0, covered: tuple[Polygon, ...] = ()) -> Sighting:
    quad = ((100.0, 100.0), (120.0, 100.0), (120.0, 128.0), (100.0, 128.0))
    tile = TileSighting(0, 0, 16, 0, Posture.FACE_UP, (("5m", 0.9),), 0.9, 1.0, quad)
    return Sighting(t, "top", Outcome.LOOKED, (tile,), covered=covered)


def frame(t: float = 1.0) -> Frame:
    return Frame(t=t, camera="top", image=np.full((SIZE[1], SIZE[0], 3), 90, np.uint8), seq=1)


def alert() -> Alert:
    clause = Clause(ruleset="mcr-1998", clause="000 Q160(5)")
    return Alert(
        t=0.5, t_raised=1.0, id="wall-break", seat=2, rule=clause, ruling=Ruling(summary="")
    )


def test_tiles_and_what_was_not_looked_at_are_drawn_and_the_frame_stays_as_it_was() -> None:
    mine = frame()
    patch = ((-100.0, -100.0), (100.0, -100.0), (100.0, 100.0))
    picture = drawn(mine, looked(covered=(patch,)), camera(), ["a line", "another"])
    assert (mine.image == 90).all()
    assert picture.shape[0] > SIZE[1]
    assert (picture[98:131, 98:123] != 90).any(), "the outline of the tile"
    blue, _, red = picture[200, 330]
    assert red > blue, "covered is red"


def test_faces_are_named_on_a_plate_below_the_face() -> None:
    quad = ((100.0, 100.0), (160.0, 100.0), (160.0, 184.0), (100.0, 184.0))
    tile = replace(looked().tiles[0], quad=quad)
    picture = drawn(frame(), replace(looked(), tiles=(tile,)), camera(), [])
    low, high = picture[150:180, 104:156], picture[103:140, 104:156]
    assert (low.max(axis=2) < 40).mean() > 0.2, "the plate"
    assert (high == 90).all(), "the face stays to be seen"


@pytest.mark.parametrize(("sticks", "circles"), [(True, True), (False, False)])
def test_sticks_are_drawn_where_the_game_has_any(
    tmp_path: Path, sticks: bool, circles: bool
) -> None:
    pictures = OverlayPictures({"top": camera()}, tmp_path, at=[1.0], sticks=sticks)
    seen = replace(looked(), tiles=(), sticks=(StickSighting(0.0, 0.0, 0.0, 0.9),))
    pictures.frame(frame(), seen)
    picture = read(pictures.written[0])[: SIZE[1]]
    assert bool((picture.min(axis=2) > 160).any()) is circles


def test_a_picture_is_written_after_the_frame_in_which_something_was_said(tmp_path: Path) -> None:
    pictures = OverlayPictures({"top": camera()}, tmp_path / "out", at=[3.0])
    pictures.output(alert(), "a-1")
    assert pictures.written == []
    for t in (1.0, 2.0, 3.0):
        pictures.frame(frame(t), looked(t))
    names = [path.name for path in pictures.written]
    assert names == ["00001.0-wall-break.jpg", "00003.0-look.jpg"]
    assert read(pictures.written[0]).shape[1] == SIZE[0]


def test_what_is_said_after_the_last_frame_is_drawn_on_it(tmp_path: Path) -> None:
    pictures = OverlayPictures({"top": camera()}, tmp_path)
    pictures.frame(frame(), looked())
    pictures.output(alert(), "a-1")
    pictures.write_due()
    assert [path.name for path in pictures.written] == ["00001.0-wall-break.jpg"]


@pytest.mark.parametrize(
    ("happening", "words"),
    [
        (
            TileDiscarded(t=2.0, seat=1, tile=Tile("5m"), place=None, rotated=False),
            "2.0 s  tile discarded seat 1 5m  (1.00)",
        ),
        (DiceRolled(t=1.0, values=(3, 4), seat=0, valid=True), "1.0 s  dice rolled seat 0 3 + 4"),
        (Call(t=4.5, seat=3, call="pung"), "4.5 s  call seat 3 pung"),
    ],
)
def test_a_happening_in_words(happening: Happening, words: str) -> None:
    assert described(happening).startswith(words)
