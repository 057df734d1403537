"""What a cheat does, as motion: a tile exchanged, a tile that disappears."""

from __future__ import annotations

from typing import Final

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.actor import Actor
from hardware.virtual_table.play.motion import State, TileTrack, Tip
from hardware.virtual_table.scene import Pose
from table_controller.domain import happenings as hp

_FOREIGN: Final = 10_000
"""From here on tokens are of tiles that never stood in a wall."""


class Sleights(Actor):
    """Actions that nobody is meant to see."""

    def swap_tile(self, step: do.SwapTile) -> None:
        """The tile of the set joins the row, and one of the row takes its place."""
        seat, laid, own = step.seat, step.laid, step.own
        place = self.stage.tiles[laid].last
        row = self.rows[seat]
        t = self.reach(seat, self.t + self.lasting(0.3), (place.x, place.y), z=26.0, grip=0.5)
        home = self.hand_state(seat, len(row) + 0.7)
        t = self.carry(seat, t + 0.05, [laid], [home], f"hand {seat}", lift=24.0, flip=0.7)
        t = self.reach(seat, t, self.at(own, t), z=34.0)
        end = State(place.x, place.y, place.z, place.angle, Pose.FACE_UP)
        rest = self.carry(seat, t + 0.05, [own], [end], f"meld {seat}", lift=24.0, flip=0.4)
        row.remove(own)
        row.append(laid)
        number = next(n for n, tokens in enumerate(self.laid[seat]) if laid in tokens)
        tokens = tuple(own if token == laid else token for token in self.laid[seat][number])
        self.laid[seat][number] = tokens
        self.tell(
            hp.MeldShown(t=rest, seat=seat, tiles=tuple(self.faces[token] for token in tokens))
        )
        self.mark = self.evident = rest
        self.t = self.settle_row(seat, rest + 0.1)

    def hide_tile(self, step: do.HideTile) -> None:
        """The hand closes over a standing tile at the rail and takes it off the table."""
        seat, token = step.seat, step.token
        there = self.reach(seat, self.t + self.lasting(0.3), self.at(token, self.t), z=30.0)
        home = self.arm(seat).home
        last = self.stage.tiles[token].last
        away = State(home.x, home.y, last.z, last.angle, Pose.STANDING)
        gone = self.carry(seat, there + 0.1, [token], [away], "sleeve", lift=6.0, seconds=0.5)
        self.stage.tiles[token].gone = gone
        self.rows[seat].remove(token)
        if self.loose[seat] == token:
            self.loose[seat] = None
        self.arm(seat).move(gone, gone + 0.05, Tip(home.x, home.y, home.z, 0.6))
        self.t = self.settle_row(seat, gone + 0.3)
        self.mark = self.evident = self.t

    def add_tile(self, step: do.AddTile) -> None:
        """A tile out of the sleeve is stood at the end of the row."""
        seat, token = step.seat, _FOREIGN + len(self.stage.tiles)
        self.faces[token] = step.face
        home = self.arm(seat).home
        end = self.hand_state(seat, len(self.rows[seat]) + 0.1)
        t = self.reach(seat, self.t + self.lasting(0.3), (end.x, end.y), z=30.0, grip=0.7)
        away = State(home.x, home.y, 0.0, end.angle, Pose.STANDING)
        begin = t - 0.45
        self.stage.tiles[token] = TileTrack(begin, away, "sleeve")
        self.stage.tiles[token].move(begin, t, end, f"hand {seat}")
        self.rows[seat].append(token)
        self.t = self.settle_row(seat, t + 0.3)
        self.mark = self.evident = self.t

    def settle_row(self, seat: hp.Seat, t: float) -> float:
        """The row is closed up and can be counted; returns when."""
        rest = max(t, self.tidy(seat, t))
        self.withdraw(seat, rest)
        self.count(seat, rest + 0.3)
        return rest + 0.4
