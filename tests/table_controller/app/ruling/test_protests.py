"""Protests: entered, lifted, exported, and their evidence kept."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from table_controller.app.evidence.moments import MomentKeeper, Pictures
from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.console.forms import ConfirmForm, Decision, LiftForm, ProtestForm
from table_controller.domain.happenings import Call, HandShown
from table_controller.record.evidence import EvidenceStore, FrameRing
from tests.pictures import read
from tests.table_controller.console.running import Running
from tests.table_controller.game.scenes import Scene, tiles

STEPS: Final = ("declared", "agreed")


@pytest.fixture
def table(tmp_path: Path) -> Running:
    running = Running(tmp_path)
    scene = Scene().start()
    scene.take(1, scene.front(), 0.5)
    scene.play(wait=1.5).play()
    while scene.turn != 1:
        scene.draw().play()
    scene.draw().play("3s")
    scene.say(HandShown, seat=3, tiles=tiles("123456789m 11p 45s"))
    running.tell(scene.said)
    return running


def protest(about: str, **more: object) -> ProtestForm:
    return ProtestForm(by="Li", about=about, seat=1, reason="he had not touched it", **more)  # type: ignore[arg-type]


def test_it_is_entered_once_and_lifted_once(table: Running) -> None:
    form = protest("alert-0001", request="request-1")
    first = table.desk.protest(form, "referee")
    assert table.desk.protest(form, "referee") == first
    assert first["hand"] == "hand-001"
    with pytest.raises(DecisionRefusedError, match="stands already"):
        table.desk.protest(protest("alert-0001"), "referee")
    with pytest.raises(NotThereError):
        table.desk.protest(protest("alert-0099"), "referee")
    with pytest.raises(NotThereError):
        table.desk.protest(protest("hand-009"), "referee")
    lift = LiftForm(by="Wu", reason="withdrawn")
    table.desk.lift(first["number"], lift, "referee")
    with pytest.raises(DecisionRefusedError, match="lifted already"):
        table.desk.lift(first["number"], lift, "referee")
    with pytest.raises(NotThereError):
        table.desk.lift(77, lift, "referee")
    assert table.ruled.protests.about() == set()
    table.desk.protest(protest("alert-0001"), "referee")  # and again, with new reasons


def test_its_evidence_is_never_dropped(table: Running, tmp_path: Path) -> None:
    table.desk.decide("alert-0001", Decision(action="accept", by="Li"), "referee")
    table.settle()
    table.desk.confirm("hand-001", ConfirmForm(by="Li", steps=STEPS), "referee")
    table.settle()
    store = EvidenceStore(tmp_path / "e", FrameRing(), limit_bytes=1, held=table.ruled.held)
    names = ["alert-0001", "hand-001-3-1", "moments-001", "moments-002"]
    for age, name in enumerate(names):
        store.keep(name, "a.jpg", b"x" * 100)
        os.utime(store.root / name, (age, age))
    entered = table.desk.protest(protest("alert-0001"), "referee")
    # The second hand goes on; the first is over, but a protest stands about it.
    assert store.trim() == []
    table.desk.lift(entered["number"], LiftForm(by="Li"), "referee")
    assert store.trim() == names[:3]


def test_it_stands_in_the_audit_log_the_sheet_and_the_export(table: Running) -> None:
    entered = table.desk.protest(protest("hand-001"), "referee")
    log = table.desk.audited()
    assert (log[0]["entry"], log[0]["about"], log[0]["by"]) == ("protest", "hand-001", "Li")
    table.desk.confirm("hand-001", ConfirmForm(by="Li", steps=STEPS), "referee")
    table.settle()
    assert table.desk.sheet()["hands"][0]["protested"] is True
    body = json.loads(table.desk.export("json").content)
    assert body["protests"][0]["reason"] == "he had not touched it"
    assert body["protests"][0]["lifted"] is None
    text = table.desk.export("csv").content.decode("utf-8-sig")
    assert "抗议" in text
    table.desk.lift(entered["number"], LiftForm(by="Wu", reason="refused"), "referee")
    body = json.loads(table.desk.export("json").content)
    assert body["protests"][0]["lifted"]["by"] == "Wu"
    assert table.desk.sheet()["hands"][0]["protested"] is False


def test_it_stands_after_a_restart(table: Running, tmp_path: Path) -> None:
    table.desk.protest(protest("alert-0001"), "referee")
    table.journal.close()
    again = Running(tmp_path)
    assert again.ruled.protests.about() == {"alert-0001"}
    assert again.hub.snapshot()["protests"][0]["about"] == "alert-0001"
    again.journal.close()


def test_a_picture_for_every_moment(tmp_path: Path) -> None:
    ring = FrameRing(seconds=30.0, every=0.2)
    store = EvidenceStore(tmp_path / "evidence", ring)
    keeper = MomentKeeper(store, ring)
    for number in range(40):
        ring.add(100 + number * 0.2, "top", np.full((720, 1280, 3), number * 5, np.uint8))
    for t in (101.0, 101.01, 103.0):
        keeper.happening(Call(t=t, seat=1, call="pung"))
    keeper.take(102.0)
    keeper.close()
    files = sorted(path.name for path in (store.root / "moments-001").iterdir())
    assert len(files) == 2  # two things at once share a picture
    pictures = Pictures(store.root)
    assert pictures.at(101.0) == f"moments-001/{files[0]}"
    assert pictures.at(103.4) == f"moments-001/{files[1]}"
    assert pictures.at(110.0) is None
    image = read(store.root / "moments-001" / files[0])
    assert image.shape[1] == 960
