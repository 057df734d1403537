"""Names and subjects: who may write where on the message bus.

``pg.<venue>.j.<part>.<table>.<chain>``
    The journal of a table. Each journal is a chain of its own, named after its first entry.
``pg.<venue>.s.<table>``
    What a table says of itself every few seconds; not kept.
``pg.<venue>.r.<table>.<what>``
    What a table asks the hall: the time, a bucket for its evidence, orders it has missed.
``pg.<venue>.c.<table>``
    The hall's orders to a table.

A table's account permissions name its own subjects and nothing else.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import Final

from table_controller.venue.errors import VenueError

PARTITIONS: Final = 8
"""Into so many shares the tables are divided; hubs own whole shares."""

JOURNAL_STREAM: Final = "JOURNAL"
MODEL_BUCKET: Final = "models"

_VENUE: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")
_TABLE: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,22}[A-Za-z0-9])?")


def check_venue(name: str) -> str:
    """A venue's name as it may stand in a subject.

    Raises:
        VenueError: it may not.
    """
    if _VENUE.fullmatch(name) is None:
        raise VenueError(f"venue name {name!r}: small letters, digits and - only, at most 32")
    return name


def check_table(name: str) -> str:
    """A table's name as it may stand in a subject.

    Raises:
        VenueError: it may not.
    """
    if _TABLE.fullmatch(name) is None:
        raise VenueError(f"table name {name!r}: letters, digits and - only, at most 24")
    return name


def partition_of(table: str) -> int:
    """The share a table belongs to; the same on every machine."""
    return zlib.crc32(table.encode()) % PARTITIONS


@dataclass(frozen=True, slots=True)
class Subjects:
    """The subjects of one venue."""

    venue: str

    def journal(self, table: str, chain: str) -> str:
        """Where a table's journal goes."""
        return f"pg.{self.venue}.j.{partition_of(table)}.{table}.{chain}"

    def journals(self, partition: int | None = None) -> str:
        """All journals, or those of one share."""
        return f"pg.{self.venue}.j.{'*' if partition is None else partition}.*.*"

    def status(self, table: str = "*") -> str:
        """What a table says of itself."""
        return f"pg.{self.venue}.s.{table}"

    def request(self, table: str = "*", what: str = "*") -> str:
        """What a table asks the hall."""
        return f"pg.{self.venue}.r.{table}.{what}"

    def orders(self, table: str = "*") -> str:
        """The hall's orders to a table."""
        return f"pg.{self.venue}.c.{table}"


def table_of(subject: str) -> str:
    """The table that a journal, status or request subject belongs to."""
    parts = subject.split(".")
    return parts[4] if parts[2] == "j" else parts[3]


def chain_of(subject: str) -> str:
    """The chain that a journal subject belongs to."""
    return subject.split(".")[5]


def evidence_bucket(table: str) -> str:
    """The object store that holds a table's evidence."""
    return f"ev-{table}"


def inbox(name: str) -> str:
    """The prefix of one account's replies; nobody else may listen there."""
    return f"_INBOX_{name}"
