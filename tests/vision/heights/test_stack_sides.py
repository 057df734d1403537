"""How high stacks are by their sides, in drawn pictures whose truth is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from tests.vision.grain import grainy
from tests.vision.seen_from_above import CAMERA, TABLES, middle, quad
from vision.geometry import SIDES, Side, TableGeometry
from vision.heights.placing import Before, Detection, lift
from vision.heights.stack_sides import StackSide, StackSides
from vision.heights.walls import WallHeights
from vision.image import Image
from vision.sightings import Posture

FELT, BACK, BODY = (50, 85, 40), (160, 90, 30), (225, 235, 235)
STACKS = range(4, 12)
AT = 3
"""The stack that is looked at, among those."""
LOOKS = 6
"""What half hides a side is forgotten by and by."""
SUB = 4
"""Bits of a pixel's fraction that are drawn."""


def fill(picture: Image, corners: np.ndarray, colour: tuple[int, int, int]) -> None:
    points = np.round(CAMERA.project(corners) * 2**SUB).astype(np.int32)
    cv2.fillPoly(picture, [points], colour, cv2.LINE_AA, SUB)


class Wall:
    """One wall of a table, as it lies and as it looks.

    ``stacks``: their numbers; ``pushed``: how far outwards the whole wall was pushed, mm;
    ``aside``: how far the tiles of the stack that is looked at lie off their places, mm to the
    right and outwards, the lower first.
    """

    def __init__(self, table: TableGeometry, side: Side, stacks: range = STACKS) -> None:
        self.table, self.side, self.stacks = table, side, stacks
        self.high = dict.fromkeys(stacks, 2)
        self.pushed = 0.0
        self.aside = [(0.0, 0.0), (0.0, 0.0)]

    def picture(self, light: float = 1.0) -> Image:
        picture = np.full((1080, 1920, 3), FELT, np.uint8)
        for stack in self.stacks:
            for layer in range(self.high[stack]):
                self._tile(picture, stack, layer)
        lit = cv2.convertScaleAbs(cv2.GaussianBlur(picture, (0, 0), 0.7), alpha=light)
        return grainy(np.asarray(lit, np.uint8), 2, seed=8)

    def _tile(self, picture: Image, stack: int, layer: int) -> None:
        width, length, thick = self.table.tile_mm
        right, offset = self.place(stack, layer)
        inner = offset - length / 2
        ends = [
            self.table.to_table(self.side, right + half, inner) for half in (-width / 2, width / 2)
        ]
        foot = layer * thick
        for low, high, colour in ((0.0, 0.55, BODY), (0.55, 1.0, BACK)):
            z = [foot + high * thick, foot + low * thick]
            rows = [(*ends[0], z[0]), (*ends[1], z[0]), (*ends[1], z[1]), (*ends[0], z[1])]
            fill(picture, np.array(rows), colour)
        corners = [
            (*self.table.to_table(self.side, right + a * width / 2, offset + b * length / 2), z[0])
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        corners = [(x, y, foot + thick) for x, y, _ in corners]
        fill(picture, np.array(corners), BACK)

    def place(self, stack: int, layer: int) -> tuple[float, float]:
        wall = self.table.wall
        right = wall.centre + ((self.table.stacks_per_side + 1) / 2 - stack) * wall.pitch
        off = self.aside[layer] if stack == STACKS[AT] else (0.0, 0.0)
        return right + off[0], wall.offset + off[1] + self.pushed

    def tiles(self) -> list[Detection]:
        """The uppermost tiles of its stacks, as the finder would frame them."""
        width, length, _ = self.table.tile_mm
        quads = []
        for stack in self.stacks:
            layer = self.high[stack] - 1
            x, y = self.table.to_table(self.side, *self.place(stack, layer))
            z = self.table.wall_top_z("top" if layer else "bottom")
            quads.append(quad(x, y, z, 90.0 * self.side, width, length))
        count = len(quads)
        found = lift(
            CAMERA, self.table, np.array(quads), [Posture.FACE_DOWN] * count, [0.9] * count
        )
        return [replace(one, before=Before(*middle(one.quad), 7.0)) for one in found]


def known(wall: Wall, sides: StackSides) -> None:
    """Its sides are remembered while it is two high."""
    learned(wall, sides, wall.picture())


def learned(wall: Wall, sides: StackSides, picture: Image) -> None:
    """One look at stacks that are surely two high."""
    tiles = [replace(tile, level=7.0) for tile in wall.tiles()]
    seen = look(wall, sides, tiles, picture)
    sides.learn(seen, tiles, [0.0] * len(tiles))


def look(
    wall: Wall, sides: StackSides, tiles: list[Detection], picture: Image
) -> list[StackSide | None]:
    return sides.look(picture, tiles, [wall.side] * len(tiles), [0.0] * len(tiles))


@pytest.mark.parametrize("name", list(TABLES))
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("high", "aside", "light", "word"),
    [
        (2, (0.0, 0.0), 1.0, "two"),  # nobody was there
        (2, (0.0, 0.0), 0.75, "two"),  # the lamps flicker
        (2, (0.6, 0.0), 1.0, "two"),  # the upper tile was pushed a little
        (2, (0.0, 0.3), 1.0, "no word"),  # outwards or inwards, which makes the bands broader
        (2, (0.0, -0.3), 1.0, "no word"),
        (1, (0.0, 0.0), 1.0, "one"),  # the upper tile was taken
        (1, (0.0, 0.0), 1.3, "one"),
        (1, (0.0, 1.5), 1.0, "one"),  # and the lower one lies off its place either way
        (1, (0.0, -1.5), 1.0, "one"),
        (1, (1.5, 0.0), 0.75, "one"),
    ],
)
def test_a_stack_shows_a_band_for_each_of_its_tiles(
    name: str, side: Side, high: int, aside: tuple[float, float], light: float, word: str
) -> None:
    wall = Wall(TABLES[name], side)
    sides = StackSides(CAMERA, wall.table)
    known(wall, sides)
    wall.high[STACKS[AT]] = high
    wall.aside[high - 1] = aside
    tiles = wall.tiles()
    says = sides.favours(look(wall, sides, tiles, wall.picture(light)), tiles)
    least, most = {"two": (2.0, 9.0), "one": (-9.0, -2.0), "no word": (-2.0, 9.0)}[word]
    assert least <= says[AT] <= most
    assert (np.delete(says, AT) >= 2.0).all()


