"""``python -m vision.training.train_dice``: train the finder of dice.

Values are read from crops by another net (``train_pips``). The pictures come from the store of
``dice.data``: drawn dice, frames of the virtual table, places where no die lies, and the
photographs of ``--families``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from vision.training import common, shipped
from vision.training.dice import batches as dice_batches
from vision.training.dice import data as dice_data
from vision.training.dice.photos import FAMILIES, Die
from vision.training.nets import DiceNet
from vision.training.train_finder import heat_loss

STRIDE = 4
WORKERS = 3
"""Processes that cut scenes beside a graphics card."""


def encode(dice: list[Die], size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heat (1, n, n), box (4, n, n) and its weight (n, n)."""
    n = size // STRIDE
    heat, box, weight = (
        np.zeros((1, n, n), np.float32),
        np.zeros((4, n, n), np.float32),
        np.zeros((n, n), np.float32),
    )
    ys, xs = np.mgrid[:n, :n].astype(np.float32) + 0.5
    for (x0, y0, x1, y1), _ in dice:
        cx, cy, w, h = (
            (x0 + x1) / 2 / STRIDE,
            (y0 + y1) / 2 / STRIDE,
            (x1 - x0) / STRIDE,
            (y1 - y0) / STRIDE,
        )
        if not (0 <= cx < n and 0 <= cy < n) or min(w, h) < 1:
            continue
        bump = np.exp(-0.5 * (((xs - cx) / (0.14 * w)) ** 2 + ((ys - cy) / (0.14 * h)) ** 2))
        np.maximum(heat[0], bump, out=heat[0])
        heat[0, int(cy), int(cx)] = 1
        mine = bump > np.maximum(weight, 0.2)
        for k, value in enumerate((cx - xs, cy - ys)):
            box[k][mine] = value[mine]
        box[2][mine], box[3][mine] = np.log(w * STRIDE / 20), np.log(h * STRIDE / 20)
        weight[mine] = bump[mine]
    return heat, box, weight


def box_loss(maps: Tensor, box: Tensor, weight: Tensor) -> Tensor:
    """Offset and size near the centres."""
    each = F.smooth_l1_loss(maps, box, reduction="none", beta=0.1) * weight[:, None]
    return each.sum() / weight.sum().clamp(min=4)


def main() -> None:
    """Train for a budget of minutes and leave ``dice.pt`` in the work folder."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--minutes", type=float, default=20)
    ask.add_argument("--batch", type=int, default=32)
    ask.add_argument("--size", type=int, default=128)
    ask.add_argument("--rate", type=float, default=2e-3)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--start", type=Path, help="weights to go on from")
    ask.add_argument("--name", default="dice")
    ask.add_argument("--store", type=Path, nargs="*")
    ask.add_argument("--families", nargs="*", choices=FAMILIES, default=list(FAMILIES))
    args = ask.parse_args()
    cv2.setNumThreads(1)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    device = common.device()
    scenes = dice_data.load(args.store, "scenes")
    # cutting scenes costs a processor more than a graphics card needs for a step
    workers = 0 if device.type == "cpu" else WORKERS
    shares = dice_data.shares(args.families)
    stream = dice_batches.Scenes(scenes, shares, args.seed, args.size, workers)
    net = DiceNet().to(device, memory_format=torch.channels_last)
    facts = {"seed": args.seed, "minutes": args.minutes, "families": args.families}
    facts |= {"batch": args.batch, "device": device.type}
    if args.start:
        facts["start"] = shipped.begin(net, args.start, lambda: stream.batch(256)[0])
    average = common.Average(net)
    best = torch.optim.AdamW(net.parameters(), weight_decay=0.01)
    clock = common.Clock(args.minutes, args.rate)
    net.train()
    step, shown, sums, share = 0, 0.0, torch.zeros(2), clock.share
    while share < 1:
        for group in best.param_groups:
            group["lr"] = clock.rate()
        image, heat, box, weight = stream.batch(args.batch)
        with common.halves(device):
            maps = net.logits(image.contiguous(memory_format=torch.channels_last))
        maps = maps.float()
        ignore = torch.zeros_like(heat[:, 0])
        parts = (heat_loss(maps[:, :1], heat, ignore), 2 * box_loss(maps[:, 1:], box, weight))
        best.zero_grad(set_to_none=True)
        sum(parts).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        best.step()
        average.update(net)
        step, sums = step + 1, sums + torch.stack([p.detach() for p in parts])
        share = clock.share
        if share - shown > 0.04 or share >= 1:
            print(
                f"{share:.2f} steps {average.steps} "
                f"heat {sums[0] / step:.3f} box {sums[1] / step:.3f}",
                flush=True,
            )
            shown, step, sums = share, 0, torch.zeros(2)
            common.save(common.WORK / f"{args.name}.pt", average, last=share >= 1, **facts)


if __name__ == "__main__":
    main()
