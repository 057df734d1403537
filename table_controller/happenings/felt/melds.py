"""Sets that lie in front of the players: laid down, extended, exchanged, turned over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from table_controller.domain.happenings import MeldShown, Seat
from table_controller.domain.tiles import Tile, sort_tiles
from table_controller.happenings.felt.dropped import Dropped
from table_controller.happenings.felt.flowers import Flowers
from table_controller.happenings.felt.fourth import Fourths
from table_controller.happenings.felt.growing import ODD_S, Growing, claim_of
from table_controller.happenings.felt.meld import Meld
from table_controller.happenings.felt.pools import Pools
from table_controller.happenings.hand.hands import Hands
from table_controller.happenings.looks.faces import all_sure
from table_controller.happenings.looks.places import SEATS, Area, distance, turn_between
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.rest.sets import (
    KONG,
    are_alike,
    groups_of,
    hidden_in,
    is_chow,
    may_be_misread,
    near,
    shown_as,
)
from table_controller.happenings.table import ClaimNote, Table
from vision.sightings import Posture

_UNDEALT_S = 3.0
"""So soon after the walls came up nobody has laid a set unless somebody has drawn."""
_SETTLE_S = 0.4
_AT_ONCE_S = 0.6
"""What lay under a hand is seen so soon after it is gone."""
_FETCH_S = 0.4
_HAND = 13
"""So many tiles a hand has with its sets, three for each, when its player has discarded."""
_COUNTED_S = 4.0
"""So soon after he did its row is at rest."""
_PLACE_MM = 20.0
"""A tile put into a set in place of another lies about so near to where that one lay."""


@dataclass(slots=True)
class _Row:
    loose: list[Rest] = field(default_factory=list)
    melds: list[Meld] = field(default_factory=list)


class Melds:
    """The meld areas of the four seats.

    Attributes:
        fourths: the tiles that are added to sets of three.
    """

    def __init__(self, table: Table, pools: Pools, hands: Hands) -> None:
        self._table = table
        self._pools = pools
        self._flowers = Flowers(table)
        self._hands = hands
        self._growing = Growing(table, pools)
        self.fourths = Fourths(table, self.melds)
        self._dropped = Dropped(table, hands, pools.discards, self.melds)
        self._rows: dict[Seat, _Row] = {seat: _Row() for seat in SEATS}
        self._expected: list[tuple[Seat, tuple[Tile, ...]]] = []

    def clear(self) -> None:
        """A new hand begins."""
        self._flowers.clear()
        self.fourths.clear()
        self._dropped.clear()
        self._rows = {seat: _Row() for seat in SEATS}
        self._expected.clear()

    def expect(self, sets: Iterable[tuple[Seat, tuple[Tile, ...]]]) -> None:
        """Sets that lay there before anything was seen: they come into sight all at once."""
        self._expected = list(sets)

    def melds(self, seat: Seat) -> list[Meld]:
        """The sets of a seat, in the order in which they were shown."""
        return self._rows[seat].melds

    def flowers(self, seat: Seat) -> list[Rest]:
        """The flowers of a seat."""
        return self._flowers.of(seat)

    def kongs(self) -> int:
        """How many kongs lie on the table, all seats together."""
        return sum(len(meld.told) == KONG for row in self._rows.values() for meld in row.melds)

    def pending(self) -> float | None:
        """Time of the earliest undecided change here."""
        return min(
            (rest.arrived for row in self._rows.values() for rest in row.loose), default=None
        )

    def kong_coming(self) -> float | None:
        """Since when a tile lies face down among the sets that belongs to none of them yet."""
        return min(
            (
                rest.arrived
                for row in self._rows.values()
                for rest in row.loose
                if rest.posture is Posture.FACE_DOWN
            ),
            default=None,
        )

    # -- changes ------------------------------------------------------------------------

    def arrived(self, rest: Rest) -> None:
        """A tile came to rest in a meld area."""
        self._rows[rest.spot.seat].loose.append(rest)
        self._dropped.arrived(rest)

    def left(self, rest: Rest, t: float) -> None:
        """A tile left a meld area."""
        self._flowers.left(rest)
        self.fourths.left(rest, t)
        self._dropped.covered(rest)
        for row in self._rows.values():
            if rest in row.loose:
                row.loose.remove(rest)
                self._dropped.left(rest, row.loose)
            for meld in list(row.melds):
                if rest in meld.rests:
                    meld.rests.remove(rest)
                    meld.vacant.append(rest.point)
                    if not meld.rests:
                        row.melds.remove(meld)

    def turned(self, rest: Rest, t: float) -> None:
        """A tile turned over: a hidden kong is opened, or hidden."""
        for row in self._rows.values():
            for meld in row.melds:
                if rest in meld.rests:
                    meld.t = max(meld.t, t)

    # -- deciding -----------------------------------------------------------------------

    def tick(self, t: float) -> None:
        """Decide what can be decided."""
        for seat, row in self._rows.items():
            self._flowers.take(seat, row.loose, t)
            for rest in list(row.loose):
                if self.fourths.awaited(rest):
                    self._extended(seat, row, rest)
            if row.loose:
                self._sets(seat, row, t)
            for meld in row.melds:
                self._changed(meld, t)
        self._dropped.tick(t)

    def _undealt(self, t: float) -> bool:
        """Whether the walls have just come up: what lies beside one that is crooked is no set."""
        table = self._table
        fresh = table.walls.rising or t - table.raised_at < _UNDEALT_S
        return fresh and not (table.dealt or table.drawn_at)

    def _sets(self, seat: Seat, row: _Row, t: float) -> None:
        table = self._table
        if self._undealt(t):
            return
        self._whole(seat, row, t)
        if not row.loose or table.book.unsettled(Area.MELD, seat, t, _SETTLE_S - 0.15):
            return
        loose = sorted(row.loose, key=lambda rest: rest.spot.right)
        if any(table.covered(rest.x, rest.y, t) for rest in loose):
            return
        waited = t - max(rest.since for rest in loose)
        faces_known = all(
            rest.face.decided or rest.posture is not Posture.FACE_UP for rest in loose
        )
        coming = any(rest.face.coming for rest in loose)
        if not faces_known and waited < table.setup.patience.face_s(coming=coming):
            return
        for group in self._groups(seat, loose):
            if len(group) == 1 and (
                self._completed(seat, row, group[0], t)
                or self._exchanged(seat, row, group[0])
                or self._extended(seat, row, group[0])
            ):
                continue
            # Three of which one lies face down are part of a concealed kong.
            odd = len(group) not in (3, 4) or (len(group) == 3 and hidden_in(group) != ())
            if (odd or may_be_misread(group)) and self._growing.may_grow(seat, group, waited, t):
                continue
            claim = claim_of(self._table, seat, group, t)
            if claim is not None and self._overlooked(seat, row, group, claim):
                continue
            if self._fourth_hidden(seat, group, claim, waited):
                continue
            # Of a kong that hides two of its tiles nobody discarded any.
            if claim is None and len(group) in (3, 4) and not hidden_in(group):
                first = min(rest.arrived for rest in group)
                claim = self._pools.glimpsed(
                    seat, tuple(shown_as(rest) for rest in group), first + 0.3
                )
            if len(group) == 3 and (
                (claim is None and waited < ODD_S) or self._growing.awaits(seat, group, waited, t)
            ):
                # Three tiles without a discard: the discard, or a fourth tile, may still come.
                continue
            if claim is None and len(group) in (3, 4) and not hidden_in(group):
                first = min(rest.arrived for rest in group)
                claim = self._pools.leaving.unburied(
                    seat, tuple(shown_as(rest) for rest in group), first
                )
            if len(group) == 1 and waited < 4 * ODD_S:
                continue
            others = [rest for rest in row.loose if rest not in group]
            if len(group) == 1 and self._dropped.stays(group[0], others):
                row.loose.remove(group[0])
                continue
            self._tell(seat, row, group, claim)

    def _whole(self, seat: Seat, row: _Row, t: float) -> None:
        """Three with the claimed tile are whole, whatever hand is over them again.

        To three alike whoever laid them may add a fourth until he is home.
        """
        if len(row.loose) != 3:
            return
        group = sorted(row.loose, key=lambda rest: rest.spot.right)
        if len(self._groups(seat, group)) > 1:
            return
        waited = t - max(rest.since for rest in group)
        three = are_alike(group) and self._growing.stays_home(seat, group, t)
        if is_chow(group) or (three and not self._growing.awaits(seat, group, waited, t)):
            claim = claim_of(self._table, seat, group, t)
            if claim is not None and not self._fourth_hidden(seat, group, claim, waited):
                self._tell(seat, row, group, claim)

    def _fourth_hidden(
        self, seat: Seat, group: list[Rest], claim: ClaimNote | None, waited: float
    ) -> bool:
        """Whether three alike may be of a kong whose fourth tile an arm covers."""
        if len(group) != 3 or not are_alike(group) or waited >= ODD_S:
            return False
        return self._growing.fourth_hidden(seat, group, claim, self._table.now)

    def _overlooked(self, seat: Seat, row: _Row, group: list[Rest], claim: ClaimNote) -> bool:
        """Whether two tiles lie there as a set of which the eye does not find the third.

        So many are gone from the row that two of them are in the set with the discard.
        """
        if len(group) != 2:
            return False
        laid = max(rest.arrived for rest in group)
        discarded = [d.t for d in self._pools.discards if d.seat == seat and d.t > claim.t]
        since = max([laid, *discarded])
        # A hand is over the row, and moves it along: it is counted when it is at rest.
        count = self._hands.rows.counted(seat, since)
        if count is None:
            return self._table.now - since <= _COUNTED_S
        return count <= _HAND + (not discarded) - 3 * (len(row.melds) + 1)

    def _groups(self, seat: Seat, loose: list[Rest]) -> list[list[Rest]]:
        expected = (tiles for owner, tiles in self._expected if owner == seat)
        return groups_of(loose, self._table.places.geometry.tile_width, expected)

    def _tell(self, seat: Seat, row: _Row, group: list[Rest], claim: ClaimNote | None) -> None:
        tiles = tuple(shown_as(rest) for rest in group)
        face_down = hidden_in(group)
        sideways = self._sideways(seat, group)
        claimed: int | None = None
        if claim is not None:
            claim.used = True
            if sideways is not None and tiles[sideways] in (claim.tile, Tile.UNKNOWN):
                claimed = sideways
            else:
                alike = [index for index, tile in enumerate(tiles) if tile is claim.tile]
                # Of several alike it is the one that was laid down when the discard was fetched.
                fetched = claim.t + _FETCH_S
                claimed = min(
                    alike, key=lambda index: abs(group[index].arrived - fetched), default=None
                )
        when = max(rest.arrived for rest in group)
        if claim is not None:
            when = self._laid(seat, group, when)
        if face_down:
            # A concealed kong is laid down at once; what an arm hid of it was seen later.
            when = min(when, min(rest.arrived for rest in group) + _AT_ONCE_S)
        for rest in group:
            row.loose.remove(rest)
        row.melds.append(Meld(seat, group, when, tiles, face_down))
        shown = [rest.face for rest in group if rest.posture is Posture.FACE_UP]
        self._table.emit(
            MeldShown(
                t=when,
                seat=seat,
                tiles=tiles,
                claimed=claimed,
                sideways=sideways,
                face_down=face_down,
                confidence=all_sure(shown),
                foreign=any(rest.face.foreign for rest in group),
            )
        )

    def _laid(self, seat: Seat, group: list[Rest], when: float) -> float:
        """When a set lay: what came to light with no hand at it was overlooked until then."""
        first, near = min(rest.arrived for rest in group), self._table.setup.patience.near_mm
        late = [rest for rest in group if rest.arrived > first and rest.by is None]
        at = [
            tip.t
            for tip in self._table.arms.path(seat, first, when)
            if tip.point is not None
            and any(distance(tip.point, rest.point) <= near for rest in late)
        ]
        return max([*at, *(rest.arrived for rest in group if rest not in late)]) if at else when

    def _sideways(self, seat: Seat, group: list[Rest]) -> int | None:
        turned = [
            index
            for index, rest in enumerate(group)
            if turn_between(rest.angle, 90.0 * seat, 180.0) > 55.0
        ]
        return turned[0] if len(turned) == 1 else None

    def _extended(self, seat: Seat, row: _Row, rest: Rest) -> bool:
        """Whether a single tile joins a set of three of its kind."""
        if not self.fourths.extend(seat, rest):
            return False
        row.loose.remove(rest)
        return True

    def _completed(self, seat: Seat, row: _Row, rest: Rest, t: float) -> bool:
        """Whether a fetched discard came to lie beside two tiles that had been told without it.

        All three are one set, which is to be told.
        """
        if claim_of(self._table, seat, [rest], t) is None:
            return False
        width = self._table.places.geometry.tile_width
        for meld in row.melds:
            if len(meld.rests) == len(meld.told) == 2 and near(rest, meld.rests, width):
                row.melds.remove(meld)
                row.loose += meld.rests
                return True
        return False

    def _exchanged(self, seat: Seat, row: _Row, rest: Rest) -> bool:
        """Whether a tile came to lie where one of a set lay; a set that became another is told."""
        for meld in row.melds:
            if len(meld.told) not in (3, 4) or len(meld.rests) != len(meld.told) - 1:
                continue
            if all(distance(rest.point, place) > _PLACE_MM for place in meld.vacant):
                continue
            row.loose.remove(rest)
            before = meld.told
            meld.lies([*meld.rests, rest])
            meld.vacant.clear()
            if sort_tiles(before) != sort_tiles(meld.told):
                meld.face_down, meld.t = hidden_in(meld.rests), rest.arrived
                self._table.emit(
                    MeldShown(
                        t=rest.arrived,
                        seat=seat,
                        tiles=meld.told,
                        face_down=meld.face_down,
                        # One was seen to leave and another to come: that is no misread face.
                        confidence=rest.face.confidence,
                    )
                )
            return True
        return False

    def _changed(self, meld: Meld, t: float) -> None:
        """Tell a set again when its hidden tiles were turned up, or the shown ones down."""
        hidden = hidden_in(meld.rests)
        if hidden == meld.face_down or len(meld.rests) < 3:
            return
        if t - meld.t < 0.5 or any(
            rest.turn is not None or (rest.posture is Posture.FACE_UP and not rest.face.decided)
            for rest in meld.rests
        ):
            return
        meld.face_down = hidden
        meld.told = tuple(shown_as(rest) for rest in meld.rests)
        self._table.emit(
            MeldShown(t=meld.t, seat=meld.seat, tiles=meld.told, face_down=hidden, confidence=0.9)
        )
