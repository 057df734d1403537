"""Enrols a venue's tile set from pictures of the whole set, laid face up in a block.

The block is found (:mod:`vision.enrol_grid`), its tiles are named (:mod:`vision.enrol_names`) and
inspected (:mod:`vision.enrol_inspect`), and a picture or two of every face is kept
(:mod:`vision.enrol_set`), by which is read from then on (:mod:`vision.enrol_match`). Nothing is
trained; the same pictures give the same result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import enrol_inspect
from vision.enrol_grid import Grid, TileFinder, find_grid
from vision.enrol_inspect import Odd
from vision.enrol_names import Named, name_tiles
from vision.enrol_set import MOST_COPIES, TileSet
from vision.enrol_sets import FLOWERS, SETS
from vision.errors import VisionInputError
from vision.evidence import BACK, UNKNOWN
from vision.reader import CROP_H, CROP_W, SYMMETRIC, FaceReader, crops_of
from vision.sightings import Posture

Image = NDArray[np.uint8]
Array = NDArray[np.float64]
Place = tuple[int, int]
"""Row and column of a cell, counted from 1 at the upper left of the block as it is read."""

_FINE: Final = 2
"""How much larger than the reader's the crops are that are inspected."""
_EMPTY: Final = 0.45
"""A cell is empty whose colour is nearer to the felt than this share of the tiles' distance."""
_AGREE: Final = 0.8
"""Share of the tiles that must look alike in two pictures of one block."""


class EnrolError(VisionInputError):
    """These pictures cannot be enrolled from; the message says why."""


class Fault(StrEnum):
    """What can be wrong with a set."""

    MISSING = "missing"
    DOUBLED = "doubled"
    STRANGE = "no tile of the set"
    UNSURE = "to be confirmed"
    MARKED = "marked"
    SHADE = "another shade"
    SIZE = "another size"
    BACK_MARK = "marked back"
    BACK_SHADE = "another back"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or to be looked at.

    Attributes:
        fault: what.
        face: of the tile, ``""`` for a back.
        places: where in the block (of the backs, for backs); empty for what is missing.
        strength: 1 is what would just be said.
        spot: (x, y) where on the tile, shares of its width and height.
    """

    fault: Fault
    face: str
    places: tuple[Place, ...] = ()
    strength: float = 1.0
    spot: tuple[float, float] | None = None

    def __str__(self) -> str:
        where = ", ".join(f"row {row} column {column}" for row, column in self.places)
        what = {
            Fault.MISSING: f"{self.face} is missing",
            Fault.DOUBLED: f"{self.face} is there too often",
            Fault.STRANGE: "no tile of this set, or one that cannot be read",
            Fault.UNSURE: f"taken for {self.face}, please confirm",
            Fault.MARKED: f"{self.face} differs from the others of its kind",
            Fault.SHADE: f"{self.face} has another shade than its neighbours",
            Fault.SIZE: f"{self.face} has another size",
            Fault.BACK_MARK: "a back is marked",
            Fault.BACK_SHADE: "a back has another colour",
        }[self.fault]
        return f"{what}: {where}" if where else what


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One tile of the block.

    Attributes:
        place: row and column.
        face: notation, or ``?``.
        quad: (4, 2) corners in the first picture, from the face's upper left.
    """

    place: Place
    face: str
    quad: Array


