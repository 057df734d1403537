"""Write the faces as SVG files, one per tile, for the console."""

from __future__ import annotations

import argparse
from pathlib import Path

from hardware.virtual_table.camera.faces import DESIGNS, FACES, face_svg

CONSOLE_TILES = Path(__file__).parents[4] / "table_controller" / "console" / "static" / "tiles"


def export(directory: Path, design: str = "classic") -> list[Path]:
    """Write ``1m.svg`` … ``8f.svg`` and ``back.svg`` into ``directory``."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for face in (*FACES, "back"):
        path = directory / f"{face}.svg"
        path.write_text(face_svg(face, DESIGNS[design]), encoding="utf-8")
        written.append(path)
    return written


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m hardware.virtual_table.camera.faces")
    parser.add_argument("directory", nargs="?", type=Path, default=CONSOLE_TILES)
    parser.add_argument("--design", choices=sorted(DESIGNS), default="classic")
    options = parser.parse_args()
    print(f"{len(export(options.directory, options.design))} faces in {options.directory}")


if __name__ == "__main__":
    main()
