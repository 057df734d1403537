"""Why a board is not taken for the machine's, each with the remedy."""

from __future__ import annotations

from firmware_bridge import messages as m
from firmware_bridge.errors import OtherSchemaError, WrongDeviceError
from firmware_bridge.notices import Refused


def no_answer(url: str) -> WrongDeviceError:
    """Nothing at the port answers the hello."""
    return WrongDeviceError(
        f"{url}: no answer to the hello; is this the machine's board, and is it powered?"
    )


def stranger(url: str, welcome: m.Welcome) -> WrongDeviceError:
    """Another board answers than the one that the session began with."""
    return WrongDeviceError(
        f"{url}: the board of another machine answers (number {welcome.serial}): plug this table's "
        "own in again; if its board was exchanged, end this program and start it again"
    )


def other_schema(refused: Refused) -> OtherSchemaError:
    """The board speaks another version of the protocol."""
    who, welcome = "the board", refused.welcome
    if welcome is not None:
        who = f"board {welcome.serial} with firmware {welcome.firmware}"
    return OtherSchemaError(
        f"{who} speaks protocol "
        f"{refused.protocol}/{refused.schema:08x}, this program {m.PROTOCOL}/{m.SCHEMA_HASH:08x}: "
        "flash the firmware that came with it"
    )
