"""What a training needs beside the project: said before anything begins, not hours later."""

from __future__ import annotations

import importlib
from pathlib import Path

from vision.training.pictures import fonts, sources

_DATA = ("art", "dice", "faces", "photos_autotable", "photos_homes")


def lacking(data: Path = sources.DATA, system: Path = fonts.FOLDER) -> list[str]:
    """What has to be there before anything is trained and is not, a line each.

    Args:
        data: folder of the photographs and drawings that teach.
        system: folder of the machine's fonts.
    """
    found = [f"{data / name}: no such folder" for name in _DATA if not (data / name).is_dir()]
    for font in (fonts.chinese, fonts.latin):
        try:
            font(system)
        except ValueError as error:
            found.append(str(error))
    try:
        importlib.import_module("cairosvg")
    except (ImportError, OSError) as error:
        found.append(f"cairosvg, which draws vector faces: {' '.join(str(error).split())}")
    return found
