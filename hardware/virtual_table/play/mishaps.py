"""What goes wrong, as motion: early hands, fallen tiles, pushed walls, things taken back."""

from __future__ import annotations

from collections.abc import Sequence

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.actor import Actor
from hardware.virtual_table.play.layout import to_side, to_table
from hardware.virtual_table.play.motion import State, Tip
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.scene import Pose
from table_controller.domain import happenings as hp
from table_controller.domain.happenings import DrawStage, Seat
from table_controller.domain.tiles import Tile


class Mishaps(Actor):
    """Actions that a legal game does not have."""

    # -- draws --------------------------------------------------------------------------------

    def draw_in_stages(self, step: do.Draw) -> None:
        """Touch, lift, look, join the hand: as far as ``upto``, each told by itself."""
        seat, token = step.seat, step.token
        slots = (self.slot(token),)

        def tell(t: float, stage: DrawStage) -> None:
            self.tell(hp.TileDrawn(t=t, seat=seat, slots=slots, stage=stage))
            if stage == step.upto:
                self.evident = t

        start = self.t
        x, y = self.at(token, self.t)
        if step.premature:
            arm = self.arm(seat)
            wanted = self.discard_rest - 0.7
            tip = arm.tip(wanted)
            start = wanted - self.way((tip.x, tip.y), (x, y))
        top = self.stage.tiles[token].last.z + 20
        t = self.reach(seat, start, (x, y), z=top)
        tell(t, "touched")
        self.mark = t
        if step.upto == "touched":
            t += 0.35
            # How far it went is known when the hand lets go, that it was early with the discard.
            self.evident = max(t, self.discard_rest) if step.premature else t
            self.busy[seat] = t
            self.withdraw(seat, t)
            self.t = max(self.t, t + 0.1)
            return
        base = self.stage.tiles[token].last
        up = State(x, y, base.z + 42, base.angle, Pose.FACE_DOWN)
        t = self.carry(seat, t + 0.1, [token], [up], f"held {seat}", lift=0.0, seconds=0.25)
        self.feel_wall(t - 0.12, [token], present=False)
        tell(t, "lifted")
        self.held[token] = seat
        if step.upto != "lifted":
            right, offset = to_side(seat, x, y)
            hx, hy = to_table(seat, right * 0.75, (offset + 2 * self.layout.meld_offset) / 3)
            look = State(hx, hy, 62.0, 90.0 * seat, Pose.STANDING)
            t = self.carry(seat, t + 0.1, [token], [look], f"held {seat}", lift=8.0, seconds=0.35)
            tell(t, "seen")
        if step.upto == "taken":
            end = self.apart_state(seat)
            self.sink(token, t + 0.15)
            t = self.carry(seat, t + 0.15, [token], [end], f"hand {seat}", lift=10.0)
            del self.held[token]
            self.rows[seat].append(token)
            self.loose[seat] = token
            tell(t, "taken")
        self.t = max(self.t, t)

    def put_back(self, step: do.PutBack) -> None:
        """A tile goes back to its slot of the wall."""
        seat, token = step.seat, step.token
        t = self.t + self.lasting(0.45)
        if self.held.pop(token, None) is None:
            t = self.reach(seat, t, self.at(token, t), z=36.0)
            self.rows[seat].remove(token)
            if self.loose[seat] == token:
                self.loose[seat] = None
        rest = self.carry(seat, t, [token], [self.wall_state(token)], "wall", lift=25.0)
        self.feel_wall(rest, [token], present=True)
        self.tell(hp.TileReturned(t=rest, seat=seat, slots=(self.slot(token),)))
        self.evident = rest
        self.withdraw(seat, rest + 0.08)
        self.t = rest + self.lasting(0.2)

    def put_back_deal(self, step: do.PutBackDeal) -> None:
        """Tiles lifted in the deal go back to their stacks, all together."""
        seat = step.seat
        states = [self.wall_state(token) for token in step.tokens]
        rest = self.carry(seat, self.t + 0.5, step.tokens, states, "wall", lift=20.0)
        for token in step.tokens:
            self.held.pop(token, None)
        self.feel_wall(rest, step.tokens, present=True)
        slots = tuple(self.slot(token) for token in step.tokens)
        self.tell(hp.TileReturned(t=rest, seat=seat, slots=slots))
        self.withdraw(seat, rest + 0.05)
        self.t = self.evident = rest + self.lasting(0.2)

    def straighten_wall(self, step: do.StraightenWall) -> None:
        """A player pushes his wall straight."""
        by = step.by
        first, last = self.at(step.tokens[0], self.t), self.at(step.tokens[-1], self.t)
        there = self.reach(by, self.t, first, z=24.0)
        end = there + self.lasting(0.7)
        for token in step.tokens:
            self.stage.tiles[token].move(there, end, self.wall_state(token), "wall")
        self.arm(by).move(there, end, Tip(last[0], last[1], 24.0, 0.2))
        self.busy[by] = end
        self.withdraw(by, end)
        self.t = end + self.lasting(0.2)

    # -- things taken back --------------------------------------------------------------------

    def retract(self, step: do.Retract) -> None:
        """A discard goes back to the hand."""
        seat, token = step.seat, step.token
        there = self.reach(seat, self.t + 0.35, self.at(token, self.t), z=20.0)
        end = self.hand_state(seat, len(self.rows[seat]) + 0.7)
        rest = self.carry(seat, there + 0.05, [token], [end], f"hand {seat}", flip=0.8)
        self.rows[seat].append(token)
        self.loose[seat] = token
        self.place_of[token] = None
        self.tell(hp.TileRetracted(t=rest, seat=seat, tile=self.faces[token]))
        self.mark = self.evident = rest
        self.t = rest + self.lasting(0.3)

    def take_back_meld(self, step: do.TakeBackMeld) -> None:
        """The last set shown goes back where its tiles came from."""
        seat = step.seat
        laid = self.laid[seat].pop()
        t = self.t + 0.6
        begin = self.reach(seat, t, self.at(laid[0], t), z=24.0)
        states = []
        for index, _ in enumerate(laid):
            states.append(self.hand_state(seat, len(self.rows[seat]) + index))
        rest = self.carry(seat, begin + 0.05, laid, states, f"hand {seat}", lift=30.0, flip=0.7)
        self.rows[seat].extend(laid)
        self.t = rest + 0.1

    def hide_hand(self, step: do.HideHand) -> None:
        """An opened hand is stood up again; a fetched discard goes back to its pool."""
        seat = step.seat
        t = self.t + self.lasting(0.6)
        row = self.rows[seat]
        begin = self.reach(seat, t, self.hand_point(seat, len(row) / 2), z=30.0)
        states = [self.hand_state(seat, index) for index in range(len(row))]
        rest = self.carry(seat, begin + 0.05, row, states, f"hand {seat}", lift=0.0, seconds=0.45)
        apart, self.apart[seat] = self.apart[seat], None
        if apart is not None:
            end = self.hand_state(seat, len(row) + 0.7)
            t = self.reach(seat, rest, self.at(apart, rest), z=26.0)
            rest = self.carry(seat, t + 0.04, [apart], [end], f"hand {seat}", lift=12.0)
            row.append(apart)
            self.loose[seat] = apart
        self.tell(hp.HandHidden(t=rest, seat=seat))
        self.withdraw(seat, rest + 0.05)
        self.mark = self.evident = rest
        self.t = rest + self.lasting(0.2)

    # -- exposure -----------------------------------------------------------------------------

    def expose_hand(self, step: do.ExposeHand) -> None:
        """Tiles of a hand fall over towards the middle, face up, and are stood up again."""
        seat, by = step.seat, step.by
        t = self.t + self.lasting(0.1)
        # A tile that was just drawn may still be sorted in: it falls from where it stands then.
        tracks = [self.stage.tiles[token] for token in step.tokens]
        stands = tracks[0].last
        there = self.reach(by, t, self._beside(by, (stands.x, stands.y)), z=40.0, grip=0.2)
        fallen = self._fall(seat, step.tokens, max(there, *(track.rests for track in tracks)))
        for token in step.tokens:
            self.tell(
                hp.TileExposed(t=fallen, where="hand", seat=seat, tile=self.faces[token], by=by)
            )
        self.mark = self.evident = fallen
        if by != seat:
            self.withdraw(by, fallen + 0.1)
        up = fallen + step.lie
        back = self.reach(seat, up - 0.3, self.at(step.tokens[0], fallen), z=26.0)
        states = [self.hand_state(seat, self.rows[seat].index(token)) for token in step.tokens]
        rest = self.carry(
            seat, max(up, back), step.tokens, states, f"hand {seat}", lift=12.0, seconds=0.35
        )
        for token in step.tokens:
            self.tell(
                hp.TileCovered(t=rest, where="hand", seat=seat, tile=self.faces[token], by=seat)
            )
        self.withdraw(seat, rest + 0.05)
        self.count(seat, rest + 0.1)
        self.t = rest + self.lasting(0.25)

    def _beside(self, by: Seat, point: tuple[float, float]) -> tuple[float, float]:
        """A point a little nearer to the arm's own rail, so that it does not cover the tile."""
        right, offset = to_side(by, *point)
        return to_table(by, right + 28.0, min(self.layout.half - 20, offset + 26.0))

    def _fall(self, seat: Seat, tokens: Sequence[Token], t: float) -> float:
        end = t + 0.24
        for token in tokens:
            track = self.stage.tiles[token]
            right, offset = to_side(seat, track.last.x, track.last.y)
            x, y = to_table(seat, right + self.scatter(1.0), offset - 23.0 + self.scatter(1.0))
            down = State(x, y, 0.0, 90.0 * seat + self.scatter(3.0), Pose.FACE_UP)
            track.move(max(t, track.move_at(t).t0), end, down, f"hand {seat}", flip=0.45, lift=4.0)
        return end

    def expose_wall(self, step: do.ExposeWall) -> None:
        """A wall tile is knocked over face up where it stood, and turned down again."""
        token, by = step.token, step.by
        slot = self.slot(token)
        t = self.t + self.lasting(0.1)
        there = self.reach(by, t, self._beside(by, self.at(token, t)), z=46.0, grip=0.2)
        track = self.stage.tiles[token]
        old = track.last
        dx, dy = to_table(slot.side, self.scatter(2.0), -7.0 + self.scatter(2.0))
        over = State(old.x + dx, old.y + dy, old.z, old.angle + self.scatter(6), Pose.FACE_UP)
        fallen = there + 0.28
        track.move(there, fallen, over, "wall", lift=22.0, flip=0.5)
        tile = self.faces[token]
        self.tell(
            hp.TileExposed(t=fallen, where=step.where, seat=None, tile=tile, by=by, slot=slot)
        )
        self.feel(there, "vibration", strength=0.3)
        self.mark = self.evident = fallen
        self.withdraw(by, fallen + 0.12)
        back = self.reach(by, fallen + step.lie - 0.35, (over.x, over.y), z=old.z + 22)
        rest = self.carry(
            by, back + 0.05, [token], [self.wall_state(token)], "wall", lift=24.0, seconds=0.35
        )
        self.tell(hp.TileCovered(t=rest, where=step.where, seat=None, tile=tile, by=by, slot=slot))
        self.withdraw(by, rest + 0.05)
        self.t = rest + self.lasting(0.25)

    # -- kongs --------------------------------------------------------------------------------

    def turn_meld(self, seat: Seat, tokens: tuple[Token, ...], pose: Pose) -> float:
        """A set is turned up or down where it lies; tells of it."""
        there = self.reach(seat, self.t, self.at(tokens[1], self.t), z=26.0)
        states = []
        for token in tokens:
            old = self.stage.tiles[token].last
            states.append(State(old.x, old.y, old.z, old.angle, pose))
        rest = self.carry(
            seat, there + 0.05, tokens, states, f"meld {seat}", lift=20.0, flip=0.5, seconds=0.4
        )
        up = pose is Pose.FACE_UP
        tiles = tuple(self.faces[token] if up else Tile.BACK for token in tokens)
        hidden = () if up else tuple(range(len(tokens)))
        self.tell(hp.MeldShown(t=rest, seat=seat, tiles=tiles, face_down=hidden))
        self.t = rest + self.lasting(0.1)
        return rest
