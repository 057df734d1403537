"""Who pays what for a riichi hand (source 002, 7.8, 7.10 to 7.12)."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.scoring.answer import Limit

YAKUMAN_POINTS = 8000


def base_points(
    han: int, fu: int, *, counted_yakuman: bool = True, round_up_mangan: bool = False
) -> tuple[int, Limit | None]:
    """Basic points (基本点) and the limit's name (7.8.2)."""
    if han >= 13:
        return (YAKUMAN_POINTS, "counted_yakuman") if counted_yakuman else (6000, "sanbaiman")
    if han >= 11:
        return 6000, "sanbaiman"
    if han >= 8:
        return 4000, "baiman"
    if han >= 6:
        return 3000, "haneman"
    points = fu * 2 ** (2 + han)
    if points >= 2000 or (round_up_mangan and points >= 1920):
        return 2000, "mangan"
    return points, None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A win to be paid.

    Seats are counted counter-clockwise from the winner, who is 0.

    Attributes:
        base: basic points of the hand.
        players: 4 or 3.
        dealer: seat of the dealer; ``None`` where it is not known (the winner is not it).
        payer: the discarder; ``None`` on a self-draw.
        liable: who answers for the winning combination (包牌).
        liable_base: basic points of that combination alone.
        honba: counters.
        honba_self_draw: points each pays for one on a self-draw.
        honba_discard: points the discarder pays for one.
        sticks: riichi sticks taken.
    """

    base: int
    players: int
    dealer: int | None
    payer: int | None
    liable: int | None = None
    liable_base: int = 0
    honba: int = 0
    honba_self_draw: int = 100
    honba_discard: int = 300
    sticks: int = 0


def _up(points: float) -> int:
    """Rounded up to whole hundreds (7.10.1)."""
    return -int(-points // 100) * 100


def hand_points(claim: Claim) -> list[float]:
    """What each seat owes for the hand itself, before rounding and counters."""
    owed = [0.0] * claim.players
    if claim.payer is not None:
        owed[claim.payer] = claim.base * (6 if claim.dealer == 0 else 4)
        return owed
    for seat in range(1, claim.players):
        owed[seat] = claim.base * (2 if claim.dealer in (0, seat) else 1)
    return owed


def settle(claim: Claim) -> tuple[int, ...]:
    """Payments from the winner counter-clockwise; they sum to the sticks taken."""
    owed = hand_points(claim)
    if claim.liable is not None:
        _shift_to_liable(claim, owed)
    paid = [_up(points) for points in owed]
    if claim.honba:
        _add_honba(claim, paid)
    gain = sum(paid) + 1000 * claim.sticks
    return (gain, *(-points for points in paid[1:]))


def _shift_to_liable(claim: Claim, owed: list[float]) -> None:
    """7.11.3: all of a self-draw's part, half of a discard's part goes to the liable player."""
    liable = claim.liable
    assert liable is not None
    if claim.payer is None:
        for seat in range(1, claim.players):
            if seat == liable:
                continue
            part = claim.liable_base * (2 if claim.dealer in (0, seat) else 1)
            owed[seat] -= part
            owed[liable] += part
    elif claim.payer != liable:
        half = claim.liable_base * (6 if claim.dealer == 0 else 4) / 2
        owed[claim.payer] -= half
        owed[liable] += half


def _add_honba(claim: Claim, paid: list[int]) -> None:
    if claim.liable is not None:
        paid[claim.liable] += claim.honba_discard * claim.honba
    elif claim.payer is not None:
        paid[claim.payer] += claim.honba_discard * claim.honba
    else:
        for seat in range(1, claim.players):
            paid[seat] += claim.honba_self_draw * claim.honba
