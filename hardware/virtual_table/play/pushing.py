"""Walls and pools that a sleeve pushes out of order, and how they are put right again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.actor import Actor
from hardware.virtual_table.play.layout import to_table
from hardware.virtual_table.play.motion import State, Tip
from hardware.virtual_table.play.stage import distance
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.scene import Pose
from table_controller.domain import happenings as hp
from table_controller.domain.happenings import Seat

_TOUCH: Final = 2.0
"""Tiles that stand side by side in a wall are within each other by less, mm: they scatter."""
_TRIES: Final = 60
_ASIDE: Final = np.array(
    sorted(
        ((right / 4, out / 4) for right in range(-16, 33) for out in range(-8, 25)),
        key=lambda aside: abs(aside[0]) + abs(aside[1]),
    )
)
"""How far a discard may be off its place, mm to the right and outwards, the nearest first."""
_FARTHEST: Final = float(np.hypot(*_ASIDE.T).max())
_NEAREST: Final = (60, 400)
"""Mostly the first few of them will do: the others are looked at where those will not."""
_IN_DOUBT: Final = 0.01
"""What :func:`within` says of tiles so near to touching, mm, its own rounding may decide."""


Floats = NDArray[np.float64]


class Pushing(Actor):
    """Steps in which tiles are pushed, not carried."""

    def disturb_wall(self, step: do.DisturbWall) -> None:
        """A sleeve pushes stacks out of line; some tiles fall off them."""
        by, side = step.by, step.side
        first = self.at(step.tokens[0], self.t)
        last = self.at(step.tokens[-1], self.t)
        there = self.reach(by, self.t, first, z=24.0, grip=0.1)
        swept = there + self.lasting(0.4)
        arm = self.arm(by)
        arm.move(there, swept, Tip(last[0], last[1], 24.0, 0.1))
        self.busy[by] = swept
        ends = self._pushed_wall(step)
        for token, end in ends.items():
            track = self.stage.tiles[token]
            lift = 14.0 if token in step.fallen else 0.0
            track.move(max(there, track.move_at(there).t0), swept + 0.1, end, "wall", lift=lift)
        shown = [token for token, end in ends.items() if end.pose is Pose.FACE_UP]
        stacks = {self.slot(token).stack for token in step.tokens}
        rest = swept + 0.1
        self.feel(there + 0.1, "vibration", strength=0.7)
        self.feel_wall(there + 0.2, step.tokens, present=False)
        self.tell(
            hp.WallDisturbed(
                t=rest, side=side, stacks=tuple(sorted(stacks)), by=by, recoverable=step.recoverable
            )
        )
        for token in shown:
            self.tell(
                hp.TileExposed(
                    t=rest, where="wall", seat=None, tile=self.faces[token], by=by,
                    slot=self.slot(token),
                )
            )  # fmt: skip
        self.mark = self.evident = rest
        self.withdraw(by, rest + 0.05)
        self.t = rest + step.lie
        if step.recoverable:
            self._rebuild(by, step.tokens)

    def _pushed_wall(self, step: do.DisturbWall) -> dict[Token, State]:
        """Where the tiles of pushed stacks come to lie: out of line, none within another."""
        sign = self.rng.choice((-1.0, 1.0))
        lying = [
            track.last for token, track in self.stage.tiles.items() if token not in step.tokens
        ]
        pushes: dict[int, tuple[float, float, float]] = {}
        up: set[Token] = set()
        for token in step.tokens:
            pushes.setdefault(self.slot(token).stack, self._push(step, sign))
            may_turn = token in step.fallen and not step.recoverable
            if may_turn and self.rng.random() < 0.5:
                up.add(token)
        for again in range(_TRIES):
            if (ends := self._strewn(step, sign, pushes, up, lying)) is not None:
                break
            # Those that lie already leave no room for the next one: all are pushed otherwise.
            wide = 1.0 + again / _TRIES
            pushes = {stack: self._push(step, sign, wide) for stack in pushes}
        else:
            ends = {
                token: self._shoved(step, token, pushes[self.slot(token).stack], up)
                for token in step.tokens
            }
        return {token: ends[token] for token in step.tokens}

    def _strewn(
        self,
        step: do.DisturbWall,
        sign: float,
        pushes: dict[int, tuple[float, float, float]],
        up: set[Token],
        lying: list[State],
    ) -> dict[Token, State] | None:
        """Stack by stack where it is pushed to, or farther; None where one finds no room."""
        ends: dict[Token, State] = {}
        for stack, push in pushes.items():
            tokens = [token for token in step.tokens if self.slot(token).stack == stack]
            for again in range(_TRIES):
                tried = push
                if again:
                    tried = self._push(step, sign, 1.0 + 2.0 * again / _TRIES)
                placed = {token: self._shoved(step, token, tried, up) for token in tokens}
                others = (*lying, *ends.values())
                if not any(self._inside(one, two) for one in placed.values() for two in others):
                    ends.update(placed)
                    break
            else:
                return None
        return ends

    def _push(
        self, step: do.DisturbWall, sign: float, wide: float = 1.0
    ) -> tuple[float, float, float]:
        """How far a stack is pushed: along its wall, out of line (mm), turned (degrees).

        ``wide`` lets it go farther than the sleeve alone would push it.
        """
        force = 1.0 if step.recoverable else 3.0
        return (
            self.rng.uniform(-6, 6) * force * wide,
            -self.rng.uniform(16, 30) * force * (0.5 + wide / 2),
            sign * self.rng.uniform(8, 24) * force / wide,
        )

    def _shoved(
        self, step: do.DisturbWall, token: Token, push: tuple[float, float, float], up: set[Token]
    ) -> State:
        """Where a tile of a pushed stack lies: with its stack, or fallen off it."""
        right, out, turn = push
        old = self.stage.tiles[token].last
        z = old.z
        if token in step.fallen:
            # Over the long side of the tile below it, however that one is turned.
            far, z = self.layout.tile_h + 3.0, 0.0
            right -= far * math.sin(math.radians(turn))
            out -= far * math.cos(math.radians(turn))
        dx, dy = to_table(step.side, right, out)
        pose = Pose.FACE_UP if token in up else Pose.FACE_DOWN
        return State(old.x + dx, old.y + dy, z, old.angle + turn, pose)

    def _inside(self, one: State, other: State) -> bool:
        """Whether two tiles of walls or pools would be within each other by more than a touch."""
        apart = abs(one.z - other.z) > self.layout.tile_d - _TOUCH
        if apart or other.pose is Pose.STANDING:
            return False
        return self.within(one, other, _TOUCH)

    def _rebuild(self, by: Seat, tokens: Sequence[Token]) -> None:
        """Stack after stack goes back to its place, bottom tile before top."""
        t = self.t
        for stack in sorted({self.slot(token).stack for token in tokens}):
            pair = [token for token in tokens if self.slot(token).stack == stack]
            pair.sort(reverse=True)
            for token in pair:
                t = self.reach(by, t, self.at(token, t), z=26.0) + 0.03
                end = self.wall_state(token)
                t = self.carry(by, t, [token], [end], "wall", lift=14.0, seconds=0.2)
        self.feel_wall(t, tokens, present=True)
        self.withdraw(by, t + 0.05)
        self.t = t + self.lasting(0.25)

    def disturb_pool(self, step: do.DisturbPool) -> None:
        """A sleeve pushes discards out of order; they are laid right again."""
        by = step.by
        first = self.at(step.tokens[0], self.t)
        there = self.reach(by, self.t, first, z=20.0, grip=0.1)
        before = {token: self.stage.tiles[token].last for token in step.tokens}
        dx, dy = to_table(by, self.rng.choice((-1, 1)) * 30.0, -14.0)
        rest = there + self.lasting(0.4)
        ends = self._pushed(before, dx, dy)
        for token, end in ends.items():
            track = self.stage.tiles[token]
            track.move(max(there, track.move_at(there).t0), rest, end, f"pool {step.seat}")
        arm = self.arm(by)
        arm.move(there, rest, Tip(first[0] + dx, first[1] + dy, 20.0, 0.1))
        self.busy[by] = rest
        self.tell(hp.PoolDisturbed(t=rest, seat=step.seat, by=by, recoverable=True))
        self.mark = self.evident = rest
        self.withdraw(by, rest + 0.1)
        t = rest + step.lie
        while ends:
            token = self._whose_place_is_free(before, ends)
            del ends[token]
            t = self.reach(by, t, self.at(token, t), z=20.0) + 0.03
            home = before[token]
            t = self.carry(by, t, [token], [home], f"pool {step.seat}", lift=8.0, seconds=0.2)
        self.withdraw(by, t + 0.05)
        self.t = t + self.lasting(0.25)

    def _pushed(self, before: dict[Token, State], dx: float, dy: float) -> dict[Token, State]:
        """Where tiles come to lie that are pushed so far: askew, none within another."""
        still = [
            track.last
            for token, track in self.stage.tiles.items()
            if token not in before and track.last.z < self.layout.tile_h / 2
        ]
        ends: dict[Token, State] = {}
        # The farther apart the less room there is where they are pushed to, mm.
        for wide in (9.0,) * 20 + (16.0,) * 20 + (25.0,) * 100:
            ends = {
                token: State(
                    old.x + dx + self.rng.uniform(-wide, wide),
                    old.y + dy + self.rng.uniform(-wide, wide),
                    0.0,
                    old.angle + self.rng.uniform(-35, 35),
                    Pose.FACE_UP,
                )
                for token, old in before.items()
            }
            lying = [*ends.values(), *still]
            if not any(
                self.within(one, other)
                for i, one in enumerate(ends.values())
                for other in lying[i + 1 :]
            ):
                break
        return ends

    def _whose_place_is_free(self, before: dict[Token, State], ends: dict[Token, State]) -> Token:
        """Which pushed tile can be laid back first: no other lies where it belongs."""
        for token in ends:
            others = (end for other, end in ends.items() if other != token)
            if not any(self.within(before[token], end) for end in others):
                return token
        return next(iter(ends))

    def beside_others(self, seat: Seat, token: Token, end: State) -> State:
        """Where a discard meant for a place comes to lie: beside those that lie there already."""
        pool = f"pool {seat}"
        near = self.across + _FARTHEST
        lying = [
            track.last
            for each, track in self.stage.tiles.items()
            if each != token
            and distance((track.last.x, track.last.y), (end.x, end.y)) <= near
            and track.place(math.inf) == pool
        ]
        if not any(self.within(end, other) for other in lying):
            return end
        for asides in np.split(_ASIDE, _NEAREST):
            shifts = np.column_stack(to_table(seat, *asides.T))
            gaps = np.min([self._gaps(end, shifts, other) for other in lying], axis=0)
            for dx, dy in shifts[gaps > -_IN_DOUBT].tolist():
                moved = replace(end, x=end.x + dx, y=end.y + dy)
                if not any(self.within(moved, other) for other in lying):
                    return moved
        return end

    def _gaps(self, one: State, shifts: Floats, other: State) -> Floats:
        """(N,) how far a tile is from another where it is shifted by (N, 2); negative: within it.

        All in mm. Rectangles are apart where their shadows on one of their sides are.
        """
        angles = np.radians((one.angle, one.angle + 90.0, other.angle, other.angle + 90.0))
        sides = np.column_stack((np.cos(angles), np.sin(angles)))
        half = np.array((self.layout.tile_w, self.layout.tile_h)) / 2
        shadows = np.abs(sides @ sides.T) @ np.concatenate((half, half))
        apart = np.array((one.x - other.x, one.y - other.y)) + shifts
        return np.asarray((np.abs(apart @ sides.T) - shadows).max(axis=1), np.float64)
