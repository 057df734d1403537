"""What can go wrong with the link, each with the remedy in its one line."""

from __future__ import annotations


class LinkError(Exception):
    """Base of all errors of the link; the text is one line and says what to do."""


class PortMissingError(LinkError):
    """There is no such port.

    Attributes:
        found: that, without where the ports that there are can be seen.
    """

    def __init__(self, found: str, hint: str = "") -> None:
        super().__init__(f"{found} ({hint})" if hint else found)
        self.found = found


class PortForbiddenError(LinkError):
    """The port may not be opened by this user."""


class PortInUseError(LinkError):
    """Another program has the port."""


class PortUnusableError(LinkError):
    """The port is there but is no serial port, or its URL is not understood."""


class NoBoardError(LinkError):
    """No connected USB device looks like the machine's board."""


class WrongDeviceError(LinkError):
    """Something else, or nothing, answers at the port."""


class OtherSchemaError(LinkError):
    """The board speaks another version of the protocol."""


class LinkLostError(LinkError):
    """The command could not be delivered in time."""


class BoardResetError(LinkError):
    """The board was reset while a command was under way; whether it was executed is not known."""
