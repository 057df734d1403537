"""What the hall asks the database."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import asyncpg

from table_controller.domain.alert_names import alert_title
from table_controller.record.journal import Entry, EntryKind
from table_controller.venue.hall.matches import Match, match_of
from table_controller.venue.hall.standings import StoredSession

_OVER: Final = """EXISTS (SELECT FROM chain x WHERE x.table_name = c.table_name
       AND (x.started > c.started OR (x.started = c.started AND x.id > c.id)))"""
"""Whether a later session has begun at the table. Counted by when they began, not by when they
came: a table that was away brings its newest session first."""
_WITHDRAWN: Final = "coalesce((a.body->>'withdrawn')::boolean, false)"
"""Whether the table has found that an alert does not stand."""
_OPEN: Final = f"a.decision IS NULL AND NOT {_OVER} AND NOT {_WITHDRAWN}"
"""Whether an alert waits for a referee."""
_ALERT: Final = f"""
SELECT a.*, c.table_name, c.name AS chain_name, c.header->>'session' AS session,
       cl.by AS claimed_by, cl.nonce AS claim_nonce, {_OVER} AS over,
       {_WITHDRAWN} AS withdrawn, extract(epoch FROM a.received)::float8 AS got
FROM alert a JOIN chain c ON c.id = a.chain
LEFT JOIN claim cl ON cl.chain = a.chain AND cl.what = a.key
"""  # noqa: S608 - made of constants
_CALL: Final = f"""
SELECT k.*, c.table_name, cl.by AS claimed_by, {_OVER} AS over,
       extract(epoch FROM k.received)::float8 AS got
FROM call k JOIN chain c ON c.id = k.chain
LEFT JOIN claim cl ON cl.chain = k.chain AND cl.what = 'call-' || k.seq
"""  # noqa: S608 - made of constants


def alert_key(row: Any) -> str:
    """An alert's name in the hall."""
    return f"{row['chain']}-{row['key']}"


def hand_id(table: str, chain: str, hand: int) -> str:
    """A hand's name everywhere: in the logs of table, hub and hall, and on the pages."""
    return f"{table}/{chain[:8]}/hand-{hand:03d}"


def alert_body(row: Any) -> dict[str, Any]:
    """An alert as the pages show it; pictures are named as the hall serves them."""
    body = json.loads(row["body"])
    root = f"{row['table_name']}/{row['chain_name']}"
    files = json.loads(row["files"]) if row["files"] else []
    return {
        **body,
        "chain": row["chain"],
        "table": row["table_name"],
        "session": row["session"],
        "hand": row["hand"],
        "hand_id": hand_id(row["table_name"], row["chain_name"], row["hand"]),
        "title": alert_title(row["id"]),
        "files": [f"{root}/{name}" for name in files],
        "decision": json.loads(row["decision"]) if row["decision"] else None,
        "claimed_by": row["claimed_by"],
        "got": row["got"],
    }


def call_body(row: Any) -> dict[str, Any]:
    """A call for the referee as the pages show it."""
    return {
        "chain": row["chain"],
        "seq": row["seq"],
        "table": row["table_name"],
        "seat": row["seat"],
        "hand": row["hand"],
        "t": row["t"],
        "got": row["got"],
        "claimed_by": row["claimed_by"],
        "answered": row["answered"],
    }


async def open_alerts(pool: asyncpg.Pool) -> list[Any]:
    """Alerts nobody has decided, oldest first, and the newest that were decided.

    What was left undecided when its session ended cannot be decided any more: it is found by
    searching, and is not in the queue. Nor is what the table has withdrawn.
    """
    rows = await pool.fetch(_ALERT + f"WHERE {_OPEN} ORDER BY a.received LIMIT 1000")
    rows += await pool.fetch(
        _ALERT + f"WHERE a.decision IS NOT NULL AND NOT {_WITHDRAWN} "
        "ORDER BY a.received DESC LIMIT 100"
    )
    return list(rows)


