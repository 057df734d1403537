"""What the organiser does with the venue's servers: tell them of keys, stage models, back up."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import asyncpg
from nats.errors import Error as BusError
from nats.js.errors import Error as StoreError

from table_controller.venue import bus, names
from table_controller.venue.errors import DATABASE_ERRORS, VenueError
from table_controller.venue.hub import schema
from table_controller.venue.hub.config import HubConfig
from table_controller.venue.keyring import Keyring

_ASK_S: Final = 5.0


def default_servers(ring: Keyring) -> list[str]:
    """The servers of the venue's folder."""
    return [f"tls://{node['host']}:{node['port']}" for node in ring.nodes.values()]


def push(ring: Keyring, servers: Sequence[str] | None = None) -> int:
    """Tell the servers which keys count; how many have answered.

    One that is down now learns it from the others when it is back.

    Raises:
        VenueError: no server can be reached, or none took it.
    """
    found = list(servers or default_servers(ring))
    if not found:
        raise VenueError(f"{ring.folder}: no servers: run `paiguan venue nodes` first")
    return asyncio.run(_push(ring, found))


async def _push(ring: Keyring, servers: list[str]) -> int:
    path = ring.folder / "keys" / "system.creds"
    credentials = bus.load_credentials(path, ring.venue)
    authority = ring.folder / "tls" / "ca.pem"
    client = await bus.connect(servers, credentials, authority, "system", patient=False)
    try:
        inbox = client.new_inbox()
        answers = await client.subscribe(inbox)
        token = ring.account_token().encode()
        await client.publish("$SYS.REQ.CLAIMS.UPDATE", token, reply=inbox)
        taken = 0
        deadline = time.monotonic() + _ASK_S
        while time.monotonic() < deadline and taken < max(1, len(ring.nodes)):
            try:
                answer = await answers.next_msg(timeout=max(0.05, deadline - time.monotonic()))
            except (BusError, TimeoutError):
                break
            body = json.loads(answer.data)
            if "error" in body:
                raise VenueError(f"venue: the keys were not taken: {body['error']}")
            taken += 1
    finally:
        await client.close()
    if not taken:
        raise VenueError("venue: no server answered: the keys were not taken")
    return taken


async def migrate(config: HubConfig) -> int:
    """Bring the database to this program's schema; how many steps were applied."""
    try:
        connection = await asyncpg.connect(config.hub.database, timeout=10)
    except (*DATABASE_ERRORS, ValueError) as error:
        raise VenueError(f"database: {error or type(error).__name__}") from None
    try:
        return await schema.migrate(connection)
    finally:
        await connection.close()


async def stage_models(
    config: HubConfig, folder: Path, version: str, tables: Sequence[str], by: str
) -> list[str]:
    """Put models into the object store and order some tables to lay them out; the orders' names.

    Raises:
        VenueError: no models in the folder, or the venue cannot be reached.
    """
    files = sorted([*folder.glob("*.onnx"), *folder.glob("*.json")])
    if not any(path.suffix == ".onnx" for path in files):
        raise VenueError(f"{folder}: no models in it (*.onnx with *.json)")
    section = config.hub
    client = await bus.connect(
        section.servers, config.credentials, section.ca, "hub-admin", patient=False
    )
    try:
        js = client.jetstream(timeout=15)
        try:
            store = await js.object_store(names.MODEL_BUCKET)
        except StoreError:
            store = await js.create_object_store(names.MODEL_BUCKET, replicas=section.replicas)
        sums: dict[str, str] = {}
        for path in files:
            content = path.read_bytes()
            await store.put(f"{version}/{path.name}", content)
            sums[path.name] = hashlib.sha256(content).hexdigest()
    except (BusError, StoreError, TimeoutError) as error:
        raise VenueError(f"venue: the models were not taken: {error}") from None
    finally:
        await client.close()
    connection = await asyncpg.connect(section.database, timeout=10)
    try:
        await schema.check(connection)
        known = {row["name"] for row in await connection.fetch("SELECT name FROM hall_table")}
        strange = next((table for table in tables if table not in known), None)
        if strange is not None:
            raise VenueError(f"there is no table {strange}; nothing was ordered")
        made = [secrets.token_hex(16) for _ in tables]
        body = json.dumps({"version": version, "files": sums})
        async with connection.transaction():
            await connection.executemany(
                "INSERT INTO hall_order (id, table_name, kind, body, by, at) "
                "VALUES ($1, $2, 'model_stage', $3::json, $4, $5)",
                [
                    (name, table, body, by, time.time())
                    for name, table in zip(made, tables, strict=True)
                ],
            )
            await connection.execute("SELECT pg_notify('orders', '')")
    finally:
        await connection.close()
    return made


# -- backup and restore ----------------------------------------------------------------------


def _database(dsn: str) -> tuple[list[str], dict[str, str]]:
    """Options and environment for PostgreSQL's own programs: no password on a command line."""
    parts = urlsplit(dsn)
    options = ["-h", parts.hostname or "localhost", "-p", str(parts.port or 5432)]
    options += ["-d", parts.path.lstrip("/") or "postgres"]
    if parts.username:
        options += ["-U", unquote(parts.username)]
    environment = dict(os.environ)
    if parts.password:
        environment["PGPASSWORD"] = unquote(parts.password)
    return options, environment


def _run(program: str, arguments: list[str], environment: dict[str, str]) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - PostgreSQL's own programs
            [program, *arguments], env=environment, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise VenueError(f"{program} is missing: apt-get install postgresql-client") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise VenueError(f"{program}: {said[-1] if said else f'ended with {done.returncode}'}")


def backup(config: HubConfig, file: Path) -> None:
    """The whole database in one file; hubs may run meanwhile.

    Raises:
        VenueError: it was not written.
    """
    if file.exists():
        raise VenueError(f"{file}: is there already; nothing was changed")
    options, environment = _database(config.hub.database)
    beside = file.with_name(file.name + ".part")
    try:
        _run("pg_dump", ["-Fc", "-f", str(beside), *options], environment)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


def restore(config: HubConfig, file: Path) -> None:
    """A backup into an empty database. What came since then, the message bus and the tables bring.

    Raises:
        VenueError: the database is not empty, or the backup cannot be read; nothing was changed.
    """
    if not file.is_file():
        raise VenueError(f"{file}: no such backup")
    asyncio.run(_empty(config))
    options, environment = _database(config.hub.database)
    arguments = ["--single-transaction", "--no-owner", "--exit-on-error", *options, str(file)]
    _run("pg_restore", arguments, environment)


async def _empty(config: HubConfig) -> None:
    try:
        connection = await asyncpg.connect(config.hub.database, timeout=10)
    except (*DATABASE_ERRORS, ValueError) as error:
        raise VenueError(f"database: {error or type(error).__name__}") from None
    try:
        there = await connection.fetchval(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        )
    finally:
        await connection.close()
    if there:
        raise VenueError("the database is not empty: create a new one; nothing was changed")


def nodes_of(given: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Servers out of ``name=host[:port]``.

    Raises:
        VenueError: naming the one that cannot be.
    """
    found: dict[str, dict[str, Any]] = {}
    for text in given:
        name, _, place = text.partition("=")
        host, _, port = place.partition(":")
        if not name or not host or (port and not port.isdecimal()):
            raise VenueError(f"server {text!r}: write name=host or name=host:port")
        if name in found:
            raise VenueError(f"server {name!r} is named twice")
        base = int(port or 4222)
        found[name] = {"host": host, "port": base, "cluster_port": base + 2000,
                       "http_port": base + 4000}  # fmt: skip
    return found
