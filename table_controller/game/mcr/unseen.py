"""Steps of play that may have been taken unseen, as far as what follows them tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    HandShown,
    Happening,
    MeldExtended,
    MeldShown,
    Seat,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
)
from table_controller.domain.tiles import Tile
from table_controller.game import costs
from table_controller.game.base import Chance
from table_controller.game.mcr import claiming, flowers, kongs, melding, taking
from table_controller.game.mcr.discards import place_discard

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading


def silent(g: ChineseTable, h: Happening) -> list[Reading]:
    """The next step of play, taken unseen."""
    if g.phase == "check":
        from table_controller.game.mcr.winning import close

        if h.kind not in ("wall_raised", "dice_rolled", "tile_drawn"):
            return []
        return [(1.0, lambda r: close(r, confirmed=False))]
    if g.phase == "over":
        if h.kind in ("dice_rolled", "tile_drawn", "wall_raised"):
            return [(0.5, lambda r: r.next_hand())]
        return []
    if g.wall is None:
        return []
    if any(g.owed):
        return _replacement(g)
    if g.claimer is not None:
        return _set(g, h)
    if g.need == "draw":
        return _draw(g) + _claim(g, h)
    return [*_flower_or_kong(g, h), *_discard(g, h)]


def _replacement(g: ChineseTable) -> list[Reading]:
    back = g.back_index()
    if back is None:
        return []
    owing = g.owed.index(max(g.owed))
    seat: Seat = owing  # type: ignore[assignment]
    return [(g.missed("wall", None), lambda r: taking.take(r, seat, (back,), inferred=True))]


def _draw(g: ChineseTable) -> list[Reading]:
    assert g.wall is not None
    front = g.wall.front()
    if front is None:
        return []
    cost = g.missed("wall", None)
    if _called_for_unseen(g, g.turn, g.chance):
        # He took the discard instead.
        cost += costs.PERSISTS
    return [(cost, lambda r: taking.take(r, r.turn, (front,), inferred=True))]


def _claim(g: ChineseTable, h: Happening) -> list[Reading]:
    """Somebody who acts now without a draw may have taken the discard."""
    chance = g.chance
    seat = getattr(h, "seat", None)
    acts = isinstance(h, TileDiscarded | MeldShown | MeldExtended) or _drew_behind(g, h)
    if chance is None or seat is None or seat == chance.seat or not acts:
        return []
    cost = g.missed("meld", seat) + costs.PERSISTS
    if _called_for_unseen(g, seat, chance):
        # He has taken it, and no gap is left of a tile that nobody saw.
        cost = costs.CALLED
    return [(cost, lambda r: _taken(r, seat, chance, h))]


def _called_for_unseen(g: ChineseTable, seat: Seat, chance: Chance | None) -> bool:
    """Whether somebody was heard to call for a discard that was not seen."""
    if chance is None or chance.index < 0 or not g.seats[chance.seat].pool[chance.index].inferred:
        return False
    return any(c[0] == seat and c[1] in ("chow", "pung", "kong") for c in g.calls)


def _taken(g: ChineseTable, seat: Seat, chance: Chance, h: Happening) -> None:
    claiming.claim(g, seat, chance, chance.tile, h)


def _set(g: ChineseTable, h: Happening) -> list[Reading]:
    """The claimed tile was laid with others that nobody saw: three of them, or four."""
    assert g.claimer is not None
    # What was called for and fetched unseen is told once it lies still.
    unseen = _called_for_unseen(g, g.claimer, g.claim)
    cost = costs.CALLED if unseen else g.missed("meld", g.claimer)
    steps: list[Reading] = [(cost, lambda r: melding.unseen_meld(r, h, kong=False))]
    if _drew_behind(g, h) and getattr(h, "seat", None) == g.claimer:
        steps.append((cost, lambda r: melding.unseen_meld(r, h, kong=True)))
    return steps


def _drew_behind(g: ChineseTable, h: Happening) -> bool:
    """Whether the happening is a draw from the end where replacements come from."""
    if not isinstance(h, TileDrawn) or g.wall is None or not h.slots or g.wall.left < 3:
        return False
    indices = [g.wall.index(slot) for slot in h.slots]
    return g.back_index() in indices


def _flower_or_kong(g: ChineseTable, h: Happening) -> list[Reading]:
    """A replacement that nobody seemed to owe: for a flower or a kong laid out unseen."""
    if not _drew_behind(g, h):
        return []
    assert isinstance(h, TileDrawn)
    seat: Seat = g.turn if h.seat is None else h.seat
    steps: list[Reading] = []
    lying = sum(len(state.flowers) for state in g.seats)
    setting_up = g.discards == 0 and g.after in ("deal", "flower")
    cost = g.missed("meld", seat) + reaching(h)
    if lying < g.ruleset.equipment.flowers and (seat == g.turn or setting_up):
        steps.append((cost, lambda r: flowers.lay_flower(r, seat, Tile.UNKNOWN, None)))
    if seat == g.turn and g.after not in ("chow", "pung"):
        pressed = any(c[0] == seat and c[1] == "kong" for c in g.calls)
        more = cost + (0.0 if pressed else 1.5)
        steps.append((more, lambda r: kongs.unseen_kong(r, seat)))
    return steps


def reaching(h: TileDrawn) -> float:
    """More for steps that went unseen before a draw that is followed closely.

    An ordinary draw is told when it is over; its stages are where it seems to be none.
    """
    return 0.0 if h.stage == "taken" else costs.REACHING


def _discard(g: ChineseTable, h: Happening) -> list[Reading]:
    tile = Tile.UNKNOWN
    if isinstance(h, TileClaimed) and h.from_ in (None, g.turn):
        tile = h.tile
    elif isinstance(h, MeldShown) and h.claimed is not None and h.claimed < len(h.tiles):
        tile = h.tiles[h.claimed]
    cost = g.missed("pool", g.turn)
    steps: list[Reading] = []
    if still_held(g):
        # It came after a draw that then was too early, and both would have gone unseen; or never.
        seat = g.turn
        counted = g.seats[seat].counted
        rushed = counted is not None and getattr(h, "t", g.now) - counted[0] < costs.STEP_S
        cost += costs.PREMATURE + (costs.RUSHED if rushed else 0.0)
        steps.append((costs.INFRACTION, lambda r: never_discarded(r, seat, h)))
    if isinstance(h, HandShown) and g.doubt is None:
        # The tile that a hand is won on lies there to be seen.
        cost += costs.PERSISTS
    return [*steps, (cost, lambda r: discard(r, tile))]


def still_held(g: ChineseTable) -> bool:
    """Whether the next player has drawn and the hand was counted with no tile gone since."""
    state = g.seats[g.turn]
    early = g.early
    if early is None or early.stage != "taken" or state.counted is None:
        return False
    return state.counted[0] > early.t and state.counted[1] == state.standing


def never_discarded(g: ChineseTable, seat: Seat, *evidence: Happening) -> None:
    """Nobody discarded, for the hand was counted with its tile while the next one played on."""
    discard(g, Tile.UNKNOWN)
    not_discarded(g, seat, len(g.seats[seat].pool) - 1, *evidence)


def not_discarded(g: ChineseTable, seat: Seat, at: int, *evidence: Happening) -> None:
    """A discard that was taken for unseen, so many tiles into the pool, was none."""
    g.spoil("discard-missing", seat, *evidence, t=g.now)
    g.seats[seat].standing += 1
    g.put_in_pool(seat, at, gone=True)
    g.unseen_no_more()


def discard(g: ChineseTable, tile: Tile) -> None:
    """The discard was not seen; a draw that seemed early may have followed it in order."""
    early, g.early = g.early, None
    place_discard(g, g.turn, tile, None, None)
    if early is not None and early.stage == "taken":
        assert g.wall is not None
        g.turn, g.need, g.after, g.chance = early.seat, "discard", "draw", None
        g.last_draw = (early.seat, (early.index,), early.t)
        g.draw_t = early.t
        g.say("draw", early.seat, slots=(g.wall.slot(early.index),))
