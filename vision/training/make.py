"""``python -m vision.training.make``: render frames of the virtual table for the training runs."""

from __future__ import annotations

import argparse

from vision.training import common
from vision.training.pictures import rendered


def main() -> None:
    """Fill the store in the work folder."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--frames", type=int, default=160)
    ask.add_argument("--seed", type=int, default=1)
    args = ask.parse_args()
    rendered.store(common.WORK / "frames", args.frames, args.seed)


if __name__ == "__main__":
    main()
