"""``python -m vision.training.dice.mine``: what half trained models take for dice and is none."""

from __future__ import annotations

import argparse
import pickle
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from vision.dice.finding import WORKING_PX, DiceReader
from vision.training import common
from vision.training.dice.photos import (
    FAMILIES,
    NO_DIE,
    Box,
    Spot,
    family_of,
    kept_apart,
    photographs,
)
from vision.training.opened import opened
from vision.training.pictures import sources, taught


def mine(
    reader: DiceReader, seed: int, families: Sequence[str], share: float = 1.0
) -> list[tuple[str, Spot]]:
    """What a dice reader takes for dice in photographs where none lies: file and spot.

    Where photographs may hold unlabelled dice, only what lies on a labelled tile counts, and in
    photographs of dice what is not read with certainty.

    Args:
        reader: whose faults are looked for.
        seed: of the choice of photographs.
        families: of the photographs of dice that are looked at.
        share: of the photographs.
    """
    pick = random.Random(seed)
    photos = taught.teaching()
    pools = [p for p in photos if p.family == "autotable"]
    felt = [p for p in photos if not p.whole and p.family != "autotable"]
    jobs: list[tuple[Path, list[Box] | None, list[Box]]] = []
    jobs += [(p.path, None, []) for p in pick.sample(sources.without_dice(), int(110 * share))]
    jobs += [(p.path, [b.xyxy for b in p.boxes], []) for p in pick.sample(felt, int(90 * share))]
    jobs += [(p.path, [b.xyxy for b in p.boxes], []) for p in pick.sample(pools, int(90 * share))]
    for family in families:
        # in heaps of dice many are not labelled
        few = [(p, d) for p, d in photographs(family) if not kept_apart(p) and len(d) <= 8]
        jobs += [(p, None, [b for b, _ in d]) for p, d in few if pick.random() < share]
    found: list[tuple[str, Spot]] = []
    for i, (path, tiles, dice) in enumerate(jobs):
        image = opened(path)
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
                unlabelled = family_of(path) and (row[1:6].max() > 0.95 or row[0] > 0.99)
                if seems > 0.2 and not unlabelled:
                    found.append((str(path), spot))
    return found


def _within(c: tuple[float, float], boxes: Iterable[Box], rim: float) -> bool:
    return any(
        b[0] - rim * (b[2] - b[0]) < c[0] < b[2] + rim * (b[2] - b[0])
        and b[1] - rim * (b[3] - b[1]) < c[1] < b[3] + rim * (b[3] - b[1])
        for b in boxes
    )


def main() -> None:
    """Write files and spots."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--families", nargs="*", choices=FAMILIES, default=list(FAMILIES))
    ask.add_argument("--models", type=Path, help="another folder than models/")
    ask.add_argument("--share", type=float, default=1.0, help="of the photographs")
    ask.add_argument("--out", type=Path, default=common.WORK / "dice_mined.pickle")
    args = ask.parse_args()
    cv2.setNumThreads(1)
    found = mine(DiceReader(args.models), args.seed, args.families, args.share)
    args.out.write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main()
