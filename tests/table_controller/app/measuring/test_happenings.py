"""The measurement of whole hands: what counts as right, late, out of order or wrong."""

import json
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hardware.virtual_table.play.scenario import parse_scenario
from table_controller.app.errors import RunError
from table_controller.app.measuring import games as planning
from table_controller.app.measuring import happenings as bench
from table_controller.app.measuring import matching as matching
from table_controller.app.measuring.happenings_report import interval, rows
from table_controller.app.virtual.compare import Infraction, compare
from table_controller.app.virtual.program import not_played
from table_controller.domain.happenings import Happening, NotLooked, Seat, TileDiscarded
from table_controller.domain.outputs import Alert, Clause, HandRecord, Ruling, WinRecord
from table_controller.domain.tiles import Tile
from table_controller.happenings.looks.places import SEATS


def alert(name: str, seat: Seat, t: float, raised: float) -> Alert:
    return Alert(
        t=t,
        t_raised=raised,
        id=name,
        seat=seat,
        rule=Clause(ruleset="r", clause="1"),
        ruling=Ruling(summary=""),
    )


def discards(text: str) -> list[TileDiscarded]:
    """``0:1m 1:2p``: seat and tile, a second apart."""
    pairs = (each.split(":") for each in text.split())
    return [
        TileDiscarded(t=float(k), seat=SEATS[int(seat)], tile=Tile(tile), place=None, rotated=False)
        for k, (seat, tile) in enumerate(pairs)
    ]


@pytest.mark.parametrize(
    ("alerts", "ids", "delays"),
    [
        ([("wall-break", 1, 10.0, 11.5)], [1, 1, 0], [0.5]),
        ([("wall-break", 2, 10.0, 11.5)], [1, 0, 1], []),
        ([("wall-break", 1, 30.0, 31.0)], [1, 0, 1], []),
        ([("wall-break", 1, 10.0, 11.5), ("wall-break", 1, 10.2, 12.0)], [1, 1, 1], [0.5]),
        ([], [1, 0, 0], []),
    ],
    ids=["right", "another seat", "another time", "twice", "missed"],
)
def test_an_alert_counts_once_for_its_infraction(
    alerts: list[tuple[str, Seat, float, float]], ids: list[int], delays: list[float]
) -> None:
    done = matching.match_alerts(
        [alert(*each) for each in alerts], [Infraction(10.0, "wall-break", 1, 11.0)]
    )
    assert done["ids"] == {"wall-break": ids}
    assert done["delays"].get("wall-break", []) == delays


@pytest.mark.parametrize(
    ("seen", "right"),
    [
        ("0:1m 1:2p 2:3s", 3),
        ("0:1m 2:3s 1:2p", 2),
        ("0:1m 1:2p", 2),
        ("0:1m 1:9p 2:3s", 2),
        ("", 0),
    ],
)
def test_discards_count_in_their_order(seen: str, right: int) -> None:
    assert matching.same_order(discards(seen), discards("0:1m 1:2p 2:3s")) == [3, right]


def test_the_delay_of_a_discard_runs_from_its_rest() -> None:
    true = discards("0:1m 1:2p")
    said = [(0.4, true[0]), (1.75, replace(true[1], t=1.1))]
    assert matching.discard_delays(said, true) == [0.4, 0.75]


def hand(tiles: str = "1m 2m 3m", payments: tuple[int, ...] = (8, -8, 0, 0)) -> HandRecord:
    win = WinRecord(
        winner=0,
        from_=1,
        win_tile=Tile("9s"),
        tiles=tuple(Tile(each) for each in tiles.split()),
        melds=(),
        flowers=(),
        score={},
    )
    return HandRecord(
        t=9.0,
        hand=1,
        round_wind="E",
        dealer=0,
        honba=0,
        result="win",
        reason=None,
        wins=(win,),
        payments=payments,
        penalties=(0, 0, 0, 0),
        scores=payments,
    )


