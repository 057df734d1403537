"""The bench has every line it promises, and the peer beside it is of the class it says."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from vision.bench import peer as bench_peer
from vision.bench import seeing as bench


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
    (row,) = bench._beside_peer({}, np.zeros((1080, 1920, 3), np.uint8))
    assert row["value"] == "skipped"
    assert "onnx is not installed" in row["note"]


def test_the_drawn_table_has_136_tiles_in_the_middle() -> None:
    picture = bench.drawn_table(1080)
    assert picture.shape == (1080, 1920, 3)
    quads = bench._quads(1080)
    assert quads.shape == (136, 4, 2)
    middles = quads.mean(axis=1)
    assert (np.abs(middles.mean(axis=0) - (960, 540)) < 10).all()
    assert picture[int(middles[0, 1]) - 15, int(middles[0, 0])].min() > 200
