"""Finds the block in which a technician laid a whole tile set: rows and columns of quads.

Found tiles are neighbours when one lies where the other's sides say that the next tile begins.
From neighbours come whole-numbered places, from the places a smooth map of the block into the
picture, and from the map every cell: also those in which the finder saw nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import VisionInputError
from vision.image import Image
from vision.nets.found import FoundTile, without_doubles
from vision.sightings import Posture

Array = NDArray[np.float64]

LEAST_TILES: Final = 24
"""So many tiles must be seen to lie in a block."""
_NEAR: Final = 0.34
"""How far a neighbour may lie from where it should, in short sides."""
_EDGE: Final = 0.25
"""Share of the cells of an outer row or column in which a tile must be found."""
_SCALES: Final = (0.85, 1.1, 1.2, 1.35)
"""At what other sizes backs are looked for."""
_SAME: Final = 0.5
"""Finds nearer together than this, in short sides, are one tile."""
_CURVED: Final = 40
"""From so many tiles on the map may be curved, for lenses that are not calibrated."""


class GridError(VisionInputError):
    """No block of tiles is seen; the message says what is."""


class TileFinder(Protocol):
    """Finds tiles at a scale (:class:`vision.nets.finder.Finder`)."""

    def tile_sizes(self, image: Image) -> list[float]:
        """What the short side of the tiles may be, pixels, likeliest first."""
        ...

    def find(self, image: Image, tile_px: float | None = None) -> Findings:
        """The tiles."""
        ...


class Findings(Protocol):
    """What a finder says of one picture."""

    @property
    def tiles(self) -> Sequence[FoundTile]:
        """The tiles."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A block of tiles in a picture.

    Attributes:
        quads: (rows, columns, 4, 2) corners of the cells in pixels, each from its upper left.
        found: (rows, columns) the finder saw a tile there.
        tile_px: short side of a tile, pixels.
    """

    quads: Array
    found: NDArray[np.bool_]
    tile_px: float

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.found.shape[0], self.found.shape[1]

    def turned(self) -> Grid:
        """The same block seen from its other side: the last cell first, each upside down."""
        quads = np.roll(self.quads[::-1, ::-1], 2, axis=2)
        return Grid(quads, self.found[::-1, ::-1], self.tile_px)


def find_grid(
    image: Image,
    finder: TileFinder,
    *,
    posture: Posture = Posture.FACE_UP,
    tile_px: float | None = None,
) -> Grid:
    """Find the block.

    Args:
        image: (H, W, 3) BGR.
        finder: of the tiles.
        posture: how the tiles lie: face up, or face down in a picture of the backs.
        tile_px: short side of a tile in pixels, where it is known.

    Raises:
        GridError: fewer than :data:`LEAST_TILES` tiles lie side by side.
    """
    best: _Block | None = None
    for size in finder.tile_sizes(image)[:3] if tile_px is None else (tile_px,):
        block = _block(image, finder, size, posture)
        if block is not None and (best is None or block.worth > best.worth):
            best = block
    if best is None or len(best.places) < LEAST_TILES:
        seen = 0 if best is None else len(best.places)
        way = "face up" if posture is Posture.FACE_UP else "face down"
        raise GridError(
            f"no block of tiles: {seen} lie side by side (at least {LEAST_TILES} wanted); lay the "
            f"set {way} in rows, all the same way"
        )
    return _cells(best)


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Tiles with their places: (N, 4, 2) quads, (N, 2) column and row."""

    quads: Array
    places: NDArray[np.int64]
    size: float

    @property
    def worth(self) -> float:
        """The area in tiles, so that parts of large tiles do not outweigh them."""
        return len(self.places) * self.size


def _block(image: Image, finder: TileFinder, size: float, posture: Posture) -> _Block | None:
    found = [*finder.find(image, size).tiles]
    if posture is Posture.FACE_DOWN:
        # Backs without a mark in the middle of a block are seen better at another scale.
        for factor in _SCALES:
            found += finder.find(image, factor * size).tiles
        found = without_doubles(found, _SAME * size)
    wanted = {posture, Posture.UNSURE}
    if posture is Posture.FACE_UP:
        wanted.add(Posture.FACE_DOWN)  # blank white dragons look like backs
    quads = np.array([t.quad for t in found if t.posture in wanted], np.float64).reshape(-1, 4, 2)
    if len(quads) < 4:
        return None
    quads = _same_way(quads)
    if len(quads) < 4:
        return None
    places = _places(quads)
    kept = places[:, 0] > _NOWHERE
    if kept.sum() < 4:
        return None
    quads, places = quads[kept], places[kept]
    short = float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)))
    return _Block(quads, places, short)


def _same_way(quads: Array) -> Array:
    """Tiles that lie as most do, their corners counted from the same end."""
    across = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    angle = np.arctan2(across[:, 1], across[:, 0])
    # the mean of doubled angles is that of lines, whichever end they are told from
    spin = np.exp(2j * angle)
    main = spin[np.abs(spin[:, None] - spin[None]).argmin(axis=1)].mean()
    for _ in range(3):
        near = (spin * np.conj(main)).real > 0.5
        if not near.any():
            break
        main = spin[near].mean()
    direction = np.exp(0.5j * np.angle(main))
    if direction.real < -1e-9:
        direction = -direction
    near = (spin * np.conj(main / abs(main))).real > np.cos(np.radians(50))
    quads, across = quads[near], across[near]
    along = across @ np.array((direction.real, direction.imag)) < 0
    quads[along] = np.roll(quads[along], 2, axis=1)
    return quads


_NOWHERE: Final = -(1 << 30)


