"""The times of a recording that a command asks for: are there pictures at all?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from table_controller.app.errors import RunError
from vision.cameras.recorded import open_recording, read_times
from vision.tomlfile import read_toml

_INF: Final = float("inf")


def check_times(
    folder: Path, start: float | None, end: float | None, at: Sequence[float] = ()
) -> None:
    """Refuse times without a picture: nothing would come of them, and nobody would know why.

    Args:
        folder: the recording.
        start: first time, s; None: from the beginning.
        end: last time, s; None: to the end.
        at: moments between them; the first picture from each on is asked for.

    Raises:
        RunError: names the times asked for and those that there are.
        RecordingError, VisionInputError: the recording cannot be read.
    """
    if start is None and end is None and not at:
        return
    low, high = limits(start, end)
    lacking = [low, *at]
    for t in _times(folder):
        if low <= t <= high:
            # Compared this way round no time lies beside one that is none (NaN).
            lacking = [first for first in lacking if not t >= first]
        if not lacking:
            return
    raise no_picture(folder, lacking[0], high)


def limits(start: float | None, end: float | None) -> tuple[float, float]:
    """First and last time, s, where one of them may be left open."""
    return -_INF if start is None else start, _INF if end is None else end


def no_picture(folder: Path, low: float, high: float) -> RunError:
    """Says that a recording has no picture from ``low`` to ``high`` s, and which times it has."""
    times = list(_times(folder))
    first, last = min(times, default=float("nan")), max(times, default=float("nan"))
    asked = f"between {_exact(low)} and {_exact(high)} s"
    if high == _INF:
        asked = f"from {_exact(low)} s on"
    elif low == -_INF:
        asked = f"up to {_exact(high)} s"
    own = f"its own times run from {_exact(first)} to {_exact(last)} s"
    return RunError(f"{folder}: no picture {asked}: {own}")


def _times(folder: Path) -> Iterator[float]:
    """Of a recording's pictures, s, one camera after the other."""
    cameras = open_recording(folder)
    tables = read_toml(folder / "recording.toml")["camera"]
    for camera, table in zip(cameras, tables, strict=True):
        if "times" in table:
            yield from read_times(folder / table["times"]).values()
            continue
        try:
            yield from (frame.t for frame in camera.source)
        finally:
            camera.source.close()


def _exact(t: float) -> str:
    """A time as it is given on the command line: also one since 1970, to the millisecond."""
    return f"{t:.13g}"
