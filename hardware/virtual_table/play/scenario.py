"""Scenario files: what is to happen at the virtual table.

A scenario is a TOML file; everything in it is optional::

    ruleset = "mcr-1998"        # whose game is played
    seed = 7                    # decides everything that is left open
    hands = 1                   # how many hands
    east = 0                    # the side of the first dealer
    pace = 1.0                  # 2.0: everybody moves twice as fast
    mix = 0                     # so many infractions by chance in each hand
    mix_ids = []                # of these alert ids only (default: all that can be injected)
    stages = false              # true: chance decides how far an infraction goes, too

    [view]                      # how it is filmed, see settings.View
    [degraded]                  # what goes wrong with that, see settings.Degraded

    [[hand]]                    # the first hand, the second, ...; the last one is repeated
    winner = 2                  # the seat that wins
    win = "discard"             # "self", "discard", "rob" (a kong), "several" (riichi: on one
                                # discard) or "none" (the wall runs out)
    from = 1                    # whose discard it is won on
    target = "mixed_straight"   # the kind of hand that wins: fate.MCR_TARGETS, RIICHI_TARGETS
    discards = 28               # how many discards, about, until the win
    claims = 0.25               # how readily the others claim
    kongs = ["exposed"]         # kongs that come about: exposed, concealed, added
    flowers = 2                 # at least so many flowers dealt
    fetch = true                # the winning discard is fetched and laid apart
    fetch_last = [0, 2]         # who claims lays his own tiles first, then fetches the discard
    dice = [[3, 4], [5, 2]]     # both throws (riichi: the first)
    riichi = true               # who can declare riichi does (riichi; default: mostly)
    ready = 1                   # so many others get a ready hand (riichi)
    several = 2                 # so many win on one discard (riichi)
    abort = "four_winds"        # how the hand ends early (riichi), see games.Abort

    [[hand.infraction]]
    id = "premature-draw"       # alert id, see `--list-infractions`
    at = 6                      # as soon after so many discards as it fits
    seat = 1                    # who does it
    stage = "seen"              # what else the id knows, see hardware/virtual_table/play/incidents
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from hardware.virtual_table.play.games import GAMES, Abort
from hardware.virtual_table.play.incidents import UNMIXED, Planned, Wanted, registry_of
from hardware.virtual_table.play.layout import SIDES
from hardware.virtual_table.play.plan import HandWish, WinBy
from hardware.virtual_table.play.possible import (
    BadScenarioError,
    check_mix,
    check_wanted,
    check_wish,
)
from hardware.virtual_table.play.settings import (
    BadSettingError,
    Degraded,
    View,
    degraded_with,
    view_with,
)
from table_controller.domain.happenings import Seat

__all__ = [
    "RULESETS",
    "BadScenarioError",
    "Scenario",
    "demo_scenario",
    "load_scenario",
    "parse_scenario",
]

_S = TypeVar("_S", View, Degraded)

RULESETS: Final = tuple(GAMES)
"""Rulesets that the players know how to play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One session of the virtual table; see the module's text for the values."""

    ruleset: str = "mcr-1998"
    seed: int = 1
    hands: int = 1
    east: Seat = 0
    pace: float = 1.0
    mix: int = 0
    mix_ids: tuple[str, ...] = ()
    stages: bool = False
    view: View = field(default_factory=View)
    degraded: Degraded = field(default_factory=Degraded)
    wishes: tuple[HandWish, ...] = (HandWish(),)
    wanted: tuple[tuple[Wanted, ...], ...] = field(default=((),))

    def wish(self, number: int) -> HandWish:
        """What is wanted of the ``number``-th hand; the last wish goes on."""
        return self.wishes[min(number, len(self.wishes)) - 1]

    def incidents(self, number: int, rng: random.Random) -> Planned:
        """The infractions of that hand: those wanted and those of the mix.

        Raises:
            BadScenarioError: when the ruleset does not have one.
        """
        self.check_infractions()
        wanted = list(self.wanted[min(number, len(self.wanted)) - 1])
        game = GAMES[self.ruleset]
        ids = list(self.mix_ids) or sorted(set(registry_of(game)) - UNMIXED)
        last = max(4, self.wish(number).discards - 6)
        chosen = rng.sample(ids, min(self.mix, len(ids)))
        wanted.extend(Wanted(name, at=rng.randint(1, last)) for name in chosen)
        variety = random.Random(f"variety {self.seed} {number}") if self.stages else None
        return Planned(tuple(wanted), rng, game, variety)

    def check(self, source: str = "scenario") -> None:
        """Nothing is wanted that the ruleset cannot have.

        Raises:
            BadScenarioError: naming the place of what it cannot have, and what it can.
        """
        game = GAMES[self.ruleset]
        for number, wish in enumerate(self.wishes, start=1):
            check_wish(wish, game, game.order(self.east), f"{source}: hand {number}")
        self.check_infractions(source)

    def check_infractions(self, source: str = "scenario") -> None:
        """No infraction is wanted that the ruleset cannot have; see :meth:`check`."""
        game = GAMES[self.ruleset]
        seats = game.order(self.east)
        check_mix(self.mix_ids, game, source)
        for number, wanted in enumerate(self.wanted, start=1):
            for want in wanted:
                check_wanted(want, game, seats, f"{source}: hand {number}: infraction")

    def with_options(self, **options: Any) -> Scenario:
        """The same scenario with what the command line says otherwise (None: as it is)."""
        return replace(
            self, **{name: value for name, value in options.items() if value is not None}
        )


