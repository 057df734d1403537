"""Riichi, sticks, swap calls, kongs and norths: what follows from each move (chapter 5, 9.6)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    Call,
    MeldExtended,
    MeldShown,
    NorthShown,
    Place,
    Seat,
    StickPlaced,
    TileDiscarded,
)
from table_controller.domain.outputs import MoveKind
from table_controller.domain.tiles import Tile
from table_controller.game import costs
from table_controller.game.base import Chance
from table_controller.game.mcr import kongs, meld_readings, melding, playing
from table_controller.game.riichi import indicators
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.riichi.table import Reading, Riichi, RiichiTable

STICK_GRACE = 2
"""Discards after the declaration within which the stick has to be placed."""


def _set(values: tuple, seat: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:seat], value, *values[seat + 1 :])


def put_riichi(g: RiichiTable, seat: int, riichi: Riichi | None) -> None:
    """Change a seat's riichi."""
    g.riichi = _set(g.riichi, seat, riichi)


# -- riichi ------------------------------------------------------------------------------------


def called(g: RiichiTable, h: Call) -> bool:
    """The seat announces riichi; the discard that follows carries it out."""
    if g.phase == "play":
        g.declaring = (*(d for d in g.declaring if d[0] != h.seat), (h.seat, h.t, h))
    return True


def _plain(tile: Tile) -> Tile:
    return tile.plain if tile.known else tile


def tile_discarded(g: RiichiTable, h: TileDiscarded) -> bool:
    """A discard in turn; rotated or announced it declares riichi."""
    from table_controller.game.riichi.table import Riichi

    seat = h.seat
    if g.phase != "play" or g.need != "discard" or g.turn != seat or g.owed[seat]:
        return False
    if g.claimer is not None or (h.tile.known and g.census.full(_plain(h.tile))):
        return False
    g.now = max(g.now, h.t)
    announced = next((d for d in g.declaring if d[0] == seat), None)
    current = g.riichi[seat]
    again = current is not None and _needs_turning(g, seat, current)
    if current is not None and not again and (announced is not None or h.rotated):
        g.flag("riichi-illegal", seat, h, t=h.t, facts=Facts(stage="again"), cause=("again", h.t))
    elif current is None and (announced is not None or h.rotated):
        evidence = (h,) if announced is None else (announced[2], h)
        _check_declaration(g, seat, h)
        double = g.uninterrupted and not g.seats[seat].pool
        g.say("riichi", seat)
        index = len(g.seats[seat].pool)
        put_riichi(g, seat, Riichi(h.t, double, index, evidence=evidence))
        g.discards_since_stick = 0
        if not h.rotated and g.looked("pool", seat, h.t - 1.0):
            g.flag("riichi-not-rotated", seat, h, t=h.t, cause=("turned", seat))
    elif again and not h.rotated and g.looked("pool", seat, h.t - 1.0):
        g.flag("riichi-not-rotated", seat, h, t=h.t, cause=("turned", seat))
    if current is not None and h.drawn is False and g.after in ("draw", "kong", "north"):
        g.flag("riichi-changed-hand", seat, h, t=h.t, cause=("changed", seat))
        g.riichi_dead = _set(g.riichi_dead, seat, True)
    if again and current is not None:
        put_riichi(g, seat, replace(current, index=len(g.seats[seat].pool)))
    g.declaring = tuple(d for d in g.declaring if d[0] != seat)
    forbidden, g.forbidden = g.forbidden, ()
    if h.tile.known and _plain(h.tile) in forbidden:
        g.flag("swap-call", seat, h, t=h.t, facts=Facts(tiles=(h.tile,)))
    red = h.tile
    playing.discard(g, replace(h, tile=_plain(h.tile), place=_in_rows(h.place)))
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


def _check_declaration(g: RiichiTable, seat: Seat, h: TileDiscarded) -> None:
    """Concealed hand, four tiles left, points for the stick (5.12.1, 6.5.1, 8.2)."""
    stage = None
    if any(not meld.concealed for meld in g.seats[seat].melds):
        stage = "open"
    elif g.left < g.rules.riichi_tiles:
        stage = "tiles"
    elif g.rules.riichi_needs_points and g.scores[seat] - 1000 < (g.rules.bust_below or 0):
        stage = "points"
    if stage is not None:
        g.flag("riichi-illegal", seat, h, t=h.t, facts=Facts(stage=stage), cause=("illegal", seat))


