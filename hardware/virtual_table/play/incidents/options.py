"""What a scenario may say of an incident beside its id: the options that it reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hardware.virtual_table.play.games import Game


def _everywhere(_game: Game) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of an incident and the values that it may have.

    Attributes:
        words: the values, where they are words.
        truth: the values are true and false.
        low, high: the ends of the range of numbers; ``but`` none of these.
        whole: whether the numbers are whole.
        games: which games have it.
    """

    name: str
    words: tuple[str, ...] = ()
    truth: bool = False
    low: float = 0.0
    high: float = 0.0
    but: tuple[int, ...] = ()
    whole: bool = False
    games: Callable[[Game], bool] = _everywhere

    def allows(self, value: object) -> bool:
        """Whether the incident knows what to do with this value, or with each of a list."""
        if isinstance(value, list):
            return bool(value) and not any(isinstance(each, list) for each in value) and all(
                self.allows(each) for each in value
            )  # fmt: skip
        if self.words:
            return value in self.words
        if self.truth or isinstance(value, bool):
            return self.truth and isinstance(value, bool)
        number = isinstance(value, int) if self.whole else isinstance(value, (int, float))
        if not number or not isinstance(value, (int, float)):
            return False
        return self.low <= value <= self.high and value not in self.but

    @property
    def values(self) -> str:
        """The values in words, for messages and lists."""
        if self.words:
            return ", ".join(self.words)
        if self.truth:
            return "true, false"
        text = f"{self.low:g} to {self.high:g}"
        return text + "".join(f", not {each}" for each in self.but)


def words(name: str, *values: str, games: Callable[[Game], bool] = _everywhere) -> Option:
    """An option that is one of these words."""
    return Option(name=name, words=values, games=games)


def whole(
    name: str,
    low: int,
    high: int,
    *,
    but: tuple[int, ...] = (),
    games: Callable[[Game], bool] = _everywhere,
) -> Option:
    """An option that is a whole number."""
    return Option(name=name, low=low, high=high, but=but, whole=True, games=games)


def number(name: str, low: float, high: float) -> Option:
    """An option that is a number."""
    return Option(name=name, low=low, high=high)


def truth(name: str) -> Option:
    """An option that is true or false."""
    return Option(name=name, truth=True)


LIE: Final = number("lie", 0.2, 60.0)
"""So long something lies before it is put right, s."""


def chinese(game: Game) -> bool:
    """Whether it is a game of Chinese rules."""
    return game.family == "mcr"


def riichi(game: Game) -> bool:
    """Whether it is a game of riichi."""
    return game.family == "riichi"
