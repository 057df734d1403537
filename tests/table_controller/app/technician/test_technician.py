"""What a technician does: the sheet, a calibration, the doctor, an actuator."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from firmware_bridge.port import Candidate
from hardware.virtual_table.play.layout import packaged_geometry
from table_controller.app.errors import RunError
from table_controller.app.technician import doctor
from table_controller.cli import app
from tests.pictures import read
from tests.table_controller.app.bench import Bench
from vision.calibration.board import Board
from vision.calibration.camera import CameraModel, camera_toml, load_cameras
from vision.calibration.fit import corners_of
from vision.errors import VisionInputError
from vision.image import Image

SIZE = (1280, 960)
K = np.array([[1100.0, 0, 640], [0, 1100.0, 480], [0, 0, 1]])
RUN = CliRunner()


def photograph(path: Path, camera: CameraModel, surface: float | None = None) -> None:
    """The sheet lying in the middle of the table, as the camera sees it."""
    board = Board()
    scale = 4.0
    flat = board.picture(scale)
    width, height = board.size_mm
    corners = [(-width / 2, height / 2, 0), (width / 2, height / 2, 0)]
    corners += [(width / 2, -height / 2, 0), (-width / 2, -height / 2, 0)]
    source = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    source *= flat.shape[::-1]
    matrix = cv2.getPerspectiveTransform(source, camera.project(corners).astype(np.float32))
    image = cv2.warpPerspective(flat, matrix, SIZE, borderValue=200, flags=cv2.INTER_AREA)
    if surface is not None:
        rails = np.full(image.shape, 255, np.uint8)
        felt = np.round(camera.project(corners_of(surface)) * 16).astype(np.int32)
        cv2.fillPoly(rails, [felt], 0, cv2.LINE_AA, 4)
        image = (image - rails * 0.5).clip(0, 255).astype(np.uint8)
    cv2.imwrite(str(path), image)


def camera(turn: tuple[float, float, float], at: tuple[float, float, float]) -> CameraModel:
    rotation = np.asarray(cv2.Rodrigues(np.radians(turn))[0], np.float64)
    return CameraModel("top", SIZE, K, np.zeros(5), rotation, np.array(at))


TRUTH = camera((180.0, 0, 0), (3.0, -5.0, 600.0))


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The sheet, held at different places and slants."""
    folder = tmp_path_factory.mktemp("held")
    rng = np.random.default_rng(1)
    pictures = []
    for number in range(12):
        turn = (180.0 + rng.uniform(-28, 28), *rng.uniform(-22, 22, 2))
        at = (*rng.uniform(-110, 110, 2), rng.uniform(380, 520))
        pictures.append(folder / f"{number}.png")
        photograph(pictures[-1], camera(turn, at))
    return pictures


def calibrating(pictures: list[Path], folder: Path) -> list[str]:
    """The command line, with the sheet on the table in table.png."""
    arguments = ["calibrate", *map(str, pictures), "--table", str(folder / "table.png")]
    return [
        *arguments,
        *("--surface", "480", "--name", "top", "--out", str(folder / "calibration.toml")),
    ]


def test_a_camera_is_calibrated_from_pictures_of_the_sheet(
    tmp_path: Path, held: list[Path]
) -> None:
    truth = TRUTH
    photograph(tmp_path / "table.png", truth, 480.0)
    out = tmp_path / "calibration.toml"
    arguments = calibrating(held, tmp_path)
    done = RUN.invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = load_cameras(out)["top"]
    # Place and lens can make up for each other a little; what counts is where things are seen.
    felt = [(x, y, 0) for x in (-80, 0, 80) for y in (-110, 0, 110)]
    # 1.5 mm: as exactly as rails are built.
    assert np.abs(found.project(felt) - truth.project(felt)).max() < 1.5 * truth.px_per_mm()
    assert found.position == pytest.approx(truth.position, abs=15)
    corners = corners_of(480.0)
    seen = found.to_table(truth.project(corners), 0.0)
    assert np.linalg.norm(seen - corners[:, :2], axis=1).max() < 1.6
    assert "known within" in done.output
    assert "upside down" not in done.output
    with pytest.raises(RunError, match="'top' is there already"):
        RUN.invoke(app, arguments, catch_exceptions=False)


def test_the_picture_of_the_table_may_be_the_one_that_is_kept(
    tmp_path: Path, held: list[Path]
) -> None:
    kept = tmp_path / "calibration-top.jpg"
    photograph(kept, TRUTH, 480.0)
    before = kept.read_bytes()
    arguments = [str(kept) if "table.png" in word else word for word in calibrating(held, tmp_path)]
    done = RUN.invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert kept.read_bytes() == before
    assert "top" in load_cameras(tmp_path / "calibration.toml")


