"""Scenario files: what they ask for happens, what they get wrong is said in one line."""

import math
from itertools import permutations
from pathlib import Path
from typing import Any

import cv2
import pytest

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.games import GAMES
from hardware.virtual_table.play.incidents import REGISTRY, Wanted, registry_of
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.riichi.judge import swap_tiles
from hardware.virtual_table.play.scenario import (
    BadScenarioError,
    Scenario,
    demo_scenario,
    load_scenario,
    parse_scenario,
)
from hardware.virtual_table.scene import Pose
from table_controller.domain.alert_ids import ALERT_GROUPS
from table_controller.domain.happenings import Call, DrawStage, MeldExtended, Seat, TileClaimed
from table_controller.domain.tiles import KIND_INDEX, Tile
from table_controller.scoring.shapes import count_kinds, wait_kinds

pytestmark = pytest.mark.long

FILES = sorted((Path(__file__).parent.parent / "scenarios").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_infraction_of_a_scenario_file_happens(path: Path) -> None:
    scenario = load_scenario(path)
    director = Director(scenario)
    for hand, played in enumerate(director.hands, start=1):
        happened = sorted(each.id for each in played.stage.infractions)
        if scenario.mix:
            assert happened
        else:
            wanted = scenario.wanted[min(hand, len(scenario.wanted)) - 1]
            assert happened == sorted(each.id for each in wanted)


def test_the_demo_shows_what_it_promises() -> None:
    director = Director(load_scenario(demo_scenario()))
    truth = director.truth()
    kinds = {happening.kind for happening in truth}
    assert {"premature-draw", "own-tile-exposed", "wall-break"} <= {
        each.id for each in director.infractions()
    }
    assert {"flower_shown", "tile_claimed", "meld_shown", "hand_shown", "hand_closed"} <= kinds
    assert any(h.kind == "meld_shown" and Tile.BACK in h.tiles for h in truth)
    assert sum(h.kind == "dice_rolled" for h in truth) == 2
    assert truth[-1].kind == "hand_closed"
    assert director.duration <= 110.0


@pytest.mark.parametrize("seed", range(40, 52))
def test_the_demo_keeps_its_promise_with_other_seeds(seed: int) -> None:
    director = Director(load_scenario(demo_scenario()).with_options(seed=seed))
    assert {"premature-draw", "own-tile-exposed", "wall-break"} == {
        each.id for each in director.infractions()
    }
    assert director.truth()[-1].kind == "hand_closed"
    assert director.duration <= 120.0


def test_every_id_that_can_be_injected_is_one_of_the_contract() -> None:
    assert set(REGISTRY) <= {name for group in ALERT_GROUPS.values() for name in group}


RARE = {
    "flower-mistaken": 5,  # somebody must hold the tile
    "flower-order": 5,  # two seats must have flowers
    "claim-after-draw": 5,  # somebody must hold the pair
    "concealed-kong-hidden": 5,
    "win-out-of-priority": 4,  # the winner must not be the next in turn
    "win-while-barred": 0,  # somebody must be barred before, by another infraction
    "swapped-tile": 6,  # somebody must have a set on the table
}


@pytest.mark.parametrize("name", sorted(registry_of(GAMES["mcr-1998"])))
def test_an_infraction_happens_when_it_is_wanted(name: str) -> None:
    """In nine games of ten there is an occasion (rare ones apart); the hand goes on to its end."""
    happened = 0
    for seed in range(12):
        director = Director(Scenario(seed=seed, wanted=((Wanted(name, at=2),),)))
        found = director.infractions()
        assert [each.id for each in found] in ([], [name])
        happened += len(found)
        for each in found:
            assert 0 < each.t <= each.evident <= director.duration
        end = director.hands[0].script[-1]
        assert isinstance(end, do.HandEnd)
        assert end.result in ("win", "abort")
    assert happened >= RARE.get(name, 10)


def test_a_barred_player_claims() -> None:
    """Where the ruleset forbids that; elsewhere it is no infraction."""
    wanted = (Wanted("false-win", at=2, seat=1), Wanted("claim-while-barred", at=3, seat=1))
    found = 0
    for seed in range(15):
        scenario = Scenario(ruleset="mcr-2002-tianjin", seed=seed, wanted=(wanted,))
        ids = [each.id for each in Director(scenario).infractions()]
        found += ids == ["false-win", "claim-while-barred"]
    assert found >= 3
    with pytest.raises(BadScenarioError, match="'claim-while-barred' cannot be injected"):
        Director(Scenario(ruleset="mcr-1998", wanted=(wanted,)))


def test_a_barred_player_declares_a_win() -> None:
    wanted = (
        Wanted("win-while-barred", at=12, seat=1),
        Wanted("win-wrong-tile", at=2, seat=1),
    )
    found = 0
    for seed in range(20):
        ids = [each.id for each in Director(Scenario(seed=seed, wanted=(wanted,))).infractions()]
        found += ids == ["win-wrong-tile", "win-while-barred"]
    assert found >= 5


def test_a_kong_can_be_robbed() -> None:
    robbed = 0
    for seed in range(12):
        director = Director(Scenario(seed=seed, wishes=(HandWish(win_by="rob"),)))
        truth = director.truth()
        shown = next(h for h in truth if h.kind == "hand_shown")
        before = [h for h in truth if h.t < shown.t and h.kind != "hand_counted"][-3:]
        match before:
            case [MeldExtended() as extended, Call(), TileClaimed() as claimed]:
                robbed += 1
                assert extended.tile is shown.apart
                assert extended.seat == claimed.from_
    assert robbed >= 6


@pytest.mark.parametrize("stage", ["touched", "lifted", "seen", "taken"])
def test_a_premature_draw_goes_as_far_as_asked_before_the_discard_rests(stage: DrawStage) -> None:
    for seed in range(6):
        wanted = (Wanted("premature-draw", at=3, options={"stage": stage}),)
        director = Director(Scenario(seed=seed, wanted=(wanted,)))
        (fault,) = director.infractions()
        assert fault.stage == stage
        assert fault.seat is not None
        truth = director.truth()
        touch = next(h for h in truth if h.kind == "tile_drawn" and h.stage == "touched")
        assert touch.seat == fault.seat
        assert touch.t == fault.t
        rest = next(h for h in truth if h.kind == "tile_discarded" and h.t > touch.t)
        assert rest.seat == (fault.seat - 1) % 4
        assert rest.t - touch.t > 0.3
        stages = [h.stage for h in truth if h.kind == "tile_drawn" and h.slots == touch.slots]
        returned = [h for h in truth if h.kind == "tile_returned" and h.slots == touch.slots]
        order = ["touched", "lifted", "seen", "taken"]
        assert stages[: order.index(stage) + 1] == order[: order.index(stage) + 1]
        assert len(returned) == (stage in ("lifted", "seen"))


def test_who_is_passed_over_had_the_win_too() -> None:
    """001 §2.3(4): of two who declare the win on one discard the nearer one has it."""
    seen = 0
    for seed in range(20):
        director = Director(Scenario(seed=seed, mix=1, mix_ids=("win-out-of-priority",)))
        hand = director.hands[0]
        presses = [
            step for step in hand.script if isinstance(step, do.Press) and step.call == "win"
        ]
        if not director.infractions():
            continue
        seen += 1
        nearer, winner = presses[-1].seat, hand.play.winner
        assert winner is not None
        last = [step for step in hand.script if isinstance(step, do.Discard)][-1]
        assert (nearer - last.seat) % 4 < (winner - last.seat) % 4
        waiting = wait_kinds(count_kinds(hand.table.held(nearer).elements()), at_most=34)
        assert KIND_INDEX[hand.table.face(last.token)] in waiting
    assert seen >= 12


def test_what_a_late_claim_puts_back_into_the_wall_completes_no_hand() -> None:
    """What completed a hand was put back, and the hand laid open with the next tile (1715017)."""
    wish = HandWish(win_by="discard", kongs=("added",), claims=0.4, discards=17, flowers=2)
    scenario = Scenario(
        ruleset="mcr-2002-tianjin", seed=1715017, east=3, pace=1.0, stages=True,
        mix=2, mix_ids=("claim-after-draw", "win-below-minimum"), wishes=(wish,),
    )  # fmt: skip
    director = Director(scenario)
    assert {one.id for one in director.infractions()} == set(scenario.mix_ids)
    shown = next(one for one in director.truth() if one.kind == "hand_shown")
    waiting = wait_kinds(count_kinds(shown.tiles), at_most=34)
    assert shown.apart is not None
    assert KIND_INDEX[shown.apart] in waiting


def test_what_is_exposed_can_be_seen_between_its_two_lines() -> None:
    for seed in range(8):
        for name in ("own-tile-exposed", "other-tile-exposed", "wall-tile-exposed"):
            director = Director(Scenario(seed=seed, wanted=((Wanted(name, at=4),),)))
            shown = [h for h in director.truth() if h.kind == "tile_exposed"]
            covered = [h for h in director.truth() if h.kind == "tile_covered"]
            assert len(shown) == len(covered) >= 1
            for up, down in zip(shown, covered, strict=True):
                assert up.tile is down.tile
                assert down.t - up.t > 1.0
                middle = director.scene((up.t + down.t) / 2)
                assert any(
                    tile.face == up.tile.value and tile.pose.value == "face_up"
                    for tile in middle.tiles
                )


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"speed": 2}, "unknown key 'speed'"),
        ({"seed": "x"}, "seed: expected int"),
        ({"hands": 0}, "hands: expected 1 or more"),
        ({"pace": 99}, "pace: expected 0.1 to 10.0"),
        ({"ruleset": "bridge"}, "ruleset: 'bridge' is not one of"),
        ({"east": 4}, "a seat is 0, 1, 2 or 3"),
        ({"hand": [{"win": "maybe"}]}, "hand 1: win: 'maybe' is not one of"),
        ({"hand": [{}, {"target": "royal"}]}, "hand 2: target: 'royal' does not exist"),
        ({"hand": [{"dice": [[1, 7], [1, 1]]}]}, "dice: expected two throws"),
        ({"hand": [{"kongs": ["big"]}]}, "kongs: unknown kind 'big'"),
        ({"hand": [{"fetch_last": [1, 4]}]}, "hand 1: fetch_last: a seat is"),
        ({"hand": [{"infraction": [{"id": "speech"}]}]}, "'speech' cannot be injected"),
        ({"hand": [{"infraction": [{"id": "wall-break", "seat": 7}]}]}, "a seat is"),
        ({"mix_ids": ["nothing"]}, "mix_ids: 'nothing' cannot be injected"),
        ({"mix_ids": [[]]}, "mix_ids: [] cannot be injected"),
    ],
)
def test_a_wrong_scenario_is_refused_in_one_line(data: dict[str, Any], says: str) -> None:
    with pytest.raises(BadScenarioError) as error:
        parse_scenario(data, "file.toml")
    assert says in str(error.value)
    assert str(error.value).startswith("file.toml")
    assert "\n" not in str(error.value)


