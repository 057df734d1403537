"""What may not be concluded after a time in which nobody looked.

The observer says which places were not looked at, and until when. Until the game has been seen to
go on from there, an infraction that consists of something missing or out of order is no finding:
what is missing may have happened unseen, and what was told with one look has no order. Such an
alert is held back for good, nobody is barred by it, and the state is taken as what follows shows.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from table_controller.domain.happenings import Happening, NotLooked, Place, Seat, TileDrawn
from table_controller.domain.tiles import Tile
from table_controller.game.base import Discard, Doubt

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable

SEEN_ITSELF: Final = frozenset(
    {
        "wall-miscount",
        "wall-crooked",
        "die-invalid",
        "own-tile-exposed",
        "other-tile-exposed",
        "wall-tile-exposed",
        "wall-break",
        "pool-disturbed",
        "discard-misplaced",
        "foreign-tile",
        "missing-tile",
        "swapped-tile",
        "flower-mistaken",
        "concealed-kong-hidden",
        "session-time-up",
    }
)
"""Alerts that rest on what lies or stands there; where they need more, their rules ask for it."""

FOLLOWS: Final = frozenset(
    {"call-not-executed", "claim-late", "discard-missing", "dice-left", "indicator-not-turned"}
)
"""Alerts about what did not follow: a gap after their time is as good as one at it."""

OF_THE_HAND: Final = frozenset(
    {
        "kong-illegal",
        "kong-after-claim",
        "false-win",
        "win-wrong-tile",
        "win-below-minimum",
        "riichi-illegal",
        "riichi-noten",
        "nine-terminals-false",
    }
)
"""Alerts that rest on what a seat holds and has laid out: its count must have shown it since."""

OF_THE_WALL: Final = frozenset(
    {
        "wrong-draw",
        "wrong-replacement",
        "dead-wall-draw",
        "dead-wall-tile-exposed",
        "wrong-indicator",
        "ura-dora-peeked",
    }
)
"""Alerts that rest on where the wall was opened."""

OF_ITS_PLACE: Final = frozenset({"ura-dora-peeked"})
"""Those of them that rest on nothing else, as long as no win can have gone unseen."""

WHOEVER_DRAWS: Final = frozenset({"wrong-draw"})
"""Alerts that need neither whose turn it is nor what was discarded: whoever draws, draws the next
tile of the wall, unless what was laid out is replaced."""

TURNS: Final = frozenset({"draw-out-of-turn"})
"""Alerts that rest on whose turn it was when the hand came: in the pools of the others."""

TO_DISCARD: Final = frozenset({"premature-draw", "extra-draw"})
"""Alerts that need no more than the pool of the player who has yet to discard."""

FROM_THE_WALL: Final = WHOEVER_DRAWS | TURNS | TO_DISCARD | {"wrong-replacement"}
"""Those; and the one that needs no pool: who owes himself a replacement draws nothing else
before."""

_GAME: Final = ("all", "wall", "pool", "meld")
_COUNT: Final = (*_GAME, "hand")
_ROW: Final = 6
_ROWS: Final = 5
_MARGIN_S: Final = 0.3
"""What was told with the last look before a gap may be dated by so much too early."""
_TURN_S: Final = 0.8
"""No turn is quicker."""
_PLAIN: Final = 1
"""Steps seen as they were expected, after which the state is trusted again."""
_INFERRED: Final = 3
"""The same where something had to be assumed."""
STEPS: Final = frozenset(
    {
        "wall_raised",
        "dice_rolled",
        "tile_drawn",
        "tile_discarded",
        "tile_claimed",
        "meld_shown",
        "flower_shown",
    }
)
"""Kinds that show how the game goes on."""


def begin(g: ChineseTable, h: NotLooked) -> None:
    """A part of the table was not looked at."""
    until = h.t if h.until is None else h.until
    if any(gap.until is None and gap.where in _GAME for gap in g.unlooked):
        # Nobody looks there still.
        until = math.inf
    if h.where in _GAME:
        old = g.doubt
        if old is None:
            g.unseen_before = g.unseen
        since = h.t if old is None else min(old.since, h.t)
        left = _PLAIN if old is None else max(old.left, _PLAIN)
        g.doubt = Doubt(since, max(until, since), left)
    g.back_behind |= h.where == "all"
    pools, hands = left_open(h)
    g.pools_behind |= pools
    g.by_pools = g.by_pools | (hands - g.uncounted) if h.where == "pool" else g.by_pools - hands
    g.uncounted |= hands


def left_open(*gaps: NotLooked) -> tuple[frozenset[int], frozenset[int]]:
    """Whose pools, and whose hands, may be others after gaps than they were before."""
    pools: frozenset[int] = frozenset()
    hands: frozenset[int] = frozenset()
    for gap in gaps:
        seats = frozenset(range(4)) if gap.seat is None else frozenset({gap.seat})
        if gap.where in ("all", "pool"):
            pools |= seats
        if gap.where in _COUNT:
            # A tile that went unseen from one place may have gone to any hand but a hand's own.
            hands |= seats if gap.where == "hand" else frozenset(range(4))
    return pools, hands


def seen(g: ChineseTable, h: Happening) -> None:
    """A step that the rules took as it was: the state is right so far."""
    doubt = g.doubt
    if doubt is None or h.t <= doubt.until or h.kind not in STEPS:
        return
    if isinstance(h, TileDrawn) and h.stage != "taken":
        return
    g.doubt = replace(doubt, left=doubt.left - 1) if doubt.left > 1 else None
    if g.doubt is None:
        _as_before(g, doubt.since)
        g.undrawn = None if isinstance(h, TileDrawn) else doubt


def _as_before(g: ChineseTable, since: float) -> None:
    """The game went on as it had to: where only pools were covered no hand has changed.

    Who draws is seen at the wall, who claims by his set, and nobody else discards.
    """
    if g.looked("wall", None, since) and g.looked("meld", None, since):
        g.uncounted -= g.by_pools
    g.by_pools = frozenset()


def assumed(g: ChineseTable) -> None:
    """Something had to be assumed: the state is trusted only after more that fits."""
    g.by_pools = frozenset()
    if g.doubt is not None:
        g.doubt = replace(g.doubt, left=_INFERRED)


def holds(g: ChineseTable, alert: str, seat: Seat | None, t: float) -> bool:
    """Whether an alert about ``t`` rests on what nobody could see."""
    if alert in SEEN_ITSELF:
        return False
    if alert in ("short-hand", "long-hand"):
        return seat in g.uncounted
    if alert in OF_THE_HAND and seat in g.uncounted:
        return True
    if alert in OF_THE_WALL and g.break_guessed:
        return True
    doubt = g.doubt
    if doubt is not None and alert in OF_ITS_PLACE:
        return not g.looked("all", None, doubt.since)
    if doubt is not None and alert in FROM_THE_WALL and doubt.left <= _PLAIN:
        return not _watched(g, alert, seat, t, doubt.since)
    if doubt is not None and alert == "hand-shown-early" and g.first_win is not None:
        # The win that is under check was seen: what is shown beside it needs nothing after it.
        return doubt.since < g.first_win
    return doubt is not None and (alert in FOLLOWS or t >= doubt.since - _MARGIN_S)


def _watched(g: ChineseTable, alert: str, seat: Seat | None, t: float, since: float) -> bool:
    """Whether all that a wrong draw at ``t`` rests on was seen, though something was covered.

    Nothing was assumed since: what was not covered is as it was seen.
    """
    # So is the wall until the hand covers it that came for this tile, and whose turn it was then.
    comes = t - since <= _MARGIN_S
    pools: tuple[int | None, ...] = ()
    if alert == "premature-draw":
        # The hand that waits at the wall covers its own pool; the discard it does not wait for
        # comes to lie in another.
        chance = g.chance
        pools = (g.turn if g.need == "discard" or chance is None else chance.seat,)
    elif alert == "extra-draw":
        # Nobody discards, and is back at the wall, as soon as his own hand covers his pool.
        pools = () if comes else (seat,)
    elif alert in TURNS:
        if abs(t - since) > _MARGIN_S:
            return comes
        pools = tuple(other for other in range(4) if other != seat)
    wall = g.looked("wall", None, since) or (comes and alert not in WHOEVER_DRAWS)
    melds = g.looked("meld", None, since)
    return wall and melds and all(g.looked("pool", pool, since) for pool in pools)


def may_be_next(g: ChineseTable, index: int, t: float) -> bool:
    """Whether no more tiles stand before this one than can have been drawn since nobody looked.

    What was seen since may fit a game that is whole rounds farther on, until somebody draws.
    """
    doubt = g.doubt or g.undrawn
    if doubt is None or g.wall is None or (front := g.wall.front()) is None:
        return False
    before = sum(g.wall.stands(i) for i in range(front, index))
    if g.doubt is None:
        t = doubt.until
        if before % g.ruleset.equipment.players:
            return False
    return before <= 2 + (t - doubt.since) / _TURN_S


def caught_up(g: ChineseTable, seat: Seat, *, drawn: int | None) -> None:
    """The thread was lost while nobody looked, and is taken up with this seat.

    Args:
        g: the table.
        seat: who has drawn, or is about to discard.
        drawn: index of the tile that was drawn now; None: it went unseen.
    """
    assert g.wall is not None
    while drawn is not None and (front := g.wall.front()) is not None and front < drawn:
        g.wall.take(front)
    g.early = None
    g.owed = (0, 0, 0, 0)
    g.claim = g.claimer = g.chance = g.robbing = None
    g.calls = ()
    g.reached = ()
    g.turn = seat
    g.unseen += 1
    for state in g.seats:
        if state.standing or state.melds:
            state.standing = state.due
    g.uncounted = frozenset(range(4))
    g.pools_behind = frozenset(range(4))
    if drawn is None:
        g.need, g.after = "discard", "draw"
        g.seats[seat].standing += 1
    else:
        g.need = "draw"
    assumed(g)


def counted(g: ChineseTable, seat: Seat, count: int) -> bool:
    """A hand of which the count is all that is known: it is what the count says.

    While turns are in doubt the count may be one of before or after a step that was not seen.
    """
    if seat not in g.uncounted:
        return False
    state = g.seats[seat]
    # The tile that is to be discarded may have left the row, and is told when it lies.
    leaving = g.turn == seat and g.need == "discard" and count == state.due
    agrees = count == state.standing - leaving
    if not agrees and g.doubt is None:
        state.standing = count
        g.unseen += 1
    over = g.doubt is None or g.doubt.until < math.inf
    if over and (agrees or g.doubt is None) and count - state.due in (0, 1):
        # It also fits the sets that are known of.
        g.uncounted -= {seat}
    return True


def filled(g: ChineseTable, seat: Seat, place: Place | None) -> bool:
    """Whether a discard in the rows of its pool may be right after others that went unseen.

    Where places before it are empty as far as is known, tiles nobody saw are noted there.
    """
    in_rows = place is not None and 0 <= place.col < _ROW and 0 <= place.row < _ROWS
    if seat not in g.pools_behind or place is None or not in_rows:
        return False
    state = g.seats[seat]
    at = place.row * _ROW + place.col
    unknown = tuple(
        Discard(Tile.UNKNOWN, g.now, Place(n // _ROW, n % _ROW), inferred=True)
        for n in range(len(state.pool), at)
    )
    state.pool = (*state.pool, *unknown)
    g.unseen += len(unknown)
    return True
