"""A cycle of the machine taken to a state, and what its outputs drive meanwhile."""

from firmware_bridge import messages as m
from firmware_bridge.messages import Ends, MachineState, Outcome, TileSet
from hardware.virtual_table.machine.io import Outputs
from hardware.virtual_table.machine.plant import PlantTimes
from tests.hardware.desk import Desk

S = MachineState
CLOSED_DOWN = Ends.HATCH_CLOSED | Ends.LIFT_DOWN
QUICK = PlantTimes(hatch=0.4, lift=0.6, shuffle=0.5, stack=0.1)
FULL = (1 << 18) - 1


def drives(out: Outputs) -> set[str]:
    names = ("start_button", "hatch_open", "hatch_close", "lift_up", "lift_down", "dice_motor")
    return {n for n in names if getattr(out, n)}


def still(out: Outputs) -> bool:
    return not drives(out) and not out.motor_enable


def start(tiles: int = 144, players: int = 4, tile_set: TileSet = TileSet.NEXT) -> m.StartCycle:
    return m.StartCycle(tiles, players, tile_set)


def to_state(table: Desk, state: MachineState) -> Desk:
    """Take the cycle to a state, the mechanics helping."""
    assert table.send(start()).outcome is Outcome.DONE
    if state is S.HATCH_OPEN:
        return table
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN)
    table.run(0.1)
    assert table.send(m.Hatch(False)).outcome is Outcome.DONE
    table.until(lambda: table.state is state)
    return table
