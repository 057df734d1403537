"""Sets, kongs and norths: swap calls, liability, indicators owed (source 002, chapter 5, 9.6)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    MeldExtended,
    MeldShown,
    NorthShown,
    Seat,
)
from table_controller.domain.outputs import MoveKind
from table_controller.domain.tiles import Tile
from table_controller.game.base import Chance
from table_controller.game.mcr import flowers, kongs, meld_readings, melding
from table_controller.game.riichi import indicators
from table_controller.game.riichi.values import plain_tile, with_value
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.riichi.table import Reading, RiichiTable
from table_controller.game.riichi.declaring import break_go_around
from table_controller.game.riichi.passing import chance_passed


def after_meld(g: RiichiTable, move: MoveKind, seat: Seat, more: dict[str, object]) -> None:
    """A call: first turns end, swap calls are forbidden, liability arises."""
    kong = more.get("kong")
    if kong == "concealed" and (g.turn != seat or g.need == "draw"):
        # Laid out of turn: void (9.10.1), no indicator follows from it.
        return
    if kong in (None, "exposed"):
        chance_passed(g)
    if move == "kong":
        _kong(g, seat, str(kong))
    if kong != "added":
        break_go_around(g)
    _barred(g, seat, own=kong in ("concealed", "added"), told=move == "kong")
    meld = g.seats[seat].melds[-1] if g.seats[seat].melds else None
    if meld is not None and kong != "concealed" and kong != "added":
        if meld.from_ is not None and meld.kind in ("pung", "kong"):
            _liability(g, seat, meld.from_)
        if move != "kong" and meld.claimed is not None:
            g.forbidden = swap_tiles(meld.tiles, meld.claimed)


def _barred(g: RiichiTable, seat: Seat, *, own: bool, told: bool = False) -> None:
    """鸣牌 with no tile left (6.5.2), in riichi (5.12.2) or while playing along (9.1.3).

    It is every kong, and a north set aside, of tiles held as well (5.9.3, appendix 2).

    Args:
        g: the table.
        seat: who calls.
        own: of tiles held; that riichi may allow.
        told: with no tile left it is told as an illegal kong.
    """
    if g.left == 0:
        if not told and not _too_late(g, seat):
            g.flag("claim-while-barred", seat, facts=Facts(stage="last"), cause=("last", seat))
    elif g.playing_along[seat] or (g.in_riichi(seat) and not own):
        g.flag("claim-while-barred", seat, facts=Facts(stage="riichi"), cause=("in", g.now))


def _too_late(g: RiichiTable, seat: Seat) -> bool:
    """Whether it is the claim after a draw that was just ruled on.

    When the tile was discarded that he claims too late, the last one was still there.
    """
    latest = g.rulings[-1] if g.rulings else None
    if latest is None or (latest.id, latest.seat) != ("claim-after-draw", seat):
        return False
    return all(tile.t <= latest.t for each in g.order for tile in g.seats[each].pool)


def swap_tiles(tiles: tuple[Tile, ...], claimed: Tile) -> tuple[Tile, ...]:
    """What may not be discarded: anything that makes a set with the two tiles shown (5.10)."""
    held = [plain_tile(tile) for tile in tiles]
    claimed = plain_tile(claimed)
    if not claimed.known or claimed not in held or not all(tile.known for tile in held):
        return ()
    held.remove(claimed)
    first, second = sorted(held)
    if first is second:
        return (first,)
    if not first.is_suited or first.suit is not second.suit:
        return ()
    low, high = first.rank, second.rank
    # Two tiles that are no part of a chow forbid nothing: the set was none.
    ranks = {1: [low - 1, high + 1], 2: [low + 1]}.get(high - low, [])
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
            g.liable = with_value(g.liable, seat, (from_, key))


def _plain_meld(h: MeldShown) -> MeldShown:
    return replace(h, tiles=tuple(plain_tile(tile) for tile in h.tiles))


def meld_shown(g: RiichiTable, h: MeldShown) -> bool:
    """A set comes to rest; its red five is remembered beside it."""
    took = melding.meld_shown(g, _plain_meld(h))
    if took:
        _keep_reds(g, h.seat, h.tiles)
        if len(h.face_down) == len(h.tiles) == 4:
            g.hidden = (*g.hidden, h)
    return took


def _keep_reds(g: RiichiTable, seat: int, tiles: tuple[Tile, ...]) -> None:
    reds = tuple(tile for tile in tiles if tile.known and tile.is_red)
    known = {red for _, red in g.reds[seat]}
    melds = g.seats[seat].melds
    for red in reds:
        places = [n for n, meld in enumerate(melds) if red.plain in meld.tiles]
        if red not in known and places:
            # The set that was just laid or changed is the last that can hold it.
            g.reds = with_value(g.reds, seat, (*g.reds[seat], (places[-1], red)))


def melds_cut(g: RiichiTable, seat: Seat) -> None:
    """A set that is taken back keeps no red five, and forbids no swap call (5.10)."""
    kept = tuple(each for each in g.reds[seat] if each[0] < len(g.seats[seat].melds))
    g.reds = with_value(g.reds, seat, kept)
    g.forbidden = ()


def read_meld_shown(g: RiichiTable, h: MeldShown) -> list[Reading]:
    """As in every game."""
    return meld_readings.read_meld_shown(g, _plain_meld(h))


def meld_extended(g: RiichiTable, h: MeldExtended) -> bool:
    """A fourth tile joins a pung; red fives count as fives."""
    took = kongs.meld_extended(g, replace(h, tile=plain_tile(h.tile)))
    if took:
        _keep_reds(g, h.seat, (h.tile,))
    return took


def read_meld_extended(g: RiichiTable, h: MeldExtended) -> list[Reading]:
    """As in every game."""
    return kongs.read_meld_extended(g, replace(h, tile=plain_tile(h.tile)))


def north_shown(g: RiichiTable, h: NorthShown) -> bool:
    """拔北: a north is set aside and replaced; others may win on it (appendix 2)."""
    if g.players != 3:
        return True
    if g.phase != "play" or g.turn != h.seat or g.need != "discard" or g.owed[h.seat]:
        return False
    if g.claimer is not None or g.after in ("chow", "pung"):
        return False
    g.now = max(g.now, h.t)
    g.norths = with_value(g.norths, h.seat, g.norths[h.seat] + 1)
    g.seats[h.seat].lose(Tile.NORTH)
    g.saw(h, Tile.NORTH)
    _barred(g, h.seat, own=True)
    g.owe(h.seat, 1)
    g.after = "kong"
    g.draw_t = g.now
    g.robbing = Chance(h.seat, Tile.NORTH, g.now, -3)
    g.say("north", h.seat, tile=Tile.NORTH)
    g.kong_tile = g.robbing
    indicators.check_due(g)
    flowers.replaced_early(g, h.seat, h.t)
    return True


def unseen_north(g: RiichiTable, seat: Seat) -> None:
    """A north was set aside and nobody saw it; its replacement was drawn."""
    north_shown(g, NorthShown(t=g.now, seat=seat))
