"""Dice through the eye, on rendered tables: thrown, at rest; lamps in the middle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

import hardware.virtual_table
from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.renderer import Look, Renderer, random_look, random_scene
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import DieBody
from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame
from vision.changes.motion import CELL
from vision.dice.finding import DiceReader, FoundDie
from vision.dice.watch import DiceWatch
from vision.eye.pipeline import Eye
from vision.geometry import TableGeometry
from vision.image import Image
from vision.nets.finder import Finder
from vision.nets.reader import FaceReader
from vision.sightings import Sighting

GEOMETRY = Path(hardware.virtual_table.__file__).parent / "data" / "geometry-mcr.toml"
STEP_S = 0.1
NEAR_MM = 8.0


@pytest.fixture(scope="module")
def models() -> tuple[Finder, FaceReader, DiceReader]:
    return Finder(), FaceReader(), DiceReader()


class Table:
    """A table in the middle of a game under an eye; only the dice change."""

    def __init__(
        self, seed: int, look: Look, models: tuple[Finder, FaceReader, DiceReader]
    ) -> None:
        self.rng = np.random.default_rng((31, seed))
        layout = Layout.load(GEOMETRY)
        scene = random_scene(self.rng, layout)
        middle = tuple(t for t in scene.tiles if max(abs(t.x), abs(t.y)) > 90)
        self._scene = replace(scene, arms=(), dice=(), tiles=middle)
        camera = overhead(roll_deg=float(self.rng.normal(0, 1)))
        self._renderer = Renderer(camera, layout, look, seed)
        model = CameraModel("top", camera.size, camera.K, camera.dist, camera.R, camera.t)
        self._eye = Eye(model, TableGeometry.load(GEOMETRY), *models)
        self._number = 0

    def show(self, dice: Sequence[DieBody], frames: int = 1) -> Sighting:
        """What is seen in the last of so many frames."""
        for _ in range(frames):
            self._number += 1
            scene = replace(self._scene, t=self._number * STEP_S, dice=tuple(dice))
            image = np.array(self._renderer.render(scene))
            seen = self._eye.look(Frame(scene.t, "top", image, self._number))
        return seen

    def rolling(self) -> list[DieBody]:
        """Two dice on their way."""
        return [
            replace(
                self.lying(self.rng.uniform(-55, 55, 2)), speed=float(self.rng.uniform(250, 700))
            )
            for _ in range(2)
        ]

    def lying(self, spot: NDArray[np.float64]) -> DieBody:
        """A die at a spot, mm."""
        x, y = (float(v) for v in spot)
        return DieBody(x, y, float(self.rng.uniform(0, 360)), int(self.rng.integers(1, 7)))

    def throw(self) -> list[DieBody]:
        """Two or three dice at rest, often touching."""
        spots = [self.rng.uniform(-45, 45, 2)]
        count = int(self.rng.integers(2, 4))
        while len(spots) < count:
            beside = spots[0] + self.rng.normal(0, 14, 2)
            spot = beside if self.rng.random() < 0.6 else self.rng.uniform(-55, 55, 2)
            if np.abs(spot).max() < 60 and all(np.hypot(*(spot - o)) > 15.5 for o in spots):
                spots.append(spot)
        return [self.lying(spot) for spot in spots]


@pytest.mark.parametrize("seed", [1, 2])
def test_every_throw_is_read_and_nothing_else(
    seed: int, models: tuple[Finder, FaceReader, DiceReader]
) -> None:
    look = Look() if seed == 1 else random_look(np.random.default_rng(seed))
    table = Table(seed, look, models)
    assert table.show([], 5).dice == (), "lamps, tiles and felt are no dice"
    for _ in range(2):
        for _ in range(3):
            assert [d.value for d in table.show(table.rolling()).dice if d.value] == []
        dice = table.throw()
        seen = table.show(dice, 6).dice
        for die in dice:
            near = [d for d in seen if np.hypot(d.x - die.x, d.y - die.y) < NEAR_MM]
            assert [(d.value, d.moving) for d in near] == [(die.value, False)], die
        assert table.show([], 10).dice == (), "taken away: seen within a second"


class Squares:
    """Takes white squares for dice that show a five."""

    def find(self, image: Image, die_px: float | None = None) -> list[FoundDie]:
        stats = cv2.connectedComponentsWithStats(image[:, :, 0] // 255)[2]
        return [FoundDie((x, y, x + w, y + h), 5, 0.99) for x, y, w, h, _ in stats[1:].tolist()]


class Counting(Squares):
    """Says how many pixels were searched."""

    def __init__(self) -> None:
        self.pixels = 0

    def find(self, image: Image, die_px: float | None = None) -> list[FoundDie]:
        self.pixels += image.shape[0] * image.shape[1]
        return super().find(image, die_px)


def from_above(finder: Squares) -> DiceWatch:
    """A table seen from 1.3 m right above its middle, 1920x1080."""
    turn, far = np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, 1300.0])
    lens = np.array([[1478.0, 0, 960], [0, 1478.0, 540], [0, 0, 1]])
    camera = CameraModel("top", (1920, 1080), lens, np.zeros(5), turn, far)
    return DiceWatch(camera, TableGeometry.load(GEOMETRY), finder)


def test_much_that_is_new_at_once_is_searched_in_several_looks() -> None:
    """At the end of a hand a look took a quarter of a second, half of it for dice."""
    finder = Counting()
    watch = from_above(finder)
    spots = [(960 + u, 540 + v) for u in (-400, -250, 250, 400) for v in (-400, -250, 250, 400)]
    image, changed = np.zeros((1080, 1920, 3), np.uint8), np.zeros((135, 240), bool)
    for x, y in spots:
        image[y : y + 20, x : x + 20] = 255
        changed[y // CELL - 2 : y // CELL + 5, x // CELL - 2 : x // CELL + 5] = True
    level = np.asarray(cv2.resize(image, (480, 270), interpolation=cv2.INTER_AREA), np.uint8)
    none = np.zeros_like(changed)
    seen: list[int] = []
    for number in range(4):
        before, new = finder.pixels, changed if number == 0 else none
        dice = watch.look(image, new, none, none, new, level=level, noise=1.0, resting=number == 0)
        seen.append(len(dice))
        # Each of the dice known is looked at some times more.
        known = seen[-2] if number else 0
        assert finder.pixels - before < 150_000 + known * 14_000
    assert 4 <= seen[0] < len(spots)
    assert seen[-1] == len(spots)


def test_a_die_that_is_taken_while_dice_roll_and_much_is_new_is_gone() -> None:
    """Where that much is new not all is looked at, but where a die lay is: else it would stay."""
    x, y = 1216, 544
    watch = from_above(Squares())

    def look(squares: Sequence[tuple[int, int]], new: int, *, rolls: bool = False) -> list[float]:
        """Where dice are seen (x, mm); cells up to ``new`` pixels beside the far die changed."""
        image = np.zeros((1080, 1920, 3), np.uint8)
        for u, v in squares:
            image[v : v + 20, u : u + 20] = 255
        changed, moving = np.zeros((135, 240), bool), np.zeros((135, 240), bool)
        changed[(y - new) // CELL : (y + new) // CELL, (x - new) // CELL : (x + new) // CELL] = True
        if rolls:
            changed[64:72, 116:124] = moving[64:72, 116:124] = True
        level = np.asarray(cv2.resize(image, (480, 270), interpolation=cv2.INTER_AREA), np.uint8)
        none = np.zeros_like(moving)
        dice = watch.look(image, changed, moving, none, changed, level=level, noise=1.0)
        return [die.x for die in dice]

    assert look([(950, 530)], 0, rolls=True) == [pytest.approx(0, abs=3)]
    for _ in range(6):
        assert max(look([(950, 530), (x, y)], 40)) == pytest.approx(233, abs=3)
    assert look([(950, 530)], 240) == [pytest.approx(0, abs=3)]


def test_a_die_that_spins_on_the_spot_shows_no_value_yet(
    models: tuple[Finder, FaceReader, DiceReader],
) -> None:
    table = Table(1, Look(), models)
    table.show([], 5)
    for value, angle in ((1, 10.0), (4, 95.0), (5, 140.0)):
        table.show([DieBody(51.8, 6.5, angle, value, 60.0)])
    for value, angle in ((6, 190.0), (6, 260.0)):
        seen = table.show([DieBody(51.8, 6.5, angle, value, 12.0)]).dice
        assert [(d.value, d.moving) for d in seen] == [(None, True)], angle
    seen = table.show([DieBody(51.8, 6.5, 200.0, 3, 0.0)], 3).dice
    assert [(d.value, d.moving) for d in seen] == [(3, False)]


def test_a_hand_that_comes_for_a_leaning_die_does_not_lay_it_flat(
    models: tuple[Finder, FaceReader, DiceReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hid the outline for one look, in which a value was read: no alert, and a wrong break."""
    outline: list[bool | None] = [True]
    monkeypatch.setattr("vision.dice.watch.leans", lambda *_: outline[0])
    table = Table(1, Look(), models)
    table.show([], 5)
    for number, (said, value) in enumerate([(True, None), (None, None), (False, 3)]):
        outline[0] = said
        beside = DieBody(20.0 - 4.0 * number, 6.5, 30.0, 5, 0.0)
        seen = table.show([DieBody(51.8, 6.5, 200.0, 3, 0.0), beside], 4).dice
        assert [d.value for d in seen if d.x > 40.0] == [value], said


def test_what_surrounds_a_die_reaches_beyond_the_place_that_is_searched(
    models: tuple[Finder, FaceReader, DiceReader],
) -> None:
    """Near its edge no outline was made out, and a die that leaned was read (457002)."""
    table = Table(1, Look(), models)
    table.show([], 5)
    for x, y in ((0.0, 0.0), (50.0, -22.0), (57.0, 57.0)):
        seen = table.show([DieBody(x, y, 20.0, 5, 0.0, cocked=True)], 4).dice
        assert [d.value for d in seen] == [None], (x, y)
        table.show([], 4)
