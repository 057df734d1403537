"""Batches for the dice nets: drawn from the store, changed in colour, light and sharpness."""

from __future__ import annotations

import random
from collections.abc import Iterator

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from vision.training.dice.data import MARGIN, PIPS_PX, Crop
from vision.training.dice.makes import LIGHT
from vision.training.dice.photos import Scene
from vision.training.dice.scenes import CROP, CROP_DIE

_ORDERS = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


def _u(n: int, low: float, high: float, *shape: int) -> Tensor:
    return torch.rand(n, *(shape or (1, 1, 1))) * (high - low) + low


def _some(n: int, share: float) -> Tensor:
    """Which of n are chosen, about so many of them."""
    return torch.nonzero(torch.rand(n) < share)[:, 0]


def colours(x: Tensor, repaint: float = 0.4) -> Tensor:
    """Other paints, light, glare and exposure for a batch (N, 3, H, W) of 0..255."""
    n, _, h, w = x.shape
    order = torch.tensor(_ORDERS)[torch.where(torch.rand(n) < repaint, torch.randint(6, (n,)), 0)]
    x = x.gather(1, order[:, :, None, None].expand(-1, -1, h, w))
    turned = (torch.rand(n, 1, 1, 1) < 0.25 * repaint).float()
    x = x * (1 - turned) + (255 - x) * turned
    x = hues(x, 0.6 * repaint)
    grey = x.mean(1, keepdim=True)
    x = grey + (x - grey) * torch.where(torch.rand(n, 1, 1, 1) < 0.3, _u(n, 0.5, 1.7), 1.0)
    mean = x.mean((1, 2, 3), keepdim=True)
    x = mean + (x - mean) * torch.where(torch.rand(n, 1, 1, 1) < 0.5, _u(n, 0.45, 1.35), 1.0)
    x = x * _u(n, 0.88, 1.12, 3, 1, 1) * torch.exp(torch.randn(n, 1, 1, 1) * 0.2)
    x = x + torch.randn(n, 1, 1, 1) * 10
    ys = torch.linspace(-1, 1, h)[:, None]
    xs = torch.linspace(-1, 1, w)[None]
    a = _u(n, 0, 2 * np.pi)
    slope = torch.where(torch.rand(n, 1, 1, 1) < 0.4, _u(n, 0.05, 0.4), 0.0)
    side = a.cos() * xs + a.sin() * ys
    x = x * (1 + slope * side)
    edge = torch.where(torch.rand(n, 1, 1, 1) < 0.12, _u(n, 0.2, 0.6), 0.0)
    x = x * (1 - edge * torch.sigmoid((side - _u(n, -0.6, 0.6)) * _u(n, 5, 30)))
    glare = torch.where(torch.rand(n, 1, 1, 1) < 0.12, _u(n, 30, 170), 0.0)
    dx, dy = xs - _u(n, -1, 1), ys - _u(n, -1, 1)
    x = x + glare * torch.exp(-(dx**2 / _u(n, 0.02, 0.4) + dy**2 / _u(n, 0.02, 0.4)))
    x = x.clamp(0, 255)
    some = _some(n, 0.3)
    x[some] = 255 * (x[some] / 255) ** torch.exp(_u(len(some), -0.5, 0.5))
    return x


def hues(x: Tensor, share: float) -> Tensor:
    """All hues of some of a batch (N, 3, H, W) turned alike: about the axis of greys."""
    some = _some(len(x), share)
    a = _u(len(some), 0, 2 * np.pi, 1, 1)
    one, third = torch.eye(3), torch.full((3, 3), 1 / 3)
    cross = torch.tensor(((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0))) / 3**0.5
    turn = a.cos() * one + (1 - a.cos()) * third + a.sin() * cross
    x[some] = torch.einsum("nij,njhw->nihw", turn, x[some])
    return x


def marbled(x: Tensor, share: float = 0.16) -> Tensor:
    """Clouds of colour or of grey over some of a batch (N, 3, H, W), as on marbled dice."""
    some = _some(len(x), share)
    n = len(some)
    for cells in (4, 9):
        rough = torch.randn(n, 3, cells, cells) * _u(n, 0, 0.8)
        rough = (rough + torch.randn(n, 1, cells, cells) * _u(n, 0, 1)) * _u(n, 5, 28)
        x[some] += F.interpolate(rough, x.shape[2:], mode="bilinear", align_corners=False)
    return x


def specks(x: Tensor, share: float = 0.2) -> Tensor:
    """Black and white specks on some of a batch (N, 3, H, W): bad pixels, dust, sparkling cloth."""
    some = _some(len(x), share)
    n, (h, w) = len(some), x.shape[2:]
    dense = torch.exp(_u(n, float(np.log(0.003)), float(np.log(0.05))))
    hit = (torch.rand(n, 1, h, w) < dense) * _u(n, 0.3, 1.0)
    white = (torch.rand(n, 1, h, w) < 0.5) * 255.0
    x[some] += (white - x[some]) * hit
    return x


