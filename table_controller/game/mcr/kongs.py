"""Kongs of one's own: concealed ones, and fourth tiles that join a pung."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    MeldExtended,
    MeldShown,
    Seat,
)
from table_controller.domain.tiles import Tile
from table_controller.game import costs
from table_controller.game.base import Chance, Meld
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading


_STILL_LAYING_S = 0.6
"""A tile that joins a set so soon belongs to the same claim."""


def unseen_kong(g: ChineseTable, seat: Seat) -> None:
    """Four tiles left the hand for a concealed kong that nobody saw."""
    shown = MeldShown(t=g.now, seat=seat, tiles=(Tile.BACK,) * 4, face_down=(0, 1, 2, 3))
    lay_concealed(g, shown, inferred=True)


def lay_concealed(
    g: ChineseTable, h: MeldShown, *, valid: bool = True, inferred: bool = False
) -> None:
    """A concealed kong stands; a replacement tile is owed."""
    state = g.seats[h.seat]
    face = next((tile for tile in h.tiles if tile.known), Tile.BACK)
    if face.known:
        g.saw(h, face, face, face, face)
    state.melds = (
        *state.melds,
        Meld("kong", (face,) * 4, None, None, concealed=True, valid=valid, t=g.now),
    )
    state.standing -= 4
    g.after = "kong"
    g.owe(h.seat, 1)
    g.draw_t = g.now
    g.robbing = None
    g.say("kong", h.seat, tile=face, tiles=(face,) * 4, kong="concealed", inferred=inferred)


def void(g: ChineseTable, seat: Seat, tiles: tuple[Tile, ...]) -> None:
    """A kong is none: who may still win takes its tiles back into his hand."""
    state = g.seats[seat]
    if not (state.stop_win or state.dead):
        state.due_back = (*state.due_back, *tiles)


def taken_back(g: ChineseTable, seat: Seat, count: int) -> None:
    """So many tiles stand in the hand: those of a kong that was none may be among them again."""
    state = g.seats[seat]
    back = state.due_back
    if not back or count != state.standing + len(back):
        return
    state.standing, state.due_back = count, ()
    state.melds = tuple(m for m in state.melds if m.valid or not m.concealed)
    known = tuple(tile for tile in back if tile.known)
    state.known = (*state.known, *known)
    for tile in known:
        g.census.remove(tile)
    if g.turn == seat and g.need == "discard":
        g.owe(seat, -1)


def meld_extended(g: ChineseTable, h: MeldExtended) -> bool:
    """A self-drawn fourth tile joins an own exposed pung; it can be robbed."""
    if (
        g.phase != "play"
        or g.turn != h.seat
        or g.need != "discard"
        or g.owed[h.seat]
        or g.claimer is not None
        or g.after in ("chow", "pung")
        or _pung_at(g, h) is None
    ):
        return False
    g.now = max(g.now, h.t)
    extend(g, h)
    return True


def _pung_at(g: ChineseTable, h: MeldExtended) -> int | None:
    """The set that a fourth tile joins: an unread one that of which a copy is still to be seen."""
    melds = g.seats[h.seat].melds
    fits = [at for at, meld in enumerate(melds) if _joins(h.tile, meld)]
    unread = not h.tile.known
    return min(fits, key=lambda at: unread and g.full(melds[at].tiles[0]), default=None)


def _joins(tile: Tile, meld: Meld) -> bool:
    if meld.kind not in ("pung", "unknown") or len(meld.tiles) != 3:
        return False
    known = {each for each in meld.tiles if each.known}
    if not tile.known or not known or known == {tile}:
        return True
    # What was wrong with it has been said; adding to it is no new cause.
    return not meld.valid and tile in known


def extend(g: ChineseTable, h: MeldExtended) -> None:
    """The fourth tile joins its pung; it can be robbed until the replacement is drawn."""
    g.now = max(g.now, h.t)
    at = _pung_at(g, h)
    state = g.seats[h.seat]
    if at is not None:
        old = state.melds[at]
        face = h.tile if h.tile.known else old.tiles[0]
        state.exchange(at, replace(old, kind="kong", tiles=(face,) * 4, added=True))
    else:
        face = h.tile
    state.lose(face)
    g.saw(h, face)
    g.after = "kong"
    g.owe(h.seat, 1)
    g.draw_t = g.now
    g.robbing = Chance(h.seat, face, g.now, -1)
    g.say("kong", h.seat, tile=face, tiles=(face,) * 4, kong="added")


def read_meld_extended(g: ChineseTable, h: MeldExtended) -> list[Reading]:
    """A fourth tile without a draw, without a pung, out of turn, or reported twice."""
    if g.phase != "play":
        return []
    melds = g.seats[h.seat].melds
    if any(m.kind == "kong" and h.tile in m.tiles for m in melds):
        return [(costs.DOUBLED, lambda _r: None)]
    own = g.turn == h.seat and g.need == "discard" and not g.owed[h.seat]
    if own and g.after == "pung" and melds and melds[-1].kind == "pung":
        laid = melds[-1]
        if laid.claimed is h.tile and h.t <= laid.t + _STILL_LAYING_S:
            return [(0.5, lambda r: _fourth_of_claim(r, h)), *_read_fourth(g, h)]
    return _read_fourth(g, h)


def _fourth_of_claim(g: ChineseTable, h: MeldExtended) -> None:
    """The fourth tile of a kong that was claimed from a discard and laid tile by tile."""
    g.now = max(g.now, h.t)
    state = g.seats[h.seat]
    laid = state.melds[-1]
    state.melds = (*state.melds[:-1], replace(laid, kind="kong", tiles=(h.tile,) * 4))
    state.lose(h.tile)
    g.saw(h, h.tile)
    g.after = "kong"
    g.owe(h.seat, 1)
    g.say("kong", h.seat, tile=h.tile, tiles=(h.tile,) * 4, from_=laid.from_, kong="exposed")


def _read_fourth(g: ChineseTable, h: MeldExtended) -> list[Reading]:
    own = g.turn == h.seat and g.need == "discard" and not g.owed[h.seat]
    if own and g.after in ("chow", "pung") and _pung_at(g, h) is not None:

        def after_claim(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.flag("kong-after-claim", h.seat, h, t=h.t, facts=Facts(tiles=(h.tile,)))
            extend(r, h)

        return [(costs.INFRACTION, after_claim)]

    def illegal(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        say = r.flag if own else r.spoil
        say("kong-illegal", h.seat, h, t=h.t, facts=Facts(tiles=(h.tile,)))
        r.seats[h.seat].lose(h.tile)
        r.saw(h, h.tile)
        void(r, h.seat, (h.tile,))
        if own:
            r.owe(h.seat, 1)

    return [(costs.INFRACTION + (0.0 if own else 1.0), illegal)]
