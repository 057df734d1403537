"""The file of an enrolled set: what was stored is what is read, and nothing else is read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vision.nets.enrolled import TileSet, TileSetError

CROP = hnp.arrays(np.uint8, st.tuples(st.integers(1, 2), st.just(64), st.just(48), st.just(3)))


def _set() -> TileSet:
    rng = np.random.default_rng(1)
    faces = {f: rng.integers(0, 256, (2, 64, 48, 3), np.uint8) for f in ("1m", "5z", "back")}
    return TileSet(faces, {"1m": 4, "5z": 3}, ("5z is missing",), "hall 3, table 7")


def test_what_is_stored_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tiles.json"
    _set().save(path)
    again = TileSet.load(path)
    assert again.counts == {"1m": 4, "5z": 3}
    assert again.tiles == 7
    assert again.notes == ("5z is missing",)
    assert again.name == "hall 3, table 7"
    for face, crops in _set().faces.items():
        assert np.array_equal(again.faces[face], crops)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(crops=CROP, name=st.text(max_size=20))
def test_any_pictures_and_names_come_back(
    tmp_path_factory: pytest.TempPathFactory, crops: np.ndarray, name: str
) -> None:
    path = tmp_path_factory.mktemp("set") / "tiles.json"
    TileSet({"7s": crops}, {"7s": 4}, (), name).save(path)
    again = TileSet.load(path)
    assert np.array_equal(again.faces["7s"], crops)
    assert again.name == name


def _changed(path: Path, change: str) -> None:
    body = json.loads(path.read_text("utf-8"))
    if change == "count":
        body["counts"]["1m"] = 5
    elif change == "picture":
        body["faces"]["1m"][0], body["faces"]["1m"][1] = body["faces"]["1m"][::-1]
    elif change == "format":
        body["format"] = 2
    elif change == "kind":
        body["kind"] = "something"
    elif change == "no checksum":
        del body["sha256"]
    path.write_text(json.dumps(body), "utf-8")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("count", "altered"),
        ("picture", "altered"),
        ("no checksum", "altered"),
        ("format", "format 2"),
        ("kind", "no tile set"),
    ],
)
def test_a_changed_file_is_refused_by_name(tmp_path: Path, change: str, says: str) -> None:
    path = tmp_path / "tiles.json"
    _set().save(path)
    _changed(path, change)
    with pytest.raises(TileSetError, match=says) as error:
        TileSet.load(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]", b'{"kind": 3}', b"{"])
def test_what_is_no_tile_set_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tiles.json"
    path.write_bytes(content)
    with pytest.raises(TileSetError, match=r"tiles\.json: is no tile set"):
        TileSet.load(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TileSetError, match=r"nowhere\.json"):
        TileSet.load(tmp_path / "nowhere.json")
