"""What people decide and order in the hall. Everything is written down first."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections.abc import Sequence
from typing import Any, Final

from table_controller.console.access import Session
from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.console.forms import Decision
from table_controller.venue.hall import models, queries, starting
from table_controller.venue.hall.claims import Claims
from table_controller.venue.hall.evidence import Evidence
from table_controller.venue.hall.giving import give, notify
from table_controller.venue.hall.rounds import Rounds
from table_controller.venue.hub.hub import Hub
from table_controller.venue.messages import OrderKind, OrderState

ANSWER_S: Final = 6.0
"""How long a decision waits for the table's answer."""
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

    Attributes:
        claims: who has taken an alert or a call.
        rounds: who plays, and when.
        evidence: pictures of alerts.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.claims = Claims(hub)
        self.rounds = Rounds(hub)
        self.evidence = Evidence(hub)

    async def audit(self, event: dict[str, Any]) -> None:
        """Write down who came in, did something, or was refused."""
        await self._hub.pool.execute(
            "INSERT INTO audit (body) VALUES ($1::json)", json.dumps(event, ensure_ascii=False)
        )

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
        if row["withdrawn"]:
            raise DecisionRefusedError(
                f"{key} no longer stands at the table", code="withdrawn", alert=key
            )
        await self.claims.mine(chain, key, who.nonce)
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

    # -- forked journals --------------------------------------------------------------------

    async def choose(self, chain: int, by: str) -> dict[str, Any]:
        """Say which of a session's journals counts: this one, and not its relatives.

        Those are the branches of a journal that forked, and the journals of another machine that
        began the same session at the same table.
        """
        async with self._hub.pool.acquire() as connection, connection.transaction():
            row = await connection.fetchrow(
                "SELECT c.table_name, r.id AS root, r.header->>'session' AS session "
                "FROM chain c JOIN chain r ON r.id = coalesce(c.branch_of, c.id) WHERE c.id = $1",
                chain,
            )
            if row is None:
                raise NotThereError(f"there is no chain {chain}")
            await connection.execute(
                "UPDATE chain c SET counts = (c.id = $1) FROM chain r "
                "WHERE r.id = coalesce(c.branch_of, c.id) AND c.table_name = $2 "
                "AND (r.id = $3 OR r.header->>'session' = $4)",
                chain, row["table_name"], row["root"], row["session"],
            )  # fmt: skip
            await connection.execute(
                "INSERT INTO incident (table_name, kind, text, code, facts) "
                "VALUES ($1, 'fork', $2, 'chain_counts', $3::json)",
                row["table_name"], f"{by} decided: of its journals, chain {chain} counts",
                json.dumps({"by": by, "chain": chain}),
            )  # fmt: skip
        await notify(self._hub.pool, {"what": "incident"}, {"what": "round"})
        return {"counts": chain}
