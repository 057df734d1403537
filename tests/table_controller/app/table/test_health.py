"""The lamps of cameras and machine: red as long as any trouble stands, green when none does."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from firmware_bridge.readings import LinkChanged, LinkState
from table_controller.app.table.health import Health
from table_controller.console.hub import Hub
from table_controller.record.journal import EntryKind, Journal
from vision.cameras.sources import SourceEvent, SourceState

S, L = SourceState, LinkState


def health(hub: Hub | None = None) -> Health:
    """Of a table with a machine and one camera."""
    quiet = SimpleNamespace(note=lambda *_, **__: None, waiting=0)
    made = Health(
        cast("Any", quiet),
        cast("Any", quiet),
        cast("Any", quiet),
        hub or Hub(),
        cast("Any", quiet),
        machine=True,
        phase=lambda: None,
    )
    made.watch("top")
    return made


CAMERA: dict[str, tuple[list[SourceState], bool]] = {
    "nothing was said": ([], True),
    "found": ([S.CONNECTED], True),
    "lost": ([S.CONNECTED, S.LOST], False),
    "lost and found": ([S.LOST, S.CONNECTED], True),
    "too dark": ([S.LIGHT], False),
    "light again": ([S.LIGHT, S.STEADY], True),
    "too dark, lost and found: too dark still": ([S.LIGHT, S.LOST, S.CONNECTED], False),
    "too dark, lost and found, light again": ([S.LIGHT, S.LOST, S.CONNECTED, S.STEADY], True),
    "moved too far, frozen, alive: moved still": ([S.ASTRAY, S.FROZEN, S.ALIVE], False),
    "too dark, then moved too far, hung as before": ([S.LIGHT, S.ASTRAY, S.STEADY], True),
    "its eye began anew while it was lost": ([S.LOST, S.BLIND, S.STEADY], False),
    "its eye began anew, too dark all along": ([S.LIGHT, S.BLIND, S.STEADY, S.LIGHT], False),
    "frozen": ([S.FROZEN], False),
    "frozen, lost and found: it says it again if it is": ([S.FROZEN, S.LOST, S.CONNECTED], True),
    "frozen still": ([S.FROZEN, S.LOST, S.CONNECTED, S.FROZEN], False),
    "of another size, and right again": ([S.WRONG_SIZE, S.CONNECTED], True),
    "of another size, alive: of another size still": ([S.WRONG_SIZE, S.ALIVE], False),
    "what is no trouble": ([S.CLOCK_SET, S.EXPOSURE, S.MOVED, S.DRIFT_UNSEEN], True),
    "what is no trouble ends none": ([S.LIGHT, S.EXPOSURE, S.MOVED, S.CLOCK_SET], False),
}


@pytest.mark.parametrize(("said", "well"), CAMERA.values(), ids=CAMERA)
def test_a_camera_is_well_when_nothing_stands_against_it(
    said: list[SourceState], well: bool
) -> None:
    hub = Hub()
    table = health(hub)
    for t, state in enumerate(said):
        table.camera(SourceEvent(float(t), "top", state, ""))
    assert table.cameras == {"top": well}
    table.publish()
    assert hub.snapshot()["health"]["cameras"] == {"top": well}


def test_each_camera_has_a_lamp_of_its_own() -> None:
    table = health()
    table.watch("side")
    table.camera(SourceEvent(1.0, "top", S.LOST, ""))
    table.camera(SourceEvent(2.0, "side", S.CONNECTED, ""))
    assert table.cameras == {"top": False, "side": True}


MACHINE: dict[str, tuple[list[LinkState], bool]] = {
    "nothing was said": ([], False),
    "connected": ([L.CONNECTED], True),
    "lost": ([L.CONNECTED, L.LOST], False),
    "silent": ([L.CONNECTED, L.SILENT], False),
    "refused": ([L.REFUSED], False),
    "a clock was set: the session stays open": ([L.CONNECTED, L.CLOCK_JUMP], True),
    "keys between two polls: it is polled on": ([L.CONNECTED, L.EVENTS_LOST], True),
    "a clock was set while it was lost": ([L.LOST, L.CLOCK_JUMP], False),
    "reset and back": ([L.CONNECTED, L.LOST, L.RESET, L.CONNECTED], True),
}


@pytest.mark.parametrize(("said", "well"), MACHINE.values(), ids=MACHINE)
def test_the_machine_is_well_while_its_session_is_open(said: list[LinkState], well: bool) -> None:
    table = health()
    for state in said:
        table.link(LinkChanged(state))
    assert table.machine is well


def test_what_waits_for_the_disk_is_written_once_there_is_room_though_nothing_new_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    def trim(limit: int) -> list[str]:
        dropped.append(limit)
        return []

    monkeypatch.setattr("table_controller.app.table.health.STATUS_EVERY_S", 0.0)
    dropped: list[int] = []
    quiet = SimpleNamespace(note=lambda *_, **__: None, status=lambda _: None, t=0.0)
    quiet.counters = SimpleNamespace(frames=0, happenings=0)
    store = SimpleNamespace(size=lambda: 100, trim=trim)
    with Journal.open(tmp_path / "journal.db") as journal:
        some = (cast("Any", quiet), journal, cast("Any", store))
        table = Health(*some, Hub(), cast("Any", quiet), machine=False, phase=lambda: None)
        with monkeypatch.context() as disk:
            disk.setattr(journal, "_commit", full)
            journal.append([(1.0, EntryKind.NOTE, {"text": "it waits"})], patient=True)
            table.status([], 0.0)
            assert (journal.waiting, dropped) == (1, [50])
        table.status([], 0.0)
        assert (journal.waiting, dropped) == (0, [50])
        assert [entry.body["text"] for entry in journal.entries()] == ["it waits"]
