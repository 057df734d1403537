"""Some virtual tables in a process of their own, for the measurements.

Reads lines from standard input: ``stop`` ends the playing, ``end`` ends the process. Answers with
JSON lines.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from pathlib import Path

from table_controller.venue.hub.running import quiet_logs
from table_controller.venue.keyring import Keyring
from table_controller.venue.virtual import STORIES, VirtualTables, story


def main() -> None:
    """Play until told otherwise."""
    parser = argparse.ArgumentParser()
    parser.add_argument("keys", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("--servers", required=True)
    parser.add_argument("--tables", required=True)
    parser.add_argument("--speed", type=float, required=True)
    parser.add_argument("--mix", type=int, required=True)
    given = parser.parse_args()
    quiet_logs(logging.ERROR)
    # The games are played beforehand: what is measured is the venue, not the players.
    for dealer in range(4):
        for number in range(STORIES):
            story(dealer, number, given.mix)
    tables = VirtualTables(
        Keyring.open(given.keys),
        given.root,
        given.servers.split(","),
        given.tables.split(","),
        speed=given.speed,
        mix=given.mix,
    )
    tables.start()
    _say({"ready": len(tables.plays)})
    for line in sys.stdin:
        if line.strip() == "stop":
            tables.stop_playing()
            raised: dict[str, float] = {}
            for name, play in tables.plays.items():
                raised |= {f"{name} {key}": at for key, at in play.raised.items()}
            told = sum(play.told for play in tables.plays.values())
            _say({"told": told, "raised": raised, "late_s": tables.late_s})
        elif line.strip() == "end":
            break
    tables.close()


def _say(body: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(body) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
