"""Counting right and wrong: readings of faces, and boxes matched with the true ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from vision.training.pictures.sources import FLOWERS

PARTS: dict[str, Callable[[str], bool]] = {
    "34 kinds": lambda label: label[0] != "0" and label not in FLOWERS,
    "flowers": lambda label: label in FLOWERS,
    "red fives": lambda label: label[0] == "0",
    "plain fives": lambda label: label in ("5m", "5p", "5s"),
}
"""What of each is asked apart, by the labels."""


def parts_of(label: str) -> list[str]:
    """Which of the ``PARTS`` a label counts among."""
    return [name for name, holds in PARTS.items() if holds(label)]


def quantile(values: Sequence[float], q: float) -> float:
    """Below which so many per cent of the values are; 0 of none: a net of few steps finds none."""
    return round(float(np.percentile(values, q)), 3) if len(values) else 0.0


def share(part: int, whole: int) -> str:
    """Counts, and their share in per cent in brackets."""
    return f"{part} of {whole} ({100 * part / max(1, whole):.2f})"


class Tally:
    """Counts of right, wrong, unsure and confused readings."""

    def __init__(self) -> None:
        self.n = self.right = self.sure = self.sure_right = self.bold_wrong = 0
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.rows: list[tuple[float, bool]] = []

    def add(self, truth: str, label: str, confidence: float, sure: bool) -> None:
        """Count one reading."""
        good = label == truth
        self.n += 1
        self.right += good
        self.sure += sure
        self.sure_right += sure and good
        self.bold_wrong += sure and not good and confidence > 0.9
        self.rows.append((confidence, good))
        if not good:
            self.pairs[(truth, label)] += 1

    def take_in(self, other: Tally) -> None:
        """Add another's counts."""
        for name in ("n", "right", "sure", "sure_right", "bold_wrong"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.pairs.update(other.pairs)
        self.rows += other.rows

    def figures(self) -> dict[str, object]:
        """Shares, in per cent."""
        if not self.n:
            return {"n": 0}
        return {
            "n": self.n,
            "right": round(100 * self.right / self.n, 2),
            "sure": round(100 * self.sure / self.n, 2),
            "right of the sure": round(100 * self.sure_right / max(1, self.sure), 2),
            "wrong above 0.9": round(100 * self.bold_wrong / self.n, 3),
            "confused": [f"{a}>{b} {n}" for (a, b), n in self.pairs.most_common(8)],
        }


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """Common area of two quads over their united area."""
    common, _ = cv2.intersectConvexConvex(a.astype(np.float32), b.astype(np.float32))
    union = cv2.contourArea(a.astype(np.float32)) + cv2.contourArea(b.astype(np.float32)) - common
    return common / max(1e-6, union)


def hulls(quads: np.ndarray) -> np.ndarray:
    """Axis-aligned hulls of quads (N, 4, 2), as quads."""
    low, high = quads.min(1), quads.max(1)
    return np.stack(
        [low, np.stack((high[:, 0], low[:, 1]), 1), high, np.stack((low[:, 0], high[:, 1]), 1)], 1
    )


def match(truth: np.ndarray, found: np.ndarray, least: float = 0.4) -> list[tuple[int, int, float]]:
    """Pairs of true and found quads by overlap, greedily."""
    if not len(truth) or not len(found):
        return []
    pairs = []
    tc, fc = truth.mean(1), found.mean(1)
    reach = np.linalg.norm(truth[:, 1] - truth[:, 3], axis=1)
    for i in range(len(truth)):
        for j in np.nonzero(np.linalg.norm(fc - tc[i], axis=1) < reach[i] * 0.6)[0].tolist():
            value = overlap(truth[i], found[j])
            if value >= least:
                pairs.append((value, i, j))
    used_t, used_f, out = set(), set(), []
    for value, i, j in sorted(pairs, reverse=True):
        if i not in used_t and j not in used_f:
            used_t.add(i)
            used_f.add(j)
            out.append((i, j, value))
    return out
