"""What is wanted of a hand: refused where the ruleset cannot have it, else played or named."""

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from hardware.virtual_table.__main__ import main
from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.fate import NoTileLeftError
from hardware.virtual_table.play.games import GAMES
from hardware.virtual_table.play.incidents import Planned, Wanted, registry_of
from hardware.virtual_table.play.layout import SIDES
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.players import HandPlay, new_table
from hardware.virtual_table.play.scenario import (
    BadScenarioError,
    Scenario,
    demo_scenario,
    load_scenario,
    parse_scenario,
)
from table_controller.domain.tiles import Tile

MCR, RIICHI, SANMA = "mcr-1998", "riichi-xjtu-2025", "riichi-xjtu-2025-sanma"


def one(name: str, **options: object) -> dict[str, Any]:
    return {"infraction": [{"id": name, **options}]}


@pytest.mark.parametrize(
    ("ruleset", "hand", "says"),
    [
        (MCR, {"target": "pinfu"}, "target: 'pinfu' does not exist in mcr-1998"),
        (RIICHI, {"target": "full_flush"}, "target: 'full_flush' does not exist in riichi"),
        (SANMA, {"target": "kokushi"}, "target: 'kokushi' does not exist"),
        (MCR, {"win": "several"}, "win: only one wins"),
        (MCR, {"abort": "four_winds"}, "abort: 'four_winds' does not exist in mcr-1998"),
        (SANMA, {"abort": "four_winds"}, "known are four_kongs, nine_terminals"),
        (RIICHI, {"abort": "four_winds", "win": "self"}, "win: 'self' in a hand that ends early"),
        (MCR, {"riichi": True}, "riichi: mcr-1998 has no such thing"),
        (MCR, {"ready": 1}, "ready: mcr-1998 has no such thing"),
        (RIICHI, {"flowers": 1}, "flowers: there are none"),
        (MCR, {"flowers": 9}, "flowers: there are 8"),
        (SANMA, {"several": 3, "win": "several"}, "several: at most 2"),
        (RIICHI, {"ready": 4}, "ready: expected 0 to 3"),
        (SANMA, {"winner": 3}, "winner: nobody plays at seat 3; the seats are 0, 1, 2"),
        (SANMA, {"from": 3}, "from: nobody plays at seat 3"),
        (SANMA, {"fetch_last": [3]}, "fetch_last: nobody plays at seat 3"),
        (MCR, {"winner": 1, "from": 1}, "from: the winner cannot win on his own discard"),
        (MCR, {"win": "self", "from": 1}, "from: there is no discarder"),
        (MCR, {"win": "none", "winner": 1}, "winner: there is none"),
        (MCR, {"win": "none", "target": "all_pungs"}, "target: there is none"),
        (MCR, {"win": "rob", "target": "all_pungs"}, "target: nobody can rob a kong"),
        (RIICHI, {"win": "rob", "target": "chiitoi"}, "target: nobody can rob a kong"),
        (MCR, one("riichi-noten"), "id: 'riichi-noten' cannot be injected in mcr-1998"),
        (MCR, one("premature-draw", stage="sen"), "stage: 'sen' is not one of: touched, lifted"),
        (MCR, one("premature-draw", stage=["seen", "sen"]), "stage: ['seen', 'sen'] is not"),
        (MCR, one("premature-draw", stag="seen"), "stag: unknown; known are at, seat, stage"),
        (MCR, one("die-invalid", flaw="flat"), "flaw: 'flat' is not one of: cocked, off_zone"),
        (MCR, one("own-tile-exposed", tiles="x"), "tiles: 'x' is not one of: 1 to 12"),
        (MCR, one("wall-break", recoverable=1), "recoverable: 1 is not one of: true, false"),
        (MCR, one("wall-break", stacks=True), "stacks: True is not one of"),
        (MCR, one("wall-miscount", stacks=19), "stacks: 19 is not one of: 1 to 16"),
        (MCR, one("wrong-break", off=0), "off: 0 is not one of: -8 to 8, not 0"),
        (MCR, one("discard-slow", seconds=3), "seconds: 3 is not one of: 15.5 to 120"),
        (MCR, one("wrong-break", seat=1), "seat: whose it is cannot be chosen"),
        (RIICHI, one("wrong-draw", where="tail"), "where: 'tail' is not one of: next_stack"),
        ("mcr-2002-tianjin", one("dice-left", after=4), "after: unknown"),
        (SANMA, one("wall-miscount", seat=3), "wall-miscount: seat: nobody plays at seat 3"),
        (SANMA, one("wall-crooked", seat=3), "wall-crooked: seat: nobody plays at seat 3"),
        (SANMA, one("wall-tile-exposed", seat=3), "seat: nobody plays at seat 3"),
    ],
)
def test_what_the_ruleset_cannot_have_is_refused_and_said_where(
    ruleset: str, hand: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadScenarioError) as error:
        parse_scenario({"ruleset": ruleset, "hand": [hand]}, "file.toml")
    assert says in str(error.value)
    assert str(error.value).startswith("file.toml: hand 1: ")
    assert "\n" not in str(error.value)