def demo_scenario(ruleset: str | None = None) -> Path:
    """The scenario that is played when none is named: of Chinese rules, or of riichi."""
    riichi = ruleset is not None and GAMES[ruleset].family == "riichi"
    name = "demo-riichi.toml" if riichi else "demo.toml"
    return Path(str(resources.files("hardware.virtual_table") / "data" / name))


def load_scenario(path: str | Path, ruleset: str | None = None) -> Scenario:
    """A scenario file, played by its own ruleset or by another one.

    Raises:
        BadScenarioError: when it is missing, no TOML, or says something unknown, or something
            that the ruleset cannot have.
    """
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadScenarioError(f"{path}: {reason}") from None
    except tomllib.TOMLDecodeError as error:
        raise BadScenarioError(f"{path}: not TOML: {error}") from None
    return parse_scenario(data, str(path), ruleset)


def parse_scenario(
    data: dict[str, Any], source: str = "scenario", ruleset: str | None = None
) -> Scenario:
    """A decoded scenario file, played by its own ruleset or by another one.

    Raises:
        BadScenarioError: when it says something unknown, or something that the ruleset cannot
            have.
    """
    reader = _Reader(data, source)
    hands = reader.take("hand", list, [])
    own = reader.choice("ruleset", RULESETS) or "mcr-1998"
    wishes, wanted = [], []
    for index, each in enumerate(hands, start=1):
        place = f"{source}: hand {index}"
        if not isinstance(each, dict):
            raise BadScenarioError(f"{place}: not a table")
        wishes.append(_wish(_Reader(each, place)))
        wanted.append(tuple(_wanted(item, place) for item in each.get("infraction", [])))
    scenario = Scenario(
        ruleset=ruleset or own,
        seed=reader.take("seed", int, 1),
        hands=reader.at_least("hands", max(1, len(hands)), 1),
        east=reader.seat("east", 0) or 0,
        pace=reader.number("pace", 1.0, 0.1, 10.0),
        mix=reader.at_least("mix", 0, 0),
        mix_ids=tuple(reader.take("mix_ids", list, [])),
        stages=reader.take("stages", bool, False),
        wishes=tuple(wishes) or (HandWish(),),
        wanted=tuple(wanted) or ((),),
        view=reader.settings("view", view_with, View()),
        degraded=reader.settings("degraded", degraded_with, Degraded()),
    )
    reader.finish()
    scenario.check(source)
    return scenario


