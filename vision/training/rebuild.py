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
        ("dice_data", ["--seed", str(seed)], "dice_store.pickle"),
        ("train_finder", [*minutes(200), "--rendered", "0.2", "--resume"], ""),
        ("train_reader", minutes(90), "reader.pt"),
        ("train_dice", minutes(60), "dice.pt"),
        ("train_pips", minutes(60), "pips.pt"),
        ("export", ["finder", "reader", "dice", "pips"], ""),
        ("thresholds", [], ""),
        ("evaluate", ["--write"], ""),
    ]


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
