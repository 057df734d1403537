"""Which designs share their artwork and which photographs show one home, told by eye.

A split by name of design or by beginning of file name does not keep a set or a place apart: makers
sell one artwork under many names, and one home's photographs bear several beginnings. All designs
and photographs were looked at side by side; how alike they are in numbers stands in
docs/decisions/0341. Whole groups teach or judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Part(StrEnum):
    """What a group is for in the next training."""

    TRAIN = "train"
    VALID = "valid"  # temperature and thresholds
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Artwork:
    """Designs with the same pictures, whatever their inks, bodies and thickness of line."""

    part: Part
    designs: tuple[str, ...]


ARTWORK: Final[dict[str, Artwork]] = {
    # the same parrot and seasons; the plants of the three taobao-*bird* and -bold sets are redrawn
    "parrot": Artwork(
        Part.TRAIN,
        (
            "taobao-bold-wrapped",
            "taobao-greenbird-268a",
            "taobao-greenbird-268b",
            "taobao-thin-2bt",
            "white-blackgreen-crossdot",
            "white-bold-greenbird",
            "ymi-cream-flowerdot",
            "ymi-ivory-travel",
            "zizhu-cream",
        ),
    ),
    # the same dragons and seasons; the last shares its owl with american-black-owl. Dragons as
    # pictures have to be shown: nobody guesses them
    "american": Artwork(
        Part.TRAIN,
        ("american-artrageous", "american-black-owl", "american-blue-crane", "ymi-elvis-owl"),
    ),
    "potted plants": Artwork(Part.VALID, ("bone-peacock-pots", "vintage-bone-western")),
    "plants by number": Artwork(Part.TEST, ("white-blue-shoudot",)),
    # photographed red fives: the only ones whose whole set is kept apart
    "peacock": Artwork(Part.TEST, ("japanese-clean",)),
}

HOMES: Final[dict[str, tuple[str, ...]]] = {
    "white folding table": ("train/hand_005",),
    "glossy red rim": ("train/hand_003",),
    "red wood with a plate": ("train/hand_006",),
    "round brown table": ("train/hand_007",),
    "dark brown table": ("train/hand_008",),
    "walnut table": ("train/hand_009", "train/hand_010"),
    "beige laminate": ("train/hand_023", "train/hand_058", "train/421037392"),
    "teal felt with trays": (
        "train/385531680",
        "train/393113111",
        "train/393114544",
        "train/393122718",
        "train/399925676",
    ),
    "printed cloth": (
        "train/hand_059",
        "train/393128083",
        "train/403618770",
        "train/420233498",
        "train/420651073",
        "train/420728319",
        "train/421228375",
    ),
    "dark cloth": (
        "train/hand_012",
        "train/hand_013",
        "train/hand_014",
        "train/hand_015",
        "train/410042710",
        "train/418610692",
        "train/420444722",
        "train/420532826",
        "train/420632200",
        "train/420853321",
        "train/421044392",
        "train/421098484",
        "train/421109430",
    ),
    "black table": ("train/420253129",),
    # an automatic table with pink felt; some have its dome and the dice in it
    "pink felt": ("valid/IMG_27",),
    # no home, but the artwork of the designs that choose
    "catalogue pictures of bone sets": ("train/CcHsiIAqV", "train/bPYmhIXdh"),
}
"""Homes of few photographs, by the beginnings of their folder and name. All others show three
tables again and again (a green mat with a wooden rim above floor boards, the same mat with slots in
its rim, dark felt with a white rim), beside walls and sets that turn up at each of them."""

OWN_SETS: Final = (
    "train/hand_005",
    "train/hand_009",
    "train/hand_010",
    "train/hand_023",
    "train/hand_058",
)
"""Photographs of a set whose artwork no other home shows."""

TWICE: Final = ("train/hand_107",)
"""The same photograph as ``train/393160399``, under another name."""


def artwork_of(design: str) -> str:
    """The artwork of a design; a set without known relations is its own."""
    return next((name for name, art in ARTWORK.items() if design in art.designs), design)


def designs_of(part: Part) -> tuple[str, ...]:
    """The designs that are for this in the next training."""
    return tuple(d for art in ARTWORK.values() if art.part is part for d in art.designs)


def family_of(name: str) -> str:
    """How a photograph of a home came: a name of the data, not of a home."""
    if name.startswith("IMG_"):
        return "homes-box"
    if name.startswith("hand_"):
        return "homes-hand"
    return "homes-felt"


def families_of(home: str) -> set[str]:
    """The families of a home's photographs."""
    return {family_of(start.partition("/")[2]) for start in HOMES[home]}


def home_of(place: str) -> str:
    """The home of a photograph (``folder/name``); "" for the tables that many show."""
    return next((home for home, starts in HOMES.items() if place.startswith(starts)), "")


def stranger_to(design: str, sets: list[str]) -> str:
    """One of the sets, as far along in the list as can be, whose artwork is another one.

    Raises:
        ValueError: all have the artwork of ``design``.
    """
    first = sets.index(design) if design in sets else 0
    turned = sets[first + 1 :] + sets[:first]
    others = [other for other in turned if artwork_of(other) != artwork_of(design)]
    if not others:
        raise ValueError(f"{design}: no set of another artwork among {', '.join(sets)}")
    return others[-1]
