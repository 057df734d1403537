"""A venue's servers on this machine, for `make venue`, the tests and the measurements.

NATS and PostgreSQL are Debian's packages; here they run from a folder of their own, on free ports
of the loopback address, and end with the program that started them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from table_controller.venue.access.keyring import Keyring
from table_controller.venue.errors import VenueError

HOST: Final = "127.0.0.1"
_START_S: Final = 30.0
PASSWORD: Final = "local-only-password"  # noqa: S105 - of a database that only this process reaches
_held: Final[list[socket.socket]] = []


def own_ports(count: int) -> list[int]:
    """Ports of the loopback address that are this process's until it ends.

    A port that is let go before its server takes it may go to any connection in between. So each
    stays bound here, not listening: the kernel gives it to nobody who asks for any port, and a
    server that sets ``SO_REUSEADDR`` may listen on it, also again after a restart.
    """
    for _ in range(count):
        held = socket.socket()
        _held.append(held)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind((HOST, 0))
    return [held.getsockname()[1] for held in _held[-count:]]


def nats_program() -> str:
    """Path of the server.

    Raises:
        VenueError: it is not installed.
    """
    found = shutil.which("nats-server") or shutil.which("/usr/sbin/nats-server")
    if found is None:
        raise VenueError("nats-server is missing: apt-get install nats-server")
    return found


def postgres_folder() -> Path:
    """Folder of PostgreSQL's programs, the newest version's.

    Raises:
        VenueError: it is not installed.
    """
    versions = Path("/usr/lib/postgresql")
    found = sorted(versions.glob("*/bin/postgres"), key=lambda path: float(path.parts[-3]))
    if not found:
        raise VenueError("PostgreSQL is missing: apt-get install postgresql")
    return found[-1].parent


class LocalNats:
    """A cluster of message servers.

    Args:
        ring: of the venue; its nodes are written.
        folder: for their files.
        count: how many servers.
        hosts: the address of each, where they are machines of their own; then each is started where
            its address is.
    """

    def __init__(
        self, ring: Keyring, folder: Path, count: int = 3, hosts: Sequence[str] | None = None
    ) -> None:
        self._program = nats_program()
        self.folder = folder
        ports = own_ports(3 * count)
        nodes: dict[str, dict[str, Any]] = {}
        for at in range(count):
            name = f"n{at + 1}"
            nodes[name] = {
                "host": hosts[at] if hosts else HOST,
                "port": ports[3 * at],
                "cluster_port": ports[3 * at + 1],
                "http_port": ports[3 * at + 2],
                "base": str(ring.folder / "nodes" / name),
                "store": str(folder / name),
            }
        ring.write_nodes(nodes)
        self.nodes = nodes
        self._conf = {name: ring.folder / "nodes" / name / "nats.conf" for name in nodes}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def urls(self) -> list[str]:
        """Where clients connect."""
        return [f"tls://{node['host']}:{node['port']}" for node in self.nodes.values()]

    def start(self, *names: str) -> None:
        """Start all servers, or these."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in names or tuple(self.nodes):
            with (self.folder / f"{name}.log").open("ab") as log:
                self.processes[name] = subprocess.Popen(  # noqa: S603 - the server
                    [self._program, "-c", str(self._conf[name])],
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    # Several servers share this machine: each with a thread for every core, most
                    # of their work would be to wake one another.
                    env={**os.environ, "GOMAXPROCS": "1"},
                )
        deadline = time.monotonic() + _START_S
        for name in names or tuple(self.nodes):
            node = self.nodes[name]
            while not _listens(node["host"], node["port"]):
                if self.processes[name].poll() is not None or time.monotonic() > deadline:
                    raise VenueError(f"nats-server {name} did not start: {self.said(name)}")
                time.sleep(0.05)

    def said(self, name: str) -> str:
        """The last line of a server's log."""
        lines = (self.folder / f"{name}.log").read_text(errors="replace").splitlines()
        return lines[-1] if lines else "it said nothing"

    def kill(self, name: str) -> None:
        """Kill a server with -9."""
        self.processes[name].kill()
        self.processes[name].wait()

    def freeze(self, name: str, on: bool = True) -> None:
        """Cut a server off without ending it: it neither hears nor answers."""
        self.processes[name].send_signal(signal.SIGSTOP if on else signal.SIGCONT)

    def stop(self) -> None:
        """End all servers."""
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process in self.processes.values():
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _listens(host: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((host, port), 0.5):
        return True
    return False


class LocalPostgres:
    """A database server of its own.

    The programs refuse to run as root; as root they are run as Debian's user ``postgres``.

    Args:
        folder: for its files; made.
        host: its address.
        network: from which other machines may come, e.g. ``10.0.0.0/24``; none: this one alone.
    """

    def __init__(self, folder: Path, host: str = HOST, network: str | None = None) -> None:
        self.folder = folder
        self._host = host
        self._network = network
        self.port = own_ports(1)[0]
        self._bin = postgres_folder()
        self._user = "postgres" if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self.data = folder / "data"
        if self._user is not None:
            owner = pwd.getpwnam(self._user)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            _passable(folder)
        if not self.data.exists():
            self._init()

    @property
    def dsn(self) -> str:
        """How to connect."""
        return f"postgresql://paiguan:{PASSWORD}@{self._host}:{self.port}/postgres"

    def _init(self) -> None:
        secret = self.folder / "password"
        secret.write_text(PASSWORD + "\n")
        command = [str(self._bin / "initdb"), "-D", str(self.data), "-U", "paiguan", "--no-sync"]
        command += ["-A", "scram-sha-256", "--pwfile", str(secret), "-E", "UTF8", "--locale=C"]
        made = subprocess.run(  # noqa: S603 - the server's own program
            command, capture_output=True, text=True, user=self._user, check=False, cwd="/"
        )
        if made.returncode != 0:
            raise VenueError(f"initdb: {(made.stderr or made.stdout).strip().splitlines()[-1]}")
        if self._network is not None:
            with (self.data / "pg_hba.conf").open("a") as rules:
                rules.write(f"host all all {self._network} scram-sha-256\n")

    def start(self, **settings: str) -> None:
        """Start it; returns once it answers."""
        options = {
            "listen_addresses": self._host,
            "port": str(self.port),
            "unix_socket_directories": "",
            "max_connections": "100",
            "shared_buffers": "128MB",
            **settings,
        }
        arguments = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - the server
                [str(self._bin / "postgres"), "-D", str(self.data), *arguments],
                stdout=log,
                stderr=log,
                user=self._user,
                start_new_session=True,
                cwd="/",
            )
        deadline = time.monotonic() + _START_S
        ready = str(self._bin / "pg_isready")
        while True:
            asked = subprocess.run(  # noqa: S603 - the server's own program
                [ready, "-h", self._host, "-p", str(self.port), "-q"], check=False
            )
            if asked.returncode == 0:
                return
            if self._process.poll() is not None or time.monotonic() > deadline:
                said = (self.folder / "log").read_text(errors="replace").strip().splitlines()
                raise VenueError(f"PostgreSQL did not start: {said[-1] if said else 'no word'}")
            time.sleep(0.05)

    @property
    def pid(self) -> int | None:
        """Of its first process."""
        return self._process.pid if self._process is not None else None

    def stop(self, *, at_once: bool = False) -> None:
        """End it; ``at_once`` as a power cut would."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGQUIT if at_once else signal.SIGINT)
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _passable(folder: Path) -> None:
    """Let the database's user through the folders above, where they are ours."""
    for above in folder.resolve().parents:
        mode = above.stat().st_mode
        if above.owner() == "root" and not mode & 0o001 and above != Path("/"):
            above.chmod(mode | 0o011)


async def wait_for(what: Any, seconds: float = 20.0, every: float = 0.05) -> bool:
    """Ask until the answer is true; false when the time is over."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = what()
        if asyncio.iscoroutine(answer):
            answer = await answer
        if answer:
            return True
        await asyncio.sleep(every)
    return False
