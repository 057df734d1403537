"""Draws in play: ordinary ones, replacements, and those the rules do not allow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import DrawStage, Seat, TileDrawn
from table_controller.game import costs
from table_controller.game.mcr import blind, dealing
from table_controller.game.mcr.state import Early

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading
from table_controller.game.mcr.early_draws import STAGES, begin_early, early_taken, resolve_early
from table_controller.game.mcr.taking import reach, take, wanted, who

_NEAR = 6
"""Tiles between a slot and one that it may be taken for: three stacks."""


def tile_drawn(g: ChineseTable, h: TileDrawn) -> bool:
    """Tiles leave the wall, where it is this seat's turn and these are the tiles."""
    if g.phase in ("wall", "deal"):
        return dealing.deal_drawn(g, h)
    if g.phase != "play" or g.wall is None:
        return False
    seat = who(g, h.seat)
    if g.early is not None and not _goes_on(g, h, seat):
        return False
    right = wanted(g, seat, max(1, len(h.slots)))
    if right is None:
        return False
    if h.slots:
        if len(right) != len(h.slots):
            return False
        given = [g.wall.index(slot) for slot in h.slots]
        if given != list(right) and sorted(i or 0 for i in given) != sorted(right):
            return False
    if _before_it_lay(g, h, seat) is not None:
        return False
    g.now = max(g.now, h.t)
    if g.exposed:
        g.tick(h.t)
    if h.stage != "taken":
        reach(g, seat, h.t, right)
        return True
    if g.doubt is None and not g.owed[seat]:
        g.break_guessed = False  # the wall stands where it should after all that was dealt
        g.undrawn = None
    take(g, seat, right)
    return True


def _told_late(g: ChineseTable, told: frozenset[int]) -> None:
    """A draw that had to be assumed is told after all: it did not go unseen."""
    if told and g.doubt is None:
        g.untold -= told
        g.unseen_no_more()


def _before_it_lay(g: ChineseTable, h: TileDrawn, seat: Seat) -> float | None:
    """By how much an ordinary draw came before the discard it should have waited for.

    The report of the discard came first, so order alone does not show it; the times do.
    """
    chance = g.chance
    if g.owed[seat] or g.early is not None or chance is None or chance.seat == seat:
        return None
    early = chance.t - h.t - costs.JITTER_S
    return early if early > 0.0 else None


def _goes_on(g: ChineseTable, h: TileDrawn, seat: Seat) -> bool:
    """A draw that began before the discard lay, and goes on after it: now it is in turn."""
    early = g.early
    assert early is not None
    assert g.wall is not None
    if early.rested is None or seat != early.seat or g.turn != seat or g.need != "draw":
        return False
    if h.slots and [g.wall.index(slot) for slot in h.slots] != [early.index]:
        return False
    if h.stage == "taken":
        g.now = max(g.now, h.t)
        g.early = replace(early, stage=early.rested)
        resolve_early(g)
    elif STAGES.index(h.stage) > STAGES.index(early.stage):
        before = g.chance is not None and h.t < g.chance.t
        g.early = replace(
            early,
            stage=h.stage,
            evidence=(*early.evidence, h),
            rested=h.stage if before else early.rested,
            known=None,
        )
    return True


def read_tile_drawn(g: ChineseTable, h: TileDrawn) -> list[Reading]:
    """A draw that is not this seat's, not now, or not from there."""
    if g.phase in ("idle", "wall", "deal"):
        return dealing.read_deal_drawn(g, h) if g.phase != "idle" else []
    if g.phase != "play" or g.wall is None:
        return []
    readings: list[Reading] = []
    seat = who(g, h.seat)
    indices = [g.wall.index(slot) for slot in h.slots]
    if g.early is not None:
        return _read_early(g, h, seat, indices)
    if indices and all(i is not None and not g.wall.stands(i) for i in indices):
        own = g.last_draw is not None and g.last_draw[0] == seat
        same = own and g.last_draw is not None and set(indices) <= set(g.last_draw[1])
        late = costs.DOUBLED if same or h.t < g.now else costs.LATE
        told = frozenset(i for i in indices if i in g.untold)
        readings.append((late, lambda r: _told_late(r, told)))
        return [*readings, *as_wanted(g, h, seat)]
    standing = tuple(i for i in indices if i is not None and g.wall.stands(i))
    if not standing:
        return [*readings, *as_wanted(g, h, seat)]
    early = _before_it_lay(g, h, seat)
    if early is not None and list(standing) == list(wanted(g, seat, 1) or ()):
        return _read_before(h, seat, standing[0], early)
    front, back = g.wall.front(), g.back_index()
    alert, cost = _which(g, seat, standing, front, back, h.stage)
    if alert is not None:
        readings.append((cost, lambda r: begin_early(r, alert, seat, standing, h)))
    readings.extend(as_wanted(g, h, seat))
    one = h.stage == "taken" and len(standing) == len(indices) == 1
    if one and blind.may_be_next(g, standing[0], h.t):
        readings.append((costs.CAUGHT_UP, lambda r: _caught_up(r, seat, standing[0], h)))
    if g.owed[seat] and h.stage == "taken" and _just_before_the_next(g, standing):
        unseen = costs.CAUGHT_UP if g.back_behind else 2 * costs.MISSED
        readings.append((unseen, lambda r: _behind_unseen(r, seat, standing, h)))
    return readings


