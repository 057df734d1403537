"""``python -m vision.training.rebuild``: every model from scratch, in the order that it takes.

Needs PyTorch and CairoSVG beside the development requirements, the data of ``../shared/data`` (or
PAIGUAN_DATA), and Chinese fonts (:mod:`.pictures.fonts`): what is not there is said before
anything begins. About nine hours on two cores at ``--effort 1``; steps that an interrupted rebuild
of the same commit, seed and effort brought to their end (PAIGUAN_WORK) are not made again, up to
the first that has to be. ``--trial`` runs every step on next to nothing, in a folder of its own
that is emptied first: whether the chain holds is told in minutes, not after hours.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from vision.nets import modelfile
from vision.training.lacking import lacking
from vision.training.pictures import fonts
from vision.training.work import MODULE, WORK, is_done, set_done, set_undone

Step = tuple[str, list[str], str]
"""Module, arguments, and the file in the work folder that says it is done (or nothing)."""


@dataclass(frozen=True)
class Size:
    """How much of everything.

    Attributes:
        effort: share of the time of training.
        frames: rendered for the finder.
        drawn: scenes of drawn dice in a store; ``dice_frames`` rendered ones.
        share: of the photographs of dice that are used.
        scenes: by which the finder's thresholds are chosen; ``new_frames`` rendered ones.
        judged: photographs of a family that judge; 0: all.
        what: is measured at the end.
    """

    effort: float = 1.0
    frames: int = 100
    drawn: int = 4000
    dice_frames: int = 40
    share: float = 1.0
    scenes: int = 60
    new_frames: int = 6
    judged: int = 0
    what: tuple[str, ...] = ()


# a reader of few steps reads nothing, so that no set could be enrolled
TRIAL = Size(0.004, 2, 30, 1, 0.2, 2, 1, 2, ("faces", "frames", "photos", "dice"))


def steps(size: Size, seed: int, work: Path) -> list[Step]:
    """What is to be run, in order."""

    def minutes(n: float) -> list[str]:
        return ["--minutes", f"{n * size.effort:g}", "--seed", str(seed)]

    judged = ["--photos", str(size.judged), "--frames", "1"] if size.judged else []
    last = f"frames/{seed}-{size.frames - 1:04d}.pickle"
    few = ["--scenes", str(size.scenes), "--frames", str(size.new_frames)]
    few += ["--trial"] if size.judged else []
    return [
        ("make", ["--frames", str(size.frames), "--seed", str(seed)], last),
        ("train_finder", [*minutes(200), "--rendered", "0.2", "--resume"], "finder.pt"),
        ("train_reader", minutes(90), "reader.pt"),
        *_dice(size, seed, work),
        ("export", ["finder", "reader", "dice", "pips"], ""),
        ("judging.thresholds", few, ""),
        ("reader_fold", _fold(size, seed), ""),
        ("evaluate", [*size.what, *judged, "--write"], ""),
    ]


def _dice(size: Size, seed: int, work: Path) -> list[Step]:
    """The dice: drawn ones first, then photographs too and what was taken for dice; then folds."""
    first, second = str(work / "dice_store.pickle"), str(work / "dice_store_2.pickle")
    both = ["--store", first, second]
    budget = ["--minutes", f"{30 * size.effort:g}", "--seed", str(seed)]
    share = ["--share", f"{size.share:g}"]
    much = ["--drawn", str(size.drawn), "--frames", str(size.dice_frames), *share]
    found: list[Step] = [
        ("dice.data", ["--seed", str(seed), "--out", first, *much], "dice_store.pickle")
    ]
    for net in ("dice", "pips"):
        base, drawn = f"{net}_base", ["--families", "--store", first]
        found.append((f"train_{net}", [*drawn, "--name", base, *budget], f"{base}.pt"))
        out = ["--checkpoint", str(work / f"{base}.pt"), "--out", str(work / "dice_base")]
        found.append(("export", [net, *out], f"dice_base/{net}.onnx"))
    mined = str(work / "dice_mined.pickle")
    mine = ["--models", str(work / "dice_base"), "--out", mined, *share]
    more = ["--seed", str(seed + 1), "--mined", mined, "--out", second, *much]
    found += [
        ("dice.mine", mine, "dice_mined.pickle"),
        ("dice.data", more, "dice_store_2.pickle"),
    ]
    for net in ("dice", "pips"):
        start = ["--start", str(work / f"{net}_base.pt")]
        found.append((f"train_{net}", [*start, *both, *budget], f"{net}.pt"))
    found.append(("dice.folds", [*_fold(size, seed), *both], ""))
    return found


def _fold(size: Size, seed: int) -> list[str]:
    return ["--effort", f"{size.effort:g}", "--seed", str(seed), "--limit", str(size.judged)]


def main() -> None:
    """Run the steps; stop at the first that fails."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--effort", type=float, default=1.0, help="share of the time of training")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--dry", action="store_true", help="only say what would be run")
    ask.add_argument("--trial", action="store_true", help="every step once, in minutes; no models")
    args = ask.parse_args()
    if not args.dry and (missing := lacking()):
        sys.exit("\n".join(missing))
    if absent := fonts.missing():
        print(f"drawn without the fonts of {', '.join(absent)}: fewer designs are seen", flush=True)
    size, work, around = Size(args.effort), WORK, dict(os.environ)
    if args.trial:
        size, work = TRIAL, (WORK / "trial").absolute()
        if not args.dry:
            shutil.rmtree(work, ignore_errors=True)
        (work / "models").mkdir(parents=True, exist_ok=True)
        around |= {"PAIGUAN_WORK": str(work), modelfile.FOLDER: str(work / "models")}
    anew = False
    for module, rest, done in steps(size, args.seed, work):
        command = [sys.executable, "-m", MODULE + module, *rest]
        if done and not anew and is_done(work / done, command[2:]):
            print(f"{work / done} is there: not made again", flush=True)
            continue
        print(" ".join(command), flush=True)
        if args.dry:
            continue
        if done:
            anew = True
            set_undone(work / done)
        ended = subprocess.run(command, check=False, env=around)  # noqa: S603 - our own modules
        if ended.returncode:
            sys.exit(f"{MODULE}{module} ended with {ended.returncode}: nothing after it was run")
        if done:
            set_done(work / done, command[2:])


if __name__ == "__main__":
    main()
