"""Where the training pictures come from.

How they are split stands in :mod:`.groups` and :mod:`.taught`: designs that share artwork and
photographs from one home are on one side only, so that a measured figure says how an unseen tile
set or an unseen place is read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.image import Image
from vision.training.opened import opened
from vision.training.pictures import groups

DATA = Path(os.environ.get("PAIGUAN_DATA", Path(__file__).parents[4] / "shared" / "data"))

#: the 34 kinds, the red fives, the flowers, and what is no face
KINDS: tuple[str, ...] = (
    tuple(f"{n}{s}" for s in "mps" for n in range(1, 10))
    + tuple(f"{n}z" for n in range(1, 8))
    + ("0m", "0p", "0s")
    + tuple(f"{n}f" for n in range(1, 9))
)
LABELS: tuple[str, ...] = (*KINDS, "back", "?")
FLOWERS: tuple[str, ...] = tuple(f"{n}f" for n in range(1, 9))


def _corrected(name: str, tiles: dict[str, str]) -> dict[tuple[str, int], str]:
    """Labels of photographs that bear numbers, from ``photo/box`` by tile."""
    return {
        (name.format(photo), int(box)): tile
        for tile, where in tiles.items()
        for photo, box in (one.split("/") for one in where.split())
    }


#: labels that the picture itself contradicts (seen by eye): beginning of folder/name, box
CORRECTED: dict[tuple[str, int], str] = {
    ("train/hand_101", 3): "9m",
    ("valid/hand_003", 8): "3p",
    ("valid/hand_003", 9): "2p",
    ("valid/hand_003", 10): "1p",
    ("valid/hand_016", 3): "6m",
    ("valid/hand_016", 4): "5m",
    ("valid/hand_016", 5): "4m",
    ("train/37001622", 4): "3f",
    ("train/39615046", 10): "8m",
    ("train/41112925", 1): "4s",
    ("train/41112925", 2): "7s",
    ("train/42025312", 2): "2m",
    ("train/420444722", 17): "3f",
    ("train/420632200", 12): "9m",
    ("train/420632200", 13): "9m",
    ("train/42122837", 0): "7s",
    ("train/42122837", 1): "6s",
    ("train/IMG_20231102_201904", 15): "3m",
    ("train/IMG_20231102_201904", 18): "5z",
    ("train/IMG_20231102_205225", 27): "4m",
    ("train/LSWl3osa", 17): "7z",
    ("valid/36774969", 11): "4p",
    ("valid/37028096", 8): "2m",
    ("valid/39386235", 3): "3z",
    ("valid/39536843", 9): "4s",
    ("valid/395465309", 19): "5m",
    ("valid/39571853", 10): "3m",
    ("valid/39594345", 14): "1z",
    ("valid/396063485", 17): "4f",
    ("valid/396615245", 6): "5s",
    ("valid/IMG_20231107_231242", 15): "4p",
    ("valid/IMG_20231107_231752", 35): "7z",
    ("valid/IMG_2745", 43): "6m",
    ("valid/IMG_2770", 10): "4p",
    ("test/38443144", 7): "9m",
    ("test/38732531", 13): "9m",
    # red fives painted over in brownish red, one of a kind in each heap of this home
    **_corrected(
        "valid/IMG_{}",
        {
            "0m": "2742/19 2745/37 2750/3 2751/3 2758/4 2769/4 2770/3",
            "0p": "2742/32 2744/13 2745/23 2750/11 2751/13 2752/11 2757/1 2759/4 2766/1 2767/8 "
            "2775/9 2776/13",
            "0s": "2744/8 2752/2 2756/18 2767/13 2772/18",
        },
    ),
    **_corrected(
        "images/mahjon_image{}_",
        {
            "0m": "48/15 91/52 92/19 94/53 95/48 96/47 97/23 98/51 110/4",
            "0p": "28/13 42/13 60/12 91/44 92/11 94/15 95/54 103/3 104/1",
            "0s": "45/7 91/48 92/15 94/11 95/46 97/47 105/0 105/1 110/6 117/107 118/100",
            "1p": "11/0",
            "2m": "119/108",
            "3m": "119/109",
            "8m": "2/12",
            "8p": "107/1",
            "1s": "79/11",
            "2s": "19/2",
            "6s": "14/6 14/7 47/7 96/60 119/62",
            "9p": "11/1",
            "9s": "6/41 11/3 113/88",
            "2z": "5/36 118/35",
            "7z": "78/17",
        },
    ),
}


_TWICE = 0.6
"""Two boxes that share so much are of one tile: the same have 0.69 and more in common, two tiles
beside each other 0.35 at most."""


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-aligned labelled tile: ``xyxy`` in pixels of the stored picture."""

    tile: str
    xyxy: tuple[float, float, float, float]


