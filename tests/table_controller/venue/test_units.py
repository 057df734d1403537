"""The systemd units: what they start is there, with these arguments, at the guide's places."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer

from table_controller.cli import app
from table_controller.config import Config
from table_controller.venue.access.keyring import Keyring
from table_controller.venue.hub.config import HubConfig, HubSection
from table_controller.venue.servers.local import nats_program
from tests.needs import need_tool
from tests.table_controller.venue.conftest import need

DOCS = Path(__file__).resolve().parents[3] / "docs"
FOLDER = DOCS / "venue" / "systemd"
UNITS = sorted(path.name for path in FOLDER.glob("*.service"))
GUIDE = (DOCS / "venue" / "operating.md").read_text()


def test_every_proof_that_is_named_is_there() -> None:
    """``docs/venue/proofs.md``: each test it names, whole or with a beginning or end left out."""
    here = Path(__file__).parent
    tests = {
        path.relative_to(here).with_suffix("").as_posix(): set(
            re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
        )
        for path in here.rglob("test_*.py")
    }
    everything = set().union(*tests.values())
    page = (DOCS / "venue" / "proofs.md").read_text()
    named = re.findall(r"`((?:(?:\w+/)?test_|::|…)[^` ]*)`", page)
    assert len(named) > 40
    for name in named:
        file, _, test = name.rpartition("::")
        if not test:
            continue
        if test in tests and not file:
            continue
        pattern = re.escape(test).replace("…", ".*")
        found = [one for one in tests.get(file, everything) if re.fullmatch(pattern, one)]
        assert found, f"docs/venue/proofs.md names {name}: there is no such test"


class Unit:
    """A unit's sections; a key may stand several times."""

    def __init__(self, name: str) -> None:
        self.values: dict[str, list[str]] = {}
        for line in (FOLDER / name).read_text().splitlines():
            key, equals, value = line.partition("=")
            if equals and not line.startswith("#"):
                self.values.setdefault(key, []).append(value)

    def __getitem__(self, key: str) -> str:
        (value,) = self.values[key]
        return value


@pytest.fixture(params=UNITS)
def unit(request: pytest.FixtureRequest) -> Unit:
    return Unit(request.param)


def test_every_unit_is_there() -> None:
    assert UNITS == ["paiguan-hub@.service", "paiguan-nats.service", "paiguan-table.service"]
    for name in UNITS:
        assert f"systemd/{name}" in GUIDE, f"the guide does not name {name}"


def test_a_unit_is_a_unit(unit: Unit) -> None:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    for name in UNITS:
        parser.read_string((FOLDER / name).read_text())
        assert parser.sections() == ["Unit", "Service", "Install"]
        parser.clear()
    assert unit["WantedBy"] == "multi-user.target"
    assert unit["Restart"] == "always"
    assert unit["StateDirectory"].startswith("paiguan")


