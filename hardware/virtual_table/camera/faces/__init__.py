"""Faces of the tiles: our own drawings, as SVG and as pixels.

The console and the virtual camera show the same pictures. ``python -m
hardware.virtual_table.camera.faces`` writes the SVGs of the console.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from hardware.virtual_table.camera.faces.designs import DESIGNS, Design
from hardware.virtual_table.camera.faces.flowers import flower
from hardware.virtual_table.camera.faces.primitives import Drawing, raster, svg
from hardware.virtual_table.camera.faces.suits import bamboo, characters, dots, honour
from hardware.virtual_table.camera.image import Image

FACES: Final[tuple[str, ...]] = (
    *(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)),
    *(f"{rank}z" for rank in range(1, 8)),
    "0m",
    "0p",
    "0s",
    *(f"{rank}f" for rank in range(1, 9)),
)
"""Every face that can be drawn, in the notation of the contract."""

__all__ = ["DESIGNS", "FACES", "Design", "drawing", "face_svg", "picture"]


def drawing(face: str, design: Design) -> Drawing:
    """The primitives of a face.

    Raises:
        ValueError: ``face`` is no face of a tile.
    """
    if face not in FACES:
        raise ValueError(f"no such face: {face!r}")
    number, suit = int(face[0]), face[1]
    red, rank = number == 0, number or 5
    match suit:
        case "m":
            return characters(rank, design, red=red)
        case "p":
            return dots(rank, design, red=red)
        case "s":
            return bamboo(rank, design, red=red)
        case "z":
            return honour(rank, design)
        case _:
            return flower(rank, design)


@lru_cache(maxsize=1024)
def picture(face: str, design: Design, width: int, height: int) -> Image:
    """A face as a BGR picture of the given size; ``back`` is the plain back."""
    if face == "back":
        return raster((), (width, height), design.back)
    return raster(drawing(face, design), (width, height), design.ground)


def face_svg(face: str, design: Design) -> str:
    """A face, or ``back``, as an SVG document."""
    if face == "back":
        return svg((), "back", design.back, "#0000002a")
    return svg(drawing(face, design), face, design.ground, design.edge)
