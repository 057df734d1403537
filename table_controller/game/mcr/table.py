"""What a hand of Chinese official rules can take next.

``accept`` takes what is legal; what is not goes to ``readings``. The work is done by the modules
beside this one, by kind of happening; each function there takes the table as first argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from table_controller.domain.happenings import Happening, Seat
from table_controller.domain.outputs import HandRecord, MoveKind, Ruling
from table_controller.domain.tiles import FLOWERS, KIND_INDEX, Tile
from table_controller.game import costs
from table_controller.game.mcr import (
    blind,
    dealing,
    early_draws,
    exposure,
    handlers,
    melding,
    misdealt,
    setting,
    taking,
    timing,
    unseen,
    windows,
    winning,
)
from table_controller.game.mcr.state import ChineseHand
from table_controller.referee.rulings import Facts
from table_controller.rulesets.model import Window

Reading = tuple[float, Callable[["ChineseTable"], None]]


class ChineseTable(ChineseHand):
    """One reading of a session under Chinese official rules."""

    # -- what the engine asks -------------------------------------------------------------

    def accept(self, happening: Happening) -> bool:
        """See :meth:`Table.accept`."""
        handler = self.taking(happening.kind)
        if handler is None or handler(self, happening):
            if happening.t > self.now:
                self.now = happening.t
            if happening.kind in blind.STEPS:
                self.latest = happening
                if self.reopened:
                    self.reopened = False
                    self.surprise += costs.REOPENED
            if self.doubt is not None:
                blind.seen(self, happening)
            return True
        return False

    def taking(self, kind: str) -> Callable[[Any, Any], bool] | None:
        """What takes happenings of this kind where they are legal."""
        return handlers.ACCEPT.get(kind)

    def readings(self, happening: Happening) -> list[Reading]:
        """See :meth:`Table.readings`."""
        reader = handlers.READ.get(happening.kind)
        return reader(self, happening) if reader else []

    @property
    def opening(self) -> bool:
        """See :meth:`Table.opening`."""
        return self.phase in ("idle", "wall", "deal", "over")

    def silent(self, happening: Happening) -> list[Reading]:
        """See :meth:`Table.silent`; the happening may tell what the unseen step was."""
        if self.phase in ("play", "check", "over"):
            return unseen.silent(self, happening)
        return dealing.silent(self)

    def tick(self, t: float) -> None:
        """See :meth:`Table.tick`."""
        self.ripen(t)
        limit = self.ruleset.session.minutes
        if limit is not None and self.session_from is not None and not self.time_up:
            setting.check_session(self, t, limit)
        if self.phase == "check":
            winning.tick(self, t)
        last = self._wall_used_up()
        if last is not None and t > self.watched_from(last) + winning.LAST_TILE_S:
            winning.exhaust(self, last)

    def _wall_used_up(self) -> float | None:
        """Since when the wall is used up and nobody is to do anything any more, s.

        Who has called on the last discard is given the same time once more to carry it out.
        """
        if self.phase != "play" or self.wall is None or self.wall.mask or self.claimer is not None:
            return None
        if self.paused_at is not None:
            return None
        if self.owed[self.turn]:
            # The last tile was a flower or made a kong, and nothing is left to replace it.
            ends = self.ruleset.wall.last_tile_without_replacement == "hand_ends"
            return self.latest.t if ends and self.latest is not None else None
        last = self.open_discard
        if last is None:
            return None
        return self.unpaused(max([last.t, *(called for _, _, called, _ in self.calls)]))

    def finish(self, t: float) -> None:
        """See :meth:`Table.finish`."""
        self.settle(t)
        melding.check_lying(self)
        if self.phase == "check":
            winning.close(self, confirmed=False)
        elif (
            self.phase == "play"
            and self.wall is not None
            and not self.wall.mask
            and (self.need == "draw" or self.owed[self.turn])
        ):
            winning.exhaust(self, t)

    def ripen(self, t: float) -> None:
        """What is physically the same in every game becomes known with time."""
        early_draws.give_up(self, t)
        misdealt.give_up(self, t)
        if self.exposed and t > self.exposed[-1].t + exposure.SETTLE_S:
            exposure.settle(self)
        melding.tick(self, t)
        taking.ripen(self, t)
        timing.check_slow(self, t)

    def settle(self, t: float) -> None:
        """Nothing more comes before a time: what was waited for is decided as it is."""
        self.now = max(self.now, t)
        if self.exposed:
            exposure.settle(self)
        early_draws.resolve_early(self)
        misdealt.tell(self)
        melding.check_left(self)
        taking.ripen(self, math.inf)

    def window_end(self, window: Window, seat: Seat | None, t: float) -> float | None:
        """See :meth:`Table.window_end`: what has ended the window already, or the session's end."""
        return windows.end(self, window, seat, t)

    # -- saying things ----------------------------------------------------------------------

    def say(
        self,
        move: MoveKind,
        seat: Seat | None = None,
        *,
        inferred: bool = False,
        **more: object,
    ) -> None:
        """See :meth:`Table.say`; after what had to be assumed the state is doubted longer."""
        if inferred:
            blind.assumed(self)
        super().say(move, seat, inferred=inferred, **more)

    def flag(
        self,
        alert: str,
        seat: Seat | None,
        *evidence: Happening,
        t: float | None = None,
        facts: Facts | None = None,
        cause: tuple[object, ...] | None = None,
        cost: float = 0.0,
    ) -> Ruling | None:
        """See :meth:`Table.flag`; what rests on what nobody could see is not raised."""
        if blind.holds(self, alert, seat, self.now if t is None else t):
            self.unseen += 1
            blind.assumed(self)
            return None
        return super().flag(alert, seat, *evidence, t=t, facts=facts, cause=cause, cost=cost)

    def spoil(
        self,
        alert: str,
        seat: Seat,
        *evidence: Happening,
        t: float,
        facts: Facts | None = None,
        cause: tuple[object, ...] | None = None,
    ) -> None:
        """An infraction that makes a hand wrong; whether it may still win the ruling says."""
        self.barred_by(seat, self.flag(alert, seat, *evidence, t=t, facts=facts, cause=cause))

    def barred_by(self, seat: Seat, ruling: Ruling | None) -> None:
        """A wrong hand is dead where the ruling on it is in force and stops its win."""
        if ruling is not None and ruling.stop_win:
            self.seats[seat].dead = True

    def saw(self, happening: Happening, *tiles: Tile) -> None:
        """Faces that now lie open; a fifth copy or a strange tile is an alert."""
        for tile in tiles:
            if not tile.known:
                continue
            if tile not in KIND_INDEX and tile not in FLOWERS:
                self.flag("foreign-tile", None, happening, cause=("foreign", tile))
                continue
            self.full(tile)
            if self.census.add(tile):
                self.flag(
                    "fifth-tile", None, happening, facts=Facts(tiles=(tile,)), cause=("fifth", tile)
                )

    def melds_cut(self, seat: Seat) -> None:
        """The seat's last set is none any more; what hung on it goes with it."""

    def finished(self, record: HandRecord) -> None:
        """The hand is over and recorded."""
        self.out.append(record)
        # Settled; what is entered from now on counts with the next hand.
        self.rulings = ()
        self.scores = record.scores
        self.phase = "over"
        self.hands_done += 1
