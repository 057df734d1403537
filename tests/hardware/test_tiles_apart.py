"""Nothing rests within anything else: replacements after kongs, pushed walls, pools; sleeves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import lru_cache

import cv2
import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.games import GAMES
from hardware.virtual_table.play.incidents import Wanted
from hardware.virtual_table.play.layout import Layout, to_side
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from hardware.virtual_table.scene import Pose, TileBody
from table_controller.domain.happenings import (
    FlowerShown,
    IndicatorTurned,
    MeldShown,
    Seat,
    Slot,
    TileDrawn,
)
from tests.table_controller.happenings.games import directed, named

LEAST = 2.0
"""Tiles of a row or wall touch, and each is a little off: so much less than a width apart, mm."""


def row_at(director: Director, seat: Seat, t: float) -> list[float]:
    """Where the resting tiles of a hand stand, from left to right, mm."""
    places = director.places(t)
    return sorted(
        to_side(seat, tile.x, tile.y)[0]
        for tile in director.scene(t).tiles
        if places[tile.key] == f"hand {seat}" and tile.speed == 0.0
    )


def replacements(director: Director, after: type[MeldShown | FlowerShown]) -> Iterator[TileDrawn]:
    """The draws that follow a kong or a flower of the same seat."""
    truth = director.truth()
    for at, told in enumerate(truth):
        if not isinstance(told, after):
            continue
        if isinstance(told, MeldShown) and (len(told.tiles) != 4 or told.t > truth[-1].t - 6.0):
            continue
        nexts = [h for h in truth[at + 1 :] if isinstance(h, TileDrawn) and h.seat == told.seat]
        yield from nexts[:1]


def slot_of(turned: IndicatorTurned) -> Slot:
    assert turned.slot is not None
    return turned.slot


def overlapping(
    layout: Layout, tiles: list[TileBody], touch: float
) -> list[tuple[TileBody, TileBody]]:
    """Which of these tiles that lie flat are within each other by more than a touch (mm)."""
    found = []
    size = layout.tile_w - touch, layout.tile_h - touch
    for one, other in itertools.combinations(tiles, 2):
        if abs(one.z - other.z) > layout.tile_d - 2.0:
            continue
        kind, _ = cv2.rotatedRectangleIntersection(
            ((one.x, one.y), size, one.angle), ((other.x, other.y), size, other.angle)
        )
        if kind != cv2.INTERSECT_NONE:
            found.append((one, other))
    return found


@pytest.mark.parametrize("ruleset", ["mcr-1998", "riichi-xjtu-2025", "riichi-xjtu-2025-sanma"])
@pytest.mark.parametrize("kong", ["exposed", "concealed"])
def test_what_replaces_a_kong_stands_apart(ruleset: str, kong: str) -> None:
    """The row had a gap where the kong had stood, and the replacement went into the rest of it."""
    seen = 0
    for seed in range(2000, 2008):
        wish = HandWish(kongs=(kong,), discards=20)  # type: ignore[arg-type]
        director = Director(Scenario(ruleset=ruleset, seed=seed, wishes=(wish,)))
        for drawn in replacements(director, MeldShown):
            assert drawn.seat is not None
            row = row_at(director, drawn.seat, drawn.t + 0.02)
            gaps = [right - left for left, right in itertools.pairwise(row)]
            assert min(gaps) > director.layout.tile_w - LEAST, (seed, drawn, row)
            # Closed up but for the tile that was drawn.
            assert max(gaps[:-1]) < director.layout.tile_w + 4.0, (seed, drawn, row)
            assert gaps[-1] > director.layout.tile_w + 5.0, (seed, drawn, row)
            seen += 1
    assert seen >= 5


def test_what_replaces_a_flower_from_within_the_row_stands_apart() -> None:
    """A flower beside the last one left a gap; the replacement came within the tile at the end."""
    seen = 0
    for seed in range(20):
        director = Director(Scenario(seed=seed, wishes=(HandWish(flowers=8, discards=8),)))
        for drawn in replacements(director, FlowerShown):
            assert drawn.seat is not None
            row = row_at(director, drawn.seat, drawn.t + 0.02)
            gaps = [right - left for left, right in itertools.pairwise(row)]
            assert min(gaps) > director.layout.tile_w - LEAST, (seed, drawn, row)
            seen += 1
    assert seen > 100


@pytest.mark.parametrize("recoverable", [True, False])
@pytest.mark.parametrize("ruleset", ["mcr-1998", "riichi-xjtu-2025", "riichi-xjtu-2025-sanma"])
def test_pushed_walls_lie_beside_each_other(ruleset: str, recoverable: bool) -> None:
    layout = Layout.named(GAMES[ruleset].geometry)
    seen = 0
    for seed in range(400, 412):
        wanted = ((Wanted("wall-break", at=5, options={"recoverable": recoverable}),),)
        wish = HandWish(discards=14)
        director = Director(Scenario(ruleset=ruleset, seed=seed, wishes=(wish,), wanted=wanted))
        for broken in director.infractions():
            t = broken.evident + 0.3
            places = director.places(t)
            still = [
                tile
                for tile in director.scene(t).tiles
                if tile.speed == 0.0
                and tile.pose is not Pose.STANDING
                and places[tile.key].split()[0] in ("wall", "pool")
            ]
            assert not overlapping(layout, still, LEAST), seed
            seen += 1
    assert seen >= 8


@pytest.mark.parametrize(
    ("ruleset", "seeds"),
    [("riichi-xjtu-2025", range(30, 50)), ("riichi-xjtu-2025-sanma", range(98, 112))],
)
def test_indicators_laid_before_two_walls_lie_beside_each_other(ruleset: str, seeds: range) -> None:
    """Around the corner of the dead wall one was laid within the other (relay 1807006), or on
    the tile that was turned up there, which nobody could read (sanma 1954034)."""
    seen = 0
    for seed in seeds:
        wish = HandWish(win_by="self", kongs=("concealed",), discards=20)
        director = Director(Scenario(ruleset=ruleset, seed=seed, wishes=(wish,)))
        below = [
            h
            for h in director.truth()
            if isinstance(h, IndicatorTurned) and slot_of(h).layer == "bottom"
        ]
        if len({slot_of(h).side for h in below}) < 2:
            continue
        t = below[-1].t + 0.05
        places = director.places(t)
        laid = [
            tile
            for tile in director.scene(t).tiles
            if tile.speed == 0.0 and places[tile.key].split()[0] in ("aside", "wall")
        ]
        assert not overlapping(director.layout, laid, LEAST), seed
        seen += 1
    assert seen >= 4


@pytest.mark.parametrize("ruleset", ["mcr-1998", "riichi-xjtu-2025"])
def test_discards_lie_beside_each_other(ruleset: str) -> None:
    """Tiles a millimetre apart were each laid two off: 22 mm from middle to middle, of 26."""
    for seed in range(60, 66):
        wish = HandWish(discards=40, win_by="none")
        director = Director(Scenario(ruleset=ruleset, seed=seed, wishes=(wish,)))
        last = max(h.t for h in director.truth() if h.kind == "tile_discarded")
        places = director.places(last + 0.05)
        for seat in range(4):
            pool = [
                tile
                for tile in director.scene(last + 0.05).tiles
                if places[tile.key] == f"pool {seat}"
            ]
            assert len(pool) > 8
            assert not overlapping(director.layout, pool, 0.0), (seed, seat)


@lru_cache(maxsize=1)
def with_a_tile_in_a_sleeve() -> tuple[Director, int]:
    """A game of two hands in whose first one a tile disappears; which physical tile."""
    scenario = Scenario(
        seed=0, hands=2, wishes=(HandWish(discards=10),), wanted=((Wanted("short-hand"),), ())
    )
    director = Director(scenario)
    stage = director.hands[0].stage
    (token,) = (token for token, track in stage.tiles.items() if math.isfinite(track.gone))
    return director, stage.keys[token]


def test_a_tile_in_a_sleeve_is_not_swept_into_the_machine() -> None:
    """It walked back over the rail when the next hand began."""
    director, key = with_a_tile_in_a_sleeve()
    first, second = director.hands
    ready = next(
        h.t for h in director.truth(first.ends) if h.kind == "machine" and h.state == "raising"
    )
    assert first.stage.tiles
    for t in (first.ends - 0.1, *(first.ends + 0.1 * step for step in range(200))):
        if t < ready:
            assert key not in {tile.key for tile in director.scene(t).tiles}, t
    # The set is whole again: somebody has given it back to the machine.
    assert key in {tile.key for tile in director.scene(second.ends).tiles}


def test_the_upper_tile_of_the_last_stack_comes_down_when_the_lower_one_is_drawn() -> None:
    """It stayed in the air, where the eye saw two tiles until somebody drew it."""
    director = directed(named("mcr-1998:1243003::varied"))
    draws = {slot: h.t for h in director.truth() if isinstance(h, TileDrawn) for slot in h.slots}
    below = [
        (slot, t)
        for slot, t in draws.items()
        if slot.layer == "bottom" and t < draws.get(slot._replace(layer="top"), 0.0)
    ]
    assert below
    for slot, t in below:
        x, y, _ = director.layout.wall_point(slot)
        there = [
            tile.z
            for tile in director.scene(t + 0.2).tiles
            if tile.pose is Pose.FACE_DOWN and math.hypot(tile.x - x, tile.y - y) < 5.0
        ]
        assert len(there) == 1
        assert there[0] == pytest.approx(0.0, abs=1.0)


def test_at_the_end_of_a_hand_all_arms_are_drawn_back() -> None:
    """A hand without a winner ended with a flower of which nothing was seen."""
    director = directed(named("mcr-2006-du:1255002::varied"))
    assert not director.scene(director.duration - 0.05).arms
