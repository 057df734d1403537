"""Every word the page can need stands in all three languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from playwright.sync_api import Browser

import table_controller
from firmware_bridge.readings import Phase
from table_controller.app.table.next_wall import Stage, Why
from table_controller.console.access import Role
from table_controller.console.forms import MachineForm
from table_controller.domain.alert_ids import ALERT_GROUPS
from table_controller.domain.alert_names import alert_title
from table_controller.domain.happenings import CallKind
from table_controller.domain.outputs import MoveKind
from table_controller.record.exports import FORMS
from table_controller.rulesets.loader import load, names
from table_controller.rulesets.model import Window
from table_controller.scoring.mcr.fans import fan_table
from table_controller.venue.orders.taking import BETWEEN_HANDS
from tests.table_controller.console.served import Served

ROOT = Path(table_controller.__file__).parent
STATIC = ROOT / "console" / "static"


@pytest.fixture(scope="module")
def words(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Any:
    served = Served(tmp_path_factory.mktemp("words"))
    page = browser.new_page()
    page.goto(served.server.url)
    loaded = page.evaluate(
        """async () => ({
          ...(await import('/static/words.js')).WORDS,
          fans: (await import('/static/words/fans-ja.js')).default,
        })"""
    )
    page.close()
    served.stop()
    return loaded


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shape(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return len(value)
    # The same {places} to fill in; nothing may be empty but what is empty everywhere.
    return bool(value), sorted(re.findall(r"{(\w+)}", value))


def test_all_languages_have_the_same_words(words: Any) -> None:
    assert shape(words["en"]) == shape(words["zh"]) == shape(words["ja"])


@cache
def source() -> str:
    rooms = ("app", "console")
    paths = (path for room in rooms for path in sorted((ROOT / room).rglob("*.py")))
    return "\n".join(path.read_text() for path in paths)


def stages() -> set[str]:
    found: set[str] = set()
    for name in names():
        ruleset = load(name)
        given = [rule.rulings for rule in ruleset.alerts.values()]
        given += [rule.rulings for rule in ruleset.entered.values()]
        found |= {one.stage for rulings in given for one in rulings if one.stage is not None}
    for folder in ("mcr", "riichi"):
        for path in (ROOT / "game" / folder).glob("*.py"):
            found |= set(re.findall(r'stage="([a-z_]+)"', path.read_text()))
    return found


def kinds() -> set[str]:
    text = (ROOT / "domain" / "happenings.py").read_text()
    return set(re.findall(r'kind: Literal\["([a-z_]+)"\]', text))


NEEDED: dict[str, Callable[[], set[str]]] = {
    "stage": stages,
    "happening": kinds,
    "windows": lambda: {window.value for window in Window},
    "why": lambda: {why.value for why in Why},
    "wall_stage": lambda: {stage.value for stage in Stage},
    "phase": lambda: set(get_args(Phase)),
    "role": lambda: {role.value for role in Role},
    "move": lambda: set(get_args(MoveKind)),
    "calls": lambda: set(get_args(CallKind)),
    "form": lambda: set(FORMS),
    "refused": lambda: set(re.findall(r'code ?= ?"([a-z_]+)"', source()))
    | set(re.findall(r'^ +"(no_seat|indivisible)"', source(), re.MULTILINE)),
    "order_word": lambda: set(get_args(MachineForm.model_fields["action"].annotation)),
    "hall_order": lambda: {kind.value for kind in BETWEEN_HANDS},
    "audited": lambda: {"sign-in", "sign-in refused", "sign-out", "call answered"},
    "group": lambda: {rule.group for name in names() for rule in load(name).entered.values()},
    "limit": lambda: {
        "mangan", "haneman", "baiman", "sanbaiman", "counted_yakuman", "yakuman",
    },
    "abort_reason": lambda: {
        "nine_terminals", "four_winds", "four_riichi", "four_kongs", "three_rons", "void",
    },
}  # fmt: skip


@pytest.mark.parametrize("part", NEEDED)
def test_nothing_the_program_says_is_without_a_word(words: Any, part: str) -> None:
    needed = NEEDED[part]()
    assert needed, "nothing was found to be needed: the search is broken"
    for lang in ("en", "zh", "ja"):
        assert needed - set(words[lang][part]) == set(), lang


def test_every_key_that_the_page_uses_exists(words: Any) -> None:
    index = (STATIC / "index.html").read_text()
    used: set[str] = set(re.findall(r'data-(?:t|label)="(\w+)"', index))
    for path in STATIC.glob("*.js"):
        text = path.read_text()
        used |= set(re.findall(r"\bwords\.([a-z_]+)\b", text)) - {"js"}
        used |= set(re.findall(r"\bw\(\)\.([a-z_]+)\b", text))
        if path.name != "acts.js":
            used |= set(re.findall(r"\bw\.([a-z_]+)\b", text))
    used -= {"name", "detail", "alerts", "found", "filter", "length"}  # of other things called so
    assert len(used) > 80
    for lang in ("en", "zh", "ja"):
        assert used - set(words[lang]) - {"seat"} == set(), lang


def test_every_alert_and_every_fan_has_its_japanese_name(words: Any) -> None:
    for ids in ALERT_GROUPS.values():
        for alert in ids:
            title = alert_title(alert)
            assert alert not in title.values(), alert
            assert all(title.values()), alert
    mcr = set(fan_table())
    assert mcr - set(words["fans"]["mcr"]) == set()
    text = (ROOT / "scoring" / "riichi" / "data" / "yaku.toml").read_text()
    riichi = set(re.findall(r'^id = "([a-z_]+)"', text, re.MULTILINE))
    assert riichi - set(words["fans"]["riichi"]) == set()
