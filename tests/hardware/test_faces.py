from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from hardware.virtual_table.camera.faces import DESIGNS, FACES, Design, drawing, face_svg, picture
from hardware.virtual_table.camera.faces.__main__ import CONSOLE_TILES, export
from hardware.virtual_table.camera.faces.glyphs import STROKES, glyph
from hardware.virtual_table.camera.faces.primitives import HEIGHT, WIDTH, Area, Brush, Ellipse
from table_controller.domain.tiles import FLOWERS, KINDS, RED_FIVES


def test_every_tile_of_the_notation_has_a_face() -> None:
    assert set(FACES) == {tile.value for tile in (*KINDS, *RED_FIVES, *FLOWERS)}


def test_there_are_several_designs_that_differ() -> None:
    assert len(DESIGNS) >= 3
    for face in ("1m", "5m", "1p", "3p", "1s", "5z"):
        pictures = {picture(face, design, 60, 80).tobytes() for design in DESIGNS.values()}
        assert len(pictures) == len(DESIGNS), face


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_faces_stay_on_the_tile(design: Design) -> None:
    for face in FACES:
        for part in drawing(face, design):
            match part:
                case Area(points=points):
                    xs, ys = [x for x, _ in points], [y for _, y in points]
                case Ellipse(centre=(x, y), radii=(rx, ry), angle=angle):
                    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
                    wide, high = math.hypot(rx * c, ry * s), math.hypot(rx * s, ry * c)
                    xs, ys = [x - wide, x + wide], [y - high, y + high]
                case Brush(samples=samples):
                    xs = [x + s * w for x, _, w in samples for s in (-1, 1)]
                    ys = [y + s * w for _, y, w in samples for s in (-1, 1)]
            assert min(xs) >= 0, face
            assert max(xs) <= WIDTH, face
            assert min(ys) >= 0, face
            assert max(ys) <= HEIGHT, face


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_faces_can_be_told_apart_even_when_small(design: Design) -> None:
    """At the size of a tile in a 1080 line picture no two faces look alike."""
    small = {face: picture(face, design, 31, 43).astype(np.float64) for face in FACES}
    for a, b in combinations(FACES, 2):
        difference = np.sqrt(((small[a] - small[b]) ** 2).mean())
        assert difference > 12, (a, b, difference)


def test_only_the_blank_white_dragon_is_blank() -> None:
    for design in DESIGNS.values():
        for face in FACES:
            blank = np.ptp(picture(face, design, 60, 80).reshape(-1, 3), axis=0).max() == 0
            assert blank == (face == "5z" and design.white == "blank"), (design.name, face)


def test_unknown_face() -> None:
    with pytest.raises(ValueError, match="no such face"):
        drawing("9f", DESIGNS["classic"])


def test_characters_are_drawn_within_their_square() -> None:
    for character in STROKES:
        for part in glyph(character, 10.0, "#000000"):
            assert isinstance(part, Brush)
            for x, y, w in part.samples:
                assert x - w >= -6, character
                assert x + w <= 106, character
                assert y - w >= -6, character
                assert y + w <= 107, character


def test_svg_is_well_formed() -> None:
    for design in DESIGNS.values():
        for face in (*FACES, "back"):
            root = ET.fromstring(face_svg(face, design))
            assert root.attrib["viewBox"] == "0 0 300 400"
            colours = {element.attrib.get("fill") for element in root.iter()} - {None}
            assert len(colours) >= 1 if face in ("5z", "back") else len(colours) >= 2


def test_svgs_of_the_console_are_up_to_date(tmp_path: Path) -> None:
    """After a change of a drawing: ``python -m hardware.virtual_table.camera.faces``."""
    for path in export(tmp_path):
        kept = CONSOLE_TILES / path.name
        assert kept.is_file(), f"{path.name} is missing"
        assert kept.read_text(encoding="utf-8") == path.read_text(encoding="utf-8"), path.name
    assert {p.name for p in CONSOLE_TILES.glob("*.svg")} == {p.name for p in tmp_path.iterdir()}
