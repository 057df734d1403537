"""Public games, as their logs tell them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from tests.table_controller.game.riichi.mjlog import LogHand, hands, players_of

GAMES = Path(__file__).parents[5] / "shared" / "data" / "games" / "riichi"


def _logs(name: str) -> list[tuple[str, str]]:
    """Each game's name and text; none where the archive is missing."""
    path = GAMES / name
    if not path.is_file():
        return []
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        return [
            (entry, archive.read(entry).decode("utf-8"))
            for entry in sorted(archive.namelist())
            if not entry.endswith("/") and b"<mjloggm" in archive.read(entry)
        ]


PLAYED = _logs("tenhou_mjlog.zip")
EDGES = _logs("edge_cases.zip")


def logged_hands(step: int, most: int) -> list[tuple[str, LogHand]]:
    """So many hands of played games, of every ``step``-th one, each with its ruleset."""
    found: list[tuple[str, LogHand]] = []
    for _, text in PLAYED[::step]:
        ruleset = "tenhou" if players_of(text) == 4 else "tenhou-sanma"
        found += [(ruleset, hand) for hand in hands(text)]
        if len(found) >= most:
            break
    return found[:most]
