"""Plausible tables at random: for training, tests and measurements."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from hardware.virtual_table.play.layout import SIDES, Layout, to_table
from hardware.virtual_table.scene import ArmBody, DieBody, Pose, Scene, StickBody, TileBody
from table_controller.domain.happenings import Slot

_SET = (
    [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10) for _ in range(4)]
    + [f"{rank}z" for rank in range(1, 8) for _ in range(4)]
    + [f"{rank}f" for rank in range(1, 9)]
)

_LAYERS: tuple[Literal["bottom", "top"], ...] = ("bottom", "top")


class _Box:
    """Tiles not yet on the table."""

    def __init__(self, rng: np.random.Generator, *, red: bool) -> None:
        faces = list(_SET)
        if red:
            for suit in "mps":
                faces[faces.index(f"5{suit}")] = f"0{suit}"
        self._order = [int(i) for i in rng.permutation(len(faces))]
        self._faces = faces
        self._rng = rng
        self.tiles: list[TileBody] = []

    def left(self) -> int:
        return len(self._order)

    def put(
        self,
        x: float,
        y: float,
        angle: float,
        pose: Pose,
        *,
        z: float = 0.0,
        tilt: float = 0.0,
        loose: float = 1.0,
    ) -> TileBody | None:
        """Lay the next tile down, never quite exactly; None when the set is used up."""
        if not self._order:
            return None
        rng, key = self._rng, self._order.pop()
        tile = TileBody(
            key,
            self._faces[key],
            x + float(rng.normal(0, 0.6)) * loose,
            y + float(rng.normal(0, 0.6)) * loose,
            z,
            angle + float(rng.normal(0, 1.2)) * loose,
            pose,
            tilt,
        )
        self.tiles.append(tile)
        return tile


def random_scene(rng: np.random.Generator, layout: Layout, t: float = 0.0) -> Scene:
    """A table in the middle of a game, now and then with things lying about."""
    box = _Box(rng, red=bool(rng.random() < 0.3))
    style = rng.random()
    if style < 0.12:
        _pile(rng, layout, box)
    else:
        _walls(rng, layout, box)
        opened = set(rng.choice(4, int(rng.integers(0, 3)), replace=False).tolist())
        for side in range(4):
            _side(rng, layout, box, side, shown=side in opened and rng.random() < 0.6)
        _strays(rng, layout, box)
    return Scene(
        t,
        tuple(box.tiles),
        _dice(rng, layout),
        _sticks(rng, layout),
        _arms(rng, layout),
    )


def _walls(rng: np.random.Generator, layout: Layout, box: _Box) -> None:
    start = int(rng.integers(0, 4 * layout.stacks_per_side))
    total = 4 * layout.stacks_per_side
    gone = int(rng.integers(0, total))
    skew = rng.normal(0, 1.5, 4)
    turn = rng.normal(0, 0.4, 4)
    keep_for_play = 4 * 14
    for i in range(total):
        number = (start + i) % total
        if (number - start) % total < gone or box.left() <= keep_for_play:
            continue
        side, stack = divmod(number, layout.stacks_per_side)
        for layer in _LAYERS:
            if layer == "top" and rng.random() < 0.03:
                continue
            x, y, z = layout.wall_point(Slot(SIDES[side], stack + 1, layer))
            dx, dy = to_table(side, float(skew[side]), 0.0)
            face_up = rng.random() < 0.02
            box.put(
                x + dx,
                y + dy,
                90.0 * side + float(turn[side]) + (180 if rng.random() < 0.5 else 0),
                Pose.FACE_UP if face_up else Pose.FACE_DOWN,
                z=z,
                loose=0.7,
            )


def _side(rng: np.random.Generator, layout: Layout, box: _Box, side: int, *, shown: bool) -> None:
    angle = 90.0 * side
    wider = 0.0
    for i in range(int(rng.integers(0, 20))):
        place = layout.pool_place(i)
        if place.col == 0:
            wider = 0.0
        x, y = layout.pool_point(side, place)
        sideways = rng.random() < 0.03
        extra = (layout.tile_h - layout.tile_w) if sideways else 0.0
        dx, dy = to_table(side, wider + extra / 2, 0.0)
        wider += extra
        loose = 1.0 if rng.random() < 0.85 else 2.0
        turn = 90.0 if sideways else 0.0
        box.put(x + dx, y + dy, angle + turn, Pose.FACE_UP, loose=loose)
    sets = int(rng.choice([0, 0, 1, 1, 2, 3, 4]))
    right = layout.meld_right
    for _ in range(sets):
        right = _meld(rng, layout, box, side, right) - layout.meld_gap
    # where sets lie in the corners there is no room for flowers, and none are played with
    corner = layout.melds_in_corner
    for i in range(0 if corner else int(rng.choice([0, 0, 1, 2, 3]))):
        x, y = layout.flower_point(side, i)
        box.put(x, y, angle, Pose.FACE_UP)
    count = 13 - 3 * sets + int(rng.random() < 0.25)
    lying = Pose.FACE_UP if shown else Pose.STANDING
    if rng.random() < 0.06:
        lying = Pose.FACE_DOWN
    shift = float(rng.normal(0, 10))
    lean = float(rng.normal(0, 2)) if lying is Pose.STANDING else 0.0
    spread = float(rng.choice([0.2, 0.6, 1.5]))
    for i in range(count):
        at = -(count - 1) / 2 + i + (0.8 if i == 13 - 3 * sets else 0)
        x, y = to_table(side, at * (layout.tile_w + spread) + shift, layout.hand_offset)
        pose, tilt = lying, max(lean, 0.0)
        if lying is Pose.STANDING and rng.random() < 0.015:
            pose, tilt = Pose.FACE_UP, 0.0
        elif rng.random() < 0.02:
            tilt = float(rng.uniform(5, 60))
        box.put(x, y, angle, pose, tilt=tilt, loose=0.8)


def _meld(rng: np.random.Generator, layout: Layout, box: _Box, side: int, right: float) -> float:
    count = 4 if rng.random() < 0.2 else 3
    sideways = int(rng.integers(-1, count))
    hidden = count == 4 and rng.random() < 0.4
    for i in range(count):
        wide = layout.tile_h if i == sideways else layout.tile_w
        at = right - wide / 2
        off = layout.meld_offset + ((layout.tile_h - layout.tile_w) / 2 if i == sideways else 0.0)
        x, y = to_table(side, at, off)
        pose = Pose.FACE_DOWN if hidden and i in (0, 3) else Pose.FACE_UP
        box.put(x, y, 90.0 * side + (90 if i == sideways else 0), pose, loose=0.5)
        right -= wide + 0.4
    return right


def _strays(rng: np.random.Generator, layout: Layout, box: _Box) -> None:
    """Tiles on the move, being turned, or lying where none should."""
    for _ in range(int(rng.choice([0, 0, 1, 1, 2]))):
        x, y = rng.uniform(-layout.half * 0.85, layout.half * 0.85, 2)
        pose = (Pose.FACE_UP, Pose.FACE_DOWN, Pose.STANDING)[int(rng.integers(3))]
        tile = box.put(
            float(x),
            float(y),
            float(rng.uniform(0, 360)),
            pose,
            z=float(rng.uniform(42, 90)),
            tilt=float(rng.choice([0, 0, rng.uniform(-40, 70)])),
        )
        if tile is not None and rng.random() < 0.8:
            box.tiles[-1] = TileBody(
                tile.key, tile.face, tile.x, tile.y, tile.z, tile.angle, tile.pose, tile.tilt,
                float(rng.uniform(50, 900)), float(rng.uniform(0, 360)),
            )  # fmt: skip


def _pile(rng: np.random.Generator, layout: Layout, box: _Box) -> None:
    """Tiles scattered at any angle, none in another."""
    reach = layout.half - layout.tile_h
    size = math.hypot(layout.tile_w, layout.tile_h) * float(rng.uniform(0.86, 1.15))
    taken: list[tuple[float, float]] = []
    for _ in range(int(rng.integers(200, 1200))):
        x, y = (float(v) for v in rng.uniform(-reach, reach, 2))
        if all((x - u) ** 2 + (y - v) ** 2 > size**2 for u, v in taken):
            taken.append((x, y))
            chance = rng.random()
            pose = Pose.FACE_UP if chance < 0.68 else Pose.FACE_DOWN
            if chance > 0.92:
                pose = Pose.STANDING
            box.put(x, y, float(rng.uniform(0, 360)), pose, loose=0.0)


def _dice(rng: np.random.Generator, layout: Layout) -> tuple[DieBody, ...]:
    if rng.random() < 0.2:
        return ()
    reach = layout.dice_half * 0.75
    rolling = rng.random() < 0.15
    first = rng.uniform(-reach, reach, 2)
    second = rng.uniform(-reach, reach, 2)
    while np.hypot(*(first - second)) < 24:
        second = rng.uniform(-reach, reach, 2)
    return tuple(
        DieBody(
            float(x),
            float(y),
            float(rng.uniform(0, 360)),
            int(rng.integers(1, 7)),
            float(rng.uniform(100, 600)) if rolling else 0.0,
            bool(rng.random() < 0.05),
        )
        for x, y in (first, second)
    )


def _sticks(rng: np.random.Generator, layout: Layout) -> tuple[StickBody, ...]:
    if rng.random() < 0.7:
        return ()
    return tuple(
        StickBody(*to_table(side, 0.0, layout.stick_offset), 90.0 * side)
        for side in range(4)
        if rng.random() < 0.4
    )


def _arms(rng: np.random.Generator, layout: Layout) -> tuple[ArmBody, ...]:
    out = []
    for _ in range(int(rng.choice([0, 0, 1, 1, 1, 2, 3]))):
        side = int(rng.integers(4))
        right = float(rng.uniform(-0.7, 0.7)) * layout.half
        offset = float(rng.uniform(-0.3, 0.95)) * layout.half
        x, y = to_table(side, right, offset)
        elbow = to_table(side, right * 0.5 + float(rng.normal(60, 80)), layout.half + 20)
        moving = rng.random() < 0.6
        out.append(
            ArmBody(
                side,
                x,
                y,
                float(rng.uniform(18, 90)),
                elbow,
                float(rng.random()),
                float(rng.uniform(50, 900)) if moving else 0.0,
                float(rng.uniform(0, 360)),
            )
        )
    return tuple(out)
