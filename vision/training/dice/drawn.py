"""Dice drawn by casting rays: any colours, rounding, view and light, with their sides and shadow.

A die is the common part of a cube, the planes that cut its edges and a ball; lengths are in
edges of the die. The table's height is z = -0.5 below a die that lies flat.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.image import Image
from vision.training.dice.makes import Style, marbling, mirrored, rimmed, style
from vision.training.dice.photos import Box, Die

NONE = 6
"""The class of a die that shows no value: rolling or leaning."""
_HIDDEN = 0.15
"""Share of throws of dice of about their ground's colour."""
_G = 0.26
_SPOTS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (-1, 1), (1, 1), (0, 0)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
_DIAGONAL = np.array([(1, s, 0) for s in (1, -1)] + [(1, 0, s) for s in (1, -1)]
                     + [(0, 1, s) for s in (1, -1)], np.float32)  # fmt: skip


@dataclass(frozen=True)
class Pose:
    """How a die lies and is seen.

    Attributes:
        view: degrees between the camera's ray and the plumb line; 0 from above.
        yaw: turn about the plumb line, degrees.
        lean: turn about a lying line, degrees; ``lean_way`` is that line's direction.
        far: distance of the camera in edges.
    """

    view: float = 0.0
    yaw: float = 0.0
    lean: float = 0.0
    lean_way: float = 0.0
    far: float = 30.0


def _turn(axis: np.ndarray, degrees: float) -> np.ndarray:
    turned = cv2.Rodrigues((axis * np.deg2rad(degrees)).astype(np.float64))[0]
    return np.asarray(turned, np.float64)


