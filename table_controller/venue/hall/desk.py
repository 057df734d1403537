"""What people do in the hall: claim, decide, order, seat. Everything is written down first."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import secrets
import time
from collections.abc import Sequence
from typing import Any, Final

from nats.errors import Error as BusError
from nats.js.errors import Error as StoreError

from table_controller.console.access import Session
from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.console.forms import Decision
from table_controller.rulesets.loader import load
from table_controller.venue import names
from table_controller.venue.errors import VenueError
from table_controller.venue.hall import models, queries, seating, starting
from table_controller.venue.hall.giving import give
from table_controller.venue.hall.relay import is_relay
from table_controller.venue.hall.standings import table_of_standings
from table_controller.venue.hub.hub import Hub
from table_controller.venue.messages import OrderKind, OrderState

logger = logging.getLogger(__name__)

ANSWER_S: Final = 6.0
"""How long a decision waits for the table's answer."""
CLAIM_S: Final = 900.0
"""A claim older than this may be taken over."""
ORDERED_BY_HAND: Final = frozenset(
    {
        OrderKind.PAUSE,
        OrderKind.RESUME,
        OrderKind.SESSION_END,
        OrderKind.SETTINGS,
    }
)
"""What people order directly; the rest follows from rounds, decisions, evidence and releases of
models (:mod:`table_controller.venue.hall.models`)."""


