"""Whether what was discarded is what had been drawn: the drawn tile stands apart until then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import Slot, TileDiscarded
from tests.table_controller.happenings.scenes import QUAD, RIICHI, Table
from vision.sightings import Polygon, Posture, TileSighting

GAP_MM = 14.0


def around(tile: TileSighting) -> Polygon:
    x, y = tile.x, tile.y
    return ((x - 20, y - 20), (x + 20, y - 20), (x + 20, y + 20), (x - 20, y + 20))


class Play(Table):
    """Riichi; a first tile was discarded, and seat 0 has thirteen tiles.

    Args:
        dealt: the last of which it got in the deal just before; it still stands apart.
    """

    def __init__(self, dealt: Slot | None = None) -> None:
        super().__init__(RIICHI)
        *self.row, last = self.standing(0, 14)
        x, y = self.geometry.to_table(0, self.right(last) + GAP_MM, self.geometry.hand.offset)
        self.drawn = replace(last, x=x, y=y)
        self.lying = list(self.row)
        if dealt is not None:
            self.lying.pop()
            self.look(20)
            self.draw(dealt)
        self.look(30)
        self.discard(1, -65.0, "9s")
        self.look(20)

    def right(self, tile: TileSighting) -> float:
        return self.geometry.to_player(0, tile.x, tile.y)[0]

    def draw(self, slot: Slot) -> None:
        self.take(0, slot)
        self.lying.append(self.drawn)
        self.look(4, reach=(0, self.home(0)))

    def home(self, seat: int) -> tuple[float, float]:
        return self.geometry.to_table(seat, -60.0, self.geometry.hand.offset + 10.0)

    def discard(
        self, seat: int, right: float, face: str, seen: float | None = None, after: int = 0
    ) -> None:
        """The hand carries a tile to the pool and goes home.

        Its sleeve lies over the end of the row until then, and so many looks after; ``seen`` is
        the share of the drawn tile that shows beside it.
        """
        x, y = self.geometry.to_table(seat, right, 101.0)
        sleeve: tuple[Polygon, ...] = ()
        beside: tuple[TileSighting, ...] = ()
        if seen is not None:
            sleeve = (around(self.drawn),)
            beside = (replace(self.drawn, visible=seen),)
        self.look(1, reach=(seat, self.home(seat)))
        self.look(2, covered=sleeve, under=beside, reach=(seat, (x, y)))
        self.lying.append(self.face(x, y, face, 90.0 * seat))
        self.look(1, covered=sleeve, under=beside, reach=(seat, (x, y)))
        self.look(after, covered=sleeve, under=beside, reach=(seat, self.home(seat)))
        self.look(2, reach=(seat, self.home(seat)))

    def last(self) -> TileDiscarded:
        self.look(12)
        told = [h for h in self.told() if isinstance(h, TileDiscarded)]
        return told[-1]


@pytest.mark.parametrize(
    ("share", "gone", "after", "drawn"),
    [
        pytest.param(0.8, 3, 0, False, id="most of it is seen beside the sleeve"),
        pytest.param(0.3, 3, 0, None, id="hardly anything of it is seen"),
        pytest.param(0.3, 1, 4, False, id="and it makes up the number with all others of the row"),
        pytest.param(0.5, 2, 2, False, id="half of it, for two looks in which the other one lies"),
        pytest.param(0.3, 2, 4, None, id="and another one of the row is hidden too, or gone"),
    ],
)
def test_what_still_stands_apart_beside_a_sleeve_was_not_discarded(
    share: float, gone: int, after: int, drawn: bool | None
) -> None:
    """A tile changed after riichi was missed: the sleeve lay over the row for half a second."""
    play = Play()
    play.draw(Slot(0, 1, "top"))
    for tile in (*play.row[4 : 4 + gone], play.drawn):
        play.lying.remove(tile)
    play.discard(0, -65.0, "5z", seen=share, after=after)
    assert play.last().drawn is drawn


@pytest.mark.parametrize(
    ("free", "gone", "after", "drawn"),
    [
        pytest.param(1, 1, False, False, id="another one's place is empty"),
        pytest.param(0, 1, False, None, id="it was never in free sight"),
        pytest.param(1, 0, False, None, id="no place is empty"),
        pytest.param(1, 0, True, False, id="it is seen once with the other one in the pool"),
        pytest.param(0, 0, True, None, id="seen so once, and never in free sight"),
    ],
)
def test_what_stood_in_free_sight_and_then_beside_the_sleeve_was_not_discarded(
    free: int, gone: int, after: bool, drawn: bool | None
) -> None:
    """A tile changed after riichi was missed: the hand that laid it then hid the drawn one."""
    play = Play()
    play.draw(Slot(0, 1, "top"))
    for tile in (*play.row[4 : 4 + gone], play.drawn):
        play.lying.remove(tile)
    on_the_way = play.geometry.to_table(0, -62.0, 200.0)
    pool = play.geometry.to_table(0, -65.0, 101.0)
    sleeve, half = (around(play.drawn),), replace(play.drawn, visible=0.5)
    play.look(1, reach=(0, play.home(0)))
    play.look(free, play.drawn, reach=(0, on_the_way))
    play.look(1, covered=sleeve, under=(half,), reach=(0, on_the_way))
    play.look(1, covered=sleeve, under=(half,), reach=(0, pool))
    play.lying.append(play.face(*pool, "5z"))
    play.look(1, covered=sleeve, reach=(0, pool))
    play.look(1, covered=sleeve, under=(half,) if after else (), reach=(0, on_the_way))
    play.look(5, covered=sleeve, reach=(0, (play.drawn.x, play.drawn.y)))
    assert play.last().drawn is drawn


def test_a_row_as_before_without_what_stood_apart_discarded_that() -> None:
    play = Play()
    play.draw(Slot(0, 1, "top"))
    play.lying.remove(play.drawn)
    play.discard(0, -65.0, "5z")
    assert play.last().drawn is True


def test_what_was_seen_apart_when_the_discard_lay_there_already_is_not_known() -> None:
    """It was sorted in at the next look, and the row closed over the hole: told as discarded."""
    play = Play()
    play.draw(Slot(0, 1, "top"))
    play.lying.remove(play.drawn)
    play.discard(0, -65.0, "5z", seen=0.4)
    assert play.last().drawn is None


def test_who_claims_the_first_discard_has_drawn_nothing() -> None:
    """The last tile of the deal still stood apart: it was told as drawn when it was discarded."""
    play = Play(dealt=Slot(0, 1, "top"))
    play.lying.remove(play.drawn)
    play.discard(0, -65.0, "5z")
    assert play.last().drawn is None


def drawn_tile(table: Table, seat: int, sure: float = 0.95) -> TileSighting:
    """The tile just drawn, standing off to the right of the row."""
    width, height, _ = table.geometry.tile_mm
    x, y = table.geometry.to_table(
        seat, -130.0 + 12 * (width + 0.3) + 1.7 * width, table.geometry.hand.offset
    )
    return TileSighting(x, y, height, 90.0 * seat % 180, Posture.STANDING, (), sure, 1.0, QUAD)


@pytest.mark.parametrize("tile_that_left", ["drawn", "row", "row, slowly", "nobody saw"])
def test_whether_the_drawn_tile_left_is_said_from_looks_that_saw_it(tile_that_left: str) -> None:
    """The eye remembered a drawn tile for a look, and a sleeve passed for one that was put in."""
    table = Table(RIICHI)
    table.deal(0)
    table.take(0, Slot(0, 9, "top"))
    stands = drawn_tile(table, 0)
    table.lying.append(stands)
    table.look(8)
    x, y = table.geometry.to_table(0, -60.0, table.geometry.pool.offset)
    hand = (stands.x, stands.y)
    table.look(2, reach=(0, hand))
    if tile_that_left.startswith("row"):
        # An inner tile is taken out: the drawn one stands on.
        table.lying.remove(table.lying[4])
        # Slowly: the place in the row was believed empty before the tile came to rest.
        table.look(3 if tile_that_left == "row" else 16, reach=(0, (x, y)))
    else:
        table.lying.remove(stands)
        unseen = tile_that_left == "nobody saw"
        ghost = drawn_tile(table, 0, sure=0.22)
        table.look(3, ghost, reach=(0, hand if unseen else (x, y)))
    table.lying.append(table.face(x, y, "1p"))
    home = table.geometry.to_table(0, 200.0, table.geometry.hand.offset + 20.0)
    table.look(25, reach=(0, hand if tile_that_left == "nobody saw" else home))
    (told,) = [h for h in table.told() if isinstance(h, TileDiscarded) and h.seat == 0]
    assert told.drawn is {"drawn": True, "nobody saw": None}.get(tile_that_left, False)


def test_what_is_seen_far_beside_the_row_is_not_the_drawn_tile() -> None:
    """What looked like a tile in the hand stood there still: another seemed to be discarded."""
    play = Play()
    play.take(0, Slot(0, 1, "top"))
    x, y = play.geometry.to_table(0, play.right(play.drawn) + 45.0, play.geometry.hand.offset)
    held = replace(play.drawn, x=x, y=y)
    play.look(2, held, reach=(0, play.home(0)))
    play.look(1, held, play.drawn, reach=(0, play.home(0)))
    play.lying.append(held)
    play.discard(0, -65.0, "5z")
    play.lying.remove(held)
    assert play.last().drawn is not False
