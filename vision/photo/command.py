"""``paiguan read``: what tiles and dice lie in any photograph, without calibration."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.finding import DiceReader, FoundDie, believed
from vision.image import Image
from vision.nets import bodies
from vision.nets.enrolled import TileSet, TileSetError
from vision.nets.evidence import BACK, UNKNOWN
from vision.nets.finder import Finder, Found
from vision.nets.modelfile import ModelError
from vision.nets.reader import SYMMETRIC, FaceReader, FaceReading, crops_of
from vision.photo import overlay
from vision.photo.beside_dice import dice_sized, no_dice, unread
from vision.photo.farther import lies_aslant, with_farther
from vision.photo.picture import PictureError, in_shape, load_picture, quality
from vision.photo.plausible import (
    doubted,
    faces_told,
    few_blank,
    of_one_size,
    one_of_each_flower,
    shape_of,
    told,
    unfit,
    well_read,
    worth,
)
from vision.photo.readings import PictureReading, ReadDie, ReadTile
from vision.photo.rims import on_rims
from vision.photo.sides import without_sides
from vision.photo.straight import straightened
from vision.sightings import Posture

_SCALES = 3
"""So many of the likeliest tile sizes are tried out by reading."""
_FARTHER = 0.66
"""Where tiles lie near and far, those far off are looked for at this share of the usual size."""
_SHAPES = (1.6, 1 / 1.6, 2.8, 1 / 2.8, 4.8, 1 / 4.8)
"""By how much wider a picture may have to be made before its tiles have the shape of tiles."""
_SQUEEZED = 1.12
"""By how much the shape of tiles must be off to look again."""
_LEAST = 0.35
"""How surely a tile must lie there before its face is read."""
_ALONG = 0.7
"""Cosine from which on two faces stand along each other."""
_CLEAR_TOP, _DOUBTFUL_TOP, _AGREE = 0.7, 0.667, 1.5
"""From which probability on a face's top is clear, below which it is doubtful, and how much the
clear ones must tell together. In 20 photographs of hands 15 of 164 faces stood against the rest,
none surer than 0.65; so all of them are mended, and one of 873 strewn ones is turned wrongly."""
_SURELY_BACK = 0.75
"""What is taken for a back among dice, in their shadows and on cards is less sure (up to 0.73)."""


class PhotoReader:
    """Reads any photograph; opens the models once."""

    def __init__(
        self, model_dir: Path | None = None, threads: int = 2, tiles: TileSet | None = None
    ) -> None:
        """Open the models; with ``tiles`` faces are read by that enrolled set as well.

        Raises:
            ModelError: a model file is missing, altered or of another version.
        """
        self._finder = Finder(model_dir, threads)
        # in strange pictures tiles are less sure; the faces then tell the right ones
        self._finder.accept(_LEAST)
        self._reader = FaceReader(model_dir, threads, tiles)
        self._dice = DiceReader(model_dir, threads)

    def read_file(self, path: Path) -> tuple[PictureReading, Image]:
        """Read a picture file; the upright picture comes with the reading.

        Raises:
            PictureError: it is no picture, damaged, too large or too small.
        """
        image = load_picture(path)
        return self.read(image, str(path)), image

    def read(self, image: Image, name: str = "") -> PictureReading:
        """Read a picture (H, W, 3) BGR."""
        found = self._dice.find(image)
        seen = [_die(die) for die in found if die.sure]
        tiles = no_dice(self._tiles(image), seen)
        if not any(map(_surely_tile, tiles)):
            seen = [_die(die) for die in believed(found)]
        dice = dice_sized([die for die in seen if not _on_tile(die.box, tiles)], tiles)
        fitness = quality(image)
        if fitness.notes():
            fitness = quality(in_shape(image, shape_of(tiles)))
        if fitness.notes():
            tiles, dice = unfit(tiles), unread(dice)
        tiles = without_sides(image, on_rims(image, tiles))
        return PictureReading(name, reading_order(tiles), dice, fitness)

    def _tiles(self, image: Image) -> list[ReadTile]:
        best, shape = self._in_shape(image), 1.0
        if not well_read(best):
            # perhaps the picture was squeezed: look at it in other shapes of the same area
            for other in _SHAPES:
                tiles = self._widened(image, other)
                if worth(tiles) > 1.1 * worth(best):
                    best, shape = tiles, other
        for _ in range(3):  # the nearer to the true shape, the truer the boxes
            wrong = shape_of(best) / shape
            if 1 / _SQUEEZED < wrong < _SQUEEZED:
                break
            # the finder takes shapes for more usual than they are
            wider = shape * wrong**1.25
            tiles = self._widened(image, wider)
            if told(tiles) < 0.97 * told(best):
                break
            best, shape = tiles, wider
        return doubted(one_of_each_flower(few_blank(best)))

    def _widened(self, image: Image, shape: float) -> list[ReadTile]:
        """Tiles read from the picture made wider by ``shape`` at the same area, in its pixels."""
        height, width = image.shape[:2]
        w, h = max(16, round(width * shape**0.5)), max(16, round(height / shape**0.5))
        wide = np.asarray(cv2.resize(image, (w, h), interpolation=cv2.INTER_AREA), np.uint8)
        return [tile.stretched(width / w, height / h) for tile in self._in_shape(wide)]

    def _in_shape(self, image: Image) -> list[ReadTile]:
        """Tiles of a picture whose tiles have about the shape of tiles."""
        best: list[ReadTile] = []
        most, at = -1.0, 0.0
        for proposed in self._finder.tile_sizes(image)[:_SCALES]:
            size = proposed
            tiles = self._read_found(image, self._finder.find(image, size).tiles)
            faces = faces_told(tiles)
            if len(faces) >= 2:
                true_size = float(np.median([t.short for t in faces]))
                if not 0.87 < true_size / size < 1.15:
                    size = true_size
                    tiles = self._read_found(image, self._finder.find(image, size).tiles)
            # faces that can be read are what tells the right scale from a wrong one
            value = worth(tiles)
            if value > most * 1.02:
                best, most, at = tiles, value, size
        if best:
            closer = self._read_found(image, self._finder.find_closely(image, at).tiles)
            if worth(closer) > 0.9 * most:
                best = closer
        best = of_one_size(best)
        # keys and cards are no tiles beside which more are looked for
        believed = doubted(best)
        if not faces_told(believed):
            return best
        if lies_aslant(believed):
            farther = self._read_found(image, self._finder.find(image, _FARTHER * at).tiles)
            best = with_farther(best, farther)
        return straightened(best, lambda quads: self._reader.read(image, quads, closely=True))

    def _read_found(self, image: Image, found: Sequence[Found]) -> list[ReadTile]:
        """Tiles found at one scale, read."""
        flat = [f for f in found if f.posture is not Posture.STANDING]
        rest = [f for f in found if f.posture is Posture.STANDING and f.confidence >= 0.45]
        quads = np.array([f.quad for f in flat], np.float32).reshape(-1, 4, 2)
        readings = self._reader.read(image, quads, closely=True)
        doubtful = [i for i, r in enumerate(readings) if not r.sure or r.confidence < 0.8]
        spun = self._reader.read(image, np.roll(quads[doubtful], -1, axis=1), closely=True)
        spins = dict.fromkeys(range(len(flat)), 0)
        for i, other in zip(doubtful, spun, strict=True):
            if other.sure and other.confidence > max(0.6, readings[i].confidence):
                readings[i], spins[i] = other, 1
        if any(bodies.doubtful(reading.faces) for reading in readings):
            readings = self._reader.by_body(readings, crops_of(image, quads))
        tiles = []
        for i, (one, reading) in enumerate(zip(flat, readings, strict=True)):
            tile = _tile_of(one, reading, spins[i])
            if tile is not None:
                tiles.append(tile)
        tiles += [_tile(UNKNOWN, f.confidence, f.quad, f.posture, f.visible) for f in rest]
        return tiles


def _surely_tile(tile: ReadTile) -> bool:
    """Whether it is no die, shadow or card that was taken for a tile."""
    return tile.tile != UNKNOWN and (tile.tile != BACK or tile.confidence >= _SURELY_BACK)


def _die(die: FoundDie) -> ReadDie:
    return ReadDie(die.value, die.confidence, die.box, die.found)


def _tile(
    label: str, confidence: float, quad: NDArray[np.float32], posture: Posture, visible: float
) -> ReadTile:
    a, b, c, d = ((float(x), float(y)) for x, y in quad)
    return ReadTile(label, confidence, (a, b, c, d), posture, visible)


def _tile_of(found: Found, reading: FaceReading, spin: int) -> ReadTile | None:
    """Bring together what the finder and the reader say of a flat tile."""
    label, chance = reading.faces[0]
    back = found.posture is Posture.FACE_DOWN and (label == BACK or not reading.sure)
    if back and found.confidence < 0.5:
        return None
    if label == BACK and reading.sure:
        return _tile(BACK, found.confidence, found.quad, Posture.FACE_DOWN, found.visible)
    if found.posture is Posture.FACE_DOWN and not (reading.sure and chance > 0.9):
        return _tile(BACK, found.confidence, found.quad, Posture.FACE_DOWN, found.visible)
    if reading.foreign:
        return replace(
            _tile(UNKNOWN, chance, found.quad, Posture.FACE_UP, found.visible), foreign=True
        )
    if label == UNKNOWN and found.confidence < (0.65 if chance > 0.7 else 0.4):
        return None  # both doubt it: no tile
    quad = np.roll(found.quad, -(spin + 2 * int(reading.turned)), axis=0)
    tile = _tile(reading.label, chance, quad, Posture.FACE_UP, found.visible)
    return replace(tile, found=found.confidence, likely=reading.faces, turn=reading.turn_confidence)


def _on_tile(box: tuple[float, float, float, float], tiles: Sequence[ReadTile]) -> bool:
    """Whether a die's middle lies on a tile (dots look like pips; a die may look like a tile)."""
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    return any(
        (tile.tile != UNKNOWN or tile.short > 1.4 * (box[2] - box[0]))
        and cv2.pointPolygonTest(np.array(tile.quad, np.float32), middle, measureDist=False) >= 0
        for tile in tiles
    )


