"""Makes the gallery of overlays from recorded games: `make gallery`.

Nothing is drawn by hand: the virtual table records the games named below, the controller replays
them, and the pictures are the ones that `paiguan replay --draw` writes.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2

from table_controller.app.running.replay import replay_recording
from table_controller.record.recording import read_header

OUT: Final = Path(__file__).parent / "gallery"
WIDTH: Final = 1300
LOOKS_AT: Final = (0.25, 0.6)
"""Shares of a game at which a picture is taken though nothing was said."""


FAULTS: Final = (
    "What is not right in them, looked at by eye:",
    "",
    (
        "- mcr-look-hand-00107.0: an outline on bare felt in the hand laid open, where a tile was "
        "turned over and taken a moment before;"
    ),
    (
        "- mcr-look-look-00063.7, sanma-look-00009.5: what is not looked at reaches far beyond the "
        "hand that moves, over felt that is bare;"
    ),
    (
        "- sanma-look-00009.5: the two dice beside the dealer's hand are not marked, and an "
        "outline lies in the gap of the wall that was just opened."
    ),
)
"""Looked through again whenever the pictures are made anew."""


@dataclass(frozen=True)
class Scene:
    """One game: what is put into it, and how it is filmed."""

    name: str
    ruleset: str
    seed: int
    ids: tuple[str, ...]
    switches: tuple[str, ...] = ()


SCENES: Final = (
    Scene("mcr", "mcr-1998", 71, ("premature-draw", "wall-break", "own-tile-exposed")),
    Scene("mcr-look", "mcr-1998", 72, ("pool-disturbed", "false-win"), ("--look", "5")),
    Scene("riichi", "riichi-xjtu-2025", 9000, ()),
    Scene("sanma", "riichi-xjtu-2025-sanma", 12000, ()),
)


def pictures(scene: Scene, work: Path) -> list[Path]:
    """The scene recorded and replayed; its pictures, in order of time."""
    folder, out = work / scene.name, work / f"{scene.name}-pictures"
    text = f"ruleset = {json.dumps(scene.ruleset)}\nseed = {scene.seed}\n"
    for at, name in enumerate(scene.ids, start=1):
        head = "[[hand]]\n" if at == 1 else ""
        text += f"{head}[[hand.infraction]]\nid = {json.dumps(name)}\nat = {4 * at}\n"
    scenario = work / f"{scene.name}.toml"
    scenario.write_text(text, encoding="utf-8")
    command = [sys.executable, "-P", "-m", "hardware.virtual_table", "--scenario", str(scenario)]
    subprocess.run([*command, "--record", str(folder), *scene.switches], check=True)  # noqa: S603
    read_header(folder)
    lines = (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    end = max(json.loads(line)["t"] for line in lines)
    replay_recording(folder, io.StringIO(), draw=out, at=[share * end for share in LOOKS_AT])
    return sorted(out.glob("*.jpg"))


def main() -> int:
    """Make all pictures and the page that shows them."""
    OUT.mkdir(exist_ok=True)
    for old in OUT.glob("*.jpg"):
        old.unlink()
    page = [
        "# What was seen",
        "",
        "Frames of the virtual table as the controller understood them, made by `make gallery`:",
        "green face up, with what was read; blue face down; violet standing; red not looked at;",
        "yellow dice; white sticks. Below each: the alert, and what was told last.",
        "",
        *FAULTS,
        "",
    ]
    with tempfile.TemporaryDirectory(prefix="paiguan-gallery-") as name:
        for scene in SCENES:
            page += [
                f"## {scene.ruleset}, seed {scene.seed} {' '.join(scene.switches)}".rstrip(),
                "",
            ]
            for path in pictures(scene, Path(name)):
                picture = cv2.imread(str(path))
                high, wide = picture.shape[:2]
                middle = picture[:, round(0.16 * wide) : round(0.84 * wide)]
                middle[round(0.89 * high) :] = picture[round(0.89 * high) :, : middle.shape[1]]
                size = (WIDTH, round(high * WIDTH / middle.shape[1]))
                small = cv2.resize(middle, size, interpolation=cv2.INTER_AREA)
                target = OUT / f"{scene.name}-{path.stem.partition('-')[2]}-{path.stem[:7]}.jpg"
                cv2.imwrite(str(target), small, [cv2.IMWRITE_JPEG_QUALITY, 80])
                page += [f"![{target.stem}](gallery/{target.name})", ""]
    (OUT.parent / "gallery.md").write_text("\n".join(page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
