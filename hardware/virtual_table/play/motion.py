"""Continuous motion: tracks of tiles, dice and arms that can be asked for any time.

A track is a list of moves; between two moves the thing rests where the last one ended. Moves
follow the minimum-jerk profile of reaching hands (Flash and Hogan 1985), bowed sideways and
lifted over what lies between. Starting a move while another one is under way continues from
where the thing is at that moment, so nothing ever jumps.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Final

from hardware.virtual_table.scene import Pose, TileBody

_STEP: Final = 0.004
"""Half the time between the two samples from which a speed is taken, s."""


def ease(u: float) -> float:
    """The minimum-jerk profile: 0..1 in time to 0..1 of the way."""
    if u <= 0.0:
        return 0.0
    if u >= 1.0:
        return 1.0
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))


def bump(s: float) -> float:
    """How far a thing is lifted at part ``s`` of its way: up at once, along, and down."""
    centred = 2.0 * s - 1.0
    return 1.0 - centred**4


@dataclass(frozen=True, slots=True)
class State:
    """Where a tile is and how it lies; the same values as a tile of the scene."""

    x: float
    y: float
    z: float
    angle: float
    pose: Pose
    tilt: float = 0.0


@dataclass(frozen=True, slots=True)
class TileMove:
    """One move of a tile. ``flip`` is the part of the way at which its pose changes."""

    t0: float
    t1: float
    start: State
    end: State
    bow: float = 0.0
    lift: float = 0.0
    flip: float = 0.5
    place: str = ""

    def at(self, t: float) -> State:
        """The state at a time from ``t0`` to ``t1``."""
        s = ease((t - self.t0) / (self.t1 - self.t0)) if self.t1 > self.t0 else 1.0
        a, b = self.start, self.end
        dx, dy = b.x - a.x, b.y - a.y
        side = self.bow * 4.0 * s * (1.0 - s)
        length = math.hypot(dx, dy) or 1.0
        return State(
            a.x + dx * s - dy / length * side,
            a.y + dy * s + dx / length * side,
            a.z + (b.z - a.z) * s + self.lift * bump(s),
            a.angle + (b.angle - a.angle) * s,
            a.pose if s < self.flip else b.pose,
            a.tilt + (b.tilt - a.tilt) * s,
        )


def nearest_turn(angle: float, reference: float) -> float:
    """The same direction as ``angle``, written so that it is within 180 degrees of the other."""
    return reference + (angle - reference + 180.0) % 360.0 - 180.0


class TileTrack:
    """The whole way of one tile through one hand."""

    def __init__(self, t: float, state: State, place: str) -> None:
        self._moves: list[TileMove] = [TileMove(t, t, state, state, place=place)]
        self._starts: list[float] = [t]
        self.gone: float = math.inf
        """When the tile has sunk back into the machine."""
        self.lying: tuple[TileMove, TileBody] | None = None
        """The tile of a scene in which it lay, and the move that brought it there."""

    @property
    def begins(self) -> float:
        """When the tile comes out of the machine."""
        return self._starts[0]

    @property
    def last(self) -> State:
        """Where it comes to rest after its last move."""
        return self._moves[-1].end

    @property
    def rests(self) -> float:
        """When its last move is over."""
        return self._moves[-1].t1

    def move(
        self,
        t0: float,
        t1: float,
        end: State,
        place: str,
        *,
        bow: float = 0.0,
        lift: float = 0.0,
        flip: float = 0.5,
    ) -> TileMove:
        """Add a move; one still under way at ``t0`` is broken off there.

        ``place`` names where the tile belongs from ``t0`` on (``wall``, ``hand 2``, ...).
        """
        if t0 < self._starts[-1]:
            raise ValueError(f"move at {t0:.3f} is older than the last one at {self._starts[-1]}")
        start = self.state(t0)
        end = replace(end, angle=nearest_turn(end.angle, start.angle))
        # What is left of a broken move is never asked for: state() looks the newest up.
        added = TileMove(t0, max(t1, t0 + 1e-6), start, end, bow, lift, flip, place)
        self._moves.append(added)
        self._starts.append(t0)
        return added

    def move_at(self, t: float) -> TileMove:
        """The newest move that has begun at ``t``."""
        return self._moves[max(0, bisect_right(self._starts, t) - 1)]

    def state(self, t: float) -> State:
        """Where the tile is at ``t``."""
        move = self.move_at(t)
        return move.end if t >= move.t1 else move.at(max(t, move.t0))

    def place(self, t: float) -> str:
        """Where the tile belongs at ``t``."""
        return self.move_at(t).place

    def velocity(self, t: float) -> tuple[float, float]:
        """Speed in mm/s and heading in degrees at ``t``; 0, 0 at rest."""
        move = self.move_at(t)
        if not move.t0 < t < move.t1:
            return 0.0, 0.0
        a, b = move.at(max(move.t0, t - _STEP)), move.at(min(move.t1, t + _STEP))
        span = min(move.t1, t + _STEP) - max(move.t0, t - _STEP)
        dx, dy = b.x - a.x, b.y - a.y
        speed = math.hypot(dx, dy) / span if span > 0 else 0.0
        return speed, math.degrees(math.atan2(dy, dx)) if speed else 0.0


@dataclass(frozen=True, slots=True)
class Tip:
    """Fingertips: x, y, z in mm and how far the hand is closed (0..1)."""

    x: float
    y: float
    z: float
    grip: float = 0.0


@dataclass(frozen=True, slots=True)
class _ArmMove:
    t0: float
    t1: float
    start: Tip
    end: Tip
    bow: float
    lift: float

    def at(self, t: float) -> Tip:
        s = ease((t - self.t0) / (self.t1 - self.t0)) if self.t1 > self.t0 else 1.0
        a, b = self.start, self.end
        dx, dy = b.x - a.x, b.y - a.y
        side = self.bow * 4.0 * s * (1.0 - s)
        length = math.hypot(dx, dy) or 1.0
        return Tip(
            a.x + dx * s - dy / length * side,
            a.y + dy * s + dx / length * side,
            a.z + (b.z - a.z) * s + self.lift * bump(s),
            a.grip + (b.grip - a.grip) * min(1.0, 1.4 * s),
        )


class ArmTrack:
    """The way of one arm; it starts and rests at ``home``, out of the picture."""

    def __init__(self, home: Tip) -> None:
        self.home = home
        self._moves: list[_ArmMove] = [_ArmMove(-1e9, -1e9, home, home, 0.0, 0.0)]
        self._starts: list[float] = [-1e9]

    @property
    def begun_at(self) -> float:
        """When its last move began."""
        return self._starts[-1]

    def tip(self, t: float) -> Tip:
        """Where the fingertips are at ``t``."""
        move = self._moves[max(0, bisect_right(self._starts, t) - 1)]
        return move.end if t >= move.t1 else move.at(max(t, move.t0))

    def move(self, t0: float, t1: float, end: Tip, *, bow: float = 0.0, lift: float = 0.0) -> None:
        """Add a move; one still under way at ``t0`` is broken off there."""
        if t0 < self._starts[-1]:
            raise ValueError(f"arm move at {t0:.3f} is older than the last one")
        self._moves.append(_ArmMove(t0, max(t1, t0 + 1e-6), self.tip(t0), end, bow, lift))
        self._starts.append(t0)

    def velocity(self, t: float) -> tuple[float, float]:
        """Speed of the fingertips in mm/s and its heading in degrees at ``t``; 0, 0 at rest."""
        move = self._moves[max(0, bisect_right(self._starts, t) - 1)]
        if not move.t0 < t < move.t1:
            return 0.0, 0.0
        early, late = max(move.t0, t - _STEP), min(move.t1, t + _STEP)
        a, b = move.at(early), move.at(late)
        speed = math.hypot(b.x - a.x, b.y - a.y) / (late - early)
        return speed, math.degrees(math.atan2(b.y - a.y, b.x - a.x)) if speed else 0.0

    def withdrawn(self, t: float) -> bool:
        """Whether the arm is out of the picture at ``t``."""
        tip = self.tip(t)
        return tip.x == self.home.x and tip.y == self.home.y
