"""A team relay at the tables and in the hall: points go on, sticks and warnings are settled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from table_controller.console.desk import DecisionRefusedError
from table_controller.record.journal import EntryKind
from table_controller.rulesets.loader import load
from table_controller.venue.hall import queries, starting
from table_controller.venue.hall.matches import match_of
from table_controller.venue.hall.standings import StoredSession, table_of_standings
from table_controller.venue.handing.outbox import Outbox
from table_controller.venue.hub.store import Store
from table_controller.venue.messages import OrderKind
from tests.table_controller.venue.conftest import run
from tests.table_controller.venue.half_games import RELAY, AtRelay
from tests.table_controller.venue.lines import Stream


@pytest.fixture
def at(tmp_path: Path) -> Iterator[AtRelay]:
    made = AtRelay(tmp_path)
    yield made
    made.table.close()


def test_a_half_game_begins_with_the_points_that_the_hall_says(at: AtRelay) -> None:
    at.begin(1, "abcd")
    assert at.table.controller.state["scores"] == [100000] * 4
    at.begin(2, "efgh", [130000, 99000, 80000, 91000])
    assert at.table.controller.state["scores"] == [130000, 99000, 80000, 91000]
    header = next(at.table.journal.entries([EntryKind.SESSION])).body
    assert header["scores"] == [130000, 99000, 80000, 91000]
    kinds = [e.body["kind"] for e in at.table.journal.entries([EntryKind.HAPPENING])]
    assert kinds == ["table_set", "clock"]
    at.hand()
    (settled,) = at.hands
    assert sum(settled["scores"]) == 400000
    assert max(settled["payments"]) > 0


def test_the_points_are_given_once_also_where_the_table_ended_before_it_answered(
    at: AtRelay, tmp_path: Path
) -> None:
    at.begin(2, "efgh", [130000, 99000, 80000, 91000])
    at.hand()
    before = at.table.controller.state["scores"]
    at.begin(2, "efgh", [130000, 99000, 80000, 91000])
    assert at.answers()[-1][:2] == ("session_start", "done")
    assert at.table.controller.state["scores"] == before
    at.table.close()
    again = AtRelay(tmp_path)
    assert again.table.controller.state["scores"] == before
    again.table.close()


@pytest.mark.parametrize("scores", [[1, 2, 3], [1, 2, 3, "x"], "1234"])
def test_points_that_cannot_be_are_refused(at: AtRelay, scores: Any) -> None:
    path = at.table.journal.path
    at.begin(2, "efgh", scores)
    assert at.answers()[-1][:2] == ("session_start", "refused")
    assert at.table.journal.path == path


def test_sticks_that_are_left_lie_there_while_the_match_goes_on_and_are_the_firsts_at_its_end(
    at: AtRelay,
) -> None:
    at.begin(1, "abcd")
    at.hand("four_riichi")
    # Four riichi: everybody has put a thousand points, and nobody has won them.
    so_far = at.match
    assert not so_far.over
    assert at.points() == [99000] * 4
    at.give(OrderKind.SESSION_END)
    assert at.match.over
    first = next(row["seat"] for row in at.match.rows if row["rank"] == 1)
    assert first == at.hands[0]["dealer"]  # 8.1.2: level, by the first seating
    assert at.points() == [103000 if seat == first else 99000 for seat in range(4)]


def test_warnings_are_paid_before_the_ranks_are_made(at: AtRelay) -> None:
    at.begin(1, "abcd")
    at.hand()
    won = at.points()
    assert won == at.hands[0]["scores"]
    at.warn(2, 5)
    # 9.1.4: fifteen hundred to each other player; of a match that goes on, by its last hand.
    assert at.points() == won
    at.give(OrderKind.SESSION_END)
    assert at.points() == [p - 4500 if seat == 2 else p + 1500 for seat, p in enumerate(won)]


def test_a_journal_that_cannot_be_folded_to_its_hands_stands_as_it_is(at: AtRelay) -> None:
    at.begin(1, "abcd")
    at.hand()
    changed = [{**at.hands[0], "scores": [1, 2, 3, 4]}]
    assert match_of(at.entries, changed, "T01") is None
    assert match_of(at.entries[1:], at.hands, "T01") is None


# -- in the hall -----------------------------------------------------------------------------

TEAMS = {name: f"team {n % 4 + 1}" for n, name in enumerate("abcdefgh")}


async def take(db: Any, store: Store, stream: Stream, path: Path) -> None:
    """What a table's station would hand over."""
    with Outbox(path) as outbox:
        lines = outbox.pending(100_000)
    await store.take(stream.all(lines, lines[0].hash.hex()[:16]))


def rounds(names: str = "efgh") -> list[dict[str, Any]]:
    seats = {1: list("abcd"), 2: list(names), 3: list("abcd")}
    return [{"number": number, "ruleset": None, "seats": {"T01": held}}
            for number, held in seats.items()]  # fmt: skip


def refused(work: Any) -> DecisionRefusedError:
    with pytest.raises(DecisionRefusedError) as error:
        run(work)
    return error.value


