"""A venue whose servers, database, hubs and tables are machines of their own (see ``wires``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from table_controller.venue.servers.local import LocalNats, LocalPostgres
from table_controller.venue.virtual.compare import Compared
from table_controller.venue.virtual.demo import LocalHub, LocalVenue
from table_controller.venue.virtual.tables import VirtualTables
from tests.table_controller.venue.conftest import need_servers
from tests.table_controller.venue.wires import NETWORK, Wires, need_wires
from tests.table_controller.venue.world import Journals, World


@contextmanager
def a_wired_world(folder: Path, *, hubs: int = 1, nodes: int = 3) -> Iterator[WiredWorld]:
    """A venue with cables to pull, in a folder; skipped where it cannot be made."""
    need_servers()
    need_wires()
    with closing(WiredWorld(folder, hubs=hubs, nodes=nodes)) as made:
        yield made


class WiredVenue(LocalVenue):
    """Machines ``n1``… (messages), ``db``, ``h1``… (hubs)."""

    def __init__(self, folder: Path, wires: Wires, *, hubs: int, nodes: int) -> None:
        self._wires = wires
        super().__init__(folder, [], hubs=hubs, nodes=nodes)

    def _servers(self, nodes: int) -> tuple[LocalNats, LocalPostgres]:
        hosts = [self._wires.machine(f"n{number}") for number in range(1, nodes + 1)]
        database = self._wires.machine("db")
        nats = LocalNats(self.ring, self.folder / "nats", nodes, hosts)
        return nats, LocalPostgres(self.folder / "postgres", database, NETWORK)

    def __enter__(self) -> Self:
        try:
            for name in self.nats.nodes:
                with self._wires.inside(name):
                    self.nats.start(name)
            with self._wires.inside("db"):
                self.postgres.start()
            for number in range(1, self._wanted + 1):
                self._wires.machine(f"h{number}")
                self.start_hub(number)
        except BaseException:
            self.close()
            raise
        return self

    def start_hub(self, number: int) -> LocalHub:
        with self._wires.inside(f"h{number}"):
            return super().start_hub(number)


class WiredWorld(World):
    """The same venue for the tests, with cables to pull.

    Args:
        folder: for all of it.
        hubs: how many.
        nodes: how many message servers.
    """

    def __init__(self, folder: Path, *, hubs: int = 1, nodes: int = 3) -> None:
        self.wires = Wires()
        self.hub = "h1"
        """The hub that is asked; from its own machine, as its screen would be."""
        try:
            super().__init__(folder, WiredVenue(folder, self.wires, hubs=hubs, nodes=nodes))
        except BaseException:
            self.wires.close()
            raise

    def tables(
        self, names: list[str], root: Path | None = None, speed: float = 25, **more: Any
    ) -> VirtualTables:
        """Tables that play; all on the machine ``at``, which is made where it is not there."""
        at = str(more.pop("at", "t1"))
        if not self.wires.there(at):
            self.wires.machine(at)
        with self.wires.inside(at):
            return super().tables(names, root, speed, **more)

    def rows(self, sql: str, *values: Any) -> list[Any]:
        with self.wires.inside("db"):
            return super().rows(sql, *values)

    def compare(self, journals: Journals, branch: str = "") -> Compared:
        with self.wires.inside("db"):
            return super().compare(journals, branch)

    def asked(self) -> LocalHub:
        return next(one for one in self.venue.hubs if one.file.stem == f"hub{self.hub[1:]}")

    def ask(self, path: str, body: dict[str, Any] | None = None, token: str | None = None) -> Any:
        with self.wires.inside(self.hub):
            return super().ask(path, body, token)

    def close(self) -> None:
        try:
            super().close()
        finally:
            self.wires.close()
