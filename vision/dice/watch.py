"""Dice over time: read where they lie, at rest or moving; the votes of several looks decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.changes.motion import Box, Mask, dilated
from vision.dice.die import DIE_MM, Die
from vision.dice.outline import leans
from vision.dice.search import Changes, DiceSearch
from vision.dice.view import DiceView, cells_of
from vision.geometry import TableGeometry
from vision.image import Image
from vision.sightings import DieSighting

_STILL_MM = 2.5
_STIRRED = 0.25
"""Share of a die's cells that change while it rolls, or while an arm's shadow passes over it."""
_LEAST = 0.2
"""Confidence below which nothing that was found is followed."""
_ROLLS = 0.5
"""Confidence from which what moves is a die and not a hand that looks like one."""


class FoundDie(Protocol):
    """A die in a picture (:class:`vision.dice.finding.FoundDie`)."""

    @property
    def box(self) -> Sequence[float]:
        """x0, y0, x1, y1 in pixels."""
        ...

    @property
    def value(self) -> int | None:
        """Pips of its upper face, None where they cannot be read."""
        ...

    @property
    def confidence(self) -> float:
        """0..1."""
        ...


class DiceFinder(Protocol):
    """Finds and reads dice (:class:`vision.dice.finding.DiceReader`)."""

    def find(self, image: Image, die_px: float | None = None) -> Sequence[FoundDie]:
        """Dice of a picture; ``die_px`` is the edge of a die in pixels."""
        ...


class DiceWatch:
    """Keeps the dice of one camera.

    Args:
        camera: lens and pose.
        geometry: where dice come to rest.
        reader: the model, or None.
    """

    def __init__(
        self, camera: CameraModel, geometry: TableGeometry, reader: DiceFinder | None
    ) -> None:
        self._camera = camera
        self._reader = reader
        self._view = DiceView(camera)
        self._search = DiceSearch(self._view, geometry)
        self.reset()

    def reset(self) -> None:
        """Forget the dice."""
        self._dice: list[Die] = []
        self._search.reset()

    def look(
        self,
        image: Image,
        changed: Mask,
        moving: Mask,
        covered: Mask,
        looked: Mask,
        *,
        level: Image,
        noise: float,
        tiles: Sequence[NDArray[np.float64]] = (),
        whole: bool = False,
        resting: bool = False,
    ) -> tuple[DieSighting, ...]:
        """The dice seen now.

        Args:
            image: the picture.
            changed: cells looked at anew.
            moving: cells that differ from the picture before.
            covered: cells that an arm covers.
            looked: cells of the boxes in which the picture was looked at.
            level: the picture at a quarter of its size with its light evened out.
            noise: difference between two pictures of a still table, 0..255.
            tiles: quads of tiles: what looks like a die on one of them is its face.
            whole: look everywhere, also where no die belongs.
            resting: something came to rest in the boxes; a die may have been put there.
        """
        if self._reader is None:
            return ()
        changes = Changes(changed, moving, covered, looked, whole, resting)
        places = self._search.places(self._dice, changes, level=level, noise=noise)
        before = self._dice
        kept = [die for die in before if not self._view.inside(die, places)]
        hidden = [die for die in before if self._view.under(die, covered)]
        for die in kept:
            # Nothing changed there: what rolled in the last picture lies still now.
            die.moving = False
        seen = list(kept)
        for box in places:
            part = np.ascontiguousarray(image[box.y0 : box.y1, box.x0 : box.x1])
            for found in self._reader.find(part, self._view.die_px):
                die = self._die(found, image, box, moving, before)
                if die.confidence < _LEAST or die.near(seen, DIE_MM / 2):
                    continue
                if not self._view.cut(die, box) and not self._on_tile(die, tiles):
                    seen.append(die)
        self._dice = seen + [die for die in hidden if not die.near(seen, DIE_MM)]
        self._search.learn(self._dice, places, level, noise, dilated(covered | moving, 2))
        rolls = any(
            die.moving
            and die.confidence >= _ROLLS
            and self._search.in_middle(die)
            and not self._view.under(die, covered)
            for die in seen
        )
        self._search.played(rolls=rolls)
        return tuple(die.sighting() for die in seen if not self._view.under(die, covered))

    @property
    def known(self) -> list[Die]:
        """The dice followed now, in mm."""
        return self._dice

    @known.setter
    def known(self, dice: list[Die]) -> None:
        self._dice = dice

    def lies_at(self, px: NDArray[np.float64]) -> bool:
        """Whether a known die lies within its own size of a picture point (2,)."""
        return any(
            float(np.linalg.norm(self._view.point(die) - px)) < self._view.die_px
            for die in self._dice
        )

    def _on_tile(self, die: Die, tiles: Sequence[NDArray[np.float64]]) -> bool:
        x, y = (float(v) for v in self._view.point(die))
        return any(
            cv2.pointPolygonTest(quad.astype(np.float32), (x, y), measureDist=False) >= 0
            for quad in tiles
        )

    def _die(
        self, found: FoundDie, image: Image, place: Box, moving: Mask, before: Sequence[Die]
    ) -> Die:
        lies = np.asarray(found.box, dtype=np.float64) + [place.x0, place.y0] * 2
        x0, y0, x1, y1 = (float(value) for value in lies)
        box = Box(int(x0), int(y0), int(x1) + 1, int(y1) + 1)
        middle = np.array([[(x0 + x1) / 2, (y0 + y1) / 2]])
        x, y = (float(value) for value in self._camera.to_table(middle, DIE_MM / 2)[0])
        stirred = moving[cells_of(box)]
        stayed = next((d for d in before if np.hypot(x - d.x, y - d.y) < _STILL_MM), None)
        # A die spins on the spot before it lies: what turns up other pixels shows no value yet.
        rolls = bool(stirred.size) and float(stirred.mean()) > _STIRRED
        die = Die(x, y, float(found.confidence), rolls)
        if stayed is not None and not stayed.moving and not rolls:
            die.votes, die.looks, die.leans = stayed.votes, stayed.looks + 1, stayed.leans
        if not rolls:
            leans = self._leans(image, (x0, y0, x1, y1), x, y)
            # A hand that comes for it hides the outline first.
            die.leans = die.leans if leans is None else leans
        if found.value is not None and not rolls and not die.leans:
            weight = die.votes.get(found.value, 0.0) + float(found.confidence)
            die.votes[found.value] = weight
        return die

    def _leans(self, image: Image, box: Sequence[float], x: float, y: float) -> bool | None:
        """Whether a die shows two of its faces; where it lies, and aslant from where, is known.

        Its surroundings reach beyond the place that was searched.
        """
        above = self._camera.position
        slant = float(np.hypot(x - above[0], y - above[1]) / (above[2] - DIE_MM))
        return leans(image, box, self._view.die_px, slant)
