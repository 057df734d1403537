"""The order in which happenings leave, where they were decided out of order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import (
    Call,
    FlowerShown,
    HandCounted,
    Happening,
    IndicatorTurned,
    MeldExtended,
    MeldShown,
    Place,
    Seat,
    Slot,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    TileReturned,
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.release import Outbox

CALLED = Call(t=10.0, seat=1, call="kong")


TURNED = IndicatorTurned(t=11.6, tile=Tile.M1, slot=Slot(0, 3, "top"), seat=1)


KONG = MeldShown(t=10.5, seat=1, tiles=(Tile.BACK, Tile.RED, Tile.RED, Tile.BACK), face_down=(0, 3))


ADDED = MeldExtended(t=10.5, seat=1, tile=Tile.RED)


TOUCHED = TileDrawn(t=10.8, seat=1, slots=(Slot(1, 4, "top"),), stage="touched")


PUNG = MeldShown(t=10.5, seat=1, tiles=(Tile.RED,) * 3, claimed=2, sideways=2)


def kinds(happenings: list[Happening]) -> list[str]:
    return [happening.kind for happening in happenings]


def test_an_indicator_waits_for_the_kong_that_was_called() -> None:
    """It lay under the hand that turned it: the indicator passed for a wrong one."""
    outbox = Outbox(0.4, 0.8)
    outbox.put(CALLED)
    outbox.put(TURNED)
    assert kinds(outbox.release(12.4)) == ["call"]
    outbox.put(KONG)
    assert kinds(outbox.release(12.5)) == ["meld_shown", "indicator_turned"]


def test_an_indicator_waits_for_the_last_tiles_of_the_deal() -> None:
    """They say where the dead wall is: told before them, a wrong indicator passed for right."""
    outbox = Outbox(0.4, 0.8)
    outbox.put(TURNED)
    assert outbox.release(13.0, pending=10.0) == []
    outbox.put(replace(TOUCHED, seat=2, stage="taken"))
    assert kinds(outbox.release(13.1)) == ["tile_drawn", "indicator_turned"]
    outbox.put(TURNED)
    assert kinds(outbox.release(TURNED.t + 3.1, pending=10.0)) == ["indicator_turned"]


@pytest.mark.parametrize(
    ("seat", "order"),
    [
        pytest.param(1, ["meld_extended", "tile_drawn"], id="by whoever called it"),
        pytest.param(2, ["tile_drawn", "meld_extended"], id="by somebody else"),
    ],
)
def test_a_draw_waits_for_the_kong_that_its_player_called(seat: Seat, order: list[str]) -> None:
    """The arm that laid it hid it on its way to the wall: a wrong replacement passed for a draw
    out of turn."""
    outbox = Outbox(0.4, 0.8)
    outbox.put(CALLED)
    outbox.put(replace(TOUCHED, seat=seat))
    left = outbox.release(12.4)
    outbox.put(ADDED)
    assert kinds([*left, *outbox.release(12.5)]) == ["call", *order]


@pytest.mark.parametrize(
    ("first", "turned"),
    [
        pytest.param([CALLED], 11.6, id="no kong came"),
        pytest.param([CALLED, KONG], 11.6, id="it was told"),
        pytest.param([CALLED], 15.0, id="long after the call"),
        pytest.param([PUNG], 11.6, id="no kong was called"),
    ],
)
def test_it_does_not_wait_for_ever(first: list[Happening], turned: float) -> None:
    outbox = Outbox(0.4, 0.8)
    for happening in first:
        outbox.put(happening)
    outbox.put(replace(TURNED, t=turned))
    late = 3.1 if first == [CALLED] and turned < 12.0 else 0.5
    assert kinds(outbox.release(turned + late))[-1] == "indicator_turned"


def test_a_count_waits_for_a_discard_that_was_only_glimpsed() -> None:
    """A count without its discard made the rules look for a hand that was too short."""
    outbox = Outbox(hold_s=0.3, hold_most_s=0.6)
    outbox.put(HandCounted(t=43.18, seat=0, count=13))
    assert outbox.release(43.6, None, coming=42.6) == []
    outbox.put(Call(t=42.92, seat=0, call="pass"))
    assert [h.t for h in outbox.release(43.7, None, None)] == [42.92, 43.18]
    outbox.put(HandCounted(t=50.0, seat=0, count=13))
    assert outbox.release(51.4, None, coming=49.0) == []
    assert len(outbox.release(51.6, None, coming=49.0)) == 1


def test_happenings_leave_in_order_and_wait_for_an_undecided_one() -> None:
    outbox = Outbox(hold_s=0.3, hold_most_s=0.6)
    outbox.put(Call(t=1.2, seat=0, call="pung"))
    outbox.put(Call(t=1.0, seat=1, call="chow"))
    assert outbox.release(1.25) == []
    assert [h.t for h in outbox.release(1.55, pending=1.1)] == [1.0]
    assert [h.t for h in outbox.release(1.81, pending=1.1)] == [1.2]
    assert outbox.flush() == []


def test_an_indicator_waits_for_the_kong_that_is_being_laid() -> None:
    """An arm hid half of the kong for two seconds: the indicator passed for a wrong one."""
    outbox = Outbox(hold_s=0.3, hold_most_s=0.6)
    outbox.put(Call(t=25.85, seat=1, call="kong"))
    turned = IndicatorTurned(
        t=27.7, tile=Tile("3s"), slot=Slot(3, 17, "top"), seat=1, confidence=0.99
    )
    outbox.put(turned)
    drawn = TileDrawn(t=28.4, seat=1, slots=(Slot(2, 3, "top"),), stage="taken")
    outbox.put(drawn)
    assert [h.t for h in outbox.release(28.9, pending=26.5, kong=26.5)] == [25.85]
    assert outbox.release(29.4, pending=26.5, kong=26.5) == []
    kong = MeldShown(
        t=26.5, seat=1, tiles=(Tile.BACK,) * 4, claimed=None, sideways=None, face_down=(0, 1, 2, 3)
    )
    outbox.put(kong)
    assert outbox.release(29.5) == [kong, turned, drawn]
    # It does not wait for ever: what lies there may be no kong.
    outbox.put(replace(turned, t=40.0))
    assert outbox.release(42.9, pending=39.0, kong=39.0) == []
    assert len(outbox.release(43.1, pending=39.0, kong=39.0)) == 1


def test_a_grab_of_the_deal_waits_for_those_before_it() -> None:
    """It left no doubt and went first, three hands' grabs were still sorted out: a wrong deal."""
    outbox = Outbox(0.3, 0.6)
    grab = tuple(Slot(2, n, layer) for n in (2, 3) for layer in ("top", "bottom"))
    outbox.put(TileDrawn(t=10.5, seat=3, slots=grab, stage="taken"))
    outbox.put(TileDrawn(t=11.2, seat=0, slots=(Slot(2, 4, "top"),), stage="taken"))
    assert outbox.release(11.9, pending=9.9) == []
    outbox.put(TileDrawn(t=9.9, seat=2, slots=(Slot(2, 1, "top"),), stage="taken"))
    told = outbox.release(12.0)
    assert [h.seat for h in told if isinstance(h, TileDrawn)] == [2, 3, 0]


