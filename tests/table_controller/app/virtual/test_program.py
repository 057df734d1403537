"""The virtual table as a program of its own: begun from anywhere, refusing in our words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from table_controller.app.errors import RunError
from table_controller.app.virtual.demo import DemoOptions, VirtualTable
from table_controller.app.virtual.program import run_virtual_table, why_ended
from table_controller.cli import app
from tests.processes import ends_with


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory where something lies that has the names of our packages."""
    for name in ("hardware", "table_controller", "models"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('not the program')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_working_directory_is_not_the_program(elsewhere: Path) -> None:
    said = run_virtual_table("--list-infractions", "--json", "--ruleset", "mcr-1998")
    assert list(json.loads(said)) == ["mcr-1998"]


def test_nor_is_it_for_the_demo(elsewhere: Path) -> None:
    switches = ("--size", "640x360", "--autostart", "60")
    table = VirtualTable(DemoOptions(switches=switches), elsewhere)
    table.stop()
    assert table.hello["cameras"]


_HOLDER = """
import sys, time
from pathlib import Path
from table_controller.app.virtual.demo import DemoOptions, VirtualTable
switches = ("--size", "640x360", "--autostart", "60")
table = VirtualTable(DemoOptions(switches=switches), Path(sys.argv[1]))
print(table.process.pid, flush=True)
time.sleep(60)
"""


def test_it_does_not_outlive_who_began_it(tmp_path: Path) -> None:
    """A bench ended by a signal left a virtual table that took a core from the next one."""
    holder = subprocess.Popen(
        [sys.executable, "-P", "-c", _HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert ends_with(holder)


def test_no_program_of_ours_is_begun_where_the_working_directory_comes_first() -> None:
    import table_controller
    import vision.apart

    begun = [
        f"{path}: {line.strip()}"
        for package in (table_controller, vision.apart)
        for path in Path(package.__path__[0]).rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if "sys.executable" in line and '"-P"' not in line
    ]
    assert not begun


CHOICES = r"--ruleset: invalid choice: 'foo' \(choose from 'mcr-1998', "


@pytest.mark.parametrize(
    "command",
    [
        ["demo", "--ruleset", "foo", "--no-console"],
        ["bench", "happenings", "--ruleset", "foo", "--hands", "1", "--mixed", "1"],
    ],
    ids=["demo", "bench"],
)
def test_a_ruleset_that_is_not_played_is_refused_in_the_words_of_the_command(
    command: list[str],
) -> None:
    with pytest.raises(RunError, match=f"^{CHOICES}"):
        CliRunner().invoke(app, command, catch_exceptions=False)


def test_a_scenario_that_cannot_be_played_is_named(tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text("colour = 1\n")
    said = f"^{re.escape(str(path))}: unknown key 'colour'$"
    with pytest.raises(RunError, match=said):
        CliRunner().invoke(app, ["demo", "--scenario", str(path)], catch_exceptions=False)


@pytest.mark.parametrize(
    ("code", "said", "reason"),
    [
        (1, "Traceback\nValueError: a: error: b\n", "it failed: ValueError: a: error: b"),
        (-9, "", "it failed: it said nothing"),
        (None, "\n", "it failed: it said nothing"),
        (2, "usage: p [-h]\np: error: argument --hands: no number\n", "--hands: no number"),
        (2, "virtual table: --speed: expected more than 0\n", "--speed: expected more than 0"),
    ],
)
def test_why_it_ended(code: int | None, said: str, reason: str) -> None:
    assert str(why_ended(code, said, "it failed")) == reason
