"""``paiguan calibrate tiles`` and where its file goes: configuration, recording, replay, doctor."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from hardware.virtual_table.camera import block as blocks
from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.renderer import Look
from hardware.virtual_table.play.layout import Layout
from table_controller.app.errors import RunError
from table_controller.app.table.assemble import Rooms, header_of
from table_controller.app.technician import calibrate_tiles, doctor
from table_controller.cli import app
from table_controller.config import Config, ConfigError
from table_controller.record.recording import RecordingWriter, read_header
from tests.pictures import read
from vision.enrol import enrolment
from vision.enrol.names import Named, name_tiles
from vision.nets.enrolled import TileSet

DATA = blocks.GEOMETRY.parent


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A block of 12 by 9 under the camera, one tile missing."""
    faces = [str(face) for face in np.random.default_rng(5).permutation(blocks.whole_set(108))]
    faces[faces.index("5p")] = blocks.EMPTY
    layout = Layout.load(blocks.GEOMETRY)
    scene = blocks.block(faces, 12, layout)
    path = tmp_path_factory.mktemp("block") / "block.png"
    cv2.imwrite(str(path), blocks.photographs(scene, Look(), layout, overhead())[0])
    return path


def run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["calibrate", *map(str, words)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


@pytest.fixture(scope="module")
def stored(picture: Path) -> tuple[Path, dict[str, Any]]:
    """The set as the command stores it, and what it printed."""
    out, drawn = picture.with_name("tiles.json"), picture.with_name("seen.png")
    where = ("--image", picture, "--out", out, "--draw", drawn)
    code, text = run("tiles", *where, "--name", "hall", "--yes", "--json")
    assert code == 1  # something is wrong with this set
    assert drawn.stat().st_size > 10_000
    return out, json.loads(text)


def test_it_says_what_lies_where_and_what_is_missing(stored: tuple[Path, dict[str, Any]]) -> None:
    _, told = stored
    assert (told["rows"], told["columns"], told["set"]) == (9, 12, "108")
    assert len(told["tiles"]) == 107
    missing = [f for f in told["findings"] if f["fault"] == "missing"]
    assert [f["tile"] for f in missing] == ["5p"]
    rest = [f for f in told["findings"] if f not in missing]
    assert all(f["fault"] == "marked" and f["strength"] < 2 for f in rest)
    assert len(rest) <= 3


def test_nothing_is_stored_before_it_is_confirmed(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "tiles.json"
    code, text = run("tiles", "--image", picture, "--out", out, "--draw", tmp_path / "seen.png")
    assert code == 1
    assert "run it again with --yes" in text
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "give --image FILE"),
        (("--image", "x.png", "--flower", "3=5f"), "not ROW,COLUMN=FACE"),
        (("--image", "x.png", "--flower", "a,b=5f"), "not ROW,COLUMN=FACE"),
    ],
)
def test_bad_words_are_named(words: tuple[str, ...], says: str) -> None:
    with pytest.raises(RunError, match=says):
        run("tiles", *words)


def test_a_picture_is_still_one_for_the_camera() -> None:
    with pytest.raises(RunError, match="--sheet FILE"):
        run("sheet.png")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda p: (p * 0.12).astype(np.uint8), "too dark: brightest parts"),
        (lambda p: cv2.GaussianBlur(p, (0, 0), 3.0), "out of focus or moved: sharpness 2"),
        (lambda p: cv2.filter2D(p, -1, np.full((1, 9), 1 / 9)), "moved during the exposure"),
        (lambda p: np.clip(p.astype(int) + 225, 0, 255).astype(np.uint8), "too bright"),
    ],
    ids=["dark", "blurred", "moved", "bright"],
)
@pytest.mark.parametrize("which", ["--image", "--backs", "camera"])
def test_no_set_is_enrolled_from_a_picture_unfit_to_be_read(
    picture: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Any,
    says: str,
    which: str,
) -> None:
    bad = tmp_path / "bad.png"
    cv2.imwrite(str(bad), change(read(picture)))
    words = ["--image", picture, "--backs", bad] if which == "--backs" else ["--image", bad]
    if which == "camera":
        taken = read(bad), None
        monkeypatch.setattr(calibrate_tiles, "_from_camera", lambda *_: taken)
        words, bad = ["--config", config(tmp_path, None)], Path("the camera's picture")
    out, draw = tmp_path / "tiles.json", tmp_path / "seen.png"
    with pytest.raises(RunError, match=re.escape(f"{bad}: {says}")):
        run("tiles", *words, "--out", out, "--draw", draw, "--yes")
    assert not out.exists()
    assert not draw.exists()


@pytest.mark.parametrize("words", [("--out", "nodir/x.json"), ("--draw", "nodir/x.png")])
def test_a_place_that_cannot_be_written_is_said_first(
    picture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunError, match=f"{words[1]}: cannot be written there"):
        run("tiles", "--image", picture, *words)
    assert not list(tmp_path.iterdir())


