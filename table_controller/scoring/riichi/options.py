"""What differs between riichi rulesets in scoring."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from typing import Any, Literal


class BadScoringError(ValueError):
    """A scoring table that names what does not exist."""


@dataclass(frozen=True, slots=True)
class Yaku:
    """Names of one yaku or kind of dora, and where source 002 defines it."""

    key: str
    id: str
    zh: str
    en: str
    clause: str


@cache
def yaku_table() -> dict[str, Yaku]:
    """All yaku by the library's key."""
    text = files("table_controller.scoring.riichi").joinpath("data/yaku.toml").read_text("utf-8")
    return {row["key"]: Yaku(**row) for row in tomllib.loads(text)["yaku"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class RiichiOptions:
    """The scoring part of a ruleset.

    Attributes:
        name: of the ruleset.
        players: 4 or 3.
        red_fives: red fives are worth a han.
        open_all_simples: 断幺九 counts with exposed melds.
        double_yakuman: four concealed triplets on a single wait, orphans on thirteen waits,
            pure nine gates and big four winds are double.
        big_seven_stars: all honours as seven pairs is a double yakuman of its own.
        yakuman_add: the multiples of several yakuman add up.
        counted_yakuman: thirteen han are a yakuman, else three quarters of one.
        blessing_of_man: a win on a discard before the first own turn.
        heaven_any_tile: with the blessing of heaven any tile may be taken as the winning one.
        round_up_mangan: 4 han 30 fu and 3 han 60 fu are a mangan.
        liable_for: yakuman (by library key) whose last meld makes the discarder answerable.
        honba_self_draw: what each pays for a counter on a self-draw.
        honba_discard: what the discarder pays for a counter.
        clauses: clauses of yaku where the ruleset has its own.
    """

    name: str = "riichi"
    players: Literal[3, 4] = 4
    red_fives: bool = True
    open_all_simples: bool = True
    double_yakuman: bool = True
    big_seven_stars: bool = True
    yakuman_add: bool = True
    counted_yakuman: bool = True
    blessing_of_man: Literal["five_han", "yakuman", "none"] = "five_han"
    heaven_any_tile: bool = True
    round_up_mangan: bool = False
    liable_for: tuple[str, ...] = ("daisangen", "daisuushi")
    honba_self_draw: int = 100
    honba_discard: int = 300
    clauses: Mapping[str, str] = field(default_factory=dict)


def options_from_table(name: str, table: Mapping[str, Any]) -> RiichiOptions:
    """A table of a ruleset file as options.

    Raises:
        BadScoringError: naming what is unknown.
    """
    known = {each.name for each in fields(RiichiOptions)} - {"name"}
    for key in table:
        if key not in known:
            raise BadScoringError(f"scoring.{key}: no such option")
    values = dict(table)
    if values.get("players", 4) not in (3, 4):
        raise BadScoringError(f"scoring.players: {values['players']!r} is neither 3 nor 4")
    if values.get("blessing_of_man", "none") not in ("five_han", "yakuman", "none"):
        raise BadScoringError(f"scoring.blessing_of_man: {values['blessing_of_man']!r}")
    for key in values.get("liable_for", ()):
        if key not in yaku_table():
            raise BadScoringError(f"scoring.liable_for: {key!r} is no yaku")
    values["liable_for"] = tuple(values.get("liable_for", ("daisangen", "daisuushi")))
    return RiichiOptions(name=name, **values)


@cache
def load_options(name: str) -> RiichiOptions:
    """The scoring options of a ruleset that ships with the project.

    Raises:
        KeyError: when no such ruleset has riichi scoring.
    """
    source = files("table_controller.scoring.riichi").joinpath(f"data/{name}.toml")
    if "/" in name or name == "yaku" or not source.is_file():
        raise KeyError(name)
    return options_from_table(name, tomllib.loads(source.read_text("utf-8")))
