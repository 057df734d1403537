"""``python -m vision.training.dice_data``: pictures that teach the two dice nets, made once.

Drawing costs more than a training step, so both trainings share a store: scenes for the finder of
dice and crops for the reader of their values. Photographs of ``dice/mixed`` teach;
``dice/coloured`` and the photographs ``hand_*`` of ``photos_homes`` only judge. One in eight
photographs of ``mixed`` is kept apart for the thresholds.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from vision.dice import WORKING_PX, DiceReader
from vision.training import common, dice_drawn, face_data, grounds, lookalikes, sources
from vision.training.dice_drawn import NONE
from vision.training.sources import Image

NO_DIE = 7
"""The class of a crop that shows no die, a part of one, or several."""
SCENE = 160
"""Side of a scene, pixels, at the finder's working scale."""
CROP = 64
CROP_DIE = 34.0
"""Side of a crop and of the die's box in it, pixels."""

PIPS_PX, MARGIN = 40, 1.25
"""Side of what the reader of values sees, pixels, and its share of the die's box."""
_MOST_MINED = 3000

Spot = tuple[float, float, float, float, float]
Box = tuple[float, float, float, float]
Die = tuple[Box, int]
"""Box xyxy in pixels and class: value - 1, or NONE."""
Scene = tuple[Image, list[Die]]


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


def kept_apart(path: Path) -> bool:
    """Whether a photograph of ``mixed`` chooses thresholds and teaches nothing."""
    return sum(path.stem.encode()) % 8 == 0


def dice_frame(rng: np.random.Generator, count: int = 60) -> tuple[Image, list[Die], list[Box]]:
    """A frame of the virtual table with many dice on it, and the boxes of half hidden ones."""
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
    camera, look = random_camera(rng), random_look(rng)
    scene = random_scene(rng, layout, float(rng.uniform(0, 100)))
    # what a random table rolls may be too slow to be seen moving in one picture
    still = tuple(die for die in scene.dice if die.speed == 0)
    scene = replace(scene, dice=still)
    bodies = list(scene.dice)
    spots = [np.array((d.x, d.y)) for d in bodies]
    solid = [np.array((t.x, t.y)) for t in scene.tiles]
    for _ in range(count):
        spot = (
            spots[-1] + rng.normal(0, 1, 2) * 18
            if spots and rng.random() < 0.4
            else rng.uniform(-300, 300, 2)
        )
        if any(np.linalg.norm(spot - o) < 17 for o in spots) or any(
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
                float(rng.uniform(0.25, 0.8) * look.die_mm / look.shutter) if rolling else 0.0,
                bool(rng.random() < 0.06),
            )
        )
    scene = replace(scene, dice=tuple(bodies))
    image = np.array(Renderer(camera, layout, look, int(rng.integers(1 << 30))).render(scene))
    truth = Annotator(camera, layout, look).annotate(scene)
    dice = [
        (d.box, NONE if d.value is None else d.value - 1) for d in truth.dice if d.visible > 0.75
    ]
    return image, dice, [d.box for d in truth.dice if 0.1 < d.visible <= 0.75]


def part(
    rng: np.random.Generator,
    image: Image,
    dice: list[Die],
    centre: tuple[float, float],
    scale: float,
    size: int,
) -> Scene:
    """A scaled part around a point, moved a little."""
    reach = size / scale / 2
    x, y = np.array(centre) + rng.uniform(-0.3, 0.3, 2) * reach
    h, w = image.shape[:2]
    x0, x1 = (int(np.clip(v, 0, w)) for v in (x - reach - 3, x + reach + 3))
    y0, y1 = (int(np.clip(v, 0, h)) for v in (y - reach - 3, y + reach + 3))
    near = image[y0:y1, x0:x1]
    if near.size == 0:
        return np.full((size, size, 3), 90, np.uint8), []
    if scale < 1:
        fit = (max(1, round((x1 - x0) * scale)), max(1, round((y1 - y0) * scale)))
        near = cv2.resize(near, fit, interpolation=cv2.INTER_AREA)
    fx, fy = near.shape[1] / (x1 - x0), near.shape[0] / (y1 - y0)
    left, top = (x - reach - x0) * fx, (y - reach - y0) * fy
    gx, gy = scale / fx, scale / fy
    matrix = np.array(
        ((1 / gx, 0, left + 0.5 / gx - 0.5), (0, 1 / gy, top + 0.5 / gy - 0.5)), np.float64
    )
    out = cv2.warpAffine(
        near,
        matrix,
        (size, size),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(90, 90, 90),
    )
    boxes = []
    for (bx0, by0, bx1, by1), kind in dice:
        box = tuple(
            float(v)
            for v in (
                (bx0 - x + reach) * scale,
                (by0 - y + reach) * scale,
                (bx1 - x + reach) * scale,
                (by1 - y + reach) * scale,
            )
        )
        cx, cy = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if -10 < cx < size + 10 and -10 < cy < size + 10:
            boxes.append((box, kind))
    return out, boxes


