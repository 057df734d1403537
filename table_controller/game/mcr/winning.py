"""Winning: the declaration, its check, the settlement, and hands that end without a win."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import HandClosed, HandHidden, HandShown, Seat
from table_controller.domain.outputs import HandRecord, WinRecord
from table_controller.game.base import Chance
from table_controller.game.mcr import judging, melding, timing
from table_controller.game.mcr.sources import given_up, overtaken, set_over, source_of
from table_controller.game.mcr.state import Called, Win
from table_controller.referee.rulings import paid_by

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable

KONG_UP_S = 3.0
"""How long after a hand was laid open its concealed kongs may stay face down."""

NEARER_S = 1.0
"""How long after a win who sits nearer to the discarder, and has called, may show his hand: the
referee has to know in time that he has not."""

LAST_TILE_S = 10.0
"""How long after the last discard of the wall, and after a call on it, a claim or a win is still
waited for: who wins looks, calls, and then lays his hand open (003 Q96)."""


def hand_shown(g: ChineseTable, h: HandShown) -> bool:
    """A hand laid open that wins; what does not goes to the readings."""
    if g.phase in ("idle", "over"):
        return True
    if g.phase == "check":
        return _also_declared(g, h)
    found = source_of(g, h.seat) or _overtaken(g, h.seat)
    if found is None or barred(g, h.seat):
        return False
    judged = judging.judge(g, h, found[0], found[1])
    if judged is None or not judged.legal:
        return False
    if found[0] and timing.too_late(g, h):
        return False
    if not found[0] and given_up(g, h.seat, found[1]):
        return False
    won(g, h, judged, found[1])
    return True


def _overtaken(g: ChineseTable, seat: Seat) -> tuple[bool, Chance] | None:
    """A tile that others have gone past, where it is sure enough that the win is one on it."""
    late = overtaken(g, seat)
    if late is None:
        return None
    watched = late.tile.known and g.doubt is None
    return (False, late) if watched or called_win(g, seat) else None


def barred(g: ChineseTable, seat: Seat) -> bool:
    """Whether a ruling in force keeps the seat from winning this hand."""
    return g.seats[seat].stop_win or g.seats[seat].dead


def won(
    g: ChineseTable,
    h: HandShown,
    judged: judging.Judged,
    chance: Chance | None,
) -> None:
    """The declaration stands: the hand is under check."""
    g.now = max(g.now, h.t)
    if g.exposed:
        g.tick(h.t)
    win = Win(
        h.seat,
        None if chance is None else chance.seat,
        judged.win_tile,
        judged.standing,
        judged.answer,
        h.t,
        h,
        chance,
        all(tile.known for meld in g.seats[h.seat].melds for tile in meld.tiles),
    )
    if judged.merged:
        g.flag("winning-tile-merged", h.seat, h, t=h.t)
    settle_wins(g, win)
    if chance is not None and chance.index >= 0 and not chance.tile.known:
        g.put_in_pool(chance.seat, chance.index, tile=judged.win_tile)
    g.phase = "check"
    g.shown = (*g.shown, (h.seat, h))
    g.say(
        "win",
        h.seat,
        tile=judged.win_tile,
        tiles=judged.standing,
        from_=win.from_,
    )


def settle_wins(g: ChineseTable, win: Win) -> None:
    """One winner: the nearest to the discarder who declared."""
    winners = [*g.wins, win]
    if win.from_ is not None:
        base = win.from_
        winners.sort(key=lambda w: (w.seat - base) % 4)
    g.wins = tuple(winners[:1])


def _win_calls(g: ChineseTable) -> list[Called]:
    """Wins called on the latest discard, also before others went past it."""
    return [call for call in (*g.overtaken, *g.calls) if call[1] == "win"]


def called_win(g: ChineseTable, seat: Seat) -> bool:
    """Whether the seat has called a win on the latest discard."""
    return any(call[0] == seat for call in _win_calls(g))


def _check_nearer(g: ChineseTable, win: Win) -> None:
    """Whether one nearer to the discarder had called in time, who has not shown his hand."""
    if win.from_ is None:
        return
    place = (win.seat - win.from_) % 4
    for seat, _, when, happening in _win_calls(g):
        nearer = (seat - win.from_) % 4 < place and when <= win.t
        out = seat in g.rejected or barred(g, seat) or given_up(g, seat, win.chance)
        if nearer and not out:
            cause = ("priority", win.seat)
            g.flag("win-out-of-priority", win.seat, win.shown, happening, t=win.t, cause=cause)


def _also_declared(g: ChineseTable, h: HandShown) -> bool:
    """Another hand laid open while a win is checked: a second declaration, or too early."""
    if any(seat == h.seat for seat, _ in g.shown):
        return True
    first = g.wins[0] if g.wins else None
    if first is None:
        return True
    if first.from_ in (None, h.seat) or barred(g, h.seat) or given_up(g, h.seat, first.chance):
        return False
    judged = judging.judge(g, h, self_drawn=False, chance=first.chance)
    if judged is None or not judged.legal:
        return False
    won(g, h, judged, first.chance)
    return True


def put_back(g: ChineseTable, seat: Seat) -> None:
    """A tile that was fetched for a win which does not stand goes back to its place."""
    if g.claimer != seat or g.claim is None:
        return
    if g.claim.index >= 0 and set_over(g, g.claim) is None:
        g.put_in_pool(g.claim.seat, g.claim.index, gone=False)
    g.claim = g.claimer = None


def hand_hidden(g: ChineseTable, h: HandHidden) -> bool:
    """An opened hand is stood up again: an unchecked win was taken back or refused."""
    g.resumed_t = max(g.resumed_t, h.t)  # nobody had to discard while a hand was looked at
    if g.refusing == h.seat:
        g.refusing = None
    if g.phase == "check" and g.wins and g.wins[0].seat == h.seat:
        # The referee refused the win: the hand goes on where it was.
        g.wins = ()
        g.phase = "play"
        g.reopened = True
        g.rejected = (*g.rejected, h.seat)
        put_back(g, h.seat)
    return True


def hand_closed(g: ChineseTable, h: HandClosed) -> bool:
    """The referee turned a tile of the winning hand down: nothing changes any more."""
    if g.phase == "check":
        g.now = max(g.now, h.t)
        close(g, confirmed=True)
        return True
    return g.phase in ("over", "idle")


def close(g: ChineseTable, *, confirmed: bool) -> None:
    """The settlement of a won hand."""
    if not g.wins:
        g.phase = "play"
        return
    melding.check_lying(g)
    win = g.wins[0]
    _check_nearer(g, win)
    if not win.clear:
        again = judging.judge(g, win.shown, win.from_ is None, win.chance)
        if again is not None:
            win = replace(win, score=again.answer, tiles=again.standing)
            if not again.legal:
                g.flag("win-below-minimum", win.seat, win.shown, t=win.t, cause=("win", win.t))
    shares = win.score.get("payments") or (0, 0, 0, 0)
    payments = [0, 0, 0, 0]
    for offset, share in enumerate(shares):
        payments[(win.seat + offset) % 4] = share
    record = WinRecord(
        winner=win.seat,
        from_=win.from_,
        win_tile=win.tile,
        tiles=win.tiles,
        melds=tuple(judging.meld_object(m, win.seat) for m in g.seats[win.seat].melds),
        flowers=g.seats[win.seat].flowers,
        score=win.score,
    )
    _hidden_kongs(g, win.seat, win.shown)
    sure = confirmed and judging.all_read(win.shown)
    _record(g, "win", None, (record,), tuple(payments), confirmed=sure)


def tick(g: ChineseTable, t: float) -> None:
    """A hand lies open: its kongs are turned up soon, and whoever sits nearer shows his."""
    for win in g.wins:
        if t > win.t + KONG_UP_S:
            _hidden_kongs(g, win.seat, win.shown)
        if t > win.t + NEARER_S:
            _check_nearer(g, win)


def _hidden_kongs(g: ChineseTable, seat: Seat, shown: HandShown) -> None:
    """A concealed kong of the winner that was never turned up to be checked.

    Others' kongs may be inspected but change nothing (003 J71, J94), so their owners are left
    alone although 001 §2.2 has every concealed kong turned up at the end.
    """
    for meld in g.seats[seat].melds:
        hidden = meld.concealed and not any(tile.known for tile in meld.tiles)
        if hidden and g.looked("meld", seat, g.now - 10.0):
            g.flag("concealed-kong-hidden", seat, shown, t=shown.t, cause=("hidden", seat))


def exhaust(g: ChineseTable, t: float) -> None:
    """The wall is used up and nobody has won."""
    g.now = max(g.now, t)
    # Where a hand may have been laid open unseen, or who called a win is not known to have none,
    # the referee says how it ended.
    called = any(seat not in g.rejected for seat, *_ in _win_calls(g))
    seen = g.watched_to_the_end() and not called
    g.say("exhausted")
    _record(g, "exhausted", None, (), (0, 0, 0, 0), confirmed=seen)


def abort(g: ChineseTable, t: float, reason: str, *, redeal: bool = False) -> None:
    """The hand does not count; ``redeal``: the same dealer deals again."""
    g.now = max(g.now, t)
    g.redeal = redeal
    g.say("abort")
    _record(g, "abort", reason, (), (0, 0, 0, 0), confirmed=False)


def _record(
    g: ChineseTable,
    result: str,
    reason: str | None,
    wins: tuple[WinRecord, ...],
    payments: tuple[int, ...],
    *,
    confirmed: bool,
) -> None:
    penalties = paid_by(g.rulings)
    deducted = [0, 0, 0, 0]
    for alert in g.rulings:
        for payment in alert.ruling.payments:
            if payment.to is None:
                deducted[payment.from_] += payment.points
    g.deductions = tuple(a + b for a, b in zip(g.deductions, deducted, strict=True))
    scores = tuple(s + p + q for s, p, q in zip(g.scores, payments, penalties, strict=True))
    g.finished(
        HandRecord(
            t=g.now,
            hand=g.hand,
            round_wind=g.round_wind,  # type: ignore[arg-type]
            dealer=g.dealer,
            honba=0,
            result=result,  # type: ignore[arg-type]
            reason=reason,
            wins=wins,
            payments=payments,
            penalties=penalties,
            scores=scores,
            confirmed=confirmed,
        )
    )