@dataclass(frozen=True, slots=True, eq=False)
class Enrolment:
    """What was found, before it is stored.

    Attributes:
        shape: rows and columns of the block.
        cells: the tiles, row by row; empty places are left out.
        set_name: which set it was taken for (:data:`vision.enrol_sets.SETS`).
        findings: what is wrong or unsure.
        tiles: the set to be stored.
        backs: (rows, columns, 4, 2) cells in the picture of the backs.
    """

    shape: tuple[int, int]
    cells: tuple[Cell, ...]
    set_name: str
    findings: tuple[Finding, ...]
    tiles: TileSet
    backs: Array | None = None

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What is wrong, without what is only to be confirmed."""
        return tuple(f for f in self.findings if f.fault is not Fault.UNSURE)

    @property
    def unsure(self) -> tuple[Finding, ...]:
        """What the technician has to confirm."""
        return tuple(f for f in self.findings if f.fault is Fault.UNSURE)


def enrol(
    images: Sequence[Image],
    finder: TileFinder,
    reader: FaceReader,
    *,
    backs: Image | None = None,
    set_name: str | None = None,
    known: Mapping[Place, str] | None = None,
    tile_px: float | None = None,
    name: str = "",
) -> Enrolment:
    """Enrol a set.

    Args:
        images: of the same block, (H, W, 3) BGR: photographs from anywhere, or one averaged frame.
        finder: of the tiles.
        reader: of the faces, without a set of its own.
        backs: a picture of the set face down in a block, if its backs shall be inspected.
        set_name: one of :data:`vision.enrol_sets.SETS`; by default the one that fits best.
        known: faces that the technician tells, by place.
        tile_px: short side of a tile in pixels, where it is known.
        name: of the set, for people.

    Raises:
        GridError: no block is seen in a picture.
        EnrolError: the pictures do not show the same block, or a place or a face is none.
    """
    if not images:
        raise EnrolError("no picture of the tiles")
    if set_name is not None and set_name not in SETS:
        raise EnrolError(f"set {set_name!r}: unknown; there are {', '.join(SETS)}")
    views = [_look(image, find_grid(image, finder, tile_px=tile_px), reader) for image in images]
    for number, view in enumerate(views[1:], start=2):
        _same_block(views[0], view, number)
    first = views[0]
    joined = _joined(views)
    rows, columns = first.grid.shape
    lies = ~first.empty
    cells = np.flatnonzero(lies.reshape(-1))
    places = [(int(i) // columns + 1, int(i) % columns + 1) for i in cells]
    fixed = _fixed(known or {}, places, reader.labels)
    likeness = _likeness(joined.features[:, cells])
    named = name_tiles(
        joined.opinion[cells], likeness, reader.labels, fixed=fixed, set_name=set_name
    )
    fine = _upright(first.fine[cells], joined.turned[cells])
    grid = np.stack([np.array(places)[:, 1], np.array(places)[:, 0]], axis=1).astype(np.float64)
    findings = _inspected(named, places, fine, first.sides[cells], grid)
    faces, counts = _kept(named, fine, likeness, findings, places)
    back_cells = None
    if backs is not None:
        back_cells, back_findings, back_crops = _backs(backs, finder, tile_px)
        if sorted(back_cells.shape[:2]) != sorted((rows, columns)):
            seen, wanted = f"{back_cells.shape[0]}×{back_cells.shape[1]}", f"{rows}×{columns}"
            raise EnrolError(
                f"backs: a block of {seen} is seen, of {wanted} the faces: lay all tiles face "
                "down in a block of that size, with even light and without glare"
            )
        findings += back_findings
        faces[BACK] = back_crops
    quads = first.grid.quads.reshape(-1, 4, 2)[cells]
    quads = np.where(joined.turned[cells, None, None], np.roll(quads, 2, axis=1), quads)
    return Enrolment(
        shape=(rows, columns),
        cells=tuple(
            Cell(place, face, quad)
            for place, face, quad in zip(places, named.faces, quads, strict=True)
        ),
        set_name=named.set_name,
        findings=tuple(findings),
        tiles=TileSet(faces, counts, tuple(str(f) for f in findings), name),
        backs=back_cells,
    )


# -- looking at one picture ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """One picture of the block, as it is read; everything by cell, row by row.

    ``opinion`` (N, labels) log-probabilities, ``features`` (2, N, F) upright and upside down,
    ``turn`` (N,) log-odds that a tile lies upside down, ``fine`` large crops, ``sides`` (N, 2)
    width and height over what is usual there, ``empty`` (rows, columns).
    """

    grid: Grid
    opinion: Array
    features: Array
    turn: Array
    fine: Image
    sides: Array
    empty: NDArray[np.bool_]


def _look(image: Image, grid: Grid, reader: FaceReader) -> _View:
    crops = crops_of(image, grid.quads.reshape(-1, 4, 2))
    opinion, turn, features = reader.opinion(crops)
    best = [reader.labels[k] for k in opinion.argmax(axis=1)]
    tells = np.array([label not in SYMMETRIC and label not in (UNKNOWN, BACK) for label in best])
    if np.sign(turn[tells]).sum() > 0:  # most faces stand on their heads: look from there
        grid = grid.turned()
        opinion, turn, features = opinion[::-1], -turn[::-1], features[::-1, ::-1]
        tells = tells[::-1]
    quads = grid.quads.reshape(-1, 4, 2)
    fine = crops_of(image, quads, size=(_FINE * CROP_W, _FINE * CROP_H))
    return _View(
        grid,
        opinion,
        features,
        np.where(tells, turn, -np.abs(turn)),
        fine,
        _sides(grid),
        _empty(image, grid, fine),
    )


def _sides(grid: Grid) -> Array:
    """(N, 2) width and height of each found tile over those of the tiles around it."""
    q = grid.quads
    wide = np.linalg.norm(q[..., 1, :] - q[..., 0, :] + q[..., 2, :] - q[..., 3, :], axis=-1)
    high = np.linalg.norm(q[..., 3, :] - q[..., 0, :] + q[..., 2, :] - q[..., 1, :], axis=-1)
    out = []
    for side in (wide, high):
        padded = np.pad(side, 2, mode="reflect")
        around = np.lib.stride_tricks.sliding_window_view(padded, (5, 5))
        usual = np.median(around.reshape(*side.shape, 25), axis=-1)
        out.append(np.where(grid.found, side / usual, np.nan).reshape(-1))
    return np.stack(out, axis=1)


def _empty(image: Image, grid: Grid, fine: Image) -> NDArray[np.bool_]:
    """(rows, columns) cells through which the felt is seen: of its colour, not of the tiles'."""
    shape = grid.shape
    hull = cv2.convexHull(grid.quads.reshape(-1, 2).astype(np.float32))
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.drawContours(mask, [np.round(hull).astype(np.int32)], -1, 255, round(grid.tile_px * 0.8))
    inside = np.zeros_like(mask)
    cv2.fillConvexPoly(inside, np.round(hull).astype(np.int32), 255)
    grown = cv2.dilate(inside, np.ones((3, 3), np.uint8), iterations=3)
    around = image[(mask > 0) & (grown == 0)]
    if not len(around):
        return np.zeros(shape, dtype=bool)
    felt = np.median(around, axis=0)
    colour = np.median(fine.reshape(len(fine), -1, 3), axis=1)
    tile = np.median(colour[grid.found.reshape(-1)], axis=0)
    apart = np.linalg.norm(colour - felt, axis=1) / max(float(np.linalg.norm(tile - felt)), 1e-9)
    return np.asarray((apart < _EMPTY).reshape(shape) & ~grid.found)