def smeared(x: Tensor, share: float = 0.4) -> Tensor:
    """Some of a batch (N, 3, H, W) with their colours smeared, as stored pictures have them.

    A camera keeps colours at half the pixels or fewer: of red pips on a dark die that differ in
    colour alone little is left where the die has thirty pixels.
    """
    some = _some(len(x), share)
    size = x.shape[2:]
    for part in some.chunk(3):
        by = (2, 2, 3, 4)[int(torch.randint(4, (), device="cpu"))]
        light = (x[part] * torch.tensor(LIGHT)[:, None, None]).sum(1, keepdim=True)
        coarse = F.interpolate(x[part] - light, (size[0] // by, size[1] // by), mode="area")
        colour = F.interpolate(coarse, size, mode="bilinear", align_corners=False)
        x[part] = (light + colour).clamp(0, 255).round()
    return x


def softer(x: Tensor, coarse: tuple[float, float], sigma: float, alike: int = 12) -> Tensor:
    """Lenses and coarse sensors: every ``alike`` of a batch with their own blur and pixel size."""
    parts = []
    chance = random.Random(int(torch.randint(1 << 30, (), device="cpu")))
    for part in x.split(alike):
        one = part
        size = part.shape[-2:]
        roll = chance.random()
        if roll < 0.55:
            f = chance.uniform(*coarse)
            if f < 0.95:
                small = (max(4, round(size[0] * f)), max(4, round(size[1] * f)))
                one = F.interpolate(one, small, mode="area")
                if chance.random() < 0.4:
                    one = _blur(one, chance.uniform(0.2, 0.8))
                one = F.interpolate(one, size, mode="bilinear", align_corners=False)
        elif roll < 0.85:
            one = _blur(one, chance.uniform(0.2, sigma))
        elif roll < 0.92:
            one = one + 0.8 * (one - _blur(one, 1.0))
        parts.append(one)
    x = torch.cat(parts)
    n = len(x)
    x = x + torch.randn(x.shape) * torch.where(torch.rand(n, 1, 1, 1) < 0.7, _u(n, 0.5, 7), 0.0)
    # pixels that a bad sensor or storage lost
    some = _some(n, 0.06)
    lost = _u(len(some), 0.001, 0.015)
    roll = torch.rand(len(some), 1, *x.shape[2:])
    x[some] = torch.where(roll < lost, 255.0, torch.where(roll > 1 - lost, 0.0, x[some]))
    return x.clamp(0, 255).round()


def _blur(x: Tensor, sigma: float) -> Tensor:
    r = max(1, round(2.5 * sigma))
    k = torch.exp(-0.5 * (torch.arange(-r, r + 1) / sigma) ** 2)
    k = k / k.sum()
    c = x.shape[1]
    x = F.conv2d(F.pad(x, (r, r, 0, 0), "replicate"), k.view(1, 1, 1, -1).expand(c, 1, 1, -1),
                 groups=c)  # fmt: skip
    return F.conv2d(F.pad(x, (0, 0, r, r), "replicate"), k.view(1, 1, -1, 1).expand(c, 1, -1, 1),
                    groups=c)  # fmt: skip


Batch = tuple[np.ndarray, ...]
"""Pictures, heat, boxes and weights of several scenes."""


def _stacked(rows: list[Batch]) -> Batch:
    return tuple(np.stack(part) for part in zip(*rows, strict=True))


def _as_it_is(rows: Batch) -> Batch:
    return rows


class _Cut(IterableDataset[Batch]):
    """Batches of scenes, cut beside a graphics card by a process each."""

    def __init__(self, scenes: Scenes, n: int) -> None:
        self.scenes, self.n = scenes, n

    def __iter__(self) -> Iterator[Batch]:
        mine = get_worker_info()
        self.scenes.rng = np.random.default_rng((self.scenes.seed, mine.id if mine else 0))
        cv2.setNumThreads(1)
        while True:
            yield _stacked([self.scenes.one() for _ in range(self.n)])


def _to_device(rows: np.ndarray) -> Tensor:
    return torch.from_numpy(rows).to(torch.get_default_device())


class Crops:
    """Endless batches of crops and classes; ``shares`` by group of the store."""

    def __init__(self, crops: dict[str, list[Crop]], shares: dict[str, float], seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        torch.manual_seed(seed)
        self.names, self.shares = list(shares), np.array(list(shares.values()))
        self.images = {
            g: _to_device(np.stack([c[0] for c in crops[g]]).transpose(0, 3, 1, 2).copy())
            for g in self.names
        }
        self.kinds = {g: np.array([c[1] for c in crops[g]]) for g in self.names}
        self.turns = {g: np.array([c[2] for c in crops[g]]) for g in self.names}
        # all values alike often
        self.weights = {}
        for g in self.names:
            count = np.bincount(self.kinds[g], minlength=8)
            w = 1 / np.maximum(count, 1)[self.kinds[g]]
            w *= np.where(self.kinds[g] == 6, 0.4, 1.0)
            self.weights[g] = w / w.sum()

    def batch(self, n: int) -> tuple[Tensor, Tensor]:
        """(n, 3, PIPS_PX, PIPS_PX) of 0..255 and classes (n,)."""
        counts = self.rng.multinomial(n, self.shares / self.shares.sum())
        xs, ks, ts = [], [], []
        for g, count in zip(self.names, counts, strict=True):
            i = self.rng.choice(len(self.kinds[g]), count, p=self.weights[g])
            xs.append(self.images[g][_to_device(i)])
            ks.append(self.kinds[g][i])
            ts.append(self.turns[g][i])
        order = self.rng.permutation(n)
        x = torch.cat(xs)[_to_device(order)].float()
        kind = _to_device(np.concatenate(ks)[order])
        turns = _to_device(np.concatenate(ts)[order])
        x = specks(marbled(self._move(x, turns)))
        return smeared(softer(colours(x), (0.36, 1.0), 1.3, max(12, n // 48))), kind

    def _move(self, x: Tensor, turns: Tensor) -> Tensor:
        n = len(x)
        angle = torch.where(turns, torch.rand(n) * 2 * np.pi, torch.randn(n) * 0.15)
        # the part of the stored crop that a box drawn well shows, a little off
        reach = CROP_DIE * MARGIN / CROP * torch.exp(torch.randn(n) * 0.09)
        flip = torch.where(torch.rand(n) < 0.5, -1.0, 1.0)
        # pictures that somebody squeezed; the longer side still fills the crop
        narrow = torch.where(torch.rand(n) < 0.4, torch.exp(torch.randn(n) * 0.28), 1.0)
        wide, high = reach * narrow.clamp(min=1) * flip, reach / narrow.clamp(max=1)
        c, s = angle.cos(), angle.sin()
        shift = torch.randn(n, 2) * 0.05
        # and slanted
        slant = torch.where(torch.rand(n) < 0.25, torch.randn(n) * 0.15, 0.0)
        theta = torch.stack(
            (torch.stack((c * wide, (c * slant - s) * high, shift[:, 0]), 1),
             torch.stack((s * wide, (s * slant + c) * high, shift[:, 1]), 1)), 1,
        )  # fmt: skip
        grid = F.affine_grid(theta, [n, 3, PIPS_PX, PIPS_PX], align_corners=False)
        return F.grid_sample(x, grid, padding_mode="border", align_corners=False)


class Scenes:
    """Endless batches of scenes with the finder's targets."""

    def __init__(
        self,
        scenes: dict[str, list[Scene]],
        shares: dict[str, float],
        seed: int,
        size: int,
        workers: int = 0,
    ) -> None:
        self.rng, self.seed = np.random.default_rng(seed), seed
        torch.manual_seed(seed)
        self.scenes, self.size, self.workers = scenes, size, workers
        self.names, self.shares = list(shares), np.array(list(shares.values()))
        self.loader: Iterator[Batch] | None = None

    def one(self) -> Batch:
        """A part of one scene (3, size, size), turned and scaled, with its targets."""
        from vision.training.train_dice import encode

        rng, size = self.rng, self.size
        rows = self.scenes[self.names[rng.choice(len(self.names), p=self.shares)]]
        image, dice = rows[rng.integers(len(rows))]
        side = image.shape[0]
        boxes = np.array([b for b, _ in dice], np.float64).reshape(-1, 4)
        if rng.random() < 0.5:  # another size, other pixels
            f = float(np.exp(rng.normal(0, 0.1)).clip(size / side, 1.25))
            n = round(side * f)
            how = cv2.INTER_AREA if f < 1 else cv2.INTER_LINEAR
            image = np.asarray(cv2.resize(image, (n, n), interpolation=how), np.uint8)
            boxes, side = boxes * (n / side), n
        x0, y0 = rng.integers(0, side - size + 1, 2)
        image = image[y0 : y0 + size, x0 : x0 + size]
        boxes = boxes - (x0, y0, x0, y0)
        for _ in range(rng.integers(4)):
            image = np.rot90(image)
            boxes = np.stack((boxes[:, 1], size - boxes[:, 2], boxes[:, 3], size - boxes[:, 0]), 1)
        if rng.random() < 0.5:
            image = image[:, ::-1]
            boxes = np.stack((size - boxes[:, 2], boxes[:, 1], size - boxes[:, 0], boxes[:, 3]), 1)
        heat, box, weight = encode([(tuple(b), 0) for b in boxes.tolist()], size)
        return np.ascontiguousarray(image.transpose(2, 0, 1)), heat, box, weight

    def batch(self, n: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Pictures (n, 3, size, size) of 0..255, heat, boxes and their weights."""
        if not self.workers:
            rows = _stacked([self.one() for _ in range(n)])
        else:
            if self.loader is None:
                beside = {"num_workers": self.workers, "prefetch_factor": 4}
                self.loader = iter(DataLoader(_Cut(self, n), None, collate_fn=_as_it_is, **beside))
            rows = next(self.loader)
        image, heat, box, weight = (_to_device(part) for part in rows)
        x = softer(colours(specks(image.float())), (0.6, 1.0), 0.9, max(4, n // 48))
        return smeared(x), heat, box, weight
