"""What the conformance suite runs on: a machine behind a serial port, inputs in the test's hand.

Three kinds: the virtual machine, the firmware built for the host, the AVR binary in simavr.
"""

import subprocess
import threading
from dataclasses import fields
from pathlib import Path
from typing import Protocol

from hardware.virtual_table.machine.io import Inputs, Outputs
from hardware.virtual_table.machine.virtual import VirtualMachine
from tests.hardware.builds import build

STACK_LIMIT = 1024
"""Bytes; the firmware leaves more than four times that."""


class Target(Protocol):
    """A machine; :meth:`apply` hands the inputs over, :attr:`link_path` always names its port."""

    inputs: Inputs
    link_path: Path

    @property
    def outputs(self) -> Outputs: ...

    def apply(self) -> None: ...

    def reset(self, *, watchdog: bool = False) -> None: ...

    def unplug(self) -> None: ...

    def plug(self) -> None: ...

    def close(self) -> None: ...


class Virtual:
    """The virtual machine, its own mechanics switched off."""

    def __init__(self, link_path: Path) -> None:
        self.link_path = link_path
        self.inputs = Inputs()
        self._machine = VirtualMachine(link_path=link_path, mechanics=False).start()
        self.reset = self._machine.reset
        self.unplug = self._machine.unplug
        self.plug = self._machine.plug
        self.close = self._machine.stop

    @property
    def outputs(self) -> Outputs:
        return self._machine.outputs

    def apply(self) -> None:
        for field in fields(Inputs):
            value = getattr(self.inputs, field.name)
            value = list(value) if isinstance(value, list) else value
            setattr(self._machine.inputs, field.name, value)


class Firmware:
    """The firmware as a process behind the harness of hardware/firmware/host."""

    def __init__(self, link_path: Path, command: list[str]) -> None:
        self.link_path = link_path
        self.inputs = Inputs()
        self._said: dict[str, object] = {}
        self._outputs = Outputs()
        self._stack = 0
        self._port = threading.Event()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        if not self._port.wait(10):
            raise AssertionError(f"{command}: no port")

    @property
    def outputs(self) -> Outputs:
        return self._outputs

    def _listen(self) -> None:
        for line in self._stdout:
            word, *rest = line.split()
            if word == "port":
                self.link_path.unlink(missing_ok=True)
                self.link_path.symlink_to(rest[0])
                self._port.set()
            elif word == "stack":
                self._stack = int(rest[0])
            elif word == "out":
                values = [int(v) for v in rest]
                *drives, buzzer = [bool(v) for v in values[:8]]
                outputs = Outputs(*drives)
                outputs.buzzer = buzzer
                outputs.seat_lamps, outputs.dealer_lamp = values[8:]
                self._outputs = outputs

    def _say(self, text: str) -> None:
        self._stdin.write(text + "\n")
        self._stdin.flush()

    def apply(self) -> None:
        for field in fields(Inputs):
            value = getattr(self.inputs, field.name)
            if self._said.get(field.name) == value:
                continue
            self._said[field.name] = list(value) if isinstance(value, list) else value
            if isinstance(value, list):
                name = {"walls": "wall"}.get(field.name, field.name)
                for index, item in enumerate(value):
                    self._say(f"{name} {index} {item}")
            else:
                self._say(f"{field.name} {int(value)}")

    def reset(self, *, watchdog: bool = False) -> None:
        self._say("reset watchdog" if watchdog else "reset")

    def unplug(self) -> None:
        self.link_path.unlink(missing_ok=True)
        self._say("unplug")

    def plug(self) -> None:
        self._port.clear()
        self._say("plug")
        assert self._port.wait(5)

    def close(self) -> None:
        self._say("quit")
        self._process.wait(5)
        self._reader.join(5)
        self._stdin.close()
        self._stdout.close()
        assert self._process.returncode == 0
        assert self._stack < STACK_LIMIT, f"the stack was {self._stack} bytes deep"
        if self._stack:
            print(f"deepest stack {self._stack} bytes")


def make(kind: str, folder: Path) -> Target:
    """A machine of this kind, switched on."""
    path = folder / "port"
    if kind == "virtual":
        return Virtual(path)
    if kind == "host":
        return Firmware(path, [str(build("host") / "firmware-host")])
    at = build("sim")
    return Firmware(path, [str(at / "firmware-sim"), str(at / "firmware.elf")])


KINDS = ("virtual", "host", "simavr")