def crop(image: Image, box: Box) -> Image:
    """The square (CROP, CROP, 3) in which the box' longer side has CROP_DIE pixels."""
    x0, y0, x1, y1 = box
    side = max(x1 - x0, y1 - y0, 2.0)
    scale = CROP_DIE / side
    still = np.random.default_rng(0)
    centre = ((x0 + x1) / 2, (y0 + y1) / 2)
    return part(_NoChance(still), image, [], centre, scale, CROP)[0]


class _NoChance:
    """Stands for chance where none is wanted."""

    def __init__(self, _: np.random.Generator) -> None: ...

    def uniform(self, *_: object) -> float:
        """Nothing."""
        return 0.0


def without_dice() -> list[sources.Photo]:
    """Photographs of tiles that may teach and in which no dice lie (in other families some do)."""
    return [p for p in sources.photos("homes") if p.family == "homes-box"]


def mine(reader: DiceReader, seed: int, share: float = 1.0) -> list[tuple[str, Spot]]:
    """What a dice reader takes for dice in photographs where none lies: file and spot.

    Where photographs may hold unlabelled dice, only what lies on a labelled tile counts, and in
    ``mixed`` what is not read with certainty.

    Args:
        reader: whose faults are looked for.
        seed: of the choice of photographs.
        share: of the photographs.
    """
    pick = random.Random(seed)
    felt = [p for p in sources.photos("homes") if p.family == "homes-felt"]
    # in heaps of dice many are not labelled
    mixed = [(p, dice) for p, dice in photographs("mixed") if not kept_apart(p) and len(dice) <= 8]
    jobs: list[tuple[Path, list[Box] | None, list[Box]]] = []
    jobs += [(p.path, None, []) for p in pick.sample(without_dice(), int(110 * share))]
    jobs += [(p.path, [b.xyxy for b in p.boxes], []) for p in pick.sample(felt, int(90 * share))]
    jobs += [(p, None, [b for b, _ in dice]) for p, dice in mixed if pick.random() < share]
    found: list[tuple[str, Spot]] = []
    for i, (path, tiles, dice) in enumerate(jobs):
        image = cv2.imread(str(path))
        turn = np.random.default_rng((seed, i))
        for size in np.array((22, 36, 58, 95)) * np.exp(turn.uniform(-0.2, 0.2)):
            spots = []
            for spot in reader.look(image, WORKING_PX / size, 0.2):
                c = ((spot[0] + spot[2]) / 2, (spot[1] + spot[3]) / 2)
                fits = 0.5 < (spot[2] - spot[0]) / size < 2 and not _within(c, dice, 0.3)
                if fits and (tiles is None or _within(c, tiles, 0.0)):
                    spots.append(spot)
            for spot, row in zip(spots, reader.chances(image, spots), strict=True):
                seems = min(1.0, 2 * spot[4]) * (1 - row[NO_DIE])
                unlabelled = "mixed" in str(path) and (row[1:6].max() > 0.95 or row[0] > 0.99)
                if seems > 0.2 and not unlabelled:
                    found.append((str(path), spot))
    return found


def _within(c: tuple[float, float], boxes: Iterable[Box], rim: float) -> bool:
    return any(
        b[0] - rim * (b[2] - b[0]) < c[0] < b[2] + rim * (b[2] - b[0])
        and b[1] - rim * (b[3] - b[1]) < c[1] < b[3] + rim * (b[3] - b[1])
        for b in boxes
    )


