"""Enrols a venue's tile set from pictures of the whole set, laid face up in a block.

The block is found (:mod:`.grid`) and read (:mod:`.view`), its tiles are named (:mod:`.names`) and
inspected (:mod:`.inspection`, :mod:`.findings`), and a picture or two of every face is kept
(:mod:`vision.nets.enrolled`), by which is read from then on (:mod:`vision.nets.likeness`). Nothing
is trained; the same pictures give the same result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.enrol import inspection as enrol_inspect
from vision.enrol.findings import Fault, Finding, Place, face_order, inspected
from vision.enrol.grid import TileFinder, find_grid
from vision.enrol.names import Named, name_tiles
from vision.enrol.sets import SETS
from vision.enrol.view import (
    FINE,
    EnrolError,
    empty_cells,
    join_views,
    likeness_of,
    look,
    same_block,
    upright,
)
from vision.image import Image
from vision.nets.enrolled import MOST_COPIES, TileSet
from vision.nets.evidence import BACK, UNKNOWN
from vision.nets.reader import CROP_H, CROP_W, FaceReader, crops_of
from vision.sightings import Posture

Array = NDArray[np.float64]


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
        set_name: which set it was taken for (:data:`vision.enrol.sets.SETS`).
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
        return _wrong(self.findings)

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
        set_name: one of :data:`vision.enrol.sets.SETS`; by default the one that fits best.
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
    views = [look(image, find_grid(image, finder, tile_px=tile_px), reader) for image in images]
    for number, view in enumerate(views[1:], start=2):
        same_block(views[0], view, number)
    first = views[0]
    joined = join_views(views)
    rows, columns = first.grid.shape
    lies = ~first.empty
    cells = np.flatnonzero(lies.reshape(-1))
    places = [(int(i) // columns + 1, int(i) % columns + 1) for i in cells]
    fixed = _fixed(known or {}, places, reader.labels)
    likeness = likeness_of(joined.features[:, cells])
    named = name_tiles(
        joined.opinion[cells], likeness, reader.labels, fixed=fixed, set_name=set_name
    )
    fine = upright(first.fine[cells], joined.turned[cells])
    grid = np.stack([np.array(places)[:, 1], np.array(places)[:, 0]], axis=1).astype(np.float64)
    findings = inspected(named, places, fine, first.sides[cells], grid)
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
        # What is only to be confirmed is confirmed by storing the set.
        tiles=TileSet(faces, counts, tuple(str(f) for f in _wrong(findings)), name),
        backs=back_cells,
    )


def _wrong(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(f for f in findings if f.fault is not Fault.UNSURE)


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
    for face, tiles in sorted(where.items(), key=lambda item: face_order(item[0])):
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
    fine = crops_of(image, quads, size=(FINE * CROP_W, FINE * CROP_H))
    lies = np.flatnonzero(~empty_cells(image, grid, fine).reshape(-1))
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