def _places(quads: Array) -> NDArray[np.int64]:
    """(N, 2) column and row in the largest connected block; ``_NOWHERE`` for the others."""
    centre = quads.mean(axis=1)
    across = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    along = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2
    near = _NEAR * np.linalg.norm(across, axis=1)
    links: list[list[tuple[int, int, int]]] = [[] for _ in quads]
    for step, (dx, dy) in ((across, (1, 0)), (along, (0, 1))):
        gap = np.linalg.norm(centre[None] - (centre + step)[:, None], axis=2)
        back = np.linalg.norm(centre[None] - (centre - step)[:, None], axis=2)
        ahead = gap.argmin(axis=1)
        behind = back.argmin(axis=1)
        for i, j in enumerate(ahead):
            # each must be the other's neighbour: a wrong quad alone links nothing
            if gap[i, j] < near[i] and behind[j] == i and back[j, i] < near[j]:
                links[i].append((int(j), dx, dy))
                links[int(j)].append((i, -dx, -dy))
    places = np.full((len(quads), 2), _NOWHERE, np.int64)
    best: list[int] = []
    seen = np.zeros(len(quads), dtype=bool)
    for start in range(len(quads)):
        if seen[start]:
            continue
        group, queue = [start], deque([start])
        seen[start] = True
        places[start] = 0
        while queue:
            i = queue.popleft()
            for j, dx, dy in links[i]:
                if not seen[j]:
                    seen[j] = True
                    places[j] = places[i] + (dx, dy)
                    group.append(j)
                    queue.append(j)
        if len(group) > len(best):
            best = group
    lost = np.ones(len(quads), dtype=bool)
    lost[best] = False
    places[lost] = _NOWHERE
    return places


@dataclass(frozen=True, slots=True, eq=False)
class _Map:
    """From places (columns and rows, fractions too) to pixels: projective, then a smooth bend."""

    plain: Array
    bend: Array
    middle: Array
    reach: Array

    def __call__(self, places: Array) -> Array:
        flat = np.asarray(places, np.float64).reshape(-1, 2)
        moved = cv2.perspectiveTransform(flat[None], self.plain)[0]
        moved = moved + _powers((flat - self.middle) / self.reach, len(self.bend)) @ self.bend
        return np.asarray(moved.reshape(np.shape(places)))


def _powers(uv: Array, count: int) -> Array:
    u, v = uv[:, 0].clip(-1.3, 1.3), uv[:, 1].clip(-1.3, 1.3)
    terms = [np.ones_like(u), u, v, u * u, u * v, v * v, u**3, u * u * v, u * v * v, v**3]
    return np.stack(terms[:count], axis=1)


def _fit(places: Array, centres: Array, near: float) -> tuple[_Map, NDArray[np.bool_]] | None:
    found, _ = cv2.findHomography(places, centres, cv2.RANSAC, near)
    if not np.size(found):
        return None
    plain = np.asarray(found, np.float64)
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    reach = np.maximum((places.max(axis=0) - places.min(axis=0)) / 2, 1.0)
    count = 10 if len(places) >= _CURVED else 1
    flat = _Map(plain, np.zeros((count, 2)), middle, reach)
    good = np.linalg.norm(flat(places) - centres, axis=1) < near
    for _ in range(3):
        if good.sum() < 2 * count + 4:
            break
        powers = _powers((places - middle) / reach, count)
        rest = centres - _Map(plain, np.zeros((count, 2)), middle, reach)(places)
        bend, *_ = np.linalg.lstsq(powers[good], rest[good], rcond=None)
        flat = _Map(plain, bend, middle, reach)
        good = np.linalg.norm(flat(places) - centres, axis=1) < 0.7 * near
    return flat, good


def _cells(block: _Block) -> Grid:
    places = block.places.astype(np.float64)
    centres = block.quads.mean(axis=1)
    fitted = _fit(places, centres, 0.3 * block.size)
    if fitted is None or fitted[1].sum() < LEAST_TILES:
        raise GridError("no block of tiles: what lies side by side does not lie in rows")
    grid, good = fitted
    inner = block.places[good]
    quads = block.quads[good]
    low, high = _extent(inner)
    # how much of its cell a tile takes
    across = np.linalg.norm(quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3], axis=1) / 2
    along = np.linalg.norm(quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1], axis=1) / 2
    half = np.eye(2) / 2
    wide = np.linalg.norm(grid(inner + half[0]) - grid(inner - half[0]), axis=1)
    high_px = np.linalg.norm(grid(inner + half[1]) - grid(inner - half[1]), axis=1)
    fill = np.array((np.median(across / wide), np.median(along / high_px))).clip(0.7, 1.02) / 2
    columns, rows = high - low + 1
    corner = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * fill
    cells = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1) + low
    out = grid(cells[:, :, None, :] + corner)
    seen = np.zeros((rows, columns), dtype=bool)
    for place, quad in zip(inner, quads, strict=True):
        column, row = place - low
        if not (0 <= column < columns and 0 <= row < rows):
            continue
        # a tile's own outline where it agrees with the block, else what the block says
        if np.abs(quad - out[row, column]).max() < 0.16 * block.size:
            out[row, column] = quad
        seen[row, column] = True
    return Grid(out, seen, block.size)


def _extent(places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last column and row; thin ones at the edges are no part of the block."""
    low, high = places.min(axis=0), places.max(axis=0)
    while True:
        size = high - low + 1
        inside = places[((places >= low) & (places <= high)).all(axis=1)]
        for axis in (0, 1):
            least = max(2, int(np.ceil(_EDGE * size[1 - axis])))
            if (inside[:, axis] == low[axis]).sum() < least:
                low[axis] += 1
                break
            if (inside[:, axis] == high[axis]).sum() < least:
                high[axis] -= 1
                break
        else:
            return low, high
        if (high < low).any():
            raise GridError("no block of tiles: no full rows")
