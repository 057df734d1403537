"""Tiles at rest: where something lies, since when, and when it is believed to have left.

A :class:`Rest` is a tile lying still in one place. It is believed after it was seen there for a
moment without an arm over it, and it is believed to have left when its place was looked at and
seen empty for a moment. Whatever is carried about never comes to rest and so never appears here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from statistics import median

from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.arms import Arms
from table_controller.happenings.faces import FaceEvidence
from table_controller.happenings.looking import Look
from table_controller.happenings.places import SEATS, Area, Places, distance, turn_between
from table_controller.happenings.rests import Arrived, Change, Joined, Left, Moved, Rest, Turned
from table_controller.happenings.rows import Rows
from table_controller.happenings.setup import Patience
from vision.sightings import Point, Posture, TileSighting

_CELL = 30.0
_ANGLE_STILL = 12.0
_LOOKS_KEPT = 40
_THINNEST = 0.5
"""Standing tiles are at least so many tile widths apart."""
_APART, _PARKED_MM = 1.6, 12.0
"""Dice lie so many tiles off the row and so far behind it."""
_WHOLE = 0.9
"""Share of a tile from which it is seen as a whole."""
_LAID_S = 3.0
"""The tiles of a set come to lie within this time."""
_OTHER_FACE = 0.95
"""So surely another face must be read for a tile that moved to be another one."""
_IN_SIGHT = 5
"""What was seen whole in so many looks lies beside the arm, however near that is."""
_FOUND = 0.45
"""A tile that the eye only remembers, not found in this look, is told with half its confidence."""
_TOPPLED_S, _TOPPLED_MM = 0.4, 45.0
"""A tile that fell over by itself lies so near to where it stood, so soon after."""

_LAYING_S, _HIDDEN_MOST_S = 1.5, 3.5
"""A tile is laid so long before it is seen at most, and where an arm hid its place."""
_HIDDEN_S = 0.25
"""A place of which the last look is older than this was hidden."""
_ROW, _AT_ONCE_S = 3, 0.5
"""So many other tiles that turn so nearly at once are a row that is laid down."""


class RestBook:
    """All tiles at rest outside the regular walls."""

    def __init__(self, places: Places, arms: Arms, patience: Patience) -> None:
        self._places = places
        self._arms = arms
        self._patience = patience
        self._rests: list[Rest] = []
        self._next = 0
        self._glimpses: deque[Rest] = deque(maxlen=20)
        self._left: deque[Rest] = deque(maxlen=8)
        self._looks: deque[Look] = deque(maxlen=_LOOKS_KEPT)
        self._rows = Rows(places)
        self._width = places.geometry.tile_width
        self._overlap = 0.8 * places.geometry.tile_width

    def all(self) -> list[Rest]:
        """Every tile that lies still, believed or not yet."""
        return list(self._rests)

    def believed(self, area: Area | None = None, seat: Seat | None = None) -> list[Rest]:
        """Tiles believed to lie there, in order of their number."""
        return [
            rest
            for rest in self._rests
            if rest.believed
            and (area is None or rest.spot.area is area)
            and (seat is None or rest.spot.seat == seat)
        ]

    def standing(self, seat: Seat) -> list[Rest]:
        """The tiles that stand in front of a seat, from its left to its right."""
        row = sorted(self.believed(Area.HAND, seat), key=lambda rest: rest.spot.right)
        upright = [rest for rest in self._without_dice(row) if rest.posture is Posture.STANDING]
        return self._without_doubles(upright)

    def _without_doubles(self, row: list[Rest]) -> list[Rest]:
        """The row without what stands where another stands already: one of both is none."""
        kept: list[Rest] = []
        for rest in row:
            if kept and rest.spot.right - kept[-1].spot.right < _THINNEST * self._width:
                if rest.number < kept[-1].number:
                    kept[-1] = rest
                continue
            kept.append(rest)
        return kept

    def _without_dice(self, row: list[Rest]) -> list[Rest]:
        """The row without the one or two dice parked beside it, which pass for standing tiles."""
        groups: list[list[Rest]] = []
        for rest in row:
            near = groups and rest.spot.right - groups[-1][-1].spot.right <= _APART * self._width
            if near:
                groups[-1].append(rest)
            else:
                groups.append([rest])
        if len(groups) < 2:
            return row
        line = median(rest.spot.offset for rest in max(groups, key=len))
        return [
            rest
            for group in groups
            if len(group) > 2 or min(each.spot.offset for each in group) - line < _PARKED_MM
            for rest in group
        ]

    def glimpses(self, since: float) -> list[Rest]:
        """Tiles that lay still for a look or two but were gone before they were believed."""
        waiting = [rest for rest in self._rests if not rest.believed and rest.covered >= rest.seen]
        return [rest for rest in (*self._glimpses, *waiting) if rest.seen >= since]

    def _glimpse(self, rest: Rest) -> None:
        if not rest.believed and rest.looks >= 2:
            self._glimpses.append(rest)

    def clear(self) -> None:
        """Forget everything: the table was cleared."""
        self._rests.clear()
        self._rows.clear()

    def unsettled(self, area: Area, seat: Seat, t: float, calm_s: float) -> bool:
        """Whether anything there is appearing, missing, turning or has just come to rest."""
        for rest in self._rests:
            if rest.spot.area is not area or rest.spot.seat != seat:
                continue
            if not rest.believed:
                if t - rest.seen < calm_s and rest.looks > 1:
                    return True
            elif (
                rest.missing is not None
                or rest.turn is not None
                or rest.shift is not None
                or t - rest.since < calm_s
            ):
                return True
        return False

    def update(self, look: Look, tiles: Iterable[TileSighting]) -> list[Change]:
        """One frame's tiles; returns what is newly believed, in order of belief."""
        changes: list[Change] = []
        seen: set[int] = set()
        matches, strangers = self._match(tiles)
        for rest, tile in matches:
            seen.add(rest.number)
            self._saw(rest, tile, look, changes)
        for tile in strangers:
            whole = tile.visible >= 0.6 and tile.confidence >= _FOUND
            if whole and tile.posture is not Posture.UNSURE:
                seen.add(self._begin(tile, look))
        kept = []
        for rest in self._rests:
            if rest.number not in seen and not self._unseen(rest, look, changes):
                self._glimpse(rest)
                continue
            kept.append(rest)
        self._rests = kept
        for rest in list(self._rests):
            if not rest.believed and rest.number in seen:
                self._consider(rest, look, changes)
        self._looks.append(look)
        self._rows.update(look.t, self._rests)
        self._join(look.t, changes)
        return changes

    def _join(self, t: float, changes: list[Change]) -> None:
        """Tiles of a set that were believed before those that lie between them and the others."""
        for rest in self._rests:
            lately = rest.believed and t - rest.since <= _LAID_S
            if not lately or not rest.flat or rest.stood or rest.spot.area is not Area.HAND:
                continue
            spot = self._rows.spot(rest.x, rest.y, rest.posture)
            if spot.area is Area.MELD:
                rest.spot = spot
                if Arrived(rest) not in changes:
                    changes.append(Joined(rest))

    # -- matching -----------------------------------------------------------------------

    def _match(
        self, tiles: Iterable[TileSighting]
    ) -> tuple[list[tuple[Rest, TileSighting]], list[TileSighting]]:
        grid: dict[tuple[int, int], list[Rest]] = {}
        for rest in self._rests:
            grid.setdefault((int(rest.x // _CELL), int(rest.y // _CELL)), []).append(rest)
        gate = self._patience.gate_mm
        pairs: list[tuple[float, int, int, Rest, TileSighting]] = []
        listed = list(tiles)
        for index, tile in enumerate(listed):
            gx, gy = int(tile.x // _CELL), int(tile.y // _CELL)
            for i in (gx - 1, gx, gx + 1):
                for j in (gy - 1, gy, gy + 1):
                    for rest in grid.get((i, j), ()):
                        away = distance(rest.point, (tile.x, tile.y))
                        if away > gate or abs(rest.z - tile.z) > 30.0:
                            continue
                        if away > self._patience.still_mm and _of_another_face(rest, tile):
                            # Pushed tiles come to lie where others lay.
                            continue
                        # A posture that differs is a worse match than one that does not.
                        cost = away + (4.0 if rest.posture is not tile.posture else 0.0)
                        cost += 0.0 if rest.believed else 1.0
                        pairs.append((cost, index, rest.number, rest, tile))
        pairs.sort(key=lambda pair: pair[:3])
        taken_tiles: set[int] = set()
        taken_rests: set[int] = set()
        matches = []
        for _, index, number, rest, tile in pairs:
            if index in taken_tiles or number in taken_rests:
                continue
            taken_tiles.add(index)
            taken_rests.add(number)
            matches.append((rest, tile))
        strangers = [tile for index, tile in enumerate(listed) if index not in taken_tiles]
        return matches, strangers

    def _begin(self, tile: TileSighting, look: Look) -> int:
        self._next += 1
        rest = Rest(
            number=self._next,
            x=tile.x,
            y=tile.y,
            z=tile.z,
            angle=tile.angle,
            posture=tile.posture,
            spot=self._rows.spot(tile.x, tile.y, tile.posture),
            since=look.t,
            seen=look.t,
        )
        rest.face.add(tile.faces)
        if look.covered(tile.x, tile.y):
            rest.covered = look.t
        else:
            rest.clear = int(tile.visible >= _WHOLE)
        self._rests.append(rest)
        return rest.number

    # -- seen ---------------------------------------------------------------------------

    def _saw(self, rest: Rest, tile: TileSighting, look: Look, changes: list[Change]) -> None:
        t = look.t
        if tile.confidence < _FOUND:
            return
        rest.seen = t
        rest.missing, rest.misses = None, 0
        if look.covered(rest.x, rest.y):
            rest.covered = t
            if rest.believed or tile.posture is not rest.posture:
                # An arm spoils what is found below it; what it did there shows when it is gone.
                return
        if tile.visible < 0.6 or tile.posture is Posture.UNSURE:
            return
        rest.looks += 1
        if tile.visible >= _WHOLE:
            rest.whole += 1
            rest.clear += rest.covered < t
        self._saw_posture(rest, tile, t, changes)
        self._saw_place(rest, tile, t, changes)
        if tile.posture is Posture.FACE_UP and rest.posture is Posture.FACE_UP:
            rest.face.add(tile.faces, tile.visible)

    def _saw_posture(self, rest: Rest, tile: TileSighting, t: float, changes: list[Change]) -> None:
        if tile.posture is rest.posture:
            rest.turn = None
            return
        if not rest.believed:
            rest.posture = tile.posture
            _begin_again(rest, tile, t)
            rest.face = FaceEvidence()
            rest.face.add(tile.faces)
            return
        if rest.turn is None or rest.turn[0] is not tile.posture:
            rest.turn = (tile.posture, t, 1)
            rest.next_face = FaceEvidence()
            rest.next_face.add(tile.faces)
            return
        if rest.next_face is not None:
            rest.next_face.add(tile.faces)
        posture, since, looks = rest.turn
        rest.turn = (posture, since, looks + 1)
        patience = self._patience
        prompted = self._prompted(rest, since) or self._turns_with_others(rest, posture, since)
        needed = patience.turn_s if prompted else patience.unprompted_s
        if looks + 1 >= patience.confirm_looks and t - since >= needed - 1e-6:
            before, rest.posture, rest.turn = rest.posture, posture, None
            rest.stood = before is Posture.STANDING
            rest.z, rest.angle = tile.z, tile.angle
            when = self._handled(rest.point, rest.seen - 1.0, since, since)
            rest.arrived = max(when, rest.since)
            changes.append(Turned(rest, before, rest.arrived))
            rest.since = since
            rest.face, rest.next_face = rest.next_face or FaceEvidence(), None

    def _turns_with_others(self, rest: Rest, posture: Posture, since: float) -> bool:
        """Whether a row of tiles turns at once under hands that are seen at some of them only.

        Two hands in the middle lay a whole row down: its ends are an arm's length from them.
        """
        row = [
            other
            for other in self._rests
            if other is not rest
            and other.believed
            and (other.spot.area, other.spot.seat) == (rest.spot.area, rest.spot.seat)
            and _lies_since(other, posture, since)
        ]
        return len(row) >= _ROW and any(self._prompted(other, since) for other in row)

    def _saw_place(self, rest: Rest, tile: TileSighting, t: float, changes: list[Change]) -> None:
        away = distance(rest.point, (tile.x, tile.y))
        # Which end is up is known only when the face was read.
        turned = turn_between(tile.angle, rest.angle, 180.0) > _ANGLE_STILL
        if away <= self._patience.still_mm and not turned:
            rest.shift = None
            rest.x += 0.2 * (tile.x - rest.x)
            rest.y += 0.2 * (tile.y - rest.y)
            return
        if not rest.believed:
            rest.x, rest.y, rest.z, rest.angle = tile.x, tile.y, tile.z, tile.angle
            rest.spot = self._rows.spot(rest.x, rest.y, rest.posture)
            _begin_again(rest, tile, t)
            return
        shift = rest.shift
        if (
            shift is None
            or distance(shift[:2], (tile.x, tile.y)) > self._patience.still_mm
            or turn_between(shift[2], tile.angle, 180.0) > _ANGLE_STILL
        ):
            rest.shift = (tile.x, tile.y, tile.angle, t, 1)
            return
        x, y, angle, since, looks = shift
        rest.shift = (x, y, angle, since, looks + 1)
        patience = self._patience
        # Without a hand near, a tile that lies otherwise is rather found badly.
        needed = patience.confirm_s if self._prompted(rest, since) else patience.unprompted_s
        if looks + 1 >= patience.confirm_looks and t - since >= needed:
            origin = rest.spot
            rest.x, rest.y, rest.z, rest.angle = tile.x, tile.y, tile.z, tile.angle
            rest.spot = self._rows.spot(rest.x, rest.y, rest.posture)
            rest.shift, rest.stood = None, False
            rest.since = t
            if not rest.face.decided:
                # What hid its face may not do so here.
                rest.face = FaceEvidence()
                rest.face.add(tile.faces)
            changes.append(Moved(rest, origin, since))

    # -- not seen -----------------------------------------------------------------------

    def _unseen(self, rest: Rest, look: Look, changes: list[Change]) -> bool:
        """A look that did not find it; returns whether it is kept."""
        t = look.t
        if not look.in_view(rest.x, rest.y):
            return rest.believed or t - rest.seen < 0.6
        if look.covered(rest.x, rest.y):
            rest.covered = t
            rest.missing, rest.misses = None, 0
            return rest.believed or t - rest.seen < 1.5
        if not rest.believed:
            rest.misses += 1
            return rest.misses < 2
        if rest.missing is None:
            rest.missing, rest.misses = t, 0
        rest.misses += 1
        patience = self._patience
        prompted = self._prompted(rest, rest.missing) or self._lies_beside(rest)
        needed = patience.gone_s if prompted else patience.unprompted_s
        if rest.misses < patience.gone_looks or t - rest.missing < needed - 1e-6:
            return True
        # The last look may lie long before the first empty one, with an arm between them.
        rest.left = self._handled(rest.point, rest.seen, rest.missing, rest.missing)
        rest.left = min(max(rest.left, rest.seen), rest.missing)
        rest.by = self._arms.who(rest.point, rest.seen, rest.missing, self._patience.near_mm)
        changes.append(Left(rest))
        self._left.append(rest)
        return False

    # -- believing ----------------------------------------------------------------------

    def _prompted(self, rest: Rest, since: float) -> bool:
        """Whether an arm was near or something covered the place shortly before."""
        if rest.covered >= since - 1.5 or self._arms.unwatched(since - 1.0, since):
            return True
        near = self._patience.near_mm + 30.0
        return bool(self._arms.visits(rest.point, since - 1.0, since, near, slow=False))

    def _handled(self, point: Point, since: float, until: float, default: float) -> float:
        """When the arm that handled a point let go of it."""
        handled = self._arms.handled(point, since, until, self._patience.near_mm)
        return default if handled is None else handled

    def _consider(self, rest: Rest, look: Look, changes: list[Change]) -> None:
        t, patience = look.t, self._patience
        if look.covered(rest.x, rest.y) and rest.whole < _IN_SIGHT:
            return
        waited = (
            rest.looks >= patience.confirm_looks and t - rest.since >= patience.confirm_s - 1e-6
        )
        if not waited and not self._plain(rest):
            return
        if self._slid(rest, changes):
            return
        prompted = self._prompted(rest, rest.since) or self._toppled(rest)
        # What comes to light where nothing could be seen before was laid there behind a hand.
        prompted = prompted or rest.since - self._empty(rest) > _HIDDEN_S
        if not prompted and t - rest.since < patience.unprompted_s:
            return
        rest.believed = True
        empty = self._empty(rest)
        rest.arrived = self._arrival(rest, empty)
        # Whoever had gone while the place was still seen empty did not lay it there.
        who = self._arms.who
        begin = rest.since - _LAYING_S
        rest.by = who(rest.point, max(begin, empty), rest.since, patience.near_mm)
        if rest.by is None:
            rest.by = who(rest.point, begin, rest.since, patience.near_mm)
        # What it lies beside may have been believed in meanwhile.
        rest.spot = self._rows.spot(rest.x, rest.y, rest.posture)
        changes.append(Arrived(rest))

    def arrival(self, rest: Rest) -> float:
        """When a tile was laid where it lies, by the hand that did and the last empty look."""
        return self._arrival(rest, self._empty(rest))

    def _arrival(self, rest: Rest, empty: float) -> float:
        # Behind an arm that goes on to the wall it may lie for longer than a hand takes to lay it.
        begin = min(rest.since - _LAYING_S, max(empty, rest.since - _HIDDEN_MOST_S))
        laid = self._arms.laid(rest.point, begin, rest.since, self._patience.near_mm)
        arrived = rest.since if laid is None else min(laid, rest.since)
        return max(arrived, empty)

    def _toppled(self, rest: Rest) -> bool:
        """Whether a tile lies where one that stood beside it is missing since it came to lie."""
        return rest.flat and any(
            other.misses >= self._patience.gone_looks and _fell(other, rest)
            for other in (*self._rests, *self._left)
        )

    def _lies_beside(self, rest: Rest) -> bool:
        """Whether a tile that stood lies beside its place now."""
        looks = self._patience.confirm_looks
        return any(
            other.flat and other.looks >= looks and _fell(rest, other) for other in self._rests
        )

    def _plain(self, rest: Rest) -> bool:
        """Whether two looks are enough: a discard seen whole, no doubt of it, the hand gone."""
        return (
            rest.clear >= 2
            and rest.spot.area is Area.POOL
            and rest.posture is Posture.FACE_UP
            and rest.face.decided
            and not any(
                tip is not None and distance(tip, rest.point) <= self._patience.near_mm
                for tip in map(self._arms.tip, SEATS)
            )
        )

    def _empty(self, rest: Rest) -> float:
        """The last look, not long before a tile was first seen, that found its place empty."""
        for look in reversed(self._looks):
            if look.t < rest.since and look.looked(rest.x, rest.y):
                return look.t
        return -1e9

    def _slid(self, rest: Rest, changes: list[Change]) -> bool:
        """Whether this is a tile that was believed to lie where it now cannot lie any more.

        Two tiles cannot lie in the same place: one that is missing and overlaps the new one
        was pushed there.
        """
        for other in self._rests:
            if (
                other is rest
                or not other.believed
                or other.missing is None
                or other.posture is not rest.posture
                or abs(other.z - rest.z) > 10.0
                or distance(other.point, rest.point) > self._overlap
            ):
                continue
            if (
                rest.posture is Posture.FACE_UP
                and other.face.decided
                and rest.face.decided
                and other.face.tile is not rest.face.tile
            ):
                continue
            origin = other.spot
            other.x, other.y, other.z, other.angle = rest.x, rest.y, rest.z, rest.angle
            other.spot = rest.spot
            other.face.join(rest.face)
            other.missing, other.misses, other.seen = None, 0, rest.seen
            other.since = rest.since
            self._rests.remove(rest)
            changes.append(Moved(other, origin, rest.since))
            return True
        return False


def _begin_again(rest: Rest, tile: TileSighting, t: float) -> None:
    """It lies otherwise than it did: only looks from this one on count."""
    rest.since, rest.looks, rest.whole = t, 1, 0
    rest.clear = int(rest.covered < t and tile.visible >= _WHOLE)


def _fell(stood: Rest, lies: Rest) -> bool:
    """Whether a tile may lie there because it fell from where one stood."""
    return (
        stood.posture is Posture.STANDING
        and stood.missing is not None
        and abs(stood.missing - lies.since) <= _TOPPLED_S
        and distance(stood.point, lies.point) <= _TOPPLED_MM
    )


def _of_another_face(rest: Rest, tile: TileSighting) -> bool:
    """Whether a tile surely shows another face than the one that was made out at rest."""
    if not rest.face.decided or not tile.faces:
        return False
    face, share = tile.faces[0]
    return share >= _OTHER_FACE and face not in (rest.face.tile.value, Tile.UNKNOWN.value)


def _lies_since(rest: Rest, posture: Posture, t: float) -> bool:
    """Whether a tile came to lie so at about a time, or is seen so since and not believed yet."""
    if rest.turn is not None:
        return rest.turn[0] is posture and abs(rest.turn[1] - t) <= _AT_ONCE_S
    return rest.posture is posture and abs(rest.since - t) <= _AT_ONCE_S
