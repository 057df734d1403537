"""Random legal winning hands for the comparisons with other programs."""

from __future__ import annotations

import random
from collections import Counter

from table_controller.domain.tiles import KINDS
from table_controller.scoring.hand import WINDS, Meld, ScoringHand, Side
from table_controller.scoring.shapes import KNITTED, ORPHANS

SIDES: tuple[Side, ...] = ("left", "across", "right")


def _pool(rng: random.Random) -> list[int]:
    """The kinds a hand may use: everything, or a narrow choice so that rare fans occur."""
    choice = rng.random()
    every = list(range(34))
    if choice < 0.35:
        return every
    if choice < 0.50:
        suit = rng.randrange(3)
        return list(range(9 * suit, 9 * suit + 9)) + (
            list(range(27, 34)) if rng.random() < 0.5 else []
        )
    if choice < 0.60:
        low = rng.randrange(7)
        width = rng.choice((2, 3, 4))
        return [k for k in range(27) if low <= k % 9 <= low + width]
    if choice < 0.66:
        return list(ORPHANS)
    if choice < 0.70:
        return list(range(27, 34))
    if choice < 0.74:
        return [19, 20, 21, 23, 25, 32]
    if choice < 0.79:
        return [9, 10, 11, 12, 13, 16, 17, 19, 21, 22, 23, 25, 26, 31]
    if choice < 0.83:
        return [k for k in range(27) if k % 9 in (1, 3, 5, 7)]
    if choice < 0.89:
        return [k for k in range(27) if k % 9 in (0, 1, 2, 4, 6, 7, 8)]
    if choice < 0.95:
        ranks = rng.sample(range(9), 4)
        return [k for k in range(27) if k % 9 in ranks] + [rng.randrange(27, 34)]
    return rng.sample(every, 12)


def _take(counts: Counter[int], kinds: list[int]) -> bool:
    need = Counter(kinds)
    if any(counts[kind] + many > 4 for kind, many in need.items()):
        return False
    counts.update(need)
    return True


def _sets(
    rng: random.Random, pool: list[int], counts: Counter[int], number: int
) -> list[list[int]] | None:
    sets: list[list[int]] = []
    chow_share = rng.choice((0.0, 0.3, 0.7, 1.0))
    allowed = set(pool)
    for _ in range(number):
        for _ in range(30):
            kind = rng.choice(pool)
            if rng.random() < chow_share:
                chow = [kind, kind + 1, kind + 2]
                if kind >= 27 or kind % 9 > 6 or not set(chow) <= allowed:
                    continue
                if sets and rng.random() < 0.3:
                    # Repeat or shift a set that is there, for the fans of several sets.
                    base = rng.choice(sets)[0]
                    shift = rng.choice((0, 0, 1, 2, 3, 6, 9, 10, 18))
                    if base + shift < 27 and (base + shift) % 9 <= 6:
                        chow = [base + shift, base + shift + 1, base + shift + 2]
                tiles = chow
            else:
                tiles = [kind] * 3
            if _take(counts, tiles):
                sets.append(tiles)
                break
        else:
            return None
    return sets


def _special(rng: random.Random) -> list[int] | None:
    choice = rng.random()
    if choice < 0.45:
        pool = _pool(rng)
        pairs: Counter[int] = Counter()
        for _ in range(200):
            kind = rng.choice(pool)
            if pairs[kind] < 2:
                pairs[kind] += 1
            if sum(pairs.values()) == 7:
                return [k for k, many in pairs.items() for _ in range(2 * many)]
        return None
    if choice < 0.55:
        suit, start = rng.randrange(3), rng.randrange(3)
        return [9 * suit + start + i for i in range(7) for _ in range(2)]
    if choice < 0.70:
        return [*ORPHANS, rng.choice(ORPHANS)]
    tiles = list(rng.choice(KNITTED)) + list(range(27, 34))
    if choice < 0.85:
        return rng.sample(tiles, 14)
    return list(range(27, 34)) + rng.sample(tiles[:9], 7)


