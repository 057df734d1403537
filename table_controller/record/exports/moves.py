"""The moves of a hand as other programs count them."""

from __future__ import annotations

from table_controller.domain.outputs import Move
from table_controller.record.session import SessionRecord


def with_first_draw(record: SessionRecord, hand: int, dealer: int) -> list[Move]:
    """The moves of one hand; the dealer's fourteenth tile of the deal as a draw.

    Args:
        record: the session.
        hand: its number, from 1.
        dealer: who deals it.
    """
    moves = record.fold.moves(hand)
    at = next((n for n, move in enumerate(moves) if move.move == "deal"), -1)
    after = next((move.move for move in moves[at + 1 :] if move.seat == dealer), "draw")
    if after == "draw":
        return moves
    t = moves[max(at, 0)].t
    drawn = Move(t=t, move="draw", seat=dealer, inferred=True)  # type: ignore[arg-type]
    return [*moves[: at + 1], drawn, *moves[at + 1 :]]
