"""How fast the virtual camera is: milliseconds a frame, on one thread.

``python -m hardware.virtual_table.bench`` prints the table; :func:`run` returns it.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import cv2
import numpy as np

from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.renderer import Annotator, Renderer, random_scene
from hardware.virtual_table.camera.stream import encode
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import ArmBody, Scene

SIZES = {"1080p": (1920, 1080), "2160p": (3840, 2160)}


@dataclass(frozen=True, slots=True)
class Timing:
    """Time of one kind of work over ``count`` repetitions, ms.

    ``median_ms`` and ``p95_ms`` are by the clock; ``cpu_ms``, the median of the processor's time,
    also holds on a machine that is busy with other things.
    """

    what: str
    size: str
    median_ms: float
    p95_ms: float
    cpu_ms: float
    count: int


def _timed(what: str, size: str, count: int, work: Callable[[int], object]) -> Timing:
    for i in range(3):
        work(i)
    times, used = [], []
    for i in range(count):
        start, start_cpu = time.perf_counter(), time.thread_time()
        work(i + 3)
        used.append((time.thread_time() - start_cpu) * 1000)
        times.append((time.perf_counter() - start) * 1000)
    return Timing(
        what,
        size,
        float(np.median(times)),
        float(np.percentile(times, 95)),
        float(np.median(used)),
        count,
    )


def _table(layout: Layout) -> Scene:
    """A table in the middle of a game without arms."""
    rng = np.random.default_rng(11)
    scenes = (random_scene(rng, layout) for _ in range(30))
    return replace(max(scenes, key=lambda scene: len(scene.tiles)), arms=())


def _moving(still: Scene, i: int) -> Scene:
    """An arm carries one tile across the table."""
    phase = i * 0.1
    x, y = 230 * math.cos(phase), 200 * math.sin(phase)
    carried = replace(
        still.tiles[-1], x=x, y=y, z=42.0, speed=500.0, heading=math.degrees(phase) + 90
    )
    arm = ArmBody(0, x, y, 48.0, (60.0, -430.0), 0.8, 500.0, math.degrees(phase) + 90)
    return replace(still, t=i / 10, tiles=(*still.tiles[:-1], carried), arms=(arm,))


def run(count: int = 40, sizes: tuple[str, ...] = ("1080p", "2160p")) -> list[Timing]:
    """Measure; ``count`` repetitions of each kind of work (a quarter for a full redraw)."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        out = []
        for name in sizes:
            out += _measure(name, count)
        return out
    finally:
        cv2.setNumThreads(threads)


def _measure(name: str, count: int) -> list[Timing]:
    layout = Layout.named("mcr")
    camera = overhead(SIZES[name], across_mm=layout.surface + 130)
    renderer = Renderer(camera, layout)
    annotator = Annotator(camera, layout)
    still = _table(layout)
    buffer = renderer.render(still).copy()
    shifted = replace(still, tiles=tuple(replace(tile, x=tile.x + 0.5) for tile in still.tiles))
    return [
        _timed("idle", name, count, lambda i: renderer.render(replace(still, t=i / 10), buffer)),
        _timed("one tile and an arm move", name, count,
               lambda i: renderer.render(_moving(still, i), buffer)),
        _timed("everything moves", name, max(count // 4, 3),
               lambda i: renderer.render((still, shifted)[i % 2], buffer)),
        _timed("JPEG", name, count, lambda _: encode(buffer)),
        _timed("truth", name, max(count // 4, 3), lambda i: annotator.annotate(_moving(still, i))),
    ]  # fmt: skip


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m hardware.virtual_table.bench")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--size", choices=sorted(SIZES), action="append")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    timings = run(options.count, tuple(options.size or SIZES))
    if options.json:
        print(json.dumps([asdict(timing) for timing in timings]))
        return
    print(f"{'':26}{'size':>7}{'median ms':>11}{'p95 ms':>9}{'CPU ms':>9}")
    for timing in timings:
        print(
            f"{timing.what:26}{timing.size:>7}{timing.median_ms:11.1f}{timing.p95_ms:9.1f}{timing.cpu_ms:9.1f}"
        )


if __name__ == "__main__":
    main()
