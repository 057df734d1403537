"""Two tiles cannot lie in the same place: what that says of one that is found where another lay."""

from __future__ import annotations

from collections.abc import Iterable

from table_controller.happenings.looks.places import distance
from table_controller.happenings.rest.rests import Rest
from vision.sightings import Posture

_SAME_Z_MM = 10.0
"""Tiles whose upper sides differ by more do not lie beside each other but on one another."""


def pushed_there(rest: Rest, rests: Iterable[Rest], overlap: float) -> Rest | None:
    """The tile that lies here now, if one is missing where it overlaps this find.

    Args:
        rest: what was found.
        rests: all that is known.
        overlap: middles nearer to each other than this are those of one place, mm.
    """
    for other in _in_its_place(rest, rests, overlap):
        if other.missing is not None and not _differ(rest, other):
            return other
    return None


def lies_another(rest: Rest, rests: Iterable[Rest], overlap: float) -> bool:
    """Whether a tile lies in that place that was not seen to leave it.

    Half a tile below the edge of a sleeve is read as another: a 4p as a 2p that lies across.
    Arguments as above.
    """
    return any(other.missing is None for other in _in_its_place(rest, rests, overlap))


def reads_otherwise(rest: Rest, rests: Iterable[Rest], overlap: float, looks: int) -> bool:
    """Whether that may be the tile that lay there, read otherwise: it was just missed.

    As a sleeve goes what was read of half a tile may stand for a look or two: a 7s was a 6s, and
    discarded.

    Args:
        rest: what was found.
        rests: all that is known.
        overlap: as above.
        looks: so often the one before must be missed.
    """
    return any(
        other.missing is not None and other.misses < looks and _differ(rest, other)
        for other in _in_its_place(rest, rests, overlap)
    )


def _differ(one: Rest, other: Rest) -> bool:
    """Whether two tiles show other faces, both for certain."""
    return (
        one.posture is Posture.FACE_UP
        and one.face.decided
        and other.face.decided
        and one.face.tile is not other.face.tile
    )


def _in_its_place(rest: Rest, rests: Iterable[Rest], overlap: float) -> Iterable[Rest]:
    """Tiles that are believed to lie there as this one does."""
    return (
        other
        for other in rests
        if other is not rest
        and other.believed
        and other.posture is rest.posture
        and abs(other.z - rest.z) <= _SAME_Z_MM
        and distance(other.point, rest.point) <= overlap
    )