async def alerts(pool: asyncpg.Pool, wanted: Sequence[tuple[int, str]]) -> list[Any]:
    """Some alerts by chain and key."""
    return list(
        await pool.fetch(
            _ALERT + "JOIN unnest($1::int[], $2::text[]) AS w (chain, key) "
            "ON w.chain = a.chain AND w.key = a.key",
            [chain for chain, _ in wanted],
            [key for _, key in wanted],
        )
    )


async def unasked(pool: asyncpg.Pool, table: str, chain: str, key: str, age: float) -> int | None:
    """The number of an alert's chain, where its pictures are to be asked for.

    That is where it waits for a referee, came so many seconds ago, and nobody has asked yet.
    """
    number: int | None = await pool.fetchval(
        "SELECT a.chain FROM alert a JOIN chain c ON c.id = a.chain WHERE c.table_name = $1 "  # noqa: S608
        f"AND c.name = $2 AND a.key = $3 AND {_OPEN} "
        "AND a.received < now() - $4::float8 * interval '1 second' "
        "AND NOT EXISTS (SELECT FROM hall_order o WHERE o.table_name = c.table_name "
        "AND o.kind = 'evidence' AND o.body->>'alert' = a.key AND o.body->>'chain' = c.name)",
        table,
        chain,
        key,
        age,
    )
    return number


async def calls(pool: asyncpg.Pool, seqs: Sequence[tuple[int, int]] | None = None) -> list[Any]:
    """Open calls, or some of them; who called in a session that is over calls no longer."""
    if seqs is None:
        return list(
            await pool.fetch(
                _CALL + f"WHERE k.answered IS NULL AND NOT {_OVER} ORDER BY k.received"
            )
        )
    return list(
        await pool.fetch(
            _CALL + "JOIN unnest($1::int[], $2::bigint[]) AS w (chain, seq) "
            "ON w.chain = k.chain AND w.seq = k.seq",
            [chain for chain, _ in seqs],
            [seq for _, seq in seqs],
        )
    )


async def statuses(pool: asyncpg.Pool) -> list[dict[str, Any]]:
    """What every table said last, with how long ago that was."""
    rows = await pool.fetch(
        "SELECT t.name, t.retired, s.body, extract(epoch FROM s.received)::float8 AS received "
        "FROM hall_table t LEFT JOIN status s ON s.table_name = t.name WHERE NOT t.retired "
        "ORDER BY t.name"
    )
    return [
        {
            **(json.loads(row["body"]) if row["body"] else {}),
            "table": row["name"],
            "received": row["received"],
        }
        for row in rows
    ]


