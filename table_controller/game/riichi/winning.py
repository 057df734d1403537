"""Wins, false wins, furiten, tenpai at the end of the wall (source 002, 6.2 to 6.8, 9.9, 9.12)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import HandHidden, HandShown, Seat
from table_controller.domain.tiles import Tile
from table_controller.game import costs
from table_controller.game.base import Chance
from table_controller.game.mcr.winning import called_win
from table_controller.game.riichi import ending
from table_controller.game.riichi.passing import before_it_passed, exchange, still_won
from table_controller.game.riichi.values import plain_tile
from table_controller.referee.rulings import Facts
from table_controller.scoring.hand import ScoringHand
from table_controller.scoring.riichi import waits

if TYPE_CHECKING:
    from table_controller.game.riichi.table import Reading, RiichiTable
from table_controller.game.riichi.capturing import (
    RiichiWin,
    furiten,
    judge,
    one_misread,
    scoring_melds,
    source_of,
)


def illegal_kong(g: RiichiTable, seat: Seat, standing: tuple[Tile, ...]) -> bool:
    """Whether a concealed kong made in riichi changed what the hand waited for (5.12.2)."""
    riichi = g.riichi[seat]
    if riichi is None or riichi.void:
        return False
    melds = scoring_melds(g, seat)
    after = waits(standing, melds)
    for at, meld in enumerate(g.seats[seat].melds):
        if meld.concealed and meld.t > riichi.t and melds[at].tiles[0].known:
            before = (*standing, *[plain_tile(melds[at].tiles[0])] * 3)
            if waits(before, (*melds[:at], *melds[at + 1 :])) != after:
                return True
    return False


def hand_shown(g: RiichiTable, h: HandShown) -> bool:
    """A hand laid open that wins, is ready at the end of the wall, or calls nine terminals."""
    if g.phase in ("idle", "over") or h.seat not in g.order:
        return True
    if any(win.seat == h.seat for win in g.winners):
        return True
    earlier = before_it_passed(g, h.seat)
    found = source_of(earlier, h.seat)
    if earlier is not g and not _sure(g, h.seat):
        return False
    if _drawn_unseen(g, h, found):
        return False
    unread = found is not None and found[1] is not None and not found[1].tile.known
    if unread and ending.at_the_end(g) and not called_win(g, h.seat):
        # Nobody saw what was discarded last: an opened hand is ready, no more is known.
        return show_ready(g, h)
    if found is not None and not g.seats[h.seat].stop_win:
        judged = judge(earlier, h, *found)
        if judged is not None and judged[1].legal:
            orphans = any(fan.id.startswith("thirteen_orphans") for fan in judged[1].fans)
            concealed = found[1] is not None and found[1].index == -2
            barred = None if found[0] else furiten(earlier, h.seat, judged[0].hand)
            illegal = illegal_kong(g, h.seat, judged[0].hand)
            if barred is None and not illegal and (not concealed or orphans):
                won(g, h, judged[0], found[1])
                return True
    if g.phase == "check":
        # 9.2.3: who has not won keeps his tiles covered.
        g.now = max(g.now, h.t)
        g.flag("hand-shown-early", h.seat, h, t=h.t, cause=("shown", h.seat))
        return True
    if ending.at_the_end(g):
        return show_ready(g, h)
    return nine_terminals(g, h)


def _drawn_unseen(g: RiichiTable, h: HandShown, found: tuple[bool, Chance | None] | None) -> bool:
    """A tile lies apart although none was fetched: it was drawn, and nobody saw that."""
    if g.phase != "play" or h.apart is None or found is None or found[1] is None:
        return False
    return g.claimer != h.seat and g.turn == h.seat and g.left > 0


def _sure(g: RiichiTable, seat: Seat) -> bool:
    """Whether a hand that is laid open is surely one on the discard that others have let pass."""
    watched = g.let_pass is not None and g.let_pass.latest.tile.known and g.doubt is None
    return watched or _declared(g, seat)


def _declared(g: RiichiTable, seat: Seat) -> bool:
    """Whether the seat has called a win on the latest discard, or fetched that."""
    return g.claimer == seat or called_win(g, seat)


def won(g: RiichiTable, h: HandShown, hand: ScoringHand, chance: Chance | None) -> None:
    """The declaration stands; others may win on the same tile (6.3.3)."""
    g.now = max(g.now, h.t)
    if g.exposed:
        g.tick(h.t)
    # After the deal any tile may be taken as the drawn one (6.3.2).
    if chance is None and h.apart is None and not _first_turn(g, h.seat):
        g.flag("winning-tile-merged", h.seat, h, t=h.t, cause=("merged", h.seat))
    win = RiichiWin(
        h.seat,
        None if chance is None else chance.seat,
        hand.win_tile,
        hand.hand,
        hand,
        hand.riichi > 0,
        h.t,
        h,
    )
    if chance is not None and still_won(g, h.seat):
        exchange(g)
    g.winners = (*g.winners, win)
    g.win_t = h.t
    g.phase = "check"
    g.say("win", h.seat, tile=win.tile, tiles=win.tiles, from_=win.from_)


def show_ready(g: RiichiTable, h: HandShown) -> bool:
    """At the end of the wall: who is ready shows his hand (6.6)."""
    if any(seat == h.seat for seat, _ in g.ready):
        return True
    g.now = max(g.now, h.t)
    melds = scoring_melds(g, h.seat)
    known = all(tile.known for tile in h.tiles)
    ready = bool(waits(h.tiles, melds)) if known else True
    g.ready = (*g.ready, (h.seat, ready))
    g.win_t = h.t
    if not ready and g.in_riichi(h.seat):
        g.flag("riichi-noten", h.seat, h, t=h.t, cause=("noten", h.seat))
    elif ready and known and illegal_kong(g, h.seat, h.tiles):
        facts = Facts(stage="riichi")
        g.flag("kong-illegal", h.seat, h, t=h.t, facts=facts, cause=("kong-riichi", h.seat))
    return True


def terminals(tiles: tuple[Tile, ...]) -> int:
    """Different terminals and honours among these tiles."""
    return len({tile for tile in tiles if tile.known and (tile.is_terminal or tile.is_honour)})


def _first_turn(g: RiichiTable, seat: Seat) -> bool:
    own = g.turn == seat and g.need == "discard" and g.phase == "play"
    return own and g.uninterrupted and not g.seats[seat].pool and not g.seats[seat].melds


def nine_terminals(g: RiichiTable, h: HandShown) -> bool:
    """九种九牌: in the first turn, without a call before, nine kinds (6.8.4)."""
    if "nine_terminals" not in g.rules.aborts or not _first_turn(g, h.seat):
        return False
    held = h.tiles if h.apart is None else (*h.tiles, h.apart)
    unread = sum(not tile.known for tile in held)
    if terminals(held) + unread >= 9 and len(held) == 14:
        ending.abort(g, h.t, "nine_terminals")
        return True
    return False


def hand_hidden(g: RiichiTable, h: HandHidden) -> bool:
    """An opened hand is stood up again: the referee refused the win."""
    if g.phase == "check" and any(win.seat == h.seat for win in g.winners):
        g.now = max(g.now, h.t)
        g.winners = tuple(win for win in g.winners if win.seat != h.seat)
        if not g.winners:
            g.phase = "play"
            g.reopened = True
            g.win_t = h.t
            _fetched_goes_back(g, h.seat)
            if g.open_chance is not None and g.need == "discard":
                # Others have drawn past the tile, or laid a set with it, all the same.
                exchange(g)
            if g.abort_due is not None:
                # The discard ends the hand still, unless somebody else wins on it.
                g.abort_due = (g.abort_due[0], g.now)
    return True


def _fetched_goes_back(g: RiichiTable, seat: Seat) -> None:
    """A discard that was fetched for a win that does not stand."""
    if g.claimer == seat and g.claim is not None:
        if g.claim.index >= 0:
            g.put_in_pool(g.claim.seat, g.claim.index, gone=False)
        g.claim = g.claimer = None


def read_hand_shown(g: RiichiTable, h: HandShown) -> list[Reading]:
    """A declaration that does not stand, or one that was read wrongly."""
    if g.phase != "play":
        return []
    seat = h.seat
    earlier = before_it_passed(g, seat)
    found = source_of(earlier, seat)
    facts = Facts(tiles=h.tiles)
    readings: list[Reading] = []

    def rejected(alert: str, stage: str | None = None) -> Reading:
        told = replace(facts, stage=stage)
        return costs.INFRACTION, lambda r: reject(r, h, alert, told)

    if seat in g.nine_called and _first_turn(g, seat):
        return [rejected("nine-terminals-false")]
    judged = None if found is None else judge(earlier, h, *found)
    if earlier is not g and not _declared(g, seat) and (judged is None or not judged[1].legal):
        found = None
    if found is None:
        # More often the draw or discard before it was not seen.
        return [(costs.RARE, rejected("false-win", "not_entitled")[1])]
    if g.seats[seat].stop_win:
        return [rejected("win-while-barred")]
    self_drawn, chance = found
    if _drawn_unseen(g, h, found) and judged is not None and judged[1].legal:
        hand = judged[0]
        return [(costs.MISSED + 1.0, lambda r: won(r, h, hand, chance))]
    if judged is None:
        readings.append(rejected("false-win"))
    elif judged[1].legal:
        barred = furiten(earlier, seat, judged[0].hand) if not self_drawn else None
        if barred is not None:
            readings.append(rejected("win-furiten", barred))
        elif illegal_kong(g, seat, judged[0].hand):
            readings.append(rejected("kong-illegal", "riichi"))
        elif earlier is not g:
            hand = judged[0]
            readings.append((costs.OVERTAKEN, lambda r: won(r, h, hand, chance)))
        else:
            readings.append(rejected("false-win", "concealed_kong"))
    elif judged[1].reason == "no yaku":
        readings.append(rejected("win-below-minimum"))
    else:
        melds = scoring_melds(g, seat)
        ready = bool(waits(judged[0].hand, melds))
        alert = "win-wrong-tile" if ready and not self_drawn else "false-win"
        readings.append(rejected(alert))
        if ending.at_the_end(g):
            readings.append((0.5, lambda r: _show(r, h)))
    doubt = costs.open_disbelief(h.confidence)
    if doubt < costs.INFRACTION + costs.PRUNE:
        better = one_misread(earlier, h, self_drawn, chance)
        if better is not None:
            readings.append((doubt, lambda r: won(r, h, better, chance)))
    return readings


def _show(g: RiichiTable, h: HandShown) -> None:
    show_ready(g, h)


def reject(g: RiichiTable, h: HandShown, alert: str, facts: Facts) -> None:
    """The declaration does not stand: the hand goes on."""
    g.now = max(g.now, h.t)
    g.win_t = h.t
    g.flag(alert, h.seat, h, t=h.t, facts=facts, cause=("win", h.seat, h.t))
    _fetched_goes_back(g, h.seat)
