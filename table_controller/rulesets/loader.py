"""Reading ruleset files: unknown keys and contradictions are refused with both places named."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from table_controller.domain.alert_ids import ALERT_IDS
from table_controller.rulesets.model import Pay, Ruleset, RulingEntry


class BadRulesetError(ValueError):
    """A ruleset file that cannot be used; the message names the file and the place in it."""


def names() -> tuple[str, ...]:
    """The names of the rulesets that come with the program."""
    found = [
        entry.name.removesuffix(".toml")
        for entry in files(__package__).iterdir()
        if entry.name.endswith(".toml")
    ]
    return tuple(sorted(found))


@lru_cache(maxsize=32)
def load(name: str) -> Ruleset:
    """The ruleset of that name, or of a file whose path ends in ``.toml``.

    Raises:
        BadRulesetError: when there is none, or it contradicts itself.
    """
    return _build(name, _merged(name, ()))


def parse(text: str, where: str = "ruleset") -> Ruleset:
    """A ruleset from TOML text (which may extend one that comes with the program).

    Raises:
        BadRulesetError: naming ``where`` and the place in the text.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadRulesetError(f"{where}: {error}") from None
    return _build(where, _with_base(data, where, ()))


def _read(name: str) -> tuple[str, dict[str, Any]]:
    if name.endswith(".toml"):
        path = Path(name)
        where = name
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise BadRulesetError(f"{where}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise BadRulesetError(f"{where}: not UTF-8 at byte {error.start}") from None
    else:
        where = f"{name}.toml"
        entry = files(__package__) / where
        if "/" in name or not entry.is_file():
            raise BadRulesetError(f"no ruleset {name!r}; there are {', '.join(names())}")
        text = entry.read_text(encoding="utf-8")
    try:
        return where, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadRulesetError(f"{where}: {error}") from None


def _merged(name: str, chain: tuple[str, ...]) -> dict[str, Any]:
    if name in chain:
        raise BadRulesetError(f"{name}: extends itself by way of {' -> '.join(chain)}")
    where, data = _read(name)
    return _with_base(data, where, (*chain, name))


def _with_base(data: dict[str, Any], where: str, chain: tuple[str, ...]) -> dict[str, Any]:
    base_name = data.pop("extends", None)
    if base_name is None:
        return data
    if not isinstance(base_name, str):
        raise BadRulesetError(f"{where}: extends: not a name")
    base = _merged(base_name, chain)
    dropped = data.pop("drop_alerts", [])
    alerts = base.get("alerts", {})
    for alert in dropped:
        if alert not in alerts:
            raise BadRulesetError(
                f"{where}: drop_alerts names {alert!r}, which {base_name} does not know"
            )
        if alert in data.get("alerts", {}):
            raise BadRulesetError(f"{where}: {alert!r} stands in drop_alerts and in alerts")
        del alerts[alert]
    for key, value in data.items():
        if key in ("alerts", "clauses", "entered"):
            base.setdefault(key, {}).update(value)
        elif isinstance(value, dict) and isinstance(base.get(key), dict):
            base[key].update(value)
        else:
            base[key] = value
    return base


def _build(where: str, data: dict[str, Any]) -> Ruleset:
    try:
        ruleset = Ruleset.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadRulesetError(f"{where}: {place}: {first['msg']}") from None
    for check in (_check_alerts, _check_clauses, _check_values):
        problem = check(ruleset)
        if problem:
            raise BadRulesetError(f"{where}: {problem}")
    return ruleset


def _check_alerts(ruleset: Ruleset) -> str | None:
    for alert, rule in ruleset.alerts.items():
        if alert not in ALERT_IDS:
            return f"alerts.{alert}: no such alert id"
        seen: dict[tuple[str | None, int | None], int] = {}
        stages = {entry.stage for entry in rule.rulings}
        if None in stages and len(stages) > 1 and rule.rulings[-1].stage is not None:
            return f"alerts.{alert}: the entry without stage has to be the last one"
        for number, entry in enumerate(rule.rulings):
            place = f"alerts.{alert}.rulings[{number}]"
            key = (entry.stage, entry.count)
            if key in seen:
                return f"{place} contradicts alerts.{alert}.rulings[{seen[key]}]: same stage, count"
            if entry.count is None and any(k[0] == entry.stage for k in seen):
                other = next(n for k, n in seen.items() if k[0] == entry.stage)
                return f"{place} without count contradicts alerts.{alert}.rulings[{other}]"
            if entry.count is not None and (entry.stage, None) in seen:
                other = seen[(entry.stage, None)]
                return f"{place} with count contradicts alerts.{alert}.rulings[{other}]"
            seen[key] = number
            problem = _check_entry(entry)
            if problem:
                return f"{place}: {problem}"
        for stage in stages:
            counts = sorted(e.count for e in rule.rulings if e.stage == stage and e.count)
            if counts and counts != list(range(1, len(counts) + 1)):
                return f"alerts.{alert}: counts of stage {stage!r} do not run 1, 2, … ({counts})"
    return None


def _check_entry(entry: RulingEntry) -> str | None:
    if entry.points == 0 and entry.pay in (Pay.EACH, Pay.VICTIM) and not entry.points_max:
        return f"pay = {entry.pay.value!r} contradicts points = 0"
    if entry.points_max is not None and entry.points_max < entry.points:
        return f"points_max = {entry.points_max} contradicts points = {entry.points}"
    if entry.play_along and not entry.stop_win:
        return "play_along = true contradicts stop_win = false"
    if entry.void and entry.play_along:
        return "void = true contradicts play_along = true"
    return None


def _check_clauses(ruleset: Ruleset) -> str | None:
    sections = {
        name: getattr(ruleset, name)
        for name in type(ruleset).model_fields
        if isinstance(getattr(ruleset, name), object)
    }
    for path in ruleset.clauses:
        section, _, key = path.partition(".")
        holder = sections.get(section)
        fields: Any = getattr(type(holder), "model_fields", holder or {})
        if holder is None or key not in fields:
            return f"clauses.{path!r}: there is no such value"
    return None


def _check_values(ruleset: Ruleset) -> str | None:
    kit = ruleset.equipment
    stood = kit.stacks_per_side * 2 * 4
    if ruleset.family == "mcr" and stood != kit.tiles:
        return (
            f"equipment.stacks_per_side = {kit.stacks_per_side} contradicts "
            f"equipment.tiles = {kit.tiles} (four walls hold {stood})"
        )
    if kit.flowers == 0 and ruleset.opening.flower_order != "none":
        return "opening.flower_order contradicts equipment.flowers = 0"
    if len(ruleset.tournament.standard_points) != kit.players:
        return (
            f"tournament.standard_points has {len(ruleset.tournament.standard_points)} values, "
            f"equipment.players = {kit.players}"
        )
    if "win" not in ruleset.stop_win.bars:
        return "stop_win.bars must hold 'win': alerts.*.stop_win means nothing without it"
    return None
