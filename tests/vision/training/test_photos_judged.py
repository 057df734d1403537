"""What counts as invented or as a guess in a photograph; needs PyTorch, as trainings do."""

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


@pytest.mark.parametrize(
    ("told", "likely", "best"),
    [
        ("3s", (("3s", 0.9), ("2s", 0.1)), "3s"),
        ("?", (("1s", 0.55), ("?", 0.4)), "1s"),
        ("?", (("?", 0.8), ("1s", 0.1)), "?"),
        ("back", (("5z", 0.8), ("back", 0.1)), "back"),
        ("6f", (("5f", 0.5), ("6f", 0.4)), "6f"),
        ("?", (), "?"),
    ],
)
def test_the_best_guess(told: str, likely: tuple[tuple[str, float], ...], best: str) -> None:
    """What photographs are asked of kinds is what cut-out faces are: `?` has a guess of its own."""
    from vision.photo.readings import ReadTile
    from vision.sightings import Posture
    from vision.training.judging import photos

    quad = ((0.0, 0.0), (3.0, 0.0), (3.0, 4.0), (0.0, 4.0))
    assert photos.best_of(ReadTile(told, 0.5, quad, Posture.FACE_UP, 1, likely=likely)) == best


def test_kinds_and_flowers_are_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    from pathlib import Path

    from vision.photo.picture import quality
    from vision.photo.readings import PictureReading, ReadTile
    from vision.sightings import Posture
    from vision.training.judging import corners, photos
    from vision.training.pictures.oriented import RealPicture
    from vision.training.pictures.sources import Box, Photo

    monkeypatch.setattr(corners, "of", lambda _: [])
    monkeypatch.setattr(corners, "overlaps", lambda *_: [])
    labels, told = ("1p", "5p", "0p", "7f"), ("?", "5p", "5p", "?")
    guesses = ("1p", "5p", "5p", "1f")
    boxes, tiles, quads = [], [], []
    for i, (label, tile, guess) in enumerate(zip(labels, told, guesses, strict=True)):
        x = 40.0 * i
        boxes.append(Box(label, (x, 0.0, x + 30, 40.0)))
        quad = ((x, 0.0), (x + 30, 0.0), (x + 30, 40.0), (x, 40.0))
        quads.append(quad)
        tiles.append(ReadTile(tile, 0.55, quad, Posture.FACE_UP, 1, likely=((guess, 0.55),)))
    family = photos.Family()
    image = np.zeros((60, 200, 3), np.uint8)
    picture = RealPicture(image, np.array(quads, np.float32), 30.0, True, np.ones(4, np.float32))
    reading = PictureReading("", tuple(tiles), (), quality(image))
    family.add(Photo(Path("box/one.jpg"), "box", tuple(boxes)), picture, reading)
    figures = family.figures()
    rows = {name: (row["n"], row["right"], row["sure"]) for name, row in figures.items()
            if isinstance(row, dict)}  # fmt: skip
    assert rows == {
        "kinds": (4, 25.0, 50.0),
        "34 kinds": (2, 100.0, 50.0),
        "flowers": (1, 0.0, 0.0),
        "red fives": (1, 0.0, 100.0),
        "plain fives": (1, 100.0, 100.0),
    }


def test_dice_told_where_none_lie_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where dice do lie they do not: pictures of dice judge that no face is told."""
    from types import SimpleNamespace

    from vision.photo.command import PhotoReader
    from vision.photo.readings import ReadDie
    from vision.training.judging import photos
    from vision.training.pictures.taught import NEXT

    box = (0.0, 0.0, 9.0, 9.0)
    dice = (ReadDie(3, 0.9, box), ReadDie(5, 0.8, box), ReadDie(None, 0.9, box))
    rows = [("keyboards", 1), ("keyboards", 0), ("dice, a new family", 1)]
    monkeypatch.setattr(photos, "faceless", lambda *_, **__: rows)
    told = {1: SimpleNamespace(tiles=(), dice=dice), 0: SimpleNamespace(tiles=(), dice=())}
    monkeypatch.setattr(PhotoReader, "read", lambda _, picture: told[picture])
    assert photos.without_faces(PhotoReader(), NEXT) == {
        "keyboards": "2 pictures, 0 with a face (0 faces), 0 times `?`, 1 with dice (2 values)",
        "dice, a new family": "1 pictures, 0 with a face (0 faces), 0 times `?`",
    }
