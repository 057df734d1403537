"""Which tiles of a row make which set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from table_controller.domain.tiles import Tile, sort_tiles
from table_controller.happenings.looks.places import distance
from table_controller.happenings.rest.rests import Rest
from vision.sightings import Posture

KONG: Final = 4
"""So many tiles a kong has."""
REACH: Final = 1.75
"""The tiles of a set lie so near to each other, in widths of a tile."""


def near(rest: Rest, others: Iterable[Rest], width: float) -> bool:
    """Whether a tile lies as near to one of some as those of a set do; ``width`` as below."""
    return any(distance(rest.point, other.point) <= REACH * width for other in others)


def groups_of(
    loose: Iterable[Rest], width: float, expected: Iterable[tuple[Tile, ...]] = ()
) -> list[list[Rest]]:
    """The sets that the tiles of a row seem to make, whole or not.

    Args:
        loose: tiles in front of one seat, from its player's left to the right.
        width: that of a tile, mm.
        expected: sets that are known to lie there.
    """
    reach = REACH * width
    known = list(expected)
    groups: list[list[Rest]] = []
    for rest in loose:
        if groups and rest.spot.right - groups[-1][-1].spot.right <= reach:
            groups[-1].append(rest)
        else:
            groups.append([rest])
    return [part for group in groups for some in _parted(group, known) for part in _sets(some)]


def _parted(group: list[Rest], expected: list[tuple[Tile, ...]]) -> list[list[Rest]]:
    """Neighbouring sets that are known from before, taken apart."""
    for tiles in expected:
        size = len(tiles)
        if len(group) <= size:
            continue
        for start in range(len(group) - size + 1):
            part = group[start : start + size]
            if sort_tiles(shown_as(rest) for rest in part) == sort_tiles(tiles):
                rest = group[:start], group[start + size :]
                return [part, *(p for side in rest if side for p in _parted(side, expected))]
    return [group]


def _sets(group: list[Rest]) -> list[list[Rest]]:
    """A row of tiles laid down at once as the sets of three or four that it is made of.

    Sets lie a little apart, and the four of a hidden kong face down.
    """
    if len(group) < 2 * KONG - 2:
        return [group]

    def apart(size: int) -> tuple[bool, float]:
        one, other = group[size - 1], group[size]
        hidden = (one.posture is Posture.FACE_UP) != (other.posture is Posture.FACE_UP)
        return hidden, other.spot.right - one.spot.right

    sizes = [size for size in (KONG - 1, KONG) if len(group) - size >= KONG - 1]
    size = max(sizes, key=apart)
    return [group[:size], *_sets(group[size:])]


def is_chow(group: list[Rest]) -> bool:
    """Whether three tiles are surely three in a row of one suit."""
    if any(rest.posture is not Posture.FACE_UP or not rest.face.decided for rest in group):
        return False
    tiles = [rest.face.tile.plain for rest in group]
    if not all(tile.is_suited for tile in tiles):
        return False
    ranks = sorted(tile.rank for tile in tiles)
    return len({tile.value[-1] for tile in tiles}) == 1 and ranks == list(
        range(ranks[0], ranks[0] + 3)
    )


def may_be_misread(group: list[Rest]) -> bool:
    """Whether three faces that make no set may be others: of a tile only a part was in sight.

    Beside the fingers that laid it a 5m was read as a 1s.
    """
    if len(group) != KONG - 1 or is_chow(group) or are_alike(group):
        return False
    shown = [rest for rest in group if rest.posture is Posture.FACE_UP]
    return any(rest.face.decided and not rest.whole for rest in shown)


def are_alike(group: list[Rest]) -> bool:
    """Whether tiles surely show the same face."""
    read = all(rest.posture is Posture.FACE_UP and rest.face.decided for rest in group)
    return read and len({rest.face.tile.plain for rest in group}) == 1


def shown_as(rest: Rest) -> Tile:
    """What a tile shows: its face, or its back."""
    return Tile.BACK if rest.posture is not Posture.FACE_UP else rest.face.tile


def hidden_in(rests: list[Rest]) -> tuple[int, ...]:
    """Which tiles of a set do not show their face."""
    return tuple(index for index, rest in enumerate(rests) if rest.posture is not Posture.FACE_UP)
