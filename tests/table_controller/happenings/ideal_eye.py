"""An eye without pictures: scenes of the virtual table become sightings, flaws included.

It stands in for cameras and models where only the following of the table is tested: tiles are
reported with a millimetre of noise, some are missed, some faces are misread, whatever lies
under an arm is not seen, tiles on the move are mostly not seen, and identities are lost now
and then.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from hardware.virtual_table.scene import ArmBody, Pose, Scene, TileBody
from table_controller.domain.tiles import FLOWERS, KINDS
from vision.geometry import TableGeometry
from vision.sightings import (
    DieSighting,
    Outcome,
    Point,
    Polygon,
    Posture,
    Sighting,
    StickSighting,
    TileSighting,
)

_POSTURES = {
    Pose.FACE_UP: Posture.FACE_UP,
    Pose.FACE_DOWN: Posture.FACE_DOWN,
    Pose.STANDING: Posture.STANDING,
}
_MOVING_MM_S = 60
"""A faster tile is on the move."""
_AT_ROW_MM = 25.0
"""Hands so near to their own row stand out less from what lies and stands there."""
_HELD_MM = 4.0
"""A tile so far from where one lies, on the felt or on another, is in a hand."""
Box = tuple[float, float, float, float]
"""Least and greatest x, then y."""
_LABELS = [tile.value for tile in (*KINDS, *FLOWERS)]


@dataclass(frozen=True)
class Flaws:
    """How imperfect the eye is.

    Attributes:
        noise_mm, noise_deg: spread of places and angles in free sight.
        missed, misread: share of tiles not found, of faces read wrong, in free sight.
        sure: between which probabilities a face is read right.
        false_tiles: share of looks with a tile that is none.
        moving_seen: share of tiles on the move that are found.
        track_lost, frame_lost: shares of identities and of whole looks that are lost.
        tip_mm, tip_wide_mm, tip_steady: spread of the fingertips' place along the arm and across
            it, and how much of the error the next look shares.
        tip_row_mm, tip_row_wide_mm, tip_row_steady: the same of hands at their own row; None for
            no difference.
        tip_along, tip_across, tip_far: how far beyond the fingertips, and beside them, the tip
            is seen on average, mm, and the share of looks in which it is seen far beyond.
        tip_raised, tip_level: how far outwards it is seen for each metre that it is from the
            middle and each mm that it is above that level, mm.
        tip_swift_mm: how much more that of a quick hand spreads along the arm.
        margin_mm: so much more than the arm is told as covered.
        tip_margin_mm: the same about the hand, whose outline is seen better than the sleeve's;
            None for no difference.
        hand_mm: so much wider than its outline here a hand hides what lies below; less than zero,
            for tiles show between fingers.
        glimpsed: share of looks in which a tile below a hand is found all the same.
        half_missed, half_height: of tiles beside an arm the share that is not found, and the
            share whose height is wrong by a layer.
        beside_sure: between which confidences tiles below or beside a hand are found.
        held_seen, held_sure: share of looks in which a tile that a hand holds above its place is
            found, and with which confidences; as high as a second layer, if so.
        dice_sure, dice_unread: between which confidences dice are found, and the share of looks
            in which one that lies flat shows no value.
        ghost_s: so long a tile that has left a wall may still be told.
        ghosts_held: so may one that was held still in the air; no eye does that.
        ghosts: share of looks that find a back on felt where a wall stood.
    """

    noise_mm: float = 1.0
    noise_deg: float = 1.2
    missed: float = 0.01
    misread: float = 0.01
    sure: tuple[float, float] = (0.85, 0.995)
    false_tiles: float = 0.005
    moving_seen: float = 0.4
    track_lost: float = 0.002
    frame_lost: float = 0.0
    tip_mm: float = 4.0
    tip_wide_mm: float = 4.0
    tip_row_mm: float | None = None
    tip_row_wide_mm: float | None = None
    tip_row_steady: float | None = None
    tip_steady: float = 0.0
    tip_along: float = 0.0
    tip_across: float = 0.0
    tip_far: float = 0.0
    tip_raised: float = 0.0
    tip_level: float = 0.0
    tip_swift_mm: float = 12.0
    margin_mm: float = 0.0
    tip_margin_mm: float | None = None
    hand_mm: float = 0.0
    glimpsed: float = 0.0
    half_missed: float = 0.0
    half_height: float = 0.0
    beside_sure: tuple[float, float] = (0.95, 0.95)
    held_seen: float = 1.0
    held_sure: tuple[float, float] = (0.95, 0.95)
    dice_sure: tuple[float, float] = (0.95, 0.95)
    dice_unread: float = 0.02
    ghost_s: float = 0.0
    ghosts_held: bool = False
    ghosts: float = 0.0


PIXELS = Flaws(
    noise_mm=0.7,
    noise_deg=0.9,
    missed=0.0006,
    misread=0.0003,
    sure=(0.9934, 0.9998),
    moving_seen=0.15,
    tip_mm=6.0,
    tip_wide_mm=4.5,
    tip_row_mm=9.0,
    tip_row_wide_mm=17.5,
    tip_row_steady=0.92,
    tip_steady=0.8,
    tip_along=0.2,
    tip_across=11.5,
    tip_far=0.004,
    tip_raised=0.8,
    tip_level=35.0,
    tip_swift_mm=7.5,
    margin_mm=34.0,
    tip_margin_mm=8.0,
    hand_mm=-9.0,
    glimpsed=0.1,
    beside_sure=(0.5, 0.9),
    held_seen=0.47,
    held_sure=(0.48, 0.68),
    dice_sure=(0.98, 0.992),
    dice_unread=0.002,
    half_missed=0.08,
    half_height=0.1,
    ghost_s=0.2,
    ghosts=0.15,
)
"""What was measured on rendered pictures through the shipped models, seeds 11 and 12.

