"""Who has taken an alert or a call: one referee at a time."""

from __future__ import annotations

from typing import Any, Final

from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.domain.happenings import call_key
from table_controller.venue.hall.giving import give, notify
from table_controller.venue.hub.hub import Hub
from table_controller.venue.messages import OrderKind

CLAIM_S: Final = 900.0
"""A claim older than this may be taken over."""


class Claims:
    """The claims of the referees.

    Args:
        hub: of this process.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

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
        await notify(self._hub.pool, {"what": "claim", "chain": chain, "on": what})
        return {"chain": chain, "what": what, "by": by}

    async def release(self, chain: int, what: str, nonce: str) -> dict[str, Any]:
        """Give back what one has claimed."""
        done = await self._hub.pool.execute(
            "DELETE FROM claim WHERE chain = $1 AND what = $2 AND nonce = $3", chain, what, nonce
        )
        if done == "DELETE 0":
            raise DecisionRefusedError("this is not yours to give back", code="not_yours")
        await notify(self._hub.pool, {"what": "claim", "chain": chain, "on": what})
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

    async def mine(self, chain: int, what: str, nonce: str) -> None:
        """Whether this referee has it.

        Raises:
            DecisionRefusedError: nobody has it, or another one.
        """
        row = await self._hub.pool.fetchrow(
            "SELECT by, nonce FROM claim WHERE chain = $1 AND what = $2", chain, what
        )
        if row is None:
            raise DecisionRefusedError("claim it first: one referee at a time", code="claim_first")
        if row["nonce"] != nonce:
            raise DecisionRefusedError(f"{row['by']} has this already", code="taken", by=row["by"])

    async def answer(
        self, chain: int, seq: int, by: str, nonce: str, role: str = ""
    ) -> dict[str, Any]:
        """A call was answered: a referee is at the table, whose page is told so."""
        await self.mine(chain, f"call-{seq}", nonce)
        async with self._hub.pool.acquire() as connection, connection.transaction():
            call = await connection.fetchrow(
                "UPDATE call k SET answered = $3 FROM chain c WHERE k.chain = $1 AND k.seq = $2 "
                "AND c.id = k.chain RETURNING k.t, k.seat, c.table_name, "
                "c.header->>'session' AS session",
                chain, seq, by,
            )  # fmt: skip
            await connection.execute(
                "DELETE FROM claim WHERE chain = $1 AND what = $2", chain, f"call-{seq}"
            )
            key = call_key(call["t"], call["seat"])
            body = {"call": key, "session": call["session"], "role": role}
            await give(connection, [call["table_name"]], OrderKind.ANSWER, body, by)
            await notify(connection, {"what": "call", "chain": chain, "seq": seq})
        return {"answered": by}