def _wish(reader: _Reader) -> HandWish:
    reader.take("infraction", list, [])
    win = reader.choice("win", get_args(WinBy))
    dice = reader.take("dice", list, None)
    if dice is not None and not (
        len(dice) in (1, 2)
        and all(isinstance(two, list) and len(two) == 2 for two in dice)
        and all(each in (1, 2, 3, 4, 5, 6) for two in dice for each in two)
    ):
        raise BadScenarioError(f"{reader.source}: dice: expected two throws like [[3, 4], [5, 2]]")
    kongs = tuple(reader.take("kongs", list, []))
    for kong in kongs:
        if kong not in ("exposed", "concealed", "added"):
            raise BadScenarioError(f"{reader.source}: kongs: unknown kind {kong!r}")
    wish = HandWish(
        winner=reader.seat("winner", None),
        win_by=win,
        from_seat=reader.seat("from", None),
        target=reader.take("target", str, None),
        discards=reader.at_least("discards", 28, 6),
        claims=reader.number("claims", 0.25, 0.0, 1.0),
        kongs=kongs,
        flowers=reader.at_least("flowers", 0, 0),
        fetch=reader.take("fetch", bool, None),
        fetch_last=reader.seats("fetch_last"),
        dice=None if dice is None else tuple(tuple(two) for two in dice),
        riichi=reader.take("riichi", bool, None),
        ready=reader.take("ready", int, None),
        several=reader.at_least("several", 2, 2),
        abort=reader.choice("abort", get_args(Abort)),
    )
    reader.finish()
    return wish


def _wanted(item: object, place: str) -> Wanted:
    if not isinstance(item, dict):
        raise BadScenarioError(f"{place}: infraction: not a table")
    reader = _Reader(item, f"{place}: infraction")
    name = reader.take("id", str, "")
    at = reader.at_least("at", 0, 0)
    seat = reader.seat("seat", None)
    return Wanted(name, at, seat, reader.rest())


class _Reader:
    """Takes values out of a table of the file, with errors that name the place."""

    def __init__(self, data: dict[str, Any], source: str) -> None:
        self._data = dict(data)
        self.source = source

    def take(self, name: str, kind: type, default: Any) -> Any:
        value = self._data.pop(name, default)
        wrong = not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)
        if value is not default and wrong:
            raise BadScenarioError(f"{self.source}: {name}: expected {kind.__name__}")
        return value

    def number(self, name: str, default: float, low: float, high: float) -> float:
        value = self._data.pop(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise BadScenarioError(f"{self.source}: {name}: expected a number")
        if not low <= value <= high:
            raise BadScenarioError(f"{self.source}: {name}: expected {low} to {high}")
        return float(value)

    def at_least(self, name: str, default: int, low: int) -> int:
        value: int = self.take(name, int, default)
        if value < low:
            raise BadScenarioError(f"{self.source}: {name}: expected {low} or more")
        return value

    def seat(self, name: str, default: Seat | None) -> Seat | None:
        value: int | None = self.take(name, int, None)
        return default if value is None else self._side(name, value)

    def seats(self, name: str) -> tuple[Seat, ...]:
        return tuple(self._side(name, value) for value in self.take(name, list, []))

    def _side(self, name: str, value: object) -> Seat:
        if isinstance(value, bool) or value not in SIDES:
            raise BadScenarioError(f"{self.source}: {name}: a seat is 0, 1, 2 or 3")
        return SIDES[SIDES.index(value)]

    def choice(self, name: str, known: tuple[str, ...]) -> Any:
        value = self.take(name, str, None)
        if value is not None and value not in known:
            raise BadScenarioError(
                f"{self.source}: {name}: {value!r} is not one of {', '.join(known)}"
            )
        return value

    def settings(self, name: str, change: Callable[[_S, dict[str, Any]], _S], default: _S) -> _S:
        try:
            return change(default, self.take(name, dict, {}))
        except BadSettingError as error:
            raise BadScenarioError(f"{self.source}: {name}: {error}") from None

    def rest(self) -> dict[str, Any]:
        rest, self._data = self._data, {}
        return rest

    def finish(self) -> None:
        if self._data:
            raise BadScenarioError(f"{self.source}: unknown key {next(iter(self._data))!r}")
