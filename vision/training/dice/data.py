"""``python -m vision.training.dice.data``: pictures that teach the two dice nets, made once.

Drawing costs more than a training step, so both trainings share a store: scenes for the finder of
dice and crops for the reader of their values, in groups. What comes from a family of photographs
stands in groups of its own (``mixed``, ``no mixed``), so that a training can leave a family out
and be judged on it. Photographs of tiles are those of :func:`.taught.teaching`.
"""

from __future__ import annotations

import argparse
import pickle
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, overload

import cv2
import numpy as np

from vision.image import Image
from vision.training import common
from vision.training.dice.boards import board
from vision.training.dice.grounds import Grounds
from vision.training.dice.photos import (
    FAMILIES,
    NO_DIE,
    Box,
    Die,
    Scene,
    family_of,
    kept_apart,
    photographs,
)
from vision.training.dice.scenes import (
    SCENE,
    beside,
    button,
    covers,
    crop,
    dice_frame,
    drawn,
    part,
    plates,
    stored,
)
from vision.training.opened import opened
from vision.training.pictures import taught

PIPS_PX, MARGIN = 40, 1.25
"""Side of what the reader of values sees, pixels, and its share of the die's box."""
_MOST_MINED = 5000
_LEANING = 0.25
"""Share of the dice on rendered tables that lean: few do in a game, but one that is read is a wrong
break of the wall."""
_SMALLEST = 13
"""Photographed dice with a shorter side, pixels, are not taught."""

Crop = tuple[Image, int, bool]
"""A square of CROP pixels, its class, and whether it may be turned at will."""


def groups(families: Sequence[str]) -> list[str]:
    """The groups of a store that a training with these families may see."""
    return ["drawn", "frame", "empty", "signs", *families, *(f"no {family}" for family in families)]


def shares(families: Sequence[str]) -> dict[str, float]:
    """How much of a batch of scenes comes from each group."""
    if not families:
        return {"drawn": 0.5, "frame": 0.18, "empty": 0.24, "signs": 0.08}
    rest = {"drawn": 0.24, "frame": 0.12, "empty": 0.18, "signs": 0.06}
    return rest | _photographed(families, 0.3, 0.1)


def crop_shares(families: Sequence[str]) -> dict[str, float]:
    """How much of a batch of crops comes from each group.

    Most are drawn: a family of photographs has few makes, which are soon known by heart.
    """
    if not families:
        return {"drawn": 0.58, "frame": 0.12, "empty": 0.23, "signs": 0.07}
    rest = {"drawn": 0.38, "frame": 0.08, "empty": 0.18, "signs": 0.06}
    return rest | _photographed(families, 0.22, 0.08)


def _photographed(families: Sequence[str], dice: float, none: float) -> dict[str, float]:
    each = 1 / len(families)
    rows = dict.fromkeys(families, dice * each)
    return rows | {f"no {name}": none * each for name in families}