def reading_order(tiles: Sequence[ReadTile]) -> tuple[ReadTile, ...]:
    """Rows from the top, each left to right, as most of the faces stand."""
    if not tiles:
        return ()
    turn = _reading_turn(tiles)
    tiles = _as_the_rest(tiles, turn)
    c, s = np.cos(turn), np.sin(turn)
    across, down = np.array((c, s)), np.array((-s, c))
    height = float(np.median([t.short for t in tiles])) * 1.3
    left = sorted(range(len(tiles)), key=lambda i: float(tiles[i].centre @ down))
    rows: list[list[int]] = []
    levels: list[float] = []
    for i in left:
        level = float(tiles[i].centre @ down)
        if rows and level - levels[-1] < 0.55 * height:
            rows[-1].append(i)
            levels[-1] = float(np.mean([tiles[k].centre @ down for k in rows[-1]]))
        else:
            rows.append([i])
            levels.append(level)
    order = [i for row in rows for i in sorted(row, key=lambda k: float(tiles[k].centre @ across))]
    return tuple(tiles[i] for i in order)


def _reading_turn(tiles: Sequence[ReadTile]) -> float:
    """By how much the faces are turned clockwise, radians; most of them, not all."""
    faces = [t for t in tiles if t.posture is Posture.FACE_UP and t.tile not in (UNKNOWN, BACK)]
    if not faces:
        return 0.0
    angles = np.array([np.arctan2(t.up[0], -t.up[1]) for t in faces])
    weight = np.array([_says_up(t) for t in faces])
    plain = np.array([t.tile in SYMMETRIC for t in faces])
    votes = []
    for k in range(4):
        near = np.cos(angles - k * np.pi / 2) > 0.7
        along = np.abs(np.cos(angles - k * np.pi / 2)) > 0.7
        # a face that looks the same upside down tells the line only; upright wins a tie
        votes.append(weight[near].sum() + 0.15 * np.sum(along & plain) + 0.05 * (k == 0))
    best = int(np.argmax(votes)) * np.pi / 2
    lean = np.mod(angles - best + np.pi / 4, np.pi / 2) - np.pi / 4
    near = np.abs(np.cos(angles - best)) > 0.7
    return best + float(np.median(lean[near])) if near.any() else best


