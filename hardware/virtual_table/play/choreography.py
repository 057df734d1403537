"""From the script of a hand to motion in continuous time: the moves of the game.

Each step of the script becomes reaches of arms and moves of tiles on a stage, with the
happenings they amount to. The opening stands in :mod:`hardware.virtual_table.play.opening`,
what goes wrong in :mod:`hardware.virtual_table.play.mishaps`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.layout import to_side, to_table
from hardware.virtual_table.play.mishaps import Mishaps
from hardware.virtual_table.play.motion import State, Tip
from hardware.virtual_table.play.opening import Opening
from hardware.virtual_table.play.pushing import Pushing
from hardware.virtual_table.play.riichi.motion import RiichiMotion
from hardware.virtual_table.play.sleights import Sleights
from hardware.virtual_table.play.steps import Step, Token
from hardware.virtual_table.scene import Pose
from table_controller.domain import happenings as hp
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile


class Choreography(Opening, RiichiMotion, Sleights, Mishaps, Pushing):
    """Plays a script on a stage."""

    def perform(self, script: list[Step]) -> None:
        """All steps in order."""
        table: dict[type, Callable[[Any], None]] = {
            do.TableState: self.table_state,
            do.MachineCycle: self.machine_cycle,
            do.ThrowDice: self.throw_dice,
            do.RemoveDice: self.remove_dice,
            do.DealTake: self.deal_take,
            do.PutBackDeal: self.put_back_deal,
            do.StraightenWall: self.straighten_wall,
            do.SortHands: self.sort_hands,
            do.Tidy: self.tidy_up,
            do.Draw: self.draw,
            do.PutBack: self.put_back,
            do.Discard: self.discard,
            do.Retract: self.retract,
            do.Claim: self.claim,
            do.TakeBackMeld: self.take_back_meld,
            do.ConcealedKong: self.concealed_kong,
            do.AddedKong: self.added_kong,
            do.ShowFlower: self.show_flower,
            do.Press: self.press,
            do.Pause: self.pause,
            do.ShowHand: self.show_hand,
            do.HideHand: self.hide_hand,
            do.CloseHand: self.close_hand,
            do.ExposeHand: self.expose_hand,
            do.ExposeWall: self.expose_wall,
            do.DisturbWall: self.disturb_wall,
            do.DisturbPool: self.disturb_pool,
            do.TurnIndicator: self.turn_indicator,
            do.TurnUra: self.turn_ura,
            do.CoverIndicator: self.cover_indicator,
            do.PeekBelow: self.peek_below,
            do.SwapTile: self.swap_tile,
            do.HideTile: self.hide_tile,
            do.AddTile: self.add_tile,
            do.PlaceStick: self.place_stick,
            do.SetNorth: self.set_north,
            do.FoldHand: self.fold_hand,
            do.Fault: self.fault,
            do.HandEnd: self.hand_end,
        }
        for step in script:
            table[type(step)](step)
            if (seat := getattr(step, "seat", None)) is not None:
                self.marks[type(step), seat] = self.mark
            if isinstance(step, do.Discard):
                self.laid_at[step.token] = self.mark
            self.stage.end = max(self.stage.end, self.t)

    # -- small things -------------------------------------------------------------------------

    def press(self, step: do.Press) -> None:
        """A seat button; the hand stays near the rail."""
        t = self.t + self.lasting(0.12)
        self.tell(hp.Call(t=t, seat=step.seat, call=step.call))
        self.feel(t, "key", seat=step.seat, call=step.call)
        self.mark = self.evident = t
        self.t = t

    def pause(self, step: do.Pause) -> None:
        """Nothing happens; in a long pause everybody leans back."""
        if step.seconds > 2.0:
            self._lean_back(self.t + 0.5)
        self.t += step.seconds
        if step.seconds > 2.0:
            # What takes too long begins long before it shows.
            self.evident = self.t

    def hand_end(self, step: do.HandEnd) -> None:  # noqa: ARG002 - handlers look alike
        """Everybody leans back."""
        self.t = max([self.t, *self.busy.values()])
        self._lean_back(self.t + 0.1)
        self.t = max([self.t, *self.busy.values()]) + 0.8
        self.stage.end = self.t

    def _lean_back(self, t: float) -> None:
        """The arms that are still over the table are drawn back."""
        for seat in self.seats:
            if not self.arm(seat).withdrawn(max(self.t, self.busy[seat])):
                self.withdraw(seat, t)

    # -- draw and discard ---------------------------------------------------------------------

    def draw(self, step: do.Draw) -> None:
        """From the wall to the right end of the row, standing apart."""
        if step.premature or step.staged or step.upto != "taken":
            self.draw_in_stages(step)
            return
        seat, token = step.seat, step.token
        if self.loose[seat] is not None:
            self.tidy(seat, max(self.t, self.busy[seat]), seconds=0.2, by_arm=False)
        x, y = self.at(token, self.t)
        there = self.reach(seat, self.t, (x, y), z=self.stage.tiles[token].last.z + 20)
        taken = self.carry(
            seat, there + 0.05, [token], [self.apart_state(seat)], f"hand {seat}", flip=0.75
        )
        self.sink(token, there + 0.05)
        self.feel_wall(there + 0.1, [token], present=False)
        self.rows[seat].append(token)
        self.loose[seat] = token
        self.tell(hp.TileDrawn(t=taken, seat=seat, slots=(self.slot(token),)))
        self.mark = self.evident = taken
        self.t = taken

    def tidy_up(self, step: do.Tidy) -> None:
        """The drawn tile goes among the others; the row can be counted."""
        rest = self.settle(step.seat, self.t + 0.1)
        if step.wait:
            self.t = rest + 0.1

    def discard(self, step: do.Discard) -> None:
        """From the hand to the pool; the row is closed up after it."""
        seat, token = step.seat, step.token
        begin = self.t + self.lasting(0.06) + step.think / self.pace
        there = self.reach(seat, begin, self.at(token, begin), z=34.0)
        if step.hold:
            there = self._hesitate(seat, token, there, step.hold)
        if step.astray is not None:
            x, y = to_table(seat, *step.astray)
            angle = 90.0 * seat + self.rng.uniform(-40, 40)
            end = State(x, y, 0.0, angle, Pose.FACE_UP)
        else:
            assert step.place is not None
            end = self.pool_state(seat, step.place, rotated=step.rotated)
            (self.turned[seat].add if step.rotated else self.turned[seat].discard)(step.place)
        self.place_of[token] = step.place
        lies = end if step.place is None else self.beside_others(seat, token, end)
        rest = self.carry(
            seat, there + 0.04, [token], [lies], f"pool {seat}", flip=0.25, toward=[end]
        )
        if token in self.rows[seat]:
            self.rows[seat].remove(token)
        if self.loose[seat] == token:
            self.loose[seat] = None
        self.tell(
            hp.TileDiscarded(
                t=rest,
                seat=seat,
                tile=self.faces[token],
                place=step.place,
                rotated=step.rotated,
                drawn=step.drawn,
            )
        )
        self.discard_from, self.discard_rest = there, rest
        self.mark = self.evident = rest
        self.t = rest + self.lasting(0.08)
        self.settle(seat, rest + 0.08)

    def _hesitate(self, seat: Seat, token: Token, t: float, hold: float) -> float:
        """The tile is held in the air over the meld line, its face still to the player."""
        right, _ = to_side(seat, *self.at(token, t))
        x, y = to_table(seat, right * 0.8, self.layout.wall_offset + 40)
        up = State(x, y, 70.0, 90.0 * seat, Pose.STANDING)
        end = self.carry(seat, t + 0.04, [token], [up], f"hand {seat}", lift=10.0)
        self.busy[seat] = end + hold
        return end + hold

    def settle(self, seat: Seat, t: float) -> float:
        """After a move: the row is put in order, counted, and the arm goes home."""
        rest = max(t, self.tidy(seat, t))
        self.withdraw(seat, rest)
        self.count(seat, rest + 0.05)
        return rest

    # -- claims, kongs, flowers ---------------------------------------------------------------

    def claim(self, step: do.Claim) -> None:
        """Call, fetch the discard, lay the set; or lay the own tiles of it before fetching."""
        seat, token = step.seat, step.token
        called = self.t + self.lasting(0.18)
        if step.press:
            self.tell(hp.Call(t=called, seat=seat, call=step.call))
            self.feel(called, "key", seat=seat, call=step.call)
        states = self.meld_states(seat, len(step.tokens), step.sideways)
        own = [each for each in step.tokens if each != token]
        places = [states[step.tokens.index(each)] for each in own]
        t = called
        if step.fetch_last:
            t = self._lay_from_hand(seat, own, places, t)
        if not step.leave:
            there = self.reach(seat, t, self.at(token, t), z=20.0)
            end = states[step.tokens.index(token)]
            t = self.carry(seat, there + 0.05, [token], [end], f"meld {seat}", flip=0.5)
            self.tell(
                hp.TileClaimed(
                    t=there + 0.1, seat=seat, tile=self.faces[token], from_=step.from_seat
                )
            )
            self.place_of[token] = None
        shown = t if step.fetch_last else self._lay_from_hand(seat, own, places, t)
        self.laid[seat].append(step.tokens)
        self.tell(
            hp.MeldShown(
                t=shown,
                seat=seat,
                tiles=tuple(self.faces[each] for each in step.tokens),
                claimed=step.claimed,
                sideways=step.sideways,
            )
        )
        self.mark = self.evident = shown
        self.t = shown + self.lasting(0.1)
        if step.call == "kong":
            self._close_up(seat, shown)

    def _close_up(self, seat: Seat, t: float) -> None:
        """The row is closed up where a kong has left it, before the replacement comes to it."""
        self.t = max(self.t, self.tidy(seat, t))

    def _lay_from_hand(
        self, seat: Seat, tokens: list[Token], states: list[State], t: float
    ) -> float:
        """Tiles of a hand are laid before it, together; the rest closes up later."""
        points = [self.at(token, t) for token in tokens]
        middle = (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
        there = self.reach(seat, t, middle, z=36.0)
        rest = self.carry(seat, there + 0.05, tokens, states, f"meld {seat}", lift=30.0, flip=0.4)
        for token in tokens:
            self.rows[seat].remove(token)
            if self.loose[seat] == token:
                self.loose[seat] = None
        return rest

    def concealed_kong(self, step: do.ConcealedKong) -> None:
        """Four tiles laid down, all (or some) of them face down."""
        seat = step.seat
        states = self.meld_states(seat, 4, None)
        for index in step.face_down:
            old = states[index]
            states[index] = State(old.x, old.y, old.z, old.angle, Pose.FACE_DOWN)
        shown = self._lay_from_hand(seat, list(step.tokens), states, self.t)
        self.laid[seat].append(step.tokens)
        self.show_kong(shown, seat, step.tokens, step.face_down)
        self.mark = self.evident = shown
        self.t = shown + self.lasting(0.1)
        self._close_up(seat, shown)

    def show_kong(
        self, t: float, seat: Seat, tokens: tuple[Token, ...], face_down: tuple[int, ...]
    ) -> None:
        """The truth about a concealed kong: what lies face down cannot be read."""
        tiles = tuple(
            Tile.BACK if index in face_down else self.faces[token]
            for index, token in enumerate(tokens)
        )
        self.tell(hp.MeldShown(t=t, seat=seat, tiles=tiles, face_down=face_down))

    def added_kong(self, step: do.AddedKong) -> None:
        """The fourth tile joins the sideways one of a pung, on its inner side."""
        seat, token = step.seat, step.token
        self.press(do.Press(seat=seat, call="kong"))
        number = next(i for i, laid in enumerate(self.laid[seat]) if step.to in laid)
        laid = self.laid[seat][number]
        flat = [self.stage.tiles[each].last for each in laid]
        sideways = next(
            (state for state in flat if abs(((state.angle - 90.0 * seat) % 180) - 90) < 20), flat[0]
        )
        right, offset = to_side(seat, sideways.x, sideways.y)
        x, y = to_table(seat, right + self.scatter(0.4), offset - self.layout.tile_w - 1.0)
        end = State(x, y, 0.0, sideways.angle + self.scatter(1.0), Pose.FACE_UP)
        there = self.reach(seat, self.t, self.at(token, self.t), z=36.0)
        rest = self.carry(seat, there + 0.05, [token], [end], f"meld {seat}", lift=30.0)
        self.rows[seat].remove(token)
        if self.loose[seat] == token:
            self.loose[seat] = None
        self.laid[seat][number] = (*laid, token)
        self.tell(hp.MeldExtended(t=rest, seat=seat, tile=self.faces[token]))
        self.mark = self.evident = rest
        self.t = rest + self.lasting(0.1)

    def show_flower(self, step: do.ShowFlower) -> None:
        """A flower goes to the left end of the meld line."""
        seat, token = step.seat, step.token
        x, y = self.layout.flower_point(seat, self.flowers[seat])
        self.flowers[seat] += 1
        end = State(
            x + self.scatter(0.3), y + self.scatter(0.8), 0.0, 90.0 * seat + self.scatter(1.2),
            Pose.FACE_UP,
        )  # fmt: skip
        there = self.reach(seat, self.t, self.at(token, self.t), z=36.0)
        rest = self.carry(seat, there + 0.05, [token], [end], f"flower {seat}", lift=30.0)
        self.rows[seat].remove(token)
        if self.loose[seat] == token:
            self.loose[seat] = None
        self.tell(hp.FlowerShown(t=rest, seat=seat, tile=self.faces[token]))
        self.mark = self.evident = rest
        self.t = rest + self.lasting(0.05)

    # -- the end ------------------------------------------------------------------------------

    def show_hand(self, step: do.ShowHand) -> None:
        """Call, fetch the winning discard, push the hand open."""
        seat = step.seat
        if step.press:
            self.press(do.Press(seat=seat, call="win"))
        apart = step.apart
        row = self.rows[seat]
        for laid in self.laid[seat] if step.turn_kongs else ():
            tracks = [self.stage.tiles[token] for token in laid]
            if any(track.last.pose is Pose.FACE_DOWN for track in tracks):
                self.turn_meld(seat, laid, Pose.FACE_UP)
        standing = [token for token in row if token != apart]
        if apart is not None:
            x, y = to_table(
                seat, self.layout.hand_right(len(standing) + 1.2), self.layout.hand_offset
            )
            end = State(x, y, 0.0, 90.0 * seat + self.scatter(1.5), Pose.FACE_UP)
            there = self.reach(seat, self.t, self.at(apart, self.t), z=24.0)
            self.t = self.carry(seat, there + 0.05, [apart], [end], f"apart {seat}", lift=30.0)
            if step.from_seat is not None:
                tile = self.faces[apart]
                self.tell(hp.TileClaimed(t=there + 0.1, seat=seat, tile=tile, from_=step.from_seat))
                self.place_of[apart] = None
        if apart in row:
            row.remove(apart)
        self.apart[seat] = apart
        self.loose[seat] = None
        self.tidy(seat, self.t, seconds=0.2, by_arm=False)
        begin = self.reach(seat, self.t + 0.25, self.hand_point(seat, len(row) / 2), z=30.0)
        states = []
        for index in range(len(row)):
            x, y = to_table(
                seat,
                self.layout.hand_right(index) + self.scatter(0.4),
                self.layout.hand_offset + self.scatter(0.8),
            )
            states.append(State(x, y, 0.0, 90.0 * seat + self.scatter(1.0), Pose.FACE_UP))
        rest = self.carry(seat, begin + 0.05, row, states, f"shown {seat}", lift=0.0, seconds=0.4)
        tiles = tuple(self.faces[token] for token in row)
        self.tell(
            hp.HandShown(
                t=rest,
                seat=seat,
                tiles=tiles,
                apart=None if apart is None else self.faces[apart],
            )
        )
        self.withdraw(seat, rest + 0.05)
        self.mark = self.evident = rest
        self.t = rest + self.lasting(0.4)

    def close_hand(self, step: do.CloseHand) -> None:
        """The referee leans in and turns the last tile of the row face down."""
        seat = step.seat
        self.t += 1.6
        token = self.rows[seat][-1]
        x, y = self.at(token, self.t)
        arm = self.stage.referee_arm(seat)
        there = self.t + self.lasting(0.55)
        arm.move(self.t, there, Tip(x, y, 24.0, 0.4), lift=40.0)
        track = self.stage.tiles[token]
        old = track.last
        end = there + self.lasting(0.35)
        down = State(old.x, old.y, 0.0, old.angle, Pose.FACE_DOWN)
        track.move(there + 0.05, end, down, f"shown {seat}", lift=22.0)
        arm.move(there + 0.05, end, Tip(x, y, 24.0, 0.6), lift=22.0)
        arm.move(end, end + self.lasting(0.5), arm.home, lift=20.0)
        self.tell(hp.HandClosed(t=end, seat=seat))
        self.mark = self.evident = end
        self.t = end + self.lasting(0.6)
