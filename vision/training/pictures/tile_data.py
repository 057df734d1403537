"""Samples for the finder: composed scenes and real photographs, with targets per cell."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np
import torch
from torch.utils.data import IterableDataset

from vision.image import Image
from vision.training.pictures import augment, grounds, scenes, sets
from vision.training.pictures.face_data import Bank
from vision.training.pictures.hues import bgr_of
from vision.training.pictures.oriented import RealPicture
from vision.training.pictures.scenes import FACE_UP, Truth

if TYPE_CHECKING:
    from vision.training.pictures.rendered import Frames

STRIDE = 4
_SETS = 40
"""Drawn sets of one process."""
_STORE, _RENEW = 600, 0.3
"""So many drawn scenes are kept for reuse; how often a new one takes a place among them."""


@dataclass
class Targets:
    """Targets at one cell per STRIDE pixels."""

    heat: np.ndarray
    box: np.ndarray
    weight: np.ndarray
    shape_weight: np.ndarray
    ignore: np.ndarray
    arms: np.ndarray


def encode(truth: Truth, size: int) -> Targets:
    """Turn quads into maps."""
    n = size // STRIDE
    heat = np.zeros((3, n, n), np.float32)
    box = np.zeros((9, n, n), np.float32)
    weight = np.zeros((n, n), np.float32)
    ignore = cv2.resize(truth.ignore, (n, n), interpolation=cv2.INTER_AREA).astype(np.float32)
    ys, xs = np.mgrid[:n, :n].astype(np.float32)
    shape = np.ones((n, n), np.float32)
    trust = np.ones(len(truth.quads), np.float32) if truth.shape is None else truth.shape
    for quad, posture, visible, known in zip(
        truth.quads, truth.posture, truth.visible, trust, strict=True
    ):
        centre = quad.mean(0) / STRIDE
        if not (-3 < centre[0] < n + 3 and -3 < centre[1] < n + 3):
            continue
        across = ((quad[1] - quad[0]) + (quad[2] - quad[3])) / 2
        along = ((quad[3] - quad[0]) + (quad[2] - quad[1])) / 2
        if posture == scenes.STANDING:  # its upper side is wider than deep
            across, along = along, across
        wide, high = float(np.hypot(*across)), float(np.hypot(*along))
        if wide < 1 or high < 1:
            continue
        reach = int(max(wide, high) / STRIDE / 2) + 2
        cx, cy = int(centre[0]), int(centre[1])
        x0, x1 = max(0, cx - reach), min(n, cx + reach + 1)
        y0, y1 = max(0, cy - reach), min(n, cy + reach + 1)
        if x0 >= x1 or y0 >= y1:
            continue
        dx, dy = xs[y0:y1, x0:x1] + 0.5 - centre[0], ys[y0:y1, x0:x1] + 0.5 - centre[1]
        m = np.stack((across, along), 1) / STRIDE  # box coordinates of each cell: -0.5..0.5
        inverse = np.linalg.pinv(m)
        a = inverse[0, 0] * dx + inverse[0, 1] * dy
        b = inverse[1, 0] * dx + inverse[1, 1] * dy
        bump = np.exp(-0.5 * ((a / 0.13) ** 2 + (b / 0.13) ** 2))
        if visible < 0 or 0.12 <= visible < 0.35:
            inside = (abs(a) < 0.55) & (abs(b) < 0.55)
            ignore[y0:y1, x0:x1][inside] = 1
            continue
        if visible < 0.12:
            continue
        spot = heat[posture, y0:y1, x0:x1]
        np.maximum(spot, bump, out=spot)
        best = np.unravel_index(bump.argmax(), bump.shape)
        if -1 < dx[best] < 1 and -1 < dy[best] < 1:
            spot[best] = 1.0
        mine = bump > np.maximum(weight[y0:y1, x0:x1], 0.2)
        t1, t2 = 2 * np.arctan2(along[1], along[0]), 2 * np.arctan2(across[1], across[0])
        fill = (
            None,
            None,
            np.log(high / 20),
            np.log(wide / 20),
            np.cos(t1),
            np.sin(t1),
            np.cos(t2),
            np.sin(t2),
            visible,
        )
        for k, value in enumerate(fill):
            layer = box[k, y0:y1, x0:x1]
            layer[mine] = (-dx if k == 0 else -dy)[mine] if value is None else value
        weight[y0:y1, x0:x1][mine] = bump[mine]
        shape[y0:y1, x0:x1][mine] = known
    arms = cv2.resize(
        truth.arms.astype(np.float32), (size // 8, size // 8), interpolation=cv2.INTER_AREA
    )
    return Targets(heat, box, weight, shape, ignore, arms)


def _look(rng: np.random.Generator, table: dict[str, list[Image]]) -> scenes.Look:
    body = np.mean([f[0][4:10, 6:-6].reshape(-1, 3).mean(0) for f in list(table.values())[:6]], 0)
    if "back" in table and rng.random() < 0.5:
        back = table["back"][0]
    else:
        hue = int(rng.choice((60, 105, 115, 15, 25, 0, 170)) + rng.normal(0, 6)) % 180
        colour = bgr_of(hue, int(rng.uniform(60, 255)), int(rng.uniform(50, 240)))
        back = np.tile(colour, (96, 72, 1))
        roll = rng.random()
        if roll < 0.12:
            back[:] = int(rng.uniform(10, 130))
        elif roll < 0.3:  # as white as the face
            back[:] = (body * rng.uniform(0.9, 1.05)).clip(0, 255)
    back = back.copy()
    if rng.random() < 0.1:  # a pattern
        cv2.rectangle(back, (10, 10), (61, 85), tuple(int(v) for v in rng.integers(0, 256, 3)), 2)
    return scenes.Look(
        rng.uniform(1.26, 1.45),
        rng.uniform(0.5, 0.8),
        body,
        back,
        rng.choice((0.45, 0.6, 0.68, 0.75)),
    )


def _rounded(face: Image, rng: np.random.Generator) -> Image:
    """The bevel: edges of the upper side a little darker or brighter."""
    out = face.copy()
    edge = rng.uniform(0.75, 1.08)
    for k in range(3):
        f = edge + (1 - edge) * k / 3
        for line in (out[k], out[-1 - k], out[:, k], out[:, -1 - k]):
            line[:] = (line * f).clip(0, 255)
    return out


def blank(truth: Truth) -> Truth:
    """The truth of a picture at a wrong scale: nothing there has the size looked for."""
    none = np.zeros(0)
    return Truth(
        truth.quads[:0],
        none.astype(np.int64),
        none.astype(np.float32),
        truth.arms,
        truth.ignore * 0,
    )


def _squeeze(rng: np.random.Generator) -> float:
    """Shapes changed from 3:4 or 9:16 to a square (or back), and anything between."""
    ratio = float(rng.choice((4 / 3, 1.5, 16 / 9))) if rng.random() < 0.5 else rng.uniform(1, 1.8)
    return ratio if rng.random() < 0.5 else 1 / ratio


def compose(
    rng: np.random.Generator,
    table: dict[str, list[Image]],
    size: int,
    photos: list[Image],
    unit: float = 0,
    faces: bool = True,
) -> tuple[Image, Truth]:
    """One drawn scene with its truth, ``size`` pixels square; ``unit`` is a tile's width.

    Without ``faces`` all that lies is face down and all that stands is seen from behind.
    """
    look = _look(rng, table)
    unit = unit or float(np.exp(rng.normal(np.log(19), 0.24)).clip(11, 34))
    tilt = abs(rng.normal(0, 0.09)) if rng.random() < 0.55 else rng.uniform(0, 0.85)
    fine = size * scenes.SUPER
    camera = scenes.Camera(rng, fine, unit * scenes.SUPER, tilt)
    main = rng.uniform(0, 2 * np.pi)
    if rng.random() < 0.35:
        way = main if rng.random() < 0.7 else rng.uniform(0, np.pi)
        camera.squeezed(np.array((np.cos(way), np.sin(way))), _squeeze(rng))
    radius = size / unit * 0.62
    layout = scenes.Composer(rng, look, radius)
    style = rng.random()
    kinds = ["row", "block", "wall", "hand", "meld", "single"]
    odds = rng.dirichlet(np.ones(6) * 0.8) if style < 0.7 else np.array((0, 0, 0, 0, 0, 1.0))
    for _ in range(int(rng.integers(1, 14)) if style < 0.7 else int(rng.integers(2, 45))):
        turn = (
            main + rng.integers(4) * np.pi / 2
            if rng.random() < 0.8 and style < 0.7
            else rng.uniform(0, 2 * np.pi)
        )
        layout.group(str(rng.choice(kinds, p=odds)), turn)
    labels = list(table)
    known = [k for k in labels if k not in ("back", "joker")]
    known += ["5z"] * 2 * ("5z" in table)  # the one that is most like no tile at all
    for tile in layout.tiles:
        label = known[rng.integers(len(known))]
        tile.face = _rounded(table[label][rng.integers(len(table[label]))], rng)
        if not faces:
            tile.face = look.back
    ground = grounds.cloth(rng, fine, photos)
    grounds.clutter(rng, ground, unit * scenes.SUPER)
    canvas, ids, truth = scenes.render(rng, layout.tiles, look, camera, ground)
    for _ in range(rng.integers(0, 3) if rng.random() < 0.3 else 0):
        x, y = rng.uniform(0, fine, 2)
        grounds.die(rng, canvas, x, y, unit * scenes.SUPER * rng.uniform(0.45, 0.8))
    arms = np.zeros((fine, fine), np.uint8)
    for _ in range(rng.integers(1, 3) if rng.random() < 0.22 else 0):
        grounds.arm(rng, canvas, arms, unit * scenes.SUPER)
    if rng.random() < 0.12:
        grounds.fingers(rng, canvas, arms, unit * scenes.SUPER)
    if arms.any():
        before = np.bincount(ids[ids > 0].ravel(), minlength=len(truth.quads) + 1)[1:]
        after = np.bincount(ids[(ids > 0) & (arms == 0)].ravel(), minlength=len(truth.quads) + 1)[
            1:
        ]
        share = np.where(before > 0, after / np.maximum(1, before), 1.0)
        truth.visible = np.where(truth.visible >= 0, truth.visible * share, -1).astype(np.float32)
    truth.quads = np.asarray(truth.quads / scenes.SUPER, np.float32)
    image, truth.arms, truth.ignore = (
        np.asarray(cv2.resize(a, (size, size), interpolation=cv2.INTER_AREA), np.uint8)
        for a in (canvas, arms, truth.ignore)
    )
    return image, truth


def cut(
    rng: np.random.Generator, picture: RealPicture, size: int, unit: float = 0
) -> tuple[Image, Truth]:
    """A turned and scaled part of a photograph; ``unit`` is a tile's width."""
    unit = unit or float(np.exp(rng.normal(np.log(19), 0.2)).clip(12, 30))
    scale = unit / picture.unit
    angle = rng.uniform(0, 2 * np.pi) if rng.random() < 0.7 else rng.integers(4) * np.pi / 2
    # photographs were squeezed into another shape before they were stored
    stretch = np.sqrt(_squeeze(rng)) if rng.random() < 0.25 else np.exp(rng.normal(0, 0.06))
    turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
    m = turn @ np.diag((scale * stretch, scale / stretch))
    anchor = (
        picture.quads[rng.integers(len(picture.quads))].mean(0) + rng.normal(0, 3, 2) * picture.unit
    )
    shift = np.array((size / 2, size / 2)) - m @ anchor
    image = picture.image
    if scale < 0.6:
        half = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        image = np.asarray(half, np.uint8)
        full = np.column_stack((m * 2, shift))
    else:
        full = np.column_stack((m, shift))
    out = cv2.warpAffine(
        image,
        full.astype(np.float64),
        (size, size),
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=tuple(int(v) for v in rng.integers(0, 256, 3)),
    )
    quads = (picture.quads @ m.T + shift).astype(np.float32)
    ignore = np.zeros((size, size), np.uint8)
    if not picture.whole:
        ignore[:] = 1
        for quad in quads:
            grown = quad.mean(0) + (quad - quad.mean(0)) * 1.15
            cv2.fillConvexPoly(ignore, np.round(grown).astype(np.int32), 0)
    n = len(quads)
    truth = Truth(
        quads,
        np.full(n, FACE_UP),
        np.ones(n, np.float32),
        np.zeros((size, size), np.uint8),
        ignore,
        picture.shape,
    )
    return np.asarray(out, np.uint8), truth


