"""What a riichi ruleset declares beside the parts all rulesets have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from table_controller.rulesets.model import Ruleset


class BadRiichiRulesError(ValueError):
    """A ``[riichi]`` table that names what does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RiichiRules:
    """Values of source 002 by clause.

    Attributes:
        replacements: replacement tiles at the end of the dead wall (4.7.2).
        dead_wall: tiles of the dead wall (4.7.1).
        start_points: points of each player (2.2).
        riichi_tiles: tiles that have to be left for riichi (6.5.1).
        riichi_needs_points: riichi only with points for the stick (8.2).
        swap_call: ``set``: nothing that completes a set with the two tiles shown (5.10).
        noten_total: points that change hands at an exhausted wall (6.6).
        nagashi: 流局满贯 is paid (6.7).
        aborts: abortive draws in force (6.8).
        all_win: every declaring seat wins on a discard (6.3.3).
        kong_by_four: a hand of four kongs goes on when one seat made them all (6.8.2).
        orphans_rob_concealed: orphans may rob a concealed kong (6.3.4).
        liable_concealed: concealed kongs count towards the sets that make liable (7.11).
        dealer_stays_tenpai: the dealer stays after an exhausted wall when ready (6.9.1).
        rounds: rounds that are always played.
        extra_round: another round follows while nobody has ``first_place_points`` (8.4).
        first_place_points: what the first has to exceed (8.3).
        reach_or_exceed: whether reaching is enough.
        bust_below: the match ends when somebody falls below (8.2); null: never.
        last_hand_win_ends: 和牌终局 and 听牌终局 (8.5).
        extra_win_ends: the same in the extra round (a platform's rule; 8.3 has one last hand).
        return_points: what is taken off for the real points (8.8.1).
        relay: the members of a team play one after another with its points (002, appendix 1).
        relay_last: the ruleset of the last half-game of a relay, where it is another one.
        placement: bonus by final rank, in thousands (8.8.2).
        warning_ladder: warnings and what each other player receives (9.1.4).
        warning_step: for each further warning beyond the ladder.
    """

    replacements: int = 4
    dead_wall: int = 14
    start_points: int = 25000
    riichi_tiles: int = 4
    riichi_needs_points: bool = True
    swap_call: str = "set"
    noten_total: int = 3000
    nagashi: bool = True
    aborts: tuple[str, ...] = (
        "nine_terminals",
        "four_winds",
        "four_kongs",
        "four_riichi",
        "three_rons",
    )
    all_win: bool = True
    orphans_rob_concealed: bool = True
    liable_concealed: bool = False
    rounds: int = 2
    extra_round: bool = True
    first_place_points: int = 30000
    reach_or_exceed: bool = False
    bust_below: int | None = 0
    last_hand_win_ends: bool = True
    extra_win_ends: bool = False
    return_points: int = 25000
    relay: bool = False
    relay_last: str = ""
    placement: tuple[int, ...] = (15, 5, -5, -15)
    warning_ladder: tuple[tuple[int, int], ...] = (
        (5, 1500),
        (10, 3000),
        (15, 4000),
        (18, 6000),
    )
    warning_step: int = 1000
    warning_last: int = 20


@lru_cache(maxsize=16)
def _parse(name: str, items: tuple[tuple[str, Any], ...]) -> RiichiRules:
    known = {each.name for each in fields(RiichiRules)}
    for key, _ in items:
        if key not in known:
            raise BadRiichiRulesError(f"{name}: riichi.{key}: no such value")
    return RiichiRules(**dict(items))


def _frozen(value: Any) -> Any:
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value


def rules_of(ruleset: Ruleset) -> RiichiRules:
    """The riichi part of a ruleset.

    Raises:
        BadRiichiRulesError: naming what is unknown.
    """
    table: Mapping[str, Any] = ruleset.riichi or {}
    items = tuple(
        (key, None if value == "never" else _frozen(value)) for key, value in table.items()
    )
    return _parse(ruleset.name, items)
