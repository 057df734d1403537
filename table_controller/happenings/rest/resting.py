"""Tiles at rest: where something lies, since when, and when it is believed to have left.

A :class:`Rest` is a tile lying still in one place. It is believed after it was seen there for a
moment without an arm over it, and it is believed to have left when its place was looked at and
seen empty for a moment. Whatever is carried about never comes to rest and so never appears here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.faces import FaceEvidence
from table_controller.happenings.looks.looking import Look
from table_controller.happenings.looks.places import SEATS, Area, Places, distance, turn_between
from table_controller.happenings.rest.causes import Causes
from table_controller.happenings.rest.matching import match, reads_as_another
from table_controller.happenings.rest.one_place import (
    lies_another,
    pushed_there,
    reads_otherwise,
)
from table_controller.happenings.rest.rests import (
    WHOLE,
    Arrived,
    Change,
    Joined,
    Left,
    Moved,
    Rest,
    Turned,
)
from table_controller.happenings.rest.rows import Rows
from table_controller.happenings.rest.standing import parked, standing_row
from table_controller.happenings.setup import Patience
from vision.sightings import Posture, TileSighting

_ANGLE_STILL = 12.0
_LAID_S = 3.0
"""The tiles of a set come to lie within this time."""
_IN_SIGHT = 6
"""What was seen whole in so many looks lies beside the arm, however near that is."""
_READ = 8
"""Or what so many looks read without doubt: the arm's edge is over that of the tile only."""
_GLIMPSES = 40
_FOUND = 0.45
"""A tile that the eye only remembers, not found in this look, is told with half its confidence."""