def read_tile_discarded(g: RiichiTable, h: TileDiscarded) -> list[Reading]:
    """As in every game; red fives are counted as fives."""
    plain = replace(h, tile=_plain(h.tile)) if h.tile.is_red else h
    readings = playing.read_tile_discarded(g, plain)
    if g.riichi[h.seat] is not None:
        # A riichi player discards what he draws: an unseen draw is the likely reading.
        return readings
    return readings


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
    from table_controller.game.riichi.table import Riichi

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


# -- what follows from the moves ------------------------------------------------------------------


def chance_passed(g: RiichiTable) -> None:
    """Nobody won on the last discard: furiten of those who could have, and riichi is paid."""
    chance, g.open_chance = g.open_chance, None
    if chance is None:
        return
    tile = _plain(chance.tile)
    for seat in g.order:
        if seat == chance.seat or not tile.known:
            continue
        g.passed = _set(g.passed, seat, (*g.passed[seat], tile))
        if g.riichi[seat] is not None:
            g.passed_riichi = _set(g.passed_riichi, seat, (*g.passed_riichi[seat], tile))
    riichi = g.riichi[chance.seat]
    if riichi is not None and not riichi.paid and chance.index >= 0:
        pay_stick(g, chance.seat)


def pay_stick(g: RiichiTable, seat: int) -> None:
    """The riichi stands: a thousand points go to the middle (5.12.1)."""
    riichi = g.riichi[seat]
    assert riichi is not None
    put_riichi(g, seat, replace(riichi, paid=True, stick=riichi.stick or seat in g.stick_seen))
    g.scores = _set(g.scores, seat, g.scores[seat] - 1000)
    g.sticks += 1


def after_draw(g: RiichiTable) -> None:
    """The last discard was let pass; calls are over."""
    chance_passed(g)
    if g.kong_tile is not None:
        _kong_passed(g)
    g.forbidden = ()
    indicators.check_due(g)


def _kong_passed(g: RiichiTable) -> None:
    """Nobody robbed the kong: the go-around is broken, and who could have won is furiten."""
    chance, g.kong_tile = g.kong_tile, None
    if chance is None:
        return
    tile = _plain(chance.tile)
    for seat in g.order:
        if seat == chance.seat or not tile.known:
            continue
        if chance.index == -2:
            # Only orphans could have won on a concealed kong (6.3.4).
            g.passed_orphans = _set(g.passed_orphans, seat, (*g.passed_orphans[seat], tile))
        else:
            g.passed = _set(g.passed, seat, (*g.passed[seat], tile))
            if g.riichi[seat] is not None:
                g.passed_riichi = _set(g.passed_riichi, seat, (*g.passed_riichi[seat], tile))
    break_go_around(g)


def break_go_around(g: RiichiTable) -> None:
    """A call: no first turn and no 一发 any more."""
    g.uninterrupted = False
    g.riichi = tuple(
        None if riichi is None else replace(riichi, ippatsu=False) for riichi in g.riichi
    )


def after_discard(g: RiichiTable, seat: Seat, *, inferred: bool) -> None:
    """A tile lies in the pool: others may claim or win on it."""
    chance_passed(g)
    _kong_passed(g)
    if inferred:
        _unseen_declaration(g, seat)
    pool = g.seats[seat].pool
    index = len(pool) - 1
    g.open_chance = Chance(seat, pool[-1].tile, g.now, index)
    g.passed = _set(g.passed, seat, ())
    if g.riichi[seat] is None:
        g.passed_orphans = _set(g.passed_orphans, seat, ())
    riichi = g.riichi[seat]
    if riichi is not None and riichi.index != index:
        put_riichi(g, seat, replace(riichi, ippatsu=False))
    while g.dora_later:
        # 5.8.5: after an exposed kong the indicator is turned with the next act.
        g.dora_later -= 1
        indicators.require(g, seat)
    indicators.check_due(g)
    _check_sticks(g, seat)
    if inferred:
        g.forbidden = ()
    _check_aborts(g)


