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
    """The happenings to replace, by position, and the face that the captured hand shows there."""

    was: Tile
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
    shown = _last(steps, HandShown, captured.seat)
    if shown is None:
        return None
    at, hand = shown
    assert isinstance(hand, HandShown)
    if part == "standing":
        return _standing(at, hand, captured, index, tile)
    if part == "flower":
        return _flower(steps, captured.seat, captured.flowers, index, tile)
    if part == "meld":
        return _meld(steps, captured.seat, captured.melds, meld, index, tile)
    return _winning(steps, at, hand, captured, tile)


@dataclass(frozen=True, slots=True)
class _Captured:
    """A won hand as it is shown: faces that were not read, or were misread, are filled in."""

    seat: int
    source: int | None
    standing: list[Tile]
    win: Tile
    melds: list[list[Tile]]
    flowers: list[Tile]


def _captured(fold: Fold, number: int, win: int) -> _Captured | None:
    """One win of a hand, ended or under check."""
    if number <= len(fold.hands):
        wins = fold.hands[number - 1].wins
        if win >= len(wins):
            return None
        record = wins[win]
        return _Captured(
            record.winner,
            record.from_,
            list(record.tiles),
            record.win_tile,
            [[Tile(face) for face in meld["tiles"]] for meld in record.melds],
            list(record.flowers),
        )
    under = fold.state.get("wins") or []
    if win >= len(under) or "tiles" not in under[win]:
        return None
    found = under[win]
    seat = fold.state["seats"][found["seat"]]
    return _Captured(
        found["seat"],
        found["from"],
        [Tile(face) for face in found["tiles"]],
        Tile(found["tile"]),
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


def _fetched(hand: HandShown, captured: _Captured) -> int | None:
    """Where the winning tile, fetched from another seat, lies among the others; None: apart."""
    if captured.source is None or len(hand.tiles) != len(captured.standing) + 1:
        return None
    places = [n for n, face in enumerate(hand.tiles) if face == captured.win]
    # Where the winning tile was not read, it lies unread among the others.
    places = places or [n for n, face in enumerate(hand.tiles) if not face.known]

    def strange(place: int) -> int:
        rest = [*hand.tiles[:place], *hand.tiles[place + 1 :]]
        return sum(a != b for a, b in zip(rest, captured.standing, strict=True))

    return min(places, key=strange, default=None)


def _standing(
    at: int, hand: HandShown, captured: _Captured, index: int, tile: Tile
) -> Retiled | None:
    if index >= len(captured.standing):
        return None
    # The record leaves the winning tile out.
    fetched = _fetched(hand, captured)
    place = index + (fetched is not None and index >= fetched)
    changed = replace(hand, tiles=_put(hand.tiles, place, tile))
    return Retiled(captured.standing[index], ((at, changed),))


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
            and all(
                tiles.count(each) >= entry.tiles.count(each)
                for each in set(entry.tiles)
                if each.known
            )
        ):
            place = index if entry.tiles == tuple(tiles) else entry.tiles.index(was)
            faces = entry.tiles
            if Tile.BACK in faces:
                # Those of a concealed kong that lie open are all of one kind.
                faces = tuple(tile.plain if face.known else face for face in faces)
            changed = replace(entry, tiles=_put(faces, place, tile))
            return Retiled(was, ((step.at, changed),))
        added = isinstance(entry, MeldExtended) and index == 3 and len(tiles) == 4
        if added and isinstance(entry, MeldExtended) and (entry.seat, entry.tile) == (seat, was):
            return Retiled(was, ((step.at, replace(entry, tile=tile)),))
    return None


def _winning(
    steps: Sequence[Step], at: int, hand: HandShown, captured: _Captured, tile: Tile
) -> Retiled | None:
    if captured.source is None:
        if hand.apart is not None:
            return Retiled(captured.win, ((at, replace(hand, apart=tile)),))
        last = len(hand.tiles) - 1
        return Retiled(captured.win, ((at, replace(hand, tiles=_put(hand.tiles, last, tile))),))
    given = max(
        (
            found
            for kind in (TileDiscarded, MeldExtended)
            if (found := _last(steps, kind, captured.source, at)) is not None
        ),
        default=None,
        key=lambda found: found[0],
    )
    if given is None:
        return None
    where, discard = given
    assert isinstance(discard, TileDiscarded | MeldExtended)
    changed: list[tuple[int, Happening]] = [(where, replace(discard, tile=tile))]
    claimed = _last(steps, TileClaimed, captured.seat, at)
    if claimed is not None and claimed[0] > where and isinstance(claimed[1], TileClaimed):
        changed.append((claimed[0], replace(claimed[1], tile=tile)))
    if hand.apart is not None:
        changed.append((at, replace(hand, apart=tile)))
    elif (place := _fetched(hand, captured)) is not None:
        changed.append((at, replace(hand, tiles=_put(hand.tiles, place, tile))))
    return Retiled(captured.win, tuple(changed))
