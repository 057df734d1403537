"""Sets that do not fit: none at all, not claimed in order, changed later, or misread."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from table_controller.domain.happenings import (
    MeldExtended,
    MeldShown,
)
from table_controller.domain.tiles import Tile
from table_controller.game import costs
from table_controller.game.base import MeldKind
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading
from table_controller.game.mcr.claiming import claim, claimable, give_way, hasty_chow, late_chance
from table_controller.game.mcr.kongs import extend, lay_concealed, void
from table_controller.game.mcr.melding import lay
from table_controller.game.mcr.sets import (
    claims,
    doubted,
    holds,
    kind_of,
    looks_concealed,
    meant,
    one_misread,
    sound_without,
    wrong_tiles,
)


def read_meld_shown(g: ChineseTable, h: MeldShown) -> list[Reading]:
    """A set that is none, of a tile not claimed in order, or read wrongly."""
    readings: list[Reading] = _changed_set(g, h)
    if g.phase != "play":
        return readings
    seat = h.seat
    doubt = costs.disbelief(h.confidence)
    chance = g.claim if g.claimer == seat else g.chance
    open_ = g.claimer == seat or (g.claimer is None and claimable(g, seat))
    if g.claimer is None and len(h.face_down) >= 2 and h.claimed is None:
        open_ = False  # four tiles face down take nothing from a pool
    if open_ and chance is not None:
        unseen = 0.0 if g.claimer == seat else g.missed("pool", chance.seat)
        kind = kind_of(h.tiles, chance.tile)
        if len(h.tiles) == 2:
            readings.append((unseen, lambda r: _tile_left(r, h)))
        elif kind is not None and holds(h, chance.tile):
            if g.claimer is None:
                readings.append((unseen, lambda r: _lay_open(r, h, h.tiles, kind, valid=True)))
            elif any(tile.known and g.full(tile) for tile in h.tiles):
                readings.append((costs.RARE, lambda r: _lay_open(r, h, h.tiles, kind, valid=True)))
                readings.append((doubt, lambda r: _lay_open(r, h, doubted(h), kind, valid=True)))
        if (kind is None or not holds(h, chance.tile)) and len(h.tiles) in (3, 4):
            # A sound set around another tile than this one: that one's discard was not seen.
            other = costs.INFRACTION if sound_without(h, chance.tile) else 0.0
            wrong = costs.INFRACTION + unseen + other
            if readings and chance.tile not in h.tiles:
                # It is a set that lies there already but for one tile.
                wrong += costs.RARE
            readings.append((wrong, lambda r: _lay_open(r, h, h.tiles, kind, valid=False)))
            for tiles, found in one_misread(h, chance.tile):
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
            readings.append((costs.DOUBLED, lambda r: extend(r, extended)))
        elif g.after in ("chow", "pung") and kind_of(h.tiles) == "kong":

            def after_claim(r: ChineseTable) -> None:
                r.now = max(r.now, h.t)
                facts = Facts(tiles=h.tiles[:1])
                r.flag("kong-after-claim", seat, h, t=h.t, facts=facts)
                lay_concealed(r, h, valid=False)

            readings.append((costs.INFRACTION, after_claim))
        elif kind_of(h.tiles) is None:

            def no_kong(r: ChineseTable) -> None:
                r.now = max(r.now, h.t)
                r.flag("invalid-meld", seat, h, t=h.t, facts=Facts(stage="kong", tiles=h.tiles[:1]))
                lay_concealed(r, h, valid=False)

            readings.append((costs.INFRACTION, no_kong))
    elif len(h.tiles) == 4 and h.claimed is None and kind_of(h.tiles) == "kong" and not open_:

        def out_of_turn(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.spoil("kong-illegal", seat, h, t=h.t)
            keep = (r.turn, r.need, r.after, r.owed)
            lay_concealed(r, h, valid=False)
            r.turn, r.need, r.after, r.owed = keep
            void(r, seat, r.seats[seat].melds[-1].tiles)

        readings.append((costs.RARE, out_of_turn))
    claimed = h.tiles[h.claimed] if h.claimed is not None and claims(h) else None
    late = late_chance(g, seat, claimed) if claimed is not None else None
    if late is not None and g.claimer is None and kind_of(h.tiles) is not None:

        def after_draw(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            r.flag("claim-after-draw", seat, h, t=h.t, cause=("claim", seat, late.t))
            claim(r, seat, late, late.tile, h, quiet=True)
            lay(r, seat, late, kind_of(h.tiles) or "unknown", h.tiles, False, h)

        readings.append((costs.INFRACTION + costs.MISSED, after_draw))
    return [*readings, *_over_a_chow(g, h)]


def _over_a_chow(g: ChineseTable, h: MeldShown) -> list[Reading]:
    """A pung or kong of the tile that a chow took before it (000 Q40); nobody saw it fetched."""
    chance, kind = g.chance, kind_of(h.tiles)
    if chance is None or kind not in ("pung", "kong") or looks_concealed(h):
        return []
    if hasty_chow(g, h.seat) is None or not holds(h, chance.tile):
        return []

    def pung(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        give_way(r, h.seat, h)
        claim(r, h.seat, chance, chance.tile, h)
        lay(r, h.seat, chance, kind, h.tiles, True, h)

    return [(costs.GIVES_WAY, pung)]


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
        pending = g.claimer == h.seat or (g.open_discard is not None and h.claimed is not None)
        changed = sum((Counter(meld.tiles) - Counter(h.tiles)).values())
        if meld.concealed or changed != 1 or Tile.UNKNOWN in meld.tiles or pending:
            continue

        def swapped(r: ChineseTable, at: int = at) -> None:
            r.now = max(r.now, h.t)
            strange = tuple(
                (Counter(h.tiles) - Counter(r.seats[h.seat].melds[at].tiles)).elements()
            )
            gone = (Counter(r.seats[h.seat].melds[at].tiles) - Counter(h.tiles)).elements()
            r.flag("swapped-tile", h.seat, h, t=h.t, facts=Facts(tiles=strange))
            # What went back to the hand may come to lie open once more.
            for tile in gone:
                r.census.remove(tile)
            for tile in strange:
                r.census.add(tile)
            _replace_set(r, h, at)

        misread = costs.disbelief(h.confidence) + costs.LIES_OPEN + costs.TAKEN_OUT
        return [(costs.RARE, swapped), (misread, lambda _r: None)]
    return []


def _replace_set(g: ChineseTable, h: MeldShown, at: int) -> None:
    state = g.seats[h.seat]
    state.exchange(at, replace(state.melds[at], tiles=h.tiles, valid=False))


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
        if not tile.known and claims(h) and h.claimed is not None:
            tile = h.tiles[h.claimed]
        g.unseen += 1
        claim(g, h.seat, g.chance, tile, h)
    taken = g.claim
    assert taken is not None
    # A red five that does not belong to the set of tiles is an alert of its own, not its claimer's.
    plain = tuple(tile.plain for tile in tiles)
    if not valid and kind_of(plain, taken.tile.plain) is None:
        stage = "kong" if len(tiles) == 4 else meant(tiles, taken.tile)
        wrong = wrong_tiles(tiles, taken.tile, stage)
        g.flag(
            "invalid-meld",
            h.seat,
            h,
            t=h.t,
            facts=Facts(stage=stage, tiles=wrong),
            cause=("claim", h.seat, taken.t),
        )
    fallback: MeldKind = "kong" if len(tiles) == 4 else "unknown"
    lay(g, h.seat, taken, kind or fallback, tiles, valid, h)


def _tile_left(g: ChineseTable, h: MeldShown) -> None:
    """Two own tiles are shown, the discard stays in the pool."""
    assert g.chance is not None or g.claim is not None
    g.now = max(g.now, h.t)
    chance = g.claim or g.chance
    assert chance is not None
    fetched = g.claimer == h.seat
    if g.claimer is None:
        claim(g, h.seat, chance, chance.tile, h)
    taken = g.claim
    assert taken is not None
    tiles = (*h.tiles, taken.tile)
    kind = kind_of(tiles, taken.tile) or "unknown"
    lay(g, h.seat, taken, kind, tiles, True, h)
    if not fetched and taken.index >= 0:
        g.put_in_pool(taken.seat, taken.index, gone=False)
        g.unfetched = (h.seat, h)