def _rare(rng: random.Random) -> tuple[list[list[int]], int]:
    """Four sets and a pair of the shapes that chance alone hardly makes."""
    suits = rng.sample(range(3), 3)
    choice = rng.randrange(8)

    def chow(suit: int, rank: int) -> list[int]:
        low = 9 * suit + rank
        return [low, low + 1, low + 2]

    if choice == 0:
        suit = suits[0]
        return [chow(suit, r) for r in (0, 0, 6, 6)], 9 * suit + 4
    if choice == 1:
        a, b, c = suits
        return [chow(a, 0), chow(a, 6), chow(b, 0), chow(b, 6)], 9 * c + 4
    if choice == 2:
        rank = rng.randrange(7)
        return [chow(suits[0], rank)] * 4, rng.choice([k for k in range(34) if k // 9 != suits[0]])
    if choice == 3:
        rank = rng.randrange(6)
        return [[9 * suits[0] + rank + i] * 3 for i in range(4)], rng.randrange(27, 34)
    if choice == 4:
        step = rng.choice((1, 2))
        rank = rng.randrange(7 - 3 * step)
        sets = [chow(suits[0], rank + step * i) for i in range(4)]
        return sets, rng.choice([k for k in range(34) if k // 9 != suits[0]])
    if choice == 5:
        return [[k] * 3 for k in range(27, 31)], rng.choice([0, 4, 8, 20, 26, 31, 33])
    if choice == 6:
        honours = rng.sample(range(27, 34), 5)
        return [[k] * 3 for k in honours[:4]], honours[4]
    # Nothing fits together: often a hand without any fan.
    a, b, c = suits
    sets = [chow(a, rng.randrange(1, 3)), chow(a, rng.randrange(5, 7))]
    sets += [chow(b, rng.randrange(3, 5)), [9 * c + rng.choice((2, 4, 6))] * 3]
    return sets, rng.randrange(27, 34)


def _gates(rng: random.Random) -> list[int]:
    suit = rng.randrange(3)
    return [9 * suit + r for r in (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, rng.randrange(9))]


def winning_hand(rng: random.Random, *, knitted: bool = True) -> ScoringHand:
    """A hand that is complete by shape, with circumstances that can occur together."""
    while True:
        hand = _attempt(rng, knitted=knitted)
        if hand is not None:
            return hand


def _attempt(rng: random.Random, *, knitted: bool) -> ScoringHand | None:
    counts: Counter[int] = Counter()
    melds: list[Meld] = []
    kind_of_hand = rng.random()
    if kind_of_hand < 0.10:
        standing = _special(rng)
        if standing is None or (not knitted and max(Counter(standing).values()) < 2):
            return None
    elif kind_of_hand < 0.12:
        standing = _gates(rng)
        if Counter(standing).most_common(1)[0][1] > 4:
            return None
    else:
        rare = _rare(rng) if kind_of_hand > 0.90 else None
        pool = _pool(rng)
        number = 4
        standing = []
        if knitted and kind_of_hand < 0.18:
            standing = list(rng.choice(KNITTED))
            counts.update(standing)
            number = 1
            pool = list(range(34))
        if rare is not None:
            sets, pair = rare
            if not all(_take(counts, each) for each in sets):
                return None
        else:
            found = _sets(rng, pool, counts, number)
            if found is None:
                return None
            sets, pair = found, rng.choice(pool)
        if not _take(counts, [pair, pair]):
            return None
        standing += [pair, pair]
        open_share = rng.choice((0.0, 0.3, 0.7, 1.0))
        kong_share = rng.choice((0.0, 0.0, 0.2, 0.8, 1.0))
        hidden_share = rng.random()
        for tiles in sets:
            chow = tiles[0] != tiles[1]
            kong = not chow and counts[tiles[0]] == 3 and rng.random() < kong_share
            if kong:
                counts[tiles[0]] += 1
                concealed = rng.random() < hidden_share
                melds.append(
                    Meld(
                        kind="kong",
                        tiles=(KINDS[tiles[0]],) * 4,
                        concealed=concealed,
                        added=not concealed and rng.random() < 0.5,
                        from_=None if concealed else rng.choice(SIDES),
                    )
                )
            elif rng.random() < open_share:
                melds.append(
                    Meld(
                        kind="chow" if chow else "pung",
                        tiles=tuple(KINDS[kind] for kind in tiles),
                        from_="left" if chow else rng.choice(SIDES),
                    )
                )
            else:
                standing += tiles
    rng.shuffle(standing)
    win = standing.pop()
    return _circumstances(rng, standing, win, melds)


def _circumstances(
    rng: random.Random, standing: list[int], win: int, melds: list[Meld]
) -> ScoringHand:
    tile = KINDS[win]
    self_drawn = rng.random() < 0.5
    shown = [t for meld in melds if not meld.concealed for t in meld.tiles].count(tile)
    kept = standing.count(win) + sum(t is tile for m in melds if m.concealed for t in m.tiles)
    kongs = any(meld.kind == "kong" for meld in melds)
    after_kong = self_drawn and kongs and rng.random() < 0.3
    robbing = not self_drawn and shown + kept == 0 and rng.random() < 0.2
    last_of_kind = kept == 0 and (robbing or rng.random() < 0.2 or shown == 3)
    return ScoringHand(
        hand=tuple(KINDS[kind] for kind in standing),
        win_tile=tile,
        melds=tuple(melds),
        self_drawn=self_drawn,
        from_=None if self_drawn else rng.choice(SIDES),
        seat_wind=rng.choice(WINDS),
        round_wind=rng.choice(WINDS),
        flowers=rng.choice((0, 0, 0, 1, 2, 8)),
        last_tile=not robbing and rng.random() < 0.15,
        after_kong=after_kong,
        robbing_kong=robbing,
        last_of_kind=last_of_kind,
    )
