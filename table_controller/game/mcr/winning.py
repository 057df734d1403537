"""Winning: the declaration, its check, the settlement, and hands that end without a win."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import HandClosed, HandHidden, HandShown, Seat
from table_controller.domain.outputs import HandRecord, WinRecord
from table_controller.game import costs
from table_controller.game.base import Chance
from table_controller.game.mcr import judging, melding
from table_controller.game.mcr.state import Win
from table_controller.referee.rulings import Facts, paid_by

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading

KONG_UP_S = 3.0
"""How long after a hand was laid open its concealed kongs may stay face down."""

LAST_TILE_S = 5.0
"""How long after the last discard of the wall a claim or a win is still waited for."""


def source_of(g: ChineseTable, seat: Seat) -> tuple[bool, Chance | None] | None:
    """On what this seat could win now: (self-drawn, other's tile); None on nothing."""
    if g.phase != "play":
        return None
    if g.robbing is not None and g.robbing.seat != seat:
        return False, g.robbing
    if g.claimer == seat and g.claim is not None:
        return False, g.claim
    own_turn = g.turn == seat and g.need == "discard" and not g.owed[seat]
    if own_turn and g.after not in ("chow", "pung") and g.claimer is None:
        return True, None
    if g.chance is not None and g.chance.seat != seat and g.need == "draw" and g.claimer is None:
        return False, g.chance
    return None


def hand_shown(g: ChineseTable, h: HandShown) -> bool:
    """A hand laid open that wins; what does not goes to the readings."""
    if g.phase in ("idle", "over"):
        return True
    if g.phase == "check":
        return _also_declared(g, h)
    found = source_of(g, h.seat)
    state = g.seats[h.seat]
    if found is None or state.stop_win or state.dead:
        return False
    judged = judging.judge(g, h, found[0], found[1])
    if judged is None or not judged.legal:
        return False
    if found[0] and _too_late(g, h):
        return False
    if not found[0] and _reached(g, h.seat, found[1]):
        return False
    _won(g, h, judged, found[1])
    return True


def _too_late(g: ChineseTable, h: HandShown) -> bool:
    limit = g.ruleset.timers.self_draw_win_s
    return limit is not None and g.after != "deal" and h.t - g.draw_t > limit


def _reached(g: ChineseTable, seat: Seat, chance: Chance | None) -> bool:
    """Whether the seat has reached for the wall since: that gave up the tile."""
    if chance is None or not g.ruleset.claims.draw_gives_up_claims:
        return False
    return any(s == seat and t >= chance.t for s, t in g.reached)


def _won(
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
        chance is not None and chance.index < 0,
        h.t,
        h,
        chance,
        all(tile.known for meld in g.seats[h.seat].melds for tile in meld.tiles),
    )
    if judged.merged:
        g.flag("winning-tile-merged", h.seat, h, t=h.t)
    settle_wins(g, win, h)
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


def settle_wins(g: ChineseTable, win: Win, h: HandShown) -> None:
    """One winner: the nearest to the discarder who declared."""
    winners = [*g.wins, win]
    if win.from_ is not None:
        base = win.from_
        winners.sort(key=lambda w: (w.seat - base) % 4)
        called = [c for c in g.calls if c[1] == "win" and c[0] != win.seat]
        for seat, _, when, happening in called:
            if (seat - base) % 4 < (win.seat - base) % 4 and when <= win.t and not g.wins:
                state = g.seats[seat]
                if not state.stop_win and not state.dead:
                    g.flag(
                        "win-out-of-priority",
                        win.seat,
                        h,
                        happening,
                        t=h.t,
                        cause=("priority", win.seat),
                    )
    g.wins = tuple(winners[:1])


def _also_declared(g: ChineseTable, h: HandShown) -> bool:
    """Another hand laid open while a win is checked: a second declaration, or too early."""
    if any(seat == h.seat for seat, _ in g.shown):
        return True
    first = g.wins[0] if g.wins else None
    if first is None:
        return True
    state = g.seats[h.seat]
    chance = None
    if first.from_ is not None and first.from_ != h.seat:
        chance = first.chance
        judged = judging.judge(g, h, self_drawn=False, chance=chance)
        if judged is not None and judged.legal and not state.stop_win and not state.dead:
            g.now = max(g.now, h.t)
            _won(g, h, judged, chance)
            return True
    return False


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


def read_hand_shown(g: ChineseTable, h: HandShown) -> list[Reading]:
    """A declaration that does not stand, or that was read wrongly."""
    if g.phase == "check":
        return [(costs.INFRACTION - 2.0, lambda r: _shown_early(r, h))]
    if g.phase != "play":
        return []
    readings: list[Reading] = []
    seat = h.seat
    state = g.seats[seat]
    found = source_of(g, seat)
    empty = g.wall is not None and not g.wall.mask
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
    if state.stop_win or state.dead:
        facts = Facts(tiles=h.tiles)
        readings.append((costs.INFRACTION, lambda r: _reject(r, h, "win-while-barred", facts)))
        return readings
    if judged is not None and judged.legal:
        if self_drawn:
            facts = Facts(stage="late", tiles=h.tiles)
            readings.append((0.0, lambda r: _reject(r, h, "win-while-barred", facts)))
        else:
            readings.append(
                (0.0, lambda r: _reject(r, h, "claim-after-draw", Facts(tiles=h.tiles)))
            )
        return readings
    alert, stage = judging.what_is_wrong(g, h, judged, self_drawn)
    if g.refusing is not None and g.refusing != seat:
        # Another declaration is just being refused: this hand was laid down too early.
        alert, stage = "hand-shown-early", "win_rejected"
    if empty and not self_drawn and alert != "win-below-minimum":
        readings.append((1.0, lambda r: exhaust(r, h.t)))
    facts = Facts(stage=stage, tiles=h.tiles)
    readings.append((costs.INFRACTION, lambda r: _reject(r, h, alert, facts)))
    doubt = costs.open_disbelief(h.confidence)
    if doubt < costs.INFRACTION + costs.PRUNE:
        better = judging.with_one_misread(g, h, self_drawn, chance)
        if better is not None:
            readings.append((doubt, lambda r: _won(r, h, better, chance)))
    return readings


def _reject(g: ChineseTable, h: HandShown, alert: str, facts: Facts) -> None:
    """The declaration does not stand: the hand goes on, the offender plays along."""
    g.now = max(g.now, h.t)
    g.flag(alert, h.seat, h, t=h.t, facts=facts, cause=("win", h.seat, h.t))
    g.rejected = (*g.rejected, h.seat)
    if alert != "hand-shown-early":
        g.refusing = h.seat
    if g.claimer == h.seat and g.claim is not None:
        # The fetched tile goes back; the discard passes.
        if g.claim.index >= 0:
            g.put_in_pool(g.claim.seat, g.claim.index, gone=False)
        g.claim = g.claimer = None


def hand_hidden(g: ChineseTable, h: HandHidden) -> bool:
    """An opened hand is stood up again: an unchecked win was taken back or refused."""
    g.resumed_t = max(g.resumed_t, h.t)  # nobody had to discard while a hand was looked at
    if g.refusing == h.seat:
        g.refusing = None
    if g.phase == "check" and g.wins and g.wins[0].seat == h.seat:
        # The referee refused the win: the hand goes on where it was.
        win = g.wins[0]
        g.wins = ()
        g.phase = "play"
        g.reopened = True
        g.rejected = (*g.rejected, h.seat)
        g.claim = g.claimer = None
        if win.from_ is not None:
            g.need = "draw" if not win.robbing else g.need
    return True


def hand_closed(g: ChineseTable, h: HandClosed) -> bool:
    """The referee turned a tile of the winning hand down: nothing changes any more."""
    if g.phase == "check":
        g.now = max(g.now, h.t)
        close(g, confirmed=True)
        return True
    return g.phase in ("over", "idle")


def read_hand_closed(g: ChineseTable, h: HandClosed) -> list[Reading]:
    """The referee ended the hand although its win was not understood here."""
    if g.phase != "play":
        return []

    def trusted(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        abort(r, h.t, "void")

    return [(costs.MISSED, trusted)]


def close(g: ChineseTable, *, confirmed: bool) -> None:
    """The settlement of a won hand."""
    if not g.wins:
        g.phase = "play"
        return
    melding.check_lying(g)
    win = g.wins[0]
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
    _record(g, "win", None, (record,), tuple(payments), confirmed=confirmed)


def tick(g: ChineseTable, t: float) -> None:
    """A hand lies open: soon its concealed kongs have to be turned up as well."""
    for win in g.wins:
        if t > win.t + KONG_UP_S:
            _hidden_kongs(g, win.seat, win.shown)


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
    # A hand may have been laid open where nobody looked: then the referee says how it ended.
    seen = g.watched_to_the_end()
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
