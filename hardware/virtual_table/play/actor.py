"""The tools of the choreography: the clock of the game, arms, tiles, sensors and truth.

Nothing is placed exactly: positions scatter by a millimetre or two, angles by a degree or two,
durations by some percent, all from one seeded generator.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import cv2

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.layout import SIDES, Layout, to_side, to_table
from hardware.virtual_table.play.motion import ArmTrack, State, TileTrack, Tip
from hardware.virtual_table.play.stage import Infraction, MachineInput, Stage, distance
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.play.table_state import slot_of
from hardware.virtual_table.scene import Pose
from table_controller.domain import happenings as hp
from table_controller.domain.happenings import Happening, Place, Seat
from table_controller.domain.tiles import Tile, sort_tiles

REACH_SPEED: Final = 1500.0
"""Mean speed of a hand on its way, mm/s, at pace 1."""
_SINKS_S = 0.12
"""So long a tile takes to come down by its own height."""
_HOLD_Z: Final = 26.0
"""Fingertips above the underside of what they hold, mm."""


class Actor:
    """The tools of every action: the clock of the game, arms, tiles, truth."""

    def __init__(
        self,
        stage: Stage,
        layout: Layout,
        faces: dict[Token, Tile],
        rng: random.Random,
        pace: float,
        dealer: Seat,
        seats: tuple[Seat, ...] = SIDES,
    ) -> None:
        self.stage = stage
        self.layout = layout
        self.faces = faces
        self.rng = rng
        self.pace = pace
        self.dealer = dealer
        self.seats = seats
        """The sides at which somebody sits."""
        self.t = stage.t0
        """When the next step may begin."""
        self.mark = stage.t0
        """When the decisive thing of the last step happened (for faults)."""
        self.evident = stage.t0
        self.marks: dict[tuple[type, Seat], float] = {}
        """The same of the last step of each kind by each seat."""
        self.laid_at: dict[Token, float] = {}
        """The same of the last discard of each tile."""
        self.counts_at: dict[Seat | None, float] = {}
        """When each seat's row was last closed up and could be counted."""
        self.busy: dict[Seat, float] = dict.fromkeys(SIDES, stage.t0)
        self.rows: dict[Seat, list[Token]] = {seat: [] for seat in SIDES}
        self.loose: dict[Seat, Token | None] = dict.fromkeys(SIDES)
        self.apart: dict[Seat, Token | None] = dict.fromkeys(SIDES)
        self.laid: dict[Seat, list[tuple[Token, ...]]] = {seat: [] for seat in SIDES}
        self.meld_edge: dict[Seat, float] = dict.fromkeys(SIDES, layout.meld_right)
        self.flowers: dict[Seat, int] = dict.fromkeys(SIDES, 0)
        self.place_of: dict[Token, Place | None] = {}
        self.turned: dict[Seat, set[Place]] = {seat: set() for seat in SIDES}
        """Places of pools whose tile lies sideways."""
        self.on_wall: set[Token] = set()
        self.held: dict[Token, Seat] = {}
        self.dice_at: Seat | None = dealer
        self.discard_from = stage.t0
        self.discard_rest = stage.t0

    # -- truth and sensors --------------------------------------------------------------------

    def tell(self, happening: Happening) -> None:
        """Add to the truth."""
        self.stage.truth.append(happening)

    def feel(self, t: float, kind: Any, **data: Any) -> None:
        """A sensor of the machine feels something."""
        self.stage.inputs.append(MachineInput(t, kind, data))

    def slot(self, token: Token) -> hp.Slot:
        """The wall slot of a tile."""
        return slot_of(token, self.layout.stacks_per_side)

    def feel_wall(self, t: float, tokens: Sequence[Token], present: bool) -> None:
        """Tiles leave the wall or come back; the stack sensors of their sides follow.

        A sensor feels whether its stack has a tile, not how many: it says nothing of upper ones.
        """
        sides = sorted({self.slot(token).side for token in tokens})
        before = {side: self.wall_bits(side) for side in sides}
        for token in tokens:
            if present:
                self.on_wall.add(token)
            else:
                self.on_wall.discard(token)
        for side in sides:
            if (bits := self.wall_bits(side)) != before[side]:
                self.feel(t, "wall", side=side, bits=bits)

    def wall_bits(self, side: Seat) -> tuple[bool, ...]:
        """Which stacks of a side have a tile on them."""
        stacks = self.layout.stacks_per_side
        base = side * 2 * stacks
        return tuple(
            base + 2 * index in self.on_wall or base + 2 * index + 1 in self.on_wall
            for index in range(stacks)
        )

    def count(self, seat: Seat, t: float) -> None:
        """The hand is at rest: its standing tiles can be counted."""
        self.tell(hp.HandCounted(t=t, seat=seat, count=len(self.rows[seat])))
        self.counts_at[seat] = t

    # -- time and scatter ---------------------------------------------------------------------

    def lasting(self, seconds: float) -> float:
        """A duration at this pace, give or take."""
        return seconds / self.pace * self.rng.uniform(0.9, 1.12)

    def way(self, a: tuple[float, float], b: tuple[float, float]) -> float:
        """How long a hand takes from one point to another."""
        return self.lasting(0.13 + distance(a, b) / REACH_SPEED)

    def scatter(self, spread: float) -> float:
        """A small error of placement, within two and a half times ``spread``."""
        return max(-2.5 * spread, min(2.5 * spread, self.rng.gauss(0.0, spread)))

    # -- arms ---------------------------------------------------------------------------------

    def arm(self, seat: Seat) -> ArmTrack:
        """The arm of a seat."""
        return self.stage.arms[seat]

    def reach(
        self, seat: Seat, t: float, point: tuple[float, float], z: float = 30.0, grip: float = 0.3
    ) -> float:
        """The arm goes to a point as soon as it may after ``t``; returns when it is there."""
        arm = self.arm(seat)
        begin = max(t, self.busy[seat], arm.begun_at)
        tip = arm.tip(begin)
        end = begin + self.way((tip.x, tip.y), point)
        bow = self.rng.uniform(-0.05, 0.05) * distance((tip.x, tip.y), point)
        arm.move(begin, end, Tip(point[0], point[1], z, grip), bow=bow, lift=35.0)
        self.busy[seat] = end
        return end

    def withdraw(self, seat: Seat, t: float) -> None:
        """The arm goes home; it may be called back on the way."""
        arm = self.arm(seat)
        begin = max(t, arm.begun_at, self.busy[seat])
        tip = arm.tip(begin)
        home = (arm.home.x, arm.home.y)
        arm.move(begin, begin + self.way((tip.x, tip.y), home), arm.home, lift=10.0)
        self.busy[seat] = begin

    def carry(
        self,
        seat: Seat,
        t: float,
        tokens: Sequence[Token],
        ends: Sequence[State],
        place: str,
        *,
        lift: float = 45.0,
        flip: float = 0.3,
        seconds: float | None = None,
        not_before: float = 0.0,
        toward: Sequence[State] | None = None,
    ) -> float:
        """The arm, being at the tiles, takes them to their ends; returns when they rest.

        ``toward`` is where the hand means to lay them, where something keeps them from it.
        """
        begin = max(t, self.busy[seat])
        tracks = [self.stage.tiles[token] for token in tokens]
        begin = max([begin, *(track.move_at(begin).t0 for track in tracks)])
        starts = [track.state(begin) for track in tracks]
        a = (_mean(state.x for state in starts), _mean(state.y for state in starts))
        aims = ends if toward is None else toward
        b = (_mean(state.x for state in aims), _mean(state.y for state in aims))
        span = self.way(a, b) if seconds is None else self.lasting(seconds)
        end = max(begin + span, not_before)
        bow = self.rng.uniform(-0.06, 0.06) * distance(a, b)
        for track, state in zip(tracks, ends, strict=True):
            track.move(begin, end, state, place, bow=bow, lift=lift, flip=flip)
        z = ends[0].z + _HOLD_Z
        self.arm(seat).move(
            max(begin, self.arm(seat).begun_at), end, Tip(b[0], b[1], z, 0.8), bow=bow, lift=lift
        )
        self.busy[seat] = end
        return end

    # -- hands --------------------------------------------------------------------------------

    def hand_state(self, seat: Seat, index: float) -> State:
        """A standing tile at a place of the row."""
        x, y = to_table(
            seat,
            self.layout.hand_right(index) + self.scatter(0.25),
            self.layout.hand_offset + self.scatter(0.6),
        )
        return State(x, y, 0.0, 90.0 * seat + self.scatter(0.7), Pose.STANDING)

    def hand_point(self, seat: Seat, index: float) -> tuple[float, float]:
        """Where fingers take a standing tile."""
        return to_table(seat, self.layout.hand_right(index), self.layout.hand_offset + 4)

    def at(self, token: Token, t: float) -> tuple[float, float]:
        """Where a tile is."""
        state = self.stage.tiles[token].state(t)
        return state.x, state.y

    def order(self, tokens: Sequence[Token]) -> list[Token]:
        """Tokens in the order in which a player sorts them."""
        ranks = {tile: index for index, tile in enumerate(sort_tiles(Tile))}
        return sorted(tokens, key=lambda token: (ranks[self.faces[token]], token))

    def tidy(self, seat: Seat, t: float, *, seconds: float = 0.28, by_arm: bool = True) -> float:
        """The row is sorted and closed up; returns when it is at rest."""
        row = self.rows[seat]
        row[:] = self.order(row)
        inserted = self.loose[seat]
        self.loose[seat] = None
        begin = t
        moves = []
        for index, token in enumerate(row):
            track = self.stage.tiles[token]
            state = self.hand_state(seat, index)
            if distance((track.last.x, track.last.y), (state.x, state.y)) > 2.5:
                moves.append((token, track, state))
        if not moves:
            return begin
        if by_arm:
            first = moves[0][0] if inserted is None else inserted
            begin = self.reach(seat, begin, self.at(first, begin), z=34.0, grip=0.5)
        begin = max([begin, *(track.move_at(begin).t0 for _, track, _ in moves)])
        end = begin + self.lasting(seconds)
        for token, track, state in moves:
            far = distance((track.last.x, track.last.y), (state.x, state.y)) > 40
            track.move(begin, end, state, f"hand {seat}", lift=34.0 if far else 0.0)
            if by_arm and (token == inserted or (inserted is None and token == moves[0][0])):
                tip = Tip(state.x, state.y, 40.0, 0.6)
                arm = self.arm(seat)
                arm.move(max(begin, arm.begun_at), end, tip, lift=34.0)
                self.busy[seat] = end
        return end

    def pool_state(self, seat: Seat, place: Place, *, rotated: bool = False) -> State:
        """A discard in its place, give or take."""
        layout = self.layout
        x, y = layout.pool_point(seat, place)
        before = sum(each.row == place.row and each.col < place.col for each in self.turned[seat])
        if rotated or before:
            # A sideways tile takes more room, and lies flush with its row's outer edge.
            wide = layout.tile_h - layout.tile_w - 1.0
            right = wide * before + (wide / 2 if rotated else 0.0)
            dx, dy = to_table(seat, right, wide / 2 if rotated else 0.0)
            x, y = x + dx, y + dy
        angle = 90.0 * seat + self.scatter(1.8) + (90.0 if rotated else 0.0)
        return State(x + self.scatter(1.0), y + self.scatter(1.2), 0.0, angle, Pose.FACE_UP)

    def wall_state(self, token: Token) -> State:
        """A tile in its wall slot."""
        slot = self.slot(token)
        x, y, z = self.layout.wall_point(slot)
        return State(
            x + self.scatter(0.3), y + self.scatter(0.4), z, 90.0 * slot.side, Pose.FACE_DOWN
        )

    def meld_states(self, seat: Seat, count: int, sideways: int | None) -> list[State]:
        """Places for a new set, left to right; takes the room for good."""
        layout = self.layout
        widths = [layout.tile_h if index == sideways else layout.tile_w for index in range(count)]
        left = self.meld_edge[seat] - sum(widths) - 0.6 * (count - 1)
        self.meld_edge[seat] = left - layout.meld_gap
        states = []
        for index, width in enumerate(widths):
            lying = index == sideways
            # A sideways tile is flush with the others on the player's side.
            offset = layout.meld_offset + ((layout.tile_h - layout.tile_w) / 2 if lying else 0.0)
            x, y = to_table(seat, left + width / 2 + self.scatter(0.25), offset + self.scatter(0.8))
            angle = 90.0 * seat + self.scatter(1.0) + (90.0 if lying else 0.0)
            states.append(State(x, y, 0.0, angle, Pose.FACE_UP))
            left += width + 0.6
        return states

    def sink(self, token: Token, t: float) -> None:
        """The upper tile of a stack comes down where the lower one is drawn from below it."""
        if self.slot(token).layer == "bottom":
            upper = self.stage.tiles[token - 1]
            if upper.place(t) == "wall":
                upper.move(t, t + _SINKS_S, self.wall_state(token), "wall")

    def apart_state(self, seat: Seat) -> State:
        """Where a drawn tile stands until it is decided upon: right of every tile of the row."""
        row = self.rows[seat]
        first = self.layout.hand_right(0)
        pitch = self.layout.hand_right(1) - first
        lasts = [self.stage.tiles[token].last for token in row]
        taken = [(to_side(seat, last.x, last.y)[0] - first) / pitch for last in lasts]
        # A row that has a gap reaches farther than its number says.
        return self.hand_state(seat, max([len(row) + 0.7, *(index + 1.4 for index in taken)]))

    @cached_property
    def across(self) -> float:
        """From corner to corner of a tile, mm: those farther apart are not within each other."""
        return math.hypot(self.layout.tile_w, self.layout.tile_h)

    def within(self, one: State, other: State, touch: float = 0.0) -> bool:
        """Whether two tiles that lie flat would be partly in the same place, beyond a touch."""
        if distance((one.x, one.y), (other.x, other.y)) > self.across:
            return False
        size = (self.layout.tile_w - touch, self.layout.tile_h - touch)
        kind, _ = cv2.rotatedRectangleIntersection(
            ((one.x, one.y), size, one.angle), ((other.x, other.y), size, other.angle)
        )
        return bool(kind != cv2.INTERSECT_NONE)

    def fault(self, step: do.Fault) -> None:
        """Write down an infraction at the decisive time of the last step, or of its beginning."""
        begun = self.mark
        if step.discarded is not None:
            begun = self.laid_at[step.discarded]
        elif step.since is not None and step.seat is not None:
            begun = self.marks.get((step.since, step.seat), begun)
        evident = begun if step.at_once else max(self.mark, self.evident)
        if step.counted:
            evident = max(evident, self.counts_at.get(step.seat, evident))
        self.stage.infractions.append(
            Infraction(
                begun,
                step.id,
                step.seat,
                evident,
                step.stage,
                dict(step.detail),
            )
        )

    def new_tile(self, token: Token, t: float, state: State) -> TileTrack:
        """A tile comes out of the machine."""
        track = TileTrack(t, state, "wall")
        self.stage.tiles[token] = track
        return track


def _mean(values: Any) -> float:
    found = list(values)
    return float(sum(found) / len(found))
