"""A team relay: four teams at one table, whose members play one half-game after another.

Source 002, appendix 1. The first members begin with what the ruleset says, every later one with
what the member before left (2); a team below zero ends the relay of its table (3); the last
half-game has rules of its own (4); a team's place is that of its member in the last half-game (5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from table_controller.console.desk import DecisionRefusedError
from table_controller.game.riichi.rules import rules_of
from table_controller.rulesets.loader import load
from table_controller.rulesets.model import Ruleset

if TYPE_CHECKING:
    from table_controller.venue.hall.standings import StoredSession


def is_relay(ruleset: Ruleset) -> bool:
    """Whether the members of teams play one after another."""
    return ruleset.family == "riichi" and rules_of(ruleset).relay


def ruleset_of(name: str, *, last: bool) -> str:
    """The ruleset of a half-game: of the last one it may be another (4)."""
    ruleset = load(name)
    if not last or not is_relay(ruleset):
        return name
    return rules_of(ruleset).relay_last or name


@dataclass(slots=True)
class Relay:
    """What was played at one table.

    Attributes:
        points: of each team now.
        ranked: each team's rank in the last half-game.
        rows: each team's half-games, for people.
        open: the half-game that has not ended.
        bust: a team that fell below what ends the relay.
    """

    points: dict[str, int] = field(default_factory=dict)
    ranked: dict[str, int] = field(default_factory=dict)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    open: str = ""
    bust: str = ""

    def play(self, session: StoredSession, teams: Mapping[str, str]) -> None:
        """Take the next half-game.

        A team's points go on, whether the table began with them or anew; points level in the end
        go by the half-game's first seating (8.1.2).
        """
        named = [teams.get(name, name) for name in session.names]
        start = session.ruleset.tournament.start_points
        for team, began, ended in zip(named, session.start, session.scores, strict=True):
            self.points[team] = self.points.get(team, began) + ended - began
        first = int(session.bodies[0]["dealer"])
        turns = [named[(first + turn) % 4] for turn in range(4)]
        order = sorted(turns, key=lambda team: (-self.points[team], turns.index(team)))
        self.ranked = {team: rank for rank, team in enumerate(order, start=1)}
        for team, rank in self.ranked.items():
            points = self.points[team]
            row = {"session": session.session, "rank": rank, "score": points,
                   "standard": (points - start) / 1000}  # fmt: skip
            self.rows.setdefault(team, []).append(row)
        self.open = "" if session.match.over else session.session
        below = rules_of(session.ruleset).bust_below
        self.bust = next(
            (team for team in order if below is not None and self.points[team] < below), ""
        )


def relays(sessions: Iterable[StoredSession], teams: Mapping[str, str]) -> dict[str, Relay]:
    """What was played so far, by table.

    Args:
        sessions: half-games; those of one table belong together.
        teams: the team of each player.
    """
    found: dict[str, Relay] = {}
    for session in sorted(sessions, key=lambda one: one.round):
        if session.bodies and any(session.names):
            found.setdefault(session.table, Relay()).play(session, teams)
    return found


def relay_lines(
    sessions: Iterable[StoredSession], teams: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The standings of the teams."""
    lines = [
        {"place": rank, "player": team, "standard": one.rows[team][-1]["standard"],
         "score": one.points[team], "sessions": one.rows[team]}
        for one in relays(sessions, teams).values()
        for team, rank in one.ranked.items()
    ]  # fmt: skip
    return sorted(lines, key=lambda line: (line["place"], -line["score"], line["player"]))


def begins_with(
    played: Relay | None, table: str, names: Sequence[str], teams: Mapping[str, str]
) -> tuple[int, ...] | None:
    """What sides 0..3 begin the next half-game with; None: with what the ruleset says.

    Args:
        played: at this table so far.
        table: its name.
        names: who sits at sides 0..3.
        teams: the team of each player.

    Raises:
        DecisionRefusedError: a player without a team, two of one team, a half-game that has not
            ended, a team that did not play here.
    """
    there = [teams.get(name, "") for name in names]
    for name, team in zip(names, there, strict=True):
        if not team or there.count(team) > 1:
            what = "two_of_a_team" if team else "no_team"
            said = f"two players of team {team}" if team else f"player {name} has no team"
            raise DecisionRefusedError(
                f"table {table}: {said}: nothing was ordered",
                code=what, table=table, player=name, team=team,
            )  # fmt: skip
    if played is None:
        return None
    if played.open:
        raise DecisionRefusedError(
            f"table {table}: the half-game {played.open} has not ended: nothing was ordered",
            code="half_game_open", table=table, session=played.open,
        )  # fmt: skip
    strange = next((team for team in there if team not in played.points), None)
    if strange is not None:
        raise DecisionRefusedError(
            f"table {table}: team {strange} did not play the half-game before: nothing was ordered",
            code="other_team", table=table, team=strange,
        )  # fmt: skip
    return tuple(played.points[team] for team in there)


__all__ = ["Relay", "begins_with", "is_relay", "relay_lines", "relays", "ruleset_of"]
