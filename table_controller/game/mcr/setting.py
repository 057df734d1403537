"""From the raised wall to the last tile of the deal; the table's clock and machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    Clock,
    DiceRemoved,
    DiceRolled,
    Machine,
    Seat,
    Slot,
    TableSet,
    TileDrawn,
    WallRaised,
)
from table_controller.game import costs
from table_controller.game.wall import Ring, Wall
from table_controller.referee.rulings import Facts

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
        g.flag("wall-miscount", None, h, t=h.t, cause=("miscount",))
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


def _due(g: ChineseTable) -> Seat:
    """Who has to throw next: the dealer, then the seat his sum counts to."""
    if not g.rolls:
        return g.dealer
    first = g.rolls[0].total
    return g.dealer if first is None else g.counted_seat(first)


def dice_rolled(g: ChineseTable, h: DiceRolled) -> bool:
    """A throw. An invalid one changes nothing; a wrong thrower's stands until it is repeated."""
    from table_controller.game.mcr.table import Roll

    if g.phase != "wall":
        return False
    valid = h.valid and len(h.values) == 2 and all(1 <= value <= 6 for value in h.values)
    last = g.rolls[-1] if g.rolls else None
    repeats = last is not None and last.seat != last.due and h.seat == last.due
    full = len(g.rolls) - repeats >= g.ruleset.opening.throws
    if full or (last is not None and last.values == h.values and h.t - g.dice_t < _SAME_THROW_S):
        return False
    if repeats:
        g.rolls = g.rolls[:-1]
    g.now = max(g.now, h.t)
    g.dice_in = True
    g.dice_t = h.t
    g.thrown = (*g.thrown, h)
    due = _due(g)
    if not valid:
        g.flag("die-invalid", due if h.seat is None else h.seat, h, t=h.t)
        return True
    unsure = bool(g.rolls) and g.rolls[0].total is None
    if h.seat is not None and h.seat != due:
        if not unsure:
            return False
        due = h.seat
    g.say("dice", due, values=h.values)
    g.rolls = (*g.rolls, Roll(due, sum(h.values), due, h.values))
    return True


def read_dice_rolled(g: ChineseTable, h: DiceRolled) -> list[Reading]:
    """The same throw reported twice; dice touched later in the hand mean nothing."""
    from table_controller.game.mcr.table import Roll

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
            r.now = max(r.now, h.t)
            r.dice_in, r.dice_t = True, h.t
            r.thrown = (*r.thrown, h)
            r.say("dice", thrower, values=h.values)
            r.flag("wrong-thrower", thrower, h, t=h.t)
            r.rolls = (*r.rolls, Roll(thrower, sum(h.values), _due(r), h.values))

        if thrower != _due(g):
            readings.append((costs.INFRACTION, wrong))
        elif g.rolls:

            def same_values(r: ChineseTable) -> None:
                r.now = max(r.now, h.t)
                r.say("dice", thrower, values=h.values)
                r.rolls = (*r.rolls, Roll(thrower, sum(h.values), thrower, h.values))

            readings.append((2.0, same_values))
    return readings


def dice_removed(g: ChineseTable, _h: DiceRemoved) -> bool:
    """The dice are out of the middle."""
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
        g.paused_at = h.t
    elif h.event == "resumed" and g.paused_at is not None:
        g.paused_s += h.t - g.paused_at
        g.paused_at = None
    elif h.event == "session_ended":
        if g.phase == "check":
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


# -- break and deal ---------------------------------------------------------------------------


def expected_start(g: ChineseTable) -> int | None:
    """Ring position of the first stack to be dealt, where the throws are known."""
    if len(g.rolls) != g.ruleset.opening.throws or any(r.total is None for r in g.rolls):
        return None
    total = sum(roll.total or 0 for roll in g.rolls)
    return g.ring.after(breaker_side(g), total)


def breaker_side(g: ChineseTable) -> Seat:
    """Whose wall is counted: the second thrower's."""
    first = g.rolls[0].total if g.rolls else None
    return g.dealer if first is None else g.counted_seat(first)


