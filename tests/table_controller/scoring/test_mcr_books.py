"""The examples of the sources: fan lists and totals as printed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from table_controller.scoring.hand import from_object
from table_controller.scoring.mcr import load_options, score

RULES = Path(__file__).parents[4] / "shared" / "rules"
FIELDS = {
    "hand",
    "melds",
    "win_tile",
    "self_drawn",
    "seat_wind",
    "round_wind",
    "flowers",
    "last_tile",
    "after_kong",
    "robbing_kong",
    "last_of_kind",
}


def _read(name: str) -> list[dict[str, Any]]:
    path = RULES / name
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


EXAMPLES = (
    [("mcr-2006-du", row) for row in _read("mcr-000-hands.jsonl") if row["check"] == "exact"]
    + [("mcr-2002-tianjin", row) for row in _read("mcr-003-hands.jsonl") if not row.get("suspect")]
    if RULES.is_dir()
    else []
)


@pytest.mark.skipif(not EXAMPLES, reason="the sources' examples are not at hand")
def test_examples_are_complete() -> None:
    assert len(EXAMPLES) == 106


@pytest.mark.parametrize(("ruleset", "row"), EXAMPLES, ids=[row["id"] for _, row in EXAMPLES])
def test_example_gives_the_printed_list(ruleset: str, row: dict[str, Any]) -> None:
    data = {key: row[key] for key in FIELDS}
    for which, wind in (row.get("assumed_winds") or {}).items():
        data[f"{which}_wind"] = data[f"{which}_wind"] or wind
    answer = score(from_object(data), load_options(ruleset))
    printed = Counter((fan["name_zh"], fan["value"]) for fan in row["fans"])
    counted = Counter({(fan.name_zh, fan.value): fan.count for fan in answer.fans})
    assert counted == printed
    assert answer.total == row["total"]
    assert answer.legal == row["legal_win"]
