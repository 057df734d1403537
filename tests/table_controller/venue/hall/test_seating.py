"""Seats: the rotation gives the annex's own table, and files are refused in one line."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_controller.venue.errors import VenueError
from table_controller.venue.hall.seating import (
    Player,
    draw,
    read_players,
    read_seating,
    rotation,
)

# Source 000, annex 60人9局轮次座位表: table 1 of each session, then another line of it.
# At the other tables every number is 4 higher a table, counted round from 60 to 1.
ANNEX = {
    1: ((1, 6, 11, 16), 15, (57, 2, 7, 12)),
    2: ((32, 5, 14, 23), 1, (32, 5, 14, 23)),  # its North column is misprinted from table 2 on
    3: ((35, 48, 9, 22), 14, (27, 40, 1, 14)),
    4: ((30, 47, 4, 13), 9, (2, 19, 36, 45)),
    5: ((17, 38, 59, 24), 12, (1, 22, 43, 8)),
    6: ((40, 21, 46, 11), 7, (4, 45, 10, 35)),
    7: ((23, 60, 25, 54), 11, (3, 40, 5, 34)),
    8: ((2, 35, 16, 29), 10, (38, 11, 52, 5)),
    9: ((33, 10, 47, 32), 15, (29, 6, 43, 28)),
}


@pytest.mark.parametrize("session", ANNEX)
def test_sixty_players_sit_as_the_annex_says(session: int) -> None:
    first, other, line = ANNEX[session]
    seats = {seat.table: seat.players for seat in rotation(60, 9).seats if seat.round == session}
    assert seats[1] == first
    assert seats[other] == line
    for table in range(1, 16):
        assert seats[table] == tuple((n + 4 * (table - 1) - 1) % 60 + 1 for n in first)


def met(players: int, rounds: int) -> tuple[bool, int, bool]:
    """Whether all sit once a round; how many pairs meet again; whether team mates meet."""
    seats = rotation(players, rounds).seats
    once = True
    pairs: dict[tuple[int, int], int] = {}
    mates = False
    for turn in range(1, rounds + 1):
        there = [n for seat in seats if seat.round == turn for n in seat.players]
        once &= sorted(there) == list(range(1, players + 1))
    for seat in seats:
        for one, other in combinations(sorted(seat.players), 2):
            pairs[one, other] = pairs.get((one, other), 0) + 1
            mates |= (one - 1) // 4 == (other - 1) // 4
    return once, sum(count - 1 for count in pairs.values()), mates


@given(st.integers(4, 60), st.integers(1, 9))
def test_everybody_sits_once_and_mates_never_meet(tables: int, rounds: int) -> None:
    once, again, mates = met(4 * tables, rounds)
    assert once
    assert not mates
    assert rotation(4 * tables, rounds).again == again
    if tables >= 16:
        assert again == 0


@pytest.mark.parametrize("players", [0, 3, 30, 8, 12])
def test_what_cannot_be_seated_is_said(players: int) -> None:
    with pytest.raises(VenueError, match=f"{players} players"):
        rotation(players, 3)


def test_the_draw_can_be_repeated_and_keeps_teams_together() -> None:
    players = [Player(0, f"p{n}", f"team {n // 4}") for n in range(16)]
    one, same, other = draw(players, "a"), draw(players[::-1], "a"), draw(players, "b")
    assert one == same
    assert one != other
    assert [player.number for player in one] == list(range(1, 17))
    for at in range(0, 16, 4):
        assert len({player.team for player in one[at : at + 4]}) == 1
    with pytest.raises(VenueError, match="team 'team 0' has 3 players"):
        draw(players[1:], "a")
    with pytest.raises(VenueError, match="listed twice"):
        draw([*players, players[0]], "a")


PEOPLE = [f"p{n}" for n in range(1, 9)]
HEAD = "round,table,east,south,west,north\n"
GOOD = HEAD + "1,T1,p1,p2,p3,p4\n1,T2,p5,p6,p7,p8\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("table,east\n", "seats.csv:1: columns must be round, table"),
        (HEAD, "no seats in it"),
        (HEAD + "x,T1,p1,p2,p3,p4\n", "seats.csv:2: round 'x' is no number"),
        (HEAD + "1,T9,p1,p2,p3,p4\n", "seats.csv:2: there is no table 'T9'"),
        (GOOD + "1,T1,p1,p2,p3,p4\n", "seats.csv:4: table T1 is seated twice"),
        (GOOD.replace("p8", "p1"), "seats.csv:3: player 'p1' sits in line 2 already"),
        (GOOD.replace("p8", ""), "round 1: player 'p8' sits nowhere"),
        (GOOD.replace("p8", "p9"), "seats.csv:3: there is no player 'p9'"),
    ],
)
def test_a_bad_seating_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(VenueError) as error:
        read_seating(text, "seats.csv", PEOPLE, ["T1", "T2"])
    assert said in str(error.value)
    assert str(error.value).endswith("nothing was changed")
    assert "\n" not in str(error.value)


def test_a_good_seating_is_read() -> None:
    seats = read_seating("\ufeff" + GOOD, "seats.csv", PEOPLE, ["T1", "T2"])
    assert [(seat.round, seat.table, seat.names) for seat in seats] == [
        (1, "T1", ("p1", "p2", "p3", "p4")),
        (1, "T2", ("p5", "p6", "p7", "p8")),
    ]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_lines_may_end_as_they_do_anywhere(ends: str) -> None:
    read = read_seating(GOOD.replace("\n", ends), "seats.csv", PEOPLE, ["T1", "T2"])
    assert read == read_seating(GOOD, "seats.csv", PEOPLE, ["T1", "T2"])
    players = read_players("\ufeffname,team\nAn,x\nBo,y\n".replace("\n", ends), "players.csv")
    assert [(one.name, one.team) for one in players] == [("An", "x"), ("Bo", "y")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("who\nx\n", "players.csv:1: a column `name` is missing"),
        ("name\n", "no players in it"),
        ("name\nAn\n \n", "players.csv:3: the player has no name"),
        ("name\nAn\nBo\nAn\n", "players.csv:4: player 'An' stands in line 2 already"),
    ],
)
def test_bad_players_are_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(VenueError, match=said):
        read_players(text, "players.csv")


TEAMS = {name: f"team {n % 4 + 1}" for n, name in enumerate("abcdefgh")}
RELAY = "round,table,east,south,west,north\n1,T01,a,b,c,d\n"


def test_in_a_relay_one_of_each_team_sits() -> None:
    two = read_seating(RELAY + "2,T01,f,e,h,g\n", "s", TEAMS, ["T01"], TEAMS)
    assert [seat.names for seat in two] == [tuple("abcd"), tuple("fehg")]
    for line, said in (
        ("2,T01,e,a,g,h\n", "s: round 2: 2 players of team 'team 1', not one; nothing was changed"),
        ("2,T01,e,f,g,\n", "s: round 2: 0 players of team 'team 4', not one; nothing was changed"),
    ):
        with pytest.raises(VenueError, match=f"^{said}$"):
            read_seating(RELAY + line, "s", TEAMS, ["T01"], TEAMS)
    with pytest.raises(VenueError, match="sits nowhere"):
        read_seating(RELAY, "s", TEAMS, ["T01"])
