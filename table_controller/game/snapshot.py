"""The state of one reading as plain data, for the console and the journal's checks."""

from __future__ import annotations

from typing import Any

from table_controller.game.base import Meld, SeatState, Table
from table_controller.game.mcr.table import ChineseTable


def snapshot(table: Table) -> dict[str, Any]:
    """What a person wants to see of the table; tiles in the contract's notation."""
    data: dict[str, Any] = {
        "t": table.now,
        "ruleset": table.ruleset.name,
        "hand": table.hand,
        "dealer": table.dealer,
        "scores": list(table.scores),
        "deductions": list(table.deductions),
    }
    if isinstance(table, ChineseTable):
        data |= _chinese(table)
        data |= table.more()
    return data


def _chinese(table: ChineseTable) -> dict[str, Any]:
    wall = table.wall
    front = wall.front() if wall is not None else None
    claim = table.claim
    return {
        "phase": table.phase,
        "round_wind": table.round_wind,
        "turn": table.turn if table.phase == "play" else None,
        "need": ("replace" if any(table.owed) else table.need) if table.phase == "play" else None,
        "wall_left": wall.left if wall is not None else 2 * table.ring.total,
        "next_slot": list(wall.slot(front)) if wall is not None and front is not None else None,
        "walls": _standing_walls(table),
        "dice": [list(roll.values) for roll in table.rolls],
        "dice_in": table.dice_in,
        "draw_t": table.draw_t,
        "session_from": table.session_from,
        "session": _session(table),
        "last_discard": (
            {
                "seat": table.open_discard.seat,
                "tile": table.open_discard.tile.value,
                "t": table.open_discard.t,
            }
            if table.open_discard is not None
            else None
        ),
        "claim": (
            {"seat": table.claimer, "tile": claim.tile.value, "from": claim.seat}
            if claim is not None
            else None
        ),
        "calls": [{"seat": s, "call": c, "t": t} for s, c, t, _ in table.calls],
        "wins": [
            {
                "seat": w.seat,
                "from": w.from_,
                "tile": w.tile.value,
                "tiles": [tile.value for tile in w.tiles],
                "score": w.score,
            }
            for w in table.wins
        ],
        "seats": [_seat(table, seat) for seat in range(4)],
    }


def _session(table: ChineseTable) -> dict[str, Any]:
    """When the session ends and when the players are told of it (000 Q147(2)); source times."""
    end = table.session_end
    notice = table.ruleset.session.notice_minutes
    told = None if end is None or notice is None else end - 60.0 * notice
    return {
        "ends": end,
        "notice": told,
        "notice_due": told is not None and end is not None and told <= table.now < end,
        "over": table.time_up,
    }


def _standing_walls(table: ChineseTable) -> list[list[int]]:
    """Tiles standing in each stack, per side, stack 1 first."""
    walls = [[2] * n for n in table.ring.stacks]
    wall = table.wall
    if wall is not None:
        for index in range(2 * wall.ring.total):
            if not wall.stands(index):
                slot = wall.slot(index)
                walls[slot.side][slot.stack - 1] -= 1
    return walls


def _seat(table: ChineseTable, seat: int) -> dict[str, Any]:
    state: SeatState = table.seats[seat]
    return {
        "seat": seat,
        "wind": table.wind_of(seat),
        "standing": state.standing,
        "known": [tile.value for tile in state.known],
        "melds": [_meld(meld) for meld in state.melds],
        "flowers": [tile.value for tile in state.flowers],
        "pool": [
            {
                "tile": d.tile.value,
                "place": list(d.place) if d.place is not None else None,
                "claimed": d.gone,
                "inferred": d.inferred,
            }
            for d in state.pool
        ],
        "stop_win": state.stop_win,
        "wrong_count": state.dead,
        "penalty_tiles": [tile.value for tile in state.penalty],
        "owes_replacement": table.owed[seat],
    }


def _meld(meld: Meld) -> dict[str, Any]:
    return {
        "kind": meld.kind,
        "tiles": [tile.value for tile in meld.tiles],
        "concealed": meld.concealed,
        "added": meld.added,
        "from": meld.from_,
        "valid": meld.valid,
    }
