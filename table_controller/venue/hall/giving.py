"""Giving orders: rows in the database, from which every hub sends; and news for the consoles."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from typing import Any

from asyncpg import Connection, Pool

from table_controller.console.desk import NotThereError
from table_controller.venue.messages import OrderKind

Body = dict[str, Any]


async def give(
    connection: Connection,
    tables: Sequence[str],
    kind: OrderKind,
    body: Body | Sequence[Body],
    by: str,
    ids: Sequence[str] | None = None,
) -> list[str]:
    """Give an order to some tables (each the same, or each its own body); the orders' names.

    Raises:
        NotThereError: there is no such table; nothing was ordered.
    """
    rows = await connection.fetch("SELECT name FROM hall_table WHERE NOT retired")
    known = {row["name"] for row in rows}
    strange = next((table for table in tables if table not in known), None)
    if strange is not None or not tables:
        raise NotThereError(
            f"there is no table {strange}; nothing was ordered", code="no_table", table=strange
        )
    made = list(ids or (secrets.token_hex(16) for _ in tables))
    bodies = [body] * len(tables) if isinstance(body, dict) else list(body)
    async with connection.transaction():
        await connection.executemany(
            "INSERT INTO hall_order (id, table_name, kind, body, by, at) "
            "VALUES ($1, $2, $3, $4::json, $5, $6) ON CONFLICT DO NOTHING",
            [
                (name, table, kind.value, json.dumps(one, ensure_ascii=False), by, time.time())
                for name, table, one in zip(made, tables, bodies, strict=True)
            ],
        )
        news = [{"what": "order", "id": name} for name in made]
        for start in range(0, len(news), 40):
            await notify(connection, *news[start : start + 40])
        await connection.execute("SELECT pg_notify('orders', '')")
    return made


async def notify(database: Connection | Pool, *news: dict[str, Any]) -> None:
    """Tell every hub, and by it the consoles, what is new."""
    await database.execute("SELECT pg_notify('hall', $1)", json.dumps(news))