class Grounds:
    """What may lie under and around dice and is none."""

    def __init__(self, rng: np.random.Generator) -> None:
        pick = random.Random(int(rng.integers(1 << 30)))
        self.photos = [p.image() for p in pick.sample(without_dice(), 140)]
        for path, dice in photographs("mixed"):
            if kept_apart(path) or rng.random() > 0.5:
                continue
            image = cv2.imread(str(path))
            low = min((b[1] for b, _ in dice), default=640)
            high = max((b[3] for b, _ in dice), default=0)
            if low > 200:
                self.photos.append(image[: int(low) - 12])
            if high < 440:
                self.photos.append(image[int(high) + 12 :])
        self.plain = grounds.photo_grounds()[130:]
        bank = face_data.Bank()
        face_data.photographed(bank, "train")
        self.faces = [image for rows in bank.designs.values() for image, _ in rows]

    def patch(self, rng: np.random.Generator, size: int) -> Image:
        """A random ground (size, size, 3)."""
        if rng.random() < 0.5:
            source = self.photos[rng.integers(len(self.photos))]
            h, w = source.shape[:2]
            s = int(min(h, w) * rng.uniform(0.15, 1.0))
            x, y = rng.integers(0, w - s + 1), rng.integers(0, h - s + 1)
            how = cv2.INTER_AREA if s > size else cv2.INTER_CUBIC
            out = cv2.resize(source[y : y + s, x : x + s], (size, size), interpolation=how)
            return np.ascontiguousarray(np.rot90(out, rng.integers(4)))
        canvas = grounds.cloth(rng, size, self.plain)
        if rng.random() < 0.5:
            grounds.clutter(rng, canvas, size * float(rng.uniform(0.08, 0.3)))
        if rng.random() < 0.35:
            self.lay_tiles(rng, canvas)
        if rng.random() < 0.4:
            lookalikes.draw(rng, canvas, size * float(rng.uniform(0.06, 0.16)))
        return canvas

    def lay_tiles(self, rng: np.random.Generator, canvas: Image) -> None:
        """A few photographed faces, in a row."""
        size = canvas.shape[0]
        w = int(size * rng.uniform(0.1, 0.4))
        x, y = rng.uniform(0, size * 0.7, 2)
        for k in range(rng.integers(1, 6)):
            face = self.faces[rng.integers(len(self.faces))]
            h = int(w * face.shape[0] / face.shape[1])
            small = cv2.resize(face, (w, h), interpolation=cv2.INTER_AREA)
            a, b = int(x + k * w * 1.04), int(y)
            room = canvas[b : b + h, a : a + w]
            room[:] = small[: room.shape[0], : room.shape[1]]


def drawn(rng: np.random.Generator, ground: Grounds) -> Scene:
    """Dice drawn on a ground, at twice the finder's scale (2 SCENE pixels square)."""
    size = 2 * SCENE
    canvas = ground.patch(rng, size)
    px = float(np.exp(rng.normal(np.log(36), 0.22)).clip(24, 58))
    view = float(min(52, abs(rng.normal(0, 24)))) if rng.random() < 0.7 else 0.0
    dice = dice_drawn.throw(rng, canvas, px, int(rng.integers(2, 7)), view)
    if rng.random() < 0.14:
        dice_drawn.dome(rng, canvas)
    return canvas, dice


def _stored(image: Image, rng: np.random.Generator) -> Image:
    """As a camera may have stored it."""
    if rng.random() < 0.35:
        code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(30, 92))])[1]
        return cv2.imdecode(code, cv2.IMREAD_COLOR)
    return image


def beside(rng: np.random.Generator, box: Box) -> Box:
    """A box that misses a die: a part of it, its edge, or several dice as one."""
    x0, y0, x1, y1 = box
    side = max(x1 - x0, y1 - y0)
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    roll = rng.random()
    if roll < 0.35:  # a pip or a corner
        half = side * rng.uniform(0.16, 0.27)
        cx, cy = np.array((cx, cy)) + rng.uniform(-0.35, 0.35, 2) * side
    elif roll < 0.6:  # far too much
        half = side * rng.uniform(0.95, 1.7)
        cx, cy = np.array((cx, cy)) + rng.uniform(-0.5, 0.5, 2) * side
    else:  # its edge
        half = side * rng.uniform(0.35, 0.65)
        a = rng.uniform(0, 2 * np.pi)
        cx, cy = np.array((cx, cy)) + rng.uniform(0.6, 0.9) * side * np.array(
            (np.cos(a), np.sin(a))
        )
    return cx - half, cy - half, cx + half, cy + half


