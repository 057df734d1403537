"""Results as a file of a tournament manager: Mahjong Tournament Engine, version 3 of its format.

The program keeps a whole tournament in one JSON file that it opens again. Its form was taken from
the types and the validity check of its published source (docs/decisions/0266): ``info``,
``playerList``, ``games`` and ``meta``; a game has the raw points (over those to return), uma and
penalty of its four participants, East first.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from table_controller.game.riichi.rules import rules_of
from table_controller.record.seating import round_and_table
from table_controller.record.session import SessionRecord
from table_controller.record.standings import StandingsError, results_of

VERSION: Final = 3


def tournament_file(
    title: str, sessions: Sequence[tuple[str, SessionRecord, Sequence[str]]]
) -> bytes:
    """All sessions as one tournament file.

    Args:
        title: of the tournament.
        sessions: name, record, and the players by side 0..3. Sessions named ``round-R-table-T``
            keep their numbers; others follow in the order of their start.

    Raises:
        StandingsError: rules other than riichi for four (the manager knows no other), or sessions
            that do not fill whole rounds.
    """
    if not sessions:
        raise StandingsError("no sessions")
    ruleset = sessions[0][1].ruleset
    if ruleset.family != "riichi" or ruleset.equipment.players != 4:
        raise StandingsError(f"{ruleset.name}: this manager is for riichi with four players")
    people = list(dict.fromkeys(name for _, _, players in sessions for name in players))
    tables = max(1, len(people) // 4)
    games: list[dict[str, Any]] = []
    starts: dict[int, float] = {}
    ordered = sorted(sessions, key=lambda one: (one[1].start, one[0]))
    rules = rules_of(ruleset)
    for number, (name, record, players) in enumerate(ordered):
        round_, table = round_and_table(name) or divmod(number, tables)
        starts[round_] = min(starts.get(round_, record.start), record.start)
        by_player = {result.player: result for result in results_of(record, name, players)}
        seats = [players[(record.east + turn) % 4] for turn in range(4)]
        games.append(
            {
                "round": round_,
                "table": table,
                "finished": bool(record.hands) and all(record.confirmed),
                "participants": [
                    {
                        "playerId": people.index(player),
                        "score": {
                            "raw": by_player[player].score - rules.return_points,
                            "uma": 1000 * rules.placement[by_player[player].rank - 1],
                            "penalty": 0,
                        },
                    }
                    for player in seats
                ],
            }
        )
    rounds = max(starts) + 1
    if set(starts) != set(range(rounds)) or len(games) < rounds * len(people) / 4:
        raise StandingsError(
            f"{len(games)} sessions do not fill {rounds} rounds of {tables} tables"
        )
    games.sort(key=lambda game: (game["round"], game["table"]))
    began = [datetime.fromtimestamp(starts[number], UTC) for number in range(rounds)]
    body = {
        "info": {
            "title": title,
            "roundLength": round(ruleset.session.minutes or 0),
            "rounds": [
                {
                    "scheduledStart": t.strftime("%Y-%m-%dT%H:%M"),
                    "realStart": t.strftime("%Y-%m-%dT%H:%M:%S"),
                }
                for t in began
            ],
            "uma": {
                "automatic": False,
                "amount": [1000 * bonus for bonus in rules.placement],
                "tiebreak": "headbump",
            },
        },
        "playerList": [{"name": name, "substitute": False} for name in people],
        "games": games,
        "meta": {"dataFormatVersion": VERSION},
    }
    return json.dumps(body, ensure_ascii=False, indent=1).encode()
