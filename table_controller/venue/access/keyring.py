"""The venue's folder: who may come to the message bus, and with which key.

It holds the operator's and the account's secret keys and belongs on one machine of the
organiser, not on a server. Servers get ``nodes/<name>``, tables ``tables/<name>``, hubs ``hub``.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from table_controller.venue import names
from table_controller.venue.access import room
from table_controller.venue.access.certificates import make_authority, make_certificate
from table_controller.venue.access.nkeys import Credentials, Key
from table_controller.venue.errors import VenueError
from table_controller.whole_files import write_secret, write_whole

_REGISTER: Final = "register.json"
_NO_LIMITS: Final[dict[str, Any]] = {
    "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": True,
    "conn": -1, "leaf": -1, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
}  # fmt: skip


def table_permissions(venue: str, table: str) -> dict[str, Any]:
    """The subjects a table may use, and no others.

    Publishing to the API subjects of a stream is how JetStream is asked; each of them names the
    table itself, but for the models, which every table may read.
    """
    subjects = names.Subjects(venue)
    bucket = names.evidence_bucket(table)
    return {
        "pub": {
            "allow": [
                subjects.journal(table, "*"),
                subjects.status(table),
                subjects.request(table),
                f"$JS.API.DIRECT.GET.{names.JOURNAL_STREAM}.{subjects.journal(table, '*')}",
                f"$O.{bucket}.>",
                f"$JS.API.STREAM.INFO.OBJ_{bucket}",
                f"$JS.API.STREAM.MSG.GET.OBJ_{bucket}",
                f"$JS.API.DIRECT.GET.OBJ_{bucket}.>",
                f"$JS.API.STREAM.PURGE.OBJ_{bucket}",
                f"$JS.API.DIRECT.GET.OBJ_{names.MODEL_BUCKET}",
                f"$JS.API.DIRECT.GET.OBJ_{names.MODEL_BUCKET}.>",
            ]
        },
        "sub": {"allow": [f"{names.inbox(table)}.>", subjects.orders(table)]},
    }


@dataclass
class Keyring:
    """The folder of one venue."""

    folder: Path
    venue: str
    tables: dict[str, str] = field(default_factory=dict)
    """Public key of each table's user."""
    revoked: dict[str, int] = field(default_factory=dict)
    """Public keys that count no longer, with the time of that, s since 1970."""
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The servers: host and ports."""
    most_tables: int = room.TABLES
    """For so many tables the servers have room."""

    @classmethod
    def make(cls, folder: Path, venue: str) -> Self:
        """A new venue.

        Raises:
            VenueError: a bad name, or there is a venue already.
        """
        names.check_venue(venue)
        if (folder / _REGISTER).exists():
            raise VenueError(f"{folder}: there is a venue already; nothing was changed")
        ring = cls(folder, venue)
        for name, kind in (("operator", "operator"), ("system", "account"), ("account", "account")):
            write_secret(folder / "keys" / f"{name}.seed", Key.new(kind).seed + "\n")
        make_authority(folder / "tls", venue)
        ring._write_user("hub", "account", {"pub": {}, "sub": {}})
        ring._write_user("system", "system", {"pub": {}, "sub": {}})
        ring.save()
        return ring

    @classmethod
    def open(cls, folder: Path) -> Self:
        """A venue that was made before.

        Raises:
            VenueError: there is none.
        """
        try:
            held = json.loads((folder / _REGISTER).read_text(encoding="utf-8"))
            most = int(held.get("most_tables", room.TABLES))
            return cls(folder, held["venue"], held["tables"], held["revoked"], held["nodes"], most)
        except FileNotFoundError:
            raise VenueError(f"{folder}: no venue here: run `paiguan venue init` first") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise VenueError(f"{folder / _REGISTER}: cannot be read: {error}") from None

    def save(self) -> None:
        """Write the register."""
        held = {
            "venue": self.venue,
            "tables": self.tables,
            "revoked": self.revoked,
            "nodes": self.nodes,
            "most_tables": self.most_tables,
        }
        write_whole(self.folder / _REGISTER, json.dumps(held, indent=1) + "\n")

    def key(self, name: str) -> Key:
        """One of the secret keys: ``operator``, ``system`` or ``account``."""
        path = self.folder / "keys" / f"{name}.seed"
        try:
            return Key.of_seed(path.read_text(encoding="ascii").strip())
        except OSError as error:
            raise VenueError(f"{path}: {error.strerror}") from None

    # -- users ------------------------------------------------------------------------------

    def add_table(self, table: str) -> Path:
        """A key for a new table; the folder to carry there.

        Raises:
            VenueError: the name is taken, or cannot be one.
        """
        names.check_table(table)
        taken = next((known for known in self.tables if known.lower() == table.lower()), None)
        if taken is not None:
            raise VenueError(f"there is a table {taken} already; nothing was changed")
        return self._enrol(table)

    def renew_table(self, table: str) -> Path:
        """A new key for a table that has lost its own, which is revoked.

        Raises:
            VenueError: there is no such table.
        """
        self.revoke(table)
        return self._enrol(table)

    def _enrol(self, table: str) -> Path:
        permissions = table_permissions(self.venue, table)
        self.tables[table] = self._write_user(f"tables/{table}", "account", permissions, table)
        folder = self.folder / "tables" / table
        (folder / "ca.pem").write_bytes((self.folder / "tls" / "ca.pem").read_bytes())
        self.save()
        return folder

    def revoke(self, table: str) -> None:
        """The table's key counts no longer; :func:`push` tells the servers.

        Raises:
            VenueError: there is no such table.
        """
        if table not in self.tables:
            known = ", ".join(sorted(self.tables)[:12]) or "none"
            raise VenueError(f"there is no table {table} (there: {known}); nothing was changed")
        self.revoked[self.tables.pop(table)] = int(time.time())
        self.save()

    def _write_user(
        self, name: str, account: str, permissions: dict[str, Any], table: str | None = None
    ) -> str:
        key = Key.new("user")
        tags = [f"venue:{self.venue}", *([f"table:{table}"] if table else [])]
        claims = {
            "type": "user",
            "subs": -1,
            "data": -1,
            "payload": -1,
            "tags": tags,
            **permissions,
        }
        token = self.key(account).token(key.public, table or name, claims)
        folder = self.folder / (name if table else "hub" if name == "hub" else "keys")
        write_secret(folder / f"{table or name}.creds", Credentials(token, key).text())
        if name == "hub":
            (folder / "ca.pem").write_bytes((self.folder / "tls" / "ca.pem").read_bytes())
        return key.public

    # -- servers ----------------------------------------------------------------------------

    def account_token(self) -> str:
        """The account as the servers must know it: with what was revoked."""
        claims: dict[str, Any] = {"type": "account", "limits": _NO_LIMITS}
        if self.revoked:
            claims["revocations"] = self.revoked
        return self.key("operator").token(self.key("account").public, self.venue, claims)

    def system_token(self) -> str:
        """The account by which the servers themselves are asked."""
        limits = {**_NO_LIMITS, "mem_storage": 0, "disk_storage": 0}
        claims = {"type": "account", "limits": limits}
        return self.key("operator").token(self.key("system").public, "SYS", claims)

    def operator_token(self) -> str:
        """What every server trusts."""
        operator = self.key("operator")
        claims = {"type": "operator", "system_account": self.key("system").public}
        return operator.token(operator.public, f"paiguan {self.venue}", claims)

    def write_nodes(self, nodes: dict[str, dict[str, Any]], most_tables: int | None = None) -> None:
        """Configuration, certificate and accounts of each server.

        Args:
            nodes: by name: ``host``, ``port``, ``cluster_port``, ``http_port`` and, where it is not
                ``/var/lib/paiguan-nats``, ``store`` and ``base`` (where the folder will lie).
            most_tables: for so many they have room from now on; None: for as many as before.
        """
        self.nodes = nodes
        self.most_tables = most_tables or self.most_tables
        tokens = {
            self.key("account").public: self.account_token(),
            self.key("system").public: self.system_token(),
        }
        for name, node in nodes.items():
            folder = self.folder / "nodes" / name
            make_certificate(self.folder / "tls", folder, "server", [node["host"], "localhost"])
            (folder / "ca.pem").write_bytes((self.folder / "tls" / "ca.pem").read_bytes())
            for account, token in tokens.items():
                write_whole(folder / "accounts" / f"{account}.jwt", token)
            write_whole(folder / "nats.conf", self._server_text(name, node, nodes))
        self.save()

    def _server_text(
        self, name: str, node: dict[str, Any], nodes: dict[str, dict[str, Any]]
    ) -> str:
        base = node.get("base", "/etc/paiguan/nats")
        store = node.get("store", "/var/lib/paiguan-nats")
        tls = f'{{ cert_file: "{base}/server.pem", key_file: "{base}/server.key"'
        tls += f', ca_file: "{base}/ca.pem"'
        routes = ", ".join(
            f'"tls://{other["host"]}:{other["cluster_port"]}"' for other in nodes.values()
        )
        cluster = (
            f'cluster {{ name: "{self.venue}", listen: "{node["host"]}:{node["cluster_port"]}"\n'
            f"  tls: {tls}, verify: true, timeout: 5 }}\n  routes: [{routes}] }}\n"
        )
        return (
            f'server_name: "{name}"\n'
            f'listen: "{node["host"]}:{node["port"]}"\n'
            f'http: "127.0.0.1:{node["http_port"]}"\n'
            f"tls: {tls}, timeout: 5 }}\n"
            # What is accepted lies in three servers' memories at once and on their disks within
            # a second; all of it lies in the table's journal besides.
            f'jetstream {{ store_dir: "{store}", max_mem: 64MB, '
            f"max_file: {room.store_gb(self.most_tables)}GB }}\n"
            f"{cluster if len(nodes) > 1 else ''}"
            f"operator: {self.operator_token()}\n"
            f"system_account: {self.key('system').public}\n"
            f'resolver: {{ type: full, dir: "{base}/accounts", allow_delete: false, '
            'interval: "1m" }\n'
            "max_payload: 1MB\nmax_pending: 64MB\nping_interval: 10s\nwrite_deadline: 10s\n"
        )
