"""The follower's beliefs as a :class:`TableView`."""

from __future__ import annotations

from table_controller.domain.tiles import Tile
from table_controller.happenings.dice import Dice
from table_controller.happenings.felt.melds import Melds
from table_controller.happenings.gaps import Gaps
from table_controller.happenings.hand.hands import Hands
from table_controller.happenings.looks.places import SEATS, Area
from table_controller.happenings.machinery import Machinery
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.sticks import Sticks
from table_controller.happenings.table import Table
from table_controller.happenings.view import DieView, TableView, TileView
from vision.sightings import Posture


def overview(
    t: float,
    table: Table,
    machinery: Machinery,
    hands: Hands,
    melds: Melds,
    dice: Dice,
    sticks: Sticks,
    gaps: Gaps,
) -> TableView:
    """Everything that is believed at a time, as plain values."""
    tiles = _wall_tiles(table)
    flowers = {rest.number for seat in SEATS for rest in melds.flowers(seat)}
    sets = {
        rest.number: index
        for seat in SEATS
        for index, meld in enumerate(melds.melds(seat))
        for rest in meld.rests
    }
    tiles += [_rest_view(table, rest, flowers, sets) for rest in table.book.believed()]
    looks = table.looks.values()
    return TableView(
        t=t,
        playing=table.playing,
        machine=machinery.state,
        tiles=tuple(tiles),
        wall_tiles=table.walls.tiles,
        hands=tuple(hands.count(seat) for seat in SEATS),
        shown=tuple(hands.shown(seat) for seat in SEATS),
        dice=tuple(DieView(x, y, value) for (x, y), value in dice.lying),
        sticks=tuple(sorted(sticks.placed)),
        covered=tuple(polygon for look in looks for polygon in look.sighting.covered),
        reach=tuple(table.arms.tip(seat) for seat in SEATS),
        blind_since=gaps.blind_since,
    )


def _wall_tiles(table: Table) -> list[TileView]:
    geometry = table.places.geometry
    tiles = []
    for stack in table.walls.stacks.values():
        for level in range(stack.height):
            top = level == stack.height - 1
            shows = top and stack.exposed and stack.face_up is not None
            face = stack.face_up.tile if shows and stack.face_up is not None else Tile.BACK
            tiles.append(
                TileView(
                    x=round(stack.point[0], 1),
                    y=round(stack.point[1], 1),
                    z=geometry.tile_thickness * (level + 1),
                    angle=90.0 * stack.side,
                    posture=(Posture.FACE_UP if shows else Posture.FACE_DOWN).value,
                    tile=face.value,
                    confidence=0.99,
                    place="wall",
                    seat=stack.side,
                    since=stack.seen,
                    slot=(stack.side, stack.number, "bottom" if level == 0 else "top"),
                )
            )
    return tiles


def _rest_view(table: Table, rest: Rest, flowers: set[int], sets: dict[int, int]) -> TileView:
    spot = rest.spot
    cell = table.places.pool_place(spot)
    place = {Area.POOL: "pool", Area.MELD: "meld", Area.HAND: "hand"}.get(spot.area, "table")
    if rest.number in flowers:
        place = "flower"
    face_up = rest.posture is Posture.FACE_UP
    tile = rest.face.tile if face_up else Tile.BACK
    return TileView(
        x=round(rest.x, 1),
        y=round(rest.y, 1),
        z=round(rest.z, 1),
        angle=round(rest.angle % 360.0, 1),
        posture=rest.posture.value,
        tile=tile.value,
        confidence=round(rest.face.share if face_up else 1.0, 3),
        place=place,
        seat=spot.seat,
        since=rest.since,
        cell=None if cell is None or spot.area is not Area.POOL else (cell.row, cell.col),
        meld=sets.get(rest.number),
        faces=rest.face.ranked if face_up else (),
    )
