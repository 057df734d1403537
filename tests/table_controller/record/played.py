"""A short session in a journal: a won hand, a second one under way, a ruling, a correction."""

from __future__ import annotations

from pathlib import Path

from table_controller.console.forms import OffenceForm, RulingForm
from table_controller.domain.happenings import HandClosed, HandShown, MeldShown
from tests.table_controller.console.running import Running
from tests.table_controller.game.scenes import READY, Scene, tiles, won


def played(root: Path, ruleset: str = "mcr-2006-du", names: list[str] | None = None) -> Path:
    """Seat 3 wins with a chow and a pung in front of it; seat 2 has lost 5 points for speech.

    Returns:
        The journal's path.
    """
    root.mkdir(parents=True, exist_ok=True)
    table = Running(root, ruleset, names)
    scene = Scene().start().play("9p")
    scene.rounds(1)
    while scene.turn != 2:
        scene.draw().play()
    scene.draw().play("3m")
    scene.call_set(3, "12m").play("7z")
    while scene.turn != 1:
        scene.draw().play()
    scene.draw().play("3s")
    scene.say(HandShown, seat=3, tiles=tiles("456789m 11p 45s"))
    table.tell(scene.said)
    assert any(isinstance(h, MeldShown) for h in scene.said)
    form = OffenceForm(by="Li", seat=2, about="speech", ruling=RulingForm(points=5, pay="nobody"))
    table.desk.enter(form, "referee")
    table.settle()
    table.tell([HandClosed(t=table.controller.t + 3, seat=3)])
    path = table.journal.path
    table.journal.close()
    return path


def won_by_seat_2(*, close: bool = True) -> Scene:
    """A hand that seat 2 wins on a discard of seat 1."""
    scene = Scene().start().play()
    while scene.turn != 1:
        scene.draw().play()
    return won(scene.draw().play("3s"), 2, READY, None, close=close)
