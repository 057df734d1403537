"""Change detection: noise and light are no change, one tile is."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from vision.changes.motion import CELL, Box, MotionDetector, boxes_around, dilated

SIZE = (480, 360)


@pytest.fixture
def look() -> Callable[..., np.ndarray]:
    rng = np.random.default_rng(1)
    down, across = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    shade = (0.75 + 0.25 * np.cos((across - 240) / 300) * np.cos((down - 180) / 260))[..., None]

    def picture(tiles: list[tuple[int, int]], light: float = 1.0, noise: float = 4.0) -> np.ndarray:
        image = np.full((SIZE[1], SIZE[0], 3), (60.0, 110, 40))
        for x, y in tiles:
            image[y : y + 40, x : x + 28] = (225, 235, 240)
        image = image * shade * light + rng.normal(0, noise, image.shape)
        return np.asarray(np.clip(image, 0, 255), np.uint8)

    return picture


ROW = [(40 + 32 * n, 60) for n in range(10)]


def started(look: Callable[..., np.ndarray]) -> MotionDetector:
    detector = MotionDetector(SIZE)
    first = detector.step(look(ROW))
    assert first.jumped
    assert first.changed.all()
    detector.looked(first.changed)
    for _ in range(5):
        detector.step(look(ROW))
    return detector


@pytest.mark.parametrize("light", [1.0, 0.7, 0.85, 1.15, 1.3])
def test_noise_and_light_are_no_change(look: Callable[..., np.ndarray], light: float) -> None:
    detector = started(look)
    motion = detector.step(look(ROW, light))
    assert not motion.changed.any()
    assert not motion.moving.any()
    assert motion.gain[1] == pytest.approx(light, rel=0.05)


@pytest.mark.parametrize("light", [1.0, 0.75, 1.25])
def test_a_new_tile_changes_its_cells_and_is_settled_after(
    look: Callable[..., np.ndarray], light: float
) -> None:
    detector = started(look)
    motion = detector.step(look([*ROW, (200, 240)], light))
    rows, columns = np.nonzero(motion.changed)
    assert motion.changed.sum() >= 12
    assert (columns.min() * CELL, rows.min() * CELL) >= (200 - CELL, 240 - CELL)
    assert columns.max() * CELL <= 228
    assert rows.max() * CELL <= 280
    assert (motion.moving == motion.changed).mean() > 0.999
    again = detector.step(look([*ROW, (200, 240)], light))
    assert not again.moving.any()
    assert again.changed.any()
    detector.looked(again.changed)
    assert not detector.step(look([*ROW, (200, 240)], light)).changed.any()


def test_a_tile_gone_and_a_tile_shifted_by_its_edge(look: Callable[..., np.ndarray]) -> None:
    detector = started(look)
    assert detector.step(look(ROW[1:])).changed.any()
    detector = started(look)
    assert detector.step(look([(45, 60), *ROW[1:]])).changed.any()


def test_slowly_changing_light_is_followed(look: Callable[..., np.ndarray]) -> None:
    detector = started(look)
    lamp = np.linspace(1.0, 1.15, SIZE[0])[None, :, None]
    for step in range(60):
        light = 1 + (lamp - 1) * step / 60
        motion = detector.step(np.clip(look(ROW) * light, 0, 255).astype(np.uint8))
        assert not motion.changed.any(), step


def test_a_still_table_stays_as_bright_as_it_is(look: Callable[..., np.ndarray]) -> None:
    """What is compared with must not drift away by itself: that would blind the eye slowly."""
    detector = started(look)
    pictures = [look(ROW) for _ in range(16)]
    for step in range(800):
        motion = detector.step(pictures[step % 16])
        assert motion.gain == pytest.approx((1.0, 1.0, 1.0), abs=0.02), step
    assert detector.step(look([(42, 60), *ROW[1:]])).changed.any()


@pytest.mark.parametrize("speed", [2.0, 0.5, 0.1, 0.05])
def test_a_tile_that_creeps_is_noticed(look: Callable[..., np.ndarray], speed: float) -> None:
    detector = started(look)
    for step in range(1, 200):
        picture = look(ROW)
        x = 200 + speed * step
        tile = np.asarray(
            cv2.warpAffine(
                np.full((40, 28, 3), (225, 235, 240), np.uint8),
                np.array([[1, 0, x], [0, 1, 240.0]]),
                SIZE,
                dst=picture.copy(),
                borderMode=cv2.BORDER_TRANSPARENT,
            ),
            dtype=np.uint8,
        )
        if step == 1:
            detector.looked(detector.step(tile).changed)
        elif detector.step(tile).changed.any():
            break
    assert speed * (step - 1) <= max(2.0, speed)


def test_only_what_is_within_counts(look: Callable[..., np.ndarray]) -> None:
    within = Box(160, 120, 400, 320)
    detector = MotionDetector(SIZE, within=within)
    first = detector.step(look(ROW))
    assert first.changed.sum() == (240 // CELL) * (200 // CELL)
    detector.looked(first.changed)
    whole, part = MotionDetector(SIZE), slice(120 // CELL, 320 // CELL)
    whole.looked(whole.step(look(ROW)).changed)
    beside = detector.step(look([*ROW, (20, 200)]))
    assert not beside.changed.any()
    assert not beside.moving.any()
    motion, all_of_it = (one.step(look([*ROW, (200, 240), (20, 200)])) for one in (detector, whole))
    assert motion.changed.any()
    assert not motion.changed[:, : 160 // CELL].any()
    assert (motion.changed == all_of_it.changed)[part, 160 // CELL + 1 :].mean() > 0.999
    assert detector.level.shape == (SIZE[1] // 4, SIZE[0] // 4, 3)


def test_what_was_too_bright_to_tell_is_no_change(look: Callable[..., np.ndarray]) -> None:
    """A tile in glare has the same 255 under more light; in less light it is itself again."""
    detector = MotionDetector(SIZE)
    detector.looked(detector.step(look(ROW, 1.3)).changed)
    for light in (1.3, 1.2, 1.0, 1.25):
        assert not detector.step(look(ROW, light)).changed.any(), light
    assert detector.step(look(ROW[1:], 1.25)).changed.any()


def test_a_wholly_new_picture_is_a_jump(look: Callable[..., np.ndarray]) -> None:
    detector = started(look)
    other = np.kron(np.random.default_rng(0).integers(0, 255, (18, 24, 3)), np.ones((20, 20, 1)))
    assert detector.step(other.astype(np.uint8)).jumped


def test_deterministic(look: Callable[..., np.ndarray]) -> None:
    pictures = [look(ROW[n % 3 :], 1 + 0.1 * (n % 2)) for n in range(12)]
    runs = []
    for _ in range(2):
        detector = MotionDetector(SIZE)
        runs.append([detector.step(picture).changed for picture in pictures])
    assert all((a == b).all() for a, b in zip(*runs, strict=True))


def test_another_size_is_refused(look: Callable[..., np.ndarray]) -> None:
    with pytest.raises(ValueError, match="not"):
        started(look).step(np.zeros((100, 100, 3), np.uint8))


def test_boxes_cover_all_cells_with_their_margin() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        mask = np.zeros((45, 60), bool)
        for _ in range(rng.integers(1, 8)):
            row, column = rng.integers(0, 45), rng.integers(0, 60)
            mask[row : row + rng.integers(1, 6), column : column + rng.integers(1, 6)] = True
        boxes = boxes_around(mask, SIZE, margin=24)
        for row, column in zip(*np.nonzero(mask), strict=True):
            x, y = column * CELL, row * CELL
            assert any(
                box.x0 <= max(x - 24, 0)
                and box.y0 <= max(y - 24, 0)
                and box.x1 >= min(x + CELL + 24, SIZE[0])
                and box.y1 >= min(y + CELL + 24, SIZE[1])
                for box in boxes
            )
        assert all(0 <= box.x0 < box.x1 <= SIZE[0] for box in boxes)
        assert all(box.x0 % CELL == box.y0 % CELL == 0 for box in boxes)
        assert all((box.x1 - box.x0) % 32 == 0 or box.x1 == SIZE[0] for box in boxes)


def test_far_apart_changes_get_boxes_of_their_own() -> None:
    mask = np.zeros((45, 60), bool)
    mask[2, 2] = mask[40, 55] = True
    assert len(boxes_around(mask, SIZE, margin=16)) == 2
    mask[2, 4] = True
    assert len(boxes_around(mask, SIZE, margin=16)) == 2
    assert boxes_around(np.zeros((45, 60), bool), SIZE, margin=16) == []
    assert Box(0, 0, 4, 3).area == 12


def test_dilated() -> None:
    mask = np.zeros((9, 9), bool)
    mask[4, 4] = True
    assert dilated(mask, 2).sum() == 25
    assert dilated(mask, 0).sum() == 1
