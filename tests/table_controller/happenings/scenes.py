"""Hand-made looks at any table, with its sensors."""

from __future__ import annotations

from dataclasses import replace

from firmware_bridge.messages import SticksChanged, WallPresence
from firmware_bridge.readings import Reading
from table_controller.domain.happenings import Happening, Seat, Slot, TileDrawn, TileReturned
from table_controller.happenings.follower import Follower
from table_controller.happenings.setup import Setup
from table_controller.happenings.taking.rows import Rows
from tests.table_controller.happenings.play import table_of
from vision.sightings import Outcome, Point, Polygon, Posture, Sighting, TileSighting

RIICHI = "riichi-xjtu-2025"
QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


class Table:
    """Ten looks a second at walls that stand, and at whatever else is put there.

    Args:
        ruleset: whose table it is.
        felt: the machine's sensors feel the stacks.
        stands: the walls have come up as they should, and that was told.
    """

    def __init__(
        self, ruleset: str = "mcr-1998", *, felt: bool = False, stands: bool = True
    ) -> None:
        self.geometry, usual = table_of(ruleset)
        self.setup = Setup(
            usual.players,
            usual.tiles,
            machine=False,
            wall_sensors=felt,
            sticks=usual.sticks,
            indicators=usual.indicators,
            replacements=usual.replacements,
        )
        self.follower = Follower(self.geometry, self.setup)
        self.t = 0.0
        self.found: list[Happening] = []
        self.lying: list[TileSighting] = []
        self.seats = range(self.setup.players)
        per_side = self.geometry.stacks_per_side
        self.heights = {(side, n): 2 for side in self.seats for n in range(1, per_side + 1)}
        self.faces: dict[Slot, TileSighting] = {}
        self._felt = felt
        self.feel()
        if not stands:
            return
        self.look(25)
        assert [h.kind for h in self.found] == ["wall_raised"]
        self.found.clear()

    def point(self, slot: Slot) -> Point:
        """Middle of a wall slot."""
        places = self.follower._table.places
        return places.slot_point(slot)

    def back(self, x: float, y: float, z: float, angle: float = 0.0) -> TileSighting:
        """A tile lying face down."""
        return TileSighting(x, y, z, angle % 180, Posture.FACE_DOWN, (), 0.95, 1.0, QUAD)

    def face(
        self, x: float, y: float, face: str, angle: float = 0.0, z: float = 0.0
    ) -> TileSighting:
        """A tile lying face up; ``z`` is that of its underside."""
        top = z + self.geometry.tile_thickness
        return TileSighting(
            x, y, top, angle % 360, Posture.FACE_UP, ((face, 0.97),), 0.95, 1.0, QUAD
        )

    def standing(self, seat: int, count: int, first: float = -130.0) -> list[TileSighting]:
        """A row of standing tiles."""
        width, height, _ = self.geometry.tile_mm
        row = []
        for index in range(count):
            x, y = self.geometry.to_table(
                seat, first + index * (width + 0.3), self.geometry.hand.offset
            )
            row.append(
                TileSighting(x, y, height, 90.0 * seat % 180, Posture.STANDING, (), 0.95, 1.0, QUAD)
            )
        return row

    def walls(self) -> list[TileSighting]:
        """What shows of the walls."""
        tiles = []
        for (side, number), height in self.heights.items():
            if not height:
                continue
            slot = Slot(side, number, "top" if height == 2 else "bottom")  # type: ignore[arg-type]
            x, y = self.point(slot)
            shown = self.faces.get(slot)
            z = height * self.geometry.tile_thickness
            tiles.append(self.back(x, y, z, 90.0 * side) if shown is None else shown)
        return tiles

    def look(
        self,
        looks: int,
        *extra: TileSighting,
        covered: tuple[Polygon, ...] = (),
        reach: tuple[int, Point] | None = None,
        under: tuple[TileSighting, ...] = (),
    ) -> None:
        """So many looks; ``reach`` is one side's fingertips, ``under`` what is seen below them."""
        for _ in range(looks):
            tips: list[Point | None] = [None, None, None, None]
            if reach is not None:
                tips[reach[0]] = reach[1]
            hidden = (*covered, *((around(reach[1]),) if reach is not None else ()))
            tiles = [
                tile
                for tile in (*self.walls(), *self.lying, *extra)
                if not any(_within(polygon, tile) for polygon in hidden)
            ]
            self.found += self.follower.sighting(
                Sighting(
                    t=round(self.t, 3),
                    camera="top",
                    outcome=Outcome.LOOKED,
                    tiles=(*tiles, *under),
                    covered=hidden,
                    reach=(tips[0], tips[1], tips[2], tips[3]),
                )
            )
            self.t += 0.1

    def feel(self) -> None:
        """What the sensors of the stacks say now."""
        if not self._felt:
            return
        bits = [0, 0, 0, 0]
        for (side, number), height in self.heights.items():
            bits[side] |= (height > 0) << (number - 1)
        reading = Reading(round(self.t, 3), WallPresence((bits[0], bits[1], bits[2], bits[3])))
        self.found += self.follower.reading(reading)

    def sticks(self, *seats: int) -> None:
        """What the sensors of the grooves say now."""
        present = sum(1 << seat for seat in seats)
        self.found += self.follower.reading(Reading(round(self.t, 3), SticksChanged(present)))

    def take(self, seat: int, *slots: Slot) -> None:
        """A hand comes, takes tiles together and goes home."""
        points = [self.point(slot) for slot in slots]
        x = sum(p[0] for p in points) / len(points)
        y = sum(p[1] for p in points) / len(points)
        home = self.geometry.to_table(seat, 60.0, self.geometry.hand.offset + 10.0)
        self.look(1, reach=(seat, home))
        self.look(2, reach=(seat, (x, y)))
        for slot in slots:
            self.heights[slot.side, slot.stack] -= 1
        self.feel()
        self.look(1, reach=(seat, (x, y)))
        self.look(2, reach=(seat, home))

    def deal(self, *seats: int) -> None:
        """A row of thirteen stands before these seats; somebody has discarded. Nothing is told."""
        for seat in seats:
            self.lying += self.standing(seat, 13)
        self.look(15)
        x, y = self.geometry.to_table(2, -60.0, self.geometry.pool.offset)
        self.lying.append(self.face(x, y, "9m", 180.0))
        self.look(15)
        self.found.clear()

    def told(self, *kinds: str) -> list[Happening]:
        """What was told of these kinds (of any but counts, when none is named)."""
        found = [*self.found, *self.follower.flush()]
        self.found = found
        return [h for h in found if (h.kind in kinds if kinds else h.kind != "hand_counted")]

    def drawn_or_returned(self) -> list[TileDrawn | TileReturned]:
        """What was told of tiles that left a wall or came back to it."""
        return [h for h in self.told() if isinstance(h, TileDrawn | TileReturned)]


