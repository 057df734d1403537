"""Live standings out of the stored hands, by the ruleset of each session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from table_controller.domain.outputs import HandRecord, WinRecord
from table_controller.domain.tiles import Tile
from table_controller.game.riichi.rules import rules_of
from table_controller.record.standings import Line, Result, results_of, standings
from table_controller.rulesets.loader import load
from table_controller.rulesets.model import Ruleset

if TYPE_CHECKING:
    from table_controller.record.session import SessionRecord


@dataclass(frozen=True)
class StoredSession:
    """A session as the database holds it.

    Attributes:
        header: of the journal.
        bodies: the hands as they were settled last, in order.
    """

    table: str
    header: dict[str, Any]
    bodies: tuple[dict[str, Any], ...]

    @property
    def session(self) -> str:
        """Name of the session."""
        return str(self.header.get("session", ""))

    @property
    def round(self) -> int:
        """Number of the round; 0 outside of the tournament."""
        return int(self.header.get("round", 0))

    @property
    def names(self) -> list[str]:
        """Who sits at sides 0..3."""
        return [str(name) for name in self.header.get("players") or ["", "", "", ""]]

    @property
    def ruleset(self) -> Ruleset:
        """The rules it is played under."""
        return load(str(self.header["ruleset"]))

    @property
    def east(self) -> int:
        """Side of the first dealer."""
        return int(self.header.get("east", 0))

    @property
    def fold(self) -> SimpleNamespace:
        """What the rules made of it is not stored: a match counts as it stands (002, 8.1.1)."""
        return SimpleNamespace(state={})

    @cached_property
    def hands(self) -> Sequence[HandRecord]:
        """The finished hands."""
        return [hand_of(body) for body in self.bodies]


_SCORED = ("fans", "total", "han", "fu", "yakuman", "limit")


def hand_of(body: dict[str, Any]) -> HandRecord:
    """A stored hand as the standings need it."""
    wins = tuple(
        WinRecord(
            winner=win["winner"],
            from_=win.get("from"),
            win_tile=Tile(win["win_tile"]),
            tiles=tuple(Tile(tile) for tile in win.get("tiles", ())),
            melds=tuple(win.get("melds", ())),
            flowers=tuple(Tile(tile) for tile in win.get("flowers", ())),
            score={name: win[name] for name in _SCORED if win.get(name) is not None},
        )
        for win in body.get("wins", ())
    )
    return HandRecord(
        t=body["t"],
        hand=body["hand"],
        round_wind=body["round_wind"],
        dealer=body["dealer"],
        honba=body.get("honba", 0),
        result=body["result"],
        reason=body.get("reason"),
        wins=wins,
        payments=tuple(body["payments"]),
        penalties=tuple(body["penalties"]),
        scores=tuple(body["scores"]),
        confirmed=bool(body.get("confirmed")),
    )


def table_of_standings(
    ruleset: Ruleset, sessions: Iterable[StoredSession], teams: dict[str, str] | None = None
) -> list[dict[str, Any]]:
    """The standings as they are now: players, or (with ``teams``) teams.

    Args:
        ruleset: whose tie-breaks order the whole.
        sessions: of the tournament, finished or not.
        teams: the team of each player; players without one stand for themselves, and the sessions
            of a team's members add up to the team's. In a relay, see :func:`relay`.
    """
    if teams and ruleset.family == "riichi" and rules_of(ruleset).relay:
        return relay(sessions, teams)
    results: list[Result] = []
    for session in sessions:
        if not any(session.names) or (session.ruleset.family == "riichi" and not session.bodies):
            continue
        # Names, rules, hands and first East are all that is asked of a record.
        for result in results_of(cast("SessionRecord", session), session.session):
            player = (teams or {}).get(result.player) or result.player
            results.append(replace(result, player=player))
    return [_line(line) for line in standings(ruleset, results)]


def relay(sessions: Iterable[StoredSession], teams: dict[str, str]) -> list[dict[str, Any]]:
    """Four teams at one table, whose members play one half-game after another (002, appendix 1).

    A team's points go on from member to member (2), whether the table began each half-game with
    them or anew; its place is that of its member in the last half-game that was played (5), and
    points level there go by that half-game's first seating (8.1.2).

    Args:
        sessions: half-games; those of one table belong together.
        teams: the team of each player.
    """
    tables: dict[str, list[StoredSession]] = {}
    for session in sorted(sessions, key=lambda one: one.round):
        if session.bodies and any(session.names):
            tables.setdefault(session.table, []).append(session)
    lines: list[dict[str, Any]] = []
    for played in tables.values():
        points: dict[str, int] = {}
        rows: dict[str, list[dict[str, Any]]] = {}
        ranked: dict[str, int] = {}
        for session in played:
            named = [teams.get(name, name) for name in session.names]
            hands = session.hands
            start = session.ruleset.tournament.start_points
            for seat, team in enumerate(named):
                first = hands[0]
                began = first.scores[seat] - first.payments[seat] - first.penalties[seat]
                points[team] = points.get(team, start) + hands[-1].scores[seat] - began
            turns = [named[(session.east + turn) % 4] for turn in range(4)]
            order = sorted(turns, key=lambda team: (-points[team], turns.index(team)))
            ranked = {team: rank for rank, team in enumerate(order, start=1)}
            for team, rank in ranked.items():
                row = {"session": session.session, "rank": rank, "score": points[team],
                       "standard": (points[team] - start) / 1000}  # fmt: skip
                rows.setdefault(team, []).append(row)
        lines += [
            {"place": rank, "player": team, "standard": rows[team][-1]["standard"],
             "score": points[team], "sessions": rows[team]}
            for team, rank in ranked.items()
        ]  # fmt: skip
    return sorted(lines, key=lambda line: (line["place"], -line["score"], line["player"]))


def _line(line: Line) -> dict[str, Any]:
    return {
        "place": line.place,
        "player": line.player,
        "standard": float(line.standard),
        "score": line.score,
        "sessions": [
            {"session": one.session, "rank": one.rank, "score": one.score,
             "standard": float(one.standard)}
            for one in line.results
        ],
    }  # fmt: skip
