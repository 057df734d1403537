"""Any picture file is taken in upright, or refused with one clear line."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from PIL import Image as Pil

from vision.photo.command import run_read
from vision.photo.picture import PictureError, in_shape, load_picture, quality

RED = (20, 30, 200)


def _half(width: int = 60, height: int = 40) -> np.ndarray:
    """Left half red, right half white, BGR."""
    picture = np.full((height, width, 3), 255, np.uint8)
    picture[:, : width // 2] = RED
    return picture


def _store(
    path: Path, picture: np.ndarray, exif: Pil.Exif | bytes = b"", quality: int = 75
) -> Path:
    Pil.fromarray(picture[..., ::-1]).save(path, exif=exif, quality=quality)
    return path


def test_colour_order_and_shape(tmp_path: Path) -> None:
    found = load_picture(_store(tmp_path / "a.png", _half()))
    assert found.shape == (40, 60, 3)
    assert found.dtype == np.uint8
    assert tuple(found[5, 5]) == RED


@pytest.mark.parametrize(
    ("orientation", "shape", "red_at"),
    [
        (1, (40, 60), (5, 5)),
        (2, (40, 60), (5, 55)),
        (3, (40, 60), (5, 55)),
        (4, (40, 60), (5, 5)),
        (5, (60, 40), (5, 5)),
        (6, (60, 40), (5, 5)),
        (7, (60, 40), (55, 5)),
        (8, (60, 40), (55, 5)),
    ],
)
def test_exif_rotation(
    tmp_path: Path, orientation: int, shape: tuple[int, int], red_at: tuple[int, int]
) -> None:
    exif = Pil.Exif()
    exif[0x0112] = orientation
    found = load_picture(_store(tmp_path / "a.jpg", _half(), exif=exif, quality=95))
    assert found.shape[:2] == shape
    assert np.abs(found[red_at].astype(int) - RED).max() < 30


def _exif(*entries: bytes) -> bytes:
    """An EXIF block of these entries, as a camera or an editor may write them."""
    head = b"Exif\0\0II*\0" + struct.pack("<IH", 8, len(entries))
    return head + b"".join(entries) + struct.pack("<I", 0)


TURNED = struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0)


@pytest.mark.parametrize(
    ("exif", "shape"),
    [
        (_exif(TURNED, struct.pack("<HHI4s", 0x0100, 9, 1, b"\xff\xff\xff\xff")), (60, 40)),
        (_exif(TURNED, struct.pack("<HHI4s", 0x0100, 2, 4, b"abc\0")), (60, 40)),
        (_exif(TURNED, struct.pack("<HHI4s", 0x011A, 2, 4, b"abc\0")), (60, 40)),
        (_exif(TURNED, struct.pack("<HHI4s", 0x8769, 9, 1, b"\xff\xff\xff\xff")), (60, 40)),
        (_exif(TURNED)[:20], (40, 60)),
        (_exif(struct.pack("<HHI4s", 0x0112, 2, 2, b"6\0\0\0")), (40, 60)),
        (_exif(struct.pack("<HHIHH", 0x0112, 3, 1, 99, 0)), (40, 60)),
        (b"Exif\0\0no header", (40, 60)),
    ],
    ids=["negative", "words", "no number", "far away", "cut", "a word", "unknown", "none at all"],
)
def test_odd_exif_hides_no_picture(tmp_path: Path, exif: bytes, shape: tuple[int, int]) -> None:
    """It is turned where that can be read, whatever stands beside it, and else as it is."""
    found = load_picture(_store(tmp_path / "a.jpg", _half(), exif=exif))
    assert found.shape[:2] == shape


def _grey() -> np.ndarray:
    return np.tile(np.arange(64, dtype=np.uint8) * 4, (64, 1))


def _cv(path: Path, picture: np.ndarray) -> None:
    assert cv2.imwrite(str(path), picture)


DEEP = _grey().astype(np.uint16) * 257
CLEAR = np.dstack([_grey()] * 3 + [np.full((64, 64), 128, np.uint8)])


@pytest.mark.parametrize(
    ("name", "write", "expected"),
    [
        ("grey.png", lambda p: Pil.fromarray(_grey()).save(p), 128),
        ("grey.jpg", lambda p: Pil.fromarray(_grey()).save(p, quality=95), 128),
        ("bits.png", lambda p: Pil.fromarray(_grey() > 100).save(p), 255),
        ("grey16.png", lambda p: _cv(p, DEEP), 128),
        ("grey16.tif", lambda p: _cv(p, DEEP), 128),
        ("colour16.png", lambda p: _cv(p, np.dstack([DEEP] * 3)), 128),
        ("float.tif", lambda p: Pil.fromarray(_grey().astype(np.float32)).save(p), 128),
        ("float1.tif", lambda p: Pil.fromarray(_grey() / np.float32(255)).save(p), 128),
        ("alpha.png", lambda p: Pil.fromarray(CLEAR).save(p), 191),
        ("grey-alpha.png", lambda p: Pil.fromarray(CLEAR).convert("LA").save(p), 191),
        ("alpha.webp", lambda p: Pil.fromarray(CLEAR).save(p, lossless=True), 191),
        ("palette.png", lambda p: Pil.fromarray(_grey()).convert("P").save(p), 128),
        ("palette.gif", lambda p: Pil.fromarray(_grey()).save(p), 128),
        ("cmyk.jpg", lambda p: Pil.fromarray(_grey()).convert("CMYK").save(p, quality=95), 128),
        ("grey.bmp", lambda p: Pil.fromarray(_grey()).save(p), 128),
    ],
)
def test_every_depth_and_channel(
    tmp_path: Path, name: str, write: Callable[[Path], None], expected: int
) -> None:
    write(tmp_path / name)
    found = load_picture(tmp_path / name)
    assert found.shape == (64, 64, 3)
    assert found.dtype == np.uint8
    # half transparent lies on white
    assert np.abs(found[10, 32].astype(int) - expected).max() <= 3


def _png_of(width: int, height: int) -> bytes:
    """A PNG that says these sides and holds nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + data


