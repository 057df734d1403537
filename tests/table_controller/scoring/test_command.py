"""``paiguan score``: answers, bad lines and exit codes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from table_controller.scoring.command import run_score

HAND = {
    "hand": ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "1p", "5z", "5z", "5z"],
    "win_tile": "1p",
    "from": "left",
    "flowers": 1,
}


def _run(path: Path, text: str, ruleset: str = "mcr-1998", **options: bool) -> tuple[int, str, str]:
    path.write_text(text, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    code = run_score(ruleset, path, out=out, err=err, **options)
    return code, out.getvalue(), err.getvalue()


def test_json_answers_one_a_line(tmp_path: Path) -> None:
    code, out, err = _run(tmp_path / "h.jsonl", json.dumps(HAND) + "\n", as_json=True)
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["legal"] is True
    assert answer["payments"] == [24 + answer["total"], -8, -8, -8 - answer["total"]]
    assert {"id", "name_zh", "name_en", "value", "count"} == set(answer["fans"][0])
    assert sum(fan["value"] * fan["count"] for fan in answer["fans"]) == answer["total"]
    assert answer["fans"][-1]["name_zh"] == "花牌"


def test_a_bad_line_is_named_and_the_rest_answered(tmp_path: Path) -> None:
    text = "\n".join([json.dumps(HAND), '{"hand":["1x"]}', "", "nonsense", json.dumps(HAND)])
    code, out, err = _run(tmp_path / "h.jsonl", text, as_json=True)
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 2
    assert [("error" in line) for line in lines] == [False, True, True, False]
    assert f"{tmp_path / 'h.jsonl'} line 2: " in err
    assert "line 4: not JSON" in err
    assert len(err.splitlines()) == 2


def test_people_see_fans_points_and_payments(tmp_path: Path) -> None:
    code, out, _ = _run(tmp_path / "h.jsonl", json.dumps(HAND))
    assert code == 0
    for word in ("清龙", "Pure Straight", "total", "winner", "left 上家"):
        assert word in out


@pytest.mark.parametrize(
    ("name", "ruleset", "message"),
    [("nowhere.jsonl", "mcr-1998", "No such file"), ("h.jsonl", "mcr-3000", "mcr-3000")],
)
def test_bad_usage(tmp_path: Path, name: str, ruleset: str, message: str) -> None:
    (tmp_path / "h.jsonl").write_text(json.dumps(HAND), encoding="utf-8")
    err = io.StringIO()
    assert run_score(ruleset, tmp_path / name, out=io.StringIO(), err=err) == 2
    assert message in err.getvalue()
    assert len(err.getvalue().splitlines()) == 1


def test_an_empty_file_and_binary_noise(tmp_path: Path) -> None:
    assert _run(tmp_path / "h.jsonl", "\n")[0] == 2
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe\x00")
    err = io.StringIO()
    assert run_score("mcr-1998", tmp_path / "b.jsonl", out=io.StringIO(), err=err) == 2
    assert "not UTF-8" in err.getvalue()


def test_binary_noise_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\x00"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", noise)
    err = io.StringIO()
    assert run_score("mcr-1998", out=io.StringIO(), err=err) == 2
    assert err.getvalue() == "paiguan: standard input: not UTF-8 at byte 0\n"
