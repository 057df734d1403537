"""Several cameras over one table as one view, in table millimetres.

Each camera is looked through by itself; here what they saw at one moment is put together. A tile
that two cameras see is one tile: its place is the mean of what both say at its height, and for
tiles of a wall that height is where both agree, since from two places the upper tile of a stack
and the lower one look 3 to 5 mm apart. What one camera has behind an arm the other may see; only
what no camera saw counts as not looked at. A camera that is lost is left out of the view.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration import CameraModel
from vision.coverage import Reach
from vision.geometry import SIDES, Side, TableGeometry
from vision.merging_dice import JointDice
from vision.sightings import (
    Outcome,
    Point,
    Polygon,
    Posture,
    Sighting,
    StickSighting,
    TileSighting,
)

VIEW = "table"
"""Name of the joint view, where a camera's stands in a sighting."""
STALE_S = 0.3
"""A camera that has not been looked through for longer says nothing of this moment."""
_GRID_MM = 8.0
_EDGE_PX = 12.0
_SAME = 0.55
"""Tiles of two cameras nearer than this share of a tile's width are one."""
_SAME_STICK_MM = 20.0
_SAME_TIP_MM = 80.0
"""Two views of the same fingertips are no farther apart: 50 mm at most in 98 of 100 looks."""
_CERTAIN = 0.68
"""A tile that a better placed camera looks at without seeing it must be that sure."""
_SIGMA = 1.6
_NEWS, _MOST = 0.7, 3.0
_HALF_SEEN, _MOST_WORD = 1.5, 2.0
"""What it is worth that all cameras name the same layer of a tile that one of them sees badly, and
at most the word of one of them."""
_CLEAR = 0.9
"""Visible share from which a tile is well seen."""
_MOST_NUMBERS = 20_000

_Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A tile as one camera sees it; ``weight`` is how well it is placed for that."""

    camera: str
    tile: TileSighting
    weight: float


class OneView:
    """Puts the sightings of several cameras together.

    Args:
        cameras: lens and pose of each, by name.
        geometry: of the table.
    """

    def __init__(self, cameras: Mapping[str, CameraModel], geometry: TableGeometry) -> None:
        self._cameras = dict(cameras)
        self._geometry = geometry
        half = geometry.surface_mm / 2
        self._steps = math.ceil(geometry.surface_mm / _GRID_MM)
        middles = (np.arange(self._steps) + 0.5) * _GRID_MM - half
        x, y = np.meshgrid(middles, middles)
        self._points = np.column_stack((x.ravel(), y.ravel(), np.full(x.size, geometry.flat_z)))
        self._views: dict[str, NDArray[np.bool_]] = {}
        self._places: dict[str, tuple[float, float, float]] = {}
        for name in cameras:
            self._sees(name)
        self._newest: dict[str, Sighting] = {}
        self._first: float | None = None
        self._fresh: dict[str, Sighting] = {}
        self._numbers: dict[_Key, int] = {}
        self._next = 0
        self._levels: dict[int, float] = {}
        self._dice = JointDice(self._weight)
        self._made: dict[tuple[_Key, ...], tuple[tuple[TileSighting, ...], TileSighting]] = {}

    def moved(self, camera: CameraModel) -> None:
        """A camera's pose was corrected."""
        self._cameras[camera.name] = camera
        self._made.clear()
        self._sees(camera.name)

    def _sees(self, name: str) -> None:
        cx, cy, cz = self._cameras[name].position.tolist()
        self._places[name] = cx, cy, cz
        seen = self._cameras[name].sees(self._points, _EDGE_PX)
        self._views[name] = seen.reshape(self._steps, self._steps)

    # -- over time ----------------------------------------------------------------------

    def take(self, sighting: Sighting) -> list[Sighting]:
        """One camera's sighting; returns the joint ones that are complete now.

        A moment is complete when every camera that still delivers was looked through, or when
        one is already on its next picture. A failed look is passed on only when no other
        camera was looked through.
        """
        complete = []
        if sighting.camera in self._fresh:
            complete.append(self._moment())
        self._fresh[sighting.camera] = sighting
        self._newest[sighting.camera] = sighting
        if self._first is None:
            self._first = sighting.t
        waited = sighting.t - self._first >= STALE_S
        live = (
            list(self._cameras)
            if not waited
            else [name for name, one in self._newest.items() if sighting.t - one.t < STALE_S]
        )
        if all(name in self._fresh for name in live):
            complete.append(self._moment())
        return complete

    def flush(self) -> list[Sighting]:
        """What is not complete at the end of the inputs."""
        return [self._moment()] if self._fresh else []

    def _moment(self) -> Sighting:
        now, self._fresh = self._fresh, {}
        t = max(one.t for one in now.values())
        looked = [one for one in now.values() if one.outcome is Outcome.LOOKED]
        if not looked:
            reasons = "; ".join(f"{one.camera}: {one.reason}" for one in now.values())
            return Sighting(t, VIEW, Outcome.FAILED, reason=reasons)
        return self._joint(t, looked)

    # -- one moment ---------------------------------------------------------------------

    def _joint(self, t: float, looked: Sequence[Sighting]) -> Sighting:
        free = {one.camera: self._views[one.camera] & ~self._mask(one.covered) for one in looked}
        hidden = ~np.logical_or.reduce(list(free.values()))
        return Sighting(
            t=t,
            camera=VIEW,
            outcome=Outcome.LOOKED,
            tiles=tuple(self._tiles(looked, free)),
            dice=self._dice.joint(looked, lambda name, x, y: self._free(free[name], x, y)),
            sticks=tuple(_sticks(looked)),
            covered=self._polygons(hidden),
            reach=self._reach(looked, free),
        )

    def _mask(self, polygons: Sequence[Polygon]) -> NDArray[np.bool_]:
        mask = np.zeros((self._steps, self._steps), np.uint8)
        half = self._geometry.surface_mm / 2
        for polygon in polygons:
            corners = np.round((np.array(polygon) + half) / _GRID_MM - 0.5).astype(np.int32)
            cv2.fillPoly(mask, [corners], 1)
        return mask.astype(bool)

    def _polygons(self, mask: NDArray[np.bool_]) -> tuple[Polygon, ...]:
        if not mask.any():
            return ()
        padded = np.pad(mask.astype(np.uint8), 1)
        contours, _ = cv2.findContours(padded, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        half = self._geometry.surface_mm / 2
        found: list[Polygon] = []
        for contour in contours:
            outline = cv2.approxPolyDP(contour, 0.75, closed=True).reshape(-1, 2)
            if len(outline) >= 3:
                points = (outline.astype(np.float64) - 0.5) * _GRID_MM - half
                found.append(tuple((round(float(x), 1), round(float(y), 1)) for x, y in points))
        return tuple(sorted(found))

    def _free(self, mask: NDArray[np.bool_], x: float, y: float) -> bool:
        half = self._geometry.surface_mm / 2
        column, row = int((x + half) // _GRID_MM), int((y + half) // _GRID_MM)
        inside = 0 <= row < self._steps and 0 <= column < self._steps
        return inside and bool(mask[row, column])

    def _weight(self, camera: str, x: float, y: float) -> float:
        """How well a camera is placed to see a point: from steeply above is best."""
        cx, cy, cz = self._places[camera]
        return 1.0 / (1.0 + ((x - cx) ** 2 + (y - cy) ** 2) / cz**2) ** 2

    def _tiles(
        self, looked: Sequence[Sighting], free: Mapping[str, NDArray[np.bool_]]
    ) -> list[TileSighting]:
        seen = [
            _Seen(
                one.camera, tile, self._weight(one.camera, tile.x, tile.y) * max(tile.visible, 0.05)
            )
            for one in looked
            for tile in one.tiles
        ]
        joint = [
            self._one(group) for group in self._grouped(seen) if self._believed(group, looked, free)
        ]
        return sorted(joint, key=lambda tile: tile.track)

    def _grouped(self, seen: Sequence[_Seen]) -> list[list[_Seen]]:
        """Sightings of the same tile by different cameras, nearest first."""
        gate = _SAME * self._geometry.tile_width
        groups = [[one] for one in seen]
        if len({one.camera for one in seen}) < 2:
            return groups
        places = np.array([(one.tile.x, one.tile.y) for one in seen])
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        owner = list(range(len(seen)))
        members = [[k] for k in owner]
        rows, columns = np.nonzero(np.triu(apart < gate, 1))
        pairs = sorted(
            (float(apart[i, j]), int(i), int(j)) for i, j in zip(rows, columns, strict=True)
        )
        for _, i, j in pairs:
            a, b = owner[i], owner[j]
            if a == b or {s.camera for s in groups[a]} & {s.camera for s in groups[b]}:
                continue
            if (seen[i].tile.posture is Posture.STANDING) is not (
                seen[j].tile.posture is Posture.STANDING
            ):
                continue
            groups[a] += groups[b]
            groups[b] = []
            members[a] += members[b]
            for k in members[b]:
                owner[k] = a
        return [group for group in groups if group]

    def _believed(
        self,
        group: Sequence[_Seen],
        looked: Sequence[Sighting],
        free: Mapping[str, NDArray[np.bool_]],
    ) -> bool:
        """Whether the cameras that look there without seeing it may be wrong."""
        best = max(group, key=lambda one: one.weight)
        x, y = best.tile.x, best.tile.y
        by = {one.camera for one in group}
        if max(one.tile.confidence for one in group) >= _CERTAIN:
            return True
        return not any(
            one.camera not in by
            and self._free(free[one.camera], x, y)
            and self._weight(one.camera, x, y) > best.weight
            for one in looked
        )

    def _one(self, group: Sequence[_Seen]) -> TileSighting:
        """The tile that all of a group are; made once while nothing new is seen of it."""
        number = self._number(group)
        keys = tuple((one.camera, one.tile.track) for one in group)
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
        shift = np.diff(self._cameras[seen.camera].to_table(np.repeat(middle, 2, 0), [tile.z, z]).T)
        return tile.x + float(shift[0, 0]), tile.y + float(shift[1, 0])

    def _reach(self, looked: Sequence[Sighting], free: Mapping[str, NDArray[np.bool_]]) -> Reach:
        """The fingertips of each side, by what all cameras say of them."""
        tips = [
            self._tip(side, {one.camera: tip for one in looked if (tip := one.reach[side])}, free)
            for side in SIDES
        ]
        return tips[0], tips[1], tips[2], tips[3]

    def _tip(
        self, side: Side, seen: Mapping[str, Point], free: Mapping[str, NDArray[np.bool_]]
    ) -> Point | None:
        """Fingertips are above the felt: the mean of two cameras' places is nearer the truth.

        Places far apart are no two views of the same fingertips, and between them is nothing:
        one that another camera looks at without an arm there is none, else the farther in counts.
        """
        points = list(seen.values())
        if not points:
            return None
        if max(math.dist(a, b) for a in points for b in points) > _SAME_TIP_MM:
            hidden = [
                tip
                for name, tip in seen.items()
                if not any(self._free(mask, *tip) for other, mask in free.items() if other != name)
            ]
            inmost = min(hidden or points, key=lambda tip: self._geometry.to_player(side, *tip)[1])
            points = [tip for tip in points if math.dist(tip, inmost) <= _SAME_TIP_MM]
        return (
            round(sum(x for x, _ in points) / len(points), 1),
            round(sum(y for _, y in points) / len(points), 1),
        )

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
            level = before + _NEWS * news + sum(self._word(one) for one in group)
        level = min(max(level, -_MOST), _MOST)
        self._levels[number] = level
        return geometry.stacked_z if level > 0 else geometry.flat_z

    def _word(self, seen: _Seen) -> float:
        """What a camera's own word for a layer is worth (log-odds for the upper one).

        Right above a wall both layers look alike; from beside it they lie some millimetres apart.
        """
        cx, cy, cz = self._places[seen.camera]
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

    def _number(self, group: Sequence[_Seen]) -> int:
        """The same number for the same tile, whichever camera sees it."""
        keys = [(one.camera, one.tile.track) for one in group]
        known = [self._numbers[key] for key in keys if key in self._numbers]
        if known:
            number = min(known)
        else:
            number, self._next = self._next, self._next + 1
        if not any(key in self._numbers for key in keys):
            # It is another tile now, perhaps the one below.
            self._levels.pop(number, None)
        for key in keys:
            self._numbers[key] = number
        if len(self._numbers) > _MOST_NUMBERS:
            self._made.clear()
            for key in list(self._numbers)[: _MOST_NUMBERS // 2]:
                self._levels.pop(self._numbers.pop(key), None)
        return number


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


def _sticks(looked: Sequence[Sighting]) -> list[StickSighting]:
    joint: list[StickSighting] = []
    for one in looked:
        for stick in one.sticks:
            near = (math.hypot(stick.x - s.x, stick.y - s.y) < _SAME_STICK_MM for s in joint)
            if not any(near):
                joint.append(stick)
    return joint
