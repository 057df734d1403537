"""The serial link to the machine: framing, session, clock, commands and readings.

``Link`` (:mod:`.link`) is what the controller uses; readings are in :mod:`.readings`, the messages
they carry and the commands in :mod:`.messages`, errors in :mod:`.errors`.
"""

from firmware_bridge.errors import LinkError
from firmware_bridge.link import Link
from firmware_bridge.notices import EventMark
from firmware_bridge.readings import LinkChanged, LinkState, Reading
from firmware_bridge.status import LinkStatus

__all__ = ["EventMark", "Link", "LinkChanged", "LinkError", "LinkState", "LinkStatus", "Reading"]
