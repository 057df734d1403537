"""The scoring of a ruleset for people: its fans with values, exclusions and clauses."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from table_controller.scoring import mcr, riichi
from table_controller.scoring.mcr.fans import fan_table
from table_controller.scoring.mcr.options import McrOptions
from table_controller.scoring.riichi.options import RiichiOptions, yaku_table
from table_controller.scoring.select import scored_like


def described(ruleset: str) -> dict[str, Any]:
    """Fans or yaku of a ruleset as plain data; empty where it has no scoring."""
    name = scored_like(ruleset)
    try:
        return _chinese(mcr.load_options(name))
    except KeyError:
        pass
    try:
        return _riichi(riichi.load_options(name))
    except KeyError:
        return {}


def _chinese(options: McrOptions) -> dict[str, Any]:
    return {
        "minimum": options.minimum,
        "base": options.base,
        "fans": [
            {
                "id": fan.id,
                "name_zh": fan.zh,
                "name_en": fan.en,
                "value": fan.value,
                "not_with": [options.by_id[other].zh for other in fan.excludes],
                "clause": options.clause(fan.id),
            }
            for fan in options.fans
        ],
        "notes": dict(options.notes),
    }


def _riichi(options: RiichiOptions) -> dict[str, Any]:
    hidden = {"name", "clauses"}
    return {
        "options": {
            each.name: list(value) if isinstance(value, tuple) else value
            for each in fields(options)
            if each.name not in hidden
            for value in [getattr(options, each.name)]
        },
        "fans": [
            {
                "id": yaku.id,
                "name_zh": yaku.zh,
                "name_en": yaku.en,
                "clause": options.clauses.get(yaku.key, yaku.clause),
            }
            for yaku in yaku_table().values()
        ],
    }


def disagreements(rulesets: tuple[str, ...], title: str) -> str:
    """A page of the fans that count differently, ruleset by ruleset, with the clauses."""
    options = [mcr.load_options(name) for name in rulesets]
    head = "| | " + " | ".join(f"`{name}`" for name in rulesets) + " |"
    line = "|---" * (len(rulesets) + 1) + "|"
    lines = [
        f"# {title}",
        "",
        "Made by `python -m table_controller.rulesets.tables`; do not edit.",
        "",
        "## Fans",
        "",
        head,
        line,
    ]
    for fan in fan_table().values():
        told = [_told(each, fan.id) for each in options]
        if len(set(told)) > 1:
            cells = [
                f"{text} [{each.clause(fan.id)}]" for text, each in zip(told, options, strict=True)
            ]
            lines.append(f"| {fan.zh} | " + " | ".join(cells) + " |")
    lines += ["", "## What is said about it", ""]
    for name, each in zip(rulesets, options, strict=True):
        lines += [f"`{name}`", ""]
        lines += [f"- {_note(each, key)}: {note}" for key, note in each.notes.items()]
        lines.append("")
    return "\n".join(lines)


def _told(options: McrOptions, fan: str) -> str:
    mine = options.by_id[fan]
    names = [options.by_id[other].zh for other in mine.excludes]
    parts = [str(mine.value)]
    if fan in options.values_in_four_kongs:
        parts.append(f"{options.values_in_four_kongs[fan]} beside 四杠")
    if names:
        parts.append("not with " + " ".join(names))
    if fan in options.impossible:
        others = " ".join(options.by_id[other].zh for other in options.impossible[fan])
        parts.append(f"cannot be {others}")
    return ", ".join(parts)


def _note(options: McrOptions, key: str) -> str:
    """The subject of a note: fans by their Chinese names."""
    words = key.removeprefix("excludes.").split(" + ")
    return " + ".join(options.by_id[w].zh if w in options.by_id else w for w in words)