def _covers(box: Box, dice: list[Die]) -> bool:
    """Whether a box lies on a die about as a good box would."""
    cx, cy, side = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, box[2] - box[0]
    return any(
        np.hypot(cx - (b[0] + b[2]) / 2, cy - (b[1] + b[3]) / 2) < 0.45 * max(b[2] - b[0], side)
        and 0.6 < side / max(b[2] - b[0], b[3] - b[1]) < 1.6
        for b, _ in dice
    )


class Makers:
    """Yields scenes and crops of every kind."""

    def __init__(self, seed: int, mined: Path | None) -> None:
        self.rng = np.random.default_rng(seed)
        self.ground = Grounds(self.rng)
        self.mixed = [
            (cv2.imread(str(p)), dice)
            for p, dice in photographs("mixed")
            if dice and not kept_apart(p)
        ]
        rows = pickle.loads(mined.read_bytes()) if mined else []  # noqa: S301 - our own
        self.mined = [
            (path, spot) for path, spot in rows if not ("mixed" in path and kept_apart(Path(path)))
        ]
        random.Random(seed).shuffle(self.mined)
        del self.mined[_MOST_MINED:]
        self._images: dict[str, Image] = {}

    def image(self, path: str) -> Image:
        """A photograph, kept."""
        if path not in self._images:
            self._images[path] = cv2.imread(path)
        return self._images[path]

    def drawn(self, count: int) -> Iterator[Scene]:
        """Drawn scenes at double scale."""
        for _ in range(count):
            yield drawn(self.rng, self.ground)

    def scenes_of(self, image: Image, dice: list[Die], count: int, spread: float) -> list[Scene]:
        """Parts of a picture at the finder's scale around its dice."""
        rng, found = self.rng, []
        for _ in range(count):
            b, _ = dice[rng.integers(len(dice))]
            base = max(8.0, (b[2] - b[0] + b[3] - b[1]) / 2)
            goal = float(np.exp(rng.normal(np.log(22), spread)).clip(14, 34))
            centre = ((b[0] + b[2]) / 2, (b[1] + b[3]) / 2)
            found.append(part(rng, image, dice, centre, goal / base, SCENE))
        return found

    def empty(self, count: int) -> Iterator[Scene]:
        """Scenes without a die: around what was taken for one, and anywhere."""
        rng = self.rng
        for _ in range(count):
            if self.mined and rng.random() < 0.6:
                path, s = self.mined[rng.integers(len(self.mined))]
                image, truth = self.image(path), []
                if "mixed" in path:
                    truth = next(d for p, d in photographs("mixed") if str(p) == path)
                centre = ((s[0] + s[2]) / 2, (s[1] + s[3]) / 2)
                scale = 22 / max(4.0, s[2] - s[0]) * float(np.exp(rng.normal(0, 0.15)))
                yield part(rng, image, truth, centre, scale, SCENE)
            else:
                big = self.ground.patch(rng, int(SCENE * rng.uniform(1, 2)))
                yield cv2.resize(big, (SCENE, SCENE), interpolation=cv2.INTER_AREA), []


