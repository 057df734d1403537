"""The deal: the wall opened by the dice, blocks taken in turn, until everybody has a hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    Seat,
    Slot,
    TileDrawn,
)
from table_controller.game import costs
from table_controller.game.mcr import misdealt
from table_controller.game.mcr.state import Roll
from table_controller.game.wall import Wall
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading
from table_controller.game.mcr.setting import raise_walls, thrower_due


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
            start = g.ring.first(h.slots)
            if start is None:
                return False
            g.break_guessed = g.doubt is not None
        else:
            wall = Wall(g.ring, start)
            wanted = set(g.deal_step(0)[1])
            if not {wall.index(slot) for slot in h.slots} <= wanted:
                return False
        g.now = max(g.now, h.t)
        misdealt.tell(g)
        if h.stage != "taken":
            return True
        begin_deal(g, start)
    if h.seat is not None and h.seat != deal_seat(g):
        return False
    indices = _indices(g, h.slots) if h.slots else g.deal_left
    if indices is None or not set(indices) <= set(g.deal_left):
        return False
    misdealt.tell(g)
    if h.stage == "taken":
        g.now = max(g.now, h.t)
        take_dealt(g, indices, deal_seat(g))
    else:
        g.handled |= set(indices)
    return True


def read_deal_drawn(g: ChineseTable, h: TileDrawn) -> list[Reading]:
    """A wrong break, a wrong number or order at the deal, or slots read wrongly."""
    readings: list[Reading] = []
    doubt = costs.disbelief(h.confidence)
    if g.phase == "wall" and h.slots:
        position = g.ring.first(h.slots)
        right = expected_start(g)
        turn = 0 if h.seat is None else g.steps(g.dealer, h.seat)
        if position is None:
            return readings
        start = (position - 2 * turn) % g.ring.total
        if right is None and len(g.rolls) == g.ruleset.opening.throws:

            def unseen_dealer(r: ChineseTable) -> None:
                r.now = max(r.now, h.t)
                r.break_guessed = r.doubt is not None
                begin_deal(r, start, inferred=True)
                for _ in range(turn):
                    take_dealt(r, r.deal_left, deal_seat(r))
                take_dealt(r, r.deal_left, deal_seat(r))

            if h.stage == "taken":
                readings.append((costs.MISSED, unseen_dealer))
        if right is not None and start != right:

            def wrong_break(r: ChineseTable) -> None:
                _wrong_break(r, h, start)

            readings.append((0.0 if misdealt.goes_on(g, h) else costs.INFRACTION, wrong_break))
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

        readings.append((0.0 if misdealt.goes_on(g, h) else costs.RARE, wrong_deal))
    if g.break_guessed and h.stage == "taken" and (begun := _begun_before(g, h, seat)):

        def farther_on(r: ChineseTable) -> None:
            _deal_again(r, *begun)

        readings.append((costs.MISSED_UNLOOKED, farther_on))
    return readings


def _begun_before(g: ChineseTable, h: TileDrawn, seat: Seat) -> tuple[int, int] | None:
    """The break, and how many steps were taken from there, if whole rounds of blocks went unseen.

    The first block that was seen was taken for the first one of the deal.
    """
    assert g.wall is not None
    players = g.ruleset.equipment.players
    first = g.ring.first(h.slots)
    if first is None:
        return None
    for rounds in (1, 2):
        step = g.deal_at + rounds * players
        if step >= g.deal_steps:
            return None
        due, indices = g.deal_step(step)
        start = (first - indices[0] // 2) % g.ring.total
        blocks = 2 * rounds * players
        wall = g.new_wall(start)
        if (
            (start + blocks) % g.ring.total == g.wall.start
            and {wall.index(slot) for slot in h.slots} == set(indices)
            and g.steps(g.dealer, seat) == due
        ):
            return start, step + 1
    return None


def _deal_again(g: ChineseTable, start: int, steps: int) -> None:
    """The wall was broken there, and so many steps of the deal are done."""
    g.misdealt = None
    for seat in g.seats:
        seat.standing = 0
    begin_deal(g, start, inferred=True)
    for _ in range(steps):
        take_dealt(g, g.deal_left, deal_seat(g))
    g.unseen += 1


def _wrong_break(g: ChineseTable, h: TileDrawn, start: int) -> None:
    g.now = max(g.now, h.t)
    answers = g.ruleset.alerts["wrong-break"].answers if g.ruleset.knows("wrong-break") else None
    seat = breaker_side(g) if answers == "second_thrower" else g.dealer
    if h.stage != "taken":
        misdealt.hold(g, "wrong-break", seat, h, ("break",))
        return
    misdealt.tell(g, taken=h)
    g.flag("wrong-break", seat, h, t=h.t, facts=Facts(stage="unseen"), cause=("break",))
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
    cause = ("deal", g.deal_at)
    if h.stage != "taken":
        misdealt.hold(g, "wrong-deal", seat, h, cause)
        g.handled |= set(indices)
        return
    if misdealt.goes_on(g, h):
        misdealt.tell(g, taken=h, stage="taken")
    misdealt.tell(g)
    g.flag("wrong-deal", seat, h, t=h.t, facts=Facts(stage="taken"), cause=cause)
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
        # Of a hand of which nothing was seen at all, not even its dice, that would be too cheap.
        began = any(roll.total is not None for roll in g.rolls)
        cost = g.missed("wall", None)
        unlooked = began and cost < costs.MISSED
        if g.deal_at >= 2 and (unlooked or g.deal_at % 4):
            cost = costs.BLOCK_TOO_UNLOOKED if unlooked else costs.BLOCK_TOO
        return [(cost, lambda r: _unseen_deal(r, seat))]
    return []


def _unseen_deal(g: ChineseTable, seat: Seat) -> None:
    g.unseen += 1
    take_dealt(g, g.deal_left, seat)


def _unseen_roll(g: ChineseTable) -> None:
    due = thrower_due(g)
    g.say("dice", due, inferred=True)
    g.rolls = (*g.rolls, Roll(due, None, due))


def _unseen_first(g: ChineseTable, start: int) -> None:
    begin_deal(g, start, inferred=True)
    take_dealt(g, g.deal_left, g.dealer)
