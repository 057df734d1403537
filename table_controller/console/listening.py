"""A server for one of the program's web applications, in a thread of its own."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path

import uvicorn
from fastapi import FastAPI


class ConsoleServer:
    """Runs the application in a thread of its own.

    Args:
        app: the application.
        host: address to listen at.
        port: 0 takes any.
        token: shown in :attr:`url`.
        tls: certificate and key files (PEM), or None for plain HTTP.

    Raises:
        OSError: when the address cannot be had, or the certificate not be read; says which.
    """

    def __init__(
        self,
        app: FastAPI,
        host: str,
        port: int,
        token: str,
        tls: tuple[Path, Path] | None = None,
    ) -> None:
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            log_level="error",
            access_log=False,
            lifespan="off",
            # The feed goes over the local network; deflating it for each client costs more.
            ws_per_message_deflate=False,
            ssl_certfile=tls[0] if tls else None,
            ssl_keyfile=tls[1] if tls else None,
        )
        if tls is not None:
            try:
                config.load()
            except OSError as error:
                raise OSError(f"console: {tls[0]}, {tls[1]}: {error.strerror or error}") from None
        try:
            self._socket = _bind(host, port)
        except OSError as error:
            raise OSError(f"console: {host}:{port}: {error.strerror or error}") from None
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="console", daemon=True
        )
        name = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - shown, not bound
        self.port: int = self._socket.getsockname()[1]
        self.base = f"{'https' if tls else 'http'}://{name}:{self.port}/"
        self.url = f"{self.base}?token={token}"

    def start(self) -> None:
        """Start serving; returns once requests are answered."""
        self._thread.start()
        deadline = time.monotonic() + 10
        while not self._server.started and time.monotonic() < deadline:
            time.sleep(0.01)

    def stop(self) -> None:
        """Stop serving and wait for the thread."""
        self._server.should_exit = True
        self._server.force_exit = True
        if self._thread.is_alive():
            self._thread.join(5)
        self._socket.close()


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(128)
    except OSError:
        bound.close()
        raise
    return bound
