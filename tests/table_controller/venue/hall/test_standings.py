"""Live standings in the hall: standard points, uma, tie-breaks, teams, and the team relay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from table_controller.rulesets.loader import load
from table_controller.venue.hall import feed
from table_controller.venue.hall.matches import Match
from table_controller.venue.hall.standings import StoredSession, table_of_standings
from table_controller.venue.hall.state import HallHub
from tests.table_controller.venue.conftest import run


def session(
    ruleset: str, number: int, names: Sequence[str], *hands: tuple[int, int, int, int],
    start: int = 0, table: str = "T01", fans: int = 0,
) -> StoredSession:  # fmt: skip
    """A session with these payments of each hand; one letter a player."""
    scores = [start] * 4
    bodies: list[dict[str, Any]] = []
    for at, payments in enumerate(hands, start=1):
        scores = [score + paid for score, paid in zip(scores, payments, strict=True)]
        winner = max(range(4), key=lambda seat: payments[seat])
        win = {"winner": winner, "from": None, "win_tile": "1m", "total": fans or payments[winner],
               "fans": [{"name": "x", "value": 8}]}  # fmt: skip
        bodies.append(
            {"t": float(at), "hand": at, "round_wind": "E", "dealer": (at - 1) % 4, "result": "win",
             "wins": [win], "payments": list(payments), "penalties": [0, 0, 0, 0],
             "scores": list(scores), "confirmed": True}
        )  # fmt: skip
    header = {"ruleset": ruleset, "east": 0, "players": list(names), "round": number,
              "session": f"r{number}-{table}"}  # fmt: skip
    return StoredSession(table, header, tuple(bodies))


def lines(
    ruleset: str, *sessions: StoredSession, teams: dict[str, str] | None = None
) -> list[tuple[int, str, float, int]]:
    found = table_of_standings(load(ruleset), sessions, teams)
    return [(one["place"], one["player"], one["standard"], one["score"]) for one in found]


def test_standard_points_follow_the_rank_and_level_players_share_them() -> None:
    played = session("mcr-1998", 1, "abcd", (30, -10, -10, -10), (-8, 24, -8, -8))
    # 22, 14, -18, -18: four, two, and the points of the third and fourth place shared.
    assert lines("mcr-1998", played) == [
        (1, "a", 4, 22), (2, "b", 2, 14), (3, "c", 0.5, -18), (3, "d", 0.5, -18),
    ]  # fmt: skip


def test_a_session_that_is_still_played_counts_as_it_stands() -> None:
    done = session("mcr-1998", 1, "abcd", (30, -10, -10, -10))
    runs = session("mcr-1998", 2, "abcd", (-10, -10, -10, 30))
    found = {player: standard for _, player, standard, _ in lines("mcr-1998", done, runs)}
    assert found["a"] == found["d"]
    assert sum(found.values()) == 2 * 7


def test_level_standard_points_are_told_apart_as_the_ruleset_says() -> None:
    one = session("mcr-1998", 1, "abcd", (50, -10, -20, -20))
    two = session("mcr-1998", 1, "efgh", (30, -8, -10, -12), table="T02")
    found = lines("mcr-1998", one, two)
    # First at both tables: more points go before.
    assert [line[1] for line in found[:2]] == ["a", "e"]
    assert [line[0] for line in found[:2]] == [1, 2]


def test_uma_comes_with_the_place() -> None:
    played = session("riichi-xjtu-2025", 1, "abcd", (8000, -2000, -2000, -4000), start=25000)
    # 002 8.8: over 25000, in thousands, with 15, 5, -5, -15; level points by the first seating.
    assert lines("riichi-xjtu-2025", played) == [
        (1, "a", 23.0, 33000), (2, "b", 3.0, 23000), (3, "c", -7.0, 23000), (4, "d", -19.0, 21000),
    ]  # fmt: skip


def test_what_the_rules_settled_counts_with_warnings_and_sticks() -> None:
    """002 9.1.4 and 8.7: what is paid after the last hand is in no hand's record."""
    played = session("riichi-xjtu-2025", 1, "abcd", (8000, -2000, -2000, -5000), start=25000)
    rows = ((0, 2, 28500), (1, 1, 29500), (2, 3, 24500), (3, 4, 17500))
    match = Match(tuple({"seat": s, "rank": r, "points": p} for s, r, p in rows), over=True)
    assert lines("riichi-xjtu-2025", replace(played, match=match)) == [
        (1, "b", 19.5, 29500), (2, "a", 8.5, 28500), (3, "c", -5.5, 24500), (4, "d", -22.5, 17500),
    ]  # fmt: skip
    # Where the journal could not be folded it stands as it is.
    assert lines("riichi-xjtu-2025", played)[0] == (1, "a", 23.0, 33000)


