"""What the samples of an hour amount to."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from table_controller.app.measuring.endurance import Sample, endure, rows, slope
from table_controller.app.table import cost as costs
from table_controller.app.table.cost import Cost
from vision.process import memory_mb

pytestmark = pytest.mark.clocked


def samples(minutes: int, memory: float, per_hour: float, behind: float = 0.1) -> list[Sample]:
    return [
        {
            "minute": second / 60,
            "seconds": 10.0,
            "looks": 98,
            "cpu": 0.4,
            "behind_s": behind,
            "lag_s": behind - 0.05,
            "gap_s": 0.15,
            "memory_mb": memory + per_hour * second / 3600,
            "hands": second // 60,
            "alerts": 0,
            "load": 1.0,
        }
        for second in range(10, minutes * 60, 10)
    ]


def figures(taken: list[Sample]) -> dict[str, float]:
    return {row["what"]: row["value"] for row in rows(taken)}


@pytest.mark.parametrize("per_hour", [0.0, 5.0, 300.0, -40.0])
def test_growth_is_found(per_hour: float) -> None:
    told = figures(samples(60, 300.0, per_hour))
    assert told["memory grows by"] == pytest.approx(per_hour, abs=0.5)
    grown = told["memory at the end"] - told["memory at the start"]
    assert grown == pytest.approx(per_hour * 56 / 60, abs=2.0)


def test_one_jump_is_no_growth_but_the_peak() -> None:
    taken = [dict(sample) for sample in samples(60, 300.0, 0.0)]
    taken[100]["memory_mb"] = 900.0
    told = figures(list(taken))
    assert told["memory grows by"] == pytest.approx(0.0, abs=0.5)
    assert told["memory, peak"] == 900.0


def test_one_late_picture_counts() -> None:
    taken = [dict(sample) for sample in samples(10, 300.0, 0.0)]
    taken[50] |= {"behind_s": 0.7, "lag_s": 0.4}
    told = figures(list(taken))
    assert told["behind life, worst"] == 0.7
    assert told["behind life, 95% of the samples"] == 0.1
    assert told["behind what comes, worst"] == 0.4
    assert told["behind what comes, 95% of the samples"] == pytest.approx(0.05)
    assert told["pictures looked at"] == pytest.approx(9.8)


def test_false_alerts_are_named() -> None:
    taken = [dict(sample) for sample in samples(10, 300.0, 0.0)]
    taken[-1] |= {"alerts": 3, "raised": ["wrong-draw", "exposed-tile", "wrong-draw"]}
    told = rows(list(taken))[-1]
    assert (told["value"], told["limit"]) == (3, 0)
    assert told["note"] == "the hands are legal; wrong-draw 2; exposed-tile 1"


def test_nothing_measured_says_so() -> None:
    assert rows([])[0]["value"] == 0
    assert slope([(0.0, 1.0)]) == 0.0


def test_the_cost_of_a_window() -> None:
    cost, now = Cost(), time.time()
    for k, late in enumerate((0.1, 0.3, 0.1)):
        cost.looked("top", now - late - 0.2 * k, 0.004)
    cost.looked("side", now - 5.0, 0.006, now - 4.0)
    window = cost.window()
    assert window.looks == 4
    assert window.behind_s == pytest.approx(5.0, abs=0.2)
    assert window.lag_s == pytest.approx(4.0, abs=0.2)
    assert window.look_ms in (4.0, 6.0)
    assert 10 < window.memory_mb < 5000
    assert cost.window().looks == 0
    assert memory_mb() > 10
    assert cost.figures(4, [0.5, 0.7])["alert_s_p95"] == 0.7


def test_of_more_looks_than_are_kept_the_newest_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_KEPT", 8)
    cost, now = Cost(), time.time()
    for ms in range(1, 21):
        cost.looked("top", now - 0.1, ms / 1e3)
    assert cost.window().looks == 20
    cost.looked("top", now - 0.1, 0.1)
    assert (window := cost.window()).looks == 1
    assert window.look_ms == pytest.approx(100)
    assert cost.figures(21, [])["look_ms_median"] == pytest.approx(18)


def test_a_table_is_followed_live_and_every_sample_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_controller.app.measuring.endurance.SAMPLE_S", 1.0)
    store = tmp_path / "samples.jsonl"
    taken = endure("mcr-1998", 3, 0.06, store)
    assert [json.loads(line) for line in store.read_text().splitlines()] == taken
    assert len(taken) >= 2
    assert sum(sample["looks"] for sample in taken) > 3
    assert figures(taken)["memory, peak"] > 50
