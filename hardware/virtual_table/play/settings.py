"""How a session is filmed and what goes wrong with the filming: ``[view]`` and ``[degraded]``.

Both are tables of a scenario file and, with the same names, switches of the program
(``--degrade flicker=0.3 dropped=0.2``). Everything left out is as it should be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final


class BadSettingError(ValueError):
    """A value that cannot be used; the message names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the cameras are and what the table looks like.

    Attributes:
        cameras: one over the middle, or two side by side.
        size: width and height of the pictures, pixels.
        fps: pictures a second.
        height_mm: of the cameras over the felt.
        look: number of another light, felt and tile design; None: the plain one.
        scale: factor on all lengths of the table, tiles included.
        surface_mm: side of the playing surface; hands and sets keep their distance to the rail.
    """

    cameras: int = 1
    size: tuple[int, int] = (1920, 1080)
    fps: float = 10.0
    height_mm: float = 1300.0
    look: int | None = None
    scale: float = 1.0
    surface_mm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Degraded:
    """What goes wrong with the filming; times in seconds of the session.

    Attributes:
        flicker: amplitude of the lamp's flicker, 0.3 is ±30%; ``flicker_hz`` as filmed.
        dropped: share of the pictures that never come.
        motion_blur: factor on the exposure time.
        moved_at: when somebody knocks a camera; its stated pose stays as it was.
        moved_mm: how far it is pushed along x.
        lost_at: when a camera is lost for good.
        camera: the number of the camera that is moved or lost, the last one by default.
        arm_at: when an arm comes to rest over a quarter of the table, for ``arm_s``.
        arm_side: whose; the quarter is the one at its right.
    """

    flicker: float = 0.0
    flicker_hz: float = 1.7
    dropped: float = 0.0
    motion_blur: float = 1.0
    moved_at: float | None = None
    moved_mm: float = 5.0
    lost_at: float | None = None
    camera: int | None = None
    arm_at: float | None = None
    arm_s: float = 5.0
    arm_side: int = 0


_LIMITS: Final[dict[str, tuple[float, float]]] = {
    "cameras": (1, 2),
    "fps": (0.1, 60.0),
    "height_mm": (700.0, 3000.0),
    "look": (0, 10**9),
    "scale": (0.5, 2.0),
    "surface_mm": (500.0, 1500.0),
    "flicker": (0.0, 0.4),
    "flicker_hz": (0.1, 50.0),
    "dropped": (0.0, 0.9),
    "motion_blur": (0.1, 10.0),
    "moved_at": (0.0, 1e6),
    "moved_mm": (-100.0, 100.0),
    "lost_at": (0.0, 1e6),
    "camera": (0, 1),
    "arm_at": (0.0, 1e6),
    "arm_s": (0.1, 600.0),
    "arm_side": (0, 3),
}
_WHOLE: Final = frozenset({"cameras", "look", "camera", "arm_side"})


def _number(name: str, value: object) -> float | int:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadSettingError(f"{name}: expected a number")
    if name in _WHOLE and not isinstance(value, int):
        raise BadSettingError(f"{name}: expected a whole number")
    low, high = _LIMITS[name]
    if not low <= value <= high:
        raise BadSettingError(f"{name}: expected {low:g} to {high:g}")
    return value if name in _WHOLE else float(value)


def picture_size(value: object) -> tuple[int, int]:
    """``"1920x1080"`` or ``[1920, 1080]`` as numbers.

    Raises:
        BadSettingError: when it is neither, or too small.
    """
    parts = value.lower().split("x") if isinstance(value, str) else value
    try:
        if not isinstance(parts, list):
            raise TypeError
        width, height = (int(part) for part in parts)
    except (TypeError, ValueError):
        raise BadSettingError(f"size: expected WIDTHxHEIGHT, got {value}") from None
    if min(width, height) < 240 or width % 2 or height % 2:
        raise BadSettingError(f"size: expected even numbers from 240, got {value}")
    return width, height


def _values(table: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    names = set(known)
    for name, value in table.items():
        if name not in names:
            raise BadSettingError(f"unknown key {name!r}")
        found[name] = picture_size(value) if name == "size" else _number(name, value)
    return found


def view_with(view: View, table: Mapping[str, Any]) -> View:
    """The view with what a table says otherwise.

    Raises:
        BadSettingError: naming what is wrong.
    """
    return replace(view, **_values(table, (each.name for each in fields(View))))


def degraded_with(degraded: Degraded, table: Mapping[str, Any]) -> Degraded:
    """The same with what a table says otherwise.

    Raises:
        BadSettingError: naming what is wrong.
    """
    return replace(degraded, **_values(table, (each.name for each in fields(Degraded))))


def table_of(switches: Iterable[str]) -> dict[str, Any]:
    """``name=value`` switches as a table.

    Raises:
        BadSettingError: where one is none.
    """
    found: dict[str, Any] = {}
    for switch in switches:
        name, equals, text = switch.partition("=")
        try:
            value = float(text)
        except ValueError:
            equals = ""
        if not equals:
            raise BadSettingError(f"{switch!r}: expected NAME=NUMBER")
        found[name] = int(value) if name in _WHOLE and value.is_integer() else value
    return found