def test_what_it_starts_takes_exactly_these_arguments(unit: Unit, tmp_path: Path) -> None:
    program, *words = unit["ExecStart"].replace("%i", "1").split()
    assert words[-1] in GUIDE, "the guide does not say where its configuration lies"
    if program == "/usr/sbin/nats-server":
        ring = Keyring.make(tmp_path / "ring", "spring-open")
        ring.write_nodes({"n1": {"host": "127.0.0.1", "port": 4222, "cluster_port": 6222,
                                 "http_port": 8222, "base": str(tmp_path / "ring/nodes/n1"),
                                 "store": str(tmp_path)}})  # fmt: skip
        need(nats_program)
        conf = tmp_path / "ring" / "nodes" / "n1" / "nats.conf"
        assert words == ["-c", "/etc/paiguan/nats/nats.conf"]
        # The server's own word on the file: `-t` reads it and starts nothing.
        done = subprocess.run(
            [nats_program(), "-c", str(conf), "-t"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return
    assert program == "/opt/paiguan/bin/paiguan"
    command: Any = typer.main.get_command(app).commands[words[0]]  # type: ignore[attr-defined]
    with command.make_context(words[0], words[1:]) as context:
        assert context.params["config"] == Path(words[1])


def test_places_agree_with_the_configurations(tmp_path: Path) -> None:
    hub, nats, table = (Unit(name) for name in UNITS)
    example = tomllib.loads((DOCS / "venue" / "hub.example.toml").read_text())
    assert example["state"] == f"/var/lib/{hub['StateDirectory']}"
    assert set(example["hub"]) <= set(HubSection.model_fields)
    assert set(example) <= set(HubConfig.model_fields)
    assert hub["EnvironmentFile"] == "-/etc/paiguan/hub.env"
    assert "/etc/paiguan/hub.env" in GUIDE
    ring = Keyring.make(tmp_path / "ring", "spring-open")
    node = {"host": "10.0.0.11", "port": 4222, "cluster_port": 6222, "http_port": 8222}
    ring.write_nodes({"n1": node, "n2": {**node, "host": "10.0.0.12"}})
    conf = (tmp_path / "ring" / "nodes" / "n1" / "nats.conf").read_text()
    assert f'store_dir: "/var/lib/{nats["StateDirectory"]}"' in conf
    assert f'dir: "{nats["ReadWritePaths"]}"' in conf
    written = set(re.findall(r'"(/[^"]+)"', conf))
    assert all(path.startswith(("/etc/paiguan/nats", "/var/lib/paiguan-nats")) for path in written)
    assert f'dir = "/var/lib/{table["StateDirectory"]}"' in GUIDE
    tables = tomllib.loads((DOCS / "table.example.toml").read_text())
    assert set(tables) <= set(Config.model_fields)


@pytest.mark.parametrize("tables", [None, 8, 400])
def test_a_server_has_room_for_all_that_hubs_reserve(tmp_path: Path, tables: int | None) -> None:
    ring = Keyring.make(tmp_path / "ring", "spring-open")
    node = {"host": "10.0.0.11", "port": 4222, "cluster_port": 6222, "http_port": 8222}
    ring.write_nodes({"n1": node}, tables)
    # Another server is added later: for as many tables as were said at first.
    Keyring.open(ring.folder).write_nodes({"n1": node, "n2": {**node, "host": "10.0.0.12"}})
    default = HubSection.model_fields
    journal, evidence = (default[name].default for name in ("journal_gb", "evidence_gb"))
    for path in (tmp_path / "ring" / "nodes").glob("*/nats.conf"):
        (room,) = re.findall(r"max_file: (\d+)GB ", path.read_text())
        assert int(room) * 1024**3 > (journal + (tables or 200) * evidence) * 1e9


NEEDED = {
    "NoNewPrivileges": "true",
    "CapabilityBoundingSet": "",
    "ProtectSystem": "strict",
    "ProtectHome": "true",
    "PrivateTmp": "true",
    "RestrictNamespaces": "true",
    "RestrictSUIDSGID": "true",
    "SystemCallArchitectures": "native",
    "SystemCallFilter": "@system-service",
    "UMask": "0077",
}


def test_a_unit_may_do_nothing_but_its_work(unit: Unit) -> None:
    for key, value in NEEDED.items():
        assert unit[key] == value, key
    assert unit["User"] in ("paiguan", "nats")
    assert "PrivateDevices" in unit.values or unit["DevicePolicy"] == "closed"


def verified(root: Path, unit: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", "verify", f"--root={root}", unit],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_systemd_itself_finds_nothing_wrong(tmp_path: Path) -> None:
    need_tool("systemd-analyze")
    own = tmp_path / "etc" / "systemd" / "system"
    shutil.copytree(FOLDER, own)
    shutil.copytree("/usr/lib/systemd/system", tmp_path / "usr/lib/systemd/system", symlinks=True)
    (tmp_path / "lib").symlink_to("usr/lib")
    for program in ("opt/paiguan/bin/paiguan", "usr/sbin/nats-server", "bin/kill"):
        (tmp_path / program).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    for name in ("paiguan-hub@1.service", "paiguan-nats.service", "paiguan-table.service"):
        done = verified(tmp_path, name)
        assert (done.returncode, done.stdout + done.stderr) == (0, ""), name
    # It would have: a program that is not there, a word that is none.
    table = own / "paiguan-table.service"
    good = table.read_text()
    table.write_text(good.replace("/opt/paiguan/bin/paiguan", "/opt/none"))
    assert "is not executable" in verified(tmp_path, "paiguan-table.service").stderr
    table.write_text(good.replace("ProtectHome=true", "ProtectHomes=true"))
    assert "Unknown key" in verified(tmp_path, "paiguan-table.service").stderr


def test_systemd_counts_little_exposure(unit: Unit) -> None:
    need_tool("systemd-analyze")
    name = next(one for one in UNITS if Unit(one).values == unit.values)
    command = [
        "systemd-analyze",
        "security",
        "--offline=true",
        "--threshold=25",
        str(FOLDER / name),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout.splitlines()[-1]
