"""Outputs to the JSON Lines of the contract, section 3."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, Final

from table_controller.domain.codec import to_object as happening_object
from table_controller.domain.happenings import Happening
from table_controller.domain.outputs import (
    Alert,
    HandRecord,
    Move,
    Output,
    Payment,
    Ruling,
    WinRecord,
)
from table_controller.domain.tiles import Tile


def to_object(output: Output) -> dict[str, Any]:
    """The contract's form: ``t`` and ``type`` first, absent fields left out of moves."""
    if isinstance(output, Move):
        return _move(output)
    if isinstance(output, Alert):
        return _alert(output)
    return _hand(output)


def to_line(output: Output) -> str:
    """One line of JSON, without the line end."""
    return json.dumps(to_object(output), ensure_ascii=False)


def happening_line(happening: Happening) -> str:
    """A happening as an output line: with its type and confidence."""
    data = happening_object(happening)
    ordered = {"t": data.pop("t"), "type": "happening", **data}
    ordered["confidence"] = round(happening.confidence, 4)
    return json.dumps(ordered, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Tile):
        return value.value
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _move(move: Move) -> dict[str, Any]:
    data: dict[str, Any] = {"t": move.t, "type": "move", "move": move.move}
    for name in ("seat", "tile", "tiles", "from_", "kong", "values", "slots"):
        value = getattr(move, name)
        if value is not None:
            data[name.rstrip("_")] = _plain(value)
    if move.inferred:
        data["inferred"] = True
    return data


def ruling_object(ruling: Ruling) -> dict[str, Any]:
    """A ruling as JSON values; ``extra`` stands beside the named fields."""
    return {
        "summary": ruling.summary,
        "summary_zh": ruling.summary_zh,
        "points": ruling.points,
        "payments": [{"from": p.from_, "to": p.to, "points": p.points} for p in ruling.payments],
        "payees": sorted({p.to for p in ruling.payments if p.to is not None}),
        "stop_win": ruling.stop_win,
        "play_along": ruling.play_along,
        "warning": ruling.warning,
        "penalty_tile": _plain(ruling.penalty_tile),
        "remedy": ruling.remedy,
        "until": ruling.until,
        "until_text": ruling.until_text,
        **_plain(ruling.extra),
    }


_OWN: Final = {field.name for field in fields(Ruling)} | {"payees"}


def ruling_of(body: dict[str, Any]) -> Ruling:
    """A ruling from its JSON values (contract, section 3)."""
    tile = body.get("penalty_tile")
    return Ruling(
        summary=body.get("summary") or "",
        summary_zh=body.get("summary_zh") or "",
        points=body.get("points", 0),
        payments=tuple(
            Payment(from_=p["from"], to=p["to"], points=p["points"])
            for p in body.get("payments", ())
        ),
        stop_win=body.get("stop_win", False),
        play_along=body.get("play_along", False),
        warning=body.get("warning", False),
        penalty_tile=Tile(tile) if tile else None,
        remedy=body.get("remedy"),
        until=body.get("until"),
        until_text=body.get("until_text"),
        extra={key: value for key, value in body.items() if key not in _OWN},
    )


def _alert(alert: Alert) -> dict[str, Any]:
    data: dict[str, Any] = {
        "t": alert.t,
        "type": "alert",
        "id": alert.id,
        "seat": alert.seat,
        "t_raised": alert.t_raised,
    }
    if alert.stage is not None:
        data["stage"] = alert.stage
    if alert.count is not None:
        data["count"] = alert.count
    data["confidence"] = alert.confidence
    data["rule"] = {"ruleset": alert.rule.ruleset, "clause": alert.rule.clause}
    data["ruling"] = ruling_object(alert.ruling)
    data["evidence"] = {
        "files": list(alert.files),
        "happenings": [happening_object(h) for h in alert.evidence],
    }
    return data


def _win(win: WinRecord) -> dict[str, Any]:
    return {
        "winner": win.winner,
        "from": win.from_,
        "win_tile": win.win_tile.value,
        "tiles": _plain(win.tiles),
        "melds": [dict(meld) for meld in win.melds],
        "flowers": _plain(win.flowers),
        **win.score,
    }


def _hand(hand: HandRecord) -> dict[str, Any]:
    return {
        "t": hand.t,
        "type": "hand",
        "hand": hand.hand,
        "round_wind": hand.round_wind,
        "dealer": hand.dealer,
        "honba": hand.honba,
        "result": hand.result,
        "reason": hand.reason,
        "wins": [_win(win) for win in hand.wins],
        "payments": list(hand.payments),
        "penalties": list(hand.penalties),
        "scores": list(hand.scores),
        "confirmed": hand.confirmed,
    }