def begin_deal(g: ChineseTable, start: int, *, inferred: bool = False) -> None:
    """The wall is broken at this position."""
    g.wall = g.new_wall(start)
    g.phase = "deal"
    g.deal_at = 0
    g.deal_left = g.deal_step(0)[1]
    g.say("break", g.dealer, slots=(g.wall.slot(0),), inferred=inferred)
    opening = g.ruleset.opening
    if g.dice_in and opening.dice_removed == "before_break" and g.looked("middle", None, g.dice_t):
        g.flag("dice-left", g.dealer, *g.thrown[-1:], cause=("dice",))


def deal_seat(g: ChineseTable) -> Seat:
    """Who takes the next tiles of the deal."""
    seat = g.dealer
    for _ in range(g.deal_step(g.deal_at)[0]):
        seat = g.next_of(seat)
    return seat


def take_dealt(g: ChineseTable, indices: tuple[int, ...], seat: int) -> None:
    """Tiles of the current step join the seat's hand."""
    assert g.wall is not None
    for index in indices:
        g.wall.take(index)
    g.seats[seat].standing += len(indices)
    g.deal_left = tuple(index for index in g.deal_left if index not in indices)
    while not g.deal_left:
        g.deal_at += 1
        if g.deal_at == g.deal_steps:
            end_deal(g)
            return
        g.deal_left = g.deal_step(g.deal_at)[1]


def end_deal(g: ChineseTable) -> None:
    """Everybody has his tiles: the dealer discards first, flowers are replaced before."""
    g.say("deal", g.dealer)
    g.phase = "play"
    g.turn = g.dealer
    g.need = "discard"
    g.after = "deal"
    g.deal_t = g.now
    g.draw_t = g.now
    g.flowers_t = g.now


def _indices(g: ChineseTable, slots: tuple[Slot, ...]) -> tuple[int, ...] | None:
    assert g.wall is not None
    found = tuple(g.wall.index(slot) for slot in slots)
    return None if None in found else found  # type: ignore[return-value]


def deal_drawn(g: ChineseTable, h: TileDrawn) -> bool:
    """A draw while the wall is broken and dealt, where it is the right one."""
    if g.phase == "wall":
        if len(g.rolls) != g.ruleset.opening.throws:
            return False
        if h.seat is not None and h.seat != g.dealer:
            return False
        start = expected_start(g)
        if start is None:
            start = g.ring.position(h.slots[0].side, h.slots[0].stack) if h.slots else None
            if start is None:
                return False
        else:
            wall = Wall(g.ring, start)
            wanted = set(g.deal_step(0)[1])
            if not {wall.index(slot) for slot in h.slots} <= wanted:
                return False
        g.now = max(g.now, h.t)
        if h.stage != "taken":
            return True
        begin_deal(g, start)
    if h.seat is not None and h.seat != deal_seat(g):
        return False
    indices = _indices(g, h.slots) if h.slots else g.deal_left
    if indices is None or not set(indices) <= set(g.deal_left):
        return False
    if h.stage == "taken":
        g.now = max(g.now, h.t)
        take_dealt(g, indices, deal_seat(g))
    return True


