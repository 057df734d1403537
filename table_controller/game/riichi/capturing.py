"""The hand to score: tiles, sets, source and situation (source 002, 6.2 to 6.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from table_controller.domain.happenings import HandShown, Seat
from table_controller.domain.tiles import KINDS, Tile
from table_controller.game.base import Chance
from table_controller.game.mcr.judging import _forms, without_stray
from table_controller.game.mcr.sources import drawn_since, overtaken
from table_controller.game.riichi.values import plain_tile
from table_controller.scoring.answer import ScoreAnswer
from table_controller.scoring.hand import BadHandError, ScoringHand
from table_controller.scoring.hand import Meld as ScoringMeld
from table_controller.scoring.riichi import RiichiOptions, load_options, score, waits

if TYPE_CHECKING:
    from table_controller.game.riichi.table import RiichiTable

_SIDE = {1: "right", 2: "across", 3: "left"}


@dataclass(frozen=True, slots=True)
class RiichiWin:
    """A win that stands, to be paid when the hand is settled."""

    seat: Seat
    from_: Seat | None
    tile: Tile
    tiles: tuple[Tile, ...]
    hand: ScoringHand
    riichi: bool
    t: float
    shown: HandShown


def standing_of(h: HandShown, chance: Chance | None, need: int) -> tuple[Tile, ...] | None:
    """The standing tiles without the winning one; None where their number is no hand's."""
    tiles = h.tiles
    if chance is None:
        if h.apart is None:
            return tiles[:-1] if len(tiles) == need + 1 else None
        return tiles if len(tiles) == need else None
    if len(tiles) == need + 1 and h.apart is None and chance.tile in tiles:
        at = tiles.index(chance.tile)
        tiles = (*tiles[:at], *tiles[at + 1 :])
    return tiles if len(tiles) == need else None


def source_of(g: RiichiTable, seat: Seat) -> tuple[bool, Chance | None] | None:
    """On what this seat could win now: (self-drawn, other's tile); None on nothing."""
    if g.phase == "check" and g.winners and g.winners[0].from_ is not None:
        first = g.winners[0]
        assert first.from_ is not None
        if seat == first.from_ or any(win.seat == seat for win in g.winners):
            return None
        if g.turn == seat and g.need == "discard":
            # He has drawn past the tile, or laid a set with it.
            return None
        chance = g.open_chance if g.kong_tile is None else g.kong_tile
        return (False, chance) if chance is not None else None
    if g.phase != "play":
        return None
    if g.kong_tile is not None and g.kong_tile.seat != seat:
        return False, g.kong_tile
    if g.claimer == seat and g.claim is not None:
        return False, _as_it_lay(g, g.claim)
    own = g.turn == seat and g.need == "discard" and not g.owed[seat]
    if own and g.after not in ("chow", "pung") and g.claimer is None:
        return True, None
    chance = g.open_chance
    if chance is None or chance.seat == seat:
        return None
    return (False, chance) if g.need == "draw" or overtaken(g, seat) is not None else None


def _as_it_lay(g: RiichiTable, chance: Chance) -> Chance:
    """A fetched discard with the colour it had in the pool: claims take a red five as a five."""
    if chance.index < 0:
        return chance
    lay = g.seats[chance.seat].pool[chance.index].tile
    return replace(chance, tile=lay) if plain_tile(lay) is chance.tile else chance


def scoring_melds(g: RiichiTable, seat: Seat) -> tuple[ScoringMeld, ...]:
    """A seat's sets as the scorer takes them, those not seen whole in their likeliest form."""
    return tuple(forms_of(g, at, seat)[0] for at in range(len(g.seats[seat].melds)))


def forms_of(g: RiichiTable, at: int, seat: Seat) -> list[ScoringMeld]:
    """A set in every form it can have, with its red five."""
    found: list[ScoringMeld] = []
    meld = g.seats[seat].melds[at]
    for form in _forms(g, meld, seat):
        tiles = list(form.tiles)
        for place, red in g.reds[seat]:
            if place == at and red.plain in tiles:
                tiles[tiles.index(red.plain)] = red
        side = None if meld.from_ is None else _SIDE[g.way(seat, meld.from_)]
        found.append(replace(form, tiles=tuple(tiles), from_=side))  # type: ignore[arg-type]
    return found


def scoring_hand(
    g: RiichiTable,
    seat: Seat,
    standing: tuple[Tile, ...],
    win: Tile,
    melds: tuple[ScoringMeld, ...],
    self_drawn: bool,
    chance: Chance | None,
) -> ScoringHand:
    """The hand with everything the state knows of its circumstances."""
    riichi = g.riichi[seat]
    stands = g.in_riichi(seat)
    first = g.uninterrupted and not g.seats[seat].pool and not g.seats[seat].melds
    liable = g.liable[seat]
    after_kong = self_drawn and g.after in ("kong", "kong_flower")
    return ScoringHand(
        hand=standing,
        win_tile=win,
        melds=melds,
        self_drawn=self_drawn,
        from_=None if chance is None else _SIDE[g.way(seat, chance.seat)],  # type: ignore[arg-type]
        seat_wind=g.wind_of(seat),  # type: ignore[arg-type]
        round_wind=g.round_wind,  # type: ignore[arg-type]
        last_tile=_nothing_left(g, chance) and not after_kong,
        after_kong=after_kong,
        robbing_kong=chance is not None and chance.index == -1,
        riichi=0 if not stands or riichi is None else 2 if riichi.double else 1,
        ippatsu=stands and riichi is not None and riichi.ippatsu,
        first_turn=first,
        dora_indicators=tuple(tile for tile in g.dora if tile.known),
        norths=g.norths[seat],
        liable=None if liable is None else _SIDE[g.way(seat, liable[0])],  # type: ignore[arg-type]
    )


