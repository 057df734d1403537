"""Readings on their way to the controller: in the order of time, confirmed once they are kept."""

from __future__ import annotations

import pytest

from firmware_bridge.messages import Key, KeyPressed
from firmware_bridge.readings import LinkChanged, LinkState, Reading
from table_controller.app.running.incoming import Incoming


def event(t: float, number: int, boot: int = 7) -> Reading:
    return Reading(t, KeyPressed(0, Key.PUNG), boot=boot, number=number)


class Told:
    """A link that remembers what it was told."""

    def __init__(self) -> None:
        self.marks: list[tuple[int, int | None]] = []

    def confirm(self, reading: Reading) -> None:
        self.marks.append((reading.boot, reading.number))


def test_they_come_in_the_order_of_their_times_up_to_that_of_the_picture() -> None:
    incoming = Incoming()
    for t in (3.0, 1.0, 2.0):
        incoming.put(event(t, int(t)))
    assert [reading.t for reading in incoming.until(2.0)] == [1.0, 2.0]
    incoming.put(event(2.5, 4))
    assert [reading.t for reading in incoming.until(float("inf"))] == [2.5, 3.0]


@pytest.mark.parametrize(
    ("came", "confirmed"),
    [
        ([], []),
        ([event(1.0, 1), event(2.0, 2)], [(7, 2)]),
        # Times step back a little: the board may forget up to the later one.
        ([event(1.0, 2), event(2.0, 1)], [(7, 2)]),
        ([event(1.0, 9), event(2.0, 1, boot=8)], [(8, 1)]),
        # What has no number is not kept on the board.
        ([event(1.0, 1), Reading(2.0, LinkChanged(LinkState.LOST))], [(7, 1)]),
        ([Reading(2.0, LinkChanged(LinkState.LOST))], []),
    ],
)
def test_the_last_event_that_was_dealt_with_is_confirmed_once(
    came: list[Reading], confirmed: list[tuple[int, int]]
) -> None:
    incoming, link = Incoming(), Told()
    for reading in came:
        incoming.put(reading)
    assert len(list(incoming.until(float("inf")))) == len(came)
    for _ in range(2):
        incoming.confirm(link)
    assert link.marks == confirmed


def test_what_was_not_dealt_with_is_not_confirmed() -> None:
    incoming, link = Incoming(), Told()
    for number in (1, 2, 3):
        incoming.put(event(float(number), number))
    readings = incoming.until(float("inf"))
    assert [next(readings).number, next(readings).number] == [1, 2]
    del readings  # what was to be done with the second failed
    incoming.confirm(link)
    assert link.marks == [(7, 1)]
