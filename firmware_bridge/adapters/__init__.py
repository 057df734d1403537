"""Other machines than our own board.

No vendor of automatic tables publishes the protocol of its controller. A table that has one is
brought in by an adapter: a class with the methods of :class:`.base.Machine` that turns the vendor's
registers or messages into our readings, and our commands into the vendor's.
:mod:`.modbus` is a worked example over Modbus RTU.
"""

from firmware_bridge.adapters.base import Machine

__all__ = ["Machine"]
