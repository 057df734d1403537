"""The made documents: up to date, right in their numbers, printable."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import cv2
import numpy as np
import pytest

from hardware.documents import mount, pins, sheet, wiring
from hardware.documents.__main__ import documents, main


def test_documents_are_up_to_date() -> None:
    assert main(["--check"]) == 0
    assert len(documents()) == 3


def test_every_pin_is_in_the_table_and_in_the_diagram() -> None:
    groups = pins.load()
    count = sum(len(g.pins) for g in groups)
    text = pins.PINS_H.read_text(encoding="utf-8")
    assert count == len(re.findall(r"^#define PIN_", text, re.MULTILINE)) == 40
    root = ET.fromstring(wiring.draw(groups))
    words = {t.text for t in root.iter("{http://www.w3.org/2000/svg}text")}
    page = pins.page(groups)
    for group in groups:
        for pin in group.pins:
            assert pin.board in words
            assert pin.what in words
            assert f"| {pin.board} | P{pin.port}{pin.bit} |" in page


def test_texts_of_the_diagram_fit_their_boxes() -> None:
    for group in pins.load():
        for pin in group.pins:
            assert len(pin.what) * 6.2 < wiring._BOX - 8, pin


def test_two_pins_on_one_bit_are_refused(tmp_path: Path) -> None:
    text = pins.PINS_H.read_text(encoding="utf-8").replace("PIN_BUZZER C, 7", "PIN_BUZZER C, 6")
    path = tmp_path / "pins.h"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="two pins at PC6"):
        pins.load(path)


def test_pixels_agree_with_the_architecture() -> None:
    """2160 lines over 900 mm: a 30 by 40 mm tile is about 72 by 96 pixels; a 20 by 28, 48 by 67."""
    bare = mount.Tiles("", 30, 40, 22, 900 - 2 * mount.MARGIN, 0, 0)
    assert mount.pixels(2160, bare, 30) == pytest.approx(72)
    assert mount.pixels(2160, bare, 40) == pytest.approx(96)
    assert mount.pixels(2160, bare, 28) == pytest.approx(67, abs=0.5)


def test_hidden_strip_by_a_ray() -> None:
    """The ray from the camera over the outer upper edge meets the felt where the strip ends."""
    height, top, outer = 1200.0, 40.0, 274.0
    end = outer + mount.hidden(height, top, outer)
    along = (height - top) / height
    assert end * along == pytest.approx(outer)


@pytest.mark.parametrize("name", sorted(sheet.PAPERS))
def test_printed_sheet_is_found_by_a_detector(name: str) -> None:
    """The rectangles of the PDF, drawn as pixels, are the board OpenCV expects, to its corners."""
    paper = sheet.PAPERS[name]
    scale = 6  # pixels a millimetre
    picture = np.full((int(paper.height * scale), int(paper.width * scale)), 255, np.uint8)
    data = sheet.pdf(paper).decode("latin-1")
    for x, y, w, h in re.findall(r"([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re f", data):
        left, bottom, width, height = (float(v) / 72 * 25.4 * scale for v in (x, y, w, h))
        top = picture.shape[0] - bottom - height
        rows = slice(round(top), round(top + height))
        picture[rows, round(left) : round(left + width)] = 0
    board = cv2.aruco.CharucoBoard(
        (paper.columns, paper.rows),
        paper.square,
        paper.marker,
        cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, sheet.DICTIONARY_NAME)),
    )
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(picture)
    assert len(ids) == (paper.columns - 1) * (paper.rows - 1)
    corners = corners.reshape(-1, 2)
    first = corners[0]
    along = {int(i): c for i, c in zip(ids.ravel(), corners, strict=True)}
    step = along[1] - along[0]
    assert np.hypot(*step) == pytest.approx(paper.square * scale, abs=0.5)
    assert (first >= 0).all()


def test_pdf_is_well_formed() -> None:
    data = sheet.pdf(sheet.PAPERS["a4"])
    assert data.startswith(b"%PDF-1.4")
    assert data.endswith(b"%%EOF\n")
    start = int(data.split(b"startxref\n")[1].split()[0])
    assert data[start : start + 4] == b"xref"
    for number, place in enumerate(re.findall(rb"(\d{10}) 00000 n", data), 1):
        assert data[int(place) :].startswith(b"%d 0 obj" % number)
