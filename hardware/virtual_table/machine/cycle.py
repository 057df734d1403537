"""The cycle of the machine and what stops it (the twin of the firmware's cycle.c).

Nothing moves while a hand is reported in the hatch zone (and HAND_CLEAR_MS after), while the
emergency stop is pressed, while the host is silent or holds its veto, or while the supply is out
of range; the board decides this by itself. A hand or a veto pauses a movement, which goes on when
they are gone; stop, silence and supply end it with a fault that somebody has to clear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firmware_bridge import messages as m
from firmware_bridge.messages import Block, Ends, Fault, MachineState, Outcome, TileSet
from hardware.virtual_table.machine.io import Inputs, Outputs
from hardware.virtual_table.machine.scan import MS, SCAN, Scanner

DONE: Final = m.Result(Outcome.DONE, Block(0))
WRONG_STATE: Final = m.Result(Outcome.WRONG_STATE, Block(0))
BAD_ARGUMENT: Final = m.Result(Outcome.BAD_ARGUMENT, Block(0))
_REST: Final = (MachineState.IDLE, MachineState.READY, MachineState.PLAYING)
_LATCHED: Final = (
    (Block.STOP, Fault.EMERGENCY_STOP),
    (Block.HOST_SILENT, Fault.HOST_SILENT),
    (Block.SUPPLY, Fault.SUPPLY),
)


def required_stacks(tiles: int, players: int) -> tuple[int, int, int, int] | None:
    """Stacks a side, or None for a mode that does not exist.

    108 tiles for four players are 27 a side: 13 stacks and a single tile on the 14th sensor. For
    three players side 3 stays empty and 108 tiles make three walls of 18 (contract, section 8).
    """
    return {
        (144, 4): (18, 18, 18, 18),
        (136, 4): (17, 17, 17, 17),
        (108, 4): (14, 14, 14, 14),
        (108, 3): (18, 18, 18, 0),
    }.get((tiles, players))


@dataclass(slots=True)
class Mode:
    """What the next cycle works on."""

    tiles: int = 144
    players: int = 4
    tile_set: TileSet = TileSet.A
    want: TileSet = TileSet.NEXT


class Cycle:
    """State machine of the cycle; call :meth:`step` once for each scan."""

    def __init__(self, scanner: Scanner, *, watchdog: bool = False) -> None:
        self._in = scanner
        self.mode = Mode()
        self.fault = Fault.NONE
        self.hold = False
        self.block = Block(0)
        self.state = self._rest_state()
        self.built = [0] * m.SIDES
        self._timer = 0  # ticks in the present step, not counting pauses
        self._since_stack = 0
        self._hatch_moves = 0  # ticks since the lift was down and the hatch began to open
        self._lit_out = [0] * m.SIDES  # ticks each side's optics have been dark
        self._over = 0
        self._unread = 0  # ticks since the chain was read
        self._hand_clear = 0
        self._pulse = 0
        self._manual = Ends(0)  # end switch a manual movement is after
        self._dice_left = 0
        self._dice_still = 0
        self.dice = m.DicePhase.IN_TRAY if scanner.dice_tray.value else m.DicePhase.REMOVED
        self._tray = scanner.dice_tray.value
        if watchdog:
            self._fail(Fault.WATCHDOG)

    # ---------------------------------------------------------------- commands

    def start(self, tiles: int, players: int, tile_set: TileSet) -> m.Result:
        """Begin a cycle."""
        if required_stacks(tiles, players) is None:
            return BAD_ARGUMENT
        if self.state not in _REST:
            return WRONG_STATE
        if self.block:
            return m.Result(Outcome.BLOCKED, self.block)
        before = self.mode.tile_set
        if tile_set is TileSet.NEXT:
            chosen = TileSet.B if before is TileSet.A else TileSet.A
        else:
            chosen = tile_set
        self.mode = Mode(tiles, players, chosen, tile_set)
        self._manual = Ends(0)
        self._enter(MachineState.HATCH_OPEN)
        return DONE

    def set_mode(self, tiles: int, players: int) -> m.Result:
        """Which walls the button on the table begins."""
        if required_stacks(tiles, players) is None:
            return BAD_ARGUMENT
        if self.state in (MachineState.BUILDING, MachineState.RAISING):
            return WRONG_STATE  # the stacks are being counted
        self.mode.tiles, self.mode.players = tiles, players
        return DONE

    def hatch(self, opening: bool) -> m.Result:
        """Close the hatch once it is open, open it again, or move it by hand while idle."""
        if self.state is MachineState.IDLE:
            return self._move(Ends.HATCH_OPEN if opening else Ends.HATCH_CLOSED)
        ways = {
            (MachineState.HATCH_OPEN, False): MachineState.DROPPING,
            (MachineState.DROPPING, True): MachineState.HATCH_OPEN,
            (MachineState.SHUFFLING, True): MachineState.HATCH_OPEN,
        }
        target = ways.get((self.state, opening))
        if target is None:
            return WRONG_STATE
        if self.block:
            return m.Result(Outcome.BLOCKED, self.block)
        if target is MachineState.DROPPING and self._moving:
            return WRONG_STATE  # it is not open yet
        self._enter(target)
        return DONE

    def lift(self, up: bool) -> m.Result:
        """Move the lift while idle."""
        if self.state is not MachineState.IDLE:
            return WRONG_STATE
        return self._move(Ends.LIFT_UP if up else Ends.LIFT_DOWN)

    def roll(self, run_ms: int) -> m.Result:
        """Run the dice motor."""
        if not 1 <= run_ms <= m.DICE_MAX_MS:
            return BAD_ARGUMENT
        if self.block:
            return m.Result(Outcome.BLOCKED, self.block)
        self._dice_left = run_ms * MS
        self.dice = m.DicePhase.ROLLING
        return DONE

    def press_start(self) -> None:
        """The start button on the table: begins a cycle, and closes the hatch."""
        if self.state is MachineState.HATCH_OPEN:
            self.hatch(opening=False)
        else:
            self.start(self.mode.tiles, self.mode.players, self.mode.want)

    def clear_fault(self) -> m.Result:
        """Leave a fault whose cause is gone."""
        if self.state is not MachineState.FAULT:
            return WRONG_STATE
        causes = self.block & ~Block.FAULT
        if causes & (Block.STOP | Block.SUPPLY):
            return m.Result(Outcome.BLOCKED, causes)
        self.fault = Fault.NONE
        self.block = causes
        self._enter(self._rest_state())
        return DONE

    # ---------------------------------------------------------------- time

    def heard(self) -> None:
        """The host gave a command: that it was silent is no reason any more, before the next scan.

        The first one comes at once behind the greeting.
        """
        self.block &= ~Block.HOST_SILENT

    def step(self, raw: Inputs, host_silent: bool) -> None:
        """One scan has been read."""
        self._interlocks(raw, host_silent)
        self._watch_current(raw)
        self._watch_chain(raw)
        self._dice()
        if self.state in (MachineState.FAULT, MachineState.READY, MachineState.PLAYING):
            if self.state is MachineState.READY and not self._walls_complete():
                self._enter(MachineState.PLAYING)
            return
        if self.block:
            self._latch()
            return
        self._timer += SCAN
        self._check_ends()
        {
            MachineState.IDLE: self._idle,
            MachineState.HATCH_OPEN: self._hatch_open,
            MachineState.DROPPING: self._dropping,
            MachineState.SHUFFLING: self._shuffling,
            MachineState.BUILDING: self._building,
            MachineState.RAISING: self._raising,
        }.get(self.state, lambda: None)()

    def outputs(self, out: Outputs) -> None:
        """Set the drives; all are off while anything blocks."""
        free = not self.block
        out.motor_enable = free and (self._moving or self._dice_left > 0)
        ends, state = self._ends, self.state
        lowering = state is MachineState.HATCH_OPEN and not ends & Ends.LIFT_DOWN
        out.lift_down = free and (lowering or self._manual == Ends.LIFT_DOWN)
        out.lift_up = free and (
            (state is MachineState.RAISING and not ends & Ends.LIFT_UP)
            or self._manual == Ends.LIFT_UP
        )
        out.hatch_open = free and (
            (state is MachineState.HATCH_OPEN and not lowering and not ends & Ends.HATCH_OPEN)
            or self._manual == Ends.HATCH_OPEN
        )
        out.hatch_close = free and (
            state is MachineState.DROPPING or self._manual == Ends.HATCH_CLOSED
        )
        out.start_button = free and state is MachineState.SHUFFLING and self._pulse > 0
        out.dice_motor = free and self._dice_left > 0

    # ---------------------------------------------------------------- within

    @property
    def _ends(self) -> Ends:
        return Ends(self._in.ends.value)

    @property
    def _moving(self) -> bool:
        """Whether a drive, of the board's or the table's own, is at work or wants to be."""
        if self.state is MachineState.HATCH_OPEN:
            return self._ends & (Ends.LIFT_DOWN | Ends.HATCH_OPEN) != (
                Ends.LIFT_DOWN | Ends.HATCH_OPEN
            )
        if self.state is MachineState.IDLE:
            return bool(self._manual)
        return self.state in (
            MachineState.DROPPING,
            MachineState.SHUFFLING,
            MachineState.BUILDING,
            MachineState.RAISING,
        )

    def _rest_state(self) -> MachineState:
        """After a reset or a fault: tiles on the walls mean that a hand is being played."""
        if any(wall.value for wall in self._in.walls):
            return MachineState.PLAYING
        return MachineState.IDLE

    def _walls_complete(self) -> bool:
        need = required_stacks(self.mode.tiles, self.mode.players) or (0, 0, 0, 0)
        return all(w.value == (1 << n) - 1 for w, n in zip(self._in.walls, need, strict=True))

    def _enter(self, state: MachineState) -> None:
        self.state = state
        self._timer = 0
        self._since_stack = self._hatch_moves = 0
        self._lit_out = [0] * m.SIDES
        if state is MachineState.SHUFFLING:
            self._pulse = m.START_PULSE_MS * MS
            self.built = [0] * m.SIDES

    def _fail(self, fault: Fault) -> None:
        self.fault = fault
        self._manual = Ends(0)
        self._dice_left = 0
        self.block |= Block.FAULT
        self._enter(MachineState.FAULT)

    def _move(self, target: Ends) -> m.Result:
        if self.block:
            return m.Result(Outcome.BLOCKED, self.block)
        self._manual = target
        self._timer = 0
        return DONE

    def _interlocks(self, raw: Inputs, host_silent: bool) -> None:
        """Reasons appear at once, on the raw input; they go with the debounced one."""
        if raw.hand or self._in.hand.value:
            self._hand_clear = m.HAND_CLEAR_MS * MS
        elif self._hand_clear > 0:
            self._hand_clear -= SCAN
        block = Block(0)
        if self._hand_clear > 0:
            block |= Block.HAND
        if raw.stop or self._in.stop.value:
            block |= Block.STOP
        if host_silent:
            block |= Block.HOST_SILENT
        if self.hold:
            block |= Block.HOLD
        if not m.SUPPLY_MIN_MV <= raw.supply_mv <= m.SUPPLY_MAX_MV:
            block |= Block.SUPPLY
        if self.state is MachineState.FAULT:
            block |= Block.FAULT
        self.block = block

    def _latch(self) -> None:
        """A movement that stop, silence or supply interrupts does not go on by itself."""
        if not self._moving:
            return
        for reason, fault in _LATCHED:
            if self.block & reason:
                self._fail(fault)
                return

    def _watch_current(self, raw: Inputs) -> None:
        self._over = self._over + SCAN if raw.motor_ma > m.MOTOR_MAX_MA else 0
        if self._over > m.OVERCURRENT_MS * MS and self.state is not MachineState.FAULT:
            self._fail(Fault.OVER_CURRENT)

    def _watch_chain(self, raw: Inputs) -> None:
        """What was read last stands, and nobody sees keys or stacks any more."""
        self._unread = 0 if raw.chain_ok else self._unread + SCAN
        if self._unread > m.CHAIN_MS * MS and self.state is not MachineState.FAULT:
            self._fail(Fault.SENSOR_DISAGREEMENT)

    def _dice(self) -> None:
        if self._dice_left > 0:
            self._dice_left = 0 if self.block else max(0, self._dice_left - SCAN)
            self._dice_still = 0
        elif self.dice is m.DicePhase.ROLLING:
            self._dice_still += SCAN
            if self._dice_still >= m.DICE_STILL_MS * MS:
                self.dice = m.DicePhase.STOPPED
        if self._in.dice_tray.value != self._tray:
            self._tray = self._in.dice_tray.value
            if self.dice is not m.DicePhase.ROLLING:
                self.dice = m.DicePhase.IN_TRAY if self._tray else m.DicePhase.REMOVED

    def _check_ends(self) -> None:
        """Both ends at once, or an open hatch while the tiles are worked on: a sensor lies."""
        ends = self._ends
        both = (Ends.HATCH_OPEN | Ends.HATCH_CLOSED, Ends.LIFT_UP | Ends.LIFT_DOWN)
        working = (MachineState.SHUFFLING, MachineState.BUILDING, MachineState.RAISING)
        lies = any(ends & pair == pair for pair in both)
        if (lies and self._moving) or (self.state in working and not ends & Ends.HATCH_CLOSED):
            self._fail(Fault.SENSOR_DISAGREEMENT)

    def _idle(self) -> None:
        if not self._manual:
            return
        if self._ends & self._manual:
            self._manual = Ends(0)
        elif self._manual & (Ends.HATCH_OPEN | Ends.HATCH_CLOSED):
            if self._timer > m.HATCH_MOVE_MS * MS:
                self._fail(Fault.HATCH_TIMEOUT)
        elif self._timer > m.LIFT_MOVE_MS * MS:
            self._fail(Fault.LIFT_TIMEOUT)

    def _hatch_open(self) -> None:
        if not self._ends & Ends.LIFT_DOWN:
            self._hatch_moves = 0
            if self._timer > m.LIFT_MOVE_MS * MS:
                self._fail(Fault.LIFT_TIMEOUT)
        elif self._ends & Ends.HATCH_OPEN:
            self._timer = self._hatch_moves = 0  # open: the players take the time they need
        else:
            self._hatch_moves += SCAN
            if self._hatch_moves > m.HATCH_MOVE_MS * MS:
                self._fail(Fault.HATCH_TIMEOUT)

    def _dropping(self) -> None:
        if self._ends & Ends.HATCH_CLOSED:
            self._enter(MachineState.SHUFFLING)
        elif self._timer > m.HATCH_MOVE_MS * MS:
            self._fail(Fault.HATCH_TIMEOUT)

    def _shuffling(self) -> None:
        self._pulse = max(0, self._pulse - SCAN)
        if self._jammed():
            self._fail(Fault.JAM)
        elif any(self._in.stacks_pushed):
            self._enter(MachineState.BUILDING)
            self._building()
        elif self._timer > m.SHUFFLE_MS * MS:
            self._fail(Fault.SHUFFLE_TIMEOUT)

    def _building(self) -> None:
        need = required_stacks(self.mode.tiles, self.mode.players) or (0, 0, 0, 0)
        self._since_stack = 0 if any(self._in.stacks_pushed) else self._since_stack + SCAN
        self.built = [b + p for b, p in zip(self.built, self._in.stacks_pushed, strict=True)]
        if any(b > n for b, n in zip(self.built, need, strict=True)):
            self._fail(Fault.SENSOR_DISAGREEMENT)
        elif self._jammed():
            self._fail(Fault.JAM)
        elif tuple(self.built) == need:
            self._enter(MachineState.RAISING)
        elif self._since_stack > m.STACK_MS * MS:
            self._fail(Fault.MISSING_TILES)

    def _raising(self) -> None:
        if not self._ends & Ends.LIFT_UP:
            self._since_stack = 0
            if self._timer > m.LIFT_MOVE_MS * MS:
                self._fail(Fault.LIFT_TIMEOUT)
            return
        self._since_stack += SCAN
        if self._since_stack < m.SETTLE_MS * MS:
            return
        if self._walls_complete():
            self._enter(MachineState.READY)
            return
        need = required_stacks(self.mode.tiles, self.mode.players) or (0, 0, 0, 0)
        extra = any(w.value >> n for w, n in zip(self._in.walls, need, strict=True))
        self._fail(Fault.SENSOR_DISAGREEMENT if extra else Fault.MISSING_TILES)

    def _jammed(self) -> bool:
        dark = self._in.push_heads.value | self._in.platforms.value
        for side in range(m.SIDES):
            self._lit_out[side] = self._lit_out[side] + SCAN if dark >> side & 1 else 0
        return any(t > m.JAM_MS * MS for t in self._lit_out)
