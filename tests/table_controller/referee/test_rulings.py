"""What rulings cost, occurrence by occurrence, against the amounts the sources print."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import DiceRemoved, TableSet
from table_controller.domain.outputs import Alert, Ruling
from table_controller.game.engine import Engine
from table_controller.referee.decisions import Verdict, Verdicts, key_of
from table_controller.referee.rulings import Facts, propose
from table_controller.rulesets import load
from tests.table_controller.game.scenes import READY, Judged, Scene, tiles, won

LADDER = [(0, True), (5, False), (10, False), (20, False), (30, False), (40, False)]


@pytest.mark.parametrize(
    ("ruleset", "alert", "stage", "expected"),
    [
        # 000 Q155(1): warning, 5, 10, 20, and so on, within a hand.
        ("mcr-1998", "premature-draw", "touched", LADDER),
        ("mcr-2006-du", "premature-draw", "touched", LADDER),
        # 000 Q37(2): seen or felt, 10 points.
        ("mcr-2006-du", "premature-draw", "seen", [(10, False), (10, False)]),
        # 003 Q6: warning; warning and 5; from the third on 10 each.
        (
            "mcr-2002-tianjin",
            "premature-draw",
            "touched",
            [(0, True), (5, True), (10, False), (10, False)],
        ),
        # 003 Q6: seen 10, 20, 30, and so on.
        ("mcr-2002-tianjin", "premature-draw", "seen", [(10, False), (20, False), (30, False)]),
        # 000 Q156: warning; warning and 5; 10; 20.
        ("mcr-1998", "claim-late", None, [(0, True), (5, True), (10, False), (20, False)]),
        # 000 Q167(2): by the ladder.
        ("mcr-2006-du", "discard-slow", None, LADDER),
        # 000 Q155(3): seen 10, then 20, in a session.
        ("mcr-1998", "wrong-draw", "seen", [(10, False), (20, False), (30, False)]),
        # 003 Q5: no escalation.
        ("mcr-2002-tianjin", "wrong-draw", "seen", [(10, True), (10, True)]),
        # 003 Q2: warning, 5, 10.
        ("mcr-2002-tianjin", "wrong-break", "unseen", [(0, True), (5, False), (10, False)]),
        ("mcr-2002-tianjin", "wrong-break", "seen", [(10, False), (20, False), (30, False)]),
        # 003 Q79.
        ("mcr-2002-tianjin", "wrong-deal", "unseen", [(0, True), (10, False)]),
    ],
)
def test_occurrences(
    ruleset: str, alert: str, stage: str | None, expected: list[tuple[int, bool]]
) -> None:
    rules = load(ruleset)
    counts: dict[tuple[str, int | None, str], int] = {}
    for number, (points, warning) in enumerate(expected, start=1):
        facts = Facts(stage=stage)
        count, (_, ruling) = propose(rules, alert, 2, facts, counts)
        assert (count, ruling.points, ruling.warning) == (number, points, warning)
        counts = facts.counted(counts, rules.alerts[alert], alert, 2, ruling)


@pytest.mark.parametrize(
    ("ruleset", "alert", "stage", "each", "stop"),
    [
        ("mcr-1998", "win-below-minimum", None, 10, True),  # 000 Q159(1)
        ("mcr-1998", "win-wrong-tile", None, 10, True),  # 000 Q159(2)
        ("mcr-1998", "false-win", "one_short", 20, True),  # 000 Q159(3)
        ("mcr-2002-tianjin", "false-win", "one_short", 10, True),  # 003 Q10
        ("mcr-2002-tianjin", "win-below-minimum", None, 10, True),
        ("mcr-1998", "invalid-meld", "chow", 0, True),  # 000 Q157: no points
        ("mcr-2002-tianjin", "chow-not-from-left", None, 0, False),  # 003 Q8: may still win
    ],
)
def test_who_is_paid(ruleset: str, alert: str, stage: str | None, each: int, stop: bool) -> None:
    _, (_, ruling) = propose(load(ruleset), alert, 1, Facts(stage=stage), {})
    paid = {p.to: p.points for p in ruling.payments}
    assert paid == ({0: each, 2: each, 3: each} if each else {})
    assert ruling.points == 3 * each
    assert ruling.stop_win is stop


def test_warnings_of_a_session_carry_deductions_in_tianjin() -> None:
    """003 Q12: the second warning 10, the third 20, then 10 more each; kept apart."""
    rules = load("mcr-2002-tianjin")
    counts: dict[tuple[str, int | None, str], int] = {}
    for expected in (0, 10, 20, 30):
        facts = Facts(stage="touched")
        _, (_, ruling) = propose(rules, "wrong-draw", 0, facts, counts)
        assert ruling.extra["warning_deduction"] == expected
        assert ruling.points == 0
        counts = facts.counted(counts, rules.alerts["wrong-draw"], "wrong-draw", 0, ruling)


def alerts_of(scene: Scene, ruleset: str) -> list[Alert]:
    return scene.judge(ruleset).alerts


def wrong_pung(scene: Scene) -> Scene:
    return scene.play("3p").call_set(2, "35p").play()


def test_under_stop_win_a_claim_is_barred_only_where_the_source_says_so() -> None:
    """003 Q26 bars chow, pung, exposed kong; 000 Q153 leaves everything but the win."""
    for ruleset, barred in (
        ("mcr-1998", False),
        ("mcr-2006-du", False),
        ("mcr-2002-tianjin", True),
    ):
        scene = Scene().start().play().play(wait=2.0)  # seat 1 forgets to draw
        scene.draw().play("3p")
        scene.call_set(1, "33p").play().rounds(2)
        ids = [a.id for a in alerts_of(scene, ruleset)]
        assert ("claim-while-barred" in ids) is barred
        assert ids.count("missed-draw") == 1


def test_a_win_under_stop_win_is_refused_and_play_goes_on() -> None:
    scene = Scene().start().play("3p").call_set(2, "35p").play().rounds(1)
    scene.draw().play("3s")
    won(scene, 2, "123456m 99p 45s", None, close=False)
    judged = scene.rounds(2).judge("mcr-1998")
    assert judged.ids == ["invalid-meld", "win-while-barred"]
    assert judged.engine.state["phase"] == "play"


def test_a_false_winner_plays_along_and_pays_when_another_wins() -> None:
    """000 Q159: 10 to each now, and the ordinary share later."""
    scene = Scene().start().play("7s")
    won(scene, 2, READY, None, close=False)
    scene.rounds(1).draw().play("3s")
    won(scene, 0, READY, None)
    judged = scene.judge("mcr-1998")
    assert judged.ids == ["win-wrong-tile"]
    [hand] = judged.hands
    assert hand.result == "win"
    assert hand.wins[0].winner == 0
    assert hand.penalties == (10, 10, -30, 10)
    assert sum(hand.payments) == 0
    assert hand.payments[2] in (-8, -8 - hand.wins[0].score["total"])
    assert hand.scores == tuple(p + q for p, q in zip(hand.payments, hand.penalties, strict=True))


def test_exposed_tiles_wait_in_the_queue_and_leave_it_when_played() -> None:
    from table_controller.domain.happenings import TileExposed
    from table_controller.domain.tiles import Tile

    scene = Scene().start().play()
    scene.say(TileExposed, where="hand", seat=1, tile=Tile("7s"), by=1)
    scene.draw()
    scene.t += 3
    judged = scene.judge("mcr-1998")
    assert judged.engine.state["seats"][1]["penalty_tiles"] == ["7s"]
    scene.play("7s")
    assert scene.judge("mcr-1998").engine.state["seats"][1]["penalty_tiles"] == []


def test_settlement_of_a_self_drawn_sixteen() -> None:
    """000 Q44: each opponent pays 8 and the total."""
    scene = Scene().start().play().draw()
    won(scene, 1, "123456789m 11p 45s", "3s")
    [hand] = scene.judge("mcr-1998").hands
    total = hand.wins[0].score["total"]
    assert hand.payments == (-8 - total, 3 * (8 + total), -8 - total, -8 - total)
    assert tiles("1p")[0] in hand.wins[0].tiles


def test_hands_laid_down_while_a_win_is_refused() -> None:
    """000 Q160(2): the hand goes on; they are played out and may not win."""
    scene = Scene().start().play("7s")
    won(scene, 2, READY, None, close=False)
    won(scene, 3, "1358m 2469p 147s 35z", None, close=False)
    judged = scene.rounds(2).judge("mcr-1998")
    assert [(a.id, a.seat, a.stage) for a in judged.alerts] == [
        ("win-wrong-tile", 2, None),
        ("hand-shown-early", 3, "win_rejected"),
    ]
    assert judged.engine.state["seats"][3]["stop_win"]


def test_the_second_wins_where_the_nearer_declaration_is_false() -> None:
    """000 Q43(7)."""
    scene = Scene().start().play("3s")
    won(scene, 1, "1358m 2469p 147s 35z", None, close=False)
    won(scene, 2, READY, None)
    judged = scene.judge("mcr-1998")
    assert judged.ids == ["false-win"]
    assert judged.hands[0].wins[0].winner == 2


def with_verdict(scene: Scene, ruleset: str, verdict: Verdict) -> Judged:
    """What is said with the referee's decision about the first alert."""
    verdicts = Verdicts({key_of(alerts_of(scene, ruleset)[0]): verdict})
    engine = Engine(load(ruleset), 0, verdicts)
    return Judged(engine, [output for happening in scene.said for output in engine.step(happening)])


