"""Riichi scoring by the clauses of source 002: tables, worked examples, liability, variants.

The source's pictures are lost; its worked examples stand here with tiles that give the fans, fu
and points that its solutions print.
"""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.scoring.answer import ScoreAnswer
from table_controller.scoring.hand import BadHandError
from table_controller.scoring.riichi import load_options, score, waits
from table_controller.scoring.riichi.payments import Claim, base_points, settle
from tests.table_controller.scoring.notation import hand, tiles

XJTU = load_options("riichi-xjtu-2025")
QIXING = load_options("riichi-xjtu-2025-qixing")
SANMA = load_options("riichi-xjtu-2025-sanma")

# 7.8.3: basic points by fu (rows) and han 1 to 5; 0 where the source leaves the cell empty.
BASE = {
    20: (0, 320, 640, 1280, 2000),
    25: (0, 400, 800, 1600, 2000),
    30: (240, 480, 960, 1920, 2000),
    40: (320, 640, 1280, 2000, 2000),
    50: (400, 800, 1600, 2000, 2000),
    60: (480, 960, 1920, 2000, 2000),
    70: (560, 1120, 2000, 2000, 2000),
    80: (640, 1280, 2000, 2000, 2000),
    90: (720, 1440, 2000, 2000, 2000),
    100: (800, 1600, 2000, 2000, 2000),
    110: (880, 1760, 2000, 2000, 2000),
}

# 7.10.6: dealer self-drawn (each), dealer on a discard, others self-drawn, others on a discard.
DEALER_DRAWN = {
    20: (0, 700, 1300, 2600, 4000),
    25: (0, 800, 1600, 3200, 4000),
    30: (500, 1000, 2000, 3900, 4000),
    40: (700, 1300, 2600, 4000, 4000),
    50: (800, 1600, 3200, 4000, 4000),
    60: (1000, 2000, 3900, 4000, 4000),
    70: (1200, 2300, 4000, 4000, 4000),
    80: (1300, 2600, 4000, 4000, 4000),
    90: (1500, 2900, 4000, 4000, 4000),
    100: (1600, 3200, 4000, 4000, 4000),
}
DEALER_DISCARD = {
    25: (0, 2400, 4800, 9600, 12000),
    30: (1500, 2900, 5800, 11600, 12000),
    40: (2000, 3900, 7700, 12000, 12000),
    50: (2400, 4800, 9600, 12000, 12000),
    60: (2900, 5800, 11600, 12000, 12000),
    70: (3400, 6800, 12000, 12000, 12000),
    80: (3900, 7700, 12000, 12000, 12000),
    90: (4400, 8700, 12000, 12000, 12000),
    100: (4800, 9600, 12000, 12000, 12000),
    110: (5300, 10600, 12000, 12000, 12000),
}
OTHER_DRAWN = {
    20: ((0, 0), (400, 700), (700, 1300), (1300, 2600), (2000, 4000)),
    25: ((0, 0), (400, 800), (800, 1600), (1600, 3200), (2000, 4000)),
    30: ((300, 500), (500, 1000), (1000, 2000), (2000, 3900), (2000, 4000)),
    40: ((400, 700), (700, 1300), (1300, 2600), (2000, 4000), (2000, 4000)),
    50: ((400, 800), (800, 1600), (1600, 3200), (2000, 4000), (2000, 4000)),
    60: ((500, 1000), (1000, 2000), (2000, 3900), (2000, 4000), (2000, 4000)),
    70: ((600, 1200), (1200, 2300), (2000, 4000), (2000, 4000), (2000, 4000)),
    80: ((700, 1300), (1300, 2600), (2000, 4000), (2000, 4000), (2000, 4000)),
    90: ((800, 1500), (1500, 2900), (2000, 4000), (2000, 4000), (2000, 4000)),
    100: ((800, 1600), (1600, 3200), (2000, 4000), (2000, 4000), (2000, 4000)),
}
OTHER_DISCARD = {
    25: (0, 1600, 3200, 6400, 8000),
    30: (1000, 2000, 3900, 7700, 8000),
    40: (1300, 2600, 5200, 8000, 8000),
    50: (1600, 3200, 6400, 8000, 8000),
    60: (2000, 3900, 7700, 8000, 8000),
    70: (2300, 4500, 8000, 8000, 8000),
    80: (2600, 5200, 8000, 8000, 8000),
    90: (2900, 5800, 8000, 8000, 8000),
    100: (3200, 6400, 8000, 8000, 8000),
    110: (3600, 7100, 8000, 8000, 8000),
}


