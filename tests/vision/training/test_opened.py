"""Pictures that teach are opened, or named."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.training.opened import opened


def test_a_picture_comes_as_it_is(tmp_path: Path) -> None:
    picture = np.arange(5 * 4 * 3, dtype=np.uint8).reshape(5, 4, 3)
    cv2.imwrite(str(tmp_path / "a.png"), picture)
    assert (opened(tmp_path / "a.png") == picture).all()


@pytest.mark.parametrize("content", [None, b"", b"no picture"])
def test_what_is_none_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a.png"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.png: not a readable picture"):
        opened(path)
