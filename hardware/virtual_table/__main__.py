"""The virtual table as a program: a machine on a serial port, cameras on URLs, players.

Prints one JSON line at the start: ``serial`` (the port), ``cameras`` (``name`` and ``url`` of
each), ``recording`` (a ``recording.toml`` with their calibration), ``geometry``, ``truth``,
``east``, ``ruleset``, ``seed``, ``duration`` (s of table time) and ``t0`` (unix time); and
``{"event": "ended", "not_played": [...]}`` when the session is over: what was wanted of a hand and
found no occasion, as ``hand`` (from 1) with ``infraction`` (its alert id) or ``wish``. Ends by
itself, or on SIGINT and SIGTERM.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import numpy as np

from hardware.virtual_table import playback
from hardware.virtual_table.camera.filming import FilmedCamera, cameras_over
from hardware.virtual_table.camera.recording import RecordingWriter
from hardware.virtual_table.camera.renderer import random_look
from hardware.virtual_table.camera.stream import MjpegServer
from hardware.virtual_table.machine.plant import PlantTimes
from hardware.virtual_table.machine.virtual import VirtualMachine
from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.fate import NoTileLeftError
from hardware.virtual_table.play.games import GAMES, Game
from hardware.virtual_table.play.geometry import resized
from hardware.virtual_table.play.incidents import Entry, registry_of
from hardware.virtual_table.play.layout import BadGeometryError, Layout, packaged_geometry
from hardware.virtual_table.play.scenario import (
    RULESETS,
    BadScenarioError,
    Scenario,
    demo_scenario,
    load_scenario,
)
from hardware.virtual_table.play.settings import (
    BadSettingError,
    degraded_with,
    table_of,
    view_with,
)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m hardware.virtual_table", description="A virtual automatic mahjong table."
    )
    made.add_argument("--scenario", type=Path, help="what happens (TOML); default: the demo")
    made.add_argument("--seed", type=int, help="decides what the scenario leaves open")
    made.add_argument("--ruleset", choices=RULESETS, help="whose game is played")
    made.add_argument("--hands", type=int, help="how many hands")
    made.add_argument("--mix", type=int, help="so many infractions by chance in each hand")
    made.add_argument("--pace", type=float, help="2: everybody moves twice as fast")
    made.add_argument("--speed", type=float, default=1.0, help="2: all time runs twice as fast")
    made.add_argument("--fps", type=float, help="frames a second (10)")
    made.add_argument("--size", help="of the pictures (1920x1080)")
    made.add_argument("--cameras", type=int, choices=(1, 2), help="over the table (1)")
    made.add_argument("--look", type=int, help="another light, felt and tile design, by number")
    made.add_argument(
        "--view", nargs="+", default=[], metavar="NAME=NUMBER",
        help="height_mm, scale (of the whole table), surface_mm",
    )  # fmt: skip
    made.add_argument(
        "--degrade", nargs="+", default=[], metavar="NAME=NUMBER",
        help="flicker, flicker_hz, dropped, motion_blur, moved_at, moved_mm, lost_at, camera, "
        "arm_at, arm_s, arm_side",
    )  # fmt: skip
    made.add_argument("--port", type=int, default=0, help="of the first camera; 0: any free one")
    made.add_argument("--out", type=Path, help="where truth and calibration are written")
    made.add_argument("--record", type=Path, help="write a recording here instead of playing")
    made.add_argument(
        "--autostart", type=float, default=10.0, metavar="S",
        help="press the machine's button when nobody has started it after S seconds",
    )  # fmt: skip
    made.add_argument(
        "--linger", type=float, default=5.0, metavar="S",
        help="go on filming for S seconds after the end",
    )  # fmt: skip
    made.add_argument(
        "--tied", action="store_true",
        help="end with who began it: when standard input is closed",
    )  # fmt: skip
    made.add_argument(
        "--list-infractions", action="store_true", help="those of --ruleset or all, and end"
    )
    made.add_argument("--json", action="store_true", help="the list as JSON")
    return made


def scenario_of(options: argparse.Namespace) -> Scenario:
    """The scenario with what the command line changes in it.

    Raises:
        BadScenarioError: when it cannot be played.
    """
    source = options.scenario or demo_scenario(options.ruleset)
    scenario = load_scenario(source, options.ruleset)
    if options.hands is not None and options.hands < 1:
        raise BadScenarioError("--hands: expected 1 or more")
    if options.pace is not None and not 0.1 <= options.pace <= 10.0:
        raise BadScenarioError("--pace: expected 0.1 to 10")
    plain = {name: getattr(options, name) for name in ("fps", "size", "cameras", "look")}
    plain = {name: value for name, value in plain.items() if value is not None}
    switch = "--"
    try:
        view = view_with(scenario.view, plain)
        switch = "--view: "
        view = view_with(view, table_of(options.view))
        switch = "--degrade: "
        degraded = degraded_with(scenario.degraded, table_of(options.degrade))
    except BadSettingError as error:
        raise BadScenarioError(f"{switch}{error}") from None
    scenario = scenario.with_options(view=view, degraded=degraded)
    return scenario.with_options(
        seed=options.seed,
        hands=options.hands,
        mix=options.mix,
        pace=options.pace,
    )


def main(arguments: list[str] | None = None) -> int:
    """The program; returns its exit code."""
    options = parser().parse_args(arguments)
    if options.list_infractions:
        return _list(options.ruleset, as_json=options.json)
    folder = options.record or options.out or Path(tempfile.mkdtemp(prefix="virtual-table-"))
    with tempfile.TemporaryDirectory(prefix="virtual-table-") as scratch:
        try:
            scenario = scenario_of(options)
            layout_file = packaged_geometry(GAMES[scenario.ruleset].geometry)
            if (text := resized(layout_file, scenario.view)) is not None:
                layout_file = Path(scratch) / "geometry.toml"
                layout_file.write_text(text, encoding="utf-8")
            director = Director(scenario, Layout.load(layout_file))
        except (BadScenarioError, BadGeometryError) as error:
            return _bad(str(error))
        except NoTileLeftError as error:
            return _bad(f"{options.scenario or 'the demo'}: too much is wanted of a hand: {error}")
        if options.speed <= 0:
            return _bad("--speed: expected more than 0")
        cameras = cameras_over(director.layout, scenario.view)
        try:
            writer = RecordingWriter(
                folder,
                ruleset=scenario.ruleset,
                geometry=layout_file,
                cameras=cameras,
                east=scenario.east,
            )
        except OSError as error:
            return _bad(str(error))
    number = scenario.view.look
    look = None if number is None else random_look(np.random.default_rng(number))
    filmed = playback.filmed(director, cameras, look)
    with writer:
        if options.record is not None:
            return _record(director, writer, filmed)
        return _play(director, writer, filmed, options)


def _list(ruleset: str | None, *, as_json: bool) -> int:
    """The infractions that can be injected, with what they are, by ruleset."""
    rulesets = {}
    for name in RULESETS if ruleset is None else (ruleset,):
        known = registry_of(GAMES[name])
        rulesets[name] = {each: _text(known[each], GAMES[name]) for each in sorted(known)}
    if as_json:
        print(json.dumps(rulesets, ensure_ascii=False))
        return 0
    for name in sorted({each for known in rulesets.values() for each in known}):
        text = next(known[name] for known in rulesets.values() if name in known)
        print(f"{name:24} {text}")
    return 0


def _text(entry: Entry, game: Game) -> str:
    """What an infraction is, and what a scenario may say of it beside."""
    options = entry.options_of(game).values()
    return " ".join([entry.text, *(f"[{each.name}: {each.values}]" for each in options)])


def _not_played(director: Director) -> list[dict[str, object]]:
    """What was wanted and found no occasion; said to people too."""
    missing = director.not_played()
    for each in missing:
        sys.stderr.write(f"virtual table: hand {each.hand}: not played: {each.what}\n")
    return [each.to_object() for each in missing]


def _bad(message: str) -> int:
    sys.stderr.write(f"virtual table: {message}\n")
    return 2


def _record(director: Director, writer: RecordingWriter, cameras: Sequence[FilmedCamera]) -> int:
    shown = 0

    def progress(done: float) -> None:
        nonlocal shown
        if sys.stderr.isatty() and int(done * 100) > shown:
            shown = int(done * 100)
            sys.stderr.write(f"\r{shown:3d}%" + ("\n" if shown == 100 else ""))

    try:
        frames = playback.record(director, writer, cameras, director.scenario.view.fps, progress)
    except KeyboardInterrupt:
        return _bad("stopped; the recording is not complete") or 2
    playback.say(
        event="ended",
        not_played=_not_played(director),
        recording=playback.path_text(writer.directory / "recording.toml"),
        frames=frames,
        duration=director.duration,
    )
    return 0


def _play(
    director: Director,
    writer: RecordingWriter,
    cameras: Sequence[FilmedCamera],
    options: argparse.Namespace,
) -> int:
    speed = options.speed
    times = PlantTimes(
        hatch=0.4 / speed, lift=1.3 / speed, shuffle=0.5 / speed, stack=max(0.06, 0.1 / speed)
    )
    game = director.game
    machine = VirtualMachine(
        times=times, tiles=game.tiles, players=game.players, seed=director.scenario.seed
    )
    servers: list[MjpegServer] = []
    try:
        for index in range(len(cameras)):
            port = options.port + index if options.port else 0
            servers.append(MjpegServer(port=port, seed=director.scenario.seed + index))
        machine.start()
    except OSError as error:
        for server in servers:
            server.close()
        return _bad(str(error))
    live = playback.Live(
        director,
        machine,
        servers,
        cameras,
        writer,
        speed=speed,
        fps=director.scenario.view.fps,
        autostart=options.autostart,
    )

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - signal's form
        live.stop.set()

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    if options.tied:
        # who is killed closes nothing, but for what the system closes
        threading.Thread(target=_when_alone, args=(live.stop,), daemon=True).start()
    playback.say(
        serial=machine.url,
        cameras=[
            {"name": camera.camera.name, "url": server.url}
            for camera, server in zip(cameras, servers, strict=True)
        ],
        video=[server.url for server in servers],
        recording=playback.path_text(writer.directory / "recording.toml"),
        recording_toml=playback.path_text(writer.directory / "recording.toml"),
        geometry=playback.path_text(writer.directory / "geometry.toml"),
        truth=playback.path_text(writer.directory / "truth.jsonl"),
        ruleset=director.scenario.ruleset,
        east=director.scenario.east,
        seed=director.scenario.seed,
        duration=director.duration,
        t0=live.clock.wall(),
    )
    try:
        live.run(
            lambda t: playback.say(event="ended", t=t, not_played=_not_played(director)),
            options.linger,
        )
    finally:
        machine.stop()
        for server in servers:
            server.close()
    return 0


def _when_alone(stop: threading.Event) -> None:
    # not through sys.stdin: whoever waits in it keeps the program from its end
    while os.read(0, 1024):
        pass
    stop.set()


if __name__ == "__main__":
    raise SystemExit(main())