@pytest.mark.parametrize("fu", BASE)
@pytest.mark.parametrize("han", [1, 2, 3, 4, 5])
def test_tables_of_the_source(fu: int, han: int) -> None:
    expected = BASE[fu][han - 1]
    if not expected:
        return
    base, limit = base_points(han, fu)
    assert base == expected
    assert limit == ("mangan" if expected == 2000 else None)
    if fu in DEALER_DRAWN:
        paid = settle(Claim(base=base, players=4, dealer=0, payer=None))
        assert paid[1:] == (-DEALER_DRAWN[fu][han - 1],) * 3
        small, large = OTHER_DRAWN[fu][han - 1]
        paid = settle(Claim(base=base, players=4, dealer=2, payer=None))
        assert paid == (2 * small + large, -small, -large, -small)
    if fu in DEALER_DISCARD:
        points = DEALER_DISCARD[fu][han - 1]
        assert settle(Claim(base=base, players=4, dealer=0, payer=3)) == (points, 0, 0, -points)
        points = OTHER_DISCARD[fu][han - 1]
        assert settle(Claim(base=base, players=4, dealer=1, payer=3)) == (points, 0, 0, -points)


# 7.10.6, above mangan: han, dealer drawn, others drawn (small, large), dealer and other discard.
LIMITS = [
    (6, "haneman", 6000, (3000, 6000), 18000, 12000),
    (7, "haneman", 6000, (3000, 6000), 18000, 12000),
    (8, "baiman", 8000, (4000, 8000), 24000, 16000),
    (10, "baiman", 8000, (4000, 8000), 24000, 16000),
    (11, "sanbaiman", 12000, (6000, 12000), 36000, 24000),
    (12, "sanbaiman", 12000, (6000, 12000), 36000, 24000),
    (13, "counted_yakuman", 16000, (8000, 16000), 48000, 32000),
    (30, "counted_yakuman", 16000, (8000, 16000), 48000, 32000),
]


@pytest.mark.parametrize(("han", "name", "drawn", "other", "dealer", "discard"), LIMITS)
def test_limits(
    han: int, name: str, drawn: int, other: tuple[int, int], dealer: int, discard: int
) -> None:
    base, limit = base_points(han, 30)
    assert limit == name
    assert settle(Claim(base=base, players=4, dealer=0, payer=None))[1] == -drawn
    paid = settle(Claim(base=base, players=4, dealer=1, payer=None))
    assert (-paid[2], -paid[1]) == other
    assert settle(Claim(base=base, players=4, dealer=0, payer=1))[0] == dealer
    assert settle(Claim(base=base, players=4, dealer=2, payer=1))[0] == discard


def _score(text: str, options: Any = XJTU, **facts: Any) -> ScoreAnswer:
    return score(hand(text, **facts), options)


def _yaku(answer: ScoreAnswer) -> dict[str, int]:
    return {fan.name_zh: fan.value * fan.count for fan in answer.fans}


def test_first_entry_test_question_8() -> None:
    # 立直 一发 门前清自摸和 平和 一杯口 三色同顺 纯全带幺九, two dora: 12 han, 三倍满.
    answer = _score(
        "112233m123p23s99s *1s",
        riichi=1,
        ippatsu=True,
        seat_wind="E",
        round_wind="E",
        dora_indicators=tiles("8s"),
        ura_indicators=tiles("7z"),
    )
    assert _yaku(answer) == {
        "立直": 1, "一发": 1, "门前清自摸和": 1, "平和": 1, "一杯口": 1, "三色同顺": 2,
        "纯全带幺九": 3, "宝牌": 2,
    }  # fmt: skip
    assert (answer.han, answer.limit) == (12, "sanbaiman")


