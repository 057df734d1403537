"""Scoring of a hand under the Chinese official rules: the highest legal reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_controller.domain.tiles import KINDS, Tile
from table_controller.scoring.answer import FanScore, ScoreAnswer
from table_controller.scoring.hand import BadHandError, Meld, ScoringHand, check, side_index
from table_controller.scoring.mcr.options import McrOptions
from table_controller.scoring.mcr.reading import Fans, Reader, Reading
from table_controller.scoring.mcr.sets import combinations_of
from table_controller.scoring.shapes import count_kinds, is_complete, wait_kinds

DEFAULT = McrOptions()


def is_winning(tiles: Iterable[Tile], melds: Sequence[Meld] = ()) -> bool:
    """Whether the standing tiles, the winning one included, complete a hand by shape.

    Points are not looked at. With melds laid out the shapes of seven pairs, orphans and
    knitted singles are out of reach.

    Args:
        tiles: 14 - 3m standing tiles.
        melds: the m sets laid out.
    """
    counts = count_kinds(tiles)
    return sum(counts) == 14 - 3 * len(melds) and is_complete(counts)


def waits(tiles: Iterable[Tile], melds: Sequence[Meld] = ()) -> tuple[Tile, ...]:
    """The kinds that complete the standing tiles by shape, in the usual order.

    A kind of which all four copies are in the standing tiles and melds is left out.

    Args:
        tiles: 13 - 3m standing tiles.
        melds: the m sets laid out.
    """
    counts = count_kinds(tiles)
    if sum(counts) != 13 - 3 * len(melds):
        return ()
    laid = count_kinds(tile for meld in melds for tile in meld.tiles)
    return tuple(KINDS[kind] for kind in wait_kinds(counts) if counts[kind] + laid[kind] < 4)


def _count(fans: Fans, options: McrOptions) -> Fans:
    """The fans that remain after the exclusions, from the highest down."""
    left = dict(fans)
    for fan, others in options.impossible.items():
        if fan in left:
            for other in others:
                left.pop(other, None)
    exclusions = options.exclusions
    for fan in sorted(left, key=options.order.__getitem__):
        if fan in left and fan in exclusions:
            for other in exclusions[fan]:
                left.pop(other, None)
    for together, dropped, count in options.inevitable:
        if dropped in left and all(fan in left for fan in together):
            left[dropped] -= count or left[dropped]
            if left[dropped] <= 0:
                del left[dropped]
    return left or {"chicken_hand": 1}


def _values(fans: Fans, options: McrOptions) -> dict[str, int]:
    """Points of one of each fan, in this company."""
    values = {fan: options.value(fan) for fan in fans}
    if "four_kongs" in fans:
        lowered = {fan: value for fan, value in options.values_in_four_kongs.items() if fan in fans}
        if "prevalent_wind" in lowered and "seat_wind" in lowered:
            # The double wind as one kong costs one point, not two (003 Q49 ex. 5).
            del lowered["prevalent_wind"]
        values |= lowered
    if options.replacement_kong_cost and "out_with_replacement_tile" in fans:
        for fan in ("melded_kong", "concealed_kong", *_KONG_PAIRS):
            if fan in fans:
                values[fan] -= options.replacement_kong_cost
                break
    return values


_KONG_PAIRS = ("two_melded_kongs", "two_concealed_kongs", "exposed_and_concealed_kong")


def _best(
    readings: Iterable[Reading], options: McrOptions
) -> tuple[int, Fans, dict[str, int], str] | None:
    best: tuple[int, Fans, dict[str, int], str] | None = None
    for reading in readings:
        for choice in combinations_of(reading.codes, reading.pair):
            fans = dict(reading.fans)
            for fan in choice:
                fans[fan] = fans.get(fan, 0) + 1
            counted = _count(fans, options)
            values = _values(counted, options)
            total = sum(values[fan] * count for fan, count in counted.items())
            if best is None or total > best[0]:
                best = (total, counted, values, reading.shape)
    return best


def payments(hand: ScoringHand, total: int, options: McrOptions = DEFAULT) -> tuple[int, ...]:
    """Who pays, from the winner counter-clockwise (000 Q44, 001 chapter 4).

    Empty where the discarder is not known.
    """
    if hand.self_drawn:
        share = options.base + total
        return (3 * share, -share, -share, -share)
    if hand.from_ is None:
        return ()
    shares = [3 * options.base + total, -options.base, -options.base, -options.base]
    shares[side_index(hand.from_)] -= total
    return tuple(shares)


def score(hand: ScoringHand, options: McrOptions = DEFAULT, *, merged: bool = False) -> ScoreAnswer:
    """The hand's fans, total and payments: the highest reading that the rules allow.

    Args:
        hand: the hand; what only riichi knows is ignored.
        options: the ruleset's scoring.
        merged: the self-drawn winning tile was put among the standing tiles before the call:
            the win stands, edge, closed and single wait do not (003 Q25, 004 no. 15).

    Raises:
        BadHandError: when the tiles cannot be a hand of this game.
    """
    check(hand)
    for where, tiles in (("hand", hand.hand), ("win_tile", (hand.win_tile,))):
        if any(tile.is_red for tile in tiles):
            raise BadHandError(f"{where}: red fives belong to riichi")
    for number, meld in enumerate(hand.melds):
        if any(tile.is_red for tile in meld.tiles):
            raise BadHandError(f"melds.{number}.tiles: red fives belong to riichi")
    reader = Reader(
        hand,
        one_kind=options.waits == "one_kind",
        merged=merged,
    )
    best = _best(reader.readings(), options)
    if best is None:
        return ScoreAnswer(legal=False, reason="not a winning shape", payments=(0, 0, 0, 0))
    points, fans, values, shape = best
    scored = [
        FanScore(
            id=fan,
            name_zh=options.by_id[fan].zh,
            name_en=options.by_id[fan].en,
            value=values[fan],
            count=count,
            clause=options.clause(fan),
        )
        for fan, count in sorted(fans.items(), key=lambda item: options.order[item[0]])
        if values[fan] > 0
    ]
    if hand.flowers:
        flower = options.by_id["flower_tiles"]
        scored.append(
            FanScore(
                flower.id,
                flower.zh,
                flower.en,
                flower.value,
                hand.flowers,
                options.clause(flower.id),
            )
        )
    total = points + hand.flowers * options.value("flower_tiles")
    legal = points >= options.minimum
    return ScoreAnswer(
        legal=legal,
        reason=None if legal else f"below the minimum of {options.minimum} points: {points}",
        fans=tuple(scored),
        total=total,
        qualifying=points,
        payments=payments(hand, total, options) if legal else (0, 0, 0, 0),
        shape=shape,
    )
