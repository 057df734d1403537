"""Riichi, sticks, swap calls, kongs and norths: what follows from each move (chapter 5, 9.6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    Call,
    Happening,
    Place,
    Seat,
    StickPlaced,
    TileDiscarded,
    TileRetracted,
)
from table_controller.domain.outputs import Move
from table_controller.game import costs
from table_controller.game.base import Chance
from table_controller.game.mcr import playing
from table_controller.game.riichi import indicators
from table_controller.game.riichi.passing import chance_passed, put_riichi
from table_controller.game.riichi.state import Riichi
from table_controller.game.riichi.values import plain_tile, with_value
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.riichi.table import Reading, RiichiTable

STICK_GRACE = 2
"""Discards after the declaration within which the stick has to be placed."""


def called(g: RiichiTable, h: Call) -> bool:
    """The seat announces riichi; the discard that follows carries it out."""
    if g.phase == "play":
        g.declaring = (*(d for d in g.declaring if d[0] != h.seat), (h.seat, h.t, h))
    return True


def tile_discarded(g: RiichiTable, h: TileDiscarded) -> bool:
    """A discard in turn; rotated or announced it declares riichi."""
    seat = h.seat
    if g.phase != "play" or g.need != "discard" or g.turn != seat or g.owed[seat]:
        return False
    if g.claimer is not None or (h.tile.known and g.full(plain_tile(h.tile))):
        return False
    g.now = max(g.now, h.t)
    announced = next((d for d in g.declaring if d[0] == seat), None)
    current = g.riichi[seat]
    place = len(g.seats[seat].pool)
    again = current is not None and _needs_turning(g, seat, current)
    declares = announced is not None or h.rotated
    if current is None and declares:
        _declare(g, h, () if announced is None else (announced[2],))
    elif declares and not again:
        g.flag("riichi-illegal", seat, h, t=h.t, facts=Facts(stage="again"), cause=("again", h.t))
    turns = g.in_riichi(seat) and (again or current is None)
    if turns and not h.rotated and g.looked("pool", seat, h.t - 1.0):
        g.flag("riichi-not-rotated", seat, h, t=h.t, cause=("turned", seat))
    if current is not None:
        if not current.void and h.drawn is False and g.after in ("draw", "kong", "north"):
            ruling = g.flag("riichi-changed-hand", seat, h, t=h.t, cause=("changed", seat))
            current = replace(current, void=ruling is not None)
        put_riichi(g, seat, replace(current, index=place) if again else current)
    g.declaring = tuple(d for d in g.declaring if d[0] != seat)
    forbidden, g.forbidden = g.forbidden, ()
    if h.tile.known and plain_tile(h.tile) in forbidden:
        g.flag("swap-call", seat, h, t=h.t, facts=Facts(tiles=(h.tile,)))
    red = h.tile
    playing.discard(g, replace(h, tile=plain_tile(h.tile), place=_in_rows(h.place)))
    if red.is_red:
        pool = g.seats[seat].pool
        g.put_in_pool(seat, len(pool) - 1, tile=red)
        if g.open_chance is not None:
            g.open_chance = replace(g.open_chance, tile=red)
    return True


def _in_rows(place: Place | None) -> Place | None:
    """The third row takes all further tiles (5.4): its places as if the rows went on."""
    if place is None or place.row != 2 or place.col < 6:
        return place
    return Place(2 + place.col // 6, place.col % 6)


def _needs_turning(g: RiichiTable, seat: int, riichi: Riichi) -> bool:
    """Whether the turned tile was claimed, so that the next discard has to be turned (5.12.3)."""
    pool = g.seats[seat].pool
    # A later tile that lies there was the one to be turned, also where nobody saw it laid.
    return riichi.index < len(pool) and all(tile.gone for tile in pool[riichi.index :])


def _declare(g: RiichiTable, h: TileDiscarded, called: tuple[Happening, ...]) -> None:
    """A discard declares riichi; one that a ruling in force makes void is remembered as void.

    Its stick stays with an exposed hand (供托不收回, 9.12.1); where nobody was to declare at all
    (6.5.1, 8.2), nothing is paid.
    """
    seat = h.seat
    wrong = _forbids(g, seat)
    if wrong is not None:
        facts, cause = Facts(stage=wrong), ("illegal", seat, h.t)
        if g.flag("riichi-illegal", seat, h, t=h.t, facts=facts, cause=cause) is None:
            wrong = None
    due = wrong in (None, "open")
    if due:
        g.say("riichi", seat)
    pool = g.seats[seat].pool
    double = g.uninterrupted and not pool
    evidence = (*called, h)
    void = wrong is not None
    put_riichi(g, seat, Riichi(h.t, double, len(pool), evidence=evidence, void=void, due=due))


def _forbids(g: RiichiTable, seat: Seat) -> str | None:
    """What speaks against riichi: an exposed set, under four tiles, no points for the stick."""
    if any(not meld.concealed for meld in g.seats[seat].melds):
        return "open"
    if g.left < g.rules.riichi_tiles:
        return "tiles"
    if g.rules.riichi_needs_points and g.scores[seat] - 1000 < (g.rules.bust_below or 0):
        return "points"
    return None


def read_tile_discarded(g: RiichiTable, h: TileDiscarded) -> list[Reading]:
    """As in every game; red fives are counted as fives."""
    plain = replace(h, tile=plain_tile(h.tile)) if h.tile.is_red else h
    readings = playing.read_tile_discarded(g, plain)
    if not h.rotated:
        return readings
    return [(cost, partial(_turned, h=h, take=take)) for cost, take in readings]


def _turned(g: RiichiTable, h: TileDiscarded, take: Callable[[RiichiTable], None]) -> None:
    """A sideways tile that needs an explanation declares riichi where that takes it as one."""
    announced = any(d[0] == h.seat for d in g.declaring)
    if not announced:
        g.declaring = (*g.declaring, (h.seat, h.t, h))
    take(g)
    if not announced:
        g.declaring = tuple(d for d in g.declaring if d[2] is not h)


def read_tile_retracted(g: RiichiTable, h: TileRetracted) -> list[Reading]:
    """As in every game; what hung on the tile is taken back with it (9.11.5)."""
    readings = playing.read_tile_retracted(g, h)
    return [(cost, partial(_taken_back, seat=h.seat, take=take)) for cost, take in readings]


def _taken_back(g: RiichiTable, seat: Seat, take: Callable[[RiichiTable], None]) -> None:
    take(g)
    chance, place = g.open_chance, len(g.seats[seat].pool)
    if chance is None or (chance.seat, chance.index) != (seat, place):
        return
    g.open_chance = g.abort_due = None
    riichi = g.riichi[seat]
    if riichi is None or riichi.index != place:
        return
    if riichi.paid:
        # Nobody won on the tile that declared it (5.12.1); the next one is to be turned (5.12.3).
        put_riichi(g, seat, replace(riichi, index=place - 1))
    else:
        put_riichi(g, seat, None)
        if riichi.stick:
            # It lies there still, for whatever the next tile declares.
            g.stick_seen = (*g.stick_seen, seat)


def stick_placed(g: RiichiTable, h: StickPlaced) -> bool:
    """A stick is in the groove: that of a riichi, or one that shows a riichi nobody announced."""
    if g.phase in ("idle", "wall", "deal", "check", "over"):
        return True
    g.now = max(g.now, h.t)
    riichi = g.riichi[h.seat]
    if riichi is not None:
        put_riichi(g, h.seat, replace(riichi, stick=True))
        return True
    if any(d[0] == h.seat for d in g.declaring) or (g.turn == h.seat and g.need == "discard"):
        g.stick_seen = (*g.stick_seen, h.seat)
        return True
    return False


def read_stick_placed(g: RiichiTable, h: StickPlaced) -> list[Reading]:
    """The last discard declared riichi although it was neither announced nor turned."""
    seat = h.seat
    pool = g.seats[seat].pool
    if g.phase != "play" or not pool:
        return []

    def unturned(r: RiichiTable) -> None:
        r.now = max(r.now, h.t)
        own = r.seats[seat].pool
        double = r.uninterrupted and len(own) == 1
        r.say("riichi", seat, inferred=True)
        put_riichi(r, seat, Riichi(own[-1].t, double, len(own) - 1, stick=True, evidence=(h,)))
        r.flag("riichi-not-rotated", seat, h, t=own[-1].t, cause=("turned", seat))

    return [(costs.INFRACTION, unturned)]


def after_draw(g: RiichiTable) -> None:
    """The last discard was let pass; calls are over."""
    chance_passed(g)
    if g.kong_tile is not None:
        _kong_passed(g)
    g.forbidden = ()
    indicators.check_due(g)


def break_go_around(g: RiichiTable) -> None:
    """A call: no first turn and no 一发 any more."""
    g.uninterrupted = False
    g.riichi = tuple(
        None if riichi is None else replace(riichi, ippatsu=False) for riichi in g.riichi
    )


def after_discard(g: RiichiTable, seat: Seat, *, inferred: bool) -> None:
    """A tile lies in the pool: others may claim or win on it."""
    chance_passed(g)
    g.let_pass = None
    _kong_passed(g)
    _carried_out(g, seat, inferred=inferred)
    pool = g.seats[seat].pool
    index = len(pool) - 1
    g.open_chance = Chance(seat, pool[-1].tile, g.now, index)
    g.passed = with_value(g.passed, seat, ())
    if not g.in_riichi(seat):
        g.passed_orphans = with_value(g.passed_orphans, seat, ())
    riichi = g.riichi[seat]
    if riichi is not None and riichi.index != index:
        put_riichi(g, seat, replace(riichi, ippatsu=False))
    while g.dora_later:
        # 5.8.5: after an exposed kong the indicator is turned with the next act.
        g.dora_later -= 1
        indicators.require(g, seat)
    indicators.check_due(g)
    _check_sticks(g, seat)
    _check_hidden(g, seat)
    if inferred:
        g.forbidden = ()
    _check_aborts(g)


def _check_hidden(g: RiichiTable, seat: Seat) -> None:
    """A concealed kong of which nothing is shown when its owner discards (5.8.3)."""
    for h in [each for each in g.hidden if each.seat == seat]:
        still = any(
            meld.concealed and not any(tile.known for tile in meld.tiles)
            for meld in g.seats[seat].melds
        )
        if still and g.looked("meld", seat, h.t):
            g.flag("concealed-kong-hidden", seat, h, t=g.now, cause=("hidden", seat, h.t))
    g.hidden = tuple(each for each in g.hidden if each.seat != seat)


def _carried_out(g: RiichiTable, seat: Seat, *, inferred: bool) -> None:
    """A discard that was not seen, or needed an explanation, carries out a call for riichi."""
    announced = next((d for d in g.declaring if d[0] == seat), None)
    stick = seat in g.stick_seen
    if g.riichi[seat] is not None or (announced is None and not (inferred and stick)):
        return
    index = len(g.seats[seat].pool) - 1
    double = g.uninterrupted and index == 0
    evidence = () if announced is None else (announced[2],)
    g.out.insert(
        len(g.out) - 1, Move(t=g.now, move="riichi", seat=seat, inferred=announced is None)
    )
    put_riichi(g, seat, Riichi(g.now, double, index, stick=stick, evidence=evidence))
    g.declaring = tuple(d for d in g.declaring if d[0] != seat)


def _check_sticks(g: RiichiTable, seat: int) -> None:
    if g.doubt is not None:
        return
    for other in g.order:
        riichi = g.riichi[other]
        if riichi is None or riichi.stick or not riichi.paid or seat == other:
            continue
        # Where nobody looked at the middle it is waited as long again.
        since = max(riichi.t, g.looked_since("middle", None))
        later = sum(d.t > since for s in g.order if s != other for d in g.seats[s].pool)
        if later >= STICK_GRACE:
            g.flag(
                "riichi-no-stick",
                other,
                *riichi.evidence,
                t=riichi.t,
                cause=("stick", other),
            )


def _check_aborts(g: RiichiTable) -> None:
    """Four equal winds, riichi or kongs: the hand ends if nobody wins on this tile (6.8)."""
    if "four_winds" in g.rules.aborts and g.players == 4 and g.uninterrupted:
        firsts = [g.seats[s].pool for s in g.order]
        if all(len(pool) == 1 for pool in firsts):
            tiles = {pool[0].tile for pool in firsts}
            if len(tiles) == 1 and next(iter(tiles)).is_wind:
                g.abort_due = ("four_winds", g.now)
    if "four_riichi" in g.rules.aborts and g.players == 4 and all(map(g.in_riichi, g.order)):
        g.abort_due = ("four_riichi", g.now)
    if "four_kongs" in g.rules.aborts and len(g.kongs) == 4 and len(set(g.kongs)) > 1:
        g.abort_due = ("four_kongs", g.now)


def _kong_passed(g: RiichiTable) -> None:
    """Nobody robbed the kong: the go-around is broken, and who could have won is furiten."""
    chance, g.kong_tile = g.kong_tile, None
    if chance is None:
        return
    tile = plain_tile(chance.tile)
    for seat in g.order:
        if seat == chance.seat or not tile.known:
            continue
        if chance.index == -2:
            # Only orphans could have won on a concealed kong (6.3.4).
            g.passed_orphans = with_value(g.passed_orphans, seat, (*g.passed_orphans[seat], tile))
        else:
            g.passed = with_value(g.passed, seat, (*g.passed[seat], tile))
            if g.in_riichi(seat):
                g.passed_riichi = with_value(g.passed_riichi, seat, (*g.passed_riichi[seat], tile))
    break_go_around(g)
