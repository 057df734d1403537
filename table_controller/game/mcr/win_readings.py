"""Opened hands that do not simply win: not declared in order, none, or read wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_controller.domain.happenings import HandClosed, HandShown
from table_controller.game import costs
from table_controller.game.base import Chance
from table_controller.game.mcr import judging
from table_controller.game.mcr.sources import given_up, overtaken, source_of
from table_controller.game.mcr.winning import abort, barred, called_win, exhaust, put_back, won
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading


def read_hand_shown(g: ChineseTable, h: HandShown) -> list[Reading]:
    """A declaration that does not stand, or that was read wrongly."""
    if g.phase == "check":
        return _read_beside(g, h)
    if g.phase != "play":
        return []
    readings: list[Reading] = []
    seat = h.seat
    found = source_of(g, seat)
    empty = g.wall is not None and not g.wall.mask
    late = None if found is not None else overtaken(g, seat)
    if late is not None:
        judged = judging.judge(g, h, self_drawn=False, chance=late)
        if called_win(g, seat) or (judged is not None and judged.legal):
            found = False, late
    if found is None:
        early = g.early
        if early is not None and early.seat == seat and early.stage == "taken":

            def as_drawn(r: ChineseTable) -> None:
                _reject(r, h, "false-win", Facts(stage="not_entitled", tiles=h.tiles))

            readings.append((costs.INFRACTION, as_drawn))
        elif empty and g.need == "draw":
            readings.append((1.0, lambda r: exhaust(r, h.t)))
        else:
            facts = Facts(stage="not_entitled", tiles=h.tiles)
            readings.append((costs.RARE, lambda r: _reject(r, h, "false-win", facts)))
        return readings
    self_drawn, chance = found
    judged = judging.judge(g, h, self_drawn, chance)
    if barred(g, seat):
        facts = Facts(tiles=h.tiles)
        readings.append((costs.INFRACTION, lambda r: _reject(r, h, "win-while-barred", facts)))
        return readings
    if judged is not None and judged.legal:
        legal = judged
        if self_drawn:
            facts = Facts(stage="late", tiles=h.tiles)
            readings.append((0.0, lambda r: _reject(r, h, "win-while-barred", facts)))
        elif given_up(g, seat, chance):
            facts, cause = Facts(tiles=h.tiles), _claimed(h, chance)
            readings.append((0.0, lambda r: _reject(r, h, "claim-after-draw", facts, cause)))
        else:
            readings.append((costs.OVERTAKEN, lambda r: won(r, h, legal, chance)))
        return readings
    alert, stage = judging.what_is_wrong(g, h, judged, self_drawn)
    if g.refusing is not None and g.refusing != seat:
        # Another declaration is just being refused: this hand was laid down too early.
        alert, stage = "hand-shown-early", "win_rejected"
    if empty and not self_drawn and alert != "win-below-minimum":
        readings.append((1.0, lambda r: exhaust(r, h.t)))
    facts = Facts(stage=stage, tiles=h.tiles)
    readings.append((costs.INFRACTION, lambda r: _reject(r, h, alert, facts)))
    return [*readings, *_misread(g, h, self_drawn=self_drawn, chance=chance)]


def _claimed(h: HandShown, chance: Chance | None) -> tuple[object, ...]:
    """That he fetched the tile is the same offence, and may have been told."""
    return "claim", h.seat, chance.t if chance else h.t


def _read_beside(g: ChineseTable, h: HandShown) -> list[Reading]:
    """A hand laid open while a win is checked: declared as well, and none; or too early."""
    first = g.wins[0]
    if first.from_ in (None, h.seat) or not called_win(g, h.seat):
        return [(costs.INFRACTION - 2.0, lambda r: _shown_early(r, h))]
    stage: str | None = None
    cause: tuple[object, ...] = ("win", h.seat, h.t)
    judged = judging.judge(g, h, self_drawn=False, chance=first.chance)
    if barred(g, h.seat):
        alert = "win-while-barred"
    elif judged is not None and judged.legal and given_up(g, h.seat, first.chance):
        alert, cause = "claim-after-draw", _claimed(h, first.chance)
    else:
        alert, stage = judging.what_is_wrong(g, h, judged, self_drawn=False)

    misread = _misread(g, h, self_drawn=False, chance=first.chance)
    if alert == "claim-after-draw":
        misread = []  # the hand wins as it was read

    def refused(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        r.shown = (*r.shown, (h.seat, h))
        facts = Facts(stage=stage, tiles=h.tiles)
        r.flag(alert, h.seat, h, t=h.t, facts=facts, cause=cause)
        r.rejected = (*r.rejected, h.seat)

    return [(costs.INFRACTION - 2.0, refused), *misread]


def _shown_early(g: ChineseTable, h: HandShown) -> None:
    """Laid open while another's win is checked, with nothing to win on (000 Q160(2))."""
    g.now = max(g.now, h.t)
    g.shown = (*g.shown, (h.seat, h))
    g.flag(
        "hand-shown-early",
        h.seat,
        h,
        t=h.t,
        facts=Facts(stage="win_stands", tiles=h.tiles),
        cause=("shown", h.seat),
    )


def _misread(
    g: ChineseTable, h: HandShown, *, self_drawn: bool, chance: Chance | None
) -> list[Reading]:
    """The hand wins, but for one tile that was read wrongly."""
    doubt = costs.open_disbelief(h.confidence)
    if doubt >= costs.INFRACTION + costs.PRUNE or barred(g, h.seat):
        return []
    better = judging.with_one_misread(g, h, self_drawn, chance)
    return [] if better is None else [(doubt, lambda r: won(r, h, better, chance))]


def _reject(
    g: ChineseTable,
    h: HandShown,
    alert: str,
    facts: Facts,
    cause: tuple[object, ...] | None = None,
) -> None:
    """The declaration does not stand: the hand goes on, the offender plays along."""
    g.now = max(g.now, h.t)
    g.flag(alert, h.seat, h, t=h.t, facts=facts, cause=cause or ("win", h.seat, h.t))
    g.rejected = (*g.rejected, h.seat)
    if alert != "hand-shown-early":
        g.refusing = h.seat
    put_back(g, h.seat)


def read_hand_closed(g: ChineseTable, h: HandClosed) -> list[Reading]:
    """The referee ended the hand although its win was not understood here."""
    if g.phase != "play":
        return []

    def trusted(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        abort(r, h.t, "void")

    return [(costs.MISSED, trusted)]
