"""The director: a whole session of the virtual table, for any time it is asked about.

``Director(scenario)`` plays all hands at once, in no time; afterwards it answers, purely:
what the scene is at ``t`` (for the renderer), what the machine's sensors feel between two times,
and what truly happened between two times. The same scenario gives the same answers.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from hardware.virtual_table.play.choreography import Choreography
from hardware.virtual_table.play.games import GAMES
from hardware.virtual_table.play.layout import SIDES, Layout
from hardware.virtual_table.play.not_played import (
    NotPlayed,
    infractions_not_played,
    wishes_not_played,
)
from hardware.virtual_table.play.players import HandPlay, new_table
from hardware.virtual_table.play.riichi.fate import full_deck
from hardware.virtual_table.play.riichi.match import Match, Outcome
from hardware.virtual_table.play.riichi.model import RiichiModel
from hardware.virtual_table.play.riichi.play import RiichiPlay
from hardware.virtual_table.play.scenario import Scenario
from hardware.virtual_table.play.stage import Infraction, MachineInput, Stage
from hardware.virtual_table.play.steps import Step
from hardware.virtual_table.play.table_state import WINDS, TableModel, seat_after
from hardware.virtual_table.scene import Scene
from table_controller.domain.happenings import Happening, Seat
from table_controller.domain.tiles import FLOWERS, KINDS, Tile

_T = TypeVar("_T")


def tile_set(ruleset: str) -> tuple[Tile, ...]:
    """The faces of the physical tiles, by key from 0."""
    game = GAMES[ruleset]
    if game.family == "mcr":
        return tuple(kind for kind in KINDS for _ in range(4)) + FLOWERS
    deck = full_deck(random.Random(0), game)
    return tuple(face for face in Tile for _ in range(deck.free[face]))


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One hand: its script, its table at the end, its stage, what of it did not come about."""

    number: int
    starts: float
    ends: float
    script: tuple[Step, ...]
    table: TableModel
    stage: Stage
    play: HandPlay
    not_played: tuple[NotPlayed, ...] = ()

    @property
    def outcome(self) -> Outcome | None:
        """How it ends as its players settle it (riichi)."""
        return self.play.outcome if isinstance(self.play, RiichiPlay) else None


