"""The referee decides, corrects and takes back; everything later follows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import HandClosed, HandShown, TileDiscarded
from table_controller.domain.outputs import Payment, Ruling
from table_controller.domain.tiles import Tile
from table_controller.referee.decisions import key_of
from table_controller.referee.session import DecisionError, RefereeSession
from table_controller.rulesets import load
from tests.table_controller.game.scenes import Scene, tiles

READY = "123456789m 11p 45s"


def session(scene: Scene, ruleset: str = "mcr-2006-du") -> RefereeSession:
    made = RefereeSession(load(ruleset), 0)
    for happening in scene.said:
        made.happening(happening)
    return made


def premature(scene: Scene, seat: int) -> Scene:
    """The next player takes the tile into the hand before the discard lies."""
    scene.take(seat, scene.front(), 0.5)
    scene.play(wait=1.5)
    return scene.play()


def won_by(scene: Scene, seat: int, tile: str) -> Scene:
    while scene.turn == seat or (scene.turn + 1) % 4 == seat:
        scene.draw().play()
    scene.draw().play(tile)
    scene.say(HandShown, seat=seat, tiles=tiles(READY))
    return scene


def test_a_stop_win_bars_the_win_until_it_is_dismissed() -> None:
    scene = won_by(premature(Scene().start(), 1), 1, "3s")
    judge = session(scene)
    assert [a.id for a in judge.alerts] == ["premature-draw", "win-while-barred"]
    assert judge.engine.state["seats"][1]["stop_win"]
    early = judge.alerts[0]
    changed = judge.dismiss(key_of(early), scene.t)
    assert judge.alerts == []
    assert judge.engine.state["wins"][0]["seat"] == 1
    assert {getattr(o, "id", None) for o in changed.removed} >= {
        "premature-draw",
        "win-while-barred",
    }
    judge.undo(scene.t)
    assert [a.id for a in judge.alerts] == ["premature-draw", "win-while-barred"]


def test_a_changed_ruling_takes_effect() -> None:
    scene = won_by(premature(Scene().start(), 1), 1, "3s")
    judge = session(scene)
    milder = Ruling(
        summary="10 points", points=10, payments=(Payment(from_=1, to=None, points=10),)
    )
    judge.change(key_of(judge.alerts[0]), milder, scene.t)
    assert [a.id for a in judge.alerts] == ["premature-draw"]
    judge.happening(HandClosed(t=scene.t + 3, seat=1))
    [hand] = judge.hands
    assert hand.confirmed
    assert hand.penalties == (0, -10, 0, 0)
    assert hand.scores == tuple(p + q for p, q in zip(hand.payments, hand.penalties, strict=True))
    assert judge.engine.state["deductions"] == [0, 10, 0, 0]


def test_this_tile_was_another_one() -> None:
    scene = Scene().start().play("3p")
    scene.call_set(1, "46s").play().rounds(2)
    judge = session(scene, "mcr-1998")
    assert [a.id for a in judge.alerts] == ["invalid-meld"]
    at = next(
        n for n, h in enumerate(judge.journal) if isinstance(h, TileDiscarded) and h.tile is Tile.P3
    )
    wrong = scene.said[at]
    assert isinstance(wrong, TileDiscarded)
    judge.correct(at, replace(wrong, tile=Tile.S5), scene.t)
    for n, happening in enumerate(scene.said):
        if happening.kind == "tile_claimed":
            judge.correct(n, replace(happening, tile=Tile.S5), scene.t)
        if happening.kind == "meld_shown":
            judge.correct(n, replace(happening, tiles=tiles("5s 4s 6s")), scene.t)
    assert judge.alerts == []
    assert any(getattr(o, "move", "") == "chow" for o in judge.outputs)


def test_that_discard_did_not_happen() -> None:
    scene = Scene().start().play().play(seat=0)
    scene.turn = 1
    scene.rounds(4)
    judge = session(scene, "mcr-1998")
    assert [a.id for a in judge.alerts] == ["discard-extra"]
    at = [n for n, h in enumerate(scene.said) if isinstance(h, TileDiscarded)][1]
    judge.correct(at, None, scene.t)
    # What lay behind it in the pool now stands a place too far.
    assert "discard-extra" not in [a.id for a in judge.alerts]


def test_a_ruling_entered_by_hand_counts() -> None:
    scene = Scene().start().play().rounds(2)
    judge = session(scene, "mcr-1998")
    spoke = Ruling(summary="Named the tile.", warning=True, stop_win=True, play_along=True)
    judge.rule("other", 2, spoke, scene.t)
    assert [a.id for a in judge.alerts] == ["other"]
    assert judge.engine.state["seats"][2]["stop_win"]


def test_what_is_refused() -> None:
    judge = session(Scene().start().play())
    with pytest.raises(DecisionError, match="no alert"):
        judge.dismiss(("premature-draw", 1, 3.0), 1.0)
    with pytest.raises(DecisionError, match="no decision"):
        judge.undo(1.0)
    with pytest.raises(DecisionError, match="no happening 999"):
        judge.correct(999, None, 1.0)


def test_the_journal_folds_to_the_same() -> None:
    scene = won_by(premature(Scene().start(), 1), 1, "3s")
    judge = session(scene)
    judge.dismiss(key_of(judge.alerts[0]), scene.t)
    again = RefereeSession(load("mcr-2006-du"), 0, judge.journal)
    assert again.outputs == judge.outputs
