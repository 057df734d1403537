"""What an incident is, and when it happens."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, Final

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.games import Family, Game
from hardware.virtual_table.play.incidents.options import Option
from hardware.virtual_table.play.moments import Moment
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.players import HandPlay
from hardware.virtual_table.play.steps import Token
from table_controller.domain.happenings import DrawStage, Seat


class Outcome(Enum):
    """What an incident did when asked."""

    NOT_NOW = auto()
    """It does not fit; it will be asked again."""
    BESIDE = auto()
    """It happened, and what was due goes on."""
    INSTEAD = auto()
    """It happened in place of what was due."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One infraction that a scenario wants.

    ``at`` is the number of discards after which it may happen; ``seat`` who does it (None: any);
    ``options`` what the id knows beside (see each function).
    """

    id: str
    at: int = 0
    seat: Seat | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Occasion:
    """A moment at which something may go wrong, with the dice of chance for it."""

    play: HandPlay
    moment: Moment
    seat: Seat
    token: Token | None
    want: Wanted
    rng: random.Random
    variety: random.Random | None
    """Decides how far incidents go that a scenario leaves open; None: as far as the first variant.

    Another stream of chance: hands that are known by their seed stay what they are.
    """

    def suits(self, seat: Seat) -> bool:
        """Whether the scenario lets this seat do it."""
        return self.want.seat is None or self.want.seat == seat

    def offender(self, *candidates: Seat) -> Seat | None:
        """One of these seats that the scenario lets do it, never the one who is to win."""
        able = [seat for seat in candidates if self.suits(seat) and self.loses(seat)]
        return self.rng.choice(able) if able else None

    def loses(self, seat: Seat) -> bool:
        """Whether this seat may be barred from winning: fate leads it nowhere."""
        return self.play.may_offend(seat)

    def option(self, name: str, default: Any) -> Any:
        """An option of the scenario; a list stands for one of its members."""
        entry = FAMILIES[self.play.game_family][self.want.id]
        assert any(known.name == name for known in entry.options), (self.want.id, name)
        value = self.want.options.get(name, default)
        return self.rng.choice(value) if isinstance(value, (list, tuple)) else value

    def variant(self, name: str, *variants: Any) -> Any:
        """What it is this time: as the scenario has it, else the first variant or any."""
        value = self.option(name, None)
        if value is not None:
            return value
        return variants[0] if self.variety is None else self.variety.choice(variants)

    def fault(
        self,
        seat: Seat | None,
        stage: str | None = None,
        *,
        since: type[do.Step] | None = None,
        discarded: Token | None = None,
        at_once: bool = False,
        counted: bool = False,
        **detail: Any,
    ) -> None:
        """Say that the step just added was the infraction, or made evident one begun before.

        With ``counted`` it is evident when the seat's row has been closed up after it.
        """
        self.play.table.step(
            do.Fault(
                id=self.want.id,
                seat=seat,
                stage=stage,
                since=since,
                discarded=discarded,
                at_once=at_once,
                counted=counted,
                detail=detail,
            )
        )

    def put_back(self, seat: Seat, token: Token, stage: DrawStage, **detail: Any) -> None:
        """A drawn tile goes back: how far it went, which the ruling asks for, is known then.

        Where it was taken into the hand the infraction is the taking; one that was only touched
        stands where it stood.
        """
        if stage == "touched":
            self.fault(seat, stage, **detail)
            return
        if stage == "taken":
            self.fault(seat, stage, **detail)
        self.step(do.PutBack(seat=seat, token=token))
        if stage != "taken":
            self.fault(seat, stage, since=do.Draw, **detail)

    def step(self, step: do.Step) -> None:
        """Add a step to the script."""
        self.play.table.step(step)

    def others(self, *seats: Seat) -> list[Seat]:
        """All seats but these."""
        return [seat for seat in self.play.seats if seat not in seats]

    def may_declare(self, seat: Seat) -> bool:
        """Whether a win there is wrong in itself: another's discard, the player may claim it."""
        play = self.play
        return seat != self.seat and seat not in play.barred and not play.gave_up(seat)


Incident = Callable[[Occasion], Outcome]


def judged_s(occasion: Occasion) -> float:
    """How long a hand lies open until the referee has looked at it and refused it, s."""
    return float(occasion.option("lie", 4.5))


@dataclass(frozen=True, slots=True)
class Entry:
    """An incident as it is registered.

    Attributes:
        moments: when it is asked.
        function: what it does.
        options: what a scenario may say of it beside.
        seated: whether a scenario may say whose seat it is.
    """

    moments: tuple[Moment, ...]
    function: Incident
    options: tuple[Option, ...] = ()
    seated: bool = True

    @property
    def text(self) -> str:
        """What it is, in one sentence or two."""
        return " ".join((self.function.__doc__ or "").split("\n\n")[0].split())

    def options_of(self, game: Game) -> dict[str, Option]:
        """The options that it has in this game, by name."""
        return {option.name: option for option in self.options if option.games(game)}


