"""The view of the follower, made small for the page."""

from __future__ import annotations

from typing import Any

from table_controller.happenings.view import TableView, TileView


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


def scoreboard(state: dict[str, Any]) -> dict[str, Any]:
    """What the page's header and seats need of the rule state."""
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
        "readings": state.get("readings"),
        "sure": state.get("sure"),
    }