def _nothing_left(g: RiichiTable, chance: Chance | None) -> bool:
    """Whether the tile is the last of the wall, or the discard after it."""
    return g.left == 0 and (chance is None or (chance.index >= 0 and not drawn_since(g, chance)))


def judge(
    g: RiichiTable, h: HandShown, self_drawn: bool, chance: Chance | None
) -> tuple[ScoringHand, ScoreAnswer] | None:
    """The opened hand scored; None where it is no hand of the right size or cannot be one.

    A face that could not be read takes the value that makes the best hand; of sets that were
    not seen whole the form that counts least is taken.
    """
    need = 13 - 3 * len(g.seats[h.seat].melds)
    if (fewer := without_stray(h, chance, need)) is not None:
        judged = judge(g, fewer, self_drawn, chance)
        if judged is not None and judged[1].legal:
            return judged
    standing = standing_of(h, chance, need)
    if standing is None:
        return None
    if chance is not None:
        win = chance.tile if chance.tile.known else (h.apart or Tile.UNKNOWN)
    else:
        win = h.apart if h.apart is not None else h.tiles[-1]
    chosen: tuple[ScoringHand, ScoreAnswer] | None = None
    options = [forms_of(g, at, h.seat) for at in range(len(g.seats[h.seat].melds))]
    for melds in islice(product(*options), 48):
        best: tuple[ScoringHand, ScoreAnswer] | None = None
        for held, last in _filled(standing, win, melds):
            hand = scoring_hand(g, h.seat, held, last, melds, self_drawn, chance)
            try:
                found = hand, score(hand, options_of(g))
            except BadHandError:
                continue
            if best is None or _rank(found[1]) > _rank(best[1]):
                best = found
        if best is None:
            continue
        if chosen is None or (best[1].legal, -best[1].total) > (chosen[1].legal, -chosen[1].total):
            chosen = best
    return chosen


def options_of(g: RiichiTable) -> RiichiOptions:
    """The scoring that belongs to the ruleset."""
    return load_options(str(g.ruleset.scoring.get("like", g.ruleset.name)))


def _rank(answer: ScoreAnswer) -> tuple[bool, bool, int]:
    return answer.legal, answer.reason == "no yaku", answer.total


def _filled(
    standing: tuple[Tile, ...], win: Tile, melds: tuple[ScoringMeld, ...]
) -> Iterator[tuple[tuple[Tile, ...], Tile]]:
    """The hand with its unread faces (one at most beside the winning tile) filled in."""
    holes = [at for at, tile in enumerate(standing) if not tile.known]
    if not holes and win.known:
        yield standing, win
    elif not holes:
        for kind in waits(standing, melds):
            yield standing, kind
    elif len(holes) == 1 and win.known:
        at = holes[0]
        for kind in KINDS:
            held = (*standing[:at], kind, *standing[at + 1 :])
            if plain_tile(win) in waits(held, melds):
                yield held, win


def one_misread(
    g: RiichiTable, h: HandShown, self_drawn: bool, chance: Chance | None
) -> ScoringHand | None:
    """The best legal hand if one of the opened tiles was read wrongly or not at all."""
    best: tuple[int, ScoringHand] | None = None
    unread = [at for at, tile in enumerate(h.tiles) if not tile.known]
    places = unread or range(len(h.tiles))
    if len(unread) > 1:
        return None
    counts = Counter(plain_tile(tile) for tile in h.tiles)
    for at in places:
        for kind in KINDS:
            if kind is plain_tile(h.tiles[at]) or counts[kind] >= 4:
                continue
            guess = replace(h, tiles=(*h.tiles[:at], kind, *h.tiles[at + 1 :]))
            judged = judge(g, guess, self_drawn, chance)
            if judged is None or not judged[1].legal:
                continue
            if not self_drawn and furiten(g, h.seat, judged[0].hand) is not None:
                continue
            if best is None or judged[1].total > best[0]:
                best = (judged[1].total, judged[0])
    return None if best is None else best[1]


def answer_of(g: RiichiTable, hand: ScoringHand) -> dict[str, Any]:
    """The final answer of a win, with ura indicators, counters and sticks."""
    return score(hand, options_of(g)).to_object()


def furiten(g: RiichiTable, seat: Seat, standing: tuple[Tile, ...]) -> str | None:
    """Which furiten bars a win on a discard (6.4)."""
    found = set(waits(standing, scoring_melds(g, seat)))
    if any(plain_tile(d.tile) in found for d in g.seats[seat].pool):
        return "discard"
    if found & set(g.passed_riichi[seat]):
        return "riichi"
    if found & set(g.passed[seat]):
        return "temporary"
    orphans = len(standing) == 13 and all(t.is_terminal or t.is_honour for t in standing)
    if orphans and len(set(standing)) >= 12 and found & set(g.passed_orphans[seat]):
        return "riichi" if g.in_riichi(seat) else "temporary"
    return None