def turned(scene: tuple[Image, Truth], how: int) -> tuple[Image, Truth]:
    """One of the eight quarter turns and mirror images of a square picture and its truth."""
    image, truth = scene
    size, turns, mirror = image.shape[0], how % 4, how >= 4

    def grid(a: np.ndarray) -> np.ndarray:
        a = np.rot90(a, turns)
        return np.ascontiguousarray(a[:, ::-1] if mirror else a)

    x, y = truth.quads[..., 0], truth.quads[..., 1]
    for _ in range(turns):  # a quarter turn against the clock
        x, y = y, size - x
    if mirror:
        x = size - x
    quads = np.stack((x, y), -1)
    return grid(image), Truth(
        quads, truth.posture, truth.visible, grid(truth.arms), grid(truth.ignore), truth.shape
    )


class Scenes(IterableDataset):
    """Endless ``(image, heat, box, weight, shape weight, ignore, arms, arms known)``."""

    def __init__(
        self,
        bank: Bank,
        pictures: list[RealPicture],
        rendered: Frames | None,
        size: int,
        seed: int,
        odds: dict[str, float],
    ) -> None:
        self.bank, self.pictures, self.rendered = bank, pictures, rendered
        self.size, self.seed, self.odds = size, seed, odds

    def __iter__(self) -> Iterator[tuple[torch.Tensor | float, ...]]:
        info = torch.utils.data.get_worker_info()
        seed = self.seed + 1000 * (info.id if info else 0)
        cv2.setNumThreads(1)
        rng, pick = np.random.default_rng(seed), random.Random(seed)
        photos = grounds.photo_grounds()
        tables: list[dict[str, list[Image]]] = []
        for name, rows in self.bank.designs.items():
            table: dict[str, list[Image]] = {}
            for image, label in rows:
                table.setdefault(label, []).append(image)
            if name.startswith("face:"):
                tables.append(table)
        tables += [sets.take(pick) for _ in range(_SETS)]
        whole = [p for p in self.pictures if p.whole]
        kinds = list(self.odds)
        drawn_before: list[tuple[Image, Truth]] = []
        while True:
            kind = pick.choices(kinds, [self.odds[k] for k in kinds])[0]
            known = 1.0
            if kind == "scene":
                # drawing takes longer than learning: a scene comes again, turned and in other light
                if len(drawn_before) < _STORE or rng.random() < _RENEW:
                    image, truth = compose(rng, pick.choice(tables), self.size, photos)
                    spot = (
                        len(drawn_before) if len(drawn_before) < _STORE else pick.randrange(_STORE)
                    )
                    drawn_before[spot : spot + 1] = [(image, truth)]
                else:
                    image, truth = turned(pick.choice(drawn_before), pick.randrange(8))
            elif kind == "real":
                image, truth = cut(rng, pick.choice(self.pictures), self.size)
                known = 0.0
            elif kind == "large":  # parts of tiles are no tiles
                unit = float(rng.uniform(64, 170))
                if rng.random() < 0.7:
                    image, truth = cut(rng, pick.choice(self.pictures), self.size, unit)
                    known = 0.0
                else:
                    image, truth = compose(rng, pick.choice(tables), self.size, photos, unit)
                truth = blank(truth)
            elif kind == "small":  # nor are the signs on far tiles
                image, truth = cut(rng, pick.choice(whole), self.size, float(rng.uniform(4, 7.5)))
                truth, known = blank(truth), 0.0
            else:
                assert self.rendered is not None, "frames are asked for, but there are none"
                image, truth = self.rendered.sample(rng, self.size)
            targets = encode(truth, self.size)
            if rng.random() < 0.2:
                image = augment.glare(rng, image)
            if rng.random() < 0.08:
                image = augment.tinted(rng, image)
            image = augment.light(rng, image, 0.8)
            image = augment.lens(rng, image, 0.9)
            image = augment.sensor(rng, image)
            yield (
                torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1))),
                *(
                    torch.from_numpy(a)
                    for a in (
                        targets.heat,
                        targets.box,
                        targets.weight,
                        targets.shape_weight,
                        targets.ignore,
                        targets.arms,
                    )
                ),
                known,
            )
