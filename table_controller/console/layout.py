"""The rule state drawn as a table: what the page shows of a moment that is long past.

The cameras' millimetres are not kept for every moment; the rules' state is. It is laid out here
the way the tiles lie on a real table, in the same form as the live view.
"""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

_COLUMNS = 6


def layout(
    state: dict[str, Any], tile_mm: tuple[float, float, float] = (26.0, 36.0, 20.0)
) -> dict[str, Any]:
    """A view (tiles, dice) of a rule state.

    Args:
        state: of :attr:`table_controller.game.engine.Engine.state`.
        tile_mm: width, height and thickness of a tile.

    Returns:
        The form of :func:`table_controller.console.drawing.drawing`; lengths in mm.
    """
    width, height, thick = tile_mm
    tiles: list[dict[str, Any]] = []

    def put(
        seat: int, name: str, along: float, out: float, face: str, posture: str, z: float,
        turn: float = 0.0,
    ) -> None:  # fmt: skip
        # Along: to that player's right; out: from the centre towards that player.
        angle = radians(90.0 * seat)
        x, y = along * cos(angle) + out * sin(angle), along * sin(angle) - out * cos(angle)
        tiles.append(
            {
                "id": f"{name}{seat}.{len(tiles)}",
                "x": round(x, 1),
                "y": round(y, 1),
                "z": round(z),
                "angle": 90.0 * seat + turn,
                "posture": posture,
                "face": face,
                "place": name,
            }
        )

    pool_at = 3 * width + height / 2 + 4
    wall_at = pool_at + 4.2 * height
    meld_at = wall_at + 1.5 * height
    hand_at = meld_at + 1.5 * height
    for side, stacks in enumerate(state.get("walls") or ()):
        for number, left in enumerate(stacks, start=1):
            along = (len(stacks) / 2 - number + 0.5) * width
            for level in range(left):
                put(side, "wall", along, wall_at, "back", "face_down", thick * (level + 1))
    for seat in state.get("seats", ()):
        side = seat["seat"]
        _pool(seat.get("pool", ()), side, pool_at, width, height, thick, put)
        along = 8.5 * width
        for meld in reversed(seat.get("melds", ())):
            for face in reversed(meld["tiles"]):
                hidden = meld.get("concealed") or face == "back"
                shown = "back" if hidden else face
                put(
                    side, "meld", along, meld_at, shown, "face_down" if hidden else "face_up", thick
                )
                along -= width
            along -= width / 3
        for face in seat.get("flowers", ()):
            put(side, "flower", along, meld_at, face, "face_up", thick)
            along -= width
        standing = seat.get("standing") or 0
        for number in range(standing):
            along = (number - (standing - 1) / 2) * width
            put(side, "hand", along, hand_at, "back", "standing", height)
    for win in state.get("wins") or ():
        shown = [*win.get("tiles", ()), win["tile"]]
        side = win["seat"]
        tiles[:] = [
            t for t in tiles if not (t["place"] == "hand" and t["id"].startswith(f"hand{side}."))
        ]
        for number, face in enumerate(shown):
            along = (number - (len(shown) - 1) / 2) * width
            put(side, "hand", along, hand_at, face, "face_up", thick)
    dice = [
        {"x": 14.0 * (n - 0.5), "y": 0.0, "value": value}
        for n, value in enumerate((state.get("dice") or [[]])[-1][:2])
    ]
    return {"t": state.get("t"), "tiles": tiles, "dice": dice, "wall": state.get("wall_left")}


def _pool(
    pool: Any, side: int, pool_at: float, width: float, height: float, thick: float, put: Any
) -> None:
    count = 0
    for discard in pool:
        if discard.get("claimed"):
            continue
        row, column = discard.get("place") or divmod(count, _COLUMNS)
        count += 1
        along = (column - (_COLUMNS - 1) / 2) * width
        turn = 90.0 if discard.get("rotated") else 0.0
        put(side, "pool", along, pool_at + row * height, discard["tile"], "face_up", thick, turn)
