"""Riichi wins against other programs; the full size is run by ``make oracle``."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.domain.tiles import Tile
from table_controller.scoring.hand import WINDS, Meld, ScoringHand, Side
from table_controller.scoring.riichi import RiichiOptions, score

GAMES = Path(__file__).parents[4] / "shared" / "data" / "games" / "riichi"
WINS = GAMES / "scored_wins.json"


def test_random_wins_agree_with_the_other_program() -> None:
    pytest.importorskip("riichienv", reason="a test-time dependency")
    from tests.table_controller.scoring.oracle_riichi import compare_riichi

    report = compare_riichi(5_000, seed=30)
    assert report.unexplained == []
    assert len(report.fans) >= 45


SEEDS = st.integers(min_value=0, max_value=2**32)


@given(SEEDS)
@settings(max_examples=120, deadline=None)
def test_order_of_tiles_changes_nothing(seed: int) -> None:
    from tests.table_controller.scoring.oracle_riichi import OPTIONS, riichi_hand

    rng = random.Random(seed)
    first = riichi_hand(rng)
    shuffled = replace(
        first,
        hand=tuple(rng.sample(first.hand, len(first.hand))),
        melds=tuple(
            replace(meld, tiles=tuple(rng.sample(meld.tiles, len(meld.tiles))))
            for meld in rng.sample(first.melds, len(first.melds))
        ),
    )
    assert score(shuffled, OPTIONS) == score(first, OPTIONS)


@given(SEEDS, st.booleans())
@settings(max_examples=120, deadline=None)
def test_payments_sum_to_the_sticks_whoever_pays(seed: int, three: bool) -> None:
    from tests.table_controller.scoring.oracle_riichi import OPTIONS, OPTIONS_THREE, riichi_hand

    hand = riichi_hand(random.Random(seed), three=three)
    options = OPTIONS_THREE if three else OPTIONS
    answers = [score(hand, options)]
    if not hand.self_drawn:
        sides: tuple[Side, ...] = ("left", "right") if three else ("left", "across", "right")
        answers = [score(replace(hand, from_=side), options) for side in sides]
    for answer in answers:
        expected = 1000 * hand.sticks if answer.legal else 0
        assert sum(answer.payments) == expected
        assert sorted(answer.payments) == sorted(answers[0].payments)
        assert answer.fans == answers[0].fans


@given(SEEDS)
@settings(max_examples=80, deadline=None)
def test_liability_moves_points_but_makes_none(seed: int) -> None:
    from tests.table_controller.scoring.oracle_riichi import OPTIONS, riichi_hand

    hand = riichi_hand(random.Random(seed))
    for side in ("left", "across", "right"):
        answer = score(replace(hand, liable=side), OPTIONS)
        plain = score(hand, OPTIONS)
        assert sum(answer.payments) == sum(plain.payments)
        if hand.honba == 0:
            assert answer.payments[:1] == plain.payments[:1]


_MARKS: dict[str, Side] = {"+": "right", "=": "across", "-": "left"}
_NAMES = {
    "翻牌 白": "役牌-白", "翻牌 發": "役牌-发", "翻牌 中": "役牌-中", "立直": "立直",
    "断幺九": "断幺九", "赤ドラ": "红宝牌", "ドラ": "宝牌", "裏ドラ": "里宝牌",
    "門前清自摸和": "门前清自摸和", "平和": "平和", "一発": "一发", "混一色": "混一色",
    "三色同順": "三色同顺", "一盃口": "一杯口", "七対子": "七对子", "対々和": "对对和",
    "一気通貫": "一气通贯", "混全帯幺九": "混全带幺九", "三暗刻": "三暗刻", "清一色": "清一色",
    "海底摸月": "海底摸月", "純全帯幺九": "纯全带幺九", "河底撈魚": "河底捞鱼",
    "ダブル立直": "两立直", "嶺上開花": "岭上开花", "四暗刻": "四暗刻", "小三元": "小三元",
    "三色同刻": "三色同刻", "国士無双": "国士无双",
}  # fmt: skip


def _tiles(text: str) -> list[Tile]:
    found: list[Tile] = []
    for suit, digits in re.findall(r"([mpsz])(\d+)", text):
        found += [Tile(digit + suit) for digit in digits]
    return found


def _meld(text: str) -> Meld:
    tiles = _tiles(re.sub(r"[-+=]", "", text))
    mark = re.search(r"[-+=]", text)
    kong, alike = len(tiles) == 4, tiles[0].plain is tiles[1].plain
    return Meld(
        kind="chow" if not alike else "kong" if kong else "pung",
        tiles=tuple(tiles),
        concealed=mark is None,
        added=kong and alike and mark is not None and not text.endswith(mark.group()),
        from_=_MARKS[mark.group()] if mark else None,
    )


def _hand(given: dict[str, Any]) -> ScoringHand:
    standing, *melds = given["shoupai"].split(",")
    held = _tiles(standing)
    facts = given["param"]
    claimed = given.get("rongpai")
    win = _tiles(claimed)[0] if claimed else held.pop()
    flags = facts["hupai"]
    return ScoringHand(
        hand=tuple(held),
        win_tile=win,
        melds=tuple(_meld(text) for text in melds if text),
        self_drawn=claimed is None,
        from_=_MARKS[claimed[-1]] if claimed else None,
        seat_wind=WINDS[facts["menfeng"]],
        round_wind=WINDS[facts["zhuangfeng"]],
        riichi=flags.get("lizhi", 0),
        ippatsu=bool(flags.get("yifa")),
        after_kong=bool(flags.get("lingshang")),
        robbing_kong=bool(flags.get("qianggang")),
        last_tile=bool(flags.get("haidi")),
        first_turn=bool(flags.get("tianhu")),
        dora_indicators=tuple(_tiles("".join(facts["baopai"]))),
        ura_indicators=tuple(_tiles("".join(facts["fubaopai"] or []))),
        honba=facts["jicun"]["changbang"],
        sticks=facts["jicun"]["lizhibang"],
    )


@pytest.mark.skipif(not WINS.is_file(), reason="the scored wins are not at hand")
def test_scored_wins_of_played_games() -> None:
    options = RiichiOptions(blessing_of_man="none", big_seven_stars=False)
    wins = json.loads(WINS.read_text("utf-8"))
    assert len(wins) == 4000
    for win in wins:
        answer = score(_hand(win["in"]), options)
        expected = win["out"]
        own = win["in"]["param"]["menfeng"]
        paid = tuple(expected["fenpei"][(own + seat) % 4] for seat in range(4))
        assert answer.payments == paid, win
        assert (answer.han, answer.fu) == (expected["fanshu"], expected["fu"]), win
        names = sorted(_name(each["name"]) for each in expected["hupai"])
        assert sorted(fan.name_zh for fan in answer.fans) == names, win


def _name(name: str) -> str:
    if name.startswith("場風"):
        return "役牌-场风刻"
    if name.startswith("自風"):
        return "役牌-门风刻"
    return _NAMES[name]