#: tiles that lie in a labelled row or beside it and bear no label (seen by eye)
ADDED: dict[str, tuple[Box, ...]] = {
    "images/mahjon_image4_": (Box("7s", (353.0, 611.0, 429.0, 646.0)),),
    "images/mahjon_image7_": (Box("4z", (366.0, 607.0, 446.0, 644.0)),),
    "images/mahjon_image75_": (Box("8s", (0.0, 343.0, 81.0, 420.0)),),
    "images/mahjon_image114_": (
        Box("4s", (538.0, 373.0, 636.0, 425.0)),
        Box("7p", (548.0, 422.0, 648.0, 474.0)),
        Box("7m", (549.0, 474.0, 652.0, 529.0)),
        Box("9s", (548.0, 528.0, 654.0, 583.0)),
    ),
    "valid/IMG_2744": (Box("1p", (463.0, 62.0, 557.0, 116.0)),),
    "valid/IMG_2751": (Box("6m", (300.0, 202.0, 458.0, 328.0)),),
    "train/hand_058": (Box("6f", (129.0, 246.0, 169.0, 295.0)),),
    "train/hand_162": (
        Box("7p", (450.0, 4.0, 506.0, 64.0)),
        Box("8p", (461.0, 53.0, 516.0, 112.0)),
        Box("8p", (461.0, 104.0, 516.0, 164.0)),
    ),
}


@dataclass(frozen=True, slots=True)
class Photo:
    """A photograph with the tiles that are labelled in it (others may lie there unlabelled).

    ``home`` and ``own_set`` as :mod:`.groups` tells them: "" is one of the tables that many show.
    """

    path: Path
    family: str
    boxes: tuple[Box, ...]
    home: str = ""
    own_set: bool = False

    @property
    def whole(self) -> bool:
        """Whether all that lies there is labelled; of other pictures one cannot know."""
        return self.path.name.startswith("IMG_2023")

    @property
    def kinds_known(self) -> bool:
        """False where many tiles bear one and the same label: only their places are labelled."""
        return len(self.boxes) <= 6 or len({b.tile for b in self.boxes}) > 1

    def image(self) -> Image:
        """The stored picture, BGR."""
        return opened(self.path)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def photographed_faces() -> list[tuple[Path, str, str]]:
    """``(file, label, design)`` of every cut-out face; cut-off ones and spare tiles left out.

    Labels that were inferred from what else lay in the block stay, and so do flowers that are told
    as such but not which (``xf``).
    """
    kept = []
    for row in _lines(DATA / "faces" / "labels.jsonl"):
        if float(row.get("cut") or 0) > 0.12 or row["label"] == "blank":
            continue
        kept.append((DATA / "faces" / row["file"], row["label"], row["design"]))
    return kept


def overlap(a: Sequence[float], b: Sequence[float]) -> float:
    """Common area over united area of two boxes (x0, y0, x1, y1)."""
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h
    return w * h / union


def _once(boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    """Each tile once: thirteen are labelled twice."""
    return tuple(
        box
        for i, box in enumerate(boxes)
        if all(overlap(box.xyxy, other.xyxy) < _TWICE for other in boxes[:i])
    )


def photos(which: str) -> list[Photo]:
    """Photographs of ``homes`` or ``autotable``; one that is there twice is given once."""
    folder = DATA / f"photos_{which}"
    found = []
    for row in _lines(folder / "labels.jsonl"):
        name = Path(row["image"]).name
        place = f"{Path(row['image']).parent.name}/{name}"
        if place.startswith(groups.TWICE):
            continue
        right = {box: tile for (start, box), tile in CORRECTED.items() if place.startswith(start)}
        boxes = tuple(
            Box(right.get(i, b["tile"]), tuple(b["xyxy"])) for i, b in enumerate(row["boxes"])
        )
        boxes = _once(boxes)
        boxes += next((more for start, more in ADDED.items() if place.startswith(start)), ())
        family = groups.family_of(name) if which == "homes" else "autotable"
        own_set = place.startswith(groups.OWN_SETS)
        home = groups.home_of(place) if which == "homes" else "automatic tables"
        found.append(Photo(folder / row["image"], family, boxes, home, own_set))
    return found


def without_dice() -> list[Photo]:
    """Photographs of tiles in which no dice lie: in all others some may, labelled by nobody.

    Those of the automatic table among them (``IMG_27*``) show dice under its dome.
    """
    return [photo for photo in photos("homes") if photo.whole]


def dice_boxes() -> dict[str, list[tuple[float, float, float, float]]]:
    """Boxes of the labelled dice (pixels) by folder and name of their photograph."""
    return {
        row["image"]: [tuple(die["xyxy"]) for die in row["dice"]]
        for row in _lines(DATA / "dice" / "labels.jsonl")
    }


def upright(box: Box) -> bool:
    """Whether an axis-aligned box has the shape of a tile seen from above, upright or lying."""
    x0, y0, x1, y1 = box.xyxy
    ratio = max(x1 - x0, y1 - y0) / max(1e-6, min(x1 - x0, y1 - y0))
    return 1.12 <= ratio <= 1.62
