"""``python -m vision.training.train_finder``: train the tile finder."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

import cv2
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from vision.training import common, replay
from vision.training.nets import FinderNet
from vision.training.pictures import face_data, oriented, sets, taught, tile_data

_BATCH, _CARD_BATCH = 16, 128
"""Samples of a step on a processor and on a graphics card."""


def heat_loss(logits: Tensor, heat: Tensor, ignore: Tensor) -> Tensor:
    """Penalty-reduced focal loss of centre points, per tile."""
    p = logits.sigmoid().clamp(1e-5, 1 - 1e-5)
    on = (heat >= 0.999).float()
    off = (1 - on) * (1 - heat) ** 4 * (1 - ignore)[:, None]
    loss = -(on * (1 - p) ** 2 * p.log() + off * p**2 * (1 - p).log())
    return loss.sum() / on.sum().clamp(min=8)


def box_loss(maps: Tensor, box: Tensor, weight: Tensor, shape: Tensor) -> Tensor:
    """Offset, sides, directions and visibility near the centres."""
    total = weight.sum().clamp(min=4)
    w = weight[:, None]
    place = (
        F.smooth_l1_loss(maps[:, 3:5], box[:, 0:2], reduction="none", beta=0.2) * w
    ).sum() / total
    ws = w * shape[:, None]
    sides = (
        F.smooth_l1_loss(maps[:, 5:7], box[:, 2:4], reduction="none", beta=0.03) * ws
    ).sum() / total
    turn = (
        F.smooth_l1_loss(maps[:, 7:11], box[:, 4:8], reduction="none", beta=0.1) * ws
    ).sum() / total
    seen = (
        F.binary_cross_entropy_with_logits(maps[:, 11], box[:, 8].clamp(0, 1), reduction="none")
        * weight
    ).sum() / total
    return place + 4 * sides + turn + 0.3 * seen


def arms_loss(arms: Tensor, truth: Tensor, known: Tensor) -> Tensor:
    """Arm cells, where the truth about arms is known."""
    each = F.binary_cross_entropy_with_logits(arms[:, 0], truth, reduction="none").mean((1, 2))
    return (each * known).sum() / known.sum().clamp(min=1)


def main() -> None:
    """Train for a budget of minutes and leave ``finder.pt`` in the work folder."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--minutes", type=float, default=60)
    ask.add_argument("--batch", type=int, help="samples of a step: 16, on a card 128")
    ask.add_argument("--size", type=int, default=256)
    ask.add_argument("--rate", type=float, default=2e-3)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--threads", type=int, default=1)
    ask.add_argument("--workers", type=int, help="processes that make samples: 1, on a card more")
    ask.add_argument("--kept", type=int, default=40_000, help="samples kept on a graphics card")
    ask.add_argument("--start", type=Path, help="weights to begin with")
    ask.add_argument("--resume", action="store_true", help="go on with an interrupted run")
    ask.add_argument("--name", default="finder")
    ask.add_argument("--arms", type=float, default=1.5, help="weight of the arm map")
    ask.add_argument("--rendered", type=float, default=0.0, help="share of virtual-table frames")
    args = ask.parse_args()
    # a worker that is forked while threads of OpenCV run waits for ever
    cv2.setNumThreads(1)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    bank = face_data.Bank()
    face_data.photographed(bank, taught.NEXT.designs)
    pictures = [p for p in map(oriented.real, taught.teaching()) if p is not None]
    frames = None
    if args.rendered:
        from vision.training.pictures.rendered import Frames

        frames = Frames()
    rest = 1 - args.rendered
    odds = {
        "scene": 0.62 * rest,
        "real": 0.28 * rest,
        "large": 0.06 * rest,
        "small": 0.04 * rest,
        "frame": args.rendered,
    }
    data = tile_data.Scenes(bank, pictures, frames, args.size, args.seed, odds)
    device = common.card()
    args.batch = args.batch or (_BATCH if device.type == "cpu" else _CARD_BATCH)
    args.workers = args.workers or replay.workers(device)
    stream = replay.batches(data, args.batch, device, args.workers, args.kept)
    net = FinderNet().to(device, memory_format=torch.channels_last)
    facts = {"seed": args.seed, "minutes": args.minutes}
    run = dict(facts)
    facts |= {"fonts": sets.drawn_with(), "batch": args.batch, "device": device.type}
    if args.start:
        net.load_state_dict(torch.load(args.start, map_location=device))
        facts["start"] = common.facts_of(args.start)
    average = common.Average(net, 0.999)
    best = torch.optim.AdamW(net.parameters(), weight_decay=0.01)
    clock = common.Clock(args.minutes, args.rate)
    going = common.WORK / f"{args.name}.state.pt"
    if args.resume and going.exists():
        common.resume(going, net, average, best, clock, run)
    net.train()
    step, shown, sums, share = 0, 0.0, torch.zeros(3, device=device), clock.share
    while share < 1:
        for group in best.param_groups:
            group["lr"] = clock.rate()
        image, heat, box, weight, shape, ignore, arms, known = next(stream)
        with common.halves(device):
            maps, arm = net.logits(image.contiguous(memory_format=torch.channels_last))
        maps, arm = maps.float(), arm.float()
        parts = (
            heat_loss(maps[:, :3], heat, ignore),
            box_loss(maps, box, weight, shape),
            args.arms * arms_loss(arm, arms, known.float()),
        )
        loss = sum(parts)
        best.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        best.step()
        average.update(net)
        step, sums = step + 1, sums + torch.stack([p.detach() for p in parts])
        share = clock.share
        if share - shown > min(0.05, 2 / args.minutes) or share >= 1:
            print(
                f"{share:.2f} steps {average.steps} heat {sums[0] / step:.3f} "
                f"box {sums[1] / step:.3f} arms {sums[2] / step:.3f}",
                flush=True,
            )
            shown, step, sums = share, 0, torch.zeros(3, device=device)
            # a disk that is full for a while costs nothing but what is written last
            with contextlib.nullcontext() if share >= 1 else contextlib.suppress(OSError):
                common.save(common.WORK / f"{args.name}.pt", average, last=share >= 1, **facts)
                common.keep(going, net, average, best, clock, run)
    going.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
