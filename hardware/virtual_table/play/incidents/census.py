"""What a cheat, a lost tile or a careless sleeve does to the number of tiles."""

from __future__ import annotations

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.incidents.base import BOTH, Occasion, Outcome, incident
from hardware.virtual_table.play.incidents.options import whole
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import KINDS


def _cheat(occasion: Occasion, *, sets: bool = False) -> Seat | None:
    """Somebody beside the one whose turn it is, with tiles to spare."""
    play = occasion.play
    able = [
        seat
        for seat in occasion.others(occasion.seat, play.after(occasion.seat))
        if occasion.suits(seat) and occasion.loses(seat) and seat not in play.barred
        if len(play.table.hands[seat]) > 3 and not play.scripts[seat]
        if not sets or any(len(meld.tokens) == 3 for meld in play.table.melds[seat])
    ]
    return occasion.rng.choice(able) if able else None


@incident("swapped-tile", "discarded", games=BOTH, mixed=False)
def swapped_tile(occasion: Occasion) -> Outcome:
    """A player exchanges a tile of his set on the table for one of his hand."""
    play = occasion.play
    table = play.table
    seat = _cheat(occasion, sets=True)
    if seat is None or play.forced is not None:
        return Outcome.NOT_NOW
    melds = [meld for meld in table.melds[seat] if len(meld.tokens) == 3]
    meld = occasion.rng.choice(melds)
    faces = [table.face(token) for token in meld.tokens]
    seen = [table.face(each.token) for pool in table.pools.values() for each in pool]
    own = [
        token
        for token in table.hands[seat]
        if table.face(token).plain not in [face.plain for face in faces]
        and seen.count(table.face(token)) <= 1
    ]
    # The claimed tile lies sideways in its place; one of the others is easier to reach.
    laid = [token for token in meld.tokens if not _sideways(occasion, token)]
    last = None if occasion.token is None else table.face(occasion.token).plain
    # Nor must it look as if the last discard had been claimed.
    own = [token for token in own if table.face(token).plain is not last]
    if not own or not laid or last in [face.plain for face in faces]:
        return Outcome.NOT_NOW
    out, into = occasion.rng.choice(laid), occasion.rng.choice(own)
    table.hands[seat].remove(into)
    table.hands[seat].append(out)
    meld.tokens[meld.tokens.index(out)] = into
    occasion.step(do.SwapTile(seat=seat, laid=out, own=into))
    occasion.fault(seat)
    play.barred.add(seat)
    return Outcome.BESIDE


def _sideways(occasion: Occasion, token: int) -> bool:
    claims = [step for step in occasion.play.table.steps if isinstance(step, do.Claim)]
    return any(step.sideways is not None and step.tokens[step.sideways] == token for step in claims)


@incident("short-hand", "discarded", games=BOTH, mixed=False)
def short_hand(occasion: Occasion) -> Outcome:
    """A standing tile disappears in somebody's sleeve: one too few from then on."""
    play = occasion.play
    table, seat = play.table, _cheat(occasion)
    if seat is None or play.forced is not None:
        return Outcome.NOT_NOW
    token = occasion.rng.choice(table.hands[seat])
    table.hands[seat].remove(token)
    occasion.step(do.HideTile(seat=seat, token=token))
    occasion.fault(seat)
    play.barred.add(seat)
    return Outcome.BESIDE


@incident("long-hand", "discarded", games=BOTH, mixed=False)
def long_hand(occasion: Occasion) -> Outcome:
    """A tile out of a sleeve joins somebody's hand: one too many from then on."""
    play, seat = occasion.play, _cheat(occasion)
    if seat is None or play.forced is not None:
        return Outcome.NOT_NOW
    there = set(play.table.faces.values())
    face = occasion.rng.choice([kind for kind in KINDS if kind in there])
    occasion.step(do.AddTile(seat=seat, face=face))
    occasion.fault(seat)
    play.barred.add(seat)
    return Outcome.BESIDE


@incident(
    "missing-tile", "dice", games=BOTH, mixed=False, options=(whole("stacks", 1, 16),), seated=False
)
def missing_tile(occasion: Occasion) -> Outcome:
    """Tiles lie under the table: the machine cannot build its walls and says so."""
    play, table = occasion.play, occasion.play.table
    index, cycle = next(
        (index, step) for index, step in enumerate(table.steps) if isinstance(step, do.MachineCycle)
    )
    count = int(occasion.option("stacks", [1, 1, 2]))
    table.steps[index] = do.MachineCycle(dealer=cycle.dealer, lost=count)
    occasion.fault(None, stacks=count)
    occasion.step(do.Pause(seconds=4.0))
    play.aborted = True
    return Outcome.INSTEAD
