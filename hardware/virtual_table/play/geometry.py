"""Tables of other sizes: a geometry file with all lengths scaled, or with a larger surface."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from hardware.virtual_table.play.settings import View

_LENGTHS: Final = ("offset", "pitch", "row_pitch", "column_pitch", "half", "centre", "gap")
_AT_THE_RAIL: Final = {
    "meld": ("offset", "right", "flowers_left"),
    "hand": ("offset", "from", "to"),
}
"""Lengths that keep their distance to the rail on a larger surface."""


def resized(source: Path, view: View) -> str | None:
    """The geometry file for the table of this view; None where it is the one that is there."""
    if view.scale == 1.0 and view.surface_mm is None:
        return None
    data = tomllib.loads(source.read_text(encoding="utf-8"))
    surface = data["surface_mm"] * view.scale
    more = 0.0 if view.surface_mm is None else (view.surface_mm - surface) / 2
    lines = [
        f"surface_mm = {_text(surface + 2 * more)}",
        f"tile_mm = [{', '.join(_text(each * view.scale) for each in data['tile_mm'])}]",
        f"stacks_per_side = {data['stacks_per_side']}",
    ]
    for part, values in data.items():
        if not isinstance(values, dict):
            continue
        lines += ["", f"[{part}]"]
        for name, value in values.items():
            lines.append(f"{name} = {_text(_length(part, name, value, view.scale, more))}")
    return "\n".join(lines) + "\n"


def _length(part: str, name: str, value: Any, scale: float, more: float) -> float | int:
    moves = name in _AT_THE_RAIL.get(part, ())
    if not moves and name not in _LENGTHS:
        return int(value)
    away = 0.0
    if moves and name != "to":
        away = -more if value < 0 else more
    return float(value * scale + away)


def _text(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
