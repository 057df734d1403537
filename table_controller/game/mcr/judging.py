"""Whether an opened hand wins, what it counts, and how far off it is where it does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from table_controller.domain.happenings import HandShown, Seat
from table_controller.domain.tiles import KIND_INDEX, KINDS, Tile, sort_tiles
from table_controller.game.base import Chance, Meld
from table_controller.game.mcr import sources
from table_controller.scoring.answer import ScoreAnswer
from table_controller.scoring.hand import BadHandError, ScoringHand
from table_controller.scoring.hand import Meld as ScoringMeld
from table_controller.scoring.mcr import load_options, score
from table_controller.scoring.mcr.engine import is_winning, waits
from table_controller.scoring.select import scored_like

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable

_SIDE = {1: "right", 2: "across", 3: "left"}


@dataclass(frozen=True, slots=True)
class Judged:
    """An opened hand, scored."""

    legal: bool
    complete: bool
    win_tile: Tile
    standing: tuple[Tile, ...]
    answer: dict[str, Any]
    merged: bool


def meld_object(meld: Meld, seat: int) -> dict[str, Any]:
    """A set in the contract's form (section 7)."""
    data: dict[str, Any] = {
        "kind": meld.kind,
        "tiles": [tile.value for tile in meld.tiles],
        "concealed": meld.concealed,
        "added": meld.added,
    }
    if meld.from_ is not None:
        data["from"] = _SIDE[(meld.from_ - seat) % 4]
    return data


def without_stray(h: HandShown, chance: Chance | None, need: int) -> HandShown | None:
    """The opened hand without the one thing too many in it that shows no face, if there is one.

    Won on a discard that may have been left in its pool: a back found beside the hand, in a
    sleeve, is no tile of it.
    """
    unread = [at for at, tile in enumerate(h.tiles) if not tile.known]
    if chance is None or h.apart is not None or len(h.tiles) != need + 1 or len(unread) != 1:
        return None
    return replace(h, tiles=(*h.tiles[: unread[0]], *h.tiles[unread[0] + 1 :]))


def all_read(h: HandShown) -> bool:
    """Whether every tile of an opened hand was read: else what is written down is a guess."""
    return all(tile.known for tile in h.tiles) and (h.apart is None or h.apart.known)


def judge(g: ChineseTable, h: HandShown, self_drawn: bool, chance: Chance | None) -> Judged | None:
    """The opened hand scored with what is known of its sets and circumstances.

    Faces that could not be read take whatever value makes the best legal hand. None where the
    number of tiles is no hand's.
    """
    state = g.seats[h.seat]
    need = 13 - 3 * len(state.melds)
    if (fewer := without_stray(h, chance, need)) is not None:
        judged = judge(g, fewer, self_drawn, chance)
        if judged is not None and judged.legal:
            return judged
    tiles = tuple(tile for tile in h.tiles)
    merged = False
    if self_drawn:
        if h.apart is not None:
            win = h.apart
        else:
            if len(tiles) != need + 1:
                return None
            win, tiles, merged = tiles[-1], tiles[:-1], True
    else:
        assert chance is not None
        win = chance.tile if chance.tile.known or h.apart is None else h.apart
        if h.apart is not None and h.apart.known and chance.tile.known and h.apart != chance.tile:
            return None
        if h.apart is None and len(tiles) == need + 1 and win in tiles:
            # The fetched tile lies among the others.
            at = tiles.index(win)
            tiles = (*tiles[:at], *tiles[at + 1 :])
    if len(tiles) != need:
        return None
    chosen: Judged | None = None
    for melds in _melds(g, h.seat):
        best: Judged | None = None
        for standing, win_tile in _read(tiles, win):
            found = _score(g, h.seat, standing, win_tile, melds, self_drawn, chance, merged)
            if best is None or _rank(found) > _rank(best):
                best = found
        # Of sets that were not seen clearly the one that counts least is taken: points that
        # nobody has seen are not given away.
        if best is not None and (chosen is None or _least(best) > _least(chosen)):
            chosen = best
    return chosen


def _rank(judged: Judged) -> tuple[bool, bool, int]:
    return judged.legal, judged.complete, judged.answer["total"]


def _least(judged: Judged) -> tuple[bool, bool, int]:
    return judged.legal, judged.complete, -judged.answer["total"]


def _read(tiles: tuple[Tile, ...], win: Tile) -> Iterator[tuple[tuple[Tile, ...], Tile]]:
    """The hand with unread faces (two at most) filled in so that it is complete."""
    whole = (*tiles, win)
    holes = [at for at, tile in enumerate(whole) if not tile.known]
    if not holes:
        yield tiles, win
        return
    if len(holes) > 2:
        return
    for faces in product(KINDS, repeat=len(holes)):
        filled = list(whole)
        for at, face in zip(holes, faces, strict=True):
            filled[at] = face
        if _shape(filled):
            yield tuple(filled[:-1]), filled[-1]


def _shape(tiles: list[Tile]) -> bool:
    return _winning(tuple(sort_tiles(tiles)))


