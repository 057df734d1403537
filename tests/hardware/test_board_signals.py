"""Lamps, the buzzer and the self-test. Both boards alike."""

import pytest

from firmware_bridge import messages as m
from firmware_bridge.messages import Defect, Ends, Outcome
from tests.hardware.board_cycles import CLOSED_DOWN
from tests.hardware.desk import Desk


def test_lamps(desk: Desk) -> None:
    assert desk.send(m.DealerLamp(2)).outcome is Outcome.DONE
    assert desk.send(m.SeatLamp(1, m.Lamp.ON)).outcome is Outcome.DONE
    assert desk.send(m.SeatLamp(3, m.Lamp.BLINK)).outcome is Outcome.DONE
    desk.run(0.05)
    assert desk.out.dealer_lamp == 0b0100
    lit = set()
    for _ in range(100):
        desk.run(0.01)
        lit.add(desk.out.seat_lamps)
    assert lit == {0b0010, 0b1010}
    assert desk.send(m.DealerLamp(255)).outcome is Outcome.DONE
    assert desk.send(m.DealerLamp(4)).outcome is Outcome.BAD_ARGUMENT
    assert desk.send(m.SeatLamp(1, m.Lamp.OFF)).outcome is Outcome.DONE
    desk.run(0.05)
    assert desk.out.dealer_lamp == 0
    assert not desk.out.seat_lamps & 0b0010


@pytest.mark.parametrize(
    ("pattern", "sounds", "total"),
    [(m.Buzz.SHORT, 1, 0.1), (m.Buzz.LONG, 1, 0.6), (m.Buzz.DOUBLE, 2, 0.2), (m.Buzz.ALARM, 5, 1)],
)
def test_buzzer(desk: Desk, pattern: m.Buzz, sounds: int, total: float) -> None:
    desk.send(m.Buzzer(pattern))
    heard, on, began = 0.0, 0, False
    for _ in range(600):
        desk.run(m.SCAN_MS / 1000)
        heard += desk.out.buzzer * m.SCAN_MS / 1000
        on += desk.out.buzzer and not began
        began = desk.out.buzzer
    assert on == sounds
    assert heard == pytest.approx(total, abs=0.03)


@pytest.mark.parametrize(
    ("name", "value", "defect"),
    [
        ("ends", CLOSED_DOWN, Defect(0)),
        ("ends", Ends.LIFT_DOWN, Defect.HATCH_ENDS),
        ("ends", Ends.HATCH_OPEN | Ends.HATCH_CLOSED | Ends.LIFT_UP, Defect.HATCH_ENDS),
        ("ends", Ends.HATCH_OPEN, Defect.LIFT_ENDS),
        ("ends", Ends.HATCH_OPEN | Ends.LIFT_UP | Ends.LIFT_DOWN, Defect.LIFT_ENDS),
        ("supply_mv", 10_000, Defect.SUPPLY),
        ("supply_mv", 15_000, Defect.SUPPLY),
        ("motor_ma", 400, Defect.MOTOR_CURRENT),
        ("chain_ok", False, Defect.CHAIN),
        ("stop", True, Defect.STOP_PRESSED),
        ("push_heads", 1, Defect.PHOTO),
        ("platforms", 4, Defect.PHOTO),
        ("hand", True, Defect.HAND),
    ],
)
def test_self_test_names_what_is_wrong(
    desk: Desk, name: str, value: object, defect: Defect
) -> None:
    setattr(desk.inputs, name, value)
    desk.run(0.1)
    assert desk.send(m.SelfTest()).outcome is Outcome.DONE
    desk.run(0.05)
    assert desk.last(m.SelfTestDone) == m.SelfTestDone(defect)