def _strike(
    o: np.ndarray, v: np.ndarray, ball: float, cut: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where rays o + t v (N, 3) enter and leave the body, and whether they meet it."""
    near = np.full(len(v), -1e9, np.float32)
    far = np.full(len(v), 1e9, np.float32)
    faces = [(v[:, i], o[..., i], 0.5) for i in range(3)]
    if cut > 0:
        faces += [(v @ d, o @ d, 1.0 - cut) for d in _DIAGONAL]
    for speed, start, half in faces:
        safe = np.where(np.abs(speed) < 1e-6, np.float32(1e-6), speed)
        a, b = (-half - start) / safe, (half - start) / safe
        near = np.maximum(near, np.minimum(a, b))
        far = np.minimum(far, np.maximum(a, b))
    half_b = (o * v).sum(-1)
    inside = half_b**2 - ((o * o).sum(-1) - ball**2)
    root = np.sqrt(np.maximum(inside, 0))
    near, far = np.maximum(near, -half_b - root), np.minimum(far, -half_b + root)
    return near, far, (inside > 0) & (near < far)


def _pips(
    p: np.ndarray, numbers: np.ndarray, make: Style
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pips over points on the body (N, 3).

    Returns which number's pip covers them (0: none), its shade, and how the point lies to the
    pip's middle (N, 3), in its radii.
    """
    size = np.abs(p)
    axis = size.argmax(1)
    rows = np.arange(len(p))
    value = numbers[axis, (p[rows, axis] > 0).astype(int)]
    flat = (axis + 1) % 3, (axis + 2) % 3
    uv = np.stack((p[rows, flat[0]], p[rows, flat[1]]), 1)
    covered = np.zeros(len(p), np.int8)
    off = np.zeros((len(p), 2), np.float32)
    for number in np.unique(value):
        mine = value == number
        w = uv[mine]
        hit = np.zeros(len(w), bool)
        lies = np.zeros((len(w), 2), np.float32)
        radius = make.radius * (make.one if number == 1 else 1.0)
        for a, b in _SPOTS[int(number)]:
            c = w - np.array((a * _G * make.spread, b * _G * make.spread), np.float32)
            r = np.sqrt((c * c).sum(1))
            here = r < radius
            if number == 1 and make.emblem == 1:
                here |= np.abs(r - 0.27) < 0.045
            elif number == 1 and make.emblem == 2:
                here = np.abs(r - 0.22) < 0.07
            elif number == 1 and make.emblem == 3:
                here = r < 0.16 + 0.1 * np.cos(5 * np.arctan2(c[:, 1], c[:, 0]))
            hit |= here
            lies[here] = c[here] / radius
        covered[mine] = np.where(hit, number, 0)
        off[mine] = lies
    slope = np.zeros_like(p)
    slope[rows, flat[0]], slope[rows, flat[1]] = off[:, 0], off[:, 1]
    return covered, off.sum(1), slope


@dataclass(frozen=True)
class Drawn:
    """A drawn die: colours (n, n, 3), cover (n, n), its box in pixels, and its class."""

    colour: np.ndarray
    cover: np.ndarray
    box: Box
    kind: int


def _numbers(rng: np.random.Generator, value: int) -> np.ndarray:
    """Numbers of the six faces (axis, minus or plus) with ``value`` up; opposite ones sum to 7."""
    others = [n for n in (1, 2, 3) if n not in (value, 7 - value)]
    rng.shuffle(others)
    rows = [(n, 7 - n) if rng.random() < 0.5 else (7 - n, n) for n in others]
    return np.array([*rows, (7 - value, value)])


def cast(rng: np.random.Generator, make: Style, pose: Pose, px: float, value: int) -> Drawn:
    """Draw one die whose edge is ``px`` pixels where it is seen straight on."""
    n = int(px * 2.1) + 4
    fine = 2
    m = n * fine
    step = np.float32(1 / (px * fine))
    line = (np.arange(m, dtype=np.float32) - (m - 1) / 2) * step
    t = np.deg2rad(pose.view)
    right = np.array((1, 0, 0), np.float32)
    up = np.array((0, np.cos(t), np.sin(t)), np.float32)
    towards = np.array((0, -np.sin(t), np.cos(t)), np.float32)
    turn = _turn(np.array((0.0, 0.0, 1.0)), pose.yaw)
    if pose.lean:
        way = np.deg2rad(pose.lean_way)
        turn = _turn(np.array((np.cos(way), np.sin(way), 0.0)), pose.lean) @ turn
    turn = turn.astype(np.float32)
    a, b = (g.reshape(-1) for g in np.meshgrid(line, -line))
    disc = np.nonzero(a * a + b * b < (make.ball + 0.08) ** 2)[0]
    rays = a[disc, None] * right + b[disc, None] * up - np.float32(pose.far) * towards
    rays /= np.sqrt((rays * rays).sum(1, keepdims=True))
    o = (np.float32(pose.far) * towards @ turn).astype(np.float32)
    v = rays @ turn
    near, far, met = _strike(o, v, make.ball, make.cut)
    near, far, v, hit = near[met], far[met], v[met], disc[met]
    p = o + near[:, None] * v
    numbers = _numbers(rng, value)
    covered, shade, slope = _pips(p, numbers, make)
    colour = np.repeat(make.body[None], len(hit), 0)
    if make.mixed:
        share = marbling(rng, make, m).reshape(-1)[hit][:, None]
        colour = colour * (1 - share) + make.second * share
    see = np.ones(len(hit), np.float32)
    if make.clear:
        back, _, _ = _pips(o + far[:, None] * v, numbers, make)
        ghost = (back > 0)[:, None] * np.float32(make.clear * 0.5)
        colour = colour * (1 - ghost) + make.pip * ghost
        depth = far - near
        see = 1 - np.float32(make.clear) * np.exp(-0.8 * depth)
    # light from above, one side brighter; rounded normals make the edges shine
    high, side = np.deg2rad(rng.uniform(25, 85)), rng.uniform(0, 2 * np.pi)
    lamp = np.array((np.cos(side) * np.cos(high), np.sin(side) * np.cos(high), np.sin(high)))
    steep = np.float32(np.sin(high))
    normal = p * (p * p) ** np.float32(rng.integers(2, 7))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True) + 1e-9
    if make.bowl:  # drilled pips
        normal = normal - np.float32(make.bowl) * slope
        normal /= np.linalg.norm(normal, axis=1, keepdims=True) + 1e-9
    own = (lamp @ turn).astype(np.float32)
    base = np.float32(rng.uniform(0.45, 0.85))
    bright = base + (1 - base) * np.maximum(normal @ own, 0) / steep
    bright = np.minimum(bright, 1.15)
    pip = np.repeat(make.pip[None], len(hit), 0)
    pip[covered == 1] = make.pip_one
    pip[covered == 4] = make.pip_four
    pip *= (1 + make.hollow * shade * rng.choice((-1, 1)))[:, None]
    on = covered > 0
    colour = np.where(on[:, None], pip, colour) * bright[:, None]
    see = np.where(on, np.maximum(see, 0.9), see)
    if make.gloss > 0.02:
        mirror = 2 * (normal @ own)[:, None] * normal - own
        spec = np.maximum(-(mirror * v).sum(1), 0) ** make.shine
        colour = colour + (255 * make.gloss * spec)[:, None]
    if make.mirror:
        away = (v - 2 * (v * normal).sum(1, keepdims=True) * normal) @ turn.T
        glint = mirrored(rng, away)
        colour = colour + (255 * make.mirror * glint)[:, None]
        see = np.maximum(see, glint * np.float32(make.mirror))
    if make.rim:
        colour = colour + (235 * rimmed(rng, make, p))[:, None]
    full = np.zeros((m * m, 3), np.float32)
    cover = np.zeros(m * m, np.float32)
    full[hit], cover[hit] = colour.clip(0, 255) * see[:, None], see
    ys, xs = hit // m, hit % m
    box = (xs.min() / fine, ys.min() / fine, (xs.max() + 1) / fine, (ys.max() + 1) / fine)
    full = full.reshape(n, fine, n, fine, 3).mean((1, 3))
    cover = cover.reshape(n, fine, n, fine).mean((1, 3))
    return Drawn(full, cover, box, NONE if abs(pose.lean) > 15 else value - 1)


