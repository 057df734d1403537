"""Pictures of dice made from larger ones: frames, drawn scenes, scaled parts, crops and misses."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from vision.image import Image
from vision.training.dice import drawn as dice_drawn
from vision.training.dice.drawn import NONE
from vision.training.dice.grounds import Grounds
from vision.training.dice.photos import Box, Die, Scene
from vision.training.pictures import signs

SCENE = 160
"""Side of a scene, pixels, at the finder's working scale."""
CROP = 80
CROP_DIE = 44.0
"""Side of a crop and of the die's box in it, pixels."""
_ASLANT = 0.4
"""Share of drawn scenes as they are seen from a chair, where sides show more than the tops."""
_LEANS_TOLD = 30.0
"""Degrees from the plumb line beyond which a die that leans looks like one that lies."""
FROM_ABOVE = 20.0
"""Degrees from the plumb line within which a crop may be turned at will."""


def dice_frame(
    rng: np.random.Generator, count: int = 60, leaning: float = 0.06
) -> tuple[Image, list[Die], list[Box]]:
    """A frame of the virtual table with many dice on it, and the boxes of half hidden ones.

    ``leaning`` is the share of those that lean.
    """
    from hardware.virtual_table.camera.renderer import (
        Annotator,
        Renderer,
        random_look,
        random_scene,
    )
    from hardware.virtual_table.play.layout import Layout
    from hardware.virtual_table.scene import DieBody
    from vision.training.pictures.rendered import GEOMETRIES, random_camera

    layout = Layout.load(GEOMETRIES / "geometry-mcr.toml")
    camera, look = random_camera(rng), random_look(rng)
    scene = random_scene(rng, layout, float(rng.uniform(0, 100)))
    # what a random table rolls may be too slow to be seen moving in one picture
    still = tuple(die for die in scene.dice if die.speed == 0)
    scene = replace(scene, dice=still)
    bodies = list(scene.dice)
    spots = [np.array((d.x, d.y)) for d in bodies]
    solid = [np.array((t.x, t.y)) for t in scene.tiles]
    for _ in range(count):
        spot = (
            spots[-1] + rng.normal(0, 1, 2) * 18
            if spots and rng.random() < 0.4
            else rng.uniform(-300, 300, 2)
        )
        if any(np.linalg.norm(spot - o) < 17 for o in spots) or any(
            np.linalg.norm(spot - o) < 33 for o in solid
        ):
            continue
        spots.append(spot)
        rolling = rng.random() < 0.1
        bodies.append(
            DieBody(
                float(spot[0]),
                float(spot[1]),
                float(rng.uniform(0, 360)),
                int(rng.integers(1, 7)),
                float(rng.uniform(0.25, 0.8) * look.die_mm / look.shutter) if rolling else 0.0,
                bool(rng.random() < leaning),
            )
        )
    scene = replace(scene, dice=tuple(bodies))
    image = np.array(Renderer(camera, layout, look, int(rng.integers(1 << 30))).render(scene))
    truth = Annotator(camera, layout, look).annotate(scene)
    dice = [
        (d.box, NONE if d.value is None else d.value - 1) for d in truth.dice if d.visible > 0.75
    ]
    return image, dice, [d.box for d in truth.dice if 0.1 < d.visible <= 0.75]


def part(
    rng: np.random.Generator,
    image: Image,
    dice: list[Die],
    centre: tuple[float, float],
    scale: float,
    size: int,
) -> Scene:
    """A scaled part around a point, moved a little."""
    off = rng.uniform(-0.3, 0.3, 2) * (size / scale / 2)
    return _around(image, dice, np.array(centre) + off, scale, size)


