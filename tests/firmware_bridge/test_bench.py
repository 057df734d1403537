"""The bench's rows, and the program that stands on its other side."""

import subprocess
import sys
import time

import pytest

from firmware_bridge import bench
from firmware_bridge import messages as m
from firmware_bridge.link import Link
from firmware_bridge.readings import What

pytestmark = pytest.mark.clocked


def test_rows_of_the_virtual_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_SECONDS", 1.0)
    monkeypatch.setattr(bench, "_ROUNDS", 20)
    with bench._virtual(0) as machine:
        trip, clock = bench._exchange(machine, "here", storm=False)
    assert 0 < trip["value"] < 200
    assert "99th percentile" in trip["note"]
    assert clock["limit"] == 5.0
    with bench._virtual(0) as machine:
        (load,) = bench._load(machine)
    assert 0 < load["value"] < 100
    assert "events a second came" in load["note"]


def test_machine_program_obeys_and_says_what_it_does_not_understand() -> None:
    command = [sys.executable, "-m", "hardware.virtual_table.machine.program"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        port = process.stdout.readline().split()[1]
        got: list[What] = []
        with Link.open(port, on_reading=lambda r: got.append(r.what)):
            for line in ("key 1 pung", "wall 2 0xff", "hand 1", "start", "nonsense 3", "key 9 x"):
                process.stdin.write(line + "\n")
            wanted = {m.KeyPressed(1, m.Key.PUNG), m.HandChanged(True), m.StartPressed()}
            wanted |= {m.WallPresence((0, 0, 0xFF, 0))}
            end = time.monotonic() + 5
            while not wanted <= set(got):
                assert time.monotonic() < end, wanted - set(got)
                time.sleep(0.02)
        process.stdin.write("quit\n")
        _, errors = process.communicate(timeout=10)
    assert process.returncode == 0
    assert errors.splitlines() == ["no such fault: 'nonsense 3'", "no such key: 'key 9 x'"]
