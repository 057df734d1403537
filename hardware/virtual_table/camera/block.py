"""A whole set laid out in a block under the camera, as a technician shows it for enrolment.

``python -m hardware.virtual_table.camera.block OUT.png`` writes such a picture. A tile of its own
look (marked, of another set) gets a face name of its own and a picture in ``Look.faces``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from hardware.virtual_table.camera.faces import DESIGNS
from hardware.virtual_table.camera.optics import Camera, overhead
from hardware.virtual_table.camera.renderer import Look, Renderer, random_look
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import Pose, Scene, TileBody

GEOMETRY: Final = Path(__file__).parents[1] / "data" / "geometry-mcr.toml"
SUITS: Final = tuple(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10))
HONOURS: Final = tuple(f"{rank}z" for rank in range(1, 8))
FLOWERS: Final = tuple(f"{rank}f" for rank in range(1, 9))
EMPTY: Final = ""
"""A place of the block in which no tile lies."""


def whole_set(tiles: int = 144, *, red: bool = False) -> list[str]:
    """The faces of a set of 144, 136 or 108 tiles in order; ``red``: one red five a suit."""
    kinds = SUITS if tiles == 108 else SUITS + HONOURS
    faces = [kind for kind in kinds for _ in range(4)]
    if red:
        for suit in "mps":
            faces[faces.index(f"5{suit}")] = f"0{suit}"
    return faces + (list(FLOWERS) if tiles == 144 else [])


def block(
    faces: Sequence[str],
    columns: int,
    layout: Layout,
    *,
    at: tuple[float, float] = (0.0, 0.0),
    angle: float = 0.0,
    loose_mm: float = 0.4,
    turned: float = 0.0,
    pose: Pose = Pose.FACE_UP,
    rng: np.random.Generator | None = None,
    t: float = 0.0,
) -> Scene:
    """Tiles side by side, row by row from the upper left.

    Args:
        faces: of the tiles; :data:`EMPTY` leaves a place free.
        columns: tiles in a row.
        layout: of the table; gives the tiles' size.
        at: middle of the block, table frame, mm.
        angle: of the whole block, degrees counter-clockwise.
        loose_mm: how exactly they were laid: standard deviation.
        turned: share of tiles that lie upside down.
        pose: which way up they lie.
        rng: for looseness and turns; always the same without.
        t: time of the scene, s.
    """
    rng = rng or np.random.default_rng(0)
    rows = math.ceil(len(faces) / columns)
    pitch = layout.tile_w + 2.2 * loose_mm, layout.tile_h + 2.2 * loose_mm
    a = math.radians(angle)
    tiles = []
    for key, face in enumerate(faces):
        u = (key % columns - (columns - 1) / 2) * pitch[0] + float(rng.normal(0, loose_mm / 2))
        v = ((rows - 1) / 2 - key // columns) * pitch[1] + float(rng.normal(0, loose_mm / 2))
        turn = 180.0 * bool(rng.random() < turned) + float(rng.normal(0, loose_mm))
        if face == EMPTY:
            continue
        x = at[0] + u * math.cos(a) - v * math.sin(a)
        y = at[1] + u * math.sin(a) + v * math.cos(a)
        tiles.append(TileBody(key, face, x, y, 0.0, angle + turn, pose))
    return Scene(t, tuple(tiles))


def photographs(
    scene: Scene, look: Look, layout: Layout, camera: Camera, *, count: int = 1, seed: int = 0
) -> list[np.ndarray]:
    """Frames of a scene that differ by the sensor's noise alone."""
    renderer = Renderer(camera, layout, look, seed)
    return [np.array(renderer.render(replace(scene, t=scene.t + k / 10))) for k in range(count)]


def main() -> None:
    """Write a picture of a whole set."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("out", type=Path)
    ask.add_argument("--tiles", type=int, choices=(108, 136, 144), default=144)
    ask.add_argument("--columns", type=int, default=18)
    ask.add_argument("--design", choices=sorted(DESIGNS), default="classic")
    ask.add_argument("--red", action="store_true", help="with red fives")
    ask.add_argument("--lines", type=int, choices=(1080, 2160), default=1080)
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--backs", action="store_true", help="face down")
    ask.add_argument("--missing", action="append", default=[], metavar="FACE")
    args = ask.parse_args()
    rng = np.random.default_rng(args.seed)
    layout = Layout.load(GEOMETRY)
    faces = [str(face) for face in rng.permutation(whole_set(args.tiles, red=args.red))]
    for face in args.missing:
        faces[faces.index(face)] = EMPTY
    look = replace(random_look(rng), design=DESIGNS[args.design])
    camera = overhead((args.lines * 16 // 9, args.lines))
    pose = Pose.FACE_DOWN if args.backs else Pose.FACE_UP
    scene = block(faces, args.columns, layout, angle=float(rng.normal(0, 2)), pose=pose, rng=rng)
    cv2.imwrite(str(args.out), photographs(scene, look, layout, camera, seed=args.seed)[0])


if __name__ == "__main__":
    main()
