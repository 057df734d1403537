"""A session of the virtual table in real time, or written to a recording as fast as it goes.

In real time the machine leads: its cycle is started over the wire (or by its button), and the
table's time stands still until the machine has got as far as the scene. Table time is mapped
onto the clock of the computer, and the truth is written down as it comes true.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import cv2

from firmware_bridge.messages import MachineState
from hardware.virtual_table import sensors
from hardware.virtual_table.camera.filming import FilmedCamera
from hardware.virtual_table.camera.optics import Camera
from hardware.virtual_table.camera.recording import RecordingWriter
from hardware.virtual_table.camera.renderer import Look
from hardware.virtual_table.camera.stream import MjpegServer
from hardware.virtual_table.machine.virtual import VirtualMachine
from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.stage import Infraction, MachineInput
from table_controller.domain.codec import to_object
from table_controller.domain.happenings import Happening

_TICK: Final = 0.01
_REACHED: Final[dict[str, tuple[MachineState, ...]]] = {
    "hatch_open": (
        MachineState.HATCH_OPEN,
        MachineState.DROPPING,
        MachineState.SHUFFLING,
        MachineState.BUILDING,
        MachineState.RAISING,
    ),
    "shuffling": (
        MachineState.DROPPING,
        MachineState.SHUFFLING,
        MachineState.BUILDING,
        MachineState.RAISING,
        MachineState.READY,
    ),
    "raising": (MachineState.RAISING, MachineState.READY),
    "ready": (MachineState.READY,),
    "fault": (MachineState.FAULT,),
}
"""In which states the machine has got as far as a state of the scene's cycle."""
_AGAIN_S: Final = 2.0
_STUCK_S: Final = 20.0
"""The machine does not get on for so long: the scene goes on without it."""

Event = Happening | Infraction | MachineInput


def events(director: Director) -> list[Event]:
    """Everything that is told or felt, in order of time."""
    merged: list[Event] = [
        *director.machine_inputs(),
        *director.truth(),
        *director.infractions(),
    ]
    return sorted(merged, key=lambda event: event.t)


def truth_line(event: Happening | Infraction, shift: Callable[[float], float]) -> dict[str, Any]:
    """The line of ``truth.jsonl`` at the times that ``shift`` gives."""
    if isinstance(event, Infraction):
        moved = dataclasses.replace(event, t=shift(event.t), evident=shift(event.evident))
        return moved.to_object()
    return to_object(dataclasses.replace(event, t=shift(event.t)))


class TableClock:
    """Table time as a function of the computer's time; it can stand still."""

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self._wall = time.time()
        self._table = 0.0
        self._standing = False
        self._base = self._wall - time.monotonic()

    def wall(self) -> float:
        """Unix time that never jumps."""
        return self._base + time.monotonic()

    def table(self, wall: float) -> float:
        """Table time at a unix time."""
        if self._standing:
            return self._table
        return self._table + (wall - self._wall) * self.speed

    def unix(self, table: float) -> float:
        """Unix time at which a table time was (or will be, if nothing stops it)."""
        return self._wall + (table - self._table) / self.speed

    @property
    def standing(self) -> bool:
        """Whether table time stands still."""
        return self._standing

    def stand(self, table: float) -> None:
        """Stop at a table time."""
        self._table, self._standing = table, True

    def go_on(self, wall: float) -> None:
        """Go on from where it stands."""
        self._wall, self._standing = wall, False


