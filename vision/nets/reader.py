"""Reads the face of each found tile: kind, calibrated confidence, which way up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image
from vision.nets import bodies, modelfile
from vision.nets.enrolled import TileSet
from vision.nets.evidence import FOREIGN, UNKNOWN
from vision.nets.likeness import References

CROP_W, CROP_H = 48, 64
"""The crop that the net reads, pixels."""
MARGIN = 0.04
"""How much wider than the tile the crop is on each side, as a share of the tile."""
SYMMETRIC: frozenset[str] = frozenset(
    ["1p", "2p", "3p", "4p", "5p", "8p", "9p", "0p", "2s", "4s", "5s", "6s", "8s", "9s", "0s", "5z"]
)
"""Faces that look the same upside down in most sets: their turn says nothing."""
_BATCH = 72
"""Crops at a time: larger batches fall out of the processor's cache, smaller ones begin oftener."""
_VIEWS = ((1.0, 0.0), (0.94, 0.0), (1.07, 0.0), (1.0, 4.0), (1.0, -4.0))
"""Who reads closely frames a tile in these sizes, and turned by so many degrees."""

Quads = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class FaceReading:
    """What one crop shows.

    Attributes:
        faces: the three likeliest labels with their calibrated probabilities, best first.
            Labels are those of the notation, ``back`` for a back, ``?`` for what is no face, and
            ``foreign`` for a face that the enrolled tile set has not.
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
    def foreign(self) -> bool:
        """Whether it shows a face, but none that the enrolled tile set has."""
        return self.faces[0][0] == FOREIGN

    @property
    def confidence(self) -> float:
        """Calibrated probability of the best label."""
        return self.faces[0][1]


def crops_of(
    image: Image,
    quads: Quads | NDArray[np.float64],
    spin: int = 0,
    size: tuple[int, int] = (CROP_W, CROP_H),
) -> NDArray[np.uint8]:
    """Upright crops of the quads (N, 4, 2) in an (H, W, 3) picture.

    Tiles larger than the crop are averaged down first, so that none of their lines is lost.

    Args:
        image: BGR.
        quads: corners in pixels.
        spin: quarter turns: the crop whose top is the quad's side after so many.
        size: width and height of the crops.

    Returns:
        (N, height, width, 3); by default what the reader reads.
    """
    width, height = size
    corners = np.roll(np.asarray(quads, np.float64).reshape(-1, 4, 2), -spin, axis=1)
    centre = corners.mean(axis=1, keepdims=True)
    corners = centre + (corners - centre) * (1 + 2 * MARGIN)
    out = np.empty((len(corners), height, width, 3), np.uint8)
    side = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
    zoom = np.minimum((side[:, 0] + side[:, 2]) / width, (side[:, 1] + side[:, 3]) / height) / 2
    level = np.floor(np.log2(np.maximum(zoom, 1.1) / 1.1)).clip(0, 6).astype(int)
    for k in np.unique(level):
        picture: Image = image
        if k:
            f = 0.5**k
            picture = np.asarray(
                cv2.resize(image, None, fx=f, fy=f, interpolation=cv2.INTER_AREA), np.uint8
            )
        rows = np.flatnonzero(level == k)
        # pixel centres lie at halves: scale about the corner of the first pixel
        ratio = np.array((picture.shape[1] / image.shape[1], picture.shape[0] / image.shape[0]))
        for i, matrix in zip(rows, _from_crops(corners[rows] * ratio, size), strict=True):
            cv2.warpPerspective(
                picture,
                matrix,
                size,
                out[i],
                cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                cv2.BORDER_REPLICATE,
            )
    return out


def _from_crops(quads: NDArray[np.float64], size: tuple[int, int]) -> NDArray[np.float64]:
    """(N, 3, 3) projective maps from the crop's pixels to the picture's, for quads (N, 4, 2)."""
    p0, p1, p2, p3 = quads[:, 0], quads[:, 1], quads[:, 2], quads[:, 3]
    right, down, bend = p1 - p2, p3 - p2, p0 - p1 + p2 - p3
    area = right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0]
    area = np.where(np.abs(area) < 1e-9, 1e-9, area)
    g = (bend[:, 0] * down[:, 1] - bend[:, 1] * down[:, 0]) / area
    h = (right[:, 0] * bend[:, 1] - right[:, 1] * bend[:, 0]) / area
    square = np.empty((len(quads), 3, 3))
    square[:, :2, 0] = p1 - p0 + g[:, None] * p1
    square[:, :2, 1] = p3 - p0 + h[:, None] * p3
    square[:, :2, 2] = p0
    square[:, 2, 0], square[:, 2, 1], square[:, 2, 2] = g, h, 1.0
    unit = np.diag([1 / size[0], 1 / size[1], 1.0])
    unit[:2, 2] = 0.5 / size[0], 0.5 / size[1]
    half = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
    return np.asarray(half @ square @ unit)


def _framed(quads: Quads, zoom: float, degrees: float) -> Quads:
    """Quads (N, 4, 2) so many times as large, turned about their middles."""
    turned = math.radians(degrees)
    turn = np.array(
        [[math.cos(turned), -math.sin(turned)], [math.sin(turned), math.cos(turned)]], np.float32
    )
    middle = quads.mean(axis=1, keepdims=True)
    return np.asarray(middle + zoom * (quads - middle) @ turn.T, np.float32)


class FaceReader:
    """The face reader; one object per thread of use."""

    def __init__(
        self, model_dir: Path | None = None, threads: int = 1, tiles: TileSet | None = None
    ) -> None:
        """Open the model.

        Args:
            model_dir: where the models are; by default those of the program.
            threads: of the net.
            tiles: the venue's enrolled set, by which is read as well.

        Raises:
            ModelError: the model file is missing, altered or of another version.
        """
        self._model = modelfile.load("reader", model_dir, threads)
        settings = self._model.manifest.settings
        self.labels = self._model.manifest.labels
        self._heat = settings["temperature"]
        self._threshold = settings["threshold"]
        self._set = None if tiles is None else References(tiles, self.labels, self.outputs)

    @property
    def versions(self) -> dict[str, str]:
        """Of the models in use, by their names."""
        return {self._model.manifest.name: self._model.manifest.version}

    def read(
        self, image: Image, quads: Quads | Sequence[Quads], closely: bool = False
    ) -> list[FaceReading]:
        """Read the face within each quad.

        Args:
            image: (H, W, 3) BGR.
            quads: (N, 4, 2) pixel corners, in order around the tile, starting at the left end
                of the side that is the top when the tile stands upright (or lies upside down).
            closely: look at each tile also upside down, a little smaller and larger and turned, and
                join the answers: ten times the time; for single pictures. What shows one face only
                if it is framed just so is told less surely.

        Returns:
            One reading per quad, in order.
        """
        corners = np.asarray(quads, np.float32).reshape(-1, 4, 2)
        if not len(corners):
            return []
        if not closely:
            return self.read_crops(crops_of(image, corners))
        framed = np.concatenate([_framed(corners, *view) for view in _VIEWS])
        looks = [self.opinion(part) for part in np.split(crops_of(image, framed), len(_VIEWS))]
        chances = np.mean([np.exp(kinds) for kinds, _, _ in looks], axis=0)
        kinds = np.log(np.maximum(chances, np.finfo(np.float64).tiny))
        turn = np.mean([turn for _, turn, _ in looks], axis=0)
        if self._set is None:
            return self._told(kinds, turn, None)
        alike = [
            self._set.likeness(seen, turned=turned)
            for _, _, both in looks
            for seen, turned in zip(both, (False, True), strict=True)
        ]
        return self._told(kinds, turn, np.mean(alike, axis=0))

    def read_crops(self, crops: NDArray[np.uint8]) -> list[FaceReading]:
        """Read crops (N, 64, 48, 3) as :func:`crops_of` makes them."""
        logits, features = self.outputs(crops)
        likeness = None if self._set is None else self._set.likeness(features)
        return self._told(logits[:, :-1] / self._heat, logits[:, -1], likeness)

    def _told(
        self,
        kinds: NDArray[np.floating],
        turn: NDArray[np.floating],
        likeness: NDArray[np.float64] | None,
    ) -> list[FaceReading]:
        """Readings by logits (N, labels), log-odds (N,), likeness to an enrolled set's faces."""
        if self._set is None or likeness is None:
            return self._readings(kinds, turn, np.zeros(len(kinds), dtype=bool))
        matched = self._set.match(kinds, likeness)
        return self._readings(matched.logits, turn + matched.turn, matched.strange)

    def by_body(
        self, readings: Sequence[FaceReading], crops: NDArray[np.uint8]
    ) -> list[FaceReading]:
        """Readings of tiles of one picture, blank white dragons told from backs by their colour.

        Args:
            readings: of all tiles of the picture that are known.
            crops: (N, 64, 48, 3) what was read.
        """
        told = bodies.weighed([reading.faces for reading in readings], bodies.colours(crops))
        return [
            reading
            if faces == reading.faces
            else replace(reading, faces=faces, sure=faces[0][1] >= self._threshold)
            for reading, faces in zip(readings, told, strict=True)
        ]

    def opinion(
        self, crops: NDArray[np.uint8]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """What the net alone says of crops (N, 64, 48, 3), looked at both ways up.

        Returns:
            Log-probabilities (N, labels), log-odds (N,) that the crop is upside down, and
            features (2, N, F) of the crop as it is and turned by half.
        """
        one, features = self.outputs(crops)
        other, turned = self.outputs(np.ascontiguousarray(crops[:, ::-1, ::-1]))
        kinds = (one[:, :-1] + other[:, :-1]).astype(np.float64) / (2 * self._heat)
        kinds -= kinds.max(axis=1, keepdims=True)
        kinds -= np.log(np.exp(kinds).sum(axis=1, keepdims=True))
        turn = (one[:, -1] - other[:, -1]).astype(np.float64) / 2
        return kinds, turn, np.stack([features, turned]).astype(np.float64)

    def outputs(self, crops: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the net says of crops (N, 64, 48, 3).

        Returns:
            Logits (N, labels + 1), the last is "upside down", and features (N, F), which are alike
            for tiles of one face.
        """
        parts = [
            self._model.run(crops[start : start + _BATCH]) for start in range(0, len(crops), _BATCH)
        ]
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def _readings(
        self,
        kinds: NDArray[np.floating],
        turn: NDArray[np.floating],
        strange: NDArray[np.bool_],
    ) -> list[FaceReading]:
        shifted = np.exp(kinds - kinds.max(axis=1, keepdims=True))
        probability = shifted / shifted.sum(axis=1, keepdims=True)
        best = np.argsort(-probability, axis=1, kind="stable")[:, :3]
        chance = np.take_along_axis(probability, best, axis=1).astype(np.float64).round(6)
        turned = 1 / (1 + np.exp(-turn.astype(np.float64)))
        sides = np.maximum(turned, 1 - turned).round(6)
        readings = []
        rows = zip(
            best.tolist(),
            chance.tolist(),
            (turned > 0.5).tolist(),
            sides.tolist(),
            strange.tolist(),
            strict=True,
        )
        for order, chances, upside_down, side, odd in rows:
            names = [FOREIGN if odd and i == 0 else self.labels[k] for i, k in enumerate(order)]
            faces = tuple(zip(names, chances, strict=True))
            sure = names[0] not in (UNKNOWN, FOREIGN) and faces[0][1] >= self._threshold
            readings.append(FaceReading(faces, upside_down, side, sure))
        return readings
