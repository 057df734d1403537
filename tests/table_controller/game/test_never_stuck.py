"""Whatever happens, in whatever order: the rules answer, and go on."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from table_controller.domain import happenings as kinds
from table_controller.domain.codec import from_line, to_line
from table_controller.domain.happenings import Happening, Place, Slot
from table_controller.domain.output_codec import to_line as output_line
from table_controller.domain.tiles import Tile
from table_controller.game import costs
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.scenes import Scene, a_hand

TILES = tuple(Tile)
SEATS = st.integers(0, 3)
MAYBE_SEAT = st.one_of(st.none(), SEATS)
TILE = st.sampled_from(TILES)
SLOT = st.builds(Slot, SEATS, st.integers(1, 18), st.sampled_from(["top", "bottom"]))
FIELDS: dict[str, Any] = {
    "stacks": st.one_of(
        st.just((18, 18, 18, 18)),
        st.tuples(*[st.integers(0, 20)] * 4),
        st.lists(st.integers(1, 18), max_size=4).map(tuple),
    ),
    "values": st.lists(st.integers(0, 7), min_size=0, max_size=3).map(tuple),
    "valid": st.booleans(),
    "seat": SEATS,
    "by": MAYBE_SEAT,
    "from_": MAYBE_SEAT,
    "slots": st.lists(SLOT, max_size=5).map(tuple),
    "slot": st.one_of(st.none(), SLOT),
    "stage": st.sampled_from(["touched", "lifted", "seen", "taken"]),
    "tile": TILE,
    "place": st.one_of(st.none(), st.builds(Place, st.integers(0, 3), st.integers(0, 6))),
    "drawn": st.one_of(st.none(), st.booleans()),
    "rotated": st.booleans(),
    "foreign": st.booleans(),
    "tiles": st.lists(TILE, max_size=15).map(tuple),
    "claimed": st.one_of(st.none(), st.integers(0, 4)),
    "sideways": st.one_of(st.none(), st.integers(0, 4)),
    "face_down": st.lists(st.integers(0, 3), max_size=4).map(tuple),
    "apart": st.one_of(st.none(), TILE),
    "count": st.integers(0, 20),
    "where": st.sampled_from(["hand", "wall", "table"]),
    "side": SEATS,
    "recoverable": st.booleans(),
    "until": st.one_of(st.none(), st.floats(0, 500)),
    "call": st.sampled_from(list(get_args(kinds.CallKind))),
    "state": st.sampled_from(list(get_args(kinds.MachineState))),
    "fault": st.none(),
    "event": st.sampled_from(list(get_args(kinds.ClockEvent))),
    "round_wind": st.sampled_from(["E", "S", "W", "N"]),
    "dealer": SEATS,
    "hand": st.integers(1, 16),
    "honba": st.just(0),
    "sticks": st.just(0),
    "scores": st.one_of(st.none(), st.just((0, 0, 0, 0))),
    "confidence": st.sampled_from([1.0, 0.99, 0.9, 0.5]),
    "t": st.floats(0, 300, allow_nan=False),
}
WHERE_KINDS = {kinds.NotLooked: ["wall", "pool", "hand", "meld", "middle", "all"]}


@st.composite
def any_happening(draw: Any) -> Happening:
    kind = draw(st.sampled_from(get_args(kinds.Happening)))
    given_fields: dict[str, Any] = {}
    for item in fields(kind):
        if item.name == "kind":
            continue
        if item.name == "where" and kind in WHERE_KINDS:
            given_fields["where"] = draw(st.sampled_from(WHERE_KINDS[kind]))
        elif item.name == "stacks" and kind is kinds.WallRaised:
            given_fields["stacks"] = draw(st.tuples(*[st.integers(0, 20)] * 4))
        else:
            given_fields[item.name] = draw(FIELDS[item.name])
    return kind(**given_fields)  # type: ignore[no-any-return]


def run(story: list[Happening], ruleset: str) -> Engine:
    engine = Engine(load(ruleset))
    for happening in story:
        assert from_line(to_line(happening)).kind == happening.kind
        for output in engine.step(happening):
            output_line(output)
        assert 1 <= engine.readings <= costs.BEAM
    for output in engine.flush(max((h.t for h in story), default=0.0)):
        output_line(output)
    assert isinstance(engine.state["seats"], list)
    return engine


RULESETS = st.sampled_from(["mcr-1998", "mcr-2006-du", "mcr-2002-tianjin"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(any_happening(), max_size=40), RULESETS)
def test_any_happenings_at_all(story: list[Happening], ruleset: str) -> None:
    run(story, ruleset)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10_000), st.lists(any_happening(), max_size=12), RULESETS)
def test_a_hand_with_strange_things_in_it(
    seed: int, strange: list[Happening], ruleset: str
) -> None:
    story = a_hand(seed % 7).said
    rng = random.Random(seed)
    for happening in strange:
        at = rng.randrange(len(story))
        story.insert(at, replace(happening, t=story[at].t))
    run(story, ruleset)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_a_hand_shuffled_doubled_and_full_of_holes(seed: int) -> None:
    rng = random.Random(seed)
    story = a_hand(seed % 7).said
    told: list[Happening] = []
    for happening in story:
        chance = rng.random()
        if chance < 0.1:
            continue
        told.append(happening)
        if chance > 0.9:
            told.append(happening)
    for _ in range(6):
        at = rng.randrange(len(told) - 1)
        told[at], told[at + 1] = told[at + 1], told[at]
    run(told, "mcr-1998")


def test_the_next_hand_is_judged_afresh_after_any_wreck() -> None:
    """However a hand went, the next raised wall starts a whole one."""
    rng = random.Random(5)
    for seed in range(6):
        wreck = [h for h in a_hand(seed).said if rng.random() < 0.5]
        whole = Scene(dealer=0)
        whole.t = wreck[-1].t + 10
        engine = run(wreck, "mcr-1998")
        whole.dealer = engine.state["dealer"]
        if engine.state["phase"] not in ("idle", "wall"):
            whole.dealer = (whole.dealer + 1) % 4
        whole.open()
        whole.deal()
        moves = [o for h in whole.said for o in engine.step(h)]
        assert engine.state["phase"] == "play"
        assert [s["standing"] for s in engine.state["seats"]] == [
            14 if seat == engine.state["dealer"] else 13 for seat in range(4)
        ]
        assert any(getattr(m, "move", "") == "deal" for m in moves)
