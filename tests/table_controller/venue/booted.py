"""Boots a venue by its systemd units, inside namespaces of its own; see ``test_units.py``.

``unshare --mount --net --pid … python -m tests.table_controller.venue.booted FOLDER`` lays overlays
over ``/etc``, ``/opt``, ``/var/lib`` and ``/run``, so that files lie where the guide says and this
machine keeps its own; systemd's user manager then starts the units as they are. It prints what came
of each step as one JSON object. With the process all others end.
"""

from __future__ import annotations

import json
import os
import shutil
import ssl
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from table_controller.venue.keyring import Keyring
from table_controller.venue.local import LocalPostgres

ETC = Path("/etc/paiguan")
UNITS = Path(__file__).resolve().parents[3] / "docs" / "venue" / "systemd"
_PAIGUAN = 9990


def run(*command: str, **more: Any) -> str:
    """A command to its end; what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr or done.stdout}"
    return done.stdout


def until(what: Callable[[], Any], seconds: float = 90.0) -> Any:
    """Ask until there is an answer."""
    end = time.monotonic() + seconds
    while not (answer := what()):
        assert time.monotonic() < end, "nothing came of it"
        time.sleep(0.2)
    return answer


def a_machine(folder: Path) -> None:
    """Folders as on a machine of the venue, laid over this one's."""
    run("ip", "link", "set", "lo", "up")
    over = folder / "over"
    over.mkdir()
    run("mount", "-t", "tmpfs", "tmpfs", str(over))
    for place in ("etc", "opt", "var/lib"):
        upper, work = over / place / "upper", over / place / "work"
        upper.mkdir(parents=True)
        work.mkdir()
        options = f"lowerdir=/{place},upperdir={upper},workdir={work}"
        run("mount", "-t", "overlay", "overlay", "-o", options, f"/{place}")
    for left in (ETC, Path("/opt/paiguan"), *Path("/var/lib").glob("paiguan*")):
        shutil.rmtree(left, ignore_errors=True)  # in the overlay alone: a new machine has none
    run("mount", "-t", "tmpfs", "tmpfs", "/run")
    Path("/run/systemd/system").mkdir(parents=True)  # "this machine was booted with systemd"
    Path("/run/user/0").mkdir(parents=True)
    # What systemd lays over things that a unit may not see; made at boot otherwise.
    hidden = Path("/run/systemd/inaccessible")
    (hidden / "dir").mkdir(parents=True, mode=0o000)
    (hidden / "reg").touch(mode=0o000)
    for name, kind in (("fifo", stat.S_IFIFO), ("sock", stat.S_IFSOCK), ("chr", stat.S_IFCHR)):
        os.mknod(hidden / name, kind)
    with Path("/etc/passwd").open("a") as file:
        file.write(f"paiguan:x:{_PAIGUAN}:{_PAIGUAN}::/var/lib/paiguan:/usr/sbin/nologin\n")
    with Path("/etc/group").open("a") as file:
        file.write(f"paiguan:x:{_PAIGUAN}:\n")
    # The program where the units look for it; a home is hidden from them.
    program = Path("/opt/paiguan")
    (program / "bin").mkdir(parents=True)
    site = next(path for path in sys.path if path.endswith("site-packages"))
    for name, source in (
        ("python", sys.base_prefix),
        ("site", site),
        ("src", str(UNITS.parents[2])),
    ):
        (program / name).mkdir()
        run("mount", "--bind", source, str(program / name))
    script = program / "bin" / "paiguan"
    script.write_text(
        "#!/bin/sh\nexport PYTHONDONTWRITEBYTECODE=1\n"
        "export PYTHONPATH=/opt/paiguan/src:/opt/paiguan/site\n"
        "export LD_LIBRARY_PATH=/opt/paiguan/python/lib\n"
        'exec /opt/paiguan/python/bin/python3 -m table_controller.cli "$@"\n'
    )
    script.chmod(0o755)


