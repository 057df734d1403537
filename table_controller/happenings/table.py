"""What the parts of the follower share: the inputs' state and the way out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from table_controller.domain.happenings import (
    Call,
    FlowerShown,
    Happening,
    MeldExtended,
    MeldShown,
    Seat,
    Slot,
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.looking import Look
from table_controller.happenings.looks.places import Places
from table_controller.happenings.release import Outbox
from table_controller.happenings.rest.resting import RestBook
from table_controller.happenings.rest.sets import KONG
from table_controller.happenings.setup import Setup
from table_controller.happenings.sizes import Sizes
from table_controller.happenings.wall.walls import Walls

CLAIM_AGE_S = 12.0
"""A discard that was fetched is in a set so long after it, at most."""
_AT_ROW_MM = 18.0
"""A hand that reached so near to its own row is back at it."""
_BEFORE_ROW = 0.3
"""A hand that goes no farther out than this share of the way to its wall was at its row: where its
fingertips are is known to a centimetre or two."""


@dataclass(slots=True)
class ClaimNote:
    """A discard that another seat took, until it shows up in a set or beside a hand."""

    seat: Seat
    tile: Tile
    from_: Seat
    t: float
    used: bool = False


@dataclass(slots=True)
class Table:
    """One table's shared state.

    Attributes:
        playing: the walls stand and the hand is not over; only then do tiles that move about
            mean anything.
        raised_at: when the walls of this hand were complete.
        claims: discards taken by other seats, newest last.
        now: time of the newest input.
        drawn_at: when each seat's last draw joined its hand.
        discarded_at: when each seat's last discard came to rest.
        aside_at: when each seat's last flower or north did.
        replaces_at: when each seat last laid out what it draws a replacement for.
        called: the button that each seat pressed last.
        dealt: a tile was discarded, so the deal is over and hands take one tile each.
        turned_at: when each open indicator was turned, or taken off to see what lies below.
        front: the last tile that was drawn from the wall's front, once the deal is over.
        sizes: how many tiles each hand has.
        spilled: wall slots whose tile lies on the felt beside the wall.
    """

    setup: Setup
    places: Places
    arms: Arms
    book: RestBook
    walls: Walls
    outbox: Outbox
    now: float = 0.0
    playing: bool = False
    raised_at: float = -1e9
    dealt: bool = False
    claims: list[ClaimNote] = field(default_factory=list)
    spilled: dict[Slot, int] = field(default_factory=dict)
    front: Slot | None = None
    drawn_at: dict[Seat, float] = field(default_factory=dict)
    discarded_at: dict[Seat, float] = field(default_factory=dict)
    aside_at: dict[Seat, float] = field(default_factory=dict)
    replaces_at: dict[Seat, float] = field(default_factory=dict)
    called: dict[Seat, Call] = field(default_factory=dict)
    turned_at: dict[Slot, float] = field(default_factory=dict)
    looks: dict[str, Look] = field(default_factory=dict)
    sizes: Sizes = field(default_factory=Sizes)

    def emit(self, happening: Happening) -> None:
        """Hand a decided happening to the outbox."""
        match happening:
            case FlowerShown() | MeldExtended():
                self.replaces_at[happening.seat] = happening.t
            case MeldShown() if len(happening.tiles) == KONG:
                self.replaces_at[happening.seat] = happening.t
            case _:
                pass
        self.sizes.note(happening)
        self.outbox.put(happening)

    def unlaid(self, seat: Seat, since: float) -> list[ClaimNote]:
        """Discards that a seat took after a time and that are in no set yet, newest first."""
        return [
            note
            for note in reversed(self.claims)
            if note.seat == seat and not note.used and note.t >= since
        ]

    def turn_of(self, seat: Seat) -> float:
        """When a seat last drew or discarded, s: what it had claimed before is laid, or void."""
        return max(at.get(seat, -math.inf) for at in (self.drawn_at, self.discarded_at))

    def covered(self, x: float, y: float, now: float) -> bool:
        """Whether no camera sees a point at the moment."""
        # Asked for some two hundred points a look: a generator takes twice as long.
        for look in self.looks.values():  # noqa: SIM110
            if now - look.t < 0.35 and look.looked(x, y):
                return False
        return True

    def home(self, seat: Seat, since: float, *, steady: bool = False) -> float | None:
        """The first time after ``since`` at which a seat's hand is back at its own tiles.

        ``steady``: and at the next look, too. Who looks at a tile holds it just before the row.
        """
        return self.arms.home(seat, since, self.at_row, steady=steady)

    def brought_home(self, seat: Seat, since: float) -> float | None:
        """The same for a hand that would stop nowhere before its row.

        Drawn tiles are looked at where hands stop, discards taken back are not.
        """
        return self.arms.home(seat, since, self.at_row, self.near_row)

    @property
    def at_row(self) -> float:
        """How far from the middle a hand is that is back at its own tiles, mm."""
        return self.places.geometry.hand.offset - _AT_ROW_MM

    @property
    def near_row(self) -> float:
        """How far from the middle a hand is that may be back there, mm."""
        row, wall = self.places.geometry.hand.offset, self.places.geometry.wall.offset
        return row - _BEFORE_ROW * (row - wall)
