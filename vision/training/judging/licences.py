"""Where what teaches comes from and under which licence, for the model card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Source:
    """A folder of the data, or the fonts, as its owners state it."""

    folder: str
    what: str
    owner: str
    licence: str


SOURCES: Final = (
    Source(
        "faces",
        "faces cut from photographs of 16 sets",
        "product photographs collected in Camerash/mahjong-dataset",
        "repository MIT; the pictures are of third parties: internal use only",
    ),
    Source("faces", "`japanese-clean`", "kumokumo1653/MahjongDetector", "none stated"),
    Source(
        "photos_homes",
        "photographs of homes",
        "alanchoi00/mahjong_detection, from Roboflow "
        "riichimahjongdetection/chinese-mahjong-detection v4",
        "CC BY 4.0",
    ),
    Source(
        "photos_autotable",
        "photographs of automatic tables",
        "KimWongWL/MahjongClassifier, Datas/1",
        "CC BY 4.0",
    ),
    Source("dice", "photographs of dice", "Epanemu/GameDiceRecognition", "CC BY 4.0"),
    Source("dice", "photographs of dice", "nell-byler/dice_detection", "BSD-3"),
    Source("art", "fonts of whole tile sets", "I.Mahjong", "free for any use"),
    Source("art", "drawn tiles", "gl-mahjongtile", "Unlicense"),
    Source("art", "drawn riichi tiles", "FluffyStuff", "CC0"),
    Source(
        "fonts of the machine",
        "signs on drawn tiles",
        "fonts-arphic-ukai, -uming, -gkai00mp, -bkai00mp",
        "Arphic Public License",
    ),
    Source(
        "fonts of the machine",
        "signs on drawn tiles and grounds",
        "fonts-wqy-zenhei",
        "GPL 2 with the font exception",
    ),
    Source("fonts of the machine", "signs on drawn tiles", "fonts-noto-cjk", "OFL 1.1"),
    Source(
        "fonts of the machine",
        "Western indices",
        "fonts-dejavu-core",
        "Bitstream Vera licence",
    ),
)


def section() -> str:
    """The section of the model card."""
    rows = [f"| {s.folder} | {s.what} | {s.owner} | {s.licence} |" for s in SOURCES]
    return "\n".join(
        (
            "\n## What taught, and its licences\n",
            "As the owners state them. No picture, font or drawing of theirs is part of the",
            "project; whoever may not use weights that product photographs taught has to train",
            "without `faces`.\n",
            "| data | what | from | licence |",
            "|---|---|---|---|",
            *rows,
            "",
        )
    )