async def orders(pool: asyncpg.Pool, ids: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """The newest orders, or some of them."""
    select = "SELECT id, table_name, kind, by, at, state, reason, code, facts FROM hall_order "
    if ids is None:
        rows = await pool.fetch(select + "ORDER BY at DESC LIMIT 300")
    else:
        rows = await pool.fetch(select + "WHERE id = ANY($1)", list(ids))
    return [_with_facts(row) for row in rows]


def _with_facts(row: Any) -> dict[str, Any]:
    return {**dict(row), "facts": json.loads(row["facts"]) if row["facts"] else {}}


async def incidents(pool: asyncpg.Pool) -> list[dict[str, Any]]:
    """What went wrong, newest first."""
    rows = await pool.fetch(
        'SELECT extract(epoch FROM at)::float8 AS at, table_name AS "table", kind, text, code, '
        "facts FROM incident ORDER BY id DESC LIMIT 100"
    )
    return [_with_facts(row) for row in rows]


async def branches(pool: asyncpg.Pool) -> list[dict[str, Any]]:
    """Sessions with two journals: that forked, or that two machines wrote; which of them counts.

    ``forked_at`` is null where the second is no branch of the first.
    """
    rows = await pool.fetch(
        'SELECT b.id, b.table_name AS "table", b.name AS branch, b.forked_at, b.head, b.counts, '
        "p.id AS of_id, p.name AS of_name, p.head AS of_head, p.counts AS of_counts, "
        "p.header->>'session' AS session, b.branch_of IS NULL AS twice "
        "FROM chain b JOIN chain p ON p.id = coalesce(b.branch_of, (SELECT min(x.id) FROM chain x "
        "WHERE x.table_name = b.table_name AND x.branch_of IS NULL "
        "AND x.header->>'session' = b.header->>'session')) WHERE p.id <> b.id ORDER BY b.id"
    )
    return [dict(row) for row in rows]


Kept = dict[int, tuple[tuple[int, ...], StoredSession]]
"""Sessions that were asked for before, by chain, each with what tells whether it has changed."""
_FOLDED: Final = "('session', 'happening', 'correction', 'decision', 'alert')"
"""Of these entries the rules make what a match stands at."""


async def sessions(
    pool: asyncpg.Pool, before: float | None = None, kept: Kept | None = None
) -> list[StoredSession]:
    """The sessions of the tournament's rounds, with their hands.

    Args:
        pool: the database.
        before: only hands that were finished before this time, s since 1970.
        kept: what was asked for before is taken from here, and kept here.
    """
    kept = {} if kept is None else kept
    rows = await pool.fetch(
        "SELECT c.id, count(h.chain) AS hands, coalesce(sum(h.seq), 0)::bigint AS seqs, "
        # Who is warned or corrected after the last hand, and the end of the session.
        "coalesce((SELECT max(e.seq) FROM entry e WHERE e.chain = c.id AND e.kind IN "
        "('alert', 'decision', 'correction', 'order') AND ($1::float8 IS NULL OR e.t <= $1)), 0) "
        "AS ruled FROM chain c JOIN round r ON r.number = (c.header->>'round')::int "
        "LEFT JOIN hand h ON h.chain = c.id AND ($1::float8 IS NULL OR h.t <= $1) "
        "WHERE c.counts AND r.state <> 'planned' "
        "AND c.header->>'session' = 'r' || r.number || '-' || c.table_name "
        "GROUP BY c.id, r.number ORDER BY r.number, c.table_name",
        before,
    )
    # A hand that was settled anew has another number in its journal.
    marks = {row["id"]: (row["hands"], row["seqs"], row["ruled"]) for row in rows}
    changed = [id_ for id_, mark in marks.items() if id_ not in kept or kept[id_][0] != mark]
    if changed:
        headers = await pool.fetch(
            "SELECT id, table_name, header FROM chain WHERE id = ANY($1)", changed
        )
        hands = await pool.fetch(
            "SELECT chain, body FROM hand WHERE chain = ANY($1) "
            "AND ($2::float8 IS NULL OR t <= $2) ORDER BY chain, number",
            changed,
            before,
        )
        held: dict[int, list[dict[str, Any]]] = {}
        for hand in hands:
            held.setdefault(hand["chain"], []).append(json.loads(hand["body"]))
        for row in headers:
            bodies = tuple(held.get(row["id"], ()))
            made = StoredSession(row["table_name"], json.loads(row["header"]), bodies)
            if await _more_counts(pool, row["id"], made):
                match = await _match(pool, row["id"], made, before)
                made = made if match is None else replace(made, match=match)
            kept[row["id"]] = (marks[row["id"]], made)
    return [kept[id_][1] for id_ in marks]


async def _more_counts(pool: asyncpg.Pool, chain: int, session: StoredSession) -> bool:
    """Whether anything beside the finished hands can count: in riichi warnings do at any time.

    Under Chinese official rules it is what was entered after the last hand: the fold is spared as
    long as another hand may settle that.
    """
    ruleset = session.ruleset
    if ruleset.family == "riichi" or len(session.bodies) >= ruleset.session.hands:
        return True
    ended: bool = await pool.fetchval(
        "SELECT EXISTS (SELECT FROM entry WHERE chain = $1 "
        "AND kind IN ('alert', 'correction', 'order') AND (body->>'kind' = 'session_end' "
        "OR body->>'id' = 'session-time-up' OR body->'happening'->>'event' = 'session_ended'))",
        chain,
    )
    return ended


async def _match(
    pool: asyncpg.Pool, chain: int, session: StoredSession, before: float | None
) -> Match | None:
    """How a session stands by the rules, out of its entries."""
    rows = await pool.fetch(
        f"SELECT seq, t, kind, body, hash FROM entry WHERE chain = $1 AND kind IN {_FOLDED} "  # noqa: S608
        "AND ($2::float8 IS NULL OR t <= $2) ORDER BY seq",
        chain,
        before,
    )

    def folded() -> Match | None:
        entries = (
            Entry(row["seq"], row["t"], EntryKind(row["kind"]), json.loads(row["body"]), b"")
            for row in rows
        )
        return match_of(entries, session.bodies, f"{session.table} {session.session}")

    return await asyncio.to_thread(folded)


async def hands_played(pool: asyncpg.Pool, number: int) -> dict[str, int]:
    """How many hands each table has finished in a round."""
    rows = await pool.fetch(
        "SELECT c.table_name, count(h.chain) AS hands FROM chain c "
        "LEFT JOIN hand h ON h.chain = c.id WHERE c.counts "
        "AND c.header->>'session' = 'r' || $1::int || '-' || c.table_name GROUP BY c.table_name",
        number,
    )
    return {row["table_name"]: row["hands"] for row in rows}


async def rounds(pool: asyncpg.Pool) -> list[dict[str, Any]]:
    """The rounds with their seats."""
    rows = await pool.fetch(
        "SELECT number, state, source, ruleset, ends FROM round ORDER BY number"
    )
    seats = await pool.fetch(
        "SELECT s.round, s.table_name, s.side, p.number, p.name FROM seat s "
        "JOIN player p ON p.number = s.player ORDER BY s.round, s.table_name, s.side"
    )
    by: dict[int, dict[str, list[str]]] = {}
    for seat in seats:
        held = by.setdefault(seat["round"], {}).setdefault(seat["table_name"], ["", "", "", ""])
        held[seat["side"]] = seat["name"]
    return [{**dict(row), "seats": by.get(row["number"], {})} for row in rows]


async def search(
    pool: asyncpg.Pool,
    *,
    table: str | None,
    text: str | None,
    kind: str | None,
    since: float | None,
    until: float | None,
    hand: int | None,
    limit: int = 200,
) -> list[dict[str, Any]]:
    """Entries of all journals, for a protest: newest first.

    Happenings are searched only where a table is named: there are very many of them. An alert is
    found once, in the hand it was raised in, as it holds now.
    """
    rows = await pool.fetch(
        "SELECT c.table_name, c.name, c.header->>'session' AS session, e.chain, e.seq, e.t, "
        "e.kind, e.hand, coalesce(a.body, e.body) AS body, a.files "
        "FROM entry e JOIN chain c ON c.id = e.chain "
        "LEFT JOIN alert a ON a.chain = e.chain AND a.key = e.body->>'key' AND e.kind = 'alert' "
        "WHERE (a.seq IS NULL OR a.seq = e.seq) "
        "AND ($1::text IS NULL OR c.table_name = $1) "
        "AND ($2::text IS NULL OR coalesce(a.body, e.body)::text ILIKE '%' || $2 || '%') "
        "AND ($3::text IS NULL OR e.kind = $3) "
        "AND ($4::float8 IS NULL OR e.t >= $4) AND ($5::float8 IS NULL OR e.t <= $5) "
        "AND ($6::int IS NULL OR e.hand = $6) "
        "AND ($1::text IS NOT NULL OR e.kind NOT IN ('happening', 'reading')) "
        "ORDER BY e.t DESC, e.seq DESC LIMIT $7",
        table,
        None if text is None else _plain(text),
        kind,
        since,
        until,
        hand,
        limit,
    )
    return [
        {
            "table": row["table_name"],
            "session": row["session"],
            "chain": row["chain"],
            "seq": row["seq"],
            "t": row["t"],
            "kind": row["kind"],
            "hand": row["hand"],
            "hand_id": hand_id(row["table_name"], row["name"], row["hand"]),
            "body": json.loads(row["body"]),
            "files": [
                f"{row['table_name']}/{row['name']}/{name}"
                for name in (json.loads(row["files"]) if row["files"] else [])
            ],
        }
        for row in rows
    ]


def _plain(text: str) -> str:
    """A text whose % and _ mean themselves."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