@pytest.mark.parametrize("side", SIDES)
def test_a_stack_whose_upper_tile_juts_out_looks_much_like_the_lower_one_alone(side: Side) -> None:
    """It hid most of the lower band: what was left looked as both had, and was told as both."""
    wall = Wall(TABLES["riichi"], side)
    wall.aside[1] = (0.0, -1.6)
    sides = StackSides(CAMERA, wall.table)
    known(wall, sides)
    tiles = wall.tiles()
    assert sides.favours(look(wall, sides, tiles, wall.picture()), tiles)[AT] >= 2.0
    wall.high[STACKS[AT]] = 1
    tiles = wall.tiles()
    assert sides.favours(look(wall, sides, tiles, wall.picture()), tiles)[AT] <= -2.0


AROUND = [84, 81, 74, 62, 63, 82, 107, 98, 91, 89, 86, 62, 52, 51, 49]
BOTH = [84, 81, 75, 63, 61, 79, 112, 104, 103, 88, 55, 49, 50, 52, 52]


@pytest.mark.parametrize(
    ("now", "least", "most"),
    [
        ([83, 80, 75, 60, 57, 68, 96, 113, 85, 58, 50, 55, 56, 52, 45], -8.0, -1.0),
        ([84, 81, 77, 61, 57, 67, 96, 113, 89, 58, 50, 54, 56, 53, 44], -8.0, -1.0),
        ([84, 82, 77, 66, 56, 60, 85, 106, 102, 60, 52, 53, 56, 56, 47], -8.0, -1.0),
        ([80, 76, 62, 61, 80, 115, 105, 103, 89, 56, 49, 50, 52, 52, 45], 3.0, 4.0),
    ],
)
def test_a_lower_tile_whose_own_edge_comes_to_light_is_left(
    now: list[int], least: float, most: float
) -> None:
    """Its body is as wide as that of two seen as one: a tile was told as put back (1722014).

    What the stack and those around it looked like two high, what is left of it in three pictures,
    and one of both.
    """
    wall = Wall(TABLES["riichi"], 0)
    sides, tile = StackSides(CAMERA, wall.table), wall.tiles()[AT]
    grey = {n: np.repeat(np.array(v, float)[:, None], 3, 1) for n, v in ((0, BOTH), (1, AROUND))}
    for number in range(3, 10):
        sides._two_high[0, number, Posture.FACE_DOWN] = grey[number != 6]
    profile = np.repeat(np.array(now, float)[:, None], 3, 1)
    (says,) = sides.favours([StackSide((0, 6, Posture.FACE_DOWN), profile)], [tile])
    assert least <= says <= most