def _as_the_rest(tiles: Sequence[ReadTile], turn: float) -> list[ReadTile]:
    """A face that looks the same upside down, or whose top is doubtful, stands as the others do.

    A doubtful one only where all that are clear agree: tiles strewn about say nothing of it.
    """
    up = np.array((np.sin(turn), -np.cos(turn)))
    along = np.array([float(t.up @ up) for t in tiles])
    says = np.array([_says_up(t) if t.turn >= _CLEAR_TOP else 0.0 for t in tiles])
    agree = float(says[along > _ALONG].sum()) >= _AGREE and not says[along < -_ALONG].any()
    return [
        replace(t, quad=(*t.quad[2:], *t.quad[:2]), turn=1.0 - t.turn)
        if a < -_ALONG
        and t.posture is Posture.FACE_UP
        and (t.tile in SYMMETRIC or (agree and t.turn < _DOUBTFUL_TOP))
        else t
        for t, a in zip(tiles, along, strict=True)
    ]


def _says_up(tile: ReadTile) -> float:
    """How much a face tells of which way up the others stand, 0..1."""
    if tile.posture is not Posture.FACE_UP or tile.tile in (UNKNOWN, BACK, *SYMMETRIC):
        return 0.0
    return max(2.0 * tile.turn - 1.0, 0.02)


