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
    run: dict[str, object] = {"seed": seed, "minutes": 10}
    common.resume(tmp_path / "s.pt", net, other, best, clock, run)
    assert other.steps == steps


def test_no_threshold_is_chosen_for_a_net_that_finds_nothing() -> None:
    from vision.training.judging import thresholds

    wrong = [(0.5, False), (0.9, False)]
    with pytest.raises(ValueError, match="no threshold"):
        thresholds.best(wrong, 10)
    assert thresholds.best(wrong, 10, trial=True)[1] == 0
    assert thresholds.best([(0.5, True)], 1)[1] == 1


def test_a_shipped_reader_goes_on_from_what_it_tells() -> None:
    import numpy as np
    import torch

    from vision.nets import modelfile
    from vision.nets.reader import CROP_H, CROP_W, FaceReader
    from vision.training import nets, shipped
    from vision.training.pictures import sources

    rng = np.random.default_rng(1)
    coarse = rng.integers(0, 256, (300, CROP_H // 8, CROP_W // 8, 3), dtype=np.uint8)
    crops = coarse.repeat(8, axis=1).repeat(8, axis=2)
    path = modelfile.default_dir() / "reader.onnx"
    seen = torch.from_numpy(crops.transpose(0, 3, 1, 2).astype(np.float32))
    net = nets.ReaderNet(len(sources.LABELS))
    shipped.restore(net, path, seen)
    for layer in net.modules():
        if isinstance(layer, torch.nn.Dropout):
            layer.p = 0.0
    told, _ = FaceReader(threads=1).outputs(crops)
    for mode in (False, True):
        with torch.no_grad():
            mine = net.train(mode)(seen).numpy()
        assert np.abs(mine - told).mean() < 0.05 * np.abs(told).mean()


def test_shipped_nets_of_dice_go_on_from_what_they_tell() -> None:
    import cv2
    import numpy as np
    import torch

    from vision.nets import modelfile
    from vision.training import nets, shipped

    rng = np.random.default_rng(2)
    coarse = [rng.integers(0, 256, (8, 8, 3), dtype=np.uint8) for _ in range(60)]
    for name, net, px in (("pips", nets.PipsNet(), 40), ("dice", nets.DiceNet(), 64)):
        seen = np.stack([cv2.resize(one, (px, px)) for one in coarse])
        model = modelfile.load(name)
        path = modelfile.default_dir() / f"{name}.onnx"
        planes = torch.from_numpy(seen.transpose(0, 3, 1, 2).astype(np.float32))
        assert shipped.begin(net, path, planes.clone)["version"]
        told = np.concatenate([model.run(one[None])[0] for one in seen])
        with torch.no_grad():
            mine = net.eval()(planes).numpy()
        assert np.abs(mine - told).mean() < 0.1 * np.abs(told).mean(), name


def test_another_file_is_no_shipped_reader() -> None:
    import torch

    from vision.nets import modelfile
    from vision.training import nets, shipped

    for name, why in (("pips", "a layer of"), ("finder", "layers, ReaderNet has 12")):
        path = modelfile.default_dir() / f"{name}.onnx"
        with pytest.raises(ValueError, match=why):
            shipped.restore(nets.ReaderNet(47), path, torch.zeros(2, 3, 64, 48))