def test_what_was_not_seen_two_high_says_nothing() -> None:
    wall = Wall(TABLES["mcr"], 1)
    sides = StackSides(CAMERA, wall.table)
    tiles = wall.tiles()
    seen = look(wall, sides, tiles, wall.picture())
    assert not sides.favours(seen, tiles).any()
    known(wall, sides)
    assert sides.favours(seen, tiles).all()
    sides.forget(2)
    assert sides.favours(seen, tiles).all()
    sides.forget(1)
    assert not sides.favours(seen, tiles).any()


@pytest.mark.parametrize(
    ("change", "favour", "learned"),
    [
        ({"level": 7.0}, 0.0, True),
        ({"level": 4.0}, 0.0, False),  # not surely two high
        ({"level": -7.0}, 0.0, False),
        ({"level": 7.0, "shadowed": True}, 0.0, False),
        ({"level": 7.0, "visible": 0.85}, 0.0, False),
        ({"level": 7.0, "confidence": 0.6}, 0.0, False),
        ({"level": 7.0}, -1.0, False),  # its side says otherwise
    ],
)
def test_only_what_is_surely_two_high_is_remembered(
    change: dict[str, Any], favour: float, learned: bool
) -> None:
    wall = Wall(TABLES["mcr"], 0)
    sides = StackSides(CAMERA, wall.table)
    tiles = wall.tiles()
    seen = look(wall, sides, tiles, wall.picture())
    sides.learn(seen, [replace(tile, **change) for tile in tiles], [favour] * len(tiles))
    assert sides.favours(seen, tiles).any() == learned


def test_a_stack_built_anew_is_no_lower_because_it_looks_otherwise() -> None:
    """Its wall was pushed and put right: two tiles lay otherwise on each other than they had."""
    wall = Wall(TABLES["riichi"], 1)
    sides = StackSides(CAMERA, wall.table)
    known(wall, sides)
    wall.high[STACKS[AT]] = 1
    tiles = [replace(tile, before=None) for tile in wall.tiles()]
    assert sides.favours(look(wall, sides, tiles, wall.picture()), tiles)[AT] == 0.0


def test_a_hand_or_its_shadow_makes_no_stack_lower() -> None:
    wall = Wall(TABLES["riichi"], 2)
    sides = StackSides(CAMERA, wall.table)
    known(wall, sides)
    picture = wall.picture()
    tiles = [replace(tile, shadowed=True) for tile in wall.tiles()]
    assert (sides.favours(look(wall, sides, tiles, picture), tiles) > 0.0).all()
    wall.high[STACKS[AT]] = 1
    tiles = [replace(tile, shadowed=True) for tile in wall.tiles()]
    assert sides.favours(look(wall, sides, tiles, wall.picture()), tiles)[AT] == 0.0
    tiles = [replace(tile, visible=0.7) for tile in wall.tiles()]
    assert not sides.favours(look(wall, sides, tiles, picture), tiles).any()


def covered(wall: Wall, picture: Image) -> Image:
    """The same with something white in front of the stack that is looked at."""
    right, offset = wall.place(STACKS[AT], 0)
    x, y = wall.table.to_table(wall.side, right, offset - wall.table.tile_height)
    before = quad(x, y, wall.table.flat_z, 90.0 * wall.side, *wall.table.tile_mm[:2])
    cv2.fillPoly(picture, [np.round(before).astype(np.int32)], (255, 255, 255))
    return picture


def test_what_stands_in_front_of_a_stack_makes_it_no_lower() -> None:
    """An indicator is taken off and laid in front: neither one band nor two are seen behind it."""
    wall = Wall(TABLES["riichi"], 0)
    sides = StackSides(CAMERA, wall.table)
    known(wall, sides)
    picture = covered(wall, wall.picture())
    tiles = wall.tiles()
    assert sides.favours(look(wall, sides, tiles, picture), tiles)[AT] == 0.0


def test_what_stands_in_front_of_a_stack_is_not_its_side() -> None:
    """A hand was learned as the side of a stack, which then looked one high (relay 1957014)."""
    wall = Wall(TABLES["riichi"], 0)
    sides = StackSides(CAMERA, wall.table)
    known(wall, sides)
    for _ in range(6):
        learned(wall, sides, covered(wall, wall.picture()))
    tiles = wall.tiles()
    assert sides.favours(look(wall, sides, tiles, wall.picture()), tiles)[AT] >= 2.0


