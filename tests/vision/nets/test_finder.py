"""The finder on frames of the virtual table, and its decoding."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.eyes_scene import frame, tile_px
from vision.nets import finder as finder_module
from vision.nets.finder import Finder
from vision.sightings import Posture


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


def _overlap(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a.astype(np.float32), b.astype(np.float32)
    common, _ = cv2.intersectConvexConvex(a, b)
    return common / (cv2.contourArea(a) + cv2.contourArea(b) - common)


@pytest.mark.parametrize(("seed", "design"), [(1, "classic"), (2, "bold"), (5, "line")])
def test_every_clear_tile_is_found_in_its_posture(finder: Finder, seed: int, design: str) -> None:
    image, truth = frame(seed, design)
    found = finder.find(image, tile_px(truth)).tiles
    centres = np.array([f.quad.mean(axis=0) for f in found])
    clear = [t for t in truth.tiles if t.visible > 0.7 and t.streak < 4]
    assert len(clear) > 40
    missed, overlaps, wrong = 0, [], 0
    for tile in clear:
        near = int(np.linalg.norm(centres - tile.quad.mean(axis=0), axis=1).argmin())
        overlap = _overlap(found[near].quad, tile.quad + 0.5)
        if overlap < 0.4:
            missed += 1
            continue
        overlaps.append(overlap)
        wrong += found[near].posture.value != tile.pose.value
    assert missed <= 0.015 * len(clear)
    assert wrong <= 0.015 * len(clear)
    assert np.median(overlaps) >= 0.88


def test_the_same_picture_gives_the_same_findings_bit_for_bit(finder: Finder) -> None:
    image, truth = frame(1)
    one, two = (Finder().find(image, tile_px(truth)) for _ in range(2))
    assert [(f.quad.tobytes(), f.posture, f.confidence) for f in one.tiles] == [
        (f.quad.tobytes(), f.posture, f.confidence) for f in two.tiles
    ]
    assert one.arms is not None
    assert two.arms is not None
    assert one.arms.tobytes() == two.arms.tobytes()


def test_quads_begin_at_a_short_side_and_run_clockwise(finder: Finder) -> None:
    image, truth = frame(1)
    for found in finder.find(image, tile_px(truth)).tiles:
        a, b, c, d = found.quad.astype(float)
        turn = (b - a)[0] * (d - a)[1] - (b - a)[1] * (d - a)[0]
        assert turn > 0
        first, second = np.linalg.norm(b - a), np.linalg.norm(c - b)
        if found.posture is Posture.STANDING:
            assert first > second * 0.9
        else:
            assert first < second


def test_without_the_scale_the_tiles_size_is_found(finder: Finder) -> None:
    image, truth = frame(2, "bold")
    px = tile_px(truth)
    found = finder.tile_size(image)
    assert found is not None
    assert 0.8 * px < found < 1.25 * px
    half = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    found = finder.tile_size(np.asarray(half, np.uint8))
    assert found is not None
    assert 0.4 * px < found < 0.65 * px


def test_two_looks_agree_on_the_same_tiles(finder: Finder) -> None:
    image, truth = frame(1)
    once = finder.find(image, tile_px(truth)).tiles
    twice = finder.find_closely(image, tile_px(truth)).tiles
    assert abs(len(once) - len(twice)) <= 2
    centres = np.array([t.quad.mean(0) for t in once])
    for found in twice:
        apart = np.linalg.norm(centres - found.quad.mean(0), axis=1)
        assert apart.min() < 0.25 * tile_px(truth)


@pytest.mark.parametrize("shape", [(16, 16), (17, 301), (240, 33), (480, 640)])
def test_pictures_without_tiles(finder: Finder, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(2)
    cloth = np.full((*shape, 3), (60, 110, 50), np.uint8) + rng.integers(
        0, 9, (*shape, 3), np.uint8
    )
    findings = finder.find(cloth)
    assert findings.tiles == ()
    assert findings.arms is not None
    assert findings.arms.shape == (-(-shape[0] // 8), -(-shape[1] // 8))
    assert finder.find(cloth, 30.0).tiles == ()


def test_a_large_picture_is_looked_at_in_parts(
    finder: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    image, truth = frame(1)
    whole = finder.find(image, tile_px(truth))
    monkeypatch.setattr(finder_module, "_STRIP", 512)
    parts = finder.find(image, tile_px(truth))
    assert abs(len(whole.tiles) - len(parts.tiles)) <= 2
    centres = np.array([f.quad.mean(axis=0) for f in parts.tiles])
    far = [
        f
        for f in whole.tiles
        if f.confidence > 0.6 and np.linalg.norm(centres - f.quad.mean(axis=0), axis=1).min() > 4
    ]
    assert not far


@pytest.mark.parametrize(
    ("x", "y", "turn", "off"),
    [
        (43.11, 772.0, 3.071, (1e-6, -1e-6)),
        (1461.27, 839.97, 1.57, (2.5e-5, -2.7e-5)),
        (487.82, 1490.92, 3.132, (-1.3e-5, 1e-5)),
        (200.0, 300.0, 0.7, (0.0, 0.0)),
        (200.0, 300.0, 0.7, (3.0, 2.0)),
    ],
)
def test_of_two_boxes_that_all_but_coincide_one_is_kept(
    x: float, y: float, turn: float, off: tuple[float, float]
) -> None:
    """As two parts of a large picture find one tile twice; a millionth of a pixel between them.

    OpenCV 5.0 takes the first three pairs of outlines for apart.
    """
    c, s = np.cos(turn), np.sin(turn)
    along, across = np.array((c, s)) * 31, np.array((-s, c)) * 22
    boxes = finder_module._Boxes(
        np.array([(x, y), (x + off[0], y + off[1])]),
        np.array([along, along]),
        np.array([across, across]),
        np.zeros(2, np.int64),
        np.array((0.9, 0.89)),
        np.ones(2),
    )
    assert finder_module._suppress(boxes).score.tolist() == [0.9]


def test_arms_are_marked(finder: Finder) -> None:
    for seed in range(1, 12):
        image, truth = frame(seed)
        if (truth.arms > 0.5).mean() < 0.02:
            continue
        arms = finder.find(image, tile_px(truth)).arms
        assert arms is not None
        said, true = arms > 0.5, truth.arms > 0.5
        assert (said & true).sum() / (said | true).sum() > 0.6
        return
    pytest.fail("no frame with an arm in it")