def run_read(
    images: Sequence[Path],
    *,
    as_json: bool = False,
    draw: Path | None = None,
    hand: bool = False,
    tiles: Path | None = None,
) -> int:
    """The command: print readings, one picture after the other; 2 if any could not be read."""
    from vision.photo.hand import HandError, to_hand

    if draw is not None and len(images) > 1:
        sys.stderr.write("read: --draw takes one picture\n")
        return 2
    try:
        reader = PhotoReader(tiles=None if tiles is None else TileSet.load(tiles))
    except (ModelError, TileSetError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    bad = 0
    for path in images:
        try:
            reading, image = reader.read_file(path)
            for note in reading.quality.notes():
                sys.stderr.write(f"{path}: {note}\n")
            if draw is not None:
                _write(draw, reading, image)
            if hand:
                sys.stdout.write(json.dumps(to_hand(reading), ensure_ascii=False) + "\n")
            elif as_json:
                sys.stdout.write(json.dumps(reading.to_json(), ensure_ascii=False) + "\n")
            else:
                sys.stdout.write(_text(reading))
        except (PictureError, HandError) as error:
            sys.stderr.write(f"{error}\n")
            bad = 2
    return bad


def _write(path: Path, reading: PictureReading, image: Image) -> None:
    try:
        done, code = cv2.imencode(
            path.suffix or ".png", overlay.draw(image, reading.tiles, reading.dice)
        )
        if not done:
            raise PictureError(f"{path}: cannot be written in this format")
        path.write_bytes(code.tobytes())
    except cv2.error:
        raise PictureError(f"{path}: no picture format of that name") from None
    except OSError as error:
        raise PictureError(f"{path}: cannot be written ({error.strerror})") from None


def _text(reading: PictureReading) -> str:
    """For people: faces in reading order, then what shows none, then the dice."""
    faces = [t for t in reading.tiles if t.posture is Posture.FACE_UP]
    lines = [f"{reading.image}: {len(reading.tiles)} tiles, {len(reading.dice)} dice"]
    lines += [
        "  " + " ".join(t.tile for t in faces[start : start + 18])
        for start in range(0, len(faces), 18)
    ]
    if doubtful := [t for t in faces if t.tile != UNKNOWN and t.confidence < 0.9]:
        lines.append("  unsure: " + " ".join(f"{t.tile} {t.confidence:.2f}" for t in doubtful))
    backs = sum(t.posture is Posture.FACE_DOWN for t in reading.tiles)
    standing = sum(t.posture is Posture.STANDING for t in reading.tiles)
    if backs or standing:
        lines.append(f"  face down {backs}, standing {standing}")
    if reading.dice:
        lines.append(
            "  dice " + " ".join("?" if d.value is None else str(d.value) for d in reading.dice)
        )
    return "\n".join(lines) + "\n"
