"""A cycle of the machine taken to a state, and what its outputs drive meanwhile."""

from firmware_bridge import messages as m
from firmware_bridge.messages import Ends, MachineState, Outcome, TileSet
from hardware.virtual_table.machine.plant import PlantTimes

S = MachineState
CLOSED_DOWN = Ends.HATCH_CLOSED | Ends.LIFT_DOWN
QUICK = PlantTimes(hatch=0.4, lift=0.6, shuffle=0.5, stack=0.1)
FULL = (1 << 18) - 1


def drives(out):
    names = ("start_button", "hatch_open", "hatch_close", "lift_up", "lift_down", "dice_motor")
    return {n for n in names if getattr(out, n)}


def still(out):
    return not drives(out) and not out.motor_enable


def start(tiles=144, players=4, tile_set=TileSet.NEXT):
    return m.StartCycle(tiles, players, tile_set)


def to_state(table, state):
    """Take the cycle to a state, the mechanics helping."""
    assert table.send(start()).outcome is Outcome.DONE
    if state is S.HATCH_OPEN:
        return table
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN)
    table.run(0.1)
    assert table.send(m.Hatch(False)).outcome is Outcome.DONE
    table.until(lambda: table.state is state)
    return table
