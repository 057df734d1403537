"""The strip below the table: what the next wall waits for, the referee's orders to the machine."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from table_controller.console.forms import MachineForm
from tests.table_controller.console.served import Served, wait_until


def test_the_next_wall_says_what_it_waits_for(page: Page, served: Served) -> None:
    page.evaluate("localStorage.setItem('by', 'Li')")
    bar = page.locator(".wallbar")
    wall(served, "held", {"code": "protest", "about": ["alert-0001"]}, {"code": "arms"})
    expect(bar).to_contain_text("a protest stands · an arm is over the table")
    wall(served, "clearing", {"code": "tiles", "count": 7})
    expect(bar).to_contain_text("hatch open: push the tiles in")
    expect(bar).to_contain_text("7 tiles outside of the hatch")
    bar.get_by_role("button", name="Hold the machine").click()
    # This table has no machine: said in one line, nothing lost.
    expect(page.locator("#said")).to_contain_text("This is not there any more")
    wall(served, "done")
    expect(bar).to_have_count(0)


def wall(served: Served, stage: str, *why: dict[str, Any], **more: Any) -> None:
    """The machine, as the program tells the page of it."""
    body = {"stage": stage, "hand": "hand-001", "why": list(why), "held": False, "mode": "auto"}
    served.hub.publish("machine", {**body, "phase": "ready", **more})


HOLD, HELD = {"code": "hold"}, {"held": True}
FAULT, FAULTY = {"code": "machine_fault"}, {"phase": "fault"}
STRIPS: dict[str, tuple[str, list[dict[str, Any]], dict[str, Any], str, list[str]]] = {
    "it shuffles": ("done", [], {"phase": "shuffling"}, "machine: shuffling", ["hold"]),
    "held while it shuffles": (
        "done", [HOLD], {"phase": "shuffling", **HELD}, "held by the referee", ["release"],
    ),
    "held while a hand is played": ("done", [HOLD], HELD, "held by the referee", ["release"]),
    "held before the first hand": ("none", [HOLD], HELD, "held by the referee", ["release"]),
    "the next wall waits": ("held", [], {}, "Next wall: waits", ["next_wall", "hold"]),
    "a fault before the walls came up": (
        "held", [FAULT], FAULTY, "the machine has a fault", ["clear_fault", "hold"],
    ),
    "a fault while a hand is played": (
        "done", [FAULT], FAULTY, "machine: fault", ["clear_fault", "hold"],
    ),
    "a fault before the first hand, and held": (
        "none", [HOLD, FAULT], {**FAULTY, **HELD}, "machine: fault", ["clear_fault", "release"],
    ),
}  # fmt: skip


def test_the_machine_is_held_released_and_its_fault_cleared(page: Page, served: Served) -> None:
    page.evaluate("localStorage.setItem('by', 'Li')")
    ordered: list[str] = []

    def order(form: MachineForm, role: str) -> dict[str, Any]:
        ordered.append(form.action)
        return {"machine": form.action, "role": role}

    served.running.desk.machine = order  # type: ignore[method-assign]
    bar = page.locator(".wallbar")
    for stage, why, more, text, actions in STRIPS.values():
        wall(served, stage, *why, **more)
        expect(bar).to_contain_text(text)
        buttons = bar.get_by_role("button")
        expect(buttons).to_have_count(len(actions))
        for number in range(len(actions)):
            buttons.nth(number).click()
            wait_until(page, lambda n=number: len(ordered) == n + 1)  # type: ignore[misc]
        assert ordered == actions
        ordered.clear()


def test_what_the_strip_says_does_not_change_the_tables_width(page: Page, served: Served) -> None:
    page.set_viewport_size({"width": 1180, "height": 820})
    table, bar = page.locator("#table"), page.locator(".wallbar")
    served.hub.publish("game", {"round_wind": "E", "hand": 3, "scores": [0] * 4})
    widths = []
    for language in ("en", "zh"):
        page.select_option("#lang", language)
        for stage, phase in (("done", "ready"), ("done", "fault")):
            wall(served, stage, phase=phase)
            expect(bar).to_have_count(int(phase == "fault"))
            expect(page.locator("#seats li")).to_have_count(4)
            widths.append(table.evaluate("each => each.getBoundingClientRect().width"))
    assert len(set(widths)) == 1