def _read_before(h: TileDrawn, seat: Seat, index: int, early: float) -> list[Reading]:
    """A draw in turn whose time lies before the discard: too early, or the times are off."""

    def premature(r: ChineseTable) -> None:
        doubted = blind.holds(r, "premature-draw", seat, h.t)
        r.early = Early(
            "premature-draw", seat, index, h.stage, h.t, (h,), rested=h.stage, doubted=doubted
        )
        if h.stage == "taken":
            resolve_early(r)
            take(r, seat, (index,))

    def in_time(r: ChineseTable) -> None:
        if h.stage == "taken":
            take(r, seat, (index,))
        else:
            reach(r, seat, h.t, (index,))

    return [
        (costs.PREMATURE, premature),
        (min(9.0, 1.0 + early / costs.JITTER_UNIT_S), in_time),
    ]


def _caught_up(g: ChineseTable, seat: Seat, index: int, h: TileDrawn) -> None:
    """Turns went unseen before this draw, while nobody looked."""
    blind.caught_up(g, seat, drawn=index)
    g.now = max(g.now, h.t)
    take(g, seat, (index,))


def _just_before_the_next(g: ChineseTable, taken: tuple[int, ...]) -> bool:
    """Whether these tiles are the next replacement but for one or two that may be gone unseen."""
    assert g.wall is not None
    kept = g.wall.mask
    found = False
    for behind in range(3):
        back = g.back_index()
        if back is None or found:
            break
        found = behind > 0 and back in taken
        g.wall.take(back)
    g.wall.mask = kept
    return found


def _behind_unseen(g: ChineseTable, seat: Seat, taken: tuple[int, ...], h: TileDrawn) -> None:
    """A replacement went before this one, and what it was for: neither was seen."""
    assert g.wall is not None
    g.now = max(g.now, h.t)
    back = g.back_index()
    while back is not None and back not in taken:
        g.wall.take(back)
        back = g.back_index()
    take(g, seat, taken)


def _which(
    g: ChineseTable,
    seat: Seat,
    taken: tuple[int, ...],
    front: int | None,
    back: int | None,
    stage: DrawStage,
) -> tuple[str | None, float]:
    """What is wrong with this seat drawing these tiles, and how odd that is.

    A seat that draws when it should not at least draws the next tile; a lower tile cannot
    leave from under its upper one, which then must have gone before. Fingers that only touch one
    are seen on the stack beside it now and then.
    """
    assert g.wall is not None
    beside = front is not None and all(abs(i // 2 - front // 2) <= 1 for i in taken)
    odd = 0.0 if (stage == "touched" and beside) or taken in ((front,), (back,)) else 3.0
    if any(i & 1 and i - 1 not in taken and g.wall.stands(i - 1) for i in taken):
        odd += 7.0
    if g.owed[seat]:
        if taken == (back,) and front != back:
            return None, 0.0
        return "wrong-replacement", costs.INFRACTION + max(0.0, odd - 3.0)
    if g.need == "draw":
        if g.claimer is not None:
            return "premature-draw", costs.INFRACTION + 1.0 + odd
        if seat == g.turn:
            return "wrong-draw", costs.INFRACTION + max(0.0, odd - 3.0)
        return "draw-out-of-turn", costs.INFRACTION + 1.0 + odd
    if seat == g.turn:
        return "extra-draw", costs.INFRACTION + 1.0 + odd
    if seat == g.next_of(g.turn):
        return "premature-draw", costs.PREMATURE + odd
    return "draw-out-of-turn", costs.INFRACTION + 1.0 + odd


def _far(g: ChineseTable, h: TileDrawn, right: tuple[int, ...]) -> bool:
    """Whether the slots that were seen are nowhere near those of the tiles that were due."""
    assert g.wall is not None
    around = 2 * g.wall.ring.total
    seen = [index for slot in h.slots if (index := g.wall.index(slot)) is not None]
    apart = [min((i - k) % around, (k - i) % around) for i in seen for k in right]
    return bool(apart) and min(apart) > _NEAR


def as_wanted(g: ChineseTable, h: TileDrawn, seat: Seat) -> list[Reading]:
    """It was the right tile, and the slot was read wrongly."""
    right = wanted(g, seat, max(1, len(h.slots)))
    if right is None or h.stage != "taken":
        return []
    doubt = costs.disbelief(h.confidence)
    if _far(g, h, right):
        doubt += costs.FAR

    def misread(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        take(r, seat, right)

    return [(doubt, misread)]


def _read_early(
    g: ChineseTable, h: TileDrawn, seat: Seat, indices: list[int | None]
) -> list[Reading]:
    """The next stage of a draw that is not allowed, or another draw after it."""
    early = g.early
    assert early is not None
    assert g.wall is not None
    if seat == early.seat and (not indices or early.index in indices):
        if STAGES.index(h.stage) <= STAGES.index(early.stage):
            return [(costs.DOUBLED, lambda _r: None)]

        def further(r: ChineseTable) -> None:
            assert r.early is not None
            r.now = max(r.now, h.t)
            r.early = replace(r.early, stage=h.stage, evidence=(*r.early.evidence, h))
            if h.stage == "taken":
                early_taken(r, (early.index,))

        return [(0.0, further)]

    after = g.copy()
    resolve_early(after)
    inner = None
    if not after.copy().accept(h):
        inner = min(after.readings(h), key=lambda x: x[0], default=None)
        if inner is None:
            return []

    def given_up(r: ChineseTable) -> None:
        resolve_early(r)
        if inner is None:
            tile_drawn(r, h)
        else:
            inner[1](r)

    return [(1.0 if inner is None else 1.0 + inner[0], given_up)]
