"""What leaves the pools: claimed, taken back, given back, or slid under others by a push."""

from __future__ import annotations

from table_controller.domain.happenings import PoolDisturbed, Seat, TileClaimed, TileRetracted
from table_controller.domain.tiles import Tile
from table_controller.happenings.felt.buried import Buried, Missing
from table_controller.happenings.felt.discard import REPAIRED_S, SLID_MM, SLID_WAIT_S, Discard
from table_controller.happenings.felt.pushes import Pushes
from table_controller.happenings.looks.places import SEATS, Area, distance
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import CLAIM_AGE_S, ClaimNote, Table
from vision.sightings import Posture

_RESETTLE_S = 0.3
"""What a hand that is home again laid back into its pool is seen there within this time."""
_UNKNOWN_WAIT_S = 3.0
_AT_ONCE_S = 1.0
"""What one sleeve sweeps up is gone within this time."""
_CLAIM_SURE = 0.995
"""Of 229 claims of the latest discard that were told on pictures none was wrong."""


class Leaving:
    """Discards that left their places.

    Args:
        table: the shared state.
        discards: those of all pools, as they were told; shared with the pools.
        pushes: of the pools.
    """

    def __init__(self, table: Table, discards: list[Discard], pushes: Pushes) -> None:
        self._table = table
        self._discards = discards
        self._pushes = pushes
        self._missing: list[Missing] = []
        self._buried = Buried(discards)

    def clear(self) -> None:
        """A new hand begins."""
        self._missing.clear()
        self._buried.clear()

    def pending(self) -> list[float]:
        """Since when each is missing of which it is not decided what became of it."""
        return [missing.t for missing in self._missing]

    def left(self, discard: Discard, t: float) -> None:
        """A discard is believed to have left its place."""
        when = t if discard.rest.left is None else discard.rest.left
        self._missing.append(Missing(discard, when, discard.rest.by, t))

    def found(self, discard: Discard) -> None:
        """It had only been pushed."""
        self._missing = [each for each in self._missing if each.discard is not discard]

    def tick(self, t: float) -> None:
        """Decide what can be decided."""
        for missing in list(self._missing):
            if self._resolve(missing, t):
                self._missing.remove(missing)
        self._buried.forget(t)

    def buried(self, discard: Discard) -> bool:
        """Whether a push has slid a discard under others, or whatever became of it."""
        return any(missing.discard is discard for missing in self._buried.waiting)

    def unburied(self, seat: Seat, tiles: tuple[Tile, ...], t: float) -> ClaimNote | None:
        """A discard of a pushed pool that lies in a set of another seat since a time."""
        discard = self._buried.fetched(seat, tiles, t)
        if discard is None:
            return None
        self.claimed(discard, seat, t, 0.8)
        return self._table.claims[-1]

    def put_straight(self, rest: Rest) -> bool:
        """Whether this is a discard that was taken up and laid down again."""
        for missing in (*self._missing, *self._buried.waiting):
            old = missing.discard
            faces = (old.tile, old.rest.face.tile)
            same = rest.face.tile in faces and rest.face.tile is not Tile.UNKNOWN
            near = distance(old.rest.point, rest.point) <= SLID_MM
            home = rest.spot.seat == old.seat and rest.spot.area is Area.POOL
            if same and (near or home):
                self._pushes.slide(old, rest)
                kept = self._missing if missing in self._missing else self._buried.waiting
                kept.remove(missing)
                return True
        return False

    def given_back(self, rest: Rest, tile: Tile) -> bool:
        """Whether a tile lies in the pool again that it was claimed from; it is claimed no more.

        Its player thought better of it, or another's claim comes first (riichi 9.5.4). Once it is
        in a set, or somebody has discarded, it is another tile.
        """
        since = max([rest.arrived - CLAIM_AGE_S, *self._table.discarded_at.values()])
        for note in (note for seat in SEATS for note in self._table.unlaid(seat, since)):
            if note.from_ == rest.spot.seat and note.tile is tile and note.t < rest.arrived:
                self._table.claims.remove(note)
                return True
        return False

    def _turning_up(self, missing: Missing) -> bool:
        """Whether a missing discard may be the tile that is just coming to rest beside."""
        old = missing.discard.rest
        return any(
            rest is not old
            and not any(other.rest is rest for other in self._discards)
            and rest.posture is Posture.FACE_UP
            and rest.spot.area not in (Area.MELD, Area.HAND)
            and rest.since >= old.seen - 0.1
            and distance(rest.point, old.point) <= SLID_MM
            and (rest.face.tile is old.face.tile or not rest.face.decided)
            for rest in self._table.book.all()
        )

    def _at_once(self, missing: Missing) -> list[Missing]:
        """What left its pool with this tile, which is among them: nobody claims two."""
        return [
            each
            for each in self._missing
            if each.discard.seat == missing.discard.seat and abs(each.t - missing.t) <= _AT_ONCE_S
        ]

    def _in_push(self, missing: Missing) -> bool:
        """Whether a tile left while others of its pool were pushed."""
        return any(
            other is not missing.discard
            and other.seat == missing.discard.seat
            and abs(other.pushed - missing.t) <= SLID_WAIT_S
            for other in self._discards
        )

    def _resolve(self, missing: Missing, t: float) -> bool:
        discard, table = missing.discard, self._table
        latest = max(self._discards, key=lambda d: d.t)
        together = self._at_once(missing)
        # Several that were not there to be claimed lie under others, or over them, half in sight.
        heap = [each for each in together if each.discard is not latest]
        swept = len(heap) > 1 and discard is not latest
        if swept and (table.setup.machine or t - missing.since >= SLID_WAIT_S):
            # Where no machine tells that the hand is over they may be swept together after it.
            for each in heap:
                self._pushes.heaped(each.discard, each.t)
        if t - missing.since < SLID_WAIT_S and (len(together) > 1 or self._turning_up(missing)):
            return False
        if self._in_push(missing):
            # What a push has slid under others is neither claimed nor taken back.
            self._buried.waiting.append(missing)
            return True
        taker = missing.by
        if taker is not None and taker != discard.seat:
            pushed = missing.t - discard.pushed <= REPAIRED_S
            if t - missing.since < (SLID_WAIT_S if pushed else 0.3):
                # What was pushed is laid straight by whoever pushed it.
                return False
            self.claimed(discard, taker, missing.t, _CLAIM_SURE if discard is latest else 0.7)
            return True
        if taker == discard.seat:
            home = table.brought_home(taker, missing.t)
            if t - missing.since < 2.0 if home is None else t - home < _RESETTLE_S:
                return False
            self._discards.remove(discard)
            when = missing.t if home is None else home
            sure = 0.995 if self._alone(missing, taker) else 0.9
            table.emit(TileRetracted(t=when, seat=discard.seat, tile=discard.tile, confidence=sure))
            return True
        seat = self._turned_up(discard, missing.t)
        if seat is not None:
            self.claimed(discard, seat, missing.t, 0.8)
            return True
        if t - missing.since < _UNKNOWN_WAIT_S:
            return False
        # Nobody was seen taking it and it turned up nowhere: the pool is not what it was.
        self._discards.remove(discard)
        table.emit(PoolDisturbed(t=missing.t, seat=discard.seat, recoverable=True, confidence=0.5))
        return True

    def _alone(self, missing: Missing, seat: Seat) -> bool:
        """Whether no other hand came near a discard while it left, at whatever speed."""
        table, rest = self._table, missing.discard.rest
        near = table.setup.patience.near_mm
        visits = table.arms.visits(rest.point, rest.seen - 0.3, missing.t + 0.3, near, slow=False)
        return {visit.seat for visit in visits} == {seat}

    def _turned_up(self, discard: Discard, since: float) -> Seat | None:
        for rest in self._table.book.all():
            if (
                rest.spot.area in (Area.MELD, Area.HAND)
                and rest.since >= since
                and rest.posture is Posture.FACE_UP
                and rest.spot.seat != discard.seat
                and rest.face.tile is discard.tile
            ):
                return rest.spot.seat
        return None

    def claimed(self, discard: Discard, seat: Seat, t: float, confidence: float) -> None:
        """Tell that another seat took a discard."""
        self._discards.remove(discard)
        self._table.claims.append(ClaimNote(seat, discard.tile, discard.seat, t))
        self._table.emit(
            TileClaimed(
                t=t, seat=seat, tile=discard.tile, from_=discard.seat, confidence=confidence
            )
        )
