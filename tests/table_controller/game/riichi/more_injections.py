"""Infractions that hands go on after: what is void, taken back, or drawn from the wrong end."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import takewhile

from table_controller.domain.happenings import (
    Call,
    HandCounted,
    HandShown,
    Happening,
    MeldExtended,
    MeldShown,
    Seat,
    StickPlaced,
    TableSet,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    TileRetracted,
)
from table_controller.domain.tiles import KINDS, Tile
from table_controller.happenings.looks.places import SEATS
from tests.table_controller.game.riichi.injections import (
    Injected,
    Injection,
    _as,
    _at,
    _draw,
    _play,
    _seen,
    riichi_open,
    table_after,
)


def _next_discard(played: list[Happening], at: int, seat: int) -> int | None:
    """Where this seat discards again, with nothing of its own between but draws and sticks."""
    for n in range(at + 1, len(played)):
        h = played[n]
        if h.kind == "hand_shown":
            return None
        if getattr(h, "seat", None) == seat and h.kind not in ("tile_drawn", "stick_placed"):
            return n if h.kind == "tile_discarded" else None
    return None


def _from_the_hand(played: list[Happening], at: int, seat: int) -> list[Happening] | None:
    """What follows up to the seat's next discard, which is no longer the tile it drew."""
    later = _next_discard(played, at, seat)
    if later is None:
        return None
    return [*played[at + 1 : later], replace(_as(TileDiscarded, played[later]), drawn=False)]


def _declaration(played: list[Happening], n: int) -> bool:
    """Whether the n-th happening is a discard that declares riichi, with its stick after it."""
    h = played[n]
    return (
        isinstance(h, TileDiscarded)
        and h.rotated
        and played[n - 1].kind == "call"
        and n + 1 < len(played)
        and played[n + 1].kind == "stick_placed"
    )


def _goes_on(played: list[Happening], n: int, after: int) -> bool:
    """Whether who made the n-th happening, a discard, discards again from the hand."""
    return _from_the_hand(played, after, _as(TileDiscarded, played[n]).seat) is not None


def riichi_points(played: list[Happening], rng: random.Random) -> Injected:
    """The stick cannot be paid (8.2): the hand may be changed after it."""
    at = _at(rng, played, lambda n: _declaration(played, n) and _goes_on(played, n, n))
    if at is None or not isinstance(played[0], TableSet):
        return None
    seat = _as(TileDiscarded, played[at]).seat
    scores = tuple(700 if other == seat else 33100 for other in range(4))
    rest = _from_the_hand(played, at, seat)
    assert rest is not None
    return (
        [replace(played[0], scores=scores), *played[1 : at + 1], *rest],
        ("riichi-illegal", seat, "points"),
    )


def riichi_tiles(played: list[Happening], rng: random.Random) -> Injected:
    """Fewer than four tiles are left (6.5.1)."""
    discards = [n for n, h in enumerate(played) if h.kind == "tile_discarded"]
    busy = {h.seat for h in played if h.kind in ("meld_shown", "stick_placed", "call")}

    def fits(n: int) -> bool:
        return n in discards[-4:] and _as(TileDiscarded, played[n]).seat not in busy

    at = _at(rng, played, fits)
    if at is None or table_after(played[:at]).left >= 4:
        return None
    h = _as(TileDiscarded, played[at])
    rest = takewhile(lambda other: other.kind != "hand_shown", played[at + 1 :])
    return (
        [
            *played[:at],
            Call(t=h.t - 0.5, seat=h.seat, call="riichi"),
            replace(h, rotated=True),
            StickPlaced(t=h.t + 0.5, seat=h.seat),
            *rest,
        ],
        ("riichi-illegal", h.seat, "tiles"),
    )


def riichi_open_played_on(played: list[Happening], rng: random.Random) -> Injected:
    """The hand is not concealed (9.12.1): who plays along has changed no riichi."""
    injected = riichi_open(played, rng)
    if injected is None:
        return None
    told, expected = injected
    at = len(told) - 2
    seat = _as(TileDiscarded, played[at]).seat
    rest = _from_the_hand(played, at, seat)
    stick = StickPlaced(t=played[at].t + 0.5, seat=seat)
    return None if rest is None else ([*told, stick, *rest], expected)


def riichi_taken_back(played: list[Happening], rng: random.Random) -> Injected:
    """The tile that declared riichi is taken back, and discarded without it (9.11.5)."""

    def fits(n: int) -> bool:
        return _declaration(played, n) and _goes_on(played, n, n + 1)

    at = _at(rng, played, fits)
    if at is None:
        return None
    h = _as(TileDiscarded, played[at])
    rest = _from_the_hand(played, at + 1, h.seat)
    assert rest is not None
    return (
        [
            *played[: at + 1],
            TileRetracted(t=h.t + 0.4, seat=h.seat, tile=h.tile),
            replace(h, t=h.t + 0.9, rotated=False),
            *rest,
        ],
        ("discard-retracted", h.seat, None),
    )


