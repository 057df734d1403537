"""The follower: sightings and readings in, happenings out.

It holds what is believed to lie on the table and tells every change of it once, when it is
stable, with the time at which it happened. It knows where things belong and that tiles do not
move by themselves; it does not know the rules of any game.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from firmware_bridge.readings import Reading
from table_controller.domain.happenings import Happening, Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.dice import Dice
from table_controller.happenings.felt.melds import Melds
from table_controller.happenings.felt.pools import Pools
from table_controller.happenings.gaps import Gaps
from table_controller.happenings.hand.drawn import Drawn
from table_controller.happenings.hand.hands import Hands
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.looking import Look
from table_controller.happenings.looks.places import Area, Places
from table_controller.happenings.machinery import Machinery
from table_controller.happenings.overview import overview
from table_controller.happenings.release import Outbox
from table_controller.happenings.rest.resting import RestBook
from table_controller.happenings.rest.rests import (
    Arrived,
    Change,
    Joined,
    Left,
    Moved,
    Rest,
    Turned,
)
from table_controller.happenings.restoring import Resumed
from table_controller.happenings.setup import Setup
from table_controller.happenings.sticks import Sticks
from table_controller.happenings.table import Table
from table_controller.happenings.taking.draws import Draws
from table_controller.happenings.view import TableView
from table_controller.happenings.wall.dead_wall import DeadWall
from table_controller.happenings.wall.disturbances import Disturbances
from table_controller.happenings.wall.lines import Lines
from table_controller.happenings.wall.raising import Raising
from table_controller.happenings.wall.stacks import FaceSeen, LiftedBack, OutOfLine, StackChanged
from table_controller.happenings.wall.walls import Walls
from vision.geometry import TableGeometry
from vision.sightings import Outcome, Posture, Sighting

_FLAT = (Posture.FACE_UP, Posture.FACE_DOWN)
_CALLED_S = 6.0
"""A kong that was called so long ago, and lies nowhere yet, is not being laid."""


class Follower:
    """Follows one table.

    Args:
        geometry: the zones of the table.
        setup: what else is known about it.

    Inputs must come in the order of their times, all on one clock; an input older than the
    newest by more than a frame is taken as it comes. The same inputs give the same output.
    """

    def __init__(self, geometry: TableGeometry, setup: Setup | None = None) -> None:
        setup = setup or Setup()
        patience = setup.patience
        places, arms = Places(geometry), Arms()
        self._table = Table(
            setup=setup,
            places=places,
            arms=arms,
            book=RestBook(places, arms, patience),
            walls=Walls(places, arms, patience),
            outbox=Outbox(patience.hold_s, patience.hold_most_s),
        )
        self._sticks = Sticks(self._table)
        self._machinery = Machinery(self._table, self._sticks)
        self._raising = Raising(self._table, self._machinery)
        self._disturbances = Disturbances(self._table)
        self._drawn = Drawn(self._table)
        self._hands = Hands(
            self._table,
            self._drawn,
            self._fetched,
        )
        self._dead_wall = DeadWall(self._table, self._hands.open, self._kongs)
        self._draws = Draws(
            self._table,
            self._disturbances,
            self._hands.rows,
            self._dead_wall.region,
            self._dead_wall.awaits,
        )
        self._pools = Pools(
            self._table, self._disturbances, self._drawn, self._dead_wall, self._hands.shown
        )
        self._melds = Melds(self._table, self._pools, self._hands)
        self._table.book.awaited = self._awaited
        self._dice = Dice(self._table)
        self._gaps = Gaps(self._table)
        self._t = 0.0
        self._resumed: Resumed | None = None

    # -- inputs -------------------------------------------------------------------------

    def sighting(self, sighting: Sighting) -> list[Happening]:
        """What one camera saw in one frame; returns the happenings that are ripe now."""
        t = self._t = self._table.now = max(self._t, sighting.t)
        self._gaps.sighting(sighting)
        if sighting.outcome is Outcome.FAILED:
            return self._release()
        if self._resumed is not None:
            self._resumed.looked(t)
        table = self._table
        look = Look(sighting, table.setup.views.get(sighting.camera))
        table.looks[sighting.camera] = look
        table.arms.update(t, sighting.reach)
        self._gaps.covered(t)
        lines = table.walls.split(sighting.tiles)
        self._walls(look, lines)
        for change in table.book.update(look, lines.others + lines.crooked):
            if table.playing:
                self._change(change)
        self._dice.update(look)
        self._sticks.update(look)
        if self._raising.tick(t):
            self._clear()
        if table.playing:
            self._draws.tick(t)
            self._disturbances.tick(t)
            self._pools.tick(t)
            self._dead_wall.tick(t)
            self._melds.tick(t)
            self._hands.tick(t)
        return self._release()

    def reading(self, reading: Reading) -> list[Happening]:
        """What the machine said; returns the happenings that are ripe now."""
        self._t = self._table.now = max(self._t, reading.t)
        self._machinery.reading(reading)
        self._gaps.tick(self._t)
        if self._raising.machine():
            self._clear()
        return self._release()

    def flush(self) -> list[Happening]:
        """What is decided but still held, at the end of the inputs."""
        return self._new(self._table.outbox.flush())

    def watched(self, t: float) -> float:
        """Until when the rules may be told that time passed and nothing else happened.

        That is until when it was looked at; while nobody looks, only once that was told.

        Args:
            t: time of the newest input, s.
        """
        watched = self._gaps.watched(max(self._t, t))
        untold = self._table.outbox.untold_gap()
        return watched if untold is None else min(watched, untold)

    def restore(self, happenings: Iterable[Happening], until: float | None = None) -> None:
        """Take up the hand that these happenings of an earlier run left, before any input.

        What they told is not told again; what changed meanwhile is told when it is seen.

        Args:
            happenings: of the session.
            until: it was looked at until then, where that is known to be later than they are.
        """
        resumed = self._resumed = Resumed.of(happenings)
        self._machinery.state = resumed.machine
        self._raising.restore(clears=resumed.clears)
        if resumed.until is not None:
            if until is not None:
                resumed.until = max(resumed.until, until)
            self._gaps.restore(resumed.until, resumed.unlooked)
        if not resumed.playing:
            return
        self._table.playing = True
        self._table.raised_at = resumed.raised_at
        self._table.walls.restore(resumed.heights)
        self._dead_wall.restore(resumed.ring, resumed.first_taken, resumed.turned)
        self._melds.expect(resumed.sets())

    def _new(self, happenings: list[Happening]) -> list[Happening]:
        """Those that an earlier run has not told yet."""
        resumed = self._resumed
        if resumed is None or not happenings:
            return happenings
        return [one for one in happenings if not resumed.known(one, self._t)]

    def view(self) -> TableView:
        """What is believed to lie where."""
        return overview(
            self._t,
            self._table,
            self._machinery,
            self._hands,
            self._melds,
            self._dice,
            self._sticks,
            self._gaps,
        )

    # -- inside -------------------------------------------------------------------------

    def _release(self) -> list[Happening]:
        times = [part.pending() for part in (self._draws, self._pools, self._melds, self._hands)]
        pending = min((time for time in times if time is not None), default=None)
        coming = self._pools.coming()
        kong = self._melds.kong_coming()
        dealing = not self._table.dealt
        ripe = self._table.outbox.release(
            self._t, pending, coming, kong, self._draws.reaching(), dealing=dealing
        )
        return self._new(ripe)

    def _clear(self) -> None:
        """The table was cleared, or new walls stand on it."""
        for part in (self._draws, self._pools, self._melds, self._hands, self._disturbances):
            part.clear()
        self._sticks.clear()
        self._dead_wall.clear()
        self._table.claims.clear()
        self._table.spilled.clear()
        self._table.dealt = False

    def _walls(self, look: Look, lines: Lines) -> None:
        table = self._table
        for change in table.walls.update(look, lines):
            if not table.playing:
                continue
            match change:
                case StackChanged(taken=True):
                    slots = self._dead_wall.others(change.slots)
                    if slots:
                        self._dead_wall.taken()
                        self._draws.lower(replace(change, slots=slots), look.t)
                case StackChanged():
                    slots = self._dead_wall.others(change.slots)
                    if slots:
                        self._draws.higher(replace(change, slots=slots))
                case LiftedBack():
                    self._draws.put_back(change)
                case FaceSeen():
                    self._dead_wall.face(change)
                case OutOfLine():
                    self._disturbances.note(change.side, change.stacks, change.t, change.by)

    def _awaited(self, rest: Rest) -> bool:
        """Whether a tile lies where one is due that a hand may go on hiding."""
        return self._melds.fourths.awaited(rest) or self._dead_wall.awaited(rest)

    def _kongs(self) -> int:
        """How many kongs lie on the table, with one that is being laid.

        The arm that turns its indicator up may hide it until after that.
        """
        table = self._table
        called = any(
            call.call == "kong"
            and table.replaces_at.get(seat, -math.inf) < call.t
            and self._t - call.t <= _CALLED_S
            for seat, call in table.called.items()
        )
        return self._melds.kongs() + (called or self._melds.kong_coming() is not None)

    def _fetched(self, seat: Seat, tiles: tuple[Tile, ...], t: float, one_more: bool) -> None:
        """What a hand that is laid open to win holds may have been fetched with no look seeing it.

        ``one_more``: it has one tile more than stood in it.
        """
        if self._melds.fourths.robbed(seat, tiles, t):
            return
        if one_more and self._pools.glimpsed(seat, tiles, t) is not None:
            return
        self._melds.fourths.robbed_unseen(seat, tiles, t)

    def _change(self, change: Change) -> None:
        rest = change.rest
        area = rest.spot.area
        match change:
            case Arrived():
                if area is Area.HAND:
                    self._hands.arrived(rest)
                elif area is Area.MELD and rest.posture in _FLAT:
                    self._melds.arrived(rest)
                elif rest.posture in _FLAT:
                    self._pools.arrived(rest)
            case Left():
                self._hands.left(rest, self._t)
                self._melds.left(rest, self._t)
                self._pools.left(rest, self._t)
            case Turned():
                if area is Area.HAND:
                    self._hands.turned(rest, change.before, change.t)
                elif area is Area.MELD:
                    self._melds.turned(rest, change.t)
                else:
                    self._pools.turned(rest, change.t)
            case Joined():
                self._hands.joined_set(rest)
                self._melds.arrived(rest)
            case Moved():
                self._pools.moved(rest, change.origin, change.t)
