"""What was told of a game beside what truly happened: alerts, discards, hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from table_controller.app.virtual.compare import Infraction
from table_controller.domain.happenings import Happening, Seat, TileDiscarded
from table_controller.domain.outputs import Alert, HandRecord
from table_controller.domain.tiles import sort_tiles
from table_controller.game.engine import Engine
from table_controller.rulesets import load

TOGETHER_S: Final = 4.0
"""An alert further than this from an infraction is about something else."""


def match_alerts(alerts: Sequence[Alert], infractions: Sequence[Infraction]) -> dict[str, Any]:
    """What was raised for what, each once: by id, and the delay after the evidence was complete.

    Returns:
        ``ids``: true, raised, invented by alert id; ``delays``: seconds by id.
    """
    ids: dict[str, list[int]] = {}
    delays: dict[str, list[float]] = {}
    left = list(alerts)
    for each in sorted(infractions, key=lambda one: one.t):
        counts = ids.setdefault(each.id, [0, 0, 0])
        counts[0] += 1
        fitting = [
            a
            for a in left
            if a.id == each.id
            and a.seat == each.seat
            and each.t - TOGETHER_S <= a.t <= each.evident + TOGETHER_S
        ]
        if fitting:
            found = min(fitting, key=lambda a: abs(a.t - each.t))
            left.remove(found)
            counts[1] += 1
            delays.setdefault(each.id, []).append(round(found.t_raised - each.evident, 3))
    for alert in left:
        ids.setdefault(alert.id, [0, 0, 0])[2] += 1
    return {"ids": ids, "delays": delays}


def discard_delays(
    said: Iterable[tuple[float, Happening]], true: Iterable[Happening]
) -> list[float]:
    """Seconds from a discard's rest to its being told, of those that were told rightly."""
    waiting = [h for h in true if isinstance(h, TileDiscarded)]
    delays: list[float] = []
    for now, happening in said:
        if not isinstance(happening, TileDiscarded):
            continue
        for each in waiting:
            same = each.seat == happening.seat and each.tile == happening.tile
            if same and abs(each.t - happening.t) <= TOGETHER_S:
                waiting.remove(each)
                delays.append(round(now - each.t, 3))
                break
    return delays


def same_order(seen: Sequence[Happening], true: Sequence[Happening]) -> list[int]:
    """True discards, and those of them that were told with seat and tile in their order."""
    want = [(h.seat, h.tile) for h in true if isinstance(h, TileDiscarded)]
    have = [(h.seat, h.tile) for h in seen if isinstance(h, TileDiscarded)]
    row = [0] * (len(have) + 1)
    for one in want:
        before, row = row, [0] * (len(have) + 1)
        for k, other in enumerate(have):
            row[k + 1] = before[k] + 1 if one == other else max(before[k + 1], row[k])
    return [len(want), row[-1]]


def true_hands(ruleset: str, east: Seat, true: Sequence[Happening]) -> list[HandRecord]:
    """The hands as the rules settle what truly happened."""
    engine = Engine(load(ruleset), east=east)
    outputs = [out for happening in true for out in engine.step(happening)]
    outputs += engine.flush(true[-1].t if true else 0.0)
    hands: dict[int, HandRecord] = {}
    for out in outputs:
        if isinstance(out, HandRecord):
            hands[out.hand] = out
    return list(hands.values())


def match_hands(seen: Sequence[HandRecord], true: Sequence[HandRecord]) -> dict[str, int]:
    """Finished hands: ``exact``, ``unknown`` (missing or with unknown tiles), or ``wrong``."""
    by_number = {hand.hand: hand for hand in seen}
    counts: Counter[str] = Counter(exact=0, unknown=0, wrong=0)
    for hand in true:
        mine = by_number.get(hand.hand)
        if mine is None:
            counts["unknown"] += 1
        elif _captured(mine) == _captured(hand) and mine.payments == hand.payments:
            counts["exact"] += 1
        elif any(tile.value == "?" for win in mine.wins for tile in (*win.tiles, win.win_tile)):
            counts["unknown"] += 1
        else:
            counts["wrong"] += 1
    return dict(counts)


def _captured(hand: HandRecord) -> tuple[Any, ...]:
    wins = sorted(
        (
            win.winner,
            -1 if win.from_ is None else win.from_,
            win.win_tile.value,
            tuple(tile.value for tile in sort_tiles(win.tiles)),
            tuple(sorted((m["kind"], tuple(sorted(m["tiles"]))) for m in win.melds)),
        )
        for win in hand.wins
    )
    return (hand.result, hand.reason, tuple(wins))
