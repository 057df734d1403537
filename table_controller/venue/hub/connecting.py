"""Connections to the database that notice when it is cut off."""

from __future__ import annotations

import socket
from typing import Final

import asyncpg

_NOTICED: Final = {
    "tcp_keepalives_idle": "4",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
"""By these the database notices within a dozen seconds that this hub's machine is gone. Otherwise a
hub whose cable was pulled would keep its shares for two hours, and nobody could write for them."""


async def connected(dsn: str) -> asyncpg.Connection:
    """A connection that both ends give up soon after the cable was pulled.

    Raises:
        OSError, TimeoutError, asyncpg errors: the database cannot be reached.
    """
    connection = await asyncpg.connect(
        dsn, timeout=10, command_timeout=60, server_settings=_NOTICED
    )
    _notice(connection)
    return connection


def _notice(connection: asyncpg.Connection) -> None:
    """Let the kernel give the connection up soon after the database was cut off.

    A batch may take long on a slow disk; a database that is gone is something else, and only the
    kernel can tell. It does so before the database gives this hub's locks away.
    """
    # The library has no option for it.
    held = connection._transport.get_extra_info("socket")  # noqa: SLF001
    if held.family not in (socket.AF_INET, socket.AF_INET6):
        return  # on this very machine: no cable between
    held.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        (socket.TCP_KEEPIDLE, 3),
        (socket.TCP_KEEPINTVL, 2),
        (socket.TCP_KEEPCNT, 2),
        (socket.TCP_USER_TIMEOUT, 7000),
    ):
        held.setsockopt(socket.IPPROTO_TCP, option, value)
