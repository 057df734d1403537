"""What was read of a tile's face, and of how much of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from vision.nets.evidence import UNKNOWN, FaceEvidence

_UNCLEAR_LOOKS = 8
"""So often no face is made out of all of a tile until what was read before it stands: the shadow of
the hand that put it there is gone sooner, a lamp's glare is not."""
_OTHER_LOOKS, _SURE, _SURE_AT_ONCE = 3, 0.9, 0.97
"""So often another face is read of all of a tile until one that was read so surely of all of it is
no more, or more surely the one time that it was read. Fingertips that seem to cover nothing hid a
row of a 7s for half a second: a 6s was read surely. What is read of a tile that comes to lie is
less sure, and wrong at times."""


@dataclass(slots=True, eq=False)
class KnownFace:
    """The face of one tile as it was read where the tile lies."""

    evidence: FaceEvidence = field(default_factory=FaceEvidence)
    turned: float = 0.0
    """Votes that the face is upside down relative to the quad."""
    read_at: tuple[float, float] | None = None
    """Where it lay when its face was first read, mm."""
    read_whole: bool = False
    """Its face was read while nothing covered it, or was tried often enough."""
    unclear: int = 0
    """How often no face was made out though nothing covered it, until it was read whole."""
    settled: bool = False
    """What is known of it was read while nothing covered it."""
    other: str = UNKNOWN
    """Another face that was read of all of it last, and how often by now."""
    other_looks: int = 0

    def take_in(
        self,
        faces: Sequence[tuple[str, float]],
        weight: float,
        *,
        whole: bool,
        at: tuple[float, float],
    ) -> None:
        """A reading of it.

        Args:
            faces: labels with probabilities, best first.
            weight: 0..1, how good the view was.
            whole: nothing covers the tile.
            at: where it lies, mm.
        """
        if whole and not self.read_whole:
            face, (known, sure) = faces[0][0] if faces else UNKNOWN, self.evidence.best()
            self.unclear += face == UNKNOWN
            if not self._believed(face, known, sure):
                # It speaks neither for nor against what was read before.
                return
            if face != known:
                # What was read of a part, or before a hand was there, counts until this.
                self.evidence, self.turned = FaceEvidence(), 0.0
        self.evidence.add(faces, weight)
        if self.read_at is None:
            self.read_at = at

    def _believed(self, face: str, known: str, sure: float) -> bool:
        """Whether a reading of all of it counts, and whether it is read now."""
        self.other_looks = self.other_looks + 1 if face == self.other else 1
        self.other = face
        if face == UNKNOWN:
            self.read_whole = self.unclear >= _UNCLEAR_LOOKS
            return known == UNKNOWN
        enough = _SURE if self.evidence.count > 1 else _SURE_AT_ONCE
        kept = self.settled and sure >= enough and known != UNKNOWN
        if kept and face != known and self.other_looks < _OTHER_LOOKS:
            return False
        self.read_whole = self.settled = True
        return True

    def forget(self) -> None:
        """What was read says nothing of what lies there now."""
        self.evidence, self.turned, self.read_at = FaceEvidence(), 0.0, None
        self.read_whole, self.unclear, self.settled = False, 0, False
        self.other, self.other_looks = UNKNOWN, 0
