"""``python -m vision.training.judging.thresholds``: how sure a tile must be, by posture.

Chosen where recall and precision together are best (F1) on pictures apart from those that judge:
composed scenes with the designs kept for validation, and new frames of the virtual table.
Written into the finder's manifest.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

from vision.image import Image
from vision.nets import modelfile
from vision.nets.finder import Finder
from vision.sightings import Posture
from vision.training.judging.tally import match
from vision.training.pictures import cut_outs, grounds, rendered, taught, tile_data
from vision.training.pictures.groups import Part
from vision.training.pictures.scenes import STANDING, Truth

POSTURES = (Posture.FACE_UP, Posture.FACE_DOWN, Posture.STANDING)
_LEAST = 0.1
_CLEAR = 0.5
"""Tiles of which less is visible are neither asked for nor held against the finder."""


def pictures(scenes: int, frames: int, seed: int) -> list[tuple[Image, Truth, float]]:
    """Pictures with their truth and the short side of a tile, pixels."""
    rng = np.random.default_rng(seed)
    designs = list(cut_outs.sets_of(taught.NEXT.chose).values())
    photos = grounds.photo_grounds(60, Part.VALID)
    found: list[tuple[Image, Truth, float]] = []
    for i in range(scenes):
        px = float(rng.uniform(16, 23))
        image, truth = tile_data.compose(rng, designs[i % len(designs)], 512, photos, px)
        found.append((image, truth, px))
    for _ in range(frames):
        image, frame, scene = rendered.random_frame(rng)
        truth = rendered.truth_of(frame, scene, image.shape[:2])
        flat = truth.quads[truth.posture != STANDING]
        px = float(np.median(np.linalg.norm(flat[:, 1] - flat[:, 0], axis=1)))
        found.append((image, truth, px))
    return found


def scores(
    finder: Finder, rows: list[tuple[Image, Truth, float]]
) -> tuple[list[list[tuple[float, bool]]], list[int]]:
    """By posture: scores of what was found and whether it is right; how many there are."""
    found_by: list[list[tuple[float, bool]]] = [[], [], []]
    there = [0, 0, 0]
    for image, truth, px in rows:
        tiles = finder.find(image, px).tiles
        quads = np.array([t.quad for t in tiles], np.float32).reshape(-1, 4, 2)
        pairs = {j: i for i, j, _ in match(truth.quads, quads, 0.35)}
        size = np.array(image.shape[1::-1])
        inside = ((truth.quads.mean(1) > px) & (truth.quads.mean(1) < size - px)).all(1)
        clear = (truth.visible > _CLEAR) & inside
        for k in range(3):
            there[k] += int((clear & (truth.posture == k)).sum())
        for j, tile in enumerate(tiles):
            k = POSTURES.index(tile.posture)
            middle = quads[j].mean(0)
            edge = not ((middle > px) & (middle < size - px)).all()
            x, y = (int(v) for v in middle.clip(0, size - 1))
            i = pairs.get(j)
            if i is None:
                if not edge and not truth.ignore[y, x]:
                    found_by[k].append((tile.confidence, False))
            elif clear[i]:
                found_by[k].append((tile.confidence, int(truth.posture[i]) == k))
    return found_by, there


def best(
    found: list[tuple[float, bool]], there: int, *, trial: bool = False
) -> tuple[float, float]:
    """The threshold with the greatest F1, and that F1.

    Raises:
        ValueError: all that was found is wrong, and this is no ``trial`` of the chain.
    """
    rows = np.array(found, np.float64).reshape(-1, 2)
    tried = []
    for least in np.arange(0.2, 0.66, 0.01):
        kept = rows[rows[:, 0] > least]
        right = kept[:, 1].sum()
        tried.append((2 * right / max(1.0, len(kept) + there), float(least)))
    top = max(value for value, _ in tried)
    if top == 0 and not trial:
        raise ValueError("nothing that was found is right: no threshold can be chosen")
    # a plateau is common: its middle
    flat = [least for value, least in tried if value > top - 0.0005]
    return round(float(np.median(flat)), 2), round(float(top), 4)


def main() -> None:
    """Choose and write."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--scenes", type=int, default=60)
    ask.add_argument("--frames", type=int, default=6)
    ask.add_argument("--seed", type=int, default=4242)
    ask.add_argument("--trial", action="store_true", help="a net that finds nothing will do")
    ask.add_argument("--models", type=Path, default=modelfile.default_dir())
    args = ask.parse_args()
    cv2.setNumThreads(1)
    finder = Finder(args.models)
    finder.accept(_LEAST)
    found, there = scores(finder, pictures(args.scenes, args.frames, args.seed))
    path = args.models / "finder.json"
    raw = json.loads(path.read_text("utf-8"))
    for k, posture in enumerate(POSTURES):
        least, value = best(found[k], there[k], trial=args.trial)
        was = raw["settings"][f"threshold_{posture.value}"]
        print(f"{posture.value}: {there[k]} tiles, F1 {value} at {least} (was {was})")
        raw["settings"][f"threshold_{posture.value}"] = least
    path.write_text(json.dumps(raw, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
