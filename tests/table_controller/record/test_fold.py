"""The session step by step: what the rules say late stands where it happened."""

from __future__ import annotations

from collections.abc import Sequence

from table_controller.domain.happenings import HandCounted, Happening, Machine
from table_controller.domain.outputs import Alert, Move
from table_controller.game.engine import Engine
from table_controller.record.fold import Fold, Step
from table_controller.record.orders import as_ordered
from table_controller.rulesets import load
from tests.table_controller.game.scenes import Scene, won
from tests.table_controller.game.test_unwatched import wall_used_up


def test_a_move_that_was_decided_late_goes_back_to_its_time() -> None:
    times = (1.0, 2.0, 1.9, 3.0)  # source times may step back a little
    late = Move(t=2.05, move="draw", seat=1)
    early = Move(t=0.5, move="dice")
    own = Move(t=3.0, move="discard", seat=1)
    steps = tuple(
        Step(at, HandCounted(t=t, seat=0, count=13), (early, late, own) if at == 3 else (), 1)
        for at, t in enumerate(times)
    )
    told = Fold(steps, Engine(load("mcr-1998"), 0)).by_time()
    assert told == [[early], [], [late], [own]]


def folded(story: Sequence[Happening]) -> Fold:
    return Fold.of(Engine(load("mcr-1998"), 0), as_ordered(story, []))


def moves(fold: Fold, hand: int) -> list[str]:
    return [move.move for move in fold.moves(hand)]


def alerts(fold: Fold, hand: int) -> list[str]:
    return [output.id for output in fold.said(hand) if isinstance(output, Alert)]


def test_what_the_next_hand_tells_of_the_last_one_belongs_to_that() -> None:
    # The wall is used up; that it ended the hand is said when the machine opens for the next one.
    story, last = wall_used_up("mcr-1998")
    fold = folded([*story, Machine(t=last + 30.0, state="hatch_open")])
    assert len(fold.hands) == 1
    assert moves(fold, 1)[-2:] == ["discard", "exhausted"]
    assert moves(fold, 2) == []
    assert fold.steps[-1].hand == 2


def test_what_is_fined_when_the_next_hand_opens_was_done_in_the_last_one() -> None:
    # A concealed kong that the winner never turned over; the hand was not closed.
    scene = Scene().start().play().draw().concealed_kong(1).play().rounds(2)
    won(scene.draw().play("1s"), 1, "123456789m 1s", None, close=False)
    fold = folded([*scene.said, Machine(t=scene.t + 30.0, state="hatch_open")])
    assert len(fold.hands) == 1
    assert (alerts(fold, 1), alerts(fold, 2)) == (["concealed-kong-hidden"], [])
