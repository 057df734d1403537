"""Scenes with times in which nobody looks."""

from __future__ import annotations

from dataclasses import replace

from table_controller.domain.happenings import NotLooked
from tests.table_controller.game.scenes import Scene


class Unwatched(Scene):
    """A scene with times in which nobody looks."""

    def gap(self, seconds: float = 3.0, where: str = "all", seat: int | None = None) -> Unwatched:
        """Nobody looks from now on for so long."""
        since = self.t
        self.say(NotLooked, seconds, where=where, seat=seat)
        self.said[-1] = NotLooked(t=since, where=where, seat=seat, until=self.t)  # type: ignore[arg-type]
        return self

    def cover(self, where: str, seat: int | None = None, wait: float = 0.5) -> NotLooked:
        """From now on nobody sees a part; :meth:`uncover` ends it."""
        self.say(NotLooked, wait, where=where, seat=seat)
        told = self.said[-1]
        assert isinstance(told, NotLooked)
        return told

    def uncover(self, gap: NotLooked, wait: float = 0.5) -> Unwatched:
        """It is looked at again."""
        self.t = round(self.t + wait, 3)
        self.said.append(replace(gap, until=self.t))
        return self

    blinks = False

    def blink(self) -> Unwatched:
        """The moment at which nobody may have looked, if that is asked about."""
        return self.gap() if self.blinks else self

    def unseen(self, turns: int) -> Unwatched:
        """So many turns that nobody sees."""
        told, since = self.said, self.t
        self.said = []
        self.rounds(turns)
        self.said = told
        self.said.append(NotLooked(t=since, where="all", until=self.t))
        return self


def begun() -> Unwatched:
    """Four turns of a hand."""
    scene = Unwatched()
    scene.start().play().rounds(4)
    return scene