def test_a_session_that_cannot_be_counted_leaves_the_others_standing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sanma = "riichi-xjtu-2025-sanma"
    four = session(sanma, 1, "abcd", (2000, -1000, -1000, 0), start=35000)
    three = session(sanma, 1, "efg ", (2000, -1000, -1000, 0), start=35000, table="T02")
    three.header["players"] = ["e", "f", "g", ""]
    assert [line[1] for line in lines(sanma, four, three)] == ["e", "f", "g"]
    assert "standings without T01: r1-T01: four are named" in caplog.text


@pytest.mark.parametrize(
    ("ruleset", "hand", "start", "said"),
    [
        # Who sits there without a name is first: 4 points; 2, 1 and 0 are shared.
        ("mcr-1998", (-8, -8, -8, 24), 0, [(1, "a", 1, -8), (1, "b", 1, -8), (1, "c", 1, -8)]),
        ("riichi-xjtu-2025", (-2000, -2000, -4000, 8000), 25000,
         [(1, "a", 3.0, 23000), (2, "b", -7.0, 23000), (3, "c", -19.0, 21000)]),
    ],
)  # fmt: skip
def test_who_has_no_name_is_ranked_and_has_no_line(
    ruleset: str, hand: tuple[int, int, int, int], start: int, said: list[Any]
) -> None:
    played = session(ruleset, 1, ["a", "b", "c", ""], hand, start=start)
    assert lines(ruleset, played) == said


def test_the_public_board_outlives_what_it_cannot_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "BOARD_EVERY_S", 0.0)
    hub: Any = SimpleNamespace()
    public = HallHub()
    made = feed.HallFeed(hub, HallHub(), public, 0.0)
    boards: list[Callable[[], Any]] = [lambda: 1 / 0, lambda: {"standings": []}]

    async def board() -> Any:
        return boards.pop(0)() if len(boards) > 1 else boards[0]()

    monkeypatch.setattr(made, "board", board)

    async def work() -> None:
        task = asyncio.ensure_future(made._boards())
        async with asyncio.timeout(10):
            while "board" not in public.snapshot():
                await asyncio.sleep(0.01)
        task.cancel()

    run(work())
    assert public.snapshot()["board"] == {"standings": []}


TEAMS = {name: f"team {n % 4 + 1}" for n, name in enumerate("abcdefghijkl")}


def test_the_sessions_of_a_teams_members_add_up() -> None:
    one = session("mcr-1998", 1, "abcd", (30, -10, -10, -10))
    two = session("mcr-1998", 1, "efgh", (30, -10, -10, -10), table="T02")
    found = lines("mcr-1998", one, two, teams=TEAMS)
    assert found[0] == (1, "team 1", 8.0, 60)
    assert [line[1] for line in found[1:]] == ["team 2", "team 3", "team 4"]


RELAY = "riichi-xjtu-2025-relay"


@pytest.mark.parametrize("start", [100000, None])
def test_in_a_relay_the_place_is_that_of_the_last_member_with_the_teams_points(
    start: int | None,
) -> None:
    """Whether the table began each half-game anew, or with what the member before left."""
    first = session(RELAY, 1, "abcd", (60000, -20000, -20000, -20000), start=100000)
    second = session(RELAY, 2, "efgh", (-24000, 8000, 8000, 8000), start=100000)
    third = session(RELAY, 3, "ijkl", (-12000, 40000, -14000, -14000), start=100000)
    if start is None:
        second = carried(second, (160000, 80000, 80000, 80000))
        third = carried(third, (136000, 88000, 88000, 88000))
    found = lines(RELAY, first, second, third, teams=TEAMS)
    # 136000 - 12000, 88000 + 40000, twice 88000 - 14000: level, by the first seating of the last.
    assert found == [
        (1, "team 2", 28.0, 128000), (2, "team 1", 24.0, 124000),
        (3, "team 3", -26.0, 74000), (4, "team 4", -26.0, 74000),
    ]  # fmt: skip
    # Sums of adjusted points would have put team 1 before team 2.
    shown = table_of_standings(load(RELAY), [third, first, second], TEAMS)
    assert [one["rank"] for one in shown[1]["sessions"]] == [1, 1, 2]
    assert [one["score"] for one in shown[1]["sessions"]] == [160000, 136000, 124000]


def carried(held: StoredSession, start: tuple[int, int, int, int]) -> StoredSession:
    """The same half-game, begun with other points, as the hall said."""
    bodies = [
        {
            **body,
            "scores": [one + at - 100000 for one, at in zip(body["scores"], start, strict=True)],
        }
        for body in held.bodies
    ]
    return StoredSession(held.table, held.header | {"scores": list(start)}, tuple(bodies))


def test_a_relay_that_has_not_begun_has_no_lines() -> None:
    waiting = session(RELAY, 1, "abcd")
    assert lines(RELAY, waiting, teams=TEAMS) == []


def test_players_of_a_relay_stand_for_themselves_where_no_teams_are_asked_for() -> None:
    first = session(RELAY, 1, "abcd", (60000, -20000, -20000, -20000), start=100000)
    assert [line[1] for line in lines(RELAY, first)] == ["a", "b", "c", "d"]