The margin about hands: in 4,600 looks of 15 filmed games what is told as covered ended 16 mm before
the fingertips and 26 mm beside them (medians; with one margin for all of the arm 38 and 54 mm).
Flat tiles there were found in 47% of looks up to 20 mm behind the fingertips, 14% up to 40 mm,
12% farther back; 89% up to 20 mm before it. Wall tiles right below fingertips that rest were found
in 822 of 1,826 looks of 90 games, with 0.5 to 0.9, lifted ones in 22 of 47 with 0.48 to 0.68. Of
550 dice at rest none went unread; 5% were found with less than 0.98.

Fingertips, in 73 filmed games with the true ones beside them: at rest and up to 500 mm/s (8,056
looks) 6 mm along the arm and 4.5 across it about a place 11.5 mm beside it (5.9 and 4.5 at rest; a
look shares 0.87 and 0.70 of the error of the one before), farther out by 0.8 mm for each mm of
height and metre from the middle; beyond 1 m/s (11,707 looks) 9.5 and 6.7; at the own row (9,187)
9.1 and 17.4, where half of the steps from one look of a still hand to the next were below 2.7 and
4.3 mm. Of those at rest elsewhere 0.35% were more than 25 mm off along the arm. They are put where
the ray that shows them is 35 mm above lying tiles since (`vision/changes/coverage.py`).
"""

UNSTEADY = replace(
    PIXELS,
    tip_mm=8.0,
    tip_wide_mm=8.0,
    tip_row_mm=None,
    tip_row_wide_mm=None,
    tip_row_steady=None,
    tip_steady=0.75,
    tip_along=10.0,
    tip_across=12.0,
    tip_far=0.03,
    tip_raised=0.0,
    tip_swift_mm=12.0,
    ghosts_held=True,
)
"""Fingertips seen worse at the walls than they are on pictures, and better at the rows."""


def arm_polygon(arm: ArmBody, more: float = 0.0, hand: float | None = None) -> Polygon:
    """What a forearm and a hand cover, from the rail to just beyond the fingertips.

    ``more`` widens it all round, mm; ``hand`` widens the hand by another measure.
    """
    hand = more if hand is None else hand
    ex, ey = arm.elbow
    dx, dy = arm.x - ex, arm.y - ey
    length = math.hypot(dx, dy) or 1.0
    ux, uy = dx / length, dy / length
    nx, ny = -uy, ux
    back = (ex - 60 * ux, ey - 60 * uy)
    wrist = (arm.x - 110 * ux, arm.y - 110 * uy)
    knuckles = (arm.x - 55 * ux, arm.y - 55 * uy)
    tip = (arm.x + (12 + hand) * ux, arm.y + (12 + hand) * uy)

    def across(point: Point, half: float) -> Point:
        half += math.copysign(hand if point in (knuckles, tip) else more, half)
        return point[0] + nx * half, point[1] + ny * half

    return (
        across(back, 48),
        across(wrist, 36),
        across(knuckles, 46),
        across(tip, 18),
        across(tip, -18),
        across(knuckles, -46),
        across(wrist, -36),
        across(back, -48),
    )


def _bounds(polygon: Polygon) -> Box:
    xs, ys = [x for x, _ in polygon], [y for _, y in polygon]
    return min(xs), max(xs), min(ys), max(ys)


def _near(body: TileBody, boxes: Iterable[Box]) -> bool:
    for left, right, low, high in boxes:
        if left - 20 < body.x < right + 20 and low - 20 < body.y < high + 20:
            return True
    return False


def _cells(body: TileBody) -> Iterator[tuple[int, int]]:
    """Cells of 20 mm: that of a tile's place and those around."""
    gx, gy = round(body.x / 20), round(body.y / 20)
    return product((gx - 1, gx, gx + 1), (gy - 1, gy, gy + 1))