@pytest.mark.parametrize(
    ("seen", "what"),
    [
        ([hand()], "exact"),
        ([hand("3m 2m 1m")], "exact"),
        ([], "unknown"),
        ([hand("1m 2m ?")], "unknown"),
        ([hand("1m 2m 4m")], "wrong"),
        ([hand(payments=(16, -16, 0, 0))], "wrong"),
    ],
    ids=["same", "another order", "missing", "a tile unknown", "another tile", "other payments"],
)
def test_a_captured_hand_is_exact_unknown_or_wrong(seen: list[HandRecord], what: str) -> None:
    assert matching.match_hands(seen, [hand()]) == {"exact": 0, "unknown": 0, "wrong": 0} | {
        what: 1
    }


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(0, 0, 0.0, 1.0), (30, 30, 0.886, 1.0), (98, 100, 0.930, 0.994), (0, 50, 0.0, 0.071)],
)
def test_the_interval_of_a_share(hits: int, of: int, low: float, high: float) -> None:
    assert interval(hits, of) == pytest.approx((low, high), abs=1e-3)


NO_HAND = {"exact": 0, "unknown": 0, "wrong": 0}


def line(key: str, **values: Any) -> dict[str, Any]:
    return {
        "key": key,
        "group": "legal",
        "ruleset": "mcr-1998",
        "seed": 1,
        "happenings": {"tile_drawn": [10, 9, 1]},
        "times": [0.1],
        "missed": ["x"],
        "invented": [],
        "alerts": {"ids": {}, "delays": {}},
        "discards": [0.4],
        "order": [3, 3],
        "hands": {"exact": 1, "unknown": 0, "wrong": 0},
        **values,
    }


def test_a_measurement_is_taken_up_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "results.jsonl"
    games = [planning.Game(group="legal", ruleset="mcr-1998", seed=seed) for seed in (1, 2)]
    store.write_text("".join(json.dumps(line(game.key)) + "\n" for game in games))
    monkeypatch.setattr(bench, "play", lambda game, **_: pytest.fail(f"{game.key} again"))
    results = bench.measure_games(games, store, workers=1)
    said = {row["what"]: row["value"] for row in rows(results)}
    assert said["mcr-1998: happenings seen"] == 90.0
    assert said["mcr-1998: games without a fault"] == 0.0
    assert said["legal: false alerts"] == 0


def test_of_nothing_there_is_no_share() -> None:
    """A game that was given up before its first discard had 0% of them right, of 99.8 asked."""
    said = [row["what"] for row in rows([line("a", order=[0, 0], hands=NO_HAND)])]
    assert "mcr-1998: happenings seen" in said
    assert not any("discards right" in what or "hands captured" in what for what in said)


