"""Flowers: laid out, replaced, and in whose order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import FlowerShown, Seat
from table_controller.domain.tiles import Tile
from table_controller.game import costs
from table_controller.game.mcr.taking import reach
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading


def flower_shown(g: ChineseTable, h: FlowerShown) -> bool:
    """A flower is laid out: after the deal in order, later in the own turn."""
    if g.phase != "play" or g.claimer is not None:
        return False
    if h.tile.known and (not h.tile.is_flower or g.full(h.tile)):
        return False
    if g.discards == 0 and g.after in ("deal", "flower"):
        if not _in_order(g, h.seat):
            return False
    elif g.turn != h.seat or g.need != "discard":
        return False
    g.now = max(g.now, h.t)
    lay_flower(g, h.seat, h.tile, h)
    replaced_early(g, h.seat, h.t)
    return True


def replaced_early(g: ChineseTable, seat: Seat, t: float) -> None:
    """The draw that is told already came after what was laid out: it was for the replacement.

    The arm that goes on from there to the wall hides it meanwhile.
    """
    early = g.early
    if early is None or (early.alert, early.seat) != ("extra-draw", seat) or early.t < t:
        return
    if early.index == g.back_index():
        g.early = None
        reach(g, seat, early.t, (early.index,))
    else:
        g.early = replace(early, alert="wrong-replacement")


def _in_order(g: ChineseTable, seat: Seat) -> bool:
    """Dealer, South, West, North; a seat that still owes a replacement goes first.

    Whom another went before lays out all that he has, whatever was said of the first.
    """
    place = (seat - g.dealer) % 4
    order = g.ruleset.opening.flower_order
    if order == "by_generation":
        return True
    if any(g.owed[s] for s in range(4) if s != seat):
        return False
    return place >= g.flower_turn or seat in g.flower_late


def lay_flower(g: ChineseTable, seat: Seat, tile: Tile, h: FlowerShown | None) -> None:
    """A flower lies open; a replacement is due."""
    state = g.seats[seat]
    state.flowers = (*state.flowers, tile)
    state.lose(tile)
    if h is not None:
        g.saw(h, tile)
    g.owe(seat, 1)
    place = (seat - g.dealer) % 4
    if g.discards == 0 and g.after in ("deal", "flower"):
        if place > g.flower_turn:
            g.flower_turn, g.flower_first = place, seat
        g.flowers_t = g.now
    else:
        g.after = "kong_flower" if g.after in ("kong", "kong_flower") else "flower"
    g.draw_t = g.now
    g.say("flower", seat, tile=tile, inferred=h is None)


def read_flower_shown(g: ChineseTable, h: FlowerShown) -> list[Reading]:
    """A flower out of order, a tile that is none, or a report sent twice."""
    if g.phase != "play":
        return []
    if h.tile in g.seats[h.seat].flowers:
        return [(costs.DOUBLED, lambda _r: None)]
    doubt = costs.disbelief(h.confidence)
    readings: list[Reading] = []
    if h.tile.known and not h.tile.is_flower:

        def mistaken(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.flag("flower-mistaken", h.seat, h, t=h.t, facts=Facts(tiles=(h.tile,)))
            lay_flower(r, h.seat, h.tile, h)

        def misread(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            lay_flower(r, h.seat, Tile.UNKNOWN, h)

        return [(costs.INFRACTION, mistaken), (costs.open_disbelief(h.confidence), misread)]
    if h.tile.known and g.full(h.tile):

        def again(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            lay_flower(r, h.seat, h.tile, h)

        def unread(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            lay_flower(r, h.seat, Tile.UNKNOWN, h)

        return [(costs.RARE, again), (doubt, unread)]
    if g.claimer is not None:
        return readings
    setting_up = g.discards == 0 and g.after in ("deal", "flower")

    def disorder(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        at_fault: Seat = h.seat
        cause: tuple[object, ...] = ("flower", h.seat, r.discards)
        if setting_up and (h.seat - r.dealer) % 4 < r.flower_turn:
            # Who went first although this seat still had flowers is answerable, once.
            at_fault = r.flower_first
            cause = ("flower-order",)
            r.flower_late = (*r.flower_late, h.seat)
        r.flag("flower-order", at_fault, h, t=h.t, cause=cause)
        after, draw_t = r.after, r.draw_t
        lay_flower(r, h.seat, h.tile, h)
        if r.turn != h.seat or r.need != "discard":
            r.after, r.draw_t = after, draw_t

    readings.append((costs.INFRACTION - (1.0 if setting_up else 0.0), disorder))
    return readings
