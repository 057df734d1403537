"""Random hands against PyMahjongGB; the full size is run by ``make oracle``."""

from __future__ import annotations

import pytest

from table_controller.scoring.mcr.fans import fan_table

pytest.importorskip("MahjongGB", reason="PyMahjongGB needs a compiler to be installed")

from tests.table_controller.scoring.oracle import compare_mcr


def test_national_rules_agree_with_the_other_program() -> None:
    report = compare_mcr(6_000, seed=20)
    assert report.unexplained == []
    assert report.explained == {}
    assert report.median_ms < 0.5
    # The comparison is worth something only where the fans occur.
    assert len(report.fans.keys() & {fan.zh for fan in fan_table().values()}) >= 80


@pytest.mark.parametrize("ruleset", ["mcr-2006-du", "mcr-2002-tianjin"])
def test_other_rulesets_differ_only_where_their_source_says_so(ruleset: str) -> None:
    report = compare_mcr(4_000, seed=21, ruleset=ruleset)
    assert report.unexplained == []
    assert report.explained
