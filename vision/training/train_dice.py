"""``python -m vision.training.train_dice``: train the finder of dice.

Values are read from crops by another net (``train_pips``). Photographs of ``dice/mixed``
teach, ``dice/coloured`` (other dice, another camera) judges.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, IterableDataset

from vision.training import augment, common, face_data, grounds, sources, tile_data
from vision.training.nets import DiceNet
from vision.training.sources import Image
from vision.training.train_finder import heat_loss

STRIDE, NONE = 4, 6
Die = tuple[tuple[float, float, float, float], int]
"""Box xyxy in pixels and class: value - 1, or NONE."""


def photographs(part: str) -> list[tuple[Path, list[Die]]]:
    """Labelled photographs of ``mixed`` or ``coloured``."""
    rows = [
        json.loads(line)
        for line in (sources.DATA / "dice" / "labels.jsonl").read_text().splitlines()
    ]
    return [
        (
            sources.DATA / "dice" / r["image"],
            [(tuple(d["xyxy"]), d["value"] - 1) for d in r["dice"]],
        )
        for r in rows
        if r["image"].startswith(part)
    ]


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


def _redden(rng: np.random.Generator, image: Image, dice: list[Die]) -> None:
    """Asian dice have a red 1 and 4: colour the dark pips of light dice."""
    for (x0, y0, x1, y1), kind in dice:
        if kind not in (0, 3):
            continue
        part = image[int(max(0, y0)) : int(y1), int(max(0, x0)) : int(x1)]
        if part.size == 0:
            continue
        grey = part.max(2)
        if np.median(grey) > 150:
            pips = (grey.astype(np.float32) < np.median(grey) - 55)[..., None]
            part[:] = np.where(pips, np.uint8([30, 30, rng.integers(150, 230)]), part)


def dice_frame(rng: np.random.Generator) -> tuple[Image, list[Die], bool]:
    """A frame of the virtual table with many dice on it; True where none is half hidden."""
    from dataclasses import replace

    from hardware.virtual_table.camera.renderer import (
        Annotator,
        Renderer,
        random_look,
        random_scene,
    )
    from hardware.virtual_table.play.layout import Layout
    from hardware.virtual_table.scene import DieBody
    from vision.training.rendered import GEOMETRIES, random_camera

    layout = Layout.load(GEOMETRIES / "geometry-mcr.toml")
    scene = random_scene(rng, layout, float(rng.uniform(0, 100)))
    bodies = list(scene.dice)
    spots = [np.array((d.x, d.y)) for d in bodies]
    solid = [np.array((t.x, t.y)) for t in scene.tiles]
    for _ in range(60):
        spot = (
            spots[-1] + rng.normal(0, 1, 2) * 18
            if spots and rng.random() < 0.3
            else rng.uniform(-300, 300, 2)
        )
        if any(np.linalg.norm(spot - o) < 19 for o in spots) or any(
            np.linalg.norm(spot - o) < 33 for o in solid
        ):
            continue
        spots.append(spot)
        rolling = rng.random() < 0.1
        bodies.append(
            DieBody(
                float(spot[0]),
                float(spot[1]),
                float(rng.uniform(0, 360)),
                int(rng.integers(1, 7)),
                float(rng.uniform(100, 600)) if rolling else 0.0,
                bool(rng.random() < 0.06),
            )
        )
    scene = replace(scene, dice=tuple(bodies))
    camera, look = random_camera(rng), random_look(rng)
    image = np.array(Renderer(camera, layout, look, int(rng.integers(1 << 30))).render(scene))
    truth = Annotator(camera, layout, look).annotate(scene)
    dice = [
        (d.box, NONE if d.value is None else d.value - 1) for d in truth.dice if d.visible > 0.75
    ]
    hidden = any(0.2 < d.visible <= 0.75 for d in truth.dice)
    return image, dice, not hidden


class Pictures(IterableDataset):
    """Endless ``(image, heat, box, weight, ignore)``."""

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.seed = size, seed

    def __iter__(self):
        cv2.setNumThreads(1)
        rng, pick = np.random.default_rng(self.seed), random.Random(self.seed)

        stored = [(cv2.imread(str(p)), dice) for p, dice in photographs("mixed") if dice]
        plain = grounds.photo_grounds()[130:]
        bank = face_data.Bank()
        face_data.photographed(bank, "train")
        tables = []
        for rows in bank.designs.values():
            table: dict[str, list[Image]] = {}
            for image, label in rows:
                table.setdefault(label, []).append(image)
            tables.append(table)
        frames: list[tuple[Image, list[Die]]] = []
        homes = [p for p in sources.photos("homes") if p.family == "homes-box"]
        empty = [p.image() for p in pick.sample(homes, 90)]
        while True:
            roll = rng.random()
            ignore = np.zeros((self.size // STRIDE,) * 2, np.float32)
            if roll < 0.14:  # tiles, trays and mats without a die
                photo = pick.choice(empty)
                spot = tuple(rng.uniform(100, 540, 2))
                image, dice = _part(rng, photo, [], spot, float(rng.uniform(0.35, 2.0)), self.size)
            elif roll < 0.4:
                image, dice = self._photo(rng, *pick.choice(stored))
            elif roll < 0.72:
                image, dice = self._drawn(rng, plain, tables)
            else:
                if len(frames) < 24 or rng.random() < 0.006:
                    picture, dice, clear = dice_frame(rng)
                    if not clear:
                        continue
                    if len(frames) >= 24:
                        frames.pop(0)
                    frames.append((picture, dice))
                image, dice = self._frame(rng, *pick.choice(frames))
            heat, box, weight = encode(dice, self.size)
            image = augment.sensor(rng, augment.lens(rng, augment.light(rng, image, 0.9), 0.7))
            yield (
                torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1))),
                heat,
                box,
                weight,
                ignore,
            )

    def _photo(
        self, rng: np.random.Generator, image: Image, dice: list[Die]
    ) -> tuple[Image, list[Die]]:
        anchor, _ = dice[rng.integers(len(dice))]
        goal = float(np.exp(rng.normal(np.log(21), 0.2)).clip(14, 34))
        scale = goal / max(8.0, (anchor[2] - anchor[0] + anchor[3] - anchor[1]) / 2)
        out, dice = _part(
            rng,
            image,
            dice,
            ((anchor[0] + anchor[2]) / 2, (anchor[1] + anchor[3]) / 2),
            scale,
            self.size,
        )
        if rng.random() < 0.4:
            _redden(rng, out, dice)
        return out, dice

    def _frame(
        self, rng: np.random.Generator, image: Image, dice: list[Die]
    ) -> tuple[Image, list[Die]]:
        if dice and rng.random() < 0.85:
            b, _ = dice[rng.integers(len(dice))]
            centre = ((b[0] + b[2]) / 2, (b[1] + b[3]) / 2)
            base = (b[2] - b[0] + b[3] - b[1]) / 2
        else:
            centre, base = (rng.uniform(450, 1450), rng.uniform(100, 980)), 20.0
        goal = float(np.exp(rng.normal(np.log(22), 0.12)).clip(15, 32))
        return _part(rng, image, dice, centre, goal / base, self.size)

    def _drawn(
        self, rng: np.random.Generator, plain: list[Image], tables: list
    ) -> tuple[Image, list[Die]]:
        fine = self.size * 2
        if rng.random() < 0.3:
            picture, _ = tile_data.compose(rng, tables[rng.integers(len(tables))], self.size, plain)
            canvas = cv2.resize(picture, (fine, fine))
            # composed scenes may hold dice of their own: cover the middle with cloth
            m = fine // 6
            canvas[m:-m, m:-m] = grounds.cloth(rng, fine, plain)[m:-m, m:-m]
            lo, hi = m + 30, fine - m - 30
            canvas = canvas if rng.random() < 0.0 else _only_middle(canvas, m)
        else:
            canvas = grounds.cloth(rng, fine, plain)
            grounds.clutter(rng, canvas, 50.0)
            lo, hi = 30, fine - 30
        dice: list[Die] = []
        spots: list[np.ndarray] = []
        base = float(np.exp(rng.normal(np.log(32), 0.22)).clip(22, 52))
        for _ in range(rng.integers(1, 5)):
            s = base * rng.uniform(0.93, 1.07)
            near = spots and rng.random() < 0.35
            spot = spots[-1] + rng.normal(0, 1, 2) * s * 1.3 if near else rng.uniform(lo, hi, 2)
            if not (lo <= spot[0] <= hi and lo <= spot[1] <= hi) or any(
                np.linalg.norm(spot - o) < s * 1.3 for o in spots
            ):
                continue
            spots.append(spot)
            moving = rng.random() < 0.12
            layer = canvas.copy() if moving else canvas
            before = canvas.copy() if moving else None
            value = grounds.die(rng, layer, float(spot[0]), float(spot[1]), s)
            r = s * 0.66
            if moving and before is not None:
                n = int(rng.uniform(0.45, 1.2) * s)
                kernel = np.zeros((n, n), np.float32)
                a = rng.uniform(0, np.pi)
                c = (n - 1) / 2
                cv2.line(
                    kernel,
                    (round(c - c * np.cos(a)), round(c - c * np.sin(a))),
                    (round(c + c * np.cos(a)), round(c + c * np.sin(a))),
                    1.0,
                    1,
                )
                changed = (np.abs(layer.astype(int) - before).sum(2) > 0).astype(np.float32)
                soft = cv2.filter2D(changed, -1, kernel / kernel.sum())[..., None]
                smear = cv2.filter2D(layer, -1, kernel / kernel.sum())
                canvas[:] = (smear * soft + before * (1 - soft)).clip(0, 255).astype(np.uint8)
            dice.append(
                (
                    (
                        spot[0] / 2 - r / 2,
                        spot[1] / 2 - r / 2,
                        spot[0] / 2 + r / 2,
                        spot[1] / 2 + r / 2,
                    ),
                    NONE if moving else value - 1,
                )
            )
        return cv2.resize(canvas, (self.size, self.size), interpolation=cv2.INTER_AREA), dice


def _only_middle(canvas: Image, m: int) -> Image:
    """Blur what surrounds the middle away from dice-like detail but keep tiles' shapes."""
    keep = canvas[m:-m, m:-m].copy()
    soft = cv2.medianBlur(canvas, 9)
    soft[m:-m, m:-m] = keep
    return soft