def _encoded(ending: str) -> bytes:
    noise = np.random.default_rng(1).integers(0, 255, (200, 200, 3), np.uint8)
    return bytes(cv2.imencode(ending, noise)[1])


REFUSED = [
    ("text.jpg", b"no picture", "not a picture"),
    ("empty.png", b"", "not a picture"),
    ("page.html", b"<html><img src='a.jpg'></html>", "not a picture"),
    ("sheet.pdf", b"%PDF-1.7 1 0 obj", "not a picture"),
    ("cut.jpg", _encoded(".jpg")[:4000], "damaged or cut off"),
    ("cut.png", _encoded(".png")[:-60], "damaged or cut off"),
    ("cut.webp", _encoded(".webp")[:900], "damaged or cut off|not a picture"),
    ("head.png", _encoded(".png")[:20], "not a picture|damaged or cut off"),
    ("zero.png", _png_of(0, 0), "0 x 0|not a picture|damaged or cut off"),
    ("narrow.png", _png_of(400, 0), "400 x 0|not a picture|damaged or cut off"),
    ("vast.png", _png_of(2_000_000_000, 2_000_000_000), "pixels|damaged|not a picture"),
    ("hollow.png", _png_of(400, 300), "damaged or cut off"),
    ("wide.png", _png_of(20_000, 400), "20000 x 400 pixels, at most 16000"),
    ("many.png", _png_of(12_000, 12_000), "64 million"),
    ("tiny.png", _png_of(8, 8), "8 x 8 pixels, too small"),
]


