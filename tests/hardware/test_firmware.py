"""The firmware as a build: its size, and how much of its rules the tests reach."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hardware.builds import BUILD, build

pytestmark = pytest.mark.long

FLASH = 256 * 1024
RAM = 8 * 1024
STACK_LEFT = 4 * 1024
RULES = ("frame.c", "session.c", "scan.c", "cycle.c", "board.c")


def test_avr_binary_fits_with_room_for_the_stack() -> None:
    folder = build("all")
    size = subprocess.run(
        ["avr-size", str(folder / "firmware.elf")], capture_output=True, text=True, check=True
    ).stdout
    text, data, bss = (int(n) for n in re.findall(r"\d+", size.splitlines()[1])[:3])
    assert text + data < FLASH / 4
    assert data + bss < RAM - STACK_LEFT


def test_no_heap() -> None:
    folder = build("all")
    names = subprocess.run(
        ["avr-nm", str(folder / "firmware.elf")], capture_output=True, text=True, check=True
    ).stdout
    assert not re.search(r"\b(malloc|free|realloc|calloc)\b", names)


@pytest.mark.timeout(600)
def test_lines_of_the_rules_are_covered() -> None:
    """The table of rules against the firmware reaches at least 95 % of each file's lines."""
    folder = build("coverage") / "coverage"
    for old in folder.glob("*.gcda"):
        old.unlink()
    environment = os.environ | {"PAIGUAN_FIRMWARE_LIBRARY": "coverage"}
    files = sorted(Path(__file__).parent.glob("test_board_*.py"))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-k", "firmware"),
            *(str(file) for file in files),
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    counts = sorted(folder.glob("*.gcda"))
    assert counts, "no line counts were written"
    subprocess.run(
        ["gcov", "--json-format", *(str(p) for p in counts)],
        cwd=folder,
        capture_output=True,
        check=True,
    )
    reached: dict[tuple[str, int], int] = {}
    for report in folder.glob("*.gcov.json.gz"):
        for file in json.loads(gzip.decompress(report.read_bytes()))["files"]:
            name = Path(file["file"]).name
            for line in file["lines"]:
                key = (name, line["line_number"])
                reached[key] = reached.get(key, 0) + line["count"]
    for name in RULES:
        lines = {n: count for (file, n), count in reached.items() if file == name}
        missed = sorted(n for n, count in lines.items() if not count)
        share = 1 - len(missed) / len(lines)
        print(f"{name}: {100 * share:.1f} % of {len(lines)} lines, missed {missed}")
        assert share >= 0.95, f"{name}: {missed} of {len(lines)} lines not reached"
    assert BUILD.exists()
