"""Which happening must change so that one tile of a captured hand becomes another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from table_controller.domain.happenings import (
    FlowerShown,
    HandShown,
    Happening,
    MeldExtended,
    MeldShown,
    TileClaimed,
    TileDiscarded,
)
from table_controller.domain.tiles import Tile
from table_controller.record.fold import Fold, Step

Part = Literal["standing", "win", "meld", "flower"]


@dataclass(frozen=True, slots=True)
class Retiled:
    """The happenings to replace, by position, and the face that stood there."""

    was: Tile | None
    replacements: tuple[tuple[int, Happening], ...]


def retiled(
    fold: Fold, key: str, part: Part, win: int, meld: int, index: int, tile: Tile
) -> Retiled | None:
    """Find what a correction of one tile changes.

    Args:
        fold: the session.
        key: of the hand, ``hand-003``.
        part: where in the captured hand the tile lies.
        win: which winner, where there are several.
        meld: which set, counted in the order of the record.
        index: which tile of the part.
        tile: the face it really has.

    Returns:
        None where the hand has no such tile, or where no happening stands behind it that was
        seen (what the referee inserted is corrected by taking that back).
    """
    number = int(key.rpartition("-")[2])
    steps = fold.of_hand(number)
    captured = _captured(fold, number, win)
    if captured is None:
        return None
    seat, source, standing, melds, flowers = captured
    shown = _last(steps, HandShown, seat)
    if shown is None:
        return None
    at, hand = shown
    assert isinstance(hand, HandShown)
    if part == "standing":
        return _standing(at, hand, standing, index, source is None, tile)
    if part == "flower":
        return _flower(steps, seat, flowers, index, tile)
    if part == "meld":
        return _meld(steps, seat, melds, meld, index, tile)
    return _winning(steps, at, hand, seat, source, len(standing), tile)


_Captured = tuple[int, int | None, list[Tile], list[list[Tile]], list[Tile]]


def _captured(fold: Fold, number: int, win: int) -> _Captured | None:
    """Winner, source, standing tiles, sets and flowers of a hand, ended or under check."""
    if number <= len(fold.hands):
        wins = fold.hands[number - 1].wins
        if win >= len(wins):
            return None
        record = wins[win]
        return (
            record.winner,
            record.from_,
            list(record.tiles),
            [[Tile(face) for face in meld["tiles"]] for meld in record.melds],
            list(record.flowers),
        )
    under = fold.state.get("wins") or []
    if win >= len(under) or "tiles" not in under[win]:
        return None
    found = under[win]
    seat = fold.state["seats"][found["seat"]]
    return (
        found["seat"],
        found["from"],
        [Tile(face) for face in found["tiles"]],
        [[Tile(face) for face in meld["tiles"]] for meld in seat["melds"]],
        [Tile(face) for face in seat["flowers"]],
    )


def _last(
    steps: Sequence[Step], kind: type[Happening], seat: int, before: int | None = None
) -> tuple[int, Happening] | None:
    for step in reversed(steps):
        entry = step.entry
        if step.at is None or (before is not None and step.at >= before):
            continue
        if isinstance(entry, kind) and getattr(entry, "seat", None) == seat:
            return step.at, entry
    return None


def _put(tiles: tuple[Tile, ...], index: int, tile: Tile) -> tuple[Tile, ...]:
    return (*tiles[:index], tile, *tiles[index + 1 :])


def _standing(
    at: int, hand: HandShown, standing: list[Tile], index: int, own: bool, tile: Tile
) -> Retiled | None:
    if index >= len(standing):
        return None
    place = index
    if len(hand.tiles) == len(standing) + 1 and not own:
        # The fetched winning tile lies among the others: the record leaves it out.
        taken = next(
            (
                n
                for n in range(len(hand.tiles))
                if [*hand.tiles[:n], *hand.tiles[n + 1 :]] == standing
            ),
            len(standing),
        )
        place += index >= taken
    return Retiled(hand.tiles[place], ((at, replace(hand, tiles=_put(hand.tiles, place, tile))),))


def _flower(
    steps: Sequence[Step], seat: int, flowers: list[Tile], index: int, tile: Tile
) -> Retiled | None:
    if index >= len(flowers):
        return None
    for step in steps:
        entry = step.entry
        if isinstance(entry, FlowerShown) and entry.seat == seat and entry.tile == flowers[index]:
            if step.at is None:
                return None
            return Retiled(entry.tile, ((step.at, replace(entry, tile=tile)),))
    return None


def _meld(
    steps: Sequence[Step], seat: int, melds: list[list[Tile]], meld: int, index: int, tile: Tile
) -> Retiled | None:
    if meld >= len(melds) or index >= len(melds[meld]):
        return None
    tiles = melds[meld]
    was = tiles[index]
    for step in reversed(steps):
        entry = step.entry
        if step.at is None:
            continue
        if (
            isinstance(entry, MeldShown)
            and entry.seat == seat
            and was in entry.tiles
            and all(tiles.count(each) >= entry.tiles.count(each) for each in set(entry.tiles))
        ):
            place = index if entry.tiles == tuple(tiles) else entry.tiles.index(was)
            changed = replace(entry, tiles=_put(entry.tiles, place, tile))
            return Retiled(was, ((step.at, changed),))
        added = isinstance(entry, MeldExtended) and index == 3 and len(tiles) == 4
        if added and isinstance(entry, MeldExtended) and (entry.seat, entry.tile) == (seat, was):
            return Retiled(was, ((step.at, replace(entry, tile=tile)),))
    return None


def _winning(
    steps: Sequence[Step],
    at: int,
    hand: HandShown,
    seat: int,
    source: int | None,
    standing: int,
    tile: Tile,
) -> Retiled | None:
    if source is None:
        if hand.apart is not None:
            return Retiled(hand.apart, ((at, replace(hand, apart=tile)),))
        last = len(hand.tiles) - 1
        return Retiled(hand.tiles[last], ((at, replace(hand, tiles=_put(hand.tiles, last, tile))),))
    given = max(
        (
            found
            for kind in (TileDiscarded, MeldExtended)
            if (found := _last(steps, kind, source, at)) is not None
        ),
        default=None,
        key=lambda found: found[0],
    )
    if given is None:
        return None
    where, discard = given
    assert isinstance(discard, TileDiscarded | MeldExtended)
    was = discard.tile
    changed: list[tuple[int, Happening]] = [(where, replace(discard, tile=tile))]
    fetched = _last(steps, TileClaimed, seat, at)
    if fetched is not None and fetched[0] > where and isinstance(fetched[1], TileClaimed):
        changed.append((fetched[0], replace(fetched[1], tile=tile)))
    if hand.apart is not None:
        changed.append((at, replace(hand, apart=tile)))
    elif len(hand.tiles) == standing + 1 and was in hand.tiles:
        changed.append((at, replace(hand, tiles=_put(hand.tiles, hand.tiles.index(was), tile))))
    return Retiled(was, tuple(changed))
