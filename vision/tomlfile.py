"""TOML files that are read whole; every fault names the file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from vision.errors import VisionInputError


def read_toml(path: Path) -> dict[str, Any]:
    """What a file holds.

    Raises:
        VisionInputError: it cannot be read or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise VisionInputError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise VisionInputError(f"{path}: not TOML: {error}") from None
