"""What each table of a round is told to begin: seats, ruleset, and in a relay the teams' points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import asyncpg

from table_controller.console.desk import DecisionRefusedError
from table_controller.rulesets.loader import BadRulesetError, load
from table_controller.venue.hall import queries
from table_controller.venue.hall.relay import Relay, begins_with, is_relay, relays, ruleset_of

Body = dict[str, Any]


def check_ruleset(name: str) -> None:
    """Whether there is such a ruleset.

    Raises:
        DecisionRefusedError: there is none.
    """
    try:
        load(name)
    except BadRulesetError as error:
        raise DecisionRefusedError(str(error), code="bad_ruleset", detail=str(error)) from None


async def teams_of(pool: asyncpg.Pool) -> dict[str, str]:
    """The team of each player that has one."""
    rows = await pool.fetch("SELECT name, team FROM player WHERE team <> ''")
    return {row["name"]: row["team"] for row in rows}


async def _ordered_rulesets(pool: asyncpg.Pool) -> dict[str, str]:
    """What tables were told to play from their next session on."""
    rows = await pool.fetch(
        "SELECT DISTINCT ON (table_name) table_name, body->>'ruleset' AS ruleset FROM hall_order "
        "WHERE kind = 'settings' AND state = 'done' ORDER BY table_name, at DESC"
    )
    return {row["table_name"]: row["ruleset"] for row in rows}


async def plans(
    pool: asyncpg.Pool, rounds: Sequence[dict[str, Any]], number: int, ruleset: str
) -> tuple[dict[str, Body], dict[str, str]]:
    """What a round's tables begin; and where a relay is over, by which team.

    Args:
        pool: the database.
        rounds: all of them, with their seats.
        number: of the round that begins.
        ruleset: of the tournament; a round, or an order to a table, may name another.

    Raises:
        DecisionRefusedError: no such ruleset; a half-game of a relay cannot begin.
    """
    held = next(one for one in rounds if one["number"] == number)
    ordered = await _ordered_rulesets(pool)
    last = number == max(one["number"] for one in rounds)
    played: dict[str, Relay] | None = None
    teams: dict[str, str] = {}
    made: dict[str, Body] = {}
    over: dict[str, str] = {}
    for table in sorted(held["seats"]):
        names = held["seats"][table]
        name = held["ruleset"] or ordered.get(table) or ruleset
        check_ruleset(name)
        body: Body = {
            "session": f"r{number}-{table}",
            "round": number,
            "players": names,
            "ruleset": ruleset_of(name, last=last),
        }
        if is_relay(load(name)):
            if played is None:
                teams = await teams_of(pool)
                before = [one for one in await queries.sessions(pool) if one.round < number]
                played = relays(before, teams)
            if table in played and played[table].bust:
                over[table] = played[table].bust
                continue
            scores = begins_with(played.get(table), table, names, teams)
            if scores is not None:
                body["scores"] = list(scores)
        made[table] = body
    return made, over


__all__ = ["check_ruleset", "plans", "teams_of"]
