"""The face reader on drawn and rendered faces."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hardware.virtual_table.camera.faces import DESIGNS, FACES, picture
from tests.vision.eyes_scene import frame
from vision.nets.reader import CROP_H, CROP_W, FaceReader, crops_of

SAME_UPSIDE_DOWN = {"1p", "2p", "3p", "4p", "5p", "8p", "9p", "2s", "4s", "5s", "6s", "8s", "9s"}
SAME_UPSIDE_DOWN |= {"5z", "0p", "0s"}


@pytest.fixture(scope="module")
def reader() -> FaceReader:
    return FaceReader()


def _sheet(design: str, width: int) -> tuple[np.ndarray, np.ndarray]:
    """All faces of a design in a row on a cloth, and their quads."""
    height = round(width * 1.385)
    pad = width // 4
    sheet = np.full(
        (height + 2 * pad, len(FACES) * (width + pad) + pad, 3), (70, 110, 40), np.uint8
    )
    quads = []
    for i, face in enumerate(FACES):
        x, y = pad + i * (width + pad), pad
        sheet[y : y + height, x : x + width] = picture(face, DESIGNS[design], width, height)
        quads.append([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
    return sheet, np.array(quads, np.float32)


@pytest.mark.parametrize("design", sorted(DESIGNS))
@pytest.mark.parametrize("width", [30, 60, 200])
def test_every_face_of_every_design(reader: FaceReader, design: str, width: int) -> None:
    sheet, quads = _sheet(design, width)
    readings = reader.read(sheet, quads)
    wrong = [(f, r.faces[0]) for f, r in zip(FACES, readings, strict=True) if r.faces[0][0] != f]
    assert not wrong


@pytest.mark.parametrize("design", sorted(DESIGNS))
def test_upside_down_faces_are_read_and_said_to_be(reader: FaceReader, design: str) -> None:
    sheet, quads = _sheet(design, 44)
    upright = reader.read(sheet, quads)
    turned = reader.read(sheet, np.roll(quads, 2, axis=1))
    assert [r.faces[0][0] for r in turned] == list(FACES)
    for face, up, down in zip(FACES, upright, turned, strict=True):
        if face not in SAME_UPSIDE_DOWN:
            assert not up.turned, face
            assert down.turned, face


def test_clear_faces_of_frames(reader: FaceReader) -> None:
    n = right = 0
    for seed, design in ((1, "classic"), (2, "bold"), (3, "plain"), (5, "line")):
        image, truth = frame(seed, design)
        tiles = [t for t in truth.tiles if t.shows == t.face and t.visible > 0.9 and t.streak < 3]
        readings = reader.read(image, np.array([t.quad + 0.5 for t in tiles]))
        n += len(tiles)
        right += sum(r.faces[0][0] == t.face for r, t in zip(readings, tiles, strict=True))
    assert n > 150
    assert right >= 0.995 * n


def test_probabilities_are_ordered_and_sum_to_no_more_than_one(reader: FaceReader) -> None:
    sheet, quads = _sheet("classic", 40)
    for reading in reader.read(sheet, quads, closely=True):
        chances = [p for _, p in reading.faces]
        assert len(chances) == 3
        assert chances == sorted(chances, reverse=True)
        assert sum(chances) <= 1.0001


@pytest.mark.parametrize(("wrong", "most"), [((), 1.0), ((0,), 0.85), ((2, 4), 0.65)])
def test_what_shows_its_face_in_some_framings_only_is_less_sure(
    monkeypatch: pytest.MonkeyPatch, wrong: tuple[int, ...], most: float
) -> None:
    """A blurred west wind read as south, a flower as another were told above 0.9."""
    reader = FaceReader()
    looks = itertools.count()

    def outputs(crops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # Each framing is looked at both ways up.
        face = "3z" if next(looks) // 2 in wrong else "2z"
        logits = np.zeros((len(crops), len(reader.labels) + 1), np.float32)
        logits[:, reader.labels.index(face)] = 30.0
        return logits, np.ones((len(crops), 8), np.float32)

    monkeypatch.setattr(reader, "outputs", outputs)
    sheet, quads = _sheet("classic", 40)
    first = reader.read(sheet, quads[:1], closely=True)[0]
    assert first.faces[0][0] == "2z"
    assert most - 0.2 < first.confidence <= most


def test_cloth_and_noise_give_no_sure_face(reader: FaceReader) -> None:
    rng = np.random.default_rng(4)
    cloth = np.full((200, 900, 3), (60, 110, 50), np.uint8)
    cloth += rng.integers(0, 12, cloth.shape, np.uint8)
    noise = rng.integers(0, 255, (200, 900, 3), np.uint8)
    quads = np.array(
        [[(x, 20), (x + 60, 20), (x + 60, 104), (x, 104)] for x in range(10, 800, 90)], np.float32
    )
    for ground in (cloth, noise):
        assert all(r.label in ("?", "back") for r in reader.read(ground, quads))


def test_no_quads_no_readings(reader: FaceReader) -> None:
    assert reader.read(np.zeros((10, 10, 3), np.uint8), np.zeros((0, 4, 2), np.float32)) == []


def test_a_quad_outside_the_picture_is_read_without_failing(reader: FaceReader) -> None:
    quad = np.array([[(-500, -500), (-460, -500), (-460, -440), (-500, -440)]], np.float32)
    (reading,) = reader.read(np.zeros((40, 40, 3), np.uint8), quad)
    assert len(reading.faces) == 3


def test_crops_stand_upright_whatever_the_quads_angle() -> None:
    picture_ = np.zeros((300, 300, 3), np.uint8)
    picture_[100:128, 100:140] = (0, 0, 255)  # upper half of a tile
    picture_[128:156, 100:140] = (255, 0, 0)
    quad = np.array([(100, 100), (140, 100), (140, 156), (100, 156)], np.float32)
    upright, left = crops_of(picture_, quad[None])[0], crops_of(picture_, quad[None], spin=1)[0]
    assert upright.shape == (CROP_H, CROP_W, 3)
    assert upright[CROP_H // 4, CROP_W // 2, 2] == 255
    assert upright[3 * CROP_H // 4, CROP_W // 2, 0] == 255
    # begun at the second corner the old right side is the top: red lies on the left
    assert left[CROP_H // 2, CROP_W // 4, 2] == 255
