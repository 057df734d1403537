"""What a training needs is named before it begins."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from vision.training.lacking import lacking
from vision.training.pictures import fonts

FOLDERS = ("art", "dice", "faces", "photos_autotable", "photos_homes")
LATIN, CHINESE = "truetype/dejavu/DejaVuSerif-Bold.ttf", "truetype/wqy/wqy-zenhei.ttc"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name in FOLDERS:
        (tmp_path / "data" / name).mkdir(parents=True)
    return tmp_path / "data"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    for name in (LATIN, CHINESE):
        path = tmp_path / "fonts" / name
        path.parent.mkdir(parents=True)
        path.touch()
    return tmp_path / "fonts"


@pytest.fixture(autouse=True)
def cairo(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a training's alone, and is not there in tests."""
    monkeypatch.setattr(importlib, "import_module", lambda name: name)


def test_with_all_there_nothing_is_said(data: Path, system: Path) -> None:
    assert lacking(data, system) == []
    assert fonts.missing(system) == [
        "fonts-arphic-ukai",
        "fonts-arphic-uming",
        "fonts-arphic-gkai00mp",
        "fonts-arphic-bkai00mp",
        "fonts-noto-cjk",
    ]


def test_a_folder_of_the_data_that_is_not_there(data: Path, system: Path) -> None:
    (data / "faces").rmdir()
    assert lacking(data, system) == [f"{data / 'faces'}: no such folder"]


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        (CHINESE, "fonts: no Chinese font to draw tiles with; install one of fonts-arphic-ukai"),
        (LATIN, "DejaVuSerif-Bold.ttf: no such font; install fonts-dejavu-core"),
    ],
)
def test_fonts_that_are_not_there(data: Path, system: Path, gone: str, said: str) -> None:
    """Training broke off after hours with "cannot open resource"."""
    (system / gone).unlink()
    (line,) = lacking(data, system)
    assert said in line


def test_what_draws_vector_faces(data: Path, system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its library of the system may be missing where it was installed."""

    def fails(name: str) -> None:
        raise OSError(f"no library called\n{name} was found")

    monkeypatch.setattr(importlib, "import_module", fails)
    said = "cairosvg, which draws vector faces: no library called cairosvg was found"
    assert lacking(data, system) == [said]
