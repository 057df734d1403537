"""Drawn dice and boards that teach the nets of dice; needs PyTorch, as trainings do."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.training


def test_boards_differ_and_what_lies_on_them_is_within() -> None:
    from vision.training.dice.boards import board

    rng = np.random.default_rng(5)
    drawn = [board(rng, 160) for _ in range(12)]
    assert sum(len(boxes) for _, boxes in drawn) > 40
    for image, boxes in drawn:
        assert image.shape == (160, 160, 3)
        assert image.reshape(-1, 3).std(0).max() > 3
        rows = np.array(boxes).reshape(-1, 4)
        assert (rows[:, 2:] > rows[:, :2]).all()
        assert (rows >= 0).all()
        assert (rows <= 160).all()
    assert len({image.tobytes() for image, _ in drawn}) == len(drawn)


def test_what_bears_a_number_lies_where_its_box_says() -> None:
    """A token stands out from its field: its box has edges, as one laid anywhere would seldom."""
    from vision.training.dice.boards import board

    rng = np.random.default_rng(6)
    told = []
    for _ in range(40):
        image, boxes = board(rng, 200)
        steps = np.abs(np.diff(image.astype(np.float32), axis=0)).max(2)
        for x0, y0, x1, y1 in boxes:
            if x1 - x0 > 12:
                told.append(steps[int(y0) : int(y1), int(x0) : int(x1)].mean() / steps.mean())
    assert np.median(told) > 1.3


def test_a_die_that_its_ground_hides_has_nearly_its_colour_and_pips_that_show() -> None:
    from vision.training.dice.makes import style

    rng = np.random.default_rng(7)
    ground = np.array((40, 60, 180), np.float32)
    makes = [style(rng, ground) for _ in range(60)]
    off = np.array([np.abs(make.body - ground).max() for make in makes])
    assert np.median(off) < 40
    assert min(np.abs(make.body - make.pip).max() for make in makes) > 30


def test_turned_hues_leave_greys_and_light_as_they_were() -> None:
    import torch

    from vision.training.dice import batches

    torch.manual_seed(3)
    grey = torch.full((8, 3, 4, 4), 90.0)
    assert torch.allclose(batches.hues(grey.clone(), 1.0), grey, atol=1e-3)
    red = torch.zeros(64, 3, 2, 2) + torch.tensor((20.0, 30.0, 200.0))[:, None, None]
    turned = batches.hues(red.clone(), 1.0)
    assert torch.allclose(turned.mean(1), red.mean(1), atol=1e-3)
    assert (turned - red).abs().amax((1, 2, 3)).median() > 50
    assert torch.equal(batches.hues(red.clone(), 0.0), red)


def test_light_runs_along_the_rim_of_a_side_and_leaves_its_middle() -> None:
    from dataclasses import replace

    from vision.training.dice.makes import rimmed, style

    rng = np.random.default_rng(8)
    make = replace(style(rng), rim=1.0, rim_at=0.4)
    off = np.linspace(-0.48, 0.48, 25, dtype=np.float32)
    x, y = (part.ravel() for part in np.meshgrid(off, off))
    side = np.stack((x, y, np.full_like(x, 0.5)), axis=1)
    bright = np.max([rimmed(rng, make, side) for _ in range(20)], axis=0)
    away = np.abs(side[:, :2]).max(1)
    assert bright[away < 0.2].max() < 0.01
    assert bright[(away > 0.38) & (away < 0.42)].mean() > 0.2
    assert 0 <= bright.min() <= bright.max() <= 1
    assert not rimmed(rng, replace(make, rim=0.0), side).any()


def test_smeared_colours_keep_their_light() -> None:
    import torch

    from vision.training.dice import batches
    from vision.training.dice.makes import LIGHT

    torch.manual_seed(4)
    # red pips of one pixel on green, in the light that is left
    x = torch.full((6, 3, 12, 12), 100.0)
    x[:, 2, ::2] += 60
    x[:, 1, 1::2] += 60
    light = torch.tensor(LIGHT)[:, None, None]
    told = batches.smeared(x.clone(), 1.0)
    assert torch.allclose((told * light).sum(1), (x * light).sum(1), atol=1.0)
    assert (told[:, 2] - told[:, 1]).std() < 0.6 * (x[:, 2] - x[:, 1]).std()
    assert torch.equal(batches.smeared(x.clone(), 0.0), x)
