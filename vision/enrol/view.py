"""Pictures of one block of tiles, read cell by cell and put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.enrol.grid import Grid
from vision.errors import VisionInputError
from vision.image import Image
from vision.nets.evidence import BACK, UNKNOWN
from vision.nets.reader import CROP_H, CROP_W, SYMMETRIC, FaceReader, crops_of

Array = NDArray[np.float64]

FINE: Final = 2
"""How much larger than the reader's the crops are that are inspected."""
_EMPTY: Final = 0.45
"""A cell is empty whose colour is nearer to the felt than this share of the tiles' distance."""
_AGREE: Final = 0.8
"""Share of the tiles that must look alike in two pictures of one block."""


class EnrolError(VisionInputError):
    """These pictures cannot be enrolled from; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One picture of the block, as it is read; everything by cell, row by row.

    ``opinion`` (N, labels) log-probabilities, ``features`` (2, N, F) upright and upside down,
    ``turn`` (N,) log-odds that a tile lies upside down, ``fine`` large crops, ``sides`` (N, 2)
    width and height over what is usual there, ``empty`` (rows, columns).
    """

    grid: Grid
    opinion: Array
    features: Array
    turn: Array
    fine: Image
    sides: Array
    empty: NDArray[np.bool_]


def look(image: Image, grid: Grid, reader: FaceReader) -> View:
    """Read the tiles of a block, the way up in which most faces stand."""
    crops = crops_of(image, grid.quads.reshape(-1, 4, 2))
    opinion, turn, features = reader.opinion(crops)
    best = [reader.labels[k] for k in opinion.argmax(axis=1)]
    tells = np.array([label not in SYMMETRIC and label not in (UNKNOWN, BACK) for label in best])
    if np.sign(turn[tells]).sum() > 0:  # most faces stand on their heads: look from there
        grid = grid.turned()
        opinion, turn, features = opinion[::-1], -turn[::-1], features[::-1, ::-1]
        tells = tells[::-1]
    quads = grid.quads.reshape(-1, 4, 2)
    fine = crops_of(image, quads, size=(FINE * CROP_W, FINE * CROP_H))
    return View(
        grid,
        opinion,
        features,
        np.where(tells, turn, -np.abs(turn)),
        fine,
        _sides(grid),
        empty_cells(image, grid, fine),
    )


def _sides(grid: Grid) -> Array:
    """(N, 2) width and height of each found tile over those of the tiles around it."""
    q = grid.quads
    wide = np.linalg.norm(q[..., 1, :] - q[..., 0, :] + q[..., 2, :] - q[..., 3, :], axis=-1)
    high = np.linalg.norm(q[..., 3, :] - q[..., 0, :] + q[..., 2, :] - q[..., 1, :], axis=-1)
    out = []
    for side in (wide, high):
        padded = np.pad(side, 2, mode="reflect")
        around = np.lib.stride_tricks.sliding_window_view(padded, (5, 5))
        usual = np.median(around.reshape(*side.shape, 25), axis=-1)
        out.append(np.where(grid.found, side / usual, np.nan).reshape(-1))
    return np.stack(out, axis=1)


def empty_cells(image: Image, grid: Grid, fine: Image) -> NDArray[np.bool_]:
    """(rows, columns) cells through which the felt is seen: of its colour, not of the tiles'."""
    shape = grid.shape
    hull = cv2.convexHull(grid.quads.reshape(-1, 2).astype(np.float32))
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.drawContours(mask, [np.round(hull).astype(np.int32)], -1, 255, round(grid.tile_px * 0.8))
    inside = np.zeros_like(mask)
    cv2.fillConvexPoly(inside, np.round(hull).astype(np.int32), 255)
    grown = cv2.dilate(inside, np.ones((3, 3), np.uint8), iterations=3)
    around = image[(mask > 0) & (grown == 0)]
    if not len(around):
        return np.zeros(shape, dtype=bool)
    felt = np.median(around, axis=0)
    colour = np.median(fine.reshape(len(fine), -1, 3), axis=1)
    tile = np.median(colour[grid.found.reshape(-1)], axis=0)
    apart = np.linalg.norm(colour - felt, axis=1) / max(float(np.linalg.norm(tile - felt)), 1e-9)
    return np.asarray((apart < _EMPTY).reshape(shape) & ~grid.found)


def same_block(first: View, view: View, number: int) -> None:
    """Whether a picture, by its number, shows the same block as the first.

    Raises:
        EnrolError: it does not.
    """
    if view.grid.shape != first.grid.shape:
        here, there = ("{} by {}".format(*one.grid.shape) for one in (view, first))
        raise EnrolError(f"picture {number} shows a block of {here} tiles, picture 1 of {there}")
    same = np.einsum("nf,nf->n", _unit(first.features[0]), _unit(view.features[0]))
    if (same > 0.8).mean() < _AGREE:
        raise EnrolError(f"picture {number} shows other tiles, or another order, than picture 1")


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """What all pictures say together of each cell; ``turned`` are those that lie upside down."""

    opinion: Array
    features: Array
    turned: NDArray[np.bool_]


def join_views(views: Sequence[View]) -> Joined:
    """Put the pictures of one block together."""
    turned = np.mean([v.turn for v in views], axis=0) > 0
    opinion = np.mean([v.opinion for v in views], axis=0)
    features = np.mean([_unit(v.features) for v in views], axis=0)
    features = np.where(turned[None, :, None], features[::-1], features)
    return Joined(opinion, features, turned)


def _unit(features: Array) -> Array:
    return np.asarray(features / np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1e-9))


def likeness_of(features: Array) -> Array:
    """(N, N) of tiles to each other, either way up; features (2, N, F)."""
    up, down = _unit(features)
    one = np.maximum((up @ up.T + down @ down.T) / 2, (up @ down.T + down @ up.T) / 2)
    return np.asarray((one + one.T) / 2)


def upright(crops: Image, turned: NDArray[np.bool_]) -> Image:
    """The crops, those of tiles that lie upside down turned."""
    return np.where(turned[:, None, None, None], crops[:, ::-1, ::-1], crops)
