"""Whether what was discarded is what had been drawn: the drawn tile stands apart until then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import Slot, TileDiscarded
from tests.table_controller.happenings.scenes import Table
from vision.sightings import Polygon, TileSighting

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
        super().__init__("riichi-xjtu-2025")
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

    def discard(self, seat: int, right: float, face: str, seen: float | None = None) -> None:
        """The hand carries a tile to the pool and goes home.

        Its sleeve lies over the end of the row until then; ``seen`` is the share of the drawn tile
        that shows beside it.
        """
        x, y = self.geometry.to_table(seat, right, 101.0)
        sleeve, beside = (), ()
        if seen is not None:
            sleeve = (around(self.drawn),)
            beside = (replace(self.drawn, visible=seen),)
        self.look(1, reach=(seat, self.home(seat)))
        self.look(2, covered=sleeve, under=beside, reach=(seat, (x, y)))
        self.lying.append(self.face(x, y, face, 90.0 * seat))
        self.look(1, covered=sleeve, under=beside, reach=(seat, (x, y)))
        self.look(2, reach=(seat, self.home(seat)))

    def last(self) -> TileDiscarded:
        self.look(12)
        told = [h for h in self.told() if isinstance(h, TileDiscarded)]
        return told[-1]


@pytest.mark.parametrize(
    ("share", "drawn"),
    [
        pytest.param(0.8, False, id="most of it is seen beside the sleeve"),
        pytest.param(0.3, None, id="hardly anything of it is seen"),
    ],
)
def test_what_still_stands_apart_beside_a_sleeve_was_not_discarded(
    share: float, drawn: bool | None
) -> None:
    """A tile changed after riichi was missed: the sleeve lay over the row for half a second."""
    play = Play()
    play.draw(Slot(0, 1, "top"))
    for tile in (*play.row[4:7], play.drawn):
        play.lying.remove(tile)
    play.discard(0, -65.0, "5z", seen=share)
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
