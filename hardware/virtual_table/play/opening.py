"""Before the first discard: the machine's cycle, dice, the deal, sorting."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.actor import Actor
from hardware.virtual_table.play.dice_track import DieTrack
from hardware.virtual_table.play.layout import SIDES, to_side, to_table
from hardware.virtual_table.play.motion import State, TileTrack, Tip
from hardware.virtual_table.play.stage import Stage
from hardware.virtual_table.scene import Pose
from table_controller.domain import happenings as hp
from table_controller.domain.happenings import Seat

_BELOW: Final = -50.0
"""How deep a tile is when the machine holds it, mm."""
_IDLE: Final = 0.6
_HATCH: Final = 0.9
_SHUFFLE: Final = 1.5
_RAISE: Final = 1.5


class Opening(Actor):
    """Everything up to the dealer's first discard."""

    def table_state(self, step: do.TableState) -> None:
        """What is handed over before the hand."""
        self.tell(
            hp.TableSet(
                t=self.t,
                round_wind=step.round_wind,
                dealer=step.dealer,
                hand=step.hand,
                honba=step.honba,
                sticks=step.sticks,
                scores=step.scores,
            )
        )

    def machine_cycle(self, step: do.MachineCycle) -> None:
        """Hatch, shuffling, and the walls come up."""
        stage, layout = self.stage, self.layout
        self._dice_to(step.dealer)
        t = self.t + _IDLE
        hatch = _HATCH
        if stage.previous is not None:
            hatch = self._sweep(stage.previous, t + 0.5) - t + 0.3
        if step.lost or _had_lost(stage.previous):
            # What was lost has been found before the next hand.
            self.feel(self.t, "lost", stacks=step.lost)
        cycle: tuple[tuple[hp.MachineState, float], ...] = (
            ("hatch_open", hatch),
            ("shuffling", _SHUFFLE),
            ("raising", _RAISE),
        )
        for state, lasts in cycle[: 2 if step.lost else 3]:
            self._machine(t, state)
            t += lasts
        if step.lost:
            self.tell(hp.Machine(t=t, state="fault", fault="missing_tiles"))
            self.feel(t, "state", state="fault")
            self.mark = self.evident = stage.end = self.t = t
            return
        begin = t - _RAISE
        crooked = step.crooked
        count = [layout.stacks_per_side if side in self.seats else 0 for side in SIDES]
        if step.missing is not None:
            count[step.missing[0]] -= step.missing[1]
        raised = [
            token
            for token in sorted(self.faces)
            if self.slot(token).stack <= count[self.slot(token).side]
        ]
        for token in raised:
            end = self.wall_state(token)
            slot = self.slot(token)
            if crooked is not None and slot.side == crooked[0] and slot.stack <= crooked[1]:
                # The line turns away from the wall line, more with every stack.
                out = 7.0 * (crooked[1] - slot.stack + 1)
                dx, dy = to_table(slot.side, 0.0, out)
                end = State(end.x + dx, end.y + dy, end.z, end.angle + 6.0, end.pose)
            low = State(end.x, end.y, end.z + _BELOW, end.angle, Pose.FACE_DOWN)
            late = 0.1 * slot.side
            track = self.new_tile(token, begin + late, low)
            track.move(begin + late, t - 0.15 + 0.05 * slot.side, end, "wall")
        self.on_wall = set(raised)
        for side in SIDES:
            self.feel(t, "wall", side=side, bits=self.wall_bits(side))
        self._machine(t, "ready")
        self.tell(hp.WallRaised(t=t, stacks=(count[0], count[1], count[2], count[3])))
        if crooked is not None:
            stacks = tuple(range(1, crooked[1] + 1))
            self.tell(hp.WallDisturbed(t=t + 0.05, side=crooked[0], stacks=stacks))
        stage.end = t
        self.mark = self.evident = t
        self.t = t + 0.2
        for side in SIDES:
            self.busy[side] = self.t

    def _sweep(self, previous: Stage, t: float) -> float:
        """All tiles of the hand before are pushed into the hatch; returns when they are gone."""
        rng = self.rng
        self._collect_sticks(previous, t)
        for side in self.seats:
            self.feel(t + 0.4, "wall", side=side, bits=(False,) * self.layout.stacks_per_side)
            arm = self.arm(side)
            begin = t
            for stroke in range(3):
                far = to_table(side, rng.uniform(-250, 250), self.layout.half - 45)
                near = to_table(side, rng.uniform(-60, 60), 70 + 20 * stroke)
                there = begin + self.lasting(0.35)
                arm.move(begin, there, Tip(far[0], far[1], 45.0, 0.1), lift=30.0)
                begin = there + self.lasting(0.5)
                arm.move(there, begin, Tip(near[0], near[1], 30.0, 0.1))
            self.busy[side] = begin
            self.withdraw(side, begin)
        end = t
        for token, old in previous.tiles.items():
            if math.isfinite(old.gone):
                # It is in somebody's sleeve.
                continue
            key = previous.keys[token]
            track = TileTrack(self.t, old.last, "swept")
            begin = t + rng.uniform(0.35, 1.5)
            way = math.hypot(old.last.x, old.last.y)
            there = begin + max(0.4, way / 700.0) * rng.uniform(0.9, 1.2)
            x, y = rng.uniform(-45, 45), rng.uniform(-45, 45)
            turn = old.last.angle + rng.uniform(-120, 120)
            flat = Pose.FACE_UP if old.last.pose is Pose.FACE_UP else Pose.FACE_DOWN
            track.move(begin, there, State(x, y, 6.0, turn, flat), "swept", lift=8.0)
            low = State(x, y, _BELOW, turn, flat)
            track.move(there, there + 0.2, low, "swept")
            track.gone = there + 0.14
            self.stage.swept[key] = track
            end = max(end, track.gone)
        return end

    def _collect_sticks(self, previous: Stage, t: float) -> None:
        """Sticks still in their grooves are taken out before the tiles go."""
        for seat, stick in previous.sticks.items():
            if stick.until > previous.end:
                self.stage.sticks_before.append(replace(stick, until=t + 0.5))
                self.feel(t + 0.5, "stick", seat=seat, present=False)

    def _machine(self, t: float, state: hp.MachineState) -> None:
        self.tell(hp.Machine(t=t, state=state))
        self.feel(t, "state", state=state)

    # -- dice ---------------------------------------------------------------------------------

    def _corner(self, seat: Seat, index: int) -> tuple[float, float]:
        """Where the dealer keeps the dice: beside the hand, near the corner."""
        return to_table(
            seat,
            self.layout.dice_right(index) + self.scatter(1.0),
            self.layout.half - 30 + self.scatter(2.0),
        )

    def _dice_to(self, dealer: Seat) -> None:
        rng, previous = self.rng, self.stage.previous
        for index in range(2):
            x, y = self._corner(dealer, index)
            angle = rng.uniform(0, 360)
            old = None if previous is None else previous.dice[index].body(self.t)
            if old is None:
                die = DieTrack(self.t, x, y, rng.randint(1, 6), angle)
            else:
                # The last dealer hands them on.
                die = DieTrack(self.t, old.x, old.y, old.value, old.angle)
                die.hide(self.t + 0.4)
                die.lay(self.t + 1.3, x, y, angle)
            self.stage.dice.append(die)
        self.dice_at = dealer

    def _pick_dice(self, seat: Seat, t: float) -> float:
        bodies = [body for die in self.stage.dice if (body := die.body(t)) is not None]
        for body in bodies:
            t = self.reach(seat, t, (body.x, body.y), z=16.0, grip=0.5)
        for die in self.stage.dice:
            die.hide(t)
        return t

    def throw_dice(self, step: do.ThrowDice) -> None:
        """Both dice dropped together over the middle; they roll, bounce and come to rest."""
        rng, seat = self.rng, step.seat
        t = self._pick_dice(seat, max(self.t, self.busy[seat]))
        if self.dice_at is not None:
            self.feel(t, "dice", tray=False)
        aim = to_table(seat, self.scatter(12), 70 + self.scatter(10))
        arm = self.arm(seat)
        over = t + self.way((arm.tip(t).x, arm.tip(t).y), aim)
        arm.move(max(t, arm.begun_at), over, Tip(aim[0], aim[1], 170.0, 0.9), lift=40.0)
        arm.move(over, over + 0.12, Tip(aim[0], aim[1], 160.0, 0.0))
        self.busy[seat] = over + 0.12
        half = self.layout.dice_half - 8
        first = (rng.uniform(-half, half), rng.uniform(-half, half))
        second = self._apart_from(first, half)
        if step.flaw == "off_zone":
            # One die runs on under somebody's wall line, outside the middle.
            side = rng.choice(self.seats)
            second = to_table(side, rng.uniform(-120, 120), self.layout.wall_offset + 48)
        rest = over
        for index, (die, end) in enumerate(zip(self.stage.dice, (first, second), strict=True)):
            stop = over + 0.05 + self.rng.uniform(0.55, 0.95)
            die.roll(
                over + 0.05,
                stop,
                (aim[0] + 9 * index, aim[1] - 6 * index),
                end,
                step.values[index],
                rng,
                cocked=step.flaw == "cocked" and index == 1,
            )
            rest = max(rest, stop)
        self.withdraw(seat, over + 0.15)
        valid = step.flaw is None
        self.tell(hp.DiceRolled(t=rest, values=step.values, seat=seat, valid=valid))
        self.dice_at = None
        self.mark = self.evident = rest
        self.t = rest + self.lasting(0.35)

    def _apart_from(self, first: tuple[float, float], half: float) -> tuple[float, float]:
        """A second resting place: anywhere free, one time in five right beside the first."""
        rng = self.rng
        close = rng.random() < 0.2
        while True:
            x, y = rng.uniform(-half, half), rng.uniform(-half, half)
            gap = max(abs(x - first[0]), abs(y - first[1]))
            if (23.0 < gap < 27.0) if close else gap > 34.0:
                return x, y

    def remove_dice(self, step: do.RemoveDice) -> None:
        """The dice are taken out of the middle and laid beside the hand."""
        seat = step.seat
        t = self._pick_dice(seat, max(self.t, self.busy[seat]))
        self.tell(hp.DiceRemoved(t=t, seat=seat))
        points = [self._corner(seat, index) for index in range(2)]
        arm = self.arm(seat)
        there = t + self.way((arm.tip(t).x, arm.tip(t).y), points[0])
        arm.move(max(t, arm.begun_at), there, Tip(*points[0], 20.0, 0.8), lift=40.0)
        for die, (x, y) in zip(self.stage.dice, points, strict=True):
            die.lay(there, x, y, self.rng.uniform(0, 360))
        self.feel(there, "dice", tray=True)
        self.busy[seat] = there
        self.withdraw(seat, there)
        self.dice_at = seat
        self.mark = self.evident = t
        self.t = t + self.lasting(0.15)

    # -- deal ---------------------------------------------------------------------------------

    def deal_take(self, step: do.DealTake) -> None:
        """One, two or four tiles from the wall to the row; the next one may reach already."""
        seat = step.seat
        points = [self.at(token, self.t) for token in step.tokens]
        middle = (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
        there = self.reach(seat, self.t, middle, z=40.0)
        row = self.rows[seat]
        slots = tuple(self.slot(token) for token in step.tokens)
        if step.upto != "taken":
            self._lift_deal(step, there)
            if step.upto == "seen":
                self._look_at_deal(step)
            return
        ends = [self.hand_state(seat, len(row) + index) for index in range(len(step.tokens))]
        rest = self.carry(
            seat, there + 0.04, step.tokens, ends, f"hand {seat}", flip=0.8,
            # Hands come back in the order in which they went: nobody overtakes.
            not_before=self.evident + 0.12,
        )  # fmt: skip
        self.feel_wall(there + 0.08, step.tokens, present=False)
        row.extend(step.tokens)
        self.tell(hp.TileDrawn(t=rest, seat=seat, slots=slots))
        self.withdraw(seat, rest + 0.05)
        self.mark, self.evident = there, rest
        # The next hand goes to the wall while this one comes back from it.
        self.t = there + 0.06

    def _lift_deal(self, step: do.DealTake, t: float) -> None:
        """Tiles are lifted and held before the wall, still face down."""
        seat = step.seat
        ends = []
        for token in step.tokens:
            old = self.stage.tiles[token].last
            right, offset = to_side(seat, old.x, old.y)
            x, y = to_table(seat, right * 0.9, offset + 40)
            ends.append(State(x, y, old.z + 40, old.angle, Pose.FACE_DOWN))
        rest = self.carry(seat, t + 0.05, step.tokens, ends, f"held {seat}", lift=10.0)
        self.feel_wall(t + 0.1, step.tokens, present=False)
        for token in step.tokens:
            self.held[token] = seat
        slots = tuple(self.slot(token) for token in step.tokens)
        self.tell(hp.TileDrawn(t=rest, seat=seat, slots=slots, stage="lifted"))
        self.mark = self.evident = self.t = rest

    def _look_at_deal(self, step: do.DealTake) -> None:
        """The tiles held come before their taker, and some are turned towards him."""
        seat = step.seat
        ends = []
        for token in step.tokens:
            last = self.stage.tiles[token].last
            right, offset = to_side(seat, last.x, last.y)
            x, y = to_table(seat, right * 0.8, (offset + 2 * self.layout.meld_offset) / 3)
            pose = Pose.STANDING if token in step.looked else Pose.FACE_DOWN
            ends.append(State(x, y, last.z + 10.0, 90.0 * seat, pose))
        rest = self.carry(
            seat, self.t + 0.1, step.tokens, ends, f"held {seat}", lift=8.0, seconds=0.4
        )
        slots = tuple(self.slot(token) for token in step.looked)
        self.tell(hp.TileDrawn(t=rest, seat=seat, slots=slots, stage="seen"))
        self.mark = self.evident = self.t = rest

    def sort_hands(self, step: do.SortHands) -> None:  # noqa: ARG002 - handlers look alike
        """Everybody sorts at the same time."""
        begin = max(self.busy.values()) + 0.25
        ends = []
        for seat in self.seats:
            row = self.rows[seat]
            for _ in range(2):
                # First half of the tiles, then the other: nobody sorts in one movement.
                index = self.rng.randrange(len(row))
                point = self.hand_point(seat, index)
                begin_here = self.reach(seat, begin, point, z=36.0, grip=0.4)
            ends.append(self.tidy(seat, begin_here, seconds=0.45))
            self.withdraw(seat, ends[-1])
        for seat, end in zip(self.seats, ends, strict=True):
            self.count(seat, end)
        self.t = max(ends) + 0.1


def _had_lost(previous: Stage | None) -> bool:
    """Whether tiles lay lost under the machine when a hand ended."""
    felt = [each for each in (previous.inputs if previous else ()) if each.kind == "lost"]
    return bool(felt) and bool(felt[-1].data["stacks"])
