"""Wins, false wins, furiten, tenpai at the end of the wall (source 002, 6.2 to 6.8, 9.9, 9.12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from table_controller.domain.happenings import HandHidden, HandShown, Seat
from table_controller.domain.tiles import KINDS, Tile
from table_controller.game import costs
from table_controller.game.base import Chance
from table_controller.game.mcr.judging import _forms
from table_controller.game.riichi import ending
from table_controller.referee.rulings import Facts
from table_controller.scoring.answer import ScoreAnswer
from table_controller.scoring.hand import BadHandError, ScoringHand
from table_controller.scoring.hand import Meld as ScoringMeld
from table_controller.scoring.riichi import RiichiOptions, load_options, score, waits

if TYPE_CHECKING:
    from table_controller.game.riichi.table import Reading, RiichiTable

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


def _plain(tile: Tile) -> Tile:
    return tile.plain if tile.known else tile


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
        chance = g.open_chance if g.kong_tile is None else g.kong_tile
        return (False, chance) if chance is not None else None
    if g.phase != "play":
        return None
    if g.kong_tile is not None and g.kong_tile.seat != seat:
        return False, g.kong_tile
    if g.claimer == seat and g.claim is not None:
        return False, g.claim
    own = g.turn == seat and g.need == "discard" and not g.owed[seat]
    if own and g.after not in ("chow", "pung") and g.claimer is None:
        return True, None
    if g.open_chance is not None and g.open_chance.seat != seat and g.need == "draw":
        return False, g.open_chance
    return None


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
    stands = riichi is not None and not g.riichi_dead[seat]
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
        last_tile=g.left == 0 and not after_kong and (chance is None or chance.index >= 0),
        after_kong=after_kong,
        robbing_kong=chance is not None and chance.index == -1,
        riichi=0 if not stands or riichi is None else 2 if riichi.double else 1,
        ippatsu=stands and riichi is not None and riichi.ippatsu,
        first_turn=first,
        dora_indicators=tuple(tile for tile in g.dora if tile.known),
        norths=g.norths[seat],
        liable=None if liable is None else _SIDE[g.way(seat, liable[0])],  # type: ignore[arg-type]
    )


def judge(
    g: RiichiTable, h: HandShown, self_drawn: bool, chance: Chance | None
) -> tuple[ScoringHand, ScoreAnswer] | None:
    """The opened hand scored; None where it is no hand of the right size or cannot be one.

    A face that could not be read takes the value that makes the best hand; of sets that were
    not seen whole the form that counts least is taken.
    """
    need = 13 - 3 * len(g.seats[h.seat].melds)
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
            if _plain(win) in waits(held, melds):
                yield held, win


def furiten(g: RiichiTable, seat: Seat, standing: tuple[Tile, ...]) -> str | None:
    """Which furiten bars a win on a discard (6.4)."""
    found = set(waits(standing, scoring_melds(g, seat)))
    if any(_plain(d.tile) in found for d in g.seats[seat].pool):
        return "discard"
    if found & set(g.passed_riichi[seat]):
        return "riichi"
    if found & set(g.passed[seat]):
        return "temporary"
    orphans = len(standing) == 13 and all(t.is_terminal or t.is_honour for t in standing)
    if orphans and len(set(standing)) >= 12 and found & set(g.passed_orphans[seat]):
        return "temporary" if g.riichi[seat] is None else "riichi"
    return None


def illegal_kong(g: RiichiTable, seat: Seat, standing: tuple[Tile, ...]) -> bool:
    """Whether a concealed kong made in riichi changed what the hand waited for (5.12.2)."""
    riichi = g.riichi[seat]
    if riichi is None:
        return False
    melds = scoring_melds(g, seat)
    after = waits(standing, melds)
    for at, meld in enumerate(g.seats[seat].melds):
        if meld.concealed and meld.t > riichi.t and melds[at].tiles[0].known:
            before = (*standing, *[_plain(melds[at].tiles[0])] * 3)
            if waits(before, (*melds[:at], *melds[at + 1 :])) != after:
                return True
    return False


def hand_shown(g: RiichiTable, h: HandShown) -> bool:
    """A hand laid open that wins, is ready at the end of the wall, or calls nine terminals."""
    if g.phase in ("idle", "over") or h.seat not in g.order:
        return True
    if any(win.seat == h.seat for win in g.winners):
        return True
    found = source_of(g, h.seat)
    if _drawn_unseen(g, h, found):
        return False
    unread = found is not None and found[1] is not None and not found[1].tile.known
    if unread and ending.at_the_end(g) and not _called_win(g, h.seat):
        # Nobody saw what was discarded last: an opened hand is ready, no more is known.
        return show_ready(g, h)
    if found is not None and not g.seats[h.seat].stop_win:
        judged = judge(g, h, *found)
        if judged is not None and judged[1].legal:
            orphans = any(fan.id.startswith("thirteen_orphans") for fan in judged[1].fans)
            concealed = found[1] is not None and found[1].index == -2
            barred = None if found[0] else furiten(g, h.seat, judged[0].hand)
            illegal = illegal_kong(g, h.seat, judged[0].hand)
            if barred is None and not illegal and (not concealed or orphans):
                won(g, h, judged[0], found[1])
                return True
    if g.phase == "check":
        # 9.2.3: who has not won keeps his tiles covered.
        g.now = max(g.now, h.t)
        g.flag("hand-shown-early", h.seat, h, t=h.t, cause=("shown", h.seat))
        return True
    if ending.at_the_end(g):
        return show_ready(g, h)
    return nine_terminals(g, h)


def _drawn_unseen(g: RiichiTable, h: HandShown, found: tuple[bool, Chance | None] | None) -> bool:
    """A tile lies apart although none was fetched: it was drawn, and nobody saw that."""
    if g.phase != "play" or h.apart is None or found is None or found[1] is None:
        return False
    return g.claimer != h.seat and g.turn == h.seat and g.left > 0


def _called_win(g: RiichiTable, seat: Seat) -> bool:
    return any(call[0] == seat and call[1] == "win" for call in g.calls)


def won(g: RiichiTable, h: HandShown, hand: ScoringHand, chance: Chance | None) -> None:
    """The declaration stands; others may win on the same tile (6.3.3)."""
    g.now = max(g.now, h.t)
    if g.exposed:
        g.tick(h.t)
    # After the deal any tile may be taken as the drawn one (6.3.2).
    if chance is None and h.apart is None and not _first_turn(g, h.seat):
        g.flag("winning-tile-merged", h.seat, h, t=h.t, cause=("merged", h.seat))
    win = RiichiWin(
        h.seat,
        None if chance is None else chance.seat,
        hand.win_tile,
        hand.hand,
        hand,
        hand.riichi > 0,
        h.t,
        h,
    )
    g.winners = (*g.winners, win)
    g.win_t = h.t
    g.phase = "check"
    g.abort_due = None
    g.say("win", h.seat, tile=win.tile, tiles=win.tiles, from_=win.from_)


def show_ready(g: RiichiTable, h: HandShown) -> bool:
    """At the end of the wall: who is ready shows his hand (6.6)."""
    if any(seat == h.seat for seat, _ in g.ready):
        return True
    g.now = max(g.now, h.t)
    melds = scoring_melds(g, h.seat)
    known = all(tile.known for tile in h.tiles)
    ready = bool(waits(h.tiles, melds)) if known else True
    g.ready = (*g.ready, (h.seat, ready))
    g.win_t = h.t
    if not ready and g.riichi[h.seat] is not None:
        g.flag("riichi-noten", h.seat, h, t=h.t, cause=("noten", h.seat))
    elif ready and known and illegal_kong(g, h.seat, h.tiles):
        facts = Facts(stage="riichi")
        g.flag("kong-illegal", h.seat, h, t=h.t, facts=facts, cause=("kong-riichi", h.seat))
    return True


def terminals(tiles: tuple[Tile, ...]) -> int:
    """Different terminals and honours among these tiles."""
    return len({tile for tile in tiles if tile.known and (tile.is_terminal or tile.is_honour)})


def _first_turn(g: RiichiTable, seat: Seat) -> bool:
    own = g.turn == seat and g.need == "discard" and g.phase == "play"
    return own and g.uninterrupted and not g.seats[seat].pool and not g.seats[seat].melds


def nine_terminals(g: RiichiTable, h: HandShown) -> bool:
    """九种九牌: in the first turn, without a call before, nine kinds (6.8.4)."""
    if "nine_terminals" not in g.rules.aborts or not _first_turn(g, h.seat):
        return False
    held = h.tiles if h.apart is None else (*h.tiles, h.apart)
    unread = sum(not tile.known for tile in held)
    if terminals(held) + unread >= 9 and len(held) == 14:
        ending.abort(g, h.t, "nine_terminals")
        return True
    return False


def hand_hidden(g: RiichiTable, h: HandHidden) -> bool:
    """An opened hand is stood up again: the referee refused the win."""
    if g.phase == "check" and any(win.seat == h.seat for win in g.winners):
        g.winners = tuple(win for win in g.winners if win.seat != h.seat)
        if not g.winners:
            g.phase = "play"
    return True


def read_hand_shown(g: RiichiTable, h: HandShown) -> list[Reading]:
    """A declaration that does not stand, or one that was read wrongly."""
    if g.phase != "play":
        return []
    seat = h.seat
    found = source_of(g, seat)
    facts = Facts(tiles=h.tiles)
    readings: list[Reading] = []

    def rejected(alert: str, stage: str | None = None) -> Reading:
        told = replace(facts, stage=stage)
        return costs.INFRACTION, lambda r: reject(r, h, alert, told)

    if seat in g.nine_called and _first_turn(g, seat):
        return [rejected("nine-terminals-false")]
    if found is None:
        # More often the draw or discard before it was not seen.
        return [(costs.RARE, rejected("false-win", "not_entitled")[1])]
    if g.seats[seat].stop_win:
        return [rejected("win-while-barred")]
    self_drawn, chance = found
    judged = judge(g, h, self_drawn, chance)
    if _drawn_unseen(g, h, found) and judged is not None and judged[1].legal:
        hand = judged[0]
        return [(costs.MISSED + 1.0, lambda r: won(r, h, hand, chance))]
    if judged is None:
        readings.append(rejected("false-win"))
    elif judged[1].legal:
        barred = furiten(g, seat, judged[0].hand) if not self_drawn else None
        if barred is not None:
            readings.append(rejected("win-furiten", barred))
        elif illegal_kong(g, seat, judged[0].hand):
            readings.append(rejected("kong-illegal", "riichi"))
        else:
            readings.append(rejected("false-win", "concealed_kong"))
    elif judged[1].reason == "no yaku":
        readings.append(rejected("win-below-minimum"))
    else:
        melds = scoring_melds(g, seat)
        ready = bool(waits(judged[0].hand, melds))
        alert = "win-wrong-tile" if ready and not self_drawn else "false-win"
        readings.append(rejected(alert))
        if ending.at_the_end(g):
            readings.append((0.5, lambda r: _show(r, h)))
    doubt = costs.disbelief(h.confidence)
    if doubt < costs.INFRACTION + costs.PRUNE:
        better = one_misread(g, h, self_drawn, chance)
        if better is not None:
            readings.append((doubt, lambda r: won(r, h, better, chance)))
    return readings


def _show(g: RiichiTable, h: HandShown) -> None:
    show_ready(g, h)


def reject(g: RiichiTable, h: HandShown, alert: str, facts: Facts) -> None:
    """The declaration does not stand: the hand goes on."""
    g.now = max(g.now, h.t)
    g.flag(alert, h.seat, h, t=h.t, facts=facts, cause=("win", h.seat, h.t))
    if g.claimer == h.seat and g.claim is not None:
        if g.claim.index >= 0:
            g.put_in_pool(g.claim.seat, g.claim.index, gone=False)
        g.claim = g.claimer = None


def one_misread(
    g: RiichiTable, h: HandShown, self_drawn: bool, chance: Chance | None
) -> ScoringHand | None:
    """The best legal hand if one of the opened tiles was read wrongly or not at all."""
    best: tuple[int, ScoringHand] | None = None
    unread = [at for at, tile in enumerate(h.tiles) if not tile.known]
    places = unread or range(len(h.tiles))
    if len(unread) > 1:
        return None
    counts = Counter(_plain(tile) for tile in h.tiles)
    for at in places:
        for kind in KINDS:
            if kind is _plain(h.tiles[at]) or counts[kind] >= 4:
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
