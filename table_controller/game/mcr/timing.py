"""How long a player may think: for a discard, and for a win on the drawn tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_controller.domain.happenings import HandShown, Seat, TileDiscarded

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable

_TOLD_S = 0.8
"""A discard is told no later than so long after it came to rest."""


def check_discard(g: ChineseTable, h: TileDiscarded) -> None:
    """Whether the discard came within its time."""
    limit, since = _time(g, h.seat)
    if limit is not None and h.t - since > limit and g.paused_at is None:
        cause = ("slow", h.seat, g.draw_t)
        g.flag("discard-slow", h.seat, h, t=since + limit, cause=cause)


def check_slow(g: ChineseTable, t: float) -> None:
    """Whether somebody still thinks when the time to discard is over, and was told of it."""
    waits = g.phase == "play" and g.need == "discard" and g.paused_at is None
    other = g.claimer is not None or g.early is not None or g.refusing is not None or any(g.owed)
    if not waits or other or g.doubt is not None:
        return
    limit, since = _time(g, g.turn)
    if limit is not None and t - since > limit + _TOLD_S:
        evidence = () if g.latest is None else (g.latest,)
        cause = ("slow", g.turn, g.draw_t)
        g.flag("discard-slow", g.turn, *evidence, t=since + limit, cause=cause)


def too_late(g: ChineseTable, h: HandShown) -> bool:
    """Whether a win on the drawn tile is declared when the time for it is over (003 Q27)."""
    limit = g.ruleset.timers.self_draw_win_s
    if limit is None or g.after == "deal" or g.paused_at is not None:
        return False
    return h.t - g.unpaused(max(g.draw_t, g.resumed_t)) > limit


def _time(g: ChineseTable, seat: Seat) -> tuple[float | None, float]:
    """How long this seat may take for its discard, and from when on."""
    timers = g.ruleset.timers
    if g.discards == 0 and seat == g.dealer:
        limit = timers.first_discard_s
        since = g.flowers_t if timers.first_discard_from == "flowers" else g.deal_t
    else:
        limit = timers.discard_s
        since = g.draw_t if timers.discard_from == "draw" else _last_discard(g)
    return limit, g.unpaused(max(since, g.resumed_t))


def _last_discard(g: ChineseTable) -> float:
    return max((s.pool[-1].t for s in g.seats if s.pool), default=g.deal_t)
