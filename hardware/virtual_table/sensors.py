"""What the machine's sensors feel, as readings of the wire protocol, and on the virtual machine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from firmware_bridge.messages import (
    DiceChanged,
    DicePhase,
    Fault,
    Key,
    KeyPressed,
    MachineChanged,
    MachineState,
    SticksChanged,
    TileSet,
    Vibration,
    WallPresence,
)
from firmware_bridge.readings import Reading, What, to_json
from hardware.virtual_table.machine.virtual import VirtualMachine
from hardware.virtual_table.play.stage import MachineInput

_KNOCK_MS = 120


class SensorLog:
    """Turns inputs into the lines of ``sensors.jsonl`` that a board would have caused.

    Args:
        tiles: tiles of the set that the machine works on.
        players: for how many it builds walls.
    """

    def __init__(self, tiles: int = 144, players: int = 4) -> None:
        self._mode = tiles, players
        self._walls = [0, 0, 0, 0]
        self._sticks = 0
        self._state = MachineState.IDLE

    def lines(self, felt: MachineInput) -> list[dict[str, Any]]:
        """The readings that one input leads to, oldest first."""
        return [to_json(Reading(felt.t, what)) for what in self._messages(felt)]

    def _messages(self, felt: MachineInput) -> Iterable[What]:
        data = felt.data
        match felt.kind:
            case "state":
                self._state = MachineState[data["state"].upper()]
                yield self._changed()
            case "wall":
                self._walls[data["side"]] = bits_of(data["bits"])
                a, b, c, d = self._walls
                yield WallPresence((a, b, c, d))
                if self._state is MachineState.READY and not all(data["bits"]):
                    self._state = MachineState.PLAYING
                    yield self._changed()
            case "key":
                yield KeyPressed(data["seat"], Key[data["call"].upper()])
            case "dice":
                yield DiceChanged(DicePhase.IN_TRAY if data["tray"] else DicePhase.REMOVED)
            case "stick":
                bit = 1 << data["seat"]
                self._sticks = self._sticks & ~bit | (bit if data["present"] else 0)
                yield SticksChanged(self._sticks)
            case "vibration":
                yield Vibration(round(1000 * data["strength"]), _KNOCK_MS)

    def _changed(self) -> MachineChanged:
        # The only fault that befalls it here.
        fault = Fault.MISSING_TILES if self._state is MachineState.FAULT else Fault.NONE
        return MachineChanged(self._state, fault, *self._mode, TileSet.A)


def bits_of(present: Iterable[bool]) -> int:
    """Presence of stacks 1.. as bits, bit 0 is stack 1."""
    return sum(1 << index for index, there in enumerate(present) if there)


def apply(machine: VirtualMachine, felt: MachineInput) -> None:
    """Let the virtual machine feel one input; ``state`` is not felt, the machine decides it."""
    data = felt.data
    match felt.kind:
        case "wall":
            stacks = [index for index, there in enumerate(data["bits"], start=1) if there]
            machine.set_wall(data["side"], stacks)
        case "key":
            machine.press_key(data["seat"], data["call"])
        case "dice":
            machine.set_dice_tray(data["tray"])
        case "stick":
            machine.set_stick(data["seat"], data["present"])
        case "lost":
            machine.plant.missing = data["stacks"]
        case "vibration":
            machine.knock(round(1000 * data["strength"]), _KNOCK_MS / 1000)
