"""Fonts of the machine that tiles are drawn with, for training only; none is shipped.

A set of tiles is drawn with one of the Chinese fonts that are there: the more there are, the more
designs are seen. Which ones were used stands beside the weights. PAIGUAN_FONTS names another folder
than the system's.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(os.environ.get("PAIGUAN_FONTS", "/usr/share/fonts"))
_CHINESE: Final = {
    "truetype/arphic/ukai.ttc": "fonts-arphic-ukai",
    "truetype/arphic/uming.ttc": "fonts-arphic-uming",
    "truetype/arphic-gkai00mp/gkai00mp.ttf": "fonts-arphic-gkai00mp",
    "truetype/arphic-bkai00mp/bkai00mp.ttf": "fonts-arphic-bkai00mp",
    "truetype/wqy/wqy-zenhei.ttc": "fonts-wqy-zenhei",
    "opentype/noto/NotoSerifCJK-Bold.ttc": "fonts-noto-cjk",
    "opentype/noto/NotoSansCJK-Bold.ttc": "fonts-noto-cjk",
    "opentype/noto/NotoSerifCJK-Regular.ttc": "fonts-noto-cjk",
}
"""Where a package of Debian puts them."""
_SIGNS: Final = "truetype/wqy/wqy-zenhei.ttc"
_LATIN: Final = "truetype/dejavu/DejaVuSerif-Bold.ttf"
_LATIN_PACKAGE: Final = "fonts-dejavu-core"


@cache
def chinese(folder: Path = FOLDER) -> tuple[str, ...]:
    """The Chinese fonts that are there.

    Raises:
        ValueError: there is none.
    """
    found = tuple(str(folder / name) for name in _CHINESE if (folder / name).exists())
    if not found:
        packages = ", ".join(dict.fromkeys(_CHINESE.values()))
        raise ValueError(f"{folder}: no Chinese font to draw tiles with; install one of {packages}")
    return found


@cache
def latin(folder: Path = FOLDER) -> str:
    """The font of Western indices.

    Raises:
        ValueError: it is not there.
    """
    if not (folder / _LATIN).exists():
        raise ValueError(f"{folder / _LATIN}: no such font; install {_LATIN_PACKAGE}")
    return str(folder / _LATIN)


def signs() -> str:
    """The font of printed signs: one that has most characters."""
    every = chinese()
    return next((path for path in every if path.endswith(_SIGNS)), every[-1])


def names() -> list[str]:
    """What was drawn with, by file."""
    return [Path(path).name for path in chinese()]


def missing(folder: Path = FOLDER) -> list[str]:
    """Packages of Chinese fonts that are not there."""
    return list(
        dict.fromkeys(pack for name, pack in _CHINESE.items() if not (folder / name).exists())
    )
