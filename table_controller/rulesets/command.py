"""``paiguan rulesets``: the rulesets, or one with its values, fans and rulings."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

from table_controller.rulesets.tables import described, listed


def run_rulesets(name: str | None = None, *, as_json: bool = False) -> int:
    """Print the list, or one ruleset.

    Returns:
        The exit code.

    Raises:
        BadRulesetError: when there is no such ruleset.
    """
    if name is None:
        rows = listed()
        if as_json:
            _write(rows)
            return 0
        table = Table("name", "what", "source")
        for row in rows:
            table.add_row(row["name"], row["title"], row["source"])
        Console(highlight=False).print(table)
        return 0
    data = {**described(name), "fans": fans_of(name)}
    if as_json:
        _write(data)
        return 0
    _show(data)
    return 0


def fans_of(name: str) -> list[dict[str, Any]]:
    """The fans or yaku of a ruleset with value, exclusions and clause."""
    from table_controller.scoring.describe import described as scoring

    fans: list[dict[str, Any]] = scoring(name).get("fans", [])
    return fans


def _write(data: object) -> None:
    sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n")


def _show(data: dict[str, Any]) -> None:
    console = Console(highlight=False)
    console.print(f"[bold]{data['name']}[/] {data['title']} {data['title_zh']} ({data['source']})")
    values = Table("value", "", "clause", title="Values", title_justify="left")
    for path, entry in data["values"].items():
        values.add_row(path, str(entry["value"]), entry["clause"] or "")
    console.print(values)
    if data["fans"]:
        fans = Table("points", "fan", "", "not counted with it", "clause", title="Fans")
        for fan in data["fans"]:
            fans.add_row(
                str(fan.get("value", "")),
                fan["name_zh"],
                fan["name_en"],
                ", ".join(fan.get("not_with", ())),
                fan.get("clause") or "",
            )
        console.print(fans)
    alerts = Table("alert", "stage", "time", "ruling", "clause", title="Rulings")
    for alert, rule in data["alerts"].items():
        for number, entry in enumerate(rule["rulings"]):
            alerts.add_row(
                alert if number == 0 else "",
                entry.get("stage") or "",
                f"{entry['count']}." if entry.get("count") else "",
                entry["cost"],
                entry.get("clause") or (rule["clause"] if number == 0 else ""),
            )
    console.print(alerts)