class Director:
    """Plays a scenario. All times in seconds from the start of the session."""

    def __init__(self, scenario: Scenario, layout: Layout | None = None) -> None:
        self.scenario = scenario
        self.game = GAMES[scenario.ruleset]
        self.layout = layout or Layout.named(self.game.geometry)
        self.match = Match.first(self.game, scenario.east)
        self.hands: list[PlayedHand] = []
        t = 0.0
        for number in range(1, scenario.hands + 1):
            hand = self._play(number, t)
            self.hands.append(hand)
            t = hand.ends
        self.duration = t
        self._starts = [hand.starts for hand in self.hands]
        self._truth: list[Happening] = self._sorted(lambda stage: stage.truth, lambda each: each.t)
        self._infractions = self._sorted(lambda stage: stage.infractions, lambda each: each.t)
        self._inputs = self._sorted(lambda stage: stage.inputs, lambda each: each.t)

    def _sorted(self, of: Callable[[Stage], list[_T]], time: Callable[[_T], float]) -> list[_T]:
        # Sorting is stable: what one step told at the same time stays in its order.
        return sorted((each for hand in self.hands for each in of(hand.stage)), key=time)

    def _play(self, number: int, t0: float) -> PlayedHand:
        scenario, match = self.scenario, self.match
        riichi = self.game.family == "riichi"
        dealer = match.dealer if riichi else seat_after(scenario.east, number - 1)
        seed = scenario.seed * 1009 + number
        play = self._riichi_hand(number, seed) if riichi else self._hand(number, seed, dealer)
        play.run()
        table = play.table
        stage = Stage(self.layout, t0)
        stage.previous = self.hands[-1].stage if self.hands else None
        seats = self.game.order(scenario.east)
        acting = Choreography(
            stage,
            self.layout,
            table.faces,
            random.Random(seed + 2),
            scenario.pace,
            dealer,
            tuple(side for side in SIDES if side in seats),
        )
        acting.perform(table.steps)
        self._number_tiles(stage, table, play.changed)
        if isinstance(play, RiichiPlay):
            self.match = match.then(play.outcome)
        script = tuple(table.steps)
        missing = self._not_played(number, play, script, [each.id for each in stage.infractions])
        return PlayedHand(number, t0, stage.end, script, table, stage, play, missing)

    def _not_played(
        self, number: int, play: HandPlay, script: tuple[Step, ...], told: list[str]
    ) -> tuple[NotPlayed, ...]:
        reason = None
        if isinstance(play, RiichiPlay) and play.outcome is not None:
            reason = play.outcome.reason
        wishes = wishes_not_played(self.scenario.wish(number), play.plan, script, reason)
        wanted = [each.id for each in play.incidents.wanted]
        return (
            *(NotPlayed(number, each, True) for each in infractions_not_played(wanted, told)),
            *(NotPlayed(number, each) for each in wishes),
        )

    def _hand(self, number: int, seed: int, dealer: Seat) -> HandPlay:
        scenario = self.scenario
        table, rng = new_table(seed, dealer, "mcr", self.layout.stacks_per_side)
        incidents = scenario.incidents(number, random.Random(seed + 1))
        return HandPlay(
            table,
            incidents.adapt(scenario.wish(number)),
            incidents,
            rng,
            round_wind=WINDS[(number - 1) // 4 % 4],
            hand=number,
            ruleset=scenario.ruleset,
        )

    def _riichi_hand(self, number: int, seed: int) -> RiichiPlay:
        scenario, game, match = self.scenario, self.game, self.match
        rng = random.Random(seed)
        table = RiichiModel(
            self.layout.stacks_per_side,
            rng,
            full_deck(rng, game),
            match.dealer,
            pool_columns=self.layout.pool_columns,
            pool_rows=self.layout.pool_rows,
            order=match.order,
            dead_size=game.dead_wall,
            replacements=game.replacements,
        )
        incidents = scenario.incidents(number, random.Random(seed + 1))
        return RiichiPlay(table, incidents.adapt(scenario.wish(number)), incidents, rng, match)

    def _number_tiles(
        self, stage: Stage, table: TableModel, changed: list[tuple[Tile, Tile]]
    ) -> None:
        """Which physical tile stood where: any with the right face."""
        keys: dict[Tile, list[int]] = {}
        for key, face in enumerate(tile_set(self.scenario.ruleset)):
            keys.setdefault(face, []).append(key)
        for was, now in changed:
            keys.setdefault(now, []).append(keys[was].pop())
        for token in sorted(table.faces):
            face = table.faces[token]
            # A tile that somebody brought along is beside the set.
            stage.keys[token] = keys[face].pop() if keys[face] else 2 * len(stage.keys) + token
            stage.faces[token] = face.value
            stage.face_of[stage.keys[token]] = face.value

    def _hand_at(self, t: float) -> PlayedHand:
        return self.hands[max(0, bisect_right(self._starts, t) - 1)]

    def scene(self, t: float) -> Scene:
        """The physical scene at ``t``."""
        return self._hand_at(t).stage.scene(t)

    def places(self, t: float) -> dict[int, str]:
        """Where each tile key belongs at ``t``."""
        return self._hand_at(t).stage.places(t)

    def truth(self, t0: float = -1.0, t1: float | None = None) -> list[Happening]:
        """What happened after ``t0`` up to and including ``t1``."""
        return _between(self._truth, t0, t1, lambda each: each.t)

    def infractions(self, t0: float = -1.0, t1: float | None = None) -> list[Infraction]:
        """The injected infractions after ``t0`` up to and including ``t1``."""
        return _between(self._infractions, t0, t1, lambda each: each.t)

    def not_played(self) -> list[NotPlayed]:
        """What was wanted of the hands and found no occasion."""
        return [each for hand in self.hands for each in hand.not_played]

    def machine_inputs(self, t0: float = -1.0, t1: float | None = None) -> list[MachineInput]:
        """What the machine's sensors felt after ``t0`` up to and including ``t1``."""
        return _between(self._inputs, t0, t1, lambda each: each.t)


def _between(items: list[_T], t0: float, t1: float | None, time: Callable[[_T], float]) -> list[_T]:
    low = bisect_right(items, t0, key=time)
    return items[low:] if t1 is None else items[low : bisect_right(items, t1, key=time)]


__all__ = ["SIDES", "Director", "PlayedHand", "tile_set"]