def _part(
    rng: np.random.Generator,
    image: Image,
    dice: list[Die],
    centre: tuple[float, float],
    scale: float,
    size: int,
) -> tuple[Image, list[Die]]:
    """A scaled part turned by quarter turns, maybe mirrored (pips have no hand)."""
    reach = int(size / scale / 2) + 2
    jitter = rng.uniform(-0.3, 0.3, 2) * reach
    x0, y0 = int(centre[0] + jitter[0]) - reach, int(centre[1] + jitter[1]) - reach
    padded = (
        cv2.copyMakeBorder(
            image, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=(90, 90, 90)
        )
        if min(x0, y0) < 0 or x0 + 2 * reach > image.shape[1] or y0 + 2 * reach > image.shape[0]
        else None
    )
    part = (
        image[y0 : y0 + 2 * reach, x0 : x0 + 2 * reach]
        if padded is None
        else padded[max(0, y0 + reach) : y0 + 3 * reach, max(0, x0 + reach) : x0 + 3 * reach]
    )
    out = cv2.resize(
        part, (size, size), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    )
    fx, fy = size / part.shape[1], size / part.shape[0]
    boxes = np.array([b for b, _ in dice], np.float64).reshape(-1, 4)
    boxes = (boxes - (x0, y0, x0, y0)) * (fx, fy, fx, fy)
    for _ in range(rng.integers(4)):
        out = np.rot90(out)
        boxes = np.stack((boxes[:, 1], size - boxes[:, 2], boxes[:, 3], size - boxes[:, 0]), 1)
    if rng.random() < 0.5:
        out = out[:, ::-1]
        boxes = np.stack((size - boxes[:, 2], boxes[:, 1], size - boxes[:, 0], boxes[:, 3]), 1)
    return np.ascontiguousarray(out), [
        (tuple(b), k) for b, (_, k) in zip(boxes.tolist(), dice, strict=True)
    ]


