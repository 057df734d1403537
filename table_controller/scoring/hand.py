"""A winning hand to be scored (contract, section 7): values and codec.

The form is the same for every ruleset; what only riichi needs has a default that means
"does not apply". Errors name the field, and for JSON Lines the line.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from table_controller.domain.tiles import Tile

Wind = Literal["E", "S", "W", "N"]
Side = Literal["left", "across", "right"]
"""Another player as the winner sees him: 上家 left, 对家 across, 下家 right."""

WINDS: Final[tuple[Wind, ...]] = ("E", "S", "W", "N")


class BadHandError(ValueError):
    """What was given is no hand that can be scored; the message names the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meld:
    """A set laid out before the win.

    Attributes:
        kind: ``chow``, ``pung`` or ``kong``.
        tiles: three tiles, four for a kong.
        concealed: a concealed kong (暗杠); chows and pungs that are laid out never are.
        added: a kong made by adding to an exposed pung (加杠).
        from_: whose discard was claimed; ``None`` where that is not known or does not apply.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    kind: Literal["chow", "pung", "kong"]
    tiles: tuple[Tile, ...]
    concealed: bool = False
    added: bool = False
    from_: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringHand:
    """A complete hand with the circumstances of its win.

    Attributes:
        hand: the standing tiles without the winning tile.
        melds: the sets laid out, concealed kongs included.
        win_tile: the tile that completes the hand.
        self_drawn: drawn from the wall (自摸), else taken from another player.
        from_: who discarded the winning tile; absent on a self-draw.
        seat_wind: the winner's wind; ``None``: no set of winds counts as seat wind.
        round_wind: the prevalent wind; ``None`` likewise.
        flowers: how many flowers lie in front of the winner.
        last_tile: the last tile of the wall, or the discard that follows it.
        after_kong: the winning tile replaced a kong's fourth tile.
        robbing_kong: the winning tile had just been added to an exposed pung.
        last_of_kind: the three others of the kind were visible to all (和绝张).
        riichi: 0 none, 1 riichi, 2 double riichi.
        ippatsu: won within one uninterrupted go-around after riichi.
        first_turn: first uninterrupted go-around: blessing of heaven or earth, or of man.
        dora_indicators: dora indicators turned up.
        ura_indicators: indicators under them (counted after riichi only).
        norths: north tiles set aside (three players).
        honba: counters of repeated hands.
        sticks: riichi sticks on the table that the winner takes.
        dealer: the winner is the dealer; ``None``: as the seat wind says.
        liable: the player answerable for the winning combination (包牌).
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    hand: tuple[Tile, ...]
    win_tile: Tile
    melds: tuple[Meld, ...] = ()
    self_drawn: bool = False
    from_: Side | None = None
    seat_wind: Wind | None = None
    round_wind: Wind | None = None
    flowers: int = 0
    last_tile: bool = False
    after_kong: bool = False
    robbing_kong: bool = False
    last_of_kind: bool = False
    riichi: Literal[0, 1, 2] = 0
    ippatsu: bool = False
    first_turn: bool = False
    dora_indicators: tuple[Tile, ...] = ()
    ura_indicators: tuple[Tile, ...] = ()
    norths: int = 0
    honba: int = 0
    sticks: int = 0
    dealer: bool | None = None
    liable: Side | None = None


_ADAPTER: Final[TypeAdapter[ScoringHand]] = TypeAdapter(ScoringHand)
_LENGTHS: Final = {"chow": 3, "pung": 3, "kong": 4}
_SIDES: Final = ("right", "across", "left")


def _rename(data: dict[str, Any]) -> dict[str, Any]:
    return {("from_" if key == "from" else key): value for key, value in data.items()}


def _explain(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=True)[0]
    path = ".".join(str(part).rstrip("_") for part in first["loc"]) or "hand"
    given = repr(first.get("input"))
    if len(given) > 60:
        given = given[:57] + "..."
    if first["type"] == "unexpected_keyword_argument":
        return f"{path}: no such field"
    if first["type"] == "missing_argument" or first["type"] == "missing":
        return f"{path}: missing"
    if first["type"] == "enum":
        return f"{path}: unknown tile {given}"
    return f"{path}: {first['msg']} (got {given})"


def _check_meld(where: str, meld: Meld) -> None:
    if len(meld.tiles) != _LENGTHS[meld.kind]:
        raise BadHandError(
            f"{where}.tiles: a {meld.kind} has {_LENGTHS[meld.kind]} tiles, not {len(meld.tiles)}"
        )
    plain = sorted(tile.plain for tile in meld.tiles)
    if meld.kind == "chow":
        ranks = [tile.rank for tile in plain]
        if (
            any(not tile.is_suited for tile in plain)
            or len({tile.suit for tile in plain}) != 1
            or ranks != [ranks[0], ranks[0] + 1, ranks[0] + 2]
        ):
            raise BadHandError(f"{where}.tiles: {' '.join(meld.tiles)} is no chow")
    elif len(set(plain)) != 1:
        raise BadHandError(f"{where}.tiles: {' '.join(meld.tiles)} is no {meld.kind}")
    if meld.concealed and meld.kind != "kong":
        raise BadHandError(f"{where}.concealed: only a kong can be laid out concealed")
    if meld.added and (meld.kind != "kong" or meld.concealed):
        raise BadHandError(f"{where}.added: only an exposed kong can have been added to")


