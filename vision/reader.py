"""Reads the face of each found tile: kind, calibrated confidence, which way up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import modelfile

CROP_W, CROP_H = 48, 64
"""The crop that the net reads, pixels."""
MARGIN = 0.04
"""How much wider than the tile the crop is on each side, as a share of the tile."""
UNKNOWN = "?"
SYMMETRIC: frozenset[str] = frozenset(
    ["1p", "2p", "3p", "4p", "5p", "8p", "9p", "0p", "2s", "4s", "5s", "6s", "8s", "9s", "0s", "5z"]
)
"""Faces that look the same upside down in most sets: their turn says nothing."""
_BATCH = 48
"""Crops at a time: larger batches fall out of the processor's cache."""

Image = NDArray[np.uint8]
Quads = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class FaceReading:
    """What one crop shows.

    Attributes:
        faces: the three likeliest labels with their calibrated probabilities, best first.
            Labels are those of the notation, ``back`` for a back and ``?`` for what is no face.
        turned: the face is upside down relative to the order of the quad's corners. Without
            meaning for faces that look the same upside down.
        turn_confidence: probability that ``turned`` is right, 0.5..1.
        sure: the best label is beyond the model's threshold.
    """

    faces: tuple[tuple[str, float], ...]
    turned: bool
    turn_confidence: float = 1.0
    sure: bool = True

    @property
    def label(self) -> str:
        """The best label, or ``?`` where it is not sure enough."""
        return self.faces[0][0] if self.sure else UNKNOWN

    @property
    def confidence(self) -> float:
        """Calibrated probability of the best label."""
        return self.faces[0][1]


def crops_of(image: Image, quads: Quads, spin: int = 0) -> NDArray[np.uint8]:
    """Upright crops (N, 3, 64, 48) of the quads (N, 4, 2) in an (H, W, 3) picture.

    ``spin`` counts quarter turns: the crop whose top is the quad's side after so many.
    Tiles larger than the crop are averaged down first, so that none of their lines is lost.
    """
    quads = np.roll(np.asarray(quads, np.float64).reshape(-1, 4, 2), -spin, axis=1)
    out = np.empty((len(quads), CROP_H, CROP_W, 3), np.uint8)
    goal = np.array([(0, 0), (CROP_W, 0), (CROP_W, CROP_H), (0, CROP_H)], np.float32)
    levels: dict[int, Image] = {0: image}
    for i, quad in enumerate(quads):
        grown = _grow(quad, MARGIN)
        size = np.linalg.norm(grown - np.roll(grown, -1, axis=0), axis=1)
        zoom = max(1e-6, min((size[0] + size[2]) / 2 / CROP_W, (size[1] + size[3]) / 2 / CROP_H))
        level = int(np.clip(np.floor(np.log2(zoom / 1.1)), 0, 6)) if zoom > 1.1 else 0
        if level not in levels:
            f = 0.5**level
            levels[level] = np.asarray(
                cv2.resize(image, None, fx=f, fy=f, interpolation=cv2.INTER_AREA), np.uint8
            )
        picture = levels[level]
        # pixel centres lie at halves: scale about the corner of the first pixel
        ratio = np.array((picture.shape[1] / image.shape[1], picture.shape[0] / image.shape[0]))
        source = (grown * ratio).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(source - 0.5, goal - 0.5)
        out[i] = cv2.warpPerspective(
            picture,
            matrix,
            (CROP_W, CROP_H),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return np.ascontiguousarray(out.transpose(0, 3, 1, 2))


def _grow(quad: NDArray[np.float64], margin: float) -> NDArray[np.float64]:
    """A quad grown by a share of its sides about its centre."""
    centre = quad.mean(axis=0)
    return np.asarray(centre + (quad - centre) * (1 + 2 * margin))


class FaceReader:
    """The face reader; one object per thread of use."""

    def __init__(self, model_dir: Path | None = None, threads: int = 1) -> None:
        """Open the model.

        Raises:
            ModelError: the model file is missing, altered or of another version.
        """
        self._model = modelfile.load("reader", model_dir, threads)
        settings = self._model.manifest.settings
        self.labels = self._model.manifest.labels
        self._heat = settings["temperature"]
        self._threshold = settings["threshold"]

    def read(
        self, image: Image, quads: Quads | Sequence[Quads], both_ways: bool = False
    ) -> list[FaceReading]:
        """Read the face within each quad.

        Args:
            image: (H, W, 3) BGR.
            quads: (N, 4, 2) pixel corners, in order around the tile, starting at the left end
                of the side that is the top when the tile stands upright (or lies upside down).
            both_ways: also read each crop upside down and join the answers: twice the time,
                somewhat more certain; for single pictures.

        Returns:
            One reading per quad, in order.
        """
        corners = np.asarray(quads, np.float32).reshape(-1, 4, 2)
        if not len(corners):
            return []
        crops = crops_of(image, corners)
        logits = self.logits(crops)
        kinds: NDArray[np.floating] = logits[:, :-1] / self._heat
        turn: NDArray[np.floating] = logits[:, -1]
        if both_ways:
            other = self.logits(np.ascontiguousarray(crops[:, :, ::-1, ::-1]))
            kinds = (kinds + other[:, :-1] / self._heat) / 2
            turn = (turn - other[:, -1]) / 2
        return self._readings(kinds, turn)

    def logits(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Raw outputs (N, labels + 1) of crops (N, 3, 64, 48); the last is "upside down"."""
        parts = [
            self._model.run(crops[start : start + _BATCH])[0]
            for start in range(0, len(crops), _BATCH)
        ]
        return np.concatenate(parts)

    def _readings(
        self, kinds: NDArray[np.floating], turn: NDArray[np.floating]
    ) -> list[FaceReading]:
        shifted = np.exp(kinds - kinds.max(axis=1, keepdims=True))
        probability = shifted / shifted.sum(axis=1, keepdims=True)
        best = np.argsort(-probability, axis=1, kind="stable")[:, :3]
        turned = 1 / (1 + np.exp(-turn.astype(np.float64)))
        readings = []
        for row, order, side in zip(probability, best, turned, strict=True):
            faces = tuple((self.labels[k], round(float(row[k]), 6)) for k in order)
            sure = faces[0][0] != UNKNOWN and faces[0][1] >= self._threshold
            readings.append(
                FaceReading(faces, bool(side > 0.5), round(max(side, 1 - side), 6), sure)
            )
        return readings
