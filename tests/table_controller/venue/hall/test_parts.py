"""The parts of the hall's page: what they show, and what a tap asks for."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

NAMES = "name\n赵一鸣\n钱雨桐\n"


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "gb18030", "gbk"])
def test_a_file_is_read_as_excel_wrote_it(page: Page, coding: str) -> None:
    read = page.evaluate(
        "async (bytes) => (await import('/hall/parts.js')).textOf(new Uint8Array(bytes))",
        list(NAMES.encode(coding)),
    )
    assert read == NAMES


DRAWN = """async ({ part, given, state, acts }) => {
  const parts = await import('/hall/parts.js');
  const { HALL } = await import('/hall/words.js');
  const { WORDS } = await import('/static/words.js');
  const asked = [], h = HALL.en, w = WORDS.en;
  const pictures = (one) => asked.push(['pictures', one.key]);
  const change = (...call) => asked.push(call);
  const able = acts ? { change, pictures, mine: () => false } : null;
  const panel = document.createElement('div');
  document.body.replaceChildren(panel);
  let shows = null;
  if (part === 'rounds') parts.roundPanel(panel, state, h, able);
  if (part === 'troubles') panel.append(...parts.troubles(state, h, able));
  if (part === 'queue') {
    const [[, told, build]] = parts.queueItems(state, h, w, 'en', able);
    panel.append(build());
    shows = JSON.stringify(told);
  }
  for (const button of panel.querySelectorAll('button')) {
    if (given.includes(button.textContent)) button.click();
  }
  return { text: panel.textContent, asked, shows };
}"""


def drawn(
    page: Page, part: str, state: dict[str, Any], *press: str, acts: bool = True
) -> dict[str, Any]:
    """What a part shows, and what was asked for by pressing these buttons."""
    empty: dict[str, Any] = {"tables": {}, "alerts": {}, "calls": {}, "orders": {}}
    empty |= {"chains": {}, "rounds": []}
    given = {"part": part, "given": list(press), "state": empty | state, "acts": acts}
    return dict(page.evaluate(DRAWN, given))


def rounds(state: str) -> dict[str, Any]:
    one = {"number": 3, "state": state, "source": "", "seats": {"T05": list("abcd")}, "hands": {}}
    return {"rounds": [one]}


def test_a_table_of_a_running_round_begins_it_again(page: Page) -> None:
    shown = drawn(page, "rounds", rounds("running"), "Begin again")
    assert shown["asked"] == [["/api/rounds/3/start", {"tables": ["T05"]}]]
    assert "Begin again" not in drawn(page, "rounds", rounds("running"), acts=False)["text"]
    for state in ("planned", "over"):
        assert "Begin again" not in drawn(page, "rounds", rounds(state))["text"]


def test_a_session_with_two_journals_is_decided_on(page: Page) -> None:
    chain = {"id": 9, "of_id": 7, "table": "T05", "branch": "8899aabb", "of_name": "00112233",
             "head": 5, "of_head": 50, "counts": False, "of_counts": True, "session": "r3-T05",
             "twice": True, "forked_at": None}  # fmt: skip
    shown = drawn(page, "troubles", {"chains": {"9": chain}}, "Let this one count")
    assert "Table T05: session r3-T05 has two journals" in shown["text"]
    assert shown["asked"] == [["/api/chains/9/counts"]]
    forked = {**chain, "twice": False, "forked_at": 12}
    assert "forked at entry 12" in drawn(page, "troubles", {"chains": {"9": forked}})["text"]


def test_pictures_can_be_asked_for_again_and_are_loaded_when_they_came(page: Page) -> None:
    alert = {"key": "alert-0001", "id": "false-win", "seat": 1, "t": 1.0, "got": 1.0, "chain": 1,
             "table": "T05", "hand_id": "x", "files": ["T05/x/alert-0001/before.jpg"],
             "decision": None, "ruling": {}}  # fmt: skip
    alerts = {"alerts": {"1-alert-0001": alert}}
    before = drawn(page, "queue", alerts, "Get the pictures")
    assert before["asked"] == [["pictures", "alert-0001"]]

    def with_order(state: str, table: str) -> str:
        order = {"id": "a" * 32, "kind": "evidence", "state": state, "table_name": table, "at": 1.0,
                 "facts": {"alert": "alert-0001", "n": 1}}  # fmt: skip
        return str(drawn(page, "queue", {**alerts, "orders": {"a": order}})["shows"])

    # Made anew, with its pictures, once the table says that it has brought them.
    assert with_order("given", "T05") == before["shows"] == with_order("done", "T06")
    assert with_order("done", "T05") != before["shows"]
