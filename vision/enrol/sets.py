"""What a whole set holds: how many tiles of each face, for the sets that are played with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_SUITS: Final = tuple(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10))
_HONOURS: Final = tuple(f"{rank}z" for rank in range(1, 8))
_FLOWERS: Final = tuple(f"{rank}f" for rank in range(1, 9))
FLOWERS: Final = frozenset(_FLOWERS)


def _set(kinds: tuple[str, ...], *, flowers: bool = False, red: str = "") -> Mapping[str, int]:
    counts = dict.fromkeys(kinds, 4)
    for suit in red:
        counts[f"5{suit}"] -= 1
        counts[f"0{suit}"] = 1
    return counts | (dict.fromkeys(_FLOWERS, 1) if flowers else {})


_THREE: Final = ("1m", "9m", *_SUITS[9:], *_HONOURS)

SETS: Final[Mapping[str, Mapping[str, int]]] = {
    "144": _set(_SUITS + _HONOURS, flowers=True),
    "136": _set(_SUITS + _HONOURS),
    "136-red": _set(_SUITS + _HONOURS, red="mps"),
    "144-red": _set(_SUITS + _HONOURS, flowers=True, red="mps"),
    "108": _set(_SUITS),
    "108-three": _set(_THREE),
    "108-three-red": _set(_THREE, red="ps"),
}
"""Counts by face: with flowers; without; with red fives; suits alone; three players' sets."""

SINGLE: Final = frozenset(
    face
    for face in {face for counts in SETS.values() for face in counts}
    if max(counts.get(face, 0) for counts in SETS.values()) == 1
)
"""Faces of which no set has two: flowers and red fives."""


def nearest(counts: Mapping[str, int]) -> str:
    """The set from which these tiles differ least."""

    def apart(name: str) -> int:
        wanted = SETS[name]
        return sum(abs(counts.get(k, 0) - wanted.get(k, 0)) for k in counts.keys() | wanted.keys())

    return min(SETS, key=lambda name: (apart(name), list(SETS).index(name)))
