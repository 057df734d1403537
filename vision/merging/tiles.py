"""Tiles that several cameras see, as one view.

A tile that two cameras see is one tile: its place is the mean of what both say at its height, and
for tiles of a wall that height is where both agree, since from two places the upper tile of a stack
and the lower one look 3 to 5 mm apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.geometry import SIDES, TableGeometry
from vision.merging.pairs import paired
from vision.merging.views import Grid, Views
from vision.sightings import Posture, Sighting, TileSighting

_SAME = 0.55
"""Tiles of two cameras nearer than this share of a tile's width are one."""
_CERTAIN = 0.68
"""A tile that a better placed camera looks at without seeing it must be that sure."""
_SIGMA = 1.6
_NEWS, _MOST = 0.7, 3.0
_HALF_SEEN, _MOST_WORD = 1.5, 2.0
"""What it is worth that all cameras name the same layer of a tile that one of them sees badly, and
at most the word of one of them."""
_CONTESTED = 0.6
"""A moment in which the cameras contradict each other speaks at most so much against what they
agreed on before: a tile that was laid on another is agreed on, or known within half a second."""
_CLEAR = 0.9
"""Visible share from which a tile is well seen."""
_MOST_NUMBERS = 2_000
_MOST_MADE = 300
"""So many tiles that were put together are kept at most; a table has no 200."""

_Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A tile as one camera sees it; ``weight`` is how well it is placed for that."""

    camera: str
    tile: TileSighting
    weight: float


class JointTiles:
    """Puts the tiles of several cameras together.

    Args:
        views: the cameras.
        geometry: of the table.
    """

    def __init__(self, views: Views, geometry: TableGeometry) -> None:
        self._views = views
        self._geometry = geometry
        self._numbers: dict[_Key, int] = {}
        self._next = 0
        self._levels: dict[int, float] = {}
        self._made: dict[tuple[_Key, ...], tuple[tuple[TileSighting, ...], TileSighting]] = {}

    def moved(self) -> None:
        """A camera hangs elsewhere: what was put together lies elsewhere too."""
        self._made.clear()

    def joint(
        self, looked: Sequence[Sighting], free: Mapping[str, Grid]
    ) -> tuple[TileSighting, ...]:
        """The tiles of one moment.

        Args:
            looked: what each camera saw.
            free: what each saw of the felt.
        """
        seen = [
            _Seen(
                one.camera,
                tile,
                self._views.weight(one.camera, tile.x, tile.y) * max(tile.visible, 0.05),
            )
            for one in looked
            for tile in one.tiles
        ]
        groups = [group for group in self._grouped(seen) if self._believed(group, looked, free)]
        joint = [self._one(group) for group in groups]
        if len(self._made) > _MOST_MADE:
            # Each tile that comes to lie somewhere is another one: the rest is long gone.
            now = {_keys(group) for group in groups}
            self._made = {keys: made for keys, made in self._made.items() if keys in now}
        return tuple(sorted(joint, key=lambda tile: tile.track))

    def _grouped(self, seen: Sequence[_Seen]) -> list[list[_Seen]]:
        """Sightings of the same tile by different cameras, nearest first."""
        stands = [one.tile.posture is Posture.STANDING for one in seen]
        groups = paired(
            [one.camera for one in seen],
            [(one.tile.x, one.tile.y) for one in seen],
            _SAME * self._geometry.tile_width,
            lambda a, b: stands[a] is stands[b],
        )
        return [[seen[k] for k in group] for group in groups]

    def _believed(
        self,
        group: Sequence[_Seen],
        looked: Sequence[Sighting],
        free: Mapping[str, Grid],
    ) -> bool:
        """Whether the cameras that look there without seeing it may be wrong."""
        best = max(group, key=lambda one: one.weight)
        x, y = best.tile.x, best.tile.y
        by = {one.camera for one in group}
        if max(one.tile.confidence for one in group) >= _CERTAIN:
            return True
        return not any(
            one.camera not in by
            and self._views.free(free[one.camera], x, y)
            and self._views.weight(one.camera, x, y) > best.weight
            for one in looked
        )

    def _one(self, group: Sequence[_Seen]) -> TileSighting:
        """The tile that all of a group are; made once while nothing new is seen of it."""
        keys = _keys(group)
        number = self._number(keys)
        seen = tuple(one.tile for one in group)
        known = self._made.get(keys)
        settled = abs(self._levels.get(number, _MOST)) >= _MOST
        if (
            known is not None
            and settled
            and known[1].track == number
            and all(a is b for a, b in zip(known[0], seen, strict=True))
        ):
            return known[1]
        made = self._joined(number, group)
        self._made[keys] = seen, made
        return made

    def _joined(self, number: int, group: Sequence[_Seen]) -> TileSighting:
        best = max(group, key=lambda one: one.weight * one.tile.confidence)
        z = self._height(number, group)
        if len(group) == 1:
            x, y = self._at(best, z)
            return replace(best.tile, x=round(x, 2), y=round(y, 2), z=z, track=number)
        total = sum(one.weight for one in group)
        x, y = (
            sum(one.weight * value for one, value in zip(group, values, strict=True)) / total
            for values in zip(*(self._at(one, z) for one in group), strict=True)
        )
        return replace(
            best.tile,
            x=round(x, 2),
            y=round(y, 2),
            z=z,
            faces=_faces(group),
            confidence=max(one.tile.confidence for one in group),
            visible=max(one.tile.visible for one in group),
            track=number,
        )

    def _at(self, seen: _Seen, z: float) -> tuple[float, float]:
        """The middle of a tile in mm if its upper side is at a height."""
        tile = seen.tile
        if z == tile.z:
            return tile.x, tile.y
        middle = np.mean(tile.quad, axis=0)[None]
        shift = np.diff(
            self._views.cameras[seen.camera].to_table(np.repeat(middle, 2, 0), [tile.z, z]).T
        )
        return tile.x + float(shift[0, 0]), tile.y + float(shift[1, 0])

    def _height(self, number: int, group: Sequence[_Seen]) -> float:
        """At which height the cameras agree best where the tile lies."""
        geometry = self._geometry
        best = max(group, key=lambda one: one.weight * one.tile.confidence).tile
        if best.posture is Posture.STANDING or not self._near_wall(best.x, best.y):
            return best.z
        level = self._levels.get(number)
        if len(group) == 1:
            if level is None:
                return best.z
            return geometry.stacked_z if level > 0 else geometry.flat_z
        words = {one.tile.z > geometry.flat_z for one in group}
        before = level or 0.0
        if len(words) == 1:
            # Each says so by itself, by more than its place: where it is well seen that is so.
            sure = level is None or all(_is_clear(one.tile) for one in group)
            step = 2 * _MOST if sure else _HALF_SEEN
            level = before + (step if words.pop() else -step)
        else:
            low, high = (_spread([self._at(one, z) for one in group]) for z in self._heights())
            news = min(max((low - high) / (2 * _SIGMA**2), -4.0), 4.0)
            change = _NEWS * news + sum(self._word(one) for one in group)
            if change * before < 0:
                # A sleeve at the edge of a tile moves what one camera sees of it for some looks.
                change = min(max(change, -_CONTESTED), _CONTESTED)
            level = before + change
        level = min(max(level, -_MOST), _MOST)
        self._levels[number] = level
        return geometry.stacked_z if level > 0 else geometry.flat_z

    def _word(self, seen: _Seen) -> float:
        """What a camera's own word for a layer is worth (log-odds for the upper one).

        Right above a wall both layers look alike; from beside it they lie some millimetres apart.
        """
        cx, cy, cz = self._views.places[seen.camera]
        low, high = self._heights()
        tile = seen.tile
        apart = (high - low) * math.hypot(tile.x - cx, tile.y - cy) / (cz - low)
        worth = min((apart / _SIGMA) ** 2 / 2, _MOST_WORD) * (1.0 if _is_clear(tile) else 0.5)
        return worth if tile.z > low else -worth

    def _heights(self) -> tuple[float, float]:
        return self._geometry.flat_z, self._geometry.stacked_z

    def _near_wall(self, x: float, y: float) -> bool:
        geometry = self._geometry
        reach = geometry.tile_height / 2 + 14.0
        return any(
            abs(geometry.to_player(side, x, y)[1] - geometry.wall.offset) < reach for side in SIDES
        )

    def _number(self, keys: Sequence[_Key]) -> int:
        """The same number for the same tile, whichever camera sees it."""
        known = [self._numbers[key] for key in keys if key in self._numbers]
        if known:
            number = min(known)
        else:
            number, self._next = self._next, self._next + 1
        for key in keys:
            # What is seen goes to the end: at the beginning stands what was not for longest.
            self._numbers.pop(key, None)
            self._numbers[key] = number
        if len(self._numbers) > _MOST_NUMBERS:
            for key in list(self._numbers)[: _MOST_NUMBERS // 2]:
                del self._numbers[key]
            alive = set(self._numbers.values())
            self._levels = {one: level for one, level in self._levels.items() if one in alive}
        return number


def _keys(group: Sequence[_Seen]) -> tuple[_Key, ...]:
    """What names the tiles of a group at their cameras."""
    return tuple((one.camera, one.tile.track) for one in group)


def _is_clear(tile: TileSighting) -> bool:
    return tile.visible >= _CLEAR and tile.confidence >= _CERTAIN


def _spread(points: Sequence[tuple[float, float]]) -> float:
    """Sum of the squared distances from the mean, mm²."""
    places = np.array(points)
    return float(((places - places.mean(axis=0)) ** 2).sum())


def _faces(group: Sequence[_Seen]) -> tuple[tuple[str, float], ...]:
    """The mean of what the cameras read; where they contradict each other nothing is sure."""
    read = [one for one in group if one.tile.faces]
    if not read:
        return ()
    total = sum(one.weight for one in read)
    mixed: dict[str, float] = {}
    for one in read:
        for label, p in one.tile.faces:
            mixed[label] = mixed.get(label, 0.0) + p * one.weight / total
    ranked = sorted(mixed.items(), key=lambda item: (-item[1], item[0]))
    return tuple((label, round(p, 6)) for label, p in ranked[:3])
