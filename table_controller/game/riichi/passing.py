"""A discard that nobody has won on yet: what follows, and what does not should somebody win still.

Who has called a win is slower than who draws, or lays a set: the win comes first (source 002, 6.2),
and then nobody has let the tile pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from table_controller.domain.happenings import Seat, TileReturned
from table_controller.game.mcr import playing
from table_controller.game.mcr.sources import overtaken
from table_controller.game.riichi.state import LetPass, Riichi
from table_controller.game.riichi.values import plain_tile, with_value

if TYPE_CHECKING:
    from table_controller.game.base import Chance
    from table_controller.game.riichi.table import Reading, RiichiTable


def put_riichi(g: RiichiTable, seat: int, riichi: Riichi | None) -> None:
    """Change a seat's riichi."""
    g.riichi = with_value(g.riichi, seat, riichi)


def chance_passed(g: RiichiTable) -> None:
    """Nobody won on the last discard: furiten of those who could have, and riichi is paid."""
    chance = g.open_chance
    if chance is None:
        return
    g.let_pass = _as_it_is(g, chance)
    g.open_chance = None
    tile = plain_tile(chance.tile)
    for seat in g.order:
        if seat == chance.seat or not tile.known:
            continue
        g.passed = with_value(g.passed, seat, (*g.passed[seat], tile))
        if g.in_riichi(seat):
            g.passed_riichi = with_value(g.passed_riichi, seat, (*g.passed_riichi[seat], tile))
    if chance.index >= 0:
        pay_stick(g, chance.seat)


def pay_stick(g: RiichiTable, seat: int) -> None:
    """Nobody won on the tile: a thousand points for a riichi go to the middle (5.12.1)."""
    riichi = g.riichi[seat]
    if riichi is None or riichi.paid or not riichi.due:
        return
    put_riichi(g, seat, replace(riichi, stick=riichi.stick or seat in g.stick_seen))
    _pay(g, seat, paid=True)


def give_back_sticks(g: RiichiTable) -> None:
    """What the riichi of this hand have paid goes back to them."""
    for seat in g.order:
        _pay(g, seat, paid=False)


def _pay(g: RiichiTable, seat: int, *, paid: bool) -> None:
    riichi = g.riichi[seat]
    if riichi is None or riichi.paid == paid:
        return
    put_riichi(g, seat, replace(riichi, paid=paid))
    points = -1000 if paid else 1000
    g.scores = with_value(g.scores, seat, g.scores[seat] + points)
    g.sticks += 1 if paid else -1


def _as_it_is(g: RiichiTable, latest: Chance) -> LetPass:
    """What letting the latest discard pass changes, as it is now."""
    riichi = g.riichi[latest.seat]
    return LetPass(
        latest,
        g.open_chance,
        g.passed,
        g.passed_riichi,
        tuple(each is not None and each.ippatsu for each in g.riichi),
        g.uninterrupted,
        riichi is not None and riichi.paid,
    )


def exchange(g: RiichiTable) -> None:
    """What the latest discard's passing has changed is undone; done once more it is as it was."""
    other = g.let_pass
    if other is None:
        return
    g.let_pass = _as_it_is(g, other.latest)
    g.open_chance = other.open_chance
    g.passed, g.passed_riichi = other.passed, other.passed_riichi
    g.uninterrupted = other.uninterrupted
    g.riichi = tuple(
        None if riichi is None else replace(riichi, ippatsu=ippatsu)
        for riichi, ippatsu in zip(g.riichi, other.ippatsu, strict=True)
    )
    _pay(g, other.latest.seat, paid=other.paid)


def still_won(g: RiichiTable, seat: Seat) -> bool:
    """Whether a win of this seat would be one on a discard that others have let pass.

    Where a kong's or a north's tile lies there, that is what would be won on.
    """
    passed = g.let_pass
    if g.phase != "play" or passed is None or g.open_chance is not None or g.kong_tile is not None:
        return False
    on = g.claim if g.claimer == seat else overtaken(g, seat)
    return on is not None and (on.seat, on.index) == (passed.latest.seat, passed.latest.index)


def before_it_passed(g: RiichiTable, seat: Seat) -> RiichiTable:
    """The table as it was for a win of this seat: a copy where a discard was let pass since."""
    if not still_won(g, seat):
        return g
    earlier = g.copy()
    exchange(earlier)
    return earlier


def read_tile_returned(g: RiichiTable, h: TileReturned) -> list[Reading]:
    """As in every game; where a draw is undone, the discard before it lies open again (9.5.4)."""
    readings = playing.read_tile_returned(g, h)
    return [(cost, partial(_reopened, take=take)) for cost, take in readings]


def _reopened(g: RiichiTable, take: Callable[[RiichiTable], None]) -> None:
    drawn = g.need == "discard"
    take(g)
    if drawn and g.need == "draw" and g.open_chance is None:
        exchange(g)
        g.let_pass = None
