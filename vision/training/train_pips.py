"""``python -m vision.training.train_pips``: train the reader of a die's value.

Crops come from the store of ``dice.data``. With ``--families`` only those families of photographs
teach; without any, drawn dice and rendered tables alone. The photographs that were kept apart
of the same families are read in between, for the eye only.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2
import torch
from torch.nn import functional as F  # noqa: N812

from vision.dice.crops import crop_of
from vision.training import common, shipped
from vision.training.dice import batches as dice_batches
from vision.training.dice import data as dice_data
from vision.training.dice.data import MARGIN, PIPS_PX
from vision.training.dice.photos import FAMILIES, kept_apart, photographs
from vision.training.nets import PipsNet
from vision.training.opened import opened


def apart(families: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
    """Crops and classes of the photographs of these families that teach nothing."""
    crops, kinds = [], []
    for path, dice in (row for family in families for row in photographs(family)):
        if not dice or not kept_apart(path):
            continue
        image = opened(path)
        for box, kind in dice:
            if min(box[2] - box[0], box[3] - box[1]) >= 14:
                crops.append(torch.from_numpy(crop_of(image, box, PIPS_PX, MARGIN)))
                kinds.append(kind)
    return torch.stack(crops).float(), torch.tensor(kinds)


def main() -> None:
    """Train for a budget of minutes and leave ``pips.pt`` in the work folder."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--minutes", type=float, default=20)
    ask.add_argument("--batch", type=int, default=256)
    ask.add_argument("--rate", type=float, default=2e-3)
    ask.add_argument("--width", type=int, default=48, help="channels of the first layer")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--start", type=Path, help="weights to go on from")
    ask.add_argument("--name", default="pips")
    ask.add_argument("--store", type=Path, nargs="*")
    ask.add_argument("--families", nargs="*", choices=FAMILIES, default=list(FAMILIES))
    args = ask.parse_args()
    cv2.setNumThreads(1)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    device = common.device()
    stream = dice_batches.Crops(
        dice_data.load(args.store, "crops"), dice_data.crop_shares(args.families), args.seed
    )
    net = PipsNet(args.width).to(device, memory_format=torch.channels_last)
    facts = {"seed": args.seed, "minutes": args.minutes, "families": args.families}
    facts |= {"batch": args.batch, "device": device.type}
    if args.start:
        facts["start"] = shipped.begin(net, args.start, lambda: stream.batch(1024)[0])
    judge_x, judge_y = (part.to(device) for part in apart(args.families or FAMILIES))
    average = common.Average(net)
    best = torch.optim.AdamW(net.parameters(), weight_decay=0.02)
    clock = common.Clock(args.minutes, args.rate)
    net.train()
    step, shown, total, share = 0, 0.0, torch.zeros(()), clock.share
    while share < 1:
        for group in best.param_groups:
            group["lr"] = clock.rate()
        crops, kind = stream.batch(args.batch)
        with common.halves(device):
            logits = net(crops.contiguous(memory_format=torch.channels_last))
        loss = F.cross_entropy(logits.float(), kind, label_smoothing=0.02)
        best.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        best.step()
        average.update(net)
        step, total = step + 1, total + loss.detach()
        share = clock.share
        if share - shown > 0.04 or share >= 1:
            with torch.no_grad():
                right = (average.net(judge_x).argmax(1) == judge_y).float().mean().item()
            print(
                f"{share:.2f} steps {average.steps} "
                f"loss {total.item() / step:.3f} kept apart {right:.4f}",
                flush=True,
            )
            shown, step, total = share, 0, torch.zeros(())
            common.save(common.WORK / f"{args.name}.pt", average, last=share >= 1, **facts)


if __name__ == "__main__":
    main()
