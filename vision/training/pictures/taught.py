"""What taught a model, as its manifest says, and what is new to it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from vision.training.pictures import groups, sources
from vision.training.pictures.groups import Part
from vision.training.pictures.sources import Photo


class Art(StrEnum):
    """How new a design that did not teach is to a model."""

    NEW = "artwork that no teaching set has"
    KNOWN = "artwork that a teaching set of another make has"


class Place(StrEnum):
    """How new a photograph is to a model."""

    NEW = "homes that nothing taught"
    NEW_SET = "known homes, sets that nothing taught"
    KNOWN = "known homes and sets, other photographs"
    TAUGHT = "taught"


@dataclass(frozen=True, slots=True)
class Taught:
    """What a model has seen.

    Attributes:
        designs: cut-out faces that taught.
        chose: designs by which temperature and thresholds were chosen.
        photographs: families of photographs of tiles that taught.
        homes_apart: homes whose photographs did not, whatever their family.
        grounds: families of photographs of dice that lay under drawn scenes and were "no face".
    """

    designs: tuple[str, ...]
    chose: tuple[str, ...]
    photographs: tuple[str, ...]
    homes_apart: tuple[str, ...]
    grounds: tuple[str, ...]

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Taught:
        """From ``training.taught`` of a manifest.

        Raises:
            KeyError: a part of it is not told.
        """
        names = ("designs", "chose", "photographs", "homes_apart", "grounds")
        return cls(*(tuple(raw[name]) for name in names))

    def by(self, photo: Photo) -> bool:
        """Whether this photograph taught."""
        return photo.family in self.photographs and photo.home not in self.homes_apart

    def knows(self, home: str) -> bool:
        """Whether a photograph of a home of :data:`.groups.HOMES` may have taught."""
        taught = home not in self.homes_apart
        return taught and not groups.families_of(home).isdisjoint(self.photographs)

    def judged(self, designs: Iterable[str]) -> dict[str, Art]:
        """Of these designs those that neither taught nor chose, and how new they are."""
        known = {groups.artwork_of(design) for design in self.designs}
        return {
            design: Art.KNOWN if groups.artwork_of(design) in known else Art.NEW
            for design in dict.fromkeys(designs)
            if design not in (*self.designs, *self.chose)
        }

    def places(self, photos: list[Photo]) -> list[Place]:
        """How new each of all photographs is."""
        homes = {photo.home for photo in photos if self.by(photo)}
        sets = {photo.home for photo in photos if self.by(photo) and photo.own_set}

        def place(photo: Photo) -> Place:
            if self.by(photo):
                return Place.TAUGHT
            if photo.home not in homes:
                return Place.NEW
            return Place.NEW_SET if photo.own_set and photo.home not in sets else Place.KNOWN

        return [place(photo) for photo in photos]


NEXT: Final = Taught(
    designs=groups.designs_of(Part.TRAIN),
    chose=groups.designs_of(Part.VALID),
    photographs=("homes-box", "homes-felt", "homes-hand", "autotable"),
    homes_apart=tuple(groups.HOMES),
    grounds=("mixed",),
)
"""What the next training is taught: whole groups, so that what judges is new to it."""


def photos() -> list[Photo]:
    """All labelled photographs of tiles."""
    return [photo for which in ("homes", "autotable") for photo in sources.photos(which)]


def teaching(seen: Taught = NEXT) -> list[Photo]:
    """The photographs that taught what has seen this, or that teach in the next training."""
    return [photo for photo in photos() if seen.by(photo)]


def together(rows: list[Taught]) -> Taught:
    """What any of these has seen: new is what is new to all of them."""

    def every(what: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one for row in rows for one in getattr(row, what)))

    apart = tuple(
        home for home in groups.HOMES
        if any(home in row.homes_apart for row in rows) and not any(row.knows(home) for row in rows)
    )  # fmt: skip
    return Taught(every("designs"), every("chose"), every("photographs"), apart, every("grounds"))


def of_models(folder: Path, names: Iterable[str]) -> Taught:
    """What any of these models has seen.

    Raises:
        KeyError: a manifest does not tell what taught its model.
    """
    manifests = [json.loads((folder / f"{name}.json").read_text("utf-8")) for name in names]
    return together([Taught.of(raw["training"]["taught"]) for raw in manifests])


def of_run(facts: dict[str, Any]) -> Taught:
    """What a training run and those that it started from have seen.

    Raises:
        KeyError: one of them does not tell.
    """
    own = Taught.of(facts["taught"])
    # what a model's file says of itself is of all runs that made it
    goes_on = facts.get("start") and "version" not in facts
    return together([own, of_run(facts["start"])]) if goes_on else own
