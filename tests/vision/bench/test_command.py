"""The bench has every line it promises, and the peer beside it is of the class it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from hardware.virtual_table.camera.block import whole_set
from table_controller.app.measuring.seeing import laid
from vision.bench import peer as bench_peer
from vision.bench import seeing as bench
from vision.nets.finder import Finder
from vision.nets.reader import FaceReader


def test_the_peer_has_the_published_number_of_parameters() -> None:
    pytest.importorskip("onnx")
    _, parameters = bench_peer.build(classes=80)
    assert parameters == pytest.approx(0.91e6, rel=0.01)


def test_the_peer_looks_at_three_scales() -> None:
    pytest.importorskip("onnx")
    content, _ = bench_peer.build(classes=5)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    picture = np.zeros((1, 3, 96, 64), np.uint8)
    shapes = [found.shape for found in session.run(None, {"picture": picture})]
    assert shapes == [(1, 10, 12, 8), (1, 10, 6, 4), (1, 10, 3, 2)]


def test_without_the_package_the_peer_is_skipped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(_threads: int) -> None:
        raise bench_peer.PeerError("the package onnx is not installed")

    monkeypatch.setattr(bench_peer, "runner", missing)
    laid = bench.Laid(np.zeros((1080, 1920, 3), np.uint8), np.zeros((0, 4, 2), np.float32), ())
    (row,) = bench._beside_peer({}, laid)
    assert row["value"] == "skipped"
    assert "onnx is not installed" in row["note"]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("laid") / "1080.npz"
    laid(1080).store(path)
    return path


def test_the_block_has_136_tiles_in_the_middle(stored: Path) -> None:
    block = bench.Laid.load(stored)
    assert block.picture.shape == (1080, 1920, 3)
    assert block.quads.shape == (136, 4, 2)
    assert sorted(block.faces) == sorted(whole_set(136))
    middles = block.quads.mean(axis=1)
    assert (np.abs(middles.mean(axis=0) - (960, 540)) < 10).all()
    assert block.tile_px == pytest.approx(29, abs=2)


def test_a_part_has_the_tiles_that_lie_in_it_whole() -> None:
    picture = np.arange(60 * 80 * 3, dtype=np.uint8).reshape(60, 80, 3)
    tile = np.array([[0, 0], [6, 0], [6, 8], [0, 8]], np.float32)
    block = bench.Laid(picture, tile + np.array([[[30, 26]], [[37, 26]], [[44, 26]]]), tuple("abc"))
    part = block.part(16, 12)  # from (32, 24): cuts the first and the last
    assert (part.picture == picture[24:36, 32:48]).all()
    assert part.faces == ("b",)
    assert part.quads.tolist() == [(tile + np.array((5, 2))).tolist()]


def test_every_tile_of_the_block_is_told_and_read(stored: Path) -> None:
    finder, reader = Finder(), FaceReader()
    block = bench.Laid.load(stored)
    assert bench._rightly(finder, reader, block)["value"] == 136
    others = tuple(reversed(block.faces))
    same = sum(a == b for a, b in zip(block.faces, others, strict=True))
    row = bench._rightly(finder, reader, bench.Laid(block.picture, block.quads, others))
    assert (row["value"], row["note"]) == (same, "136 told")


def test_the_block_is_read_by_a_new_process(stored: Path) -> None:
    row = bench._start_to_first_reading(stored)
    assert row["what"] == "start to first reading"
    assert row["value"] > 0
