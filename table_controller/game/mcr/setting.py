"""From the raised wall to the last tile of the deal; the table's clock and machine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    Clock,
    DiceRemoved,
    DiceRolled,
    Machine,
    Seat,
    TableSet,
    WallRaised,
)
from table_controller.game import costs
from table_controller.game.mcr.state import Roll
from table_controller.game.wall import Ring

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading


_SAME_THROW_S = 1.5
"""The same values again within this time are the same throw reported twice."""


def table_set(g: ChineseTable, h: TableSet) -> bool:
    """The state handed over before a hand."""
    g.finish(h.t)
    g.fresh_hand()
    g.dealer = h.dealer
    g.turn = h.dealer
    g.hand = max(1, h.hand)
    wind = "ESWN".index(h.round_wind)
    if ((g.hand - 1) // 4) % 4 != wind:
        # The round wind leads; the number of the hand then counts within its round.
        g.hand = 4 * wind + (g.hand - 1) % 4 + 1
    if h.scores is not None and len(h.scores) == 4:
        g.scores = h.scores
    return True


def wall_raised(g: ChineseTable, h: WallRaised) -> bool:
    """The walls stand; a wrong number of stacks is an alert, and the count that stands holds."""
    if g.phase in ("check", "play"):
        g.finish(h.t)
    if g.phase == "over":
        g.next_hand()
    if g.phase not in ("idle", "wall"):
        return False
    raise_walls(g, h.stacks)
    per_side = g.ruleset.equipment.stacks_per_side
    if any(n != per_side for n in h.stacks):
        g.now = max(g.now, h.t)
        g.flag("wall-miscount", None, h, t=h.t, cause=("miscount", h.t))
    return True


def raise_walls(g: ChineseTable, stacks: tuple[int, int, int, int]) -> None:
    """The walls stand with so many stacks on the sides 0..3."""
    g.ring = Ring(stacks)
    g.phase = "wall"
    g.raised = True


def read_wall_raised(g: ChineseTable, h: WallRaised) -> list[Reading]:
    """A wall in the middle of a hand: its end was not seen, or it was given up and dealt again.

    Who throws the dice first tells which: the deal passes after a hand, not after a void one.
    """
    if g.phase in ("idle", "wall"):
        return []

    def ended(r: ChineseTable) -> None:
        from table_controller.game.mcr.winning import abort

        abort(r, h.t, "void")
        wall_raised(r, h)

    def given_up(r: ChineseTable) -> None:
        from table_controller.game.mcr.winning import abort

        abort(r, h.t, "void", redeal=True)
        wall_raised(r, h)

    early = g.phase == "deal" or g.discards < 2
    return [(costs.MISSED + early, ended), (costs.MISSED + 1.0 - early, given_up)]


def thrower_due(g: ChineseTable, rolls: tuple[Roll, ...] | None = None) -> Seat:
    """Who has to throw next (after these throws): the dealer, then the seat his sum counts to."""
    rolls = g.rolls if rolls is None else rolls
    if not rolls:
        return g.dealer
    first = rolls[0].total
    return g.dealer if first is None else g.counted_seat(first)


def dice_rolled(g: ChineseTable, h: DiceRolled) -> bool:
    """A throw. An invalid one changes nothing; a wrong thrower's stands until it is repeated."""
    if g.phase != "wall":
        return False
    valid = h.valid and len(h.values) == 2 and all(1 <= value <= 6 for value in h.values)
    last = g.rolls[-1] if g.rolls else None
    repeats = last is not None and last.seat != last.due and h.seat == last.due
    full = len(g.rolls) - repeats >= g.ruleset.opening.throws
    if full or (last is not None and last.values == h.values and h.t - g.dice_t < _SAME_THROW_S):
        return False
    rolls = g.rolls[:-1] if repeats else g.rolls
    due = thrower_due(g, rolls)
    unsure = bool(rolls) and rolls[0].total is None
    if valid and h.seat not in (None, due):
        if not unsure:
            return False
        due = h.seat
    g.rolls = rolls
    _dice_lie(g, h)
    if not valid:
        g.flag("die-invalid", due if h.seat is None else h.seat, h, t=h.t)
        return True
    g.say("dice", due, values=h.values)
    g.rolls = (*g.rolls, Roll(due, sum(h.values), due, h.values))
    return True


def _dice_lie(g: ChineseTable, h: DiceRolled) -> None:
    """Dice lie in the middle, whatever the throw is worth."""
    g.now = max(g.now, h.t)
    g.dice_in, g.dice_t = True, h.t
    g.thrown = (*g.thrown, h)


