"""Labelled photographs of dice: two families, other dice and another camera in each.

A family either teaches or judges. One in eight photographs of each is kept apart for thresholds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from vision.image import Image
from vision.training.pictures import sources

FAMILIES = ("mixed", "coloured")
_LOOSE = {"mixed": 1.0, "coloured": 1.2}
"""How much larger than the dice the boxes of a family are drawn, in the median."""
NO_DIE = 7
"""The class of a crop that shows no die, a part of one, or several."""
JUDGED = 120
"""So many photographs of a family, drawn by lot, are those whose figures stand in the card."""
_STEEP = {
    **dict.fromkeys((11, 18, 43, 48, 57, 62, 68, 113, 196, 333, 374, 375, 388), 640),
    120: 330,
}
"""Among those of ``mixed``, by number: photographs whose dice are seen from more than about 45
degrees from the plumb line, above this row. Estimated by eye from how high the sides are over how
deep the top is, of the die that is nearest; exact to some five degrees."""

_RELABELLED = {
    ("coloured/IMG_20191208_111246.jpg", 0): 3,
    ("coloured/IMG_20191208_112342.jpg", 16): 3,
    ("coloured/IMG_20191209_095439.jpg", 9): 4,
    ("coloured/IMG_20191209_095555.jpg", 5): 6,
    ("coloured/IMG_20191209_095954.jpg", 2): 3,
    ("coloured/IMG_20191209_100002.jpg", 2): 3,
    ("coloured/IMG_20191209_100722.jpg", 4): 5,
}
"""Values of dice that their labels tell wrongly, by photograph and place in its row: seen where
nets that had not learned from ``coloured`` were sure of another value, and looked at."""

Spot = tuple[float, float, float, float, float]
Box = tuple[float, float, float, float]
Die = tuple[Box, int]
"""Box xyxy in pixels and class: value - 1, or NONE."""
Scene = tuple[Image, list[Die]]


def photographs(part: str) -> list[tuple[Path, list[Die]]]:
    """Labelled photographs of ``mixed`` or ``coloured``."""
    rows = [
        json.loads(line)
        for line in (sources.DATA / "dice" / "labels.jsonl").read_text().splitlines()
    ]
    return [
        (
            sources.DATA / "dice" / r["image"],
            [
                (_tight(d["xyxy"], _LOOSE[part]), _RELABELLED.get((r["image"], n), d["value"]) - 1)
                for n, d in enumerate(r["dice"])
            ],
        )
        for r in rows
        if r["image"].startswith(part)
    ]


def _tight(box: Sequence[float], loose: float) -> Box:
    """A box without the room that those who labelled it left around the die."""
    x0, y0, x1, y1 = box
    dx, dy = ((side - side / loose) / 2 for side in (x1 - x0, y1 - y0))
    return x0 + dx, y0 + dy, x1 - dx, y1 - dy


def steep(path: Path, box: Box) -> bool:
    """Whether a die of a judging photograph is seen from more than about 45 degrees."""
    number = path.stem.split("_")[1] if family_of(path) == "mixed" else ""
    return (box[1] + box[3]) / 2 < _STEEP.get(int(number), 0) if number.isdigit() else False


def kept_apart(path: Path) -> bool:
    """Whether a photograph chooses thresholds and teaches nothing."""
    return sum(path.stem.encode()) % 8 == 0


def family_of(path: Path | str) -> str | None:
    """The family of dice that a photograph belongs to, None where it is one of tiles."""
    name = Path(path).parent.name
    return name if name in FAMILIES else None
