"""The fans of the Chinese official rules, read from data."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Fan:
    """One fan of the table.

    Attributes:
        id: its name in data and answers.
        number: its place in the 81-fan table; 54.5 for the kong pair that is not in it.
        value: points.
        zh: name as the sources print it.
        en: name as the English-speaking federations print it.
        excludes: fans that are not counted with it.
    """

    id: str
    number: float
    value: int
    zh: str
    en: str
    excludes: tuple[str, ...] = ()


@cache
def fan_table() -> dict[str, Fan]:
    """All fans by id, in the order of the table (highest value first)."""
    text = files("table_controller.scoring.mcr").joinpath("data/fans.toml").read_text("utf-8")
    table: dict[str, Fan] = {}
    for row in tomllib.loads(text)["fan"]:
        table[row["id"]] = Fan(
            id=row["id"],
            number=row["number"],
            value=row["value"],
            zh=row["zh"],
            en=row["en"],
            excludes=tuple(row.get("excludes", ())),
        )
    for fan in table.values():
        for other in fan.excludes:
            if other not in table:
                raise ValueError(f"fans.toml: {fan.id} excludes {other}, which is no fan")
    return table
