"""Happenings leave in the order of their times, although they are decided out of order."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping
from typing import Final

from table_controller.domain.happenings import (
    Call,
    FlowerShown,
    HandCounted,
    Happening,
    IndicatorTurned,
    MeldExtended,
    MeldShown,
    NorthShown,
    NotLooked,
    Seat,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    TileReturned,
)
from table_controller.happenings.rest.sets import KONG

_COUNTS_MOST_S: Final = 1.5
"""A count says what was there before it: it may wait longer for that than anything else."""
_DEAL_COUNTS_MOST_S: Final = 4.5
"""In the deal it waits until the grabs before it are told: the last ones may take four seconds."""
_KONG_MOST_S: Final = 3.0
"""An indicator, or the draw of whoever called it, waits so long for the kong that it follows."""
_GRABS_MOST_S: Final = 3.0
"""A grab of the deal waits so long for those before it: out of its turn it is a wrong deal. So does
an indicator that is turned up meanwhile."""
_STAGES_MOST_S: Final = 2.5
"""How far a draw went waits so long for the draws before it: who has his tile reaches for another,
who has not for a wrong one. So does what is put back."""
_OWED_MOST_S: Final = 1.2
"""While tiles left the wall and it is not known yet whose they are, a discard of a seat that got
none since its last one, or since the flower or kong before it, waits so long: told before its draw
it is a tile too many, or the draw one out of turn. So does that of a seat whose claimed tile is in
no set yet, while one is seen but not decided."""
_LAID_S: Final = 4.0
"""What is turned up later than this after a kong was called or glimpsed has no part in it."""


_Entry = tuple[float, int, Happening]
"""A happening with its time, and which one it is of those put in."""


class Outbox:
    """Holds happenings for a moment, so that an earlier one decided later still goes first."""

    def __init__(self, hold_s: float, hold_most_s: float) -> None:
        self._hold_s = hold_s
        self._hold_most_s = hold_most_s
        self._held: list[_Entry] = []
        self._number = 0
        self._called: dict[Seat, float] = {}
        self._got: dict[Seat | None, float] = {}
        """When each seat last drew or claimed a tile; of None: when somebody did."""
        self._claims: set[Seat] = set()
        """Who fetched a tile that is in no set yet."""
        self._gave: dict[Seat, float] = {}
        """When each seat last laid down one for which it draws another; discards that have left."""

    def put(self, happening: Happening) -> None:
        """One decided happening."""
        bisect.insort(self._held, (happening.t, self._number, happening))
        self._number += 1
        match happening:
            case Call(call="kong"):
                self._called[happening.seat] = happening.t
            case MeldShown():
                self._claims.discard(happening.seat)
                if len(happening.tiles) == KONG:
                    self._kong_lies(happening.seat, happening.t)
            case MeldExtended():
                self._kong_lies(happening.seat, happening.t)
            case FlowerShown() | NorthShown():
                self._gives(happening.seat, happening.t)
            case TileClaimed():
                self._claims.add(happening.seat)
                self._takes(happening.seat, happening.t)
            case TileDrawn(stage="taken"):
                self._takes(happening.seat, happening.t)
            case _:
                pass

    def release(
        self,
        now: float,
        pending: float | None = None,
        coming: float | None = None,
        kong: float | None = None,
        reaching: Mapping[Seat | None, float] | None = None,
        *,
        dealing: bool = False,
    ) -> list[Happening]:
        """What may leave at a time.

        Args:
            now: source time of the newest input.
            pending: time of the earliest change that is seen but not decided, if any; later
                happenings wait for it, but not for long.
            coming: time of the earliest thing that was glimpsed and may be a change; later counts
                of hands wait for it too.
            kong: when a tile was laid face down among the sets that belongs to none of them yet:
                an indicator turned up since, and what follows it, come after the kong, as does
                whatever is drawn by the seat that called one.
            reaching: when the earliest tile was drawn that each seat may have, where that is not
                decided: how far its hand went with another comes after it.
            dealing: nobody has discarded yet.
        """
        until = counts = draws = now - self._hold_s
        latest_stage = now - _STAGES_MOST_S
        if pending is not None:
            draws = max(min(until, pending), now - _GRABS_MOST_S)
            most = _OWED_MOST_S if self._owed(pending) else self._hold_most_s
            until = max(min(until, pending), now - most)
        kong = self._kong(kong)
        if kong is not None:
            until = counts = max(min(until, kong), now - _KONG_MOST_S)
        drawn = [each for *_, each in self._held if isinstance(each, TileDrawn)]
        dealt = any(len(each.slots) > 1 for each in drawn)
        taken = {slot for each in drawn for slot in each.slots}
        turned = min(draws, until) if kong is not None else draws
        draws = min(draws, until) if dealt else until
        first = min((time for time in (pending, coming) if time is not None), default=None)
        if first is not None:
            most = _DEAL_COUNTS_MOST_S if dealing else _COUNTS_MOST_S
            counts = max(min(counts, first), now - most)

        def latest(held: Happening) -> float:
            if isinstance(held, HandCounted):
                return counts
            if isinstance(held, IndicatorTurned):
                # The first is turned as the last tiles are dealt: they say where it belongs.
                return turned
            if isinstance(held, TileReturned) and taken.intersection(held.slots):
                # What comes back was taken before.
                return stages(held.seat)
            if isinstance(held, TileDrawn):
                return draws if held.stage == "taken" else stages(held.seat)
            return until

        def stages(seat: Seat | None) -> float:
            waits = None if reaching is None else reaching.get(seat)
            return draws if waits is None else min(draws, max(waits, latest_stage))

        ripe = _in_order(self._held, latest)
        self._held = [entry for entry in self._held if entry not in ripe]
        left = [happening for _, _, happening in ripe]
        for happening in left:
            if isinstance(happening, TileDiscarded):
                self._gives(happening.seat, happening.t)
                self._claims.discard(happening.seat)
        return left

    def _kong_lies(self, seat: Seat, t: float) -> None:
        self._called.pop(seat, None)
        self._gives(seat, t)

    def _gives(self, seat: Seat, t: float) -> None:
        self._gave[seat] = max(t, self._gave.get(seat, t))

    def _takes(self, seat: Seat | None, t: float) -> None:
        self._got[seat] = max(t, self._got.get(seat, 0.0))

    def _owed(self, pending: float) -> bool:
        """Whether a discard is held whose seat may have drawn, or laid, what is not decided yet."""
        return any(
            pending < t and (held.seat in self._claims or self._gets(held.seat))
            for t, _, held in self._held
            if isinstance(held, TileDiscarded)
        )

    def _gets(self, seat: Seat) -> bool:
        """Whether a seat has laid down what it draws for, and is not known to have drawn."""
        last = self._gave.get(seat)
        return last is not None and self._last_got(seat) < last

    def _last_got(self, seat: Seat) -> float:
        """When a seat last got a tile, or somebody who may have been it."""
        return max(self._got.get(seat, 0.0), self._got.get(None, 0.0))

    def _kong(self, coming: float | None) -> float | None:
        """When a kong was laid or called that is not told yet, if what follows it waits for it."""
        waits = []
        for t, _, held in self._held:
            match held:
                case IndicatorTurned():
                    since = [coming, *self._called.values()]
                case TileDrawn() if held.seat is not None:
                    since = [self._called.get(held.seat)]
                case _:
                    continue
            waits += [time for time in since if time is not None and time < t <= time + _LAID_S]
        return min(waits, default=None)

    def untold_gap(self) -> float | None:
        """Since when nobody looked, where that is decided but has not left yet."""
        gaps = (t for t, _, held in self._held if isinstance(held, NotLooked))
        return next(gaps, None)

    def flush(self) -> list[Happening]:
        """Everything that is still held, in order; after it the outbox is empty."""
        held, self._held = self._held, []
        return [happening for _, _, happening in held]


def _in_order(held: list[_Entry], latest: Callable[[Happening], float]) -> list[_Entry]:
    """Those that may leave: what one hand does at the wall is told in its order."""
    ripe: list[_Entry] = []
    behind: set[Seat | None] = set()
    for entry in held:
        t, _, happening = entry
        if isinstance(happening, TileDrawn | TileReturned):
            if t > latest(happening) or happening.seat in behind:
                behind.add(happening.seat)
                continue
        elif t > latest(happening):
            continue
        ripe.append(entry)
    return ripe
