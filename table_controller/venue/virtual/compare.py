"""Journals on the tables' disks against the hall's database, entry by entry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg

from table_controller.record.journal import GENESIS, Journal, chain


@dataclass(slots=True)
class Compared:
    """What came of a comparison.

    Attributes:
        entries: how many the journals hold.
        lost: in a journal and not in the database.
        strange: in the database and not in the journal, or another one there.
        doubled: more than once in the database, or chains of one journal stored twice.
        broken: chains whose stored hashes do not follow one another.
    """

    journals: int = 0
    entries: int = 0
    lost: int = 0
    strange: int = 0
    doubled: int = 0
    broken: list[str] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        """Whether nothing is lost, doubled, invented or out of order."""
        return not (self.lost or self.strange or self.doubled or self.broken)


async def compare(
    database: asyncpg.Connection, journals: Iterable[tuple[str, Path]], branch: str = ""
) -> Compared:
    """Compare some journals with what is stored of them.

    Args:
        database: of the hall.
        journals: table and path of each.
        branch: the branch of the chain that this journal became, where it forked.
    """
    found = Compared()
    for table, path in journals:
        with Journal.open(path, read_only=True) as journal:
            ours = journal.hashes()
        found.journals += 1
        found.entries += len(ours)
        if not ours:
            continue
        name = ours[1].hex()[:16] + (f"_{branch}" if branch else "")
        rows = await database.fetch(
            "SELECT e.seq, e.t, e.kind, e.body::text AS body, e.hash FROM entry e "
            "JOIN chain c ON c.id = e.chain WHERE c.table_name = $1 AND c.name = $2 ORDER BY e.seq",
            table,
            name,
        )
        theirs = {row["seq"]: bytes(row["hash"]) for row in rows}
        found.lost += sum(seq not in theirs for seq in ours)
        found.strange += sum(ours.get(seq) != value for seq, value in theirs.items())
        found.doubled += len(rows) - len(theirs)
        previous = GENESIS
        for row in rows:
            # The hash is made anew from what is stored: order, times and texts are all in it.
            previous = chain(previous, row["seq"], row["t"], row["kind"], row["body"])
            if previous != bytes(row["hash"]):
                found.broken.append(f"{table} {name} entry {row['seq']}")
                break
    return found


def journals_of(root: Path) -> list[tuple[str, Path]]:
    """The journals in a folder of tables: one folder a table, in it one a session."""
    return [(path.parts[-3], path) for path in sorted(root.glob("*/*/journal.db"))]


async def missing(database: asyncpg.Connection, journals: Iterable[tuple[str, Path]]) -> int:
    """How many entries the hall has not got yet, by the newest number of each journal."""
    rows = await database.fetch("SELECT table_name, name, head FROM chain")
    heads = {(row["table_name"], row["name"]): row["head"] for row in rows}
    lost = 0
    for table, path in journals:
        with Journal.open(path, read_only=True) as journal:
            for value in journal.hashes(1).values():
                lost += max(0, journal.head[0] - heads.get((table, value.hex()[:16]), 0))
    return lost
