"""On what a seat could win now, and what has happened to that tile since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile
from table_controller.game.base import Chance, Meld

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable


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


def overtaken(g: ChineseTable, seat: Seat) -> Chance | None:
    """The latest discard, where another has fetched it, laid a set with it or drawn past it.

    A win that was declared on it comes before all of that (003 Q33; 000 Q99), and who has acted
    since has given it up himself.
    """
    if g.phase != "play":
        return None
    if g.claim is not None:
        return None if seat in (g.claimer, g.claim.seat) else g.claim
    chance = g.chance
    if g.need == "draw" or chance is None or seat in (g.turn, chance.seat):
        return None
    return chance


def set_over(g: ChineseTable, chance: Chance) -> Meld | None:
    """The set that was laid with this tile, the latest discard."""
    laid = (meld for state in g.seats for meld in state.melds)
    return next((m for m in laid if m.from_ == chance.seat and m.t >= chance.t), None)


def lay_open(g: ChineseTable, win: Tile, chance: Chance | None) -> int:
    """Copies of a winning tile that lay open before the win, itself not counted.

    What a set shows that was laid with it since does not count: the win comes before the set.
    """
    if chance is None:
        return g.census.of(win)
    since = set_over(g, chance)
    later = 0 if since is None else since.tiles.count(win) - (since.claimed is win)
    return g.census.of(win) - 1 - later


def drawn_since(g: ChineseTable, chance: Chance | None) -> bool:
    """Whether a tile was drawn after the one to win on came."""
    return chance is not None and g.last_draw is not None and g.last_draw[2] > chance.t


def wall_was_empty(g: ChineseTable, chance: Chance | None) -> bool:
    """Whether no tile was left to draw when the tile to win on came."""
    return g.wall is not None and not g.wall.mask and not drawn_since(g, chance)


def given_up(g: ChineseTable, seat: Seat, chance: Chance | None) -> bool:
    """Whether the seat has gone past the tile since: reached for the wall, drawn, or laid a set."""
    if chance is None:
        return False
    if g.need == "discard" and g.turn == seat and chance.index >= 0:
        return True
    reached = any(s == seat and t >= chance.t for s, t in g.reached)
    return reached and g.ruleset.claims.draw_gives_up_claims
