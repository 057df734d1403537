"""Real games of Chinese official rules as lists of happenings.

Readers for three public notations (IJCAI text, Botzone logs, PMN) give a :class:`Recorded` hand;
:func:`happenings` plays it on a table: walls, dice, deal, and every tile from its slot. The
records have no dice, so these are chosen by ``seed``.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from table_controller.domain.happenings import (
    DiceRemoved,
    DiceRolled,
    HandClosed,
    HandShown,
    Happening,
    MeldExtended,
    MeldShown,
    Place,
    TableSet,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    WallRaised,
)
from table_controller.domain.tiles import Tile, sort_tiles
from table_controller.game.wall import DEAL_STEPS, Ring, Wall, deal_step

GAMES = Path(__file__).parents[4] / "shared" / "data" / "games" / "mcr"
WINDS = "ESWN"


@dataclass
class Act:
    """One step: ``draw``, ``play``, ``chow`` (tile: the middle one), ``pung``, ``kong`` (exposed),
    ``concealed``, ``added``, ``win``."""

    what: str
    seat: int
    tile: Tile
    also: int | None = None


@dataclass
class Recorded:
    """One hand; seat 0 is East."""

    name: str
    round_wind: str
    deals: list[list[Tile]]
    acts: list[Act]
    fans: list[tuple[str, int]] = field(default_factory=list)
    total: int | None = None
    payments: tuple[int, ...] | None = None


_SUIT = {"W": "m", "B": "p", "T": "s"}
_DRAGON = {"1": "7z", "2": "6z", "3": "5z"}


def tile_of(name: str) -> Tile:
    """``W`` characters, ``B`` dots, ``T`` bamboo, ``F`` winds, ``J`` dragons red, green, white."""
    if name[0] in _SUIT:
        return Tile(name[1] + _SUIT[name[0]])
    if name[0] == "F":
        return Tile(name[1] + "z")
    return Tile(_DRAGON[name[1]])


def human_games(path: Path = GAMES / "human_games.txt") -> Iterator[Recorded]:
    """Games of people in the IJCAI text notation."""
    hand: Recorded | None = None
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "Match":
            hand = Recorded(words[1], "E", [[], [], [], []], [])
        assert hand is not None
        if words[0] == "Wind":
            hand.round_wind = WINDS[int(words[1])]
        elif words[0] == "Fan":
            hand.total = int(words[1])
            hand.fans = [
                (part.split("*")[0], int(part.split("*")[1])) for part in words[2].split("+")
            ]
        elif words[0] == "Score":
            hand.payments = tuple(int(word) for word in words[1:5])
            yield hand
        elif words[0] == "Player":
            seat, what = int(words[1]), words[2]
            if what == "Deal":
                hand.deals[seat] = [tile_of(word) for word in words[3:]]
            else:
                kind = {
                    "Draw": "draw",
                    "Play": "play",
                    "Chi": "chow",
                    "Peng": "pung",
                    "Gang": "kong",
                    "AnGang": "concealed",
                    "BuGang": "added",
                    "Hu": "win",
                }[what]
                hand.acts.append(Act(kind, seat, tile_of(words[3])))


def botzone_games(path: Path = GAMES / "botzone.zip") -> Iterator[Recorded]:
    """Games of programs in the log notation of the Botzone platform."""
    with ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".json"):
                hand = _botzone(name, json.loads(archive.read(name)))
                if hand is not None:
                    yield hand


def _botzone(name: str, log: list[dict[str, Any]]) -> Recorded | None:
    hand = Recorded(name, "E", [[], [], [], []], [])
    last: Tile | None = None
    for entry in log:
        output = entry.get("output")
        if not output:
            continue
        shown = output.get("display", {})
        action, seat = shown.get("action"), shown.get("player", 0)
        tile = tile_of(shown["tile"]) if shown.get("tile") else None
        if action == "INIT":
            hand.round_wind = WINDS[shown["quan"]]
        elif action == "DEAL":
            hand.deals = [[tile_of(word) for word in deal] for deal in shown["hand"]]
        elif action == "DRAW":
            assert tile is not None
            hand.acts.append(Act("draw", seat, tile))
            last = tile
        elif action == "PLAY":
            assert tile is not None
            hand.acts.append(Act("play", seat, tile))
            last = tile
        elif action in ("CHI", "PENG"):
            assert tile is not None
            assert last is not None
            middle = tile_of(shown["tileCHI"]) if action == "CHI" else last
            hand.acts.append(Act("chow" if action == "CHI" else "pung", seat, middle))
            hand.acts.append(Act("play", seat, tile))
            last = tile
        elif action == "GANG":
            assert last is not None
            drew = hand.acts[-1].what == "draw" and hand.acts[-1].seat == seat
            hand.acts.append(
                Act("concealed" if drew else "kong", seat, tile if drew and tile else last)
            )
        elif action == "BUGANG":
            assert tile is not None
            hand.acts.append(Act("added", seat, tile))
            last = tile
        elif action == "HU":
            assert last is not None
            hand.acts.append(Act("win", seat, last))
            hand.fans = [(fan["name"], fan["cnt"]) for fan in shown["fan"]]
            hand.total = shown["fanCnt"]
            hand.payments = tuple(shown["score"])
        elif action not in ("HUANG", None):
            return None
    return hand


_PMN = {"c": "m", "d": "p", "b": "s", "w": "z", "f": "f"}
_PMN_DRAGON = {"1": "7z", "2": "6z", "3": "5z"}


def _pmn_tile(suit: str, rank: str) -> Tile:
    return Tile(_PMN_DRAGON[rank]) if suit == "r" else Tile(rank + _PMN[suit])


def pmn_games(folder: Path = GAMES / "pmn") -> Iterator[Recorded]:
    """Hands in portable mahjong notation."""
    for path in sorted(folder.glob("*.pmn")):
        tags = dict(re.findall(r'\[(\w+) "(.*)"\]', path.read_text(encoding="utf-8")))
        deals = []
        for deal in tags["Deal"].split():
            tiles = [
                _pmn_tile(suit, rank)
                for suit, ranks in re.findall(r"([cdbwrf])(\d*)", deal)
                for rank in ranks
            ]
            deals.append(tiles)
        hand = Recorded(path.stem, tags["PWind"], deals, [])
        hand.payments = tuple(int(x) for x in tags["Result"].split())
        drawn = last = Tile.UNKNOWN
        winners = 0
        for what, who, suit, rank in re.findall(
            r"([TDPCZABH])(\d)(?:([cdbwrfz])(\d))?", tags["Play"]
        ):
            seat = int(who)
            tile = Tile.UNKNOWN if not suit else drawn if suit == "z" else _pmn_tile(suit, rank)
            if what == "T":
                drawn = last = tile
                hand.acts.append(Act("draw", seat, tile))
            elif what == "D":
                last = tile
                hand.acts.append(Act("play", seat, tile))
            elif what in "AB":
                hand.acts.append(Act("added" if what == "B" else "concealed", seat, tile))
            elif what == "H":
                winners += 1
                hand.acts.append(Act("win", seat, last))
            else:
                kind = {"P": "pung", "C": "chow", "Z": "kong"}[what]
                hand.acts.append(Act(kind, seat, tile if what == "C" else last))
        if winners == 1:
            yield hand


# -- on a table -------------------------------------------------------------------------------


class Stage:
    """A table on which a hand is played: it knows the walls, says what happens, and when."""

    def __init__(self, seed: int, dealer: int = 0, step_s: float = 2.0) -> None:
        self.random = random.Random(seed)
        self.t = 0.0
        self.step_s = step_s
        self.dealer = dealer
        self.said: list[Happening] = []
        self.pools = [0, 0, 0, 0]
        self.gaps: list[list[int]] = [[], [], [], []]
        self.ring = Ring((18, 18, 18, 18))
        self.wall = Wall(self.ring, 0)
        self.last: tuple[int, Tile] = (0, Tile.UNKNOWN)
        self.second = dealer

    def say(self, kind: Any, wait: float | None = None, **fields: Any) -> None:
        self.t = round(self.t + (self.step_s if wait is None else wait), 3)
        self.said.append(kind(t=self.t, **fields))

    def open(self) -> None:
        """Walls, both throws, the dice taken out."""
        self.say(WallRaised, stacks=(18, 18, 18, 18))
        first = (self.random.randint(1, 6), self.random.randint(1, 6))
        self.say(DiceRolled, values=first, seat=self.dealer)
        self.second = (self.dealer + sum(first) - 1) % 4
        then = (self.random.randint(1, 6), self.random.randint(1, 6))
        self.say(DiceRolled, values=then, seat=self.second)
        self.say(DiceRemoved, seat=self.dealer)
        start = self.ring.after(self.second, sum(first) + sum(then))
        self.wall = Wall(self.ring, start)

    def deal(self) -> None:
        for step in range(DEAL_STEPS):
            who, indices = deal_step(step)
            self.take((self.dealer + who) % 4, indices, 0.8)

    def take(self, seat: int, indices: tuple[int, ...], wait: float | None = None) -> None:
        for index in indices:
            assert self.wall.stands(index)
            self.wall.take(index)
        self.say(TileDrawn, wait, seat=seat, slots=tuple(self.wall.slot(i) for i in indices))

    def front(self) -> tuple[int, ...]:
        index = self.wall.front()
        assert index is not None
        return (index,)

    def back(self) -> tuple[int, ...]:
        index = self.wall.back()
        assert index is not None
        return (index,)

    def discard(self, seat: int, tile: Tile) -> None:
        at = self.pools[seat]
        self.pools[seat] += 1
        self.last = (seat, tile)
        self.say(TileDiscarded, seat=seat, tile=tile, place=Place(at // 6, at % 6))

    def claim(self, seat: int, tiles: list[Tile]) -> None:
        """The last discard joins ``tiles`` of the claimer's hand."""
        discarder, tile = self.last
        way = (discarder - seat) % 4
        rest = sort_tiles(tiles)
        at = {3: 0, 2: 1, 1: len(rest)}[way]
        laid = (*rest[:at], tile, *rest[at:])
        self.say(TileClaimed, 1.0, seat=seat, tile=tile, from_=discarder)
        self.say(MeldShown, 1.0, seat=seat, tiles=laid, claimed=at, sideways=at)


