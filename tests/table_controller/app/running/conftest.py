"""A recording of nothing much."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.recording import RecordingWriter
from hardware.virtual_table.play.layout import packaged_geometry

FRAMES = 12


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Twelve pictures, a tenth of a second apart, of nothing much."""
    folder = tmp_path / "whole"
    camera = overhead((640, 360), name="top")
    with RecordingWriter(
        folder,
        ruleset="mcr-1998",
        geometry=packaged_geometry("mcr"),
        cameras=[camera],
        east=1,
    ) as writer:
        for number in range(FRAMES):
            image = np.random.default_rng(number).integers(40, 120, (360, 640, 3), dtype=np.uint8)
            writer.frame("top", number / 10, image)
    key = {"kind": "key_pressed", "seat": 0, "key": "pass"}
    lines = [{"t": t, **key} for t in (0.05, 0.55, 1.05)]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "sensors.jsonl").write_text(text, encoding="utf-8")
    (folder / "truth.jsonl").write_text(text, encoding="utf-8")
    return folder
