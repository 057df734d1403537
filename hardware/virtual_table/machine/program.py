"""The virtual machine alone, as a program: a serial port to try a controller or the link against.

``python -m hardware.virtual_table.machine.program`` prints ``port PATH`` and then obeys lines on
standard input: the fault switches of :mod:`hardware.virtual_table.machine.virtual`
(``corrupt 0.01``, ``unplug``, …) and

==========================  ====================================================================
``key SEAT NAME``           press a key (``key 2 pung``)
``start``                   press the start button on the table
``hand 0|1`` ``stop 0|1``   light curtain, emergency stop
``wall SIDE BITS``          presence bits of a wall
``storm N``                 N key presses a second for ever, ``storm 0`` ends it
``quit``
==========================  ====================================================================
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from pathlib import Path

from firmware_bridge.messages import SIDES, Key
from hardware.virtual_table.machine.virtual import VirtualMachine

_STORM_S = 0.1
"""A storm presses and lets go within this time."""
_KEYS = len(Key)
TILES = (144, 136, 108)
"""What a set has: Chinese rules, riichi for four, riichi for three."""


class Storm:
    """Presses as many keys at once as it takes for a rate of events."""

    def __init__(self, machine: VirtualMachine) -> None:
        self._machine = machine
        self.rate = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End for good."""
        self._over.set()
        self._thread.join(5)

    def _run(self) -> None:
        due = time.monotonic()
        while not self._over.wait(max(0.0, due - time.monotonic())):
            due = max(due + _STORM_S, time.monotonic())
            if not self.rate:
                continue  # keys belong to whoever presses them
            count = min(round(self.rate * _STORM_S), SIDES * _KEYS)
            bits = (1 << count) - 1
            self._machine.inputs.keys = [
                bits >> (_KEYS * seat) & ((1 << _KEYS) - 1) for seat in range(SIDES)
            ]
            self._over.wait(_STORM_S / 2)
            self._machine.inputs.keys = [0] * SIDES


def obey(machine: VirtualMachine, storm: Storm, line: str) -> bool:
    """Do what a line says; False for ``quit``.

    Raises:
        ValueError: for a line that says nothing known.
    """
    line = line.strip()
    match line.split():
        case []:
            return True
        case ["quit"]:
            return False
        case ["key", seat, name]:
            if name.upper() not in Key.__members__ or seat not in ("0", "1", "2", "3"):
                raise ValueError(f"no such key: {line!r}")
            machine.press_key(int(seat), name)
        case ["start"]:
            machine.press_start()
        case ["hand", value]:
            machine.set_hand(bool(int(value)))
        case ["stop", value]:
            machine.set_stop(bool(int(value)))
        case ["wall", side, bits]:
            walls = list(machine.inputs.walls)
            walls[int(side) % SIDES] = int(bits, 0)
            machine.set_walls(walls)
        case ["storm", rate]:
            storm.rate = int(rate)
        case _:
            machine.trigger(line)
    return True


def main(argv: list[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--link", type=Path, help="symbolic link that always names the port")
    parser.add_argument("--baud", type=int, default=0, help="pace of the line; 0: none")
    parser.add_argument("--seed", type=int, default=0, help="of boot ids and faults")
    parser.add_argument("--tiles", type=int, default=144, choices=TILES, help="in its mechanics")
    parser.add_argument("--players", type=int, default=4, choices=(3, 4), help="walls they push")
    args = parser.parse_args(argv)
    with VirtualMachine(
        link_path=args.link,
        baud=args.baud,
        seed=args.seed,
        tiles=args.tiles,
        players=args.players,
    ) as machine:
        storm = Storm(machine)
        print(f"port {machine.url}", flush=True)
        try:
            for line in sys.stdin:
                try:
                    if not obey(machine, storm, line):
                        break
                except ValueError as error:
                    print(error, file=sys.stderr)
        except KeyboardInterrupt:
            pass
        storm.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
