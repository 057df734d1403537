"""Samples for the face reader: a crop as the finder would hand it over, its kind, its turn."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import IterableDataset

from vision.image import Image
from vision.nets.evidence import UNKNOWN
from vision.nets.reader import CROP_H, CROP_W, MARGIN, SYMMETRIC, crops_of
from vision.training.opened import opened
from vision.training.pictures import augment, glyphs, grounds, oriented, signs, sources, variants
from vision.training.pictures import sets as drawn_sets
from vision.training.pictures.sources import FLOWERS, LABELS, Photo

if TYPE_CHECKING:
    from hardware.virtual_table.camera.renderer import TileTruth

W, H = glyphs.W, glyphs.H
_OFTEN = {
    "1s": 1.8,
    "5z": 2.0,
    **dict.fromkeys(("5m", "5p", "5s", "0m", "0p", "0s"), 1.6),
    **dict.fromkeys(FLOWERS, 2.0),
}
"""Faces that are easily taken for others, or drawn in many ways, come more often."""
INDEX = {label: i for i, label in enumerate(LABELS)}
FLOWER = len(LABELS)
"""Target of a flower whose kind cannot be told: any flower is right."""
REJECT = INDEX[UNKNOWN]
_BLANK = ("5z", "back")
"""Faces that may show nothing: a crop that is off them looks like one that is on them."""


@dataclass
class Bank:
    """Faces by design; ``groups`` weighs where a sample comes from."""

    designs: dict[str, list[tuple[Image, str]]] = field(default_factory=dict)
    waste: list[Image] = field(default_factory=list)
    patches: dict[str, dict[str, list[tuple[NDArray[np.uint8], bool]]]] = field(
        default_factory=dict
    )
    """By source and label: faces with their surroundings (JPEG), and whether their top is up."""

    def add(self, design: str, image: Image, label: str) -> None:
        """Store one face at the common size."""
        small = np.asarray(cv2.resize(image, (W, H), interpolation=cv2.INTER_AREA), np.uint8)
        self.designs.setdefault(design, []).append((small, label))

    def patch(self, source: str, face: oriented.LabelledFace) -> None:
        """Store a face with what lies around it."""
        _, code = cv2.imencode(".jpg", face.patch, [cv2.IMWRITE_JPEG_QUALITY, 94])
        table = self.patches.setdefault(source, {})
        table.setdefault(face.label, []).append((code, face.upright))


def photographed(bank: Bank, designs: Sequence[str]) -> None:
    """Cut-out faces of these designs."""
    for path, label, design in sources.photographed_faces():
        if design in designs:
            bank.add(f"face:{design}", opened(path), label)


def from_photos(bank: Bank, photos: Sequence[Photo], seed: int = 1) -> None:
    """Labelled tiles of these photographs, with what lies around them."""
    pick = random.Random(seed)
    for photo in photos:
        for face in oriented.faces_of(photo):
            bank.patch(f"photo:{photo.family}", face)
        if not photo.whole:
            continue
        image = photo.image()
        taken = np.zeros(image.shape[:2], bool)
        for box in photo.boxes:
            x0, y0, x1, y1 = (round(v) for v in box.xyxy)
            taken[max(0, y0) : y1, max(0, x0) : x1] = True
        for _ in range(3):
            x, y = pick.randrange(0, 580), pick.randrange(0, 560)
            if not taken[y : y + 64, x : x + 48].any():
                part = cv2.resize(image[y : y + 64, x : x + 48], (W, H))
                bank.waste.append(np.asarray(part, np.uint8))


def from_dice(bank: Bank, families: Sequence[str], seed: int = 1) -> None:
    """Dice, alone and with what lies around them, and grounds: what is no tile."""
    pick = random.Random(seed)
    boxes = sources.dice_boxes()
    for path in grounds.dice_pictures(families, 0):
        image = opened(path)
        high, wide = image.shape[:2]
        for _ in range(3):
            s = pick.randrange(40, 160)
            x = pick.randrange(0, image.shape[1] - s)
            y = pick.randrange(0, image.shape[0] - s)
            part = cv2.resize(image[y : y + s, x : x + s], (W, H))
            bank.waste.append(np.asarray(part, np.uint8))
        for x0, y0, x1, y1 in boxes.get(f"{path.parent.name}/{path.name}", [])[:4]:
            by, shape = pick.uniform(0.8, 1.7), pick.uniform(1.0, 1.5)
            cx, cy, half = (x0 + x1) / 2, (y0 + y1) / 2, max(x1 - x0, y1 - y0) * by / 2
            left, right = max(0, int(cx - half)), min(wide, int(cx + half))
            top, low = max(0, int(cy - half * shape)), min(high, int(cy + half * shape))
            if right - left > 8 and low - top > 8:
                part = cv2.resize(image[top:low, left:right], (W, H))
                bank.waste.append(np.asarray(part, np.uint8))


def table_designs(bank: Bank) -> None:
    """The faces of the virtual table, in every design of its own."""
    from hardware.virtual_table.camera.faces import DESIGNS, FACES, picture

    for name, design in DESIGNS.items():
        for face in (*FACES, "back"):
            bank.add(f"table:{name}", np.array(picture(face, design, W, H)), face)


class FramePool:
    """Faces as they lie in frames of the virtual table, with their surroundings."""

    def __init__(self, size: int = 10, renew: float = 1 / 250) -> None:
        self.size, self.renew = size, renew
        self.frames: list[tuple[Image, list[TileTruth]]] = []

    def sample(self, rng: np.random.Generator) -> tuple[torch.Tensor, int, float]:
        """One crop, its label and its turn."""
        from vision.training.pictures.rendered import take

        while len(self.frames) < self.size or rng.random() < self.renew:
            image, truth, scene = take(rng)
            tilts = {t.key: abs(t.tilt) for t in scene.tiles}
            tiles = [
                t for t in truth.tiles
                if t.visible > 0.7 and t.streak < 4 and tilts[t.key] < 20
                and (t.shows not in ("edge", "back") or rng.random() < 0.12)
            ]  # fmt: skip
            if len(self.frames) >= self.size:
                self.frames.pop(0)
            if tiles:
                self.frames.append((image, tiles))
        image, tiles = self.frames[rng.integers(len(self.frames))]
        tile = tiles[rng.integers(len(tiles))]
        label = UNKNOWN if tile.shows == "edge" else tile.shows
        quad = tile.quad.astype(np.float64) + 0.5
        centre = quad.mean(0)
        side = np.linalg.norm(quad[1] - quad[0])
        a = np.deg2rad(rng.normal(0, 2))
        spin = np.array([(np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a))])
        quad = centre + (quad - centre) @ spin * np.exp(rng.normal(0, 0.03, 2))
        quad += rng.normal(0, 0.02, 2) * side + rng.normal(0, 0.015, (4, 2)) * side
        turned = bool(rng.random() < 0.5)
        if turned:
            quad = np.roll(quad, 2, axis=0)
        x0, y0 = np.floor(quad.min(0) - 6).astype(int)
        x1, y1 = np.ceil(quad.max(0) + 6).astype(int)
        x0, y0, x1, y1 = max(0, x0), max(0, y0), min(image.shape[1], x1), min(image.shape[0], y1)
        part = image[y0:y1, x0:x1]
        if rng.random() < 0.7:
            part = augment.sensor(rng, augment.lens(rng, augment.light(rng, part, 0.6), 0.7))
        crop = crops_of(np.ascontiguousarray(part), (quad - (x0, y0))[None])[0]
        crop = np.ascontiguousarray(crop.transpose(2, 0, 1))
        taught = label not in SYMMETRIC and label not in ("back", UNKNOWN)
        return torch.from_numpy(crop), INDEX[label], float(turned) if taught else -1.0


class Faces(IterableDataset):
    """Endless augmented crops ``(3, H, W)`` float, target, turn (-1 where it is not taught)."""

    def __init__(self, bank: Bank, weights: dict[str, float], seed: int, new_designs: int) -> None:
        self.bank, self.weights, self.seed, self.new_designs = bank, weights, seed, new_designs

    def __iter__(self) -> Iterator[tuple[torch.Tensor, int, float]]:
        info = torch.utils.data.get_worker_info()
        seed = self.seed + 1000 * (info.id if info else 0)
        cv2.setNumThreads(1)
        rng = np.random.default_rng(seed)
        pick = random.Random(seed)
        names = list(self.bank.designs)
        groups: dict[str, list[str]] = {}
        for name in names:
            groups.setdefault(name.split(":")[0], []).append(name)
        pool = FramePool()
        kinds = [g for g in self.weights if g in groups or g in ("drawn", "frame", "photo", "sign")]
        weight = [self.weights[g] for g in kinds]
        by_label: dict[str, dict[str, list[Image]]] = {}
        for name in names:
            table = by_label.setdefault(name, {})
            for image, label in self.bank.designs[name]:
                table.setdefault(label, []).append(image)
        sets: list[dict[str, list[Image]]] = []
        while True:
            group = pick.choices(kinds, weight)[0]
            if group == "frame":
                yield pool.sample(rng)
                continue
            if group == "photo":
                source = pick.choice(list(self.bank.patches))
                label = one_of(pick, list(self.bank.patches[source]))
                code, upright = pick.choice(self.bank.patches[source][label])
                patch = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
                yield sample(rng, patch, label, [], self.bank.waste, upright=upright)
                continue
            if group == "sign":
                first, *others = (signs.draw(rng) for _ in range(3))
                yield sample(rng, first, UNKNOWN, others, self.bank.waste)
                continue
            if group == "drawn":
                if len(sets) < self.new_designs or pick.random() < 0.0015:
                    fresh = drawn_sets.take(pick)
                    if len(sets) < self.new_designs:
                        sets.append(fresh)
                    else:
                        sets[pick.randrange(len(sets))] = fresh
                table = pick.choice(sets)
            else:
                table = by_label[pick.choice(groups[group])]
            label = one_of(pick, list(table))
            image = pick.choice(table[label])
            others = [pick.choice(table[k]) for k in pick.choices(list(table), k=2)]
            label, image = varied(rng, label, image)
            yield sample(rng, image, label, others, self.bank.waste)


def one_of(pick: random.Random, labels: list[str]) -> str:
    """A label; birds and fives, which are drawn in most ways and easily confused, more often."""
    return pick.choices(labels, [_OFTEN.get(k, 1.0) for k in labels])[0]


def varied(rng: np.random.Generator, label: str, face: Image) -> tuple[str, Image]:
    """Now and then another drawing: birds of our own, red fives made of plain ones, other inks."""
    roll = rng.random()
    if label == "1s":
        if roll < 0.25:
            return label, variants.bird(rng, W, H)
        return label, variants.inked(rng, face) if roll < 0.5 else face
    if label in ("5m", "5p", "5s"):
        return (f"0{label[1]}", variants.reddened(rng, face)) if roll < 0.4 else (label, face)
    if label in FLOWERS and roll < 0.3:
        return label, variants.inked(rng, face)
    if roll < 0.08 and label[0] != "0" and label not in ("back", "joker"):
        return label, variants.bent(rng, face, 0.02)
    return label, face


def sample(
    rng: np.random.Generator,
    image: Image,
    label: str,
    others: list[Image],
    waste: list[Image],
    *,
    upright: bool = True,
) -> tuple[torch.Tensor, int, float]:
    """One augmented crop from a face; where it may be upside down its turn is not taught."""
    target = FLOWER if label == "xf" else REJECT if label == "joker" else INDEX[label]
    tells = label not in SYMMETRIC and label not in ("back", "joker", UNKNOWN)
    turn = 0.0 if tells and upright else -1.0
    crop, tossed = crop_of(rng, image, others, waste, label)
    if tossed:
        target, turn = REJECT, -1.0
    elif rng.random() < 0.5:
        crop = np.ascontiguousarray(crop[::-1, ::-1])
        turn = 1.0 if turn == 0.0 else -1.0
    tensor = torch.from_numpy(np.ascontiguousarray(crop.transpose(2, 0, 1)))
    return tensor, target, turn


def around(rng: np.random.Generator, face: Image, others: list[Image], waste: list[Image]) -> Image:
    """The face in a surrounding: neighbours, side faces of the tile, or a cloth; 2W x 2H."""
    canvas = np.empty((2 * H, 2 * W, 3), np.uint8)
    roll = rng.random()
    if roll < 0.5 or not waste:
        canvas[:] = (
            rng.integers(0, 256, 3)
            if roll < 0.3
            else face.reshape(-1, 3).mean(0) * rng.uniform(0.3, 1)
        )
    else:
        patch = waste[rng.integers(len(waste))]
        canvas[:] = cv2.resize(patch, (2 * W, 2 * H))
    gap = int(rng.integers(0, 4))
    y0, x0 = H // 2, W // 2
    for side in range(4):
        kind = rng.random()
        if kind < 0.45 and others:  # a touching neighbour
            other = others[side % len(others)]
            if rng.random() < 0.3:
                other = other[::-1, ::-1]
            if side == 0:
                canvas[y0 : y0 + H, x0 + W + gap :] = other[:, : W // 2 - gap]
            elif side == 1:
                canvas[y0 : y0 + H, : x0 - gap] = other[:, W - (x0 - gap) :]
            elif side == 2:
                canvas[y0 + H + gap :, x0 : x0 + W] = other[: H // 2 - gap]
            else:
                canvas[: y0 - gap, x0 : x0 + W] = other[H - (y0 - gap) :]
        elif kind < 0.7:  # the tile's own side, darker or of the back's colour
            tone = face[2:-2, 2:6].reshape(-1, 3).mean(0) * rng.uniform(0.45, 0.95)
            if rng.random() < 0.3:
                tone = rng.integers(0, 256, 3)
            wide = int(rng.integers(4, 30))
            if side == 0:
                canvas[y0 : y0 + H, x0 + W : x0 + W + wide] = tone
            elif side == 1:
                canvas[y0 : y0 + H, max(0, x0 - wide) : x0] = tone
            elif side == 2:
                canvas[y0 + H : y0 + H + wide, x0 : x0 + W] = tone
            else:
                canvas[max(0, y0 - wide) : y0, x0 : x0 + W] = tone
    canvas[y0 : y0 + H, x0 : x0 + W] = face
    if gap and rng.random() < 0.6:  # the dark groove between tiles
        cv2.rectangle(
            canvas,
            (x0 - 1, y0 - 1),
            (x0 + W, y0 + H),
            tuple(int(v) for v in rng.integers(0, 90, 3)),
            gap,
        )
        canvas[y0 + 1 : y0 + H - 1, x0 + 1 : x0 + W - 1] = face[1:-1, 1:-1]
    return canvas


def crop_of(
    rng: np.random.Generator,
    face: Image,
    others: list[Image],
    waste: list[Image],
    label: str = "5z",
) -> tuple[Image, bool]:
    """Warp, darken, blur and store a face as a camera would; True where it became no face."""
    tossed = False
    roll = rng.random()
    if roll < 0.03 and waste:
        face, tossed = waste[rng.integers(len(waste))], True
    # a patch of a photograph has its own surroundings
    canvas = face if face.shape[0] == 2 * H and not tossed else around(rng, face, others, waste)
    short = int(np.exp(rng.uniform(np.log(15), np.log(64))))
    w = round(short * (1 + 2 * MARGIN))
    h = round(short * CROP_H / CROP_W * (1 + 2 * MARGIN))
    cx, cy = W, H
    # in a heap that is seen aslant boxes are turned, narrow and bent by more than in rows
    loose = rng.random() < 0.25 and label not in _BLANK
    angle = float(np.clip(rng.normal(0, 6.5), -16, 16)) if loose else rng.normal(0, 2.2)
    scale = np.exp(rng.normal(0, 0.08 if loose else 0.045, 2)).clip(0.8, 1.2)
    shift = rng.normal(0, 0.05 if loose else 0.03, 2).clip(-0.12, 0.12)
    bend = rng.normal(0, 0.1) if loose else 0.0
    if 0.06 <= roll < 0.12 and label not in _BLANK:
        tossed = True  # a part of a face, or a face and what lies around it
        if roll < 0.1:
            scale = scale * rng.uniform(0.36, 0.66, 2)
            shift = rng.uniform(-0.5, 0.5, 2) * (1 - scale)
            angle += rng.choice((0, 0, 90)) + rng.normal(0, 6)
        else:
            scale = scale * rng.uniform(1.55, 2.1)
    elif 0.03 <= roll < 0.06:
        tossed = True
        if roll < 0.04:  # lies across the crop
            angle += 90
            scale = scale * (1.25, 0.8)
        elif roll < 0.05:  # half beside it
            shift = np.array((rng.choice((-1, 1)) * rng.uniform(0.38, 0.6), shift[1]))
        else:
            shift = np.array((shift[0], rng.choice((-1, 1)) * rng.uniform(0.38, 0.6)))
    a = np.deg2rad(angle)
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * (1 + 2 * MARGIN)
    corners = (corners * scale + shift) * (W, H)
    corners[:, 0] += bend * corners[:, 1]
    corners = corners @ np.array([(np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a))])
    corners += rng.normal(0, 0.018, (4, 2)).clip(-0.05, 0.05) * (W, H) + (cx, cy)
    fine = 2 if short < 40 else 1  # a camera averages over its pixels: draw finer, then average
    goal = np.array([(0, 0), (w * fine, 0), (w * fine, h * fine), (0, h * fine)], np.float32)
    m = cv2.getPerspectiveTransform(corners.astype(np.float32), goal)
    warped = cv2.warpPerspective(canvas, m, (w * fine, h * fine), flags=cv2.INTER_LINEAR)
    if fine > 1:
        warped = cv2.resize(warped, (w, h), interpolation=cv2.INTER_AREA)
    crop = np.asarray(warped, np.uint8)
    if rng.random() < 0.08:
        crop = cut_off(rng, crop)
    # what tells red fives is their colour: some of it must be left
    fives = label in ("5m", "5p", "5s", "0m", "0p", "0s")
    if rng.random() < 0.2:  # lamps and white balance off by more than usual
        cast = rng.uniform(0.72, 1.0, 3)
        if fives and rng.random() < 0.5:  # black ink is brown, not red, under a warm lamp
            cast = np.array((rng.uniform(0.5, 0.8), rng.uniform(0.8, 0.95), 1.0))
        crop = (crop * (cast / cast.max())).astype(np.uint8)
    # a blank face under a lamp of one colour is what a back is
    if not fives and label not in _BLANK and rng.random() < 0.05:
        crop = augment.tinted(rng, crop)
    crop = augment.light(rng, crop, palest=0.5 if fives else 0.15)
    crop = augment.lens(rng, crop, 0.5 + short * 0.025)
    crop = augment.sensor(rng, crop)
    crop = np.asarray(cv2.resize(crop, (CROP_W, CROP_H), interpolation=cv2.INTER_LINEAR), np.uint8)
    return crop, tossed


def cut_off(rng: np.random.Generator, crop: Image) -> Image:
    """Something lies over an edge, or the picture ends there and its last pixels are repeated.

    A tile that lies askew is cut across a corner.
    """
    high, wide = crop.shape[:2]
    angle = rng.integers(4) * np.pi / 2 if rng.random() < 0.6 else rng.uniform(0, 2 * np.pi)
    out = np.array((np.cos(angle), np.sin(angle)))
    half = np.array((wide - 1, high - 1)) / 2
    reach = float(np.abs(out) @ half)
    ys, xs = np.mgrid[:high, :wide].astype(np.float32)
    beyond = (xs - half[0]) * out[0] + (ys - half[1]) * out[1]
    beyond = (beyond - reach * (1 - 2 * rng.uniform(0.05, 0.28))).clip(0)
    if rng.random() < 0.5:
        covered = crop.copy()
        covered[beyond > 0] = rng.integers(0, 256, 3)
        return covered
    across = (xs - beyond * out[0]).astype(np.float32)
    down = (ys - beyond * out[1]).astype(np.float32)
    return np.asarray(
        cv2.remap(crop, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
