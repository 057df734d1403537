"""Batches of entries into the database: each entry once, in order, with the stream's position.

Everything a list of messages brings is written in one transaction; where the database cannot take
something of it, entry by entry. Entries are known by chain and
number and are checked against the hash of the one before: what came already is left out, what is
missing is asked for again, what contradicts what is stored is kept apart as a branch and named.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import asyncpg

from table_controller.record.journal import GENESIS
from table_controller.venue import names
from table_controller.venue.errors import VenueError
from table_controller.venue.hub.projections import Projections
from table_controller.venue.messages import Batch, Line
from table_controller.venue.said import said

logger = logging.getLogger(__name__)


_ALIVE_S: Final = 5.0
_FAULTS: Final = (
    asyncpg.DataError, asyncpg.NotNullViolationError, ValueError, KeyError, TypeError,
    AttributeError,
)  # fmt: skip
"""What an entry causes that is not as entries are; anything else is no fault of its table."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """One message of the stream."""

    subject: str
    stream: int
    data: bytes


@dataclass(slots=True)
class ChainState:
    """How far a chain is stored."""

    id: int
    table: str
    name: str
    head: int
    hash: bytes
    hands: int
    branch_of: int | None = None
    forked_at: int | None = None
    gap: int | None = None


@dataclass(slots=True)
class Taken:
    """What came of some messages.

    Attributes:
        gaps: chains of which entries are missing, with the newest entry there is.
        sent: when the tables sent what was new, by their clocks, s since 1970.
    """

    entries: int = 0
    again: int = 0
    forks: int = 0
    gaps: list[tuple[str, str, int]] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)

    def add(self, other: Taken) -> None:
        """And what came of others."""
        self.entries += other.entries
        self.again += other.again
        self.forks += other.forks
        self.gaps += other.gaps
        self.sent += other.sent


class Store:
    """Writes the messages of one share of the tables; used by its owner alone.

    Args:
        connection: to the database; it also holds the share's lock.
        share: number of the share.
    """

    def __init__(self, connection: asyncpg.Connection, share: int) -> None:
        self._db = connection
        self._share = share
        self._chains: dict[tuple[str, str], ChainState] = {}

    async def position(self) -> int:
        """The stream's number of the newest message that is stored."""
        found = await self._db.fetchval("SELECT stream FROM position WHERE share = $1", self._share)
        return int(found or 0)

    async def alive(self) -> None:
        """Nothing is to be written; whether it could be.

        Raises:
            TimeoutError, OSError, asyncpg errors: the database is gone, and the share with it.
        """
        await self._db.fetchval("SELECT 1", timeout=_ALIVE_S)

    async def rewind(self) -> None:
        """The stream begins anew: so does the position; what is stored is known by its hash."""
        await self._db.execute("DELETE FROM position WHERE share = $1", self._share)

    async def take(self, messages: Sequence[Arrived]) -> Taken:
        """Write what these messages bring, all of it or nothing.

        An entry that is not as entries are is kept with a note; the other tables of the share do
        not wait for whoever wrote it.
        """
        try:
            async with self._db.transaction():
                return await self._take([(message, _read(message)) for message in messages])
        except _FAULTS as error:
            self._chains.clear()
            logger.warning("share %d: entry by entry: %s", self._share, error)
        except BaseException:
            # What is believed about the chains may be ahead of what was written.
            self._chains.clear()
            raise
        try:
            async with self._db.transaction():
                return await self._piecemeal(messages)
        except BaseException:
            self._chains.clear()
            raise

    async def _piecemeal(self, messages: Sequence[Arrived]) -> Taken:
        taken = Taken()
        for message in messages:
            batch = _read(message)
            for part in [batch] if isinstance(batch, str) else batch.entries():
                taken.add(await self._part(message, part))
        return taken

    async def _part(self, message: Arrived, part: Batch | str) -> Taken:
        """One entry: with what the hall looks at, or without, or as a mere text, or set apart."""
        if isinstance(part, str):
            return await self._take([(message, part)])
        reason = ""
        for batch, shown in ((part, True), (part, False), (part.as_text(), False)):
            try:
                async with self._db.transaction():
                    if reason:
                        await self._set_apart(message, reason)
                    return await self._take([(message, batch)], shown=shown)
            except _FAULTS as error:
                self._chains.clear()
                first = str(error).partition("\n")[0]
                reason = reason or f"entry {batch.lines[0].seq}: {type(error).__name__}: {first}"
        return await self._take([(message, reason)])

    async def _take(
        self, messages: Sequence[tuple[Arrived, Batch | str]], *, shown: bool = True
    ) -> Taken:
        """Write messages, each with what it holds, or why that cannot be read."""
        taken = Taken()
        made = Projections(shown)
        rows: list[tuple[int, Line, int]] = []
        touched: dict[int, ChainState] = {}
        for message, batch in messages:
            if isinstance(batch, str):
                await self._set_apart(message, batch)
                continue
            await self._add(message, batch, taken, rows, touched, made)
        if rows:
            await self._insert(rows)
        if touched:
            await self._heads(list(touched.values()))
        await made.write(self._db)
        if messages:
            await self._db.execute(
                "INSERT INTO position VALUES ($1, $2) ON CONFLICT (share) DO UPDATE "
                "SET stream = greatest(position.stream, excluded.stream)",
                self._share, messages[-1][0].stream,
            )  # fmt: skip
        taken.entries = len(rows)
        return taken

    async def _add(
        self,
        message: Arrived,
        batch: Batch,
        taken: Taken,
        rows: list[tuple[int, Line, int]],
        touched: dict[int, ChainState],
        made: Projections,
    ) -> None:
        table, name = names.table_of(message.subject), names.chain_of(message.subject)
        chain = await self._chain(table, name, batch)
        first, last = batch.lines[0], batch.lines[-1]
        if first.seq > chain.head + 1:
            chain = await self._known_branch(chain, batch.previous) or chain
        if first.seq > chain.head + 1:
            if chain.gap != chain.head:
                chain.gap = chain.head
                touched[chain.id] = chain
                since, until = chain.head + 1, first.seq - 1
                text = f"entries {since} to {until} of chain {name} are missing"
                facts = {"since": since, "until": until, "chain": name[:8]}
                made.incident(table, "gap", said(text, "entries_missing", **facts))
            # Asked for as long as it is there; the hub does so now and then.
            taken.gaps.append((table, name, chain.head))
            return
        if not await self._same(chain, batch, rows):
            chain = await self._branch(chain, batch, made)
            taken.forks += 1
        new = [line for line in batch.lines if line.seq > chain.head]
        taken.again += len(batch.lines) - len(new)
        if not new:
            return
        if chain.branch_of is not None and chain.forked_at is None:
            await self._find_fork(chain, new, made)
        for line in new:
            hand = made.add(chain, line)
            rows.append((chain.id, line, hand))
        chain.head, chain.hash, chain.gap = last.seq, last.hash, None
        touched[chain.id] = chain
        taken.sent.append(batch.sent)

    async def _same(
        self, chain: ChainState, batch: Batch, rows: Sequence[tuple[int, Line, int]]
    ) -> bool:
        """Whether what is known already of the batch is what is stored."""
        first, last = batch.lines[0], batch.lines[-1]
        if first.seq == chain.head + 1:
            return batch.previous == chain.hash
        if last.seq >= chain.head:
            # The chain of hashes answers for all entries before this one.
            return batch.lines[chain.head - first.seq].hash == chain.hash
        for held, line, _ in rows:
            if held == chain.id and line.seq == last.seq:
                return line.hash == last.hash
        stored = await self._db.fetchval(
            "SELECT hash FROM entry WHERE chain = $1 AND seq = $2", chain.id, last.seq
        )
        return bool(stored == last.hash)

    # -- chains -----------------------------------------------------------------------------

    async def _chain(self, table: str, name: str, batch: Batch) -> ChainState:
        known = self._chains.get((table, name))
        if known is not None:
            return known
        row = await self._db.fetchrow(
            "SELECT * FROM chain WHERE table_name = $1 AND name = $2", table, name
        )
        if row is None:
            await self._db.execute(
                "INSERT INTO hall_table (name) VALUES ($1) ON CONFLICT DO NOTHING", table
            )
            parent: int | None = None
            if batch.of is not None:
                parent = await self._db.fetchval(
                    "SELECT id FROM chain WHERE table_name = $1 AND name = $2", table, batch.of
                )
            row = await self._new_chain(table, name, parent, 0, GENESIS)
        chain = ChainState(
            row["id"], table, name, row["head"], row["head_hash"], row["hands"],
            row["branch_of"], row["forked_at"], row["gap_after"],
        )  # fmt: skip
        self._chains[table, name] = chain
        return chain

    async def _new_chain(
        self, table: str, name: str, parent: int | None, head: int, value: bytes
    ) -> Any:
        # A branch does not count for the standings until somebody says so.
        return await self._db.fetchrow(
            "INSERT INTO chain (table_name, name, branch_of, head, head_hash, counts) "
            "VALUES ($1, $2, $3, $4, $5, $6) RETURNING *",
            table, name, parent, head, value, parent is None,
        )  # fmt: skip

    async def _branch(self, chain: ChainState, batch: Batch, made: Projections) -> ChainState:
        """The branch of a chain that these entries belong to; they are not those stored."""
        known = await self._known_branch(chain, batch.previous)
        if known is not None:
            return known
        first = batch.lines[0]
        name = f"{chain.name}_{first.hash.hex()[:8]}"
        row = await self._db.fetchrow(
            "SELECT * FROM chain WHERE table_name = $1 AND name = $2", chain.table, name
        )
        if row is None:
            row = await self._new_chain(chain.table, name, chain.id, first.seq - 1, batch.previous)
        branch = self._branch_of(chain, row)
        if branch.forked_at is None:
            await self._find_fork(branch, list(batch.lines), made)
        return branch

    async def _known_branch(self, chain: ChainState, previous: bytes) -> ChainState | None:
        """The branch of a chain that ends with this hash."""
        for known in self._chains.values():
            if known.branch_of == chain.id and known.hash == previous:
                return known
        row = await self._db.fetchrow(
            "SELECT * FROM chain WHERE branch_of = $1 AND head_hash = $2", chain.id, previous
        )
        return None if row is None else self._branch_of(chain, row)

    def _branch_of(self, chain: ChainState, row: asyncpg.Record) -> ChainState:
        branch = ChainState(
            row["id"], chain.table, row["name"], row["head"], row["head_hash"],
            row["hands"] or chain.hands, chain.id, row["forked_at"],
        )  # fmt: skip
        self._chains[chain.table, branch.name] = branch
        return branch

    async def _find_fork(self, chain: ChainState, lines: Sequence[Line], made: Projections) -> None:
        """The first entry at which a branch differs from its chain, once it is there."""
        assert chain.branch_of is not None
        rows = await self._db.fetch(
            "SELECT seq, hash FROM entry WHERE chain = $1 AND seq BETWEEN $2 AND $3",
            chain.branch_of, lines[0].seq, lines[-1].seq,
        )  # fmt: skip
        stored = {row["seq"]: row["hash"] for row in rows}
        other = next((line for line in lines if stored.get(line.seq) != line.hash), None)
        if other is None:
            return
        chain.forked_at = other.seq
        await self._db.execute("UPDATE chain SET forked_at = $2 WHERE id = $1", chain.id, other.seq)
        of = await self._db.fetchval("SELECT name FROM chain WHERE id = $1", chain.branch_of)
        text = (
            f"the journal forked at entry {other.seq}: chain {of} and branch {chain.name}; "
            "both are kept, the branch does not count until the organiser says so"
        )
        facts = {"at": other.seq, "chain": str(of)[:8], "branch": chain.name[:8]}
        made.incident(chain.table, "fork", said(text, "forked", **facts))
        logger.error("table %s: %s", chain.table, text)

    # -- rows -------------------------------------------------------------------------------

    async def _insert(self, rows: Sequence[tuple[int, Line, int]]) -> None:
        await self._db.execute(
            "INSERT INTO entry (chain, seq, t, kind, hand, body, hash) "
            "SELECT c, s, t, k, h, b::json, x FROM unnest($1::int[], $2::bigint[], $3::float8[], "
            "$4::text[], $5::int[], $6::text[], $7::bytea[]) AS u (c, s, t, k, h, b, x)",
            [row[0] for row in rows],
            [row[1].seq for row in rows],
            [row[1].t for row in rows],
            [row[1].kind for row in rows],
            [row[2] for row in rows],
            [row[1].body for row in rows],
            [row[1].hash for row in rows],
        )

    async def _heads(self, chains: Sequence[ChainState]) -> None:
        await self._db.execute(
            "UPDATE chain SET head = u.head, head_hash = u.hash, hands = u.hands, "
            "gap_after = u.gap, last_seen = now() FROM unnest($1::int[], $2::bigint[], $3::bytea[],"
            " $4::int[], $5::bigint[]) AS u (id, head, hash, hands, gap) WHERE chain.id = u.id",
            [chain.id for chain in chains],
            [chain.head for chain in chains],
            [chain.hash for chain in chains],
            [chain.hands for chain in chains],
            [chain.gap for chain in chains],
        )

    async def _set_apart(self, message: Arrived, reason: str) -> None:
        logger.error("%s: message %d set apart: %s", message.subject, message.stream, reason)
        await self._db.execute(
            "INSERT INTO quarantine (subject, stream, reason, data) VALUES ($1, $2, $3, $4) "
            "ON CONFLICT DO NOTHING",
            message.subject, message.stream, reason, message.data,
        )  # fmt: skip
        await self._db.execute(
            "INSERT INTO incident (table_name, kind, text, code, facts) "
            "VALUES ($1, 'quarantine', $2, 'set_apart', $3::json)",
            names.table_of(message.subject), f"message {message.stream} set apart: {reason}",
            json.dumps({"n": message.stream, "detail": reason}),
        )  # fmt: skip


def _read(message: Arrived) -> Batch | str:
    """What a message holds, or why it cannot be read."""
    try:
        return Batch.decode(message.data)
    except VenueError as error:
        return str(error)
