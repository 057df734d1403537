"""``paiguan referee``: lines in, lines out; bad ones are named, the rest is answered."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from table_controller.domain.codec import to_line
from table_controller.game.engine import Engine
from table_controller.referee.command import judge_lines, referee
from table_controller.rulesets import BadRulesetError, load
from tests.table_controller.game.scenes import Scene, a_hand


def told(scene: Scene) -> str:
    return "".join(to_line(h) + "\n" for h in scene.said)


def run(text: str, ruleset: str = "mcr-1998") -> tuple[int, list[dict[str, object]], str]:
    out, err = io.StringIO(), io.StringIO()
    code = judge_lines(Engine(load(ruleset)), io.StringIO(text), "f.jsonl", out, err)
    return code, [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue()


def test_a_hand_is_answered_line_by_line() -> None:
    scene = a_hand(4)  # East sits at side 0
    code, lines, err = run(told(scene))
    assert (code, err) == (0, "")
    assert {line["type"] for line in lines} == {"move"}
    kinds = [line["move"] for line in lines]
    assert kinds[:4] == ["dice", "dice", "break", "deal"]
    assert {"draw", "discard", "flower", "chow", "pung", "kong"} <= set(kinds)
    kong = next(line for line in lines if line["move"] == "kong")
    assert kong["kong"] == "concealed"
    assert kong["tiles"] == ["back"] * 4
    assert all("t" in line and "type" in line for line in lines)


def test_an_alert_has_the_fields_of_the_contract() -> None:
    scene = Scene().start().reach(1, "touched").play().rounds(3)
    _, lines, _ = run(told(scene))
    [alert] = [line for line in lines if line["type"] == "alert"]
    assert {
        "t", "type", "id", "seat", "t_raised", "stage", "count", "confidence", "rule", "ruling",
        "evidence",
    } == set(alert)  # fmt: skip
    assert alert["rule"] == {"ruleset": "mcr-1998", "clause": "000 Q155(1)"}
    assert alert["t_raised"] >= alert["t"]  # type: ignore[operator]
    ruling = alert["ruling"]
    assert isinstance(ruling, dict)
    assert {"points", "payees", "stop_win", "warning", "remedy", "until", "until_text"} <= set(
        ruling
    )
    assert alert["evidence"]["happenings"][0]["kind"] == "tile_drawn"  # type: ignore[index]


BAD = [
    ('{"t": 1.0, "kind": "tile_discarded", "seat": 0, "tile": "10m"}', "tile"),
    ('{"t": 1.0, "kind": "tile_discarded", "seat": 4, "tile": "1m"}', "seat"),
    ('{"t": 1.0, "kind": "no_such"}', "kind"),
    ('{"t": "soon", "kind": "wall_raised", "stacks": [18,18,18,18]}', "t"),
    ('{"t": 1.0, "kind": "wall_raised", "stacks": [18,18,18]}', "stacks"),
    ('{"t": 1.0, "kind": "clock", "event": "paused", "colour": 1}', "colour"),
    ("[1, 2]", "not a JSON object"),
    ("{", "not JSON"),
]


@pytest.mark.parametrize(("line", "field"), BAD)
def test_a_bad_line_is_named_and_the_rest_answered(line: str, field: str) -> None:
    text = told(a_hand(4))
    first, rest = text.split("\n", 1)
    code, lines, err = run(f"{first}\n{line}\n{rest}")
    assert code == 2
    assert err.startswith("f.jsonl:2: ")
    assert field in err
    assert err.count("\n") == 1
    assert lines == run(text)[1]


def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hand.jsonl"
    file.write_text(told(a_hand(4)), encoding="utf-8")
    assert referee("mcr-2006-du", 0, file) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["move"] == "dice"
    assert referee("mcr-1998", 0, tmp_path / "none.jsonl") == 2
    assert "none.jsonl: No such file" in capsys.readouterr().err
    file.write_bytes(b"\xff\xfe\x00")
    assert referee("mcr-1998", 0, file) == 2
    assert "not UTF-8" in capsys.readouterr().err
    with pytest.raises(BadRulesetError):
        referee("mcr-0", 0, file)


def test_binary_noise_on_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    noise = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\x00"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", noise)
    assert referee("mcr-1998") == 2
    assert capsys.readouterr().err == "<stdin>: not UTF-8 text at byte 0\n"


def test_the_same_lines_give_the_same_answer() -> None:
    text = told(Scene().start().play().play(wait=2.0).rounds(6))
    assert run(text) == run(text)
