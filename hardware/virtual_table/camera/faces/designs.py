"""Tile designs: the same faces in different hands.

Makers differ in colours, weight of the pen, the form of the characters, whether figures stand
in the corner, how the first of a suit looks and what the white dragon is. Each design sets all
of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Design:
    """One maker's look of the faces.

    Attributes:
        name: how it is chosen.
        ground: colour of the face, ``edge`` of its rim in the SVG, ``back`` of the back layer.
        red, green, blue, dark: the four paints.
        pen: width of the pen in hundredths of a character.
        brush: whether strokes swell like a brush or keep their width.
        wan: the character of the first suit, 萬 or 万; five: 五 or 伍.
        figures: figures and letters stand in the upper left corner.
        white: the white dragon: ``double`` or ``single`` frame, or ``blank``.
        dots: how a dot is filled: ``wheel``, ``rings`` or ``flower``.
        nodes: joints of a bamboo stick.
        bird: ``peacock``, ``sparrow`` or ``crane``.
    """

    name: str
    ground: str
    edge: str
    back: str
    red: str
    green: str
    blue: str
    dark: str
    pen: float
    brush: bool
    wan: str
    five: str
    figures: bool
    white: str
    dots: str
    nodes: int
    bird: str


DESIGNS: Final[dict[str, Design]] = {
    design.name: design
    for design in (
        Design(
            name="classic",
            ground="#f4f0e4",
            edge="#c9c2ae",
            back="#1c60a8",
            red="#b3202a",
            green="#14703f",
            blue="#1c2f7c",
            dark="#1b2350",
            pen=11.5,
            brush=True,
            wan="萬",
            five="伍",
            figures=False,
            white="double",
            dots="wheel",
            nodes=1,
            bird="peacock",
        ),
        Design(
            name="bold",
            ground="#faf8f2",
            edge="#cfccc4",
            back="#1f7a4d",
            red="#d3141c",
            green="#0a8a3a",
            blue="#0b3fb0",
            dark="#0a1d6a",
            pen=14.5,
            brush=True,
            wan="萬",
            five="五",
            figures=True,
            white="single",
            dots="rings",
            nodes=1,
            bird="sparrow",
        ),
        Design(
            name="plain",
            ground="#f1eee8",
            edge="#c4c0b6",
            back="#d9a32b",
            red="#a8262c",
            green="#1d6b45",
            blue="#253a6e",
            dark="#16181c",
            pen=8.5,
            brush=True,
            wan="万",
            five="五",
            figures=False,
            white="blank",
            dots="flower",
            nodes=2,
            bird="crane",
        ),
        Design(
            name="line",
            ground="#f6f3ea",
            edge="#c8c3b5",
            back="#7b2d52",
            red="#c01f33",
            green="#127a52",
            blue="#20418f",
            dark="#101418",
            pen=8.0,
            brush=False,
            wan="萬",
            five="五",
            figures=False,
            white="double",
            dots="rings",
            nodes=2,
            bird="sparrow",
        ),
    )
}
"""The designs by name."""
