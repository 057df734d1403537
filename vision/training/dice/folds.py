"""``python -m vision.training.dice.folds``: dice nets of one family judged on the other.

Two families of photographs of dice exist, with other dice, another camera and another table.
The shipped nets learn from both, so how unseen dice are read is measured on nets that start
from the same drawn dice and saw one family only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from vision.dice.finding import DiceReader
from vision.training import common
from vision.training.dice.photos import FAMILIES, JUDGED
from vision.training.judging import dice as evaluate_dice

MODULE = "vision.training."
SURE, FOUND = 0.5, 0.45
"""How surely a value must be read and a die lie there, among unseen dice."""


def folder(family: str) -> Path:
    """Where the models lie that learned from this family alone."""
    return common.WORK / f"fold_{family}"


def steps(family: str, effort: float, seed: int, stores: Sequence[Path]) -> list[list[str]]:
    """Modules with arguments that make the models of one fold from those of drawn dice alone."""
    found = []
    for net, minutes in (("dice", 30), ("pips", 30)):
        name = f"{net}_{family}"
        start = ["--start", str(common.WORK / f"{net}_base.pt"), "--store", *map(str, stores)]
        size = ["--minutes", f"{minutes * effort:g}", "--seed", str(seed)]
        found.append([f"train_{net}", "--families", family, "--name", name, *start, *size])
        checkpoint = ["--checkpoint", str(common.WORK / f"{name}.pt")]
        out = ["--out", str(folder(family))]
        if net == "pips":
            out += ["--threshold", f"{SURE:g}"]
        found.append(["export", net, *checkpoint, *out])
    return found


def judge(family: str, limit: int = 0) -> evaluate_dice.Count:
    """Figures on the other family of the models that learned from this one."""
    (other,) = (name for name in FAMILIES if name != family)
    reader = DiceReader(folder(family))
    return evaluate_dice.photographs(reader, other, limit or JUDGED, FOUND)


def main() -> None:
    """Train both folds unless they stand, judge them, and keep the figures for the model card."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--effort", type=float, default=1.0, help="share of the time of training")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--store", type=Path, nargs="*", default=[common.WORK / "dice_store.pickle"])
    ask.add_argument("--limit", type=int, default=0, help="photographs of a family at most")
    args = ask.parse_args()
    told = {}
    for family in FAMILIES:
        if not (folder(family) / "pips.onnx").exists():
            folder(family).mkdir(parents=True, exist_ok=True)
            for module, *rest in steps(family, args.effort, args.seed, args.store):
                command = [sys.executable, "-m", MODULE + module, *rest]
                subprocess.run(command, check=True)  # noqa: S603 - our own modules
        (other,) = (name for name in FAMILIES if name != family)
        told[evaluate_dice.fold_title(other)] = judge(family, args.limit).figures()
    (common.WORK / "dice_folds.json").write_text(json.dumps(told, indent=1))
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
