"""Releases of models from the hall to the tables: offered, fetched, in use, refused, returned.

A release goes to a few tables first. Only when one of them uses it, it may be sent to the others;
the models before it stay at every table, and one order returns to them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from asyncpg import Connection
from nats.aio.client import Client
from nats.errors import Error as BusError
from nats.js.errors import Error as StoreError

from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.venue import names
from table_controller.venue.errors import VenueError
from table_controller.venue.hall.giving import give
from table_controller.venue.messages import OrderKind
from table_controller.venue.models.release import Release

FIRST: Final = 4
"""At so many tables at most a release is tried before one of them uses it."""
_SHOWN: Final = 20_000
_SAID: Final = {
    (OrderKind.MODEL_STAGE, "given"): "offered",
    (OrderKind.MODEL_STAGE, "done"): "fetched",
    (OrderKind.MODEL_USE, "given"): "ordered",
    (OrderKind.MODEL_USE, "waiting"): "waits",
    (OrderKind.MODEL_USE, "done"): "in use",
    (OrderKind.MODEL_BACK, "given"): "recalled",
    (OrderKind.MODEL_BACK, "waiting"): "waits",
    (OrderKind.MODEL_BACK, "done"): "returned",
}


async def put(
    connection: Connection,
    client: Client,
    release: Release,
    contents: dict[str, bytes],
    by: str,
    replicas: int,
) -> bool:
    """Put a release into the object store; false where it lies there already.

    Raises:
        VenueError: another one has this name, or the servers did not take it.
    """
    there = await connection.fetchval(
        "SELECT body FROM model_release WHERE version = $1", release.version
    )
    if there is not None:
        if Release.parse(json.loads(there)) != release:
            raise VenueError(
                f"there is a release {release.version} with other files; nothing was changed"
            )
        return False
    js = client.jetstream(timeout=15)
    try:
        try:
            store = await js.object_store(names.MODEL_BUCKET)
        except StoreError:
            store = await js.create_object_store(names.MODEL_BUCKET, replicas=replicas)
        for name, content in contents.items():
            await store.put(f"{release.version}/{name}", content)
    except (BusError, StoreError, TimeoutError) as error:
        raise VenueError(f"venue: the models were not taken: {error}") from None
    # Only what is whole is listed: nothing else can be offered.
    await connection.execute(
        "INSERT INTO model_release (version, body, by) VALUES ($1, $2::json, $3)",
        release.version, release.model_dump_json(), by,
    )  # fmt: skip
    return True


async def shown(connection: Connection) -> dict[str, Any]:
    """The releases, and how far each table is with which."""
    releases = await connection.fetch(
        "SELECT version, body, by, extract(epoch FROM at)::float8 AS at FROM model_release "
        "ORDER BY model_release.at DESC"
    )
    tables = await connection.fetch(
        "SELECT t.name, s.body->>'models' AS used, s.body->>'models_before' AS before, "
        "s.body->'staged' AS staged FROM hall_table t LEFT JOIN status s ON s.table_name = t.name "
        "WHERE NOT t.retired ORDER BY t.name"
    )
    steps = await _steps(connection)
    return {
        "releases": [
            {
                "version": row["version"],
                "models": json.loads(row["body"])["models"],
                "size": json.loads(row["body"])["size"],
                "by": row["by"],
                "at": row["at"],
            }
            for row in releases
        ],
        "tables": {
            row["name"]: {
                "in_use": row["used"] or "",
                "before": row["before"],
                "staged": json.loads(row["staged"]) if row["staged"] else [],
                "steps": steps.get(row["name"], {}),
            }
            for row in tables
        },
    }


async def _steps(connection: Connection) -> dict[str, dict[str, dict[str, Any]]]:
    """The newest step of each release at each table, by table and release."""
    rows = await connection.fetch(
        "SELECT table_name, kind, body->>'version' AS version, by, at, state, reason, code, facts "
        "FROM hall_order WHERE kind IN ('model_stage', 'model_use', 'model_back') "
        "ORDER BY at DESC LIMIT $1",
        _SHOWN,
    )
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        held = found.setdefault(row["table_name"], {})
        if row["version"] not in held:
            state = _SAID.get((OrderKind(row["kind"]), row["state"]), row["state"])
            if state == "in use" and any(one["state"] == "in use" for one in held.values()):
                state = "replaced"
            held[row["version"]] = {
                "state": state, "reason": row["reason"], "by": row["by"], "at": row["at"],
                "code": row["code"], "facts": json.loads(row["facts"] or "{}"),
            }  # fmt: skip
    return found


async def _release(connection: Connection, version: str) -> Release:
    body = await connection.fetchval("SELECT body FROM model_release WHERE version = $1", version)
    if body is None:
        raise NotThereError(
            f"there is no release {version}: put it there first", code="no_release", version=version
        )
    return Release.parse(json.loads(body))


async def _a_few_first(connection: Connection, version: str, tables: Sequence[str]) -> None:
    """Everywhere at once only what is in use somewhere.

    Raises:
        DecisionRefusedError: it is in use nowhere yet.
    """
    if len(tables) <= FIRST:
        return
    steps = await _steps(connection)
    if not any(held.get(version, {}).get("state") == "in use" for held in steps.values()):
        raise DecisionRefusedError(
            f"{version} is in use nowhere yet: at most {FIRST} tables first; nothing was ordered",
            code="few_first", version=version, n=FIRST,
        )  # fmt: skip


async def offer(connection: Connection, version: str, tables: Sequence[str], by: str) -> list[str]:
    """Order some tables to fetch a release and lay it out; the orders' names.

    Args:
        connection: to the database.
        version: the release.
        tables: none: all that have not fetched it.
        by: who orders it.

    Raises:
        NotThereError: no such release or table.
        DecisionRefusedError: too many tables for a release that nobody uses yet.
    """
    release = await _release(connection, version)
    if not tables:
        there = (await shown(connection))["tables"]
        tables = [name for name, one in there.items() if version not in one["staged"]]
        if not tables:
            raise DecisionRefusedError(
                f"every table has {version}; nothing was ordered", code="all_have", version=version
            )
    await _a_few_first(connection, version, tables)
    return await give(connection, tables, OrderKind.MODEL_STAGE, release.model_dump(), by)


async def use(connection: Connection, version: str, tables: Sequence[str], by: str) -> list[str]:
    """Order some tables to use a release; the orders' names.

    Args:
        connection: to the database.
        version: the release.
        tables: none: all that have fetched it and use another one.
        by: who orders it.

    Raises:
        NotThereError: no such release or table.
        DecisionRefusedError: too many tables for a release that nobody uses yet.
    """
    await _release(connection, version)
    if not tables:
        there = (await shown(connection))["tables"]
        tables = [
            name for name, one in there.items()
            if version in one["staged"] and one["in_use"] != version
        ]  # fmt: skip
        if not tables:
            raise DecisionRefusedError(
                f"no table has fetched {version} and uses another; nothing was ordered",
                code="none_fetched", version=version,
            )  # fmt: skip
    await _a_few_first(connection, version, tables)
    return await give(connection, tables, OrderKind.MODEL_USE, {"version": version}, by)


async def back(connection: Connection, version: str, tables: Sequence[str], by: str) -> list[str]:
    """Order tables to return from a release to what they used before; the orders' names.

    Args:
        connection: to the database.
        version: the release to leave; a table that does not use it stays as it is.
        tables: none: all that use it, or were ordered to.
        by: who orders it.

    Raises:
        NotThereError: no such table.
        DecisionRefusedError: no table uses it.
    """
    if not tables:
        # What a table says of itself comes every few seconds; what it answered is here at once.
        there = (await shown(connection))["tables"]
        tables = [
            name for name, one in there.items()
            if one["in_use"] == version
            or one["steps"].get(version, {}).get("state") in ("in use", "ordered", "waits")
        ]  # fmt: skip
        if not tables:
            raise DecisionRefusedError(
                f"no table uses {version}; nothing was ordered", code="none_uses", version=version
            )
    return await give(connection, tables, OrderKind.MODEL_BACK, {"version": version}, by)
