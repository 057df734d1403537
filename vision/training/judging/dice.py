"""The dice models measured: photographs of other dice, photographs without dice, rendered tables.

A die counts as found where ``paiguan read`` would report it. ``python -m
vision.training.judging.dice mixed-apart`` gives the same for the photographs kept apart, by
which thresholds are chosen. The figures of unseen dice are those of ``dice.folds``: the shipped
models learned from both families.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from vision.dice.finding import DiceReader, FoundDie, believed
from vision.image import Image
from vision.nets import modelfile
from vision.training.dice import grounds as dice_grounds
from vision.training.dice import photos as dice_photos
from vision.training.dice import scenes as dice_scenes
from vision.training.dice.drawn import NONE, Unrest
from vision.training.dice.photos import Box, Die
from vision.training.judging import headings, rolls
from vision.training.opened import opened
from vision.training.pictures import taught
from vision.training.pictures.sources import Photo, overlap
from vision.training.work import WORK


def told(
    reader: DiceReader,
    image: Image,
    die_px: float | None = None,
    *,
    beside_tiles: bool = False,
) -> list[FoundDie]:
    """The dice that would be reported of a photograph of dice alone, or of one of tiles."""
    found = reader.find(image, die_px)
    return [d for d in found if d.sure] if die_px or beside_tiles else believed(found)


MOVING = Unrest(moving=1.0, leaning=0.0)


class Count:
    """Counts of dice found, read, invented."""

    def __init__(self) -> None:
        self.pictures = self.dice = self.found = self.right = self.unread = self.invented = 0
        self.still = self.bare = self.bare_read = 0
        self.aslant: dict[bool, list[int]] = {False: [0, 0], True: [0, 0]}
        self.pairs: Counter[tuple[int, int | str | None]] = Counter()
        self.faults: list[tuple[str, str, Box]] = []

    def add(
        self,
        name: str,
        truth: list[Die],
        found: list[FoundDie],
        least: float,
        ignored: Sequence[Box] = (),
        steep: Sequence[bool] = (),
    ) -> None:
        """Compare the dice of one picture with those found in it."""
        self.pictures += 1
        pairs = sorted(
            (
                (overlap(f.box, box), i, j)
                for i, (box, _) in enumerate(truth)
                for j, f in enumerate(found)
            ),
            reverse=True,
        )
        mine: dict[int, int] = {}
        taken: set[int] = set()
        for common, i, j in pairs:
            if common >= least and i not in mine and j not in taken:
                mine[i] = j
                taken.add(j)
        for i, (box, kind) in enumerate(truth):
            got = found[mine[i]] if i in mine else None
            if kind == NONE:
                self.bare += 1
                self.bare_read += got is not None and got.value is not None
                continue
            self.dice += 1
            self.found += got is not None
            value = None if got is None else got.value
            self.right += value == kind + 1
            if steep:
                self.aslant[steep[i]][0] += 1
                self.aslant[steep[i]][1] += value == kind + 1
            self.unread += got is not None and value is None
            if value != kind + 1:
                self.pairs[(kind + 1, "missed" if got is None else value)] += 1
                self.faults.append((name, f"{kind + 1}>{'missed' if got is None else value}", box))
        for j, f in enumerate(found):
            if j not in taken and not any(overlap(f.box, box) > 0.05 for box in ignored):
                self.invented += 1
                self.faults.append((name, f"invented {f.value} {f.found}", f.box))

    def figures(self) -> dict[str, object]:
        """Shares in per cent of all dice that show a value."""
        n = max(1, self.dice)
        wrong = self.found - self.right - self.unread
        rows: dict[str, object] = {
            "pictures": self.pictures,
            "dice": self.dice,
            "found": round(100 * self.found / n, 2),
            "values right": round(100 * self.right / n, 2),
            "right of those found": round(100 * self.right / max(1, self.found), 2),
            "unread": self.unread,
            "wrong": wrong,
            "invented": self.invented,
            "confused": [f"{a}>{b} {n}" for (a, b), n in self.pairs.most_common(8)],
        }
        for beyond, (count, right) in self.aslant.items():
            if count and self.aslant[True][0]:
                name = "beyond" if beyond else "up to about"
                rows[f"right, seen {name} 45 degrees from the plumb line"] = (
                    f"{right} of {count} ({100 * right / count:.1f})"
                )
        if self.bare:
            rows |= {"moving or leaning": self.bare, "of these read": self.bare_read}
        return rows


def photographs(reader: DiceReader, part: str, limit: int = 0) -> Count:
    """Dice of photographs: a family, or ``FAMILY-apart`` for those of it that teach nothing."""
    family, _, apart = part.partition("-")
    rows = [(p, d) for p, d in dice_photos.photographs(family) if d]
    if apart:
        rows = [(p, d) for p, d in rows if dice_photos.kept_apart(p)]
    if limit:
        rows = random.Random(3).sample(rows, min(limit, len(rows)))
    count = Count()
    for path, truth in rows:
        image = opened(path)
        seen = [dice_photos.steep(path, box) for box, _ in truth]
        count.add(path.name, truth, told(reader, image), 0.3, steep=seen)
    return count


def drawn(reader: DiceReader, scenes: int, seed: int = 77, unrest: Unrest | None = None) -> Count:
    """Dice drawn for this only, two to six in a picture, of a known size."""
    rng = np.random.default_rng(seed)
    ground = dice_grounds.Grounds(rng)
    count = Count()
    for k in range(scenes):
        image, dice, _ = dice_scenes.drawn(rng, ground, unrest)
        px = float(np.median([max(b[2] - b[0], b[3] - b[1]) for b, _ in dice])) / 1.27
        count.add(str(k), dice, told(reader, image, px), 0.3)
    return count


def without_dice(reader: DiceReader, rows: list[Photo], limit: int = 0) -> Count:
    """Dice told in photographs of tiles, where tiles are not looked at to rule them out."""
    rows = list(rows)
    random.Random(5).shuffle(rows)
    count = Count()
    for photo in rows[:limit] if limit else rows:
        count.add(photo.path.name, [], told(reader, photo.image(), beside_tiles=True), 0.3)
    return count


def rendered(reader: DiceReader, frames: int, seed: int = 99) -> Count:
    """Dice strewn over rendered tables at the size and sharpness of a venue's camera."""
    rng = np.random.default_rng(seed)
    count = Count()
    for k in range(frames):
        image, dice, hidden = dice_scenes.dice_frame(rng, 40)
        sides = [max(b[2] - b[0], b[3] - b[1]) for b, kind in dice if kind != NONE]
        px = float(np.median(sides)) / 1.27 if sides else 16.0
        # a die at the very edge of the picture is cut
        count.add(str(k), dice, told(reader, image, px), 0.3, hidden)
    return count


