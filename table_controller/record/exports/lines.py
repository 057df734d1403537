"""The lines of the competition record sheet, the same on paper and in the spreadsheet.

The MCR books' sheet has a line a hand: who won from whom with how many points, each seat's result,
the running total, and the referee's penalties, with the symbols of 竞赛成绩记录表 (source 000): ▲
dealer, - discarder, + self-draw, 0 drawn hand, √ false win, × warning. A riichi sheet has the same
columns with han and fu, and 立 for a riichi.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from table_controller.domain.alert_names import alert_title
from table_controller.domain.outputs import HandRecord
from table_controller.record.protests import with_outcome
from table_controller.record.session import SessionRecord

HEAD: Final = ("盘 Hand", "和牌 Winner", "点和 From", "分/番 Points", "主番 Main fan")
WINDS: Final = {"E": "东", "S": "南", "W": "西", "N": "北"}


def heading(record: SessionRecord) -> list[str]:
    """Title, rules, and when it began."""
    began = datetime.fromtimestamp(record.start, UTC).strftime("%Y-%m-%d %H:%M UTC")
    rules = f"{record.ruleset.title_zh} {record.ruleset.title} ({record.ruleset.name})"
    return ["比赛记录表 Record sheet", rules, began]


_SYMBOLS: Final = "▲ 庄 dealer · － 点炮 discarder · ＋ 自摸 self-draw · 0 荒牌 drawn"
LEGEND: Final = {
    "mcr": f"{_SYMBOLS} · √ 诈和 false win · × 警告 warning",
    "riichi": f"{_SYMBOLS} · 立 立直 riichi · √ 诈和 false win · × 警告 warning",
}
"""What the symbols mean, by family of rules."""
_FALSE_WINS: Final = ("false-win", "win-below-minimum", "win-wrong-tile")


def marks(record: SessionRecord, number: int, hand: HandRecord) -> list[str]:
    """The symbols of each seat in one hand, counted from 1."""
    found = ["", "", "", ""]
    found[hand.dealer] += "▲"
    for move in record.fold.moves(number):
        if move.move == "riichi" and move.seat is not None:
            found[move.seat] += "立"
    for win in hand.wins:
        if win.from_ is None:
            found[win.winner] += "＋"
        elif "－" not in found[win.from_]:
            found[win.from_] += "－"
    for alert in record.rulings(number):
        if alert.seat is None:
            continue
        if alert.id in _FALSE_WINS:
            found[alert.seat] += "√"
        if alert.ruling.warning:
            found[alert.seat] += "×"
    if hand.result == "exhausted":
        found = [mark + "0" for mark in found]
    return found


def protest_lines(record: SessionRecord) -> list[list[str | int]]:
    """A line a protest: about what, which seat, why, who took it, what became of it."""
    seats = names(record)
    return [
        [
            one["about"],
            "" if one["seat"] is None else seats[one["seat"]],
            one["reason"],
            one["by"],
            "未决 open"
            if one["lifted"] is None
            else f"{one['lifted']['by']}: {one['lifted']['reason']}",
        ]
        for one in with_outcome(record.protests)
    ]


PROTEST_HEAD: Final = ("抗议 Protest", "座位 Seat", "事由 Reason", "受理 Taken by", "结果 Outcome")


def names(record: SessionRecord) -> list[str]:
    """What stands over the four columns of the seats."""
    return [name or f"座位 Seat {seat}" for seat, name in enumerate(record.names)]


AT_THE_END: Final = "终局 At the end"
UNFINISHED: Final = "未完 Unfinished"


def label(record: SessionRecord, number: int) -> str:
    """What a hand, counted from 1, is called: ``东1``; in riichi ``南2局 1本场``.

    What comes after the last finished hand belongs to the end, or to a hand that goes on.
    """
    if number > len(record.hands):
        return AT_THE_END if record.match.over else UNFINISHED
    hand = record.hands[number - 1]
    if record.ruleset.family != "riichi":
        return f"{WINDS[hand.round_wind]}{hand.hand}"
    # Hands are counted through the match, and named within their round.
    within = (hand.hand - 1) % record.ruleset.equipment.players + 1
    named = f"{WINDS[hand.round_wind]}{within}局"
    return f"{named} {hand.honba}本场" if hand.honba else named


def hand_lines(record: SessionRecord) -> list[list[str | int]]:
    """A line a hand: the columns of :data:`HEAD`, results by seat, totals by seat."""
    lines: list[list[str | int]] = []
    seats = names(record)
    for number, hand in enumerate(record.hands):
        won = hand.wins[0] if hand.wins else None
        fans: list[dict[str, Any]] = won.score.get("fans", []) if won else []
        main = max(fans, key=lambda fan: fan["value"])["name_zh"] if fans else ""
        points: str | int = ""
        if won is not None:
            score = won.score
            points = score.get("total") or ""
            if record.ruleset.family == "riichi":
                points = _han_fu(score)
        mark = "" if record.confirmed[number] else " *"
        mark += " 抗议" if f"hand-{number + 1:03d}" in record.protested else ""
        nobody = "荒牌 drawn" if hand.result == "exhausted" else "流局 void"
        lines.append(
            [
                f"{label(record, number + 1)}{mark}",
                nobody if won is None else " / ".join(seats[win.winner] for win in hand.wins),
                "" if won is None else "自摸 self" if won.from_ is None else seats[won.from_],
                points,
                main,
                *(a + b for a, b in zip(hand.payments, hand.penalties, strict=True)),
                *hand.scores,
            ]
        )
    return lines


def _han_fu(score: dict[str, Any]) -> str:
    """``3番30符 3900``, or how many yakuman."""
    worth = f"役满×{score['yakuman']}" if score.get("yakuman") else ""
    if score.get("han") is not None:
        worth = f"{score['han']}番{score.get('fu') or '-'}符"
    return f"{worth} {score.get('total') or ''}".strip()


def penalty_lines(record: SessionRecord) -> list[list[str | int]]:
    """A line a ruling that stands: hand, seat, what, points, clause."""
    lines: list[list[str | int]] = []
    seats = names(record)
    for number in range(1, len(record.hands) + 2):
        for alert in record.rulings(number):
            title = alert_title(alert.id)
            said = alert.ruling.summary if alert.id == "other" else f"{title['zh']} {title['en']}"
            extras = [
                word
                for word, on in (("停和", alert.ruling.stop_win), ("警告", alert.ruling.warning))
                if on
            ]
            lines.append(
                [
                    label(record, number),
                    "" if alert.seat is None else seats[alert.seat],
                    said,
                    -alert.ruling.points,
                    " ".join(extras),
                    alert.rule.clause,
                ]
            )
    return lines


def closing_lines(record: SessionRecord) -> list[list[str | int]]:
    """What the end brought beside the hands, as one more line of theirs; none where it is nothing.

    Rulings after the last hand; in riichi warnings too, and sticks that were left.
    """
    last = list(record.hands[-1].scores) if record.hands else [0, 0, 0, 0]
    scores = record.scores
    if scores == last:
        return []
    change = [score - before for score, before in zip(scores, last, strict=True)]
    return [[AT_THE_END, "", "", "", "", *change, *scores]]


def totals(record: SessionRecord) -> list[int]:
    """The scores after the last hand, or at the end."""
    return record.scores
