"""The ports of a venue on one machine."""

from __future__ import annotations

import socket

import pytest

from table_controller.venue.servers.local import HOST, own_ports


def _listen(port: int) -> socket.socket:
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((HOST, port))
    server.listen(1)
    return server


def test_a_port_kept_for_a_server_goes_to_nobody_else() -> None:
    port, other = own_ports(2)
    assert port != other
    with socket.socket() as stranger, pytest.raises(OSError, match="in use"):
        stranger.bind((HOST, port))
    for _start in range(2):  # A server that died is started again on its port.
        with _listen(port), socket.create_connection((HOST, port), 5) as client:
            assert client.getpeername()[1] == port
