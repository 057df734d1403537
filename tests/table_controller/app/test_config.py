"""Configurations that are refused, each with one line that names the place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware_bridge.port import BAUD
from table_controller.config import Config, ConfigError

GOOD = """
ruleset = "mcr-1998"
[table]
geometry = "geometry.toml"
[[camera]]
name = "overhead"
source = "0"
calibration = "calibration.toml"
"""


def load(folder: Path, text: str) -> Config:
    (folder / "geometry.toml").write_text("")
    (folder / "calibration.toml").write_text("")
    path = folder / "table.toml"
    path.write_text(text)
    return Config.load(path)


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    config = load(tmp_path, GOOD)
    assert config.table.geometry == tmp_path / "geometry.toml"
    assert config.camera[0].calibration == tmp_path / "calibration.toml"
    assert config.camera[0].source == "0"
    assert config.record.dir == tmp_path / "var/session"
    assert config.console.host == "127.0.0.1"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("ruleset", "rulesett"), "table.toml: rulesett: unknown key"),
        (('name = "overhead"', 'name = "overhead"\ncolour = 1'), "camera.0.colour: unknown key"),
        (("[table]", "[table]\nsurface_mm = -3"), "table.surface_mm: "),
        (('source = "0"', ""), "camera.0.source: missing"),
        (("[[camera]]", "[[cameras]]"), "cameras: unknown key"),
        (('"geometry.toml"', '"none.toml"'), "table.geometry: no such file"),
        (('"calibration.toml"', '"none.toml"'), "camera.0.calibration: no such file"),
        (('calibration = "calibration.toml"', ""), "camera.0 (overhead): not calibrated"),
        (('ruleset = "mcr-1998"', 'ruleset = "mcr-1998"\neast = 4'), "east: "),
        (('ruleset = "mcr-1998"', "ruleset ="), "not TOML"),
        (
            ("[[camera]]", '[console]\ntoken = "short"\n[[camera]]'),
            "console.token: ",
        ),
        (
            (
                "[[camera]]",
                '[[camera]]\nname="overhead"\nsource="1"\ncalibration="calibration.toml"\n[[camera]]',
            ),
            "is used twice",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, GOOD.replace(*change))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_line_is_as_fast_as_the_board_is_built(tmp_path: Path) -> None:
    makefile = Path(__file__).parents[3] / "hardware" / "firmware" / "Makefile"
    said = makefile.read_text(encoding="utf-8")
    (built,) = re.findall(r"^BAUD \?= (\d+)$", said, re.MULTILINE)
    assert load(tmp_path, GOOD).machine.baud == int(built)
    assert int(built) == BAUD


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        Config.load(tmp_path / "none.toml")


def test_the_example_names_only_known_keys(tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "docs" / "table.example.toml"
    config = load(tmp_path, example.read_text(encoding="utf-8"))
    assert config.ruleset == "mcr-1998"
