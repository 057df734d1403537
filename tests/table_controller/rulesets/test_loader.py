"""Ruleset files: complete, sourced, and refused where they contradict themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_controller.domain.alert_ids import ALERT_GROUPS
from table_controller.rulesets import BadRulesetError, load, names, parse
from table_controller.scoring.select import scorer

MCR = ["mcr-1998", "mcr-2006-du", "mcr-2002-tianjin"]
RIICHI_ONLY = {
    "dead-wall-draw", "swap-call", "riichi-not-rotated", "riichi-no-stick", "riichi-changed-hand",
    "riichi-illegal", "riichi-noten", "dead-wall-tile-exposed", "ura-dora-peeked",
    "wrong-indicator", "indicator-not-turned", "win-furiten", "nine-terminals-false",
}  # fmt: skip


def test_all_are_there() -> None:
    assert set(MCR) <= set(names())


@pytest.mark.parametrize("name", MCR)
def test_knows_every_alert_of_its_game(name: str) -> None:
    everything = {alert for group in ALERT_GROUPS.values() for alert in group}
    assert set(load(name).alerts) == everything - RIICHI_ONLY


@pytest.mark.parametrize("name", MCR)
def test_every_value_has_its_clause(name: str) -> None:
    rules = load(name)
    sections = ("equipment", "opening", "wall", "timers", "claims", "stop_win", "settlement",
                "false_win", "warnings", "session", "tournament")  # fmt: skip
    values = {
        f"{section}.{key}"
        for section in sections
        for key in type(getattr(rules, section)).model_fields
    }
    assert values - set(rules.clauses) == set()
    for rule in rules.alerts.values():
        assert rule.clause
        for entry in rule.rulings:
            assert entry.summary
            assert entry.summary_zh


@pytest.mark.parametrize("name", MCR)
def test_agrees_with_its_scoring(name: str) -> None:
    options = scorer(name).keywords["options"]  # type: ignore[attr-defined]
    assert options.minimum == load(name).settlement.minimum
    assert options.base == load(name).settlement.base


WALL = '[alerts.wall-break]\nclause = "x"\nrulings = [{summary="a", summary_zh="b"'
BASE = 'extends = "mcr-1998"\nname = "mine"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[timers]\npung_seconds = 3\n", "timers.pung_seconds"),
        ("colour = 3\n", "colour"),
        ('[alerts.no-such]\nclause = "x"\nrulings = [{summary="a", summary_zh="b"}]\n', "no-such"),
        ("[equipment]\nstacks_per_side = 17\n", "equipment.tiles"),
        ('[clauses]\n"timers.tea" = "x"\n', "timers.tea"),
        (
            WALL + ', count=1}, {summary="c", summary_zh="d", count=1}]',
            r"alerts\.wall-break\.rulings\[1\] contradicts alerts\.wall-break\.rulings\[0\]",
        ),
        (
            WALL + '}, {summary="c", summary_zh="d", count=1}]',
            r"rulings\[1\] with count contradicts alerts\.wall-break\.rulings\[0\]",
        ),
        (WALL + ', pay="each"}]', "pay = 'each' contradicts points = 0"),
        (WALL + ", play_along=true}]", "play_along = true contradicts stop_win = false"),
        ("[stop_win]\nbars = []\n", "stop_win.bars"),
        ("[tournament]\nstandard_points = [1]\n", "standard_points has 1"),
        ('extends = "no-such"\n', "no-such"),
        ("x = [\n", "mine"),
    ],
)
def test_refused_with_the_place(text: str, said: str) -> None:
    whole = text if text.startswith(("extends", "x =")) else BASE + text
    with pytest.raises(BadRulesetError, match=said):
        parse(whole, "mine.toml")


def test_a_variant_is_a_few_lines() -> None:
    rules = parse(BASE + '[timers]\ndiscard_s = 10\n[clauses]\n"timers.discard_s" = "local"\n')
    assert rules.timers.discard_s == 10
    assert rules.timers.pung_s == 3
    assert rules.clauses["timers.discard_s"] == "local"


def test_no_such_ruleset() -> None:
    with pytest.raises(BadRulesetError, match="there are"):
        load("mcr-1492")
    with pytest.raises(BadRulesetError, match=r"nowhere\.toml"):
        load("/nowhere.toml")


def test_a_federations_variant_from_public_texts() -> None:
    """Two small files: what differs in the rules, and in the values of fans."""
    rules = load("mcr-wmo-2006")
    assert "public texts" in rules.title
    assert rules.alerts == load("mcr-1998").alerts
    options = scorer("mcr-wmo-2006").keywords["options"]  # type: ignore[attr-defined]
    assert options.value("two_concealed_kongs") == 8
    assert options.value("exposed_and_concealed_kong") == 6
    assert options.value("two_melded_kongs") == 4


ENTERED = {
    # 000 Q28, Q35(3), Q38(5), Q163-Q166
    "mcr-1998": {"late", "late-more", "absent", "wrong-words", "tile-named", "cheating", "refusal"},
    "mcr-2006-du": {"late", "wrong-words", "pung-not-made", "pung-then-chow"},
    # 003 Q36, Q41, Q72, Q94
    "mcr-2002-tianjin": {"late", "fan-named-win", "slamming", "left-seat", "drinking"},
    # 002 9.2, 9.4 to 9.7, 9.15 to 9.18
    "riichi-xjtu-2025": {"tile-named", "not-declared", "slow", "illegal-information", "cheating"},
    "riichi-xjtu-2025-sanma": {"slow", "cheating"},
}


@pytest.mark.parametrize(("name", "offences"), ENTERED.items())
def test_what_no_camera_sees_can_be_entered(name: str, offences: set[str]) -> None:
    entered = load(name).entered
    assert offences <= set(entered)
    for rule in entered.values():
        assert any(letter.isdigit() for letter in rule.clause), rule.title
        assert all((rule.title, rule.title_zh, rule.title_ja))
        counts = [ruling.count for ruling in rule.rulings if ruling.count is not None]
        assert counts == list(range(1, len(counts) + 1))
        assert all(ruling.summary_zh for ruling in rule.rulings)


def test_an_offence_that_cannot_be_is_refused() -> None:
    with pytest.raises(BadRulesetError, match=r"entered\.wrong-words\.group"):
        parse(
            """
            extends = "mcr-1998"
            name = "x"
            title = "x"
            title_zh = "x"
            source = "x"
            [entered.wrong-words]
            group = "shouting"
            title = "x"
            title_zh = "x"
            title_ja = "x"
            clause = "1"
            rulings = [{ summary = "x", summary_zh = "x" }]
            """,
            "here",
        )


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_bytes('title_zh = "国标"'.encode("gb18030"))
    with pytest.raises(BadRulesetError, match=r"rules\.toml: not UTF-8 at byte 12"):
        load(str(path))
