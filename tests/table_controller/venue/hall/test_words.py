"""What tables and hall say has a sentence in each language of the hall's page."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import table_controller.venue
from table_controller.record.journal import EntryKind
from table_controller.venue.messages import OrderKind, OrderState
from table_controller.venue.orders.taking import MODELS

ROOT = Path(table_controller.venue.__file__).parent
LANGUAGES = ("en", "zh", "ja")
WAITS = {"waits_hand", "waits_referee", "waits_hand_referee"}


def words(page: Page, file: str, name: str) -> Any:
    return page.evaluate(f"async () => (await import('/hall/{file}.js')).{name}")


def shape(value: Any) -> Any:
    """The same keys, and the same {places} to fill in."""
    if isinstance(value, dict):
        return {key: shape(value[key]) for key in sorted(value)}
    return bool(value), sorted(re.findall(r"{(\w+)}", value))


def test_all_languages_have_the_same_words(page: Page) -> None:
    for file, name in (("words", "HALL"), ("reasons", "WHY")):
        held = words(page, file, name)
        assert set(held) == set(LANGUAGES)
        for lang in LANGUAGES:
            assert shape(held[lang]) == shape(held["en"]), (file, lang)


def codes() -> dict[str, set[str]]:
    """The names of what is said, with the facts that are said with each, where they are written."""
    found: dict[str, set[str]] = {name: set() for name in WAITS}
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call):
                continue
            given = {one.arg: one.value for one in node.keywords}
            name = given.pop("code", None)
            if isinstance(node.func, ast.Name) and node.func.id == "said":
                name = node.args[1]
            facts = set() if None in given else {str(key) for key in given}
            if isinstance(name, ast.Constant):
                assert isinstance(name.value, str)
                found.setdefault(name.value, set()).update(facts)
            elif isinstance(name, ast.Name) and name.id == "what":
                found |= {"no_team": facts, "two_of_a_team": facts}
        rows = re.findall(r"(?:VALUES \(|SELECT )\$\d, '\w+', \$\d, '(\w+)', \$\d::json", text)
        found |= {code: set() for code in rows}
    return found


def test_everything_that_is_said_has_a_sentence(page: Page) -> None:
    said = codes()
    assert len(said) > 70, "the search is broken"
    held = words(page, "reasons", "WHY")
    assert set(said) - set(held["en"]) == set()
    unused = set(held["en"]) - set(said)
    assert unused == {"agreed", "played_back", "status_503"}


def test_a_sentence_asks_for_facts_that_are_said_with_it(page: Page) -> None:
    held = words(page, "reasons", "WHY")["en"]
    for code, facts in codes().items():
        if facts:
            wanted = set(re.findall(r"{(\w+)}", held[code]))
            assert wanted <= facts, code


def test_every_kind_and_state_has_a_word(page: Page) -> None:
    held = words(page, "words", "HALL")["zh"]
    assert {kind.value for kind in OrderKind} <= set(held["order"])
    assert {state.value for state in OrderState} | {"given"} <= set(held["answer"])
    assert {kind.value for kind in EntryKind} <= set(held["entry"])
    assert {kind.value for kind in MODELS} <= set(held["order"])
    kinds = set(re.findall(r"incident\(\s*[\w.]+, \"(\w+)\"", source()))
    kinds |= set(
        re.findall(
            r"\(table_name, kind, text[^)]*\) \"\s*\"(?:VALUES \(|SELECT )\$\d, '(\w+)'", source()
        )
    )
    assert kinds == {"gap", "fork", "quarantine", "refused", "relay", "room"}
    assert kinds <= set(held["incident"])


def source() -> str:
    return "\n".join(path.read_text() for path in sorted(ROOT.rglob("*.py")))


@pytest.mark.parametrize(
    ("one", "said"),
    [
        ({"code": "by_referee", "facts": {"by": "吴"}, "reason": "by the table's referee 吴"},
         "该桌裁判吴拒绝"),
        ({"code": "next_ruleset", "facts": {"ruleset": "mcr-1998", "agreed": "吴"}, "reason": "x"},
         "下一场起用 mcr-1998; 该桌裁判吴已同意"),
        ({"code": "agreed", "facts": {"agreed": "吴"}, "reason": "x"}, "该桌裁判吴已同意"),
        ({"code": "returned", "facts": {"models": ""}, "reason": "x"}, "已恢复为 程序自带"),
        ({"code": "decided", "facts": {"alert": "alert-0001", "action": "accept"}, "reason": "x"},
         "alert-0001：确认"),
        ({"code": "played_back", "facts": {"kind": "decision"}, "text": "x"},
         "裁决：重放的指令，已拒绝"),
        # The words of the table's own page are used for what its console refuses.
        ({"code": "meanwhile", "facts": {"who": "李"}, "reason": "x"},
         "李已在此期间作出裁定，请再看一次"),
        ({"code": "", "facts": {}, "reason": "from an older table"}, "from an older table"),
        ({"code": "", "facts": None, "reason": ""}, ""),
        ({"status": 503, "detail": "x"}, "数据库无法访问，请重试"),
    ],
)  # fmt: skip
def test_a_reason_in_the_pages_language(page: Page, one: dict[str, Any], said: str) -> None:
    shown = page.evaluate(
        """async (one) => {
          const { reason, WHY } = await import('/hall/reasons.js');
          const { HALL } = await import('/hall/words.js');
          const { WORDS } = await import('/static/words.js');
          return reason(one, { ...HALL.zh, why: WHY.zh }, WORDS.zh);
        }""",
        one,
    )
    accept = page.evaluate("async () => (await import('/static/words.js')).WORDS.zh.accept")
    assert shown == said.replace("确认", accept)