@pytest.mark.parametrize("name", list(TABLES))
@pytest.mark.parametrize("side", SIDES)
def test_what_stood_in_front_of_a_stack_when_it_was_first_seen_is_forgotten(
    name: str, side: Side
) -> None:
    wall = Wall(TABLES[name], side)
    sides = StackSides(CAMERA, wall.table)
    learned(wall, sides, covered(wall, wall.picture()))
    tiles = wall.tiles()
    seen = look(wall, sides, tiles, wall.picture())
    assert sides.favours(seen, tiles)[AT] < 2.0
    for _ in range(LOOKS):
        known(wall, sides)
    assert sides.favours(seen, tiles)[AT] >= 2.0
    wall.high[STACKS[AT]] = 1
    tiles = wall.tiles()
    assert sides.favours(look(wall, sides, tiles, wall.picture()), tiles)[AT] <= -2.0


@pytest.mark.parametrize("aside", [(0.0, 0.0), (0.0, 1.5), (0.0, -1.5), (1.5, 0.0)])
def test_of_a_stack_one_high_no_side_is_learned_from_those_around(
    aside: tuple[float, float],
) -> None:
    """Although its height was decided wrongly, and what it looked like before was wrong, too."""
    wall = Wall(TABLES["riichi"], 0)
    sides = StackSides(CAMERA, wall.table)
    learned(wall, sides, covered(wall, wall.picture()))
    place: tuple[Side, int, Posture] = (0, STACKS[AT], Posture.FACE_DOWN)
    before = sides._two_high[place]
    wall.high[STACKS[AT]], wall.aside[0] = 1, aside
    known(wall, sides)
    assert np.array_equal(sides._two_high[place], before)


def test_a_camera_right_above_a_wall_sees_no_side_of_it() -> None:
    table = TABLES["riichi"]
    wall = Wall(table, 0)
    inner = table.wall.offset - table.tile_height / 2
    above = replace(CAMERA, t=np.array([0.0, -inner, 1300.0]))
    tiles = []
    for tile in wall.tiles():
        corners = CAMERA.to_table(tile.quad, table.flat_z)
        quads = above.project(np.column_stack((corners, np.full(4, table.flat_z))))
        tiles.append(replace(tile, quad=quads))
    sides = StackSides(above, table)
    picture = wall.picture()
    assert sides.look(picture, tiles, [0] * len(tiles), [0.0] * len(tiles)) == [None] * len(tiles)
    assert sides.look(picture, [], [], []) == []


@pytest.mark.parametrize("with_picture", [False, True])
def test_a_lower_tile_that_lies_where_the_upper_one_was_seen(with_picture: bool) -> None:
    """The parallax of a riichi tile is 2.5 mm: the lower one, so far inwards, took its place."""
    table = TABLES["riichi"]
    wall = Wall(table, 0)
    heights = WallHeights(CAMERA, table)
    new = [replace(tile, before=None) for tile in wall.tiles()]
    tiles = heights.decide(new, image=wall.picture())
    for _ in range(3):
        before = [Before(*middle(one.quad), max(one.level, 6.0)) for one in tiles]
        again = [replace(o, before=b) for o, b in zip(wall.tiles(), before, strict=True)]
        tiles = heights.decide(again, image=wall.picture())
    assert all(tile.z == table.stacked_z for tile in tiles)
    wall.high[STACKS[AT]], wall.aside[0] = 1, (0.0, 2.0)
    picture = wall.picture()
    for _ in range(3):
        before = [
            Before(*middle(one.quad), one.level, hidden=k == AT) for k, one in enumerate(tiles)
        ]
        again = [replace(o, before=b) for o, b in zip(wall.tiles(), before, strict=True)]
        tiles = heights.decide(again, image=picture if with_picture else None)
    lower = [tile.z == table.flat_z for tile in tiles]
    assert lower == [with_picture and k == AT for k in range(len(tiles))]


@pytest.mark.parametrize("with_picture", [False, True])
def test_a_wall_that_an_arm_pushed_is_as_high_as_it_was(with_picture: bool) -> None:
    """It moved for three looks, as one that comes up: a stack that lay aside was told lower."""
    table = TABLES["riichi"]
    wall = Wall(table, 1, range(1, 18))
    heights = WallHeights(CAMERA, table)
    tiles: list[Detection] = []
    for look in range(10):
        if 4 <= look < 7:
            wall.pushed += 1.0
            wall.aside = [(0.0, -0.82 * (look - 3))] * 2
        before: list[Before | None] = [Before(*middle(one.quad), 7.0) for one in tiles]
        before = before or [None] * 17
        again = [replace(o, before=b) for o, b in zip(wall.tiles(), before, strict=True)]
        tiles = heights.decide(again, image=wall.picture() if with_picture else None)
        if look == 7:
            assert all(tile.anew for tile in tiles)
            lower = [tile.z == table.flat_z for tile in tiles]
            at = wall.stacks.index(STACKS[AT])
            assert lower == [not with_picture and k == at for k in range(len(tiles))]
