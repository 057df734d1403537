"""Names the tiles of a block: which look alike, and which face each group is.

Tiles of one face are told by their likeness to each other, which needs no knowledge of the
design; the net's opinion names the groups; that a whole set has four of each kind and each
flower once settles what the net alone cannot: bare pictures of flowers, a bird it never saw.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.enrol.sets import SETS, SINGLE, nearest
from vision.nets.evidence import BACK, UNKNOWN

Array = NDArray[np.float64]

_ALIKE: Final = 0.87
"""Mean likeness of groups that are one face."""
_LEAST: Final = -6.0
"""A net's log-probability counts no less than this."""
_NONE: Final = 3.0
"""What it costs, per tile, to call it no tile of the set."""
_COUNT: Final = 2.5
"""What one tile too many or too few of a kind costs, in log-probability."""
_FELLOW: Final = 0.8
"""Least mean likeness to the others of a kind."""
_SURE: Final = 3.0
"""A name is sure when every other would be so much worse, per tile."""


@dataclass(frozen=True, slots=True)
class Named:
    """The faces of tiles.

    Attributes:
        faces: notation, or ``?`` for what is no tile of the set.
        sure: by how much the next best naming is worse, log-probability per tile.
        set_name: the set that they were taken for (:data:`vision.enrol.sets.SETS`).
    """

    faces: tuple[str, ...]
    sure: tuple[bool, ...]
    set_name: str


def groups_of(likeness: Array, alike: float = _ALIKE) -> list[list[int]]:
    """Groups of tiles that look alike.

    Args:
        likeness: (N, N) symmetric, 1 for the same picture.
        alike: groups whose mean likeness is less stay apart.
    """
    groups = [[i] for i in range(len(likeness))]
    mean = likeness.astype(np.float64).copy()
    np.fill_diagonal(mean, -np.inf)
    while len(groups) > 1:
        i, j = divmod(int(mean.argmax()), len(mean))
        if mean[i, j] < alike:
            break
        a, b = len(groups[i]), len(groups[j])
        joined = (a * mean[i] + b * mean[j]) / (a + b)
        groups[i] += groups.pop(j)
        mean[i], mean[:, i] = joined, joined
        mean[i, i] = -np.inf
        mean = np.delete(np.delete(mean, j, axis=0), j, axis=1)
        mean[np.isnan(mean)] = -np.inf
    return groups


def name_tiles(
    opinion: Array,
    likeness: Array,
    labels: Sequence[str],
    *,
    fixed: Mapping[int, str] | None = None,
    set_name: str | None = None,
) -> Named:
    """Name the tiles of one set.

    Args:
        opinion: (N, labels) log-probabilities of the net.
        likeness: (N, N) of the tiles to each other.
        labels: the net's; among them ``?`` and ``back``.
        fixed: faces that somebody knows, by tile.
        set_name: the set; the nearest one by default.
    """
    fixed = dict(fixed or {})
    groups = groups_of(likeness)
    for tile, face in fixed.items():
        # what is known by hand stands for its group, but alone where there is only one, and where
        # another tile of the group is known to be something else
        group = next(g for g in groups if tile in g)
        others = {fixed[other] for other in group if other in fixed} - {face}
        if len(group) > 1 and (face in SINGLE or others):
            group.remove(tile)
            groups.append([tile])
    faces = [k for k, name in enumerate(labels) if name not in (UNKNOWN, BACK)]
    names = [labels[k] for k in faces]
    value = np.stack([opinion[g][:, faces].clip(_LEAST, 0.0).sum(axis=0) for g in groups])
    strange = opinion[:, labels.index(UNKNOWN)].clip(_LEAST / 2, 0.0) - _NONE
    value = np.column_stack([value, [strange[g].sum() for g in groups]])
    row_of = {tile: row for row, group in enumerate(groups) for tile in group}
    told = {row_of[tile]: face for tile, face in fixed.items()}
    for row, face in told.items():
        value[row] = -1e6
        value[row, names.index(face)] = 0.0
    sizes = np.array([len(g) for g in groups])
    if set_name is None:
        counts: dict[str, int] = {}
        for k, n in zip(value[:, :-1].argmax(axis=1), sizes, strict=True):
            counts[names[k]] = counts.get(names[k], 0) + int(n)
        set_name = nearest(counts)
    wanted = np.array([SETS[set_name].get(name, 0) for name in names])
    chosen = _settle(value, sizes, wanted)
    chosen, doubted = _unlike(chosen, groups, likeness, sizes, wanted, told.keys())
    out, sure = [""] * len(opinion), [True] * len(opinion)
    for row, group in enumerate(groups):
        margin = _margin(value, sizes, wanted, chosen, row) / len(group)
        for tile in group:
            out[tile] = names[chosen[row]] if chosen[row] < len(names) else UNKNOWN
            sure[tile] = tile in fixed or (margin >= _SURE and row not in doubted)
    return Named(tuple(out), tuple(sure), set_name)


