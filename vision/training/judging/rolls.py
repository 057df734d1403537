"""Dice thrown on the virtual table, as the table's eye tells them look by look.

What moves is not told by one picture alone: at a table the pictures before it are there too, and
how a die lies under a camera whose place is known.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hardware.virtual_table.camera.renderer import Renderer, random_look, random_scene
from hardware.virtual_table.play.dice_track import DieTrack
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import DieBody, Scene
from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame
from vision.dice.finding import DiceReader
from vision.eye.pipeline import Eye
from vision.geometry import TableGeometry
from vision.nets.finder import Finder
from vision.nets.reader import FaceReader
from vision.sightings import DieSighting

_STEP_S = 0.1
"""From look to look."""
_MIDDLE_MM, _APART_MM = 55.0, 17.0
"""Dice come to rest so near to the middle, and so far from each other."""
_NEAR_MM = 8.0
_CREEPS = 15.0
"""A die slower than this, mm/s, moves less than a pip from look to look: it has its value."""
_REST_S, _AWAY_S = 1.0, 0.6
_COCKED = 0.15
"""Share of the throws in which a die comes to rest leaning."""


@dataclass(slots=True)
class Thrown:
    """Counts over all throws and looks."""

    throws: int = 0
    looks: int = 0
    rolling: int = 0
    rolling_read: int = 0
    leaning: int = 0
    leaning_read: int = 0
    rest: int = 0
    right: int = 0
    wrong_looks: int = 0
    invented: int = 0

    def figures(self) -> dict[str, object]:
        """Of the model card."""
        return {
            "throws": self.throws,
            "looks": self.looks,
            "dice at rest": self.rest,
            "values right, when the next throw comes": round(
                100 * self.right / max(1, self.rest), 2
            ),
            "rolling dice in all looks": self.rolling,
            "of these read": self.rolling_read,
            "leaning dice": self.leaning,
            "leaning dice read": self.leaning_read,
            "looks that told a die at rest another value": self.wrong_looks,
            "values told where no die is": self.invented,
        }

    def look(self, dice: Sequence[DieBody], told: Sequence[DieSighting]) -> None:
        """Count the values of one look."""
        self.looks += 1
        moving = [die for die in dice if die.speed > _CREEPS]
        self.rolling += len(moving)
        for one in told:
            if one.value is None:
                continue
            die = min(dice, key=lambda d: _apart(one, d), default=None)
            near = die is not None and _apart(one, die) < _NEAR_MM + die.speed * _STEP_S
            if die is None or not near:
                self.invented += 1
            elif die.speed > _CREEPS:
                self.rolling_read += 1
            elif not die.cocked:
                self.wrong_looks += one.value != die.value

    def end(self, dice: Sequence[DieBody], told: Sequence[DieSighting]) -> None:
        """Count what is told of the dice that came to rest."""
        self.throws += 1
        for die in dice:
            values = [one.value for one in told if _apart(one, die) < _NEAR_MM]
            if die.cocked:
                self.leaning += 1
                self.leaning_read += any(value is not None for value in values)
            else:
                self.rest += 1
                self.right += values == [die.value]


def _apart(one: DieSighting, die: DieBody) -> float:
    return float(np.hypot(one.x - die.x, one.y - die.y))


def thrown(
    tables: int, throws: int = 4, seed: int = 131, models: Path | None = None
) -> dict[str, object]:
    """So many throws of two dice at each of so many tables, under other cameras and lamps.

    ``models`` is the folder of the nets of the dice.
    """
    from vision.training.pictures.rendered import GEOMETRIES, random_camera

    nets, count = (Finder(), FaceReader(), DiceReader(models)), Thrown()
    path = GEOMETRIES / "geometry-mcr.toml"
    layout = Layout.load(path)
    for k in range(tables):
        rng, pick = np.random.default_rng((seed, k)), random.Random(1000 * seed + k)
        camera, look = random_camera(rng), random_look(rng)
        scene = random_scene(rng, layout)
        free = tuple(t for t in scene.tiles if max(abs(t.x), abs(t.y)) > 90)
        model = CameraModel("top", camera.size, camera.K, camera.dist, camera.R, camera.t)
        film = _Film(
            replace(scene, arms=(), dice=(), tiles=free),
            Renderer(camera, layout, look, k),
            Eye(model, TableGeometry.load(path), *nets),
        )
        film.run(_AWAY_S, (), None)
        for _ in range(throws):
            tracks, rest = _throw(pick, film.t)
            film.run(rest + _REST_S - film.t, tracks, count)
            film.run(_AWAY_S, (), None)
    return count.figures()


class _Film:
    """A table under an eye; only the dice change."""

    def __init__(self, scene: Scene, renderer: Renderer, eye: Eye) -> None:
        self._scene, self._renderer, self._eye = scene, renderer, eye
        self._number, self.t = 0, 0.0

    def run(self, seconds: float, tracks: Sequence[DieTrack], count: Thrown | None) -> None:
        """So many seconds, with dice on these tracks."""
        told: tuple[DieSighting, ...] = ()
        dice: list[DieBody] = []
        for _ in range(round(seconds / _STEP_S)):
            self._number += 1
            self.t += _STEP_S
            dice = [die for track in tracks if (die := track.body(self.t)) is not None]
            scene = replace(self._scene, t=self.t, dice=tuple(dice))
            image = np.array(self._renderer.render(scene))
            told = self._eye.look(Frame(self.t, "top", image, self._number)).dice
            if count:
                count.look(dice, told)
        if count:
            count.end(dice, told)


def _throw(pick: random.Random, t: float) -> tuple[list[DieTrack], float]:
    """Two dice thrown from one hand at ``t``, and when the last comes to rest."""
    angle = pick.uniform(0, 2 * np.pi)
    start = (float(170 * np.cos(angle)), float(170 * np.sin(angle)))
    ends: list[tuple[float, float]] = []
    while len(ends) < 2:
        end = (pick.uniform(-_MIDDLE_MM, _MIDDLE_MM), pick.uniform(-_MIDDLE_MM, _MIDDLE_MM))
        if all(np.hypot(end[0] - x, end[1] - y) > _APART_MM for x, y in ends):
            ends.append(end)
    cocked, last, tracks = pick.random() < _COCKED, t, []
    for k, end in enumerate(ends):
        stop = t + pick.uniform(0.7, 1.6)
        track = DieTrack(t, *start, 1, 0.0)
        track.hide(t)
        track.roll(t + 0.02, stop, start, end, pick.randint(1, 6), pick, cocked=cocked and k == 0)
        last = max(last, stop)
        tracks.append(track)
    return tracks, last
