"""``python -m vision.training.evaluate``: the models measured on what they were not trained on.

Prints a table and writes JSON; ``--write`` puts the figures into the manifests and into the
model card ``models/README.md``. The runtime classes are measured, not the training nets. What is
new to the models is derived from their manifests. Needs PyTorch and CairoSVG, as a training does:
scenes and sets are drawn by its code.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

from vision.image import Image
from vision.nets import modelfile
from vision.nets.reader import CROP_H, CROP_W, MARGIN, SYMMETRIC, FaceReader
from vision.training import reader_fold
from vision.training.judging import dice as evaluate_dice
from vision.training.judging import headings
from vision.training.judging import photos as evaluate_photos
from vision.training.judging.tally import Tally, match, parts_of, quantile, share
from vision.training.opened import opened
from vision.training.pictures import sources, taught, variants
from vision.training.pictures.sources import FLOWERS, LABELS
from vision.training.work import facts_of

SPECIAL: dict[str, Callable[[str], bool]] = {
    "red fives": lambda label: label[0] == "0",
    "1s birds": lambda label: label == "1s",
    "white dragons": lambda label: label == "5z",
    "6 and 9": lambda label: label[0] in "69" and label[1] in "mps",
}
"""Faces that are easily taken for others."""


def plain_crops(rows: list[tuple[Image, str]]) -> tuple[np.ndarray, list[str]]:
    """Crops (N, 3, H, W) of upright faces as they were photographed, and their labels."""
    crops, labels = [], []
    for image, label in rows:
        if label not in LABELS:
            continue
        h, w = image.shape[:2]
        mx, my = w * MARGIN, h * MARGIN
        src = np.array([(-mx, -my), (w + mx, -my), (w + mx, h + my), (-mx, h + my)], np.float32)
        dst = np.array([(0, 0), (CROP_W, 0), (CROP_W, CROP_H), (0, CROP_H)], np.float32)
        m = cv2.getPerspectiveTransform(src, dst)
        crop = cv2.warpPerspective(image, m, (CROP_W, CROP_H), borderMode=cv2.BORDER_REPLICATE)
        crops.append(crop.transpose(2, 0, 1))
        labels.append(label)
    return np.array(crops), labels


def _soft(image: Image, short: int) -> Image:
    """The face as a soft lens gives it at so many pixels short side."""
    h = round(short * image.shape[0] / image.shape[1])
    small = cv2.resize(image, (short, h), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 0.7), np.uint8)


REAL_RED, MADE_RED = (
    "red fives, photographed",
    "red fives made of plain ones, as training makes them",
)


def faces(
    reader: FaceReader, designs: Sequence[str], soft: int = 0
) -> dict[str, dict[str, object]]:
    """Kinds on cut-out faces of designs kept apart, by design and together."""
    tallies = {"34 kinds": Tally(), "flowers": Tally(), "flower told from the 34": Tally()}
    tallies |= {name: Tally() for name in SPECIAL if name != "red fives"}
    each: dict[str, Tally] = {}
    rng = np.random.default_rng(5)
    tallies |= {REAL_RED: Tally(), MADE_RED: Tally(), "plain fives": Tally()}
    rows: list[tuple[Image, str, str]] = []
    for path, label, design in sources.photographed_faces():
        if design not in designs or label in ("joker", "xf", "back"):
            continue
        image = opened(path)
        rows.append((image, label, design))
        if label in ("5m", "5p", "5s"):
            rows.append((variants.reddened(rng, image), f"0{label[1]} made", design))
    for whole, marked, design in rows:
        label, made = marked[:2], marked.endswith("made")
        image = _soft(whole, soft) if soft else whole
        h, w = image.shape[:2]
        padded = np.asarray(cv2.copyMakeBorder(image, 8, 8, 8, 8, cv2.BORDER_REPLICATE), np.uint8)
        quad = np.array([(8, 8), (8 + w, 8), (8 + w, 8 + h), (8, 8 + h)], np.float32)
        (one,) = reader.read(padded, quad[None])
        best = one.faces[0]
        for part in parts_of(label):
            name = part if part != "red fives" else MADE_RED if made else REAL_RED
            tallies[name].add(label, best[0], best[1], one.sure)
        for special, holds in SPECIAL.items():
            if special in tallies and holds(label):
                tallies[special].add(label, best[0], best[1], one.sure)
        if label in FLOWERS:
            group = "flower" if best[0] in FLOWERS else best[0]
            tallies["flower told from the 34"].add("flower", group, best[1], one.sure)
        elif label[0] != "0":
            each.setdefault(design, Tally()).add(label, best[0], best[1], one.sure)
    return {
        **{k: t.figures() for k, t in tallies.items() if t.n},
        **{k: t.figures() for k, t in each.items()},
    }


def composed(seen: taught.Taught, count: int = 40, seed: int = 8) -> dict[str, object]:
    """Finding faces of designs kept apart in composed scenes, whose corners are exactly known.

    Up to 50 degrees oblique, squeezed, under uneven light; tiles of 36 to 52 pixels of which at
    least 0.9 are visible. What the photographs' hand-drawn hulls cannot tell: how exact boxes are.
    """
    from vision.nets.finder import Finder
    from vision.photo import rims
    from vision.training.pictures import augment, cut_outs, grounds, tile_data
    from vision.training.pictures.groups import Part

    arts = seen.judged(design for *_, design in sources.photographed_faces())
    tables = cut_outs.sets_of(arts)
    rng, photos = np.random.default_rng(seed), grounds.photo_grounds(60, Part.TEST)
    names, finder = list(tables), Finder(threads=2)
    looks = ("one look", "looked at closely", "drawn out to the rims")
    overlaps: dict[tuple[taught.Art, str], list[float]] = {}
    asked_of, scenes = Counter[taught.Art](), Counter[taught.Art]()
    for k in range(count):
        name, px = names[k % len(names)], float(rng.uniform(36, 52))
        image, truth = tile_data.compose(rng, tables[name], 640, photos, px)
        image = augment.sensor(rng, augment.lens(rng, augment.light(rng, image, 0.6), 1.2))
        inside = ((truth.quads > 4) & (truth.quads < 636)).all((1, 2))
        asked = (truth.posture == 0) & (truth.visible > 0.9) & inside
        scenes[arts[name]] += 1
        asked_of[arts[name]] += int(asked.sum())
        first, second = (
            np.array([t.quad for t in found.tiles], np.float32).reshape(-1, 4, 2)
            for found in (finder.find(image, px), finder.find_closely(image, px))
        )
        third = rims.drawn_out(image, second.astype(np.float64)).astype(np.float32)
        for look, quads in zip(looks, (first, second, third), strict=True):
            pairs = match(truth.quads.astype(np.float32), quads, 0.35)
            found = [value for i, _, value in pairs if asked[i]]
            overlaps.setdefault((arts[name], look), []).extend(found)
    told: dict[str, object] = {}
    for art in scenes:
        rows: dict[str, object] = {"scenes": scenes[art], "faces": asked_of[art]}
        for look in looks:
            values = overlaps[art, look]
            rows[f"found, {look}"] = round(100 * len(values) / max(1, asked_of[art]), 2)
            rows[f"oriented overlap, {look}, median"] = quantile(values, 50)
            rows[f"oriented overlap, {look}, 10th percentile"] = quantile(values, 10)
        told[headings.composed(art)] = rows
    return told


def frames(count: int, seed: int = 77) -> dict[str, object]:
    """Finding and reading on frames of the virtual table (random tables, looks, cameras)."""
    from vision.nets.finder import Finder
    from vision.sightings import Posture
    from vision.training.pictures.rendered import random_frame, truth_of

    finder, reader = Finder(threads=2), FaceReader(threads=2)
    postures = [Posture.FACE_UP, Posture.FACE_DOWN, Posture.STANDING]
    rng = np.random.default_rng(seed)
    seen = found_n = wrong_posture = extra = turned_wrong = 0
    turned_n = 0
    overlaps: list[float] = []
    kinds = Tally()
    arms = []
    missed: Counter[str] = Counter()
    backs = backs_up = 0
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
        for i in np.nonzero(clear)[0].tolist():
            seen += 1
            if i not in pairs:
                missed[postures[truth.posture[i]].value] += 1
                continue
            j, value = pairs[i]
            found_n += 1
            overlaps.append(value)
            if truth.posture[i] == 1:
                backs, backs_up = backs + 1, backs_up + (findings.tiles[j].posture is postures[0])
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
        "overlap median": quantile(overlaps, 50),
        "overlap 10th percentile": quantile(overlaps, 10),
        "backs found": share(backs, backs + missed["face_down"]),
        "backs told face up": backs_up,
        "arms overlap": round(float(np.mean(arms)), 3) if arms else None,
        "turn right": round(100 * (1 - turned_wrong / max(1, turned_n)), 3),
        "kinds": kinds.figures(),
    }


def calibration(reader: FaceReader, designs: Sequence[str]) -> float:
    """The temperature that makes confidences on augmented faces of these designs true.

    Without flowers: few designs say of them only how much these differ from those that taught.
    """
    from vision.training.pictures import face_data

    bank = face_data.Bank()
    for path, label, design in sources.photographed_faces():
        if design in designs:
            bank.add(f"face:{design}", opened(path), label)
    rng = np.random.default_rng(9)
    logits, truth = [], []
    rows = [
        r
        for rows in bank.designs.values()
        for r in rows
        if r[1] in sources.KINDS and r[1] not in sources.FLOWERS
    ]
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
    ask.add_argument("what", nargs="*", default=["faces", "enrolled", "frames", "photos", "dice"])
    ask.add_argument("--frames", type=int, default=40)
    ask.add_argument("--photos", type=int, default=0, help="photographs of a family at most")
    ask.add_argument("--json", type=Path)
    ask.add_argument("--draw", type=Path, help="a folder for contact sheets of the photographs")
    ask.add_argument("--write", action="store_true", help="into the manifests and the card")
    args = ask.parse_args()
    if args.write and args.what == ["corners"]:
        ask.error("corners alone are a quick look: what is written is measured with all photos")
    cv2.setNumThreads(1)
    told: dict[str, object] = {}
    folder = modelfile.default_dir()
    if "faces" in args.what:
        reader, seen = FaceReader(threads=2), taught.of_models(folder, ("reader",))
        told["temperature"] = calibration(reader, seen.chose)
        arts = seen.judged(design for *_, design in sources.photographed_faces())
        for art in dict.fromkeys(arts.values()):
            designs = [design for design, its in arts.items() if its is art]
            for soft in (0, headings.SOFT):
                told[headings.face(art, soft)] = faces(reader, designs, soft)
        told |= facts_of(reader_fold.FIGURES)
    if "enrolled" in args.what:
        from vision.training.judging.enrolled import enrolled

        told |= enrolled()
    if "frames" in args.what:
        told[headings.FRAMES] = frames(args.frames)
        told |= composed(taught.of_models(folder, ("finder",)))
    if "photos" in args.what:
        told |= evaluate_photos.evaluate(args.photos, args.draw)
    if "corners" in args.what:
        told |= evaluate_photos.with_corners()
    if "dice" in args.what:
        told |= evaluate_dice.evaluate(args.frames, args.photos)
    print(json.dumps(told, indent=1, ensure_ascii=False))
    if args.json:
        args.json.write_text(json.dumps(told, indent=1, ensure_ascii=False), "utf-8")
    if args.write:
        from vision.training.judging import card

        card.write(told)


if __name__ == "__main__":
    main()
