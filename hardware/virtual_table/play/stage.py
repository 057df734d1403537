"""The stage: all tracks of one hand, and what machine and truth say about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from hardware.virtual_table.play.dice_track import DieTrack
from hardware.virtual_table.play.layout import SIDES, Layout, to_side, to_table
from hardware.virtual_table.play.motion import ArmTrack, TileTrack, Tip
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.scene import ArmBody, Scene, StickBody, TileBody
from table_controller.domain.happenings import Happening, Seat

InputKind = Literal["wall", "key", "state", "dice", "stick", "vibration", "lost"]


@dataclass(frozen=True, slots=True)
class MachineInput:
    """What a sensor of the machine feels at a time.

    ``wall``: ``side`` and ``bits``, one bool per stack 1..; ``key``: ``seat`` and ``call``;
    ``state``: ``state`` of the machine's cycle; ``dice``: ``tray``, they lie at the dealer's;
    ``stick``: ``seat`` and ``present``; ``vibration``: ``strength`` 0..1; ``lost``: so many
    ``stacks`` of tiles lie under the machine, where nothing feels them.
    """

    t: float
    kind: InputKind
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Infraction:
    """A truth line about an injected infraction; ``evident`` when it could be known."""

    t: float
    id: str
    seat: Seat | None
    evident: float
    stage: str | None = None
    detail: dict[str, object] = field(default_factory=dict)

    def to_object(self) -> dict[str, object]:
        """The line of ``truth.jsonl`` (contract, section 6)."""
        line: dict[str, object] = {
            "t": self.t,
            "kind": "infraction",
            "id": self.id,
            "seat": self.seat,
            "evident": self.evident,
        }
        if self.stage is not None:
            line["stage"] = self.stage
        return line | self.detail


@dataclass(frozen=True, slots=True)
class LaidStick:
    """A riichi stick that lies on the table from ``since`` until ``until``."""

    since: float
    until: float
    body: StickBody


SHOULDER: Final = 90.0
"""How far to the right of the player's axis the right arm comes over the rail, mm."""


class Stage:
    """Tracks of everything that moves in one hand, in seconds from the start of the session."""

    def __init__(self, layout: Layout, t0: float) -> None:
        self.layout = layout
        self.t0 = t0
        self.end = t0
        self.tiles: dict[Token, TileTrack] = {}
        self.keys: dict[Token, int] = {}
        self.faces: dict[Token, str] = {}
        self.face_of: dict[int, str] = {}
        self.dice: list[DieTrack] = []
        self.previous: Stage | None = None
        """The hand before, whose tiles still lie on the table at the start."""
        self.swept: dict[int, TileTrack] = {}
        """By key: the way of those tiles into the machine."""
        self.sticks: dict[Seat, LaidStick] = {}
        self.sticks_before: list[LaidStick] = []
        """Sticks of the hand before, until somebody takes them."""
        self.arms = {side: ArmTrack(self._home(side)) for side in SIDES}
        self.referee: ArmTrack | None = None
        self.referee_side: Seat = 0
        self.truth: list[Happening] = []
        self.infractions: list[Infraction] = []
        self.inputs: list[MachineInput] = []

    def _home(self, side: int) -> Tip:
        x, y = to_table(side, SHOULDER + 40, self.layout.half + 90)
        return Tip(x, y, 60.0)

    def referee_arm(self, side: Seat) -> ArmTrack:
        """The referee's arm, over the corner at the right of ``side``."""
        x, y = to_table(side, self.layout.half - 60, self.layout.half + 90)
        self.referee, self.referee_side = ArmTrack(Tip(x, y, 60.0)), side
        return self.referee

    def scene(self, t: float) -> Scene:
        """The table at ``t``."""
        tiles = [
            _body(self.keys[token], self.faces[token], track, t)
            for token, track in self.tiles.items()
            if track.begins <= t < track.gone
        ]
        if self.previous is not None:
            for key, track in self.swept.items():
                if t < track.gone:
                    tiles.append(_body(key, self.previous.face_of[key], track, t))
        dice = tuple(body for die in self.dice if (body := die.body(t)) is not None)
        laid = (*self.sticks_before, *self.sticks.values())
        sticks = tuple(stick.body for stick in laid if stick.since <= t < stick.until)
        return Scene(t, tuple(tiles), dice, sticks, tuple(self._arms(t)))

    def _arms(self, t: float) -> list[ArmBody]:
        arms = []
        for side, arm in self.arms.items():
            if not arm.withdrawn(t):
                arms.append(self._arm(side, arm, t, SHOULDER))
        if self.referee is not None and not self.referee.withdrawn(t):
            arms.append(self._arm(self.referee_side, self.referee, t, self.layout.half - 60))
        return arms

    def _arm(self, side: Seat, arm: ArmTrack, t: float, shoulder: float) -> ArmBody:
        tip = arm.tip(t)
        speed, heading = arm.velocity(t)
        right, offset = to_side(side, tip.x, tip.y)
        reach = max(0.0, min(1.0, (self.layout.half - offset) / self.layout.half))
        # The forearm swings about the shoulder: the further in, the nearer to straight.
        over = shoulder + (right - shoulder) * (0.75 - 0.35 * reach)
        over = max(-self.layout.half + 40, min(self.layout.half - 40, over))
        # A hand that is still (or again) over the rail has its forearm behind it.
        elbow = to_table(side, over, max(self.layout.half, offset + 80.0))
        grip = max(0.0, min(1.0, tip.grip))
        return ArmBody(side, tip.x, tip.y, tip.z, elbow, grip, speed, heading)

    def places(self, t: float) -> dict[int, str]:
        """Where each tile key belongs at ``t``: ``machine``, ``wall``, ``hand 0``, ``pool 2``..."""
        found = {}
        for token, key in self.keys.items():
            track = self.tiles.get(token)
            outside = track is not None and track.begins <= t < track.gone
            found[key] = track.place(t) if track is not None and outside else "machine"
        for key, track in self.swept.items():
            if t < track.gone:
                found[key] = track.place(t)
        return found


def _body(key: int, face: str, track: TileTrack, t: float) -> TileBody:
    # Most tiles lie still, from one scene to the next.
    move = track.move_at(t)
    lying = track.lying
    if t >= move.t1 and lying is not None and lying[0] is move and lying[1].face == face:
        return lying[1]
    state = track.state(t)
    speed, heading = track.velocity(t)
    body = TileBody(
        key, face, state.x, state.y, state.z, state.angle % 360.0, state.pose, state.tilt, speed,
        heading,
    )  # fmt: skip
    if t >= move.t1:
        track.lying = move, body
    return body


def distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Between two points of the table, mm."""
    return math.hypot(a[0] - b[0], a[1] - b[1])