def _same_block(first: _View, view: _View, number: int) -> None:
    if view.grid.shape != first.grid.shape:
        here, there = ("{} by {}".format(*one.grid.shape) for one in (view, first))
        raise EnrolError(f"picture {number} shows a block of {here} tiles, picture 1 of {there}")
    same = np.einsum("nf,nf->n", _unit(first.features[0]), _unit(view.features[0]))
    if (same > 0.8).mean() < _AGREE:
        raise EnrolError(f"picture {number} shows other tiles, or another order, than picture 1")


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    opinion: Array
    features: Array
    turned: NDArray[np.bool_]


def _joined(views: Sequence[_View]) -> _Joined:
    turned = np.mean([v.turn for v in views], axis=0) > 0
    opinion = np.mean([v.opinion for v in views], axis=0)
    features = np.mean([_unit(v.features) for v in views], axis=0)
    features = np.where(turned[None, :, None], features[::-1], features)
    return _Joined(opinion, features, turned)


def _unit(features: Array) -> Array:
    return np.asarray(features / np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1e-9))


def _likeness(features: Array) -> Array:
    """(N, N) of tiles to each other, either way up; features (2, N, F)."""
    up, down = _unit(features)
    one = np.maximum((up @ up.T + down @ down.T) / 2, (up @ down.T + down @ up.T) / 2)
    return np.asarray((one + one.T) / 2)


def _upright(crops: Image, turned: NDArray[np.bool_]) -> Image:
    return np.where(turned[:, None, None, None], crops[:, ::-1, ::-1], crops)


def _fixed(
    known: Mapping[Place, str], places: Sequence[Place], labels: Sequence[str]
) -> dict[int, str]:
    fixed = {}
    for place, face in known.items():
        if face not in labels or face in (UNKNOWN, BACK):
            raise EnrolError(f"{face!r} at {place[0]},{place[1]}: no face of a tile")
        if place not in places:
            raise EnrolError(f"row {place[0]}, column {place[1]}: no tile lies there")
        fixed[places.index(place)] = face
    return fixed


# -- what is wrong ---------------------------------------------------------------------------


