"""Makes the pictures of the referee's guide, in three languages: part of `make pictures`.

A game of the virtual table is recorded, then watched from its pictures as a real table would be,
at the pace the machine allows, so that the pictures do not depend on how busy it is. Needs Chromium
and the development dependencies.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from table_controller.app.running.live import LiveRun
from table_controller.config import Config
from table_controller.record.recording import read_header

OUT = Path(__file__).parent / "pictures" / "guide"
ARGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
LANGUAGES = ("en", "zh", "ja")
LANDSCAPE = {"width": 1280, "height": 800}
PORTRAIT = {"width": 800, "height": 1280}
REFEREE = {"en": "Li", "zh": "李", "ja": "李"}


def recorded(folder: Path) -> Path:
    """A recording of a game with infractions."""
    command = [sys.executable, "-P", "-m", "hardware.virtual_table", "--record", str(folder)]
    subprocess.run([*command, "--seed", "11"], check=True, capture_output=True)  # noqa: S603 - our own program
    return folder


def thinned(folder: Path, place: Path, every: int = 3) -> Path:
    """The same recording with a third of its pictures: enough to follow the game, and quicker."""
    place.mkdir(parents=True)
    for path in folder.iterdir():
        if path.is_dir():
            (place / path.name).mkdir()
            lines = (folder / f"{path.name}.csv").read_text().splitlines()
            kept = ["frame,t"]
            for number, line in enumerate(lines[1::every]):
                frame, t = line.split(",")
                picture = next(path.glob(f"*{int(frame):06d}.*"))
                (place / path.name / f"{number:06d}{picture.suffix}").symlink_to(picture)
                kept.append(f"{number},{t}")
            (place / f"{path.name}.csv").write_text("\n".join(kept) + "\n")
        elif path.suffix != ".csv":
            shutil.copyfile(path, place / path.name)
    return place


def config_of(folder: Path, session: Path) -> Config:
    """The configuration of a table whose camera is the recording."""
    header = read_header(folder)
    names = [path.stem for path in folder.glob("*.csv")]
    films = {path.stem: path for path in folder.iterdir() if path.suffix != ".csv"}
    camera = [
        {
            "name": name,
            "source": str(films[name]),
            "times": str(folder / f"{name}.csv"),
            "calibration": str(folder / "recording.toml"),
        }
        for name in names
    ]
    data = {
        "ruleset": header.ruleset,
        "east": header.east,
        "table": {"geometry": str(folder / "geometry.toml")},
        "camera": camera,
        "record": {"dir": str(session)},
        "console": {"port": 0},
    }
    return Config.check(data, origin="guide", base=folder)


def save(page: Page, name: str) -> None:
    """A picture with few colours, small enough to keep."""
    path = OUT / f"{name}.png"
    page.screenshot(path=str(path))
    Image.open(path).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def photograph(browser: Browser, url: str, lang: str) -> None:
    """Every flow of the guide in one language."""
    page = browser.new_page(viewport=LANDSCAPE, color_scheme="light")
    page.set_default_timeout(120_000)
    page.add_init_script(
        f"localStorage.setItem('lang', '{lang}'); localStorage.setItem('by', '{REFEREE[lang]}')"
    )
    page.goto(url)
    page.locator("#seats li").nth(3).wait_for()
    page.click("#tab-alerts")
    page.wait_for_timeout(1500)
    save(page, f"alerts-{lang}")
    card = page.locator(".alert .actions").first
    card.locator("button").nth(1).click()
    page.wait_for_timeout(300)
    save(page, f"change-{lang}")
    page.keyboard.press("Escape")
    card.locator("button").nth(3).click()
    page.wait_for_timeout(300)
    save(page, f"protest-{lang}")
    page.keyboard.press("Escape")
    page.click("#tab-hand")
    page.wait_for_timeout(600)
    save(page, f"hand-{lang}")
    page.click("#tab-moves")
    rows = page.locator("#moves li button.plain")
    rows.nth(6).wait_for()
    rows.nth(6).click()
    page.wait_for_timeout(1000)
    save(page, f"moves-{lang}")
    page.click("#live-again")
    page.click("#tab-session")
    page.locator("#session button.main").wait_for()
    save(page, f"session-{lang}")
    page.locator("#session button.main").click()
    page.wait_for_timeout(400)
    save(page, f"offence-{lang}")
    page.keyboard.press("Escape")
    page.set_viewport_size(PORTRAIT)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.click("#tab-hand")
    page.wait_for_timeout(600)
    save(page, f"tablet-{lang}")
    page.close()


def main(recording: Path | None = None) -> int:
    """Record (unless there is a recording), watch, photograph."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.stderr.write("make pictures: needs chromium\n")
        return 2
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        folder = recording or recorded(Path(place) / "game")
        folder = thinned(folder.resolve(), Path(place) / "thinned")
        run = LiveRun(config_of(folder, Path(place) / "session"), title="guide", live=False)
        try:
            while not run.ended:
                run.step()
            run.finish()  # a recording ends with the hand still in question: say what is known
            # The recording has a clock of its own: count from its beginning.
            run.hub.publish("table", {**run.hub.snapshot()["table"], "start": 0.0})
            assert run.server is not None
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
                for lang in LANGUAGES:
                    photograph(browser, run.server.url, lang)
                browser.close()
        finally:
            run.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