def _unseen_declaration(g: RiichiTable, seat: Seat) -> None:
    """The discard that carried out a call for riichi was not seen itself."""
    from table_controller.domain.outputs import Move
    from table_controller.game.riichi.table import Riichi

    announced = next((d for d in g.declaring if d[0] == seat), None)
    stick = seat in g.stick_seen
    if g.riichi[seat] is not None or (announced is None and not stick):
        return
    index = len(g.seats[seat].pool) - 1
    double = g.uninterrupted and index == 0
    evidence = () if announced is None else (announced[2],)
    g.out.insert(
        len(g.out) - 1, Move(t=g.now, move="riichi", seat=seat, inferred=announced is None)
    )
    put_riichi(g, seat, Riichi(g.now, double, index, stick=stick, evidence=evidence))
    g.declaring = tuple(d for d in g.declaring if d[0] != seat)


def unseen_north(g: RiichiTable, seat: Seat) -> None:
    """A north was set aside and nobody saw it; its replacement was drawn."""
    north_shown(g, NorthShown(t=g.now, seat=seat))


def _check_sticks(g: RiichiTable, seat: int) -> None:
    for other in g.order:
        riichi = g.riichi[other]
        if riichi is None or riichi.stick or not riichi.paid:
            continue
        later = sum(d.t > riichi.t for s in g.order if s != other for d in g.seats[s].pool)
        if later == STICK_GRACE and seat != other and g.looked("middle", None, riichi.t):
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
    if "four_riichi" in g.rules.aborts and g.players == 4 and None not in g.riichi:
        g.abort_due = ("four_riichi", g.now)
    if "four_kongs" in g.rules.aborts and len(g.kongs) == 4 and len(set(g.kongs)) > 1:
        g.abort_due = ("four_kongs", g.now)


def after_meld(g: RiichiTable, move: MoveKind, seat: Seat, more: dict[str, object]) -> None:
    """A call: first turns end, swap calls are forbidden, liability arises."""
    kong = more.get("kong")
    if kong in (None, "exposed"):
        chance_passed(g)
    if move == "kong":
        _kong(g, seat, str(kong))
    if kong != "added":
        break_go_around(g)
    meld = g.seats[seat].melds[-1] if g.seats[seat].melds else None
    if meld is not None and kong != "concealed" and kong != "added":
        if g.left == 0:
            g.flag("claim-while-barred", seat, facts=Facts(stage="last"), cause=("last", seat))
        elif g.riichi[seat] is not None or g.playing_along[seat]:
            g.flag("claim-while-barred", seat, facts=Facts(stage="riichi"), cause=("in", g.now))
        if meld.from_ is not None and meld.kind in ("pung", "kong"):
            _liability(g, seat, meld.from_)
        if move != "kong" and meld.claimed is not None:
            g.forbidden = swap_tiles(meld.tiles, meld.claimed)


def swap_tiles(tiles: tuple[Tile, ...], claimed: Tile) -> tuple[Tile, ...]:
    """What may not be discarded: anything that makes a set with the two tiles shown (5.10)."""
    held = [_plain(tile) for tile in tiles]
    claimed = _plain(claimed)
    if not claimed.known or claimed not in held or not all(tile.known for tile in held):
        return ()
    held.remove(claimed)
    first, second = sorted(held)
    if first is second:
        return (first,)
    if first.suit is not second.suit:
        return ()
    low, high = first.rank, second.rank
    ranks = [low + 1] if high - low == 2 else [low - 1, high + 1]
    return tuple(Tile(f"{rank}{first.suit.value}") for rank in ranks if 1 <= rank <= 9)


