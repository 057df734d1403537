"""Writes the Python and the C side of the wire protocol from the schema file.

``python -m hardware.protocol.generate`` writes, ``--check`` only compares and exits 1 when a
generated file is out of date.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hardware.protocol import emit_c, emit_python
from hardware.protocol.schema import Schema, load

ROOT = Path(__file__).resolve().parents[2]


def outputs(schema: Schema) -> dict[Path, str]:
    """The generated files and what belongs into them."""
    return {
        ROOT / "firmware_bridge" / "messages.py": emit_python.emit(schema),
        ROOT / "hardware" / "firmware" / "src" / "messages.h": emit_c.emit(schema),
    }


def main(argv: list[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    args = parser.parse_args(argv)
    stale = 0
    for path, text in outputs(load()).items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if args.check:
            print(f"{path}: out of date; run python -m hardware.protocol.generate", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"{path}: written")
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
