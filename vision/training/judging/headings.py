"""The headings of the model card's figures, and which models each of them is about."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vision.training.pictures import groups, taught
from vision.training.pictures.taught import Art, Place, Taught

NAMES = ("finder", "reader", "dice", "pips")
SOFT = 24
"""Short side of a small face through a soft lens, pixels."""
FRAMES, ALL, FACELESS = "virtual table", "all photographs that were read", "pictures without faces"
READER_FOLD = "families that nothing taught: a reader of a fold, its weights not kept"
DRAWN_SETS = "drawn sets of seeds that taught nothing"
DRAWN_DICE, MOVING_DICE = "dice drawn", "dice drawn, all of them moving"
RENDERED_DICE = "dice virtual table"
THROWN_DICE = "dice thrown on the virtual table, as the table's eye tells them"
WITHOUT_DICE = "photographs of tiles that taught nothing: dice told, the tiles not looked at"
_AT_TABLE = (RENDERED_DICE, THROWN_DICE)
_DICE_FAMILIES = ("coloured", "mixed")


def face(art: Art, soft: int = 0) -> str:
    """Cut-out faces, as they are or at so many pixels through a soft lens."""
    return f"faces: {art}" + (f"; {soft} px, soft" if soft else "")


def composed(art: Art) -> str:
    """Composed scenes."""
    return f"composed scenes: {art}"


def enrolled(kind: str) -> str:
    """Photographed faces after enrolment; ``kind`` is an Art or DRAWN_SETS."""
    return f"enrolled, photographed faces: {kind}"


def enrolled_on_table(kind: str) -> str:
    """The virtual table after enrolment."""
    return f"enrolled on the virtual table: {kind}"


def photographs(place: Place, family: str = "") -> str:
    """A group of photographs; those that taught by their family."""
    return f"photographs: {family}, taught" if place is Place.TAUGHT else f"photographs: {place}"


def all_photographs(seen: Taught) -> tuple[str, ...]:
    """All groups of photographs, those that taught last."""
    new = (photographs(place) for place in Place if place is not Place.TAUGHT)
    return (*new, *(photographs(Place.TAUGHT, family) for family in seen.photographs))


def dice_apart(family: str) -> str:
    """The shipped nets' figures: known makes, photographs that taught nothing."""
    return f"dice {family} (known makes, photographs kept apart)"


def dice_fold(family: str) -> str:
    """A fold's figures: makes and cameras that nothing taught."""
    return f"dice {family} (makes that nothing taught: models of a fold)"


FOLDS = tuple(map(dice_fold, _DICE_FAMILIES))
"""Measured where the models of the folds are trained; their weights are not kept."""


def owned(name: str, seen: Taught) -> tuple[str, ...]:
    """The headings of the figures that are about a model, in the order of the card.

    Args:
        name: of the model.
        seen: what taught finder and reader.
    """
    if name in ("dice", "pips"):
        apart = map(dice_apart, _DICE_FAMILIES)
        return (*FOLDS, *apart, DRAWN_DICE, MOVING_DICE, *_AT_TABLE, WITHOUT_DICE)
    designs = (design for art in groups.ARTWORK.values() for design in art.designs)
    judged = seen.judged(designs).values()
    arts = [art for art in Art if art in judged]
    kinds = (*arts, DRAWN_SETS)
    on_table = tuple(map(enrolled_on_table, kinds))
    pictures = (*all_photographs(seen), ALL, FACELESS)
    if name == "finder":
        return (*on_table, FRAMES, *map(composed, arts), *pictures)
    faces = tuple(face(art, soft) for art in arts for soft in (0, SOFT))
    return (READER_FOLD, *faces, *map(enrolled, kinds), *on_table, FRAMES, *pictures)


def known(manifests: Mapping[str, Mapping[str, Any]], seen: Taught) -> dict[str, Any]:
    """Figures that stand in the manifests of all models that they are about, by heading.

    A newly exported model has none, so what was measured with the one before it is gone, though the
    other models of the heading still have it.
    """
    owners = {name: owned(name, seen) for name in NAMES}
    stood: dict[str, Any] = {}
    for title in dict.fromkeys(title for name in ("reader", *NAMES) for title in owners[name]):
        has = [manifests[name]["measured"].get(title) for name in NAMES if title in owners[name]]
        if has and has[0] is not None and all(one == has[0] for one in has):
            stood[title] = has[0]
    return stood


def seen_by(folder: Path) -> Taught:
    """What taught the finder and the reader of a folder."""
    return taught.of_models(folder, ("finder", "reader"))
