"""A win declared on a discard that somebody has fetched, laid a set with, or drawn past since.

The win comes first (000 Q99; 003 Q33), and who discarded the tile pays for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from table_controller.domain.happenings import Call, HandHidden, HandShown, NotLooked, TileClaimed
from table_controller.domain.tiles import Tile
from tests.table_controller.game.scenes import READY, Scene, tiles, won


def called(scene: Scene, seat: int, what: str = "win") -> Scene:
    scene.say(Call, 0.5, seat=seat, call=what)
    return scene


def fetched(scene: Scene, seat: int) -> Scene:
    scene.say(TileClaimed, 0.6, seat=seat, tile=Tile.S3, from_=0)
    return scene


def drawn_too_early() -> Scene:
    scene = Scene().start()
    scene.take(1, scene.front(), 1.0)
    return scene.play("3s", wait=0.5)


def discarded() -> Scene:
    return Scene().start().play("3s")


@dataclass(frozen=True)
class Overtaken:
    """What happens between the discard of seat 0 and the hand that is laid open."""

    tell: Callable[[], Scene]
    winner: int
    alerts: tuple[tuple[str, int], ...] = ()
    apart: str | None = None


LOW = (("claim-out-of-priority", 2),)
CASES = {
    "called, then drawn past": Overtaken(lambda: called(discarded(), 2).draw(wait=0.6), 2),
    "called, drawn past, then fetched": Overtaken(
        lambda: fetched(called(discarded(), 2).draw(wait=0.6), 2), 2, apart="3s"
    ),
    "drawn past where no button tells": Overtaken(lambda: discarded().draw(wait=0.6), 2),
    "a draw too early": Overtaken(drawn_too_early, 2, (("premature-draw", 1),)),
    "fetched for a pung": Overtaken(lambda: fetched(discarded(), 2), 1),
    "a pung": Overtaken(lambda: discarded().call_set(2, "33s"), 1),
    "a pung although a win was called": Overtaken(
        lambda: called(discarded(), 1).call_set(2, "33s"), 1, LOW
    ),
    "a chow": Overtaken(lambda: discarded().call_set(1, "12s"), 2),
    "a kong": Overtaken(lambda: discarded().call_set(2, "333s"), 1),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("confidence", [0.97, 1.0])
def test_the_discarder_pays(case: Overtaken, confidence: float) -> None:
    scene = won(case.tell(), case.winner, READY, case.apart)
    scene.said = [replace(h, confidence=confidence) for h in scene.said]
    judged = scene.judge()
    assert [(a.id, a.seat) for a in judged.alerts] == list(case.alerts)
    plain = won(discarded(), case.winner, READY, None).judge().hands[0]
    [hand] = judged.hands
    assert (hand.wins[0].from_, hand.confirmed) == (0, True)
    # Neither last of its kind by what the set shows, nor the last tile of the wall.
    assert hand.wins[0].score == plain.wins[0].score
    assert hand.payments == plain.payments
    assert hand.payments[0] < -8


def test_a_call_counts_although_nobody_looked_for_a_moment() -> None:
    scene = called(discarded(), 2).draw(wait=0.6)
    scene.say(NotLooked, 0.1, where="pool", seat=1, until=scene.t + 0.3)
    [hand] = won(scene, 2, READY, None).judge().hands
    assert hand.wins[0].from_ == 0


def test_a_false_declaration_is_one_on_the_tile_that_was_called() -> None:
    scene = called(Scene().start().play("7s"), 2).draw(wait=0.6)
    judged = won(scene, 2, READY, None, close=False).judge()
    assert [(a.id, a.seat) for a in judged.alerts] == [("win-wrong-tile", 2)]


def test_who_drew_past_the_tile_has_given_it_up() -> None:
    """000 Q155(2)."""
    scene = called(discarded(), 1).draw(wait=0.6)
    scene.say(HandShown, 1.0, seat=1, tiles=tiles(READY))
    assert [(a.id, a.seat) for a in scene.judge().alerts] == [("false-win", 1)]


def test_on_a_tile_that_was_discarded_since_nobody_wins_on_the_one_before() -> None:
    scene = called(discarded(), 2).draw(wait=0.6).play("1z")
    won(scene, 2, READY, None, close=False)
    assert ("win-wrong-tile", 2) in [(a.id, a.seat) for a in scene.judge().alerts]


@pytest.mark.parametrize("case", [CASES[name] for name in ("called, then drawn past", "a pung")])
def test_where_it_is_refused_the_game_goes_on_as_it_was(case: Overtaken) -> None:
    scene = case.tell()
    won(scene, case.winner, READY, case.apart, close=False)
    scene.say(HandHidden, 3.0, seat=case.winner)
    judged = scene.play().rounds(5).judge(flush=False)
    assert judged.ids == []
    assert judged.engine.best.unseen == 0


def test_a_tile_that_was_fetched_for_a_refused_win_lies_in_its_pool_again() -> None:
    scene = Scene().start().play("3s")
    fetched(scene, 2)
    won(scene, 2, READY, "3s", close=False)
    scene.say(HandHidden, 3.0, seat=2)
    state = scene.rounds(3).judge().engine.state
    assert [tile["claimed"] for tile in state["seats"][0]["pool"]] == [False]


def test_the_last_tile_was_still_to_be_drawn() -> None:
    """海底捞月 is a win on the last discard (000 Q97): here one more tile was left."""
    scene = Scene().start().play("?")
    while scene.wall.left > 1:
        scene.draw().play("3s" if scene.wall.left == 1 else "?")
    discarder, winner = scene.last[0], (scene.turn + 1) % 4
    called(scene, winner)
    [hand] = won(scene.draw(wait=0.6), winner, READY, None).judge().hands
    assert hand.wins[0].from_ == discarder
    assert "海底捞月" not in [fan["name_zh"] for fan in hand.wins[0].score["fans"]]
