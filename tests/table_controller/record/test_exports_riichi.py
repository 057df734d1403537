"""Riichi's forms, written from a published game and read by readers of their own."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from table_controller.console.drawing import scoreboard
from table_controller.domain.codec import to_object
from table_controller.domain.happenings import Clock, Seat
from table_controller.domain.outputs import HandRecord, Move, WinRecord
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.record.exports import exported
from table_controller.record.exports.sticks import sticks_before
from table_controller.record.fold import Fold, Step
from table_controller.record.journal import EntryKind, Journal
from table_controller.record.session import SessionRecord
from table_controller.rulesets import load
from tests.needs import shared_data
from tests.table_controller.game.riichi.mjlog import LogHand, hands, players_of
from tests.table_controller.record.test_standings import Told
from tests.table_controller.record.test_standings import hand as told_hand


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> tuple[SessionRecord, list[LogHand]]:
    archive = zipfile.ZipFile(shared_data("data/games/riichi") / "tenhou_mjlog.zip")
    for entry in sorted(archive.namelist()):
        text = archive.read(entry).decode("utf-8") if not entry.endswith("/") else ""
        if "<mjloggm" in text and players_of(text) == 4:
            found = list(hands(text))[:6]
            if any(hand.sticks for hand in found[:-1]):
                break
    path: Path = tmp_path_factory.mktemp("riichi") / "journal.db"
    with Journal.open(path) as journal:
        header = {"ruleset": "tenhou", "east": 0, "players": ["A", "B", "C", "D"]}
        journal.append([(0.0, EntryKind.SESSION, header)])
        journal.append(
            (h.t, EntryKind.HAPPENING, to_object(h)) for hand in found for h in hand.happenings
        )
        return SessionRecord.of_journal(journal), found


def read_mjai(text: str) -> list[dict[str, Any]]:
    """Follows the events the way a player's program does; any step out of order fails."""
    kyokus: list[dict[str, Any]] = []
    now: dict[str, Any] = {}
    for line in text.splitlines():
        event = json.loads(line)
        kind = event["type"]
        if kind == "start_kyoku":
            now = {"start": event, "dahai": [], "hora": [], "last": None, "seen": Counter()}
            now["held"] = [13] * 4
            assert [len(hand) for hand in event["tehais"]] == [13] * 4
        elif kind == "tsumo":
            now["held"][event["actor"]] += 1
        elif kind == "dahai":
            now["held"][event["actor"]] -= 1
            assert now["held"][event["actor"]] % 3 == 1, event
            now["dahai"].append((event["actor"], event["pai"]))
            now["last"] = (event["actor"], event["pai"])
            now["seen"][event["pai"]] += 1
        elif kind in ("chi", "pon", "daiminkan"):
            assert (event["target"], event["pai"]) == now["last"], event
            assert len(event["consumed"]) == (3 if kind == "daiminkan" else 2)
            now["held"][event["actor"]] -= len(event["consumed"])
            now["seen"].update(event["consumed"])
        elif kind == "ankan":
            assert len(event["consumed"]) == 4
            now["held"][event["actor"]] -= 4
        elif kind == "kakan":
            now["held"][event["actor"]] -= 1
        elif kind == "hora":
            now["hora"].append(event)
        elif kind == "ryukyoku":
            now["deltas"] = event["deltas"]
        elif kind == "end_kyoku":
            assert all(count <= 4 for tile, count in now["seen"].items() if tile != "?")
            kyokus.append(now)
    return kyokus


