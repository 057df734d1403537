"""Scenes of tiles as boxes under a pinhole camera, for the finder: any pose, exact corners.

This is not the virtual table: backgrounds, layouts, tile bodies and cameras vary wildly, and
the faces are photographed or drawn ones. Lengths are in widths of a tile.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image

Array = NDArray[np.float64]
FACE_UP, FACE_DOWN, STANDING = 0, 1, 2
SUPER = 2
"""The scene is drawn this many times finer and then averaged."""


@dataclass
class Tile:
    """Centre of the box, rotation (columns: its width, height and face axes), face texture."""

    centre: Array
    axes: Array
    face: Image | None


@dataclass
class Truth:
    """What there is to find.

    Attributes:
        quads: (N, 4, 2) corners in pixels; from the face's own top left where it shows one.
        posture: (N,) 0 face up, 1 face down, 2 standing.
        visible: (N,) share that is not covered; -1 where the tile is to be ignored.
        arms: (H, W) uint8, 1 where an arm covers.
        ignore: (H, W) uint8, 1 where nothing may be learned.
        shape: (N,) how far sides and angles can be trusted, 0..1; None: wholly.
    """

    quads: NDArray[np.float32]
    posture: NDArray[np.int64]
    visible: NDArray[np.float32]
    arms: Image
    ignore: Image
    shape: NDArray[np.float32] | None = None


@dataclass
class Look:
    """One tile set's body: height and thickness in widths, colours, depth of the two layers."""

    high: float
    deep: float
    body: Array
    back: Image
    layer: float


def _axes(yaw: float, posture: int, flip: float = 0.0) -> Array:
    """Rotation for a tile lying at ``yaw`` (radians) face up or down, or standing."""
    c, s = np.cos(yaw), np.sin(yaw)
    turn = np.array([(c, -s, 0), (s, c, 0), (0, 0, 1)])
    if posture == FACE_UP:
        local = np.eye(3)
    elif posture == FACE_DOWN:
        local = np.diag((-1.0, 1.0, -1.0))
    else:  # on its short edge: height up, face towards the player (local -y)
        local = np.array([(1, 0, 0), (0, 0, -1), (0, 1, 0)], float)
    lean = np.array([(1, 0, 0), (0, np.cos(flip), -np.sin(flip)), (0, np.sin(flip), np.cos(flip))])
    axes: Array = turn @ lean @ local
    return axes