def config(folder: Path, tiles: Path | None) -> Path:
    """A table's configuration."""
    path = folder / "table.toml"
    camera = overhead()
    lines = [
        'ruleset = "mcr-1998"',
        f'table = {{geometry = "{DATA / "geometry-mcr.toml"}"}}',
        *([] if tiles is None else [f'tiles = {{enrolled = "{tiles}"}}']),
        "[[camera]]",
        'name = "top"',
        'source = "frames"',
        f"size = {list(camera.size)}",
        f"K = {camera.K.tolist()}",
        f"dist = {camera.dist.tolist()}",
        f"R = {camera.R.tolist()}",
        f"t = {camera.t.tolist()}",
    ]
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_the_configuration_names_a_file_that_is_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"tiles\.enrolled: no such file"):
        Config.load(config(tmp_path, tmp_path / "nowhere.json"))
    assert Config.load(config(tmp_path, None)).tiles.enrolled is None


def test_a_recording_carries_the_set_and_replays_with_it(
    stored: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    loaded = Config.load(config(tmp_path, stored[0]))
    rooms = Rooms.of(loaded)
    assert rooms.tiles is not None
    folder = tmp_path / "recording"
    writer = RecordingWriter(
        folder, header_of(loaded, rooms), ["top"], loaded.table.geometry, loaded.tiles.enrolled
    )
    writer.close()
    assert (folder / "tiles.json").read_bytes() == stored[0].read_bytes()
    again = Rooms.of_recording(folder, read_header(folder))
    assert again.tiles is not None
    assert again.tiles.name == "hall"


def test_a_recording_whose_set_was_altered_is_not_replayed(
    stored: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    loaded = Config.load(config(tmp_path, stored[0]))
    folder = tmp_path / "recording"
    writer = RecordingWriter(
        folder,
        header_of(loaded, Rooms.of(loaded)),
        ["top"],
        loaded.table.geometry,
        loaded.tiles.enrolled,
    )
    writer.close()
    text = (folder / "tiles.json").read_text("utf-8").replace('"hall"', '"other"')
    (folder / "tiles.json").write_text(text, "utf-8")
    with pytest.raises(ValueError, match=r"tiles\.json: altered"):
        Rooms.of_recording(folder, read_header(folder))


def test_the_doctor_looks_at_the_set(stored: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    def said(tiles: Path | None) -> list[tuple[bool, str]]:
        loaded = Config.load(config(tmp_path, tiles))
        return [(check.good, check.found) for check in doctor.check_tiles(loaded)]

    assert said(None) == [(True, "no set enrolled: any set is read, less surely")]
    assert said(stored[0])[:2] == [
        (False, "107 tiles of 27 faces enrolled (hall)"),
        (False, "5p is missing"),
    ]
    unknown = config(tmp_path, stored[0])
    unknown.write_text(unknown.read_text("utf-8").replace("mcr-1998", "mcr-1898"), "utf-8")
    # That nobody knows the ruleset is said with the table; here it ends nothing.
    assert [check.found for check in doctor.check_tiles(Config.load(unknown))][1] == "5p is missing"
    broken = tmp_path / "tiles.json"
    broken.write_text("{}", "utf-8")
    (bad,) = said(broken)
    assert not bad[0]
    assert "is no tile set" in bad[1]


def test_a_name_that_was_confirmed_is_confirmed(
    picture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stored with ``--yes``, the set says no more that somebody should look at it."""

    def doubting(*args: Any, **more: Any) -> Named:
        named = name_tiles(*args, **more)
        return replace(named, sure=tuple(face != "1s" for face in named.faces))

    monkeypatch.setattr(enrolment, "name_tiles", doubting)
    out = tmp_path / "tiles.json"
    where = ("--image", picture, "--out", out, "--draw", tmp_path / "seen.png")
    code, text = run("tiles", *where, "--yes", "--json")
    asked = [f["says"] for f in json.loads(text)["findings"] if f["fault"] == "to be confirmed"]
    assert (code, len(asked)) == (1, 1)
    found = [check.found for check in doctor.check_tiles(Config.load(config(tmp_path, out)))]
    assert found[1] == "5p is missing"
    assert not set(asked) & set(found)


def test_the_camera_s_own_pictures_will_do(
    picture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five frames at rest are averaged; a hand that moves is waited for."""
    from table_controller.app.technician import calibrate_tiles
    from vision.photo.picture import load_picture

    still = load_picture(picture)
    arm = still.copy()
    arm[200:800, 700:1100] = 60
    frames = iter([arm, still, arm, *[still] * 5])

    class Camera:
        ended = False

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            return None

        def next(self, timeout: float | None = None) -> SimpleNamespace:
            return SimpleNamespace(image=next(frames))

    monkeypatch.setattr(calibrate_tiles, "open_source", lambda *_, **__: Camera())
    out = tmp_path / "tiles.json"
    where = ("--config", config(tmp_path, None), "--out", out, "--draw", tmp_path / "a.png")
    code, _ = run("tiles", *where, "--yes")
    assert code == 1
    assert TileSet.load(out).tiles == 107
    with pytest.raises(RunError, match="no camera 'side'"):
        run("tiles", "--config", config(tmp_path, None), "--camera", "side")
