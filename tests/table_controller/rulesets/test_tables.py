"""The generated tables are current, complete and point to things that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from table_controller.rulesets import load, names
from table_controller.rulesets.tables import coverage_rows, described, listed, pages

ROOT = Path(__file__).parents[3]
DIGESTS = ROOT.parent / "shared" / "rules"


def test_pages_are_current() -> None:
    for name, text in pages().items():
        stored = (ROOT / "docs" / "rules" / name).read_text(encoding="utf-8")
        assert stored == text, f"run python -m table_controller.rulesets.tables docs/rules ({name})"


def test_rows_name_alerts_and_stages_that_exist() -> None:
    for row in coverage_rows("mcr"):
        ruleset = load("mcr-2002-tianjin" if row["source"] == "003" else "mcr-2006-du")
        alert, _, stage = row.get("what", "").partition("/")
        if row["kind"] == "alert":
            assert alert in ruleset.alerts, row
            stages = {entry.stage for entry in ruleset.alerts[alert].rulings}
            # A ruleset without stages of its own rules all stages alike.
            assert not stage or stage in stages or None in stages, row
        elif row["kind"] == "entered":
            assert alert == "other" or alert in ruleset.alerts, row
            assert row["note"]
        else:
            assert row["note"], row


def test_no_row_of_the_digests_is_left_out() -> None:
    if not DIGESTS.is_dir():
        pytest.skip("the digests do not lie beside the project")
    here = {(row["source"], row["id"]) for row in coverage_rows("mcr")}
    found: set[tuple[str, str]] = set()
    text = (DIGESTS / "mcr-000-digest.md").read_text(encoding="utf-8")
    found |= {("000", each) for each in re.findall(r"^\| ([A-H]\d\d) \|", text, re.MULTILINE)}
    text = (DIGESTS / "mcr-003-digest.md").read_text(encoding="utf-8")
    pattern = r"^\| (\d\d[a-z]?\d?|J\d\d) \|"
    found |= {("003", each) for each in re.findall(pattern, text, re.MULTILINE)}
    assert found == here


def test_rulesets_can_be_described() -> None:
    assert {each["name"] for each in listed()} == set(names())
    for name in names():
        data = described(name)
        assert data["alerts"]
        assert all(each["clause"] for each in data["alerts"].values())