class Uncounted(Rows):
    """Rows of standing tiles of which nothing is known."""

    def growth(self, seat: Seat, before: float, after: float) -> int | None:
        return None

    def rests(
        self, seat: Seat, before: float, after: float
    ) -> tuple[tuple[float, int], tuple[float, int]] | None:
        return None

    def counted(self, seat: Seat, after: float) -> int | None:
        return None

    def joined(self, seat: Seat, before: float, after: float, count: int) -> float | None:
        return None


def four(side: int, stack: int) -> tuple[Slot, ...]:
    """The tiles of two stacks side by side, as they are dealt."""
    return tuple(Slot(side, n, layer) for n in (stack, stack + 1) for layer in ("top", "bottom"))  # type: ignore[arg-type]


def home(table: Table, seat: int) -> Point:
    """Where a hand is at its own row."""
    return table.geometry.to_table(seat, 60.0, table.geometry.hand.offset + 10.0)


def taken_up_to(stack: int, *, felt: bool = False) -> Table:
    """Play goes on; side 1 is taken up to this stack."""
    table = Table(felt=felt)
    table.heights.update({(1, number): 0 for number in range(1, stack)})
    table.feel()
    table.look(30, reach=(2, home(table, 2)))
    table.follower._table.dealt = True
    table.follower.flush()
    table.found.clear()
    return table


def around(tip: Point) -> Polygon:
    x, y = tip
    return ((x - 30, y - 30), (x + 30, y - 30), (x + 30, y + 30), (x - 30, y + 30))


def _within(polygon: Polygon, tile: TileSighting) -> bool:
    xs, ys = [x for x, _ in polygon], [y for _, y in polygon]
    return min(xs) <= tile.x <= max(xs) and min(ys) <= tile.y <= max(ys)


def laid(table: Table, seat: int, *tiles: TileSighting) -> None:
    """A hand lays tiles down and goes home."""
    home = table.geometry.to_table(seat, 60.0, table.geometry.hand.offset + 10.0)
    for tile in tiles:
        table.look(2, reach=(seat, (tile.x, tile.y)))
        table.lying.append(tile)
        table.look(1, reach=(seat, (tile.x, tile.y)))
        table.look(2, reach=(seat, home))
    table.look(12)


def under(table: Table, slot: Slot, off: float, sure: float) -> tuple[TileSighting, ...]:
    """The tile as it is found under the fingers: so far off its line, so surely."""
    x, y = table.point(slot)
    back = table.back(x + off, y, 2 * table.geometry.tile_thickness, 90.0)
    return (replace(back, confidence=sure, visible=0.5),)
