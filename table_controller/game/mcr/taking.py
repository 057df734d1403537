"""What follows when a tile leaves the wall for a hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_controller.domain.happenings import Seat
from table_controller.game import costs
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable


def wanted(g: ChineseTable, seat: int, count: int) -> tuple[int, ...] | None:
    """Indices this seat may take now, or None where it may take nothing."""
    if g.wall is None:
        return None
    owed = g.owed[seat]
    if owed:
        wall = g.wall
        kept = wall.mask
        found: list[int] = []
        for _ in range(min(count, owed)):
            index = g.back_index()
            if index is None:
                break
            found.append(index)
            wall.take(index)
        wall.mask = kept
        return tuple(found) or None
    if g.need == "draw" and g.turn == seat and count == 1 and g.claimer is None:
        front = g.wall.front()
        return None if front is None else (front,)
    return None


def who(g: ChineseTable, seat: Seat | None) -> Seat:
    """The seat that was seen, or else whose turn it is."""
    if seat is not None:
        return seat
    owing = [s for s in range(4) if g.owed[s]]
    return owing[0] if owing else g.turn  # type: ignore[return-value]


def take(g: ChineseTable, seat: Seat, indices: tuple[int, ...], *, inferred: bool = False) -> None:
    """The seat draws: an ordinary tile, or replacements where it owes some."""
    assert g.wall is not None
    for index in indices:
        g.wall.take(index)
    if inferred:
        g.untold |= set(indices)
    state = g.seats[seat]
    state.standing += len(indices)
    state.drawn_at = g.now
    slots = tuple(g.wall.slot(index) for index in indices)
    if g.owed[seat]:
        g.owe(seat, -len(indices))
        g.robbing = None
    else:
        if not inferred:
            # What was called may concern a discard after a draw that nobody saw.
            settle_calls(g, seat)
        g.need = "discard"
        g.after = "draw"
        g.turn = seat
        g.chance = None
        g.robbing = None
        state.barred_until_draw = False
    g.draw_t = g.now
    g.reached = ()
    g.handled = frozenset()
    g.refusing = None
    g.last_draw = (seat, indices, g.now)
    g.say("draw", seat, slots=slots, inferred=inferred)


def settle_calls(g: ChineseTable, acting: Seat) -> None:
    """Calls on the last discard that nobody carried out."""
    for seat, call, t, happening in g.calls:
        # A call before the discard lay, or on one that was not seen, may have been about another.
        about = g.chance is not None and t > g.chance.t and seat != g.chance.seat
        if about and call in ("chow", "pung", "kong") and seat != acting:
            g.flag(
                "call-not-executed",
                seat,
                happening,
                t=t,
                facts=Facts(stage=call),
                cause=("call", seat, t),
                cost=costs.MISSED,
            )
    g.calls = ()
