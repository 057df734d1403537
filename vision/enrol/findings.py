"""What is wrong with a tile set, or to be looked at, in words and places of its block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from vision.enrol import inspection as enrol_inspect
from vision.enrol.inspection import Odd
from vision.enrol.names import Named
from vision.enrol.sets import SETS
from vision.image import Image
from vision.nets.evidence import UNKNOWN

Array = NDArray[np.float64]
Place = tuple[int, int]
"""Row and column of a cell, counted from 1 at the upper left of the block as it is read."""


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


def inspected(
    named: Named, places: Sequence[Place], fine: Image, sides: Array, grid: Array
) -> list[Finding]:
    """What is wrong with the tiles of a set, or to be looked at.

    Args:
        named: what the tiles are taken for.
        places: where each lies in the block.
        fine: a large crop of each, upright.
        sides: (N, 2) width and height over what is usual there.
        grid: (N, 2) column and row of each.
    """
    where: dict[str, list[int]] = {}
    for tile, face in enumerate(named.faces):
        where.setdefault(face, []).append(tile)
    wanted = SETS[named.set_name]
    findings = []
    for face in sorted(wanted.keys() | where.keys() - {UNKNOWN}, key=face_order):
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


def face_order(face: str) -> tuple[int, str]:
    """The order in which faces are listed: by suit, then by rank."""
    return "mpszf".find(face[1:]), face
