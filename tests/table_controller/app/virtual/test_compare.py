"""Seen against true."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_controller.app.virtual.compare import Comparison, Infraction, compare, read_truth
from table_controller.domain.codec import BadHappeningError, to_line
from table_controller.domain.happenings import (
    DiceRolled,
    DrawStage,
    Happening,
    MeldShown,
    Seat,
    Slot,
    TileDiscarded,
    TileDrawn,
    TileExposed,
)
from table_controller.domain.outputs import Alert, Clause, Ruling
from table_controller.domain.tiles import Tile


def discard(t: float, tile: Tile = Tile.M5, seat: Seat = 0) -> Happening:
    return TileDiscarded(t=t, seat=seat, tile=tile)


def peek(t: float, tile: Tile, stack: int = 3) -> Happening:
    slot = Slot(1, stack, "bottom")
    return TileExposed(t=t, where="dead_wall", seat=None, tile=tile, by=2, slot=slot)


TOPS = (Slot(0, 3, "top"), Slot(0, 4, "top"))
GRAB = (*TOPS, Slot(0, 3, "bottom"), Slot(0, 4, "bottom"))


def grab(t: float, stage: DrawStage, slots: tuple[Slot, ...] = GRAB, seat: Seat = 1) -> Happening:
    return TileDrawn(t=t, seat=seat, slots=slots, stage=stage)


def alert(t: float, id_: str, seat: Seat | None) -> Alert:
    rule, ruling = Clause(ruleset="mcr-1998", clause="1"), Ruling(summary="-")
    return Alert(t=t, t_raised=t + 1, id=id_, seat=seat, rule=rule, ruling=ruling)


@pytest.mark.parametrize(
    ("seen", "true", "matched", "invented"),
    [
        ([discard(1.2)], [discard(1.0)], 1, 0),
        ([discard(9.0)], [discard(1.0)], 0, 1),
        ([discard(1.0, Tile.M4)], [discard(1.0)], 0, 1),
        ([discard(1.0, seat=2)], [discard(1.0)], 0, 1),
        ([discard(1.0), discard(1.1)], [discard(1.0)], 1, 1),
        ([], [discard(1.0)], 0, 0),
        ([discard(2.0), discard(1.0)], [discard(1.0), discard(2.0)], 2, 0),
        (
            [DiceRolled(t=1, values=(5, 2), seat=None)],
            [DiceRolled(t=1, values=(2, 5), seat=3)],
            1,
            0,
        ),
        (
            [TileDrawn(t=1, seat=1, slots=(Slot(0, 3, "bottom"), Slot(0, 3, "top")))],
            [TileDrawn(t=1, seat=1, slots=(Slot(0, 3, "top"), Slot(0, 3, "bottom")))],
            1,
            0,
        ),
        (
            [MeldShown(t=1, seat=1, tiles=(Tile.M3, Tile.M1, Tile.M2))],
            [MeldShown(t=1, seat=1, tiles=(Tile.M1, Tile.M2, Tile.M3))],
            1,
            0,
        ),
        # Looked at under a hand: only who looks sees the face.
        ([peek(1.3, Tile.UNKNOWN)], [peek(1.0, Tile.S7)], 1, 0),
        ([peek(1.3, Tile.S6)], [peek(1.0, Tile.S7)], 0, 1),
        ([peek(1.3, Tile.UNKNOWN, 4)], [peek(1.0, Tile.S7)], 0, 1),
        ([peek(1.3, Tile.UNKNOWN), peek(1.4, Tile.UNKNOWN)], [peek(1.0, Tile.S7)], 1, 1),
        ([discard(1.0, Tile.UNKNOWN)], [discard(1.0)], 0, 1),
        # Which tiles of a grab are looked at only their taker sees.
        (
            [grab(1.0, "lifted"), grab(1.6, "seen")],
            [grab(1.0, "lifted"), grab(1.5, "seen", TOPS)],
            2,
            0,
        ),
        ([grab(1.6, "seen")], [grab(1.0, "lifted", TOPS), grab(1.5, "seen", TOPS)], 0, 1),
        ([grab(1.6, "seen", TOPS)], [grab(1.0, "lifted"), grab(1.5, "seen")], 0, 1),
        ([grab(1.6, "seen")], [grab(1.0, "lifted"), grab(1.5, "seen", TOPS, 2)], 0, 1),
        ([grab(1.6, "taken")], [grab(1.0, "lifted"), grab(1.5, "seen", TOPS)], 0, 1),
    ],
)
def test_each_is_matched_at_most_once(
    seen: list[Happening], true: list[Happening], matched: int, invented: int
) -> None:
    found = compare(seen, [], true, [])
    total = Comparison.total(found.happenings)
    assert (total.matched, total.invented) == (matched, invented)
    assert len(found.missed) == len(true) - matched
    assert len(found.invented) == invented


def test_alerts_are_matched_by_id_and_seat() -> None:
    found = compare(
        [],
        [alert(10, "wall-break", 1), alert(12, "premature-draw", 2), alert(13, "long-hand", 0)],
        [],
        [Infraction(9, "wall-break", 1, 9), Infraction(12, "premature-draw", 3, 12)],
    )
    assert found.alerts["wall-break"].matched == 1
    assert found.alerts["premature-draw"].missed == 1
    assert Comparison.total(found.alerts).precision == pytest.approx(1 / 3)


def test_an_infraction_may_be_raised_until_it_is_evident() -> None:
    slow = [Infraction(40, "discard-slow", 1, 55)]
    assert compare([], [alert(54, "discard-slow", 1)], [], slow).missed == ()
    assert compare([], [alert(60, "discard-slow", 1)], [], slow).missed != ()
    assert compare([], [alert(36, "discard-slow", 1)], [], slow).missed != ()


def test_the_truth_is_read_and_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_text(
        to_line(discard(1)) + '\n{"t": 3, "kind": "infraction", "id": "wall-break", "seat": 1}\n'
    )
    happenings, infractions = read_truth(path)
    assert happenings == [discard(1)]
    assert infractions == [Infraction(3, "wall-break", 1, 3)]
    path.write_text('{"t": 1, "kind": "nothing"}\n')
    with pytest.raises(BadHappeningError, match=r"truth\.jsonl:1: kind"):
        read_truth(path)
