"""A whole venue on one machine: servers, database, two hubs, virtual tables, the hall console."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from table_controller.venue.access.keyring import Keyring
from table_controller.venue.errors import VenueError
from table_controller.venue.hub.config import HubConfig
from table_controller.venue.hub.running import quiet_logs
from table_controller.venue.servers import admin
from table_controller.venue.servers.local import LocalNats, LocalPostgres

VENUE: Final = "demo-hall"
_START_S: Final = 60.0
_NAMES: Final = (
    "赵一鸣", "钱雨桐", "孙立", "李思源", "周宁", "吴晓", "郑可", "王若溪", "冯远", "陈默",
    "褚遂", "卫青", "蒋南", "沈冰", "韩雪", "杨帆", "朱砂", "秦川", "尤佳", "许诺", "何洛",
    "吕梁", "施展", "张弛", "孔明", "曹操", "严冬", "华山", "金鑫", "魏来", "陶然", "姜尚",
)  # fmt: skip


def player_names(count: int) -> list[str]:
    """Names for so many players."""
    return [
        name if turn == 0 else f"{name} {turn + 1}"
        for turn in range(count // len(_NAMES) + 1)
        for name in _NAMES
    ][:count]


def table_names(count: int) -> list[str]:
    """``T01``, ``T02``, …."""
    width = max(2, len(str(count)))
    return [f"T{number:0{width}}" for number in range(1, count + 1)]


@dataclass
class LocalHub:
    """A hub as a process of its own."""

    file: Path
    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    log: Path = Path()

    @property
    def base(self) -> str:
        """Address of its hall console."""
        line = next(line for line in self.lines if line.startswith("hall console"))
        return line.split(": ", 1)[1].split("?")[0].strip()

    @property
    def ops(self) -> str:
        """Address of its health page and metrics."""
        line = next(line for line in self.lines if line.startswith("metrics"))
        return line.split(": ", 1)[1].strip().removesuffix("metrics")

    def stop(self, *, kill: bool = False) -> None:
        """End it, or kill it with -9."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class LocalVenue:
    """Everything of a venue but its tables, in a folder; a context manager.

    Args:
        folder: for all of it.
        tables: to enrol.
        hubs: how many.
        nodes: how many message servers.
        port: of the first hub's console.
    """

    def __init__(
        self, folder: Path, tables: list[str], *, hubs: int = 2, nodes: int = 3, port: int = 0
    ) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        keys = folder / "keys"
        self.ring = Keyring.open(keys) if keys.exists() else Keyring.make(keys, VENUE)
        for table in tables:
            if table not in self.ring.tables:
                self.ring.add_table(table)
        self.tables = tables
        self.token = secrets.token_urlsafe(16)
        self.nats, self.postgres = self._servers(nodes)
        self._wanted = hubs
        self._port = port
        self.hubs: list[LocalHub] = []

    def _servers(self, nodes: int) -> tuple[LocalNats, LocalPostgres]:
        """The servers of messages and the database, not started yet."""
        folder = self.folder
        return LocalNats(self.ring, folder / "nats", nodes), LocalPostgres(folder / "postgres")

    def __enter__(self) -> Self:
        try:
            self.nats.start()
            self.postgres.start()
            for number in range(1, self._wanted + 1):
                self.start_hub(number)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all of it."""
        for hub in self.hubs:
            hub.stop()
        self.nats.stop()
        self.postgres.stop()

    def hub_file(self, number: int) -> Path:
        """The configuration of a hub, written."""
        port = self._port if number == 1 else 0
        file = self.folder / f"hub{number}.toml"
        servers = ", ".join(f'"{url}"' for url in self.nats.urls)
        file.write_text(
            f'state = "hub-state"\n\n[hub]\nvenue = "{self.ring.venue}"\nservers = [{servers}]\n'
            'credentials = "keys/hub/hub.creds"\nca = "keys/hub/ca.pem"\n'
            f'database = "{self.postgres.dsn}"\nreplicas = {min(3, len(self.nats.nodes))}\n\n'
            f"[ops]\nport = 0\n\n[console]\nport = {port}\n"
            f'token = "{self.token}"\nviewer_delay_s = 10\n'
        )
        return file

    def config(self) -> HubConfig:
        """As a hub reads it."""
        return HubConfig.load(self.hub_file(99))

    def start_hub(self, number: int) -> LocalHub:
        """Start a hub; returns once it serves."""
        import asyncio

        file = self.hub_file(number)
        asyncio.run(admin.migrate(HubConfig.load(file)))
        log = self.folder / f"hub{number}.log"
        with log.open("a") as errors:
            process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-P", "-m", "table_controller.cli", "hub", str(file)],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        hub = LocalHub(file, process, log=log)
        self.hubs.append(hub)
        threading.Thread(target=_read, args=(hub,), daemon=True).start()
        deadline = time.monotonic() + _START_S
        while not any(line.startswith("metrics") for line in hub.lines):
            if process.poll() is not None or time.monotonic() > deadline:
                said = log.read_text(errors="replace").strip().splitlines()
                raise VenueError(f"the hub did not start: {said[-1] if said else 'no word'}")
            time.sleep(0.05)
        return hub

    def ask(self, path: str, body: dict[str, Any] | None = None, hub: int = 0) -> Any:
        """Ask a hub's console as the referee."""
        request = urllib.request.Request(  # noqa: S310 - our own server
            self.hubs[hub].base.rstrip("/") + path,
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
            },
            data=None if body is None else json.dumps(body).encode(),
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
                return json.load(answer)
        except urllib.error.HTTPError as error:
            said = error.read().decode(errors="replace")
            raise VenueError(f"{path}: the hall answered {error.code}: {said}") from None

    def all_heard(self, names: list[str], seconds: float = _START_S) -> None:
        """Return once the hall has heard these tables.

        Raises:
            VenueError: it has not within that time.
        """
        deadline = time.monotonic() + seconds
        while True:
            there = self.ask("/api/state").get("tables", {})
            heard = sum(not there.get(name, {"silent": True})["silent"] for name in names)
            if heard == len(names):
                return
            if time.monotonic() > deadline:
                raise VenueError(f"only {heard} of {len(names)} tables were heard")
            time.sleep(0.3)

    def begin(self, rounds: int = 3, minutes: float = 90, tables: list[str] | None = None) -> None:
        """Players, a draw, and the first round; of all tables or of these."""
        names = tables or self.tables
        people = player_names(4 * len(names))
        text = "name\n" + "\n".join(people) + "\n"
        self.ask("/api/players", {"by": "demo", "text": text, "source": "demo"})
        seats = {"by": "demo", "seed": "demo", "rounds": rounds, "tables": names}
        self.ask("/api/seating/draw", seats)
        self.ask("/api/rounds/1/start", {"by": "demo", "minutes": minutes})