@pytest.mark.parametrize(("name", "content", "why"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused_with_one_line_that_names_the_file(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes,
    why: str,
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(PictureError, match=why) as caught:
        load_picture(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_what_a_decoder_gives_up_is_refused_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of AVIF says so in its own way."""

    def load() -> None:
        raise RuntimeError("Failed to decode image: Missing or empty image item")

    path = _store(tmp_path / "a.png", _half())
    monkeypatch.setattr(Pil, "open", lambda _: SimpleNamespace(size=(60, 40), load=load))
    with pytest.raises(PictureError, match=r"a\.png: damaged or cut off \(Failed to decode"):
        load_picture(path)


@pytest.mark.parametrize(("name", "why"), [("none.jpg", "no such file"), (".", "is a folder")])
def test_what_is_no_file(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(PictureError, match=why):
        load_picture(tmp_path / name)


def test_the_command_goes_on_after_a_bad_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.png").write_bytes(b"no picture")
    dark = _store(tmp_path / "dark.png", (_scene() * 0.1).astype(np.uint8))
    assert run_read([tmp_path / "bad.png", dark], as_json=True) == 2
    out, errors = capsys.readouterr()
    first, second = errors.splitlines()
    assert first == f"{tmp_path}/bad.png: not a picture in a format that can be read"
    assert second.startswith(f"{dark}: too dark: brightest parts ")
    (row,) = [json.loads(line) for line in out.splitlines()]
    assert row["notes"][0].startswith("too dark")


def _scene() -> np.ndarray:
    rng = np.random.default_rng(3)
    picture = np.full((480, 640, 3), (60, 110, 50), np.uint8)
    for _ in range(60):
        x, y = (int(v) for v in rng.integers(0, 560, 2))
        cv2.rectangle(picture, (x, y), (x + 40, y + 56), (230, 235, 235), -1)
        cv2.circle(picture, (x + 20, y + 28), 9, (30, 30, 160), 3)
    return picture


def _moved(picture: np.ndarray, pixels: int, degrees: float) -> np.ndarray:
    kernel = np.zeros((pixels, pixels), np.float32)
    c = (pixels - 1) / 2
    d = np.array((np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees)))) * c
    ends = np.round(np.array((c, c)) + np.stack((-d, d))).astype(int)
    cv2.line(kernel, tuple(ends[0].tolist()), tuple(ends[1].tolist()), 1.0, 1)
    return np.asarray(cv2.filter2D(picture, -1, kernel / kernel.sum()), np.uint8)


def _bright(picture: np.ndarray) -> np.ndarray:
    return np.asarray(np.clip(picture.astype(int) + 200, 0, 255), np.uint8)


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (lambda p: p, None),
        (lambda p: _noisy(p), None),
        (lambda p: (p * 0.12).astype(np.uint8), r"too dark: brightest parts \d+ of 255"),
        (_bright, r"too bright: darkest parts \d+ of 255"),
        (lambda p: cv2.GaussianBlur(p, (0, 0), 5), r"out of focus or moved: sharpness 1\.\d"),
        (lambda p: _moved(p, 9, 0), r"moved during the exposure: sharpness \d\.\d along"),
        (lambda p: _moved(p, 9, 90), r"moved during the exposure: sharpness \d\.\d along"),
        (lambda p: _moved(p, 11, 40), r"moved during the exposure: sharpness \d\.\d along"),
        (lambda p: _noisy(_moved(p, 11, 120)), r"moved during the exposure"),
    ],
)
def test_what_is_wrong_is_said_with_its_measure(
    change: Callable[[np.ndarray], np.ndarray], note: str | None
) -> None:
    notes = quality(change(_scene())).notes()
    if note is None:
        assert notes == ()
    else:
        assert len(notes) == 1
        assert re.match(note, notes[0])


def _stretched(picture: np.ndarray, wider: float) -> np.ndarray:
    """Of the same area, to be made so many times as wide to have its shape again."""
    by = (1 / wider**0.5, wider**0.5)
    return np.asarray(cv2.resize(picture, None, fx=by[0], fy=by[1], interpolation=cv2.INTER_AREA))


@pytest.mark.parametrize("wider", [0.22, 0.4, 2.5, 4.6])
def test_a_picture_stretched_one_way_has_not_moved(wider: float) -> None:
    """Of 122 photographs of automatic tables seven that were stretched 2.2 to 4.7 times."""
    stretched = _stretched(cv2.GaussianBlur(_scene(), (0, 0), 1.2), wider)
    assert "moved during" in quality(stretched).notes()[0]
    assert quality(in_shape(stretched, wider)).notes() == ()


@pytest.mark.parametrize("degrees", [0, 90])
def test_a_picture_that_moved_and_was_stretched_has_moved(degrees: float) -> None:
    moved = _moved(_scene(), 11, degrees)
    assert "moved" in quality(in_shape(_stretched(moved, 2.5), 2.5)).notes()[0]


@pytest.mark.parametrize("wider", [0.7, 1.0, 1.41])
def test_tiles_seen_aslant_leave_a_picture_as_it_is(wider: float) -> None:
    picture = _scene()
    assert in_shape(picture, wider) is picture


def _noisy(picture: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng(2).normal(0, 4, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)