def test_a_missing_or_broken_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadScenarioError, match="No such file"):
        load_scenario(tmp_path / "none.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("seed = ", encoding="utf-8")
    with pytest.raises(BadScenarioError, match="not TOML"):
        load_scenario(broken)


@pytest.mark.parametrize(
    ("ruleset", "seed", "discards"),
    [
        ("mcr-1998", 50002, 0),
        ("mcr-2002-tianjin", 50002, 2),
        # One of the two was claimed.
        ("mcr-2002-tianjin", 40, 2),
    ],
)
def test_dice_left_are_an_offence_when_the_ruleset_says_so(
    ruleset: str, seed: int, discards: int
) -> None:
    """At once, or a go-around after the dealer's first discard (003 Q3 T)."""
    wanted = (Wanted(id="dice-left"),)
    director = Director(Scenario(ruleset=ruleset, seed=seed, wanted=(wanted,)))
    (offence,) = director.infractions()
    own = [h.t for h in director.truth() if h.kind == "tile_discarded" and h.seat == 0]
    assert sum(t <= offence.evident for t in own) == discards
    (removed,) = [h.t for h in director.truth() if h.kind == "dice_removed"]
    assert removed > offence.evident


@pytest.mark.parametrize("seed", [7, 17, 24])
def test_a_tile_to_be_thrown_is_thrown_though_a_north_came_first(seed: int) -> None:
    """Fate lost what a seat already held when that seat drew again: the play broke off."""
    wanted = (Wanted(id="foreign-tile"),)
    director = Director(Scenario(ruleset="riichi-xjtu-2025-sanma", seed=seed, wanted=(wanted,)))
    assert [each.id for each in director.infractions()] == ["foreign-tile"]


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        *(("false-win", seed) for seed in (0, 5, 13)),
        ("discard-extra", 703),
        ("discard-missing", 700),
        ("extra-draw", 700),
    ],
)
def test_who_may_not_win_any_more_claims_nothing_where_that_bars(name: str, seed: int) -> None:
    wanted = ((Wanted(name, at=4),),)
    director = Director(Scenario(ruleset="mcr-2002-tianjin", seed=seed, wanted=wanted))
    (refused,) = director.infractions()
    later = [h for h in director.truth(refused.t) if h.kind == "tile_claimed"]
    assert refused.seat not in [h.seat for h in later]


