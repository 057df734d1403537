"""The one interface that every machine has, whatever it speaks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from firmware_bridge.messages import CommandMessage, Result
from firmware_bridge.readings import Reading
from firmware_bridge.status import LinkStatus


@runtime_checkable
class Machine(Protocol):
    """A machine as the controller sees it; :class:`firmware_bridge.link.Link` is one.

    What an adapter owes:

    * Every reading carries host time and an honest ``t_error``: a register that is polled every
      50 ms tells an edge only to within 50 ms.
    * Losing and regaining the connection are readings (``link_changed``).
    * What the vendor's protocol cannot tell is never made up: a key pressed between two polls of a
      register without a counter is lost, and an adapter that can notice it says ``events_lost``.
    * A command the vendor has no means for is answered ``unknown``.
    """

    @property
    def connected(self) -> bool:
        """Whether the machine answers."""
        ...

    @property
    def status(self) -> LinkStatus:
        """The connection as it is now."""
        ...

    def read(self, timeout: float | None = None) -> Reading | None:
        """The next reading, or None when there was none in time."""
        ...

    def readings(self) -> Iterator[Reading]:
        """All readings until closed."""
        ...

    def send(self, command: CommandMessage, timeout: float = 2.0) -> Result:
        """Carry a command out and give the machine's answer."""
        ...

    def confirm(self, reading: Reading) -> None:
        """The reading was dealt with."""
        ...

    def close(self) -> None:
        """Give the port back."""
        ...