def configured(folder: Path) -> LocalPostgres:
    """As the guide says, on one machine: keys, a server, a database, a hub; the database."""
    ETC.mkdir()
    spring = str(folder / "spring")
    made = ("init", spring, "--name", "spring-open", "--server", "n1=127.0.0.1")
    run("/opt/paiguan/bin/paiguan", "venue", *made)
    shutil.copytree(folder / "spring" / "nodes" / "n1", ETC / "nats")
    run("chown", "-R", "nats:nats", str(ETC / "nats"))
    Path("/var/lib/pg").mkdir()
    database = LocalPostgres(Path("/var/lib/pg"))
    database.start()
    text = (UNITS.parent / "hub.example.toml").read_text()
    three = 'servers = ["tls://10.0.0.11:4222", "tls://10.0.0.12:4222", "tls://10.0.0.13:4222"]'
    assert three in text
    text = text.replace(three, 'servers = ["tls://127.0.0.1:4222"]').replace(
        "replicas = 3", "replicas = 1"
    )
    text = text.replace('# token = "…" ', 'token = "of-this-test-alone" ')
    (ETC / "hub1.toml").write_text(text)
    (ETC / "hub.env").write_text(f"PAIGUAN_DATABASE={database.dsn}\n")
    (ETC / "hub.env").chmod(0o600)
    for name in ("hub.creds", "ca.pem"):
        shutil.copy(folder / "spring" / "hub" / name, ETC / name)
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "365", "-subj", "/CN=hall", "-addext", "subjectAltName=IP:127.0.0.1",
        "-keyout", "hall.key", "-out", "hall.pem", cwd=ETC)  # fmt: skip
    run("chown", "paiguan:paiguan", *(str(ETC / name) for name in ("hub.creds", "hall.key")))
    run("/opt/paiguan/bin/paiguan", "venue", "migrate", str(ETC / "hub1.toml"),
        env={**os.environ, "PAIGUAN_DATABASE": database.dsn})  # fmt: skip
    return database


def a_table(folder: Path) -> subprocess.Popen[str]:
    """A table with a machine and a camera, enrolled as the guide says; its virtual machine."""
    run("/opt/paiguan/bin/paiguan", "venue", "add-table", str(folder / "spring"), "T01")
    shutil.copytree(folder / "spring" / "tables" / "T01", ETC / "venue")
    run("chown", "-R", "paiguan:paiguan", str(ETC / "venue"))
    seen = ETC / "seen"
    seen.mkdir()
    command = [sys.executable, "-m", "hardware.virtual_table", "--out", str(seen), "--fps", "5"]
    table = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert table.stdout is not None
    hello = json.loads(table.stdout.readline())
    port = Path(hello["serial"]).resolve()
    if port.exists():
        port.chmod(0o666)  # a port of a machine belongs to the group dialout
    (camera,) = hello["cameras"]
    (ETC / "table.toml").write_text(
        f'ruleset = "mcr-1998"\n[table]\ngeometry = "{hello["geometry"]}"\n'
        f'[machine]\nport = "{hello["serial"]}"\n'
        f'[[camera]]\nname = "{camera["name"]}"\nsource = "{camera["url"]}"\n'
        f'calibration = "{hello["recording"]}"\n'
        '[record]\ndir = "/var/lib/paiguan"\n[console]\nport = 0\n'
        '[venue]\nname = "spring-open"\ntable = "T01"\nservers = ["tls://127.0.0.1:4222"]\n'
        'credentials = "venue/T01.creds"\nca = "venue/ca.pem"\n'
    )
    return table


