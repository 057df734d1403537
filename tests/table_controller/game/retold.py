"""Infractions no player of the virtual table commits, told into the story of a legal hand.

What is behind them is out of sight of the cameras (tiles lost or found under the table, a set
exchanged while nobody looked, a machine's count, the hall's clock), so only the happenings change.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from table_controller.domain.happenings import (
    Clock,
    HandCounted,
    HandShown,
    Happening,
    Machine,
    MeldExtended,
    MeldShown,
    TileDiscarded,
)
from table_controller.domain.tiles import KINDS

Retold = tuple[list[Happening], int | None]
"""The story with the infraction in it, and the seat it is answered by."""


def _middle(story: Sequence[Happening], rng: random.Random) -> int | None:
    """Position of some discard, neither among the first nor the last ones."""
    at = [n for n, each in enumerate(story) if isinstance(each, TileDiscarded)]
    return rng.choice(at[4:-6]) if len(at) > 12 else None


def _counted(by: int) -> Callable[[Sequence[Happening], random.Random], Retold | None]:
    """From some moment on a hand has so many tiles more than it should have."""

    def retell(story: Sequence[Happening], rng: random.Random) -> Retold | None:
        start = _middle(story, rng)
        shown = {each.seat for each in story if isinstance(each, HandShown)}
        able = [seat for seat in range(4) if seat not in shown]
        if start is None or not able:
            return None
        seat = rng.choice(able)
        told = [
            replace(each, count=each.count + by)
            if n > start and isinstance(each, HandCounted) and each.seat == seat
            else each
            for n, each in enumerate(story)
        ]
        return (told, seat) if told != list(story) else None

    return retell


def _missing(story: Sequence[Happening], rng: random.Random) -> Retold | None:
    """The machine has fewer tiles than belong to the set."""
    at = _middle(story, rng)
    if at is None:
        return None
    fault = Machine(t=story[at].t + 0.01, state="fault", fault="missing_tiles")
    return [*story[: at + 1], fault, *story[at + 1 :]], None


def _swapped(story: Sequence[Happening], rng: random.Random) -> Retold | None:
    """A set that lies on the table is seen again with one other tile."""
    shown = {each.seat for each in story if isinstance(each, HandShown)}
    grown = {each.tile for each in story if isinstance(each, MeldExtended)}
    sets = [
        (n, each)
        for n, each in enumerate(story)
        if isinstance(each, MeldShown) and len(each.tiles) == 3 and each.seat not in shown
        if not grown & set(each.tiles)
    ]
    if not sets:
        return None
    laid, meld = rng.choice(sets)
    later = [n for n, each in enumerate(story) if n > laid and isinstance(each, TileDiscarded)]
    if len(later) < 8:
        return None
    at = rng.choice(later[2:-5])
    seen = [tile for each in story for tile in getattr(each, "tiles", ())]
    seen += [tile for each in story if (tile := getattr(each, "tile", None)) is not None]
    other = [kind for kind in KINDS if kind not in meld.tiles and seen.count(kind) <= 1]
    if not other:
        return None
    place = rng.choice([n for n in range(3) if n != meld.claimed])
    tiles = tuple(rng.choice(other) if n == place else t for n, t in enumerate(meld.tiles))
    again = replace(meld, t=story[at].t + 0.3, tiles=tiles, claimed=None)
    return [*story[: at + 1], again, *story[at + 1 :]], meld.seat


def _time_up(story: Sequence[Happening], rng: random.Random) -> Retold | None:
    """The session began so long ago that its three hours end in the middle of this hand."""
    at = _middle(story, rng)
    if at is None:
        return None
    began = story[at].t + 0.01 - 180 * 60.0
    return [Clock(t=began, event="session_started"), *story], None


RETOLD: dict[str, Callable[[Sequence[Happening], random.Random], Retold | None]] = {
    "long-hand": _counted(1),
    "short-hand": _counted(-1),
    "missing-tile": _missing,
    "swapped-tile": _swapped,
    "session-time-up": _time_up,
}
"""Alert id to how a story is retold with it; null where the story has no place for it."""
