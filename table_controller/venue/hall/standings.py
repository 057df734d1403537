"""Live standings out of the stored hands, by the ruleset of each session."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from table_controller.domain.outputs import HandRecord, WinRecord
from table_controller.domain.tiles import Tile
from table_controller.record.standings import (
    Line,
    Result,
    StandingsError,
    results_of,
    standings,
)
from table_controller.rulesets.loader import load
from table_controller.rulesets.model import Ruleset
from table_controller.venue.hall.matches import Match
from table_controller.venue.hall.relay import is_relay, relay_lines

if TYPE_CHECKING:
    from table_controller.record.session import SessionRecord

logger = logging.getLogger(__name__)

_UNASKED = Match((), over=False)


@dataclass(frozen=True)
class StoredSession:
    """A session as the database holds it.

    Attributes:
        header: of the journal.
        bodies: the hands as they were settled last, in order.
        match: how it stands by the rules, where they could be asked.
    """

    table: str
    header: dict[str, Any]
    bodies: tuple[dict[str, Any], ...]
    match: Match = _UNASKED

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
    def start(self) -> tuple[int, ...]:
        """What sides 0..3 began with: as the ruleset says, or as the hall said in a relay."""
        said = self.header.get("scores")
        if said:
            return tuple(said)
        ruleset = self.ruleset
        # Chinese scores count from nothing: what is handed out there are only markers.
        points = ruleset.tournament.start_points if ruleset.family == "riichi" else 0
        four = ruleset.equipment.players == 4
        return tuple(points if name or four else 0 for name in self.names)

    @property
    def scores(self) -> tuple[int, ...]:
        """What sides 0..3 have, after the last finished hand or at the end."""
        if self.match.rows:
            points = {row["seat"]: int(row["points"]) for row in self.match.rows}
            return tuple(points.get(seat, 0) for seat in range(4))
        last = tuple(self.bodies[-1]["scores"]) if self.bodies else self.start
        return tuple(score + late for score, late in zip(last, self.match.late, strict=True))

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
            of a team's members add up to the team's. In a relay, see
            :mod:`table_controller.venue.hall.relay`.
    """
    if teams and is_relay(ruleset):
        return relay_lines(sessions, teams)
    results: list[Result] = []
    for session in sessions:
        if not any(session.names) or (session.ruleset.family == "riichi" and not session.bodies):
            continue
        try:
            # Names, rules, hands, match and first East are all that is asked of a record.
            record = cast("SessionRecord", session)
            found = results_of(record, session.session, unnamed=True)
        except StandingsError as error:
            # The others stand all the same.
            logger.warning("standings without %s: %s", session.table, error)
            continue
        for result in found:
            player = (teams or {}).get(result.player) or result.player
            results.append(replace(result, player=player))
    return [_line(line) for line in standings(ruleset, results)]


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
