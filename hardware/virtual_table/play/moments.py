"""When something may go wrong in a hand, and who is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from hardware.virtual_table.play.steps import Token
from table_controller.domain.happenings import Seat

if TYPE_CHECKING:
    from hardware.virtual_table.play.incidents.base import Wanted
    from hardware.virtual_table.play.players import HandPlay

Moment = Literal[
    "plan",
    "dice",
    "opening",
    "flowers",
    "dealt",
    "draw",
    "drawn",
    "discard",
    "discarded",
    "special",
    "winning",
    "checking",
    "indicator",
    "first",
    "declare",
    "replacement",
    "stick",
    "ura",
    "exhausted",
]
"""When something may go wrong: while fate decides; before the throws; before the wall is broken;
before the flowers are replaced; before play; ``seat`` about to draw; holding its tile and about to
discard; about to discard ``token``; after that discard, which nobody claims; after a discard that
was arranged for it; about to lay a winning hand open (``token`` the discard it is won on, or
None); while the win is checked. In riichi also: before the first indicator is turned; in a seat's
first turn; about to declare riichi with ``token``; about to draw a replacement; before a stick is
placed; before the ura indicators are turned; when the wall has run out."""


class Incidents(Protocol):
    """What goes wrong in a hand, asked at every moment where something could."""

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        """All that is to go wrong, whether it has or not."""
        ...

    def at(self, moment: Moment, play: HandPlay, seat: Seat, token: Token | None = None) -> bool:
        """Let it happen now; True where it took the place of what was due."""
        ...
