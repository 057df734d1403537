"""``python -m vision.training.evaluate``: the models measured on what they were not trained on.

Prints a table and writes JSON; ``--write`` puts the figures into the manifests and into the
model card ``models/README.md``. The runtime classes are measured, not the training nets.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

from vision.reader import CROP_H, CROP_W, MARGIN, SYMMETRIC, FaceReader
from vision.training import sources
from vision.training.sources import FLOWERS, LABELS, Image

THIRTY_FOUR = frozenset(k for k in sources.KINDS if k[0] != "0" and k[1] != "f")


def plain_crops(rows: list[tuple[Image, str]]) -> tuple[np.ndarray, list[str]]:
    """Crops (N, 3, H, W) of upright faces as they were photographed, and their labels."""
    crops, labels = [], []
    for image, label in rows:
        if label not in LABELS:
            continue
        h, w = image.shape[:2]
        mx, my = w * MARGIN, h * MARGIN
        src = np.float32([(-mx, -my), (w + mx, -my), (w + mx, h + my), (-mx, h + my)])
        dst = np.float32([(0, 0), (CROP_W, 0), (CROP_W, CROP_H), (0, CROP_H)])
        m = cv2.getPerspectiveTransform(src, dst)
        crop = cv2.warpPerspective(image, m, (CROP_W, CROP_H), borderMode=cv2.BORDER_REPLICATE)
        crops.append(crop.transpose(2, 0, 1))
        labels.append(label)
    return np.array(crops), labels


class Tally:
    """Counts of right, wrong, unsure and confused readings."""

    def __init__(self) -> None:
        self.n = self.right = self.sure = self.sure_right = self.bold_wrong = 0
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.rows: list[tuple[float, bool]] = []

    def add(self, truth: str, label: str, confidence: float, sure: bool) -> None:
        """Count one reading."""
        good = label == truth
        self.n += 1
        self.right += good
        self.sure += sure
        self.sure_right += sure and good
        self.bold_wrong += sure and not good and confidence > 0.9
        self.rows.append((confidence, good))
        if not good:
            self.pairs[(truth, label)] += 1

    def figures(self) -> dict[str, object]:
        """Shares, in per cent."""
        if not self.n:
            return {"n": 0}
        return {
            "n": self.n,
            "right": round(100 * self.right / self.n, 2),
            "sure": round(100 * self.sure / self.n, 2),
            "right of the sure": round(100 * self.sure_right / max(1, self.sure), 2),
            "wrong above 0.9": round(100 * self.bold_wrong / self.n, 3),
            "confused": [f"{a}>{b} {n}" for (a, b), n in self.pairs.most_common(8)],
        }


def _soft(image: Image, short: int) -> Image:
    """The face as a soft lens gives it at so many pixels short side."""
    h = round(short * image.shape[0] / image.shape[1])
    small = cv2.resize(image, (short, h), interpolation=cv2.INTER_AREA)
    return cv2.GaussianBlur(small, (0, 0), 0.7)


def faces(
    reader: FaceReader, designs: tuple[str, ...], soft: int = 0
) -> dict[str, dict[str, object]]:
    """Kinds on cut-out faces of designs kept apart, by design and together."""
    tallies = {"34 kinds": Tally(), "flowers": Tally(), "flower told from the 34": Tally()}
    each: dict[str, Tally] = {}
    for path, label, design in sources.photographed_faces():
        if design not in designs or label in ("joker", "xf", "back"):
            continue
        image = cv2.imread(str(path))
        if soft:
            image = _soft(image, soft)
        h, w = image.shape[:2]
        padded = cv2.copyMakeBorder(image, 8, 8, 8, 8, cv2.BORDER_REPLICATE)
        quad = np.float32([(8, 8), (8 + w, 8), (8 + w, 8 + h), (8, 8 + h)])
        (one,) = reader.read(padded, quad[None])
        best = one.faces[0]
        name = "flowers" if label in FLOWERS else "34 kinds"
        tallies[name].add(label, best[0], best[1], one.sure)
        if label in FLOWERS:
            group = "flower" if best[0] in FLOWERS else best[0]
            tallies["flower told from the 34"].add("flower", group, best[1], one.sure)
        else:
            each.setdefault(design, Tally()).add(label, best[0], best[1], one.sure)
    return {
        **{k: t.figures() for k, t in tallies.items()},
        **{k: t.figures() for k, t in each.items()},
    }


def _iou(a: np.ndarray, b: np.ndarray) -> float:
    common, _ = cv2.intersectConvexConvex(a.astype(np.float32), b.astype(np.float32))
    union = cv2.contourArea(a.astype(np.float32)) + cv2.contourArea(b.astype(np.float32)) - common
    return common / max(1e-6, union)


def match(truth: np.ndarray, found: np.ndarray, least: float = 0.4) -> list[tuple[int, int, float]]:
    """Pairs of true and found quads by overlap, greedily."""
    if not len(truth) or not len(found):
        return []
    pairs = []
    tc, fc = truth.mean(1), found.mean(1)
    reach = np.linalg.norm(truth[:, 1] - truth[:, 3], axis=1)
    for i in range(len(truth)):
        for j in np.nonzero(np.linalg.norm(fc - tc[i], axis=1) < reach[i] * 0.6)[0]:
            value = _iou(truth[i], found[j])
            if value >= least:
                pairs.append((value, i, int(j)))
    used_t, used_f, out = set(), set(), []
    for value, i, j in sorted(pairs, reverse=True):
        if i not in used_t and j not in used_f:
            used_t.add(i)
            used_f.add(j)
            out.append((i, j, value))
    return out


def frames(count: int, seed: int = 77) -> dict[str, object]:
    """Finding and reading on frames of the virtual table (random tables, looks, cameras)."""
    from vision.finder import Finder
    from vision.sightings import Posture
    from vision.training.rendered import random_frame, truth_of

    finder, reader = Finder(threads=2), FaceReader(threads=2)
    postures = [Posture.FACE_UP, Posture.FACE_DOWN, Posture.STANDING]
    rng = np.random.default_rng(seed)
    seen = found_n = wrong_posture = extra = turned_wrong = 0
    turned_n = 0
    overlaps: list[float] = []
    kinds = Tally()
    arms = []
    missed: Counter[str] = Counter()
    for _ in range(count):
        image, frame, scene = random_frame(rng)
        truth = truth_of(frame, scene, image.shape[:2])
        flat = truth.quads[truth.posture != 2]
        px = float(np.median(np.linalg.norm(flat[:, 1] - flat[:, 0], axis=1)))
        findings = finder.find(image, px)
        quads = np.array([t.quad for t in findings.tiles], np.float32).reshape(-1, 4, 2)
        pairs = {i: (j, v) for i, j, v in match(truth.quads + 0.5, quads, 0.35)}
        clear = truth.visible > 0.6
        up = []
        for i in np.nonzero(clear)[0]:
            seen += 1
            if i not in pairs:
                missed[postures[truth.posture[i]].value] += 1
                continue
            j, value = pairs[i]
            found_n += 1
            overlaps.append(value)
            wrong_posture += findings.tiles[j].posture is not postures[truth.posture[i]]
            if truth.posture[i] == 0 and truth.visible[i] > 0.85:
                up.append((i, j))
        # a box on nothing at all; on a hidden or moving tile it is no invention
        used = {j for j, _ in pairs.values()}
        extra += len(findings.tiles) - len(used)
        readings = reader.read(image, quads[[j for _, j in up]]) if up else []
        for (i, j), one in zip(up, readings, strict=True):
            label = frame.tiles[i].face
            kinds.add(label, one.faces[0][0], one.faces[0][1], one.sure)
            if label not in SYMMETRIC:
                turned_n += 1
                true_turn = (truth.quads[i][0] - truth.quads[i][2]) @ (
                    quads[j][0] - quads[j][2]
                ) < 0
                turned_wrong += bool(true_turn) != one.turned
        if findings.arms is not None:
            h, w = (
                min(findings.arms.shape[0], frame.arms.shape[0]),
                min(findings.arms.shape[1], frame.arms.shape[1]),
            )
            a, b = findings.arms[:h, :w] > 0.5, frame.arms[:h, :w] > 0.5
            if b.any():
                arms.append((a & b).sum() / (a | b).sum())
    return {
        "frames": count,
        "tiles": seen,
        "recall": round(100 * found_n / seen, 3),
        "precision": round(100 * found_n / max(1, found_n + extra), 3),
        "posture right": round(100 * (1 - wrong_posture / max(1, found_n)), 3),
        "overlap median": round(float(np.median(overlaps)), 3),
        "overlap 10th percentile": round(float(np.percentile(overlaps, 10)), 3),
        "missed": dict(missed),
        "arms overlap": round(float(np.mean(arms)), 3) if arms else None,
        "turn right": round(100 * (1 - turned_wrong / max(1, turned_n)), 3),
        "kinds": kinds.figures(),
    }


def photographs(family: str, limit: int = 0, seed: int = 5) -> dict[str, object]:
    """Whole photographs read without any knowledge of their scale."""
    from vision.read import PhotoReader
    from vision.training.tile_data import real

    reader = PhotoReader()
    rows = [p for w in ("homes", "autotable") for p in sources.photos(w) if p.family == family]
    rows = [p for p in rows if real(p, True) is not None]
    random.Random(seed).shuffle(rows)
    rows = rows[:limit] if limit else rows
    seen = hit = extra = small = small_exact = large = large_exact = 0
    overlaps: list[float] = []
    shaped: list[float] = []
    kinds = Tally()
    for photo in rows:
        picture = real(photo, True)
        image = photo.image()
        reading = reader.read(image, photo.path.name)
        tiles = [t for t in reading.tiles if t.posture.value == "face_up"]
        quads = np.array([t.quad for t in tiles], np.float32).reshape(-1, 4, 2)
        pairs = match(picture.quads, quads, 0.4)
        seen += len(picture.quads)
        hit += len(pairs)
        overlaps += [v for *_, v in pairs]
        shaped += [v for i, _, v in pairs if picture.shape[i] > 0.5]
        # around the labelled rows something may lie unlabelled: count inventions only among them
        hull = cv2.convexHull(picture.quads.reshape(-1, 2))
        used = {j for _, j, _ in pairs}
        wrong = sum(
            cv2.pointPolygonTest(hull, tuple(float(v) for v in quads[j].mean(0)), False) > 0
            for j in range(len(quads))
            if j not in used
        )
        extra += wrong
        right = True
        for i, j, _ in pairs:
            label = photo.boxes[i].tile
            tile = tiles[j]
            kinds.add(label, tile.tile, tile.confidence, tile.tile != "?")
            right &= tile.tile == label
        right &= len(pairs) == len(picture.quads) and not wrong
        if len(picture.quads) <= 14:
            small += 1
            small_exact += right
        else:
            large += 1
            large_exact += right
    return {
        "photographs": len(rows),
        "tiles": seen,
        "recall": round(100 * hit / seen, 2),
        "precision among the labelled": round(100 * hit / max(1, hit + extra), 2),
        "overlap median": round(float(np.median(overlaps)), 3),
        "overlap 10th percentile": round(float(np.percentile(overlaps, 10)), 3),
        "overlap median, tiles in straight rows": round(float(np.median(shaped)), 3),
        "overlap 10th percentile, tiles in straight rows": round(
            float(np.percentile(shaped, 10)), 3
        ),
        "exact to 14 tiles": f"{small_exact} of {small}",
        "exact above": f"{large_exact} of {large}",
        "kinds": kinds.figures(),
    }


def dice(part: str, limit: int = 0) -> dict[str, object]:
    """Dice of photographs: found, and values of those that were."""
    from vision.dice import DiceReader
    from vision.training.train_dice import photographs as dice_photos

    reader = DiceReader(threads=2)
    seen = hit = right = extra = unread = 0
    pairs: Counter[tuple[int, int | None]] = Counter()
    rows = [(p, d) for p, d in dice_photos(part) if d]
    if limit:
        rows = random.Random(3).sample(rows, min(limit, len(rows)))
    for path, truth in rows:
        image = cv2.imread(str(path))
        found = [d for d in reader.find(image) if d.confidence > 0.3]
        free = set(range(len(found)))
        for box, kind in truth:
            seen += 1
            best, best_value = None, 0.35
            for j in free:
                b = found[j].box
                w, h = min(b[2], box[2]) - max(b[0], box[0]), min(b[3], box[3]) - max(b[1], box[1])
                if w > 0 and h > 0:
                    union = (
                        (b[2] - b[0]) * (b[3] - b[1])
                        + (box[2] - box[0]) * (box[3] - box[1])
                        - w * h
                    )
                    if w * h / union > best_value:
                        best, best_value = j, w * h / union
            if best is None:
                continue
            free.discard(best)
            hit += 1
            value = found[best].value
            right += value == kind + 1
            unread += value is None
            if value != kind + 1:
                pairs[(kind + 1, value)] += 1
        extra += len(free)
    return {
        "photographs": len(rows),
        "dice": seen,
        "found": round(100 * hit / max(1, seen), 2),
        "invented": extra,
        "values right": round(100 * right / max(1, hit), 2),
        "unread": unread,
        "confused": [f"{a}>{b} {n}" for (a, b), n in pairs.most_common(6)],
    }


def rendered_dice(count: int, seed: int = 99) -> dict[str, object]:
    """Dice on frames of the virtual table, looked for in the middle of the table."""
    from vision.dice import DiceReader
    from vision.training.rendered import random_frame

    reader = DiceReader(threads=2)
    rng = np.random.default_rng(seed)
    seen = hit = right = bold = moving = moving_read = extra = 0
    for _ in range(count):
        image, frame, _ = random_frame(rng)
        y0, x0 = 340, 760
        part = image[y0:740, x0:1160]
        found = [d for d in reader.find(part, 16.0) if d.confidence > 0.3]
        free = set(range(len(found)))
        for die in frame.dice:
            if die.visible < 0.9:
                continue
            middle = np.array(
                ((die.box[0] + die.box[2]) / 2 - x0, (die.box[1] + die.box[3]) / 2 - y0)
            )
            near = [
                j
                for j in free
                if np.linalg.norm(
                    np.array(
                        (
                            (found[j].box[0] + found[j].box[2]) / 2,
                            (found[j].box[1] + found[j].box[3]) / 2,
                        )
                    )
                    - middle
                )
                < 10
            ]
            got = found[near[0]] if near else None
            free -= set(near[:1])
            if die.value is None:
                moving += 1
                moving_read += got is not None and got.value is not None
                continue
            seen += 1
            hit += got is not None
            right += got is not None and got.value == die.value
            bold += got is not None and got.value not in (die.value, None)
        if all(d.visible > 0.9 for d in frame.dice):
            extra += len(free)
    return {
        "dice": seen,
        "found": round(100 * hit / max(1, seen), 2),
        "values right": round(100 * right / max(1, seen), 2),
        "wrong": bold,
        "moving or leaning": moving,
        "of these read": moving_read,
        "invented": extra,
    }


def calibration(reader: FaceReader, designs: tuple[str, ...]) -> float:
    """The temperature that makes confidences on augmented faces of these designs true."""
    from vision.training import face_data

    bank = face_data.Bank()
    for path, label, design in sources.photographed_faces():
        if design in designs:
            bank.add(f"face:{design}", cv2.imread(str(path)), label)
    rng = np.random.default_rng(9)
    logits, truth = [], []
    rows = [r for rows in bank.designs.values() for r in rows if r[1] in sources.KINDS]
    for _ in range(8):
        crops = []
        for image, label in rows:
            others = [rows[int(rng.integers(len(rows)))][0] for _ in range(2)]
            crop, tossed = face_data.crop_of(rng, image, others, [])
            if not tossed:
                crops.append(crop)
                truth.append(reader.labels.index(label))
        logits.append(reader.outputs(np.array(crops))[0][:, :-1])
    z, y = np.concatenate(logits), np.array(truth)
    best = (1e9, 1.0)
    for t in np.linspace(0.5, 2.5, 41):
        s = z / t
        s = s - s.max(1, keepdims=True)
        loss = float(np.mean(np.log(np.exp(s).sum(1)) - s[np.arange(len(y)), y]))
        best = min(best, (loss, float(t)))
    return round(best[1], 3)


def main() -> None:
    """Measure everything, or what is named."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("what", nargs="*", default=["faces", "frames", "photos", "dice"])
    ask.add_argument("--frames", type=int, default=40)
    ask.add_argument("--photos", type=int, default=0, help="photographs of a family at most")
    ask.add_argument("--json", type=Path)
    ask.add_argument("--write", action="store_true", help="into the manifests and the card")
    args = ask.parse_args()
    cv2.setNumThreads(1)
    told: dict[str, object] = {}
    if "faces" in args.what:
        reader = FaceReader(threads=2)
        told["temperature"] = calibration(reader, sources.VALID_DESIGNS)
        told["faces unseen designs"] = faces(reader, sources.TEST_DESIGNS)
        told["faces unseen designs, 24 px, soft"] = faces(reader, sources.TEST_DESIGNS, 24)
    if "frames" in args.what:
        told["virtual table"] = frames(args.frames)
    if "photos" in args.what:
        told["photographs homes-hand (unseen)"] = photographs("homes-hand", args.photos)
    if "seen" in args.what:
        for family in ("homes-box", "homes-felt", "autotable"):
            told[f"photographs {family} (trained on)"] = photographs(family, args.photos or 60)
    if "dice" in args.what:
        told["dice coloured (unseen)"] = dice("coloured", args.photos)
        told["dice virtual table"] = rendered_dice(args.frames)
    print(json.dumps(told, indent=1, ensure_ascii=False))
    if args.json:
        args.json.write_text(json.dumps(told, indent=1, ensure_ascii=False), "utf-8")
    if args.write:
        from vision.training import card

        card.write(told)


if __name__ == "__main__":
    main()