def test_first_entry_test_questions_9_to_11() -> None:
    # 9: South draws 3 han 25 fu with two counters: West pays 800 + 200.
    claim = Claim(base=base_points(3, 25)[0], players=4, dealer=3, payer=None, honba=2)
    assert settle(claim)[1] == -1000
    # 10, 11: West draws 3 han 40 fu, one counter, two sticks: +7500; East -2700, others -1400.
    claim = Claim(base=base_points(3, 40)[0], players=4, dealer=2, payer=None, honba=1, sticks=2)
    assert settle(claim) == (7500, -1400, -2700, -1400)


def test_first_entry_test_questions_26_to_29() -> None:
    # Three concealed triplets (2 han 40 fu) beat 纯全带幺九 (2 han 30 fu); 2700 and one counter.
    answer = _score(
        "111222333m9s [789p] *9s", seat_wind="W", round_wind="E", honba=1,
        dora_indicators=tiles("1z"),
    )  # fmt: skip
    assert _yaku(answer) == {"三暗刻": 2}
    assert (answer.han, answer.fu) == (2, 40)
    assert answer.payments == (3000, -800, -1400, -800)


def test_second_entry_test_question_11() -> None:
    # 立直 自摸 平和 and one dora: 4 han 20 fu; each 2600 and one counter, one stick: 9100.
    answer = _score(
        "234m567m34p789s22s *5p", riichi=1, seat_wind="E", round_wind="E", honba=1, sticks=1,
        dora_indicators=tiles("8s"), ura_indicators=tiles("7z"),
    )  # fmt: skip
    assert _yaku(answer) == {"立直": 1, "门前清自摸和": 1, "平和": 1, "宝牌": 1}
    assert (answer.han, answer.fu) == (4, 20)
    assert answer.payments == (9100, -2700, -2700, -2700)


def test_second_entry_test_question_12() -> None:
    # 立直 三色同顺, no dora: 30 + 8 + 2 + 2 = 42, up to 50 fu; 6400 and two sticks: 8400.
    answer = _score(
        "456m456p46s999m44z +5s", riichi=1, seat_wind="N", round_wind="S", sticks=2,
        dora_indicators=tiles("1z"), ura_indicators=tiles("9p"),
    )  # fmt: skip
    assert _yaku(answer) == {"立直": 1, "三色同顺": 2}
    assert (answer.han, answer.fu) == (3, 50)
    assert answer.payments[0] == 8400
    assert answer.payments[3] == -6400


def test_second_entry_test_question_13() -> None:
    facts: dict[str, Any] = {"seat_wind": "E", "round_wind": "E", "honba": 1, "sticks": 2}
    # (2) 25 han: 16000 and a counter each; two sticks: 50300.
    answer = _score(
        "1122337788999m *9m", riichi=2, ippatsu=True, dora_indicators=tiles("8m7m"),
        ura_indicators=tiles("6m1z"), **facts,
    )  # fmt: skip
    assert set(_yaku(answer)) >= {
        "两立直", "一发", "门前清自摸和", "清一色", "两杯口", "纯全带幺九",
    }  # fmt: skip
    assert answer.limit == "counted_yakuman"
    assert answer.payments == (50300, -16100, -16100, -16100)
    # (3) 立直 自摸 清一色 一杯口: 9 han: 8000 and a counter each, two sticks: 26300.
    answer = _score("1122334567778m *8m", riichi=1, **facts)
    assert _yaku(answer) == {"立直": 1, "门前清自摸和": 1, "清一色": 6, "一杯口": 1}
    assert (answer.han, answer.limit) == (9, "baiman")
    assert answer.payments == (26300, -8100, -8100, -8100)
    # (5) On a discard without riichi: 7 han, 18000 + 300, one stick: 19300.
    answer = _score("1122334567778m +8m", **(facts | {"sticks": 1}))
    assert (answer.han, answer.limit) == (7, "haneman")
    assert (answer.payments[0], answer.payments[3]) == (19300, -18300)


def test_second_entry_test_question_14() -> None:
    # Eight han as triplets, eleven as sequences: the higher reading, 24000.
    answer = _score("111222333m99m78m +9m", seat_wind="S", round_wind="E")
    assert set(_yaku(answer)) == {"清一色", "平和", "一杯口", "纯全带幺九"}
    assert (answer.han, answer.total) == (11, 24000)