def test_the_hall_sends_what_the_members_before_left(at: AtRelay, database: Any) -> None:
    """From the first half-game's journal to the order that begins the second."""
    at.begin(1, "abcd")
    at.hand("four_riichi")
    at.hand()
    at.warn(1, 10)

    async def hall(names: str = "efgh", number: int = 2) -> tuple[dict[str, Any], Any]:
        async with database() as db:
            await db.execute("INSERT INTO hall_table (name) VALUES ('T01')")
            await db.execute("INSERT INTO round (number, state) VALUES (1, 'over'), (2, 'planned')")
            for n, (name, team) in enumerate(TEAMS.items()):
                await db.execute("INSERT INTO player VALUES ($1, $2, $3)", n, name, team)
            await take(db, Store(db, 0), Stream(), at.table.journal.path)
            made, over = await starting.plans(db, rounds(names), number, RELAY)
            assert over == {}
            sessions = await queries.sessions(db)
            return made, table_of_standings(load(RELAY), sessions, TEAMS)

    said = refused(hall())
    assert (said.code, said.facts) == ("half_game_open", {"table": "T01", "session": "r1-T01"})
    at.give(OrderKind.SESSION_END)
    left = at.points()
    assert sum(left) == 400000
    made, lines = run(hall())
    assert made["T01"]["scores"] == left
    assert made["T01"]["ruleset"] == RELAY
    assert {one["player"]: one["score"] for one in lines} == {
        f"team {seat + 1}": points for seat, points in enumerate(left)
    }
    # They sit where they like: a team's points go with it.
    assert run(hall("hgfe"))[0]["T01"]["scores"] == left[::-1]
    assert refused(hall("efgx")).code == "no_team"
    assert refused(hall("efga")).code == "two_of_a_team"
    # The first half-game begins with what the ruleset says; the last one has its own rules (4).
    first = run(hall(number=1))[0]["T01"]
    assert "scores" not in first
    assert run(hall(number=3))[0]["T01"]["ruleset"] == f"{RELAY}-last"
    assert load(f"{RELAY}-last").riichi is not None


def test_a_team_below_zero_ends_the_relay_of_its_table(at: AtRelay, database: Any) -> None:
    at.begin(1, "abcd", [100000, 100000, 199900, 100])
    at.hand()
    at.give(OrderKind.SESSION_END)

    async def work() -> Any:
        async with database() as db:
            await db.execute("INSERT INTO hall_table (name) VALUES ('T01')")
            await db.execute("INSERT INTO round (number, state) VALUES (1, 'over')")
            await db.execute(
                "INSERT INTO player SELECT n, chr(96 + n), 'team ' || (1 + (n - 1) % 4) "
                "FROM generate_series(1, 8) AS n"
            )
            await take(db, Store(db, 0), Stream(), at.table.journal.path)
            return await starting.plans(db, rounds(), 2, RELAY)

    assert run(work()) == ({}, {"T01": "team 4"})


def test_a_teams_points_go_on_by_what_each_half_game_brought() -> None:
    """Where a half-game was settled anew after the next had begun, the difference counts."""

    def session(number: int, names: str, start: list[int], ended: list[int]) -> StoredSession:
        header = {"ruleset": RELAY, "players": list(names), "round": number,
                  "session": f"r{number}-T01", "scores": start}  # fmt: skip
        body = {"dealer": 0, "scores": ended}
        return StoredSession("T01", header, (body,))

    one = session(1, "abcd", [100000] * 4, [140000, 90000, 90000, 80000])
    two = session(2, "efgh", [139000, 91000, 90000, 80000], [120000, 100000, 95000, 85000])
    lines = table_of_standings(load(RELAY), [two, one], TEAMS)
    assert [(one["player"], one["score"]) for one in lines] == [
        ("team 1", 121000), ("team 2", 99000), ("team 3", 95000), ("team 4", 85000)
    ]  # fmt: skip


def test_a_ruleset_that_was_ordered_counts_from_the_next_round_on(database: Any) -> None:
    async def work() -> Any:
        async with database() as db:
            await db.execute("INSERT INTO hall_table (name) VALUES ('T01'), ('T02')")
            for table, name, state, at in (
                ("T01", "mcr-2006-du", "done", 1.0),
                ("T01", "mcr-2002-tianjin", "done", 2.0),
                ("T02", "mcr-2006-du", "refused", 3.0),
            ):
                await db.execute(
                    "INSERT INTO hall_order (id, table_name, kind, body, by, at, state) VALUES "
                    "($1, $2, 'settings', json_build_object('ruleset', $3::text), 'x', $4, $5)",
                    f"{at}", table, name, at, state,
                )  # fmt: skip
            held = {
                "number": 1,
                "ruleset": None,
                "seats": {"T01": list("abcd"), "T02": list("efgh")},
            }
            return await starting.plans(db, [held], 1, "mcr-1998")

    made, _ = run(work())
    assert [made[table]["ruleset"] for table in ("T01", "T02")] == ["mcr-2002-tianjin", "mcr-1998"]