class Live:
    """Plays a director in real time against a machine and video streams."""

    def __init__(
        self,
        director: Director,
        machine: VirtualMachine,
        servers: Sequence[MjpegServer],
        cameras: Sequence[FilmedCamera],
        writer: RecordingWriter,
        *,
        speed: float,
        fps: float,
        autostart: float,
    ) -> None:
        self._director = director
        self._machine = machine
        self._servers = servers
        self._cameras = cameras
        self._writer = writer
        self._fps = fps
        self._autostart = autostart
        self._events = events(director)
        self._next = 0
        self._stood_since: float | None = None
        self._pressed_at = 0.0
        self._alone = False
        self.clock = TableClock(speed)
        self.stop = threading.Event()
        self.ended = threading.Event()

    def run(self, on_end: Callable[[float], None], linger: float) -> None:
        """Play to the end, and go on filming for ``linger`` seconds; returns when stopped too."""
        control = threading.Thread(target=self._control, name="table", daemon=True)
        control.start()
        number = 0
        until: float | None = None
        start = time.monotonic()
        while not self.stop.is_set():
            now = self.clock.wall()
            scene = self._director.scene(self.clock.table(now))
            for camera, server in zip(self._cameras, self._servers, strict=True):
                if (frame := camera.film(scene, now)) is not None:
                    server.push(frame, now)
            if self.ended.is_set() and until is None:
                on_end(now)
                until = time.monotonic() + linger
            if until is not None and time.monotonic() >= until:
                break
            number = max(number + 1, int((time.monotonic() - start) * self._fps))
            self.stop.wait(max(0.0, start + number / self._fps - time.monotonic()))
        self.stop.set()
        control.join(2.0)

    # -- the course of the table ---------------------------------------------------------------

    def _control(self) -> None:
        try:
            while not self.stop.is_set() and self._next < len(self._events):
                self._turn(self.clock.wall())
                self.stop.wait(_TICK)
            while not self.stop.is_set():
                if self.clock.table(self.clock.wall()) >= self._director.duration:
                    self.ended.set()
                    return
                self.stop.wait(_TICK)
        except Exception as error:  # noqa: BLE001 - a thread's end must be seen
            sys.stderr.write(f"virtual table: {error!r}\n")
            self.stop.set()

    def _turn(self, now: float) -> None:
        """Everything that has come due; stands still where the machine is behind."""
        table = self.clock.table(now)
        while self._next < len(self._events):
            event = self._events[self._next]
            if event.t > table:
                return
            if isinstance(event, MachineInput):
                if event.kind == "state" and not self._machine_is_at(event, now):
                    return
                sensors.apply(self._machine, event)
            else:
                self._writer.truth(truth_line(event, self.clock.unix))
            self._next += 1
            table = self.clock.table(now)

    def _machine_is_at(self, event: MachineInput, now: float) -> bool:
        state = event.data["state"]
        if state == "hatch_open" and self._stood_since is None:
            # Every cycle waits for the machine anew, whatever became of the one before.
            self._alone = False
        if self._alone or self._machine.state in _REACHED[state]:
            if self.clock.standing:
                self.clock.go_on(now)
            self._stood_since, self._pressed_at = None, 0.0
            return True
        if self._stood_since is None:
            self.clock.stand(event.t)
            self._stood_since = now
        stood = now - self._stood_since
        if state == "hatch_open":
            # The controller is to start the cycle; if it does not, a player presses the button.
            patience = self._autostart if event.t < self._director.hands[0].ends else 2.0
            press = stood >= patience
        else:
            patience = 0.0
            press = state == "shuffling"
        if press and now - self._pressed_at > _AGAIN_S:
            # Again and again: a machine that is blocked just now does not remember the button.
            self._pressed_at = now
            self._machine.press_start()
        if stood >= patience + _STUCK_S:
            sys.stderr.write(f"virtual table: the machine does not get to {state}; going on\n")
            self._alone = True
        return False


def record(
    director: Director,
    writer: RecordingWriter,
    cameras: Sequence[FilmedCamera],
    fps: float,
    progress: Callable[[float], None] | None = None,
) -> int:
    """Write a whole session to a recording; returns how many times each camera was asked."""
    log = sensors.SensorLog(director.game.tiles, director.game.players)
    for event in events(director):
        if isinstance(event, MachineInput):
            for line in log.lines(event):
                writer.sensor(line)
        else:
            writer.truth(truth_line(event, lambda t: t))
    count = int(director.duration * fps) + 1
    for number in range(count):
        t = number / fps
        scene = director.scene(t)
        for camera in cameras:
            if (frame := camera.film(scene)) is not None:
                writer.frame(camera.camera.name, t, frame)
        if progress is not None:
            progress((number + 1) / count)
    return count


def filmed(director: Director, cameras: Sequence[Camera], look: Look | None) -> list[FilmedCamera]:
    """The cameras at work; drawing stays on one core."""
    cv2.setNumThreads(1)
    scenario = director.scenario
    return [
        FilmedCamera(
            camera,
            director.layout,
            look,
            scenario.degraded,
            number=number,
            count=len(cameras),
            seed=scenario.seed + number,
        )
        for number, camera in enumerate(cameras)
    ]


def say(**line: Any) -> None:
    """One JSON line on standard output, at once."""
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def path_text(path: Path) -> str:
    """An absolute path as text."""
    return str(path.resolve())