def test_a_grab_that_is_put_back_was_taken_before() -> None:
    """It came back while those before it were sorted out, and nothing had been taken: no alert."""
    outbox = Outbox(0.3, 0.6)
    grab = tuple(Slot(2, n, layer) for n in (2, 3) for layer in ("top", "bottom"))
    outbox.put(TileDrawn(t=10.5, seat=3, slots=grab, stage="taken"))
    outbox.put(TileReturned(t=11.2, seat=3, slots=grab))
    assert outbox.release(12.0, pending=9.9) == []
    assert kinds(outbox.release(13.6, pending=9.9)) == ["tile_drawn"]
    assert kinds(outbox.release(13.7, pending=9.9)) == ["tile_returned"]


@pytest.mark.parametrize(("dealing", "waits"), [(True, 4.5), (False, 1.5)])
def test_a_count_in_the_deal_waits_for_the_last_grabs(dealing: bool, waits: float) -> None:
    """Thirteen tiles were counted where twelve were known to be dealt."""
    outbox = Outbox(0.3, 0.6)
    outbox.put(HandCounted(t=13.9, seat=0, count=13))
    assert outbox.release(13.8 + waits, pending=13.5, dealing=dealing) == []
    outbox.put(TileDrawn(t=13.6, seat=0, slots=(Slot(0, 1, "bottom"),), stage="taken"))
    told = outbox.release(14.0 + waits, pending=14.2, dealing=dealing)
    assert kinds(told) == ["tile_drawn", "hand_counted"]


def test_how_far_a_hand_went_waits_for_the_draw_before_it() -> None:
    """An extra draw that was touched was told before the draw: it passed for a wrong one."""
    outbox = Outbox(0.4, 0.8)
    outbox.put(TOUCHED)
    waits: dict[Seat | None, float] = {1: 10.2, None: 10.2}
    assert outbox.release(12.0, pending=10.2, reaching=waits) == []
    outbox.put(TileDrawn(t=10.4, seat=1, slots=(Slot(1, 3, "bottom"),), stage="taken"))
    ripe = outbox.release(12.1)
    assert [h.stage for h in ripe if isinstance(h, TileDrawn)] == ["taken", "touched"]


