"""Face evidence of one tile, gathered over many looks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_controller.domain.tiles import Tile

_NO_DOUBT = 0.93
_FIRST, _BLURRED = 3, 0.5
"""Of so many first looks the first, where it gives no face so much or the one of the others less,
was taken while the tile came to rest: it counts no more once the others leave no doubt."""
_IN_SIGHT = 0.25
"""A look that shows less of a tile is none of those: what was read of it before is said again."""
_UNREAD = 0.4
"""How much a look counts that made no face out: fingers or glare that hid it may be gone now."""
_LEAST_SURE, _MOST_SURE = 0.3, 0.998
"""The least and the most that a happening claims for the faces it rests on."""
_FOREIGN, _FOREIGN_LOOKS, _FOREIGN_SHARE = "foreign", 4, 0.75
"""The reader's word for a face that the enrolled set has not; it has to say so in so many looks and
with such a share of the evidence: glare on a tile of the set can look strange once or twice."""
_Faces = tuple[tuple[str, float], ...]
_KNOWN = {tile.value for tile in Tile if tile.known}


class FaceEvidence:
    """A weighted vote over the readings of one tile's face.

    Readings of neighbouring frames are not independent, so probabilities are added, not
    multiplied: a hundred frames of the same mistake stay as sure as the mistake was.
    """

    __slots__ = ("_first", "_latest", "_strange", "_tile", "_total", "_weights", "looks")

    def __init__(self) -> None:
        self._weights: dict[str, float] = {}
        self._strange = 0.0
        self._total = 0.0
        self._latest = ""
        self._first: list[tuple[_Faces, float]] | None = []
        self._tile: Tile | None = None
        self.looks = 0

    def add(self, faces: _Faces, weight: float = 1.0) -> None:
        """One frame's reading: (label, probability) pairs, best first."""
        if not faces or faces[0][0] == "back" or weight <= 0.0:
            # What is told from under an arm, with no share of it in sight, shows no face.
            return
        self.looks += 1
        self._tile = None
        if self._first is not None and weight >= _IN_SIGHT:
            self._first.append((faces, weight))
            if len(self._first) == _FIRST:
                if _came_to_rest([faces[0] for faces, _ in self._first]):
                    self._weights, self._strange, self._total = {}, 0.0, 0.0
                    self._weigh(*self._first[1])
                self._first = None
        self._weigh(faces, weight)
        if self._total > 40.0:
            # Old evidence fades, so that a tile that was exchanged unseen is noticed.
            self._total *= 0.5
            self._strange *= 0.5
            self._weights = {label: w * 0.5 for label, w in self._weights.items()}

    def _weigh(self, faces: _Faces, weight: float) -> None:
        self._latest = faces[0][0]
        if self._latest == Tile.UNKNOWN.value:
            weight *= _UNREAD
        self._total += weight
        for label, probability in faces:
            if label in _KNOWN:
                self._weights[label] = self._weights.get(label, 0.0) + weight * probability
            elif label == _FOREIGN:
                self._strange += weight * probability

    @property
    def foreign(self) -> bool:
        """Whether it shows, look after look, a face that the enrolled tile set has not."""
        return self.looks >= _FOREIGN_LOOKS and self._strange >= _FOREIGN_SHARE * self._total

    @property
    def share(self) -> float:
        """Share of the evidence that speaks for :attr:`tile` (or for :attr:`foreign`), 0..1."""
        if self.foreign:
            return self._strange / self._total
        return max(self._weights.values()) / self._total if self._weights else 0.0

    @property
    def ranked(self) -> tuple[tuple[str, float], ...]:
        """The faces that the evidence speaks for, with their shares, best first."""
        if not self._weights:
            return ()
        ranked = sorted(self._weights.items(), key=lambda item: (-item[1], item[0]))
        return tuple((label, round(weight / self._total, 3)) for label, weight in ranked[:5])

    @property
    def confidence(self) -> float:
        """How sure a happening is that rests on this face alone."""
        return round(min(_MOST_SURE, max(_LEAST_SURE, self.share)), 4)

    @property
    def tile(self) -> Tile:
        """The decided face, or ``?`` while the evidence is thin or divided."""
        if self._tile is None:
            # Asked for many times a look.
            self._tile = self._decide()
        return self._tile

    def _decide(self) -> Tile:
        if not self._weights or self.foreign:
            return Tile.UNKNOWN
        weights = sorted(self._weights.values())
        best = weights[-1] / self._total
        second = weights[-2] / self._total if len(weights) > 1 else 0.0
        if best < 0.5 or best - second < 0.2:
            return Tile.UNKNOWN
        return Tile(max(self._weights, key=self._weights.__getitem__))

    @property
    def decided(self) -> bool:
        """Whether there is enough to name the face: three looks, or two that leave no doubt."""
        if self.looks < 2 or self.tile is Tile.UNKNOWN:
            return False
        return self.share >= (0.6 if self.looks >= 3 else _NO_DOUBT)

    @property
    def agreed(self) -> bool:
        """Whether it is decided and the last look says the same: it will not change its mind."""
        return self.decided and self._latest == self.tile.value

    @property
    def coming(self) -> bool:
        """Whether it is not decided, and the last look reads a face: some more may decide it."""
        return not self.decided and self._latest in _KNOWN

    @property
    def contradicted(self) -> bool:
        """Whether it is decided and the last look shows another face: it may change its mind."""
        return self.decided and self._latest in _KNOWN and self._latest != self.tile.value

    def join(self, other: FaceEvidence) -> None:
        """Take over what was known about the same tile elsewhere."""
        self._tile = self._first = None
        self.looks += other.looks
        self._total += other._total
        self._strange += other._strange
        for label, weight in other._weights.items():
            self._weights[label] = self._weights.get(label, 0.0) + weight


def _came_to_rest(best: Sequence[tuple[str, float]]) -> bool:
    """Whether the first look was blurred and the next two read one face without doubt."""
    (face, sure), *clear = best
    blurred = face == Tile.UNKNOWN.value or sure < _BLURRED or face == clear[0][0]
    return (
        blurred
        and len({label for label, _ in clear}) == 1
        and all(probability >= _NO_DOUBT for _, probability in clear)
    )


def all_sure(faces: Iterable[FaceEvidence]) -> float:
    """How sure a happening is that rests on all of these faces: as the least of them."""
    return round(min([_MOST_SURE, *(face.share for face in faces)]), 4)
