"""``python -m vision.training.train_pips``: train the reader of a die's value.

Crops of ``dice/mixed``, of drawn dice and of the virtual table; ``dice/coloured`` judges.
"""

from __future__ import annotations

import argparse
import random

import cv2
import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, IterableDataset

from vision.dice import crop_of
from vision.training import augment, common, grounds
from vision.training.nets import PipsNet
from vision.training.sources import Image
from vision.training.train_dice import NONE, dice_frame, photographs

Stored = tuple[Image, tuple[float, float, float, float], int]
"""A part of a picture around a die, the die's box in it, its class."""


def around(image: Image, box: tuple[float, float, float, float], kind: int) -> Stored:
    """The die with half its size around it."""
    x0, y0, x1, y1 = box
    m = 0.6 * max(x1 - x0, y1 - y0)
    a, b = max(0, int(x0 - m)), max(0, int(y0 - m))
    part = image[b : int(y1 + m) + 1, a : int(x1 + m) + 1]
    longest = max(part.shape[:2])
    f = min(1.0, 110 / longest)
    if f < 1:
        part = cv2.resize(part, None, fx=f, fy=f, interpolation=cv2.INTER_AREA)
    return part.copy(), ((x0 - a) * f, (y0 - b) * f, (x1 - a) * f, (y1 - b) * f), kind


def stored(part: str) -> list[Stored]:
    """All dice of the photographs of a part that are large enough to be read."""
    found = []
    for path, dice in photographs(part):
        if not dice:
            continue
        image = cv2.imread(str(path))
        for box, kind in dice:
            if min(box[2] - box[0], box[3] - box[1]) >= 14:
                found.append(around(image, box, kind))
    return found


def drawn(rng: np.random.Generator, plain: list[Image]) -> Stored:
    """A drawn die on a cloth, maybe with another one touching it."""
    s = float(rng.uniform(26, 60))
    size = int(s * 3)
    canvas = grounds.cloth(rng, size, plain)
    c = size / 2
    if rng.random() < 0.3:
        a = rng.uniform(0, 2 * np.pi)
        grounds.die(rng, canvas, c + 1.25 * s * np.cos(a), c + 1.25 * s * np.sin(a), s)
    value = grounds.die(rng, canvas, c, c, s)
    kind = value - 1
    if rng.random() < 0.12:
        n = int(rng.uniform(0.4, 1.0) * s)
        kernel = np.zeros((n, n), np.float32)
        a = rng.uniform(0, np.pi)
        m = (n - 1) / 2
        p, q = (
            (round(m - m * np.cos(a)), round(m - m * np.sin(a))),
            (round(m + m * np.cos(a)), round(m + m * np.sin(a))),
        )
        cv2.line(kernel, p, q, 1.0, 1)
        canvas = cv2.filter2D(canvas, -1, kernel / kernel.sum())
        kind = NONE
    r = s * 0.65
    return canvas, (c - r, c - r, c + r, c + r), kind


