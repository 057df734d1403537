"""Blank white dragons and backs in light that makes them look alike."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from vision.eye.faces import FaceWatch
from vision.eye.track import Track
from vision.heights.placing import Detection
from vision.nets import bodies
from vision.nets.bodies import Faces
from vision.nets.enrolled import TileSet
from vision.nets.evidence import BACK
from vision.nets.likeness import References
from vision.sightings import Posture

BLUISH = (215.0, 190.0, 159.0)
"""An ivory body in blue light, BGR."""
SIGN = (("3p", 0.99), ("?", 0.01))
PERHAPS: Faces = ((BACK, 0.9), ("5z", 0.085), ("?", 0.015))
SURE_BACK = ((BACK, 0.999), ("?", 0.001))


def _crop(body: Sequence[float], *, sign: bool = False, light: float = 1.0) -> np.ndarray:
    crop = np.full((64, 48, 3), np.array(body) * light, np.float64)
    crop[:4], crop[-4:] = (40, 80, 30), (40, 80, 30)  # what lies beside it
    if sign:
        cv2.circle(crop, (24, 32), 11, (60.0, 60.0, 40.0), -1)
    crop += np.random.default_rng(int(sum(body))).normal(0, 2, crop.shape)
    return crop.clip(0, 255).astype(np.uint8)


def _faces(count: int) -> tuple[list[Faces], list[np.ndarray]]:
    crops = [_crop(BLUISH, sign=True, light=0.94 + 0.02 * (k % 6)) for k in range(count)]
    return [SIGN] * count, crops


@pytest.mark.parametrize(
    ("what", "faces", "others", "colour", "first"),
    [
        ("a dragon among faces of its colour", 8, [PERHAPS], BLUISH, "5z"),
        ("as many as a set has", 8, [PERHAPS] * 4, BLUISH, "5z"),
        ("a green back", 8, [PERHAPS], (90, 160, 70), BACK),
        ("a grey back, less blue than the faces", 8, [PERHAPS], (190, 190, 190), BACK),
        ("a body of that colour in shadow", 8, [PERHAPS], (165, 146, 122), "5z"),
        ("far too dark for these faces", 8, [PERHAPS], (95, 84, 70), BACK),
        ("more than a set has", 8, [PERHAPS] * 5, BLUISH, BACK),
        ("beside a sure back of that colour", 8, [PERHAPS, SURE_BACK], BLUISH, BACK),
        ("few faces tell nothing", 4, [PERHAPS], BLUISH, BACK),
    ],
)
def test_a_blank_is_told_by_the_bodies_around(
    what: str, faces: int, others: list[Faces], colour: tuple[float, ...], first: str
) -> None:
    told, crops = _faces(faces)
    crops += [_crop(colour) for _ in others]
    out = bodies.weighed([*told, *others], bodies.colours(np.array(crops)))
    assert [f[0][0] for f in out[:faces]] == ["3p"] * faces
    assert out[faces][0][0] == first, what
    assert sum(p for _, p in out[faces]) == pytest.approx(1.0)
    assert [p for _, p in out[faces]] == sorted((p for _, p in out[faces]), reverse=True)


def test_what_is_read_as_a_dragon_in_another_colour_is_doubted() -> None:
    told, crops = _faces(8)
    blank: Faces = (("5z", 0.7), (BACK, 0.28), ("?", 0.02))
    out = bodies.weighed([*told, blank], bodies.colours(np.array([*crops, _crop((70, 90, 200))])))
    assert out[-1][0][0] == BACK


def test_sure_readings_stay_as_they_are() -> None:
    told, crops = _faces(8)
    for sure in (SURE_BACK, (("5z", 0.99), (BACK, 0.005))):
        out = bodies.weighed([*told, sure], bodies.colours(np.array([*crops, _crop(BLUISH)])))
        assert out[-1] == sure


# -- on the table: one tile is new, the others are known ------------------------------------------


class _Reading:
    faces = PERHAPS
    turned = False


class _Reader:
    def read(self, image: np.ndarray, quads: np.ndarray) -> list[_Reading]:
        return [_Reading() for _ in quads]


def _track(number: int, x: float) -> Track:
    quad = np.array([(x, 20), (x + 48, 20), (x + 48, 84), (x, 84)], float)
    seen = Detection(quad, Posture.FACE_UP, 0.9, x, 0.0, 0.0, 0.0, 26.0, 36.0, 0.0)
    cells = np.zeros(25, np.intp)
    return Track(number, seen, (cells, cells))


@pytest.mark.parametrize(("colour", "told"), [(BLUISH, "5z"), ((90, 160, 70), BACK)])
def test_a_new_tile_is_compared_with_those_that_are_known(
    colour: tuple[float, ...], told: str
) -> None:
    image = np.full((110, 700, 3), (40, 80, 30), np.uint8)
    known = []
    for k in range(8):
        image[20:84, 10 + 60 * k : 58 + 60 * k] = _crop(BLUISH, sign=True)
        track = _track(k, 10 + 60 * k)
        for _ in range(3):
            track.face.evidence.add(SIGN)
        known.append(track)
    image[20:84, 600:648] = _crop(colour)
    new = _track(9, 600)
    FaceWatch(_Reader(), 1.0).read(image, [new], [*known, new])
    assert new.face.evidence.best()[0] == told


# -- an enrolled set whose white dragon is blank --------------------------------------------------


@pytest.mark.parametrize(("net", "told"), [((-0.5, -1.0), "5z"), ((-6.0, -0.1), BACK)])
def test_a_blank_dragon_that_light_changed_is_left_to_the_net(
    net: tuple[float, float], told: str
) -> None:
    labels = ["3p", "5z", BACK, "?"]
    tiles = TileSet({"3p": _crop(BLUISH, sign=True)[None], "5z": _crop((230, 232, 228))[None]})
    signs = {"3p": (1.0, 0.0, 0.0), "5z": (0.0, 1.0, 0.0)}

    def outputs(crops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = [signs["3p" if crop[32, 24].max() < 100 else "5z"] for crop in crops]
        return np.zeros((len(crops), 5), np.float32), np.array(rows, np.float32)

    references = References(tiles, labels, outputs)
    unlike = np.array([[0.3, 0.64, 0.7]])  # the dragon's features in another light
    opinion = np.array([[-9.0, *net, -5.0]])
    matched = references.match(opinion, references.likeness(unlike))
    assert labels[int(matched.logits.argmax())] == told
