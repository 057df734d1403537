"""Public mjlog records of played games as happenings, with what the log says came of each hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from table_controller.domain.happenings import (
    Call,
    DiceRolled,
    HandShown,
    Happening,
    IndicatorTurned,
    MeldExtended,
    MeldShown,
    NorthShown,
    Place,
    Seat,
    StickPlaced,
    TableSet,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    WallRaised,
)
from table_controller.domain.tiles import KINDS, Tile
from table_controller.game.riichi.deadwall import DeadWall
from table_controller.game.wall import Ring
from table_controller.happenings.looks.places import SEATS
from table_controller.scoring.hand import WINDS

_TAG = re.compile(r"<(\w+)((?:\s+\w+=\"[^\"]*\")*)\s*/?>")
_ATTR = re.compile(r"(\w+)=\"([^\"]*)\"")
_RED = {16: Tile.RED_M5, 52: Tile.RED_P5, 88: Tile.RED_S5}
STEP_S = 1.5


def tile(number: int) -> Tile:
    """Tile number 0..135."""
    return _RED.get(number, KINDS[number // 4])


@dataclass
class LogHand:
    """One hand of a log.

    Attributes:
        happenings: what was seen.
        result: ``win``, ``exhausted`` or ``abort``.
        reason: of an abort.
        deltas: points won and lost by seat, sticks included.
        before: points by seat at the start of the hand.
        wins: the log's own account of each win.
    """

    happenings: list[Happening] = field(default_factory=list)
    result: str = ""
    reason: str | None = None
    deltas: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    before: list[int] = field(default_factory=list)
    wins: list[dict[str, Any]] = field(default_factory=list)
    dealer: Seat = 0
    round: int = 0
    honba: int = 0
    sticks: int = 0
    moves: list[tuple[Any, ...]] = field(default_factory=list)


class _Writer:
    """Plays a hand of the log on walls and pools of its own."""

    def __init__(self, players: int, init: dict[str, str], t: float) -> None:
        seed = [int(n) for n in init["seed"].split(",")]
        self.players = players
        self.hand = LogHand()
        self.t = t
        self.dealer = SEATS[int(init["oya"])]
        self.hand.dealer = self.dealer
        # Rounds count four hands in the log, with three players as well.
        self.hand.round = players * (seed[0] // 4) + seed[0] % 4
        self.hand.honba, self.hand.sticks = seed[1], seed[2]
        points = [100 * int(n) for n in init["ten"].split(",")]
        self.hand.before = points + [0] * (4 - len(points))
        stacks = (17, 17, 17, 17) if players == 4 else (18, 18, 18, 0)
        dice = (seed[3] + 1, seed[4] + 1)
        total = sum(dice)
        side = (self.dealer + total - 1) % players
        if players == 3 and total == 11:
            side = self.dealer
        ring = Ring(stacks)
        dead, back = (14, 4) if players == 4 else (14, 8)
        self.wall = DeadWall(ring, ring.after(side, total), dead, back)
        self.pools: list[list[Tile]] = [[] for _ in range(4)]
        self.lying = [0, 0, 0, 0]
        self.melds: list[list[list[int]]] = [[] for _ in range(4)]
        self.drawn = -1
        self.turned = 0
        self.declaring = False
        self.claimed_riichi = [False] * 4
        self.last: tuple[Seat, int] = (0, 0)
        self.replace = False
        self.say(
            TableSet(
                t=self.t,
                round_wind=WINDS[seed[0] // 4],
                dealer=self.dealer,
                hand=seed[0] % 4 + 1,
                honba=seed[1],
                sticks=seed[2],
                scores=tuple(self.hand.before),
            )
        )
        self.say(WallRaised(t=self.t, stacks=stacks))
        self.say(DiceRolled(t=self.t, values=dice, seat=self.dealer))
        self._deal()
        self.indicator(seed[5])

    def say(self, happening: Happening) -> None:
        self.hand.happenings.append(happening)
        self.t += STEP_S

    def _deal(self) -> None:
        order = [SEATS[(self.dealer + n) % self.players] for n in range(self.players)]
        at = 0
        for _ in range(3):
            for seat in order:
                self._take(seat, (at, at + 1, at + 2, at + 3))
                at += 4
        for n, seat in enumerate(order):
            if n == 0:
                self._take(seat, (at, at + 4))
                # The dealer's second tile is the first draw of the log.
            else:
                self._take(seat, (at + n,))

    def _take(self, seat: Seat, indices: tuple[int, ...]) -> None:
        slots = tuple(self.wall.slot(index) for index in indices)
        for index in indices:
            self.wall.take(index)
        self.say(TileDrawn(t=self.t, seat=seat, slots=slots))

    def indicator(self, number: int) -> None:
        slot = self.wall.slot(self.wall.indicator(self.turned))
        self.turned += 1
        self.say(IndicatorTurned(t=self.t, tile=tile(number), slot=slot, seat=self.dealer))

    def draw(self, seat: Seat, number: int) -> None:
        self.drawn = number
        if not any(self.pools) and not any(self.melds) and seat == self.dealer and not self.replace:
            return
        index = self.wall.back() if self.replace else self.wall.front()
        assert index is not None
        self.replace = False
        self._take(seat, (index,))

    def discard(self, seat: Seat, number: int) -> None:
        pool = self.pools[seat]
        at = len(pool)
        place = Place(min(at // 6, 2), at % 6 if at < 12 else at - 12)
        rotated = self.declaring or self.claimed_riichi[seat]
        self.claimed_riichi[seat] = False
        pool.append(tile(number))
        self.last = (seat, number)
        self.say(
            TileDiscarded(
                t=self.t,
                seat=seat,
                tile=tile(number),
                place=place,
                rotated=rotated,
                drawn=number == self.drawn,
            )
        )
        self.turned_last = rotated
        self.declaring = False
        self.drawn = -1

    def call(self, seat: Seat, code: int) -> None:
        if code & 0x3F == 0x20:
            self.say(NorthShown(t=self.t, seat=seat))
            self.replace = True
            return
        if code & 0x4:
            self._claim(seat, *_chow(code))
        elif code & 0x18:
            self._pung(seat, code)
        else:
            first = code >> 8
            kind = first // 4
            numbers = [4 * kind + n for n in range(4)]
            if code & 3:
                self._claim(seat, numbers, first)
                self.replace = True
            else:
                middle = sorted(numbers, key=lambda n: n not in _RED)
                faces = (Tile.BACK, tile(middle[0]), tile(middle[1]), Tile.BACK)
                self.melds[seat].append(numbers)
                self.say(MeldShown(t=self.t, seat=seat, tiles=faces, face_down=(0, 3)))
                self.replace = True

    def _pung(self, seat: Seat, code: int) -> None:
        spare, rest = (code >> 5) & 3, code >> 9
        kind, which = rest // 3, rest % 3
        numbers = [4 * kind + n for n in range(4) if n != spare]
        if code & 0x8:
            self._claim(seat, numbers, numbers[which])
            return
        added = 4 * kind + spare
        self.say(MeldExtended(t=self.t, seat=seat, tile=tile(added)))
        self.replace = True

    def _claim(self, seat: Seat, numbers: list[int], called: int) -> None:
        from_, number = self.last
        assert number == called
        way = (from_ - seat) % self.players
        if self.players == 3 and way == 2:
            way = 3
        self.say(TileClaimed(t=self.t, seat=seat, tile=tile(called), from_=from_))
        rest = [n for n in numbers if n != called]
        at = {3: 0, 2: 1, 1: len(rest)}[way]
        shown = [*rest[:at], called, *rest[at:]]
        self.melds[seat].append(shown)
        if self.turned_last:
            self.claimed_riichi[from_] = True
        faces = tuple(tile(n) for n in shown)
        self.say(MeldShown(t=self.t, seat=seat, tiles=faces, claimed=at, sideways=at))


def _chow(code: int) -> tuple[list[int], int]:
    rest = code >> 10
    which, rest = rest % 3, rest // 3
    low = rest // 7 * 9 + rest % 7
    numbers = [4 * (low + n) + (code >> shift & 3) for n, shift in enumerate((3, 5, 7))]
    return numbers, numbers[which]


_DRAWS: dict[str, Seat] = {"T": 0, "U": 1, "V": 2, "W": 3}
_DISCARDS: dict[str, Seat] = {"D": 0, "E": 1, "F": 2, "G": 3}
_ABORTS = {
    "yao9": "nine_terminals",
    "reach4": "four_riichi",
    "ron3": "three_rons",
    "kan4": "four_kongs",
    "kaze4": "four_winds",
}


def players_of(text: str) -> int:
    """How many play in this log."""
    found = re.search(r"<GO [^>]*type=\"(\d+)\"", text)
    return 3 if found and int(found[1]) & 0x10 else 4


def hands(text: str) -> Iterator[LogHand]:
    """The hands of a log, in order; those cut off by the log's end are left out."""
    players = players_of(text)
    writer: _Writer | None = None
    t = 10.0
    ended = False
    for name, given in _TAG.findall(text):
        attributes = dict(_ATTR.findall(given))
        if name == "INIT":
            if writer is not None and ended:
                yield writer.hand
            writer = _Writer(players, attributes, t if writer is None else writer.t + 30.0)
            ended = False
            continue
        if writer is None:
            continue
        if name == "AGARI":
            _win(writer, attributes, first=not ended)
            ended = True
        elif name == "RYUUKYOKU":
            _drawn(writer, attributes)
            ended = True
        elif not ended:
            _event(writer, name, attributes)
    if writer is not None and ended:
        yield writer.hand


