"""Hand-made sightings: what must be told, and above all what must not."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from firmware_bridge.messages import Fault, MachineChanged, MachineState, TileSet, WallPresence
from firmware_bridge.readings import Reading
from table_controller.domain.happenings import Happening, NotLooked
from table_controller.domain.tiles import Tile
from table_controller.happenings.follower import Follower
from table_controller.happenings.setup import Setup
from tests.table_controller.happenings.play import GEOMETRY
from vision.geometry import PoolCell, TableGeometry
from vision.sightings import Outcome, Point, Polygon, Posture, Sighting, TileSighting

TABLE = TableGeometry.load(GEOMETRY)
QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def tile(
    x: float, y: float, face: str = "5m", posture: Posture = Posture.FACE_UP, z: float = 20.0
) -> TileSighting:
    faces = ((face, 0.95),) if posture is Posture.FACE_UP else ()
    return TileSighting(x, y, z, 0.0, posture, faces, 0.95, 1.0, QUAD)


def walls(without: Iterable[tuple[int, int]] = ()) -> tuple[TileSighting, ...]:
    gone = set(without)
    return tuple(
        TileSighting(pose.x, pose.y, 40.0, pose.angle % 180, Posture.FACE_DOWN, (), 0.95, 1.0, QUAD)
        for slot in TABLE.wall_slots()
        if slot.layer == "top" and (slot.side, slot.stack) not in gone
        for pose in [TABLE.wall_pose(slot)]
    )


class Scene:
    """Feeds a follower ten looks a second."""

    def __init__(self) -> None:
        self.follower = Follower(TABLE, Setup(machine=False))
        self.t = 0.0
        self.found: list[Happening] = []
        self.wall = walls()
        self.lying: list[TileSighting] = []

    def look(
        self,
        looks: int,
        *extra: TileSighting,
        covered: tuple[Polygon, ...] = (),
        reach: tuple[int, Point] | None = None,
    ) -> None:
        for _ in range(looks):
            tips: list[Point | None] = [None, None, None, None]
            if reach is not None:
                tips[reach[0]] = reach[1]
            self.found += self.follower.sighting(
                Sighting(
                    t=round(self.t, 3),
                    camera="top",
                    outcome=Outcome.LOOKED,
                    tiles=(*self.wall, *self.lying, *extra),
                    covered=covered,
                    reach=(tips[0], tips[1], tips[2], tips[3]),
                )
            )
            self.t += 0.1

    def kinds(self) -> list[str]:
        found = [*self.found, *self.follower.flush()]
        return [happening.kind for happening in found if happening.kind != "hand_counted"]


@pytest.fixture
def scene() -> Scene:
    scene = Scene()
    scene.look(20)
    assert [h.kind for h in scene.found] == ["wall_raised"]
    scene.found.clear()
    return scene


CELL = TABLE.pool_pose(PoolCell(0, 0, 2))
ARM = ((CELL.x - 40, -420.0), (CELL.x + 40, -420.0), (CELL.x + 40, -80.0), (CELL.x - 40, -80.0))


def discard(scene: Scene, face: str = "5m") -> None:
    scene.look(1, covered=(ARM,), reach=(0, (CELL.x, -250.0)))
    scene.look(2, covered=(ARM,), reach=(0, (CELL.x, CELL.y)))
    scene.lying.append(tile(CELL.x, CELL.y, face))
    scene.look(1, reach=(0, (CELL.x, -300.0)))


def test_a_discard_is_told_once_with_its_place_and_time(scene: Scene) -> None:
    began = scene.t
    discard(scene)
    scene.look(20)
    (found,) = [h for h in scene.found if h.kind == "tile_discarded"]
    assert found.kind == "tile_discarded"
    assert (found.seat, found.tile, found.place) == (0, Tile.M5, (0, 2))
    assert not found.rotated
    assert found.t == pytest.approx(began + 0.15, abs=0.2)
    assert scene.kinds() == ["tile_discarded"]


def test_an_arm_that_passes_tells_nothing(scene: Scene) -> None:
    discard(scene)
    scene.look(10)
    scene.found.clear()
    scene.look(12, covered=(ARM,), reach=(0, (CELL.x, -90.0)))
    scene.look(10)
    assert scene.kinds() == []


def test_a_tile_carried_across_a_pool_tells_nothing(scene: Scene) -> None:
    for step in range(8):
        scene.look(1, tile(CELL.x + 22 * step, CELL.y), reach=(0, (CELL.x + 22 * step, CELL.y)))
    scene.look(15)
    assert scene.kinds() == []


def test_a_tile_invented_for_a_look_or_two_tells_nothing(scene: Scene) -> None:
    scene.look(2, tile(CELL.x, CELL.y), reach=(0, (CELL.x, CELL.y)))
    scene.look(15)
    assert scene.kinds() == []


def test_misses_jitter_and_one_wrong_face_tell_nothing(scene: Scene) -> None:
    discard(scene)
    scene.look(10)
    scene.found.clear()
    good = scene.lying[0]
    for index in range(30):
        scene.lying = [] if index % 7 == 3 else [tile(good.x + (-1) ** index * 2.5, good.y - 2.0)]
        if index % 9 == 5:
            scene.lying = [tile(good.x, good.y, "9s")]
        scene.look(1)
    scene.lying = [good]
    scene.look(10)
    assert scene.kinds() == []


def test_a_face_that_cannot_be_read_is_unknown(scene: Scene) -> None:
    discard(scene, face="?")
    scene.look(20)
    (found,) = [h for h in scene.found if h.kind == "tile_discarded"]
    assert found.tile is Tile.UNKNOWN


def test_a_discard_taken_back_is_retracted_and_by_another_claimed(scene: Scene) -> None:
    discard(scene)
    scene.look(10)
    scene.found.clear()
    scene.look(2, covered=(ARM,), reach=(0, (CELL.x, CELL.y)))
    scene.lying.clear()
    scene.look(1, covered=(ARM,), reach=(0, (CELL.x, -380.0)))
    scene.look(20)
    assert scene.kinds() == ["tile_retracted"]
    discard(scene)
    scene.look(10)
    scene.found.clear()
    other = ((430.0, -140.0), (430.0, -60.0), (-60.0, -60.0), (-60.0, -140.0))
    scene.look(2, covered=(other,), reach=(1, (CELL.x, CELL.y)))
    scene.lying.clear()
    scene.look(1, covered=(other,), reach=(1, (380.0, -100.0)))
    scene.look(20)
    (claimed,) = [h for h in scene.found if h.kind == "tile_claimed"]
    assert (claimed.seat, claimed.from_) == (1, 0)


def test_a_wall_that_is_not_seen_for_a_while_has_lost_nothing(scene: Scene) -> None:
    whole = scene.wall
    everything = ((-420.0, -420.0), (420.0, -420.0), (420.0, 420.0), (-420.0, 420.0))
    scene.wall = ()
    scene.look(30, covered=(everything,))
    scene.wall = whole
    scene.look(10)
    assert set(scene.kinds()) == {"not_looked"}


def test_a_stack_that_vanishes_for_a_moment_without_a_hand_is_a_mistake(scene: Scene) -> None:
    whole = scene.wall
    scene.wall = walls(without=[(0, 4)])
    scene.look(6)
    scene.wall = whole
    scene.look(20)
    assert scene.kinds() == []


def test_a_time_without_looks_is_said(scene: Scene) -> None:
    before = scene.t - 0.1
    scene.t += 3.0
    scene.look(10)
    (gap,) = [h for h in scene.found if h.kind == "not_looked"]
    assert gap.t == pytest.approx(before)
    assert gap.until == pytest.approx(before + 3.1)
    assert scene.kinds() == ["not_looked"]


def test_a_part_behind_an_arm_for_long_is_said_while_it_is_and_with_its_end(scene: Scene) -> None:
    arm = ((-200.0, -420.0), (200.0, -420.0), (200.0, -345.0), (-200.0, -345.0))
    began = scene.t
    scene.look(30, covered=(arm,))
    assert scene.kinds() == ["not_looked"]
    scene.look(10, covered=(arm,))
    scene.look(10)
    gaps = [h for h in scene.found if isinstance(h, NotLooked)]
    assert [(h.where, h.seat) for h in gaps] == [("hand", 0)] * 2
    assert [h.t for h in gaps] == pytest.approx([began] * 2, abs=0.11)
    assert gaps[0].until is None
    assert gaps[1].until == pytest.approx(began + 4.0, abs=0.11)
    scene.look(15, covered=(arm,))
    scene.look(10)
    assert scene.kinds() == ["not_looked"] * 2


def test_a_failed_frame_is_no_empty_table(scene: Scene) -> None:
    for _ in range(6):
        scene.follower.sighting(Sighting(scene.t, "top", Outcome.FAILED, reason="model"))
        scene.t += 0.1
    scene.look(10)
    assert scene.kinds() == []


def test_nothing_is_played_before_the_walls_stand() -> None:
    scene = Scene()
    scene.wall = ()
    scene.look(10)
    discard(scene)
    scene.look(20)
    assert scene.kinds() == []


def test_the_machine_is_told_and_clears_the_table(scene: Scene) -> None:
    opened = MachineChanged(MachineState.HATCH_OPEN, Fault.NONE, 144, 4, TileSet.A)
    found = scene.follower.reading(Reading(scene.t, opened))
    scene.look(5)
    kinds = [h.kind for h in (*found, *scene.found)]
    assert kinds == ["machine"]
    assert not scene.follower.view().playing


def test_the_view_is_plain_json(scene: Scene) -> None:
    discard(scene)
    scene.follower.reading(Reading(scene.t, WallPresence((0x3FFFF,) * 4)))
    scene.look(15)
    view = scene.follower.view()
    assert json.loads(json.dumps(view.to_object()))["wall_tiles"] == 144
    (lying,) = [each for each in view.tiles if each.place == "pool"]
    assert (lying.tile, lying.cell, lying.seat) == ("5m", (0, 2), 0)