# 7.7: fu. text, facts, han, fu.
FU = [
    ("234m567m34p678s88s *5p", {}, 3, 20),  # 平和 self-drawn: 20 (7.7.5)
    ("234m567m34p678s88s +5p", {}, 2, 30),  # concealed on a discard: 30 (7.7.2)
    ("234m34p678s88s [567m] +5p", {}, 1, 30),  # open, 20 in all: 30 (7.7.6)
    ("1133m5577p2244s6z +6z", {"riichi": 1}, 3, 25),  # 7.7.1
    ("234m567m34p678s11z +5p", {"riichi": 1}, 1, 40),  # double wind pair: +4 (7.7.3)
    ("234m567m34p678s55z +5p", {"riichi": 1}, 1, 40),  # dragon pair: 32
    ("234m567m678s34p44z +5p", {"riichi": 1}, 2, 30),  # guest wind pair: 平和
    ("(1111z) 345m34p678s88s +5p", {}, 2, 70),  # concealed kong of honours: 32
    ("(2222m) 345m34p678s88s *5p", {"riichi": 1}, 3, 40),  # of simples: 16
    ("[1111z] 345m34p678s88s +5p", {}, 2, 40),  # exposed kong of honours: 16
    ("[2222m+] 345m34p678s88s +5p", {}, 1, 30),  # of simples: 8
    ("111m345m345p678s8s +8s", {"riichi": 1}, 1, 40),
    ("345m567p678s35s88s +4s", {"riichi": 1}, 2, 40),
]  # fmt: skip


@pytest.mark.parametrize(("text", "facts", "han", "fu"), FU)
def test_fu(text: str, facts: dict[str, Any], han: int, fu: int) -> None:
    answer = _score(text, seat_wind="E", round_wind="E", **facts)
    assert (answer.han, answer.fu) == (han, fu)


