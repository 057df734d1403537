"""Tables about the rulesets for people: coverage of the sources, where rulesets differ.

``python -m table_controller.rulesets.tables docs/rules`` writes them; a test keeps them current.
"""

from __future__ import annotations

import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from table_controller.rulesets.loader import load, names
from table_controller.rulesets.model import Ruleset, RulingEntry

SECTIONS: Final = (
    "equipment",
    "opening",
    "wall",
    "timers",
    "claims",
    "stop_win",
    "settlement",
    "false_win",
    "warnings",
    "session",
    "tournament",
)
"""The sections of values, in the order of a game."""

_KINDS: Final = {
    "alert": "alert",
    "entered": "entered by the referee",
    "state": "state machine",
    "scoring": "scoring",
    "outside": "neither",
}


def coverage_rows(family: str) -> list[dict[str, str]]:
    """The coverage data of a family of rules, row by row."""
    source = files(__package__) / "coverage" / f"{family}.toml"
    rows: list[dict[str, str]] = tomllib.loads(source.read_text(encoding="utf-8"))["row"]
    return rows


def coverage_table(family: str, title: str) -> str:
    """Every row of the catalogues with what the program does about it."""
    rows = coverage_rows(family)
    counts = {kind: sum(row["kind"] == kind for row in rows) for kind in _KINDS}
    lines = [
        f"# {title}",
        "",
        "Made by `python -m table_controller.rulesets.tables`; do not edit.",
        "",
        " · ".join(f"{_KINDS[kind]}: {count}" for kind, count in counts.items()),
        "",
        "| source | row | | what becomes of it | note |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        what = row.get("what", "")
        told = f"{_KINDS[row['kind']]} `{what}`" if what else _KINDS[row["kind"]]
        cells = (row["source"], row["id"], row["name_zh"], told, row.get("note", ""))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def value_of(ruleset: Ruleset, path: str) -> Any:
    """A value by its path, such as ``timers.pung_s``."""
    section, key = path.split(".", 1)
    return getattr(getattr(ruleset, section), key)


def value_paths(ruleset: Ruleset) -> list[str]:
    """The paths of all values."""
    return [
        f"{section}.{key}"
        for section in SECTIONS
        for key in type(getattr(ruleset, section)).model_fields
    ]


def _told(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value) or "–"
    return str(value)


def cost(entry: RulingEntry) -> str:
    """What an occurrence costs, in a few words."""
    parts: list[str] = []
    if entry.warning:
        parts.append("warning")
    if entry.points or entry.points_max:
        amount = f"{entry.points}–{entry.points_max}" if entry.points_max else str(entry.points)
        step = f" (+{entry.step} each time)" if entry.step else ""
        payee = {"nobody": "deducted", "each": "to each", "victim": "to the victim"}
        parts.append(f"{amount} {payee.get(entry.pay.value, entry.pay.value)}{step}")
    if entry.stop_win:
        parts.append("stop-win, plays along" if entry.play_along else "stop-win")
    if entry.penalty_tiles:
        parts.append("penalty tiles")
    if entry.void:
        parts.append("hand void")
    if entry.disqualify:
        parts.append("up to disqualification")
    return ", ".join(parts) or "put right, no penalty"


def _costs(ruleset: Ruleset, alert: str) -> str:
    rule = ruleset.alerts.get(alert)
    if rule is None:
        return "not known"
    told: list[str] = []
    for entry in rule.rulings:
        label = " ".join(
            part for part in (entry.stage or "", f"{entry.count}." if entry.count else "") if part
        )
        told.append(f"{label}: {cost(entry)}" if label else cost(entry))
    scope = f" per {rule.scope}" if any(entry.count for entry in rule.rulings) else ""
    return "; ".join(told) + f"{scope} [{rule.clause}]"


def disagreements(rulesets: list[Ruleset], title: str) -> str:
    """Values and rulings in which the rulesets differ, each with its clause."""
    first = rulesets[0]
    head = "| | " + " | ".join(f"`{ruleset.name}`" for ruleset in rulesets) + " |"
    line = "|---" * (len(rulesets) + 1) + "|"
    lines = [
        f"# {title}",
        "",
        "Made by `python -m table_controller.rulesets.tables`; do not edit.",
        "",
        "## Values",
        "",
        head,
        line,
    ]
    for path in value_paths(first):
        values = [value_of(ruleset, path) for ruleset in rulesets]
        if all(value == values[0] for value in values):
            continue
        cells = [
            f"{_told(value)} [{ruleset.clauses.get(path, '?')}]"
            for ruleset, value in zip(rulesets, values, strict=True)
        ]
        lines.append(f"| {path} | " + " | ".join(cells) + " |")
    lines += ["", "## Rulings", "", head, line]
    for alert in first.alerts:
        cells = [_costs(ruleset, alert) for ruleset in rulesets]
        bare = [cell.rsplit(" [", 1)[0] for cell in cells]
        if not all(cell == bare[0] for cell in bare):
            lines.append(f"| `{alert}` | " + " | ".join(cells) + " |")
    lines += ["", "## Scoring", "", *_scoring_notes(rulesets)]
    return "\n".join(lines) + "\n"


def _scoring_notes(rulesets: list[Ruleset]) -> list[str]:
    """Fans whose value or exclusions differ, and what each source says about its own choices."""
    from table_controller.scoring.mcr import load_options

    options = [load_options(ruleset.scoring.get("like", ruleset.name)) for ruleset in rulesets]
    head = "| fan | " + " | ".join(f"`{ruleset.name}`" for ruleset in rulesets) + " |"
    lines = [head, "|---" * (len(rulesets) + 1) + "|"]
    for fan in options[0].fans:
        same = [option.by_id[fan.id] for option in options]
        told = [f"{each.value}; not with it: {', '.join(each.excludes) or '–'}" for each in same]
        if any(each != told[0] for each in told):
            cells = [
                f"{text} [{option.clause(fan.id)}]"
                for text, option in zip(told, options, strict=True)
            ]
            lines.append(f"| {fan.zh} | " + " | ".join(cells) + " |")
    for ruleset, option in zip(rulesets, options, strict=True):
        lines += ["", f"`{ruleset.name}`:", ""]
        lines += [f"- {note}" for note in option.notes.values()] or ["- as the table prints"]
    return lines


def described(name: str) -> dict[str, Any]:
    """One ruleset as plain data, for ``paiguan rulesets R``: values and rulings with clauses."""
    from table_controller.scoring.describe import described as described_scoring

    ruleset = load(name)
    return {
        "name": ruleset.name,
        "family": ruleset.family,
        "title": ruleset.title,
        "title_zh": ruleset.title_zh,
        "source": ruleset.source,
        "scored_like": ruleset.scoring.get("like", ruleset.name),
        "values": {
            path: {
                "value": _plain(value_of(ruleset, path)),
                "clause": ruleset.clauses.get(path),
            }
            for path in value_paths(ruleset)
        },
        "alerts": {
            alert: {
                "clause": rule.clause,
                "scope": rule.scope,
                "until": rule.until.text,
                "rulings": [
                    {
                        **entry.model_dump(mode="json", exclude_defaults=True),
                        "cost": cost(entry),
                    }
                    for entry in rule.rulings
                ],
            }
            for alert, rule in ruleset.alerts.items()
        },
        "riichi": ruleset.riichi,
        "scoring": described_scoring(name),
    }


def listed() -> list[dict[str, str]]:
    """All rulesets, for ``paiguan rulesets``."""
    return [
        {"name": name, "title": load(name).title, "source": load(name).source} for name in names()
    ]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def pages() -> dict[str, str]:
    """All generated pages by file name."""
    from table_controller.scoring.describe import disagreements as scored_differently

    chinese = ("mcr-1998", "mcr-2006-du", "mcr-2002-tianjin")
    made = {
        "differences-mcr-scoring.md": scored_differently(
            chinese, "Where the rulesets of the Chinese rules score differently"
        ),
        "coverage-mcr.md": coverage_table(
            "mcr", "Infractions of the Chinese rules: what becomes of each"
        ),
        "differences-mcr.md": disagreements(
            [load(name) for name in chinese],
            "Where the rulesets of the Chinese rules differ",
        ),
    }
    if (files(__package__) / "coverage" / "riichi.toml").is_file():
        made["coverage-riichi.md"] = coverage_table(
            "riichi", "Infractions of the riichi rules: what becomes of each"
        )
    return made


def main(folder: str) -> None:
    """Write all pages into a folder."""
    for name, text in pages().items():
        (Path(folder) / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
