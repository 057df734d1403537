"""What lies under an open indicator, glimpsed under the hand that lifted it."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import Slot
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.faces import FaceEvidence
from table_controller.happenings.setup import Patience
from table_controller.happenings.wall.stacks import FaceSeen, Glance, Stack, WallChange
from table_controller.happenings.wall.wall_faces import WallFaces
from tests.table_controller.happenings.scenes import QUAD, Table
from vision.sightings import Posture, TileSighting

DOWN, UP = Posture.FACE_DOWN, Posture.FACE_UP
Look = tuple[float, Posture, float]
"""Time, posture, visible share."""


def below(looks: list[Look], face: str = "") -> list[FaceSeen]:
    arms = Arms()
    told: list[WallChange] = []
    faces = WallFaces(arms, Patience(), lambda _: ())
    stack = Stack(2, 16, (130.0, 200.0), height=2, exposed=True)
    for t, posture, visible in looks:
        arms.update(t, ((128.0, 205.0), None, None, None))
        read = ((face, 0.98),) if face and posture is UP else ()
        lower = TileSighting(130.0, 200.0, 16.0, 0.0, posture, read, 0.7, visible, QUAD)
        faces.below(stack, lower, t, told)
    return [each for each in told if isinstance(each, FaceSeen)]


GLIMPSED: list[Look] = [(30.9, DOWN, 0.92), (32.8, UP, 0.1), (32.9, UP, 0.2)]
BACK: list[Look] = [(33.4, DOWN, 0.2), (33.5, DOWN, 0.8)]


def test_a_face_glimpsed_twice_where_a_back_lay_was_looked_at_and_turned_down_again() -> None:
    shown, hidden = below([*GLIMPSED, *BACK])
    assert (shown.slot, shown.shown, shown.by, shown.peeked) == (
        Slot(2, 16, "bottom"), True, 0, True
    )  # fmt: skip
    assert shown.t == pytest.approx(31.85)
    assert (hidden.shown, hidden.t) == (False, 33.5)


def test_its_face_is_told_where_it_was_made_out() -> None:
    open_longer: list[Look] = [*GLIMPSED, (33.0, UP, 0.3), (33.6, UP, 0.3)]
    (shown,) = below(open_longer, "5s")
    assert shown.face.tile.value == "5s"


@pytest.mark.parametrize(("passes", "by"), [(True, 1), (False, None)])
def test_who_passes_on_his_way_home_has_turned_no_indicator(passes: bool, by: int | None) -> None:
    """In the deal the last tile was carried home over it, as another hand came to turn it."""
    arms, told = Arms(), list[WallChange]()
    faces = WallFaces(arms, Patience(), lambda _: ())
    stack = Stack(0, 6, (60.0, -200.0), height=2, down_seen=160.0)
    way = [(-25.0, -42.0), (65.0, -218.0), (108.0, -291.0), (117.0, -299.0)]
    stays = [(-25.0, -42.0), (65.0, -218.0), (65.0, -218.0), (65.0, -218.0)]
    for look in range(1595, 1640):
        t, k = look / 10, look - 1601
        first = (way if passes else stays)[k] if 0 <= k < 4 else None
        arms.update(t, (first, (67.0, -211.0) if 1603 < look < 1610 else None, None, None))
        if look >= 1609:
            top = TileSighting(60.0, -200.0, 40.0, 0.0, UP, (("7m", 0.98),), 0.9, 1.0, QUAD)
            faces.look(stack, top, t, told)
    (shown,) = told
    assert isinstance(shown, FaceSeen)
    assert shown.by == by


@pytest.mark.parametrize(
    ("arrives", "by"),
    [
        pytest.param(3171, 3, id="1827017"),
        pytest.param(3168, None, id="it may have been either"),
    ],
)
def test_who_comes_once_it_shows_has_turned_no_indicator(arrives: int, by: int | None) -> None:
    """The next to draw was at the wall 0.1 s later: an indicator that nobody had turned."""
    arms, told = Arms(), list[WallChange]()
    faces = WallFaces(arms, Patience(), lambda _: ())
    stack = Stack(1, 17, (200.0, -160.0), height=2, down_seen=316.0)
    for look in range(3150, 3185):
        t, turns, draws = look / 10, 3161 <= look <= 3168, arrives <= look <= 3174
        last = (208.0, -164.0) if turns else None
        arms.update(t, ((183.0, -152.0) if draws else None, None, None, last))
        if look == 3170 or look > 3174:
            top = TileSighting(200.0, -160.0, 40.0, 90.0, UP, (("2s", 0.99),), 0.9, 0.9, QUAD)
            faces.look(stack, top, t, told)
    (shown,) = told
    assert isinstance(shown, FaceSeen)
    assert shown.by == by


@pytest.mark.parametrize("lowered", [None, 120.1])
def test_an_indicator_turned_under_an_arm_that_stays_is_dated_by_its_stack(
    lowered: float | None,
) -> None:
    """Three were turned one after the other under one arm: all were told as turned last."""
    arms, told = Arms(), list[WallChange]()
    faces = WallFaces(arms, Patience(), lambda _: ())
    stack = Stack(0, 16, (-130.0, -200.0), height=1)
    for look in range(1178, 1230):
        t, there = look / 10, look < 1218
        arms.update(t, ((-135.0, -205.0) if there else None, None, None, None))
        height = 1 if lowered is None or t >= lowered else 2
        # Between fingers it is seen free of the arm once.
        hidden = there and look != 1210
        stack.glances.append(Glance(t, height, 0.8, 0.0, hidden))
        if not there:
            top = TileSighting(-130.0, -200.0, 16.0, 0.0, UP, (("7z", 0.98),), 0.9, 1.0, QUAD)
            faces.look(stack, top, t, told)
    (shown,) = told
    assert isinstance(shown, FaceSeen)
    assert shown.by == 0
    assert shown.t == pytest.approx(121.7 if lowered is None else lowered)


@pytest.mark.parametrize(
    ("tip_off", "to_and_fro", "turned"),
    [
        pytest.param(0.0, False, 121.4, id="the hand goes on to the stack beside"),
        pytest.param(14.0, False, 121.4, id="its fingertips are seen half a stack off"),
        pytest.param(0.0, True, 123.4, id="it does not move along: nothing is known but the end"),
    ],
)
def test_an_indicator_was_turned_when_the_hand_went_on_to_the_next(
    tip_off: float, to_and_fro: bool, turned: float
) -> None:
    """Two were turned one after the other under one arm, seen once it left, and dated then."""
    arms, told = Arms(), list[WallChange]()
    stack, beside = Stack(0, 16, (-130.0, -200.0), height=1), Stack(0, 17, (-150.0, -200.0))
    faces = WallFaces(arms, Patience(), lambda _: (beside,))
    beside.height = 1
    for look in range(1190, 1245):
        t, there, first = look / 10, look < 1235, look < 1215
        x = -130.0 if first or (to_and_fro and look % 7) else -150.0
        arms.update(t, ((x + tip_off, -205.0) if there else None, None, None, None))
        for one, since in ((stack, 120.0), (beside, 121.9)):
            height = (2 if t < since else 0) if there else 1
            one.glances.append(Glance(t, height, 0.8, 0.0, there))
        if not there:
            top = TileSighting(-130.0, -200.0, 16.0, 0.0, UP, (("7z", 0.98),), 0.9, 1.0, QUAD)
            faces.look(stack, top, t, told)
    (shown,) = told
    assert isinstance(shown, FaceSeen)
    assert shown.by == 0
    assert shown.t == pytest.approx(turned, abs=0.11)


def test_a_sleeve_stays_over_an_indicator_while_the_hand_turns_one_at_another_wall() -> None:
    """It was told as turned by nobody, two seconds late (1714024)."""
    arms, told = Arms(), list[WallChange]()
    faces = WallFaces(arms, Patience(), lambda _: ())
    stack = Stack(0, 1, (190.0, -200.0), height=1, down_seen=60.0)
    for look in range(1190, 1245):
        t, there = look / 10, look < 1230
        tip = (190.0, -205.0) if look < 1212 else (200.0, 150.0)
        arms.update(t, (tip if there else None, None, None, None))
        stack.glances.append(Glance(t, 0 if there else 1, 0.8, 0.0, there))
        if not there:
            top = TileSighting(190.0, -200.0, 16.0, 0.0, UP, (("7z", 0.98),), 0.9, 1.0, QUAD)
            faces.look(stack, top, t, told)
    (shown,) = told
    assert isinstance(shown, FaceSeen)
    assert shown.by == 0
    assert shown.t == pytest.approx(121.1, abs=0.11)


@pytest.mark.parametrize(
    ("back_seen", "turned"),
    [
        pytest.param(-1e9, 118.0, id="it shows since then"),
        pytest.param(120.5, 121.2, id="a back was seen meanwhile"),
    ],
)
def test_a_face_that_showed_before_its_stack_was_believed_lower_was_turned_by_then(
    back_seen: float, turned: float
) -> None:
    """Two looks between arms showed it; an arm hid it again, and it was told as turned later."""
    arms, told = Arms(), list[WallChange]()
    faces = WallFaces(arms, Patience(), lambda _: ())
    stack = Stack(2, 8, (60.0, 200.0), height=1)
    stack.lower_since, stack.face_up_seen, stack.down_seen = 120.3, 120.4, back_seen
    for look in range(1170, 1220):
        t = look / 10
        there = (65.0, 205.0) if t <= 118.0 else (92.0, 200.0) if t < 121.2 else None
        arms.update(t, (there, None, None, None))
        hidden = t < 121.2 and look not in (1203, 1204)
        stack.glances.append(Glance(t, 2 if t < 118.0 else 1, 0.8, 0.0, hidden))
        if t >= 121.2:
            top = TileSighting(60.0, 200.0, 20.0, 0.0, UP, (("6s", 0.98),), 0.9, 1.0, QUAD)
            faces.look(stack, top, t, told)
    (shown,) = told
    assert isinstance(shown, FaceSeen)
    assert shown.t == pytest.approx(turned, abs=0.11)


LONG: list[Look] = [(31.0 + k / 10, UP, 0.1) for k in (0, 1, 2, 8, 9)]
"""A face below an indicator, where fingers hid the back that it had shown before."""


def test_a_face_that_showed_for_long_before_its_back_did_was_looked_at() -> None:
    shown, hidden = below([*LONG, *BACK])
    assert (shown.shown, shown.by, shown.peeked, shown.t) == (True, 0, True, 31.0)
    assert (hidden.shown, hidden.t) == (False, 33.5)


@pytest.mark.parametrize(
    "looks",
    [
        pytest.param([*LONG[:4], *BACK], id="four looks may be at the indicator"),
        pytest.param(
            [*LONG[:3], (31.3, UP, 0.1), (31.4, UP, 0.1), *BACK], id="so may be short ones"
        ),
        pytest.param([*LONG, (36.0, DOWN, 0.8)], id="another hand's"),
        pytest.param([*LONG, (32.0, DOWN, 0.2)], id="a fifth of a back is none"),
        pytest.param([(t, up, 0.0) for t, up, _ in LONG] + BACK, id="nothing of it was seen"),
        pytest.param(GLIMPSED[1:] + BACK, id="nothing was lifted"),
        pytest.param([GLIMPSED[0], GLIMPSED[1], *BACK], id="one look is none"),
        pytest.param([GLIMPSED[0], (36.0, UP, 0.2), (36.1, UP, 0.2)], id="long after"),
        pytest.param([GLIMPSED[0], *BACK], id="it stayed face down"),
        pytest.param(GLIMPSED, id="still open: its face may yet be read"),
    ],
)
def test_nothing_is_told_of_less(looks: list[Look]) -> None:
    assert below(looks) == []


def test_a_face_of_which_nothing_is_in_sight_is_none() -> None:
    """The follower stopped at it: a tile may be told with no visible share."""
    (shown,) = below([GLIMPSED[0], (32.8, UP, 0.0), (32.9, UP, 0.0), *BACK], "5s")[:1]
    assert shown.peeked
    assert not shown.face.tile.known
    assert shown.face.looks == 0


def broken(table: Table) -> Slot:
    """The wall was broken; where the first of its indicators lies."""
    table.take(0, *(Slot(0, n, layer) for n in (5, 6) for layer in ("top", "bottom")))
    table.look(30)
    tops = [Slot(side, n, "top") for side, n in table.heights]  # type: ignore[arg-type]
    return next(s for s in tops if table.follower._dead_wall.region(s) == "indicator")


def opened(table: Table) -> tuple[Slot, TileSighting]:
    """Somebody turned an indicator up and has gone home; its slot, and how it lies."""
    slot = broken(table)
    x, y = table.point(slot)
    shown = table.face(x, y, "9m", 90.0 * slot.side, z=table.geometry.tile_thickness)
    table.look(4, reach=(1, (x, y)))
    table.faces[slot] = shown
    table.look(15, reach=(1, at_home(table)))
    assert table.follower._dead_wall.turned
    table.follower.flush()
    return slot, shown


def at_home(table: Table) -> tuple[float, float]:
    """Where the hand of side 1 rests."""
    return table.geometry.to_table(1, 60.0, table.geometry.hand.offset + 10.0)


@pytest.mark.parametrize(
    ("looks", "bare", "glimpsed", "told"),
    [
        pytest.param(18, 0, False, True, id="nothing of it is seen"),
        pytest.param(18, 0, True, True, id="its back is seen once, under the hand"),
        pytest.param(5, 0, False, False, id="no time to look at it"),
        pytest.param(18, 3, False, True, id="the hand hides the indicator, not the tile below"),
        pytest.param(1, 3, False, False, id="that too needs time"),
    ],
)
def test_who_takes_an_indicator_off_and_stays_on_the_tile_below_looks_at_it(
    looks: int, bare: int, glimpsed: bool, told: bool
) -> None:
    """The hand is over it all the time; where its back was glimpsed the look was told twice."""
    table = Table("riichi-xjtu-2025")
    slot, shown = opened(table)
    (x, y), thick, home = table.point(slot), table.geometry.tile_thickness, at_home(table)
    turned = table.follower._table.turned_at[slot]
    table.found.clear()
    right, offset = table.geometry.to_player(slot.side, x, y)
    inward = table.geometry.to_table(slot.side, right, offset - 36.0)
    aside = table.face(*inward, "9m", 90.0 * slot.side)
    del table.faces[slot]
    table.heights[slot[:2]] = 1
    if not bare:
        table.lying.append(aside)
    table.look(bare, reach=(1, (x, y)), under=(table.back(x, y, thick, 90.0 * slot.side),))
    table.look(looks, reach=(1, (x, y)))
    if glimpsed:
        table.look(1, reach=(1, (x, y)), under=(table.back(x, y, thick, 90.0 * slot.side),))
        table.look(12, reach=(1, (x, y)))
    lifted = table.follower._table.turned_at[slot] > turned
    assert lifted is told, "who lays an indicator aside lifts no tile beside it"
    table.lying.clear()
    table.faces[slot], table.heights[slot[:2]] = shown, 2
    table.look(3, reach=(1, (x, y)))
    table.look(25, reach=(1, home))
    kinds = [h.kind for h in table.told("tile_exposed", "tile_covered")]
    assert kinds == (["tile_exposed", "tile_covered"] if told else [])


@pytest.mark.parametrize(
    ("lain", "before", "stayed", "after", "told"),
    [
        pytest.param(90, 2, 18, 1, True, id="it had lain open for long"),
        pytest.param(40, 2, 18, 1, True, id="it had lain open for a turn or two"),
        pytest.param(90, 2, 18, 0, False, id="one look is none"),
        pytest.param(90, 1, 18, 1, True, id="the one before is of the tile below"),
        pytest.param(90, 2, 3, 1, False, id="no time to look at it"),
        pytest.param(0, 2, 18, 1, False, id="a wrong indicator is turned down again"),
    ],
)
def test_a_back_before_and_after_a_hand_stays_at_an_indicator(
    lain: int, before: int, stayed: int, after: int, told: bool
) -> None:
    """Half of a face showed between the fingers and was not found (1834021, 1912027); the tile
    below seemed as high as the indicator."""
    table = Table("riichi-xjtu-2025")
    slot, shown = opened(table)
    (x, y), thick, home = table.point(slot), table.geometry.tile_thickness, at_home(table)
    table.look(lain, reach=(1, home))
    table.found.clear()
    back = table.back(x, y, before * thick, 90.0 * slot.side)
    del table.faces[slot]
    table.heights[slot[:2]] = 1
    table.look(1, reach=(1, (x, y)), under=(back,))
    table.look(stayed, reach=(1, (x, y)))
    table.look(after, reach=(1, (x, y)), under=(table.back(x, y, 2 * thick, 90.0 * slot.side),))
    table.look(3, reach=(1, (x, y)))
    table.faces[slot], table.heights[slot[:2]] = shown, 2
    table.look(25, reach=(1, home))
    kinds = [h.kind for h in table.told("tile_exposed", "tile_covered")]
    assert kinds == (["tile_exposed", "tile_covered"] if told else [])


def test_a_look_below_an_indicator_is_told_once_whichever_way_it_is_known() -> None:
    """The hand that stayed there told it; the face, that showed beside the hand, told it again."""
    table = Table("riichi-xjtu-2025")
    top = broken(table)
    table.found.clear()
    dead_wall = table.follower._dead_wall
    for t, shown in ((26.9, True), (28.6, False)):
        dead_wall._below(top, t, shown=shown)
    face, slot = FaceEvidence(), top._replace(layer="bottom")
    for t, shown in ((27.7, True), (29.7, False)):
        dead_wall.face(FaceSeen(slot, shown, face, t, 3, peeked=True))
    told = [(h.kind, h.t) for h in table.told("tile_exposed", "tile_covered")]
    assert told == [("tile_exposed", 26.9), ("tile_covered", 28.6)]
    dead_wall.face(FaceSeen(slot, True, face, 41.0, 3, peeked=True))
    assert [h.t for h in table.told("tile_exposed")] == [26.9, 41.0], "another look"
