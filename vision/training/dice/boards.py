"""Printed boards of games: fields with pictures, tokens with numbers, little figures; no dice.

Dice often lie on such a board, and what is printed there is of a die's size, as bright as one, and
bears dots and signs.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.image import Image
from vision.training.dice.drawn import blend
from vision.training.dice.photos import Box
from vision.training.pictures import fonts
from vision.training.pictures.glyphs import glyph_of
from vision.training.pictures.hues import bgr_of

_NUMBERS = 21
"""Tokens bear numbers below this."""


def board(rng: np.random.Generator, size: int) -> tuple[Image, list[Box]]:
    """A part of a board (size, size, 3), and the boxes of its tokens and figures, pixels."""
    room = int(1.5 * size)
    unit = size * float(np.exp(rng.uniform(np.log(0.22), np.log(0.9))))
    canvas = np.full((room, room, 3), _colour(rng), np.uint8)
    looks = [_texture(rng, room) for _ in range(int(rng.integers(2, 5)))]
    line, wide = _colour(rng), max(1, round(unit * float(rng.uniform(0, 0.07))))
    hexagons = rng.random() < 0.6
    things: list[tuple[float, float, float]] = []
    shape = float(rng.uniform(0.08, 0.24)) * unit
    disc, ink = _token_colours(rng)
    dots, ringed = rng.random() < 0.4, rng.random() < 0.5
    fields = _fields(room, unit, hexagons=hexagons)
    for _, _, corners in fields:
        mask = np.zeros((room, room), np.uint8)
        cv2.fillPoly(mask, [corners], 255)
        look = looks[rng.integers(len(looks))]
        canvas[mask > 0] = look[mask > 0]
        cv2.polylines(canvas, [corners], True, line, wide, cv2.LINE_AA)
    for x, y, corners in fields:
        if rng.random() < 0.65:
            spot = np.array((x, y)) + rng.normal(0, 0.03, 2) * unit
            _token(rng, canvas, spot, shape, (disc, ink), dots=dots, ringed=ringed)
            things.append((float(spot[0]), float(spot[1]), shape))
        for px, py in corners[rng.permutation(len(corners))[: int(rng.integers(0, 2))]]:
            half = float(rng.uniform(0.06, 0.16)) * unit
            _figure(rng, canvas, (float(px), float(py)), half)
            things.append((float(px), float(py), half))
    # as it lies under the camera: turned, and squeezed where it is seen aslant
    turn, squeeze = float(rng.uniform(0, 360)), float(rng.uniform(0.6, 1.0))
    c, s = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
    lay = np.array(((1, 0), (0, squeeze))) @ np.array(((c, -s), (s, c)))
    shift = np.array((size, size)) / 2 - lay @ np.array((room, room)) / 2
    seen = cv2.warpAffine(
        cv2.GaussianBlur(canvas, (0, 0), float(rng.uniform(0.3, 1.2))),
        np.column_stack((lay, shift)),
        (size, size),
        borderMode=cv2.BORDER_REFLECT_101,
    )
    boxes: list[Box] = []
    for x, y, half in things:
        cx, cy = (lay @ np.array((x, y)) + shift).tolist()
        if half < min(cx, cy) and max(cx, cy) < size - half:
            boxes.append((cx - half, cy - half, cx + half, cy + half))
    return np.asarray(seen, np.uint8), boxes


def _fields(room: int, unit: float, *, hexagons: bool) -> list[tuple[float, float, np.ndarray]]:
    """Middles and corners of the fields that cover a square of ``room`` pixels."""
    found = []
    if not hexagons:
        n = int(room / unit) + 2
        for j in range(n):
            for i in range(n):
                x, y = i * unit, j * unit
                square = np.array(((-1, -1), (1, -1), (1, 1), (-1, 1))) * unit / 2
                found.append((x, y, np.round(np.add(square, (x, y))).astype(np.int32)))
        return found
    radius = unit / np.sqrt(3)
    angles = np.deg2rad(30 + 60 * np.arange(6))
    hexagon = np.stack((np.cos(angles), np.sin(angles)), 1) * radius
    for j in range(int(room / (1.5 * radius)) + 2):
        for i in range(int(room / unit) + 2):
            x, y = (i + 0.5 * (j % 2)) * unit, 1.5 * radius * j
            found.append((x, y, np.round(np.add(hexagon, (x, y))).astype(np.int32)))
    return found


def _colour(rng: np.random.Generator) -> tuple[int, int, int]:
    hsv = (int(rng.integers(180)), int(rng.integers(40, 256)), int(rng.integers(60, 250)))
    b, g, r = (int(v) for v in bgr_of(*hsv))
    return b, g, r


def _token_colours(
    rng: np.random.Generator,
) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    light = tuple(int(v) for v in rng.integers(185, 256) - rng.integers(0, 45, 3))
    dark = (20, 20, 20) if rng.random() < 0.7 else (30, 30, 190)
    if rng.random() < 0.2:
        return _colour(rng), (245, 245, 245)
    return (light[0], light[1], light[2]), dark


def _texture(rng: np.random.Generator, room: int) -> Image:
    """Printed leaves, furrows, waves or stones (room, room, 3)."""
    base = np.array(_colour(rng), np.float32)
    rough = rng.standard_normal((room // 24 + 2, room // 24 + 2, 1)).astype(np.float32)
    cloud = cv2.resize(rough, (room, room), interpolation=cv2.INTER_CUBIC)[..., None]
    out = (base * (1 + 0.2 * cloud)).clip(0, 255).astype(np.uint8)
    draw = (_leaf, _stroke)[rng.integers(2)]
    inks = [np.clip(base * rng.uniform(0.4, 1.5) + rng.normal(0, 18, 3), 0, 255) for _ in range(3)]
    grain = float(np.exp(rng.uniform(np.log(2), np.log(14))))
    count = int(min(1200, 0.5 * (room / grain) ** 2 * rng.uniform(0.1, 0.6)))
    for _ in range(count):
        b, g, r = (int(v) for v in inks[rng.integers(3)])
        draw(rng, out, (int(rng.integers(room)), int(rng.integers(room))), grain, (b, g, r))
    return out


def _leaf(
    rng: np.random.Generator, out: Image, at: tuple[int, int], s: float, ink: tuple[int, int, int]
) -> None:
    axes = (max(1, round(s)), max(1, round(s * float(rng.uniform(0.4, 1.0)))))
    cv2.ellipse(out, at, axes, float(rng.uniform(0, 180)), 0, 360, ink, -1, cv2.LINE_AA)


def _stroke(
    rng: np.random.Generator, out: Image, at: tuple[int, int], s: float, ink: tuple[int, int, int]
) -> None:
    off = rng.normal(0, 1.5, 2) * s
    to = (int(at[0] + off[0]), int(at[1] + off[1]))
    cv2.line(out, at, to, ink, max(1, round(s * 0.4)), cv2.LINE_AA)


def _token(
    rng: np.random.Generator,
    canvas: Image,
    spot: np.ndarray,
    radius: float,
    colours: tuple[tuple[int, int, int], tuple[int, int, int]],
    *,
    dots: bool,
    ringed: bool,
) -> None:
    """A disc with a number, and with dots below it that say how often it falls."""
    disc, ink = colours
    n = 2 * max(4, round(radius)) + 3
    face = np.full((n, n, 3), disc, np.uint8)
    cover = np.zeros((n, n), np.uint8)
    cv2.circle(cover, (n // 2, n // 2), max(4, round(radius)), 255, -1, cv2.LINE_AA)
    if ringed:
        cv2.circle(face, (n // 2, n // 2), max(3, round(radius * 0.9)), ink, 1, cv2.LINE_AA)
    glyph = glyph_of(fonts.latin(), str(rng.integers(_NUMBERS)))
    high = max(3, round(radius * float(rng.uniform(0.6, 1.1))))
    if glyph is not None:
        wide = max(2, min(n - 4, round(high * glyph.shape[1] / glyph.shape[0])))
        small = cv2.resize(glyph, (wide, high), interpolation=cv2.INTER_AREA)
        y0, x0 = n // 2 - high // 2 - (high // 6 if dots else 0), n // 2 - wide // 2
        share = small[..., None] / 255
        place = face[y0 : y0 + high, x0 : x0 + wide]
        place[:] = (place * (1 - share) + np.array(ink) * share).astype(np.uint8)
    for k in range(int(rng.integers(1, 6)) if dots else 0):
        at = (round(n / 2 + (k - 2) * 0.26 * radius), round(n / 2 + 0.55 * radius))
        cv2.circle(face, at, max(1, round(radius * 0.09)), ink, -1, cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((n / 2, n / 2), 90.0 * int(rng.integers(4)), 1)
    turned = cv2.warpAffine(face, turn, (n, n), borderMode=cv2.BORDER_REPLICATE)
    _lay(canvas, np.asarray(turned, np.uint8), cover, spot)


def _figure(
    rng: np.random.Generator, canvas: Image, spot: tuple[float, float], half: float
) -> None:
    """A ship, house or sail: a light patch of a few corners with dark signs and a shade."""
    n = 2 * max(4, round(half)) + 3
    light = rng.integers(190, 256) - rng.integers(0, 40, 3)
    face = np.full((n, n, 3), light if rng.random() < 0.7 else _colour(rng), np.uint8)
    cover = np.zeros((n, n), np.uint8)
    angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 7))))
    rim = np.stack((np.cos(angles), np.sin(angles)), 1) * rng.uniform(0.6, 1.0, (len(angles), 1))
    cv2.fillPoly(cover, [np.round(rim * half + n / 2).astype(np.int32)], 255, cv2.LINE_AA)
    for _ in range(int(rng.integers(1, 6))):
        at = rng.uniform(-0.6, 0.6, 2) * half + n / 2
        ink = (30, 30, 30) if rng.random() < 0.6 else _colour(rng)
        where = (int(at[0]), int(at[1]))
        if rng.random() < 0.5:
            _leaf(rng, face, where, half * float(rng.uniform(0.05, 0.35)), ink)
        else:
            _stroke(rng, face, where, half * float(rng.uniform(0.1, 0.4)), ink)
    shade = np.asarray(cv2.GaussianBlur(cover, (0, 0), max(0.6, half * 0.15)), np.uint8)
    dark = np.zeros_like(face) + np.uint8(int(rng.integers(10, 90)))
    _lay(canvas, dark, shade, np.array(spot) + rng.normal(0, 0.35, 2) * half)
    _lay(canvas, face, cover, np.array(spot))


def _lay(canvas: Image, face: Image, cover: Image, spot: np.ndarray) -> None:
    """Blend a square picture over the canvas around a point."""
    x0, y0 = (round(float(v) - len(face) / 2) for v in spot)
    share = cover.astype(np.float32) / 255
    blend(canvas, x0, y0, 1 - share, face * share[..., None])
