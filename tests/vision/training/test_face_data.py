"""Crops that teach the face reader; these tests need PyTorch, as trainings do."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

pytestmark = pytest.mark.training


@pytest.mark.parametrize("seed", range(12))
def test_what_is_cut_off_lies_beyond_one_line(seed: int) -> None:
    """Along an edge, or across a corner as where a tile lies askew at the picture's edge."""
    from vision.training.pictures import face_data

    rng = np.random.default_rng(seed)
    crop = rng.integers(0, 256, (64, 48, 3)).astype(np.uint8)
    cut = face_data.cut_off(rng, crop.copy())
    assert cut.shape == crop.shape
    changed = (cut != crop).any(2)
    assert 0.001 < changed.mean() < 0.45
    strip = cut[changed]
    rows, columns = np.nonzero(changed)
    kept = np.argwhere(~changed)
    middle = np.array((31.5, 23.5))
    out = np.array((rows.mean(), columns.mean())) - middle
    out /= np.linalg.norm(out)
    # no line parts the two exactly in whole pixels; the middle is never cut off
    assert np.median((kept - middle) @ out) < np.median(
        np.stack((rows - middle[0], columns - middle[1]), 1) @ out
    )
    assert not changed[32, 24]
    one_colour = (strip == strip[0]).all()
    assert one_colour or cut[changed].std() < 1.2 * crop.std()


@pytest.mark.parametrize("label", ["5z", "back"])
def test_no_blank_face_is_taught_askew(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blank crop off its face looks like one on it: white dragons became `?`."""
    from vision.training.pictures import face_data

    turns: list[float] = []
    real = cv2.getPerspectiveTransform

    def spy(corners: np.ndarray, goal: np.ndarray) -> np.ndarray:
        across = corners[1] - corners[0]
        turns.append(float(np.degrees(np.arctan2(across[1], across[0]))))
        return np.asarray(real(corners, goal))

    monkeypatch.setattr(cv2, "getPerspectiveTransform", spy)
    rng = np.random.default_rng(3)
    body = np.full((face_data.H, face_data.W, 3), 230, np.uint8)
    tossed = [face_data.crop_of(rng, body, [], [], label)[1] for _ in range(400)]
    straight = [abs(turn) for turn, off in zip(turns, tossed, strict=True) if not off]
    assert np.percentile(straight, 99) < 9
    turns.clear()
    other = [face_data.crop_of(rng, body, [], [], "1m")[1] for _ in range(400)]
    loose = [abs(turn) for turn, off in zip(turns, other, strict=True) if not off]
    assert np.percentile(loose, 99) > 9