def _around(image: Image, dice: list[Die], middle: np.ndarray, scale: float, size: int) -> Scene:
    """A scaled part around a point."""
    reach = size / scale / 2
    x, y = middle
    h, w = image.shape[:2]
    x0, x1 = (int(np.clip(v, 0, w)) for v in (x - reach - 3, x + reach + 3))
    y0, y1 = (int(np.clip(v, 0, h)) for v in (y - reach - 3, y + reach + 3))
    near = image[y0:y1, x0:x1]
    if near.size == 0:
        return np.full((size, size, 3), 90, np.uint8), []
    if scale < 1:
        fit = (max(1, round((x1 - x0) * scale)), max(1, round((y1 - y0) * scale)))
        near = np.asarray(cv2.resize(near, fit, interpolation=cv2.INTER_AREA), np.uint8)
    fx, fy = near.shape[1] / (x1 - x0), near.shape[0] / (y1 - y0)
    left, top = (x - reach - x0) * fx, (y - reach - y0) * fy
    gx, gy = scale / fx, scale / fy
    matrix = np.array(
        ((1 / gx, 0, left + 0.5 / gx - 0.5), (0, 1 / gy, top + 0.5 / gy - 0.5)), np.float64
    )
    out = cv2.warpAffine(
        near,
        matrix,
        (size, size),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(90, 90, 90),
    )
    boxes: list[Die] = []
    for (bx0, by0, bx1, by1), kind in dice:
        box = (
            float((bx0 - x + reach) * scale),
            float((by0 - y + reach) * scale),
            float((bx1 - x + reach) * scale),
            float((by1 - y + reach) * scale),
        )
        cx, cy = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if -10 < cx < size + 10 and -10 < cy < size + 10:
            boxes.append((box, kind))
    return np.asarray(out, np.uint8), boxes


def crop(image: Image, box: Box) -> Image:
    """The square (CROP, CROP, 3) in which the box' longer side has CROP_DIE pixels."""
    x0, y0, x1, y1 = box
    side = max(x1 - x0, y1 - y0, 2.0)
    scale = CROP_DIE / side
    middle = np.array(((x0 + x1) / 2, (y0 + y1) / 2))
    return _around(image, [], middle, scale, CROP)[0]


def drawn(
    rng: np.random.Generator, ground: Grounds, unrest: dice_drawn.Unrest | None = None
) -> tuple[Image, list[Die], bool]:
    """Dice drawn on a ground, at twice the finder's scale (2 SCENE pixels square).

    The last says whether they are seen so much from above that no side is upright.
    """
    size = 2 * SCENE
    canvas = ground.patch(rng, size)
    px = float(np.exp(rng.normal(np.log(36), 0.22)).clip(24, 58))
    if rng.random() < _ASLANT:
        view = float(rng.uniform(38, 66))
    else:
        view = float(min(52, abs(rng.normal(0, 24)))) if rng.random() < 0.7 else 0.0
    if unrest is None and view > _LEANS_TOLD:
        unrest = dice_drawn.Unrest(leaning=0.0)
    dice = dice_drawn.throw(rng, canvas, px, int(rng.integers(2, 7)), view, unrest=unrest)
    if rng.random() < 0.14:
        dice_drawn.dome(rng, canvas)
    return canvas, dice, view < FROM_ABOVE


def stored(image: Image, rng: np.random.Generator) -> Image:
    """As a camera may have stored it."""
    if rng.random() < 0.35:
        code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(30, 92))])[1]
        return np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return image


