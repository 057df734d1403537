"""Some tables with prepared sessions in a process of their own, for the measurements.

Reads lines from standard input: ``say`` asks what was written since the last time, ``stop`` ends
the writing, ``return`` brings back the tables that were away, ``end`` ends the process. Each but
the last is answered with one JSON line.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from table_controller.venue.access.keyring import Keyring
from table_controller.venue.hub.running import quiet_logs
from table_controller.venue.table.told import ToldTable
from table_controller.venue.virtual.prepared import PreparedPlay, Session, read_sessions
from table_controller.venue.virtual.tables import VirtualTables

NOWHERE = ["tls://127.0.0.1:9"]
"""Nothing listens there: the venue of a table whose cable is out."""


class Tables:
    """The tables of this process.

    Args:
        given: the command line.
    """

    def __init__(self, given: argparse.Namespace) -> None:
        self._given = given
        self._sessions: Sequence[Session] = read_sessions(given.sessions)
        self.there = self._made(given.tables, given.servers)
        self.away = self._made(given.away, NOWHERE)
        self._told = 0
        self._raised: dict[str, int] = {}

    def _made(self, names: list[str], servers: list[str]) -> VirtualTables:
        def play(table: ToldTable, rng: random.Random) -> PreparedPlay:
            return PreparedPlay(table, self._sessions, self._given.speed, rng)

        ring = Keyring.open(self._given.keys)
        return VirtualTables(ring, self._given.root, servers, names, play=play)

    def say(self) -> dict[str, object]:
        """What was written since the last time."""
        told = sum(play.told for part in (self.there, self.away) for play in part.plays.values())
        late = max(self.there.late_s, self.away.late_s)
        self.there.late_s = self.away.late_s = 0.0
        raised: dict[str, float] = {}
        for name, play in self.there.plays.items():
            new = list(play.raised.items())[self._raised.get(name, 0) :]
            self._raised[name] = self._raised.get(name, 0) + len(new)
            raised |= {f"{name} {key}": at for key, at in new}
        since, self._told = told - self._told, told
        return {"told": since, "late_s": late, "raised": raised}

    def back(self) -> None:
        """The tables that were away find their venue again; they write no more."""
        self.away.close()
        self.away = self._made(self._given.away, self._given.servers)
        self.away.start(playing=False)


def main() -> None:
    """Write until told otherwise."""
    parser = argparse.ArgumentParser()
    parser.add_argument("keys", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--servers", nargs="+", required=True)
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--away", nargs="*", default=[])
    parser.add_argument("--speed", type=float, required=True)
    quiet_logs(logging.ERROR)
    # Two threads with work in small pieces: neither waits five milliseconds for the other.
    sys.setswitchinterval(0.0005)
    tables = Tables(parser.parse_args())
    tables.there.start()
    tables.away.start()
    _say({})
    for line in sys.stdin:
        match line.strip():
            case "say":
                _say(tables.say())
            case "stop":
                tables.there.stop_playing()
                tables.away.stop_playing()
                _say(tables.say())
            case "return":
                tables.back()
                _say({})
            case "end":
                break
    tables.there.close()
    tables.away.close()


def _say(body: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(body) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
