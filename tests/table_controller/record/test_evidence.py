"""Evidence: what is kept, what is dropped, what a full disk does."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.record.evidence import EvidenceStore, FrameRing
from tests.pictures import read


def ring_with(seconds: float = 4.0, every: float = 0.2) -> FrameRing:
    ring = FrameRing(seconds=seconds, every=every, width=320)
    for number in range(60):
        image = np.full((360, 640, 3), number * 4, np.uint8)
        ring.add(100 + number * 0.1, "top", image)
    return ring


def test_the_ring_thins_out_scales_down_and_forgets() -> None:
    ring = ring_with()
    kept = ring.between(0, 1000)
    assert kept[0].t == pytest.approx(102, abs=0.21)
    assert kept[-1].t == pytest.approx(105.9, abs=0.11)
    assert len(kept) == 21  # both ends of four seconds
    image = cv2.imdecode(np.frombuffer(kept[0].jpeg, np.uint8), 1)
    assert image is not None
    assert image.shape == (180, 320, 3)


def test_before_after_and_a_clip_that_plays(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "evidence", ring_with())
    files = store.save("alert-1", before=104.0, after=105.0)
    assert files == ("alert-1/before.jpg", "alert-1/after.jpg", "alert-1/clip.mp4")
    before, after = (read(store.root / name) for name in files[:2])
    assert float(before.mean()) < float(after.mean())
    clip = cv2.VideoCapture(str(store.root / files[2]))
    count = 0
    while clip.read()[0]:
        count += 1
    assert count >= 10


def test_no_frame_no_evidence(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "evidence", FrameRing())
    assert store.save("alert-1", before=1, after=2) == ()
    assert not store.root.exists()


def test_oldest_unneeded_goes_first_and_what_is_held_stays(tmp_path: Path) -> None:
    held = {"alert-0"}
    store = EvidenceStore(tmp_path, ring_with(), limit_bytes=1, held=held.__contains__)
    for number in range(4):
        store.save(f"alert-{number}", before=104, after=105)
        os.utime(tmp_path / f"alert-{number}", (number, number))
    store._limit = store.size() // 2
    assert store.trim() == ["alert-1", "alert-2"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alert-0", "alert-3"]


def test_a_place_that_cannot_be_written_is_said_and_does_not_stop(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "evidence").write_text("a file where the folder should be")
    store = EvidenceStore(tmp_path / "evidence", ring_with())
    assert store.save("alert-1", before=104, after=105) == ()
    assert "not written" in caplog.text


def test_what_is_too_old_goes_unless_it_is_held(tmp_path: Path) -> None:
    held = {"alert-0"}
    store = EvidenceStore(
        tmp_path, FrameRing(), held=held.__contains__, keep_s=100.0, clock=lambda: 1000.0
    )
    for number, t in enumerate((10, 20, 950)):
        store.keep(f"alert-{number}", "a.jpg", b"x")
        os.utime(tmp_path / f"alert-{number}", (t, t))
    assert store.trim() == ["alert-1"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alert-0", "alert-2"]