def box_loss(maps: Tensor, box: Tensor, weight: Tensor) -> Tensor:
    """Offset and size near the centres."""
    each = F.smooth_l1_loss(maps, box, reduction="none", beta=0.1) * weight[:, None]
    return each.sum() / weight.sum().clamp(min=4)


def main() -> None:
    """Train for a budget of minutes and leave ``dice.pt`` in the work folder."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--minutes", type=float, default=15)
    ask.add_argument("--batch", type=int, default=24)
    ask.add_argument("--size", type=int, default=144)
    ask.add_argument("--rate", type=float, default=2e-3)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--start", default="")
    ask.add_argument("--name", default="dice")
    args = ask.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    stream = iter(
        DataLoader(Pictures(args.size, args.seed), args.batch, num_workers=1, prefetch_factor=3)
    )
    net = DiceNet().to(memory_format=torch.channels_last)
    if args.start:
        weights = torch.load(args.start)
        own = net.state_dict()
        net.load_state_dict(
            {k: v for k, v in weights.items() if v.shape == own[k].shape}, strict=False
        )
    average = common.Average(net)
    best = torch.optim.AdamW(net.parameters(), weight_decay=0.01)
    clock = common.Clock(args.minutes, args.rate)
    net.train()
    step, shown, sums = 0, 0.0, torch.zeros(2)
    while clock.share < 1:
        for group in best.param_groups:
            group["lr"] = clock.rate()
        image, heat, box, weight, ignore = next(stream)
        maps = net.logits(image.float().contiguous(memory_format=torch.channels_last))
        parts = (heat_loss(maps[:, :1], heat, ignore), 2 * box_loss(maps[:, 1:], box, weight))
        best.zero_grad(set_to_none=True)
        sum(parts).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        best.step()
        average.update(net)
        step, sums = step + 1, sums + torch.tensor([p.item() for p in parts])
        if clock.share - shown > 0.08 or clock.share >= 1:
            print(
                f"{clock.share:.2f} steps {average.steps} "
                f"heat {sums[0] / step:.3f} box {sums[1] / step:.3f}",
                flush=True,
            )
            shown, step, sums = clock.share, 0, torch.zeros(2)
            common.save(
                common.WORK / f"{args.name}.pt", average, seed=args.seed, minutes=args.minutes
            )


if __name__ == "__main__":
    main()