# 7.3: yaku, a hand that has it, one that just misses it (None: no yaku at all is the miss).
YAKU: list[tuple[str, str, dict[str, Any], str, dict[str, Any]]] = [
    ("立直", "123m456p34s789s22z +5s", {"riichi": 1}, "123m456p34s789s22z +5s", {}),
    ("门前清自摸和", "123m456p34s789s22z *5s", {}, "123m456p34s789s22z +5s", {}),
    ("一发", "123m456p34s789s22z +5s", {"riichi": 1, "ippatsu": True},
     "123m456p34s789s22z +5s", {"riichi": 1}),
    ("断幺九", "[234m] 456p34s678s22p +5s", {}, "[123m] 456p34s678s22p +5s", {}),
    ("役牌-场风刻", "[222z] 456p34s678s22p +5s", {}, "[333z] 456p34s678s22p +5s", {}),
    ("役牌-门风刻", "[111z] 456p34s678s22p +5s", {}, "[444z] 456p34s678s22p +5s", {}),
    ("役牌-白", "[555z] 456p34s678s22p +5s", {}, "[444z] 456p34s678s22p +5s", {}),
    ("役牌-发", "[666z] 456p34s678s22p +5s", {}, "[555z] 456p34s678s22p +5s", {}),
    ("役牌-中", "[777z] 456p34s678s22p +5s", {}, "[555z] 456p34s678s22p +5s", {}),
    ("平和", "123m456p34s789s44z +5s", {}, "123m456p35s789s44z *4s", {}),
    ("一杯口", "112233m456p34s44z +5s", {}, "[123m] 123m456p34s44z *5s", {}),
    ("岭上开花", "[1111m] 456p34s678s22p *5s", {"after_kong": True},
     "[1111m] 456p34s678s22p *5s", {}),
    ("海底摸月", "[123m] 456p34s678s22p *5s", {"last_tile": True},
     "[123m] 456p34s678s22p +5s", {"last_tile": True}),
    ("河底捞鱼", "[123m] 456p34s678s22p +5s", {"last_tile": True},
     "[123m] 456p34s678s22p *5s", {"last_tile": True}),
    ("抢杠", "[123m] 456p34s678s22p +5s", {"robbing_kong": True},
     "[123m] 456p34s678s22p +5s", {}),
    ("两立直", "123m456p34s789s22z +5s", {"riichi": 2}, "123m456p34s789s22z +5s", {"riichi": 1}),
    ("七对子", "1133m5577p2244s6z +6z", {}, "[123m] 123m556677p1z +1z", {}),
    ("对对和", "[222m] [444p] 66s77z888s +6s", {}, "[222m] [444p] 66s77z678s +6s", {}),
    ("三色同顺", "[234m] 234p24s55p678s +3s", {}, "[234m] 234p35s55p678s +4s", {}),
    ("三色同刻", "[222m] [222p] 22s77z678s +2s", {}, "[222m] [222p] 33s77z678s +3s", {}),
    ("一气通贯", "[123m] 456m79m22z345p +8m", {}, "[123m] 456m68m22z345p +7m", {}),
    ("三暗刻", "222m444p66s55z789m *6s", {},
     "222m444p66s55z789m +6s", {"riichi": 1}),
    ("三杠子", "[2222m] [4444p] (6666s) 34m77z +5m", {}, "[2222m] [4444p] 666s34m77z +5m", {}),
    ("混全带幺九", "[123m] 789p12s999s22z +3s", {},
     "[123m] 678p12s999s22z +3s", {"last_tile": True}),
    ("混老头", "[111m] [999p] 11s999s22z +1s", {}, "[123m] [999p] 11s999s22z +1s", {}),
    ("小三元", "[555z] [666z] 77z34m678s +5m", {}, "[555z] [666z] 11z34m678s +5m", {}),
    ("纯全带幺九", "[123m] 789p12s999s11p +3s", {}, "[123m] 789p12s999s11z +3s", {}),
    ("混一色", "[123m] 456m78m999m11z +9m", {}, "[123m] 456p78m999m11z +6m", {"last_tile": True}),
    ("两杯口", "112233m445566p7s +7s", {}, "112233m456p567p7s +7s", {"riichi": 1}),
    ("清一色", "[123m] 456m78m555m99m +9m", {}, "[123m] 456m78m555m11z +9m", {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "has", "facts", "misses", "other"), YAKU, ids=[case[0] for case in YAKU]
)
def test_yaku_by_its_definition(
    name: str, has: str, facts: dict[str, Any], misses: str, other: dict[str, Any]
) -> None:
    winds = {"seat_wind": "E", "round_wind": "S"}
    assert name in _yaku(_score(has, **winds, **facts))
    assert name not in _yaku(_score(misses, **winds, **other))


# 7.3.6: yakuman and their multiples; with the ☆ rules every multiple is one (7.6).
YAKUMAN: list[tuple[str, str, dict[str, Any], int]] = [
    ("天和", "123m456p34s789s22z *5s", {"seat_wind": "E", "first_turn": True}, 1),
    ("地和", "123m456p34s789s22z *5s", {"seat_wind": "S", "first_turn": True}, 1),
    ("四暗刻", "222m444p66s777s55z *6s", {}, 1),
    ("四暗刻单骑", "222m444p666s777s5z +5z", {}, 2),
    ("国士无双", "19m19p19s1234566z +7z", {}, 1),
    ("国士无双十三面", "19m19p19s1234567z +7z", {}, 2),
    ("大三元", "[555z] [666z] 77z234m22p +7z", {}, 1),
    ("字一色", "[111z] [222z] 33z66655z +3z", {}, 1),
    ("大七星", "1122334455667z +7z", {}, 2),
    ("小四喜", "[111z] [222z] 33z44z456m +3z", {}, 1),
    ("大四喜", "[111z] [222z] [333z] 44z22m +4z", {}, 2),
    ("四杠子", "[2222m] (4444p) [6666s+] (8888s) 5z +5z", {}, 1),
    ("绿一色", "[234s] [666s] 888s66z22s +6z", {}, 1),
    ("清老头", "[111m] [999m] 111p99p11s +9p", {}, 1),
    ("九莲宝灯", "1112345678899m +9m", {}, 1),
    ("纯正九莲宝灯", "1112345678999m +5m", {}, 2),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "facts", "times"), YAKUMAN, ids=[case[0] for case in YAKUMAN]
)
def test_yakuman(name: str, text: str, facts: dict[str, Any], times: int) -> None:
    facts = {"seat_wind": "S", "round_wind": "E"} | facts
    answer = _score(text, **facts)
    assert _yaku(answer)[name] == times
    assert answer.yakuman == sum(fan.value for fan in answer.fans)
    assert (answer.han, answer.fu, answer.limit) == (None, None, "yakuman")
    assert _score(text, QIXING, **facts).yakuman == 1