class Composer:
    """Lays tiles out: rows, blocks, walls, standing hands, pools, scattered ones."""

    def __init__(self, rng: np.random.Generator, look: Look, radius: float) -> None:
        self.rng, self.look, self.radius = rng, look, radius
        self.tiles: list[Tile] = []
        self.taken: list[Array] = []

    def _free(self, centre: Array, yaw: float, w: float, h: float) -> bool:
        c, s = np.cos(yaw), np.sin(yaw)
        box = (
            np.array([(-w, -h), (w, -h), (w, h), (-w, h)]) / 2 @ np.array([(c, s), (-s, c)])
            + centre
        )
        for other in self.taken:
            if (
                cv2.intersectConvexConvex(box.astype(np.float32), other.astype(np.float32))[0]
                > 0.02
            ):
                return False
        self.taken.append(box)
        return True

    def group(self, kind: str, yaw: float) -> None:
        """Try to place one group of tiles somewhere free."""
        rng, look = self.rng, self.look
        gap = rng.choice((0.0, 0.015, 0.04, 0.12))
        if kind == "row":
            n, rows = int(rng.integers(2, 15)), 1
        elif kind == "block":
            n, rows = int(rng.integers(3, 10)), int(rng.integers(2, 6))
        elif kind == "wall":
            n, rows = int(rng.integers(3, 19)), 1
        elif kind == "hand":
            n, rows = int(rng.integers(2, 15)), 1
        elif kind == "meld":
            n, rows = int(rng.integers(3, 5)), 1
        else:
            n, rows = 1, 1
        step_x, step_y = 1 + gap, (look.deep if kind == "hand" else look.high) + gap
        wide, high = n * step_x + (0.5 if kind == "meld" else 0), rows * step_y
        for _ in range(6):
            centre = rng.uniform(-self.radius, self.radius, 2)
            if self._free(centre, yaw, wide, high):
                break
        else:
            return
        c, s = np.cos(yaw), np.sin(yaw)
        tidy = rng.choice((0.0, 0.01, 0.03))
        lying = int(rng.integers(0, n)) if kind == "meld" and rng.random() < 0.6 else -1
        down = kind == "wall" or (kind in ("single", "block", "row") and rng.random() < 0.15)
        two = kind == "wall" and rng.random() < 0.75
        back_side = kind == "hand" and rng.random() < 0.5
        drop = rng.random() < 0.3
        for r in range(rows):
            for i in range(n):
                if drop and rng.random() < 0.12 and n > 2:
                    continue
                x = (i + 0.5) * step_x - wide / 2 + rng.normal(0, tidy)
                y = (rows / 2 - r - 0.5) * step_y + rng.normal(0, tidy)
                turn = yaw + rng.normal(0, tidy) + (np.pi / 2 if i == lying else 0)
                if i == lying:
                    y -= (look.high - 1) / 2
                    x += 0.19
                elif 0 <= lying < i:
                    x += 0.38
                spot = np.array((x * c - y * s + centre[0], x * s + y * c + centre[1]))
                if kind == "hand":
                    flip = rng.normal(0, 0.01) + (
                        rng.uniform(-0.3, 0.1) if rng.random() < 0.03 else 0
                    )
                    around = turn + (np.pi if back_side else 0)
                    self._add(spot, look.high / 2, _axes(around, STANDING, flip))
                    continue
                posture = FACE_DOWN if down else FACE_UP
                if rng.random() < (0.02 if kind != "single" else 0.1):
                    posture = FACE_UP if down else FACE_DOWN
                if posture == FACE_UP and rng.random() < 0.12:
                    turn += np.pi
                low = _axes(turn, posture)
                if two:
                    self._add(spot, look.deep / 2, low)
                    spot = spot + rng.normal(0, tidy + 0.01, 2)
                    if rng.random() < 0.93:
                        self._add(spot, look.deep * 1.5, _axes(turn + rng.normal(0, tidy), posture))
                else:
                    self._add(spot, look.deep / 2, low)

    def _add(self, spot: Array, z: float, axes: Array) -> None:
        self.tiles.append(Tile(np.array((*spot, z)), axes, None))


def _texture(rng: np.random.Generator, look: Look, along: str) -> Image:
    """A side of the tile: the face's material above, the back's below (face at the top row)."""
    strip = np.empty((16, 8, 3), np.float32)
    cut = round(16 * look.layer)
    strip[:cut] = look.body * rng.uniform(0.85, 1.0)
    strip[cut:] = look.back.reshape(-1, 3).mean(0) * rng.uniform(0.8, 1.0)
    strip *= np.linspace(1.0, 0.85, 8, dtype=np.float32)[None, :, None] if along == "u" else 1.0
    return strip.clip(0, 255).astype(np.uint8)


class Camera:
    """Pinhole looking at the origin of the table."""

    def __init__(self, rng: np.random.Generator, size: int, unit: float, tilt: float) -> None:
        self.size = size
        far = rng.uniform(22, 60)
        self.focal = unit * far
        around, roll = rng.uniform(0, 2 * np.pi, 2)
        self.place = far * np.array(
            (np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt))
        )
        forward = -self.place / far
        side = np.cross(forward, (0.0, 0.0, 1.0))
        side = side / np.linalg.norm(side) if np.linalg.norm(side) > 1e-6 else np.array((1.0, 0, 0))
        down = np.cross(forward, side)
        c, s = np.cos(roll), np.sin(roll)
        self.turn = np.array((c * side + s * down, -s * side + c * down, forward))
        self.squeeze = np.eye(2)

    def squeezed(self, along: Array, factor: float) -> None:
        """Stretch the picture by ``factor`` along the image of a table direction, keep the area.

        Photographs are often stored in another shape than they were taken in.
        """
        a, b = self.project(np.array((np.zeros(3), (*along, 0.0))))
        u = (b - a) / max(1e-9, float(np.linalg.norm(b - a)))
        v = np.array((-u[1], u[0]))
        root = np.sqrt(factor)
        self.squeeze = root * np.outer(u, u) + np.outer(v, v) / root

    def project(self, points: Array) -> Array:
        """(…, 3) table points to pixels (…, 2)."""
        p = (points - self.place) @ self.turn.T
        pixels: Array = p[..., :2] / p[..., 2:] * self.focal @ self.squeeze.T + self.size / 2
        return pixels


