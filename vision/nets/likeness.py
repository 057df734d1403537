"""Reading by an enrolled set: the net's opinion and the likeness to the venue's own tiles.

The features from which the net tells kinds are nearly the same for tiles of one face (cosine
0.92 and more in 99 of 100 crops of photographed sets never trained on) and unlike for others
(below 0.88 in all). So the likeness weighs most; the net's opinion is heard, but bounded: it may be
wrong about a design that it has never seen. What is unlike every tile of the set is no tile of
the set, whatever the net thinks: it is ``?``. Figures and choice: docs/decisions/0167.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.nets.bodies import BLANK
from vision.nets.enrolled import TileSet
from vision.nets.evidence import BACK, UNKNOWN

_LIKENESS: Final = 30.0
"""Log-odds that a whole unit of likeness is worth."""
_OPINION: Final = 0.3
"""How much the net's log-probability counts beside it."""
_FLOOR: Final = -4.0
"""The net's log-probability counts no less than this."""
_STRANGE: Final = 0.82
"""Likeness at which a crop is as well no tile of the set."""
_BACK: Final = 0.85
"""Likeness that a back is given where the backs were not shown."""
_TURN: Final = 30.0
"""Log-odds of the turn that a whole unit of likeness is worth."""
_SIGNLESS: Final = 0.08
"""Spread of the brightness within a face without a sign, as a share of it."""
_SELF: Final = 0.9
"""From this probability on the net is sure by itself of what a strange tile shows."""

Array = NDArray[np.float64]
Outputs = tuple[NDArray[np.float32], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Matched:
    """What a set makes of crops.

    Attributes:
        logits: (N, labels) of the faces, unnormalised log-probabilities.
        turn: (N,) log-odds that the crop is upside down.
        strange: (N,) the net is sure of a face, but no tile of the set looks like it.
    """

    logits: Array
    turn: Array
    strange: NDArray[np.bool_]


class References:
    """The faces of a set in a reader's terms.

    Args:
        tiles: the set.
        labels: of the reader.
        outputs: the reader's net: logits and features of crops (N, 64, 48, 3).
    """

    def __init__(
        self,
        tiles: TileSet,
        labels: Sequence[str],
        outputs: Callable[[NDArray[np.uint8]], Outputs],
    ) -> None:
        self._columns = np.array([i for i, name in enumerate(labels) if name in tiles.faces])
        if not len(self._columns):
            raise ValueError("no face of this reader in the set")
        crops = [tiles.faces[labels[i]] for i in self._columns]
        owner = np.repeat(np.arange(len(crops)), [len(c) for c in crops])
        upright = np.concatenate(crops)
        both = np.concatenate([upright, np.ascontiguousarray(upright[:, ::-1, ::-1])])
        features = _unit(outputs(both)[1])
        self._up = self._means(features[: len(owner)], owner)
        self._down = self._means(features[len(owner) :], owner)
        self._unknown = labels.index(UNKNOWN)
        self._back = labels.index(BACK)
        self._back_shown = BACK in tiles.faces
        self._blank = None
        if not self._back_shown and BLANK in tiles.faces and _is_blank(tiles.faces[BLANK]):
            self._blank = labels.index(BLANK)
        self._count = len(labels)

    @staticmethod
    def _means(features: Array, owner: NDArray[np.intp]) -> Array:
        return _unit(np.stack([features[owner == k].mean(axis=0) for k in range(owner.max() + 1)]))

    def likeness(self, features: NDArray[np.floating], *, turned: bool = False) -> Array:
        """(N, faces, 2) of crops' features to the set's faces, upright and upside down.

        ``turned``: the crops were turned by half before; the answer is for the unturned ones.
        """
        unit = _unit(features)
        # not numpy's product: its threads cost more than so small a one, and their number varies
        up = cv2.gemm(unit, self._up, 1.0, np.empty(0), 0.0, flags=cv2.GEMM_2_T)
        down = cv2.gemm(unit, self._down, 1.0, np.empty(0), 0.0, flags=cv2.GEMM_2_T)
        return np.stack([down, up] if turned else [up, down], axis=2)

    def match(self, opinion: NDArray[np.floating], likeness: Array) -> Matched:
        """Join the net's log-probabilities (N, labels) with likeness (N, faces, 2)."""
        best = likeness.max(axis=2)
        logits = np.full((len(opinion), self._count), -np.inf)
        logits[:, self._unknown] = _LIKENESS * _STRANGE
        logits[:, self._columns] = _LIKENESS * best
        heard = opinion.astype(np.float64) - _log_sum(opinion)
        logits += _OPINION * np.maximum(heard, _FLOOR)
        if not self._back_shown:  # only the net knows it
            logits[:, self._back] = _LIKENESS * _BACK + heard[:, self._back]
        if self._blank is not None:
            # without any sign its features are those of the light: the net tells it from a back
            rather = heard[:, self._blank] - heard[:, self._back]
            logits[:, self._blank] = np.maximum(
                logits[:, self._blank], logits[:, self._back] + rather
            )
        chosen = best.argmax(axis=1)
        sides = likeness[np.arange(len(chosen)), chosen]
        faces = np.ones(self._count, dtype=bool)
        faces[[self._unknown, self._back]] = False
        sure = np.exp(np.where(faces, heard, -np.inf).max(axis=1, initial=-np.inf)) >= _SELF
        return Matched(
            logits,
            _TURN * (sides[:, 1] - sides[:, 0]),
            sure & (logits.argmax(axis=1) == self._unknown),
        )


def _is_blank(crops: NDArray[np.uint8]) -> bool:
    """Whether the faces in crops (n, 64, 48, 3) bear no sign."""
    grey = crops[:, 8:-8, 6:-6].mean(axis=3)
    spread = grey.std(axis=(1, 2)) / grey.mean(axis=(1, 2)).clip(1.0)
    return bool(np.median(spread) < _SIGNLESS)


def _unit(features: NDArray[np.floating]) -> Array:
    wide = features.astype(np.float64)
    return np.asarray(wide / np.maximum(np.linalg.norm(wide, axis=-1, keepdims=True), 1e-9))


def _log_sum(logits: NDArray[np.floating]) -> Array:
    wide = logits.astype(np.float64)
    top = wide.max(axis=1, keepdims=True)
    return np.asarray(top + np.log(np.exp(wide - top).sum(axis=1, keepdims=True)))