def test_six_times_a_yakuman() -> None:
    # 7.13.7: 大四喜 字一色 四暗刻单骑 四杠子, the dealer self-drawn: 96000 each; ☆ 16000 each.
    text = "(1111z) (2222z) (3333z) (4444z) 5z *5z"
    assert _score(text, seat_wind="E").payments == (288000, -96000, -96000, -96000)
    assert _score(text, QIXING, seat_wind="E").payments == (48000, -16000, -16000, -16000)


def test_blessing_of_man_is_five_han_beside_others() -> None:
    # 7.3.4(1)
    answer = _score("234m567m34p678s88s +5p", first_turn=True, seat_wind="S", round_wind="E")
    assert _yaku(answer) == {"人和": 5, "断幺九": 1, "平和": 1}


def test_with_the_blessing_of_heaven_any_tile_is_the_winning_one() -> None:
    # 6.3.2: the hand may be read as waiting on thirteen kinds.
    answer = _score("1m9m19p19s1234567z *1m", seat_wind="E", first_turn=True)
    assert answer.yakuman == 3
    answer = _score("11m9m19p19s123456z *7z", seat_wind="E", first_turn=True)
    assert answer.yakuman == 3


def test_a_replacement_tile_is_never_the_last_one() -> None:
    # Second test, solution 6C: only 岭上开花 is counted when no tile is left.
    answer = _score("[1111m] 456p34s678s22p *5s", after_kong=True, last_tile=True, seat_wind="E")
    assert _yaku(answer) == {"岭上开花": 1}


def test_dora_red_ura_and_norths() -> None:
    facts: dict[str, Any] = {"seat_wind": "E", "round_wind": "E"}
    answer = _score(
        "234m067m34p678s88s *5p", riichi=1, dora_indicators=tiles("7s7s"),
        ura_indicators=tiles("4m1m"), **facts,
    )  # fmt: skip
    # Each indicator of the same kind makes its tile worth one more (7.4.3).
    assert _yaku(answer)["宝牌"] == 6
    assert _yaku(answer)["红宝牌"] == 1
    assert _yaku(answer)["里宝牌"] == 2
    # Three players: 1m points at 9m; a north set aside is worth one, and one more if indicated.
    answer = _score(
        "999m456p34s678s88s *5s", SANMA, riichi=1, norths=2,
        dora_indicators=tiles("1m3z"), ura_indicators=tiles("1z1z"), **facts,
    )  # fmt: skip
    assert _yaku(answer)["宝牌"] == 3 + 2
    assert _yaku(answer)["拔北宝牌"] == 2


def test_three_players_pay() -> None:
    # Appendix 2: two pay; a counter is 200 on a discard and 100 each on a self-draw.
    text = "999m456p34s678s88s"
    facts: dict[str, Any] = {"riichi": 1, "round_wind": "E", "honba": 2}
    drawn = _score(f"{text} *5s", SANMA, seat_wind="E", **facts)
    assert drawn.payments == (2400, -1200, -1200)
    drawn = _score(f"{text} *5s", SANMA, seat_wind="W", **facts)
    assert drawn.payments == (1900, -1200, -700)
    # West's dealer sits to the right.
    assert drawn.payments[1] < drawn.payments[2] < 0
    won = _score(f"{text} +5s", SANMA, seat_wind="W", **facts)
    assert won.payments == (won.total + 400, 0, -won.total - 400)


