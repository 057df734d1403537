"""Walls and pools that a sleeve pushes out of order, and how they are put right again."""

from __future__ import annotations

from collections.abc import Sequence

import cv2

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.actor import Actor
from hardware.virtual_table.play.layout import to_table
from hardware.virtual_table.play.motion import State, Tip
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.scene import Pose
from table_controller.domain import happenings as hp
from table_controller.domain.happenings import Seat


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
        sign = self.rng.choice((-1.0, 1.0))
        wide = 1.0 if step.recoverable else 3.0
        shown: list[Token] = []
        stacks: dict[int, tuple[float, float, float]] = {}
        for token in step.tokens:
            slot = self.slot(token)
            push = stacks.setdefault(
                slot.stack,
                (
                    self.rng.uniform(-6, 6) * wide,
                    -self.rng.uniform(16, 30) * wide,
                    sign * self.rng.uniform(8, 24) * wide,
                ),
            )
            track = self.stage.tiles[token]
            old = track.last
            right, out, turn = push
            z, pose, lift = old.z, Pose.FACE_DOWN, 0.0
            if token in step.fallen:
                out -= self.layout.tile_h + 3.0
                z, lift = 0.0, 14.0
                if not step.recoverable and self.rng.random() < 0.5:
                    pose = Pose.FACE_UP
                    shown.append(token)
            dx, dy = to_table(side, right, out)
            end = State(old.x + dx, old.y + dy, z, old.angle + turn, pose)
            track.move(max(there, track.move_at(there).t0), swept + 0.1, end, "wall", lift=lift)
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
                self._within(one, other)
                for i, one in enumerate(ends.values())
                for other in lying[i + 1 :]
            ):
                break
        return ends

    def _whose_place_is_free(self, before: dict[Token, State], ends: dict[Token, State]) -> Token:
        """Which pushed tile can be laid back first: no other lies where it belongs."""
        for token in ends:
            others = (end for other, end in ends.items() if other != token)
            if not any(self._within(before[token], end) for end in others):
                return token
        return next(iter(ends))

    def _within(self, one: State, other: State) -> bool:
        """Whether two tiles that lie flat would be partly in the same place."""
        size = (self.layout.tile_w, self.layout.tile_h)
        kind, _ = cv2.rotatedRectangleIntersection(
            ((one.x, one.y), size, one.angle), ((other.x, other.y), size, other.angle)
        )
        return bool(kind != cv2.INTERSECT_NONE)
