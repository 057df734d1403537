"""Tiles of a hand that lie open before its row and are no part of a set (003 Q22)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

from table_controller.domain.happenings import Seat, TileCovered, TileExposed
from table_controller.domain.tiles import Tile
from table_controller.happenings.felt.discard import Discard
from table_controller.happenings.felt.meld import Meld
from table_controller.happenings.hand.hands import Hands
from table_controller.happenings.looks.places import Area
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.rest.sets import near
from table_controller.happenings.table import CLAIM_AGE_S, Table
from vision.sightings import Posture

_LAIN_S, _LAIN_LOOKS, _SURE = 1.0, 5, 0.9
"""What is dropped lies so long, in so many looks with no arm over it, and is read so surely."""
_SETTLED_S, _CALM_S = 1.0, 0.3
"""So long is waited whether what was picked up is discarded, and with the row calm."""
_BACK_S = 4.0
"""A tile that was picked up stands in the row by then."""


class Dropped:
    """Tells the tiles that somebody let fall before his row, when they are picked up again.

    While it lies there it may be the first tile of a set, or on its way to the pool.

    Args:
        table: the shared state.
        hands: whether one lies open.
        discards: what lies in the pools; the caller's list, as it is when asked.
        melds: the sets of a seat.
    """

    def __init__(
        self,
        table: Table,
        hands: Hands,
        discards: Sequence[Discard],
        melds: Callable[[Seat], list[Meld]],
    ) -> None:
        self._table = table
        self._hands = hands
        self._discards = discards
        self._melds = melds
        self._came: dict[int, Seat | None] = {}
        """Who laid what came while no discard could be claimed, by its number."""
        self._told: list[Rest] = []
        self._held: list[Rest] = []
        """Lying before the row of whoever has drawn: he may be about to win with it."""
        self._picked_up: list[tuple[Rest, int]] = []
        """And how many tiles stood in the row then."""

    def clear(self) -> None:
        """A new hand begins."""
        self._came.clear()
        self._told.clear()
        self._held.clear()
        self._picked_up.clear()

    def arrived(self, rest: Rest) -> None:
        """A tile came to rest before a row."""
        table, t = self._table, rest.arrived
        last = max(table.discarded_at.values(), default=-math.inf)
        if table.dealt and any(last < at <= t for at in table.drawn_at.values()):
            self._came[rest.number] = rest.by

    def left(self, rest: Rest, others: Collection[Rest]) -> None:
        """A loose tile was picked up; ``others`` lie loose before the same row."""
        if rest.by == rest.spot.seat and self._shows(rest, others):
            self._picked_up.append((rest, self._standing(rest.spot.seat)))

    def covered(self, rest: Rest) -> None:
        """A tile of the hand that lay there is gone."""
        if rest in self._held:
            self._held.remove(rest)
            self._picked_up.append((rest, self._standing(rest.spot.seat)))
        if rest in self._told:
            self._told.remove(rest)
            self._cover(rest)

    def stays(self, rest: Rest, others: Collection[Rest]) -> bool:
        """Whether a tile that lies alone for so long that no set comes is one of the hand.

        It is told, in its owner's turn when he plays on.
        """
        if not self._shows(rest, others):
            return False
        if self._in_turn(rest):
            self._held.append(rest)
        else:
            self._lies(rest)
        return True

    def tick(self, t: float) -> None:
        """Decide what became of the tiles that lie there, or were picked up."""
        for rest in list(self._held):
            if self._hands.open():
                # He had laid it there to win with it.
                self._held.remove(rest)
            elif not self._in_turn(rest):
                self._held.remove(rest)
                self._lies(rest)
        for each in list(self._picked_up):
            rest, stood = each
            assert rest.left is not None
            seat, tile, gone = rest.spot.seat, rest.face.tile, rest.left
            thrown = any(
                one.seat == seat and one.t > gone and one.tile is tile for one in self._discards
            )
            calm = not self._table.book.unsettled(Area.HAND, seat, t, _CALM_S)
            if thrown or t - gone > _BACK_S:
                self._picked_up.remove(each)
            elif t - gone >= _SETTLED_S and calm and self._standing(seat) == stood + 1:
                self._picked_up.remove(each)
                self._expose(rest)
                self._cover(rest)

    def _in_turn(self, rest: Rest) -> bool:
        """Whether its owner laid it there after the latest draw, his own, and has not discarded."""
        table, seat = self._table, rest.spot.seat
        drawn = table.drawn_at.get(seat, -math.inf)
        acts = (*table.drawn_at.values(), *table.discarded_at.values())
        return self._came[rest.number] == seat and max(acts, default=math.inf) <= drawn

    def _lies(self, rest: Rest) -> None:
        self._told.append(rest)
        self._expose(rest)

    def _standing(self, seat: Seat) -> int:
        return len(self._table.book.standing(seat))

    def _shows(self, rest: Rest, others: Collection[Rest]) -> bool:
        """Whether it is a tile of the hand that has no business there, beyond doubt."""
        table, seat, face = self._table, rest.spot.seat, rest.face
        lain = rest.seen - rest.since >= _LAIN_S and rest.clear >= _LAIN_LOOKS
        read = rest.posture is Posture.FACE_UP and face.decided and not face.contradicted
        aside = face.tile.is_flower or (table.setup.norths and face.tile is Tile.NORTH)
        if rest.number not in self._came or not lain or not read or aside or face.share < _SURE:
            return False
        sets = (each for meld in self._melds(seat) for each in meld.rests)
        beside = near(rest, (*others, *sets), table.places.geometry.tile_width)
        due = table.unlaid(seat, rest.arrived - CLAIM_AGE_S)
        return not beside and not due and not self._hands.open()

    def _expose(self, rest: Rest) -> None:
        self._table.emit(
            TileExposed(
                t=rest.arrived,
                where="table",
                seat=rest.spot.seat,
                tile=rest.face.tile,
                by=self._came[rest.number],
                confidence=rest.face.confidence,
            )
        )

    def _cover(self, rest: Rest) -> None:
        assert rest.left is not None
        self._table.emit(
            TileCovered(
                t=rest.left, where="table", seat=rest.spot.seat, tile=rest.face.tile, by=rest.by
            )
        )
