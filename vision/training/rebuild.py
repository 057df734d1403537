"""``python -m vision.training.rebuild``: every model from scratch, in the order that it takes.

Needs PyTorch beside the development requirements, and the data of ``../shared/data`` (or
PAIGUAN_DATA). About seven hours on two cores at ``--effort 1``; what is left in the work folder
(PAIGUAN_WORK) by an interrupted rebuild is used again.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from vision.training import common

MODULE = "vision.training."


def steps(effort: float, seed: int) -> list[tuple[str, list[str], str]]:
    """``(module, arguments, file in the work folder that says it is done)``."""

    def minutes(n: float) -> list[str]:
        return ["--minutes", f"{n * effort:g}", "--seed", str(seed)]

    return [
        ("make", ["--frames", "100", "--seed", str(seed)], f"frames/{seed}-0099.pickle"),
        ("train_finder", [*minutes(200), "--rendered", "0.2", "--resume"], ""),
        ("train_reader", minutes(90), "reader.pt"),
        *_dice(effort, seed),
        ("export", ["finder", "reader", "dice", "pips"], ""),
        ("thresholds", [], ""),
        ("evaluate", ["--write"], ""),
    ]


def _dice(effort: float, seed: int) -> list[tuple[str, list[str], str]]:
    """The dice: drawn ones first, then photographs too and what was taken for dice; then folds."""
    work = common.WORK
    first, second = str(work / "dice_store.pickle"), str(work / "dice_store_2.pickle")
    both = ["--store", first, second]
    size = ["--minutes", f"{30 * effort:g}", "--seed", str(seed)]
    found = [("dice_data", ["--seed", str(seed), "--out", first], "dice_store.pickle")]
    for net in ("dice", "pips"):
        base, drawn = f"{net}_base", ["--families", "--store", first]
        found.append((f"train_{net}", [*drawn, "--name", base, *size], f"{base}.pt"))
        out = ["--checkpoint", str(work / f"{base}.pt"), "--out", str(work / "dice_base")]
        found.append(("export", [net, *out], f"dice_base/{net}.onnx"))
    mined = str(work / "dice_mined.pickle")
    found += [
        ("dice_mine", ["--models", str(work / "dice_base"), "--out", mined], "dice_mined.pickle"),
        (
            "dice_data",
            ["--seed", str(seed + 1), "--mined", mined, "--out", second],
            "dice_store_2.pickle",
        ),
    ]
    for net in ("dice", "pips"):
        start = ["--start", str(work / f"{net}_base.pt")]
        found.append((f"train_{net}", [*start, *both, *size], f"{net}.pt"))
    found.append(("dice_folds", ["--effort", f"{effort:g}", "--seed", str(seed), *both], ""))
    return found


def main() -> None:
    """Run the steps; stop at the first that fails."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--effort", type=float, default=1.0, help="share of the time of training")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--dry", action="store_true", help="only say what would be run")
    args = ask.parse_args()
    for module, rest, done in steps(args.effort, args.seed):
        command = [sys.executable, "-m", MODULE + module, *rest]
        if done and (common.WORK / done).exists():
            print(f"{common.WORK / done} is there: not made again", flush=True)
            continue
        print(" ".join(command), flush=True)
        if not args.dry:
            subprocess.run(command, check=True)  # noqa: S603 - our own modules


if __name__ == "__main__":
    main()