def read_dice_rolled(g: ChineseTable, h: DiceRolled) -> list[Reading]:
    """The same throw reported twice; dice touched later in the hand mean nothing."""
    last = g.rolls[-1] if g.rolls else None
    readings: list[Reading] = []
    if g.phase not in ("idle", "wall"):
        return [(costs.DOUBLED, lambda _r: None)]
    if last is not None and last.values == h.values and h.t - g.dice_t < _SAME_THROW_S:
        readings.append((costs.DOUBLED, lambda _r: None))
    throws = g.ruleset.opening.throws
    if g.phase == "wall" and len(g.rolls) < throws and h.seat is not None:
        thrower: Seat = h.seat

        def wrong(r: ChineseTable) -> None:
            _dice_lie(r, h)
            r.say("dice", thrower, values=h.values)
            r.flag("wrong-thrower", thrower, h, t=h.t)
            r.rolls = (*r.rolls, Roll(thrower, sum(h.values), thrower_due(r), h.values))

        if thrower != thrower_due(g):
            readings.append((costs.INFRACTION, wrong))
        elif g.rolls:

            def same_values(r: ChineseTable) -> None:
                r.now = max(r.now, h.t)
                r.say("dice", thrower, values=h.values)
                r.rolls = (*r.rolls, Roll(thrower, sum(h.values), thrower, h.values))

            readings.append((2.0, same_values))
    return [*readings, *_thrown_anew(g, h)]


def _thrown_anew(g: ChineseTable, h: DiceRolled) -> list[Reading]:
    """All throws were made, and the last thrower throws again: a die of his had leaned, unseen."""
    if g.phase != "wall" or len(g.rolls) < g.ruleset.opening.throws or not g.thrown:
        return []
    last, before = g.rolls[-1], g.thrown[-1]
    if h.seat not in (None, last.seat) or not h.valid or len(h.values) != 2:
        return []

    def anew(r: ChineseTable) -> None:
        _dice_lie(r, h)
        r.flag("die-invalid", last.seat, before, h, t=before.t)
        r.say("dice", last.seat, values=h.values)
        r.rolls = (*r.rolls[:-1], replace(last, total=sum(h.values), values=h.values))

    return [(costs.MISSED, anew)]


def dice_removed(g: ChineseTable, _h: DiceRemoved) -> bool:
    """The dice are out of the middle, where a throw that was no illusion had brought them."""
    if not g.dice_in:
        g.surprise += costs.MISSED
    g.dice_in = False
    return True


def machine(g: ChineseTable, h: Machine) -> bool:
    """The machine swallows tiles only after a hand."""
    if h.state in ("hatch_open", "shuffling", "raising") and g.phase in ("check", "play"):
        g.finish(h.t)
    if h.fault == "missing_tiles":
        g.now = max(g.now, h.t)
        g.flag("missing-tile", None, h, t=h.t, cause=("missing", h.t))
    return True


def clock(g: ChineseTable, h: Clock) -> bool:
    """The referee's clock."""
    g.now = max(g.now, h.t)
    if h.event == "session_started":
        g.session_from, g.paused_s, g.paused_at, g.time_up = h.t, 0.0, None, False
    elif h.event == "paused":
        g.paused_at = h.t if g.paused_at is None else g.paused_at
    elif h.event == "resumed" and g.paused_at is not None:
        g.paused_s += h.t - g.paused_at
        g.pauses = (*g.pauses, (g.paused_at, h.t))
        g.paused_at = None
    elif h.event == "session_ended":
        if g.phase in ("check", "play"):
            g.finish(h.t)
        if g.phase in ("wall", "dice", "deal", "play"):
            from table_controller.game.mcr.winning import abort

            if not g.time_up:
                g.time_up = True
                g.flag("session-time-up", None, h, t=h.t, cause=("time",))
            abort(g, h.t, "void", redeal=True)
    return True


def check_session(g: ChineseTable, t: float, minutes: float) -> None:
    """Whether the session's time has run out (pauses not counted)."""
    assert g.session_from is not None
    if g.paused_at is not None:
        return
    end = g.session_from + g.paused_s + 60.0 * minutes
    if t >= end and g.phase in ("wall", "dice", "deal", "play", "check"):
        g.time_up = True
        before, g.now = g.now, max(g.now, end)
        g.flag("session-time-up", None, t=end, cause=("time",))
        g.now = before
