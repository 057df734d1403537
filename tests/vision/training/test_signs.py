"""Keys, cards, dominoes and other signs that teach as no faces; needs PyTorch, as trainings do."""

from __future__ import annotations

import numpy as np
import pytest

from vision.image import Image

pytestmark = pytest.mark.training


def test_each_of_them_bears_something() -> None:
    """An empty one would be a blank white dragon, a missing glyph's frame a framed one."""
    from vision.training.pictures import signs
    from vision.training.pictures.glyphs import H, W

    rng = np.random.default_rng(7)
    drawn = [signs.draw(rng) for _ in range(400)]
    assert all(face.shape == (H, W, 3) and face.dtype == np.uint8 for face in drawn)
    inner = slice(10, -10)
    # a sign near the rim of a key may leave the middle empty
    bare = [face for face in drawn if face[inner, inner].reshape(-1, 3).std(0).max() < 3]
    assert len(bare) < 0.03 * len(drawn)
    assert not any(face.reshape(-1, 3).std(0).max() < 1 for face in drawn)


@pytest.mark.parametrize("sign", ["♦", "桌", "A"])
def test_a_font_without_a_sign_is_not_asked_for_it(sign: str) -> None:
    from vision.training.pictures import fonts, signs

    able = [font for font in (fonts.latin(), *fonts.chinese()) if not signs._lacks(font, sign)]
    assert able
    assert signs._lacks(able[0], "\U0010fffd")


def test_they_teach_that_there_is_no_face() -> None:
    """Nor which way is up."""
    from vision.training.pictures import face_data

    bank = face_data.Bank()
    bank.add("face:any", np.full((96, 72, 3), 230, np.uint8), "1z")
    stream = iter(face_data.Faces(bank, {"sign": 1.0}, 3, 0))
    for crop, target, turn in (next(stream) for _ in range(40)):
        assert crop.shape == (3, 64, 48)
        assert (target, turn) == (face_data.REJECT, -1.0)


def test_what_is_no_die_in_rows_of_them_lies_on_one() -> None:
    """Not on the ground beside it, of which nothing would be taught."""
    from vision.training.dice import grounds, scenes

    class Bare(grounds.Grounds):
        """A ground of one grey."""

        def __init__(self) -> None:
            pass

        def patch(self, _: np.random.Generator, size: int) -> Image:
            return np.full((size, size, 3), 128, np.uint8)

    rng = np.random.default_rng(5)
    for _ in range(20):
        picture, boxes = scenes.plates(rng, Bare())
        assert picture.shape == (scenes.SCENE, scenes.SCENE, 3)
        assert (picture != 128).any()
        for x0, y0, x1, y1 in boxes:
            assert x1 - x0 >= 12
            assert y1 - y0 == pytest.approx(x1 - x0)
            under = picture[max(0, int(y0)) : int(y1), max(0, int(x0)) : int(x1)]
            assert (under != 128).any()
