"""Draws before the discard lies (touched, lifted, seen, taken), and tiles put back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import Seat, TileDrawn, TileReturned
from table_controller.game import costs
from table_controller.game.mcr import blind, dealing, misdealt
from table_controller.game.mcr.state import Early
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.domain.outputs import Ruling
    from table_controller.game.mcr.table import ChineseTable, Reading
from table_controller.game.mcr.taking import settle_calls, who

STAGES = ("touched", "lifted", "seen", "taken")

GIVEN_UP_S = 0.9
"""So long after its last stage was told, and the discard lies, a draw that began too early is taken
to be given up."""
LET_GO_S = 0.4
"""So long after it was told a touch out of order is no more than that: a hand that takes the tile
lifts it sooner, and who lifts it has to put it back."""
_SAME_DRAW_S = 2.0
"""Stages of one draw lie no farther apart."""


def begin_early(
    g: ChineseTable, alert: str, seat: Seat, indices: tuple[int, ...], h: TileDrawn
) -> None:
    """A draw that is not allowed begins, or is done at once; see :class:`Early`."""
    g.now = max(g.now, h.t)
    doubted = blind.holds(g, alert, seat, h.t)
    g.early = Early(alert, seat, indices[0], h.stage, h.t, (h,), doubted=doubted)
    if doubted:
        blind.assumed(g)
    if h.stage == "taken":
        early_taken(g, indices)


def early_taken(g: ChineseTable, indices: tuple[int, ...]) -> None:
    """The tile drawn too early has joined the hand."""
    assert g.early is not None
    assert g.wall is not None
    early = g.early
    for index in indices:
        g.wall.take(index)
    state = g.seats[early.seat]
    state.standing += len(indices)
    state.drawn_at = g.now
    if early.alert == "premature-draw":
        return
    ruling = resolve_early(g)
    g.last_draw = (early.seat, indices, g.now)
    if early.alert == "wrong-draw":
        settle_calls(g, early.seat)
        g.need, g.after, g.draw_t = "discard", "draw", g.now
    elif early.alert == "wrong-replacement":
        g.owe(early.seat, -len(indices))
        g.robbing = None
        g.draw_t = g.now
    elif early.alert in ("draw-out-of-turn", "extra-draw"):
        g.barred_by(early.seat, ruling)


def resolve_early(g: ChineseTable) -> Ruling | None:
    """It is known how far the draw went: the alert is raised; its ruling, of now or before."""
    early = g.early
    if early is None:
        return None
    g.early = None
    if early.doubted:
        g.unseen += 1
        return None
    for alert in g.rulings:
        same = alert.id == early.alert and alert.seat == early.seat
        if same and abs(early.t - alert.t) < _SAME_DRAW_S:
            # It was taken to be given up, and went on.
            return alert.ruling
    return g.flag(
        early.alert,
        early.seat,
        *early.evidence,
        t=early.t,
        facts=Facts(stage=early.stage),
    )


def give_up(g: ChineseTable, t: float) -> None:
    """A draw that does not go on is told as far as it went.

    One that began before the discard lay may still become the draw it was meant to be; a touch
    where none is due cannot.
    """
    early = g.early
    if early is None:
        return
    if early.known is None:
        g.early = replace(early, known=t)
        return
    lay = g.chance.t if g.chance is not None else 0.0
    if early.rested:
        over = max(early.known, lay) + GIVEN_UP_S
    elif early.stage == "touched" and early.alert != "premature-draw":
        over = early.known + LET_GO_S
    else:
        return
    if t > over:
        resolve_early(g)


def tile_returned(g: ChineseTable, h: TileReturned) -> bool:
    """A tile that should not have been drawn goes back."""
    if g.phase == "wall" and g.misdealt is not None:
        # A wrong break goes back before it was dealt from: the wall may be broken again.
        g.now = max(g.now, h.t)
        misdealt.tell(g)
        g.causes = frozenset(cause for cause in g.causes if cause[0] != "break")
        return True
    if g.phase == "deal" and g.wall is not None and g.early is None:
        return _dealt_returned(g, h)
    early = g.early
    if g.phase != "play" or g.wall is None:
        return False
    if early is None:
        # A tile that was only touched or lifted in turn is put down again: nothing has changed.
        given = {g.wall.index(slot) for slot in h.slots}
        if not given or not given <= g.handled:
            return False
        g.surprise += costs.PUT_BACK
        return True
    if h.seat is not None and h.seat != early.seat:
        return False
    if h.slots and early.index not in [g.wall.index(slot) for slot in h.slots]:
        return False
    g.now = max(g.now, h.t)
    if early.stage == "taken":
        g.wall.put(early.index)
        g.seats[early.seat].standing -= 1
    g.early = replace(early, evidence=(*early.evidence, h))
    resolve_early(g)
    return True


def _dealt_returned(g: ChineseTable, h: TileReturned) -> bool:
    """Tiles of a wrong break or deal go back; with all of them back the wall is whole again."""
    assert g.wall is not None
    indices = [g.wall.index(slot) for slot in h.slots]
    back = [i for i in indices if i is not None and not g.wall.stands(i)]
    if not indices or not set(indices) - set(back) <= g.handled:
        return False
    misdealt.tell(g)
    if not back:
        # Tiles that were only touched or lifted are put down where they stood.
        return True
    g.now = max(g.now, h.t)
    for index in back:
        g.wall.put(index)
    seat = g.seats[dealing.deal_seat(g) if h.seat is None else h.seat]
    seat.standing = max(0, seat.standing - len(back))
    if g.wall.mask == g.wall.full:
        g.phase, g.wall = "wall", None
        for state in g.seats:
            state.standing = 0
        g.causes = frozenset(cause for cause in g.causes if cause[0] != "break")
        return True
    for step in range(g.deal_steps):
        left = tuple(i for i in g.deal_step(step)[1] if g.wall.stands(i))
        if left:
            g.deal_at, g.deal_left = step, left
            break
    return True


def read_tile_returned(g: ChineseTable, h: TileReturned) -> list[Reading]:
    """A tile of an earlier alert, or the drawn tile itself, goes back to the wall."""
    if g.wall is not None and g.phase == "deal":
        return [(costs.disbelief(h.confidence), lambda _r: None)]
    if g.wall is None or g.phase != "play":
        return []
    indices = [g.wall.index(slot) for slot in h.slots]
    gone = tuple(i for i in indices if i is not None and not g.wall.stands(i))
    if not gone:
        touched = any(a.id in _DRAW_ALERTS and h.seat in (None, a.seat) for a in g.rulings)
        return [(0.5 if touched else costs.MISSED, lambda _r: None)]
    seat = who(g, h.seat) if h.seat is not None or g.last_draw is None else g.last_draw[0]

    def back(r: ChineseTable) -> None:
        assert r.wall is not None
        r.now = max(r.now, h.t)
        for index in gone:
            r.wall.put(index)
        state = r.seats[seat]
        state.standing -= len(gone)
        state.dead = False
        if r.last_draw is not None and r.last_draw[0] == seat and set(gone) & set(r.last_draw[1]):
            mine = r.turn == seat and r.need == "discard" and not r.owed[seat]
            # Who gives an extra tile back has the one of his turn yet.
            if mine and state.standing % 3 != _TO_DISCARD:
                if r.after == "draw":
                    r.need = "draw"
                elif r.after in _REPLACED:
                    r.owe(seat, len(gone))
            r.last_draw = None

    known = any(
        (a.seat == seat and a.id in _DRAW_ALERTS) or a.id == "claim-after-draw" for a in g.rulings
    )
    return [(0.5 if known else costs.MISSED, back)]


_TO_DISCARD = 2
"""So many tiles more than sets of three stand in a hand that is to discard."""
_REPLACED = frozenset({"kong", "kong_flower", "flower", "north"})
"""What a tile from the other end of the wall is drawn after."""
_DRAW_ALERTS = frozenset(
    {"premature-draw", "draw-out-of-turn", "wrong-draw", "extra-draw", "wrong-replacement"}
)
