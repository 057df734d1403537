"""What lies under and beside the tiles: cloth, wood, trays, and things that are no tiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageDraw, ImageFont

from vision.image import Image
from vision.training.opened import opened
from vision.training.pictures import fonts, sources, taught
from vision.training.pictures.groups import Part
from vision.training.pictures.hues import bgr_of

QUARTERS: Final = {Part.TRAIN: 0, Part.VALID: 1, Part.TEST: 2}
"""Every fourth photograph of dice, from this one on, lies under the drawn scenes of a part."""
FAMILIES: Final = ("mixed", "coloured")


def families_of(part: Part) -> tuple[str, ...]:
    """The photographs of dice that are for this: one family teaches, the other judges."""
    teaches = taught.NEXT.grounds
    return teaches if part is Part.TRAIN else tuple(f for f in FAMILIES if f not in teaches)


def dice_pictures(families: Sequence[str], quarter: int) -> list[Path]:
    """Files of a quarter of these families' photographs."""
    folders = [sources.DATA / "dice" / family for family in families]
    return [path for folder in folders for path in sorted(folder.glob("*.jpg"))[quarter::4]]


def home_grounds(limit: int) -> list[Image]:
    """Tile-free upper parts of photographs in which all that lies is labelled."""
    found: list[Image] = []
    for photo in taught.teaching():
        low = min((b.xyxy[1] for b in photo.boxes), default=640)
        if photo.whole and low > 200 and len(found) < limit:
            found.append(photo.image()[: int(low) - 20])
    return found