class HallDesk:
    """Takes what people do; runs in the hub's event loop.

    Args:
        hub: of this process.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._pictures: dict[str, bytes] = {}

    async def audit(self, event: dict[str, Any]) -> None:
        """Write down who came in, did something, or was refused."""
        await self._hub.pool.execute(
            "INSERT INTO audit (body) VALUES ($1::json)", json.dumps(event, ensure_ascii=False)
        )

    async def _notify(self, *news: dict[str, Any]) -> None:
        await self._hub.pool.execute("SELECT pg_notify('hall', $1)", json.dumps(news))

    # -- claims -----------------------------------------------------------------------------

    async def claim(self, chain: int, what: str, by: str, nonce: str) -> dict[str, Any]:
        """Take an alert or a call: one referee at a time.

        Raises:
            NotThereError: there is nothing of that name.
            DecisionRefusedError: another referee has it.
        """
        await self._there(chain, what)
        row = await self._hub.pool.fetchrow(
            "INSERT INTO claim (chain, what, by, nonce) VALUES ($1, $2, $3, $4) "
            "ON CONFLICT (chain, what) DO UPDATE SET by = excluded.by, nonce = excluded.nonce, "
            "at = now() WHERE claim.nonce = excluded.nonce "
            "OR claim.at < now() - $5 * interval '1 second' RETURNING by",
            chain, what, by, nonce, CLAIM_S,
        )  # fmt: skip
        if row is None:
            holder = await self._hub.pool.fetchval(
                "SELECT by FROM claim WHERE chain = $1 AND what = $2", chain, what
            )
            raise DecisionRefusedError(f"{holder} has this already", code="taken", by=holder)
        await self._notify({"what": "claim", "chain": chain, "on": what})
        return {"chain": chain, "what": what, "by": by}

    async def release(self, chain: int, what: str, nonce: str) -> dict[str, Any]:
        """Give back what one has claimed."""
        done = await self._hub.pool.execute(
            "DELETE FROM claim WHERE chain = $1 AND what = $2 AND nonce = $3", chain, what, nonce
        )
        if done == "DELETE 0":
            raise DecisionRefusedError("this is not yours to give back", code="not_yours")
        await self._notify({"what": "claim", "chain": chain, "on": what})
        return {"released": True}

    async def _there(self, chain: int, what: str) -> None:
        if what.startswith("call-"):
            found = await self._hub.pool.fetchval(
                "SELECT 1 FROM call WHERE chain = $1 AND seq = $2 AND answered IS NULL",
                chain, int(what[5:]),
            )  # fmt: skip
        else:
            found = await self._hub.pool.fetchval(
                "SELECT 1 FROM alert WHERE chain = $1 AND key = $2", chain, what
            )
        if found is None:
            raise NotThereError(f"there is no {what}")

    async def _mine(self, chain: int, what: str, nonce: str) -> None:
        row = await self._hub.pool.fetchrow(
            "SELECT by, nonce FROM claim WHERE chain = $1 AND what = $2", chain, what
        )
        if row is None:
            raise DecisionRefusedError("claim it first: one referee at a time", code="claim_first")
        if row["nonce"] != nonce:
            raise DecisionRefusedError(f"{row['by']} has this already", code="taken", by=row["by"])

    async def answer(self, chain: int, seq: int, by: str, nonce: str) -> dict[str, Any]:
        """A call was answered: a referee is at the table."""
        await self._mine(chain, f"call-{seq}", nonce)
        await self._hub.pool.execute(
            "UPDATE call SET answered = $3 WHERE chain = $1 AND seq = $2", chain, seq, by
        )
        await self._hub.pool.execute(
            "DELETE FROM claim WHERE chain = $1 AND what = $2", chain, f"call-{seq}"
        )
        await self._notify({"what": "call", "chain": chain, "seq": seq})
        return {"answered": by}

    # -- decisions --------------------------------------------------------------------------

    async def decide(self, chain: int, key: str, form: Decision, who: Session) -> dict[str, Any]:
        """Decide about an alert: the table takes the decision, its answer is the answer.

        The order's name is made of the request's, so that a request that is sent again (a network
        that dropped, a hub that was restarted, somebody who plays it back) is one order.
        """
        rows = await queries.alerts(self._hub.pool, [(chain, key)])
        if not rows:
            raise NotThereError(f"there is no alert {key}")
        row = rows[0]
        order = secrets.token_hex(16)
        if form.request is not None:
            order = hashlib.sha256(f"{chain} {key} {form.request}".encode()).hexdigest()[:32]
            before = await self._hub.pool.fetchrow(
                "SELECT state, reason, body FROM hall_order WHERE id = $1", order
            )
            if before is not None:
                await self.audit({"audit": "decision sent again", "alert": f"{chain}-{key}",
                                  "by": form.by, "role": who.role.value})  # fmt: skip
                if json.loads(before["body"])["form"] != form.model_dump(mode="json"):
                    raise DecisionRefusedError(
                        "this request was used for another decision", code="used"
                    )
                return await self._answered(order)
        await self._mine(chain, key, who.nonce)
        body = {
            "alert": key,
            "session": row["session"],
            "role": who.role.value,
            "form": form.model_dump(mode="json"),
        }
        await self.order([row["table_name"]], OrderKind.DECISION, body, form.by, ids=[order])
        return await self._answered(order)

    async def _answered(self, order: str) -> dict[str, Any]:
        """The table's answer to an order.

        Raises:
            DecisionRefusedError: it refused, or has not answered yet.
        """
        deadline = time.monotonic() + ANSWER_S
        while True:
            row = await self._hub.pool.fetchrow(
                "SELECT state, reason, code, facts, table_name FROM hall_order WHERE id = $1",
                order,
            )
            if row["state"] == OrderState.DONE:
                return {"order": order, "state": "done"}
            if row["state"] == OrderState.REFUSED:
                raise DecisionRefusedError(
                    f"table {row['table_name']}: {row['reason']}",
                    code=row["code"], **json.loads(row["facts"] or "{}"),
                )  # fmt: skip
            if time.monotonic() > deadline:
                return {"order": order, "state": row["state"]}
            await asyncio.sleep(0.05)

    # -- orders -----------------------------------------------------------------------------

    async def order(
        self,
        tables: Sequence[str],
        kind: OrderKind,
        body: dict[str, Any] | Sequence[dict[str, Any]],
        by: str,
        ids: Sequence[str] | None = None,
    ) -> list[str]:
        """Give an order to some tables (each the same, or each its own body); the orders' names.

        Raises:
            NotThereError: there is no such table; nothing was ordered.
        """
        async with self._hub.pool.acquire() as connection:
            return await give(connection, tables, kind, body, by, ids)

    async def by_hand(
        self, tables: Sequence[str], kind: OrderKind, body: dict[str, Any], by: str
    ) -> list[str]:
        """An order that a person gives directly.

        Raises:
            DecisionRefusedError: people do not order that, or the ruleset is not known.
        """
        if kind not in ORDERED_BY_HAND:
            raise DecisionRefusedError(
                f"{kind.value} is not ordered by hand", code="not_by_hand", kind=kind.value
            )
        if kind is OrderKind.SETTINGS:
            starting.check_ruleset(str(body.get("ruleset", "")))
        return await self.order(tables, kind, body, by)

    # -- models -----------------------------------------------------------------------------

    async def models(self) -> dict[str, Any]:
        """The releases of models, and how far each table is with which."""
        async with self._hub.pool.acquire() as connection:
            return await models.shown(connection)

    async def order_models(
        self, step: str, version: str, tables: Sequence[str], by: str
    ) -> list[str]:
        """``offer`` a release to tables, have them ``use`` it, or have them go ``back`` from it.

        Raises:
            NotThereError: no such release or table.
            DecisionRefusedError: what this would be for nobody, or for too many at once.
        """
        order = {"offer": models.offer, "use": models.use, "back": models.back}[step]
        async with self._hub.pool.acquire() as connection:
            return await order(connection, version, tables, by)

    # -- rounds -----------------------------------------------------------------------------

    async def players(self, text: str, source: str) -> int:
        """Import the players; how many there are.

        Raises:
            VenueError: naming the line; nothing was changed.
            DecisionRefusedError: a round has begun.
        """
        found = seating.read_players(text, source)
        async with self._hub.pool.acquire() as connection, connection.transaction():
            await self._begin_with(connection, found)
        await self._notify({"what": "round"})
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
        await self._notify({"what": "round"})
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
        await self._notify({"what": "round"})
        return len(rounds)

    async def start_round(self, number: int, minutes: float | None, by: str) -> list[str]:
        """Order every table of a round to begin its session; the orders' names.

        Raises:
            NotThereError: there is no such round.
            DecisionRefusedError: another one runs, a table's clock is off, or a half-game of a
                relay cannot begin.
        """
        rounds = await queries.rounds(self._hub.pool)
        held = next((one for one in rounds if one["number"] == number), None)
        if held is None or not held["seats"]:
            raise NotThereError(
                f"there is no round {number}, or nobody is seated in it", code="no_round", n=number
            )
        wrong = [
            table for table in held["seats"]
            if (heard := self._hub.heard.get(table)) and "clock" in self._hub.faults(heard)
        ]  # fmt: skip
        if wrong:
            raise DecisionRefusedError(
                f"the clock of table {', '.join(wrong)} is off: set it first",
                code="clock_off", table=", ".join(wrong),
            )  # fmt: skip
        bodies, over = await starting.plans(
            self._hub.pool, rounds, number, self._hub.config.hub.ruleset
        )
        if not bodies:
            raise DecisionRefusedError(
                "the relay is over at every table: nothing was ordered", code="relay_over"
            )
        ends = None if minutes is None else time.time() + 60 * minutes
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
        made = await self.order(list(bodies), OrderKind.SESSION_START, list(bodies.values()), by)
        if ends is not None:
            await self.order(list(bodies), OrderKind.ROUND_CLOCK, {"ends": ends}, by)
        await self._notify({"what": "round"}, *[{"what": "incident"}] * bool(over))
        return made

    async def end_round(self, number: int, by: str) -> list[str]:
        """Order every table of the running round to end its session after the running hand."""
        rows = await self._hub.pool.fetch(
            "SELECT DISTINCT table_name FROM seat JOIN round ON round.number = seat.round "
            "WHERE round.number = $1 AND state = 'running'",
            number,
        )
        if not rows:
            raise NotThereError(
                f"round {number} is not running", code="round_not_running", n=number
            )
        tables = sorted(row["table_name"] for row in rows)
        made = await self.order(tables, OrderKind.SESSION_END, {}, by)
        await self._hub.pool.execute("UPDATE round SET state = 'over' WHERE number = $1", number)
        await self._notify({"what": "round"})
        return made

    async def standings(self, by_team: bool = False) -> list[dict[str, Any]]:
        """The standings as they are now."""
        there = await queries.sessions(self._hub.pool)
        teams = await starting.teams_of(self._hub.pool) if by_team else {}
        ruleset = load(self._hub.config.hub.ruleset)
        return await asyncio.to_thread(table_of_standings, ruleset, there, teams)

    async def choose(self, chain: int, by: str) -> dict[str, Any]:
        """Say which of a forked journal's chains counts: this one, and not its relatives."""
        async with self._hub.pool.acquire() as connection, connection.transaction():
            row = await connection.fetchrow(
                "SELECT id, table_name, coalesce(branch_of, id) AS root FROM chain WHERE id = $1",
                chain,
            )
            if row is None:
                raise NotThereError(f"there is no chain {chain}")
            await connection.execute(
                "UPDATE chain SET counts = (id = $1) WHERE id = $2 OR branch_of = $2",
                chain, row["root"],
            )  # fmt: skip
            await connection.execute(
                "INSERT INTO incident (table_name, kind, text, code, facts) "
                "VALUES ($1, 'fork', $2, 'chain_counts', $3::json)",
                row["table_name"], f"{by} decided: of the forked journal, chain {chain} counts",
                json.dumps({"by": by, "chain": chain}),
            )  # fmt: skip
        await self._notify({"what": "incident"}, {"what": "round"})
        return {"counts": chain}

    # -- evidence ---------------------------------------------------------------------------

    async def picture(self, table: str, chain: str, name: str) -> bytes:
        """A picture or clip of the object store; asked of the table where it is not there yet.

        Raises:
            NotThereError: it is not there (yet).
        """
        label = f"{table}/{chain}/{name}"
        kept = self._pictures.get(label)
        if kept is not None:
            return kept
        try:
            store = await self._hub.client.jetstream(timeout=5).object_store(
                names.evidence_bucket(names.check_table(table))
            )
            found = await store.get(f"{chain}/{name}")
        except (StoreError, BusError, TimeoutError, VenueError):
            raise NotThereError("no such evidence here (yet)") from None
        content = found.data or b""
        if len(self._pictures) > 200:
            self._pictures.pop(next(iter(self._pictures)))
        self._pictures[label] = content
        return content

    async def fetch_evidence(self, chain: int, key: str, by: str) -> list[str]:
        """Ask the table for the pictures of an alert."""
        rows = await queries.alerts(self._hub.pool, [(chain, key)])
        if not rows:
            raise NotThereError(f"there is no alert {key}")
        row = rows[0]
        body = {"alert": key, "chain": row["chain_name"]}
        return await self.order([row["table_name"]], OrderKind.EVIDENCE, body, by)


def _begun(number: int) -> DecisionRefusedError:
    return DecisionRefusedError(
        f"round {number} has begun; nothing was changed", code="round_begun", n=number
    )