def _event(writer: _Writer, name: str, attributes: dict[str, str]) -> None:
    letter, digits = name[0], name[1:]
    if digits.isdigit() and letter in _DRAWS:
        writer.draw(_DRAWS[letter], int(digits))
    elif digits.isdigit() and letter in _DISCARDS:
        writer.discard(_DISCARDS[letter], int(digits))
    elif name == "N":
        writer.call(SEATS[int(attributes["who"])], int(attributes["m"]))
    elif name == "DORA":
        writer.indicator(int(attributes["hai"]))
    elif name == "REACH":
        seat = SEATS[int(attributes["who"])]
        if attributes["step"] == "1":
            writer.declaring = True
            writer.say(Call(t=writer.t, seat=seat, call="riichi"))
        else:
            writer.say(StickPlaced(t=writer.t, seat=seat))


def _deltas(writer: _Writer, attributes: dict[str, str]) -> None:
    numbers = [int(n) for n in attributes["sc"].split(",")]
    for seat in range(len(numbers) // 2):
        writer.hand.deltas[seat] += 100 * numbers[2 * seat + 1]


def _win(writer: _Writer, attributes: dict[str, str], *, first: bool) -> None:
    seat, from_ = SEATS[int(attributes["who"])], int(attributes["fromWho"])
    win = int(attributes["machi"])
    held = [int(n) for n in attributes["hai"].split(",")]
    held.remove(win)
    writer.hand.result = "win"
    _deltas(writer, attributes)
    writer.hand.wins.append(attributes)
    own = seat == from_
    writer.say(
        HandShown(
            t=writer.t,
            seat=seat,
            tiles=tuple(tile(n) for n in held),
            apart=tile(win) if own else None,
        )
    )
    hidden = attributes.get("doraHaiUra")
    if hidden and (first or not writer.hand.wins[0].get("doraHaiUra")):
        for n, number in enumerate(hidden.split(",")):
            slot = writer.wall.slot(writer.wall.indicator(n) + 1)
            writer.say(IndicatorTurned(t=writer.t, tile=tile(int(number)), slot=slot, seat=seat))


def _drawn(writer: _Writer, attributes: dict[str, str]) -> None:
    kind = attributes.get("type")
    writer.hand.result = "exhausted" if kind in (None, "nm") else "abort"
    writer.hand.reason = _ABORTS.get(kind or "")
    if "sc" in attributes:
        _deltas(writer, attributes)
    order = [SEATS[(writer.dealer + n) % writer.players] for n in range(writer.players)]
    for seat in order:
        shown = attributes.get(f"hai{seat}")
        if not shown:
            continue
        tiles = tuple(tile(int(n)) for n in shown.split(","))
        if kind == "yao9":
            drawn = tile(writer.drawn) if writer.drawn >= 0 else tiles[-1]
            rest = list(tiles)
            rest.remove(drawn)
            writer.say(Call(t=writer.t, seat=seat, call="nine_terminals"))
            writer.say(HandShown(t=writer.t, seat=seat, tiles=tuple(rest), apart=drawn))
        elif kind in (None, "nm", "ron3"):
            writer.say(HandShown(t=writer.t, seat=seat, tiles=tiles))
