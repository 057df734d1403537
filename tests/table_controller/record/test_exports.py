"""Every form of the record, read back by a reader that shares no code with its writer."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pypdf
import pytest
from typer.testing import CliRunner

from table_controller.cli import app
from table_controller.domain.codec import to_object
from table_controller.domain.happenings import Machine
from table_controller.domain.tiles import Tile
from table_controller.record.exports import FORMS, exported
from table_controller.record.exports.botzone import tile_name as botzone_name
from table_controller.record.exports.lines import hand_lines, label, penalty_lines
from table_controller.record.exports.mjai import tile_name as mjai_name
from table_controller.record.exports.tenhou import tile_number
from table_controller.record.journal import EntryKind, Journal
from table_controller.record.match import Match
from table_controller.record.session import SessionRecord
from table_controller.rulesets import load
from tests.needs import shared_data
from tests.table_controller.game.scenes import Scene, won
from tests.table_controller.record.played import played
from tests.table_controller.record.test_standings import Told
from tests.table_controller.record.test_standings import hand as told_hand

NAMES = ["Ann 安", "Bo 博", "Cy 慈", "=Di"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("table") / "one", names=NAMES)


@pytest.fixture(scope="module")
def record(path: Path) -> SessionRecord:
    with Journal.open(path, read_only=True) as journal:
        return SessionRecord.of_journal(journal)


def paiguan(*args: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(args))
    return done.exit_code, done.stdout


# -- the forms ----------------------------------------------------------------------------------


def test_the_documented_json(record: SessionRecord) -> None:
    body = json.loads(exported(record, "json")[2])
    assert (body["format"], body["version"]) == ("paiguan-session", 1)
    [hand] = body["hands"]
    assert hand["result"] == "win"
    assert hand["wins"][0]["winner"] == 3
    assert sum(hand["payments"]) == 0
    assert hand["penalties"] == [0, 0, -5, 0]
    assert body["totals"]["scores"] == hand["scores"]
    assert [ruling["id"] for ruling in hand["rulings"]] == ["other"]
    assert {move["move"] for move in hand["moves"]} >= {"dice", "deal", "draw", "discard", "win"}


_TILE = r"(?:[WBT][1-9]|F[1-4]|J[1-3]|H[1-8]|\?\?)"
_LINES = [
    re.compile(r"Match \S+"),
    re.compile(r"Wind [0-3]"),
    re.compile(rf"Player [0-3] Deal {_TILE}(?: {_TILE}){{12}}"),
    re.compile(rf"Player [0-3] (?:Draw|Play|Chi|Peng|Gang|AnGang|BuGang|BuHua|Hu) {_TILE}(?: .*)?"),
    re.compile(r"Fan \d+ (?:\S+\*\d+)?(?:\+\S+\*\d+)*"),
    re.compile(r"Score(?: -?\d+){4}"),
    re.compile(r"Huang|"),
]


def read_botzone(text: str) -> list[dict[str, Any]]:
    """A reader of the form, made from the published games: every line must be one of its kinds."""
    hands: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        assert any(kind.fullmatch(line) for kind in _LINES), f"{number}: {line}"
        words = line.split()
        if not words:
            continue
        if words[0] == "Match":
            hands.append({"plays": [], "hu": None})
        elif words[0] == "Player" and words[2] == "Play":
            hands[-1]["plays"].append((int(words[1]), words[3]))
        elif words[0] == "Player" and words[2] == "Hu":
            hands[-1]["hu"] = (int(words[1]), words[3])
        elif words[0] == "Fan":
            hands[-1]["fan"] = int(words[1])
        elif words[0] == "Score":
            hands[-1]["score"] = [int(word) for word in words[1:]]
    return hands


def test_the_botzone_reader_reads_published_games() -> None:
    text = (shared_data("data/games/mcr") / "human_games.txt").read_text(encoding="utf-8")
    hands = read_botzone(text)
    assert len(hands) == 8
    assert all(sum(hand["score"]) == 0 for hand in hands)


def test_botzone(record: SessionRecord) -> None:
    [hand] = read_botzone(exported(record, "botzone")[2].decode())
    [finished] = record.hands
    assert hand["hu"] == (3, "T3")
    assert hand["fan"] == finished.wins[0].score["total"]
    assert hand["score"] == [
        a + b for a, b in zip(finished.payments, finished.penalties, strict=True)
    ]
    discards = [m for m in record.fold.moves(1) if m.move == "discard"]
    assert [player for player, _ in hand["plays"]] == [m.seat for m in discards]
    assert hand["plays"][0] == (0, "B9")
    assert (2, "W3") in hand["plays"]


def test_riichi_forms_are_for_riichi(record: SessionRecord, path: Path) -> None:
    for form in ("mjai", "tenhou"):
        with pytest.raises(ValueError, match="riichi"):
            exported(record, form)
    code, _ = paiguan("journal", "export", str(path), "--form", "word")
    assert code != 0


@pytest.mark.parametrize(
    ("tile", "botzone", "mjai", "tenhou"),
    [
        ("1m", "W1", "1m", 11),
        ("9p", "B9", "9p", 29),
        ("5s", "T5", "5s", 35),
        ("0p", "B5", "5pr", 52),
        ("1z", "F1", "E", 41),
        ("4z", "F4", "N", 44),
        ("5z", "J3", "P", 45),
        ("6z", "J2", "F", 46),
        ("7z", "J1", "C", 47),
        ("?", "??", "?", 0),
        ("back", "??", "?", 0),
    ],
)
def test_tiles_by_each_form(tile: str, botzone: str, mjai: str, tenhou: int) -> None:
    assert botzone_name(Tile(tile)) == botzone
    assert mjai_name(Tile(tile)) == mjai
    assert tile_number(Tile(tile)) == tenhou


def test_the_spreadsheet(record: SessionRecord) -> None:
    book = openpyxl.load_workbook(io.BytesIO(exported(record, "xlsx")[2]))
    rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
    head = next(row for row in rows if row[0] == "盘 Hand")
    assert head[5:9] == NAMES
    hand = rows[rows.index(head) + 1]
    [finished] = record.hands
    assert hand[0] == "东1"
    assert hand[1:4] == ["=Di", "Bo 博", finished.wins[0].score["total"]]
    assert hand[9:13] == list(finished.scores)
    total = next(row for row in rows if row[0] == "总分 Total")
    assert total[9:13] == list(finished.scores)
    penalty = [list(row) for row in book.worksheets[1].iter_rows(values_only=True)][1]
    assert penalty[:4] == ["东1", "Cy 慈", "speech", -5]
    # A name that looks like a formula stays a name.
    assert all(cell.data_type != "f" for row in book.worksheets[0].iter_rows() for cell in row)


def test_a_control_character_in_a_text_is_left_out_of_the_spreadsheet(tmp_path: Path) -> None:
    path = played(tmp_path / "one", names=["An\x0bn", "Bo", "Cy", "Di"])
    with Journal.open(path, read_only=True) as journal:
        content = exported(SessionRecord.of_journal(journal), "xlsx")[2]
    book = openpyxl.load_workbook(io.BytesIO(content))
    cells = [cell.value for row in book.worksheets[0].iter_rows() for cell in row]
    assert "Ann" in cells


@pytest.mark.parametrize(
    ("ruleset", "wind", "number", "honba", "said"),
    [
        ("mcr-1998", "E", 1, 0, "东1"),
        ("mcr-1998", "S", 6, 0, "南6"),
        ("riichi-xjtu-2025", "E", 4, 0, "东4局"),
        ("riichi-xjtu-2025", "S", 6, 1, "南2局 1本场"),
        ("riichi-xjtu-2025-sanma", "S", 4, 2, "南1局 2本场"),
    ],
)
def test_what_a_hand_is_called(ruleset: str, wind: Any, number: int, honba: int, said: str) -> None:
    played_hand = replace(told_hand(number, (0,) * 4, (0,) * 4), round_wind=wind, honba=honba)
    record = Told(load(ruleset), [played_hand])
    assert label(record, 1) == said
    assert hand_lines(record)[0][0] == said


@pytest.mark.parametrize(("over", "said"), [(True, "终局 At the end"), (False, "未完 Unfinished")])
def test_what_comes_after_the_last_finished_hand(over: bool, said: str) -> None:
    assert label(Told(load("mcr-1998"), [], Match((), over=over)), 1) == said


def test_what_the_next_hand_tells_of_the_last_one_stands_with_that(tmp_path: Path) -> None:
    # A concealed kong that the winner never turned over; the hand was not closed.
    scene = Scene().start().play().draw().concealed_kong(1).play().rounds(2)
    won(scene.draw().play("1s"), 1, "123456789m 1s", None, close=False)
    said = [*scene.said, Machine(t=scene.t + 30.0, state="hatch_open")]
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append([(1.0, EntryKind.SESSION, {"ruleset": "mcr-1998", "east": 0})])
        journal.append((h.t, EntryKind.HAPPENING, to_object(h)) for h in said)
        two = SessionRecord.of_journal(journal)
    assert [line[0] for line in penalty_lines(two)] == ["东1"]
    body = json.loads(exported(two, "json")[2])
    [finished] = body["hands"]
    assert [ruling["id"] for ruling in finished["rulings"]] == ["concealed-kong-hidden"]
    assert finished["moves"][-1]["move"] == "win"
    assert body["rulings"] == []


def test_the_paper(record: SessionRecord) -> None:
    reader = pypdf.PdfReader(io.BytesIO(exported(record, "pdf")[2]))
    text = "\n".join(page.extract_text() for page in reader.pages)
    for words in ("Record sheet", "比赛记录表", "Bo 博", "东1", "清龙", "speech"):
        assert words in text, text
    assert str(record.hands[0].scores[3]) in text
    page = reader.pages[0].mediabox
    assert page.width > page.height


def test_the_csv(record: SessionRecord) -> None:
    text = exported(record, "csv")[2].decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert [int(cell) for cell in rows[1][9:13]] == list(record.hands[0].scores)
    assert all(len(row) == 17 for row in rows)
    # A name that looks like a formula stays a name.
    assert rows[0][5:9] == [*NAMES[:3], "'=Di"]
    assert [cell[:4] for cell in rows[0] if cell.startswith("=")] == []
    assert rows[1][13:] == ["▲", "－", "", ""]


# -- the journal --------------------------------------------------------------------------------


def test_the_journal_is_whole_and_every_form_can_be_had(path: Path, tmp_path: Path) -> None:
    code, said = paiguan("journal", "verify", str(path), "--json")
    assert code == 0
    assert json.loads(said)["broken"] is None
    for form in FORMS:
        out = tmp_path / form
        code, _ = paiguan("journal", "export", str(path), "--form", form, "--out", str(out))
        assert (code == 0) == (form not in ("mjai", "tenhou"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE entry SET body = replace(body, '3s', '4s') WHERE seq = {n}", "was changed"),
        ("UPDATE entry SET t = t + 1 WHERE seq = {n}", "was changed"),
        ("DELETE FROM entry WHERE seq = {n}", "is missing"),
    ],
)
def test_tampering_is_located(path: Path, tmp_path: Path, change: str, said: str) -> None:
    copy = tmp_path / "journal.db"
    with sqlite3.connect(path) as source, sqlite3.connect(copy) as target:
        source.backup(target)
        number = target.execute("SELECT seq FROM entry WHERE body LIKE '%3s%'").fetchone()[0]
        target.execute(change.format(n=number))
        target.commit()
    code, text = paiguan("journal", "verify", str(copy))
    assert code == 1
    assert f"entry {number}" in text
    assert said in text


def test_the_table_at_any_moment(path: Path, record: SessionRecord) -> None:
    whole = len(record.standing.entries)
    code, said = paiguan("journal", "show", str(path), "--state", str(whole))
    assert code == 0
    assert json.loads(said) == json.loads(json.dumps(record.fold.state))
    code, said = paiguan("journal", "show", str(path), "--state", "0")
    assert json.loads(said)["hand"] == 1
    middle = record.standing.entries[whole // 2].t
    code, said = paiguan("journal", "show", str(path), "--at", str(middle))
    assert abs(json.loads(said)["t"] - middle) < 1e-6
    code, said = paiguan("journal", "show", str(path), "--kind", "correction")
    assert json.loads(said)["body"]["about"] == "speech"
