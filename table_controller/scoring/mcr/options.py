"""What differs between the rulesets of the Chinese official rules in scoring."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Literal

from table_controller.scoring.mcr.fans import Fan, fan_table

WaitRule = Literal["one_kind", "form"]


class BadScoringError(ValueError):
    """A scoring table that contradicts itself or names what does not exist."""


@dataclass(frozen=True)
class McrOptions:
    """The scoring part of a ruleset.

    Attributes:
        name: of the ruleset.
        minimum: points needed to win, flowers not counted (起和分).
        base: what each of the three pays in any case (底分).
        waits: whether edge, closed and single wait ask for a wait on one kind of tile only
            (``one_kind``) or for the form alone (``form``).
        replacement_kong_cost: points taken off the kong that gave the replacement tile when
            the win is 杠上开花 (one source counts the kong as its necessary base).
        values: fans whose value differs from the table.
        values_in_four_kongs: values of fans beside 四杠, where a source lowers them.
        excludes: what is not counted with a fan, in place of the table's list.
        impossible: what cannot come about with a fan by its definition; taken away before
            exclusions are applied, so that it excludes nothing itself.
        inevitable: fans that together make a further one inevitable, which is not counted: each
            with the fan dropped and how many of it (0: all).
        clauses: where each fan is defined, where the ruleset says more than the numbering.
        clause_pattern: the clause of a fan by its number, e.g. ``annex {number}``.
        notes: differences with their clauses, by option, for people.
    """

    name: str = "mcr"
    minimum: int = 8
    base: int = 8
    waits: WaitRule = "one_kind"
    replacement_kong_cost: int = 0
    values: Mapping[str, int] = field(default_factory=dict)
    values_in_four_kongs: Mapping[str, int] = field(default_factory=dict)
    excludes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    impossible: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inevitable: tuple[tuple[frozenset[str], str, int], ...] = ()
    clauses: Mapping[str, str] = field(default_factory=dict)
    clause_pattern: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def fans(self) -> tuple[Fan, ...]:
        """The fans with this ruleset's values and exclusions, in the order of the table."""
        return tuple(
            Fan(
                id=fan.id,
                number=fan.number,
                value=self.values.get(fan.id, fan.value),
                zh=fan.zh,
                en=fan.en,
                excludes=self.excludes.get(fan.id, fan.excludes),
            )
            for fan in fan_table().values()
        )

    @cached_property
    def by_id(self) -> dict[str, Fan]:
        """The same by id."""
        return {fan.id: fan for fan in self.fans}

    @cached_property
    def order(self) -> dict[str, int]:
        """Position of each fan in the table."""
        return {fan.id: number for number, fan in enumerate(self.fans)}

    @cached_property
    def exclusions(self) -> dict[str, tuple[str, ...]]:
        """What each fan excludes, those that exclude nothing left out."""
        return {fan.id: fan.excludes for fan in self.fans if fan.excludes}

    def value(self, fan: str) -> int:
        """Points of one fan."""
        return self.by_id[fan].value

    def clause(self, fan: str) -> str:
        """Where the ruleset's source defines the fan."""
        if fan in self.clauses:
            return self.clauses[fan]
        number = self.by_id[fan].number
        if number != int(number) or not self.clause_pattern:
            return ""
        return self.clause_pattern.format(number=int(number), question=int(number) + 52)


def _known(fans: Mapping[str, Fan], where: str, name: str) -> str:
    if name not in fans:
        raise BadScoringError(f"{where}: {name!r} is no fan")
    return name


def _changed(
    fans: Mapping[str, Fan], table: Mapping[str, Any]
) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Exclusion lists after a ruleset's additions and removals, and the reasons."""
    changed: dict[str, tuple[str, ...]] = {}
    reasons: dict[str, str] = {}
    for fan, change in table.items():
        _known(fans, f"excludes.{fan}", fan)
        add = [_known(fans, f"excludes.{fan}.add", name) for name in change.get("add", ())]
        take = [_known(fans, f"excludes.{fan}.remove", name) for name in change.get("remove", ())]
        both = set(add) & set(take)
        if both:
            raise BadScoringError(
                f"excludes.{fan}.add and excludes.{fan}.remove both name {min(both)!r}"
            )
        listed = [name for name in fans[fan].excludes if name not in take]
        changed[fan] = tuple(listed + [name for name in add if name not in listed])
        if "clause" in change:
            reasons[f"excludes.{fan}"] = change["clause"]
    return changed, reasons


def options_from_table(name: str, table: Mapping[str, Any]) -> McrOptions:
    """The ``[scoring]`` table of a ruleset file as options.

    Raises:
        BadScoringError: naming what is unknown, or the two places that contradict each other.
    """
    fans = fan_table()
    allowed = {
        "minimum",
        "base",
        "waits",
        "replacement_kong_cost",
        "values",
        "values_in_four_kongs",
        "excludes",
        "impossible",
        "inevitable",
        "clauses",
        "clause_pattern",
        "notes",
    }
    for key in table:
        if key not in allowed:
            raise BadScoringError(f"scoring.{key}: no such option")
    waits = table.get("waits", "one_kind")
    if waits not in ("one_kind", "form"):
        raise BadScoringError(f"scoring.waits: {waits!r} is neither 'one_kind' nor 'form'")
    excludes, reasons = _changed(fans, table.get("excludes", {}))
    for key in ("values", "values_in_four_kongs", "clauses", "impossible"):
        for fan in table.get(key, {}):
            _known(fans, f"scoring.{key}", fan)
    inevitable: list[tuple[frozenset[str], str, int]] = []
    for rule in table.get("inevitable", ()):
        together = [_known(fans, "inevitable.fans", fan) for fan in rule["fans"]]
        dropped = _known(fans, "inevitable.drops", rule["drops"])
        inevitable.append((frozenset(together), dropped, int(rule.get("count", 0))))
        if "clause" in rule:
            reasons[" + ".join(together)] = rule["clause"]
    return McrOptions(
        name=name,
        minimum=int(table.get("minimum", 8)),
        base=int(table.get("base", 8)),
        waits=waits,
        replacement_kong_cost=int(table.get("replacement_kong_cost", 0)),
        values=dict(table.get("values", {})),
        values_in_four_kongs=dict(table.get("values_in_four_kongs", {})),
        excludes=excludes,
        impossible={
            fan: tuple(_known(fans, f"impossible.{fan}", other) for other in others)
            for fan, others in table.get("impossible", {}).items()
        },
        inevitable=tuple(inevitable),
        clauses=dict(table.get("clauses", {})),
        clause_pattern=str(table.get("clause_pattern", "")),
        notes={**reasons, **table.get("notes", {})},
    )


@cache
def load_options(name: str) -> McrOptions:
    """The scoring options of a ruleset that ships with the project.

    Raises:
        KeyError: when no such ruleset has MCR scoring.
    """
    folder = files("table_controller.scoring.mcr").joinpath("data")
    source = folder.joinpath(f"{name}.toml")
    if "/" in name or name == "fans" or not source.is_file():
        raise KeyError(name)
    return options_from_table(name, tomllib.loads(source.read_text("utf-8")))
