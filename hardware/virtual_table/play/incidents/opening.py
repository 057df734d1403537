"""Walls, dice, break and deal."""

from __future__ import annotations

from typing import Final

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.games import GAMES, Game
from hardware.virtual_table.play.incidents.base import BOTH, Occasion, Outcome, incident
from hardware.virtual_table.play.incidents.options import chinese, whole, words
from hardware.virtual_table.play.steps import Token
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile

_GO_AROUND: Final = 2
"""With so many discards of the dealer a go-around is over."""


def _soon(game: Game) -> bool:
    """Whether dice that lie in the middle are wrong at once."""
    return chinese(game) and not game.dice_stay


def _throws(occasion: Occasion, first: Seat, second: Seat) -> None:
    """The two throws by these seats, and the dice out of the middle."""
    play = occasion.play
    occasion.step(do.ThrowDice(seat=first, values=play.throws[0]))
    occasion.step(do.ThrowDice(seat=second, values=play.throws[1]))


@incident("wrong-thrower", "dice")
def wrong_thrower(occasion: Occasion) -> Outcome:
    """Somebody other than the seat that the first throw names makes the second."""
    play = occasion.play
    dealer = play.table.dealer
    able = [seat for seat in occasion.others(play.breaker) if occasion.suits(seat)]
    if not able:
        return Outcome.NOT_NOW
    seat = occasion.rng.choice(able)
    _throws(occasion, dealer, seat)
    occasion.fault(seat)
    occasion.step(do.RemoveDice(seat=dealer))
    return Outcome.INSTEAD


@incident("die-invalid", "dice", options=(words("flaw", "cocked", "off_zone"),), seated=False)
def die_invalid(occasion: Occasion) -> Outcome:
    """The dealer's throw is void (``flaw``: ``cocked`` or ``off_zone``) and is made again."""
    play = occasion.play
    dealer = play.table.dealer
    flaw = occasion.option("flaw", ["cocked", "off_zone"])
    values = (occasion.rng.randint(1, 6), occasion.rng.randint(1, 6))
    occasion.step(do.ThrowDice(seat=dealer, values=values, flaw=flaw))
    occasion.fault(dealer, flaw=flaw)
    _throws(occasion, dealer, play.breaker)
    occasion.step(do.RemoveDice(seat=dealer))
    return Outcome.INSTEAD


@incident("dice-left", "dice", options=(whole("after", 1, 60, games=_soon),), seated=False)
def dice_left(occasion: Occasion) -> Outcome:
    """The dice stay in the middle; the dealer takes them ``after`` so many discards.

    Where they may stay for a go-around he takes them when he has discarded once more.
    """
    play = occasion.play
    table, dealer = play.table, play.table.dealer
    _throws(occasion, dealer, play.breaker)
    if GAMES[play.ruleset].dice_stay:

        def late() -> bool:
            # Who claimed one took it out of the pool.
            thrown = sum(isinstance(s, do.Discard) and s.seat == dealer for s in table.steps)
            back = sum(isinstance(s, do.Retract) and s.seat == dealer for s in table.steps)
            if thrown - back < _GO_AROUND:
                return False
            occasion.fault(dealer)
            return True

        play.dice_until = late
        return Outcome.INSTEAD
    after = int(occasion.option("after", [6, 9]))
    play.dice_until = lambda: table.discards >= after
    play.after_first_deal.append(lambda: occasion.fault(dealer))
    return Outcome.INSTEAD


@incident(
    "wrong-break",
    "opening",
    games=BOTH,
    options=(whole("off", -8, 8, but=(0,)), words("stage", "lifted", "seen", "taken")),
    seated=False,
)
def wrong_break(occasion: Occasion) -> Outcome:
    """The wall is opened ``off`` stacks from where the dice say.

    ``stage``: ``lifted`` and ``seen`` tiles are put back and the wall is broken where it should
    be; with those ``taken`` the hand goes on.
    """
    play = occasion.play
    off = int(occasion.option("off", [-2, -1, 1, 2]))
    stage = occasion.variant("stage", "taken", "taken", "lifted", "seen")
    play.table.open_wall(play.breaker, play.break_sum + off)
    by_break = play.ruleset == "mcr-2002-tianjin" or GAMES[play.ruleset].family == "riichi"
    answers = play.breaker if by_break else play.table.dealer
    if stage != "taken":
        tokens = tuple(play.table.wall[:4])
        _take_and_return(occasion, tokens, tokens if stage == "seen" else ())
        occasion.fault(answers, "seen" if stage == "seen" else None, off=off)
        play.table.open_wall(play.breaker, play.break_sum)
        return Outcome.INSTEAD
    play.after_first_deal.append(lambda: occasion.fault(answers, off=off))
    return Outcome.INSTEAD


