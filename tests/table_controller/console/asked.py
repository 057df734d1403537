"""A console that is asked without a browser, with a clock of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from table_controller.console.access import Access, Role
from table_controller.console.public import PublicFeed
from table_controller.console.server import build_app
from table_controller.record.journal import EntryKind
from tests.table_controller.console.running import Running

TOKENS = {role: f"token-of-the-{role.value}" for role in Role}
BEARER = {"Authorization": f"Bearer {TOKENS[Role.REFEREE]}"}
ALERT = {"key": "alert-0001", "id": "wall-break", "seat": 1, "t": 1.0, "ruling": {"summary": ""}}


def bearer(role: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKENS[Role(role)]}"}


class Table:
    """A console of a running table, with a clock of its own."""

    def __init__(self, root: Path) -> None:
        self.running = Running(root)
        self.hub = self.running.hub
        self.now = 1000.0
        self.public = PublicFeed(self.hub, 60.0, lambda: self.now)
        evidence = root / "evidence"
        (evidence / "alert-1").mkdir(parents=True)
        (evidence / "alert-1" / "before.jpg").write_bytes(b"jpeg")
        (root / "secret.txt").write_text("secret")
        self.access = Access(TOKENS, hours=1, clock=lambda: self.now, audit=self.running.desk.audit)
        self.app = build_app(self.hub, self.public.hub, self.access, self.running.desk)

    def journal(self, kind: EntryKind) -> list[dict[str, Any]]:
        return [entry.body for entry in self.running.journal.entries([kind])]
