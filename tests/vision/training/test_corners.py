"""Corners marked by hand, with which finds are compared."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from vision.training.judging import corners
from vision.training.pictures.sources import Photo


def _photo(name: str) -> Photo:
    return Photo(Path("photos") / name, "homes-hand", ())


def test_all_marked_faces_are_convex_and_begin_at_the_top_left() -> None:
    marked = corners.marked()
    assert len(marked) == 18
    assert sum(map(len, marked.values())) == 270
    for name, quads in marked.items():
        for quad in quads:
            assert cv2.isContourConvex(quad), name
            # y points down: clockwise as seen
            assert cv2.contourArea(quad, oriented=True) > 300, name
            assert quad[:2, 1].mean() < quad[2:, 1].mean(), name
            assert quad[0, 0] < quad[1, 0], name


def test_neighbours_do_not_lie_over_each_other() -> None:
    for name, quads in corners.marked().items():
        for one, other in pairwise(quads):
            common, _ = cv2.intersectConvexConvex(one, other)
            assert common < 0.08 * cv2.contourArea(one), name


def test_a_find_is_compared_with_the_tile_that_it_lies_on() -> None:
    photo = _photo("train/hand_047_jpg.jpg")
    truth = corners.of(photo)
    middle = truth.mean(1, keepdims=True)
    smaller = middle + (truth - middle) * 0.9
    told = corners.overlaps(photo, smaller[::-1])
    assert len(told) == len(truth)
    assert np.allclose(told, 0.81, atol=0.01)
    assert corners.overlaps(photo, smaller[:3] + 400) == []


def test_a_photograph_without_marks_gives_nothing() -> None:
    photo = _photo("train/hand_999_jpg.jpg")
    assert corners.overlaps(photo, corners.of(_photo("train/hand_047_jpg.jpg"))) == []
