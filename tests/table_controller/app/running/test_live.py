"""A live table whose cables are pulled: shown at once, mended by itself, nothing lost."""

from __future__ import annotations

import io
import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_bridge.link import Link
from firmware_bridge.messages import EVENT_WINDOW
from hardware.virtual_table.machine.cycle import Mode
from table_controller.app.errors import RunError
from table_controller.app.running.live import LiveRun
from table_controller.app.running.replay import replay_recording
from table_controller.app.virtual.demo import DemoOptions, VirtualTable, config_of
from table_controller.console.forms import MachineForm
from table_controller.domain.codec import to_object
from table_controller.domain.happenings import TableSet
from table_controller.record.journal import EntryKind, Journal
from table_controller.record.recording import HandedOver, read_header
from tests.table_controller.app.bench import Bench
from vision.apart.looker import Look

pytestmark = pytest.mark.clocked


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    bench.close()


def notes(run: LiveRun) -> list[str]:
    return [entry.body["text"] for entry in run.journal.entries([EntryKind.NOTE])]


def calls(run: LiveRun) -> list[tuple[int, str]]:
    return [(h.seat, h.call) for h in run.controller.happenings if h.kind == "call"]


def until(run: LiveRun, what: Callable[[], bool], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, (notes(run), calls(run))
        run.step()


def test_a_pulled_machine_cable_loses_no_key(bench: Bench) -> None:
    run = LiveRun(bench.config(), title="test", live=False)
    try:
        until(run, lambda: any("machine connected" in text for text in notes(run)))
        bench.machine.press_key(2, "win")
        until(run, lambda: calls(run) == [(2, "win")])
        bench.machine.unplug()
        until(run, lambda: any("machine lost" in text for text in notes(run)), 3.0)
        bench.machine.press_key(1, "kong")
        for _ in range(3):
            run.step()
        assert calls(run) == [(2, "win")]
        bench.machine.plug()
        until(run, lambda: calls(run) == [(2, "win"), (1, "kong")])
    finally:
        run.close()


def test_a_key_that_was_written_down_but_not_acknowledged_is_taken_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ended in between, the program is told it again by the board when it is begun again."""
    run = LiveRun(bench.config(), title="test", live=False)
    with monkeypatch.context() as killed:
        try:
            until(run, lambda: any("machine connected" in text for text in notes(run)))
            until(run, lambda: run.controller.counters.frames > 3)
            killed.setattr(Link, "confirm", lambda *_: None)
            bench.machine.press_key(2, "referee")
            until(run, lambda: calls(run) == [(2, "referee")])
        finally:
            run.close()
    run = LiveRun(bench.config(), title="test", live=False)
    try:
        bench.machine.press_key(1, "pass")
        until(run, lambda: (1, "pass") in calls(run))
        assert calls(run) == [(2, "referee"), (1, "pass")]
    finally:
        run.close()


def test_a_lost_camera_is_named_and_comes_back(bench: Bench) -> None:
    run = LiveRun(bench.config(), title="test", live=False)
    try:
        until(run, lambda: run.controller.counters.frames > 3)
        bench.camera.unplug()
        until(run, lambda: any("camera top lost" in text for text in notes(run)), 5.0)
        bench.machine.press_key(3, "referee")
        until(run, lambda: calls(run) == [(3, "referee")])
        # A camera that is back within 1.2 s has missed nothing that would be told.
        gone = time.monotonic()
        until(run, lambda: time.monotonic() > gone + 2.0)
        seen = run.controller.counters.frames
        bench.camera.plug()
        until(run, lambda: run.controller.counters.frames > seen + 2)
        assert sum("camera top connected" in text for text in notes(run)) >= 2
        until(run, lambda: any(h.kind == "not_looked" for h in run.controller.happenings))
    finally:
        run.close()


def test_a_camera_that_sends_damaged_pictures_alone_silences_no_key(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = LiveRun(bench.config(), title="test", live=False)
    try:
        until(run, lambda: run.controller.counters.frames > 3)
        looked = run.eyes.next

        def damaged(wait: float) -> Look:
            while (look := looked(wait)) is None:
                pass
            return replace(look, sighting=None)

        monkeypatch.setattr(run.eyes, "next", damaged)
        frames = run.controller.counters.frames
        bench.machine.press_key(3, "referee")
        until(run, lambda: calls(run) == [(3, "referee")])
        assert run.controller.counters.frames == frames
    finally:
        run.close()


def test_a_board_that_was_reset_is_held_again(bench: Bench) -> None:
    run = LiveRun(bench.config(), title="test", live=False)
    try:
        until(run, lambda: any("machine connected" in text for text in notes(run)))
        run._driver.order(MachineForm(by="Li", action="hold"), "referee")
        until(run, lambda: bench.machine.board.cycle.hold)
        bench.machine.reset()
        assert not bench.machine.board.cycle.hold
        until(run, lambda: bench.machine.board.cycle.hold)
    finally:
        run.close()


@pytest.mark.parametrize(
    ("ruleset", "walls"), [("mcr-1998", (144, 4)), ("tenhou", (136, 4)), ("tenhou-sanma", (108, 3))]
)
def test_the_button_on_the_table_begins_the_walls_of_the_ruleset(
    bench: Bench, ruleset: str, walls: tuple[int, int]
) -> None:
    def known() -> tuple[int, int]:
        mode = bench.machine.board.cycle.mode
        return mode.tiles, mode.players

    bench.machine.board.cycle.mode = Mode(tiles=108, players=4)
    config = bench.config().model_copy(update={"ruleset": ruleset})
    run = LiveRun(config, title="test", live=False)
    try:
        until(run, lambda: known() == walls)
        bench.machine.reset()
        until(run, lambda: known() == walls)
    finally:
        run.close()


def test_a_fault_is_cleared_from_the_console(bench: Bench) -> None:
    run = LiveRun(bench.config(), title="test", live=False)
    try:
        until(run, lambda: any("machine connected" in text for text in notes(run)))
        bench.machine.reset(watchdog=True)
        until(run, lambda: run.hub.snapshot()["machine"].get("phase") == "fault")
        run._driver.order(MachineForm(by="Li", action="clear_fault"), "referee")
        until(run, lambda: run.hub.snapshot()["machine"].get("phase") == "idle")
        assert run.hub.snapshot()["machine"]["why"] == []
    finally:
        run.close()


def test_a_disk_that_was_full_for_long_silences_no_key(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More events than the board sends before the first is confirmed, and nothing else happens."""
    run = LiveRun(bench.config(), title="test", live=False)
    pressed = [(seat, key) for seat in range(4) for key in ("chow", "pung", "kong", "pass", "win")]
    assert len(pressed) > EVENT_WINDOW

    def full(_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    try:
        until(run, lambda: any("machine connected" in text for text in notes(run)))
        until(run, lambda: run.controller.counters.frames > 3)
        with monkeypatch.context() as disk:
            disk.setattr(run.journal, "_commit", full)
            for seat, key in pressed:
                bench.machine.press_key(seat, key)
            until(run, lambda: len(calls(run)) >= EVENT_WINDOW - 2)
            assert run.journal.waiting
        until(run, lambda: len(calls(run)) == len(pressed))
        bench.machine.press_key(2, "referee")
        until(run, lambda: calls(run)[-1] == (2, "referee"))
        assert sorted(calls(run)[:-1]) == sorted(pressed)
        assert run.journal.verify() is None
    finally:
        run.close()


def test_what_a_run_records_can_be_replayed(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    run = LiveRun(bench.config(), title="test", live=False, record=folder)
    try:
        until(run, lambda: run.controller.counters.frames > 3)
    finally:
        run.close()
    lines = io.StringIO()
    replay_recording(folder, lines)
    assert len(list((folder / "top").iterdir())) > 3


def test_a_recording_that_loses_pictures_says_so(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    run = LiveRun(bench.config(), title="test", live=False, record=folder)
    try:
        shutil.rmtree(folder / "top")
        until(run, lambda: any("recording: not all of it" in text for text in notes(run)))
        path = run.journal.path
    finally:
        run.close()
    with Journal.open(path) as journal:
        said = [entry.body["text"] for entry in journal.entries([EntryKind.NOTE])]
    assert sum("recording: not all of it can be written: " in text for text in said) == 1
    assert "pictures are missing in it" in said[-1]


def test_a_recording_begun_after_a_restart_hands_the_game_over(
    bench: Bench, tmp_path: Path
) -> None:
    with Journal.open(bench.folder / "session" / "journal.db") as journal:
        journal.append([(1.0, EntryKind.SESSION, {"ruleset": "mcr-1998", "east": 0})])
        told = to_object(TableSet(t=2.0, dealer=2, hand=3, scores=(8, -8, 16, -16)))
        journal.append([(2.0, EntryKind.HAPPENING, told)])
    folder = tmp_path / "recorded"
    run = LiveRun(bench.config(), title="test", live=False, record=folder)
    try:
        until(run, lambda: run.controller.counters.frames > 1)
    finally:
        run.close()
    handed = HandedOver(dealer=2, hand=3, scores=(8, -8, 16, -16))
    assert read_header(folder).handed_over == handed


def test_a_session_goes_on_only_as_it_began(bench: Bench) -> None:
    with Journal.open(bench.folder / "session" / "journal.db") as journal:
        journal.append([(1.0, EntryKind.SESSION, {"ruleset": "mcr-2006-du", "east": 0})])
    with pytest.raises(RunError, match="ruleset 'mcr-2006-du', not 'mcr-1998'"):
        LiveRun(bench.config(), title="test", live=False)


def test_an_eye_whose_process_is_killed_is_named_and_comes_back(bench: Bench) -> None:
    run = LiveRun(bench.config(), title="test", live=False)
    try:
        until(run, lambda: run.controller.counters.frames > 3)
        (looker,) = run.eyes.lookers
        os.kill(looker.pid or 0, signal.SIGKILL)
        killed = time.monotonic()
        until(run, lambda: any("camera top blind" in text for text in notes(run)), 2.0)
        assert run.hub.snapshot()["health"]["cameras"] == {"top": False}
        bench.machine.press_key(3, "referee")
        until(run, lambda: calls(run) == [(3, "referee")])
        until(run, lambda: any("camera top steady" in text for text in notes(run)), 10.0)
        assert time.monotonic() - killed < 10.0
        assert run.hub.snapshot()["health"]["cameras"] == {"top": True}
        seen = run.controller.counters.frames
        until(run, lambda: run.controller.counters.frames > seen + 2)
    finally:
        run.close()


def test_what_two_cameras_let_one_say_live_a_replay_says_again(tmp_path: Path) -> None:
    """Each is looked through in its own process; the order of the looks is that of the times."""
    options = DemoOptions(hands=1, seed=3, live=False, console=False, switches=("--cameras", "2"))
    table = VirtualTable(options, tmp_path)
    folder = tmp_path / "recorded"
    try:
        config = config_of(options, table.hello, tmp_path)
        run = LiveRun(config, title="test", live=False, record=folder, start_machine=True)
        try:
            until(run, lambda: len(run.controller.happenings) > 3, 40.0)
            run.finish()
        finally:
            run.close()
    finally:
        table.stop()
    for apart in (False, True):
        again = replay_recording(folder, io.StringIO(), apart=apart)
        assert again.happenings == list(run.controller.happenings)
