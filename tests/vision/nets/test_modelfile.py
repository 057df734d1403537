"""Model files are refused by name when they are missing, altered or of another format."""

from __future__ import annotations

import json
import shutil
from itertools import permutations
from pathlib import Path

import pytest

from vision.nets import modelfile
from vision.nets.modelfile import ModelError
from vision.photo.command import PhotoReader

NAMES = ("finder", "reader", "dice", "pips")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        for ending in ("onnx", "json"):
            shutil.copy(modelfile.default_dir() / f"{name}.{ending}", tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_shipped_models_open_and_match_their_manifests(name: str) -> None:
    model = modelfile.load(name)
    assert model.manifest.name == name
    assert model.manifest.training["steps"] > 0
    assert model.manifest.measured, "the card's figures stand in the manifest"


def test_models_are_small_enough_for_version_control() -> None:
    sizes = [(modelfile.default_dir() / f"{name}.onnx").stat().st_size for name in NAMES]
    assert sum(sizes) <= 10_000_000


def _edit(path: Path, **changes: object) -> None:
    raw = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**raw, **changes}), "utf-8")


def test_missing_manifest(folder: Path) -> None:
    (folder / "reader.json").unlink()
    with pytest.raises(ModelError, match=r"reader\.json: no such model manifest"):
        modelfile.load("reader", folder)


def test_missing_file(folder: Path) -> None:
    (folder / "reader.onnx").unlink()
    with pytest.raises(ModelError, match=r"reader\.onnx: cannot be read"):
        modelfile.load("reader", folder)


def test_altered_file(folder: Path) -> None:
    path = folder / "reader.onnx"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"reader\.onnx: altered"):
        modelfile.load("reader", folder)


def test_other_format(folder: Path) -> None:
    _edit(folder / "reader.json", format=99)
    with pytest.raises(ModelError, match=r"reader\.json: manifest format 99"):
        modelfile.load("reader", folder)


def test_manifest_of_another_model(folder: Path) -> None:
    shutil.copy(folder / "dice.json", folder / "reader.json")
    with pytest.raises(ModelError, match=r"reader\.json: is the manifest of 'dice'"):
        modelfile.load("reader", folder)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": 2}', '{"format": 2, "name": 3}'])
def test_damaged_manifest(folder: Path, text: str) -> None:
    (folder / "reader.json").write_text(text, "utf-8")
    with pytest.raises(ModelError, match=r"reader\.json"):
        modelfile.load("reader", folder)


def test_a_file_that_is_no_model(folder: Path) -> None:
    import hashlib

    (folder / "reader.onnx").write_bytes(b"no model")
    _edit(folder / "reader.json", sha256=hashlib.sha256(b"no model").hexdigest())
    with pytest.raises(ModelError, match=r"reader\.onnx: cannot be opened"):
        modelfile.load("reader", folder)


@pytest.mark.parametrize(("name", "other"), list(permutations(NAMES, 2)))
def test_another_net_of_the_right_checksum_is_refused(folder: Path, name: str, other: str) -> None:
    """Every look failed with it, ten times a second, and nobody was told that it is no finder."""
    shutil.copy(folder / f"{other}.onnx", folder / f"{name}.onnx")
    _edit(folder / f"{name}.json", sha256=modelfile.read_manifest(other, folder).sha256)
    with pytest.raises(ModelError, match=rf"{name}\.onnx: another net than a {name}"):
        modelfile.load(name, folder)


@pytest.mark.parametrize("name", NAMES)
def test_the_reader_of_pictures_refuses_any_altered_model_by_name(folder: Path, name: str) -> None:
    with (folder / f"{name}.onnx").open("ab") as file:
        file.write(b"\0")
    with pytest.raises(ModelError, match=rf"{name}\.onnx: altered") as caught:
        PhotoReader(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("finder", {"settings": {}}, "settings: threshold_face_up is missing"),
        ("finder", {"settings": {"threshold_face_up": 0.5}}, "threshold_face_down is missing"),
        ("reader", {"settings": {}}, "settings: temperature is missing"),
        ("reader", {"settings": {"temperature": 1.0}}, "settings: threshold is missing"),
        ("reader", {"settings": {"temperature": 0.0, "threshold": 0.6}}, "must be over 0"),
        ("reader", {"settings": {"temperature": float("nan")}}, "nan is no number"),
        ("reader", {"labels": ["1m", "2m"]}, "labels: 2, the net has 47"),
        ("reader", {"labels": []}, "labels: 0, the net has 47"),
        ("dice", {"settings": {}}, "settings: threshold is missing"),
        ("pips", {"settings": {"threshold": 0.7}}, "settings: temperature is missing"),
        ("pips", {"labels": ["1", "2", "3", "4", "5", "6"]}, "labels: 6, the net has 8"),
    ],
)
def test_a_manifest_that_does_not_explain_its_net_is_refused(
    folder: Path, name: str, changes: dict[str, object], said: str
) -> None:
    _edit(folder / f"{name}.json", **changes)
    with pytest.raises(ModelError, match=rf"{name}\.json: .*{said}") as caught:
        PhotoReader(folder)
    assert "\n" not in str(caught.value)