def test_mjai(game: tuple[SessionRecord, list[LogHand]]) -> None:
    record, logged = game
    kyokus = read_mjai(exported(record, "mjai")[2].decode())
    assert len(kyokus) >= len(logged) - 1
    for kyoku, hand in zip(kyokus, logged, strict=False):
        start = kyoku["start"]
        assert (start["oya"], start["honba"]) == (hand.dealer, hand.honba)
        assert start["kyotaku"] == hand.sticks
        assert start["scores"] == hand.before
        discards = [h for h in hand.happenings if h.kind == "tile_discarded"]
        assert [actor for actor, _ in kyoku["dahai"]] == [h.seat for h in discards]
        assert [(w["actor"], w["target"]) for w in kyoku["hora"]] == [
            (int(win["who"]), int(win["fromWho"])) for win in hand.wins
        ]
        deltas = kyoku["hora"][0]["deltas"] if kyoku["hora"] else kyoku["deltas"]
        assert deltas == hand.deltas


def test_tenhou(game: tuple[SessionRecord, list[LogHand]]) -> None:
    record, logged = game
    body = json.loads(exported(record, "tenhou")[2])
    assert body["name"] == ["A", "B", "C", "D"]
    for line, hand in zip(body["log"], logged, strict=False):
        assert len(line) == 4 + 3 * 4 + 1
        assert line[0] == [hand.round, hand.honba, hand.sticks]
        assert line[1] == hand.before
        result = line[-1]
        assert result[1] == hand.deltas
        assert (result[0] == "和了") == bool(hand.wins)
        for seat in range(4):
            drawn, left = line[5 + 3 * seat], line[6 + 3 * seat]
            # Who has won by the own draw, or was stopped by the end, holds one more; an open kong
            # stands among the draws, and a 0 for it among the discards.
            assert 0 <= len(drawn) - len(left) <= 1
            tiles = [one for one in left if one != 0 and str(one).removeprefix("r").isdigit()]
            logged_tiles = [h for h in hand.happenings if h.kind == "tile_discarded"]
            assert len(tiles) == sum(h.seat == seat for h in logged_tiles)


def told(moves: list[Move], settled: HandRecord) -> SessionRecord:
    """One hand as its moves tell it."""
    rules = load("riichi-xjtu-2025")
    record = Told(rules, [settled])
    step = Step(0, Clock(t=9.0, event="session_ended"), (*moves, settled), 1)
    record.__dict__["fold"] = Fold((step,), Engine(rules, 0))
    return record


def draw(seat: Seat) -> Move:
    return Move(t=1.0, move="draw", seat=seat)


def discard(seat: Seat, tile: str) -> Move:
    return Move(t=1.0, move="discard", seat=seat, tile=Tile(tile))


def win(seat: Seat, from_: Seat, **score: Any) -> WinRecord:
    return WinRecord(
        winner=seat, from_=from_, win_tile=Tile.S3, tiles=(), melds=(), flowers=(), score=score
    )


def test_tenhou_sets_each_draw_beside_its_discard() -> None:
    kong = Move(
        t=1.0, move="kong", seat=2, from_=0, kong="exposed", tile=Tile.P5,
        tiles=(Tile.P5, Tile.RED_P5, Tile.P5, Tile.P5),
    )  # fmt: skip
    north = Move(t=1.0, move="north", seat=3, tile=Tile.NORTH)
    moves = [draw(0), discard(0, "5p"), kong, draw(2), discard(2, "1m")]
    moves += [draw(3), north, draw(3), discard(3, "9s")]
    record = told(moves, told_hand(1, (0,) * 4, (25000,) * 4))
    [line] = json.loads(exported(record, "tenhou")[2])["log"]
    assert [(line[5 + 3 * seat], line[6 + 3 * seat]) for seat in range(4)] == [
        ([0], [25]),
        ([], []),
        (["52m252525", 0], [0, 11]),
        ([0, 0], ["f44", 39]),
    ]


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (
            {
                "fu": 30,
                "han": 4,
                "fans": [
                    {"name_zh": "立直", "value": 1, "count": 1},
                    {"name_zh": "宝牌", "value": 1, "count": 3},
                ],
            },
            ["30符4飜", "立直(1飜)", "宝牌(3飜)"],
        ),
        (
            {"yakuman": 1, "fans": [{"name_zh": "国士无双", "value": 1, "count": 1}]},
            ["役満", "国士无双(役満)"],
        ),
        (
            {"yakuman": 2, "fans": [{"name_zh": "大四喜", "value": 2, "count": 1}]},
            ["2倍役満", "大四喜(2倍役満)"],
        ),
    ],
)
def test_tenhou_says_what_a_win_is_worth(score: dict[str, Any], words: list[str]) -> None:
    settled = told_hand(1, (0,) * 4, (25000,) * 4)
    record = told([], replace(settled, result="win", wins=(win(1, 0, **score),)))
    [line] = json.loads(exported(record, "tenhou")[2])["log"]
    assert line[-1][2][3:] == words