def sample(rng: np.random.Generator, one: Stored, turn: bool) -> tuple[torch.Tensor, int]:
    """An augmented crop; ``turn``: seen from above, so it may lie at any angle."""
    part, box, kind = one
    x0, y0, x1, y1 = box
    side = max(x1 - x0, y1 - y0)
    jitter = rng.normal(0, 0.05, 2) * side
    grow = np.exp(rng.normal(0.0, 0.07))
    cx, cy = (x0 + x1) / 2 + jitter[0], (y0 + y1) / 2 + jitter[1]
    half = side / 2 * grow
    goal = float(np.exp(rng.uniform(np.log(13), np.log(34))))
    f = goal / side
    if f < 1:
        part = cv2.resize(part, None, fx=f, fy=f, interpolation=cv2.INTER_AREA)
        cx, cy, half = cx * f, cy * f, half * f
    if turn:
        m = cv2.getRotationMatrix2D((cx, cy), float(rng.uniform(0, 360)), 1)
        part = cv2.warpAffine(part, m, part.shape[1::-1], borderMode=cv2.BORDER_REFLECT_101)
    if rng.random() < 0.45:  # other paints on the same dice
        part = part[..., rng.permutation(3)]
        if rng.random() < 0.4:
            part = 255 - part
    part = augment.sensor(rng, augment.lens(rng, augment.light(rng, part), 0.55 + goal * 0.012))
    if rng.random() < 0.25 and kind in (0, 3):
        grey = part.max(2)
        if np.median(grey) > 140:
            pips = (grey.astype(np.float32) < np.median(grey) - 50)[..., None]
            part = np.where(pips, np.uint8([30, 30, rng.integers(140, 230)]), part)
    crop = crop_of(np.ascontiguousarray(part), (cx - half, cy - half, cx + half, cy + half))
    if rng.random() < 0.5:
        crop = crop[:, :, ::-1]
    return torch.from_numpy(np.ascontiguousarray(crop)), kind


class Crops(IterableDataset):
    """Endless crops and classes."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __iter__(self):
        cv2.setNumThreads(1)
        rng, pick = np.random.default_rng(self.seed), random.Random(self.seed)
        photos = stored("mixed")
        plain = grounds.photo_grounds()[130:]
        pool: list[list[Stored]] = []
        while True:
            roll = rng.random()
            if roll < 0.4:
                yield sample(rng, pick.choice(photos), False)
            elif roll < 0.68:
                yield sample(rng, drawn(rng, plain), True)
            else:
                if len(pool) < 6 or rng.random() < 0.0012:
                    image, dice, _ = dice_frame(rng)
                    if dice:
                        pool = [*pool[-23:], [around(image, b, k) for b, k in dice]]
                yield sample(rng, pick.choice(pick.choice(pool)), bool(rng.random() < 0.5))


def main() -> None:
    """Train for a budget of minutes and leave ``pips.pt`` in the work folder."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--minutes", type=float, default=8)
    ask.add_argument("--batch", type=int, default=128)
    ask.add_argument("--rate", type=float, default=2e-3)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--start", default="")
    ask.add_argument("--name", default="pips")
    args = ask.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    stream = iter(DataLoader(Crops(args.seed), args.batch, num_workers=1, prefetch_factor=3))
    net = PipsNet().to(memory_format=torch.channels_last)
    if args.start:
        net.load_state_dict(torch.load(args.start))
    judges = [(torch.from_numpy(crop_of(p, b)), k) for p, b, k in stored("coloured")]
    judge_x, judge_y = (
        torch.stack([c for c, _ in judges]).float(),
        torch.tensor([k for _, k in judges]),
    )
    average = common.Average(net)
    best = torch.optim.AdamW(net.parameters(), weight_decay=0.02)
    clock = common.Clock(args.minutes, args.rate)
    net.train()
    step, shown, total = 0, 0.0, 0.0
    while clock.share < 1:
        for group in best.param_groups:
            group["lr"] = clock.rate()
        crops, kind = next(stream)
        loss = F.cross_entropy(
            net(crops.float().contiguous(memory_format=torch.channels_last)),
            kind,
            label_smoothing=0.03,
        )
        best.zero_grad(set_to_none=True)
        loss.backward()
        best.step()
        average.update(net)
        step, total = step + 1, total + loss.item()
        if clock.share - shown > 0.1 or clock.share >= 1:
            with torch.no_grad():
                right = (average.net(judge_x).argmax(1) == judge_y).float().mean().item()
            print(
                f"{clock.share:.2f} steps {average.steps} "
                f"loss {total / step:.3f} coloured {right:.4f}",
                flush=True,
            )
            shown, step, total = clock.share, 0, 0.0
            common.save(
                common.WORK / f"{args.name}.pt", average, seed=args.seed, minutes=args.minutes
            )


if __name__ == "__main__":
    main()
