"""What a set of tiles is, and how it can have been meant or misread."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from table_controller.domain.happenings import (
    MeldShown,
)
from table_controller.domain.tiles import KIND_INDEX, Tile
from table_controller.game.base import MeldKind


def kind_of(tiles: tuple[Tile, ...], claimed: Tile | None = None) -> MeldKind | None:
    """What set these tiles are; unread faces fit anything; None where they are none.

    ``unknown`` where too many faces are unread to tell a chow from a pung.
    """
    known = [tile for tile in tiles if tile.known]
    if claimed is not None and claimed.known and not known:
        known = [claimed]
    if any(tile not in KIND_INDEX for tile in known):
        return None
    same = len(set(known)) <= 1
    if len(tiles) == 4:
        return "kong" if same else None
    if len(tiles) != 3:
        return None
    if same and len(known) >= 2:
        return "pung"
    if same:
        return "unknown"
    if len({tile.suit for tile in known}) == 1 and known[0].is_suited:
        ranks = sorted(tile.rank for tile in known)
        if len(set(ranks)) == len(ranks) and ranks[-1] - ranks[0] <= 2:
            return "chow"
    return None


def agrees(one: Tile, other: Tile) -> bool:
    """Whether both can be the same tile, one of them perhaps unread."""
    return one is other or not one.known or not other.known


def looks_concealed(h: MeldShown) -> bool:
    """Whether four tiles lie as a concealed kong does."""
    if len(h.tiles) != 4 or h.claimed is not None or h.sideways is not None:
        return False
    backs = sum(not tile.known for tile in h.tiles)
    return len(h.face_down) >= 2 or backs >= 2 or not h.face_down


def holds(h: MeldShown, tile: Tile) -> bool:
    """Whether the set can contain the claimed tile."""
    return not tile.known or tile in h.tiles or any(not t.known for t in h.tiles)


def claims(h: MeldShown) -> bool:
    """Whether the set says which of its tiles was claimed."""
    return h.claimed is not None and h.claimed < len(h.tiles)


def sound_without(h: MeldShown, tile: Tile) -> bool:
    """Whether the set is one around the tile laid sideways, and that is not this tile."""
    if h.claimed is None or h.claimed >= len(h.tiles) or not tile.known:
        return False
    own = h.tiles[h.claimed]
    return own.known and own is not tile and kind_of(h.tiles, own) is not None


def doubted(h: MeldShown) -> tuple[Tile, ...]:
    """The set with every face but the claimed one in doubt."""
    return tuple(Tile.UNKNOWN if n != h.claimed else tile for n, tile in enumerate(h.tiles))


def one_misread(h: MeldShown, claimed: Tile) -> list[tuple[tuple[Tile, ...], MeldKind]]:
    """A set that these tiles would be with one face read wrongly."""
    found: list[tuple[tuple[Tile, ...], MeldKind]] = []
    for at in range(len(h.tiles)):
        tiles = (*h.tiles[:at], Tile.UNKNOWN, *h.tiles[at + 1 :])
        kind = kind_of(tiles, claimed)
        if kind is not None and holds(replace(h, tiles=tiles), claimed):
            found.append((tiles, kind))
    return found[:1]


def meant(tiles: tuple[Tile, ...], claimed: Tile) -> str:
    """Whether a wrong set of three was meant as a pung or a chow."""
    return "pung" if Counter(tiles)[claimed] >= 2 else "chow"


def wrong_tiles(tiles: tuple[Tile, ...], claimed: Tile, stage: str) -> tuple[Tile, ...]:
    """The tile that does not belong to the set."""
    others = [tile for tile in tiles if tile is not claimed and tile.known]
    if stage != "chow":
        return tuple(others[:1])
    for tile in others:
        if not claimed.known or not claimed.is_suited or not tile.is_suited:
            return (tile,)
        if tile.suit is not claimed.suit or abs(tile.rank - claimed.rank) > 2:
            return (tile,)
    return tuple(others[-1:])
