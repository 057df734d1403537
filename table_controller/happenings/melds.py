"""Sets and flowers in front of the players."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from table_controller.domain.happenings import (
    FlowerShown,
    MeldExtended,
    MeldShown,
    NorthShown,
    Seat,
)
from table_controller.domain.tiles import Tile, sort_tiles
from table_controller.happenings.faces import all_sure
from table_controller.happenings.places import SEATS, Area, distance, turn_between
from table_controller.happenings.pools import Pools
from table_controller.happenings.rests import Rest
from table_controller.happenings.table import ClaimNote, Table
from vision.sightings import Point, Posture

_SETTLE_S = 0.4
_ODD_S = 1.5
"""How long a set that is no set (two tiles, or five) may still be growing."""
_HOME_S, _HOME_UNCLAIMED_S = 0.7, 0.2
"""A hand that has been home so long after it laid tiles down has laid all of them.

It may come back with another tile of the hand; a discard it would have fetched on its way.
"""
_LAYING_S, _OVER_MM = 5.0, 90.0
"""A hand that rests so near to what is no set yet may be laying the rest of it for so long."""
_UNCOVERED_S, _AT_ONCE_S = 0.5, 0.6
"""What lay under a hand is seen so soon after it is gone."""
_CLAIM_AGE_S = 12.0
_FETCH_S = 0.4
_KONG = 4
_PLACE_MM = 20.0
"""A tile put into a set in place of another lies about so near to where that one lay."""
_NORTH_S = 0.4
"""The other tiles of a set would have come within this time."""


@dataclass(slots=True, eq=False)
class Meld:
    """A set as it was told, its tiles from the player's left to the right.

    ``vacant`` are the places from which tiles of it were taken away.
    """

    seat: Seat
    rests: list[Rest]
    t: float
    told: tuple[Tile, ...] = ()
    face_down: tuple[int, ...] = ()
    vacant: list[Point] = field(default_factory=list)


@dataclass(slots=True)
class _Row:
    loose: list[Rest] = field(default_factory=list)
    flowers: list[Rest] = field(default_factory=list)
    melds: list[Meld] = field(default_factory=list)


class Melds:
    """The meld areas of the four seats."""

    def __init__(self, table: Table, pools: Pools) -> None:
        self._table = table
        self._pools = pools
        self._rows: dict[Seat, _Row] = {seat: _Row() for seat in SEATS}
        self._expected: list[tuple[Seat, tuple[Tile, ...]]] = []

    def clear(self) -> None:
        """A new hand begins."""
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
        return self._rows[seat].flowers

    def kongs(self) -> int:
        """How many kongs lie on the table, all seats together."""
        return sum(len(meld.told) == _KONG for row in self._rows.values() for meld in row.melds)

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

    def left(self, rest: Rest) -> None:
        """A tile left a meld area."""
        for row in self._rows.values():
            if rest in row.loose:
                row.loose.remove(rest)
            if rest in row.flowers:
                row.flowers.remove(rest)
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
        table = self._table
        for seat, row in self._rows.items():
            if row.loose and table.setup.flowers:
                self._flowers(seat, row, t)
            if row.loose and table.setup.norths:
                self._norths(seat, row, t)
            if row.loose:
                self._sets(seat, row, t)
            for meld in row.melds:
                self._changed(meld, t)

    def _flowers(self, seat: Seat, row: _Row, t: float) -> None:
        patience = self._table.setup.patience
        geometry = self._table.places.geometry
        for rest in sorted(row.loose, key=lambda rest: rest.spot.right):
            waited = t - rest.since
            by_face = rest.face.decided and rest.face.tile.is_flower
            end = max(
                (flower.spot.right for flower in row.flowers), default=geometry.meld.flowers_left
            )
            in_row = rest.spot.right <= end + 2.0 * geometry.tile_width
            if not by_face and not in_row:
                continue
            if rest.posture is not Posture.FACE_UP:
                continue
            if not rest.face.decided and waited < patience.face_wait_s:
                continue
            row.loose.remove(rest)
            row.flowers.append(rest)
            self._table.emit(
                FlowerShown(
                    t=rest.arrived,
                    seat=seat,
                    tile=rest.face.tile,
                    confidence=rest.face.confidence,
                    foreign=rest.face.foreign,
                )
            )

    def _norths(self, seat: Seat, row: _Row, t: float) -> None:
        """A north that comes alone was set aside (riichi for three)."""
        width = self._table.places.geometry.tile_width
        for rest in list(row.loose):
            alone = all(
                distance(rest.point, other.point) > 1.5 * width
                for other in row.loose
                if other is not rest
            )
            if (
                not alone
                or rest.posture is not Posture.FACE_UP
                or not rest.face.decided
                or rest.face.tile is not Tile.NORTH
                or t - rest.since < _NORTH_S
            ):
                continue
            row.loose.remove(rest)
            row.flowers.append(rest)
            self._table.emit(
                NorthShown(
                    t=rest.arrived,
                    seat=seat,
                    confidence=rest.face.confidence,
                )
            )

    def _sets(self, seat: Seat, row: _Row, t: float) -> None:
        table = self._table
        self._chows(seat, row, t)
        if not row.loose or table.book.unsettled(Area.MELD, seat, t, _SETTLE_S - 0.15):
            return
        loose = sorted(row.loose, key=lambda rest: rest.spot.right)
        if any(table.covered(rest.x, rest.y, t) for rest in loose):
            return
        waited = t - max(rest.since for rest in loose)
        faces_known = all(
            rest.face.decided or rest.posture is not Posture.FACE_UP for rest in loose
        )
        if not faces_known and waited < table.setup.patience.face_wait_s:
            return
        for group in self._groups(seat, loose):
            if len(group) == 1 and (
                self._exchanged(seat, row, group[0]) or self._extend(seat, row, group[0])
            ):
                continue
            # Three of which one lies face down are part of a concealed kong.
            odd = len(group) not in (3, 4) or (len(group) == 3 and _hidden(group) != ())
            if odd and waited < _LAYING_S and self._goes_on(seat, group, t):
                continue
            if odd and waited < _ODD_S and not self._laid(seat, group, t):
                continue
            if odd and waited < _LAYING_S and self._laying(seat, group, t):
                continue
            claim = self._claim(seat, group, t)
            if claim is None and len(group) in (3, 4):
                first = min(rest.arrived for rest in group)
                claim = self._pools.glimpsed(
                    seat, tuple(_shown(rest) for rest in group), first + 0.3
                )
            if len(group) == 3 and claim is None and waited < _ODD_S:
                # Three tiles without a discard: the discard, or a fourth tile, may still come.
                continue
            if len(group) == 1 and waited < 4 * _ODD_S:
                continue
            self._tell(seat, row, group, claim)

    def _chows(self, seat: Seat, row: _Row, t: float) -> None:
        """Three in a row with the claimed tile are whole, whatever hand is over them again."""
        if len(row.loose) != 3:
            return
        group = sorted(row.loose, key=lambda rest: rest.spot.right)
        if len(self._groups(seat, group)) == 1 and _is_chow(group):
            claim = self._claim(seat, group, t)
            if claim is not None:
                self._tell(seat, row, group, claim)

    def _goes_on(self, seat: Seat, group: list[Rest], t: float) -> bool:
        """Whether a set that is none yet may go on: under an arm, or with what just came out."""
        geometry = self._table.places.geometry
        first = min((rest.spot for rest in group), key=lambda spot: spot.right)
        x, y = geometry.to_table(seat, first.right - geometry.tile_width, first.offset)
        return self._table.covered(x, y, t) or any(
            rest.flat and not rest.believed and distance(rest.point, (x, y)) <= geometry.tile_width
            for rest in self._table.book.all()
        )

    def _laying(self, seat: Seat, group: list[Rest], t: float) -> bool:
        """Whether its player's hand is, or just was, over a set that is none yet."""
        return any(
            visit.seat == seat
            for rest in group
            for visit in self._table.arms.visits(
                rest.point, t - _UNCOVERED_S, t, _OVER_MM, slow=False
            )
        )

    def _laid(self, seat: Seat, group: list[Rest], t: float) -> bool:
        """Whether whoever laid two tiles is home again, or has discarded: no third comes."""
        laid = max(rest.arrived for rest in group)
        home = self._table.home(seat, laid)
        waits = _HOME_UNCLAIMED_S if self._claim(seat, group, t) is None else _HOME_S
        back = home is not None and t - home >= waits
        discarded = any(one.seat == seat and one.t > laid for one in self._pools.discards)
        return len(group) == 2 and (back or discarded)

    def _groups(self, seat: Seat, loose: list[Rest]) -> list[list[Rest]]:
        reach = 1.75 * self._table.places.geometry.tile_width
        groups: list[list[Rest]] = []
        for rest in loose:
            if groups and rest.spot.right - groups[-1][-1].spot.right <= reach:
                groups[-1].append(rest)
            else:
                groups.append([rest])
        return [
            part for group in groups for known in self._parted(seat, group) for part in _sets(known)
        ]

    def _parted(self, seat: Seat, group: list[Rest]) -> list[list[Rest]]:
        """Neighbouring sets that are known from before, taken apart."""
        for owner, tiles in self._expected:
            size = len(tiles)
            if owner != seat or len(group) <= size:
                continue
            for start in range(len(group) - size + 1):
                part = group[start : start + size]
                if sort_tiles(_shown(rest) for rest in part) == sort_tiles(tiles):
                    rest = group[:start], group[start + size :]
                    return [part, *(p for side in rest if side for p in self._parted(seat, side))]
        return [group]

    def _claim(self, seat: Seat, group: list[Rest], t: float) -> ClaimNote | None:
        for note in reversed(self._table.claims):
            if note.used or note.seat != seat or t - note.t > _CLAIM_AGE_S:
                continue
            if note.tile is Tile.UNKNOWN or any(rest.face.tile is note.tile for rest in group):
                return note
        return None

    def _tell(self, seat: Seat, row: _Row, group: list[Rest], claim: ClaimNote | None) -> None:
        tiles = tuple(_shown(rest) for rest in group)
        face_down = _hidden(group)
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

    def _sideways(self, seat: Seat, group: list[Rest]) -> int | None:
        turned = [
            index
            for index, rest in enumerate(group)
            if turn_between(rest.angle, 90.0 * seat, 180.0) > 55.0
        ]
        return turned[0] if len(turned) == 1 else None

    def _extend(self, seat: Seat, row: _Row, rest: Rest) -> bool:
        """Whether a single tile joins a set of three of its kind."""
        reach = 2.1 * self._table.places.geometry.tile_width
        for meld in row.melds:
            if len(meld.rests) != 3:
                continue
            nearest = min(distance(rest.point, other.point) for other in meld.rests)
            kinds = {_shown(other).plain for other in meld.rests if _shown(other).known}
            alike = len(kinds) == 1 and _shown(rest).known and _shown(rest).plain in kinds
            unread = len(kinds) == 1 and _shown(rest) is Tile.UNKNOWN
            if nearest > reach or not (alike or unread):
                continue
            row.loose.remove(rest)
            meld.rests.append(rest)
            meld.rests.sort(key=lambda other: other.spot.right)
            meld.told = tuple(_shown(other) for other in meld.rests)
            self._table.emit(
                MeldExtended(
                    t=rest.arrived,
                    seat=seat,
                    tile=_shown(rest),
                    confidence=rest.face.confidence,
                )
            )
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
            meld.rests = sorted([*meld.rests, rest], key=lambda other: other.spot.right)
            meld.vacant.clear()
            before, meld.told = meld.told, tuple(_shown(other) for other in meld.rests)
            if sort_tiles(before) != sort_tiles(meld.told):
                meld.face_down, meld.t = _hidden(meld.rests), rest.arrived
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
        hidden = _hidden(meld.rests)
        if hidden == meld.face_down or len(meld.rests) < 3:
            return
        if t - meld.t < 0.5 or any(
            rest.turn is not None or (rest.posture is Posture.FACE_UP and not rest.face.decided)
            for rest in meld.rests
        ):
            return
        meld.face_down = hidden
        meld.told = tuple(_shown(rest) for rest in meld.rests)
        self._table.emit(
            MeldShown(t=meld.t, seat=meld.seat, tiles=meld.told, face_down=hidden, confidence=0.9)
        )


