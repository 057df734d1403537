"""The connection to the message bus."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from nats.aio.client import Client
from nats.errors import Error as BusError
from nats.errors import NoServersError

from table_controller.venue import names
from table_controller.venue.access.certificates import client_context
from table_controller.venue.access.nkeys import Credentials
from table_controller.venue.errors import VenueError

logger = logging.getLogger(__name__)

__all__ = ["BusError", "Client", "connect", "load_credentials"]


def load_credentials(path: Path, venue: str, table: str | None = None) -> Credentials:
    """A user's key, made for this venue and (of a table) this table.

    Raises:
        VenueError: it cannot be read, or is another's.
    """
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise VenueError(f"{path}: cannot be read: {error}") from None
    credentials = Credentials.parse(text, str(path))
    tags = credentials.tags
    if tags.get("venue") != venue.lower():
        raise VenueError(f"{path}: made for venue {tags.get('venue')!r}, not {venue!r}")
    # The servers keep tags in small letters.
    if (tags.get("table") or "").lower() != (table or "").lower():
        of = f"table {tags['table']!r}" if tags.get("table") else "a hub"
        raise VenueError(f"{path}: made for {of}, not {f'table {table!r}' if table else 'a hub'}")
    return credentials


async def connect(
    servers: Sequence[str],
    credentials: Credentials,
    authority: Path,
    name: str,
    *,
    patient: bool = True,
    changed: Callable[[bool], Awaitable[None]] | None = None,
) -> Client:
    """Connect and stay connected: what breaks is taken up again, for ever.

    Args:
        servers: ``tls://host:port``; any of them will do.
        credentials: of the user.
        authority: the venue's root certificate.
        name: shown by the servers; also the prefix of the replies' subjects.
        patient: try for ever; else the first failure is raised.
        changed: told of every connect (true) and disconnect (false).

    Raises:
        VenueError: not ``patient``, and no server let us in.
    """
    client = Client()

    async def lost() -> None:
        if client.is_closed:
            return
        logger.info("%s: connection to the venue lost", name)
        if changed is not None:
            await changed(False)

    async def back() -> None:
        logger.info("%s: connected to the venue", name)
        if changed is not None:
            await changed(True)

    async def error(what: Exception) -> None:
        logger.warning("%s: venue: %s", name, str(what) or type(what).__name__)

    try:
        await client.connect(
            servers=list(servers),
            name=name,
            tls=client_context(authority),
            user_jwt_cb=lambda: bytearray(credentials.token.encode()),
            signature_cb=credentials.signature,
            inbox_prefix=names.inbox(name),
            max_reconnect_attempts=-1 if patient else 1,
            reconnect_time_wait=1,
            connect_timeout=4,
            # A server that was cut off says nothing: after a dozen seconds another one is taken.
            ping_interval=4,
            max_outstanding_pings=2,
            # Nothing is held back while the connection is down: the journal holds it.
            pending_size=8 * 1024 * 1024,
            allow_reconnect=patient,
            disconnected_cb=lost,
            reconnected_cb=back,
            error_cb=error,
        )
    except (NoServersError, OSError, BusError) as problem:
        raise VenueError(f"venue: {', '.join(servers)}: {_why(problem)}") from None
    if changed is not None:
        await changed(True)
    return client


def _why(problem: Exception) -> str:
    text = str(problem) or type(problem).__name__
    return "refused: wrong or revoked credentials" if "uthorization" in text else text