def put(rng: np.random.Generator, canvas: Image, die: Drawn, x: float, y: float) -> Box:
    """Lay a die's middle at x, y with its shadow; returns its box on the canvas."""
    n = die.cover.shape[0]
    x0, y0 = round(x - n / 2), round(y - n / 2)
    h, w = canvas.shape[:2]
    reach = n // 4
    shadow = np.pad(die.cover, reach)
    away = rng.normal(0, 0.09, 2) * n
    shadow = cv2.warpAffine(shadow, np.array(((1, 0, away[0]), (0, 1, away[1])), np.float32),
                            shadow.shape[::-1])  # fmt: skip
    shadow = cv2.GaussianBlur(shadow, (0, 0), max(0.6, n * float(rng.uniform(0.01, 0.07))))
    dim = 1 - shadow * np.float32(rng.uniform(0, 0.6))
    blend(canvas, x0 - reach, y0 - reach, dim, None)
    blend(canvas, x0, y0, 1 - die.cover, die.colour)
    bx0, by0, bx1, by1 = die.box
    return (
        float(max(0.0, x0 + bx0)),
        float(max(0.0, y0 + by0)),
        float(min(w, x0 + bx1)),
        float(min(h, y0 + by1)),
    )


def blend(canvas: Image, x0: int, y0: int, keep: np.ndarray, add: np.ndarray | None) -> None:
    """Keep a share (h, w) of a canvas from x0, y0 on, and add colours (h, w, 3) as they show.

    What would lie beyond the canvas is left out.
    """
    h, w = canvas.shape[:2]
    a, b = max(0, -x0), max(0, -y0)
    c, d = min(keep.shape[1], w - x0), min(keep.shape[0], h - y0)
    if c <= a or d <= b:
        return
    part = canvas[y0 + b : y0 + d, x0 + a : x0 + c]
    out = part * keep[b:d, a:c, None]
    if add is not None:
        out += add[b:d, a:c]
    part[:] = out.clip(0, 255).astype(np.uint8)


def smear(
    rng: np.random.Generator, before: Image, after: Image, length: float
) -> Image:  # fmt: skip
    """What changed between two pictures as it looks while it moves by ``length`` pixels."""
    n = max(3, int(length))
    kernel = np.zeros((n, n), np.float32)
    a = rng.uniform(0, np.pi)
    c = (n - 1) / 2
    p = (round(c - c * np.cos(a)), round(c - c * np.sin(a)))
    q = (round(c + c * np.cos(a)), round(c + c * np.sin(a)))
    cv2.line(kernel, p, q, 1.0, 1)
    kernel /= kernel.sum()
    changed = (np.abs(after.astype(np.int16) - before).max(2) > 6).astype(np.float32)
    soft = cv2.filter2D(changed, -1, kernel)[..., None]
    moved = cv2.filter2D(after, -1, kernel)
    return (moved * soft + before * (1 - soft)).clip(0, 255).astype(np.uint8)


@dataclass(frozen=True)
class Unrest:
    """Share of drawn dice that move, and of the others that lean, sharp as they are."""

    moving: float = 0.09
    leaning: float = 0.1


def random_pose(rng: np.random.Generator, view: float, leaning: float) -> Pose:
    """A die at rest, flat; now and then one that leans."""
    lean = 0.0
    if rng.random() < leaning:
        lean = float(rng.uniform(24, 50))
    elif rng.random() < 0.15:
        lean = float(rng.uniform(0, 6))
    return Pose(view, float(rng.uniform(0, 360)), lean, float(rng.uniform(0, 360)),
                float(np.exp(rng.uniform(np.log(5), np.log(60)))))  # fmt: skip


