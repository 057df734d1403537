"""What was seen against what truly happened: matches, misses and inventions.

Used by the demo's summary and by the benchmarks; never by the controller itself.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from table_controller.domain.codec import BadHappeningError, from_object
from table_controller.domain.happenings import (
    DiceRolled,
    HandShown,
    Happening,
    MeldShown,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    TileExposed,
)
from table_controller.domain.outputs import Alert
from table_controller.domain.tiles import sort_tiles

TOLERANCE_S: Final = 2.5
"""A sighting further than this from the truth is another happening."""

UNCOUNTED: Final = frozenset(
    {"table_set", "not_looked", "machine", "clock", "hand_counted", "tile_covered", "call"}
)
"""Kinds that are not compared: reports of the observer or the machine, not of the game.

``hand_counted`` may be said at any quiet moment, as often as the observer likes.
"""


@dataclass(frozen=True, slots=True)
class Infraction:
    """A line of the truth that says which infraction was committed, when and by whom.

    ``evident`` is when it could be known at the earliest; a discard that takes too long begins
    long before.
    """

    t: float
    id: str
    seat: int | None
    evident: float


@dataclass(slots=True)
class Tally:
    """Counts of one kind."""

    true: int = 0
    matched: int = 0
    invented: int = 0
    errors: list[float] = field(default_factory=list)
    """Time of the sighting minus time of the truth, seconds, of the matched ones."""

    @property
    def missed(self) -> int:
        """True ones that were not seen."""
        return self.true - self.matched

    @property
    def recall(self) -> float:
        """Share of the true ones that were seen."""
        return self.matched / self.true if self.true else 1.0

    @property
    def precision(self) -> float:
        """Share of what was said that is true."""
        said = self.matched + self.invented
        return self.matched / said if said else 1.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Seen against true: one tally a kind, and what did not match, in words.

    ``missed_at`` and ``invented_at`` are the times of the happenings among these, in order;
    ``unread`` counts the matched looks at hidden tiles of the dead wall whose face was told as
    unknown, ``held`` those at a grab that was told as looked at as a whole, of which its taker
    looked at some tiles only: under a hand nobody else can see that.
    """

    happenings: dict[str, Tally]
    alerts: dict[str, Tally]
    missed: tuple[str, ...]
    invented: tuple[str, ...]
    missed_at: tuple[float, ...] = ()
    invented_at: tuple[float, ...] = ()
    unread: int = 0
    held: int = 0

    @staticmethod
    def total(tallies: dict[str, Tally]) -> Tally:
        """All kinds together."""
        whole = Tally()
        for tally in tallies.values():
            whole.true += tally.true
            whole.matched += tally.matched
            whole.invented += tally.invented
            whole.errors += tally.errors
        return whole


def read_truth(path: Path) -> tuple[list[Happening], list[Infraction]]:
    """The true happenings and the committed infractions of a ``truth.jsonl``.

    Raises:
        BadHappeningError: naming file and line.
    """
    happenings: list[Happening] = []
    infractions: list[Infraction] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                data = json.loads(line)
                if isinstance(data, dict) and data.get("kind") == "infraction":
                    t = float(data["t"])
                    evident = float(data.get("evident") or t)
                    infractions.append(Infraction(t, data["id"], data.get("seat"), evident))
                else:
                    happenings.append(from_object(data))
            except (BadHappeningError, json.JSONDecodeError, KeyError) as error:
                raise BadHappeningError(f"{path}:{number}: {error}") from None
    return happenings, infractions


def compare(
    seen: Sequence[Happening],
    alerts: Sequence[Alert],
    true: Sequence[Happening],
    infractions: Sequence[Infraction],
) -> Comparison:
    """Match what was said with what is true, each at most once, in order of time."""
    read, unread = _peeks_read(seen, true)
    read, held = _grabs_looked_at(read, true)
    happenings, missed, invented = _match(
        [(h.t, h.kind, _what(h)) for h in read if h.kind not in UNCOUNTED],
        [(h.t, h.t, h.kind, _what(h)) for h in true if h.kind not in UNCOUNTED],
    )
    raised, alerts_missed, alerts_invented = _match(
        [(a.t, a.id, (a.seat,)) for a in alerts],
        [(i.t, i.evident, i.id, (i.seat,)) for i in infractions],
    )
    return Comparison(
        happenings,
        raised,
        tuple(f"happening {text}" for _, text in missed)
        + tuple(f"alert {text}" for _, text in alerts_missed),
        tuple(f"happening {text}" for _, text in invented)
        + tuple(f"alert {text}" for _, text in alerts_invented),
        tuple(sorted(t for t, _ in missed)),
        tuple(sorted(t for t, _ in invented)),
        unread,
        held,
    )