def _unlike(
    chosen: NDArray[np.int64],
    groups: Sequence[Sequence[int]],
    likeness: Array,
    sizes: NDArray[np.int64],
    wanted: NDArray[np.int64],
    told: Collection[int],
) -> tuple[NDArray[np.int64], set[int]]:
    """A tile too many that looks unlike its fellows is none of them; one that is due is doubted.

    Not one that somebody ``told``: it is what it is, and of two that are alone it is the right one.
    """
    chosen = chosen.copy()
    doubted: set[int] = set()
    for face in range(len(wanted)):
        rows = sorted(
            map(int, np.flatnonzero(chosen == face)), key=lambda r: (-int(sizes[r]), r not in told)
        )
        left = sum(int(sizes[r]) for r in rows)
        for row in rows[:0:-1]:
            if row in told:
                continue
            if likeness[np.ix_(groups[row], groups[rows[0]])].mean() >= _FELLOW:
                continue
            if left > wanted[face]:
                chosen[row] = len(wanted)
                left -= int(sizes[row])
            else:
                doubted.add(row)
    return chosen, doubted


def _cost(chosen: NDArray[np.int64], sizes: NDArray[np.int64], wanted: NDArray[np.int64]) -> float:
    counts = np.bincount(chosen, weights=sizes, minlength=len(wanted) + 1)[: len(wanted)]
    return float(_COUNT * np.abs(counts - wanted).sum())


def _total(
    value: Array,
    sizes: NDArray[np.int64],
    wanted: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> float:
    return float(value[np.arange(len(chosen)), chosen].sum()) - _cost(chosen, sizes, wanted)


def _settle(value: Array, sizes: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """The naming of the groups with the greatest total: single changes and exchanges of two."""
    chosen: NDArray[np.int64] = value.argmax(axis=1).astype(np.int64)
    best = _total(value, sizes, wanted, chosen)
    for _ in range(50):
        better = _step(value, sizes, wanted, chosen, best)
        if better is None:
            return chosen
        chosen, best = better
    return chosen


def _step(
    value: Array,
    sizes: NDArray[np.int64],
    wanted: NDArray[np.int64],
    chosen: NDArray[np.int64],
    best: float,
) -> tuple[NDArray[np.int64], float] | None:
    top, found = best + 1e-9, None
    for row in range(len(chosen)):
        for trial in _changes(value, chosen, row):
            total = _total(value, sizes, wanted, trial)
            if total > top:
                top, found = total, trial
    return None if found is None else (found, top)


def _changes(value: Array, chosen: NDArray[np.int64], row: int) -> list[NDArray[np.int64]]:
    """Namings that differ in one group, or in two that exchange their names."""
    out = []
    for k in range(value.shape[1]):
        if k != chosen[row]:
            trial = chosen.copy()
            trial[row] = k
            out.append(trial)
            for other in np.flatnonzero(chosen == k):
                both = trial.copy()
                both[other] = chosen[row]
                out.append(both)
    return out


def _margin(
    value: Array,
    sizes: NDArray[np.int64],
    wanted: NDArray[np.int64],
    chosen: NDArray[np.int64],
    row: int,
) -> float:
    """By how much the best naming in which this group has another name is worse."""
    best = _total(value, sizes, wanted, chosen)
    rest = [_total(value, sizes, wanted, trial) for trial in _changes(value, chosen, row)]
    return best - max(rest)
