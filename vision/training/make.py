"""``python -m vision.training.make``: render frames of the virtual table and draw sets of tiles.

Many runs take from these stores. Trainings without a store draw for themselves.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from vision.training import common
from vision.training.pictures import rendered, sets


def main() -> None:
    """Fill the stores in the work folder."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--frames", type=int, default=160)
    ask.add_argument("--sets", type=int, default=0, help="drawn sets of tiles")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--jobs", type=int, default=1, help="processes that render")
    args = ask.parse_args()
    frames = partial(rendered.store, common.WORK / "frames", seed=args.seed)
    with ProcessPoolExecutor(args.jobs) as pool:
        list(pool.map(frames, [range(i, args.frames, args.jobs) for i in range(args.jobs)]))
    if args.sets:
        sets.store(sets.folder(), args.sets, args.seed)


if __name__ == "__main__":
    main()
