"""Riichi's own moves as motion: indicators, sticks, norths, hands turned face down."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.actor import Actor
from hardware.virtual_table.play.layout import to_side, to_table
from hardware.virtual_table.play.motion import State, Tip
from hardware.virtual_table.play.stage import LaidStick
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.scene import Pose, StickBody
from table_controller.domain import happenings as hp
from table_controller.domain.happenings import Seat

_BEFORE = ((0, 1), (-1, 1), (1, 1), (0, 2))
"""Where a tile may be laid before its wall: so far along it and from it, in lengths of a tile."""
_TOUCH_MM = 1.0
"""Tiles side by side are a little off their places."""


class RiichiMotion(Actor):
    """What only riichi players do."""

    def turn_indicator(self, step: do.TurnIndicator) -> None:
        """A tile of the dead wall is turned over in its place."""
        seat, token = step.seat, step.token
        rest = self._turn_up(seat, token, self.t + self.lasting(0.15))
        self._tell_indicator(rest, seat, token)
        self.withdraw(seat, rest + 0.05)
        self.mark = self.evident = rest
        self.t = rest + self.lasting(0.2)

    def _turn_up(self, seat: Seat, token: Token, t: float) -> float:
        """The arm turns one tile face up where it lies; returns when it rests."""
        old = self.stage.tiles[token].last
        there = self.reach(seat, t, (old.x, old.y), z=old.z + 20)
        end = State(old.x, old.y, old.z, old.angle + self.scatter(1.0), Pose.FACE_UP)
        return self.carry(
            seat, there + 0.06, [token], [end], "wall", lift=30.0, flip=0.5, seconds=0.4
        )

    def _tell_indicator(self, t: float, seat: Seat, token: Token) -> None:
        tile, slot = self.faces[token], self.slot(token)
        self.tell(hp.IndicatorTurned(t=t, tile=tile, slot=slot, seat=seat))

    def cover_indicator(self, step: do.CoverIndicator) -> None:
        """The tile is turned down where it lies."""
        seat, token, t = step.seat, step.token, self.t + self.lasting(0.7)
        old = self.stage.tiles[token].last
        there = self.reach(seat, t, (old.x, old.y), z=old.z + 20)
        rest = self.carry(
            seat, there + 0.06, [token], [self.wall_state(token)], "wall", lift=30.0, seconds=0.4
        )
        self._cover(rest, seat, token)
        self.withdraw(seat, rest + 0.05)
        self.t = rest + self.lasting(0.2)

    def _cover(self, t: float, seat: Seat, token: Token) -> None:
        self.tell(
            hp.TileCovered(
                t=t, where="dead_wall", seat=None, tile=self.faces[token], by=seat,
                slot=self.slot(token),
            )
        )  # fmt: skip

    def peek_below(self, step: do.PeekBelow) -> None:
        """The indicator is laid before the wall, the tile below turned up, then both go back."""
        seat, upper, lower = step.seat, step.upper, step.lower
        old = self.stage.tiles[upper].last
        aside = self._before_the_wall(self.slot(upper).side, old)
        t = self.reach(seat, self.t + self.lasting(0.2), (old.x, old.y), z=old.z + 20)
        t = self.carry(seat, t + 0.05, [upper], [aside], "aside", lift=14.0, seconds=0.35)
        t = self._turn_up(seat, lower, t + 0.05)
        self.tell(
            hp.TileExposed(
                t=t, where="dead_wall", seat=None, tile=self.faces[lower], by=seat,
                slot=self.slot(lower),
            )
        )  # fmt: skip
        self.mark = self.evident = t
        there = self.reach(seat, t + step.lie, self.at(lower, t), z=30.0)
        down = self.carry(
            seat, there + 0.05, [lower], [self.wall_state(lower)], "wall", lift=30.0, seconds=0.4
        )
        self._cover(down, seat, lower)
        t = self.reach(seat, down, (aside.x, aside.y), z=20.0)
        rest = self.carry(seat, t + 0.05, [upper], [old], "wall", lift=20.0, seconds=0.35)
        self.withdraw(seat, rest + 0.05)
        self.t = rest + self.lasting(0.2)

    def turn_ura(self, step: do.TurnUra) -> None:
        """The open indicators go before the wall, and what lay under them is turned up."""
        seat, t = step.seat, self.t + self.lasting(0.3)
        laid: list[State] = []
        for upper, lower in zip(step.uppers, step.lowers, strict=True):
            old = self.stage.tiles[upper].last
            side = self.slot(upper).side
            aside = self._before_the_wall(side, old, laid)
            laid.append(aside)
            there = self.reach(seat, t, (old.x, old.y), z=old.z + 20)
            t = self.carry(seat, there + 0.05, [upper], [aside], "aside", lift=14.0, seconds=0.3)
            t = self._turn_up(seat, lower, t + 0.05)
            self._tell_indicator(t, seat, lower)
            self.mark = self.evident = t
        self.withdraw(seat, t + 0.05)
        self.t = t + self.lasting(0.3)

    def _other_walls(self, side: int) -> list[State]:
        """Where the tiles of the other sides' walls lie."""
        return [
            track.last
            for token, track in self.stage.tiles.items()
            if track.place(self.t) == "wall" and self.slot(token).side != side
        ]

    def _before_the_wall(self, side: int, old: State, laid: Sequence[State] = ()) -> State:
        """Where a tile of a wall is laid before it, clear of other walls and of what was laid."""
        around = [*laid, *self._other_walls(side)]
        clear = self.layout.tile_h + 3.0
        places = (to_table(side, clear * along, -clear * rows) for along, rows in _BEFORE)
        states = [State(old.x + dx, old.y + dy, 0.0, old.angle, Pose.FACE_UP) for dx, dy in places]
        for one in states:
            if not any(self.within(one, other, _TOUCH_MM) for other in around):
                return one
        return states[0]

    def place_stick(self, step: do.PlaceStick) -> None:
        """A stick comes from the drawer at the rail into the groove before the pool."""
        seat, layout = step.seat, self.layout
        drawer = to_table(seat, layout.hand_to * 0.6, layout.half - 12)
        there = self.reach(seat, self.t + self.lasting(0.15), drawer, z=20.0, grip=0.5)
        x, y = layout.stick_point(seat)
        x, y = x + self.scatter(1.2), y + self.scatter(1.0)
        end = self.reach(seat, there + 0.15, (x, y), z=14.0, grip=0.7)
        body = StickBody(x, y, (90.0 * seat + self.scatter(1.5)) % 360.0)
        self.stage.sticks[seat] = LaidStick(end, math.inf, body)
        self.feel(end, "stick", seat=seat, present=True)
        self.tell(hp.StickPlaced(t=end, seat=seat))
        self.withdraw(seat, end + 0.1)
        self.mark = self.evident = end
        self.t = end + self.lasting(0.1)

    def set_north(self, step: do.SetNorth) -> None:
        """A north is laid into its own row, apart from the sets."""
        seat, token = step.seat, step.token
        x, y = self.layout.north_point(seat, self.flowers[seat])
        self.flowers[seat] += 1
        end = State(
            x + self.scatter(0.3), y + self.scatter(0.6), 0.0, 90.0 * seat + self.scatter(1.2),
            Pose.FACE_UP,
        )  # fmt: skip
        there = self.reach(seat, self.t, self.at(token, self.t), z=36.0)
        rest = self.carry(seat, there + 0.05, [token], [end], f"north {seat}", lift=30.0)
        self.rows[seat].remove(token)
        if self.loose[seat] == token:
            self.loose[seat] = None
        self.tell(hp.NorthShown(t=rest, seat=seat))
        self.mark = self.evident = rest
        self.t = rest + self.lasting(0.05)

    def fold_hand(self, step: do.FoldHand) -> None:
        """The whole row is pushed over, faces down."""
        seat, row = step.seat, self.rows[step.seat]
        if not row:
            return
        self.loose[seat] = None
        begin = self.reach(seat, self.t + 0.1, self.hand_point(seat, len(row) / 2), z=30.0)
        states = []
        for token in row:
            last = self.stage.tiles[token].last
            right, _ = to_side(seat, last.x, last.y)
            x, y = to_table(seat, right, self.layout.hand_offset + self.scatter(0.8))
            states.append(State(x, y, 0.0, 90.0 * seat + self.scatter(1.0), Pose.FACE_DOWN))
        rest = self.carry(seat, begin + 0.05, row, states, f"hand {seat}", lift=0.0, seconds=0.35)
        self.arm(seat).move(rest, rest + 0.05, Tip(*self.hand_point(seat, len(row) / 2), 30.0, 0.2))
        self.withdraw(seat, rest + 0.1)
        self.mark = self.evident = rest
        self.t = rest + self.lasting(0.15)