def _kong(g: RiichiTable, seat: Seat, kind: str) -> None:
    if len(g.kongs) >= 4 or g.left == 0:
        stage = "fifth" if g.left else "last"
        g.flag("kong-illegal", seat, facts=Facts(stage=stage), cause=("kong", g.now))
    g.kongs = (*g.kongs, seat)
    if g.dora_later:
        indicators.require(g, seat)
        g.dora_later = 0
    if kind == "concealed":
        indicators.require(g, seat)
        tile = g.seats[seat].melds[-1].tiles[0]
        g.kong_tile = Chance(seat, tile, g.now, -2)
    else:
        g.dora_later += 1
        if kind == "added":
            tile = next(
                (m.tiles[0] for m in reversed(g.seats[seat].melds) if m.added), Tile.UNKNOWN
            )
            g.kong_tile = Chance(seat, tile, g.now, -1)


_WINDS = (Tile.EAST, Tile.SOUTH, Tile.WEST, Tile.NORTH)
_DRAGONS = (Tile.WHITE, Tile.GREEN, Tile.RED)


def _liability(g: RiichiTable, seat: Seat, from_: Seat) -> None:
    """7.11: the third set of dragons or the fourth of winds was claimed from this player."""
    counted = [
        meld.tiles[0]
        for meld in g.seats[seat].melds
        if meld.kind in ("pung", "kong") and (g.rules.liable_concealed or not meld.concealed)
    ]
    last = counted[-1] if counted else Tile.UNKNOWN
    for key, kinds in (("daisangen", _DRAGONS), ("daisuushi", _WINDS)):
        if last in kinds and sum(tile in kinds for tile in counted) == len(kinds):
            g.liable = _set(g.liable, seat, (from_, key))


# -- sets ---------------------------------------------------------------------------------------


def _plain_meld(h: MeldShown) -> MeldShown:
    return replace(h, tiles=tuple(_plain(tile) for tile in h.tiles))


def meld_shown(g: RiichiTable, h: MeldShown) -> bool:
    """A set comes to rest; its red five is remembered beside it."""
    took = melding.meld_shown(g, _plain_meld(h))
    if took:
        _keep_reds(g, h.seat, h.tiles)
    return took


def _keep_reds(g: RiichiTable, seat: int, tiles: tuple[Tile, ...]) -> None:
    reds = tuple(tile for tile in tiles if tile.known and tile.is_red)
    known = {red for _, red in g.reds[seat]}
    melds = g.seats[seat].melds
    for red in reds:
        places = [n for n, meld in enumerate(melds) if red.plain in meld.tiles]
        if red not in known and places:
            # The set that was just laid or changed is the last that can hold it.
            g.reds = _set(g.reds, seat, (*g.reds[seat], (places[-1], red)))


def read_meld_shown(g: RiichiTable, h: MeldShown) -> list[Reading]:
    """As in every game."""
    return meld_readings.read_meld_shown(g, _plain_meld(h))


def meld_extended(g: RiichiTable, h: MeldExtended) -> bool:
    """A fourth tile joins a pung; red fives count as fives."""
    took = kongs.meld_extended(g, replace(h, tile=_plain(h.tile)))
    if took:
        _keep_reds(g, h.seat, (h.tile,))
    return took


def read_meld_extended(g: RiichiTable, h: MeldExtended) -> list[Reading]:
    """As in every game."""
    return kongs.read_meld_extended(g, replace(h, tile=_plain(h.tile)))


def north_shown(g: RiichiTable, h: NorthShown) -> bool:
    """拔北: a north is set aside and replaced; others may win on it (appendix 2)."""
    if g.players != 3:
        return True
    if g.phase != "play" or g.turn != h.seat or g.need != "discard" or g.owed[h.seat]:
        return False
    if g.claimer is not None or g.after in ("chow", "pung"):
        return False
    g.now = max(g.now, h.t)
    g.norths = _set(g.norths, h.seat, g.norths[h.seat] + 1)
    g.seats[h.seat].lose(Tile.NORTH)
    g.saw(h, Tile.NORTH)
    g.owe(h.seat, 1)
    g.after = "kong"
    g.draw_t = g.now
    g.robbing = Chance(h.seat, Tile.NORTH, g.now, -3)
    g.say("north", h.seat, tile=Tile.NORTH)
    g.kong_tile = g.robbing
    indicators.check_due(g)
    return True
