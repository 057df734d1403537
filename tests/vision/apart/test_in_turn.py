"""Looks done side by side are handed out in the order of their pictures' times."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.apart.in_turn import InTurn
from vision.apart.looker import Look
from vision.cameras.sources import Frame
from vision.sightings import Outcome, Sighting

_IMAGE = np.zeros((2, 2, 3), np.uint8)


def look(camera: int, t: float) -> Look:
    frame = Frame(t, str(camera), _IMAGE, 0)
    return Look(frame, Sighting(t, str(camera), Outcome.LOOKED))


def handed_out(turns: InTurn) -> list[tuple[int, float]]:
    out = []
    while (due := turns.next()) is not None:
        out.append((due[0], due[1].frame.t))
    return out


CASES = {
    # what happens in turn: (camera, time, begun or done) and what is handed out after it
    "one camera": [(0, 1.0, "begun", []), (0, 1.0, "done", [(0, 1.0)])],
    "the earlier picture first": [
        (0, 1.0, "begun", []),
        (1, 1.1, "begun", []),
        (1, 1.1, "done", []),
        (0, 1.0, "done", [(0, 1.0), (1, 1.1)]),
    ],
    "of one moment the first camera first": [
        (1, 2.0, "begun", []),
        (0, 2.0, "begun", []),
        (1, 2.0, "done", []),
        (0, 2.0, "done", [(0, 2.0), (1, 2.0)]),
    ],
    "the first camera does not wait for the second": [
        (0, 2.0, "begun", []),
        (1, 2.0, "begun", []),
        (0, 2.0, "done", [(0, 2.0)]),
        (1, 2.0, "done", [(1, 2.0)]),
    ],
    "what comes late is not waited for": [
        (1, 1.1, "begun", []),
        (1, 1.1, "done", [(1, 1.1)]),
        (0, 1.0, "begun", []),
        (0, 1.0, "done", [(0, 1.0)]),
    ],
    "one camera is quick, the other slow": [
        (0, 1.0, "begun", []),
        (1, 1.05, "begun", []),
        (1, 1.05, "done", []),
        (1, 1.15, "begun", []),
        (0, 1.0, "done", [(0, 1.0), (1, 1.05)]),
        (0, 1.2, "begun", []),
        (1, 1.15, "done", [(1, 1.15)]),
        (0, 1.2, "done", [(0, 1.2)]),
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_order(name: str) -> None:
    turns = InTurn()
    for camera, t, what, out in CASES[name]:
        if what == "begun":
            turns.begin(camera, t)
        else:
            turns.done(camera, look(camera, t))
        assert handed_out(turns) == out
    assert turns.empty


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 9)), max_size=40))
def test_nothing_is_lost_and_no_camera_goes_back(steps: list[tuple[int, int]]) -> None:
    """Cameras whose pictures take any time to look at, in any order."""
    turns, begun, out = InTurn(), dict[int, float](), list[tuple[int, float]]()
    now = [0.0, 0.0, 0.0]
    count = 0
    for camera, later in steps:
        if camera in begun:
            turns.done(camera, look(camera, begun.pop(camera)))
        else:
            now[camera] += later
            begun[camera] = now[camera]
            turns.begin(camera, now[camera])
            count += 1
        for due in handed_out(turns):
            # Whatever is being looked at still is later.
            assert all((t, other) > (due[1], due[0]) for other, t in begun.items())
            out.append(due)
    for camera, t in sorted(begun.items()):
        turns.done(camera, look(camera, t))
    out += handed_out(turns)
    assert len(out) == count
    for camera in range(3):
        times = [t for number, t in out if number == camera]
        assert times == sorted(times)