class Systemd:
    """The user manager with the units as they are."""

    def __init__(self) -> None:
        shutil.copytree(UNITS, "/etc/systemd/user", dirs_exist_ok=True)
        for name in ("paiguan-nats.service", "paiguan-hub@.service", "paiguan-table.service"):
            # There is no system journal here: what they say is kept for whoever looks for a fault.
            more = Path("/etc/systemd/user") / f"{name}.d"
            more.mkdir()
            log = "append:/run/systemd/said"
            (more / "log.conf").write_text(
                f"[Service]\nStandardOutput={log}\nStandardError={log}\n"
            )
        # A user manager keeps states below its configuration; here that is where units look.
        self._env = {**os.environ, "XDG_RUNTIME_DIR": "/run/user/0", "XDG_CONFIG_HOME": "/var/lib"}
        Path("/etc/systemd/user/default.target").write_text("[Unit]\nDescription=nothing yet\n")
        with Path("/run/systemd/log").open("w") as log:
            subprocess.Popen(
                ["/lib/systemd/systemd", "--user", "--log-target=console"],
                env=self._env, stdout=log, stderr=log,
            )  # fmt: skip
        until(lambda: Path("/run/user/0/systemd/private").exists(), 20)

    def ctl(self, *words: str) -> str:
        """``systemctl``."""
        return run("systemctl", "--user", *words, env=self._env)

    def property(self, unit: str, name: str) -> str:
        """Of a unit."""
        return self.ctl("show", "-p", name, "--value", unit).strip()

    def up(self, unit: str) -> int:
        """Start a unit; its process."""
        self.ctl("start", unit)
        time.sleep(1)
        until(lambda: self.property(unit, "ActiveState") == "active", 20)
        again = self.property(unit, "NRestarts")
        status = self.property(unit, "ExecMainStatus")
        assert again == "0", f"{unit} ended with {status}, {again} times:\n{self.said()}"
        return int(self.property(unit, "MainPID"))

    def said(self) -> str:
        """What the units and the manager said."""
        logs = [Path("/run/systemd", name) for name in ("said", "log")]
        return "\n".join(log.read_text()[-3000:] for log in logs if log.exists())

    def comes_back(self, unit: str) -> bool:
        """Whether it is started again after its process was killed with -9."""
        before = int(self.property(unit, "MainPID"))
        os.kill(before, 9)
        until(lambda: int(self.property(unit, "MainPID")) not in (0, before), 30)
        return self.property(unit, "NRestarts") == "1"


def sandbox(pid: int) -> dict[str, str]:
    """What the kernel says of a process: user, capabilities, filters."""
    wanted = ("Uid", "NoNewPrivs", "CapBnd", "CapEff", "Seccomp")
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    parts = dict(line.split(":", 1) for line in lines)
    return {name: parts[name].split()[0] for name in wanted}


def healthy() -> bool:
    """The hub's health page."""
    try:
        with urllib.request.urlopen("http://127.0.0.1:9377/health", timeout=5) as answer:
            return bool(json.load(answer)["ok"])
    except OSError:
        return False


def tables() -> dict[str, Any]:
    """The hall's map."""
    request = urllib.request.Request(
        "https://127.0.0.1:8380/api/state", headers={"Authorization": "Bearer of-this-test-alone"}
    )
    context = ssl.create_default_context(cafile=str(ETC / "hall.pem"))
    try:
        with urllib.request.urlopen(request, timeout=10, context=context) as answer:
            return dict(json.load(answer).get("tables", {}))
    except urllib.error.HTTPError as error:
        return {"refused": error.code}
    except OSError:
        return {}


def main(folder: Path) -> dict[str, Any]:
    """Boot everything; what came of it."""
    a_machine(folder)
    configured(folder)
    systemd = Systemd()
    found: dict[str, Any] = {"sandbox": {}, "again": {}}
    found["sandbox"]["paiguan-nats"] = sandbox(systemd.up("paiguan-nats.service"))
    found["sandbox"]["paiguan-hub@1"] = sandbox(systemd.up("paiguan-hub@1.service"))
    until(healthy)
    virtual = a_table(folder)
    found["sandbox"]["paiguan-table"] = sandbox(systemd.up("paiguan-table.service"))
    until(lambda: tables().get("T01", {}).get("silent") is False)
    found["heard"] = True
    for unit in ("paiguan-hub@1.service", "paiguan-nats.service", "paiguan-table.service"):
        found["again"][unit] = systemd.comes_back(unit)
    until(healthy)
    until(lambda: tables().get("T01", {}).get("silent") is False)
    found["owners"] = {
        name: Path("/var/lib", name).owner() for name in ("paiguan-nats", "paiguan-hub", "paiguan")
    }
    found["ring"] = sorted(Keyring.open(folder / "spring").tables)
    virtual.terminate()
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))) + "\n")
    sys.stdout.flush()
    os._exit(0)
