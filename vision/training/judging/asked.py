"""What was asked of the models beside what was measured: the first table of the model card."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from vision.training.judging import headings
from vision.training.pictures.taught import Art, Place

_NUMBER = re.compile(r"\((\d+(?:\.\d+)?)\)$")
"""``3 of 7 (42.86)``, ``15 (0.163)``."""
_FACED = re.compile(r"(\d+) with a face")
_NEW, _KNOWN = Place.NEW, Place.KNOWN
_PHOTOGRAPHS = (headings.photographs(_NEW), headings.photographs(_KNOWN))
_FACES = (headings.face(Art.NEW), headings.face(Art.KNOWN))
_SOFT = (headings.face(Art.NEW, headings.SOFT), headings.face(Art.KNOWN, headings.SOFT))
_SCENES = (headings.composed(Art.NEW), headings.composed(Art.KNOWN))
_ENROLLED = (headings.enrolled(Art.NEW), headings.enrolled(Art.KNOWN))
_TABLE = (headings.enrolled_on_table(Art.NEW), headings.enrolled_on_table(Art.KNOWN))


@dataclass(frozen=True, slots=True)
class Asked:
    """One figure that was asked for: where it stands, and from or up to where it is met.

    Attributes:
        what: in words.
        titles: headings of the figures: of what is new and of what is known otherwise, or one.
        path: keys below the heading.
        least: met from here on; None: met up to ``most``.
        most: met up to here.
    """

    what: str
    titles: tuple[str, ...]
    path: tuple[str, ...]
    least: float | None = None
    most: float = 0.0

    @property
    def bound(self) -> str:
        """As it was asked."""
        if self.least is not None:
            return f"≥ {self.least:g}"
        return f"≤ {self.most:g}" if self.most else "0"

    def met(self, number: float) -> bool:
        """Whether the figure is as good as asked."""
        return number >= self.least if self.least is not None else number <= self.most


ROWS: Final = (
    Asked("tiles of photographs found", _PHOTOGRAPHS, ("recall",), 99.3),
    Asked("what was found is a tile", _PHOTOGRAPHS, ("precision among the labelled",), 99),
    Asked(
        "oriented overlap, photographs with marked corners, median",
        _PHOTOGRAPHS,
        ("oriented overlap, marked corners, median",),
        0.88,
    ),
    Asked(
        "the same, 10th percentile",
        _PHOTOGRAPHS,
        ("oriented overlap, marked corners, 10th percentile",),
        0.75,
    ),
    Asked(
        "oriented overlap, composed scenes, median",
        _SCENES,
        ("oriented overlap, one look, median",),
        0.88,
    ),
    Asked(
        "the same, 10th percentile", _SCENES, ("oriented overlap, one look, 10th percentile",), 0.75
    ),
    Asked("34 kinds of photographs, among the found", _PHOTOGRAPHS, ("34 kinds", "right"), 99.5),
    Asked("the same, right of the sure", _PHOTOGRAPHS, ("34 kinds", "right of the sure"), 99.8),
    Asked("the same, sure", _PHOTOGRAPHS, ("34 kinds", "sure"), 92),
    Asked("which flower, photographs", _PHOTOGRAPHS, ("flowers", "right"), 85),
    Asked(
        "more than was asked: all faces of photographs, `?` counted as wrong",
        _PHOTOGRAPHS,
        ("kinds", "right"),
        99.5,
    ),
    Asked("exact photographs to 14 tiles", _PHOTOGRAPHS, ("exact to 14 tiles",), 90),
    Asked("exact photographs above", _PHOTOGRAPHS, ("exact above",), 75),
    Asked("34 kinds", _FACES, ("34 kinds", "right"), 99.5),
    Asked("34 kinds, 24 px, soft", _SOFT, ("34 kinds", "right"), 97),
    Asked("34 kinds, right of the sure", _FACES, ("34 kinds", "right of the sure"), 99.8),
    Asked("34 kinds, sure", _FACES, ("34 kinds", "sure"), 92),
    Asked("white dragons", _FACES, ("white dragons", "right"), 99),
    Asked("plain fives, none called red", _FACES, ("plain fives", "right"), 100),
    Asked("red fives, photographed", _FACES, ("red fives, photographed", "right"), 99),
    Asked(
        "the same, automatic tables, a reader that has not seen them",
        (headings.READER_FOLD,),
        ("red fives", "right"),
        99,
    ),
    Asked(
        "34 kinds, families of photographs that reader has not seen, `?` counted as wrong",
        (headings.READER_FOLD,),
        ("34 kinds", "right"),
        99.5,
    ),
    Asked("flower told from the 34", _FACES, ("flower told from the 34", "right"), 99),
    Asked("which flower", _FACES, ("flowers", "right"), 85),
    Asked(
        "which flower, new light, five frames",
        _ENROLLED,
        ("flowers, five frames, before", "right"),
        85,
    ),
    Asked("the same, enrolled", _ENROLLED, ("flowers, five frames, enrolled", "right"), 99.5),
    Asked(
        "34 kinds and red fives, five frames, enrolled, virtual table",
        _TABLE,
        ("34 kinds and red fives, five frames, enrolled", "right"),
        99.95,
    ),
    Asked(
        "wrong above 0.9, all photographs that were read",
        (headings.ALL,),
        ("wrong above 0.9",),
        most=0.1,
    ),
    Asked("faceless pictures with a face", (headings.FACELESS,), ()),
    Asked("backs found, virtual table", (headings.FRAMES,), ("backs found",), 99),
    Asked("backs told face up, virtual table", (headings.FRAMES,), ("backs told face up",)),
    *(
        Asked(
            f"values of dice and cameras unlike those that taught, `{family}`",
            (headings.dice_fold(family),),
            ("values right",),
            98,
        )
        for family in ("mixed", "coloured")
    ),
    Asked("values of dice, virtual table", (headings.RENDERED_DICE,), ("values right",), 99.5),
    Asked("dice read while they roll, virtual table", (headings.THROWN_DICE,), ("of these read",)),
    Asked("leaning dice read there", (headings.THROWN_DICE,), ("leaning dice read",)),
    Asked("moving dice read, drawn, one picture", (headings.MOVING_DICE,), ("of these read",)),
    Asked(
        "moving or leaning dice read, virtual table, one picture",
        (headings.RENDERED_DICE,),
        ("of these read",),
    ),
)
_HEAD = f"""
## Asked and measured

