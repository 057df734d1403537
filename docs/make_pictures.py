"""Makes the pictures of the README from a real run of the demo: `make pictures`.

Needs Chromium and the development dependencies. Nothing in the pictures is drawn by hand: the
console is photographed while the demo runs, the terminal view is the one of that run, and the
frame carries what was read in it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console

from table_controller.app.running.live import LiveRun
from table_controller.app.table.listeners import Quiet
from table_controller.app.table.terminal import LiveScreen
from table_controller.app.virtual import demo as demo_module
from table_controller.app.virtual.demo import Demo, DemoOptions
from table_controller.domain.outputs import Alert, HandRecord, Output
from vision.cameras.sources import Frame
from vision.sightings import Posture, Sighting

OUT = Path(__file__).parent / "pictures"
ARGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
OVERLAY_AFTER = 16
"""Discards on the table in the frame that is shown."""


class Photographer(Quiet):
    """Takes the pictures at the right moments of the run."""

    def __init__(self, run: LiveRun, browser: Browser) -> None:
        self._run = run
        self._page: Page = browser.new_page(viewport={"width": 1280, "height": 800})
        assert run.server is not None
        self._page.goto(run.server.url)
        self._alerts = 0
        self._shown = False
        self._due: list[tuple[float, str, str]] = []

    def output(self, output: Output, key: str | None) -> None:  # noqa: ARG002
        """Plan a picture of the console a moment after what is worth it."""
        if isinstance(output, Alert):
            self._alerts += 1
            if self._alerts == 3:
                self._due.append((output.t_raised + 3.0, "#tab-alerts", "console"))
        if isinstance(output, HandRecord):
            self._due.append((output.t + 0.5, "#tab-hand", "console-hand"))

    def frame(self, frame: Frame, sighting: Sighting | None) -> None:
        """Take what is due."""
        while self._due and self._due[0][0] <= frame.t:
            _, tab, name = self._due.pop(0)
            self.shoot(tab, name)
        discards = sum(h.kind == "tile_discarded" for h in self._run.collected.happenings)
        if not self._shown and discards >= OVERLAY_AFTER and sighting is not None:
            self._shown = True
            picture = overlay(frame, sighting)
            cv2.imwrite(str(OUT / "frame.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 85])

    def shoot(self, tab: str, name: str) -> None:
        """Photograph the console."""
        self._page.click(tab)
        self._page.wait_for_timeout(300)
        self._page.screenshot(path=str(OUT / f"{name}.png"))

    def finish(self) -> None:
        """The last pictures: the hand, in Chinese and dark."""
        for _, tab, name in self._due:
            self.shoot(tab, name)
        self._page.select_option("#lang", "zh")
        self._page.click("#theme")
        self.shoot("#tab-hand", "console-zh-dark")


def overlay(frame: Frame, sighting: Sighting) -> np.ndarray[Any, Any]:
    """The frame with the outline and the reading of every tile."""
    picture = frame.image.copy()
    colours = {Posture.FACE_UP: (80, 220, 255), Posture.FACE_DOWN: (200, 160, 60)}
    for tile in sighting.tiles:
        quad = np.array(tile.quad, np.float32)
        colour = colours.get(tile.posture, (180, 180, 180))
        cv2.polylines(picture, [quad.astype(np.int32)], True, colour, 1, cv2.LINE_AA)
        if tile.faces and tile.posture is Posture.FACE_UP:
            x, y = quad.mean(0)
            place = (int(x) - 10, int(y) + 4)
            cv2.putText(picture, tile.faces[0][0], place, 0, 0.42, (0, 0, 0), 3, cv2.LINE_AA)
            cv2.putText(picture, tile.faces[0][0], place, 0, 0.42, colour, 1, cv2.LINE_AA)
    return picture[:, 380:1540]


def terminal(run: LiveRun, browser: Browser) -> None:
    """The terminal view of the run, as a picture."""
    console = Console(record=True, width=150, height=44, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    screen = LiveScreen(console, lambda: run.started, "virtual table · mcr-1998")
    screen.pause()
    middle = run.collected.alerts[-1].t_raised + 2 if run.collected.alerts else run.controller.t
    for move in run.collected.moves:
        if move.t <= middle:
            screen.move(move)
    for alert in run.collected.alerts:
        screen.alert(alert)
    screen.status({"time": f"{middle - run.started:.0f} s", "top": True, "machine": True})
    console.print(screen.drawn())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "terminal.svg"
        path.write_text(console.export_svg(title="paiguan demo"), encoding="utf-8")
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(path.as_uri())
        page.screenshot(path=str(OUT / "terminal.png"))


def main() -> int:
    """Run the demo once and take all pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.stderr.write("make pictures: needs chromium\n")
        return 2
    OUT.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        photographers: list[tuple[LiveRun, Photographer]] = []

        class Photographed(LiveRun):
            def __init__(self, *args: Any, **more: Any) -> None:
                super().__init__(*args, **more)
                photographer = Photographer(self, browser)
                self.controller.add_listener(photographer)
                photographers.append((self, photographer))

            def close(self) -> None:
                for run, photographer in photographers:
                    if run is self and self.server is not None:
                        photographer.finish()
                super().close()

        demo_module.LiveRun = Photographed  # type: ignore[misc]
        report = Demo(DemoOptions(live=False)).run()
        terminal(photographers[0][0], browser)
        browser.close()
    return report.exit_code


if __name__ == "__main__":
    import make_guide

    raise SystemExit(main() or make_guide.main())
