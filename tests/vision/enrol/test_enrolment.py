"""From a picture of the whole set to a reader that reads by it; on the virtual table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.virtual_table.camera import block as blocks
from hardware.virtual_table.camera.faces import DESIGNS, picture
from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.renderer import Annotator, Look
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import Pose
from vision.enrol import enrolment
from vision.enrol.draw import draw_backs, draw_enrolment
from vision.enrol.enrolment import Enrolment, enrol
from vision.enrol.findings import Fault, Finding
from vision.enrol.grid import GridError
from vision.enrol.names import Named, name_tiles
from vision.enrol.view import EnrolError
from vision.nets.finder import Finder
from vision.nets.reader import FaceReader

COLUMNS = 12
DESIGN = replace(
    DESIGNS["line"],
    name="new",
    ground="#efe9d6",
    blue="#3a2f8f",
    green="#2f6b2f",
    pen=10.0,
    nodes=1,
)
LAYOUT = Layout.load(blocks.GEOMETRY)
CAMERA = overhead()
PX = 29.7
"""Short side of a tile in these pictures."""


def joker() -> np.ndarray:
    """A face of no set: a man in a hat, more or less."""
    face = np.full((128, 96, 3), (214, 233, 239), np.uint8)
    cv2.ellipse(face, (48, 70), (26, 30), 0, 0, 360, (40, 90, 220), 5)
    cv2.fillPoly(face, [np.array([(16, 48), (48, 8), (80, 48)])], (160, 40, 160))
    for x in (38, 58):
        cv2.circle(face, (x, 62), 4, (20, 20, 20), -1)
    cv2.ellipse(face, (48, 78), (12, 8), 0, 0, 180, (20, 20, 160), 3)
    return face


def scratched(face: str) -> np.ndarray:
    image = np.array(picture(face, DESIGN, 96, 128))
    cv2.line(image, (30, 30), (62, 66), (90, 95, 110), 5, cv2.LINE_AA)
    return image


LOOK = Look(
    design=DESIGN, faces={"joker": joker(), "2s/scratched": scratched("2s"), "4m/back": joker()}
)


def shuffled(seed: int = 3) -> list[str]:
    return [str(face) for face in np.random.default_rng(seed).permutation(blocks.whole_set(108))]


def shot(
    faces: list[str], look: Look = LOOK, pose: Pose = Pose.FACE_UP, **where: float
) -> np.ndarray:
    scene = blocks.block(faces, COLUMNS, LAYOUT, pose=pose, **where)  # type: ignore[arg-type]
    frames = blocks.photographs(scene, look, LAYOUT, CAMERA, count=2)
    return np.asarray(np.mean(frames, axis=0).round(), np.uint8)


def _sure(done: Enrolment) -> list[Finding]:
    """The faults without marks that are just so said; of those there may be a few for nothing."""
    marks = (Fault.MARKED, Fault.BACK_MARK)
    faint = [f for f in done.faults if f.fault in marks and f.strength < 2]
    assert len(faint) <= 5
    return [f for f in done.faults if f not in faint]


def place(index: int) -> tuple[int, int]:
    return index // COLUMNS + 1, index % COLUMNS + 1


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


@pytest.fixture(scope="module")
def reader() -> FaceReader:
    return FaceReader()


@pytest.fixture(scope="module")
def faulty(finder: Finder, reader: FaceReader) -> tuple[list[str], np.ndarray, Enrolment]:
    """A set with everything wrong, its picture and its enrolment."""
    faces = shuffled()
    faces[faces.index("5p")] = blocks.EMPTY
    faces[faces.index("7s")] = "3m"
    faces[faces.index("8p")] = "joker"
    faces[faces.index("2s")] = "2s/scratched"
    image = shot(faces, angle=4.0)
    return faces, image, enrol([image], finder, reader, tile_px=PX, name="hall")


def test_every_tile_is_named(faulty: tuple[list[str], np.ndarray, Enrolment]) -> None:
    faces, _, done = faulty
    assert done.shape == (9, 12)
    assert done.set_name == "108"
    told = {cell.place: cell.face for cell in done.cells}
    for index, face in enumerate(faces):
        wanted = {"joker": "?", blocks.EMPTY: None}.get(face, face.split("/")[0])
        assert told.get(place(index)) == wanted, place(index)


def test_every_fault_is_said_and_nothing_else(
    faulty: tuple[list[str], np.ndarray, Enrolment],
) -> None:
    faces, _, done = faulty
    said = [(f.fault, f.face, f.places) for f in _sure(done) if f.fault is not Fault.DOUBLED]
    assert sorted(said) == sorted(
        [
            (Fault.MISSING, "5p", ()),
            (Fault.MISSING, "7s", ()),
            (Fault.MISSING, "8p", ()),
            (Fault.STRANGE, "?", (place(faces.index("joker")),)),
            (Fault.MARKED, "2s", (place(faces.index("2s/scratched")),)),
        ]
    )
    (doubled,) = [f for f in done.faults if f.fault is Fault.DOUBLED]
    assert doubled.face == "3m"
    assert doubled.places == tuple(place(i) for i, f in enumerate(faces) if f == "3m")
    assert done.tiles.counts["3m"] == 5
    assert "5p is missing" in done.tiles.notes


def test_the_marked_tile_is_not_the_one_that_is_kept(
    faulty: tuple[list[str], np.ndarray, Enrolment],
) -> None:
    _, _, done = faulty
    assert len(done.tiles.faces) == 27
    # The scratch begins left of the upper bar, where a plain tile is as bare as right of it.
    for plain in done.tiles.faces["2s"].astype(float):
        beside = plain[14:20, 14:20].reshape(-1, 3)
        bare = plain[14:20, 32:38].reshape(-1, 3)
        assert np.abs(beside.mean(0) - bare.mean(0)).max() < 25


def test_backs_in_another_block_than_the_faces_are_refused(
    finder: Finder, reader: FaceReader
) -> None:
    faces = shuffled()
    part = [face if n // COLUMNS < 6 else blocks.EMPTY for n, face in enumerate(faces)]
    with pytest.raises(EnrolError, match="backs: a block of 6×12 is seen, of 9×12 the faces"):
        enrol([shot(faces)], finder, reader, backs=shot(part, pose=Pose.FACE_DOWN), tile_px=PX)


def test_the_picture_shows_the_block_and_the_words(
    faulty: tuple[list[str], np.ndarray, Enrolment],
) -> None:
    _, image, done = faulty
    drawn = draw_enrolment(image, done)
    assert drawn.shape[1] > COLUMNS * 60
    red = (drawn == (50, 40, 225)).all(axis=2)
    assert red.sum() > 500
    assert (
        not (draw_enrolment(image, replace(done, findings=())) == (50, 40, 225)).all(axis=2).any()
    )


def test_from_then_on_strangers_are_strangers(
    faulty: tuple[list[str], np.ndarray, Enrolment], reader: FaceReader
) -> None:
    _, _, done = faulty
    known = FaceReader(tiles=done.tiles)
    faces = ["1m", "5p", "9s", "3p", "joker", "1s", "7m", "5z", "1f", "8f", "6z", "2p"] * 2
    scene = blocks.block(faces, COLUMNS, LAYOUT, at=(120.0, 180.0), angle=-50.0, turned=0.5)
    image = blocks.photographs(scene, LOOK, LAYOUT, CAMERA)[0]
    quads = np.array([t.quad for t in Annotator(CAMERA, LAYOUT, LOOK).annotate(scene).tiles])
    readings = known.read(image, (quads + 0.5).astype(np.float32))
    for face, reading in zip(faces, readings, strict=True):
        mine = face in done.tiles.faces
        assert reading.label == (face if mine else "?"), (face, reading)
        if face in ("5z", "6z"):  # tiles that the net knows, but not of this set
            assert reading.foreign
    assert not any(r.foreign for r in reader.read(image, quads.astype(np.float32)))


def test_two_photographs_say_more_than_one_and_must_show_the_same(
    finder: Finder, reader: FaceReader
) -> None:
    faces = shuffled()
    one = shot(faces)
    other = shot(faces, angle=178.0, at=(30.0, -40.0))  # type: ignore[arg-type]
    done = enrol([one, other], finder, reader, tile_px=PX)
    assert [cell.face for cell in done.cells] == faces
    assert not _sure(done)
    assert not done.unsure
    with pytest.raises(EnrolError, match="picture 2 shows other tiles"):
        enrol([one, shot(shuffled(9))], finder, reader, tile_px=PX)
    with pytest.raises(EnrolError, match="picture 2 shows a block of 8 by 12"):
        enrol([one, shot(faces[:96])], finder, reader, tile_px=PX)


def test_what_is_only_to_be_confirmed_is_no_fault_of_the_set(
    finder: Finder, reader: FaceReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def doubting(*args: Any, **more: Any) -> Named:
        named = name_tiles(*args, **more)
        return replace(named, sure=tuple(face != "1s" for face in named.faces))

    monkeypatch.setattr(enrolment, "name_tiles", doubting)
    done = enrol([shot(shuffled())], finder, reader, tile_px=PX)
    assert [f.face for f in done.unsure] == ["1s"]
    assert list(done.tiles.notes) == [str(f) for f in done.faults]


def test_what_the_technician_says_must_be_possible(finder: Finder, reader: FaceReader) -> None:
    image = shot(shuffled())
    for known, says in (
        ({(10, 1): "1m"}, "row 10, column 1: no tile"),
        ({(1, 1): "9z"}, "'9z' at 1,1: no face"),
        ({(1, 1): "back"}, "'back' at 1,1: no face"),
    ):
        with pytest.raises(EnrolError, match=says):
            enrol([image], finder, reader, tile_px=PX, known=known)
    with pytest.raises(EnrolError, match="set 'many'"):
        enrol([image], finder, reader, tile_px=PX, set_name="many")
    with pytest.raises(EnrolError, match="no picture"):
        enrol([], finder, reader)
    with pytest.raises(GridError, match="no block of tiles"):
        enrol([np.full((600, 800, 3), 90, np.uint8)], finder, reader)


def test_marked_backs_are_found_and_plain_ones_known(finder: Finder, reader: FaceReader) -> None:
    faces = shuffled()
    blue = np.full((128, 96, 3), LOOK.back, np.uint8)
    scratched_back, other_back = blue.copy(), np.full((128, 96, 3), (60, 120, 150), np.uint8)
    cv2.line(scratched_back, (20, 30), (70, 90), (220, 200, 180), 5, cv2.LINE_AA)
    first, second = faces.index("6p"), faces.index("9m")
    faces[first], faces[second] = "6p/a", "9m/a"
    pictures = {f"{f}/a": np.array(picture(f, DESIGN, 96, 128)) for f in ("6p", "9m")}
    backs = {"6p/a/back": scratched_back, "9m/a/back": other_back}
    look = replace(LOOK, faces={**pictures, **backs})
    under = shot(faces, look, Pose.FACE_DOWN)
    done = enrol([shot(faces, look)], finder, reader, backs=under, tile_px=PX)
    said = {(f.fault, f.places) for f in done.faults}
    assert (Fault.BACK_MARK, (place(first),)) in said
    assert (Fault.BACK_SHADE, (place(second),)) in said
    assert {p for f in _sure(done) for p in f.places} == {place(first), place(second)}
    assert "back" in done.tiles.faces
    assert draw_backs(under, done).shape == under.shape
