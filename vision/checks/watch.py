"""Looks through a camera only while it shows what its calibration says.

Before each look: is there light, and does the camera still hang where it hung? The rails of the
table are compared, a few patches in every one, with how they looked at calibration or,
where no picture of that was kept, at the start. A knocked camera is looked through again once its
new pose is known; until then, and where it cannot be known, nothing is looked at and that is
said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame, SourceEvent, SourceState
from vision.checks.drift import Drift, DriftCheck, DriftState
from vision.eye.pipeline import Eye, EyeStats
from vision.geometry import TableGeometry
from vision.image import Image
from vision.sightings import Outcome, Sighting

_GLANCE_S, _GLANCED = 1.0, 4
"""How often a few patches are looked for, and every so manieth of them."""
_UNLIKE, _USUAL = 0.12, 0.05
"""Patches so much less alike than usual are looked for at once; how fast the usual follows."""
_AGAIN_S = 0.15
"""While something is wrong all patches are compared this often."""
_AGREE_PX, _AGREE = 0.7, 2
"""A new pose counts when so many measurements in a row agree so closely: it hangs still. How far
each is off where it hung does not tell: a mount that sways is off as far to either side."""
_LOST_LOOKS = 2
"""So many measurements in a row that recognise nothing stop the looking."""
_TRIAL_S = 20.0
"""A first picture of which nothing is recognised so soon showed arms over the rails: another is
taken. One that was kept with the calibration shows none, and stands."""
_ANEW = "nothing is recognised of its first picture: compared with this one from now on"
_SAY_S = 1.0
"""Not looking for longer is said."""
_DARK, _BRIGHT = 22.0, 238.0
_STEP, _STEP_S, _SLOW_S = 1.6, 0.8, 20.0
"""A change of brightness by this factor that stays so long is told; slower ones are daylight."""


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What a camera showed when it was calibrated; ``image`` is (H, W, 3)."""

    camera: CameraModel
    image: Image

    def at(self, size: tuple[int, int]) -> Kept:
        """The same in pictures of another size (of the same shape)."""
        if size == (self.image.shape[1], self.image.shape[0]):
            return self
        image = np.asarray(cv2.resize(self.image, size, interpolation=cv2.INTER_AREA), np.uint8)
        return Kept(self.camera.scaled(size), image)


def how_it_hangs(
    picture: Image, kept: Kept, geometry: TableGeometry, others: Mapping[str, Kept]
) -> tuple[bool, str]:
    """Whether a camera shows what it showed when it was calibrated, and what is found, in words.

    Args:
        picture: (H, W, 3) of it now.
        kept: what was kept with its calibration, in pictures of this size.
        geometry: of the table.
        others: what was kept of the other cameras.
    """
    try:
        check = DriftCheck(kept.camera, geometry, kept.image)
    except ValueError as error:
        return False, str(error)
    drift = check.measure(picture)
    if drift.state is DriftState.STEADY:
        return True, "hangs as it did when it was calibrated"
    upside = check.measure(_turned(picture))
    if drift.state is DriftState.MOVED and not upside.fits_better(drift):
        return True, f"its picture moved by {drift.shift_mm:.1f} mm since its calibration"
    return False, why_astray(picture, check, geometry, others)


def why_astray(
    picture: Image, check: DriftCheck | None, geometry: TableGeometry, others: Mapping[str, Kept]
) -> str:
    """Why nothing is recognised: upside down, swapped with another, or something else.

    A square table's rails upside down look like those that a camera on the other side sees:
    what fits best counts.

    Args:
        picture: (H, W, 3).
        check: what it is compared with.
        geometry: of the table.
        others: what was kept of the other cameras.
    """
    best = Drift(DriftState.UNSURE, 0.0, 0.0, 0.0)
    why = "moved too far, or its view is blocked: clear its view, or calibrate again"
    if check is not None:
        upside = check.measure(_turned(picture))
        if upside.state is not DriftState.UNSURE:
            best = upside
            why = "hangs upside down, or its calibration was made so: turn it, or calibrate"
    size = (picture.shape[1], picture.shape[0])
    for name, kept in others.items():
        width, height = kept.camera.size
        if width * size[1] != height * size[0]:
            continue
        other = kept.at(size)
        try:
            found = DriftCheck(other.camera, geometry, other.image).measure(picture)
        except ValueError:
            continue
        if found.state is not DriftState.UNSURE and not best.fits_better(found):
            best = found
            why = f"shows what camera {name} showed: swap their cables or addresses"
    return why


def _turned(picture: Image) -> Image:
    return np.ascontiguousarray(picture[::-1, ::-1])