class Makers:
    """Fills the groups of a store."""

    def __init__(self, seed: int, mined: Path | None) -> None:
        self.rng = np.random.default_rng(seed)
        self.ground = Grounds(self.rng)
        self.scenes: dict[str, list[Scene]] = {name: [] for name in groups(FAMILIES)}
        self.crops: dict[str, list[Crop]] = {name: [] for name in groups(FAMILIES)}
        rows = pickle.loads(mined.read_bytes()) if mined else []  # noqa: S301 - our own
        self.mined = [
            (path, spot) for path, spot in rows if not (family_of(path) and kept_apart(Path(path)))
        ]
        random.Random(seed).shuffle(self.mined)
        del self.mined[_MOST_MINED:]
        self._images: dict[str, Image] = {}

    def image(self, path: str) -> Image:
        """A photograph, kept."""
        if path not in self._images:
            self._images[path] = opened(path)
        return self._images[path]

    def misses(self, group: str, image: Image, dice: list[Die], chance: float) -> None:
        """Crops beside the dice of a picture."""
        for box, _ in dice:
            if self.rng.random() < chance:
                off = beside(self.rng, box)
                if not covers(off, dice):
                    row = (stored(crop(image, off), self.rng), NO_DIE, True)
                    self.crops[group].append(row)

    def around(self, image: Image, dice: list[Die], count: int, spread: float) -> Iterator[Scene]:
        """Scenes at the finder's scale around dice."""
        rng = self.rng
        for _ in range(count):
            b, _ = dice[rng.integers(len(dice))]
            base = max(8.0, (b[2] - b[0] + b[3] - b[1]) / 2)
            goal = float(np.exp(rng.normal(np.log(22), spread)).clip(14, 34))
            centre = ((b[0] + b[2]) / 2, (b[1] + b[3]) / 2)
            yield part(rng, image, dice, centre, goal / base, SCENE)

    def drawn(self, count: int) -> None:
        """Drawn scenes and their crops."""
        for _ in range(count):
            canvas, dice, above = drawn(self.rng, self.ground)
            self.crops["drawn"] += [
                (stored(crop(canvas, box), self.rng), kind, above) for box, kind in dice
            ]
            self.misses("empty", canvas, dice, 0.25)
            half = cv2.resize(canvas, (SCENE, SCENE), interpolation=cv2.INTER_AREA)
            boxes: list[Die] = [((b[0] / 2, b[1] / 2, b[2] / 2, b[3] / 2), k) for b, k in dice]
            self.scenes["drawn"].append((stored(np.asarray(half, np.uint8), self.rng), boxes))

    def photographs(self, family: str, share: float = 1.0) -> None:
        """Photographed dice, and what lies beside them."""
        rng = self.rng
        rows = photographs(family)
        for path, dice in rows[: round(share * len(rows))]:
            if not dice or kept_apart(path):
                continue
            image = self.image(str(path))
            self.crops[family] += [
                # those of one family lie under a camera that looks down
                (crop(image, box), kind, family == "coloured" and bool(rng.random() < 0.5))
                for box, kind in dice
                if min(box[2] - box[0], box[3] - box[1]) >= _SMALLEST
            ]
            self.misses(f"no {family}", image, dice, 0.8)
            self.scenes[family] += self.around(image, dice, 3 if len(dice) < 4 else 8, 0.22)
            for _ in range(8 if len(dice) <= 8 else 0):  # in heaps many are not labelled
                s = float(np.exp(rng.uniform(np.log(10), np.log(60))))
                x, y = rng.uniform(s, 640 - s, 2)
                box = (x - s, y - s, x + s, y + s)
                if not any(_common(box, other) for other, _ in dice):
                    self.crops[f"no {family}"].append((crop(image, box), NO_DIE, True))
                centre = (float(x), float(y))
                self.scenes[f"no {family}"].append(part(rng, image, dice, centre, 11 / s, SCENE))

    def frames(self, count: int) -> None:
        """Frames of the virtual table with dice, lamps, rims and tiles."""
        rng = self.rng
        for _ in range(count):
            image, dice, hidden = dice_frame(rng, leaning=_LEANING)
            self.crops["frame"] += [
                (stored(crop(image, box), rng), kind, True) for box, kind in dice
            ]
            self.misses("empty", image, dice, 0.3)
            for b in hidden:  # a half hidden die may or may not be found
                x0, y0, x1, y1 = (int(v) for v in b)
                image[max(0, y0) : y1, max(0, x0) : x1] = image[max(0, y0 - 1), max(0, x0 - 1)]
            if dice:
                self.scenes["frame"] += self.around(image, dice, 16, 0.12)
            for _ in range(10):  # lamps, rims, tiles
                y, x = float(rng.integers(40, image.shape[0] - 40)), float(rng.integers(300, 1620))
                if rng.random() < 0.5:
                    y, x = 540 + rng.normal(0, 90), 960 + rng.normal(0, 90)
                s = rng.uniform(8, 22)
                box = (x - s, y - s, x + s, y + s)
                if not covers(box, dice):
                    self.crops["empty"].append((crop(image, box), NO_DIE, True))

    def empty(self, count: int) -> None:
        """Places without a die: what was taken for one, and anywhere."""
        rng = self.rng
        labelled = {str(p): d for family in FAMILIES for p, d in photographs(family)}
        for path, s in self.mined:
            family = family_of(path)
            image = self.image(path)
            group = f"no {family}" if family else "empty"
            self.crops[group].append((crop(image, s[:4]), NO_DIE, True))
            centre = ((s[0] + s[2]) / 2, (s[1] + s[3]) / 2)
            scale = 22 / max(4.0, s[2] - s[0]) * float(np.exp(rng.normal(0, 0.15)))
            one = part(rng, image, labelled.get(path, []), centre, scale, SCENE)
            self.scenes[group].append((stored(one[0], rng), one[1]))
        for k in range(count):
            ground = self.ground.patch(rng, int(SCENE * rng.uniform(1, 2)))
            s = rng.uniform(8, 40)
            x, y = rng.uniform(s, SCENE - s, 2)
            box = (x - s, y - s, x + s, y + s)
            self.crops["empty"].append((stored(crop(ground, box), rng), NO_DIE, True))
            if k % 4 == 0:
                image, box = button(rng, self.ground)
                self.crops["empty"].append((stored(crop(image, box), rng), NO_DIE, True))
                self.scenes["empty"].append((stored(image, rng), []))
            if k % 4 in (1, 2):
                image, boxes = plates(rng, self.ground) if k % 4 == 2 else board(rng, SCENE)
                for at in rng.permutation(len(boxes))[:4]:
                    row = (stored(crop(image, boxes[at]), rng), NO_DIE, True)
                    self.crops["signs"].append(row)
                self.scenes["signs"].append((stored(image, rng), []))
            if k % 3 == 0:
                small = cv2.resize(ground, (SCENE, SCENE), interpolation=cv2.INTER_AREA)
                self.scenes["empty"].append((stored(np.asarray(small, np.uint8), rng), []))

    def tiles(self, count: int) -> None:
        """Labelled tiles of photographs that teach: seen aslant, their signs look like pips."""
        rng = self.rng
        photos = [photo for photo in taught.teaching() if photo.boxes]
        each = 8
        for k in rng.choice(len(photos), min(len(photos), -(-count // each)), replace=False):
            image = photos[k].image()
            boxes = photos[k].boxes
            for i in rng.choice(len(boxes), min(len(boxes), each), replace=False):
                x0, y0, x1, y1 = boxes[i].xyxy
                x, y = np.array((x0 + x1, y0 + y1)) / 2 + rng.normal(0, 0.1, 2) * (x1 - x0)
                s = max(x1 - x0, y1 - y0) / 2 * float(np.exp(rng.uniform(-0.5, 0.3)))
                row = (stored(crop(image, (x - s, y - s, x + s, y + s)), rng), NO_DIE)
                self.crops["empty"].append((*row, bool(rng.random() < 0.5)))


def _common(a: Box, b: Box) -> bool:
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


class Store(TypedDict):
    """Pictures by group: scenes (image, dice) and crops (image, class, turns)."""

    scenes: dict[str, list[Scene]]
    crops: dict[str, list[Crop]]


def build(
    seed: int, drawn_count: int, frames: int, mined: Path | None, share: float = 1.0
) -> Store:
    """Make the store."""
    cv2.setNumThreads(1)
    make = Makers(seed, mined)
    make.drawn(drawn_count)
    for family in FAMILIES:
        make.photographs(family, share)
    make.frames(frames)
    make.empty(drawn_count)
    make.tiles(drawn_count)
    print({name: len(rows) for name, rows in make.crops.items()}, flush=True)
    return {"scenes": make.scenes, "crops": make.crops}


@overload
def load(paths: Sequence[Path] | None, what: Literal["scenes"]) -> dict[str, list[Scene]]: ...
@overload
def load(paths: Sequence[Path] | None, what: Literal["crops"]) -> dict[str, list[Crop]]: ...
def load(
    paths: Sequence[Path] | None, what: Literal["scenes", "crops"]
) -> dict[str, list[Scene]] | dict[str, list[Crop]]:
    """``scenes`` or ``crops`` of the stores together; a store is made where there is none."""
    usual = common.WORK / "dice_store.pickle"
    if not paths and not usual.exists():
        usual.parent.mkdir(parents=True, exist_ok=True)
        usual.write_bytes(pickle.dumps(build(1, 4000, 40, None)))
    store: dict[str, list[Any]] = {}
    for path in paths or [usual]:
        one = pickle.loads(path.read_bytes())  # noqa: S301 - our own
        for name, rows in one[what].items():
            store.setdefault(name, []).extend(rows)
    return store


def main() -> None:
    """Make the store."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--drawn", type=int, default=4000)
    ask.add_argument("--frames", type=int, default=40)
    ask.add_argument("--share", type=float, default=1.0, help="of the photographs")
    ask.add_argument("--mined", type=Path, help="false dice found by dice.mine")
    ask.add_argument("--out", type=Path, default=common.WORK / "dice_store.pickle")
    args = ask.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    store = build(args.seed, args.drawn, args.frames, args.mined, args.share)
    args.out.write_bytes(pickle.dumps(store))


if __name__ == "__main__":
    main()
