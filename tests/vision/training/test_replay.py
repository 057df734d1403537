"""What a graphics card learns from; `make models` runs these first, with PyTorch."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from torch import Tensor

pytestmark = pytest.mark.training


def _numbered(parts: int, failure: BaseException | None = None) -> Iterator[list[Tensor]]:
    """Samples of number and number over two, 32 in a part."""
    import torch

    for k in range(parts):
        numbers = torch.arange(32) + 32 * k
        yield [numbers, numbers / 2]
    if failure is not None:
        raise failure


def _settled(parts: int, size: int) -> list[Tensor]:
    import torch

    from vision.training.replay import Ring

    ring = Ring(_numbered(parts), size, torch.device("cpu"))
    until = time.monotonic() + 20
    while ring.taken < 32 * parts and time.monotonic() < until:
        time.sleep(0.01)
    return ring.batch(3000)


def test_the_newest_samples_are_kept_and_their_parts_stay_together() -> None:
    numbers, halves = _settled(parts=40, size=200)
    assert int(numbers.min()) >= 32 * 40 - 200
    assert len(set(numbers.tolist())) > 190
    assert (numbers == halves * 2).all()


def test_of_a_ring_that_is_not_full_only_what_is_there_is_drawn() -> None:
    numbers, _ = _settled(parts=4, size=1000)
    assert set(numbers.tolist()) == set(range(128))


def test_a_stream_that_broke_off_says_so() -> None:
    import torch

    from vision.training.replay import Ring

    ring = Ring(_numbered(1, OSError("no space")), 1000, torch.device("cpu"))
    with pytest.raises(RuntimeError, match="no more samples") as told:
        ring.batch(3)
    assert isinstance(told.value.__cause__, OSError)


def test_a_ring_that_is_closed_takes_nothing_more() -> None:
    import torch

    from vision.training.replay import Ring

    ring = Ring(_numbered(1_000_000), 1000, torch.device("cpu"))
    ring.close()
    taken = ring.taken
    time.sleep(0.05)
    assert taken == ring.taken > 0


def test_another_light_leaves_pictures_what_they_are() -> None:
    import torch

    from vision.training.replay import relit

    torch.manual_seed(1)
    image = torch.full((500, 3, 8, 8), 120.0)
    after = relit(image)
    assert 0 <= float(after.min()) < 110
    assert 130 < float(after.max()) <= 255
    assert abs(float(after.mean()) - 120) < 5


def test_stored_sets_are_taken_as_they_were_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vision.training.pictures import drawn, sets

    monkeypatch.setattr(sets, "WORK", tmp_path)
    sets.store(sets.folder(), 2, seed=5)
    taken = sets.take(random.Random(1))
    near = [
        np.mean([np.abs(taken[k][0].astype(int) - made[k][0]).mean() for k in taken])
        for made in map(sets.faces_of, drawn.designs(2, 5))
        if set(made) == set(taken)
    ]
    assert min(near) < 6
    assert sets.drawn_with()


def test_a_lamp_of_one_colour_leaves_light_and_shape() -> None:
    from vision.training.pictures import augment

    rng = np.random.default_rng(4)
    image = np.zeros((20, 20, 3), np.uint8)
    image[5:15, 5:15] = (200, 210, 205)
    for _ in range(20):
        after = augment.tinted(rng, image)
        assert after[:5].max() == 0
        inside = after[6:14, 6:14].reshape(-1, 3).mean(0)
        assert inside.max() > 150  # one channel keeps all of its light
        assert inside.min() > 30


@pytest.mark.parametrize("seed", range(24))
def test_flowers_are_told_from_each_other_by_their_sign(seed: int) -> None:
    from vision.training.pictures import drawn

    design = drawn.Design(seed, "own")
    faces = [design.face(f"{n}f").astype(int) for n in range(1, 9)]
    for k, one in enumerate(faces):
        for other in faces[k + 1 :]:
            upper = np.abs(one[:32] - other[:32]).max(2) > 60
            assert upper.sum() > 15
