"""A database of its own for the tests of the hall's side; skipped where PostgreSQL is missing."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import asyncpg
import pytest

from table_controller.venue.errors import VenueError
from table_controller.venue.hub import schema
from table_controller.venue.servers.local import LocalPostgres, nats_program, postgres_folder
from tests.table_controller.venue.world import World

T = TypeVar("T")


def missing(what: str) -> NoReturn:
    """Skipped, with the reason; in CI nothing may be."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}; in CI nothing may be skipped", pytrace=False)
    pytest.skip(what)


def need(what: Callable[[], object]) -> None:
    """A program that a package brings."""
    try:
        what()
    except VenueError as error:
        missing(f"{error} (see tests/tools.sh)")


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """In memory where there is room: what is measured here is not the disk."""
    memory = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(prefix="venue-", dir=memory if memory.is_dir() else None))
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(folder: Path) -> Iterator[LocalPostgres]:
    need(postgres_folder)
    server = LocalPostgres(folder / "postgres")
    server.start(fsync="off")
    yield server
    server.stop()


@pytest.fixture
def database(postgres: LocalPostgres) -> Callable[[], Any]:
    """Opens an empty database with this program's schema."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[asyncpg.Connection]:
        connection = await asyncpg.connect(postgres.dsn)
        try:
            await connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            await schema.migrate(connection)
            yield connection
        finally:
            await connection.close()

    return opened


def need_servers() -> None:
    """Both packages that a venue's servers come in."""
    need(nats_program)
    need(postgres_folder)


@contextmanager
def a_world(folder: Path) -> Iterator[World]:
    """A venue of its own in a folder, closed afterwards."""
    need_servers()
    with closing(World(folder)) as made:
        yield made


@pytest.fixture(scope="session")
def world(folder: Path) -> Iterator[World]:
    """One venue for all small proofs: what one of them breaks it sets right again."""
    with a_world(folder / "world") as made:
        yield made


def run(work: Awaitable[T]) -> T:
    """A coroutine to its end."""

    async def wrapped() -> T:
        return await work

    return asyncio.run(wrapped())