class WatchedEye:
    """An eye whose camera is watched.

    Args:
        eye: looks.
        kept: the picture kept with the calibration, if there is one.
        others: those of the other cameras of the table, to tell when two were swapped.
        on_moved: told the corrected camera.
    """

    def __init__(
        self,
        eye: Eye,
        kept: Kept | None = None,
        others: Mapping[str, Kept] | None = None,
        on_moved: Callable[[CameraModel], None] = lambda _: None,
    ) -> None:
        self._eye = eye
        self._name = eye.camera.name
        self._kept = kept
        self._others = dict(others or {})
        self._on_moved = on_moved
        self._check: DriftCheck | None = None
        self._begun = False
        self._glance_at = -np.inf
        self._usual: float | None = None
        self._suspect: list[Drift] = []
        self._lost = 0
        self._trial_until = -np.inf
        self._reason: str | None = None
        self._reason_since = 0.0
        self._said: SourceState | None = None
        self._light: float | None = None
        self._light_t = 0.0
        self._step_since: float | None = None
        self._events: list[SourceEvent] = []

    @property
    def camera(self) -> CameraModel:
        """As it hangs now."""
        return self._eye.camera

    @property
    def geometry(self) -> TableGeometry:
        """The table's."""
        return self._eye.geometry

    @property
    def stats(self) -> EyeStats:
        """What looking has cost."""
        return self._eye.stats

    def told(self) -> list[SourceEvent]:
        """What was noticed since the last call."""
        events, self._events = self._events, []
        return events

    def look(self, frame: Frame) -> Sighting:
        """What the camera sees, or why it is not looked through."""
        if frame.size == self.camera.size:
            reason = self._too_dark(frame) or self._astray(frame)
            if reason is not None:
                self._refuse(frame.t, reason)
                return Sighting(frame.t, frame.camera, Outcome.FAILED, reason=reason[1])
            self._again(frame.t)
        return self._eye.look(frame)

    # -- what is said -------------------------------------------------------------------

    def _tell(self, t: float, state: SourceState, detail: str) -> None:
        self._events.append(SourceEvent(t, self._name, state, detail))

    def _refuse(self, t: float, reason: tuple[SourceState, str]) -> None:
        state, text = reason
        if self._reason is None:
            self._reason_since = t
        self._reason = text
        if self._said is not state and t - self._reason_since >= _SAY_S:
            self._said = state
            self._tell(t, state, text)

    def _again(self, t: float) -> None:
        if self._reason is None:
            return
        if self._said is not None:
            self._tell(t, SourceState.STEADY, "is looked through again")
        self._reason = self._said = None

    # -- light --------------------------------------------------------------------------

    def _too_dark(self, frame: Frame) -> tuple[SourceState, str] | None:
        picture = self._picture(frame)
        sample = picture[4::16, 4::16].max(axis=2)
        low, middle, high = _levels(sample, (0.05, 0.5, 0.95))
        if high < _DARK:
            return SourceState.LIGHT, f"too dark: brightest parts {high:.0f} of 255"
        if low > _BRIGHT:
            return SourceState.LIGHT, f"too bright: darkest parts {low:.0f} of 255"
        self._follow_light(frame.t, middle)
        return None

    def _follow_light(self, t: float, level: float) -> None:
        level = max(level, 1.0)
        if self._light is None:
            self._light, self._light_t = level, t
            return
        factor = max(level / self._light, self._light / level)
        if factor < _STEP:
            share = min(max(t - self._light_t, 0.0) / _SLOW_S, 1.0)
            self._light += share * (level - self._light)
            self._step_since = None
        elif self._step_since is None:
            self._step_since = t
        elif t - self._step_since >= _STEP_S:
            text = f"brightness went from {self._light:.0f} to {level:.0f} of 255 at once"
            self._tell(t, SourceState.EXPOSURE, text)
            self._light, self._step_since = level, None
        self._light_t = t

    # -- place --------------------------------------------------------------------------

    def _picture(self, frame: Frame) -> Image:
        """Half of a large picture says enough."""
        return frame.half if self._eye.halves else frame.image

    def _small(self, camera: CameraModel) -> CameraModel:
        if not self._eye.halves:
            return camera
        return camera.scaled((camera.size[0] // 2, camera.size[1] // 2))

    def _remember(self, t: float, camera: CameraModel, image: Image) -> bool:
        """Compare with this picture from now on; whether it shows enough for that."""
        try:
            self._check = DriftCheck(self._small(camera), self._eye.geometry, image)
        except ValueError as error:
            self._tell(t, SourceState.DRIFT_UNSEEN, str(error).partition(": ")[2] or str(error))
            return False
        return True

    def _astray(self, frame: Frame) -> tuple[SourceState, str] | None:
        picture = self._picture(frame)
        if not self._begun:
            self._begun = True
            self._begin(frame.t, picture)
        check = self._check
        if check is None:
            return None
        doubtful = bool(self._suspect or self._lost)
        unlike = not doubtful and self._unlike(check.alike(picture))
        wait = _AGAIN_S if doubtful else _GLANCE_S
        if frame.t - self._glance_at < wait - 0.02 and not unlike:
            return self._doubt()
        self._glance_at = frame.t
        glanced = not doubtful and not unlike
        if glanced and check.measure(picture, _GLANCED).state is DriftState.STEADY:
            return None
        self._judge(frame.t, self._upright(check, check.measure(picture), picture))
        if self._lost == _LOST_LOOKS:
            if frame.t < self._trial_until and self._remember(frame.t, self.camera, picture):
                self._lost = 0
                self._tell(frame.t, SourceState.DRIFT_UNSEEN, _ANEW)
                return None
            self._explain = why_astray(picture, check, self._eye.geometry, self._others)
        return self._doubt()

    def _unlike(self, alike: float) -> bool:
        if self._usual is None:
            self._usual = alike
        if alike < self._usual - _UNLIKE:
            return True
        self._usual += _USUAL * (alike - self._usual)
        return False

    def _upright(self, check: DriftCheck, drift: Drift, picture: Image) -> Drift:
        """A square table's straight rails fit upside down as well: what fits better counts."""
        if drift.state is not DriftState.MOVED or self._corrected:
            return drift
        upside = check.measure(_turned(picture))
        if not upside.fits_better(drift):
            return drift
        return replace(drift, state=DriftState.UNSURE, camera=None)

    _corrected = False
    _explain = "moved too far, or its view is blocked"

    def _begin(self, t: float, picture: Image) -> None:
        kept = self._kept
        if kept is None or kept.camera.size != self.camera.size:
            self._trial_until = t + _TRIAL_S
            self._remember(t, self.camera, picture)
            return
        now = kept.at((picture.shape[1], picture.shape[0]))
        self._remember(t, kept.camera, now.image)

    def _doubt(self) -> tuple[SourceState, str] | None:
        if self._lost >= _LOST_LOOKS:
            return SourceState.ASTRAY, self._explain
        if self._suspect:
            return SourceState.ASTRAY, "it moves"
        return None

    def _judge(self, t: float, drift: Drift) -> None:
        """Take in a full measurement."""
        match drift.state:
            case DriftState.STEADY:
                self._suspect, self._lost, self._usual = [], 0, None
            case DriftState.UNSURE:
                self._suspect = []
                self._lost += 1
            case DriftState.MOVED:
                self._lost = 0
                near = [one for one in self._suspect if self._apart_px(one, drift) < _AGREE_PX]
                self._suspect = [*near, drift]
                if len(self._suspect) > _AGREE and drift.camera is not None:
                    self._correct(t, drift, drift.camera)

    def _apart_px(self, one: Drift, other: Drift) -> float:
        """How far apart two measurements see the corners of the playing surface."""
        if one.camera is None or other.camera is None:
            return math.inf
        half = self.geometry.surface_mm / 2
        corners = [(x, y, 0.0) for x in (-half, half) for y in (-half, half)]
        apart = one.camera.project(corners) - other.camera.project(corners)
        return float(np.linalg.norm(apart, axis=1).mean())

    def _correct(self, t: float, drift: Drift, found: CameraModel) -> None:
        camera = self.camera.with_pose(found.R, found.t)
        apart = float(np.linalg.norm(_middle(camera) - _middle(self.camera)))
        self._suspect, self._usual, self._corrected = [], None, True
        self._eye.aim(camera)
        self._on_moved(camera)
        if self._check is not None:
            self._check.stand(found)
        text = f"was knocked: its picture moved by {drift.shift_mm:.1f} mm; corrected"
        if apart < 0.3:
            text = "was knocked; corrected"
        self._tell(t, SourceState.MOVED, text)


def _middle(camera: CameraModel) -> np.ndarray:
    return np.asarray(camera.project([[0.0, 0.0, 0.0]])[0] / camera.px_per_mm())


def _levels(sample: NDArray[np.uint8], shares: Sequence[float]) -> list[float]:
    """Values below which these shares of a sample lie; counting is quicker than sorting."""
    below = np.cumsum(np.bincount(sample.ravel(), minlength=256))
    return [float(np.searchsorted(below, share * sample.size)) for share in shares]
