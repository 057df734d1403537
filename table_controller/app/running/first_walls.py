"""The first walls of a session: the machine is asked for them until it says yes."""

from __future__ import annotations

import time
from typing import Final

from firmware_bridge.errors import LinkError
from firmware_bridge.link import Link
from firmware_bridge.messages import Outcome, StartCycle
from table_controller.app.table.terminal import Screen

START_AGAIN_S: Final = 0.5


class FirstWalls:
    """Asks the machine for walls; a board that has just met its host says no for a moment.

    Args:
        command: that asks for them.
        screen: the terminal.
        wanted: they are to be asked for.

    Attributes:
        wanted: they are still to be asked for.
    """

    def __init__(self, command: StartCycle, screen: Screen, *, wanted: bool) -> None:
        self._command = command
        self._screen = screen
        self._again_at = time.monotonic()
        self.wanted = wanted

    def step(self, link: Link | None) -> None:
        """Ask for them, if that is due."""
        if not self.wanted or link is None or not link.connected:
            return
        if time.monotonic() < self._again_at:
            return
        self._again_at = time.monotonic() + START_AGAIN_S
        try:
            answer = link.send(self._command)
        except LinkError as error:
            self._screen.note(f"machine: not started: {error}", bad=True)
            return
        if answer.outcome is Outcome.DONE:
            self.wanted = False