def test_no_calibration_is_written_without_the_picture_it_rests_on(
    tmp_path: Path, held: list[Path]
) -> None:
    photograph(tmp_path / "table.png", TRUTH, 480.0)
    (tmp_path / "calibration-top.jpg").mkdir()
    with pytest.raises(OSError, match="calibration-top"):
        RUN.invoke(app, calibrating(held, tmp_path), catch_exceptions=False)
    assert not (tmp_path / "calibration.toml").exists()


def written(folder: Path) -> set[str]:
    """What lies in a folder beside the pictures that were given."""
    return {path.name for path in folder.iterdir()} - {"table.png", "walls.png", "w.toml"}


@pytest.mark.parametrize(
    ("there", "name", "says"),
    [
        ("garbage ===", "top", r"calibration\.toml: not TOML"),
        (b"\xff\xfe\x00", "top", r"calibration\.toml: not TOML"),
        ('[[camera]]\nname = "other"\n', "top", r"calibration\.toml: camera\.0: size: missing"),
        ("", "", "'': no name for a camera"),
        ("", "a/b", "'a/b': no name for a camera"),
        ("", 'lef"t', "no name for a camera"),
        ("", "a\nb", "no name for a camera"),
    ],
)
def test_a_file_that_is_no_calibration_is_left_as_it_is(
    tmp_path: Path, held: list[Path], there: str | bytes, name: str, says: str
) -> None:
    photograph(tmp_path / "table.png", TRUTH, 480.0)
    out = tmp_path / "calibration.toml"
    out.write_bytes(there if isinstance(there, bytes) else there.encode())
    before = out.read_bytes()
    arguments = [name if word == "top" else word for word in calibrating(held, tmp_path)]
    with pytest.raises((VisionInputError, RunError), match=says):
        RUN.invoke(app, arguments, catch_exceptions=False)
    assert out.read_bytes() == before
    assert written(tmp_path) == {"calibration.toml"}


def test_a_name_in_a_comment_is_no_camera(tmp_path: Path, held: list[Path]) -> None:
    photograph(tmp_path / "table.png", TRUTH, 480.0)
    out = tmp_path / "calibration.toml"
    old = camera_toml(TRUTH).replace('name = "top"', 'name = "old"')
    out.write_text(f'# name = "top" was removed\n{old.rstrip()}')
    done = RUN.invoke(app, calibrating(held, tmp_path), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert list(load_cameras(out)) == ["old", "top"]
    assert out.read_text().startswith("# name")


@pytest.mark.parametrize("out", ["there", "nowhere/cameras.toml"])
def test_a_place_that_cannot_be_written_is_said_first(
    tmp_path: Path, held: list[Path], out: str
) -> None:
    (tmp_path / "there").mkdir()
    photograph(tmp_path / "table.png", TRUTH, 480.0)
    arguments = [*calibrating(held, tmp_path)[:-1], str(tmp_path / out)]
    with pytest.raises(RunError, match=r"is a folder|no folder"):
        RUN.invoke(app, arguments, catch_exceptions=False)
    assert written(tmp_path) == {"there"}


def test_the_walls_are_checked_before_anything_is_written(tmp_path: Path, held: list[Path]) -> None:
    photograph(tmp_path / "table.png", TRUTH, 480.0)
    cv2.imwrite(str(tmp_path / "walls.png"), np.full((*SIZE[::-1], 3), 90, np.uint8))
    arguments = [*calibrating(held, tmp_path), "--walls", str(tmp_path / "walls.png")]
    with pytest.raises(VisionInputError, match=r"none\.toml"):
        RUN.invoke(
            app, [*arguments, "--geometry", str(tmp_path / "none.toml")], catch_exceptions=False
        )
    assert written(tmp_path) == set()
    geometry = str(packaged_geometry("mcr"))
    done = RUN.invoke(app, [*arguments, "--geometry", geometry], catch_exceptions=False)
    said = " ".join(done.output.split())
    assert done.exit_code == 1
    assert "no wall was seen, 2 are needed" in said
    assert "+0.0 mm" not in said
    assert "nothing was written to" in said
    assert written(tmp_path) == set()


def test_the_odd_pictures_are_left_out_by_name(tmp_path: Path, held: list[Path]) -> None:
    photograph(tmp_path / "table.png", TRUTH, 480.0)
    small = cv2.resize(read(held[3]), (640, 480), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(tmp_path / "small.png"), small)
    arguments = calibrating([*held[:2], tmp_path / "small.png", *held[2:]], tmp_path)
    done = RUN.invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "left out small.png: 640x480, most are 1280x960" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--surface", "nan"], "--surface nan"),
        (["--surface", "inf"], "--surface inf"),
        (["--surface", "-480"], "--surface -480"),
        (["--surface", "0"], "--surface 0"),
        (["--at", "3"], "--at '3': two numbers"),
        (["--corner", "nan,3"], "--corner 'nan,3': two numbers"),
        (["--corner", "9,9"] * 4, r"a corner at 9,9 is \d+ mm from where the sheet says"),
        (["--walls", "walls.png"], "--walls needs --geometry"),
    ],
)
def test_what_was_typed_wrongly_is_said_in_one_line(
    tmp_path: Path, held: list[Path], more: list[str], says: str
) -> None:
    photograph(tmp_path / "table.png", TRUTH, 480.0)
    with pytest.raises((RunError, VisionInputError), match=says) as raised:
        RUN.invoke(app, [*calibrating(held, tmp_path), *more], catch_exceptions=False)
    assert "\n" not in str(raised.value)
    assert written(tmp_path) == set()


