"""What follows when a tile leaves the wall for a hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_controller.domain.happenings import CallKind, Seat
from table_controller.game import costs
from table_controller.game.mcr import blind
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.state import Called
    from table_controller.game.mcr.table import ChineseTable

MEANWHILE_S = 0.3
"""A draw is told when the tile has joined the hand, and not better than this."""
CARRIED_OUT_S = 2.0
"""So long after its call the claimed tile has been taken."""


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


def reach(g: ChineseTable, seat: Seat, t: float, indices: tuple[int, ...]) -> None:
    """A hand is at the tiles it may take, and has not taken them yet."""
    g.reached = (*g.reached, (seat, t))
    g.handled |= set(indices)


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
        g.back_behind = False
        g.robbing = None
        if g.discards == 0 and g.after in ("deal", "flower"):
            g.flowers_t = g.now
    else:
        if not inferred:
            # What was called may concern a discard after a draw that nobody saw.
            settle_calls(g, seat)
        g.need = "discard"
        g.after = "draw"
        g.turn = seat
        g.robbing = None
        state.barred_until_draw = False
    g.draw_t = g.now
    g.reached = ()
    g.handled = frozenset()
    g.refusing = None
    g.last_draw = (seat, indices, g.now)
    g.say("draw", seat, slots=slots, inferred=inferred)


def is_late(g: ChineseTable, seat: Seat, kind: CallKind, t: float) -> bool:
    """Whether a pung is called over a chow when its time is over: the chow stands."""
    limit, chance = g.ruleset.timers.pung_s, g.open_discard
    if limit is None or chance is None or kind not in ("pung", "kong") or seat == chance.seat:
        return False
    chow = any(c[1] == "chow" and c[0] != seat and chance.t < c[2] < t for c in g.calls)
    return chow and t - chance.t > limit


def settle_calls(g: ChineseTable, acting: Seat) -> None:
    """Calls on the last discard that nobody has carried out when the next player draws.

    A pung in its time, and what was called while he drew, may still be carried out
    (:func:`ripen`).
    """
    limit, chance = g.ruleset.timers.pung_s, g.chance
    for call in g.calls:
        seat, kind, t, _ = call
        # A call before the discard lay, or on one that was not seen, may have been about another.
        if chance is None or t <= chance.t - costs.TIMED_S or seat in (chance.seat, acting):
            continue
        if is_late(g, seat, kind, t):
            # It was refused: nobody is to carry it out.
            continue
        g.overtaken = (*g.overtaken, call)
        if kind not in ("chow", "pung", "kong"):
            continue
        soon = kind != "chow" and (limit is None or t - chance.t <= limit)
        if (soon or g.now - t < MEANWHILE_S) and not blind.holds(g, "call-not-executed", seat, t):
            g.late_calls = (*g.late_calls, call)
        else:
            _not_executed(g, call)
    g.calls = ()


def ripen(g: ChineseTable, t: float) -> None:
    """A call that a draw has overtaken is not carried out either."""
    last = g.open_discard
    for call in g.late_calls:
        # The tile that was drawn over it may have been put back: then the call stands again.
        stands = last is not None and call[2] > last.t
        if t > call[2] + CARRIED_OUT_S and not stands:
            g.late_calls = tuple(other for other in g.late_calls if other is not call)
            _not_executed(g, call)


def _not_executed(g: ChineseTable, call: Called) -> None:
    seat, kind, t, happening = call
    g.flag(
        "call-not-executed",
        seat,
        happening,
        t=t,
        facts=Facts(stage=kind),
        cause=("call", seat, t),
        cost=costs.MISSED,
    )