def evaluate(frames: int, limit: int = 0, models: Path | None = None) -> dict[str, object]:
    """What the model card says of the dice; unseen dice where ``dice.folds`` measured them."""
    reader = DiceReader(models, threads=2)
    seen = taught.of_models(models or modelfile.default_dir(), ("dice", "pips"))
    none = without_dice(reader, [p for p in taught.photos() if not seen.by(p)], limit)
    folds = WORK / "dice_folds.json"
    apart = {
        headings.dice_apart(family): photographs(reader, f"{family}-apart", limit).figures()
        for family in dice_photos.FAMILIES
    }
    return (json.loads(folds.read_text()) if folds.exists() else {}) | {
        **apart,
        headings.DRAWN_DICE: drawn(reader, limit or 100).figures(),
        headings.MOVING_DICE: drawn(reader, limit or 100, 79, MOVING).figures(),
        headings.RENDERED_DICE: rendered(reader, max(1, frames // 3)).figures(),
        headings.THROWN_DICE: rolls.thrown(max(1, round(0.6 * frames)), models=models),
        headings.WITHOUT_DICE: {"photographs": none.pictures, "dice told": none.invented},
    }


_WHAT = (
    *dice_photos.FAMILIES,
    *(f"{family}-apart" for family in dice_photos.FAMILIES),
    "drawn",
    "moving",
    "rendered",
    "thrown",
    "hand",
    "box",
    "felt",
)


def main() -> None:
    """Print figures; ``--faults`` lists what went wrong."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("what", choices=_WHAT)
    ask.add_argument("--models", type=Path)
    ask.add_argument("--limit", type=int, default=0)
    ask.add_argument("--seed", type=int, default=99)
    ask.add_argument("--faults", type=Path)
    args = ask.parse_args()
    cv2.setNumThreads(1)
    if args.what == "thrown":
        print(json.dumps(rolls.thrown(args.limit or 24, models=args.models), indent=1))
        return
    reader = DiceReader(args.models)
    if args.what == "rendered":
        count = rendered(reader, args.limit or 8, args.seed)
    elif args.what in ("drawn", "moving"):
        unrest = MOVING if args.what == "moving" else None
        count = drawn(reader, args.limit or 100, args.seed, unrest)
    elif args.what.partition("-")[0] in dice_photos.FAMILIES:
        count = photographs(reader, args.what, args.limit)
    else:
        family = f"homes-{args.what}"
        count = without_dice(reader, [p for p in taught.photos() if p.family == family], args.limit)
    print(json.dumps(count.figures(), indent=1))
    if args.faults:
        args.faults.write_text(json.dumps(count.faults))


if __name__ == "__main__":
    main()
