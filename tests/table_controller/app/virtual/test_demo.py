"""``paiguan demo``: what it prints, and where it keeps its session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from table_controller.app.errors import RunError
from table_controller.app.table.terminal import open_screen
from table_controller.app.virtual.demo import Demo, DemoOptions, DemoReport, ruleset_of, summary
from table_controller.cli import app

FIGURES = {
    "frames": 9, "fps": 10.0, "look_ms_median": 50.0, "look_ms_p95": 80.0, "cpu": 0.5,
    "memory_mb": 300.0,
}  # fmt: skip


def shown(self: Demo) -> DemoReport:
    """What a run shows while it lasts and at its end."""
    screen = open_screen(lambda: 0.0, "virtual table", live=False)
    screen.note("camera top steady")
    report = DemoReport(comparison=None, figures=FIGURES, interrupted=False)
    summary(report, Console(highlight=False), kept=None)
    return report


def test_what_is_shown_stands_on_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Demo, "run", shown)
    done = CliRunner().invoke(app, ["demo"])
    assert "camera top steady" in done.stdout
    assert "9 frames" in done.stdout


def test_json_stands_alone_on_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Demo, "run", shown)
    done = CliRunner().invoke(app, ["demo", "--json"])
    assert json.loads(done.stdout)["figures"] == FIGURES
    assert "camera top steady" in done.stderr
    assert "9 frames" in done.stderr


def test_a_session_that_is_kept_is_not_gone_on_with(tmp_path: Path) -> None:
    journal = tmp_path / "session" / "journal.db"
    journal.parent.mkdir()
    journal.touch()
    with pytest.raises(RunError, match="holds a session already"):
        Demo(DemoOptions(keep=tmp_path, console=False, live=False)).run()


@pytest.mark.parametrize(
    ("text", "ruleset"),
    [
        ('ruleset = "riichi-xjtu-2025"\n', "riichi-xjtu-2025"),
        ("seed = 3\n", "mcr-1998"),
        ("no TOML", "mcr-1998"),
        (None, "mcr-1998"),
    ],
)
def test_a_scenario_is_played_by_the_rules_it_names(
    tmp_path: Path, text: str | None, ruleset: str
) -> None:
    """All were played by the usual ones: a riichi scenario was refused."""
    path = tmp_path / "one.toml"
    if text is not None:
        path.write_text(text)
    assert ruleset_of(path) == ruleset