def photo_grounds(limit: int = 220, part: Part = Part.TRAIN) -> list[Image]:
    """So many pictures without tiles at most; those of two parts have no photograph in common.

    For training photographs of dice and parts of photographs of homes, half and half where there
    are enough; otherwise dice of the other family.
    """
    paths = dice_pictures(families_of(part), QUARTERS[part])
    if part is not Part.TRAIN:
        return [_read(path) for path in paths[:limit]]
    homes = home_grounds(limit - min(len(paths), limit // 2))
    return [_read(path) for path in paths[: limit - len(homes)]] + homes


def _read(path: Path) -> Image:
    return opened(path)


def cloth(rng: np.random.Generator, size: int, photos: list[Image]) -> Image:
    """A ground picture (size, size, 3)."""
    roll = rng.random()
    if roll < 0.3 and photos:
        source = photos[rng.integers(len(photos))]
        h, w = source.shape[:2]
        s = int(rng.uniform(0.3, 1.0) * min(h, w))
        x, y = rng.integers(0, w - s + 1), rng.integers(0, h - s + 1)
        out = np.asarray(cv2.resize(source[y : y + s, x : x + s], (size, size)), np.uint8)
        return np.ascontiguousarray(np.rot90(out, int(rng.integers(4))))
    if roll < 0.65:  # felts are mostly green, blue, grey or brown
        hue = int(rng.choice((60, 75, 85, 110, 15, 0)) + rng.normal(0, 8)) % 180
        hsv = (hue, int(rng.uniform(30, 255)), int(rng.uniform(25, 190)))
    else:
        hsv = (int(rng.integers(180)), int(rng.uniform(0, 200)), int(rng.uniform(15, 250)))
    base = bgr_of(*hsv).astype(np.float32)
    noise = np.zeros((size, size), np.float32)
    for cells, amount in ((6, 10.0), (40, 6.0), (size // 2, 8.0)):
        rough = rng.standard_normal((cells, cells), dtype=np.float32)
        noise += cv2.resize(rough, (size, size), interpolation=cv2.INTER_CUBIC) * np.float32(
            rng.uniform(0, amount)
        )
    roll = rng.random()
    if roll < 0.2:  # grain of wood
        rough = rng.standard_normal((size, 4), dtype=np.float32)
        noise += cv2.resize(rough, (size, size)) * np.float32(rng.uniform(3, 15))
        if roll < 0.12:
            noise += _boards(rng, size)
    elif roll < 0.35:  # coarse weave or studs of a mat, glittering on one side
        cell = int(rng.uniform(4, 14))
        tile = np.zeros((2 * cell, 2 * cell), np.float32)
        r = max(1, int(cell * rng.uniform(0.2, 0.45)))
        for p in ((cell // 2, cell // 2), (cell + cell // 2, cell + cell // 2)):
            cv2.circle(tile, p, r, 1.0, -1)
        n = size // (2 * cell) + 1
        fade = cv2.resize(rng.random((3, 3), dtype=np.float32), (size, size))
        noise += np.tile(tile, (n, n))[:size, :size] * fade * np.float32(rng.uniform(10, 80))
    out = (base + noise[..., None]).clip(0, 255).astype(np.uint8)
    return np.ascontiguousarray(np.rot90(out, int(rng.integers(4))))


def _boards(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    """Floor boards: rectangles near the shape of backs, in slightly different shades."""
    out = np.zeros((size, size), np.float32)
    wide = rng.uniform(0.05, 0.25) * size
    long = wide * rng.uniform(1.2, 7)
    for x in np.arange(0, size, wide):
        for y in np.arange(-rng.uniform(0, long), size, long):
            p, q = (int(x), int(y)), (int(x + wide), int(y + long))
            cv2.rectangle(out, p, q, float(rng.normal(0, 14)), -1)
            cv2.rectangle(out, p, q, float(-rng.uniform(5, 60)), 1 + int(rng.integers(2)))
    return out


def clutter(rng: np.random.Generator, canvas: Image, unit: float) -> None:
    """Cards, keys, chips, rails, printed texts, lines: near the size of tiles but none."""
    size = canvas.shape[0]
    for _ in range(rng.integers(0, 6)):
        kind = rng.integers(9)
        x, y = rng.uniform(0, size, 2)
        colour = tuple(int(v) for v in rng.integers(0, 256, 3))
        if kind == 0:  # a card with a sign
            a = np.deg2rad(rng.uniform(0, 360))
            w = unit * rng.uniform(1.5, 4)
            box = cv2.boxPoints(((x, y), (w, w * 1.4), float(np.rad2deg(a))))
            cv2.fillConvexPoly(
                canvas, box.astype(np.int32), tuple(int(v) for v in rng.integers(200, 256, 3))
            )
            sign = "A23456789JQK"[rng.integers(12)]
            cv2.putText(canvas, sign, (int(x - w / 4), int(y)), 0, float(unit / 20), colour, 2)
        elif kind == 1:  # keys
            n, m = int(rng.integers(3, 10)), int(rng.integers(2, 5))
            s = unit * rng.uniform(0.6, 1.2)
            dark = rng.integers(20, 240)
            for i in range(n):
                for j in range(m):
                    p = (int(x + i * s * 1.1), int(y + j * s * 1.1))
                    q = (int(p[0] + s), int(p[1] + s))
                    cv2.rectangle(canvas, p, q, (int(dark),) * 3, -1)
                    cv2.putText(
                        canvas,
                        chr(65 + rng.integers(26)),
                        (p[0] + int(s / 4), q[1] - int(s / 4)),
                        0,
                        float(s / 40),
                        (255 - int(dark),) * 3,
                        1,
                    )
        elif kind == 2:  # chips
            for _ in range(rng.integers(1, 6)):
                p = (int(x + rng.normal(0, 2 * unit)), int(y + rng.normal(0, 2 * unit)))
                cv2.circle(
                    canvas,
                    p,
                    int(unit * rng.uniform(0.4, 0.9)),
                    tuple(int(v) for v in rng.integers(0, 256, 3)),
                    -1,
                )
        elif kind == 3:  # a rail or a tray
            p, q = rng.uniform(-0.3, 1.3, (2, 2)) * size
            cv2.line(
                canvas,
                tuple(p.astype(int).tolist()),
                tuple(q.astype(int).tolist()),
                colour,
                int(unit * rng.uniform(0.3, 4)),
            )
        elif kind == 4:  # printed signs
            text = "".join(chr(rng.integers(0x4E00, 0x9000)) for _ in range(rng.integers(1, 6)))
            pic = Pil.fromarray(canvas)
            font = ImageFont.truetype(
                fonts.signs(),
                max(8, int(unit * rng.uniform(0.5, 1.5))),
            )
            ImageDraw.Draw(pic).text((x, y), text, font=font, fill=colour)
            canvas[:] = np.asarray(pic)
        elif kind == 5:  # scoring sticks
            for _ in range(rng.integers(1, 5)):
                a = rng.uniform(0, np.pi)
                d = np.array((np.cos(a), np.sin(a))) * unit * 1.6
                c = np.array((x, y)) + rng.normal(0, unit, 2)
                cv2.line(
                    canvas,
                    tuple((c - d).astype(int).tolist()),
                    tuple((c + d).astype(int).tolist()),
                    (230, 235, 240),
                    max(2, int(unit * 0.22)),
                )
                cv2.circle(
                    canvas, tuple(c.astype(int).tolist()), max(1, int(unit * 0.07)), (0, 0, 200), -1
                )
        elif kind == 6:  # places for tiles engraved or printed on the table: empty outlines
            n, m = int(rng.integers(1, 18)), int(rng.integers(1, 3))
            a, s = rng.uniform(0, 2 * np.pi), unit * rng.uniform(0.8, 1.25)
            u, v = (
                np.array((np.cos(a), np.sin(a))) * s,
                np.array((-np.sin(a), np.cos(a))) * s * 1.35,
            )
            shade = rng.uniform(0.5, 1.6)
            thick = int(rng.integers(1, 4))
            ink = np.zeros(canvas.shape[:2], np.uint8)
            for i in range(n):
                for j in range(m):
                    c = np.array((x, y)) + u * i + v * j
                    quad = np.array((c, c + u, c + u + v, c + v))
                    cv2.polylines(ink, [quad.astype(np.int32)], True, 255, thick, cv2.LINE_AA)
            if rng.random() < 0.4:  # hatched
                c = np.array((x, y))
                for t in np.arange(0, n, 0.2):
                    ends = (c + u * t, c + u * (t + 0.6) + v * m)
                    start, end = (w.astype(int).tolist() for w in ends)
                    cv2.line(ink, start, end, 160, 1, cv2.LINE_AA)
            share = ink[..., None].astype(np.float32) / 255
            canvas[:] = (canvas * (1 + (shade - 1) * share)).clip(0, 255).astype(np.uint8)
        elif kind == 7:  # a tray or rack with a hollow
            tray = (
                (x, y),
                (unit * rng.uniform(4, 16), unit * rng.uniform(1, 4)),
                rng.uniform(0, 180),
            )
            paint = colour if rng.random() < 0.5 else (int(rng.integers(190, 250)),) * 3
            cv2.fillConvexPoly(canvas, cv2.boxPoints(tray).astype(np.int32), paint)
            inner = (tray[0], (tray[1][0] * 0.9, tray[1][1] * 0.6), tray[2])
            edge = tuple(int(v * rng.uniform(0.6, 0.95)) for v in paint)
            cv2.polylines(
                canvas, [cv2.boxPoints(inner).astype(np.int32)], True, edge, 3, cv2.LINE_AA
            )
        else:  # lines on the table
            cv2.rectangle(
                canvas,
                (int(x), int(y)),
                (int(x + unit * rng.uniform(3, 12)), int(y + unit * rng.uniform(3, 12))),
                colour,
                int(rng.integers(1, 3)),
            )


def die(
    rng: np.random.Generator, canvas: Image, x: float, y: float, s: float, value: int | None = None
) -> int:
    """Draw one die seen from nearly above; returns its value."""
    value = value or int(rng.integers(1, 7))
    a = rng.uniform(0, 360)
    white = rng.random() < 0.6
    body = tuple(int(v) for v in (rng.integers(215, 256, 3) if white else rng.integers(0, 200, 3)))
    dark = white or sum(body) > 420
    pip: tuple[int, ...] = (25, 25, 25) if dark else (240, 240, 240)
    if white and (value == 1 or (value == 4 and rng.random() < 0.6)) and rng.random() < 0.7:
        pip = (30, 30, int(rng.integers(150, 230)))
    if rng.random() < 0.35:  # any two colours that can be told apart
        body = tuple(int(v) for v in rng.integers(0, 256, 3))
        pip = tuple(int(v) for v in rng.integers(0, 256, 3))
        while np.abs(np.array(body) - np.array(pip)).max() < 70:
            pip = tuple(int(v) for v in rng.integers(0, 256, 3))
    lean = rng.normal(0, 0.12, 2) * s
    base = cv2.boxPoints(((x + lean[0], y + lean[1]), (s, s), a))
    top = cv2.boxPoints(((x, y), (s, s), a))
    side = tuple(int(v * rng.uniform(0.5, 0.85)) for v in body)
    hull = cv2.convexHull(np.concatenate((base, top)).astype(np.float32))
    cv2.fillConvexPoly(canvas, np.round(hull * 8).astype(np.int32), side, cv2.LINE_AA, 3)
    inner = (x, y) + (top - (x, y)) * 0.97
    cv2.fillConvexPoly(canvas, np.round(inner * 8).astype(np.int32), body, cv2.LINE_AA, 3)
    if rng.random() < 0.25:  # marbled
        reach = int(s * 0.7)
        x0, y0 = max(0, int(x) - reach), max(0, int(y) - reach)
        part = canvas[y0 : int(y) + reach, x0 : int(x) + reach]
        if part.size:
            rough = rng.standard_normal((5, 5, 3)).astype(np.float32)
            cloud = cv2.resize(rough, part.shape[1::-1], interpolation=cv2.INTER_CUBIC)
            same = (np.abs(part.astype(int) - np.array(body)).max(2) < 12)[..., None]
            mixed = (part + cloud * rng.uniform(10, 45)).clip(0, 255)
            part[:] = np.where(same, mixed, part).astype(np.uint8)
    g = 0.26
    spots = {
        1: ((0, 0),), 2: ((-g, -g), (g, g)), 3: ((-g, -g), (0, 0), (g, g)),
        4: ((-g, -g), (g, -g), (-g, g), (g, g)), 5: ((-g, -g), (g, -g), (-g, g), (g, g), (0, 0)),
        6: ((-g, -g), (g, -g), (-g, 0), (g, 0), (-g, g), (g, g)),
    }[value]  # fmt: skip
    c, n = np.cos(np.deg2rad(a)), np.sin(np.deg2rad(a))
    r = s * (rng.uniform(0.085, 0.12) if value > 1 else rng.uniform(0.1, 0.24))
    for u, v in spots:
        p = (x + (u * c - v * n) * s, y + (u * n + v * c) * s)
        cv2.circle(
            canvas, (round(p[0] * 8), round(p[1] * 8)), round(r * 8), pip, -1, cv2.LINE_AA, 3
        )
    return value


def arm(rng: np.random.Generator, canvas: Image, mask: Image, unit: float) -> None:
    """A sleeve and a hand that reach in from an edge; marks ``mask``."""
    size = canvas.shape[0]
    side = rng.integers(4)
    start = np.array(
        {
            0: (rng.uniform(0, size), -20),
            1: (size + 20, rng.uniform(0, size)),
            2: (rng.uniform(0, size), size + 20),
            3: (-20, rng.uniform(0, size)),
        }[int(side)]
    )
    tip = rng.uniform(0.15, 0.85, 2) * size
    way = tip - start
    length = np.linalg.norm(way)
    way = way / length
    across = np.array((-way[1], way[0]))
    wide = unit * rng.uniform(1.4, 3.0)
    wrist = tip - way * wide * rng.uniform(1.5, 2.5)
    skin = np.array((rng.uniform(60, 190), rng.uniform(90, 205), rng.uniform(120, 245)))
    skin = np.sort(skin)
    sleeve = tuple(int(v) for v in rng.integers(0, 256, 3))
    layer = np.zeros(canvas.shape[:2], np.uint8)
    forearm = np.array(
        (
            start + across * wide * 0.9,
            wrist + across * wide * 0.45,
            wrist - across * wide * 0.45,
            start - across * wide * 0.9,
        )
    )
    palm = cv2.ellipse2Poly(
        tuple((wrist + way * wide * 0.6).astype(int).tolist()),
        (int(wide * 0.9), int(wide * 0.6)),
        int(np.rad2deg(np.arctan2(way[1], way[0]))),
        0,
        360,
        12,
    )
    cv2.fillConvexPoly(layer, forearm.astype(np.int32), 1)
    cv2.fillConvexPoly(layer, np.asarray(palm, np.int32), 2)
    for k in range(5):
        a = rng.normal((k - 2) * 0.22, 0.06)
        d = way * np.cos(a) + across * np.sin(a)
        p = wrist + way * wide * 0.8 + across * (k - 2) * wide * 0.2
        q = p + d * wide * (0.55 if k in (0, 4) else 0.95) * rng.uniform(0.7, 1.1)
        cv2.line(
            layer,
            tuple(p.astype(int).tolist()),
            tuple(q.astype(int).tolist()),
            2,
            max(2, int(wide * 0.24)),
        )
    bare = rng.random() < 0.25
    canvas[layer == 1] = skin if bare else sleeve
    canvas[layer == 2] = skin
    shade = cv2.GaussianBlur((layer > 0).astype(np.float32), (0, 0), max(1.0, float(wide * 0.12)))
    inside = layer > 0
    canvas[inside] = (canvas[inside] * (0.55 + 0.45 * shade[inside, None])).astype(np.uint8)
    mask[inside] = 1


def fingers(rng: np.random.Generator, canvas: Image, mask: Image, unit: float) -> None:
    """Fingers or a thumb without the hand they belong to; marks ``mask``."""
    size = canvas.shape[0]
    tone = np.sort((rng.uniform(60, 190), rng.uniform(90, 205), rng.uniform(120, 245)))
    a = rng.uniform(0, 2 * np.pi)
    d, across = np.array((np.cos(a), np.sin(a))), np.array((-np.sin(a), np.cos(a)))
    first = rng.uniform(0, size, 2)
    wide = unit * rng.uniform(0.4, 0.85)
    for i in range(rng.integers(1, 5)):
        p = first + across * wide * 1.15 * i + d * rng.normal(0, wide * 0.3)
        ends = (p, p + d * wide * rng.uniform(2, 5))
        start, end = (v.astype(int).tolist() for v in ends)
        tint = tuple(int(t) for t in tone * rng.uniform(0.85, 1.05))
        cv2.line(canvas, start, end, tint, max(2, int(wide)), cv2.LINE_AA)
        cv2.line(mask, start, end, 1, max(2, int(wide)))
        nail = tuple(int(t) for t in (tone * 1.12).clip(0, 255))
        spot = (tuple((p + d * wide * 0.1).tolist()), (wide * 0.6, wide * 0.5), np.rad2deg(a))
        cv2.fillConvexPoly(canvas, cv2.boxPoints(spot).astype(np.int32), nail)