def kong_on_the_last(played: list[Happening], rng: random.Random) -> Injected:
    """A kong of the last discard (6.5.2): one cause, one alert."""
    at = max((n for n, h in enumerate(played) if h.kind == "tile_discarded"), default=0)
    h = played[at]
    if not isinstance(h, TileDiscarded) or _seen(played, at + 1)[h.tile.plain] != 1:
        return None
    table = table_after(played[: at + 1])
    seats = [s for s in SEATS if s != h.seat and table.riichi[s] is None]
    if table.left or not seats or len(table.kongs) >= 4:
        return None
    seat = rng.choice(seats)
    place = {3: 0, 2: 1, 1: 3}[(h.seat - seat) % 4]
    tile = h.tile.plain
    claim = TileClaimed(t=h.t + 0.5, seat=seat, tile=h.tile, from_=h.seat)
    meld = MeldShown(t=h.t + 1.0, seat=seat, tiles=(tile,) * 4, claimed=place, sideways=place)
    return [*played[: at + 1], claim, meld], ("kong-illegal", seat, "last")


def _void_kong(
    played: list[Happening], rng: random.Random, seats: tuple[Seat, ...], tiles: int
) -> Injected:
    """A kong of one of these seats right after another's discard, and its tiles taken back."""
    discards = [
        n for n, h in enumerate(played) if h.kind == "tile_discarded" and h.seat not in seats
    ]
    if not discards or not seats:
        return None
    return _void_kong_at(played, rng.choice(discards), rng.choice(seats), tiles)


def _void_kong_at(played: list[Happening], at: int, seat: Seat, tiles: int) -> Injected:
    unseen = [kind for kind in KINDS if not _seen(played, len(played))[kind]]
    if not unseen:
        return None
    t = played[at].t
    kong: Happening = MeldExtended(t=t + 0.02, seat=seat, tile=unseen[0])
    if tiles == 4:
        backs = (Tile.BACK,) * 4
        kong = MeldShown(t=t + 0.02, seat=seat, tiles=backs, face_down=(0, 1, 2, 3))
    standing = table_after(played[: at + 1]).seats[seat].standing
    back = HandCounted(t=t + 0.04, seat=seat, count=standing)
    expected = ("kong-illegal", seat, None)
    return [*played[: at + 1], kong, back, *played[at + 1 :]], expected


def fourth_given_back(played: list[Happening], rng: random.Random) -> Injected:
    """A fourth tile while it is another's turn (9.10.1 鸣牌无效): it goes back."""
    return _void_kong(played, rng, (SEATS[rng.randrange(4)],), 1)


def own_fourth_given_back(played: list[Happening], rng: random.Random) -> Injected:
    """The same in his own turn: no replacement is due for it."""
    drawn = {n for n in range(len(played)) if _draw(played, n) and _play(played, n)}
    at = _at(rng, played, lambda n: n in drawn and played[n + 1].kind == "tile_discarded")
    if at is None:
        return None
    return _void_kong_at(played, at, _as(TileDiscarded, played[at + 1]).seat, 1)


def kong_given_back(played: list[Happening], rng: random.Random) -> Injected:
    """Four tiles face down while it is another's turn: they go back, and their owner wins."""
    winners = {h.seat for h in played if isinstance(h, HandShown)}
    return _void_kong(played, rng, tuple(winners)[:1], 4)


def _replacement(played: list[Happening], rng: random.Random) -> int | None:
    """Where the first replacement tile of the hand is drawn."""
    kong = next(
        (
            n
            for n, h in enumerate(played)
            if h.kind == "meld_extended" or (h.kind == "meld_shown" and len(h.tiles) == 4)
        ),
        len(played),
    )
    draws = [n for n in range(kong, min(kong + 3, len(played))) if _draw(played, n)]
    return rng.choice(draws[:1]) if draws else None


def replaced_live(played: list[Happening], rng: random.Random) -> Injected:
    """The next tile of the live wall instead of the replacement tile (9.11.1(2))."""
    at = _replacement(played, rng)
    if at is None:
        return None
    wall = table_after(played[:at]).wall
    if wall.left < 6:
        return None
    wrong = replace(_as(TileDrawn, played[at]), slots=(wall.slot(wall.front()),))
    return [*played[:at], wrong], ("wrong-replacement", wrong.seat, "live")


def replaced_dead(played: list[Happening], rng: random.Random) -> Injected:
    """Another tile of the dead wall instead of the replacement tile (9.11.1(1))."""
    at = _replacement(played, rng)
    if at is None:
        return None
    wall = table_after(played[:at]).wall
    wrong = replace(_as(TileDrawn, played[at]), slots=(wall.slot(wall.back() - 2),))
    return [*played[:at], wrong], ("wrong-replacement", wrong.seat, "taken")


MORE: dict[str, Injection] = {
    "riichi-illegal points": riichi_points,
    "riichi-illegal tiles": riichi_tiles,
    "riichi-illegal open, played on": riichi_open_played_on,
    "discard-retracted of a riichi": riichi_taken_back,
    "kong-illegal last": kong_on_the_last,
    "kong-illegal, the fourth given back": fourth_given_back,
    "kong-illegal, the own fourth given back": own_fourth_given_back,
    "kong-illegal, given back": kong_given_back,
    "wrong-replacement live": replaced_live,
    "wrong-replacement dead": replaced_dead,
}
