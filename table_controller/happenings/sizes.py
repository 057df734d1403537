"""How many tiles each hand has by what was told of it, against how many stand in its row."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.domain.happenings import (
    FlowerShown,
    HandCounted,
    HandShown,
    Happening,
    MeldExtended,
    MeldShown,
    NorthShown,
    Seat,
    TileDiscarded,
    TileDrawn,
    TileRetracted,
    TileReturned,
)

_ON_ITS_WAY_S = 1.2
"""So long a tile may take from the row to where it is laid."""


@dataclass(slots=True)
class _Size:
    """A row as it was counted, and what was told of its player since.

    Attributes:
        t: when it was counted.
        counted: how many stood in it then.
        tiles: how many it has now by what was told; None where that is not clear.
        discards: how many were discarded since.
        due: how many it had by what was told when it was counted, also by what is told late;
            None where that is not clear.
    """

    t: float
    counted: int
    tiles: int | None
    discards: int = 0
    due: int | None = None

    def change(self, by: int | None, t: float) -> None:
        """So many tiles more, or fewer, were told; None: it is not clear how many.

        What was told late may have been counted already; so may a row without the tile that was
        on its way out of it. It was, where the row has just as many as that leaves: who drew
        unseen after a kong that was told late had no tile too many.
        """
        late = t <= self.t + (_ON_ITS_WAY_S if by is not None and by < 0 else 0.0)
        if by is None or not late:
            self.tiles = None if self.tiles is None or by is None else self.tiles + by
            self.due = None
            return
        self.due = None if self.due is None else self.due + by
        self.tiles = self.counted if self.due == self.counted else None


class Sizes:
    """Follows the hands from count to count."""

    def __init__(self) -> None:
        self._sizes: dict[Seat, _Size] = {}
        self._surplus: dict[Seat, int] = {}

    def clear(self) -> None:
        """A new hand begins."""
        self._sizes.clear()
        self._surplus.clear()

    def surplus(self, seat: Seat) -> int | None:
        """By how much the count told just now is too large, after one discard; asked once."""
        return self._surplus.pop(seat, None)

    def note(self, happening: Happening) -> None:
        """One told happening."""
        match happening:
            case HandCounted(seat=seat, count=count, t=t):
                size = self._sizes.get(seat)
                if size is not None and size.tiles is not None and size.discards == 1:
                    self._surplus[seat] = count - size.tiles
                due = None if size is None else size.tiles
                self._sizes[seat] = _Size(t, count, count, due=due)
            case TileDrawn(stage="taken"):
                self._change(happening.seat, len(happening.slots), happening.t)
            case TileDiscarded(seat=seat, t=t):
                self._change(seat, -1, t)
                if seat in self._sizes:
                    self._sizes[seat].discards += 1
            case MeldShown(seat=seat, tiles=tiles, claimed=claimed, t=t):
                self._change(seat, (claimed is not None) - len(tiles), t)
            case MeldExtended() | FlowerShown() | NorthShown():
                self._change(happening.seat, -1, happening.t)
            case TileReturned() | TileRetracted() | HandShown():
                self._change(happening.seat, None, happening.t)
            case _:
                pass

    def _change(self, seat: Seat | None, by: int | None, t: float) -> None:
        # Where it is not known whose hand became larger, any of them may have.
        for whose, size in self._sizes.items():
            if seat is None:
                size.tiles = None
            elif whose == seat:
                size.change(by, t)
