"""What several cameras see at the same place, paired nearest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from vision.sightings import Point


def paired(
    cameras: Sequence[str],
    places: Sequence[Point],
    within: float,
    alike: Callable[[int, int], bool] = lambda _a, _b: True,
) -> list[list[int]]:
    """Groups of things that are one thing, each camera at most once in a group.

    Args:
        cameras: the name of the camera that sees each thing.
        places: where each is, mm.
        within: things of two cameras that are nearer than this may be one, mm.
        alike: whether two things, by their numbers, may be one.
    """
    groups = [[k] for k in range(len(places))]
    if len(set(cameras)) < 2:
        return groups
    points = np.array(places, dtype=np.float64)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    rows, columns = np.nonzero(np.triu(apart < within, 1))
    pairs = sorted((float(apart[i, j]), int(i), int(j)) for i, j in zip(rows, columns, strict=True))
    owner = list(range(len(places)))
    for _, i, j in pairs:
        a, b = owner[i], owner[j]
        if a == b or {cameras[k] for k in groups[a]} & {cameras[k] for k in groups[b]}:
            continue
        if not alike(i, j):
            continue
        for k in groups[b]:
            owner[k] = a
        groups[a] += groups[b]
        groups[b] = []
    return [group for group in groups if group]
