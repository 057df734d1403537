"""``python -m vision.training.reader_fold``: faces of families that taught a reader nothing.

Photographed red fives are few, and all of them lie on automatic tables: they teach the shipped
reader. How red fives are read that none has seen is measured on a reader that learned from nothing
in the same way without that family; its red fives were drawn, or made of plain ones. So is what
the way of training is worth on a family that is new as a whole. The tiles are found by the shipped
finder, which has seen the photographs; only the reading is new. The weights are not kept.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

from vision.nets import modelfile
from vision.nets.evidence import UNKNOWN
from vision.training.judging import headings
from vision.training.judging.tally import PARTS, Tally, parts_of
from vision.training.pictures import groups, taught
from vision.training.pictures.groups import Part
from vision.training.pictures.sources import Photo
from vision.training.pictures.taught import Place
from vision.training.work import WORK, run_unless_done

APART = "autotable"
"""The family with red fives."""
FOLDER = WORK / "reader_fold"
FIGURES = WORK / "reader_folds.json"
"""Not named as the checkpoint: what the training run says of itself stands beside that."""
PAINTED, PAINTED_HOME = ", painted by hand", "pink felt"
"""A home whose red fives somebody made of plain ones with a brush: black rings with brown rims."""


def steps(effort: float, seed: int) -> list[list[str]]:
    """Modules with arguments that make the reader."""
    name = "reader_fold"
    size = ["--minutes", f"{90 * effort:g}", "--seed", str(seed)]
    out = ["--checkpoint", str(WORK / f"{name}.pt"), "--out", str(FOLDER)]
    return [
        ["train_reader", "--apart", APART, "--name", name, *size],
        ["export", "reader", *out],
    ]


def measured(folder: Path, limit: int = 0) -> dict[str, object]:
    """Figures on what is new to the reader of a folder of all four models.

    Photographs by family, ``limit`` of each at most (0: all), once with ``?`` counted as wrong and
    once by the best guess; cut-out faces of new sets.
    """
    from vision.nets.reader import FaceReader
    from vision.photo.command import PhotoReader
    from vision.training.evaluate import REAL_RED, faces
    from vision.training.judging.photos import judge

    seen, every = taught.of_models(folder, ("reader",)), taught.photos()
    reader = PhotoReader(folder)
    rows: dict[tuple[str, str], list[Photo]] = {}
    for photo, place in zip(every, seen.places(every), strict=True):
        if place is Place.NEW and photo.kinds_known:
            which = PAINTED if photo.home == PAINTED_HOME else ""
            rows.setdefault((photo.family, which), []).append(photo)
    told: dict[str, object] = {}
    parts = {name: Tally() for name in (*PARTS, "red fives" + PAINTED)}
    guesses = {name: Tally() for name in PARTS}
    for (family, which), photos in rows.items():
        found = judge(reader, family, photos, limit)
        told[f"faces, {family}{which}"] = found.kinds.figures()
        for name, tally in found.parts.items():
            guesses[name].take_in(tally)
        for label, tile, confidence in found.read:
            for name in parts_of(label):
                part = name + which if name == "red fives" else name
                parts[part].add(label, tile, confidence, tile != UNKNOWN)
    told |= {name: tally.figures() for name, tally in parts.items()}
    told |= {f"{name}, best guess": tally.figures() for name, tally in guesses.items()}
    cut = faces(FaceReader(folder), tuple(seen.judged(groups.designs_of(Part.TEST))))
    wanted = (REAL_RED, "34 kinds", "flowers", "plain fives")
    told |= {f"{name}, cut-out faces of new sets": cut[name] for name in wanted if name in cut}
    return told


def main() -> None:
    """Train the reader unless it stands, judge it, and keep the figures for the model card."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--effort", type=float, default=1.0, help="share of the time of training")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--limit", type=int, default=0, help="photographs of a family at most")
    args = ask.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in headings.NAMES:
        for kind in (".onnx", ".json") if name != "reader" else ():
            shutil.copy(modelfile.default_dir() / f"{name}{kind}", FOLDER)
    run_unless_done(FOLDER / "reader.onnx", steps(args.effort, args.seed))
    told = {headings.READER_FOLD: measured(FOLDER, args.limit)}
    FIGURES.write_text(json.dumps(told, indent=1, ensure_ascii=False), "utf-8")
    print(json.dumps(told, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