def turned(image: Image) -> Image:
    return image[::-1, ::-1]


def test_a_camera_that_hangs_upside_down_is_said(tmp_path: Path, held: list[Path]) -> None:
    photograph(tmp_path / "table.png", TRUTH, 480.0)
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), turned(read(path)))
    done = RUN.invoke(app, calibrating(held, tmp_path), catch_exceptions=False)
    assert "camera top hangs upside down, or the sheet lay the wrong way round" in " ".join(
        done.output.split()
    )


def halved(image: Image) -> Image:
    half = (SIZE[0] // 2, SIZE[1] // 2)
    return np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA), np.uint8)


def emptied(image: Image) -> Image:
    return np.full_like(image, 90)


@pytest.mark.parametrize(
    ("number", "change", "words"),
    [
        (3, None, r"3 usable pictures of the board, 8 are needed$"),
        (12, halved, r"table\.png: 640x480, the pictures of the held sheet are 1280x960: take"),
        (12, emptied, r"table\.png: no board in it"),
    ],
    ids=["too few", "another size", "no sheet on the table"],
)
def test_pictures_that_cannot_be_used(
    tmp_path: Path,
    held: list[Path],
    number: int,
    change: Callable[[Image], Image] | None,
    words: str,
) -> None:
    photograph(tmp_path / "table.png", TRUTH, 480.0)
    if change is not None:
        path = tmp_path / "table.png"
        cv2.imwrite(str(path), change(read(path)))
    with pytest.raises(VisionInputError, match=words):
        RUN.invoke(app, calibrating(held[:number], tmp_path), catch_exceptions=False)
    assert not (tmp_path / "calibration.toml").exists()


def test_too_few_pictures_because_of_another_board(tmp_path: Path, held: list[Path]) -> None:
    photograph(tmp_path / "table.png", TRUTH, 480.0)
    others = [tmp_path / f"other-{number}.png" for number in range(9)]
    for path in others:
        cv2.imwrite(str(path), cv2.flip(read(held[0]), 1))
    words = r"3 usable .*, 8 are needed; left out: other-0\.png: .* and 9 more"
    arguments = calibrating([*held[:3], *others, tmp_path / "none.png"], tmp_path)
    with pytest.raises(VisionInputError, match=words):
        RUN.invoke(app, arguments, catch_exceptions=False)


def test_the_sheet_is_a_pdf_and_nothing_else_is_asked_for(tmp_path: Path) -> None:
    done = RUN.invoke(app, ["calibrate", "--sheet", str(tmp_path / "sheet.pdf")])
    assert done.exit_code == 0
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF-1.4")
    assert RUN.invoke(app, ["calibrate"]).exit_code == 2


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Path]:
    bench = Bench(tmp_path)
    config = tmp_path / "table.toml"
    config.write_text(
        'ruleset = "mcr-1998"\n[table]\ngeometry = "geometry.toml"\n'
        f'[machine]\nport = "{bench.machine.url}"\n'
        f'[[camera]]\nname = "top"\nsource = "{bench.camera.url}"\n'
        'calibration = "recording.toml"\n[record]\nevidence_limit_mb = 1\n'
    )
    yield config
    bench.close()


def test_the_doctor_finds_all_well_and_says_what_is_not(table: Path) -> None:
    done = RUN.invoke(app, ["doctor", str(table), "--json"], catch_exceptions=False)
    found = {check["what"]: check for check in json.loads(done.stdout)}
    assert found["models"]["good"]
    assert found["camera top"]["found"].startswith("960x540")
    assert any("firmware" in check["found"] for check in found.values())
    table.write_text(table.read_text().replace("/port", "/nothing"))
    done = RUN.invoke(app, ["doctor", str(table)], catch_exceptions=False)
    assert done.exit_code == 1
    assert "nothing" in done.output.replace("\n", "").replace(" ", "")


