"""The accounting itself: cases over all rulesets, verdicts kept from run to run."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.games import GAMES
from hardware.virtual_table.play.incidents import registry_of
from tests.table_controller.happenings import accounting
from tests.table_controller.happenings.accounting import Case, Verdict, dealt
from tests.table_controller.happenings.accounting_store import Store, fingerprint
from tests.table_controller.happenings.ideal_eye import PIXELS, UNSTEADY, Flaws


def test_every_id_has_so_many_cases_over_the_rulesets_that_know_it() -> None:
    listed = list(dealt("all", 8, 3, {}, 7000))
    by_id = Counter(case.name for case in listed)
    assert by_id.pop(None) == 3
    assert set(by_id) == {name for game in GAMES.values() for name in registry_of(game)}
    assert set(by_id.values()) == {8}
    assert all(
        case.name is None or case.name in registry_of(GAMES[case.ruleset]) for case in listed
    )
    everywhere = {case.ruleset for case in listed if case.name == "wrong-draw"}
    assert everywhere == set(GAMES)


def test_every_stage_is_asked_of_both_families() -> None:
    for name, stages in (
        ("wrong-deal", {"lifted", "seen", "all_seen"}),
        ("extra-draw", {"touched", "lifted", "seen", "taken"}),
        ("wrong-break", {"lifted", "seen", "taken"}),
    ):
        cases = [case for case in dealt(name, 60, 0, {}, 7000) if case.name == name]
        asked = {
            (GAMES[c.ruleset].family, accounting.asked(name, c.ruleset, c.seed)["stage"])
            for c in cases
        }
        assert asked == {(family, stage) for family in ("mcr", "riichi") for stage in stages}
        again = [accounting.asked(name, c.ruleset, c.seed + accounting.ANEW) for c in cases]
        assert again == [accounting.asked(name, c.ruleset, c.seed) for c in cases]


def test_only_a_hand_without_room_is_dealt_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> Director:
        raise KeyError("a fault of the table")

    monkeypatch.setattr(accounting, "Director", broken)
    with pytest.raises(KeyError):
        accounting.judge(Case("wrong-draw", 7000, "mcr-1998", {}))


def test_a_verdict_is_taken_again_by_the_same_code_only(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    case = Case("wrong-draw", 7000, "mcr-1998", {"noise_mm": 1.0})
    verdict = Verdict(case, happenings=(9, 8, 1), right=True, delay=0.5, missed=("alert x",))
    Store(path, Case, Verdict, "a").keep(case, verdict)
    assert Store(path, Case, Verdict, "a").verdict(case) == verdict
    assert Store(path, Case, Verdict, "b").verdict(case) is None
    assert Store(None, Case, Verdict).verdict(case) is None


def test_the_fingerprint_follows_the_code(tmp_path: Path) -> None:
    file = tmp_path / "part" / "a.py"
    file.parent.mkdir()
    file.write_text("x = 1\n")
    before = fingerprint(tmp_path, ("part",))
    file.write_text("x = 2\n")
    fingerprint.cache_clear()
    assert fingerprint(tmp_path, ("part",)) != before


@pytest.mark.parametrize(("name", "seed"), [("missed-draw", 8002), ("discard-missing", 9101)])
def test_whom_an_infraction_bars_claims_nothing_that_fate_had_arranged(
    name: str, seed: int
) -> None:
    """The truth did not name it, so a right alert counted as an invented one."""
    case = accounting.Case(name, seed, "mcr-2002-tianjin", {})
    director = Director(accounting.scenario(case))
    assert [alert.id for alert in accounting.truly(director).alerts] == [name]


@pytest.mark.parametrize(
    ("name", "seed", "ruleset", "flaws"),
    [
        # Tiles held over the felt counted as fallen once the fingers had moved on: a wall break.
        ("wrong-deal", 420006, "mcr-2002-tianjin", UNSTEADY),
        ("wrong-deal", 420008, "riichi-xjtu-2025-qixing", UNSTEADY),
        # The tile beside the one that was taken was told as lifted where it stood.
        ("draw-out-of-turn", 420017, "riichi-xjtu-2025", UNSTEADY),
        # Two tiles whose player goes home over them were told after his discard.
        ("claimed-tile-left", 1151004, "mcr-2002-tianjin", PIXELS),
        # Nobody's: the arm had gone to where the tile stood before its row was closed up.
        ("other-tile-exposed", 1641000, "mcr-2002-tianjin", PIXELS),
    ],
)
def test_cases_that_were_told_wrongly_once(
    name: str, seed: int, ruleset: str, flaws: Flaws
) -> None:
    verdict = accounting.judge(accounting.Case(name, seed, ruleset, asdict(flaws)))
    assert verdict.committed
    assert verdict.right
    assert verdict.invented == ()


def test_what_truly_happened_is_judged_alone(capsys: pytest.CaptureFixture[str]) -> None:
    accounting.main(["--ids", "dice-left,wrong-draw", "--cases", "2", "--legal", "1", "--truth"])
    told = capsys.readouterr()
    assert told.err == ""
    rows = [line.split()[:4] for line in told.out.splitlines()]
    assert ["dice-left", "2", "2", "100.0"] in rows
    assert ["wrong-draw", "2", "2", "100.0"] in rows


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--ruleset", "all", "--ids", "wrong-draw,tile-returned"], "nobody can commit tile-ret"),
        (["--ids", "riichi-noten"], "nobody can commit riichi-noten in mcr-1998"),
        (["--ruleset", "mcr-1997"], "--ruleset 'mcr-1997': there are all, mcr-1998"),
    ],
)
def test_an_unknown_id_or_ruleset_is_named_in_one_line(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        accounting.main(given)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err.splitlines()[-1]
