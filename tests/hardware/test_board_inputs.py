"""What the board tells of its inputs. Both boards alike."""

import pytest

from firmware_bridge import messages as m
from firmware_bridge.messages import Block, Ends, Outcome
from tests.hardware.board_cycles import FULL
from tests.hardware.desk import BoardUnderTest, Desk


def test_every_key_of_every_seat(desk: Desk) -> None:
    for seat in range(4):
        for key in m.Key:
            desk.inputs.keys[seat] = 1 << key
            desk.run(0.1)
            desk.inputs.keys[seat] = 0
            desk.run(0.1)
    pressed = [(k.seat, k.key) for k in desk.all(m.KeyPressed)]
    assert pressed == [(seat, key) for seat in range(4) for key in m.Key]


def test_two_keys_at_once_are_two_events(desk: Desk) -> None:
    desk.inputs.keys = [1 << m.Key.PUNG, 0, 1 << m.Key.WIN, 0]
    desk.run(0.1)
    assert {(k.seat, k.key) for k in desk.all(m.KeyPressed)} == {(0, m.Key.PUNG), (2, m.Key.WIN)}


def test_bounces_are_no_presses(desk: Desk) -> None:
    for _ in range(20):
        desk.inputs.keys[1] ^= 1
        desk.run(m.SCAN_MS * (m.DEBOUNCE_SCANS - 1) / 1000)
    assert desk.all(m.KeyPressed) == []


def test_event_carries_the_time_of_the_edge(desk: Desk) -> None:
    desk.run(1.0)
    desk.inputs.keys[0] = 1
    edge = desk.now + m.SCAN_MS / 1000
    desk.run(0.2)
    assert desk.events[-1].t == pytest.approx(edge, abs=0.0015)


@pytest.mark.parametrize("side", range(4))
def test_each_stack_of_a_wall(desk: Desk, side: int) -> None:
    desk.inputs.walls[side] = FULL
    desk.run(0.05)
    for stack in range(18):
        desk.inputs.walls[side] &= ~(1 << stack)
        desk.run(0.05)
        assert desk.last(m.WallPresence).stacks[side] == desk.inputs.walls[side]


def test_sticks_photo_hand_and_ends_are_reported(desk: Desk) -> None:
    desk.inputs.sticks = 0b0101
    desk.inputs.push_heads, desk.inputs.platforms = 0b0011, 0b1000
    desk.inputs.hand = True
    desk.inputs.ends = Ends.HATCH_OPEN | Ends.LIFT_UP
    desk.run(0.1)
    assert desk.last(m.SticksChanged) == m.SticksChanged(0b0101)
    assert desk.last(m.PhotoChanged) == m.PhotoChanged(0b0011, 0b1000)
    assert desk.last(m.HandChanged) == m.HandChanged(True)
    assert desk.last(m.EndsChanged) == m.EndsChanged(Ends.HATCH_OPEN | Ends.LIFT_UP)


def test_what_the_chain_told_last_stands_while_it_cannot_be_read(desk: Desk) -> None:
    desk.inputs.walls, desk.inputs.sticks = [FULL] * 4, 0b0101
    desk.run(0.1)
    desk.inputs.chain_ok = False
    desk.inputs.walls, desk.inputs.sticks = [0x15] * 4, 0b1010
    desk.inputs.keys = [0x1FF] * 4
    desk.inputs.hand = True  # not of the chain
    desk.run(0.2)
    assert desk.last(m.WallPresence).stacks == (FULL,) * 4
    assert desk.last(m.SticksChanged) == m.SticksChanged(0b0101)
    assert desk.all(m.KeyPressed) == []
    assert desk.last(m.HandChanged) == m.HandChanged(True)


