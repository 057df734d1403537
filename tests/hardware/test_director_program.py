"""The program: one line at the start, live against machine and stream, or into a recording."""

import json
import signal
import subprocess
import sys
import threading
import time
import tomllib
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.link import Link
from firmware_bridge.messages import MachineChanged, MachineState, StartCycle, TileSet, WallPresence
from firmware_bridge.readings import from_json
from hardware.virtual_table.__main__ import main
from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.scenario import Scenario, load_scenario
from hardware.virtual_table.playback import TableClock

SHORT = "seed = 3\npace = 3.0\n[[hand]]\ndiscards = 6\nwin = 'discard'\n"


@pytest.fixture
def short(tmp_path: Path) -> Path:
    path = tmp_path / "short.toml"
    path.write_text(SHORT, encoding="utf-8")
    return path


def test_a_recording_holds_pictures_sensors_and_truth(
    short: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "recording"
    arguments = ["--scenario", str(short), "--record", str(folder)]
    assert main([*arguments, "--fps", "0.5", "--size", "640x360"]) == 0
    ended = json.loads(capsys.readouterr().out)
    assert ended["event"] == "ended"
    header = tomllib.loads((folder / "recording.toml").read_text(encoding="utf-8"))
    assert header["ruleset"] == "mcr-1998"
    assert len(list((folder / "top").glob("*.jpg"))) == ended["frames"]
    director = Director(load_scenario(short))
    truth = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    assert len(truth) == len(director.truth()) + len(director.infractions())
    assert [line["t"] for line in truth] == sorted(line["t"] for line in truth)
    readings = [
        from_json(json.loads(line)) for line in (folder / "sensors.jsonl").read_text().splitlines()
    ]
    states = [r.what.state for r in readings if isinstance(r.what, MachineChanged)]
    assert states == [
        MachineState.HATCH_OPEN,
        MachineState.SHUFFLING,
        MachineState.RAISING,
        MachineState.READY,
        MachineState.PLAYING,
    ]
    walls = [r.what.stacks for r in readings if isinstance(r.what, WallPresence)]
    assert walls[3] == (2**18 - 1,) * 4
    # There already is one: refused, nothing overwritten.
    assert main([*arguments, "--fps", "0.5"]) == 2
    assert "there is a recording already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--scenario", "/no/such.toml"], "/no/such.toml: No such file"),
        (["--hands", "0"], "--hands: expected 1 or more"),
        (["--size", "wide"], "--size: expected WIDTHxHEIGHT"),
        (["--speed", "0"], "--speed: expected more than 0"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert says in message
    assert message.count("\n") == 1


def start(short: Path, out: Path, *more: str) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    command = [sys.executable, "-m", "hardware.virtual_table", "--scenario", str(short)]
    command += ["--out", str(out), "--size", "480x270", *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


def test_live_the_controller_starts_the_machine_and_the_game_follows(
    short: Path, tmp_path: Path
) -> None:
    began = time.time()
    process, hello = start(short, tmp_path / "out", "--speed", "4", "--linger", "0.3")
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        assert {"serial", "cameras", "recording", "geometry", "east", "t0"} <= set(hello)
        stamps: list[float] = []

        def watch() -> None:
            with urllib.request.urlopen(hello["cameras"][0]["url"], timeout=10) as stream:
                for line in stream:
                    if line.startswith(b"X-Timestamp"):
                        stamps.append(float(line.split(b":")[1]))

        threading.Thread(target=watch, daemon=True).start()
        with Link.open(hello["serial"]) as link:
            time.sleep(0.3)
            before = (tmp_path / "out" / "truth.jsonl").read_text()
            assert '"wall_raised"' not in before
            link.send(StartCycle(tiles=144, players=4, tile_set=TileSet.NEXT))
            ended = json.loads(process.stdout.readline())
        assert ended["event"] == "ended"
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.stdout.close()
        process.stderr.close()
    truth = [
        json.loads(line) for line in (tmp_path / "out" / "truth.jsonl").read_text().splitlines()
    ]
    assert truth[-1]["kind"] == "hand_closed"
    assert began < hello["t0"] < ended["t"]
    assert all(began < line["t"] < ended["t"] + 1 for line in truth)
    director = Director(load_scenario(short))
    assert not director.infractions()
    assert [line["kind"] for line in truth] == [happening.kind for happening in director.truth()]
    assert len(stamps) > 20
    assert stamps == sorted(stamps)


def test_a_signal_ends_it_cleanly(short: Path, tmp_path: Path) -> None:
    process, _ = start(short, tmp_path / "out")
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert "Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.stdout.close()
        process.stderr.close()


def test_the_clock_of_the_table_stands_still_and_goes_on() -> None:
    clock = TableClock(speed=2.0)
    start = clock.wall()
    zero = clock.table(start)
    assert clock.table(start + 1.0) == pytest.approx(zero + 2.0)
    clock.stand(3.0)
    assert clock.table(start + 50.0) == 3.0
    clock.go_on(start + 60.0)
    assert clock.table(start + 61.0) == pytest.approx(5.0)
    assert clock.unix(5.0) == pytest.approx(start + 61.0)


def test_options_override_the_scenario() -> None:
    scenario = Scenario(seed=1).with_options(seed=9, hands=None)
    assert (scenario.seed, scenario.hands) == (9, 1)
