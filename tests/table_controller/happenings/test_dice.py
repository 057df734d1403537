"""Dice among lamps and marks that look like them (numbers as an eye gave them)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import DiceRemoved, DiceRolled, Happening
from table_controller.happenings.dice import Dice
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.looking import Look
from table_controller.happenings.looks.places import Places
from table_controller.happenings.release import Outbox
from table_controller.happenings.rest.resting import RestBook
from table_controller.happenings.setup import Patience, Setup
from table_controller.happenings.table import Table
from table_controller.happenings.wall.walls import Walls
from tests.table_controller.happenings.play import GEOMETRY
from vision.geometry import TableGeometry
from vision.sightings import DieSighting, Outcome, Sighting

LAMPS = (
    DieSighting(0.4, -64.8, 1, 0.86, False),
    DieSighting(-0.6, 63.9, 3, 0.75, False),
)
PARKED = (
    DieSighting(353.0, -380.4, 3, 0.99, False),
    DieSighting(334.2, -383.1, 4, 0.74, False),
)
THROWN = (
    DieSighting(-52.4, 0.7, 4, 0.98, False),
    DieSighting(37.2, -30.9, 1, 0.97, False),
)


def table() -> Table:
    places, arms, patience = Places(TableGeometry.load(GEOMETRY)), Arms(), Patience()
    return Table(
        setup=Setup(),
        places=places,
        arms=arms,
        book=RestBook(places, arms, patience),
        walls=Walls(places, arms, patience),
        outbox=Outbox(patience.hold_s, patience.hold_most_s),
    )


def looks(dice: Dice, start: float, seconds: float, *seen: DieSighting) -> None:
    for k in range(round(10 * seconds)):
        sighting = Sighting(start + 0.1 * k, "top", Outcome.LOOKED, dice=seen)
        dice.update(Look(sighting, None))


def told(where: Table) -> list[Happening]:
    return list(where.outbox.flush())


def test_lamps_are_never_rolled_and_hide_no_throw() -> None:
    where = table()
    dice = Dice(where)
    looks(dice, 0.0, 4.0, *PARKED, *LAMPS)
    where.playing = True
    looks(dice, 4.0, 1.0, *LAMPS)
    looks(dice, 5.0, 1.0, *THROWN, *LAMPS)
    looks(dice, 6.0, 2.0, *PARKED, *LAMPS)
    looks(dice, 8.0, 5.0, LAMPS[0])
    rolled, removed = told(where)
    assert isinstance(rolled, DiceRolled)
    assert sorted(rolled.values) == [1, 4]
    assert isinstance(removed, DiceRemoved)


def test_a_lone_die_that_nobody_threw_is_not_told() -> None:
    where = table()
    where.playing = True
    dice = Dice(where)
    looks(dice, 0.0, 5.0, DieSighting(20.0, 20.0, 1, 0.9, False))
    assert told(where) == []


def test_dice_lie_from_the_look_in_which_they_last_moved() -> None:
    where = table()
    where.playing = True
    dice = Dice(where)
    where.arms.update(0.2, ((0.0, 0.0), None, None, None))
    spinning = DieSighting(51.8, 6.5, None, 0.97, True)
    looks(dice, 0.5, 0.4, spinning, THROWN[0])
    looks(dice, 0.9, 1.0, DieSighting(51.8, 6.5, 3, 0.99, False), THROWN[0])
    (rolled,) = told(where)
    assert isinstance(rolled, DiceRolled)
    assert sorted(rolled.values) == [3, 4]
    assert rolled.t == pytest.approx(0.8)


def test_a_throw_of_which_a_fifth_of_the_looks_were_lost_is_told() -> None:
    """Four looks at dice that lay still for half a second before they were taken up."""
    where = table()
    where.playing = True
    dice = Dice(where)
    spins = replace(THROWN[1], moving=True)
    looks(dice, 6.5, 0.1, THROWN[0], spins)
    looks(dice, 6.7, 0.4, *THROWN)
    looks(dice, 7.1, 0.1, THROWN[0])
    looks(dice, 7.4, 1.0)
    (rolled,) = told(where)
    assert isinstance(rolled, DiceRolled)
    assert sorted(rolled.values) == [1, 4]
    assert rolled.t == pytest.approx(6.5)


@pytest.mark.parametrize(
    ("surely", "lies"),
    [
        (0.85, 0.7),
        (0.62, 0.7),
        (0.53, 0.7),
        (0.8, 0.4),
        (0.8, 0.5),
        (0.95, 0.3),  # and in the look before, in which it still seemed to move (sanma 1984002)
    ],
)
def test_a_die_that_leans_is_told_when_the_dice_are_taken_up_again(
    surely: float, lies: float
) -> None:
    """Nobody lets such a throw lie for long; it was unread for half a second and then forgotten."""
    where = table()
    where.playing = True
    dice = Dice(where)
    leans = DieSighting(37.2, -30.9, None, surely, False)
    looks(dice, 1.0, 0.3, *(replace(die, moving=True, value=None) for die in THROWN))
    looks(dice, 1.3, lies, THROWN[0], leans)
    looks(dice, 1.3 + lies, 0.2, replace(THROWN[0], moving=True, value=None), leans)
    (throw,) = told(where)
    assert isinstance(throw, DiceRolled)
    assert (throw.values, throw.valid) == ((4,), False)
    assert throw.t == pytest.approx(1.2, abs=0.11)


def test_dice_that_a_hand_catches_as_they_come_to_rest_are_no_throw() -> None:
    where = table()
    where.playing = True
    dice = Dice(where)
    leans = DieSighting(37.2, -30.9, None, 0.95, False)
    looks(dice, 1.0, 0.3, *(replace(die, moving=True, value=None) for die in THROWN))
    looks(dice, 1.3, 0.2, THROWN[0], leans)
    looks(dice, 1.5, 0.2, replace(THROWN[0], moving=True, value=None), leans)
    assert not told(where)


def test_a_die_that_leans_is_one_of_the_two_however_surely_it_is_found_in_each_look() -> None:
    """It was found as surely as 0.51, 0.63, 0.52 and then 0.49, and what the looks had shown of
    the two was forgotten."""
    where = table()
    where.playing = True
    dice = Dice(where)
    looks(dice, 1.0, 0.3, *(replace(die, moving=True, value=None) for die in THROWN))
    for k, surely in enumerate((0.51, 0.63, 0.52, 0.49, 0.49, 0.54)):
        leans = DieSighting(37.2, -30.9, None, surely, False)
        looks(dice, 1.3 + 0.1 * k, 0.1, THROWN[0], leans)
    looks(dice, 1.9, 0.2, replace(THROWN[0], moving=True, value=None), leans)
    (throw,) = told(where)
    assert isinstance(throw, DiceRolled)
    assert (throw.values, throw.valid) == ((4,), False)


def test_a_throw_that_is_read_late_is_no_leaning_die() -> None:
    where = table()
    where.playing = True
    dice = Dice(where)
    looks(dice, 1.0, 0.3, *(replace(die, moving=True, value=None) for die in THROWN))
    looks(dice, 1.3, 0.4, THROWN[0], replace(THROWN[1], value=None))
    looks(dice, 1.7, 0.2, *THROWN)
    looks(dice, 1.9, 0.2, replace(THROWN[0], moving=True, value=None), THROWN[1])
    (throw,) = told(where)
    assert isinstance(throw, DiceRolled)
    assert (set(throw.values), throw.valid) == ({4, 1}, True)


def test_a_die_that_is_read_once_and_then_tips_over_leans_on_something() -> None:
    """It was told with the value of the last look before it leaned."""
    where = table()
    where.playing = True
    dice = Dice(where)
    looks(dice, 1.0, 0.3, *(replace(die, moving=True, value=None) for die in THROWN))
    looks(dice, 1.3, 0.1, *THROWN)
    looks(dice, 1.4, 0.9, THROWN[0], replace(THROWN[1], value=None))
    looks(dice, 2.3, 0.2, replace(THROWN[0], moving=True, value=None), THROWN[1])
    (throw,) = told(where)
    assert isinstance(throw, DiceRolled)
    assert (throw.values, throw.valid) == ((4,), False)


def test_a_die_that_is_read_now_and_then_lies_flat() -> None:
    where = table()
    where.playing = True
    dice = Dice(where)
    for start in (1.0, 1.4):
        looks(dice, start, 0.1, *THROWN)
        looks(dice, start + 0.1, 0.3, THROWN[0], replace(THROWN[1], value=None))
    (throw,) = told(where)
    assert isinstance(throw, DiceRolled)
    assert (sorted(throw.values), throw.valid) == ([1, 4], True)


@pytest.mark.parametrize(
    ("sure", "other", "valid"),
    [
        ((0.81, 0.73, 0.64, 0.65, 0.77), 0.99, False),  # it leans, and a value was seen in it
        ((0.98, 0.97, 0.98, 0.99, 0.98), 0.99, True),
        ((0.83, 0.81), 0.86, True),  # both alike: dice or light as no eye has seen them
        ((0.6, 0.98, 0.98, 0.98, 0.99), 0.99, True),  # one look was a bad one
    ],
)
def test_a_die_that_is_read_less_surely_than_the_other_leans(
    sure: tuple[float, ...], other: float, *, valid: bool
) -> None:
    where = table()
    where.playing = True
    dice = Dice(where)
    flat = DieSighting(19.0, 12.2, 5, other, False)
    for k in range(15):
        doubtful = DieSighting(33.6, -11.1, 2, sure[k % len(sure)], False)
        looks(dice, 0.1 * k, 0.1, *sorted((flat, doubtful), key=lambda die: -die.confidence))
    (rolled,) = told(where)
    assert isinstance(rolled, DiceRolled)
    assert rolled.valid is valid
    assert sorted(rolled.values) == ([2, 5] if valid else [5])


def between_hands(where: Table, dice: Dice, start: float, *seen: DieSighting) -> float:
    """Eight seconds until new walls stand; returns when they do."""
    where.playing = False
    looks(dice, start, 8.0, *seen)
    where.playing, where.raised_at = True, start + 8.0
    return where.raised_at


def spinning(*dice: DieSighting) -> tuple[DieSighting, ...]:
    return tuple(replace(die, x=die.x + 9.0, moving=True, value=None) for die in dice)


def values(where: Table) -> list[list[int]]:
    """Those of the throws that were told."""
    return [sorted(h.values) for h in told(where) if isinstance(h, DiceRolled)]


@pytest.mark.parametrize("seen", [2, 1])
def test_dice_that_lie_in_the_middle_since_the_last_hand_are_no_new_throw(seen: int) -> None:
    """Under a dome they always do: the true throw was the second one, and invalid."""
    where = table()
    where.playing = True
    dice = Dice(where)
    looks(dice, 1.0, 1.0, *spinning(*THROWN))
    looks(dice, 2.0, 4.0, *THROWN)
    assert values(where) == [[1, 4]]
    t = between_hands(where, dice, 6.0, *THROWN)
    where.arms.update(t, ((0.0, 0.0), None, None, None))
    looks(dice, t, 3.0, *THROWN[:seen])
    assert values(where) == []
    looks(dice, t + 3.0, 1.0, *spinning(*THROWN))
    rolled = replace(THROWN[0], x=20.0, y=30.0, value=6), replace(THROWN[1], x=-30.0, value=2)
    looks(dice, t + 4.0, 1.0, *rolled)
    assert values(where) == [[2, 6]]


def test_the_same_dice_thrown_again_to_where_they_lay_are_a_new_throw() -> None:
    where = table()
    dice = Dice(where)
    t = between_hands(where, dice, 0.0, *THROWN)
    looks(dice, t, 1.0, *THROWN)
    looks(dice, t + 1.0, 1.2)
    looks(dice, t + 2.2, 1.0, *THROWN)
    assert values(where) == [[1, 4]]


def test_dice_that_were_thrown_a_moment_before_the_walls_stood_are_told() -> None:
    where = table()
    dice = Dice(where)
    between_hands(where, dice, 0.0)
    where.playing = False
    looks(dice, 8.0, 0.8, *spinning(*THROWN))
    looks(dice, 8.8, 1.0, *THROWN)
    where.playing, where.raised_at = True, 9.5
    looks(dice, 9.8, 1.0, *THROWN)
    assert values(where) == [[1, 4]]


@pytest.mark.parametrize(("between", "found"), [((), [[1, 4]]), (THROWN, [])])
def test_where_dice_lay_between_two_hands_there_is_no_lamp(
    between: tuple[DieSighting, ...], found: list[list[int]]
) -> None:
    """What lies there is believed as any other die, unless something was found there ever since."""
    where = table()
    dice = Dice(where)
    between_hands(where, dice, 0.0, *THROWN)
    t = between_hands(where, dice, 8.0, *between)
    looks(dice, t, 1.0, *(replace(die, x=die.x + 5.5, confidence=0.9) for die in THROWN))
    assert values(where) == found