def _read(hub: LocalHub) -> None:
    assert hub.process.stdout is not None
    hub.lines.extend(iter(hub.process.stdout.readline, ""))


@contextlib.contextmanager
def a_folder(keep: Path | None, within: Path | None = None) -> Iterator[Path]:
    """A folder that goes away again (made in ``within``, if that is there), or one that is kept."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    place = within if within is not None and within.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="paiguan-venue-", dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_demo(
    count: int,
    speed: float,
    seconds: float | None,
    keep: Path | None,
    port: int,
    *,
    pictures: bool,
) -> int:
    """``paiguan venue demo``: until Ctrl-C, or for so long; the exit code."""
    import logging

    from table_controller.venue.virtual.pictures import Pictures
    from table_controller.venue.virtual.tables import VirtualTables

    quiet_logs(logging.WARNING)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    tables = table_names(count)
    with a_folder(keep) as folder, LocalVenue(folder, tables, port=port) as venue:
        sys.stdout.write("three NATS servers, PostgreSQL and two hubs are running\n")
        play = VirtualTables(venue.ring, folder / "tables", venue.nats.urls, tables, speed=speed)
        painter = Pictures() if pictures else None
        if painter is not None:
            for one in play.plays.values():
                one.pictures = painter.want
        play.start()
        try:
            venue.all_heard(tables)
            venue.begin()
            _say(venue, tables)
            ends = None if seconds is None else time.monotonic() + seconds
            while ends is None or time.monotonic() < ends:
                time.sleep(0.5)
        except KeyboardInterrupt:
            pass
        finally:
            play.close()
            if painter is not None:
                painter.close()
        told = sum(one.told for one in play.plays.values())
        alerts = sum(len(one.raised) for one in play.plays.values())
        sys.stdout.write(f"{told} happenings at {count} tables, {alerts} alerts; all ended\n")
    return 0


def _say(venue: LocalVenue, tables: list[str]) -> None:
    sys.stdout.write(
        f"round 1 has begun at {len(tables)} tables\n"
        f"hall console (referee): {venue.hubs[0].base}?token={venue.token}\n"
    )
    for line in venue.hubs[0].lines:
        if "viewer" in line:
            sys.stdout.write(f"public scoreboard: {line.split(': ', 1)[1].strip()}\n")
    sys.stdout.write(f"the other hub's console: {venue.hubs[1].base}?token={venue.token}\n")
    sys.stdout.write("Ctrl-C ends all of it\n")
    sys.stdout.flush()
