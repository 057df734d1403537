"""What an interrupted rebuild left is not taken for what a whole one makes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vision.training import rebuild, work
from vision.training.pictures import fonts

RUN = ["vision.training.train_reader", "--minutes", "90", "--seed", "1"]


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "reader.pt"
    path.write_bytes(b"weights")
    return path


@pytest.fixture(autouse=True)
def commit(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    now = ["309aaf9"]
    monkeypatch.setattr(work, "commit_id", lambda: now[0])
    return now


def test_a_file_whose_making_was_interrupted_is_not_done(net: Path) -> None:
    assert not work.is_done(net, RUN)


def test_what_the_same_command_made_is_done(net: Path) -> None:
    work.set_done(net, RUN)
    assert work.is_done(net, RUN)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param([*RUN[:-1], "2"], id="another seed"),
        pytest.param(["vision.training.train_reader", "--minutes", "45", *RUN[3:]], id="effort"),
    ],
)
def test_what_another_command_made_is_not(net: Path, other: list[str]) -> None:
    work.set_done(net, other)
    assert not work.is_done(net, RUN)


def test_what_another_commit_made_is_not(net: Path, commit: list[str]) -> None:
    work.set_done(net, RUN)
    commit[0] = "c9ac472"
    assert not work.is_done(net, RUN)


def test_what_is_made_anew_is_not_done_meanwhile(net: Path) -> None:
    work.set_done(net, RUN)
    work.set_undone(net)
    assert not work.is_done(net, RUN)


class Ran:
    """The commands of a rebuild, none of which is run; the one named fails."""

    def __init__(self, folder: Path, fails: str = "") -> None:
        self.folder, self.fails, self.modules = folder, fails, list[str]()

    def __call__(self, command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        module = command[2].removeprefix(work.MODULE)
        self.modules.append(module)
        for name in ("finder", "reader") if module.startswith("train_") else ():
            if module.endswith(name):  # a training leaves weights from early on
                (self.folder / f"{name}.pt").write_bytes(b"weights")
        return subprocess.CompletedProcess(command, int(module == self.fails))


def rebuilt(monkeypatch: pytest.MonkeyPatch, ran: Ran, *asked: str) -> list[str]:
    monkeypatch.setattr(subprocess, "run", ran)
    monkeypatch.setattr(rebuild, "WORK", ran.folder)
    monkeypatch.setattr(rebuild, "lacking", list)
    monkeypatch.setattr(fonts, "missing", list)
    monkeypatch.setattr(sys, "argv", ["rebuild", *asked])
    if ran.fails:
        with pytest.raises(SystemExit, match=ran.fails):
            rebuild.main()
    else:
        rebuild.main()
    return ran.modules


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    (tmp_path / "frames").mkdir()
    for seed in (1, 2):
        (tmp_path / "frames" / f"{seed}-0099.pickle").touch()
    return tmp_path


def test_an_interrupted_rebuild_goes_on_where_it_was(
    frames: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rebuilt(monkeypatch, Ran(frames, "train_reader"))
    assert (frames / "reader.pt").exists(), "part-trained"
    again = rebuilt(monkeypatch, Ran(frames))
    assert again[0] == "train_reader"


def test_another_seed_makes_everything_anew(frames: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rebuilt(monkeypatch, Ran(frames))
    assert rebuilt(monkeypatch, Ran(frames), "--seed", "2")[:3] == [
        "make",
        "train_finder",
        "train_reader",
    ]


def test_a_trial_begins_with_an_empty_folder(frames: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (frames / "trial").mkdir()
    old = frames / "trial" / "finder.pt"
    old.touch()
    ran = Ran(frames)
    rebuilt(monkeypatch, ran, "--trial")
    assert not old.exists()
    assert ran.modules[0] == "make"


def test_modules_are_run_once_for_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], *, check: bool) -> None:
        assert check
        asked.append(command[2:])
        result.write_text("weights")

    monkeypatch.setattr(subprocess, "run", run)
    result, runs = tmp_path / "fold" / "reader.onnx", [["train_reader", "--seed", "1"], ["export"]]
    work.run_unless_done(result, runs)
    assert asked == [["vision.training.train_reader", "--seed", "1"], ["vision.training.export"]]
    work.run_unless_done(result, runs)
    assert len(asked) == 2
    work.run_unless_done(result, [["train_reader", "--seed", "2"], ["export"]])
    assert len(asked) == 4, "another seed's is not taken for it"