@pytest.mark.parametrize(("seat", "told"), [(1, []), (2, ["taken"])])
def test_what_one_hand_does_at_the_wall_is_told_in_its_order(seat: Seat, told: list[str]) -> None:
    outbox = Outbox(0.4, 0.8)
    outbox.put(TOUCHED)
    outbox.put(TileDrawn(t=10.9, seat=seat, slots=(Slot(1, 5, "top"),), stage="taken"))
    ripe = outbox.release(12.0, pending=10.2, reaching={1: 10.2})
    assert [h.stage for h in ripe if isinstance(h, TileDrawn)] == told
    assert len(outbox.release(13.4, pending=10.2, reaching={1: 10.2})) == 2 - len(told)


DISCARDED = TileDiscarded(t=20.0, seat=1, tile=Tile.M1, place=Place(0, 0))


@pytest.mark.parametrize(
    ("since", "pending", "waits"),
    [
        # Whose tiles left the wall is not known yet, and who discards was given none.
        ((), 19.0, True),
        # He was given his; nothing of the wall is open; what is open came after his discard.
        ((TileDrawn(t=19.5, seat=1, slots=(Slot(1, 4, "top"),)),), 19.0, False),
        ((TileDrawn(t=19.5, seat=None, slots=(Slot(1, 4, "top"),)),), 19.0, False),
        ((), None, False),
        ((), 20.1, False),
        # He only touched one.
        ((TileDrawn(t=19.5, seat=1, slots=(Slot(1, 4, "top"),), stage="touched"),), 19.0, True),
        # The tile that was given him before his last discard is gone, as is one that he laid
        # among his flowers: it is replaced.
        ((TileDrawn(t=17.5, seat=1, slots=(Slot(1, 4, "top"),)),), 19.0, True),
        (
            (
                TileDrawn(t=18.5, seat=1, slots=(Slot(1, 4, "top"),)),
                FlowerShown(t=18.8, seat=1, tile=Tile("1f")),
            ),
            19.0,
            True,
        ),
    ],
)
def test_a_discard_waits_a_little_longer_for_the_draw_of_who_had_no_tile(
    since: tuple[Happening, ...], pending: float | None, waits: bool
) -> None:
    """An arm hid two draws for three seconds: 0.1 s before them the discard was one too many."""
    outbox = Outbox(0.3, 0.6)
    outbox.put(replace(DISCARDED, t=18.0))
    assert kinds(outbox.release(19.0)) == ["tile_discarded"]
    for happening in since:
        outbox.put(happening)
    outbox.release(19.9)
    outbox.put(DISCARDED)
    assert (outbox.release(20.7, pending) == []) is waits
    outbox.put(TileDrawn(t=19.2, seat=1, slots=(Slot(1, 5, "top"),)))
    told = kinds(outbox.release(20.9))
    assert told == (["tile_drawn", "tile_discarded"] if waits else ["tile_drawn"])


def test_a_discard_waits_for_no_draw_for_longer() -> None:
    """Who discards twice has no tile to come."""
    outbox = Outbox(0.3, 0.6)
    outbox.put(replace(DISCARDED, t=18.0))
    outbox.release(19.0)
    outbox.put(DISCARDED)
    assert outbox.release(21.1, 19.5) == []
    assert kinds(outbox.release(21.3, 19.5)) == ["tile_discarded"]


@pytest.mark.parametrize(
    ("laid", "pending", "waits"), [(False, 19.2, True), (False, None, False), (True, 19.2, False)]
)
def test_a_discard_waits_a_little_longer_for_the_set_of_who_fetched_a_tile(
    laid: bool, pending: float | None, waits: bool
) -> None:
    """Its arm hid three of a kong: told 0.2 s before it the discard was one too many, in a hand in
    which nothing was wrong (qixing 1851012)."""
    outbox = Outbox(0.3, 0.6)
    outbox.put(TileClaimed(t=18.5, seat=1, tile=Tile.RED, from_=0))
    if laid:
        outbox.put(replace(PUNG, t=19.1))
    outbox.release(19.9)
    outbox.put(DISCARDED)
    assert (outbox.release(20.7, pending) == []) is waits
    assert kinds(outbox.release(21.3, pending)) == (["tile_discarded"] if waits else [])