Registry = dict[str, Entry]
"""Alert id to its incident."""

REGISTRY: Final[Registry] = {}
"""What can go wrong in a hand of the Chinese rules."""

RIICHI: Final[Registry] = {}
"""What can go wrong in a hand of riichi."""

FAMILIES: Final[dict[Family, Registry]] = {"mcr": REGISTRY, "riichi": RIICHI}

BOTH: Final[tuple[Family, ...]] = ("mcr", "riichi")

UNMIXED: Final[set[str]] = set()
"""Ids that only happen where a scenario names them."""

FOUR_SEATS: Final[set[str]] = set()
"""Ids that three players have no occasion for."""


def registry_of(game: Game) -> Registry:
    """What can go wrong in a game of this ruleset."""
    left_out = set(FOUR_SEATS) if game.players != 4 else set()
    if not game.claims_barred:
        left_out.add("claim-while-barred")
    return {name: entry for name, entry in FAMILIES[game.family].items() if name not in left_out}


def incident(
    name: str,
    *moments: Moment,
    games: tuple[Family, ...] = ("mcr",),
    options: tuple[Option, ...] = (),
    seated: bool = True,
    mixed: bool = True,
    four: bool = False,
) -> Callable[[Incident], Incident]:
    """Register a function for an alert id and the moments at which it is asked.

    Args:
        name: the alert id.
        moments: when it is asked.
        games: in which games.
        options: what it reads of the scenario beside.
        seated: whether the scenario may say who does it.
        mixed: whether it may come by chance.
        four: whether it needs four players.
    """

    def register(function: Incident) -> Incident:
        for game in games:
            FAMILIES[game][name] = Entry(moments, function, options, seated)
        if not mixed:
            UNMIXED.add(name)
        if four:
            FOUR_SEATS.add(name)
        return function

    return register


RIICHI_WISHES: Final[dict[str, dict[str, Any]]] = {
    "winning-tile-merged": {"win_by": "self"},
    "concealed-kong-hidden": {"kongs": ("concealed",)},
    "wrong-replacement": {"kongs": ("concealed",)},
    "riichi-noten": {"win_by": "none"},
    "riichi-not-rotated": {"riichi": True},
    "riichi-no-stick": {"riichi": True},
    "riichi-changed-hand": {"riichi": True, "ready": 1},
    "claim-while-barred": {"riichi": True, "ready": 1},
    "indicator-not-turned": {"riichi": True},
}
WISHES: Final[dict[str, dict[str, Any]]] = {
    "concealed-kong-hidden": {"target": "all_pungs"},
    "winning-tile-merged": {"win_by": "self"},
    "win-out-of-priority": {"win_by": "discard"},
}
"""What an id needs of the hand, where the scenario leaves it open."""


class Planned:
    """The incidents of one hand; each happens once, at the first occasion that fits."""

    def __init__(
        self,
        wanted: tuple[Wanted, ...],
        rng: random.Random,
        game: Game | None = None,
        variety: random.Random | None = None,
    ) -> None:
        self.wanted = wanted
        self._waiting = list(wanted)
        self._rng = rng
        self._variety = variety
        riichi = game is not None and game.family == "riichi"
        self._known = RIICHI if riichi else REGISTRY
        self._wishes = RIICHI_WISHES if riichi else WISHES
        self._three = game is not None and game.players == 3

    @property
    def waiting(self) -> tuple[Wanted, ...]:
        """What has not happened (yet)."""
        return tuple(self._waiting)

    def adapt(self, wish: HandWish) -> HandWish:
        """The wish with what the wanted incidents need, where it leaves that open."""
        for want in self._waiting:
            needed = self._wishes.get(want.id, {})
            if all(getattr(wish, name) in (None, (), value) for name, value in needed.items()):
                wish = replace(wish, **needed)
        if self._three and self._waiting and wish.ready is None:
            # Of three one is led to the win: the others are needed for what goes wrong.
            wish = replace(wish, ready=0)
        return wish

    def at(self, moment: Moment, play: HandPlay, seat: Seat, token: Token | None = None) -> bool:
        """Let the first wanted incident that fits happen; see the protocol in `players`."""
        for want in self._waiting:
            entry = self._known[want.id]
            playing = moment in (
                "discard", "discarded", "drawn", "draw", "special", "declare", "stick",
                "replacement",
            )  # fmt: skip
            if moment not in entry.moments or (playing and play.table.discards < want.at):
                continue
            outcome = entry.function(
                Occasion(play, moment, seat, token, want, self._rng, self._variety)
            )
            if outcome is not Outcome.NOT_NOW:
                self._waiting.remove(want)
                return outcome is Outcome.INSTEAD
        return False
