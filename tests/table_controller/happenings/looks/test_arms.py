"""Where fingertips are seen, and what that says of the hands."""

from __future__ import annotations

import pytest

from table_controller.happenings.looks.arms import Arms


def _walk(arms: Arms, seat: int, points: list[tuple[float, float] | None]) -> None:
    for index, point in enumerate(points):
        reach: list[tuple[float, float] | None] = [None, None, None, None]
        reach[seat] = point
        arms.update(index / 10, tuple(reach))


def test_a_passing_arm_handles_nothing_and_a_stopping_one_does() -> None:
    arms = Arms()
    _walk(arms, 0, [None, (0, -380), (0, -250), (0, -100), (0, -98), (0, -250), (0, -380), None])
    assert arms.who((0, -100), 0.0, 1.0, 60.0) == 0
    assert arms.who((0, -250), 0.0, 1.0, 60.0) is None
    stops = [dwell for dwell in arms.dwells(0.0, 1.0) if dwell.point[1] > -300]
    assert len(stops) == 1
    assert stops[0].point == pytest.approx((0, -99), abs=2)


def test_a_hand_that_turns_round_has_stopped_there() -> None:
    arms = Arms()
    _walk(arms, 2, [None, (-190, 330), (-195, 256), (-190, 340), (-188, 376), (-188, 377)])
    assert any(dwell.point == pytest.approx((-195, 256), abs=1) for dwell in arms.dwells(0.0, 1.0))


def test_between_looks_that_were_lost_a_hand_may_have_been_where_it_had_time_for() -> None:
    arms = Arms()
    for t, point in ((0.1, (250, 200)), (0.2, (240, 200)), (0.6, (210, 60)), (0.7, (300, -80))):
        arms.update(t, (None, point, None, None))
    assert [visit.seat for visit in arms.between((110, 200), 0.4)] == [1]
    assert arms.between((-150, 200), 0.4) == [], "too far"
    assert arms.between((110, 200), 0.15) == [], "no look was lost"
    assert not arms.away(1, 0.1, 0.7)
    assert arms.away(0, 0.1, 0.7)


def test_a_hand_is_home_when_only_the_other_one_is_seen() -> None:
    arms = Arms()
    # Side 2 draws from the far wall while its other hand rests beside its melds.
    for t, tip in ((0.0, (-205, -40)), (0.1, (-203, 166)), (0.2, (-171, 335)), (0.3, (316, 317))):
        arms.update(t, (None, None, (float(tip[0]), float(tip[1])), None))
    assert arms.home(2, 0.05, back=345.0) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("way", "home"),
    [
        ([104, 275, 353, 352, 344, 346, 352, 262], 0.2),
        ([104, 275, 353, 360, 352], 0.3),
        ([104, 256, 306, 304, 306, 256], None),
        ([104, 275, 353], None),
        # Between two looks it went on, and stopped nowhere: 20 mm farther than they show it.
        ([112, 330, 336, 160], 0.2),
        ([112, 336, 330, 112], 0.1),
        ([112, 330, 336, 334, 160], None),
        ([112, 240, 245, 330, 336, 320], None),
    ],
)
def test_a_hand_that_turns_round_just_before_its_row_was_home(
    way: list[int], home: float | None
) -> None:
    """Half a centimetre short of the bound a tile of the pool was said to be taken for a second."""
    arms = Arms()
    _walk(arms, 0, [(180, -far) for far in way])
    assert arms.home(0, 0.05, back=358.0, turning=340.0) == pytest.approx(home)


@pytest.mark.parametrize("again", [-336, None])
def test_two_looks_at_one_moment_are_one(again: int | None) -> None:
    """Of two cameras that lag behind each other in turn: the controller ended with a division."""
    arms = Arms()
    for t, far in ((0.0, 112), (0.1, 330), (0.2, 330), (0.3, 160), (0.4, 112)):
        arms.update(t, ((180.0, -far), None, None, None))
        if t == 0.2:
            point = None if again is None else (180.0, float(again))
            arms.update(t, (point, None, None, None))
    assert [tip.t for tip in arms.path(0, 0.0, 0.4)] == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert arms.path(0, 0.2, 0.2)[0].point == (180.0, -330.0 if again is None else again)
    assert arms.home(0, 0.05, back=358.0, turning=340.0) == pytest.approx(0.2 if again else 0.1)


def test_the_error_of_the_fingertips_is_learnt() -> None:
    arms = Arms()
    for _ in range(30):
        arms.update(0.0, (None, None, (100.0 + 12.0, 200.0 - 9.0), None))
        seen = arms.tip(2)
        assert seen is not None
        arms.learn(2, seen, (100.0, 200.0))
    arms.update(0.1, (None, None, (112.0, 191.0), None))
    assert arms.tip(2) == pytest.approx((100.0, 200.0), abs=0.5)
    # The same player's error turns with the seat, and no other seat learns from it.
    arms.update(0.2, ((112.0, 191.0), None, None, None))
    assert arms.tip(0) == (112.0, 191.0)


def test_one_wrong_look_does_not_end_a_stay() -> None:
    arms = Arms()
    for index, point in enumerate(
        [(0, -330), (3, -250), (2, -252), (80, -330), (1, -251), (0, -380)]
    ):
        arms.update(index / 10, ((float(point[0]), float(point[1])), None, None, None))
    assert arms.stay(0, (0.0, -250.0), 62.0, 0.2) == pytest.approx((0.1, 0.4))
