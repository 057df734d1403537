"""``paiguan hub``: a hub with its hall console, metrics and health page."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI

from table_controller.console.access import Access, Role, kept_tokens
from table_controller.console.gate import Rate
from table_controller.console.listening import ConsoleServer
from table_controller.venue.hall.app import add_ops, build_hall
from table_controller.venue.hall.desk import HallDesk
from table_controller.venue.hall.feed import HallFeed
from table_controller.venue.hall.state import HallHub
from table_controller.venue.hub.config import HubConfig
from table_controller.venue.hub.hub import Hub

logger = logging.getLogger(__name__)


class RunningHub:
    """A hub with everything it serves.

    Args:
        config: checked.
    """

    def __init__(self, config: HubConfig) -> None:
        self.config = config
        self.hub = Hub(config)
        self.hall = HallHub()
        self.public = HallHub()
        self.desk = HallDesk(self.hub)
        self.console: ConsoleServer | None = None
        self.ops: ConsoleServer | None = None
        self.tokens: dict[Role, str] = {}

    async def run(self, ready: Callable[[RunningHub], None] = lambda _: None) -> None:
        """Until cancelled.

        Args:
            ready: called once all is served.

        Raises:
            VenueError, OSError: what cannot be reached or had, in one line.
        """
        await self.hub.open()
        section = self.config.console
        feed = HallFeed(self.hub, self.hall, self.public, section.viewer_delay_s)
        try:
            if section.enabled:
                self.console = self._console(asyncio.get_running_loop())
                self.console.start()
            self.ops = self._ops()
            self.ops.start()
            tasks = [asyncio.ensure_future(self.hub.run())]
            if section.enabled:
                tasks.append(asyncio.ensure_future(feed.run()))
            try:
                ready(self)
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            for server in (self.console, self.ops):
                if server is not None:
                    await asyncio.to_thread(server.stop)

    def _console(self, loop: asyncio.AbstractEventLoop) -> ConsoleServer:
        section = self.config.console
        given: dict[str, str] = {str(role): token for role, token in section.tokens.items()}
        if section.token is not None:
            given["referee"] = section.token
        self.tokens = kept_tokens(self.config.state / "hall-tokens.json", given)
        tls = None
        if section.tls_cert is not None and section.tls_key is not None:
            tls = (section.tls_cert, section.tls_key)

        def audit(event: dict[str, Any]) -> None:
            asyncio.run_coroutine_threadsafe(self.desk.audit(event), loop)

        access = Access(
            self.tokens, hours=section.session_hours, secure=tls is not None, audit=audit
        )
        app = build_hall(self.hub, self.hall, self.public, access, self.desk, loop, Rate())
        return ConsoleServer(app, section.host, section.port, self.tokens[Role.REFEREE], tls)

    def _ops(self) -> ConsoleServer:
        app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        add_ops(app, self.hub)
        return ConsoleServer(app, self.config.ops.host, self.config.ops.port, "")


def quiet_logs(level: int = logging.INFO) -> None:
    """Logs on standard error, without the libraries' own chatter."""
    logging.basicConfig(
        level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr
    )
    for name in ("asyncio", "nats"):
        logging.getLogger(name).setLevel(logging.ERROR)


def run_hub(config: HubConfig) -> int:
    """Serve until Ctrl-C or a termination signal; the exit code."""
    quiet_logs()

    def served(running: RunningHub) -> None:
        if running.console is not None:
            sys.stdout.write(f"hall console: {running.console.url}\n")
            for role in (Role.ORGANISER, Role.DESK, Role.TECHNICIAN, Role.VIEWER):
                sys.stdout.write(
                    f"  {role.value}: {running.console.base}?token={running.tokens[role]}\n"
                )
        if running.ops is not None:
            sys.stdout.write(f"metrics and health: {running.ops.base}metrics\n")
        sys.stdout.flush()

    async def main() -> None:
        task = asyncio.ensure_future(RunningHub(config).run(served))
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(main())
    return 0