@lru_cache(maxsize=8192)
def _winning(tiles: tuple[Tile, ...]) -> bool:
    # The readings of one game ask the same about the same hand.
    if any(tile not in KIND_INDEX for tile in tiles):
        return False
    return is_winning(list(tiles), [None] * ((14 - len(tiles)) // 3))  # type: ignore[list-item]


def _melds(g: ChineseTable, seat: Seat) -> Iterator[tuple[ScoringMeld, ...]]:
    """The sets, with those that were not seen clearly in every form they can have."""
    options = [_forms(g, meld, seat) for meld in g.seats[seat].melds]
    yield from islice(product(*options), 64)


def _forms(g: ChineseTable, meld: Meld, seat: Seat) -> list[ScoringMeld]:
    side = None if meld.from_ is None else _SIDE[(meld.from_ - seat) % 4]
    known = [tile for tile in meld.tiles if tile.known]

    def made(kind: str, tiles: tuple[Tile, ...]) -> ScoringMeld:
        return ScoringMeld(
            kind=kind,  # type: ignore[arg-type]
            tiles=tiles,
            concealed=meld.concealed,
            added=meld.added,
            from_=side,  # type: ignore[arg-type]
        )

    if meld.kind in ("chow", "pung", "kong") and len(known) == len(meld.tiles):
        return [made(meld.kind, tuple(sort_tiles(meld.tiles)))]
    if meld.kind == "kong":
        faces = known[:1] or [k for k in KINDS if g.census.of(k) == 0]
        return [made("kong", (face,) * 4) for face in faces]
    forms: list[ScoringMeld] = []
    if meld.kind in ("pung", "unknown") and len(set(known)) == 1:
        forms.append(made("pung", (known[0],) * 3))
    if meld.kind in ("chow", "unknown") and known and known[0].is_suited:
        suit = known[0].value[1]
        for low in range(1, 8):
            run = tuple(Tile(f"{low + n}{suit}") for n in range(3))
            if all(tile in run for tile in known):
                forms.append(made("chow", run))
    return forms or [made("pung", (KINDS[0],) * 3)]


def _score(
    g: ChineseTable,
    seat: Seat,
    standing: tuple[Tile, ...],
    win: Tile,
    melds: tuple[ScoringMeld, ...],
    self_drawn: bool,
    chance: Chance | None,
    merged: bool,
) -> Judged:
    complete = _shape([*standing, win]) and all(m.valid for m in g.seats[seat].melds)
    if not complete:
        return Judged(False, False, win, standing, _nothing("not a winning shape"), merged)
    empty = sources.wall_was_empty(g, chance)
    bloom = g.after == "kong" or (
        g.after == "kong_flower" and g.ruleset.settlement.kong_bloom_after_flower
    )
    seen = sources.lay_open(g, win, chance)
    hand = ScoringHand(
        hand=standing,
        win_tile=win,
        melds=melds,
        self_drawn=self_drawn,
        from_=None if chance is None else _SIDE[(chance.seat - seat) % 4],  # type: ignore[arg-type]
        seat_wind=g.wind_of(seat),  # type: ignore[arg-type]
        round_wind=g.round_wind,  # type: ignore[arg-type]
        flowers=len(g.seats[seat].flowers),
        last_tile=empty and (chance is None or chance.index >= 0),
        after_kong=self_drawn and bloom,
        robbing_kong=chance is not None and chance.index < 0,
        last_of_kind=seen >= 3 and win not in standing,
    )
    try:
        answer = _scored(hand, scored_like(g.ruleset.name), merged)
    except BadHandError as error:
        return Judged(False, False, win, standing, _nothing(str(error)), merged)
    return Judged(answer.legal, True, win, standing, answer.to_object(), merged)


@lru_cache(maxsize=1024)
def _scored(hand: ScoringHand, rules: str, merged: bool) -> ScoreAnswer:
    return score(hand, load_options(rules), merged=merged)


def _nothing(reason: str) -> dict[str, Any]:
    return {"legal": False, "reason": reason, "fans": [], "total": 0, "payments": [0, 0, 0, 0]}


def what_is_wrong(
    g: ChineseTable, h: HandShown, judged: Judged | None, self_drawn: bool
) -> tuple[str, str | None]:
    """The alert id, and its stage, of a declaration that does not stand."""
    if judged is not None and judged.complete:
        return "win-below-minimum", None
    melds = g.seats[h.seat].melds
    need = 13 - 3 * len(melds)
    tiles = [tile for tile in h.tiles if tile in KIND_INDEX]
    if self_drawn and h.apart is not None and h.apart in KIND_INDEX:
        tiles.append(h.apart)
    if not all(m.valid for m in melds):
        return "false-win", "one_short"
    if self_drawn:
        if len(tiles) != need + 1:
            return "false-win", None
        options = [tiles[:n] + tiles[n + 1 :] for n in range(len(tiles))]
    else:
        options = [tiles[:need]]
    if any(_ready(option) for option in options):
        return ("win-wrong-tile", None) if not self_drawn else ("false-win", "one_short")
    for option in options:
        for n in range(len(option)):
            rest = option[:n] + option[n + 1 :]
            if any(_ready([*rest, kind]) for kind in KINDS if rest.count(kind) < 4):
                return "false-win", "one_short"
    return "false-win", "more_short"


def _ready(tiles: list[Tile]) -> bool:
    return bool(waits(tiles)) if len(tiles) == 13 else _ready_with(tiles)


def _ready_with(tiles: list[Tile]) -> bool:
    return any(tiles.count(kind) < 4 and _shape([*tiles, kind]) for kind in KINDS)


def with_one_misread(
    g: ChineseTable, h: HandShown, self_drawn: bool, chance: Chance | None
) -> Judged | None:
    """The best legal hand if one of the opened tiles was read wrongly."""
    best: Judged | None = None
    for at in range(len(h.tiles)):
        guess = replace(h, tiles=(*h.tiles[:at], Tile.UNKNOWN, *h.tiles[at + 1 :]))
        judged = judge(g, guess, self_drawn, chance)
        if judged is not None and judged.legal and (best is None or _rank(judged) > _rank(best)):
            best = judged
    return best