def throw(
    rng: np.random.Generator,
    canvas: Image,
    px: float,
    count: int,
    view: float,
    first: tuple[float, float] | None = None,
    margin: float = 0.6,
    unrest: Unrest | None = None,
) -> list[Die]:
    """Lay up to ``count`` dice, some touching, on a canvas; their boxes and classes.

    Args:
        rng: chance.
        canvas: drawn on.
        px: edge of a die, pixels.
        count: of dice.
        view: degrees from the plumb line.
        first: where the first die lies; otherwise anywhere.
        margin: least distance from the canvas' edge, edges.
        unrest: how many of them move or lean; as usual where it is not told.
    """
    unrest = unrest or Unrest()
    h, w = canvas.shape[:2]
    # now and then the ground hides them
    ground = np.array(cv2.mean(canvas)[:3], np.float32) if rng.random() < _HIDDEN else None
    make = style(rng, ground)
    squeeze = max(0.6, float(np.cos(np.deg2rad(view))))
    spots: list[np.ndarray] = []
    for k in range(count):
        for _ in range(12):
            if k == 0 and first is not None:
                spot = np.array(first)
            elif spots and rng.random() < 0.5:
                a = rng.uniform(0, 2 * np.pi)
                reach = px * (rng.uniform(1.02, 1.45) if rng.random() < 0.7 else 1.8)
                spot = spots[rng.integers(len(spots))] + reach * np.array(
                    (np.cos(a), squeeze * np.sin(a))
                )
            else:
                m = margin * px
                spot = np.array((rng.uniform(m, w - m), rng.uniform(m, h - m)))
            free = all(
                np.hypot(*((spot - o) / (1, squeeze))) > px * 1.02 for o in spots
            )  # fmt: skip
            within = (0.2 * px < spot[0] < w - 0.2 * px) and (0.2 * px < spot[1] < h - 0.2 * px)
            if free and within:
                spots.append(spot)
                break
    # what lies farther is drawn first
    order = sorted(range(len(spots)), key=lambda i: spots[i][1])
    found: dict[int, Die] = {}
    for i in order:
        if rng.random() < 0.4:
            make = style(rng, ground)
        pose = random_pose(rng, view, unrest.leaning)
        moving = rng.random() < unrest.moving
        if moving:
            pose = replace(pose, lean=float(rng.uniform(0, 60)))
        die = cast(rng, make, pose, px * rng.uniform(0.95, 1.05), int(rng.integers(1, 7)))
        before = canvas.copy() if moving else None
        box = put(rng, canvas, die, float(spots[i][0]), float(spots[i][1]))
        kind = die.kind
        if moving and before is not None:
            canvas[:] = smear(rng, before, canvas, px * rng.uniform(0.4, 1.3))
            kind = NONE
        found[i] = (box, kind)
    return [found[i] for i in range(len(spots))]


def dome(rng: np.random.Generator, canvas: Image) -> None:
    """A clear cover: haze, rims and lamps mirrored in it."""
    h, w = canvas.shape[:2]
    layer = np.zeros((h, w), np.float32)
    size = max(h, w)
    for _ in range(rng.integers(1, 4)):
        c = (int(rng.uniform(-0.3, 1.3) * w), int(rng.uniform(-0.3, 1.3) * h))
        r = int(rng.uniform(0.2, 1.0) * size)
        start = float(rng.uniform(0, 360))
        cv2.ellipse(layer, c, (r, int(r * rng.uniform(0.7, 1.0))), 0, start,
                    start + float(rng.uniform(20, 200)), float(rng.uniform(0.15, 0.8)),
                    max(1, int(rng.uniform(0.004, 0.03) * size)))  # fmt: skip
    for _ in range(rng.integers(0, 3)):
        c = (int(rng.uniform(0, 1) * w), int(rng.uniform(0, 1) * h))
        a, b = int(rng.uniform(0.01, 0.08) * size), int(rng.uniform(0.01, 0.05) * size)
        cv2.ellipse(layer, c, (max(1, a), max(1, b)), float(rng.uniform(0, 180)), 0, 360,
                    float(rng.uniform(0.3, 1.0)), -1)  # fmt: skip
    soft = max(0.5, float(rng.uniform(0.002, 0.02)) * size)
    layer = np.asarray(cv2.GaussianBlur(layer, (0, 0), soft), np.float32)
    layer = (layer + np.float32(rng.uniform(0, 0.18)))[..., None].clip(0, 1)
    canvas[:] = (canvas * (1 - layer) + 245 * layer).astype(np.uint8)
