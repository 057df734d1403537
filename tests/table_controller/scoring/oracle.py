"""Comparison of the scorers with independent programs on random legal hands.

``python -m tests.table_controller.scoring.oracle mcr 200000 --seed 1`` compares with PyMahjongGB;
``riichi`` with the packages ``mahjong`` and ``riichienv``. Prints what differs and exits 1 when a
difference has no explanation.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from table_controller.domain.tiles import Tile
from table_controller.scoring.answer import ScoreAnswer
from table_controller.scoring.hand import ScoringHand
from table_controller.scoring.mcr import load_options, score
from tests.table_controller.scoring.generate import winning_hand

_OFFER = {None: 1, "left": 1, "across": 2, "right": 3}
_HONOURS = {"1": "F1", "2": "F2", "3": "F3", "4": "F4", "5": "J3", "6": "J2", "7": "J1"}
_SUITS = {"m": "W", "p": "B", "s": "T"}

# Where a ruleset departs from the other program, by fan, with the clause. Differences are taken
# as explained only when every fan that differs stands here.
EXPLAINED: dict[str, dict[str, str]] = {
    "mcr-1998": {},
    "mcr-2006-du": {
        "一明杠一暗杠": "Q41: 6, not 5",
        "暗杠": "Q57, Q69: beside 四杠 and 三杠 one concealed kong adds 2",
        "双暗杠": "Q57, Q69: beside 四杠 and 三杠 two concealed kongs add 6",
        "双暗刻": "Q57, Q69: two concealed kongs in place of 双暗刻",
        "四归一": "Q71 ex. 2: inevitable with 七对 of terminals",
        "幺九刻": "annex 4: not counted with 九莲宝灯",
    },
    "mcr-2002-tianjin": {
        "双暗刻": "Q49, Q54: nothing concealed is added beside 四杠 and 三杠",
        "三暗刻": "Q49, Q54",
        "四暗刻": "Q49, Q54",
        "门前清": "Q49, Q54: 四暗刻, which excludes it, is not counted",
        "碰碰和": "Q54: 四暗刻, which excludes it, is not counted beside 三杠",
        "不求人": "Q50: counted with special hands and 四暗刻",
        "自摸": "Q50: part of 不求人, which is counted",
        "三同刻": "Q49: 13 beside 四杠",
        "双箭刻": "Q49: 4 beside 四杠",
        "三风刻": "Q49: 9 beside 四杠",
        "圈风刻": "Q49: 1 beside 四杠",
        "门风刻": "Q49: 1 beside 四杠",
        "明杠": "Q32, Q67: base of 杠上开花",
        "暗杠": "Q32, Q67: base of 杠上开花, one point less",
        "双明杠": "Q32, Q67: base of 杠上开花, one point less",
        "双暗杠": "Q32, Q67: base of 杠上开花, one point less",
        "一明杠一暗杠": "Q32, Q67: base of 杠上开花, one point less",
        "混一色": "Q44 ex. 2: not with 大四喜 and a terminal pair",
        "幺九刻": "appendix 4: not counted with 九莲宝灯",
        **dict.fromkeys(
            ("清幺九", "混幺九", "字一色", "全大", "全中", "全小", "大于五", "小于五"),
            "Q51-Q64: these ask for sets and a pair, so not with 七对",
        ),
        "无字": "Q51-Q64: not excluded when the fan above falls away",
        "断幺": "Q59: as 无字",
        "五门齐": "Q51-Q64",
        "七对": "Q51-Q64: another reading is higher then",
        "四归一": "Q51-Q64: another reading is higher then",
    },
}


def tile_name(tile: Tile) -> str:
    """A tile as PyMahjongGB writes it."""
    rank, suit = tile.value[0], tile.value[1]
    return _HONOURS[rank] if suit == "z" else _SUITS[suit] + rank


def pymahjonggb(hand: ScoringHand) -> Counter[str]:
    """Points by fan as PyMahjongGB counts them."""
    from MahjongGB import MahjongFanCalculator

    packs: list[tuple[str, str, int]] = []
    for meld in hand.melds:
        if meld.kind == "chow":
            packs.append(("CHI", tile_name(sorted(meld.tiles)[1]), 1))
        elif meld.kind == "pung":
            packs.append(("PENG", tile_name(meld.tiles[0]), _OFFER[meld.from_]))
        else:
            offer = 0 if meld.concealed else _OFFER[meld.from_]
            packs.append(("GANG", tile_name(meld.tiles[0]), offer))
    answer = MahjongFanCalculator(
        pack=tuple(packs),
        hand=tuple(tile_name(tile) for tile in hand.hand),
        winTile=tile_name(hand.win_tile),
        flowerCount=hand.flowers,
        isSelfDrawn=hand.self_drawn,
        is4thTile=hand.last_of_kind,
        isAboutKong=hand.after_kong or hand.robbing_kong,
        isWallLast=hand.last_tile,
        seatWind="ESWN".index(hand.seat_wind or "E"),
        prevalentWind="ESWN".index(hand.round_wind or "E"),
        verbose=True,
    )
    points: Counter[str] = Counter()
    for value, count, name, _ in answer:
        points[_NAMES.get(name, name)] += value * count
    return points


_NAMES = {
    "明暗杠": "一明杠一暗杠",
    "独听・单钓": "single",
    "独听・嵌张": "single",
    "独听・边张": "single",
    "单钓将": "single",
    "坎张": "single",
    "边张": "single",
}


def own(answer: ScoreAnswer) -> Counter[str]:
    """Points by fan of our own answer."""
    points: Counter[str] = Counter()
    for fan in answer.fans:
        points[_NAMES.get(fan.name_zh, fan.name_zh)] += fan.value * fan.count
    return points


@dataclass
class Report:
    """What a comparison found.

    Attributes:
        hands: how many were compared.
        unexplained: differing hands without an explanation.
        explained: how often each fan explains a difference in the total.
        readings: same total, another reading of equal value.
        fans: how often each fan occurred.
        median_ms: our median time for one hand.
    """

    hands: int = 0
    unexplained: list[Any] = field(default_factory=list)
    explained: Counter[str] = field(default_factory=Counter)
    readings: int = 0
    fans: Counter[str] = field(default_factory=Counter)
    median_ms: float = 0.0


def compare_mcr(number: int, seed: int, ruleset: str = "mcr-1998") -> Report:
    """Our scorer against PyMahjongGB on random hands."""
    rng = random.Random(seed)
    options = load_options(ruleset)
    explained = EXPLAINED[ruleset]
    report = Report(hands=number)
    times: list[float] = []
    for _ in range(number):
        hand = winning_hand(rng)
        start = time.perf_counter()
        answer = score(hand, options)
        times.append(time.perf_counter() - start)
        report.fans.update(fan.name_zh for fan in answer.fans)
        ours, theirs = own(answer), pymahjonggb(hand)
        if ours == theirs:
            continue
        if sum(ours.values()) == sum(theirs.values()):
            report.readings += 1
            continue
        differing = {fan for fan in ours | theirs if ours[fan] != theirs[fan]}
        if differing & explained.keys() and (
            differing <= explained.keys() or _other_reading(hand, ruleset)
        ):
            report.explained.update(differing & explained.keys())
        else:
            report.unexplained.append((hand, ours - theirs, theirs - ours))
    report.median_ms = sorted(times)[number // 2] * 1000 if number else 0.0
    return report


def _other_reading(hand: ScoringHand, ruleset: str) -> bool:
    """Whether the ruleset's own values alone moved the choice to another reading."""
    return own(score(hand, load_options("mcr-1998"))) == pymahjonggb(hand) and ruleset != "mcr-1998"


def main(arguments: list[str] | None = None) -> int:
    """Run one comparison and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", choices=["mcr", "riichi"])
    parser.add_argument("hands", type=int, nargs="?", default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ruleset", default=None)
    given = parser.parse_args(arguments)
    if given.family == "riichi":
        from tests.table_controller.scoring.oracle_riichi import compare_riichi

        report = compare_riichi(given.hands, given.seed)
    else:
        report = compare_mcr(given.hands, given.seed, given.ruleset or "mcr-1998")
    print(f"{report.hands} hands, median {report.median_ms:.3f} ms a hand")
    print(f"{report.readings} of equal total by another reading")
    for fan, count in report.explained.most_common():
        print(f"explained {count:7d}  {fan}")
    print(f"{len(report.unexplained)} unexplained")
    for found in report.unexplained[:20]:
        print("  ", found)
    return 1 if report.unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