@pytest.mark.parametrize(
    ("text", "facts", "paid"),
    [
        # 7.11.3(1): self-drawn, the liable player pays everything that is the combination's.
        ("[555z] [666z] [777z] 3m999p *3m",
         {"liable": "left", "seat_wind": "S"}, (32000, 0, 0, -32000)),
        ("[555z] [666z] [777z] 3m999p *3m", {"liable": "across", "seat_wind": "E", "honba": 2},
         (48600, 0, -48600, 0)),
        # 7.11.3(2): on a discard half of it.
        ("[555z] [666z] [777z] 3m999p +3m", {"liable": "across", "seat_wind": "S", "from_": "left"},
         (32000, 0, -16000, -16000)),
        # The liable player discards: he pays it all.
        ("[555z] [666z] [777z] 3m999p +3m", {"liable": "left", "seat_wind": "S", "from_": "left"},
         (32000, 0, 0, -32000)),
        # 7.12.3(3): the counters are the liable player's.
        ("[555z] [666z] [777z] 3m999p +3m",
         {"liable": "right", "seat_wind": "S", "from_": "left", "honba": 1, "sticks": 1},
         (33300, -16300, 0, -16000)),
        # 大三元 beside 字一色: only the part of 大三元 is moved.
        ("[555z] [666z] [777z] 1z222z *1z", {"liable": "left", "seat_wind": "S"},
         (64000, -8000, -8000, -48000)),
        # 大四喜 counts twice, so its part is twice.
        ("[111z] [222z] [333z] [444z] 5m *5m", {"liable": "left", "seat_wind": "S"},
         (64000, 0, 0, -64000)),
        # Nothing to be liable for.
        ("[555z] [666z] 345m3m999p *3m", {"liable": "left", "seat_wind": "E"}, None),
    ],
)  # fmt: skip
def test_liability(text: str, facts: dict[str, Any], paid: tuple[int, ...] | None) -> None:
    answer = _score(text, round_wind="W", **facts)
    if paid is None:
        assert len(set(answer.payments[1:])) == 1
    else:
        assert answer.payments == paid


def test_liability_with_the_single_multiple() -> None:
    # ☆: everything is one yakuman, so the combination's part is all of it.
    answer = _score(
        "[555z] [666z] [777z] 1z222z *1z", QIXING, liable="left", seat_wind="S", round_wind="W"
    )
    assert answer.payments == (32000, 0, 0, -32000)


WAITS = [
    ("1112m", "2m 3m"),
    ("1113m", "2m 3m"),
    ("2345m", "2m 5m"),
    ("1133557799m113p", "3p"),
    ("19m19p19s1234567z", "1m 9m 1p 9p 1s 9s 1z 2z 3z 4z 5z 6z 7z"),
    ("1111m", ""),  # 6.2: all four stand in the hand
    ("1122334455667m", "1m 4m 7m"),
]


@pytest.mark.parametrize(("standing", "expected"), WAITS)
def test_waits(standing: str, expected: str) -> None:
    from tests.table_controller.scoring.notation import meld

    held = tiles(standing)
    laid = [meld(text) for text in ("[345p]", "[789s]", "[111z]")][: (13 - len(held)) // 3]
    assert " ".join(waits(held, laid)) == expected


@pytest.mark.parametrize(
    ("text", "facts", "reason"),
    [
        ("123m456p35s789s22z +4s", {}, "no yaku"),
        ("123m456p34s789s2z3z +5s", {}, "not a winning shape"),
        # 6.1.2: four equal tiles are not two pairs.
        ("1111m5577p2244s6z +6z", {"riichi": 1}, "not a winning shape"),
    ],
)
def test_what_is_no_win(text: str, facts: dict[str, Any], reason: str) -> None:
    answer = _score(text, seat_wind="W", round_wind="E", **facts)
    assert not answer.legal
    assert answer.reason == reason
    assert answer.payments == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "options", "facts", "message"),
    [
        ("123m456p34s789s22z +5s", XJTU, {"flowers": 1}, "flowers"),
        ("123m456p34s789s22z +5s", XJTU, {"norths": 1}, "norths"),
        ("123m456p34s789s22z +5s", SANMA, {}, "hand: 2m"),
        ("456p34s789s22z [555m] +5s", SANMA, {}, r"melds\.0\.tiles: 5m"),
        ("999m456p34s789s22z +5s", SANMA, {"from_": "across"}, "across"),
        ("999m456p34s789s22z +5s", SANMA, {"seat_wind": "N"}, "North"),
        ("999m34s789s22z [456p] +5s", SANMA, {}, "no chow"),
    ],
)
def test_bad_hands(text: str, options: Any, facts: dict[str, Any], message: str) -> None:
    with pytest.raises(BadHandError, match=message):
        _score(text, options, **facts)