def check(hand: ScoringHand) -> None:
    """Whether the tiles can exist together and make up one hand.

    Raises:
        BadHandError: unknown or flower tiles, a wrong number of tiles, a fifth copy, a meld
            that is none, or circumstances that contradict each other.
    """
    named: list[tuple[str, Tile]] = [(f"hand.{i}", tile) for i, tile in enumerate(hand.hand)]
    named.append(("win_tile", hand.win_tile))
    for number, meld in enumerate(hand.melds):
        named += [(f"melds.{number}.tiles.{i}", tile) for i, tile in enumerate(meld.tiles)]
    indicators = [(f"dora_indicators.{i}", tile) for i, tile in enumerate(hand.dora_indicators)]
    indicators += [(f"ura_indicators.{i}", tile) for i, tile in enumerate(hand.ura_indicators)]
    for where, tile in named + indicators:
        if not tile.known:
            raise BadHandError(f"{where}: the face of {tile.value!r} is not known")
        if tile.is_flower:
            raise BadHandError(f"{where}: {tile.value} is a flower; give their number as 'flowers'")
    for number, meld in enumerate(hand.melds):
        _check_meld(f"melds.{number}", meld)
    if len(hand.melds) > 4:
        raise BadHandError(f"melds: at most four, not {len(hand.melds)}")
    expected = 13 - 3 * len(hand.melds)
    if len(hand.hand) != expected:
        total = len(hand.hand) + 1 + 3 * len(hand.melds)
        raise BadHandError(
            f"hand: {len(hand.hand)} standing tiles with {len(hand.melds)} melds, "
            f"{expected} expected (the hand has {total} tiles, not 14)"
        )
    copies = Counter(tile.plain for _, tile in named + indicators)
    reds = Counter(tile for _, tile in named + indicators if tile.is_red)
    for where, tile in reversed(named + indicators):
        if copies[tile.plain] > 4:
            raise BadHandError(f"{where}: a fifth {tile.plain.value}")
        if reds[tile] > 1:
            raise BadHandError(f"{where}: a second {tile.value}")
    if copies[Tile.NORTH] + hand.norths > 4:
        raise BadHandError("norths: a fifth 4z")
    limits = (("flowers", 8), ("norths", 4), ("honba", 999), ("sticks", 999))
    for name, most in limits:
        if not 0 <= getattr(hand, name) <= most:
            raise BadHandError(f"{name}: {getattr(hand, name)} is not between 0 and {most}")
    _check_circumstances(hand)


def _check_circumstances(hand: ScoringHand) -> None:
    if hand.self_drawn and hand.from_ is not None:
        raise BadHandError("from: a self-drawn tile comes from nobody")
    if hand.self_drawn and hand.robbing_kong:
        raise BadHandError("robbing_kong: a robbed tile is not self-drawn")
    if hand.after_kong and not hand.self_drawn:
        raise BadHandError("after_kong: a replacement tile is self-drawn")
    if hand.ippatsu and not hand.riichi:
        raise BadHandError("ippatsu: without riichi")
    by_wind = None if hand.seat_wind is None else hand.seat_wind == "E"
    if None not in (hand.dealer, by_wind) and hand.dealer != by_wind:
        raise BadHandError(f"dealer: {hand.dealer} contradicts seat_wind {hand.seat_wind}")
    exposed = any(not meld.concealed for meld in hand.melds)
    if hand.riichi and exposed:
        raise BadHandError("riichi: with an exposed meld")


def from_object(data: object) -> ScoringHand:
    """One decoded JSON object as a hand, checked.

    Raises:
        BadHandError: naming the field that is wrong.
    """
    if not isinstance(data, dict):
        raise BadHandError("not a JSON object")
    data = _rename(data)
    melds = data.get("melds")
    if isinstance(melds, list):
        data["melds"] = [_rename(meld) if isinstance(meld, dict) else meld for meld in melds]
    try:
        hand = _ADAPTER.validate_python(data)
    except ValidationError as error:
        raise BadHandError(_explain(error)) from None
    check(hand)
    return hand


def from_line(line: str) -> ScoringHand:
    """One line of JSON as a hand, checked.

    Raises:
        BadHandError: when the line is not JSON or not a hand.
    """
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadHandError(f"not JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        # Numbers too long and brackets too deep for the decoder.
        raise BadHandError(f"cannot be read: {error}") from None
    return from_object(data)


def read_lines(lines: Iterable[str]) -> Iterator[tuple[int, ScoringHand | BadHandError]]:
    """Line numbers (from 1) with the hand, or with what is wrong; empty lines are skipped."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield number, from_line(line)
        except BadHandError as error:
            yield number, error


def _plain(value: object) -> object:
    if isinstance(value, Meld):
        return {
            field.name.rstrip("_"): _plain(getattr(value, field.name))
            for field in fields(value)
            if not (field.name == "from_" and value.from_ is None)
        }
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.value if isinstance(value, Tile) else value


def meld_to_object(meld: Meld) -> dict[str, Any]:
    """A meld in the contract's form."""
    plain = _plain(meld)
    assert isinstance(plain, dict)
    return plain


_ALWAYS: Final = frozenset(
    {
        "hand",
        "melds",
        "win_tile",
        "self_drawn",
        "seat_wind",
        "round_wind",
        "flowers",
        "last_tile",
        "after_kong",
        "robbing_kong",
        "last_of_kind",
    }
)


def to_object(hand: ScoringHand) -> dict[str, Any]:
    """The contract's form; fields that only riichi knows stand where they are not the default."""
    data: dict[str, Any] = {}
    for field in fields(hand):
        value = getattr(hand, field.name)
        if field.name in _ALWAYS or value != field.default:
            data[field.name.rstrip("_")] = _plain(value)
    return data


def side_index(side: Side) -> int:
    """Position of a side in payments, which run counter-clockwise from the winner (1, 2, 3)."""
    return 1 + _SIDES.index(side)
