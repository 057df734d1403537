"""Chapter 9 of source 002 is covered clause by clause, by alerts and rulings that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from table_controller.domain.alert_ids import ALERT_IDS
from table_controller.referee.rulings import Facts, propose
from table_controller.rulesets import load
from table_controller.rulesets.tables import coverage_rows

SOURCES = Path(__file__).parents[4] / "shared" / "rules" / "sources"
FAMILY = (
    "riichi-xjtu-2025",
    "riichi-xjtu-2025-qixing",
    "riichi-xjtu-2025-sanma",
    "riichi-xjtu-2025-relay",
)
NOT_RIICHI = {
    "dice-left",
    "flower-order",
    "flower-mistaken",
    "flower-returned",
    "discard-slow",
    "other-tile-exposed",
    "win-out-of-priority",
    "session-time-up",
}


def test_rows_name_alerts_and_stages_that_exist() -> None:
    ruleset = load("riichi-xjtu-2025")
    for row in coverage_rows("riichi"):
        alert, _, stage = row.get("what", "").partition("/")
        if row["kind"] == "alert":
            assert stage in {e.stage or "" for e in ruleset.alerts[alert].rulings}, row
        elif row["kind"] == "entered":
            assert alert == "other" or alert in ruleset.alerts, row
            assert row["note"]
        else:
            assert row["note"], row


def test_no_clause_of_chapter_nine_is_left_out() -> None:
    if not SOURCES.is_dir():
        pytest.skip("the sources do not lie beside the project")
    (path,) = SOURCES.glob("002_*.txt")
    text = path.read_text(encoding="utf-8")
    text = text[text.index("九、犯规与处罚\n9.1 ") if "九、犯规与处罚\n9.1 " in text else 0 :]
    clauses = set(re.findall(r"^(9\.\d+(?:\.\d)?) ", text, re.MULTILINE))
    groups = {clause.rpartition(".")[0] for clause in clauses if clause.count(".") == 2}
    assert clauses - groups <= {row["id"] for row in coverage_rows("riichi")}
    assert len(clauses) > 40


# 9.11.1, 9.11.2: alert, stage, what a seat that does not deal pays, warning, stop-win.
DRAWS = [
    ("wrong-replacement", "taken", 8000, False, False),  # 错牌是王牌堆中的牌
    ("wrong-replacement", "live", 0, True, False),  # 不是王牌堆中的牌
    ("missed-draw", "replacement", 8000, True, True),  # 应摸牌为岭上牌; 9.8.2
    ("missed-draw", "last", 8000, True, True),  # 海底牌
    ("missed-draw", None, 0, True, True),
]


@pytest.mark.parametrize(("alert", "stage", "points", "warning", "stop_win"), DRAWS)
def test_what_a_tile_drawn_wrongly_costs(
    alert: str, stage: str | None, points: int, warning: bool, stop_win: bool
) -> None:
    facts = Facts(stage=stage, dealer=0)
    ruling = propose(load("riichi-xjtu-2025"), alert, 1, facts, {})[1][1]
    assert (ruling.points, ruling.warning, ruling.stop_win) == (points, warning, stop_win)


@pytest.mark.parametrize("name", FAMILY)
def test_every_id_of_riichi_has_a_ruling_with_its_clause(name: str) -> None:
    ruleset = load(name)
    assert set(ruleset.alerts) == set(ALERT_IDS) - NOT_RIICHI
    for rule in ruleset.alerts.values():
        assert re.match(r"\d", rule.clause)
        assert all(entry.summary and entry.summary_zh for entry in rule.rulings)
