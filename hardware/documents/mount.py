"""The camera mount worked out: height, lens, pixels a tile, and what a wall hides.

Camera over the centre of the surface, looking straight down; a square of ``surface + 2 margins``
must fit the short side of the picture. Lengths in millimetres.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, degrees, hypot

MARGIN = 60.0
"""Rail that must be seen beside the surface: hands come from there."""
SENSOR_LINE_MM = 0.00145
"""Pixel of a 1/2.8-inch 8-megapixel sensor (3840 by 2160)."""
SENSOR_LINES = 2160
HEIGHTS = (1000, 1200, 1500)
LINES = (1080, 1440, 2160)


@dataclass(frozen=True, slots=True)
class Tiles:
    """A table's tiles and the places of its walls and hands, mm from the centre."""

    name: str
    width: float
    height: float
    thickness: float
    surface: float
    wall: float
    hand: float

    @property
    def field(self) -> float:
        """Side of the square that must be seen."""
        return self.surface + 2 * MARGIN


TABLES = (
    Tiles("riichi 20 by 28 by 16", 20, 28, 16, 620, 200, 275),
    Tiles("medium 26 by 36 by 20", 26, 36, 20, 820, 256, 376),
    Tiles("Chinese 30 by 40 by 22", 30, 40, 22, 900, 290, 412),
)


def focal(height: float, tiles: Tiles) -> float:
    """Longest focal length (mm) that still sees the field from ``height`` above the surface."""
    return SENSOR_LINE_MM * SENSOR_LINES * height / tiles.field


def pixels(lines: int, tiles: Tiles, length: float) -> float:
    """Pixels of a length lying on the surface."""
    return lines * length / tiles.field


def hidden(height: float, top: float, outer: float) -> float:
    """Strip of felt (mm) hidden behind something ``top`` high whose outer edge is at ``outer``."""
    return top * outer / (height - top)


def shift(height: float, top: float, at: float) -> float:
    """How far (mm on the felt) the upper side of something seems to lie further out."""
    return top * at / (height - top)


def slant(height: float, tiles: Tiles) -> float:
    """Angle (degrees from straight down) at the far corner of the surface."""
    return degrees(atan(hypot(tiles.surface / 2, tiles.surface / 2) / height))


def page() -> str:
    """The document as Markdown."""
    out = [
        "# Camera mount",
        "",
        "Worked out by `python -m hardware.documents`; do not edit. One camera over the centre of",
        "the table, looking straight down; the short side of its picture takes the surface and",
        f"{MARGIN:.0f} mm of rail on each side.",
        "",
        "## Lens",
        "",
        "Longest focal length in mm for a 1/2.8-inch 8-megapixel sensor (choose the next shorter",
        "one on sale), and the angle from straight down at the corner of the surface.",
        "",
        "| tiles | surface | " + " | ".join(f"from {h} mm" for h in HEIGHTS) + " |",
        "|---|---|" + "---|" * len(HEIGHTS),
    ]
    for t in TABLES:
        cells = [f"{focal(h, t):.1f} mm, {slant(h, t):.0f}°" for h in HEIGHTS]
        out.append(f"| {t.name} | {t.surface:.0f} mm | " + " | ".join(cells) + " |")
    out += [
        "",
        "## Pixels a tile (width by length)",
        "",
        "Does not depend on the height once the lens fits.",
        "",
        "| tiles | " + " | ".join(f"{n} lines" for n in LINES) + " |",
        "|---|" + "---|" * len(LINES),
    ]
    for t in TABLES:
        cells = [f"{pixels(n, t, t.width):.0f} by {pixels(n, t, t.height):.0f}" for n in LINES]
        out.append(f"| {t.name} | " + " | ".join(cells) + " |")
    out += [
        "",
        "## What is hidden",
        "",
        "Strips of felt behind a wall (two tiles high) and behind a standing hand, and how far the",
        "top of a wall seems to lie outside of its foot, at the middle of a side. At a corner of",
        "the table all three grow with the distance from the centre, by up to 1.4.",
        "",
        "| tiles | camera at | behind the wall | behind the hand | top of the wall |",
        "|---|---|---|---|---|",
    ]
    for t in TABLES:
        for h in HEIGHTS:
            wall = hidden(h, 2 * t.thickness, t.wall + t.height / 2)
            hand = hidden(h, t.height, t.hand + t.thickness / 2)
            top = shift(h, 2 * t.thickness, t.wall)
            out.append(f"| {t.name} | {h} mm | {wall:.0f} mm | {hand:.0f} mm | {top:.0f} mm |")
    out += [
        "",
        "- Of the lower tile of a stack a sliver at most is seen; whether it is there, only the",
        "  presence sensors under the wall tell.",
        "- Behind the wall nothing lies in play: the strip is narrower than a tile and ends before",
        "  the melds. A tile that fell into it is found by the census of the four hands, not seen.",
        "- Faces of standing hands are turned away from a camera over the centre; it must not hang",
        "  over a player's side, where it would see them.",
        "- From 1000 mm a standing player's head may come into the picture; from 1500 mm a lamp",
        "  must not hang below the camera.",
        "",
        "## Fixing",
        "",
        "- Ceiling plate or a portal with feet outside of the chairs; never on the table itself.",
        "- Sway under 1 mm at the lens: 0.5 mm already moves a tile by 1 pixel at 2160 lines.",
        "- Exposure fixed at 1/100 s (50 Hz mains) or 1/120 s (60 Hz); focus and colour fixed.",
        "- Top of the picture towards side 2, so that side 0 is the bottom edge.",
    ]
    return "\n".join(out) + "\n"
