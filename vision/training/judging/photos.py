"""The reading of whole photographs measured: families apart, and pictures that show no face."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from vision.image import Image
from vision.nets import modelfile
from vision.nets.evidence import UNKNOWN
from vision.photo import overlay
from vision.photo.command import PhotoReader
from vision.photo.plausible import faces_told
from vision.photo.readings import PictureReading, ReadTile
from vision.sightings import Posture
from vision.training.judging import corners, headings, no_tiles
from vision.training.judging.tally import (
    PARTS,
    Tally,
    hulls,
    match,
    overlap,
    parts_of,
    quantile,
)
from vision.training.opened import opened
from vision.training.pictures import grounds, oriented, sources, taught, tile_data
from vision.training.pictures.groups import Part
from vision.training.pictures.sources import Photo
from vision.training.pictures.taught import Place, Taught

_SEEN, _CELL = 40, 640
"""So many photographs of a family that taught, where no number is asked for;
side of one picture on a contact sheet, pixels."""
MODELS = ("finder", "reader")
_FACELESS = 3
"""The quarter of the photographs of dice that lies under no drawn scene."""


def best_of(tile: ReadTile) -> str:
    """What a tile is told to be, or where that is ``?`` what it is rather than anything else."""
    return tile.likely[0][0] if tile.tile == UNKNOWN and tile.likely else tile.tile


def by_title(seen: Taught) -> dict[str, list[Photo]]:
    """The photographs under each heading whose labels name kinds."""
    every = taught.photos()
    found: dict[str, list[Photo]] = {name: [] for name in headings.all_photographs(seen)}
    for photo, place in zip(every, seen.places(every), strict=True):
        if photo.kinds_known:
            found[headings.photographs(place, photo.family)].append(photo)
    return found


@dataclass
class Family:
    """Counts over the photographs of one family."""

    photographs: int = 0
    tiles: int = 0
    hit: int = 0
    extra: int = 0
    small: int = 0
    small_exact: int = 0
    large: int = 0
    large_exact: int = 0
    overlaps: list[float] = field(default_factory=list)
    shaped: list[float] = field(default_factory=list)
    settled: list[float] = field(default_factory=list)
    with_corners: int = 0
    marked: list[float] = field(default_factory=list)
    kinds: Tally = field(default_factory=Tally)
    parts: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in PARTS})
    """Best guesses of the kinds that are asked apart, ``kinds`` counts ``?`` as wrong."""
    read: list[tuple[str, str, float]] = field(default_factory=list)
    """Of each found tile its label, what it was told to be, and how surely."""
    faults: list[str] = field(default_factory=list)

    def add(self, photo: Photo, picture: oriented.RealPicture, reading: PictureReading) -> None:
        """Count one photograph."""
        tiles = [t for t in reading.tiles if t.posture.value == "face_up"]
        quads = np.array([t.quad for t in tiles], np.float32).reshape(-1, 4, 2)
        # labelled is the axis-aligned hull of each tile: like is compared with like
        labelled = hulls(np.array([_corners(b.xyxy) for b in photo.boxes], np.float32))
        # some labels are half as wide as the face
        pairs = match(labelled, hulls(quads), 0.3)
        # around the labelled rows something may lie unlabelled: count inventions only among them,
        # and nothing that the picture's edge cuts, which seldom bears a label
        hull = cv2.convexHull(picture.quads.reshape(-1, 2))
        used = {j for _, j, _ in pairs}
        extra = sum(
            cv2.pointPolygonTest(hull, tuple(float(v) for v in quads[j].mean(0)), False) > 0
            for j in range(len(quads))
            if j not in used and not _cut(quads[j], picture.image.shape)
        )
        wrong = []
        for i, j, _ in pairs:
            label, tile = photo.boxes[i].tile, tiles[j]
            told, best = tile.tile != UNKNOWN, best_of(tile)
            self.kinds.add(label, tile.tile, tile.confidence, told)
            for name in parts_of(label):
                self.parts[name].add(label, best, tile.confidence, told)
            self.read.append((label, tile.tile, tile.confidence))
            if tile.tile != label:
                wrong.append(f"{label}>{tile.tile}")
        missed = len(picture.quads) - len(pairs)
        right = not (missed or extra or wrong)
        self.photographs += 1
        self.tiles += len(picture.quads)
        self.hit += len(pairs)
        self.extra += extra
        self.overlaps += [v for *_, v in pairs]
        self.shaped += [
            overlap(picture.quads[i], quads[j]) for i, j, _ in pairs if picture.shape[i] > 0.5
        ]
        self.settled += _without_habit(
            labelled[[i for i, *_ in pairs]], hulls(quads)[[j for _, j, _ in pairs]]
        )
        self.with_corners += len(corners.of(photo))
        self.marked += corners.overlaps(photo, quads)
        if len(picture.quads) <= 14:
            self.small, self.small_exact = self.small + 1, self.small_exact + right
        else:
            self.large, self.large_exact = self.large + 1, self.large_exact + right
        if not right:
            name = f"{photo.path.parent.name}/{photo.path.stem[:14]}"
            self.faults.append(f"{name} missed {missed} invented {extra} {' '.join(wrong)}".strip())

    def figures(self) -> dict[str, object]:
        """Shares, in per cent; of no photographs none."""
        if not self.photographs:
            return {"photographs": 0, "kinds": self.kinds.figures()}

        def share(a: int, b: int) -> float:
            return round(100 * a / max(1, b), 2)

        return {
            "photographs": self.photographs,
            "tiles": self.tiles,
            "recall": share(self.hit, self.tiles),
            "precision among the labelled": share(self.hit, self.hit + self.extra),
            "overlap of hulls, median": quantile(self.overlaps, 50),
            "overlap of hulls, 10th percentile": quantile(self.overlaps, 10),
            "overlap of hulls without the labels' habit, median": quantile(self.settled, 50),
            "overlap of hulls without the labels' habit, 10th percentile": quantile(
                self.settled, 10
            ),
            "oriented overlap, straight rows, median": quantile(self.shaped, 50),
            "oriented overlap, straight rows, 10th percentile": quantile(self.shaped, 10),
            **self._by_corners(),
            "exact to 14 tiles": f"{self.small_exact} of {self.small}"
            f" ({share(self.small_exact, self.small)})",
            "exact above": f"{self.large_exact} of {self.large}"
            f" ({share(self.large_exact, self.large)})",
            "kinds": self.kinds.figures(),
            **{name: tally.figures() for name, tally in self.parts.items() if tally.n},
        }

    def _by_corners(self) -> dict[str, object]:
        if not self.with_corners:
            return {}
        return {
            "tiles with marked corners, of these found": f"{self.with_corners}, {len(self.marked)}",
            "oriented overlap, marked corners, median": quantile(self.marked, 50),
            "oriented overlap, marked corners, 10th percentile": quantile(self.marked, 10),
        }


def _cut(quad: np.ndarray, shape: tuple[int, ...]) -> bool:
    """Whether a corner (4, 2) lies outside of a picture of this height and width."""
    return bool((quad < -1).any() or (quad > np.array((shape[1], shape[0])) + 1).any())


def _corners(xyxy: tuple[float, float, float, float]) -> list[tuple[float, float]]:
    x0, y0, x1, y1 = xyxy
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def _without_habit(labelled: np.ndarray, found: np.ndarray) -> list[float]:
    """Overlaps of hulls (N, 4, 2) once the labels' usual excess over each side is taken off.

    Who labelled a photograph drew all its boxes a little wider, narrower or lower than the faces
    are; of five and more tiles the median tells by how much.
    """
    if len(labelled) < 5:
        return []
    low, high = labelled[:, 0], labelled[:, 2]
    size = np.maximum(high - low, 1.0)
    sides = np.concatenate([(found[:, 0] - low) / size, (found[:, 2] - high) / size], 1)
    usual = np.median(sides, axis=0)
    box = np.stack([found[:, 0] - usual[:2] * size, found[:, 2] - usual[2:] * size], 1)
    return [overlap(a, b) for a, b in zip(labelled, hulls(box.astype(np.float32)), strict=True)]


class Sheets:
    """Contact sheets of what was read, twelve pictures each, to be looked at by eye."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name, self.count = folder, name, 0
        self.cells: list[Image] = []

    def add(self, photo: Photo, reading: PictureReading, right: bool) -> None:
        """One picture with its overlay; a red bar above where something is not as labelled."""
        image = photo.image()
        by = _CELL / max(image.shape[:2])
        big = np.asarray(cv2.resize(image, None, fx=by, fy=by), np.uint8)
        tiles = [tile.stretched(by, by) for tile in reading.tiles]
        drawn = overlay.draw(big, tiles, ())
        cell = np.zeros((_CELL, _CELL, 3), np.uint8)
        cell[: drawn.shape[0], : drawn.shape[1]] = drawn
        if not right:
            cell[:8] = (0, 0, 255)
        title = f"{photo.path.parent.name}/{photo.path.stem[:20]}"
        cv2.putText(cell, title, (6, 26), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 255, 255), 2)
        self.cells.append(cell)
        if len(self.cells) == 12:
            self.close()

    def close(self) -> None:
        """Write what has gathered."""
        if not self.cells:
            return
        self.cells += [self.cells[0] * 0] * (-len(self.cells) % 4)
        rows = [np.hstack(self.cells[i : i + 4]) for i in range(0, len(self.cells), 4)]
        self.folder.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(self.folder / f"{self.name}-{self.count:02d}.png"), np.vstack(rows))
        self.cells, self.count = [], self.count + 1