def read_deal_drawn(g: ChineseTable, h: TileDrawn) -> list[Reading]:
    """A wrong break, a wrong number or order at the deal, or slots read wrongly."""
    readings: list[Reading] = []
    doubt = costs.disbelief(h.confidence)
    if g.phase == "wall" and h.slots:
        position = g.ring.position(h.slots[0].side, h.slots[0].stack)
        right = expected_start(g)
        turn = 0 if h.seat is None else g.steps(g.dealer, h.seat)
        if position is None:
            return readings
        start = (position - 2 * turn) % g.ring.total
        if right is None and len(g.rolls) == g.ruleset.opening.throws:

            def unseen_dealer(r: ChineseTable) -> None:
                r.now = max(r.now, h.t)
                begin_deal(r, start, inferred=True)
                for _ in range(turn):
                    take_dealt(r, r.deal_left, deal_seat(r))
                take_dealt(r, r.deal_left, deal_seat(r))

            if h.stage == "taken":
                readings.append((costs.MISSED, unseen_dealer))
        if right is not None and start != right:

            def wrong_break(r: ChineseTable) -> None:
                _wrong_break(r, h, start)

            readings.append((costs.INFRACTION, wrong_break))
        if right is not None and (h.seat is None or h.seat == g.dealer):

            def misread(r: ChineseTable) -> None:
                r.now = max(r.now, h.t)
                if h.stage == "taken":
                    begin_deal(r, right)
                    take_dealt(r, r.deal_left, r.dealer)

            readings.append((doubt, misread))
        return readings
    if g.phase != "deal" or g.wall is None:
        return readings
    seat = deal_seat(g) if h.seat is None else h.seat
    indices = _indices(g, h.slots)
    if indices is not None and h.slots and all(not g.wall.stands(i) for i in indices):
        readings.append((costs.DOUBLED, lambda _r: None))
    if seat == deal_seat(g):

        def misread_slots(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            if h.stage == "taken":
                take_dealt(r, r.deal_left, seat)

        readings.append((doubt, misread_slots))
    if indices is not None and h.slots:
        held = indices

        def wrong_deal(r: ChineseTable) -> None:
            _wrong_deal(r, h, seat, held)

        readings.append((costs.RARE, wrong_deal))
    return readings


def _wrong_break(g: ChineseTable, h: TileDrawn, start: int) -> None:
    g.now = max(g.now, h.t)
    answers = g.ruleset.alerts["wrong-break"].answers if g.ruleset.knows("wrong-break") else None
    seat = breaker_side(g) if answers == "second_thrower" else g.dealer
    stage = "seen" if h.stage == "seen" else "unseen"
    g.flag("wrong-break", seat, h, t=h.t, facts=Facts(stage=stage), cause=("break",))
    if h.stage != "taken":
        return
    begin_deal(g, start)
    seat_of_draw = g.dealer if h.seat is None else h.seat
    for _ in range(g.steps(g.dealer, seat_of_draw)):
        take_dealt(g, g.deal_left, deal_seat(g))
    indices = _indices(g, h.slots)
    if indices and set(indices) <= set(g.deal_left):
        take_dealt(g, indices, seat_of_draw)
    else:
        take_dealt(g, g.deal_left, seat_of_draw)


def _wrong_deal(g: ChineseTable, h: TileDrawn, seat: Seat, indices: tuple[int, ...]) -> None:
    """Tiles that were not this seat's to take: too many, out of order, or not the next ones."""
    assert g.wall is not None
    g.now = max(g.now, h.t)
    stage = {"touched": "unseen", "lifted": "unseen"}.get(h.stage, h.stage)
    g.flag("wrong-deal", seat, h, t=h.t, facts=Facts(stage=stage), cause=("deal", g.deal_at))
    if h.stage != "taken":
        return
    here = tuple(i for i in indices if i in g.deal_left)
    others = tuple(i for i in indices if i not in g.deal_left and g.wall.stands(i))
    for index in others:
        g.wall.take(index)
    g.seats[seat].standing += len(others)
    if here and seat == deal_seat(g):
        take_dealt(g, here, seat)


def silent(g: ChineseTable) -> list[Reading]:
    """Steps of the opening that may have been taken unseen."""
    if g.phase == "idle":

        def raised(r: ChineseTable) -> None:
            raise_walls(r, r.stacks_due)

        return [(g.missed("wall", None), raised)]
    if g.phase == "wall":
        if len(g.rolls) < g.ruleset.opening.throws:
            return [(g.missed("middle", None), _unseen_roll)]
        start = expected_start(g)
        if start is None:
            return []
        return [(g.missed("wall", None), lambda r: _unseen_first(r, start))]
    if g.phase == "deal":
        seat = deal_seat(g)
        cost = g.missed("wall", None) if g.deal_at % 4 == 0 or g.deal_at < 2 else 2.0
        return [(cost, lambda r: _unseen_deal(r, seat))]
    return []


def _unseen_deal(g: ChineseTable, seat: Seat) -> None:
    g.unseen += 1
    take_dealt(g, g.deal_left, seat)


def _unseen_roll(g: ChineseTable) -> None:
    from table_controller.game.mcr.table import Roll

    due = _due(g)
    g.say("dice", due, inferred=True)
    g.rolls = (*g.rolls, Roll(due, None, due))


def _unseen_first(g: ChineseTable, start: int) -> None:
    begin_deal(g, start, inferred=True)
    take_dealt(g, g.deal_left, g.dealer)