def test_vibration_is_one_event_with_peak_and_duration(desk: Desk) -> None:
    desk.run(1.0)
    began = desk.now
    for mg in (150, 0, 400, 60, 130):
        desk.inputs.vibration_mg = mg
        desk.run(0.05)
    desk.inputs.vibration_mg = 0
    desk.run(1.0)
    (event,) = (e for e in desk.events if isinstance(e.message, m.Vibration))
    (knock,) = desk.all(m.Vibration)
    assert knock.peak_mg == 400
    assert knock.duration_ms == pytest.approx(245, abs=6)
    assert event.t == pytest.approx(began + 0.005, abs=0.0015)
    desk.inputs.vibration_mg = m.VIBRATION_MG - 1
    desk.run(1.0)
    assert len(desk.all(m.Vibration)) == 1


def test_long_vibration_is_not_cut_silently(desk: Desk) -> None:
    desk.inputs.vibration_mg = 200
    desk.run(70.0)
    desk.inputs.vibration_mg = 0
    desk.run(1.0)
    assert desk.all(m.Vibration) == [m.Vibration(200, 0xFFFF)]


def test_samples_come_every_second(desk: Desk) -> None:
    desk.inputs.supply_mv, desk.inputs.motor_ma = 11800, 40
    desk.run(5.0)
    assert len(desk.samples) in (4, 5)
    assert desk.samples[-1] == m.Measured(11800, 40)


def test_storm_of_levels_leaves_room_for_keys_and_its_end_is_known(desk: Desk) -> None:
    desk.host.disconnect()
    desk.talking = False
    for i in range(400):
        desk.inputs.sticks = i & 15
        desk.run(0.03)
    for seat in range(4):
        for key in range(5):
            desk.inputs.keys[seat] = 1 << key
            desk.run(0.03)
            desk.inputs.keys[seat] = 0
            desk.run(0.03)
    desk.inputs.sticks = 0b1001
    desk.run(0.03)
    desk.talking = True
    desk.connect().run(1.0)
    assert len(desk.all(m.KeyPressed)) == 20
    assert desk.all(m.Overrun) == []
    assert desk.last(m.SticksChanged) == m.SticksChanged(0b1001)


def test_full_store_is_said(desk: Desk) -> None:
    desk.host.disconnect()
    desk.talking = False
    for _ in range(m.EVENT_STORE + 7):
        desk.inputs.keys[0] ^= 1
        desk.run(0.025)
        desk.inputs.keys[0] ^= 1
        desk.run(0.025)
    desk.talking = True
    desk.connect().run(1.0)
    kept = len(desk.all(m.KeyPressed))
    (overrun,) = desk.all(m.Overrun)
    assert kept + overrun.lost == m.EVENT_STORE + 7
    desk.inputs.keys[3] = 1
    desk.run(0.1)
    assert desk.events[-1].message == m.KeyPressed(3, m.Key.CHOW)


def test_query_brings_all_levels_anew(desk: Desk) -> None:
    desk.run(0.5)
    before = len(desk.events)
    desk.send(m.Query())
    desk.run(0.1)
    kinds = [type(e.message) for e in desk.events[before:]]
    assert {k.ID for k in kinds} == set(m.LEVEL_IDS)
    assert len(kinds) == len(m.LEVEL_IDS)


def test_board_clock_may_wrap(board: BoardUnderTest) -> None:
    """Every 4.97 days; nothing may stop, repeat or be reported at a wrong time then."""
    desk = Desk(board, tick=(1 << 32) - 30_000).connect()
    desk.run(1.0)
    desk.inputs.keys[0] = 1
    desk.run(0.1)
    desk.inputs.keys[0] = 0
    desk.run(4.0)  # the clock wraps 3 s after the start
    edge = desk.now + m.SCAN_MS / 1000
    desk.inputs.keys[0] = 2
    desk.run(0.1)
    assert desk.events[-1].t == pytest.approx(edge, abs=0.0015)
    assert [k.key for k in desk.all(m.KeyPressed)] == [m.Key.CHOW, m.Key.PUNG]
    assert Block.HOST_SILENT not in desk.last(m.BlockChanged).block
    assert desk.send(m.Dice(200)).outcome is Outcome.DONE
