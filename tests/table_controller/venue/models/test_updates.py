"""Models from the hall to the tables of a whole venue: a few first, then the rest, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table_controller.venue.models.shelf import ModelShelf
from tests.table_controller.venue.conftest import run
from tests.table_controller.venue.releases import made
from tests.table_controller.venue.updating import agree, change, models_typed, steps
from tests.table_controller.venue.world import World, wait

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole release on the organiser's disk."""
    return made(tmp_path_factory.mktemp("organiser") / "v2")


def test_a_release_goes_to_a_few_tables_then_to_the_rest_and_back(
    world: World, models: Path
) -> None:
    hub = str(world.venue.hub_file(9))
    names = world.names(6)
    first, rest, offline = names[0], names[1:5], names[5]
    tables = world.tables(names[:5])
    short = world.tables([offline])
    world.heard(names)
    short.close()  # its cable is pulled, or it is switched off
    put = models_typed("put", hub, str(models), "--version", "v2")
    assert put.returncode == 0, put.stderr
    assert put.stdout.startswith("v2: dice 901, finder 901, pips 901, reader 901; ")
    again = models_typed("put", hub, str(models), "--version", "v2")
    assert again.stdout == "v2: lies there already, with the same files\n"
    # Everywhere at once is refused while nobody has tried it.
    status, body = world.ask("/api/models/v2/offer", {"by": "Li", "tables": names})
    assert (status, body["detail"]) == (
        409, "v2 is in use nowhere yet: at most 4 tables first; nothing was ordered"
    )  # fmt: skip
    assert world.ask("/api/models/v2/offer", {"by": "Li", "tables": [first, offline]})[0] == 200
    wait(lambda: steps(world, "v2", first, offline) == ["fetched", "offered"])
    assert (tables.plays[first].table.root / "models" / "v2" / "reader.onnx").is_file()
    done = models_typed("use", hub, "v2", first)
    assert done.stdout.startswith("v2: use ordered at 1 tables"), done.stderr

    def used(*which: str) -> bool:
        agree(tables)
        return set(steps(world, "v2", *which)) == {"in use"}

    wait(lambda: used(first))
    shown = wait(lambda: world.ask("/api/models")[1]["tables"][first]["in_use"] == "v2")
    assert shown
    assert world.ask("/api/models")[1]["tables"][first]["before"] == ""
    # Then to the rest, the one that is away included.
    assert world.ask("/api/models/v2/offer", {"by": "Li", "tables": rest})[0] == 200
    wait(lambda: set(steps(world, "v2", *rest)) == {"fetched"})
    assert world.ask("/api/models/v2/use", {"by": "Li", "tables": rest})[0] == 200
    wait(lambda: used(first, *rest))
    # Where they are worse: one order, at all that use it.
    assert world.ask("/api/models/v2/back", {"by": "Li"})[0] == 200

    def returned() -> bool:
        agree(tables)
        return set(steps(world, "v2", first, *rest)) == {"returned"}

    wait(returned)
    shelves = [ModelShelf(play.table.root / "models") for play in tables.plays.values()]
    assert [shelf.version for shelf in shelves] == [""] * len(shelves)
    # The table that was away comes back, and has what it was offered.
    assert steps(world, "v2", offline) == ["offered"]
    short = world.tables([offline], world.root([offline]))
    wait(lambda: steps(world, "v2", offline) == ["fetched"])
    # What a table uses comes with its next status, a little after its answer.
    expected = {f"{offline}: uses its own; v2: fetched", f"{first}: uses its own; v2: returned"}
    wait(lambda: all(line in models_typed("show", hub).stdout for line in expected))
    for one in (tables, short):
        one.close()


def test_what_is_missing_or_altered_in_the_hall_is_refused_by_the_table(
    world: World, models: Path
) -> None:
    hub = str(world.venue.hub_file(9))
    names = world.names(1)
    tables = world.tables(names)
    world.heard(names)

    def answer(version: str) -> dict[str, Any]:
        body = {"by": "Li", "tables": names}
        assert world.ask(f"/api/models/{version}/offer", body)[0] == 200
        wait(lambda: steps(world, version, *names) == ["refused"])
        return dict(world.ask("/api/models")[1]["tables"][names[0]]["steps"][version])

    for version in ("v3", "v4", "v5"):
        assert models_typed("put", hub, str(models), "--version", version).returncode == 0
    run(change(world, "v3/reader.onnx", None))
    assert answer("v3")["reason"] == "models/v3/reader.onnx: not there"
    run(change(world, "v4/reader.onnx", b"weights of somebody else"))
    assert answer("v4")["reason"] == "v4/reader.onnx: its checksum is another one"
    # Set right, it is fetched.
    run(change(world, "v3/reader.onnx", (models / "reader.onnx").read_bytes()))
    assert world.ask("/api/models/v3/offer", {"by": "Li", "tables": names})[0] == 200
    wait(lambda: steps(world, "v3", *names) == ["fetched"])
    # One that was offered nowhere can be used nowhere.
    assert world.ask("/api/models/v5/use", {"by": "Li", "tables": names})[0] == 200

    def refused() -> bool:
        agree(tables)
        return steps(world, "v5", *names) == ["refused"]

    wait(refused)
    said = world.ask("/api/models")[1]["tables"][names[0]]["steps"]["v5"]["reason"]
    assert said.startswith("models 'v5': not staged here")
    tables.close()


def test_what_the_organiser_may_not_type_is_refused_in_one_line(
    world: World, models: Path, tmp_path: Path
) -> None:
    hub = str(world.venue.hub_file(9))
    tables = world.tables(names := world.names(1))
    world.heard(names)
    altered = made(tmp_path / "altered")
    (altered / "reader.onnx").write_bytes(b"x")
    less = made(tmp_path / "less")
    (less / "dice.onnx").unlink()
    assert models_typed("put", hub, str(models), "--version", "v6").returncode == 0
    for words, said in (
        (("put", hub, str(tmp_path / "none"), "--version", "v7"), "no such folder"),
        (("put", hub, str(altered), "--version", "v7"), "altered, its checksum is not that of"),
        (("put", hub, str(less), "--version", "v7"), "dice.onnx is missing"),
        (("put", hub, str(models), "--version", "v/7"), "models: version"),
        (("put", hub, str(made(tmp_path / "new", "902")), "--version", "v6"),
         "there is a release v6 with other files; nothing was changed"),
        (("offer", hub, "v9", *names), "there is no release v9"),
        (("offer", hub, "v6", "T99"), "there is no table T99; nothing was ordered"),
        (("offer", hub, "v6"), "name tables, or give --rest; nothing was ordered"),
        (("back", hub, "v6", "--rest"), "no table uses v6; nothing was ordered"),
    ):  # fmt: skip
        done = models_typed(*words)
        assert done.returncode == 2, words
        line = done.stderr.strip().splitlines()[-1]
        assert line.startswith("paiguan: ")
        assert said in line
        assert "Traceback" not in done.stderr
    assert {one["version"] for one in world.ask("/api/models")[1]["releases"]} & {"v6", "v7"} == {
        "v6"
    }
    tables.close()