def happenings(
    hand: Recorded, seed: int = 0, step_s: float = 2.0, dealer: int = 0
) -> list[Happening]:
    """The hand as an observer would report it; the record's East sits at ``dealer``."""
    stage = Stage(seed, dealer, step_s)
    if dealer:
        hand = replace(
            hand,
            acts=[replace(act, seat=(act.seat + dealer) % 4) for act in hand.acts],
            deals=[hand.deals[(seat - dealer) % 4] for seat in range(4)],
        )
    if hand.round_wind != "E":
        stage.say(
            TableSet,
            round_wind=hand.round_wind,
            dealer=0,
            hand=4 * WINDS.index(hand.round_wind) + 1,
        )
    stage.open()
    stage.deal()
    hands = [list(deal) for deal in hand.deals]
    melds = [0, 0, 0, 0]
    replacement = False
    drawn: Tile | None = None
    extra = len(hands[dealer]) == 14
    for number, act in enumerate(hand.acts):
        mine = hands[act.seat]
        if act.what == "draw":
            drawn = act.tile
            mine.append(act.tile)
            if number == 0 and not extra:
                continue
            stage.take(act.seat, stage.back() if replacement else stage.front())
            replacement = False
        elif act.what == "play":
            mine.remove(act.tile)
            drawn = None
            stage.discard(act.seat, act.tile)
        elif act.what == "chow":
            tile = stage.last[1]
            suit, middle = act.tile.value[1], act.tile.rank
            run = [Tile(f"{n}{suit}") for n in (middle - 1, middle, middle + 1)]
            run.remove(tile)
            for other in run:
                mine.remove(other)
            stage.claim(act.seat, run)
            melds[act.seat] += 1
        elif act.what in ("pung", "kong"):
            count = 2 if act.what == "pung" else 3
            for _ in range(count):
                mine.remove(stage.last[1])
            stage.claim(act.seat, [stage.last[1]] * count)
            replacement = act.what == "kong"
            melds[act.seat] += 1
        elif act.what == "concealed":
            for _ in range(4):
                mine.remove(act.tile)
            stage.say(MeldShown, seat=act.seat, tiles=(Tile.BACK,) * 4, face_down=(0, 1, 2, 3))
            replacement = True
            melds[act.seat] += 1
        elif act.what == "added":
            mine.remove(act.tile)
            stage.last = (act.seat, act.tile)
            stage.say(MeldExtended, seat=act.seat, tile=act.tile)
            replacement = True
        elif act.what == "win":
            _win(stage, hand, act, mine, drawn)
    return stage.said


def _win(stage: Stage, hand: Recorded, act: Act, mine: list[Tile], drawn: Tile | None) -> None:
    own = drawn is not None and hand.acts[-2].what == "draw" and hand.acts[-2].seat == act.seat
    tiles = list(mine)
    if own:
        assert drawn is not None
        tiles.remove(drawn)
    stage.say(
        HandShown, seat=act.seat, tiles=tuple(sort_tiles(tiles)), apart=drawn if own else None
    )
    for other in range(4):
        for kong in [a.tile for a in hand.acts if a.what == "concealed" and a.seat == other]:
            stage.say(MeldShown, 0.5, seat=other, tiles=(kong,) * 4)
    stage.say(HandClosed, 4.0, seat=act.seat)
