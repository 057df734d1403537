"""What the hall looks at, made from the entries in the transaction that stores them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import asyncpg

from table_controller.record.journal import EntryKind
from table_controller.venue.messages import Line
from table_controller.venue.said import Said

if TYPE_CHECKING:
    from table_controller.venue.hub.store import ChainState

CHANNEL = "hall"
"""The database tells the hall consoles of changes here."""
_CALL: Final = re.compile(r"call-(\d{1,16})-([0-3])")
"""A call's name at its table; see :func:`table_controller.domain.happenings.call_key`."""


@dataclass
class Projections:
    """The changes that some entries make; written at once.

    Attributes:
        shown: whether they make any; else the entries are only numbered.
    """

    shown: bool = True
    statements: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    news: list[dict[str, Any]] = field(default_factory=list)
    """What the hall consoles are told: small, they ask for the rest."""

    def add(self, chain: ChainState, line: Line) -> int:
        """Take one entry; the number of the hand it belongs to."""
        hand = chain.hands + 1
        if not self.shown:
            return hand
        match line.kind:
            case EntryKind.HAPPENING:
                # Most entries are these: they are not even read, but for the one that matters.
                if '"call"' in line.body:
                    self._call(chain, line, hand)
            case EntryKind.SESSION:
                self._session(chain, line)
            case EntryKind.ALERT:
                self._alert(chain, line, hand)
            case EntryKind.DECISION:
                self._decision(chain, line)
            case EntryKind.EVIDENCE:
                body = json.loads(line.body)
                self._do(
                    "UPDATE alert SET files = $3::json WHERE chain = $1 AND key = $2",
                    chain.id, body.get("alert"), json.dumps(body.get("files", [])),
                )  # fmt: skip
                self._tell("alert", chain, key=body.get("alert"))
            case EntryKind.HAND:
                hand = self._hand(chain, line)
            case EntryKind.ORDER:
                self._order(chain, line)
            case EntryKind.NOTE:
                self._note(chain, line)
        return hand

    def incident(self, table: str | None, kind: str, what: Said) -> None:
        """Something that people must know of."""
        self._do(
            "INSERT INTO incident (table_name, kind, text, code, facts) "
            "VALUES ($1, $2, $3, $4, $5::json)",
            table, kind, what.text, what.code, json.dumps(dict(what.facts)),
        )  # fmt: skip
        self.news.append({"what": "incident", "table": table})

    def _do(self, sql: str, *values: Any) -> None:
        self.statements.append((sql, values))

    def _tell(self, what: str, chain: ChainState, **more: Any) -> None:
        self.news.append({"what": what, "chain": chain.id, "table": chain.table, **more})

    def _session(self, chain: ChainState, line: Line) -> None:
        self._do(
            "UPDATE chain SET header = $2::json, started = $3 WHERE id = $1",
            chain.id, line.body, line.t,
        )  # fmt: skip
        self._tell("session", chain)
        name = str(json.loads(line.body).get("session") or "")
        if not name or chain.branch_of is not None:
            return
        # A table's computer was replaced: the one before it has begun this session, too.
        text = (
            f"session {name} has a second journal, {chain.name}; both are kept, "
            "the second does not count until the organiser says so"
        )
        self._do(
            "WITH twice AS (UPDATE chain SET counts = false WHERE id = $1 AND EXISTS (SELECT FROM "
            "chain x WHERE x.table_name = $2 AND x.id <> $1 AND x.counts "
            "AND x.header->>'session' = $3) RETURNING id), "
            "said AS (INSERT INTO incident (table_name, kind, text, code, facts) "
            "SELECT $2, 'fork', $4, 'session_twice', $5::json FROM twice) "
            "SELECT pg_notify($6, '[{\"what\":\"incident\"}]') FROM twice",
            chain.id, chain.table, name, text,
            json.dumps({"session": name, "chain": chain.name[:8]}), CHANNEL,
        )  # fmt: skip

    def _call(self, chain: ChainState, line: Line, hand: int) -> None:
        body = json.loads(line.body)
        if body.get("kind") == "call" and body.get("call") == "referee":
            self._do(
                "INSERT INTO call (chain, seq, t, seat, hand) VALUES ($1, $2, $3, $4, $5)",
                chain.id, line.seq, line.t, body.get("seat", 0), hand,
            )  # fmt: skip
            self._tell("call", chain, seq=line.seq)

    def _alert(self, chain: ChainState, line: Line, hand: int) -> None:
        body = json.loads(line.body)
        if "key" not in body:
            return
        self._do(
            "INSERT INTO alert (chain, key, seq, t, id, seat, hand, body) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8::json) ON CONFLICT (chain, key) DO UPDATE "
            "SET body = excluded.body",
            chain.id, body["key"], line.seq, body["t"], body["id"], body.get("seat"), hand,
            line.body,
        )  # fmt: skip
        if body.get("withdrawn"):
            # Whoever was on the way to it is free.
            self._do("DELETE FROM claim WHERE chain = $1 AND what = $2", chain.id, body["key"])
        self._tell("alert", chain, key=body["key"])

    def _decision(self, chain: ChainState, line: Line) -> None:
        body = json.loads(line.body)
        if "alert" not in body:
            return
        self._do(
            "UPDATE alert SET decision = $3::json WHERE chain = $1 AND key = $2",
            chain.id, body["alert"], None if body["action"] == "undo" else line.body,
        )  # fmt: skip
        self._do("DELETE FROM claim WHERE chain = $1 AND what = $2", chain.id, body["alert"])
        self._tell("alert", chain, key=body["alert"])

    def _hand(self, chain: ChainState, line: Line) -> int:
        body = json.loads(line.body)
        key = str(body.get("key", ""))
        number = int(key.rpartition("-")[2] or 0)
        chain.hands = max(chain.hands, number)
        self._do(
            "INSERT INTO hand (chain, key, number, seq, t, body) VALUES ($1, $2, $3, $4, $5, "
            "$6::json) ON CONFLICT (chain, key) DO UPDATE SET seq = excluded.seq, "
            "t = excluded.t, body = excluded.body",
            chain.id, key, number, line.seq, line.t, line.body,
        )  # fmt: skip
        self._tell("hand", chain, key=key)
        return number

    def _order(self, chain: ChainState, line: Line) -> None:
        """How far an order has come at the table.

        That it waits stands in the journal of the session that ran, that it was carried out often
        in the next one's: either may arrive first, and what was answered waits no longer.
        """
        body = json.loads(line.body)
        self._do(
            "UPDATE hall_order SET state = $2, reason = $3, code = $4, facts = $5::json, "
            "answered = now() WHERE id = $1 AND ($2 <> 'waiting' OR state IN ('given', 'waiting'))",
            body.get("order"), body.get("state"), body.get("reason", ""), body.get("code", ""),
            json.dumps(body.get("facts", {})),
        )  # fmt: skip
        self._tell("order", chain, id=body.get("order"))

    def _note(self, chain: ChainState, line: Line) -> None:
        body = json.loads(line.body)
        called = _CALL.fullmatch(str(body.get("call", "")))
        if called is not None:
            self._answered(chain, int(called[1]), int(called[2]), str(body.get("name", "")))
        text = str(body.get("text", ""))
        if "refused" in text:
            what = Said(text, str(body.get("code", "")), body.get("facts", {}))
            self.incident(chain.table, "refused", what)

    def _answered(self, chain: ChainState, ms: int, seat: int, by: str) -> None:
        """Somebody answered a call at the table; whoever in the hall was faster is left."""
        self._do(
            "WITH done AS (UPDATE call SET answered = $4 WHERE chain = $1 AND seat = $2 "
            "AND round(t * 1000) = $3 AND answered IS NULL RETURNING seq), "
            "freed AS (DELETE FROM claim USING done "
            "WHERE claim.chain = $1 AND claim.what = 'call-' || done.seq) "
            "SELECT pg_notify($5, json_build_array(json_build_object("
            "'what', 'call', 'chain', $1::int, 'seq', seq))::text) FROM done",
            chain.id, seat, float(ms), by, CHANNEL,
        )  # fmt: skip

    async def write(self, connection: asyncpg.Connection) -> None:
        """Make the changes and tell the consoles, within the caller's transaction."""
        for sql, values in self.statements:
            await connection.execute(sql, *values)
        for start in range(0, len(self.news), 40):
            # A notification carries 8,000 bytes at most; equal ones are sent once.
            text = json.dumps(self.news[start : start + 40], separators=(",", ":"))
            await connection.execute("SELECT pg_notify($1, $2)", CHANNEL, text)