def _sets(group: list[Rest]) -> list[list[Rest]]:
    """A row of tiles laid down at once as the sets of three or four that it is made of.

    Sets lie a little apart, and the four of a hidden kong face down.
    """
    if len(group) < 2 * _KONG - 2:
        return [group]

    def apart(size: int) -> tuple[bool, float]:
        one, other = group[size - 1], group[size]
        hidden = (one.posture is Posture.FACE_UP) != (other.posture is Posture.FACE_UP)
        return hidden, other.spot.right - one.spot.right

    sizes = [size for size in (_KONG - 1, _KONG) if len(group) - size >= _KONG - 1]
    size = max(sizes, key=apart)
    return [group[:size], *_sets(group[size:])]


def _is_chow(group: list[Rest]) -> bool:
    if any(rest.posture is not Posture.FACE_UP or not rest.face.decided for rest in group):
        return False
    tiles = [rest.face.tile.plain for rest in group]
    if not all(tile.is_suited for tile in tiles):
        return False
    ranks = sorted(tile.rank for tile in tiles)
    return len({tile.value[-1] for tile in tiles}) == 1 and ranks == list(
        range(ranks[0], ranks[0] + 3)
    )


def _shown(rest: Rest) -> Tile:
    return Tile.BACK if rest.posture is not Posture.FACE_UP else rest.face.tile


def _hidden(rests: list[Rest]) -> tuple[int, ...]:
    return tuple(index for index, rest in enumerate(rests) if rest.posture is not Posture.FACE_UP)