def test_a_file_is_judged_by_the_ruleset_that_it_is_played_by(tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_text('[[hand]]\ntarget = "all_pungs"\n', encoding="utf-8")
    assert load_scenario(path, "mcr-2006-du").ruleset == "mcr-2006-du"
    with pytest.raises(BadScenarioError, match="'all_pungs' does not exist in riichi"):
        load_scenario(path, RIICHI)


@pytest.mark.parametrize("ruleset", sorted(GAMES))
def test_the_demo_can_be_played_by_every_ruleset(ruleset: str) -> None:
    director = Director(load_scenario(demo_scenario(ruleset), ruleset))
    assert director.infractions()


def missing(ruleset: str, seed: int, *wanted: Wanted, **wish: Any) -> list[str]:
    scenario = Scenario(
        ruleset=ruleset, seed=seed, wishes=(HandWish(**wish),), wanted=(tuple(wanted),)
    )
    return [each.what for each in Director(scenario).not_played()]


def test_an_infraction_without_an_occasion_is_named() -> None:
    # Nobody has been barred before.
    assert missing(MCR, 3, Wanted("win-while-barred"), Wanted("premature-draw")) == [
        "win-while-barred"
    ]


@pytest.mark.parametrize("ruleset", [MCR, RIICHI, SANMA])
@pytest.mark.parametrize(
    "wish",
    [
        {"win_by": "self"},
        {"win_by": "discard", "winner": 1, "from_seat": 2},
        {"win_by": "none"},
    ],
    ids=lambda wish: wish["win_by"],
)
def test_what_came_about_is_not_missed(ruleset: str, wish: dict[str, Any]) -> None:
    for seed in range(2, 6):
        assert missing(ruleset, seed, **wish) == [], seed


def test_a_robbed_kong_comes_about_or_is_named() -> None:
    told = {seed: missing(MCR, seed, win_by="rob", discards=14, claims=0.3) for seed in range(40)}
    assert set(map(tuple, told.values())) == {(), ("win = 'rob'",)}


@pytest.mark.parametrize(
    ("wish", "named"),
    [
        ({"discards": 200, "win_by": "self"}, ["win = 'self'"]),
        ({"discards": 200, "winner": 1, "target": "all_pungs"},
         ["target = 'all_pungs'", "winner = 1"]),
        ({"kongs": ("exposed",) * 4, "win_by": "self"}, ["kongs: exposed"]),
    ],
)  # fmt: skip
def test_a_wish_that_did_not_come_true_is_named(wish: dict[str, Any], named: list[str]) -> None:
    assert sorted(set(missing(MCR, 1, **wish))) == named


def test_several_winners_and_an_early_end_are_as_wished() -> None:
    assert missing(RIICHI, 3, win_by="several") == []
    # One of the two was not ready in time.
    assert missing(RIICHI, 5, win_by="several") == ["win = 'several'"]
    assert missing(RIICHI, 5, abort="four_winds") == []


def test_the_session_ends_with_what_was_not_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        '[view]\nsize = "320x240"\nfps = 0.2\n[[hand]]\nwin = "self"\n'
        '[[hand.infraction]]\nid = "wall-miscount"\n[[hand.infraction]]\nid = "fifth-tile"\n',
        encoding="utf-8",
    )
    assert main(["--scenario", str(scenario), "--record", str(tmp_path / "recording")]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out.splitlines()[-1])["not_played"] == [
        {"hand": 1, "infraction": "fifth-tile"},
        {"hand": 1, "wish": "win = 'self'"},
    ]
    assert "hand 1: not played: fifth-tile" in said.err


def test_too_much_for_one_hand_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> NoReturn:
        raise NoTileLeftError("no 3m left")

    monkeypatch.setattr("hardware.virtual_table.__main__.Director", full)
    assert main(["--record", str(tmp_path / "recording")]) == 2
    said = capsys.readouterr().err
    assert said == "virtual table: the demo: too much is wanted of a hand: no 3m left\n"


@pytest.mark.parametrize("ruleset", sorted(GAMES))
def test_the_list_says_which_options_there_are(
    ruleset: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--list-infractions", "--json", "--ruleset", ruleset]) == 0
    listed = json.loads(capsys.readouterr().out)[ruleset]
    game = GAMES[ruleset]
    for name, entry in registry_of(game).items():
        for option in entry.options_of(game).values():
            assert f"[{option.name}: {option.values}]" in listed[name]


def test_what_two_infractions_wait_for_is_done_for_both() -> None:
    """A declaration tile laid upright, and a kong hidden until its owner discards."""
    table, rng = new_table(5, 0)
    play = HandPlay(table, HandWish(), Planned((), rng), rng)
    table.open_wall(0, 7)
    done = []
    play.before_jump += [lambda: done.append("jump 1"), lambda: done.append("jump 2")]
    play.deal({seat: [] for seat in SIDES})
    play.fault_after_draw += [lambda: done.append("draw 1"), lambda: done.append("draw 2")]
    play.fault_after_discard += [lambda: done.append("lay 1"), lambda: done.append("lay 2")]
    for _ in range(2):
        play.draw(1)
        play.discard(1, table.hands[1][0])
    assert done == ["jump 1", "jump 2", "draw 1", "draw 2", "lay 1", "lay 2"]


@pytest.mark.parametrize("ruleset", [MCR, RIICHI])
def test_chance_plays_more_than_one_stage_and_moves_nothing_else(ruleset: str) -> None:
    """How far it goes is drawn from a stream of its own: the dice of the hand stay the same."""
    stages: set[str | None] = set()
    throws: set[tuple[Tile, ...]] = set()
    for stage in (None, "lifted", "seen", "all_seen"):
        for seed in range(8) if stage is None else [0]:
            options = {} if stage is None else {"stage": stage}
            wanted = ((Wanted("wrong-deal", options=options),),)
            director = Director(Scenario(ruleset=ruleset, seed=seed, stages=True, wanted=wanted))
            stages.update(each.stage for each in director.infractions())
            if seed == 0:
                discards = [h.tile for h in director.truth() if h.kind == "tile_discarded"]
                throws.add(tuple(discards))
    assert stages == {None, "seen"}
    assert len(throws) == 1