def _grabs_looked_at(
    seen: Sequence[Happening], true: Sequence[Happening]
) -> tuple[list[Happening], int]:
    """What was seen with the tiles of a grab that only its taker knows he looked at; how many.

    All that he held is told; he held just that, and looked at some of it.
    """
    grabs = [h for h in true if isinstance(h, TileDrawn) and len(h.slots) > 1]
    looks = [h for h in grabs if h.stage == "seen"]
    held = {(h.seat, frozenset(h.slots)) for h in grabs if h.stage == "lifted"}
    out: list[Happening] = []
    some = 0
    for h in seen:
        if isinstance(h, TileDrawn) and h.stage == "seen":
            all_ = frozenset(h.slots)
            same = [
                look
                for look in looks
                if look.seat == h.seat
                and abs(look.t - h.t) <= TOLERANCE_S
                and all_ > frozenset(look.slots)
            ]
            if same and (h.seat, all_) in held:
                looks.remove(same[0])
                out.append(replace(h, slots=same[0].slots))
                some += 1
                continue
        out.append(h)
    return out, some


def _peeks_read(
    seen: Sequence[Happening], true: Sequence[Happening]
) -> tuple[list[Happening], int]:
    """What was seen with the faces that only a peeker saw filled in, and how many these are."""
    peeks = [h for h in true if isinstance(h, TileExposed) and h.where == "dead_wall"]
    out: list[Happening] = []
    unread = 0
    for h in seen:
        if isinstance(h, TileExposed) and h.where == "dead_wall" and not h.tile.known:
            same = [p for p in peeks if p.slot == h.slot and abs(p.t - h.t) <= TOLERANCE_S]
            if same:
                peek = min(same, key=lambda p: abs(p.t - h.t))
                peeks.remove(peek)
                out.append(replace(h, tile=peek.tile))
                unread += 1
                continue
        out.append(h)
    return out, unread


_Said = tuple[float, str, tuple[Any, ...]]
_True = tuple[float, float, str, tuple[Any, ...]]
"""Begin and end of when it may be said to have happened, kind, what."""
_Wrong = tuple[float, str]
"""When, and in words."""


def _match(
    said: Iterable[_Said], true: Iterable[_True]
) -> tuple[dict[str, Tally], list[_Wrong], list[_Wrong]]:
    tallies: dict[str, Tally] = defaultdict(Tally)
    open_: dict[tuple[str, tuple[Any, ...]], list[float]] = defaultdict(list)
    for t, kind, what in sorted(said, key=lambda item: item[0]):
        open_[kind, what].append(t)
    missed: list[_Wrong] = []
    for t, end, kind, what in sorted(true, key=lambda item: item[0]):
        tally = tallies[kind]
        tally.true += 1
        times = open_[kind, what]
        nearest = min(times, key=lambda other: _away(other, t, end), default=None)
        if nearest is None or _away(nearest, t, end) > TOLERANCE_S:
            missed.append((t, f"{kind} {_words(what)} at {t:.1f}"))
            continue
        times.remove(nearest)
        tally.matched += 1
        tally.errors.append(nearest - min(max(nearest, t), end))
    invented: list[_Wrong] = []
    for (kind, what), times in open_.items():
        tallies[kind].invented += len(times)
        invented += [(t, f"{kind} {_words(what)} at {t:.1f}") for t in times]
    return dict(sorted(tallies.items())), missed, invented


def _away(t: float, begin: float, end: float) -> float:
    return max(begin - t, t - end, 0.0)


def _what(happening: Happening) -> tuple[Any, ...]:
    """What must agree besides the kind and the time."""
    seat = getattr(happening, "seat", None)
    match happening:
        case TileDrawn():
            return (seat, happening.stage, tuple(sorted(happening.slots)))
        case TileDiscarded():
            return (seat, happening.tile.value)
        case TileClaimed():
            return (seat, happening.tile.value, happening.from_)
        case MeldShown():
            return (seat, tuple(tile.value for tile in sort_tiles(happening.tiles)))
        case HandShown():
            apart = happening.apart.value if happening.apart else None
            return (seat, tuple(tile.value for tile in sort_tiles(happening.tiles)), apart)
        case TileExposed():
            return (happening.where, seat, happening.tile.value)
        case DiceRolled():
            # A die that leans on something shows no value: what the thrower meant it to be is moot.
            return (happening.valid, tuple(sorted(happening.values)) if happening.valid else None)
    tile = getattr(happening, "tile", None)
    side = getattr(happening, "side", None)
    stacks = getattr(happening, "stacks", None) if happening.kind == "wall_raised" else None
    return (
        seat if happening.kind != "dice_removed" else None,
        tile.value if tile else None,
        side,
        stacks,
    )


def _words(what: tuple[Any, ...]) -> str:
    return " ".join(str(part) for part in what if part is not None and part != ())
