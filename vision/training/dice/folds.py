"""``python -m vision.training.dice.folds``: dice nets of one family judged on the other.

Two families of photographs of dice exist, with other dice, another camera and another table.
The shipped nets learn from both, so how unseen dice are read is measured on nets that start
from the same drawn dice and saw one family only: finder and reader of values both, quantised and
asked for as much certainty as the shipped ones.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from vision.dice.finding import DiceReader
from vision.training.dice.photos import FAMILIES, JUDGED
from vision.training.judging import dice as evaluate_dice
from vision.training.judging import headings
from vision.training.work import WORK, run_unless_done


def folder(family: str) -> Path:
    """Where the models lie that learned from this family alone."""
    return WORK / f"fold_{family}"


def steps(family: str, effort: float, seed: int, stores: Sequence[Path]) -> list[list[str]]:
    """Modules with arguments that make the models of one fold from those of drawn dice alone."""
    found = []
    for net, minutes in (("dice", 30), ("pips", 30)):
        name = f"{net}_{family}"
        start = ["--start", str(WORK / f"{net}_base.pt"), "--store", *map(str, stores)]
        size = ["--minutes", f"{minutes * effort:g}", "--seed", str(seed)]
        found.append([f"train_{net}", "--families", family, "--name", name, *start, *size])
        checkpoint = ["--checkpoint", str(WORK / f"{name}.pt")]
        found.append(["export", net, *checkpoint, "--out", str(folder(family))])
    return found


def judge(family: str, limit: int = 0) -> dict[str, object]:
    """Figures on the other family of the models that learned from this one, and their settings."""
    (other,) = (name for name in FAMILIES if name != family)
    reader = DiceReader(folder(family))
    told = evaluate_dice.photographs(reader, other, limit or JUDGED).figures()
    pips = json.loads((folder(family) / "pips.json").read_text("utf-8"))
    settings = ", ".join(f"{name} {value:g}" for name, value in pips["settings"].items())
    return told | {"settings": f"{settings}; dice told as `paiguan read` tells them"}


def main() -> None:
    """Train both folds unless they stand, judge them, and keep the figures for the model card."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--effort", type=float, default=1.0, help="share of the time of training")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--store", type=Path, nargs="*", default=[WORK / "dice_store.pickle"])
    ask.add_argument("--limit", type=int, default=0, help="photographs of a family at most")
    ask.add_argument("--only", choices=FAMILIES, help="train this fold and judge none")
    args = ask.parse_args()
    for family in [args.only] if args.only else FAMILIES:
        runs = steps(family, args.effort, args.seed, args.store)
        run_unless_done(folder(family) / "pips.onnx", runs)
    if args.only:
        return
    told = {}
    for family in FAMILIES:
        (other,) = (name for name in FAMILIES if name != family)
        told[headings.dice_fold(other)] = judge(family, args.limit)
    (WORK / "dice_folds.json").write_text(json.dumps(told, indent=1))
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
