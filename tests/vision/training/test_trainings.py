"""What trainings write; `make models` runs these first, with the PyTorch that it installs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from vision.training import common

pytestmark = pytest.mark.training


@pytest.fixture
def average() -> common.Average:
    import torch

    from vision.training import common

    return common.Average(torch.nn.Linear(2, 2))


def test_weights_have_their_name_when_the_run_has_ended(
    tmp_path: Path, average: common.Average
) -> None:
    import torch

    from vision.training import common

    path = tmp_path / "reader.pt"
    common.save(path, average, last=False, seed=3)
    assert not path.exists()
    common.save(path, average, last=True, seed=3)
    assert set(torch.load(path)) == {"weight", "bias"}
    facts = json.loads((tmp_path / "reader.json").read_text())
    assert facts["seed"] == 3
    assert facts["taught"]["designs"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["reader.json", "reader.pt"]


@pytest.mark.parametrize(("seed", "steps"), [(3, 7), (4, 0)])
def test_only_a_run_of_the_same_seed_is_gone_on_with(
    tmp_path: Path, average: common.Average, seed: int, steps: int
) -> None:
    import torch

    from vision.training import common

    net = torch.nn.Linear(2, 2)
    best = torch.optim.AdamW(net.parameters())
    average.steps = 7
    clock = common.Clock(10, 0.01)
    common.keep(tmp_path / "s.pt", net, average, best, clock, {"seed": 3, "minutes": 10})
    other = common.Average(net)
    run = {"seed": seed, "minutes": 10}
    common.resume(tmp_path / "s.pt", net, other, best, clock, run)
    assert other.steps == steps


def test_no_threshold_is_chosen_for_a_net_that_finds_nothing() -> None:
    from vision.training.judging import thresholds

    wrong = [(0.5, False), (0.9, False)]
    with pytest.raises(ValueError, match="no threshold"):
        thresholds.best(wrong, 10)
    assert thresholds.best(wrong, 10, trial=True)[1] == 0
    assert thresholds.best([(0.5, True)], 1)[1] == 1
