"""Pictures and what the machine says are dated by one clock, whatever other clocks say."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from table_controller.app.running.live import LiveRun
from table_controller.domain.happenings import Call
from tests.table_controller.app.bench import Bench
from vision.cameras.steady import SteadyClock

pytestmark = pytest.mark.clocked


def test_looks_and_keys_have_times_of_one_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host's clock was 1000 s behind when the session began, and is right now."""
    clock = SteadyClock(wall=lambda: time.time() - 1000.0)
    monkeypatch.setattr("table_controller.app.running.live.SteadyClock", lambda: clock)
    bench = Bench(tmp_path)
    try:
        run = LiveRun(bench.config(), title="test", live=False)
        try:
            end = time.monotonic() + 20.0
            while run.controller.counters.frames < 4:
                assert time.monotonic() < end
                run.step()
            assert run.controller.t == pytest.approx(clock.now(), abs=3.0)
            bench.machine.press_key(2, "win")
            calls: list[Call] = []
            while not calls:
                assert time.monotonic() < end
                run.step()
                calls = [h for h in run.controller.happenings if h.kind == "call"]
            assert calls[0].t == pytest.approx(clock.now(), abs=3.0)
        finally:
            run.close()
    finally:
        bench.close()