@incident("wall-crooked", "dice", games=BOTH)
def wall_crooked(occasion: Occasion) -> Outcome:
    """The machine raises a wall whose end stands out of line."""
    play = occasion.play
    index, cycle = next(
        (index, step)
        for index, step in enumerate(play.table.steps)
        if isinstance(step, do.MachineCycle)
    )
    side = occasion.rng.choice(play.seats) if occasion.want.seat is None else occasion.want.seat
    count = occasion.rng.randint(3, 6)
    play.table.steps[index] = do.MachineCycle(dealer=cycle.dealer, crooked=(side, count))
    occasion.fault(None, side=side)
    first = side * 2 * play.table.stacks
    tokens = tuple(range(first, first + 2 * count))
    occasion.step(do.Pause(seconds=1.5))
    occasion.step(do.StraightenWall(by=side, tokens=tokens))
    return Outcome.BESIDE


@incident("wall-miscount", "dice", games=BOTH, options=(whole("stacks", 1, 16),))
def wall_miscount(occasion: Occasion) -> Outcome:
    """The machine raises a wall that is one or two stacks short; the hand is not played."""
    play, table = occasion.play, occasion.play.table
    index, cycle = next(
        (index, step) for index, step in enumerate(table.steps) if isinstance(step, do.MachineCycle)
    )
    side = occasion.rng.choice(play.seats) if occasion.want.seat is None else occasion.want.seat
    count = int(occasion.option("stacks", [1, 1, 2]))
    table.steps[index] = do.MachineCycle(dealer=cycle.dealer, missing=(side, count))
    occasion.fault(None, side=side, stacks=count)
    occasion.step(do.Pause(seconds=4.0))
    play.aborted = True
    return Outcome.INSTEAD


@incident(
    "wrong-deal",
    "opening",
    games=BOTH,
    options=(words("stage", "lifted", "seen", "all_seen"),),
    seated=False,
)
def wrong_deal(occasion: Occasion) -> Outcome:
    """At the jump draw the dealer takes two whole stacks, and puts them back.

    ``stage`` (003 Q79): ``lifted``, none is looked at; ``seen``, two are; ``all_seen``.
    """
    play = occasion.play
    stage = occasion.variant("stage", "lifted", "lifted", "seen", "all_seen")

    def jump() -> None:
        table = play.table
        tokens = tuple(table.wall[:4])
        seen = {"lifted": (), "seen": tokens[::2], "all_seen": tokens}[stage]
        _take_and_return(occasion, tokens, seen)
        # How far it went, which the ruling asks for, is known when the tiles are back.
        occasion.fault(table.dealer, "seen" if seen else None, since=do.DealTake)

    play.before_jump.append(jump)
    return Outcome.BESIDE


def _take_and_return(
    occasion: Occasion, tokens: tuple[Token, ...], seen: tuple[Token, ...]
) -> None:
    """The dealer takes these tiles, looks at some of them or at none, and puts all back."""
    dealer = occasion.play.table.dealer
    occasion.step(
        do.DealTake(seat=dealer, tokens=tokens, upto="seen" if seen else "lifted", looked=seen)
    )
    occasion.step(do.PutBackDeal(seat=dealer, tokens=tokens))


@incident("flower-order", "flowers")
def flower_order(occasion: Occasion) -> Outcome:
    """A later seat replaces its flowers before an earlier one, which then lays out its own."""
    play = occasion.play
    table = play.table
    order = [play.after(table.dealer, turn) for turn in range(4)]
    having = [
        seat for seat in order if any(table.face(each).is_flower for each in table.hands[seat])
    ]
    if len(having) < 2:
        return Outcome.NOT_NOW
    seat = having[1] if occasion.want.seat is None else occasion.want.seat
    if seat not in having[1:]:
        return Outcome.NOT_NOW
    first = next(each for each in table.hands[seat] if table.face(each).is_flower)
    play.show_flower(seat, first)
    play.replacement(seat)
    play.all_flowers(seat)
    occasion.step(do.Tidy(seat=seat))
    later = len(table.steps)
    for other in order:
        if other != seat:
            play.first_flowers(other)
    # Nobody can know before an earlier seat lays out its first flower.
    begun = next(n for n, step in enumerate(table.steps[later:], later) if _shows(step, having[0]))
    table.steps.insert(begun + 1, do.Fault(id=occasion.want.id, seat=seat))
    return Outcome.INSTEAD


def _shows(step: do.Step, seat: Seat) -> bool:
    return isinstance(step, do.ShowFlower) and step.seat == seat


@incident("flower-mistaken", "drawn")
def flower_mistaken(occasion: Occasion) -> Outcome:
    """A one of bamboo is laid out as a flower and replaced."""
    play, table, seat = occasion.play, occasion.play.table, occasion.seat
    token = table.find(seat, Tile.S1)
    busy = play.forced is not None or play.due(seat) is not None
    if token is None or busy or not occasion.suits(seat) or not occasion.loses(seat):
        return Outcome.NOT_NOW
    play.show_flower(seat, token)
    occasion.fault(seat)
    play.barred.add(seat)
    play.replacement(seat)
    play.all_flowers(seat)
    return Outcome.BESIDE
