"""Any picture file is taken in upright, or refused with one clear line."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image as Pil

from vision.picture import PictureError, load_picture, quality

RED = (20, 30, 200)


def _half(width: int = 60, height: int = 40) -> np.ndarray:
    """Left half red, right half white, BGR."""
    picture = np.full((height, width, 3), 255, np.uint8)
    picture[:, : width // 2] = RED
    return picture


def _store(path: Path, picture: np.ndarray, **extra: object) -> Path:
    Pil.fromarray(picture[..., ::-1]).save(path, **extra)
    return path


def test_colour_order_and_shape(tmp_path: Path) -> None:
    found = load_picture(_store(tmp_path / "a.png", _half()))
    assert found.shape == (40, 60, 3)
    assert found.dtype == np.uint8
    assert tuple(found[5, 5]) == RED


@pytest.mark.parametrize(
    ("orientation", "shape", "red_at"),
    [(1, (40, 60), (5, 5)), (3, (40, 60), (5, 55)), (6, (60, 40), (5, 5)), (8, (60, 40), (55, 5))],
)
def test_exif_rotation(
    tmp_path: Path, orientation: int, shape: tuple[int, int], red_at: tuple[int, int]
) -> None:
    exif = Pil.Exif()
    exif[0x0112] = orientation
    found = load_picture(_store(tmp_path / "a.jpg", _half(), exif=exif, quality=95))
    assert found.shape[:2] == shape
    assert np.abs(found[red_at].astype(int) - RED).max() < 30


def test_grey_alpha_sixteen_bit_and_palette(tmp_path: Path) -> None:
    grey = np.tile(np.arange(64, dtype=np.uint8) * 4, (64, 1))
    Pil.fromarray(grey).save(tmp_path / "grey.png")
    assert load_picture(tmp_path / "grey.png")[10, 32].tolist() == [128] * 3

    clear = np.zeros((32, 32, 4), np.uint8)
    Pil.fromarray(clear).save(tmp_path / "clear.png")
    assert load_picture(tmp_path / "clear.png").min() == 255

    deep = grey.astype(np.uint16) * 257
    assert cv2.imwrite(str(tmp_path / "deep.png"), deep)
    assert abs(int(load_picture(tmp_path / "deep.png")[10, 32, 0]) - 128) <= 1
    assert cv2.imwrite(str(tmp_path / "deep3.png"), np.repeat(deep[..., None], 3, axis=2))
    assert abs(int(load_picture(tmp_path / "deep3.png")[10, 32, 0]) - 128) <= 1

    Pil.fromarray(_half()[..., ::-1]).convert("P").save(tmp_path / "palette.png")
    assert load_picture(tmp_path / "palette.png").shape == (40, 60, 3)


def test_refused_with_the_file_named(tmp_path: Path) -> None:
    (tmp_path / "text.jpg").write_text("no picture", "utf-8")
    (tmp_path / "empty.png").write_bytes(b"")
    good = _store(
        tmp_path / "good.jpg", np.random.default_rng(1).integers(0, 255, (200, 200, 3), np.uint8)
    )
    (tmp_path / "cut.jpg").write_bytes(good.read_bytes()[:4000])
    png = _store(tmp_path / "good.png", _half(300, 300))
    (tmp_path / "cut.png").write_bytes(png.read_bytes()[:-60])
    for name, why in (
        ("text.jpg", "not a picture"),
        ("empty.png", "not a picture"),
        ("cut.jpg", "damaged or cut off"),
        ("cut.png", "damaged or cut off"),
        ("none.jpg", "no such file"),
        (".", "is a folder"),
    ):
        with pytest.raises(PictureError, match=why) as caught:
            load_picture(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("size", "why"), [((20_000, 4), "20000 x 4"), ((8, 8), "too small")])
def test_sizes_that_cannot_be(tmp_path: Path, size: tuple[int, int], why: str) -> None:
    Pil.new("L", size).save(tmp_path / "odd.png")
    with pytest.raises(PictureError, match=why):
        load_picture(tmp_path / "odd.png")


def test_a_huge_picture_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    Pil.new("1", (12_000, 12_000)).save(tmp_path / "huge.png")
    with pytest.raises(PictureError, match="64 million"):
        load_picture(tmp_path / "huge.png")


def _scene() -> np.ndarray:
    rng = np.random.default_rng(3)
    picture = np.full((480, 640, 3), (60, 110, 50), np.uint8)
    for _ in range(60):
        x, y = (int(v) for v in rng.integers(0, 560, 2))
        cv2.rectangle(picture, (x, y), (x + 40, y + 56), (230, 235, 235), -1)
        cv2.circle(picture, (x + 20, y + 28), 9, (30, 30, 160), 3)
    return picture


def test_quality_names_what_is_wrong() -> None:
    sharp = _scene()
    assert quality(sharp).notes() == ()
    assert any("too dark" in n for n in quality((sharp * 0.12).astype(np.uint8)).notes())
    bright = np.clip(sharp.astype(int) + 200, 0, 255).astype(np.uint8)
    assert any("too bright" in n for n in quality(bright).notes())
    soft = cv2.GaussianBlur(sharp, (0, 0), 5)
    (note,) = quality(soft).notes()
    assert note.startswith("out of focus or moved: sharpness 1.")