class RestBook:
    """All tiles at rest outside the regular walls.

    Attributes:
        awaited: whether a tile lies where one is due: it is believed under an arm, too.
    """

    def __init__(self, places: Places, arms: Arms, patience: Patience) -> None:
        self._places = places
        self._arms = arms
        self._patience = patience
        self._rests: list[Rest] = []
        self._next = 0
        self._glimpses: deque[Rest] = deque(maxlen=_GLIMPSES)
        self._causes = Causes(arms, patience)
        self._rows = Rows(places)
        self._width = places.geometry.tile_width
        self._overlap = 0.8 * places.geometry.tile_width
        self.awaited: Callable[[Rest], bool] = _nothing_due

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
        return standing_row(self.believed(Area.HAND, seat), self._width)

    def parked(self, seat: Seat) -> list[Rest]:
        """What stands in front of a seat as dice do that were parked beside the row."""
        return parked(self.believed(Area.HAND, seat), self._width)

    def glimpses(self, since: float) -> list[Rest]:
        """Tiles that were seen for a look or two but were gone before they were believed."""
        waiting = [rest for rest in self._rests if not rest.believed and rest.covered >= rest.seen]
        return [rest for rest in (*self._glimpses, *waiting) if rest.seen >= since]

    def _glimpse(self, rest: Rest) -> None:
        in_pool = rest.spot.area is Area.POOL and rest.posture is Posture.FACE_UP
        if not rest.believed and (rest.looks >= 2 or in_pool):
            self._glimpses.append(rest)

    def doubt(self, rest: Rest) -> None:
        """What lies in a tile's place is another: it is seen as if it had just been laid there."""
        self._rests.remove(rest)

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
        matches, strangers = match(self._rests, tiles, self._patience, look.t)
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
        self._causes.looked(look)
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
        rest.whole = int(tile.visible >= WHOLE)
        if look.covered(tile.x, tile.y):
            rest.covered = look.t
        else:
            rest.clear = rest.whole
        self._rests.append(rest)
        return rest.number

    # -- seen ---------------------------------------------------------------------------

    def _saw(self, rest: Rest, tile: TileSighting, look: Look, changes: list[Change]) -> None:
        t = look.t
        if tile.confidence < _FOUND:
            return
        rest.seen, rest.shown = t, tile.visible
        rest.missing, rest.misses = None, 0
        if look.covered(rest.x, rest.y):
            rest.covered = t
            if rest.believed or tile.posture is not rest.posture:
                # An arm spoils what is found below it; what it did there shows when it is gone.
                return
        if tile.visible < 0.6 or tile.posture is Posture.UNSURE:
            return
        rest.looks += 1
        if tile.visible >= WHOLE:
            if not rest.whole and reads_as_another(rest, tile):
                # What was read of a part of it, beside fingers, was wrong.
                rest.face = FaceEvidence()
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
        prompted = self._causes.prompted(rest, since) or self._causes.turns_with_others(
            rest, posture, since, self._rests
        )
        needed = patience.turn_s if prompted else patience.unprompted_s
        if looks + 1 >= patience.confirm_looks and t - since >= needed - 1e-6:
            before, rest.posture, rest.turn = rest.posture, posture, None
            rest.stood = before is Posture.STANDING
            rest.z, rest.angle = tile.z, tile.angle
            when = self._causes.handled(rest, rest.seen - 1.0, since, since)
            rest.arrived = max(when, rest.since)
            changes.append(Turned(rest, before, rest.arrived))
            rest.since = since
            rest.face, rest.next_face = rest.next_face or FaceEvidence(), None

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
        needed = patience.confirm_s if self._causes.prompted(rest, since) else patience.unprompted_s
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
        prompted = self._causes.prompted(rest, rest.missing) or self._causes.lies_beside(
            rest, self._rests
        )
        needed = patience.gone_s if prompted else patience.unprompted_s
        if rest.misses < patience.gone_looks or t - rest.missing < needed - 1e-6:
            return True
        # The last look may lie long before the first empty one, with an arm between them.
        rest.left = self._causes.handled(rest, rest.seen, rest.missing, rest.missing)
        rest.left = min(max(rest.left, rest.seen), rest.missing)
        rest.by = self._arms.taker(rest.point, rest.seen, rest.missing, self._patience.near_mm)
        changes.append(Left(rest))
        self._causes.left(rest)
        return False

    # -- believing ----------------------------------------------------------------------

    def _consider(self, rest: Rest, look: Look, changes: list[Change]) -> None:
        t, patience = look.t, self._patience
        read = rest.posture is Posture.FACE_UP and rest.looks >= _READ and rest.face.decided
        covered = look.covered(rest.x, rest.y)
        hidden = covered and rest.whole < _IN_SIGHT
        plain = self._plain(rest)
        # What its player's hand has left in the pool may be hidden by the next one's.
        left = plain and rest.spot.area is Area.POOL
        if covered and lies_another(rest, self._rests, self._overlap):
            return
        if reads_otherwise(rest, self._rests, self._overlap, patience.gone_looks):
            return
        if hidden and not read and not left and not self.awaited(rest):
            return
        waited = (
            rest.looks >= patience.confirm_looks and t - rest.since >= patience.confirm_s - 1e-6
        )
        if not waited and not plain:
            return
        if self._slid(rest, changes):
            return
        causes = self._causes
        prompted = (
            causes.prompted(rest, rest.since)
            or causes.toppled(rest, self._rests)
            or causes.knocked(rest)
            or causes.shoved(rest, self._rests)
            # What comes to light where nothing could be seen before was laid behind a hand.
            or causes.hidden(rest)
        )
        if not prompted and t - rest.since < patience.unprompted_s:
            return
        rest.believed = True
        rest.arrived = self._causes.arrival(rest)
        rest.by = self._causes.laid_by(rest)
        # What it lies beside may have been believed in meanwhile.
        rest.spot = self._rows.spot(rest.x, rest.y, rest.posture)
        changes.append(Arrived(rest))

    def arrival(self, rest: Rest) -> float:
        """When a tile was laid where it lies, by the hand that did and the last empty look."""
        return self._causes.arrival(rest)

    def _plain(self, rest: Rest) -> bool:
        """Whether two looks are enough: a face seen whole, no doubt of it, the hand gone.

        In a pool the hand of its player: the next one often passes over it at once.
        """
        pool = rest.spot.area is Area.POOL
        return (
            (rest.whole if pool else rest.clear) >= 2
            and rest.spot.area in (Area.POOL, Area.MELD)
            and rest.posture is Posture.FACE_UP
            and rest.face.decided
            and not any(self._at(seat, rest) for seat in ((rest.spot.seat,) if pool else SEATS))
        )

    def _at(self, seat: Seat, rest: Rest) -> bool:
        """Whether a hand is where a tile lies, or may be handling it."""
        tip = self._arms.tip(seat)
        return tip is not None and distance(tip, rest.point) <= self._patience.near_mm

    def _slid(self, rest: Rest, changes: list[Change]) -> bool:
        """Whether this is a tile that was believed to lie where it now cannot lie any more."""
        other = pushed_there(rest, self._rests, self._overlap)
        if other is None:
            return False
        origin = other.spot
        other.x, other.y, other.z, other.angle = rest.x, rest.y, rest.z, rest.angle
        other.spot = rest.spot
        other.face.join(rest.face)
        other.missing, other.misses, other.seen = None, 0, rest.seen
        other.since = rest.since
        self._rests.remove(rest)
        changes.append(Moved(other, origin, rest.since))
        return True


def _nothing_due(_rest: Rest) -> bool:
    return False


def _begin_again(rest: Rest, tile: TileSighting, t: float) -> None:
    """It lies otherwise than it did: only looks from this one on count."""
    rest.since, rest.looks, rest.whole = t, 1, int(tile.visible >= WHOLE)
    rest.clear = int(rest.covered < t and rest.whole)
