"""What a test needs beyond Python: there, or skipped with the reason, or (in CI) failed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest


def _missing(what: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing, and in CI nothing may be skipped", pytrace=False)
    pytest.skip(f"{what} is missing (see tests/tools.sh)")


def need_tool(name: str) -> str:
    """Path of a program."""
    path = shutil.which(name)
    if path is None:
        _missing(name)
    assert path is not None
    return path


def need_file(path: str) -> Path:
    """A file that a package brings."""
    if not Path(path).exists():
        _missing(path)
    return Path(path)


def shared_data(folder: str) -> Path:
    """A folder of the photographs and games that stand beside the project.

    They are never part of it; a checkout without them skips the tests that read them.
    """
    path = Path(__file__).resolve().parents[2] / "shared" / folder
    if not path.exists():
        _missing(f"../shared/{folder}")
    return path
