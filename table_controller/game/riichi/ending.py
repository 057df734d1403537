"""How hands end and follow each other: settlement, draws, aborts, the match.

Source 002, 6.6 to 6.9, 7.12, 7.13 and chapter 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from table_controller.domain.happenings import Clock, HandClosed, Seat, TableSet, WallRaised
from table_controller.domain.outputs import HandRecord, WinRecord
from table_controller.game import costs
from table_controller.game.mcr import setting
from table_controller.game.mcr.judging import all_read
from table_controller.game.mcr.state import Winds
from table_controller.game.riichi import capturing, passing
from table_controller.game.riichi.settlement import answers, by_seat
from table_controller.referee.rulings import WARNINGS, Facts, paid_by
from table_controller.scoring.hand import meld_to_object

if TYPE_CHECKING:
    from table_controller.game.riichi.table import Reading, RiichiTable

WAIT_S = 5.0
"""How long after a discard that ends the hand a win on it is still waited for."""

SETTLE_S = 45.0
"""How long after its last act a hand that is won, or whose wall is used up, is settled if nothing
else says so: everybody who is ready has laid his hand open by then, one after the other (6.6)."""


_URA_S, _URA_CLOSED_S = 5.0, 2.0
"""Whoever lays a hand open has not turned the ura indicators sooner; what was not watched for so
long (a recording that ends, a stop) shows no omission. Where the hand was closed again it does."""


def table_set(g: RiichiTable, h: TableSet) -> bool:
    """The state handed over before a hand."""
    g.finish(h.t)
    g.dealer = h.dealer
    wind = Winds.index(h.round_wind)
    within = (max(1, h.hand) - 1) % g.players
    g.hand = g.players * wind + within + 1
    g.honba, g.sticks = h.honba, h.sticks
    if h.scores is not None and len(h.scores) == 4:
        g.scores = h.scores
    g.match_over = False
    if g.hand == 1:
        g.first_dealer = h.dealer
    else:
        first = h.dealer
        for _ in range(within):
            first = g.before(first)
        g.first_dealer = first
    g.fresh_hand()
    return True


def wall_raised(g: RiichiTable, h: WallRaised) -> bool:
    """The walls stand for the next hand."""
    if g.phase in ("check", "play"):
        g.finish(h.t)
    if g.phase == "over":
        g.next_hand()
    if g.phase not in ("idle", "wall"):
        return False
    if h.stacks != g.stacks_due and g.players == 3 and _other_side_empty(g, h):
        return True
    setting.raise_walls(g, h.stacks)
    if h.stacks != g.stacks_due:
        g.now = max(g.now, h.t)
        g.flag("wall-miscount", None, h, t=h.t, cause=("miscount", h.t))
    return True


def _other_side_empty(g: RiichiTable, h: WallRaised) -> bool:
    """Three players sit at other sides than supposed: the empty wall tells where."""
    per_side = g.ruleset.equipment.stacks_per_side
    if sorted(h.stacks) != [0, per_side, per_side, per_side] or g.hand != 1:
        return False
    empty = h.stacks.index(0)
    if empty == g.dealer:
        return False
    order: list[Seat] = []
    for ahead in range(4):
        seat: Seat = (g.dealer + ahead) % 4  # type: ignore[assignment]
        if seat != empty:
            order.append(seat)
    g.order = tuple(order)
    points = max(g.scores)
    g.scores = tuple(points if seat in g.order else 0 for seat in range(4))
    setting.raise_walls(g, h.stacks)
    return True


def read_wall_raised(_g: RiichiTable, h: WallRaised) -> list[Reading]:
    """A wall in the middle of a hand: the hand was given up unseen, or an illusion."""

    def given_up(r: RiichiTable) -> None:
        abort(r, h.t, "void")
        wall_raised(r, h)

    return [(costs.MISSED + 1.0, given_up)]


def at_the_end(g: RiichiTable) -> bool:
    """Whether the wall is used up and the last tile lies."""
    return g.phase == "play" and g.left == 0 and g.need == "draw" and not any(g.owed)


# -- settlement ------------------------------------------------------------------------------


def close(g: RiichiTable, *, confirmed: bool = False) -> None:
    """The settlement of a won hand (7.12, 7.13)."""
    if g.phase != "check" or not g.winners:
        return
    wins = sorted(g.winners, key=lambda w: 0 if w.from_ is None else g.steps(w.from_, w.seat))
    if len(wins) == 3 and "three_rons" in g.rules.aborts:
        g.phase = "play"
        g.winners = ()
        _pay_open_riichi(g, lost=True)
        abort(g, g.win_t, "three_rons")
        return
    if not g.rules.all_win:
        wins = wins[:1]
    _pay_open_riichi(g, lost=wins[0].from_ is not None)
    if any(win.riichi for win in wins) and len(g.ura) < len(g.dora):
        _ura_missing(g, wins, _URA_CLOSED_S if confirmed else _URA_S)
    payments = [0, 0, 0, 0]
    records: list[WinRecord] = []
    for win, answer in answers(g, wins):
        for seat, share in enumerate(by_seat(g, win, answer)):
            payments[seat] += share
        records.append(
            WinRecord(
                winner=win.seat,
                from_=win.from_,
                win_tile=win.tile,
                tiles=win.tiles,
                melds=tuple(meld_to_object(meld) for meld in win.hand.melds),
                flowers=(),
                score=answer,
            )
        )
    g.sticks = 0
    dealer_won = any(win.seat == g.dealer for win in wins)
    sure = confirmed and all(all_read(win.shown) for win in wins)
    _record(g, "win", None, tuple(records), tuple(payments), stays=dealer_won, confirmed=sure)


def _pay_open_riichi(g: RiichiTable, *, lost: bool) -> None:
    """A riichi on whose tile somebody wins fails; any other stands (5.12.1)."""
    chance = g.open_chance
    if chance is None or chance.index < 0:
        return
    if not lost:
        passing.pay_stick(g, chance.seat)


def _ura_missing(g: RiichiTable, wins: list[capturing.RiichiWin], least: float) -> None:
    """9.3.3: after a win in riichi the ura indicators are turned for all to see."""
    if g.ura or g.now - g.win_t < least or not g.looked("wall", None, g.win_t):
        return
    seat = next(win.seat for win in wins if win.riichi)
    g.flag(
        "indicator-not-turned", seat, t=g.win_t, facts=Facts(stage="ura"), cause=("ura-missing",)
    )


def last_act(g: RiichiTable) -> float:
    """When the last tile came to lie, or a hand was laid open or stood up again after it, s."""
    return max(g.win_t, 0.0 if g.chance is None else g.chance.t)


def tick(g: RiichiTable, t: float) -> None:
    """Time has come to ``t``: a hand that only waited for more ends, unless the clock stands."""
    due = g.abort_due
    if g.paused_at is not None:
        return
    if g.phase == "check":
        if t > g.unpaused(g.win_t) + SETTLE_S:
            close(g)
    elif g.phase == "play" and due is not None:
        if t > g.watched_from(g.unpaused(due[1])) + WAIT_S:
            abort(g, due[1], due[0])
    elif at_the_end(g) and g.claimer is None:
        last = last_act(g)
        if t > g.watched_from(g.unpaused(last)) + SETTLE_S:
            exhaust(g, last)


def finish(g: RiichiTable, t: float) -> None:
    """Nothing more comes: what can end ends."""
    if g.phase == "check":
        close(g)
    elif g.phase == "play" and g.abort_due is not None:
        abort(g, g.abort_due[1], g.abort_due[0])
    elif at_the_end(g):
        exhaust(g, t)


def hand_closed(g: RiichiTable, h: HandClosed) -> bool:
    """The referee has seen enough: of a win, or of the hands that are ready at the end."""
    if g.phase == "check":
        g.now = max(g.now, h.t)
        close(g, confirmed=True)
    elif at_the_end(g):
        exhaust(g, h.t, confirmed=True)
    return True


def clock(g: RiichiTable, h: Clock) -> bool:
    """The referee's clock; a hand that the session's end cuts off is void by these rules."""
    if h.event == "session_ended":
        if g.phase in ("check", "play"):
            g.finish(h.t)
        if g.phase in ("wall", "dice", "deal", "play"):
            abort(g, h.t, "void")
    return setting.clock(g, h)


def exhaust(g: RiichiTable, t: float, *, confirmed: bool = False) -> None:
    """荒牌流局: who is ready is paid, or 流局满贯 (6.6, 6.7)."""
    g.now = max(g.now, t)
    passing.chance_passed(g)
    g.say("exhausted")
    shown = dict(g.ready)
    # Whoever laid a ready hand open, or won, where nobody looked is not known.
    seen = confirmed or all(seat in shown or g.watched_to_the_end(seat) for seat in g.order)
    ready = [
        seat
        for seat in g.order
        # A riichi player is ready; that he is not shows when he opens his hand.
        if shown.get(seat, g.in_riichi(seat))
    ]
    payments = [0, 0, 0, 0]
    mangans = [seat for seat in _from_dealer(g) if _nagashi(g, seat)] if g.rules.nagashi else []
    if mangans:
        for seat in mangans:
            for other in g.others(seat):
                points = 4000 if g.dealer in (seat, other) else 2000
                payments[seat] += points
                payments[other] -= points
    elif 0 < len(ready) < g.players:
        noten = [seat for seat in g.order if seat not in ready]
        for seat in ready:
            payments[seat] += g.rules.noten_total // len(ready)
        for seat in noten:
            payments[seat] -= g.rules.noten_total // len(noten)
    reason = "nagashi_mangan" if mangans else None
    _record(g, "exhausted", reason, (), tuple(payments), stays=g.dealer in ready, confirmed=seen)


def _from_dealer(g: RiichiTable) -> tuple[Seat, ...]:
    return (g.dealer, *g.others(g.dealer))


def _nagashi(g: RiichiTable, seat: Seat) -> bool:
    pool = g.seats[seat].pool
    return bool(pool) and all(
        not d.gone and d.tile.known and (d.tile.is_terminal or d.tile.is_honour) for d in pool
    )


def abort(g: RiichiTable, t: float, reason: str) -> None:
    """An abortive draw (6.8): the dealer stays, counters rise.

    A void hand begins anew (9.14) or is played no more: it leaves nothing behind but penalties, so
    that the sticks laid in it go back. That is a judgement: source 002 speaks of the sticks of
    draws and wins only (6.9.7).
    """
    g.now = max(g.now, t)
    g.abort_due = None
    void = reason == "void"
    if void:
        passing.give_back_sticks(g)
    elif reason != "three_rons":
        passing.chance_passed(g)
    g.say("abort")
    _record(g, "abort", reason, (), (0, 0, 0, 0), stays=True, confirmed=False, counter=not void)


def _record(
    g: RiichiTable,
    result: str,
    reason: str | None,
    wins: tuple[WinRecord, ...],
    payments: tuple[int, ...],
    *,
    stays: bool,
    confirmed: bool,
    counter: bool = True,
) -> None:
    penalties = paid_by(g.rulings)
    scores = tuple(s + p + q for s, p, q in zip(g.scores, payments, penalties, strict=True))
    honba = g.honba
    g.stays = stays
    ended = _match_ends(g, result, scores)
    if result == "win":
        g.honba = g.honba + 1 if stays else 0
    elif counter:
        g.honba += 1
    g.finished(
        HandRecord(
            t=g.now,
            hand=g.hand,
            round_wind=g.round_wind,  # type: ignore[arg-type]
            dealer=g.dealer,
            honba=honba,
            result=result,  # type: ignore[arg-type]
            reason=reason,
            wins=wins,
            payments=payments,
            penalties=penalties,
            scores=scores,
            confirmed=confirmed,
        )
    )
    if ended:
        g.match_over = True
        g.result = final(g)


# -- the match ---------------------------------------------------------------------------------


def ranking(g: RiichiTable, scores: tuple[int, ...]) -> list[Seat]:
    """Seats from the first to the last; equal points go by the first seating (8.1)."""
    first = (g.first_dealer, *g.others(g.first_dealer))
    return sorted(g.order, key=lambda seat: (-scores[seat], first.index(seat)))


def _enough(g: RiichiTable, points: int) -> bool:
    goal = g.rules.first_place_points
    return points >= goal if g.rules.reach_or_exceed else points > goal


def _match_ends(g: RiichiTable, result: str, scores: tuple[int, ...]) -> bool:
    """Whether the match is over after this hand (8.2 to 8.5)."""
    rules = g.rules
    if rules.bust_below is not None and min(scores[s] for s in g.order) < rules.bust_below:
        return True
    last = g.players * rules.rounds
    if g.hand < last:
        return False
    best = max(scores[seat] for seat in g.order)
    if g.stays:
        # 8.3: only the last hand of the rounds that are always played is 终局.
        ends = g.hand == last or rules.extra_win_ends
        dealer_first = ranking(g, scores)[0] == g.dealer and _enough(g, scores[g.dealer])
        return rules.last_hand_win_ends and ends and result != "abort" and dealer_first
    if not rules.extra_round:
        return True
    return _enough(g, best) or g.hand >= last + g.players


def final(g: RiichiTable) -> tuple[dict[str, Any], ...]:
    """Final ranks: warnings are paid, sticks left go to the first, placement bonus (8.6 to 8.8)."""
    return _ranked(g, g.sticks)


def as_it_stands(g: RiichiTable) -> tuple[dict[str, Any], ...]:
    """The same of a match that goes on: sticks that lie there are still played for (8.7)."""
    return _ranked(g, 0)


def _ranked(g: RiichiTable, sticks: int) -> tuple[dict[str, Any], ...]:
    rules = g.rules
    # What is entered after the last hand no other one will settle.
    scores = [has + late for has, late in zip(g.scores, paid_by(g.rulings), strict=True)]
    for seat in g.order:
        each = warning_price(g, g.counts.get((WARNINGS, seat, "session"), 0))
        for other in g.others(seat):
            scores[seat] -= each
            scores[other] += each
    order = ranking(g, tuple(scores))
    scores[order[0]] += 1000 * sticks
    return tuple(
        {
            "seat": seat,
            "rank": rank + 1,
            "points": scores[seat],
            "result": round((scores[seat] - rules.return_points) / 1000 + rules.placement[rank], 1),
        }
        for rank, seat in enumerate(order)
    )


def warning_price(g: RiichiTable, warnings: int) -> int:
    """What so many warnings of a match cost to each other player (9.1.4)."""
    rules = g.rules
    price = 0
    for count, points in rules.warning_ladder:
        if warnings >= count:
            price = points
    if rules.warning_ladder and warnings > rules.warning_last:
        price += rules.warning_step * (warnings - rules.warning_last)
    return price
