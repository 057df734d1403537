"""Puts looks that are done side by side into the order of their pictures' times."""

from __future__ import annotations

from typing import Final

from vision.apart.looker import Look

_NONE: Final = (float("inf"), 0)


class InTurn:
    """The order in which a recording of the same pictures would be looked at.

    A look is due when no picture that is earlier (of the same time: of an earlier camera) is being
    looked at. What has not come yet is not waited for.
    """

    def __init__(self) -> None:
        self._begun: dict[int, float] = {}
        self._done: list[tuple[float, int, Look]] = []

    def begin(self, camera: int, t: float) -> None:
        """A picture taken at ``t`` (s) by the camera of that number is being looked at now."""
        self._begun[camera] = t

    def done(self, camera: int, look: Look) -> None:
        """The look at the picture that was begun is done."""
        del self._begun[camera]
        self._done.append((look.frame.t, camera, look))
        self._done.sort(key=lambda one: one[:2])

    def next(self) -> tuple[int, Look] | None:
        """The camera and the look that are due now, if any."""
        earliest = min(((t, camera) for camera, t in self._begun.items()), default=_NONE)
        if not self._done or self._done[0][:2] > earliest:
            return None
        _, camera, look = self._done.pop(0)
        return camera, look

    @property
    def empty(self) -> bool:
        """Whether nothing is being looked at or waits."""
        return not self._begun and not self._done
