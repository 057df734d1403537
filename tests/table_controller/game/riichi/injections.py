"""One infraction put into a hand that was played legally.

Each function takes the happenings of a hand and a random generator and returns the changed ones
with the alert that has to come (id, seat, stage), or ``None`` where the hand offers no occasion.
What follows the infraction is cut off where the played hand no longer fits it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from table_controller.domain.happenings import (
    Call,
    HandShown,
    Happening,
    IndicatorTurned,
    MeldShown,
    PoolDisturbed,
    Seat,
    Slot,
    StickPlaced,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    TileExposed,
    WallDisturbed,
)
from table_controller.domain.tiles import KINDS, Tile
from table_controller.game.engine import Engine
from table_controller.game.riichi.sets import swap_tiles
from table_controller.happenings.looks.places import SEATS
from table_controller.rulesets import load
from table_controller.scoring.hand import ScoringHand
from table_controller.scoring.riichi import load_options, score

Expected = tuple[str, int | None, str | None]
Injected = tuple[list[Happening], Expected] | None
SCATTERED = (
    *(Tile.M1, Tile.M4, Tile.M7, Tile.P2, Tile.P5, Tile.P8, Tile.S3, Tile.S6, Tile.S9),
    *(Tile.EAST, Tile.SOUTH, Tile.WEST, Tile.NORTH),
)
"""Thirteen tiles that are far from ready."""

Injection = Callable[[list[Happening], random.Random], Injected]

Kind = TypeVar("Kind", bound=Happening)


def _at(rng: random.Random, played: list[Happening], wanted: Callable[[int], bool]) -> int | None:
    places = [n for n in range(len(played)) if wanted(n)]
    return rng.choice(places) if places else None


def _as(kind: type[Kind], happening: Happening) -> Kind:
    """The happening, which is of this kind."""
    assert isinstance(happening, kind)
    return happening


def table_after(played: list[Happening], ruleset: str = "tenhou") -> Any:
    """The state after these happenings."""
    engine = Engine(load(ruleset))
    for happening in played:
        engine.step(happening)
    return engine.best


def _play(played: list[Happening], n: int) -> bool:
    """Whether the n-th happening lies in play, before the hand ends."""
    first = next((k for k, h in enumerate(played) if h.kind == "tile_discarded"), len(played))
    end = next((k for k, h in enumerate(played) if h.kind == "hand_shown"), len(played))
    return first <= n < end


def _seen(played: list[Happening], upto: int) -> Counter[Tile]:
    """Copies that lie open before a happening."""
    counts: Counter[Tile] = Counter()
    for h in played[:upto]:
        if isinstance(h, TileDiscarded | IndicatorTurned):
            counts[h.tile.plain] += 1
        elif isinstance(h, MeldShown):
            counts.update(t.plain for t in h.tiles if t.known)
    return counts


def riichi_no_stick(played: list[Happening], rng: random.Random) -> Injected:
    def fits(n: int) -> bool:
        stick = played[n]
        later = [h for h in played[n:] if h.kind == "tile_discarded"]
        return stick.kind == "stick_placed" and sum(h.seat != stick.seat for h in later) >= 2

    at = _at(rng, played, fits)
    if at is None:
        return None
    seat = _as(StickPlaced, played[at]).seat
    return played[:at] + played[at + 1 :], ("riichi-no-stick", seat, None)


def riichi_not_rotated(played: list[Happening], rng: random.Random) -> Injected:
    at = _at(rng, played, lambda n: isinstance(h := played[n], TileDiscarded) and h.rotated)
    if at is None:
        return None
    changed = replace(_as(TileDiscarded, played[at]), rotated=False)
    return [*played[:at], changed, *played[at + 1 :]], ("riichi-not-rotated", changed.seat, None)


def riichi_changed_hand(played: list[Happening], rng: random.Random) -> Injected:
    declared = {h.seat: n for n, h in enumerate(played) if h.kind == "stick_placed"}

    def fits(n: int) -> bool:
        h = played[n]
        return h.kind == "tile_discarded" and h.seat in declared and n > declared[h.seat]

    at = _at(rng, played, fits)
    if at is None:
        return None
    changed = replace(_as(TileDiscarded, played[at]), drawn=False)
    return [*played[:at], changed], ("riichi-changed-hand", changed.seat, None)


def riichi_again(played: list[Happening], rng: random.Random) -> Injected:
    declared = {h.seat: n for n, h in enumerate(played) if h.kind == "stick_placed"}
    claimed = {h.from_ for h in played if h.kind == "tile_claimed"}

    def fits(n: int) -> bool:
        h = played[n]
        return (
            h.kind == "tile_discarded"
            and h.seat in declared
            and n > declared[h.seat]
            and h.seat not in claimed
        )

    at = _at(rng, played, fits)
    if at is None:
        return None
    changed = replace(_as(TileDiscarded, played[at]), rotated=True)
    return [*played[:at], changed], ("riichi-illegal", changed.seat, "again")


def riichi_open(played: list[Happening], rng: random.Random) -> Injected:
    opened = {h.seat: n for n, h in reversed(list(enumerate(played))) if h.kind == "meld_shown"
              and h.claimed is not None}  # fmt: skip

    def fits(n: int) -> bool:
        h = played[n]
        return h.kind == "tile_discarded" and h.seat in opened and n > opened[h.seat]

    at = _at(rng, played, fits)
    if at is None:
        return None
    h = _as(TileDiscarded, played[at])
    return (
        [*played[:at], Call(t=h.t - 0.5, seat=h.seat, call="riichi"), replace(h, rotated=True)],
        ("riichi-illegal", h.seat, "open"),
    )


def swap_call(played: list[Happening], rng: random.Random) -> Injected:
    def options(n: int) -> list[Tile]:
        h, before = played[n], played[n - 1]
        if not isinstance(h, TileDiscarded) or not isinstance(before, MeldShown):
            return []
        if before.claimed is None or len(before.tiles) != 3:
            return []
        seen = _seen(played, n)
        tiles = swap_tiles(before.tiles, before.tiles[before.claimed])
        return [tile for tile in tiles if seen[tile] < 4]

    at = _at(rng, played, lambda n: n > 0 and bool(options(n)))
    if at is None:
        return None
    changed = replace(_as(TileDiscarded, played[at]), tile=rng.choice(options(at)))
    return [*played[:at], changed], ("swap-call", changed.seat, None)


def _draw(played: list[Happening], n: int) -> bool:
    h = played[n]
    return h.kind == "tile_drawn" and _play(played, n) and len(h.slots) == 1


def _ordinary(played: list[Happening], n: int) -> bool:
    """An ordinary draw after a discard (no replacement)."""
    return _draw(played, n) and played[n - 1].kind in ("tile_discarded", "stick_placed")


def dead_wall_draw(played: list[Happening], rng: random.Random) -> Injected:
    at = _at(rng, played, lambda n: _ordinary(played, n))
    if at is None:
        return None
    wall = table_after(played[:at]).wall
    slot = wall.slot(wall.back())
    return _drawn_elsewhere("dead-wall-draw", played, at, wall, slot)


def wrong_draw(played: list[Happening], rng: random.Random) -> Injected:
    at = _at(rng, played, lambda n: _ordinary(played, n))
    if at is None:
        return None
    wall = table_after(played[:at]).wall
    if wall.left < 12:
        return None
    return _drawn_elsewhere("wrong-draw", played, at, wall, wall.slot(wall.front() + 6))


def _drawn_elsewhere(
    name: str, played: list[Happening], at: int, wall: Any, slot: Slot
) -> Injected:
    """The draw from that slot; the next seat takes the tile that should have been drawn."""
    after = played[at + 1 : at + 3]
    if [h.kind for h in after] != ["tile_discarded", "tile_drawn"]:
        return None
    following = replace(_as(TileDrawn, after[1]), slots=(wall.slot(wall.front()),))
    changed = replace(_as(TileDrawn, played[at]), slots=(slot,))
    return [*played[:at], changed, after[0], following], (name, changed.seat, "taken")


def ura_peeked(played: list[Happening], rng: random.Random) -> Injected:
    at = _at(rng, played, lambda n: _play(played, n) and played[n].kind == "tile_discarded")
    if at is None:
        return None
    wall = table_after(played[: at + 1]).wall
    by = rng.choice([h.seat for h in played if h.kind == "tile_discarded"])
    slot = wall.slot(wall.indicator(0) + 1)
    peek: Happening = TileExposed(
        t=played[at].t + 0.7, where="dead_wall", seat=None, tile=Tile.M1, by=by, slot=slot
    )
    return [*played[: at + 1], peek, *played[at + 1 :]], ("ura-dora-peeked", by, None)


def replacement_shown(played: list[Happening], rng: random.Random) -> Injected:
    at = _at(rng, played, lambda n: _play(played, n) and played[n].kind == "tile_discarded")
    if at is None:
        return None
    wall = table_after(played[: at + 1]).wall
    by = _as(TileDiscarded, played[at]).seat
    shown: Happening = TileExposed(
        t=played[at].t + 0.7, where="dead_wall", seat=None, tile=Tile.M1, by=by,
        slot=wall.slot(wall.back()),
    )  # fmt: skip
    return (
        [*played[: at + 1], shown, *played[at + 1 :]],
        ("dead-wall-tile-exposed", by, "replacement"),
    )


def replacement_turned(played: list[Happening], rng: random.Random) -> Injected:
    """It fell over as neatly as an indicator is turned, while none is to be turned."""
    injected = replacement_shown(played, rng)
    if injected is None:
        return None
    happenings, expected = injected
    at = next(n for n, h in enumerate(happenings) if h.kind == "tile_exposed")
    fell = _as(TileExposed, happenings[at])
    happenings[at] = IndicatorTurned(t=fell.t, tile=fell.tile, slot=fell.slot, seat=fell.by)
    return happenings, expected


def wrong_indicator(played: list[Happening], rng: random.Random) -> Injected:
    at = next(n for n, h in enumerate(played) if h.kind == "indicator_turned")
    wall = table_after(played[:at]).wall
    right = _as(IndicatorTurned, played[at])
    # How sure the observer is of a face says nothing against the stack on which it saw it.
    slot = wall.slot(wall.indicator(rng.choice((1, 2))))
    wrong = replace(right, slot=slot, tile=Tile.P1, confidence=0.98)
    later = replace(right, t=right.t + 1.0, confidence=0.98)
    # The last grab of the deal may be told after it.
    last = at - 1 if played[at - 1].kind == "tile_drawn" and rng.random() < 0.5 else at
    told = [*played[:last], wrong, *played[last:at], later, *played[at + 1 :]]
    return told, ("wrong-indicator", right.seat, None)


def indicator_missing(played: list[Happening], rng: random.Random) -> Injected:
    at = next(n for n, h in enumerate(played) if h.kind == "indicator_turned")
    end = [n for n, h in enumerate(played) if h.kind == "tile_discarded"]
    if len(end) < 4:
        return None
    seat = _as(IndicatorTurned, played[at]).seat
    return played[:at] + played[at + 1 : end[3] + 1], ("indicator-not-turned", seat, None)


def _ron(played: list[Happening]) -> tuple[int, TileDiscarded] | None:
    at = next((n for n, h in enumerate(played) if h.kind == "hand_shown"), None)
    if at is None:
        return None
    shown = _as(HandShown, played[at])
    if shown.apart is not None:
        return None
    before = [h for h in played[:at] if h.kind == "tile_discarded"]
    if not before or played[at - 1].kind not in ("tile_discarded", "stick_placed"):
        return None
    need = 13 - 3 * sum(h.kind == "meld_shown" and h.seat == shown.seat for h in played[:at])
    if len(shown.tiles) != need or shown.seat == before[-1].seat:
        return None
    # With the wall used up an opened hand that may not win shows that it is ready.
    return (at, before[-1]) if table_after(played[:at]).left else None


def furiten_discard(played: list[Happening], rng: random.Random) -> Injected:
    found = _ron(played)
    if found is None:
        return None
    at, last = found
    shown = _as(HandShown, played[at])
    winner = shown.seat
    if _held(shown, last.tile):
        return None

    def fits(n: int) -> bool:
        h = played[n]
        return (
            h.kind == "tile_discarded" and h.seat == winner and played[n + 1].kind == "tile_drawn"
        )

    own = _at(rng, played[:at], fits)
    if own is None or _seen(played, at)[last.tile.plain] >= 4:
        return None
    changed = replace(_as(TileDiscarded, played[own]), tile=last.tile.plain)
    return (
        [*played[:own], changed, *played[own + 1 : at + 1]],
        ("win-furiten", winner, "discard"),
    )


def _held(shown: HandShown, tile: Tile) -> bool:
    return sum(t.plain is tile.plain for t in shown.tiles) > 1


def furiten_passed(played: list[Happening], rng: random.Random) -> Injected:
    found = _ron(played)
    if found is None:
        return None
    at, last = found
    winner = _as(HandShown, played[at]).seat
    own = max(
        (n for n, h in enumerate(played[:at]) if h.kind == "tile_discarded" and h.seat == winner),
        default=None,
    )
    if own is None:
        return None
    between = [
        n
        for n in range(own + 1, at)
        if played[n].kind == "tile_discarded"
        and played[n] is not last
        and played[n + 1].kind == "tile_drawn"
    ]
    if not between or _seen(played, at)[last.tile.plain] + 1 > 3:
        return None
    n = rng.choice(between)
    changed = replace(_as(TileDiscarded, played[n]), tile=last.tile.plain)
    riichi = any(h.kind == "stick_placed" and h.seat == winner for h in played[:n])
    return (
        [*played[:n], changed, *played[n + 1 : at + 1]],
        ("win-furiten", winner, "riichi" if riichi else "temporary"),
    )


def _discard_place(played: list[Happening], rng: random.Random) -> tuple[int, Seat] | None:
    """A discard that nobody claimed, and another seat without melds or riichi."""
    melded = {h.seat for h in played if h.kind in ("meld_shown", "stick_placed")}

    def fits(n: int) -> bool:
        h = played[n]
        return (
            h.kind == "tile_discarded"
            and n + 1 < len(played)
            and played[n + 1].kind == "tile_drawn"
            and _play(played, n)
        )

    at = _at(rng, played, fits)
    if at is None:
        return None
    by = _as(TileDiscarded, played[at]).seat
    seats = [s for s in SEATS if s not in melded and s != by]
    return (at, rng.choice(seats)) if seats else None


def false_win(played: list[Happening], rng: random.Random) -> Injected:
    place = _discard_place(played, rng)
    if place is None:
        return None
    at, seat = place
    tiles = tuple(
        Tile(text)
        for text in ["1m", "4m", "7m", "2p", "5p", "8p", "3s", "6s", "9s", "1z", "2z", "3z", "4z"]
    )
    shown = HandShown(t=played[at].t + 1.0, seat=seat, tiles=tiles)
    return [*played[: at + 1], shown], ("false-win", seat, None)


def no_yaku(played: list[Happening], rng: random.Random) -> Injected:
    place = _discard_place(played, rng)
    if place is None:
        return None
    at, seat = place
    tile = _as(TileDiscarded, played[at]).tile.plain
    if not tile.is_suited or not 2 <= tile.rank <= 8:
        return None
    suit = tile.suit.value
    first, second = (each for each in "mps" if each != suit)
    held = [f"{tile.rank - 1}{suit}", f"{tile.rank + 1}{suit}"]
    for low, high in ((1, 5), (5, 1), (6, 2)):
        text = [f"{low + n}{first}" for n in range(3)] + [f"{high + n}{second}" for n in range(3)]
        text += [f"9{first}"] * 3 + [f"2{second}"] * 2
        tiles = tuple(Tile(each) for each in held + text)
        hand = ScoringHand(hand=tiles, win_tile=tile, from_="left", seat_wind="N", round_wind="E")
        if score(hand, load_options("tenhou")).reason == "no yaku":
            break
    else:
        return None
    table = table_after(played[: at + 1])
    if table.left == 0 or (table.uninterrupted and not table.seats[seat].pool):
        return None
    if any(d.tile.plain is tile for d in table.seats[seat].pool) or tile in table.passed[seat]:
        return None
    shown = HandShown(t=played[at].t + 1.0, seat=seat, tiles=tiles)
    return [*played[: at + 1], shown], ("win-below-minimum", seat, None)


def riichi_noten(played: list[Happening], rng: random.Random) -> Injected:
    table = table_after([h for h in played if h.kind != "hand_shown"])
    won = any(
        h.kind == "indicator_turned" and h.slot is not None and h.slot.layer == "bottom"
        for h in played
    )
    if table.left or table.players == 3 or won:
        return None
    declared = {h.seat for h in played if h.kind == "stick_placed"}

    def fits(n: int) -> bool:
        h = played[n]
        return h.kind == "hand_shown" and h.seat in declared and len(h.tiles) == 13

    at = _at(rng, played, fits)
    if at is None:
        return None
    tiles = tuple(
        Tile(text)
        for text in ["1m", "4m", "7m", "2p", "5p", "8p", "3s", "6s", "9s", "1z", "2z", "3z", "4z"]
    )
    changed = replace(_as(HandShown, played[at]), tiles=tiles)
    return [*played[:at], changed, *played[at + 1 :]], ("riichi-noten", changed.seat, None)


def nine_false(played: list[Happening], rng: random.Random) -> Injected:
    at = next(n for n, h in enumerate(played) if h.kind == "indicator_turned")
    turned = _as(IndicatorTurned, played[at])
    assert turned.seat is not None
    seat, t = turned.seat, turned.t
    tiles = tuple(
        Tile(text)
        for text in ["1m", "4m", "7m", "2p", "5p", "8p", "3s", "6s", "9s", "1z", "2z", "3z", "4z"]
    )
    call = Call(t=t + 0.5, seat=seat, call="nine_terminals")
    shown = HandShown(t=t + 1.0, seat=seat, tiles=tiles, apart=Tile.S5)
    return [*played[: at + 1], call, shown], ("nine-terminals-false", seat, None)


def claim_in_riichi(played: list[Happening], rng: random.Random) -> Injected:
    declared = {h.seat: n for n, h in enumerate(played) if h.kind == "stick_placed"}

    def fits(n: int) -> bool:
        h = played[n]
        free = n + 1 < len(played) and played[n + 1].kind == "tile_drawn"
        return (
            h.kind == "tile_discarded"
            and any(k < n and s != h.seat for s, k in declared.items())
            and free
            and _seen(played, n)[h.tile.plain] <= 1
        )

    at = _at(rng, played, fits)
    if at is None:
        return None
    h = _as(TileDiscarded, played[at])
    seat = rng.choice([s for s, k in declared.items() if k < at and s != h.seat])
    way = (h.seat - seat) % 4
    place = {3: 0, 2: 1, 1: 2}[way]
    tile = h.tile.plain
    if table_after(played[: at + 1]).left == 0:
        return None
    claim = TileClaimed(t=h.t + 0.5, seat=seat, tile=h.tile, from_=h.seat)
    meld = MeldShown(t=h.t + 1.0, seat=seat, tiles=(tile,) * 3, claimed=place, sideways=place)
    return [*played[: at + 1], claim, meld], ("claim-while-barred", seat, "riichi")


def merged(played: list[Happening], rng: random.Random) -> Injected:
    at = next((n for n, h in enumerate(played) if h.kind == "hand_shown"), None)
    if at is None:
        return None
    h = _as(HandShown, played[at])
    if h.apart is None or played[at - 1].kind == "call":
        return None
    first = sum(x.kind == "tile_discarded" and x.seat == h.seat for x in played[:at]) == 0
    if first:
        return None
    changed = replace(h, tiles=(*h.tiles, h.apart), apart=None)
    return [*played[:at], changed, *played[at + 1 :]], ("winning-tile-merged", h.seat, None)


def own_exposed(played: list[Happening], rng: random.Random) -> Injected:
    at = _at(rng, played, lambda n: _play(played, n) and played[n].kind == "tile_discarded")
    if at is None:
        return None
    seat = SEATS[(_as(TileDiscarded, played[at]).seat + 1) % 4]
    many = rng.choice((1, 2, 4))
    shown = [
        TileExposed(t=played[at].t + 0.2 + 0.1 * n, where="hand", seat=seat, tile=tile)
        for n, tile in enumerate(rng.sample(KINDS, many))
    ]
    stage = "several" if many >= 3 else None
    return [*played[: at + 1], *shown, *played[at + 1 :]], ("own-tile-exposed", seat, stage)


def wall_knocked(played: list[Happening], rng: random.Random) -> Injected:
    at = _at(rng, played, lambda n: _play(played, n) and played[n].kind == "tile_discarded")
    if at is None:
        return None
    whole = rng.random() < 0.5
    by = _as(TileDiscarded, played[at]).seat
    knocked = WallDisturbed(t=played[at].t + 0.5, side=1, stacks=(3, 4), by=by, recoverable=whole)
    stage = "recoverable" if whole else "unrecoverable"
    return [*played[: at + 1], knocked, *played[at + 1 :]], ("wall-break", by, stage)


def pool_knocked(played: list[Happening], rng: random.Random) -> Injected:
    at = _at(rng, played, lambda n: _play(played, n) and played[n].kind == "tile_discarded")
    if at is None:
        return None
    discard = _as(TileDiscarded, played[at])
    by = SEATS[(discard.seat + 1) % 4]
    knocked = PoolDisturbed(t=discard.t + 0.5, seat=discard.seat, by=by)
    return [*played[: at + 1], knocked, *played[at + 1 :]], ("pool-disturbed", by, "recoverable")


def wrong_break(played: list[Happening], rng: random.Random) -> Injected:
    at = next(n for n, h in enumerate(played) if h.kind == "tile_drawn")
    table = table_after(played[:at])
    right = _as(TileDrawn, played[at])
    ring = table.ring
    total = table.rolls[0].total
    side = table.counted_seat(total)
    start = (ring.after(side, total) + rng.choice((1, 2))) % ring.total
    places = [ring.places[(start + n) % ring.total] for n in range(2)]
    slots = tuple(
        Slot(place[0], place[1], layer) for place in places for layer in ("top", "bottom")
    )
    draw = TileDrawn(t=right.t, seat=right.seat, slots=slots)
    return [*played[:at], draw], ("wrong-break", side, "unseen")


def misplaced(played: list[Happening], rng: random.Random) -> Injected:
    at = _at(rng, played, lambda n: _play(played, n) and played[n].kind == "tile_discarded")
    if at is None:
        return None
    changed = replace(_as(TileDiscarded, played[at]), place=None)
    return [*played[:at], changed, *played[at + 1 :]], ("discard-misplaced", changed.seat, None)


def win_barred(played: list[Happening], rng: random.Random) -> Injected:
    found = _ron(played)
    if found is None:
        return None
    at, _ = found
    winner = _as(HandShown, played[at]).seat
    melded = sum(h.kind == "meld_shown" and h.seat == winner for h in played[:at])
    places = [
        n
        for n in range(at)
        if isinstance(discard := played[n], TileDiscarded)
        and discard.seat != winner
        and played[n + 1].kind == "tile_drawn"
        and not any(h.kind == "meld_shown" and h.seat == winner for h in played[:n])
    ]
    if melded or not places:
        return None
    n = rng.choice(places)
    tiles = tuple(
        Tile(text)
        for text in ["1m", "4m", "7m", "2p", "5p", "8p", "3s", "6s", "9s", "1z", "2z", "3z", "4z"]
    )
    shown = HandShown(t=played[n].t + 0.7, seat=winner, tiles=tiles)
    return (
        [*played[: n + 1], shown, *played[n + 1 : at + 1]],
        ("win-while-barred", winner, None),
    )


INJECTIONS: dict[str, Injection] = {
    "riichi-no-stick": riichi_no_stick,
    "riichi-not-rotated": riichi_not_rotated,
    "riichi-changed-hand": riichi_changed_hand,
    "riichi-illegal again": riichi_again,
    "riichi-illegal open": riichi_open,
    "swap-call": swap_call,
    "dead-wall-draw": dead_wall_draw,
    "wrong-draw": wrong_draw,
    "ura-dora-peeked": ura_peeked,
    "dead-wall-tile-exposed": replacement_shown,
    "dead-wall-tile-exposed neatly": replacement_turned,
    "wrong-indicator": wrong_indicator,
    "indicator-not-turned": indicator_missing,
    "win-furiten discard": furiten_discard,
    "win-furiten passed": furiten_passed,
    "false-win": false_win,
    "win-below-minimum": no_yaku,
    "riichi-noten": riichi_noten,
    "nine-terminals-false": nine_false,
    "claim-while-barred": claim_in_riichi,
    "winning-tile-merged": merged,
    "own-tile-exposed": own_exposed,
    "wall-break": wall_knocked,
    "pool-disturbed": pool_knocked,
    "wrong-break": wrong_break,
    "discard-misplaced": misplaced,
    "win-while-barred": win_barred,
}
