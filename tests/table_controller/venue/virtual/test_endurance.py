"""The long run at small size: all faults in turn, a table that is away, each minute kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from table_controller.venue.virtual.endurance import endure
from tests.table_controller.venue.conftest import need_servers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_a_minute_with_all_faults_in_turn(folder: Path) -> None:
    need_servers()
    out = folder / "endurance.jsonl"
    assert endure(8, 20.0, 1.5, out, folder / "endurance")
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    kinds = [line["kind"] for line in lines]
    assert kinds[0] == "began"
    assert kinds[-1] == "summary"
    assert kinds.count("fault") == kinds.count("mended") == 10
    assert "fault failed" not in kinds
    compared = next(line for line in lines if line["kind"] == "compared")
    summary = lines[-1]
    # The table that was away the whole time is among those compared.
    assert compared["wrong"] == 0
    assert compared["journals"] >= 8 + 7  # a round has begun at all but the one that was away
    assert summary["finished"]
    assert summary["entries"] > 1000
    assert summary["alerts"] > 10
    assert summary["alerts_unseen"] == 0, summary["unseen"]
    assert all(cores > 0 for cores in summary["cores"].values())