@pytest.mark.parametrize(
    ("was", "now", "lines"),
    [
        ("/port", "/port", ["[ok] models", "firmware"]),
        ("/port", "/nothing", ["[ok] models", "[NO] machine: ", "[NO] link: "]),
        ("[machine]\nport", "[machine]\n# port", ["[ok] models", "[ok] machine: not configured"]),
    ],
    ids=["well", "unplugged", "no machine"],
)
def test_a_report_is_written_whatever_the_machine_says(
    table: Path, tmp_path: Path, was: str, now: str, lines: list[str]
) -> None:
    table.write_text(table.read_text().replace(was, now))
    out = tmp_path / "report.txt"
    done = RUN.invoke(app, ["doctor", str(table), "--report", str(out)], catch_exceptions=False)
    assert done.exit_code == 0
    text = out.read_text()
    for line in lines:
        assert line in text
    assert ("[NO] link" in text) == ("[NO] link: " in lines)


def test_an_actuator_moves_only_after_its_warning(table: Path) -> None:
    with pytest.raises(RunError, match="add --yes"):
        RUN.invoke(app, ["doctor", str(table), "--move", "hatch open"], catch_exceptions=False)
    with pytest.raises(RunError, match="no actuator 'door'"):
        RUN.invoke(app, ["doctor", str(table), "--move", "door"], catch_exceptions=False)
    done = RUN.invoke(app, ["doctor", str(table), "--move", "buzzer", "--yes"])
    assert done.stdout == "buzzer: done\n"


def found_by_the_doctor(table: Path) -> tuple[int, dict[str, dict[str, Any]]]:
    """Its exit code, and what it says of everything, by name."""
    done = RUN.invoke(app, ["doctor", str(table), "--json"], catch_exceptions=False)
    return done.exit_code, {check["what"]: check for check in json.loads(done.stdout)}


@pytest.mark.parametrize(
    ("ports", "remedy"),
    [
        ([], "no port of a board is there: plug it in"),
        (
            [Candidate("/dev/ttyACM0", "Mega 2560", None), Candidate("/dev/ttyUSB1", "CH340", "7")],
            "name one of those that are there: /dev/ttyACM0 (Mega 2560), /dev/ttyUSB1 (CH340)",
        ),
    ],
)
def test_where_a_port_is_missing_the_doctor_lists_those_that_are_there(
    table: Path, monkeypatch: pytest.MonkeyPatch, ports: list[Candidate], remedy: str
) -> None:
    table.write_text(re.sub("(?m)^port = .*$", 'port = "/dev/nothing"', table.read_text()))
    monkeypatch.setattr(doctor, "candidates", lambda: ports)
    code, found = found_by_the_doctor(table)
    assert code == 1
    assert found["machine"]["found"] == "/dev/nothing: no such port; is the cable in?"
    assert found["machine"]["remedy"].startswith(remedy)


def a_file(folder: Path) -> Path:
    (folder / "taken").write_text("mine")
    return folder / "taken"


def below_a_file(folder: Path) -> Path:
    return a_file(folder) / "sessions"


def a_link_to_nothing(folder: Path) -> Path:
    (folder / "taken").symlink_to(folder / "gone" / "disk")
    return folder / "taken"


def where_nobody_may_write(folder: Path) -> Path:
    return Path("/proc/sessions")


def kept_in(sessions: Path, table: Path) -> None:
    """Have the table's sessions kept there, and its machine away: nobody waits for it."""
    text = table.read_text().replace("[record]", f'[record]\ndir = "{sessions}"')
    table.write_text(text.replace("/port", "/unplugged"))


@pytest.mark.parametrize("place", [a_file, below_a_file, a_link_to_nothing, where_nobody_may_write])
def test_a_session_that_could_not_be_kept_is_found_before_the_game(
    table: Path, tmp_path: Path, place: Callable[[Path], Path]
) -> None:
    kept_in(place(tmp_path), table)
    before = sorted(tmp_path.rglob("*"))
    code, found = found_by_the_doctor(table)
    assert code == 1
    assert not found["disk"]["good"]
    assert found["disk"]["found"].startswith(("/proc: ", f"{tmp_path / 'taken'}: "))
    assert found["disk"]["remedy"] == "in [record] dir, name a folder that can be written"
    assert sorted(tmp_path.rglob("*")) == before


def test_trying_the_disk_leaves_nothing_there(table: Path, tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    kept_in(sessions, table)
    assert found_by_the_doctor(table)[1]["disk"]["found"].endswith(f"free in {sessions}")
    assert not list(sessions.iterdir())
