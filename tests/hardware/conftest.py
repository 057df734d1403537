"""The virtual machine's board and the firmware, each on the test's desk."""

import os

import pytest

from hardware.virtual_table.machine.plant import Plant
from tests.hardware.board_cycles import QUICK
from tests.hardware.desk import BoardUnderTest, Desk, FirmwareBoard, PythonBoard


@pytest.fixture(params=["python", "firmware"])
def board(request: pytest.FixtureRequest) -> BoardUnderTest:
    if request.param == "python":
        return PythonBoard()
    return FirmwareBoard(os.environ.get("PAIGUAN_FIRMWARE_LIBRARY", "desk"))


@pytest.fixture
def desk(board: BoardUnderTest) -> Desk:
    return Desk(board).connect()


@pytest.fixture
def table(board: BoardUnderTest) -> Desk:
    """With mechanics."""
    return Desk(board, plant=Plant(QUICK)).connect()
