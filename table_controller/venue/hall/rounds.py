"""Rounds: who plays, who sits where, when a round begins and ends, and how everybody stands."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from typing import Any

from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.rulesets.loader import load
from table_controller.venue.errors import VenueError
from table_controller.venue.hall import queries, seating, starting
from table_controller.venue.hall.giving import give, notify
from table_controller.venue.hall.relay import is_relay
from table_controller.venue.hall.standings import table_of_standings
from table_controller.venue.hub.hub import Hub
from table_controller.venue.messages import OrderKind


class Rounds:
    """The rounds of a tournament.

    Args:
        hub: of this process.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def players(self, text: str, source: str) -> int:
        """Import the players; how many there are.

        Raises:
            VenueError: naming the line; nothing was changed.
            DecisionRefusedError: a round has begun.
        """
        found = seating.read_players(text, source)
        async with self._hub.pool.acquire() as connection, connection.transaction():
            await self._begin_with(connection, found)
        await notify(self._hub.pool, {"what": "round"})
        return len(found)

    @staticmethod
    async def _not_begun(connection: Any) -> None:
        begun = await connection.fetchval("SELECT min(number) FROM round WHERE state <> 'planned'")
        if begun is not None:
            raise _begun(begun)

    async def _begin_with(self, connection: Any, players: Sequence[seating.Player]) -> None:
        """These play, and nothing is planned yet; refused once a round has begun."""
        await self._not_begun(connection)
        await connection.execute("DELETE FROM round")
        await connection.execute("DELETE FROM player")
        await connection.executemany(
            "INSERT INTO player VALUES ($1, $2, $3)",
            [(one.number, one.name, one.team) for one in players],
        )

    async def draw(self, seed: str, rounds: int, tables: Sequence[str]) -> dict[str, Any]:
        """Draw the numbers and seat all rounds by the rotation.

        Raises:
            VenueError: too few tables, or players that cannot be seated; nothing was changed.
            DecisionRefusedError: a round has begun, or the members of teams play in turn.
        """
        if is_relay(load(self._hub.config.hub.ruleset)):
            raise DecisionRefusedError(
                "in a relay the teams say who plays when: import the seats", code="relay_seats"
            )
        rows = await self._hub.pool.fetch("SELECT number, name, team FROM player ORDER BY number")
        held = [seating.Player(row["number"], row["name"], row["team"]) for row in rows]
        drawn = seating.draw(held, seed)
        turned = seating.rotation(len(drawn), rounds)
        if len(tables) < len(drawn) // 4:
            raise VenueError(
                f"{len(drawn)} players need {len(drawn) // 4} tables, "
                f"there are {len(tables)}; nothing was changed",
                code="too_few_tables", players=len(drawn), need=len(drawn) // 4, n=len(tables),
            )  # fmt: skip
        async with self._hub.pool.acquire() as connection, connection.transaction():
            await self._begin_with(connection, drawn)
            for number in range(1, rounds + 1):
                await connection.execute(
                    "INSERT INTO round (number, source) VALUES ($1, $2)", number, f"drawn: {seed}"
                )
            await connection.executemany(
                "INSERT INTO seat VALUES ($1, $2, $3, $4)",
                [
                    (one.round, tables[one.table - 1], side, player)
                    for one in turned.seats
                    for side, player in enumerate(one.players)
                ],
            )
        await notify(self._hub.pool, {"what": "round"})
        return {"players": len(drawn), "rounds": rounds, "again": turned.again}

    async def seats(self, text: str, source: str) -> int:
        """Import a seating for one round or more; how many rounds.

        Raises:
            VenueError: naming the line; nothing was changed.
            DecisionRefusedError: one of the rounds has begun.
        """
        people = await self._hub.pool.fetch("SELECT number, name FROM player")
        places = await self._hub.pool.fetch("SELECT name FROM hall_table WHERE NOT retired")
        numbers = {row["name"]: row["number"] for row in people}
        ruleset = load(self._hub.config.hub.ruleset)
        teams = await starting.teams_of(self._hub.pool) if is_relay(ruleset) else None
        seats = seating.read_seating(text, source, numbers, [row["name"] for row in places], teams)
        rounds = sorted({seat.round for seat in seats})
        async with self._hub.pool.acquire() as connection, connection.transaction():
            begun = await connection.fetchval(
                "SELECT min(number) FROM round WHERE state <> 'planned' AND number = ANY($1)",
                rounds,
            )
            if begun is not None:
                raise _begun(begun)
            await connection.execute("DELETE FROM round WHERE number = ANY($1)", rounds)
            await connection.executemany(
                "INSERT INTO round (number, source) VALUES ($1, $2)",
                [(number, f"imported: {source}") for number in rounds],
            )
            await connection.executemany(
                "INSERT INTO seat VALUES ($1, $2, $3, $4)",
                [
                    (seat.round, seat.table, side, numbers[name])
                    for seat in seats
                    for side, name in enumerate(seat.names)
                    if name
                ],
            )
        await notify(self._hub.pool, {"what": "round"})
        return len(rounds)

    async def start(
        self, number: int, minutes: float | None, by: str, tables: Sequence[str] = ()
    ) -> list[str]:
        """Order every table of a round to begin its session; the orders' names.

        Args:
            number: of the round.
            minutes: that it has; None: no limit, or the one of the round that runs.
            by: who orders it.
            tables: of a round that runs, those that begin again: their computer was replaced.

        Raises:
            NotThereError: there is no such round, or such a table is not in it.
            DecisionRefusedError: another one runs, a table's clock is off, or a half-game of a
                relay cannot begin.
        """
        rounds = await queries.rounds(self._hub.pool)
        held = next((one for one in rounds if one["number"] == number), None)
        if held is None or not held["seats"]:
            raise NotThereError(
                f"there is no round {number}, or nobody is seated in it", code="no_round", n=number
            )
        if tables and held["state"] != "running":
            raise _not_running(number)
        strange = next((table for table in tables if table not in held["seats"]), None)
        if strange is not None:
            raise NotThereError(
                f"there is no table {strange} in round {number}; nothing was ordered",
                code="no_table", table=strange,
            )  # fmt: skip
        beginning = tables or list(held["seats"])
        wrong = [table for table in beginning if "clock" in self._hub.hearing.faults_of(table)]
        if wrong:
            raise DecisionRefusedError(
                f"the clock of table {', '.join(wrong)} is off: set it first",
                code="clock_off", table=", ".join(wrong),
            )  # fmt: skip
        bodies, over = await starting.plans(
            self._hub.pool, rounds, number, self._hub.config.hub.ruleset
        )
        bodies = {table: body for table, body in bodies.items() if table in beginning}
        over = {table: team for table, team in over.items() if table in beginning}
        if not bodies:
            raise DecisionRefusedError(
                "the relay is over at every table: nothing was ordered", code="relay_over"
            )
        ends = held["ends"] if held["state"] == "running" else None
        if minutes is not None:
            ends = time.time() + 60 * minutes
        async with self._hub.pool.acquire() as connection, connection.transaction():
            running = await connection.fetchval(
                "SELECT number FROM round WHERE state = 'running' AND number <> $1", number
            )
            if running is not None:
                raise DecisionRefusedError(
                    f"round {running} is still running: end it first", code="round_runs", n=running
                )
            await connection.execute(
                "UPDATE round SET state = 'running', ends = $2 WHERE number = $1", number, ends
            )
            for table, team in over.items():
                await connection.execute(
                    "INSERT INTO incident (table_name, kind, text, code, facts) "
                    "VALUES ($1, 'relay', $2, 'bust', $3::json)",
                    table, f"round {number} is not played: team {team} fell below zero",
                    json.dumps({"n": number, "team": team}),
                )  # fmt: skip
            names, plans = list(bodies), list(bodies.values())
            # A round runs with its orders or not at all.
            made = await give(connection, names, OrderKind.SESSION_START, plans, by)
            if ends is not None:
                await give(connection, names, OrderKind.ROUND_CLOCK, {"ends": ends}, by)
        await notify(self._hub.pool, {"what": "round"}, *[{"what": "incident"}] * bool(over))
        return made

    async def end(self, number: int, by: str) -> list[str]:
        """Order every table of the running round to end its session after the running hand."""
        rows = await self._hub.pool.fetch(
            "SELECT DISTINCT table_name FROM seat JOIN round ON round.number = seat.round "
            "WHERE round.number = $1 AND state = 'running'",
            number,
        )
        if not rows:
            raise _not_running(number)
        tables = sorted(row["table_name"] for row in rows)
        async with self._hub.pool.acquire() as connection, connection.transaction():
            made = await give(connection, tables, OrderKind.SESSION_END, {}, by)
            await connection.execute("UPDATE round SET state = 'over' WHERE number = $1", number)
        await notify(self._hub.pool, {"what": "round"})
        return made

    async def standings(self, by_team: bool = False) -> list[dict[str, Any]]:
        """The standings as they are now."""
        there = await queries.sessions(self._hub.pool)
        teams = await starting.teams_of(self._hub.pool) if by_team else {}
        ruleset = load(self._hub.config.hub.ruleset)
        return await asyncio.to_thread(table_of_standings, ruleset, there, teams)


def _not_running(number: int) -> NotThereError:
    return NotThereError(f"round {number} is not running", code="round_not_running", n=number)


def _begun(number: int) -> DecisionRefusedError:
    return DecisionRefusedError(
        f"round {number} has begun; nothing was changed", code="round_begun", n=number
    )
