"""What the organiser does with the venue's servers: tell them of keys, stage models, back up."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import asyncpg
from nats.errors import Error as BusError

from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.venue.access import bus
from table_controller.venue.access.keyring import Keyring
from table_controller.venue.errors import DATABASE_ERRORS, VenueError
from table_controller.venue.hall import models
from table_controller.venue.hub import schema
from table_controller.venue.hub.config import HubConfig
from table_controller.venue.models.release import Release

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


async def put_models(config: HubConfig, folder: Path, version: str, by: str) -> Release | None:
    """Put models into the hall's object store; None where this release lies there already.

    Raises:
        VenueError: models that are missing or altered, another release of that name, or a venue
            that cannot be reached; nothing was changed.
    """
    if not folder.is_dir():
        raise VenueError(f"{folder}: no such folder")
    release = Release.of_folder(folder, version)
    contents = {name: (folder / name).read_bytes() for name in release.files}
    section = config.hub
    async with _database_of(config) as connection:
        client = await bus.connect(
            section.servers, config.credentials, section.ca, "hub-admin", patient=False
        )
        try:
            new = await models.put(connection, client, release, contents, by, section.replicas)
        finally:
            await client.close()
    return release if new else None


async def order_models(
    config: HubConfig, step: str, version: str, tables: Sequence[str], by: str
) -> list[str]:
    """``offer`` a release to tables, have them ``use`` it, or go ``back`` from it; the orders.

    Raises:
        VenueError: no such release or table, or too many tables at once; nothing was ordered.
    """
    order = {"offer": models.offer, "use": models.use, "back": models.back}[step]
    async with _database_of(config) as connection:
        try:
            return await order(connection, version, tables, by)
        except (DecisionRefusedError, NotThereError) as error:
            raise VenueError(str(error)) from None


async def shown_models(config: HubConfig) -> dict[str, Any]:
    """The releases, and how far each table is with which."""
    async with _database_of(config) as connection:
        return await models.shown(connection)


@contextlib.asynccontextmanager
async def _database_of(config: HubConfig) -> AsyncIterator[asyncpg.Connection]:
    """A connection to the hub's database, of this program's schema."""
    try:
        connection = await asyncpg.connect(config.hub.database, timeout=10)
    except (*DATABASE_ERRORS, ValueError) as error:
        raise VenueError(f"database: {error or type(error).__name__}") from None
    try:
        await schema.check(connection)
        yield connection
    finally:
        await connection.close()


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