@pytest.mark.parametrize("stop_win", [True, False])
def test_a_missed_draw_bars_whom_the_ruling_in_force_bars(stop_win: bool) -> None:
    scene = Scene().start().play().play().rounds(4)
    ruling = Ruling(summary="changed", summary_zh="改判", warning=True, stop_win=stop_win)
    judged = with_verdict(scene, "mcr-1998", Verdict(ruling=ruling))
    assert judged.only("missed-draw", 1).ruling == ruling
    seat = judged.engine.best.seats[1]
    assert (seat.dead, seat.stop_win) == (stop_win, stop_win)


@pytest.mark.parametrize(("dismissed", "stage"), [(False, "second_deal"), (True, "first_deal")])
def test_dice_that_the_referee_lets_pass_are_no_earlier_deal(dismissed: bool, stage: str) -> None:
    """003 Q3: it costs more the next time he deals."""
    scene = dice_left(Scene())
    again = Scene()
    again.t = scene.t
    again.say(TableSet, 5.0, round_wind="S", dealer=0, hand=5, honba=0, sticks=0, scores=(0,) * 4)
    scene.said += dice_left(again).said
    judged = with_verdict(scene, "mcr-2002-tianjin", Verdict(dismissed=dismissed))
    stages = [alert.stage for alert in judged.alerts if alert.id == "dice-left"]
    assert stages == ["first_deal", stage][dismissed:]


def dice_left(scene: Scene) -> Scene:
    scene.start()
    scene.said = [h for h in scene.said if not isinstance(h, DiceRemoved)]
    scene.play().rounds(5)
    scene.say(DiceRemoved, seat=0)
    return scene.rounds(1)