def judge(
    reader: PhotoReader,
    name: str,
    rows: list[Photo],
    limit: int = 0,
    draw: Path | None = None,
    seed: int = 5,
) -> Family:
    """Whole photographs read without any knowledge of their scale."""
    sheets = Sheets(draw, name.rsplit(": ", maxsplit=1)[-1].replace(" ", "-")) if draw else None
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    counts = Family()
    for photo in rows[:limit] if limit else rows:
        picture = oriented.real(photo, stretched=True)
        if picture is None:
            continue
        reading, faults = reader.read(photo.image(), photo.path.name), len(counts.faults)
        counts.add(photo, picture, reading)
        if sheets:
            sheets.add(photo, reading, len(counts.faults) == faults)
    if sheets:
        sheets.close()
    return counts


def faceless(seen: Taught, seed: int = 31, count: int = 40) -> list[tuple[str, Image]]:
    """Pictures in which no face is to be seen.

    Photographs of dice, boards and hands of the family that judges; floors and table edges below
    the rows of photographs that taught nothing; drawn scenes of backs, tiles on edge seen from
    behind, cards, keys, chips and sticks over grounds that taught nothing; whole keyboards,
    calculators, cards and the like, a quarter as many of each.
    """
    families = grounds.families_of(Part.TEST)
    known = set(families) & set(seen.grounds)
    dice = "dice, other photographs of a family that taught" if known else "dice, a new family"
    paths = grounds.dice_pictures(families, _FACELESS)
    found: list[tuple[str, Image]] = [
        (dice, opened(path)) for path in random.Random(seed).sample(paths, min(count, len(paths)))
    ]
    floors: list[Image] = []
    for photo in sources.photos("homes"):
        if not seen.by(photo) and photo.boxes:
            low = int(max(b.xyxy[3] for b in photo.boxes)) + 12
            if low < 480:
                floors.append(photo.image()[low:])
    found += [("floor", f) for f in random.Random(seed).sample(floors, min(count, len(floors)))]
    rng = np.random.default_rng(seed)
    photos = grounds.photo_grounds(20, Part.TEST)
    for _ in range(count):
        body = np.full((96, 72, 3), rng.integers(200, 250, 3), np.uint8)
        picture, _ = tile_data.compose(rng, {"5z": [body]}, 512, photos, faces=False)
        found.append(("backs, cards, keys, chips", picture))
    return found + no_tiles.pictures(max(1, count // 4), seed)


@dataclass
class _Empty:
    """Counts of what is told in pictures that show no face."""

    pictures: int = 0
    with_face: int = 0
    faces: int = 0
    doubted: int = 0
    with_dice: int = 0
    values: int = 0

    def add(self, reading: PictureReading) -> None:
        """Count one picture."""
        faces = len(faces_told(reading.tiles))
        values = sum(die.value is not None for die in reading.dice)
        self.pictures += 1
        self.with_face += faces > 0
        self.faces += faces
        self.doubted += sum(
            tile.tile == UNKNOWN and tile.posture is Posture.FACE_UP for tile in reading.tiles
        )
        self.with_dice += values > 0
        self.values += values

    def said(self, *, dice: bool) -> str:
        """In words, with the dice or without."""
        text = f"{self.pictures} pictures, {self.with_face} with a face ({self.faces} faces)"
        text += f", {self.doubted} times `?`"
        return text + (f", {self.with_dice} with dice ({self.values} values)" if dice else "")


def without_faces(reader: PhotoReader, seen: Taught, count: int = 40) -> dict[str, object]:
    """Faces that are told where there is none, in so many pictures of each sort.

    In those of keys, cards and the like no die lies either: dice with a value count there.
    """
    told: dict[str, _Empty] = {}
    for name, picture in faceless(seen, count=count):
        told.setdefault(name, _Empty()).add(reader.read(picture))
    return {name: row.said(dice=name in no_tiles.KINDS) for name, row in told.items()}


def with_corners() -> dict[str, object]:
    """The photographs whose faces have marked corners alone, by what is new about them.

    A quick look at boxes: the card has these overlaps with all photographs of the group.
    """
    reader, seen = PhotoReader(), taught.of_models(modelfile.default_dir(), MODELS)
    every = taught.photos()
    rows: dict[Place, list[Photo]] = {}
    for photo, place in zip(every, seen.places(every), strict=True):
        if len(corners.of(photo)):
            rows.setdefault(place, []).append(photo)
    return {
        f"{headings.photographs(place)}, corners marked": judge(reader, place, its).figures()
        for place, its in rows.items()
    }


def evaluate(limit: int = 0, draw: Path | None = None) -> dict[str, object]:
    """All photographs; ``limit`` is the most of one heading, ``draw`` a folder for sheets."""
    reader, seen = PhotoReader(), taught.of_models(modelfile.default_dir(), MODELS)
    told: dict[str, object] = {}
    n = bold = sure = photographs = 0
    for name, rows in by_title(seen).items():
        counts = judge(
            reader, name, rows, limit or (_SEEN if name.endswith(", taught") else 0), draw
        )
        told[name] = counts.figures()
        n, bold = n + counts.kinds.n, bold + counts.kinds.bold_wrong
        sure, photographs = sure + counts.kinds.sure, photographs + counts.photographs
        print(f"{name}:", *counts.faults, sep="\n  ", flush=True)
    told[headings.ALL] = {
        "photographs": photographs,
        "tiles": n,
        "told (not `?`)": round(100 * sure / max(1, n), 2),
        "wrong above 0.9": f"{bold} ({100 * bold / max(1, n):.3f})",
    }
    told[headings.FACELESS] = without_faces(reader, seen, limit or 40)
    return told