@pytest.mark.parametrize(
    ("after", "won_from", "reason", "accepted"),
    [
        # Its tile was won on: no riichi.
        ([], 0, None, False),
        # Three win on it, which nobody is paid for.
        ([], None, "three_rons", False),
        # It passed, and a later discard of the same player was won on.
        ([draw(1), discard(1, "9s"), draw(0), discard(0, "3s")], 0, None, True),
        # The wall is used up.
        ([], None, None, True),
    ],
)
def test_mjai_accepts_a_riichi_once_its_tile_has_passed(
    after: list[Move], won_from: Seat | None, reason: str | None, accepted: bool
) -> None:
    riichi = Move(t=1.0, move="riichi", seat=0)
    settled = replace(told_hand(1, (0,) * 4, (25000,) * 4), reason=reason)
    if won_from is not None:
        settled = replace(settled, result="win", wins=(win(2, won_from),))
    record = told([draw(0), riichi, discard(0, "3s"), *after], settled)
    kinds = [json.loads(line)["type"] for line in exported(record, "mjai")[2].decode().splitlines()]
    assert kinds.count("reach_accepted") == accepted
    if accepted:
        assert kinds.index("reach_accepted") == kinds.index("dahai") + 1


@pytest.mark.parametrize(
    ("players", "scores", "fined", "sticks"),
    [
        # Two riichi and a wall used up, then one more riichi and a win that takes all three.
        (4, [(24000, 24000, 25000, 25000), (29000, 23500, 23500, 24000)], 0, [0, 2]),
        # 300 points that a ruling takes for nobody are no stick.
        (4, [(24000, 24700, 25000, 25000), (28000, 23700, 24000, 24000)], 300, [0, 1]),
        (3, [(34000, 35000, 35000, 0), (36000, 34500, 34500, 0)], 0, [0, 1]),
    ],
)
def test_sticks_that_lie_there_when_a_hand_begins(
    players: int, scores: list[tuple[int, ...]], fined: int, sticks: list[int]
) -> None:
    rules = load("riichi-xjtu-2025" + ("-sanma" if players == 3 else ""))
    settled = [told_hand(n + 1, (0,) * 4, each) for n, each in enumerate(scores)]
    settled[0] = replace(settled[0], penalties=(0, -fined, 0, 0))
    assert list(sticks_before(Told(rules, settled))) == sticks


def test_a_hand_under_check_shows_what_is_settled_then(
    game: tuple[SessionRecord, list[LogHand]],
) -> None:
    """Tiles, points, payments and situation that the referee checks are those of the record."""
    record = game[0]
    engine = Engine(record.ruleset, 0)
    check: dict[str, Any] | None = None
    compared = 0
    for happening in record.happenings:
        said = engine.step(happening)
        ended = [output for output in said if isinstance(output, HandRecord)]
        if ended and check is not None and ended[0].result == "win":
            assert check["payments"] == list(ended[0].payments)
            for shown, win in zip(check["wins"], ended[0].wins, strict=True):
                assert shown["tiles"] == [tile.value for tile in win.tiles]
                assert (shown["han"], shown["fu"]) == (win.score["han"], win.score["fu"])
                assert shown["situation"] == win.score["situation"]
                assert shown["situation"]["dora"]
            compared += 1
        check = scoreboard(engine.state)["check"]
    assert compared == sum(hand.result == "win" for hand in record.hands)
    assert compared >= 2