def _corners(tile: Tile, look: Look) -> dict[str, Array]:
    """The six sides as (4, 3) corners, each from its texture's top left clockwise."""
    half = np.array((0.5, look.high / 2, look.deep / 2))
    u, v, n = (tile.axes[:, k] * half[k] for k in range(3))
    c = tile.centre
    return {
        "face": np.array((c - u + v + n, c + u + v + n, c + u - v + n, c - u - v + n)),
        "back": np.array((c + u + v - n, c - u + v - n, c - u - v - n, c + u - v - n)),
        "+u": np.array((c + u - v + n, c + u + v + n, c + u + v - n, c + u - v - n)),
        "-u": np.array((c - u + v + n, c - u - v + n, c - u - v - n, c - u + v - n)),
        "+v": np.array((c + u + v + n, c - u + v + n, c - u + v - n, c + u + v - n)),
        "-v": np.array((c - u - v + n, c + u - v + n, c + u - v - n, c - u - v - n)),
    }


_NORMALS = {
    "face": (2, 1),
    "back": (2, -1),
    "+u": (0, 1),
    "-u": (0, -1),
    "+v": (1, 1),
    "-v": (1, -1),
}


def _paint(
    canvas: Image,
    ids: NDArray[np.int16],
    quad: Array,
    texture: Image,
    shade: float,
    mark: int,
    chamfer: float,
) -> None:
    """Warp a texture into its quad; write ``mark`` into the id buffer."""
    size = canvas.shape[0]
    x0, y0 = np.floor(quad.min(0)).astype(int) - 1
    x1, y1 = np.ceil(quad.max(0)).astype(int) + 2
    x0, y0, x1, y1 = max(0, x0), max(0, y0), min(size, x1), min(size, y1)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    h, w = texture.shape[:2]
    local = (quad - (x0, y0)).astype(np.float32)
    m = cv2.getPerspectiveTransform(np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32), local)
    patch = cv2.warpPerspective(
        texture, m, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    mask = np.zeros(patch.shape[:2], np.uint8)
    if chamfer:
        k = chamfer
        poly = np.concatenate(
            [
                (local[i] * (1 - k) + local[i - 1] * k, local[i] * (1 - k) + local[(i + 1) % 4] * k)
                for i in range(4)
            ]
        )
    else:
        poly = local
    cv2.fillConvexPoly(mask, np.round(poly).astype(np.int32), 1)
    inside = mask > 0
    region = canvas[y0:y1, x0:x1]
    region[inside] = np.clip(patch[inside] * shade, 0, 255).astype(np.uint8)
    ids[y0:y1, x0:x1][inside] = mark


def render(
    rng: np.random.Generator, tiles: list[Tile], look: Look, camera: Camera, ground: Image
) -> tuple[Image, NDArray[np.int16], Truth]:
    """Draw the tiles onto the ground (supersampled) and say what there is to find."""
    size = camera.size
    canvas = ground
    ids = np.zeros((size, size), np.int16)
    _shadow(rng, tiles, look, camera, canvas)
    sun = np.array((rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), 1.0))
    sun /= np.linalg.norm(sun)
    ambient = rng.uniform(0.5, 0.8)
    order = sorted(
        range(len(tiles)), key=lambda i: -float(np.linalg.norm(tiles[i].centre - camera.place))
    )
    side_u, side_v = _texture(rng, look, "u"), _texture(rng, look, "v")
    quads: list[Array] = []
    posture, skip, marks = [], [], []
    for i in order:
        tile = tiles[i]
        sides = _corners(tile, look)
        seen = camera.place - tile.centre
        seen = seen / np.linalg.norm(seen)
        dots = {k: float(tile.axes[:, a] @ seen) * sign for k, (a, sign) in _NORMALS.items()}
        wanted, kind, unsure = "+v", STANDING, False
        if dots["face"] > 0.42:
            wanted, kind, unsure = "face", FACE_UP, dots["face"] < 0.52
        elif dots["back"] > 0.42:
            wanted, kind, unsure = "back", FACE_DOWN, dots["back"] < 0.52
        elif max(dots["face"], dots["back"]) > 0.33:
            unsure = True
        if kind == STANDING and dots["+v"] < 0.6:
            unsure = True
        centre = camera.project(tile.centre)
        if not (-80 < centre[0] < size + 80 and -80 < centre[1] < size + 80):
            continue
        for name, corners in sides.items():
            half = {
                "face": look.deep,
                "back": look.deep,
                "+u": 1,
                "-u": 1,
                "+v": look.high,
                "-v": look.high,
            }[name] / 2
            axis, sign = _NORMALS[name]
            middle = tile.centre + tile.axes[:, axis] * sign * half
            if (camera.place - middle) @ (tile.axes[:, axis] * sign) <= 0:
                continue
            texture = (
                tile.face
                if name == "face"
                else look.back
                if name == "back"
                else side_u
                if "u" in name
                else side_v
            )
            assert texture is not None, "a tile without its face"
            shade = (
                ambient + (1 - ambient) * max(0.0, float(tile.axes[:, axis] * sign @ sun)) * 1.25
            )
            mark = len(quads) + 1 if name == wanted else -1
            _paint(
                canvas,
                ids,
                camera.project(corners),
                texture,
                shade,
                mark,
                0.06 if name in ("face", "back") else 0.0,
            )
        quads.append(camera.project(sides[wanted]))
        posture.append(kind)
        skip.append(unsure)
        marks.append(i)
    n = len(quads)
    counts = np.bincount(ids[ids > 0].ravel(), minlength=n + 1)[1 : n + 1] if n else np.zeros(0)
    outlines = np.array(quads, np.float32).reshape(-1, 4, 2)
    area = np.array([max(1.0, cv2.contourArea(q)) for q in outlines]) if n else np.zeros(0)
    visible = (counts / area).clip(0, 1).astype(np.float32)
    visible = np.where(visible > 0.93, 1.0, visible).astype(np.float32)
    ignore = np.zeros((size, size), np.uint8)
    for k in range(n):
        if skip[k]:
            cv2.fillConvexPoly(ignore, np.round(outlines[k]).astype(np.int32), 1)
            visible[k] = -1
    truth = Truth(
        outlines, np.array(posture, np.int64), visible, np.zeros((size, size), np.uint8), ignore
    )
    return canvas, ids, truth


def _shadow(
    rng: np.random.Generator, tiles: list[Tile], look: Look, camera: Camera, canvas: Image
) -> None:
    """Soft shadows of the tiles on the ground."""
    if rng.random() < 0.15:
        return
    low = 4
    mask = np.zeros((camera.size // low, camera.size // low), np.uint8)
    drift = rng.uniform(-0.4, 0.4, 2)
    for tile in tiles:
        corners = np.concatenate(list(_corners(tile, look).values()))
        flat = corners.copy()
        flat[:, :2] += corners[:, 2:] * drift
        flat[:, 2] = 0
        hull = cv2.convexHull(np.round(camera.project(flat) / low).astype(np.int32))
        cv2.fillConvexPoly(mask, hull, 255)
    soft = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.5, 3))
    soft = cv2.resize(soft, (camera.size, camera.size))
    dark = 1 - soft.astype(np.float32)[..., None] / 255 * np.float32(rng.uniform(0.15, 0.6))
    canvas[:] = (canvas * dark).astype(np.uint8)