def button(rng: np.random.Generator, ground: Grounds) -> tuple[Image, Box]:
    """A plain disc, ring or rounded square on a ground, of about a die's size, and its box."""
    canvas = ground.patch(rng, SCENE)
    s = float(rng.uniform(9, 26))
    x, y = rng.uniform(1.6 * s, SCENE - 1.6 * s, 2)
    near = canvas[int(y), int(x)].astype(np.float32)
    colour = near * rng.uniform(0.4, 0.9) if rng.random() < 0.6 else rng.uniform(0, 255, 3)
    cover = np.zeros((SCENE, SCENE), np.float32)
    middle = (round(x * 16), round(y * 16))
    if rng.random() < 0.75:
        flat = s * (rng.uniform(0.7, 1.0) if rng.random() < 0.4 else 1.0)
        axes = (round(s * 16), round(flat * 16))
        turn = float(rng.uniform(0, 180))
        cv2.ellipse(cover, middle, axes, turn, 0, 360, 1.0, -1, cv2.LINE_AA, 4)
        if rng.random() < 0.25:
            cv2.circle(cover, middle, round(s * 16 * rng.uniform(0.2, 0.7)), 0.0, -1, 16, 4)
    else:
        corners = cv2.boxPoints(((x, y), (1.6 * s, 1.6 * s), float(rng.uniform(0, 90))))
        cv2.fillConvexPoly(cover, np.round(corners * 16).astype(np.int32), 1.0, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(cover, (0, 0), float(rng.uniform(0.4, 2.0)))[..., None]
    light = 1 + float(rng.uniform(0, 0.2)) * np.linspace(-1, 1, SCENE)[None, :, None]
    mixed = canvas * (1 - soft) + colour * light * soft
    return mixed.clip(0, 255).astype(np.uint8), (x - s, y - s, x + s, y + s)


def plates(rng: np.random.Generator, ground: Grounds) -> tuple[Image, list[Box]]:
    """Keys, cards, chips or prints of one kind in rows on a ground, and boxes on them.

    Each box lies on one of them or on a part of it, as large as a die may be. Dominoes are left
    out: half of one is a die's upper side, drawn.
    """
    kinds = [name for name in signs.KINDS if name != "domino"]
    kind = kinds[rng.integers(len(kinds))]
    canvas = ground.patch(rng, SCENE)
    high = float(np.exp(rng.uniform(np.log(14), np.log(110))))
    wide = high * float(rng.uniform(0.6, 1.25))
    gap = float(rng.uniform(0, 0.3)) * wide
    most = int(1.4 * SCENE / (wide + gap)) + 1
    columns, rows = (int(n) for n in rng.integers(1, min(most, 9) + 1, 2))
    some = [signs.draw(rng, (kind,)) for _ in range(min(6, columns * rows))]
    h, w = some[0].shape[:2]
    turn = float(rng.uniform(0, 360)) if rng.random() < 0.5 else 90.0 * int(rng.integers(4))
    c, s = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
    across, down = np.array((c, s)) * wide / w, np.array((-s, c)) * high / h
    middle = rng.uniform(0.3, 0.7, 2) * SCENE
    boxes: list[Box] = []
    light = rng.uniform(0.6, 1.1)
    for k in range(columns * rows):
        i, j = k % columns - (columns - 1) / 2, k // columns - (rows - 1) / 2
        x, y = middle + i * (wide + gap) * np.array((c, s)) + j * (high + gap) * np.array((-s, c))
        if not (-high < x < SCENE + high and -high < y < SCENE + high):
            continue
        start = np.array((x, y)) - across * (w - 1) / 2 - down * (h - 1) / 2
        matrix = np.column_stack((across, down, start))
        face = cv2.convertScaleAbs(some[k % len(some)], alpha=light)
        # what is made much smaller would sparkle
        soft = max(0.0, 0.35 * (h / high - 1))
        face = cv2.GaussianBlur(face, (0, 0), soft) if soft > 0.3 else face
        seen = cv2.warpAffine(face, matrix, (SCENE, SCENE), flags=cv2.INTER_LINEAR)
        mask = cv2.warpAffine(np.full((h, w), 255, np.uint8), matrix, (SCENE, SCENE))
        share = mask[..., None].astype(np.float32) / 255
        canvas = (canvas * (1 - share) + seen * share).astype(np.uint8)
        if 8 < x < SCENE - 8 and 8 < y < SCENE - 8:
            half = float(rng.uniform(0.3, 0.6)) * (wide if rng.random() < 0.7 else high)
            at = np.array((x, y)) + rng.normal(0, 0.12, 2) * wide
            boxes.append((*(at - max(half, 6.0)), *(at + max(half, 6.0))))
    return canvas, boxes


def beside(rng: np.random.Generator, box: Box) -> Box:
    """A box that misses a die: a part of it, its edge, or several dice as one."""
    x0, y0, x1, y1 = box
    side = max(x1 - x0, y1 - y0)
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    roll = rng.random()
    if roll < 0.35:  # a pip or a corner
        half = side * rng.uniform(0.16, 0.27)
        cx, cy = np.array((cx, cy)) + rng.uniform(-0.35, 0.35, 2) * side
    elif roll < 0.6:  # far too much
        half = side * rng.uniform(0.95, 1.7)
        cx, cy = np.array((cx, cy)) + rng.uniform(-0.5, 0.5, 2) * side
    else:  # its edge
        half = side * rng.uniform(0.35, 0.65)
        a = rng.uniform(0, 2 * np.pi)
        cx, cy = np.array((cx, cy)) + rng.uniform(0.6, 0.9) * side * np.array(
            (np.cos(a), np.sin(a))
        )
    return cx - half, cy - half, cx + half, cy + half


def covers(box: Box, dice: list[Die]) -> bool:
    """Whether a box lies on a die about as a good box would."""
    cx, cy, side = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, box[2] - box[0]
    return any(
        np.hypot(cx - (b[0] + b[2]) / 2, cy - (b[1] + b[3]) / 2) < 0.45 * max(b[2] - b[0], side)
        and 0.6 < side / max(b[2] - b[0], b[3] - b[1]) < 1.6
        for b, _ in dice
    )
