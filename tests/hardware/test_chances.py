"""What players do by chance: many sets, kongs of every kind, the first discard, the last tile."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache

import pytest

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.director import Director, PlayedHand
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.riichi.model import RiichiModel
from hardware.virtual_table.play.scenario import Scenario
from hardware.virtual_table.play.taking import stream_of
from tests.table_controller.happenings.accounting import truly

SEEDS = range(70000, 70060)


@lru_cache(maxsize=2)
def hands(ruleset: str) -> tuple[Director, ...]:
    """Hands in which everybody claims readily."""
    wish = HandWish(claims=0.6)
    return tuple(Director(Scenario(ruleset=ruleset, seed=seed, wishes=(wish,))) for seed in SEEDS)


def claims(hand: PlayedHand) -> Iterator[do.Claim]:
    return (step for step in hand.script if isinstance(step, do.Claim))


def three_sets(hand: PlayedHand) -> bool:
    """Somebody who is not led to the win has claimed more than two sets."""
    return any(
        len(melds) > 2 and not any(meld.concealed for meld in melds) and seat != hand.play.winner
        for seat, melds in hand.table.melds.items()
    )


def claimed_kong(hand: PlayedHand) -> bool:
    return any(step.call == "kong" for step in claims(hand))


def first_claimed(hand: PlayedHand) -> bool:
    first = next(at for at, step in enumerate(hand.script) if isinstance(step, do.Discard))
    return isinstance(hand.script[first + 1], do.Claim)


def kong_of_none_drawn(hand: PlayedHand) -> bool:
    """A concealed kong of tiles that were dealt or held back."""
    drawn: int | None = None
    for step in hand.script:
        if isinstance(step, do.Draw):
            drawn = step.token
        if isinstance(step, do.ConcealedKong) and drawn not in step.tokens:
            return True
    return False


def test_a_kong_that_was_held_back_is_made_later() -> None:
    found = [one for one in hands("mcr-1998") if kong_of_none_drawn(one.hands[0])]
    assert 1 <= len(found) <= 5
    for one in found:
        played = truly(one)
        assert not played.alerts
        assert len(played.hands) == 1


@pytest.mark.parametrize("ruleset", ["mcr-1998", "riichi-xjtu-2025"])
@pytest.mark.parametrize(
    ("comes", "least", "most"),
    [
        pytest.param(three_sets, 1, 20, id="a third set"),
        pytest.param(claimed_kong, 5, 20, id="a kong of three held"),
        pytest.param(first_claimed, 1, 10, id="a claim of the first discard"),
    ],
)
def test_it_comes_about_now_and_then(
    ruleset: str, comes: Callable[[PlayedHand], bool], least: int, most: int
) -> None:
    found = [one for one in hands(ruleset) if comes(one.hands[0])]
    assert least <= len(found) <= most
    for one in found[:4]:
        played = truly(one)
        assert not played.alerts
        assert len(played.hands) == 1


def test_a_winning_discard_is_fetched_every_other_time() -> None:
    shown = Counter(
        step.apart is not None
        for one in hands("mcr-1998")
        for step in one.hands[0].script
        if isinstance(step, do.ShowHand) and (step.apart is None or step.from_seat is not None)
    )
    assert min(shown[True], shown[False]) > 0.3 * shown.total() > 5


@pytest.mark.parametrize("fetch", [True, False])
def test_the_wish_says_whether_it_is_fetched(fetch: bool) -> None:
    for seed in range(8):
        wish = HandWish(win_by="discard", discards=8, fetch=fetch)
        script = Director(Scenario(seed=seed, wishes=(wish,))).hands[0].script
        (shown,) = (step for step in script if isinstance(step, do.ShowHand))
        assert (shown.from_seat is not None) == fetch


def test_a_stream_of_its_own_takes_nothing_from_the_one_it_comes_from() -> None:
    rng = random.Random(5)
    before = rng.getstate()
    one, again, other = (stream_of(rng, name) for name in ("fetch", "fetch", "chances"))
    assert rng.getstate() == before
    first = one.random()
    assert again.random() == first != other.random()


@lru_cache(maxsize=1)
def kongs_in_riichi() -> tuple[tuple[Director, do.ConcealedKong], ...]:
    """Kongs of players who had declared riichi, each with its game."""
    found = []
    wish = HandWish(riichi=True, discards=44, ready=1, win_by="none")
    for seed in range(40):
        director = Director(Scenario(ruleset="riichi-xjtu-2025", seed=seed, wishes=(wish,)))
        declared = set()
        for step in director.hands[0].script:
            if isinstance(step, do.Press) and step.call == "riichi":
                declared.add(step.seat)
            if isinstance(step, do.ConcealedKong) and step.seat in declared:
                found.append((director, step))
    return tuple(found)


def test_who_has_declared_riichi_makes_a_kong_that_leaves_his_waits() -> None:
    """5.12.2: a concealed kong with the tile just drawn that does not change what is waited for."""
    assert 1 <= len(kongs_in_riichi()) <= 12
    for director, kong in kongs_in_riichi():
        hand = director.hands[0]
        assert isinstance(hand.table, RiichiModel)
        at = hand.script.index(kong)
        drawn = next(step for step in reversed(hand.script[:at]) if isinstance(step, do.Draw))
        assert drawn.seat == kong.seat
        assert drawn.token in kong.tokens
        played = truly(director)
        assert not played.alerts
        assert len(played.hands) == 1


LAST_FLOWERS = range(7012, 7032)


def test_who_takes_the_last_tile_discards_though_it_was_a_flower() -> None:
    """003 Q34: the turn that began with a tile taken ends with a tile discarded."""
    seen = 0
    for seed in LAST_FLOWERS:
        wish = HandWish(win_by="none", claims=0.3)
        director = Director(Scenario(ruleset="mcr-2002-tianjin", seed=seed, wishes=(wish,)))
        script = director.hands[0].script
        acts = [step for step in script if isinstance(step, (do.Draw, do.ShowFlower, do.Discard))]
        assert isinstance(acts[-1], do.Discard)
        if isinstance(acts[-2], do.ShowFlower):
            assert acts[-1].seat == acts[-2].seat
            assert not director.hands[0].table.wall
            played = truly(director)
            assert not played.alerts
            assert [hand.result for hand in played.hands] == ["exhausted"]
            seen += 1
    assert seen >= 1


def test_elsewhere_the_hand_ends_with_a_flower_that_nothing_replaces() -> None:
    ends = Counter(
        type([s for s in one.script if isinstance(s, (do.ShowFlower, do.Discard))][-1])
        for seed in LAST_FLOWERS
        for one in Director(
            Scenario(seed=seed, wishes=(HandWish(win_by="none", claims=0.3),))
        ).hands
    )
    assert ends[do.ShowFlower]