def build(seed: int, drawn_count: int, frames: int, mined: Path | None) -> dict:
    """Make the store: ``scenes`` (image, dice) and ``crops`` by group (image, class, turns)."""
    cv2.setNumThreads(1)
    make = Makers(seed, mined)
    rng = make.rng
    scenes: dict[str, list[Scene]] = {"drawn": [], "photo": [], "frame": [], "empty": []}
    crops: dict[str, list[tuple[Image, int, bool]]] = {"drawn": [], "photo": [], "frame": [],
                                                       "empty": []}  # fmt: skip

    def miss(image: Image, dice: list[Die], chance: float) -> None:
        for box, _ in dice:
            if rng.random() < chance:
                off = beside(rng, box)
                if not _covers(off, dice):
                    crops["empty"].append((_stored(crop(image, off), rng), NO_DIE, True))

    for canvas, dice in make.drawn(drawn_count):
        for box, kind in dice:
            crops["drawn"].append((_stored(crop(canvas, box), rng), kind, False))
        miss(canvas, dice, 0.25)
        half = cv2.resize(canvas, (SCENE, SCENE), interpolation=cv2.INTER_AREA)
        scenes["drawn"].append(
            (_stored(half, rng), [(tuple(v / 2 for v in box), kind) for box, kind in dice])
        )
    print("drawn", len(crops["drawn"]), flush=True)
    for image, dice in make.mixed:
        for box, kind in dice:
            if min(box[2] - box[0], box[3] - box[1]) >= 13:
                crops["photo"].append((crop(image, box), kind, False))
        miss(image, dice, 0.8)
        scenes["photo"] += make.scenes_of(image, dice, 3 if len(dice) < 4 else 8, 0.22)
    print("photographs", len(crops["photo"]), flush=True)
    for _ in range(frames):
        image, dice, hidden = dice_frame(rng)
        for box, kind in dice:
            crops["frame"].append((_stored(crop(image, box), rng), kind, True))
        miss(image, dice, 0.3)
        if hidden:  # a half hidden die may or may not be found
            for b in hidden:
                x0, y0, x1, y1 = (int(v) for v in b)
                image[max(0, y0) : y1, max(0, x0) : x1] = image[max(0, y0 - 1), max(0, x0 - 1)]
        if dice:
            scenes["frame"] += make.scenes_of(image, dice, 16, 0.12)
        for _ in range(10):  # lamps, rims, tiles
            y, x = rng.integers(40, image.shape[0] - 40), rng.integers(300, 1620)
            if rng.random() < 0.5:
                y, x = 540 + rng.normal(0, 90), 960 + rng.normal(0, 90)
            s = rng.uniform(8, 22)
            box = (x - s, y - s, x + s, y + s)
            if not _covers(box, dice):
                crops["empty"].append((crop(image, box), NO_DIE, True))
    print("frames", len(crops["frame"]), flush=True)
    for image, dice in make.empty(drawn_count // 2):
        scenes["empty"].append((_stored(image, rng), dice))
    for path, s in make.mined:
        crops["empty"].append((crop(make.image(path), s[:4]), NO_DIE, True))
    for _ in range(drawn_count):
        ground = make.ground.patch(rng, 160)
        s = rng.uniform(8, 40)
        x, y = rng.uniform(s, 160 - s, 2)
        crops["empty"].append(
            (_stored(crop(ground, (x - s, y - s, x + s, y + s)), rng), NO_DIE, True)
        )
    print("empty", len(crops["empty"]), len(scenes["empty"]), flush=True)
    return {"scenes": scenes, "crops": crops}


def load(paths: Sequence[Path] | None = None) -> dict:
    """The stores together; one is made where there is none."""
    paths = paths or [common.WORK / "dice_store.pickle"]
    store: dict = {"scenes": {}, "crops": {}}
    for path in paths:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(pickle.dumps(build(1, 3000, 40, None)))
        one = pickle.loads(path.read_bytes())  # noqa: S301 - our own
        for what, groups in store.items():
            for name, rows in one[what].items():
                groups.setdefault(name, []).extend(rows)
    return store


def main() -> None:
    """Make the store."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--drawn", type=int, default=3000)
    ask.add_argument("--frames", type=int, default=40)
    ask.add_argument("--mined", type=Path, help="false dice found with --mine before")
    ask.add_argument("--mine", type=Path, help="write what the models take for dice, no store")
    ask.add_argument("--models", type=Path, help="of --mine, another folder than models/")
    ask.add_argument("--share", type=float, default=1.0, help="of the photographs of --mine")
    ask.add_argument("--out", type=Path, default=common.WORK / "dice_store.pickle")
    args = ask.parse_args()
    if args.mine:
        args.mine.write_bytes(pickle.dumps(mine(DiceReader(args.models), args.seed, args.share)))
        return
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_bytes(pickle.dumps(build(args.seed, args.drawn, args.frames, args.mined)))


if __name__ == "__main__":
    main()
