"""The view of the follower, made small for the page."""

from __future__ import annotations

from typing import Any

from table_controller.happenings.view import TableView, TileView
from table_controller.rulesets.model import Timers


def drawing(view: TableView) -> dict[str, Any]:
    """What the page needs to draw the table: millimetres in whole tenths, short names."""
    tiles: list[dict[str, Any]] = []
    used: dict[str, int] = {}
    for tile in view.tiles:
        name = _place(tile)
        used[name] = used.get(name, 0) + 1
        tiles.append(
            {
                "id": f"{name}.{used[name]}",
                "x": round(tile.x, 1),
                "y": round(tile.y, 1),
                "z": round(tile.z),
                "angle": round(tile.angle, 1),
                "posture": tile.posture,
                "face": tile.tile,
                "place": tile.place,
            }
        )
    return {
        "t": view.t,
        "playing": view.playing,
        "machine": view.machine,
        "tiles": tiles,
        "dice": [{"x": round(d.x, 1), "y": round(d.y, 1), "value": d.value} for d in view.dice],
        "covered": [[[round(x), round(y)] for x, y in polygon] for polygon in view.covered],
        "hands": list(view.hands),
        "wall": view.wall_tiles,
        "blind_since": view.blind_since,
    }


def _place(tile: TileView) -> str:
    """A name that stays with a tile while it stays in its place: it is not drawn anew then."""
    at = tile.slot or tile.cell or (tile.meld, round(tile.x / 8), round(tile.y / 8))
    return f"{tile.place}{tile.seat}:{'/'.join(str(part) for part in at)}"


def scoreboard(
    state: dict[str, Any], timers: Timers | None = None, session_minutes: float | None = None
) -> dict[str, Any]:
    """What the page's header, seats, timers and the hand under check need of the rule state.

    Args:
        state: of the engine.
        timers: the ruleset's limits, s.
        session_minutes: how long a session lasts.
    """
    seats = state.get("seats", [])
    return {
        "round_wind": state.get("round_wind"),
        "hand": state.get("hand"),
        "dealer": state.get("dealer"),
        "phase": state.get("phase"),
        "turn": state.get("turn"),
        "wall_left": state.get("wall_left"),
        "scores": state.get("scores"),
        "deductions": state.get("deductions"),
        "winds": [seat["wind"] for seat in seats],
        "stop_win": [bool(seat["stop_win"]) for seat in seats],
        "penalty_tiles": [seat.get("penalty_tiles", []) for seat in seats],
        "calls": [
            {"seat": call["seat"], "call": call["call"], "t": call["t"]}
            for call in state.get("calls") or ()
        ],
        "timers": _timers(state, timers, session_minutes),
        "session": state.get("session"),
        "dora": state.get("dora_indicators"),
        "honba": state.get("honba"),
        "sticks": state.get("sticks"),
        "riichi": [riichi is not None for riichi in state.get("riichi") or ()],
        "check": _under_check(state),
        "readings": state.get("readings"),
        "sure": state.get("sure"),
    }


def _timers(
    state: dict[str, Any], timers: Timers | None, minutes: float | None
) -> list[dict[str, Any]]:
    """The clocks that run now: what each is for, its limit in s, and since when it runs."""
    running: list[dict[str, Any]] = []
    if timers is None:
        return running
    last = state.get("last_discard")
    if state.get("phase") == "play":
        if last is not None and timers.pung_s and state.get("need") == "draw" and "t" in last:
            running.append({"what": "claim", "limit": timers.pung_s, "since": last["t"]})
        first = not any(seat.get("pool") for seat in state.get("seats", ()))
        limit = timers.first_discard_s if first else timers.discard_s
        since = state.get("draw_t")
        if not first and timers.discard_from == "previous_discard" and last is not None:
            since = last.get("t", since)
        if limit and since and state.get("need") == "discard":
            what = "first_discard" if first else "discard"
            running.append(
                {"what": what, "limit": limit, "since": since, "seat": state.get("turn")}
            )
    started = state.get("session_from")
    if minutes and started:
        running.append({"what": "session", "limit": minutes * 60, "since": started})
    return running


def _under_check(state: dict[str, Any]) -> dict[str, Any] | None:
    """The hand that was laid open and is not closed yet, in the form of a record's wins.

    Or that a hand is at its end without a win: whoever is ready may still show it (riichi).
    """
    wins = state.get("wins")
    if state.get("at_the_end"):
        return {"at_the_end": True, "wins": []}
    if state.get("phase") != "check" or not wins or "tiles" not in wins[0]:
        return None
    seats = state["seats"]
    payments = [0, 0, 0, 0]
    for win in wins:
        for seat, share in enumerate(_shares(win)):
            payments[seat] += share
    return {
        "honba": state.get("honba") or 0,
        "payments": payments,
        "wins": [
            {
                "winner": win["seat"],
                "from": win["from"],
                "win_tile": win["tile"],
                "tiles": win["tiles"],
                "melds": seats[win["seat"]]["melds"],
                "flowers": seats[win["seat"]]["flowers"],
                **win.get("score", {}),
            }
            for win in wins
        ],
    }


def _shares(win: dict[str, Any]) -> list[int]:
    """What a win would pay, by seat; the scorer counts from the winner counter-clockwise."""
    if "shares" in win:
        return list(win["shares"])
    shares = [0, 0, 0, 0]
    paid = (win.get("score") or {}).get("payments") or ()
    for step, points in enumerate(paid):
        shares[(win["seat"] + step) % 4] = points
    return shares