Per cent, but for overlaps and where none is allowed. What was missed or not measured is **bold**.
"New": {_NEW}; {Art.NEW}. "Known": {_KNOWN};
{Art.KNOWN}. What has no such halves stands under "new"; "–": nothing of the sort was kept
apart.

| what | asked | new | known |
|---|---|---|---|
"""


def value(told: Mapping[str, Any], title: str, path: tuple[str, ...]) -> float | None:
    """The number that stands there; None where nothing was measured."""
    if title == headings.FACELESS and title in told:
        return sum(int(n) for row in told[title].values() for n in _FACED.findall(row))
    found: Any = told.get(title)
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        number = _NUMBER.search(found)
        return float(number[1]) if number else None
    return float(found) if isinstance(found, int | float) else None


def _nothing_there(told: Mapping[str, Any], title: str, there: Collection[str]) -> bool:
    """Whether no design or photograph is under this heading: nothing can be measured."""
    return title not in there or told.get(title, {}).get("photographs") == 0


def section(told: Mapping[str, Any], there: Collection[str]) -> str:
    """The section of the model card.

    Args:
        told: all figures, by heading.
        there: headings under which something can be measured.
    """
    text = _HEAD
    for row in ROWS:
        cells = []
        for title in row.titles:
            if _nothing_there(told, title, there):
                cells.append("–")
                continue
            number = value(told, title, row.path)
            shown = "not measured" if number is None else f"{number:g}"
            cells.append(shown if number is not None and row.met(number) else f"**{shown}**")
        cells += [""] * (2 - len(cells))
        text += f"| {row.what} | {row.bound} | {' | '.join(cells)} |\n"
    return text
