"""Where the training pictures come from, and how they are split.

The split is by *family*: designs that share artwork and photographs from one home are on one
side only, so that a measured figure says how an unseen tile set or an unseen place is read.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

DATA = Path(os.environ.get("PAIGUAN_DATA", Path(__file__).parents[3] / "shared" / "data"))

#: the 34 kinds, the red fives, the flowers, and what is no face
KINDS: tuple[str, ...] = (
    tuple(f"{n}{s}" for s in "mps" for n in range(1, 10))
    + tuple(f"{n}z" for n in range(1, 8))
    + ("0m", "0p", "0s")
    + tuple(f"{n}f" for n in range(1, 9))
)
LABELS: tuple[str, ...] = (*KINDS, "back", "?")
FLOWERS: tuple[str, ...] = tuple(f"{n}f" for n in range(1, 9))
#: never trained on; the first three share one artwork
TEST_DESIGNS: tuple[str, ...] = (
    "ymi-cream-flowerdot",
    "ymi-ivory-travel",
    "taobao-thin-2bt",
    "white-blue-shoudot",
    "american-artrageous",
)
#: kept apart for the temperature and the threshold of ``?``
VALID_DESIGNS: tuple[str, ...] = ("zizhu-cream", "bone-peacock-pots")
#: photographs of one home (green mat, indexed tiles), never trained on
TEST_HOME_PREFIX = "hand_"
#: labels that the picture itself contradicts (seen by eye): folder/beginning of the name, box
CORRECTED: dict[tuple[str, int], str] = {
    ("train/hand_101", 3): "9m",
    ("valid/hand_003", 8): "3p",
    ("valid/hand_003", 9): "2p",
    ("valid/hand_003", 10): "1p",
    ("valid/hand_016", 3): "6m",
    ("valid/hand_016", 4): "5m",
    ("valid/hand_016", 5): "4m",
}


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-aligned labelled tile: ``xyxy`` in pixels of the stored picture."""

    tile: str
    xyxy: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Photo:
    """A photograph with the tiles that are labelled in it (others may lie there unlabelled)."""

    path: Path
    family: str
    boxes: tuple[Box, ...]

    def image(self) -> Image:
        """The stored picture, BGR."""
        picture = cv2.imread(str(self.path))
        if picture is None:
            raise ValueError(f"{self.path}: not a readable picture")
        return picture


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def photographed_faces() -> list[tuple[Path, str, str]]:
    """``(file, label, design)`` of every cut-out face; uncertain and cut-off ones left out."""
    kept = []
    for row in _lines(DATA / "faces" / "labels.jsonl"):
        if float(row.get("cut") or 0) > 0.12 or row["label"] == "blank":
            continue
        kept.append((DATA / "faces" / row["file"], row["label"], row["design"]))
    return kept


def _home_family(name: str) -> str:
    if name.startswith("IMG_"):
        return "homes-box"
    if name.startswith(TEST_HOME_PREFIX):
        return "homes-hand"
    return "homes-felt"


def photos(which: str) -> list[Photo]:
    """Photographs of ``homes`` or ``autotable`` with their families."""
    folder = DATA / f"photos_{which}"
    found = []
    for row in _lines(folder / "labels.jsonl"):
        name = Path(row["image"]).name
        key = f"{Path(row['image']).parent.name}/{name[:8]}"
        boxes = tuple(
            Box(CORRECTED.get((key, i), b["tile"]), tuple(b["xyxy"]))
            for i, b in enumerate(row["boxes"])
        )
        family = _home_family(name) if which == "homes" else "autotable"
        found.append(Photo(folder / row["image"], family, boxes))
    return found


def upright(box: Box) -> bool:
    """Whether an axis-aligned box has the shape of a tile seen from above, upright or lying."""
    x0, y0, x1, y1 = box.xyxy
    ratio = max(x1 - x0, y1 - y0) / max(1e-6, min(x1 - x0, y1 - y0))
    return 1.12 <= ratio <= 1.62