def _inspected(
    named: Named, places: Sequence[Place], fine: Image, sides: Array, grid: Array
) -> list[Finding]:
    where: dict[str, list[int]] = {}
    for tile, face in enumerate(named.faces):
        where.setdefault(face, []).append(tile)
    wanted = SETS[named.set_name]
    findings = []
    for face in sorted(wanted.keys() | where.keys() - {UNKNOWN}, key=_order):
        there, due = where.get(face, []), wanted.get(face, 0)
        findings += [Finding(Fault.MISSING, face)] * (due - len(there))
        if len(there) > due:
            spots = tuple(places[i] for i in there)
            findings.append(Finding(Fault.DOUBLED, face, spots, float(len(there) - due)))
    for tile in where.pop(UNKNOWN, []):
        findings.append(Finding(Fault.STRANGE, UNKNOWN, (places[tile],)))
    doubtful: dict[str, list[Place]] = {}
    for tile, face in enumerate(named.faces):
        if face != UNKNOWN and not named.sure[tile]:
            doubtful.setdefault(face, []).append(places[tile])
    findings += [Finding(Fault.UNSURE, f, tuple(at)) for f, at in sorted(doubtful.items())]

    def said(fault: Fault, odds: Sequence[Odd]) -> None:
        for odd in odds:
            face = named.faces[odd.tile]
            at = (places[odd.tile],)
            findings.append(Finding(fault, face, at, round(odd.strength, 2), odd.at))

    said(Fault.MARKED, enrol_inspect.marked_faces(fine, list(where.values())))
    said(Fault.SHADE, enrol_inspect.other_shade(fine, grid))
    said(Fault.SIZE, enrol_inspect.other_size(sides))
    return findings


def _order(face: str) -> tuple[int, str]:
    return "mpszf".find(face[1:]), face


def _kept(
    named: Named,
    fine: Image,
    likeness: Array,
    findings: Sequence[Finding],
    places: Sequence[Place],
) -> tuple[dict[str, Image], dict[str, int]]:
    """The most typical pictures of every face, unmarked ones first, and the counts."""
    marked = {p for f in findings if f.fault in (Fault.MARKED, Fault.SHADE) for p in f.places}
    where: dict[str, list[int]] = {}
    for tile, face in enumerate(named.faces):
        if face != UNKNOWN:
            where.setdefault(face, []).append(tile)
    faces = {}
    for face, tiles in sorted(where.items(), key=lambda item: _order(item[0])):
        typical = sorted(
            tiles, key=lambda i: (places[i] in marked, -float(likeness[i, tiles].sum()), i)
        )
        small = [
            cv2.resize(fine[i], (CROP_W, CROP_H), interpolation=cv2.INTER_AREA)
            for i in typical[:MOST_COPIES]
        ]
        faces[face] = np.stack(small).astype(np.uint8)
    return faces, {face: len(where[face]) for face in faces}


def _backs(
    image: Image, finder: TileFinder, tile_px: float | None
) -> tuple[Array, list[Finding], Image]:
    grid = find_grid(image, finder, posture=Posture.FACE_DOWN, tile_px=tile_px)
    quads = grid.quads.reshape(-1, 4, 2)
    fine = crops_of(image, quads, size=(_FINE * CROP_W, _FINE * CROP_H))
    lies = np.flatnonzero(~_empty(image, grid, fine).reshape(-1))
    columns = grid.shape[1]
    grid_places = np.stack([lies % columns, lies // columns], axis=1).astype(np.float64)
    findings = []
    for fault, odds in (
        (Fault.BACK_SHADE, enrol_inspect.other_shade(fine[lies], grid_places)),
        (Fault.BACK_MARK, enrol_inspect.marked_backs(fine[lies])),
    ):
        for odd in odds:
            i = int(lies[odd.tile])
            place = (i // columns + 1, i % columns + 1)
            findings.append(Finding(fault, "", (place,), round(odd.strength, 2), odd.at))
    odd_ones = {p for f in findings for p in f.places}
    plain = [i for i in map(int, lies) if (i // columns + 1, i % columns + 1) not in odd_ones]
    middle = len(plain) // 2
    kept = [
        cv2.resize(fine[i], (CROP_W, CROP_H), interpolation=cv2.INTER_AREA)
        for i in (plain or lies.tolist())[middle : middle + MOST_COPIES]
    ]
    return grid.quads, findings, np.stack(kept).astype(np.uint8)


def is_flower(face: str) -> bool:
    """Whether a face is a flower or a season."""
    return face in FLOWERS
