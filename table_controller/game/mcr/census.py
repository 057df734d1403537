"""How many copies of each tile lie open."""

from __future__ import annotations

from table_controller.domain.tiles import FLOWERS, KIND_INDEX, Tile

_PLACE = {**KIND_INDEX, **{tile: 34 + at for at, tile in enumerate(FLOWERS)}}


class Census:
    """Copies of each of the 42 faces seen in pools, melds, flowers and opened hands."""

    __slots__ = ("counts",)

    def __init__(self) -> None:
        self.counts = [0] * 42

    def copy(self) -> Census:
        """An independent copy."""
        other = Census.__new__(Census)
        other.counts = self.counts.copy()
        return other

    def add(self, tile: Tile) -> bool:
        """One more copy; whether that is more than the set has."""
        at = _PLACE.get(tile)
        if at is None:
            return False
        self.counts[at] += 1
        return self.counts[at] > (4 if at < 34 else 1)

    def remove(self, tile: Tile) -> None:
        """One copy less (taken back into a hand)."""
        at = _PLACE.get(tile)
        if at is not None and self.counts[at]:
            self.counts[at] -= 1

    def correct(self, tile: Tile, lying: int) -> None:
        """No more copies were seen than lie there."""
        at = _PLACE.get(tile)
        if at is not None:
            self.counts[at] = min(self.counts[at], lying)

    def full(self, tile: Tile) -> bool:
        """Whether every copy is already seen."""
        at = _PLACE.get(tile)
        return at is not None and self.counts[at] >= (4 if at < 34 else 1)

    def of(self, tile: Tile) -> int:
        """Copies seen."""
        at = _PLACE.get(tile)
        return 0 if at is None else self.counts[at]
