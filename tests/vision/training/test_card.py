"""The model card says what the manifests say, of these weights and no others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from vision.nets import modelfile
from vision.training.judging import asked, card, headings, licences
from vision.training.judging.headings import NAMES
from vision.training.lacking import _DATA
from vision.training.pictures import sources
from vision.training.pictures.taught import Art, Place

MODELS = modelfile.own_dir()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in MODELS.iterdir():
        if path.suffix in (".json", ".onnx", ".md"):
            shutil.copy(path, tmp_path)
    monkeypatch.setenv(modelfile.FOLDER, str(tmp_path))
    return tmp_path


def raw(folder: Path, name: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((folder / f"{name}.json").read_text("utf-8"))
    return facts


def change(folder: Path, name: str, **facts: object) -> None:
    (folder / f"{name}.json").write_text(json.dumps(raw(folder, name) | facts), "utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_a_shipped_model_is_there(name: str) -> None:
    """The photographs of the box had none, so that the sum over all was of something else."""
    owned = set(headings.owned(name, headings.seen_by(MODELS)))
    # folds may have been measured or not
    assert owned - set(headings.FOLDS) <= set(raw(MODELS, name)["measured"]) <= owned


def test_the_shipped_card_is_what_is_written(folder: Path) -> None:
    was = (folder / "README.md").read_text("utf-8")
    card.write({})
    assert (folder / "README.md").read_text("utf-8") == was


def test_all_photographs_are_the_sum_of_the_tables() -> None:
    told = raw(MODELS, "finder")["measured"]
    groups = headings.all_photographs(headings.seen_by(MODELS))
    assert told[headings.ALL]["tiles"] == sum(told[name]["kinds"]["n"] for name in groups)
    assert told[headings.ALL]["photographs"] == sum(told[name]["photographs"] for name in groups)


@pytest.mark.parametrize(
    ("new", "lost", "kept"),
    [
        ("pips", headings.RENDERED_DICE, headings.FRAMES),
        ("dice", headings.DRAWN_DICE, headings.FACELESS),
        ("reader", headings.photographs(Place.NEW), headings.RENDERED_DICE),
        ("finder", headings.FRAMES, headings.face(Art.NEW)),
    ],
)
def test_a_newly_exported_model_has_no_figures_of_the_one_before(
    folder: Path, new: str, lost: str, kept: str
) -> None:
    """Its neighbour still had those that both share."""
    change(folder, new, measured={})
    card.write({})
    text = (folder / "README.md").read_text("utf-8")
    assert f"### {lost}\n" not in text
    assert f"### {kept}\n" in text
    assert all(lost not in raw(folder, name)["measured"] for name in NAMES)


@pytest.mark.parametrize(("name", "families"), [("pips", ["coloured"]), ("dice", [])])
def test_what_dice_taught_is_the_manifest_s(folder: Path, name: str, families: list[str]) -> None:
    facts = raw(folder, name)["training"] | {"families": families}
    change(folder, name, training=facts)
    card.write({})
    text = (folder / "README.md").read_text("utf-8")
    what = {"dice": "the finder of dice", "pips": "the reader of their values"}[name]
    assert f"taught {what}: {', '.join(families) or 'none'}\n" in text


def test_what_was_seen_by_eye_is_said_of_those_weights_only(folder: Path) -> None:
    (folder / "notes.md").write_text(
        "# Notes\n\n"
        f"## Both\nof: finder {raw(folder, 'finder')['sha256'][:12]}, "
        f"reader {raw(folder, 'reader')['sha256'][:12]}\n\nA tile.\n\n"
        f"## Dice\nof: dice {raw(folder, 'dice')['sha256'][:12]}\n\nA die.\n",
        "utf-8",
    )
    change(folder, "reader", sha256="0" * 64)
    card.write({})
    text = (folder / "README.md").read_text("utf-8")
    assert "## Dice\n\nA die.\n" in text
    assert "A tile." not in text


def test_every_folder_of_the_data_has_its_licences() -> None:
    assert {source.folder for source in licences.SOURCES} >= set(_DATA)
    assert licences.section() in (MODELS / "README.md").read_text("utf-8")


@pytest.mark.skipif(not sources.DATA.is_dir(), reason="needs the data of the trainings")
def test_the_licences_are_those_of_the_data() -> None:
    stated = (sources.DATA / "README.md").read_text("utf-8")
    for source in licences.SOURCES:
        if source.folder in _DATA:
            owner = source.owner.split(" ")[-1].split(",")[0].split("/")[-1]
            assert owner in stated, source
            assert source.licence.removeprefix("repository ").split(";")[0] in stated, source


@pytest.mark.parametrize(
    ("figures", "path", "value"),
    [
        ({"recall": 99.9}, ("recall",), 99.9),
        ({"exact above": "89 of 103 (86.41)"}, ("exact above",), 86.41),
        ({"34 kinds": {"right": 100.0}}, ("34 kinds", "right"), 100.0),
        ({"recall": 99.9}, ("precision",), None),
    ],
)
def test_the_number_of_a_figure(
    figures: dict[str, object], path: tuple[str, ...], value: float | None
) -> None:
    assert asked.value({"a title": figures}, "a title", path) == value


def test_what_is_missed_or_not_measured_is_bold() -> None:
    title = headings.photographs(Place.NEW)
    told = {
        title: {"photographs": 7, "recall": 99.0, "precision among the labelled": 99.5},
        headings.dice_fold("mixed"): {"values right": 92.7},
        headings.FACELESS: {
            "floor": "40 pictures, 2 with a face (5 faces), 8 times `?`",
            "dice": "40 pictures, 1 with a face (1 faces), 9 times `?`",
        },
    }
    there = {title for row in asked.ROWS for title in row.titles}
    text = asked.section(told, there)
    assert "| tiles of photographs found | ≥ 99.3 | **99** | **not measured** |" in text
    assert "| what was found is a tile | ≥ 99 | 99.5 | **not measured** |" in text
    assert "`mixed` | ≥ 98 | **92.7** |  |" in text
    assert "`coloured` | ≥ 98 | **not measured** |  |" in text
    assert "| faceless pictures with a face | 0 | **3** |  |" in text


def test_where_nothing_is_kept_apart_nothing_is_missed() -> None:
    new, known = headings.photographs(Place.NEW), headings.photographs(Place.KNOWN)
    told = {new: {"photographs": 7, "recall": 99.5}, known: {"photographs": 0, "kinds": {"n": 0}}}
    text = asked.section(told, {new, known})
    assert "| tiles of photographs found | ≥ 99.3 | 99.5 | – |" in text
    assert "| 34 kinds | ≥ 99.5 | – | – |" in text  # no design judges
