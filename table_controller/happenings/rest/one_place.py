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
        faces = rest.face, other.face
        if other.missing is not None and not (
            rest.posture is Posture.FACE_UP
            and all(face.decided for face in faces)
            and faces[0].tile is not faces[1].tile
        ):
            return other
    return None


def lies_another(rest: Rest, rests: Iterable[Rest], overlap: float) -> bool:
    """Whether a tile lies in that place that was not seen to leave it.

    Half a tile below the edge of a sleeve is read as another: a 4p as a 2p that lies across.
    Arguments as above.
    """
    return any(other.missing is None for other in _in_its_place(rest, rests, overlap))


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