@pytest.mark.parametrize("missed", [["alert wall-break 1 at 3.0"], []])
def test_the_recording_of_a_game_with_faults_is_kept_to_be_followed_again(
    missed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with one game of a hundred can be looked at without filming it once more."""
    ended = {"event": "ended", "not_played": [{"hand": 1, "wish": "kongs: added"}]}
    monkeypatch.setattr(bench, "run_virtual_table", lambda *_: json.dumps(ended))
    followed = bench.again
    monkeypatch.setattr(bench, "again", lambda _: line("k", missed=missed))
    kind = planning.kind_of_play("mcr-2006-du", 7)
    scenario = planning.with_infractions(["win-while-barred", "dice-left"], kind)
    game = planning.Game(
        group="two cameras", ruleset="mcr-2006-du", seed=7, scenario=scenario, switches=("--a", "2")
    )
    for _ in range(2):
        told = bench.play(game, tmp_path)
    kept = tmp_path / "two-cameras-mcr-2006-du-7"
    assert told.get("kept") == (str(kept) if missed else None)
    assert list(tmp_path.iterdir()) == ([kept] if missed else [])
    if missed:
        assert bench._read_game(kept / "game.json") == (game, ended["not_played"])
        (kept / "game.json").write_text('{"game": 1}')
        with pytest.raises(RunError, match=r"game\.json: not a game of this measurement"):
            followed(kept)
    else:
        with pytest.raises(RunError, match="no game is kept there"):
            bench.measure_again(tmp_path, workers=1)


def test_hands_with_one_infraction_of_those_named(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c = "mcr-1998", "mcr-2006-du", "riichi-xjtu-2025-sanma"
    known = {a: ["peek", "draw", "turn"], b: ["draw", "peek"], c: ["dice", "peek"]}
    monkeypatch.setattr(planning, "_ids", lambda ruleset, _: known[ruleset])
    planned = partial(planning.planned, (a, b, c), legal=0, changed=0, first=100)
    games = list(planned(mixed=2, ids=("draw", "turn")))
    named = [(game.ruleset, game.seed, game.scenario["mix_ids"]) for game in games]
    assert named == [
        (a, 100, ["draw"]),
        (b, 1100, ["draw"]),
        (a, 101, ["turn"]),
        (b, 1101, ["draw"]),
    ]
    # They are not taken for others of the same seeds that a store holds.
    both = {game.key for game in planned(mixed=2)}
    assert not both & {game.key for game in games}
    with pytest.raises(RunError, match="no infraction that can be committed: drawn"):
        list(planned(mixed=1, ids=("draw", "drawn")))


def test_what_has_to_happen_before_an_infraction_happens() -> None:
    """``win-while-barred`` never came about in six games: nobody was barred."""
    kind = planning.kind_of_play("mcr-2002-tianjin", 3)
    scenario = planning.with_infractions(["dice-left", "win-while-barred"], kind)
    assert scenario["mix_ids"] == ["dice-left"]
    assert scenario["hand"]["flowers"] >= 6
    assert planning.ids_of(scenario) == ["dice-left", "win-while-barred"]
    values = {"ruleset": "mcr-2002-tianjin", "seed": 3, **scenario}
    read = parse_scenario(tomllib.loads(planning.toml_of(values)))
    assert [want.id for want in read.wanted[0]] == ["win-wrong-tile", "win-while-barred"]
    assert (read.mix, read.mix_ids) == (1, ("dice-left",))


@pytest.mark.parametrize(
    ("ruleset", "dealers", "mcr"),
    [("mcr-1998", 4, True), ("riichi-xjtu-2025", 4, False), ("riichi-xjtu-2025-sanma", 3, False)],
)
def test_games_have_what_real_hands_have(ruleset: str, dealers: int, mcr: bool) -> None:
    """One side dealt in all of 280 games, no wall ran out, no winning discard was left lying."""
    kinds = [planning.kind_of_play(ruleset, seed) for seed in range(200)]
    hands = [kind["hand"] for kind in kinds]
    assert {kind["east"] for kind in kinds} == set(range(dealers))
    assert {kind["hands"] for kind in kinds} == {1, 2}
    assert {hand["win"] for hand in hands} == {"self", "discard", "none"}
    assert {kong for hand in hands for kong in hand["kongs"]} == {"exposed", "concealed", "added"}
    assert {hand.get("fetch") for hand in hands} == ({True, False} if mcr else {None})
    for seed in (3, 4):
        planned = list(
            planning.planned((ruleset,), legal=1, mixed=0, changed=0, first=seed, degraded=1)
        )
        assert all(game.scenario == planning.kind_of_play(ruleset, game.seed) for game in planned)
        parse_scenario({"ruleset": ruleset, **kinds[seed], "hand": [hands[seed]]})


def test_everything_that_goes_wrong_with_the_filming_has_its_games() -> None:
    rulesets = ("mcr-1998", "ema-riichi-2025")
    games = list(planning.planned(rulesets, legal=0, mixed=0, changed=0, first=100, degraded=2))
    assert len(games) == 2 * len(planning.DEGRADED)
    assert len({game.key for game in games}) == len(games)
    assert {game.ruleset for game in games} == set(rulesets)
    by = {game.group: game for game in games}
    assert by["light flickers by 30 %"].after is None
    assert by["an arm over a quarter for 5 s"].after == 30.0
    assert by["one of two cameras lost"].switches[:2] == ("--cameras", "2")


@pytest.mark.parametrize(
    ("gaps", "unsaid", "not_looked"),
    [
        ([], 2, 0.0),
        ([(3.5, 4.5)], 1, 1.0),
        ([(3.5, 4.5), (90.0, 91.0)], 1, 2.0),
        ([(4.8, 6.0)], 1, 1.2),
        ([(3.0, None)], 0, 97.0),
    ],
    ids=["never", "one", "another time", "within a second", "to the end"],
)
def test_what_is_missed_where_nothing_was_looked_at_was_said(
    gaps: list[tuple[float, float | None]], unsaid: int, not_looked: float
) -> None:
    true = discards(" ".join(f"{k % 4}:{k % 9 + 1}m" for k in range(101)))
    seen: list[Happening] = [h for h in true if h.t not in (4.0, 60.0)]
    seen += [NotLooked(t=since, where="all", until=until) for since, until in gaps]
    game = planning.Game(group="arm", ruleset="r", seed=1, after=50.0)
    found = bench.disturbed(game, seen, true, compare(seen, [], true, []))
    assert found == {"unsaid": unsaid, "not_looked": not_looked, "after": [50, 1, 0]}


def test_what_went_wrong_is_told_by_group() -> None:
    lines = [
        line("a", group="arm", unsaid=1, not_looked=4.5, after=[50, 1, 2]),
        line("b", group="arm", unsaid=0, not_looked=0.5, after=[30, 0, 0]),
        line("c"),
    ]
    said = {row["what"]: (row["value"], row["note"]) for row in rows(lines)}
    assert said["arm: missed without a word"] == (1, "5.0 s told as not looked at")
    assert said["arm: seen when it was over"][0] == pytest.approx(100 * 79 / 80)
    assert said["arm: not recovered"][0] == 2
    assert said["arm: happenings seen"][0] == 90.0
    assert not any(what.startswith("legal: missed") for what in said)


@pytest.mark.parametrize("second", [b"hello", b"[]", b"\xff\xd8\xff\xe0 a picture"])
def test_a_foreign_file_is_no_store(tmp_path: Path, second: bytes) -> None:
    store = tmp_path / "notes.txt"
    store.write_bytes(b'{"key": "a"}\n' + second + b"\n")
    with pytest.raises(RunError, match=r"notes\.txt:2: not a result"):
        bench.read_store(store)


def test_more_games_than_processes_may_do_are_all_played() -> None:
    """The pool stopped for good after eight games of each process."""
    found = list(bench.in_children(abs, [-n for n in range(1, 12)], 1))
    assert sorted(found) == list(range(1, 12))


def test_what_was_wanted_and_did_not_come_about_is_counted_and_named() -> None:
    results = [
        line("a", wanted=["dice-left", "flower-order"], not_played=["flower-order"]),
        line("b", wanted=["dice-left", "wrong-draw"], not_played=["dice-left"]),
        line("c", wanted=["claim-late", "flower-order"], not_played=["flower-order"]),
        line("d", wanted=[], not_played=[], not_wished=["win = 'rob'"]),
        # Of before it was kept.
        line("e"),
    ]
    said = {row["what"]: row for row in rows(results)}
    came = said["infractions that came about, of those wanted"]
    assert came["value"] == pytest.approx(50.0)
    assert came["note"].startswith("3 of 6, ")
    assert came["note"].endswith(", in 3 games")
    never = said["infractions wanted that never came about"]
    assert (never["value"], never["note"]) == (1, "flower-order")
    wishes = said["wishes that did not come true"]
    assert (wishes["value"], wishes["note"]) == (1, "win = 'rob' (1)")


def test_what_was_not_played_is_read_off_the_last_line_of_the_virtual_table() -> None:
    missing = [{"hand": 1, "infraction": "flower-order"}, {"hand": 2, "wish": "win = 'rob'"}]
    said = "started\n" + json.dumps({"event": "ended", "not_played": missing}) + "\n"
    assert not_played(said) == missing
    game = planning.Game(
        group="infractions",
        ruleset="mcr-1998",
        seed=1,
        scenario={"mix": 2, "mix_ids": ["flower-order", "wrong-draw"], "hands": 2},
    )
    assert bench._wanted(game, missing, [Infraction(1.0, "wrong-draw", 0, 1.0)]) == {
        "committed": 1,
        "wanted": ["flower-order", "flower-order", "wrong-draw", "wrong-draw"],
        "not_played": ["flower-order"],
        "not_wished": ["win = 'rob'"],
    }
    with pytest.raises(RunError, match="did not say that it ended"):
        not_played("started\n")
