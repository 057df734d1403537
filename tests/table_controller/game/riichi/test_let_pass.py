"""A win on a discard that somebody has drawn past, or laid a set with (5.13, 9.5.4).

荣和最高: it comes before all of that, and who discarded the tile pays for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest

from table_controller.domain.happenings import (
    Call,
    HandClosed,
    HandHidden,
    HandShown,
    Happening,
    MeldShown,
    NotLooked,
    Place,
    Seat,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    TileReturned,
)
from table_controller.domain.outputs import HandRecord, Output
from table_controller.domain.tiles import Tile
from table_controller.game.base import Chance
from table_controller.game.riichi.passing import before_it_passed, still_won
from table_controller.game.riichi.table import RiichiTable
from tests.table_controller.game.riichi.test_ends import RULES, after, alerts_of, hands_of, table_of
from tests.table_controller.game.scenes import tiles
from tests.table_controller.game.test_unwatched import riichi_hand, wall_used_up


@dataclass(frozen=True)
class Lying:
    """A game up to a discard, and the draw after it."""

    told: list[Happening]
    discard: TileDiscarded
    draw: TileDrawn

    @property
    def t(self) -> float:
        return self.discard.t

    def seat(self, after: int) -> Seat:
        """The seat so many places after the discarder."""
        return (self.discard.seat + after) % 4  # type: ignore[return-value]

    def drawn(self) -> list[Happening]:
        return [replace(self.draw, t=self.t + 1.2)]

    def set_of(self, after: int, own: str) -> list[Happening]:
        """The discard is fetched and laid with these tiles."""
        seat, tile = self.seat(after), self.discard.tile
        held = tiles(own)
        at = {1: 0, 2: 1, 3: len(held)}[after]
        laid = (*held[:at], tile, *held[at:])
        fetched = TileClaimed(t=self.t + 0.8, seat=seat, tile=tile, from_=self.discard.seat)
        return [
            fetched,
            MeldShown(t=self.t + 1.6, seat=seat, tiles=laid, claimed=at, sideways=at),
        ]

    def called(self, after: int) -> list[Happening]:
        return [Call(t=self.t + 0.4, seat=self.seat(after), call="win")]

    def opened(self, after: int, wait: float = 2.4) -> HandShown:
        """A hand that waits for the discard, with a straight."""
        tile = self.discard.tile.plain
        suit = next(s for s in "mps" if s != tile.value[-1])
        honour = next(n for n in "567" if f"{n}z" != tile.value)
        held = (*tiles(f"123456789{suit} {honour * 3}z"), tile)
        return HandShown(t=self.t + wait, seat=self.seat(after), tiles=held)


def of(lies: Lying) -> RiichiTable:
    """The table up to the discard."""
    return table_of(after(lies.told)[0])


def lying(tile: str | None = None, *, last: bool = False) -> Lying:
    """The first riichi tile of a hand, or the last discard but one, with another face."""
    story = wall_used_up(RULES)[0] if last else riichi_hand()[0]
    discards = [(n, h) for n, h in enumerate(story) if isinstance(h, TileDiscarded)]
    at, discard = discards[-2] if last else next((n, h) for n, h in discards if h.rotated)
    if tile is not None:
        discard = replace(discard, tile=Tile(tile))
    draw = next(h for h in story[at:] if isinstance(h, TileDrawn) and h.stage == "taken")
    return Lying([*story[:at], discard], discard, draw)


def closed(lies: Lying, happenings: Sequence[Happening]) -> tuple[list[Output], HandRecord]:
    """What is said of it, and the record of the hand, once that is closed."""
    end = max(h.t for h in happenings)
    seat = next(h.seat for h in happenings if isinstance(h, HandShown))
    _, said = after([*lies.told, *happenings, HandClosed(t=end + 9.0, seat=seat)])
    (hand,) = hands_of(said)
    return said, hand


Past = Callable[[Lying], list[Happening]]
PAST: dict[str, tuple[int, Past]] = {
    "drawn past": (2, lambda x: x.drawn()),
    "called, then drawn past": (2, lambda x: [*x.called(2), *x.drawn()]),
    "called, drawn past, then fetched": (
        2,
        lambda x: [
            *x.called(2),
            *x.drawn(),
            TileClaimed(t=x.t + 1.8, seat=x.seat(2), tile=x.discard.tile, from_=x.discard.seat),
        ],
    ),
    "a chow": (2, lambda x: x.set_of(1, "46s")),
    "a pung": (1, lambda x: x.set_of(2, "55s")),
    "a kong": (1, lambda x: x.set_of(3, "555s")),
}


@pytest.mark.parametrize(("winner", "past"), PAST.values(), ids=PAST)
@pytest.mark.parametrize("confidence", [0.97, 1.0])
@pytest.mark.parametrize("face", ["5s", "0s"])
def test_the_discarder_pays(winner: int, past: Past, confidence: float, face: str) -> None:
    lies = lying(face)
    shown = lies.opened(winner)
    fetched = any(isinstance(h, TileClaimed) and h.seat == shown.seat for h in past(lies))
    late = [replace(h, confidence=confidence) for h in past(lies)]
    apart = lies.discard.tile if fetched else None
    said, hand = closed(lies, [*late, replace(shown, apart=apart)])
    assert alerts_of(said) == []
    _, plain = closed(lies, [lies.opened(winner, 0.9)])
    assert (hand.wins[0].from_, hand.confirmed) == (lies.discard.seat, True)
    # The riichi of the tile is not paid, and no set has come before the win.
    assert hand.wins[0].score == plain.wins[0].score
    assert (hand.payments, hand.scores) == (plain.payments, plain.scores)
    assert sum(hand.scores) == 100_000


@pytest.mark.parametrize("name", ["called, then drawn past", "called, drawn past, then fetched"])
def test_a_call_counts_although_nobody_looked_for_a_moment(name: str) -> None:
    lies = lying("5s")
    winner, past = PAST[name]
    gap = NotLooked(t=lies.t + 1.3, where="pool", seat=lies.seat(1), until=lies.t + 1.5)
    late = sorted([*past(lies), gap], key=lambda h: h.t)
    apart = Tile.S5 if "fetched" in name else None
    _, hand = closed(lies, [*late, replace(lies.opened(winner), apart=apart)])
    assert hand.wins[0].from_ == lies.discard.seat


def test_two_win_on_a_tile_that_was_drawn_past() -> None:
    """6.3.3; who drew past it has given it up."""
    lies = lying("5s")
    hands = [lies.opened(after, 2.0 + after) for after in (2, 3, 1)]
    said, hand = closed(lies, [*lies.drawn(), *hands])
    assert {(win.winner, win.from_) for win in hand.wins} == {
        (lies.seat(2), lies.discard.seat),
        (lies.seat(3), lies.discard.seat),
    }
    assert alerts_of(said) == [("hand-shown-early", lies.seat(1), None)]


@pytest.mark.parametrize("name", ["drawn past", "a pung", "called, drawn past, then fetched"])
def test_where_the_win_is_refused_the_tile_was_let_pass(name: str) -> None:
    lies = lying("5s")
    winner, past = PAST[name]
    late = past(lies)
    fetched = [h for h in late if isinstance(h, TileClaimed) and h.seat == lies.seat(winner)]
    plain, _ = after([*lies.told, *(h for h in late if h not in fetched)])
    shown = replace(lies.opened(winner), apart=Tile.S5 if fetched else None)
    hidden = HandHidden(t=lies.t + 12.0, seat=shown.seat)
    engine, said = after([*lies.told, *late, shown, hidden])
    assert alerts_of(said) == []
    assert table_of(engine).signature() == table_of(plain).signature()
    assert (table_of(engine).sticks, table_of(engine).open_chance) == (1, None)


def furitens(table: RiichiTable) -> tuple[object, ...]:
    return table.passed, table.passed_riichi, table.scores, table.sticks, table.riichi


def test_a_drawn_tile_that_is_put_back_leaves_the_discard_open() -> None:
    """9.5.4: 已经摸取的牌需放回原处; then the win is carried out."""
    lies = lying("5s")
    (draw,) = lies.drawn()
    assert isinstance(draw, TileDrawn)
    back = TileReturned(t=lies.t + 2.0, seat=draw.seat, slots=draw.slots)
    before, _ = after(lies.told)
    engine, _ = after([*lies.told, draw, back])
    assert furitens(table_of(engine)) == furitens(table_of(before))
    said, hand = closed(lies, [*lies.called(2), draw, back, lies.opened(2)])
    assert alerts_of(said) == []
    assert hand.wins[0].from_ == lies.discard.seat


def test_the_last_tile_was_still_to_be_drawn() -> None:
    """河底: here one more tile was left."""
    lies = lying("5s", last=True)
    said, hand = closed(lies, [*lies.drawn(), lies.opened(2)])
    assert alerts_of(said) == []
    assert hand.wins[0].from_ == lies.discard.seat
    assert not [f for f in hand.wins[0].score["fans"] if "houtei" in f["id"]]


@pytest.mark.parametrize(
    ("called", "told"),
    [(True, ("win-wrong-tile", None)), (False, ("false-win", "not_entitled"))],
)
def test_a_false_declaration_is_one_on_the_tile_that_was_called(
    called: bool, told: tuple[str, str | None]
) -> None:
    lies = lying("5s")
    seat = lies.seat(2)
    held = tiles("123456789m 5556z")
    calls = lies.called(2) if called else []
    story = [*calls, *lies.drawn(), HandShown(t=lies.t + 2.4, seat=seat, tiles=held)]
    engine, said = after([*lies.told, *story])
    said += engine.flush(lies.t + 6.0)
    assert alerts_of(said) == [(told[0], seat, told[1])]


def test_on_a_tile_that_was_discarded_since_nobody_wins_on_the_one_before() -> None:
    lies = lying("5s")
    since = TileDiscarded(
        t=lies.t + 2.0, seat=lies.seat(1), tile=Tile.NORTH, place=Place(1, 0), drawn=False
    )
    story = [*lies.called(2), *lies.drawn(), since, lies.opened(2, 3.0)]
    engine, said = after([*lies.told, *story])
    said += engine.flush(lies.t + 6.0)
    assert ("win-wrong-tile", lies.seat(2), None) in alerts_of(said)


def test_a_set_that_a_win_comes_before_breaks_no_go_around() -> None:
    """一发: 此间无人鸣牌."""
    declared = lying("1z")
    ready, thrower = declared.seat(0), declared.seat(1)
    thrown = TileDiscarded(
        t=declared.t + 2.0,
        seat=thrower,
        tile=Tile.S5,
        place=Place(*divmod(len(of(declared).seats[thrower].pool), 6)),
        drawn=True,
    )
    told = [*declared.told, *declared.drawn(), thrown]
    lies = Lying(told, thrown, declared.draw)
    opened = lies.opened(3)
    assert opened.seat == ready
    said, hand = closed(lies, [*lies.set_of(1, "55s"), opened])
    assert alerts_of(said) == [("indicator-not-turned", ready, "ura")]
    situation = hand.wins[0].score["situation"]
    assert (situation["riichi"], situation["ippatsu"], situation["sticks"]) == (1, True, 1)


@pytest.mark.parametrize("index", [-1, -2, -3], ids=["added kong", "concealed kong", "north"])
def test_who_robs_a_kong_has_let_the_discard_before_it_pass(index: int) -> None:
    """What lies there is won on: the riichi before it stays paid, the tile stays passed."""
    lies = lying()
    table = table_of(after([*lies.told, *lies.drawn()])[0])
    robber = lies.seat(2)
    assert still_won(table, robber)
    table.kong_tile = Chance(lies.seat(1), Tile("9s"), lies.t + 2.0, index)
    assert not still_won(table, robber)
    assert before_it_passed(table, robber) is table
    assert (table.sticks, table.scores[lies.discard.seat]) == (1, 24_000)
