"""``python -m hardware.documents`` writes the made documents of ``hardware/``.

``--check`` only compares and exits 1 when one is out of date; ``--sheet OUT.pdf`` writes the
calibration sheet for printing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hardware.documents import mount, pins, sheet, wiring

HERE = Path(__file__).resolve().parents[1]


def documents() -> dict[Path, str]:
    """The files and what belongs into them."""
    table = pins.load()
    return {
        HERE / "pins.md": pins.page(table),
        HERE / "wiring.svg": wiring.draw(table),
        HERE / "mount.md": mount.page(),
    }


def main(argv: list[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("--sheet", type=Path, metavar="OUT.pdf", help="calibration sheet")
    parser.add_argument("--paper", choices=sorted(sheet.PAPERS), default="a4")
    args = parser.parse_args(argv)
    if args.sheet is not None:
        args.sheet.write_bytes(sheet.pdf(sheet.PAPERS[args.paper]))
        return 0
    stale = 0
    for path, text in documents().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if args.check:
            print(f"{path}: out of date; run python -m hardware.documents", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