def _inside(polygon: Polygon, x: float, y: float) -> bool:
    within = False
    px, py = polygon[-1]
    for qx, qy in polygon:
        if (qy > y) != (py > y) and x < (px - qx) * (y - qy) / (py - qy) + qx:
            within = not within
        px, py = qx, qy
    return within


class IdealEye:
    """One camera that sees the whole table."""

    def __init__(
        self,
        geometry: TableGeometry,
        seed: int = 0,
        flaws: Flaws | None = None,
        name: str = "top",
    ) -> None:
        self.flaws = flaws or Flaws()
        self._geometry = geometry
        self._rng = random.Random(seed)
        self._name = name
        self._tracks: dict[int, int] = {}
        self._next = 0
        self._tips: dict[int, Point] = {}
        self._backs: dict[int, TileBody] = {}
        self._lying: dict[int, TileBody] = {}
        self._tops: dict[tuple[int, int], list[TileBody]] = {}
        self._lines: dict[int, tuple[float, TileBody]] = {}

    def look(self, scene: Scene) -> Sighting | None:
        """The sighting of a scene; None where the frame was lost."""
        rng, flaws = self._rng, self.flaws
        if flaws.frame_lost and rng.random() < flaws.frame_lost:
            return None
        covered = [arm_polygon(arm, flaws.margin_mm, flaws.tip_margin_mm) for arm in scene.arms]
        hidden = (
            covered
            if not flaws.margin_mm
            else [arm_polygon(arm, 0.0, flaws.hand_mm) for arm in scene.arms]
        )
        reach: list[Point | None] = [None, None, None, None]
        rail = self._geometry.surface_mm / 2 + 10
        for arm in scene.arms:
            if max(abs(arm.x), abs(arm.y)) > rail:
                continue
            old = reach[arm.side]
            if old is None or math.hypot(arm.x, arm.y) < math.hypot(*old):
                reach[arm.side] = self._tip(arm)
        boxes = [_bounds(polygon) for polygon in hidden]
        wide = boxes if hidden is covered else [_bounds(polygon) for polygon in covered]
        tops = self._upper(scene)
        tiles = []
        for body in scene.tiles:
            if body.z < -15 or self._under(body, tops):
                continue
            if body.speed > _MOVING_MM_S or _near(body, wide):
                seen = self._tile(body, hidden, boxes, covered, wide)
            else:
                seen = None if rng.random() < flaws.missed else self._told(body)
            if seen is not None:
                tiles.append(seen)
        if rng.random() < flaws.false_tiles:
            tiles.append(self._invented())
        tiles += self._ghosts(scene)
        rng.shuffle(tiles)
        dice = tuple(
            DieSighting(
                die.x + rng.gauss(0, 0.6),
                die.y + rng.gauss(0, 0.6),
                None
                if die.cocked or rng.random() < flaws.dice_unread or die.speed > 0
                else die.value,
                rng.uniform(*flaws.dice_sure),
                die.speed > 0,
            )
            for die in scene.dice
            if not any(_inside(polygon, die.x, die.y) for polygon in hidden)
        )
        sticks = tuple(
            StickSighting(stick.x, stick.y, stick.angle % 180.0, 0.95)
            for stick in scene.sticks
            if not any(_inside(polygon, stick.x, stick.y) for polygon in hidden)
        )
        return Sighting(
            t=scene.t,
            camera=self._name,
            outcome=Outcome.LOOKED,
            tiles=tuple(tiles),
            dice=dice,
            sticks=sticks,
            covered=tuple(covered),
            reach=(reach[0], reach[1], reach[2], reach[3]),
        )

    def _tip(self, arm: ArmBody) -> Point:
        """Where the fingertips of an arm are taken to be."""
        rng, flaws = self._rng, self.flaws
        dx, dy = arm.x - arm.elbow[0], arm.y - arm.elbow[1]
        length = math.hypot(dx, dy) or 1.0
        ux, uy = dx / length, dy / length
        # The outline of a hand changes slowly: neighbouring looks err alike.
        far, wide, steady = self._spread(arm)
        old = self._tips.get(arm.side, (0.0, 0.0))
        step = math.sqrt(1.0 - steady**2)
        error = (
            steady * old[0] + rng.gauss(0, step),
            steady * old[1] + rng.gauss(0, step),
        )
        self._tips[arm.side] = error
        along, across = flaws.tip_along + far * error[0], flaws.tip_across + wide * error[1]
        if flaws.tip_far and rng.random() < flaws.tip_far:
            along += rng.uniform(20.0, 60.0)
        if flaws.tip_far and arm.speed > 1000.0:
            along += rng.gauss(8.0, flaws.tip_swift_mm)
        out = 1.0 + flaws.tip_raised * (arm.z - flaws.tip_level) / 1000.0
        return out * arm.x + along * ux - across * uy, out * arm.y + along * uy + across * ux

    def _spread(self, arm: ArmBody) -> tuple[float, float, float]:
        """Of the fingertips' place along the arm and across it, mm, and how steady it is."""
        flaws = self.flaws
        usual = flaws.tip_mm, flaws.tip_wide_mm, flaws.tip_steady
        if self._geometry.to_player(arm.side, arm.x, arm.y)[1] < (
            self._geometry.hand.offset - _AT_ROW_MM
        ):
            return usual
        row = flaws.tip_row_mm, flaws.tip_row_wide_mm, flaws.tip_row_steady
        along, across, steady = (a if b is None else b for a, b in zip(usual, row, strict=True))
        return along, across, steady

    def _ghosts(self, scene: Scene) -> list[TileSighting]:
        """Wall tiles that have just left, and felt that looks like a back."""
        rng, flaws = self._rng, self.flaws
        if not flaws.ghost_s and not flaws.ghosts:
            return []
        found = []
        backs = {
            body.key: body
            for body in scene.tiles
            if body.pose is Pose.FACE_DOWN
            and body.speed <= _MOVING_MM_S
            and body.z >= -1.0
            and (flaws.ghosts_held or not self._in_air(body))
        }
        for key, body in self._backs.items():
            if key in backs:
                continue
            if self._lines.get(key) is None:
                self._lines[key] = (scene.t, body)
        for key, (since, body) in list(self._lines.items()):
            if key in backs:
                del self._lines[key]
            elif scene.t - since < flaws.ghost_s and rng.random() < 0.5:
                found.append(self._back(body, 0.75))
        self._backs = backs
        if self._lines and rng.random() < flaws.ghosts:
            body = rng.choice(list(self._lines.values()))[1]
            if not any(
                math.hypot(other.x - body.x, other.y - body.y) < 24 for other in scene.tiles
            ):
                found.append(self._back(body, rng.uniform(0.55, 0.7)))
        return found

    def _back(self, body: TileBody, confidence: float) -> TileSighting:
        rng, flaws = self._rng, self.flaws
        return TileSighting(
            x=body.x + rng.gauss(0, flaws.noise_mm),
            y=body.y + rng.gauss(0, flaws.noise_mm),
            z=(body.z if confidence > 0.7 else 0.0) + self._geometry.tile_thickness,
            angle=body.angle % 180.0,
            posture=Posture.FACE_DOWN,
            faces=(),
            confidence=confidence,
            visible=1.0,
            quad=((0, 0), (1, 0), (1, 1), (0, 1)),
        )

    def _upper(self, scene: Scene) -> dict[tuple[int, int], list[TileBody]]:
        """The tiles that lie on others, in the cells of their places and those around.

        Most lie as they lay in the last scene.
        """
        lying = {id(body): body for body in scene.tiles if body.z > 4}
        for gone in self._lying.keys() - lying.keys():
            body = self._lying[gone]
            for cell in _cells(body):
                self._tops[cell].remove(body)
        for new in lying.keys() - self._lying.keys():
            body = lying[new]
            for cell in _cells(body):
                self._tops.setdefault(cell, []).append(body)
        self._lying = lying
        return self._tops

    @staticmethod
    def _under(body: TileBody, tops: dict[tuple[int, int], list[TileBody]]) -> bool:
        for other in tops.get((round(body.x / 20), round(body.y / 20)), ()):
            if other.z > body.z + 4 and math.hypot(other.x - body.x, other.y - body.y) < 14:
                return True
        return False

    def _tile(
        self,
        body: TileBody,
        hidden: list[Polygon],
        boxes: list[Box],
        covered: list[Polygon],
        wide: list[Box],
    ) -> TileSighting | None:
        """What is told of a tile that moves or may be beside or below an arm."""
        rng, flaws = self._rng, self.flaws
        # The share is told by what is taken for the arm; what truly hides the tile lies within.
        told = self._visible(body, covered, wide)
        apart = told < 1.0 and covered is not hidden
        visible = self._visible(body, hidden, boxes) if apart else told
        moving = body.speed > _MOVING_MM_S
        if visible < 0.4 and rng.random() >= flaws.glimpsed:
            return None
        if rng.random() < flaws.missed:
            return None
        if moving and rng.random() > flaws.moving_seen:
            return None
        beside = (
            told < 1.0
            and bool(flaws.half_missed)
            and any(_inside(poly, body.x, body.y) for poly in covered)
        )
        if beside and rng.random() < flaws.half_missed:
            return None
        held = beside and self._in_air(body)
        if held and rng.random() >= flaws.held_seen:
            return None
        return self._told(body, told, beside, held)

    def _in_air(self, body: TileBody) -> bool:
        """Whether a tile lies neither on the felt nor on another one."""
        return min(abs(body.z), abs(body.z - self._geometry.tile_thickness)) > _HELD_MM

    def _told(
        self, body: TileBody, visible: float = 1.0, beside: bool = False, held: bool = False
    ) -> TileSighting:
        """The sighting of a tile that is found, with what may be wrong about it."""
        rng, flaws = self._rng, self.flaws
        moving = body.speed > _MOVING_MM_S
        _, height, thickness = self._geometry.tile_mm
        posture = _POSTURES[body.pose]
        if body.tilt and 25 < abs(body.tilt) % 90 < 65:
            posture = Posture.UNSURE
        z = body.z + (height if body.pose is Pose.STANDING else thickness)
        if beside and rng.random() < flaws.half_height:
            z = max(thickness, z + rng.choice((-thickness, thickness)))
        if held:
            z = min(z, 2.0 * thickness)
        sure = flaws.held_sure if held else flaws.beside_sure if beside else (0.95, 0.95)
        angle = body.angle + rng.gauss(0, flaws.noise_deg)
        spread = flaws.noise_mm * (2.5 if beside else 1.0)
        return TileSighting(
            x=body.x + rng.gauss(0, spread),
            y=body.y + rng.gauss(0, spread),
            z=z,
            angle=angle % (360.0 if posture is Posture.FACE_UP else 180.0),
            posture=posture,
            faces=self._faces(body, moving) if posture is Posture.FACE_UP else (),
            confidence=rng.uniform(*sure) if sure[0] < sure[1] else sure[0],
            visible=visible,
            quad=((0, 0), (1, 0), (1, 1), (0, 1)),
            track=self._track(body.key),
        )

    def _visible(self, body: TileBody, covered: list[Polygon], boxes: list[Box]) -> float:
        near = [polygon for polygon, box in zip(covered, boxes, strict=True) if _near(body, (box,))]
        if not near:
            return 1.0
        free = 0
        for dx in (-9, 0, 9):
            for dy in (-9, 0, 9):
                for polygon in near:
                    if _inside(polygon, body.x + dx, body.y + dy):
                        break
                else:
                    free += 1
        return free / 9

    def _faces(self, body: TileBody, moving: bool) -> tuple[tuple[str, float], ...]:
        rng = self._rng
        if moving:
            return (("?", 0.7), (body.face, 0.2))
        if rng.random() < self.flaws.misread:
            return ((rng.choice(_LABELS), 0.6), (body.face, 0.3))
        sure = rng.uniform(*self.flaws.sure)
        return ((body.face, sure), (rng.choice(_LABELS), round(1 - sure, 5)))

    def _track(self, key: int) -> int:
        if key not in self._tracks or self._rng.random() < self.flaws.track_lost:
            self._next += 1
            self._tracks[key] = self._next
        return self._tracks[key]

    def _invented(self) -> TileSighting:
        rng = self._rng
        half = self._geometry.surface_mm / 2 - 20
        return TileSighting(
            x=rng.uniform(-half, half),
            y=rng.uniform(-half, half),
            z=self._geometry.tile_thickness,
            angle=rng.uniform(0, 360),
            posture=Posture.FACE_UP,
            faces=((rng.choice(_LABELS), 0.5),),
            confidence=0.5,
            visible=1.0,
            quad=((0, 0), (1, 0), (1, 1), (0, 1)),
        )
