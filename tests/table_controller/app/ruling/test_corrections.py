"""The referee corrects what happened: once each, signed, refused where it cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.console.forms import (
    ConfirmForm,
    CorrectionForm,
    Decision,
    InsertionForm,
    OffenceForm,
    RulingForm,
    TileForm,
    UndoForm,
)
from table_controller.domain.codec import to_object
from table_controller.domain.happenings import (
    HandClosed,
    HandShown,
    TileClaimed,
    TileDiscarded,
    TileExposed,
)
from table_controller.domain.outputs import Alert, Ruling
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.record.journal import EntryKind
from table_controller.referee.decisions import Entered, Verdict, Verdicts
from table_controller.referee.rulings import paid_by
from table_controller.rulesets import load
from tests.table_controller.console.running import Running
from tests.table_controller.game.scenes import Scene, tiles

READY = "123456789m 11p 45s"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Running]:
    running = Running(tmp_path, "mcr-2006-du")
    yield running
    running.journal.close()


def won(read: str = READY, scene: Scene | None = None) -> Scene:
    """Seat 1 lays its hand open on a discarded 3s; the hand was read as ``read``."""
    scene = scene or Scene().start().play()
    while scene.turn == 1 or (scene.turn + 1) % 4 == 1:
        scene.draw().play()
    scene.draw().play("3s")
    scene.say(HandShown, seat=1, tiles=tiles(read))
    return scene


def premature() -> Scene:
    scene = Scene().start()
    scene.take(1, scene.front(), 0.5)
    scene.play(wait=1.5)
    return scene.play()


def tile(index: int, was: str, face: str, **more: Any) -> TileForm:
    return TileForm(by="Li", part="standing", index=index, was=was, tile=face, **more)


def test_a_tile_of_the_hand_under_check_is_corrected(table: Running) -> None:
    # 9m was read as 8m: the hand does not win, and the referee sees 9m on the table.
    table.tell(won("123456788m 11p 45s").said)
    alerts = table.alerts
    assert [alert["id"] for alert in alerts.values()] == ["false-win"]
    at = len(table.controller.happenings) - 1
    shown = table.controller.happenings[at]
    assert isinstance(shown, HandShown)
    right = {**to_object(shown), "tiles": [t.value for t in tiles(READY)]}
    table.desk.correct(CorrectionForm(by="Li", at=at, happening=right), "referee")
    table.settle()
    assert [alert["withdrawn"] for alert in table.alerts.values()] == [True]
    check = table.hub.snapshot()["game"]["check"]
    assert check["wins"][0]["winner"] == 1
    assert check["wins"][0]["legal"]


def test_an_alert_of_a_correction_that_was_taken_back_stays_withdrawn(
    table: Running, tmp_path: Path
) -> None:
    """Also in a program that was begun again: no order stands, but there were some."""
    table.tell(won().said)
    at = len(table.controller.happenings) - 1
    shown = to_object(table.controller.happenings[at])
    wrong = {**shown, "tiles": [t.value for t in tiles("123456788m 11p 45s")]}
    form = CorrectionForm(by="Li", at=at, happening=wrong, insist=True)
    order = table.desk.correct(form, "referee")
    table.settle()
    assert [(a["id"], a["withdrawn"]) for a in table.alerts.values()] == [("false-win", False)]
    table.desk.undo(order["number"], UndoForm(by="Li"), "referee")
    table.settle()
    assert [alert["withdrawn"] for alert in table.alerts.values()] == [True]
    table.journal.close()
    again = Running(tmp_path, "mcr-2006-du")
    assert [alert["withdrawn"] for alert in again.alerts.values()] == [True]
    again.journal.close()


def test_a_game_that_was_never_judged_again_is_not_at_its_start(
    table: Running, tmp_path: Path
) -> None:
    table.tell(premature().said)
    assert [alert["id"] for alert in table.alerts.values()] == ["premature-draw"]
    table.journal.close()
    again = Running(tmp_path, "mcr-2006-du")
    assert ["withdrawn" in alert for alert in again.alerts.values()] == [False]
    again.journal.close()


@pytest.mark.parametrize(
    "form",
    [
        (tile(9, "1p", "2p", insist=True)),
        TileForm(by="Li", part="win", was="3s", tile="7s", insist=True),
    ],
)
def test_any_tile_of_an_ended_hand(table: Running, form: TileForm) -> None:
    table.tell(won().said)
    table.tell([HandClosed(t=table.controller.t + 3, seat=1)])
    [hand] = table.hands
    assert hand["confirmed"]
    careful = form.model_copy(update={"insist": False})
    with pytest.raises(DecisionRefusedError, match="hand 1 is not won any more") as caught:
        table.desk.retile("hand-001", careful, "desk")
    assert caught.value.insist
    order = table.desk.retile("hand-001", form, "desk")
    table.settle()
    assert not any(h["result"] == "win" for h in table.hands)
    table.desk.undo(order["number"], UndoForm(by="Wu"), "referee")
    table.settle()
    assert [h["wins"] for h in table.hands] == [hand["wins"]]


def test_another_winning_tile_still_wins(table: Running) -> None:
    table.tell(won().said)
    table.tell([HandClosed(t=table.controller.t + 3, seat=1)])
    form = TileForm(by="Li", part="win", was="3s", tile="6s")
    table.desk.retile("hand-001", form, "desk")
    table.settle()
    [hand] = table.hands
    assert (hand["wins"][0]["win_tile"], hand["confirmed"]) == ("6s", True)
    with pytest.raises(DecisionRefusedError, match="it is 6s by now, not 3s"):
        table.desk.retile("hand-001", form, "desk")


READ_9M_AS_4P = tiles("12345678m 4p 11p 45s")
UNREAD_9M = (*tiles("12345678m"), Tile.UNKNOWN, *tiles("11p 45s"))
FETCHED_3S = (*UNREAD_9M[:11], Tile.S3, *UNREAD_9M[11:])


@pytest.mark.parametrize(
    ("shown", "confidence", "form", "at"),
    [
        (UNREAD_9M, 1.0, tile(8, "9m", "7m", insist=True), 8),
        (READ_9M_AS_4P, 0.3, tile(8, "9m", "7m", insist=True), 8),
        # The fetched winning tile lies among the others.
        (FETCHED_3S, 1.0, tile(8, "9m", "7m", insist=True), 8),
        (FETCHED_3S, 1.0, tile(11, "4s", "6s", insist=True), 12),
        (FETCHED_3S, 1.0, TileForm(by="Li", part="win", was="3s", tile="6s"), 11),
    ],
)
def test_a_face_that_was_filled_in_is_corrected_as_it_is_shown(
    table: Running, shown: tuple[Tile, ...], confidence: float, form: TileForm, at: int
) -> None:
    scene = won()
    scene.said.pop()
    if len(shown) == 14:
        scene.say(TileClaimed, seat=1, tile=Tile.S3, from_=0)
    scene.say(HandShown, seat=1, tiles=shown, confidence=confidence)
    table.tell(scene.said)
    check = table.hub.snapshot()["game"]["check"]
    assert check["wins"][0]["tiles"] == [each.value for each in tiles(READY)]
    table.tell([HandClosed(t=table.controller.t + 3, seat=1)])
    table.desk.retile("hand-001", form, "desk")
    table.settle()
    [stands] = [
        step["happening"]
        for step in table.desk.timeline()["steps"]
        if step["happening"]["kind"] == "hand_shown"
    ]
    right = [*shown[:at], Tile(form.tile), *shown[at + 1 :]]
    assert stands["tiles"] == [each.value for each in right]


def test_a_winning_tile_that_was_not_read_is_corrected_as_it_is_shown(table: Running) -> None:
    scene = won()
    discard = scene.said[-2]
    assert isinstance(discard, TileDiscarded)
    scene.said[-2] = replace(discard, tile=Tile.UNKNOWN)
    table.tell(scene.said)
    table.tell([HandClosed(t=table.controller.t + 3, seat=1)])
    shown = table.hands[0]["wins"][0]["win_tile"]
    assert shown in ("3s", "6s")
    other = "6s" if shown == "3s" else "3s"
    table.desk.retile(
        "hand-001", TileForm(by="Li", part="win", was=shown, tile=other, insist=True), "desk"
    )
    table.settle()
    assert table.hands[0]["wins"][0]["win_tile"] == other


def test_what_cannot_be_is_refused(table: Running) -> None:
    scene = Scene().start()
    for _ in range(4):
        scene.play("1z").draw()
    scene.play("9p").draw().play("9s")
    table.tell(scene.said)
    at = next(
        n
        for n, h in enumerate(table.controller.happenings)
        if isinstance(h, TileDiscarded) and h.tile == "9p"
    )
    there = to_object(table.controller.happenings[at])
    fifth = CorrectionForm(by="Li", at=at, happening={**there, "tile": "1z"}, insist=True)
    with pytest.raises(DecisionRefusedError, match="fifth copy"):
        table.desk.correct(fifth, "referee")
    same = CorrectionForm(by="Li", at=at, happening=there)
    with pytest.raises(DecisionRefusedError, match="already stands like this"):
        table.desk.correct(same, "referee")
    with pytest.raises(NotThereError, match="no happening 999"):
        table.desk.correct(CorrectionForm(by="Li", at=999, happening=None), "referee")
    bad = CorrectionForm(by="Li", at=at, happening={**there, "seat": 7})
    with pytest.raises(DecisionRefusedError, match="seat"):
        table.desk.correct(bad, "referee")
    assert not list(table.journal.entries([EntryKind.CORRECTION]))


def test_what_was_struck_out_happened_otherwise(table: Running) -> None:
    table.tell(Scene().start().play("9p").rounds(2).said)
    at = next(n for n, h in enumerate(table.controller.happenings) if isinstance(h, TileDiscarded))
    there = to_object(table.controller.happenings[at])
    table.desk.correct(CorrectionForm(by="Li", at=at, happening=None, insist=True), "referee")
    for tile in ("8p", "9p"):
        form = CorrectionForm(by="Li", at=at, happening={**there, "tile": tile}, insist=True)
        table.desk.correct(form, "referee")
        table.settle()
        step = next(step for step in table.desk.timeline()["steps"] if step["at"] == at)
        assert step["happening"]["tile"] == tile


def test_a_correction_comes_once(table: Running) -> None:
    table.tell(Scene().start().play("9p").rounds(2).said)
    at = next(n for n, h in enumerate(table.controller.happenings) if isinstance(h, TileDiscarded))
    there = to_object(table.controller.happenings[at])
    request = "0123456789abcdef"
    form = CorrectionForm(
        by="Li", at=at, happening={**there, "tile": "8p"}, request=request, seen=0
    )
    first = table.desk.correct(form, "referee")
    # The answer was lost on the way; the tablet sends the same request again.
    assert table.desk.correct(form, "referee") == first
    other = form.model_copy(update={"request": "another-request", "by": "Wu"})
    with pytest.raises(DecisionRefusedError, match="Li has corrected something in the meantime"):
        table.desk.correct(other, "referee")
    [entry] = table.journal.entries([EntryKind.CORRECTION])
    assert (entry.body["by"], entry.body["role"]) == ("Li", "referee")


def test_a_hand_under_check_is_confirmed_once(table: Running) -> None:
    table.tell(won().said)
    assert table.hands == []
    order = table.desk.confirm(
        "hand-001", ConfirmForm(by="Li", steps=("declared", "agreed")), "referee"
    )
    table.settle()
    [hand] = table.hands
    assert hand["confirmed"]
    with pytest.raises(DecisionRefusedError, match="confirmed already"):
        table.desk.confirm("hand-001", ConfirmForm(by="Wu", steps=("declared", "agreed")), "desk")
    table.desk.undo(order["number"], UndoForm(by="Li"), "referee")
    table.settle()
    assert table.hands == []
    for key in ("hand-002", "hand-000", "alert-0001"):
        with pytest.raises(NotThereError, match=f"no hand {key}"):
            table.desk.confirm(key, ConfirmForm(by="Wu", steps=("declared", "agreed")), "desk")
    with pytest.raises(NotThereError, match="no hand hand-000"):
        table.desk.retile("hand-000", tile(0, "1m", "2m"), "desk")


def test_an_offence_is_entered_and_taken_back(table: Running) -> None:
    table.tell(Scene().start().play().rounds(2).said)
    form = OffenceForm(
        by="Li",
        seat=2,
        about="speech",
        reason="named the tile",
        ruling=RulingForm(points=9, pay="each", stop_win=True),
    )
    order = table.desk.enter(form, "referee")
    table.settle()
    [alert] = table.alerts.values()
    assert (alert["id"], alert["seat"], alert["ruling"]["points"]) == ("other", 2, 9)
    assert table.hub.snapshot()["game"]["stop_win"] == [False, False, True, False]
    with pytest.raises(DecisionRefusedError, match="multiple of 3"):
        table.desk.enter(
            form.model_copy(update={"ruling": RulingForm(points=10, pay="each")}), "referee"
        )
    table.desk.undo(order["number"], UndoForm(by="Li"), "referee")
    table.settle()
    assert table.hub.snapshot()["game"]["stop_win"] == [False] * 4
    with pytest.raises(DecisionRefusedError, match="taken back already"):
        table.desk.undo(order["number"], UndoForm(by="Wu"), "referee")


def test_what_was_entered_is_dismissed_changed_and_stands_again(table: Running) -> None:
    table.tell(Scene().start().play().rounds(2).said)
    ruling = RulingForm(points=10, stop_win=True, warning=True)
    form = OffenceForm(by="Li", seat=2, about="wrong-words", ruling=ruling)
    table.desk.enter(form, "referee")
    table.settle()
    [key] = table.alerts

    def decide(action: Any, **more: Any) -> None:
        decision = Decision(action=action, by="Wu", reason="seen again", **more)
        table.desk.decide(key, decision, "referee")
        table.settle()

    def stands() -> tuple[int, bool, int]:
        """What it costs seat 2, whether that may win, and how often it was entered."""
        listed = {one["about"]: one for one in table.desk.offences() if one["id"] == "other"}
        cost = paid_by(table.desk._fold().alerts)[2]
        stop_win = table.hub.snapshot()["game"]["stop_win"][2]
        return cost, stop_win, listed["wrong-words"]["before"][2]

    assert stands() == (-10, True, 1)
    decide("dismiss")
    assert stands() == (0, False, 0)
    assert not table.alerts[key].get("withdrawn")
    decide("undo")
    assert stands() == (-10, True, 1)
    decide("change", ruling=RulingForm(points=3))
    assert stands() == (-3, False, 1)
    decide("undo")
    decide("accept")
    assert stands() == (-10, True, 1)


@pytest.mark.parametrize(("ordered", "due"), [("7s", ["7s"]), ("5m", ["5m"]), (None, [])])
def test_the_penalty_tile_is_the_one_that_is_ordered(
    tmp_path: Path, ordered: str | None, due: list[str]
) -> None:
    """It was read as 7s; what the referee orders is what the seat has to discard."""
    table = Running(tmp_path, "mcr-1998")
    scene = Scene().start().play()
    scene.say(TileExposed, where="hand", seat=1, tile=Tile("7s"), by=1)
    scene.draw()
    scene.t += 3
    table.tell(scene.play().said)
    [(key, alert)] = table.alerts.items()
    assert (alert["id"], alert["ruling"]["penalty_tile"]) == ("own-tile-exposed", "7s")
    ruling = RulingForm(penalty_tile=ordered)
    table.desk.decide(key, Decision(action="change", by="Li", ruling=ruling), "referee")
    table.settle()
    assert table.hub.snapshot()["game"]["penalty_tiles"][1] == due
    table.journal.close()


def test_an_alert_is_changed_and_its_window_passes(table: Running) -> None:
    table.tell(premature().said)
    [(key, alert)] = table.alerts.items()
    assert alert["id"] == "premature-draw"
    table.desk.decide(
        key,
        Decision(action="change", by="Li", reason="milder", ruling=RulingForm(points=3)),
        "referee",
    )
    table.settle()
    assert table.hub.snapshot()["game"]["stop_win"] == [False] * 4
    table.desk.decide(key, Decision(action="undo", by="Li"), "referee")
    table.settle()
    assert table.hub.snapshot()["game"]["stop_win"][1]


def test_all_of_it_stands_after_a_restart(tmp_path: Path) -> None:
    first = Running(tmp_path, "mcr-2006-du")
    first.tell(won(scene=premature()).said)
    keys = list(first.alerts)
    first.desk.decide(keys[0], Decision(action="dismiss", by="Li", reason="a sleeve"), "referee")
    first.settle()
    first.desk.confirm("hand-001", ConfirmForm(by="Li", steps=("declared", "agreed")), "referee")
    first.settle()
    hands, alerts, state = first.hands, first.alerts, first.controller.state
    count = first.journal.head[0]
    first.journal.close()

    again = Running(tmp_path, "mcr-2006-du")
    assert again.hands == hands
    assert again.controller.state == state
    assert {k: (a["id"], a["decision"], a.get("withdrawn")) for k, a in again.alerts.items()} == {
        k: (a["id"], a["decision"], a.get("withdrawn")) for k, a in alerts.items()
    }
    assert again.journal.head[0] == count
    assert again.journal.verify() is None
    again.journal.close()


def test_an_insertion_adds_what_nobody_saw(table: Running) -> None:
    scene = Scene().start().play("9p").rounds(3)
    table.tell(scene.said)
    body = {"t": table.controller.t, "kind": "call", "seat": 3, "call": "referee"}
    form = InsertionForm(by="Li", at=len(scene.said), happening=body)
    table.desk.insert(form, "referee")
    table.settle()
    with pytest.raises(DecisionRefusedError, match="already"):
        table.desk.insert(form, "referee")
    steps = table.desk.timeline()["steps"]
    assert [step["at"] for step in steps][-1] is None
    assert len(steps) == len(scene.said) + 1


def test_the_rulesets_offences_are_offered_with_what_was_entered_before(table: Running) -> None:
    table.tell(Scene().start().play().said)
    listed = {one["about"]: one for one in table.desk.offences() if one["id"] == "other"}
    assert listed["wrong-words"]["before"] == [0, 0, 0, 0]
    assert [ruling["points"] for ruling in listed["wrong-words"]["rulings"]] == [0, 5, 10, 20]
    form = OffenceForm(by="Li", seat=2, about="wrong-words", ruling=RulingForm(warning=True))
    table.desk.enter(form, "referee")
    table.settle()
    [alert] = table.alerts.values()
    assert alert["rule"]["clause"] == "000 Q35(3)"
    assert alert["ruling"]["summary_zh"] == "非规范用语或拖延"
    listed = {one["about"]: one for one in table.desk.offences() if one["id"] == "other"}
    assert listed["wrong-words"]["before"] == [0, 0, 1, 0]
    # The next hand begins anew for what is counted by the hand.
    assert listed["late"]["before"] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("verdict", "number"),
    [
        (None, 2),
        (Verdict(), 2),
        (Verdict(ruling=Ruling(summary="slammed a tile", points=5)), 1),
        (Verdict(dismissed=True), 1),
    ],
)
def test_a_warning_that_was_entered_counts_like_any_other(
    verdict: Verdict | None, number: int
) -> None:
    # 003 Q12: the second warning of a session carries 10 points, whatever the first was for.
    rules = load("mcr-2002-tianjin")
    engine = Engine(rules, 0, Verdicts({} if verdict is None else {("other", 1, 1.0): verdict}))
    ruling = Ruling(summary="slammed a tile", warning=True)
    engine.enter(Entered(t=1.0, id="other", seat=1, ruling=ruling, by="Li"))
    scene = Scene().start().reach(1, "touched").play().rounds(1)
    said = [output for happening in scene.said for output in engine.step(happening)]
    [alert] = [output for output in said if isinstance(output, Alert) and output.id != "other"]
    assert (alert.id, alert.ruling.warning) == ("premature-draw", True)
    extra = alert.ruling.extra
    assert extra["warning_number"] == number
    assert extra["warning_deduction"] == rules.warnings.ladder[number - 1]
    assert rules.warnings.ladder[1] == 10


def test_the_same_offence_twice_while_the_pictures_stand_still(table: Running) -> None:
    table.tell(Scene().start().play().said)
    for _ in range(2):
        form = OffenceForm(by="Li", seat=2, about="speech", ruling=RulingForm(points=3))
        table.desk.enter(form, "referee")
        table.settle()
    assert [alert["ruling"]["points"] for alert in table.alerts.values()] == [3, 3]