@pytest.mark.parametrize("seed", [2, 4, 10])
def test_what_was_laid_among_the_flowers_by_mistake_is_no_flower_that_goes_back(seed: int) -> None:
    """Who discarded it had a tile too many, as was rightly raised; it is another infraction."""
    wanted = ((Wanted("flower-mistaken", at=2), Wanted("flower-returned", at=2)),)
    director = Director(Scenario(ruleset="mcr-2002-tianjin", seed=seed, wanted=wanted))
    (returned,) = (each for each in director.infractions() if each.id == "flower-returned")
    (thrown,) = (h for h in director.truth() if h.kind == "tile_discarded" and h.t == returned.t)
    assert thrown.tile.is_flower


@pytest.mark.parametrize("seed", [3, 8, 13])
def test_a_sleeve_knocks_over_what_stands_beside_it(seed: int) -> None:
    """The tile was being sorted in: the arm had gone to where it stood before, 312 mm away."""
    wanted = ((Wanted("other-tile-exposed", at=1 + seed % 6),),)
    director = Director(Scenario(ruleset="mcr-2002-tianjin", seed=seed, wanted=wanted))
    (told,) = (h for h in director.truth() if h.kind == "tile_exposed" and h.by != h.seat)
    assert told.by is not None
    stage = director.hands[0].stage
    tip = stage.arms[told.by].tip(told.t)
    lying = [track.state(told.t + 0.01) for track in stage.tiles.values()]
    fallen = [
        each for each in lying if each.pose is Pose.FACE_UP and math.hypot(each.x, each.y) > 300
    ]
    assert min(math.dist((tip.x, tip.y), (each.x, each.y)) for each in fallen) < 65.0


