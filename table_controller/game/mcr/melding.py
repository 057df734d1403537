"""Claims, sets and kongs, and what can be wrong with them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    Happening,
    MeldExtended,
    MeldShown,
    Seat,
    TileClaimed,
)
from table_controller.domain.tiles import KIND_INDEX, Tile, sort_tiles
from table_controller.game import costs
from table_controller.game.base import Chance, Meld, MeldKind
from table_controller.game.mcr.draws import resolve_early
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading

_STILL_LAYING_S = 0.6
"""A tile that joins a set so soon belongs to the same claim."""


def kind_of(tiles: tuple[Tile, ...], claimed: Tile | None = None) -> MeldKind | None:
    """What set these tiles are; unread faces fit anything; None where they are none.

    ``unknown`` where too many faces are unread to tell a chow from a pung.
    """
    known = [tile for tile in tiles if tile.known]
    if claimed is not None and claimed.known and not known:
        known = [claimed]
    if any(tile not in KIND_INDEX for tile in known):
        return None
    same = len(set(known)) <= 1
    if len(tiles) == 4:
        return "kong" if same else None
    if len(tiles) != 3:
        return None
    if same and len(known) >= 2:
        return "pung"
    if same:
        return "unknown"
    if len({tile.suit for tile in known}) == 1 and known[0].is_suited:
        ranks = sorted(tile.rank for tile in known)
        if len(set(ranks)) == len(ranks) and ranks[-1] - ranks[0] <= 2:
            return "chow"
    return None


# -- claiming ---------------------------------------------------------------------------------


def tile_claimed(g: ChineseTable, h: TileClaimed) -> bool:
    """The latest discard leaves the pool for another seat."""
    chance = g.chance if g.robbing is None else g.robbing
    if (
        g.phase not in ("play", "check")
        or chance is None
        or g.claimer is not None
        or (g.phase == "play" and g.need != "draw" and g.robbing is None)
        or h.seat == chance.seat
        or (h.from_ is not None and h.from_ != chance.seat)
        or not _agrees(h.tile, chance.tile)
    ):
        return False
    g.now = max(g.now, h.t)
    claim(g, h.seat, chance, h.tile, h)
    return True


def _agrees(one: Tile, other: Tile) -> bool:
    return one is other or not one.known or not other.known


def claim(
    g: ChineseTable, seat: Seat, chance: Chance, tile: Tile, h: Happening, *, quiet: bool = False
) -> None:
    """The tile is on its way to the claimer."""
    resolve_early(g)
    if g.exposed:
        g.tick(h.t)
    if tile.known and not chance.tile.known:
        chance = replace(chance, tile=tile)
        if chance.index >= 0:
            g.put_in_pool(chance.seat, chance.index, tile=tile)
            g.saw(h, tile)
    if chance.index >= 0:
        g.put_in_pool(chance.seat, chance.index, gone=True)
    g.claim = chance
    g.claimer = seat
    if not quiet and any(s == seat and t >= chance.t for s, t in g.reached):
        g.flag("claim-after-draw", seat, h, t=h.t, cause=("claim", seat, chance.t))


def read_tile_claimed(g: ChineseTable, h: TileClaimed) -> list[Reading]:
    """A claim that comes too late, of a misread tile, or reported twice."""
    readings: list[Reading] = []
    if g.phase not in ("play", "check"):
        return readings
    doubt = costs.disbelief(h.confidence)
    chance = g.chance
    if g.claimer == h.seat or _has_claimed(g, h.seat, h.tile):
        readings.append((costs.DOUBLED, lambda _r: None))
    if (
        chance is not None
        and g.claimer is None
        and g.need == "draw"
        and h.seat != chance.seat
        and not _agrees(h.tile, chance.tile)
    ):

        def misread(r: ChineseTable) -> None:
            assert r.chance is not None
            r.now = max(r.now, h.t)
            claim(r, h.seat, r.chance, Tile.UNKNOWN, h)

        readings.append((doubt, misread))
    late = _late_chance(g, h.seat, h.tile)
    if late is not None and g.claimer is None and g.phase == "play":

        def after_draw(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.flag("claim-after-draw", h.seat, h, t=h.t, cause=("claim", h.seat, late.t))
            claim(r, h.seat, late, h.tile, h, quiet=True)

        readings.append((costs.INFRACTION, after_draw))
    return readings


def _late_chance(g: ChineseTable, seat: Seat, tile: Tile) -> Chance | None:
    """The latest discard although the next draw has covered it."""
    if g.need != "discard" or g.last_draw is None or g.after in ("deal", "chow", "pung"):
        return None
    discarder = max(range(4), key=lambda s: g.seats[s].pool[-1].t if g.seats[s].pool else -1.0)
    pool = g.seats[discarder].pool
    if not pool or pool[-1].gone or discarder in (seat, g.turn):
        return None
    if not _agrees(pool[-1].tile, tile) or g.last_draw[2] < pool[-1].t:
        return None
    return Chance(discarder, pool[-1].tile, pool[-1].t, len(pool) - 1)  # type: ignore[arg-type]


def _has_claimed(g: ChineseTable, seat: Seat, tile: Tile) -> bool:
    melds = g.seats[seat].melds
    return bool(melds) and melds[-1].claimed is tile and g.now - melds[-1].t < 3.0


def unseen_meld(g: ChineseTable, h: Happening, *, kong: bool) -> None:
    """The claimed tile was laid with others that nobody saw."""
    taken, seat = g.claim, g.claimer
    assert taken is not None
    assert seat is not None
    called = next((c[1] for c in g.calls if c[0] == seat and c[1] in ("chow", "pung")), None)
    kind: MeldKind = "unknown"
    if kong:
        kind = "kong"
    elif called is not None:
        kind = "chow" if called == "chow" else "pung"
    elif seat != g.next_of(taken.seat) or taken.tile.is_honour:
        kind = "pung"
    count = 4 if kong else 3
    if kind in ("kong", "pung") and taken.tile.known:
        tiles = (taken.tile,) * count
    else:
        tiles = (taken.tile, *(Tile.UNKNOWN,) * (count - 1))
    _lay(g, seat, taken, kind, tiles, True, None, inferred=True, t=h.t)


def unseen_kong(g: ChineseTable, seat: Seat) -> None:
    """Four tiles left the hand for a concealed kong that nobody saw."""
    shown = MeldShown(t=g.now, seat=seat, tiles=(Tile.BACK,) * 4, face_down=(0, 1, 2, 3))
    _lay_concealed(g, shown, inferred=True)


# -- sets --------------------------------------------------------------------------------------


def meld_shown(g: ChineseTable, h: MeldShown) -> bool:
    """A set comes to rest: of the claimed tile, or a concealed kong."""
    if g.phase not in ("play", "check", "over"):
        return False
    seat = h.seat
    if _same_again(g, h):
        return True
    if g.phase != "play":
        return False
    if g.claimer == seat and g.claim is not None:
        kind = kind_of(h.tiles, g.claim.tile)
        if kind is None or not _holds(h, g.claim.tile):
            return False
        if any(tile.known and tile is not g.claim.tile and g.census.full(tile) for tile in h.tiles):
            return False
        g.now = max(g.now, h.t)
        _lay(g, seat, g.claim, kind, h.tiles, True, h)
        return True
    if (
        g.turn == seat
        and g.need == "discard"
        and not g.owed[seat]
        and g.claimer is None
        and _looks_concealed(h)
        and kind_of(h.tiles) == "kong"
        and g.after not in ("chow", "pung")
    ):
        g.now = max(g.now, h.t)
        _lay_concealed(g, h)
        return True
    return False


def _looks_concealed(h: MeldShown) -> bool:
    if len(h.tiles) != 4 or h.claimed is not None or h.sideways is not None:
        return False
    backs = sum(not tile.known for tile in h.tiles)
    return len(h.face_down) >= 2 or backs >= 2 or not h.face_down


def _holds(h: MeldShown, tile: Tile) -> bool:
    """Whether the set can contain the claimed tile."""
    return not tile.known or tile in h.tiles or any(not t.known for t in h.tiles)


def _same_again(g: ChineseTable, h: MeldShown) -> bool:
    """A set sent again: as it was, or a concealed kong turned up."""
    state = g.seats[h.seat]
    for at, meld in enumerate(state.melds):
        if len(meld.tiles) != len(h.tiles):
            continue
        if meld.concealed and kind_of(h.tiles) == "kong" and h.claimed is None:
            face = next((tile for tile in h.tiles if tile.known), None)
            mine = next((tile for tile in meld.tiles if tile.known), None)
            if mine is not None and face is not None and mine is not face:
                continue
            if face is None and g.turn == h.seat and g.need == "discard" and g.now - meld.t > 1.0:
                continue
            if face is not None and mine is None:
                g.saw(h, face, face, face, face)
                melds = list(state.melds)
                melds[at] = replace(meld, tiles=(face,) * 4)
                state.melds = tuple(melds)
            return True
        if not meld.concealed and sort_tiles(meld.tiles) == sort_tiles(h.tiles):
            fresh = g.claimer == h.seat or (
                g.chance is not None and h.claimed is not None and g.now - meld.t > 3.0
            )
            if not fresh:
                return True
    return False


def _lay(
    g: ChineseTable,
    seat: Seat,
    taken: Chance,
    kind: MeldKind,
    tiles: tuple[Tile, ...],
    valid: bool,
    h: MeldShown | None,
    *,
    inferred: bool = False,
    t: float | None = None,
) -> None:
    """A set with a claimed tile stands; the claimer discards, or draws after a kong."""
    if kind == "unknown" and seat != g.next_of(taken.seat):
        kind = "pung"
    g.now = max(g.now, g.now if t is None else t)
    state = g.seats[seat]
    claimed = taken.tile
    if not claimed.known and h is not None and h.claimed is not None:
        claimed = h.tiles[h.claimed] if h.claimed < len(h.tiles) else claimed
        if claimed.known:
            g.put_in_pool(taken.seat, taken.index, tile=claimed)
            g.saw(h, claimed)
    if h is not None:
        rest = list(tiles)
        if claimed in rest:
            rest.remove(claimed)
        elif Tile.UNKNOWN in rest:
            rest.remove(Tile.UNKNOWN)
        else:
            rest.pop()
        g.saw(h, *rest)
    meld = Meld(kind, tiles, taken.seat, claimed, valid=valid, t=g.now)
    state.melds = (*state.melds, meld)
    state.standing -= len(tiles) - 1
    _check_claim(g, seat, taken, meld, h)
    g.claim = g.claimer = g.chance = None
    g.calls = ()
    g.reached = ()
    g.turn, g.need = seat, "discard"
    g.draw_t = g.now
    g.robbing = None
    said = "chow" if kind == "unknown" else kind
    g.after = "kong" if kind == "kong" else "chow" if said == "chow" else "pung"
    more: dict[str, object] = {"kong": "exposed"} if kind == "kong" else {}
    g.say(
        said,
        seat,
        tile=claimed,
        tiles=tuple(sort_tiles(tiles)),
        from_=taken.seat,
        inferred=inferred,
        **more,
    )
    if kind == "kong":
        g.owe(seat, 1)


def _check_claim(
    g: ChineseTable, seat: Seat, taken: Chance, meld: Meld, h: MeldShown | None
) -> None:
    """From whom, in what order of calls, under which bar, and how it lies."""
    evidence = () if h is None else (h,)
    t = g.now if h is None else h.t
    cause = ("claim", seat, taken.t)
    state = g.seats[seat]
    if meld.kind == "chow" and seat != g.next_of(taken.seat):
        shown = tuple(tile for tile in meld.tiles if tile is not taken.tile)
        g.flag("chow-not-from-left", seat, *evidence, t=t, facts=Facts(tiles=shown), cause=cause)
    barred = "kong_exposed" if meld.kind == "kong" else meld.kind
    if (state.stop_win or state.dead) and barred in g.ruleset.stop_win.bars:
        g.flag("claim-while-barred", seat, *evidence, t=t, cause=cause)
    _check_priority(g, seat, taken, meld, evidence, t, cause)
    if h is not None and h.sideways is not None and h.sideways < len(h.tiles):
        g.lying = (seat, taken.seat, h)


def check_lying(g: ChineseTable) -> None:
    """How the last set lies, looked at when play goes on: a kong may be laid tile by tile."""
    if g.lying is None:
        return
    seat, source, h = g.lying
    g.lying = None
    melds = g.seats[seat].melds
    if not melds or len(melds[-1].tiles) != len(h.tiles):
        return
    last = len(h.tiles) - 1
    right = {3: (0,), 2: tuple(range(1, last)), 1: (last,)}[g.way(seat, source)]
    if h.sideways not in right:
        g.flag("meld-misplaced", seat, h, t=h.t)


def _check_priority(
    g: ChineseTable,
    seat: Seat,
    taken: Chance,
    meld: Meld,
    evidence: tuple[Happening, ...],
    t: float,
    cause: tuple[object, ...],
) -> None:
    """Win before kong and pung, these before chow; a pung over a chow within its 3 seconds."""
    limit = g.ruleset.timers.pung_s
    own = next((c for c in g.calls if c[0] == seat and c[1] != "win"), None)
    for other, called, when, happening in g.calls:
        if other == seat or other == taken.seat:
            continue
        in_time = limit is None or when - taken.t <= limit
        if called == "win" and meld.kind != "unknown":
            g.flag(
                "claim-out-of-priority",
                seat,
                *evidence,
                happening,
                t=t,
                facts=Facts(stage="win"),
                cause=cause,
            )
        elif called in ("pung", "kong") and meld.kind == "chow" and in_time:
            g.flag(
                "claim-out-of-priority",
                seat,
                *evidence,
                happening,
                t=t,
                facts=Facts(stage="pung"),
                cause=cause,
            )
        elif called in ("pung", "kong") and meld.kind == "chow":
            g.flag("claim-late", other, happening, t=when, cause=("late", other, taken.t))
        elif called == "chow" and meld.kind == "pung" and own is not None:
            late = limit is not None and own[2] - taken.t > limit
            if late and when < own[2]:
                g.flag("claim-late", seat, own[3], t=own[2], cause=("late", seat, taken.t))


def _lay_concealed(
    g: ChineseTable, h: MeldShown, *, valid: bool = True, inferred: bool = False
) -> None:
    state = g.seats[h.seat]
    face = next((tile for tile in h.tiles if tile.known), Tile.BACK)
    if face.known:
        g.saw(h, face, face, face, face)
    state.melds = (
        *state.melds,
        Meld("kong", (face,) * 4, None, None, concealed=True, valid=valid, t=g.now),
    )
    state.standing -= 4
    g.after = "kong"
    g.owe(h.seat, 1)
    g.draw_t = g.now
    g.robbing = None
    g.say("kong", h.seat, tile=face, tiles=(face,) * 4, kong="concealed", inferred=inferred)


def read_meld_shown(g: ChineseTable, h: MeldShown) -> list[Reading]:
    """A set that is none, of a tile not claimed in order, or read wrongly."""
    readings: list[Reading] = _changed_set(g, h)
    if g.phase != "play":
        return readings
    seat = h.seat
    doubt = costs.disbelief(h.confidence)
    chance = g.claim if g.claimer == seat else g.chance
    open_ = g.claimer in (None, seat) and chance is not None and chance.seat != seat
    if g.claimer is None and len(h.face_down) >= 2 and h.claimed is None:
        open_ = False  # four tiles face down take nothing from a pool
    if open_ and chance is not None and (g.claimer == seat or g.need == "draw"):
        unseen = 0.0 if g.claimer == seat else g.missed("pool", chance.seat)
        kind = kind_of(h.tiles, chance.tile)
        if len(h.tiles) == 2:
            readings.append((unseen, lambda r: _tile_left(r, h)))
        elif kind is not None and _holds(h, chance.tile):
            if g.claimer is None:
                readings.append((unseen, lambda r: _lay_open(r, h, h.tiles, kind, valid=True)))
            elif any(tile.known and g.census.full(tile) for tile in h.tiles):
                readings.append((costs.RARE, lambda r: _lay_open(r, h, h.tiles, kind, valid=True)))
                readings.append((doubt, lambda r: _lay_open(r, h, _doubted(h), kind, valid=True)))
        if (kind is None or not _holds(h, chance.tile)) and len(h.tiles) in (3, 4):
            # A sound set around another tile than this one: that one's discard was not seen.
            other = costs.INFRACTION if _sound_without(h, chance.tile) else 0.0
            wrong = costs.INFRACTION + unseen + other
            readings.append((wrong, lambda r: _lay_open(r, h, h.tiles, kind, valid=False)))
            for tiles, found in _one_misread(h, chance.tile):
                readings.append(
                    (
                        doubt + costs.LIES_OPEN + unseen,
                        lambda r, tiles=tiles, found=found: _lay_open(  # type: ignore[misc]
                            r, h, tiles, found, valid=True
                        ),
                    )
                )
    if g.turn == seat and g.need == "discard" and len(h.tiles) == 4 and h.claimed is None:
        own_pung = any(
            m.kind == "pung" and m.tiles[0] in h.tiles and not m.concealed
            for m in g.seats[seat].melds
        )
        if own_pung:
            tile = next(m.tiles[0] for m in g.seats[seat].melds if m.kind == "pung")
            extended = MeldExtended(t=h.t, confidence=h.confidence, seat=seat, tile=tile)
            readings.append((costs.DOUBLED, lambda r: _extend(r, extended)))
        elif g.after in ("chow", "pung") and kind_of(h.tiles) == "kong":

            def after_claim(r: ChineseTable) -> None:
                r.now = max(r.now, h.t)
                facts = Facts(tiles=h.tiles[:1])
                r.flag("kong-after-claim", seat, h, t=h.t, facts=facts)
                _lay_concealed(r, h, valid=False)

            readings.append((costs.INFRACTION, after_claim))
        elif kind_of(h.tiles) is None:

            def no_kong(r: ChineseTable) -> None:
                r.now = max(r.now, h.t)
                r.flag("invalid-meld", seat, h, t=h.t, facts=Facts(stage="kong", tiles=h.tiles[:1]))
                _lay_concealed(r, h, valid=False)

            readings.append((costs.INFRACTION, no_kong))
    elif len(h.tiles) == 4 and h.claimed is None and kind_of(h.tiles) == "kong" and not open_:

        def out_of_turn(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.flag("kong-illegal", seat, h, t=h.t)
            keep = (r.turn, r.need, r.after, r.owed)
            _lay_concealed(r, h, valid=False)
            r.turn, r.need, r.after, r.owed = keep
            r.seats[seat].dead = True

        readings.append((costs.RARE, out_of_turn))
    claimed = h.tiles[h.claimed] if h.claimed is not None and _claims(h) else None
    late = _late_chance(g, seat, claimed) if claimed is not None else None
    if late is not None and g.claimer is None and kind_of(h.tiles) is not None:

        def after_draw(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.flag("claim-after-draw", seat, h, t=h.t, cause=("claim", seat, late.t))
            claim(r, seat, late, late.tile, h, quiet=True)
            _lay(r, seat, late, kind_of(h.tiles) or "unknown", h.tiles, False, h)

        readings.append((costs.INFRACTION + costs.MISSED, after_draw))
    return readings


def _changed_set(g: ChineseTable, h: MeldShown) -> list[Reading]:
    """A set seen again with another face: one tile was exchanged; a kong that is none."""
    state = g.seats[h.seat]
    for at, meld in enumerate(state.melds):
        if len(meld.tiles) != len(h.tiles) or not all(tile.known for tile in h.tiles):
            continue
        if meld.concealed and not meld.tiles[0].known and kind_of(h.tiles) is None:

            def no_kong(r: ChineseTable, at: int = at) -> None:
                r.now = max(r.now, h.t)
                r.flag("kong-illegal", h.seat, h, t=h.t, facts=Facts(tiles=h.tiles))
                _replace_set(r, h, at)

            return [(costs.INFRACTION, no_kong)]
        pending = g.claimer == h.seat or (g.chance is not None and h.claimed is not None)
        changed = sum((Counter(meld.tiles) - Counter(h.tiles)).values())
        if meld.concealed or changed != 1 or Tile.UNKNOWN in meld.tiles or pending:
            continue

        def swapped(r: ChineseTable, at: int = at) -> None:
            r.now = max(r.now, h.t)
            strange = tuple(
                (Counter(h.tiles) - Counter(r.seats[h.seat].melds[at].tiles)).elements()
            )
            r.flag("swapped-tile", h.seat, h, t=h.t, facts=Facts(tiles=strange))
            _replace_set(r, h, at)

        return [
            (costs.RARE, swapped),
            (costs.disbelief(h.confidence), lambda _r: None),
        ]
    return []


def _replace_set(g: ChineseTable, h: MeldShown, at: int) -> None:
    melds = list(g.seats[h.seat].melds)
    melds[at] = replace(melds[at], tiles=h.tiles, valid=False)
    g.seats[h.seat].melds = tuple(melds)


def _claims(h: MeldShown) -> bool:
    return h.claimed is not None and h.claimed < len(h.tiles)


def _sound_without(h: MeldShown, tile: Tile) -> bool:
    """Whether the set is one around the tile laid sideways, and that is not this tile."""
    if h.claimed is None or h.claimed >= len(h.tiles) or not tile.known:
        return False
    own = h.tiles[h.claimed]
    return own.known and own is not tile and kind_of(h.tiles, own) is not None


def _doubted(h: MeldShown) -> tuple[Tile, ...]:
    return tuple(Tile.UNKNOWN if n != h.claimed else tile for n, tile in enumerate(h.tiles))


def _one_misread(h: MeldShown, claimed: Tile) -> list[tuple[tuple[Tile, ...], MeldKind]]:
    """A set that these tiles would be with one face read wrongly."""
    found: list[tuple[tuple[Tile, ...], MeldKind]] = []
    for at in range(len(h.tiles)):
        tiles = (*h.tiles[:at], Tile.UNKNOWN, *h.tiles[at + 1 :])
        kind = kind_of(tiles, claimed)
        if kind is not None and _holds(replace(h, tiles=tiles), claimed):
            found.append((tiles, kind))
    return found[:1]


def _lay_open(
    g: ChineseTable,
    h: MeldShown,
    tiles: tuple[Tile, ...],
    kind: MeldKind | None,
    *,
    valid: bool,
) -> None:
    """A set with a claimed tile that was not taken in the ordinary way."""
    g.now = max(g.now, h.t)
    if g.claimer is None:
        assert g.chance is not None
        tile = g.chance.tile
        if not tile.known and _claims(h) and h.claimed is not None:
            tile = h.tiles[h.claimed]
        g.unseen += 1
        claim(g, h.seat, g.chance, tile, h)
    taken = g.claim
    assert taken is not None
    if not valid:
        stage = "kong" if len(tiles) == 4 else _meant(tiles, taken.tile)
        wrong = _wrong_tiles(tiles, taken.tile, stage)
        g.flag(
            "invalid-meld",
            h.seat,
            h,
            t=h.t,
            facts=Facts(stage=stage, tiles=wrong),
            cause=("claim", h.seat, taken.t),
        )
    fallback: MeldKind = "kong" if len(tiles) == 4 else "unknown"
    _lay(g, h.seat, taken, kind or fallback, tiles, valid, h)


def _meant(tiles: tuple[Tile, ...], claimed: Tile) -> str:
    """Whether a wrong set of three was meant as a pung or a chow."""
    return "pung" if Counter(tiles)[claimed] >= 2 else "chow"


def _wrong_tiles(tiles: tuple[Tile, ...], claimed: Tile, stage: str) -> tuple[Tile, ...]:
    """The tile that does not belong to the set."""
    others = [tile for tile in tiles if tile is not claimed and tile.known]
    if stage != "chow":
        return tuple(others[:1])
    for tile in others:
        if not claimed.known or not claimed.is_suited or not tile.is_suited:
            return (tile,)
        if tile.suit is not claimed.suit or abs(tile.rank - claimed.rank) > 2:
            return (tile,)
    return tuple(others[-1:])


def _tile_left(g: ChineseTable, h: MeldShown) -> None:
    """Two own tiles are shown, the discard stays in the pool."""
    assert g.chance is not None or g.claim is not None
    g.now = max(g.now, h.t)
    chance = g.claim or g.chance
    assert chance is not None
    fetched = g.claimer == h.seat
    if not fetched:
        g.flag("claimed-tile-left", h.seat, h, t=h.t, facts=Facts(stage="go_around"))
    if g.claimer is None:
        claim(g, h.seat, chance, chance.tile, h)
    taken = g.claim
    assert taken is not None
    tiles = (*h.tiles, taken.tile)
    kind = kind_of(tiles, taken.tile) or "unknown"
    _lay(g, h.seat, taken, kind, tiles, True, h)
    if not fetched and taken.index >= 0:
        g.put_in_pool(taken.seat, taken.index, gone=False)


# -- kongs -----------------------------------------------------------------------


def meld_extended(g: ChineseTable, h: MeldExtended) -> bool:
    """A self-drawn fourth tile joins an own exposed pung; it can be robbed."""
    if (
        g.phase != "play"
        or g.turn != h.seat
        or g.need != "discard"
        or g.owed[h.seat]
        or g.claimer is not None
        or g.after in ("chow", "pung")
        or _pung_at(g, h) is None
    ):
        return False
    g.now = max(g.now, h.t)
    _extend(g, h)
    return True


def _pung_at(g: ChineseTable, h: MeldExtended) -> int | None:
    for at, meld in enumerate(g.seats[h.seat].melds):
        if meld.kind in ("pung", "unknown") and len(meld.tiles) == 3:
            known = {tile for tile in meld.tiles if tile.known}
            if not h.tile.known or not known or known == {h.tile}:
                return at
            if not meld.valid and h.tile in known:
                # What was wrong with it has been said; adding to it is no new cause.
                return at
    return None


def _extend(g: ChineseTable, h: MeldExtended) -> None:
    g.now = max(g.now, h.t)
    at = _pung_at(g, h)
    state = g.seats[h.seat]
    if at is not None:
        old = state.melds[at]
        face = h.tile if h.tile.known else old.tiles[0]
        melds = list(state.melds)
        melds[at] = replace(old, kind="kong", tiles=(face,) * 4, added=True)
        state.melds = tuple(melds)
    else:
        face = h.tile
    state.lose(face)
    g.saw(h, face)
    g.after = "kong"
    g.owe(h.seat, 1)
    g.draw_t = g.now
    g.robbing = Chance(h.seat, face, g.now, -1)
    g.say("kong", h.seat, tile=face, tiles=(face,) * 4, kong="added")


def read_meld_extended(g: ChineseTable, h: MeldExtended) -> list[Reading]:
    """A fourth tile without a draw, without a pung, out of turn, or reported twice."""
    if g.phase != "play":
        return []
    melds = g.seats[h.seat].melds
    if any(m.kind == "kong" and h.tile in m.tiles for m in melds):
        return [(costs.DOUBLED, lambda _r: None)]
    own = g.turn == h.seat and g.need == "discard" and not g.owed[h.seat]
    if own and g.after == "pung" and melds and melds[-1].kind == "pung":
        laid = melds[-1]
        if laid.claimed is h.tile and h.t <= laid.t + _STILL_LAYING_S:
            return [(0.5, lambda r: _fourth_of_claim(r, h)), *_read_fourth(g, h)]
    return _read_fourth(g, h)


def _fourth_of_claim(g: ChineseTable, h: MeldExtended) -> None:
    """The fourth tile of a kong that was claimed from a discard and laid tile by tile."""
    g.now = max(g.now, h.t)
    state = g.seats[h.seat]
    laid = state.melds[-1]
    state.melds = (*state.melds[:-1], replace(laid, kind="kong", tiles=(h.tile,) * 4))
    state.lose(h.tile)
    g.saw(h, h.tile)
    g.after = "kong"
    g.owe(h.seat, 1)
    g.say("kong", h.seat, tile=h.tile, tiles=(h.tile,) * 4, from_=laid.from_, kong="exposed")


def _read_fourth(g: ChineseTable, h: MeldExtended) -> list[Reading]:
    own = g.turn == h.seat and g.need == "discard" and not g.owed[h.seat]
    if own and g.after in ("chow", "pung") and _pung_at(g, h) is not None:

        def after_claim(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.flag("kong-after-claim", h.seat, h, t=h.t, facts=Facts(tiles=(h.tile,)))
            _extend(r, h)

        return [(costs.INFRACTION, after_claim)]

    def illegal(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        r.flag("kong-illegal", h.seat, h, t=h.t, facts=Facts(tiles=(h.tile,)))
        r.seats[h.seat].lose(h.tile)
        r.saw(h, h.tile)
        r.seats[h.seat].dead = True
        if own:
            r.owe(h.seat, 1)
            r.seats[h.seat].dead = False

    return [(costs.INFRACTION + (0.0 if own else 1.0), illegal)]