@pytest.mark.parametrize("seed", range(12))
def test_no_tile_of_a_pushed_pool_lies_within_another(seed: int) -> None:
    """They had: a 4p lay in a 3s, which no camera can read and no table shows."""
    director = Director(
        Scenario(
            seed=seed,
            wishes=(HandWish(win_by="none"),),
            wanted=((Wanted("pool-disturbed", at=4),),),
        )
    )
    (happening,) = (each for each in director.truth() if each.kind == "pool_disturbed")
    stage = director.hands[0].stage
    size = (director.layout.tile_w, director.layout.tile_h)
    pushed = {
        token
        for token, track in stage.tiles.items()
        if track.state(happening.t - 0.5) != track.state(happening.t)
        and track.state(happening.t) == track.state(happening.t + 0.5)
    }
    for t in (happening.t + 0.01, happening.t + 1.0):
        lying = {token: track.state(t) for token, track in stage.tiles.items()}
        felt = {token: each for token, each in lying.items() if each.pose is Pose.FACE_UP}
        assert len(pushed & set(felt)) >= 3
        for one, other in permutations(felt, 2):
            if one in pushed:
                first, second = (
                    ((felt[k].x, felt[k].y), size, felt[k].angle) for k in (one, other)
                )
                kind, _ = cv2.rotatedRectangleIntersection(first, second)
                assert kind == cv2.INTERSECT_NONE


@pytest.mark.parametrize("seed", [24, 52, 62, 90])
def test_who_left_the_claimed_tile_does_not_swap_either(seed: int) -> None:
    """The set counts as claimed: what 5.10 names stays in the hand (each threw it once)."""
    scenario = Scenario(
        ruleset="riichi-xjtu-2025", seed=seed, wanted=((Wanted("claimed-tile-left", at=2),),)
    )
    truth = Director(scenario).truth()
    at, shown = next(
        (k, h) for k, h in enumerate(truth) if h.kind == "meld_shown" and len(h.tiles) == 2
    )
    later = (h for h in truth[at:] if h.kind == "tile_discarded")
    thrown = next(h for h in later if h.seat == shown.seat)
    assert thrown.tile.plain not in swap_tiles(shown.tiles)


@pytest.mark.parametrize(
    "late", ["claim-after-draw", "invalid-meld", "meld-misplaced", "chow-not-from-left"]
)
def test_who_plays_along_commits_nothing_that_needs_a_claim(late: str) -> None:
    """He may not claim at all (source 002, 9.1.3): that he did was rightly raised, and not true."""
    early = Wanted("premature-draw", at=1, seat=2, options={"stage": "seen"})
    happened: dict[Seat, int] = {1: 0, 2: 0}
    for seat in happened:
        for seed in range(12):
            wanted = (early, Wanted(late, at=3, seat=seat))
            scenario = Scenario(ruleset="riichi-xjtu-2025", seed=seed, wanted=(wanted,))
            ids = [each.id for each in Director(scenario).infractions()]
            if "premature-draw" in ids:
                happened[seat] += late in ids
    assert happened[1] >= 1
    assert happened[2] == 0


@pytest.mark.parametrize(
    ("late", "seed"), [("invalid-meld", 9), ("invalid-meld", 21), ("meld-misplaced", 3)]
)
def test_who_reached_too_early_commits_nothing_that_needs_a_claim(late: str, seed: int) -> None:
    """To start the draw gives up the claim (000 Q155(2)): rightly raised, and not true."""
    early = Wanted("premature-draw", at=3, options={"stage": "touched"})
    scenario = Scenario(
        ruleset="mcr-2002-tianjin", seed=seed, wanted=((early, Wanted(late, at=3)),)
    )
    director = Director(scenario)
    first, then = director.infractions()
    assert (first.id, then.id) == ("premature-draw", late)
    between = [h for h in director.truth(first.t) if h.kind == "tile_discarded" and h.t < then.t]
    assert first.seat != then.seat or len(between) > 1


def test_who_plays_along_claims_nothing_by_chance() -> None:
    claims = 0
    for seed in range(12):
        early = Wanted("premature-draw", at=1, seat=2, options={"stage": "seen"})
        scenario = Scenario(ruleset="riichi-xjtu-2025", seed=seed, wanted=((early,),))
        director = Director(scenario)
        since = [each.t for each in director.infractions()]
        for step in director.truth():
            if since and step.kind == "tile_claimed" and step.t > since[0]:
                claims += step.seat == 2
    assert claims == 0


@pytest.mark.parametrize("last", [(), (0, 1, 2, 3)])
def test_who_is_said_to_fetch_the_discard_last_has_laid_his_own_tiles_before(
    last: tuple[Seat, ...],
) -> None:
    wish = HandWish(claims=0.9, kongs=("exposed",), win_by="none", fetch_last=last)
    director = Director(Scenario(seed=3, wishes=(wish,)))
    claims = [h for h in director.truth() if h.kind == "tile_claimed"]
    shown = [h for h in director.truth() if h.kind == "meld_shown" and h.claimed is not None]
    assert claims
    for claim, meld in zip(claims, shown, strict=True):
        laid = [
            place for place in director.places(claim.t).values() if place == f"meld {claim.seat}"
        ]
        before = sum(len(h.tiles) for h in shown if h.seat == claim.seat and h.t < claim.t)
        assert (len(laid) - before > 1) == bool(last), meld


@pytest.mark.parametrize("ruleset", ["mcr-1998", "riichi-xjtu-2025"])
def test_nobody_adds_a_fourth_tile_to_a_set_that_is_none(ruleset: str) -> None:
    """To 2m 3m 3m a 2m was added: of the kind of its first tile."""
    added = invalid = 0
    for seed in range(40):
        wish = HandWish(claims=0.9, kongs=("added",), win_by="none")
        wanted = ((Wanted("invalid-meld", at=2),),)
        director = Director(Scenario(ruleset=ruleset, seed=seed, wishes=(wish,), wanted=wanted))
        sets = [h for h in director.truth() if h.kind == "meld_shown" and len(h.tiles) == 3]
        odd = [h for h in sets if len({tile.plain for tile in h.tiles}) == 2]
        invalid += bool(odd)
        for step in director.truth():
            if step.kind == "meld_extended":
                added += 1
                kinds = [{tile.plain for tile in h.tiles} for h in sets if h.seat == step.seat]
                assert {step.tile.plain} in kinds
    assert invalid
    assert added
